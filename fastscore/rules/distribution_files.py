"""Letter distribution files of this and other programs, read into plain rows; no meaning is given to the rows here.

The formats, one line a tile:

- `csv`: this project's own. Header `tile,count,value`, optionally with `blank`, `aliases` and `blank_aliases` (other
  spellings, separated by spaces); comment lines begin with `#` and stand before the header.
- `magpie`: no header, `letter,lower,count,score,vowel[,fullwidth,fullwidth lower]`, blank first.
- `macondo`: no header, `letter,count,score,vowel`, blank first.
- `quackle`: white space, `letter blankform score count vowel`, and `blank score count`; `#` begins a comment line.
- `wolges`: tabs, `label blank_label count score vowel n_aliases alias... n_blank_aliases alias...`, blank first.

In all of them an empty count is an unknown one, and a pair of brackets or bars around a tile belongs to the notation.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass

from fastscore.errors import RulesError, quote
from fastscore.rules.sources import nearest, numbered_lines, whole_number

__all__ = ["FORMATS", "MAX_COUNT", "MAX_VALUE", "TileRow", "parse_rows"]

MAX_VALUE = 1_000_000
"""Largest face value of a tile."""
MAX_COUNT = 10_000
"""Most tiles of one letter."""


@dataclass(frozen=True)
class TileRow:
    """One tile as a file states it; `blank_form` is None where the file does not state it."""

    line: int
    tile: str
    blank_form: str | None
    count: int | None
    value: int
    aliases: tuple[str, ...] = ()
    blank_aliases: tuple[str, ...] = ()


Line = tuple[int, list[str]]
"""Line number and fields."""


def parse_rows(text: str, format: str | None = None, source: str | None = None) -> list[TileRow]:
    """The rows of a distribution file, the format recognised if it is not given.

    Raises RulesError with `source` and the line.
    """
    lines = [(number, line) for number, line in numbered_lines(text) if line.strip()]
    # A comment is unambiguous before the first row; later `#` could be meant as a tile (and is refused as one).
    while lines and lines[0][1].startswith("#"):
        lines.pop(0)
    if not lines:
        raise RulesError("no tiles, expected one line a tile", source=source)
    if format is not None and format not in FORMATS:
        raise RulesError(f"unknown distribution format {quote(format)}, {nearest(format, FORMATS)}", source=source)
    number = lines[0][0]
    rows = []
    try:
        chosen = format or _recognise(lines)
        split = _SPLITTERS.get(chosen, _split_csv)
        parse = _own_csv(split(lines.pop(0)[1])) if chosen == "csv" else _PARSERS[chosen]
        for number, line in lines:
            if not (chosen == "quackle" and line.startswith("#")):
                rows.append(parse((number, [field.strip() for field in split(line)])))
    except (RulesError, csv.Error) as error:
        detail = error.detail if isinstance(error, RulesError) else f"malformed CSV: {error}"
        raise RulesError(detail, source=source, line=number) from None
    if not rows:
        raise RulesError("no tiles, expected one line a tile", source=source)
    return rows


def _recognise(lines: list[tuple[int, str]]) -> str:
    """The format, told from the blank's line or the header (a tile is never called `tile` or `blank`)."""
    first = lines[0][1]
    words = [line.split() for _, line in lines]
    if first.replace('"', "").lower().startswith("tile,"):
        return "csv"
    if "\t" in first and first.split("\t")[0].strip() == "?":
        return "wolges"
    if any(word[0] == "blank" and len(word) == 3 for word in words):
        return "quackle"
    if "," in first:
        fields = len(_split_csv(first))
        if fields in (5, 7):
            return "magpie"
        if fields == 4:
            return "macondo"
    raise RulesError(
        f"unknown distribution format of {quote(first)}, expected the header 'tile,count,value' or a file of MAGPIE, "
        "macondo, Quackle or wolges"
    )


def _split_csv(line: str) -> list[str]:
    return next(csv.reader([line], strict=True))


_SPLITTERS: dict[str, Callable[[str], list[str]]] = {
    "quackle": str.split,
    "wolges": lambda line: line.split("\t"),
}
# The others are CSV.


def _own_csv(header: list[str]) -> Callable[[Line], TileRow]:
    """A parser of rows for the columns that the header names."""
    known = ("tile", "count", "value", "blank", "aliases", "blank_aliases")
    names = [name.strip().lower() for name in header]
    for name in names:
        if name not in known:
            raise RulesError(f"unknown column {quote(name)}, {nearest(name, known)}")
        if names.count(name) > 1:
            raise RulesError(f"column {quote(name)} appears twice")
    for name in known[:3]:
        if name not in names:
            raise RulesError(f"no column {quote(name)}, expected a header like 'tile,count,value'")

    def parse(numbered: Line) -> TileRow:
        line, fields = numbered
        # Trailing columns may be left out, as nearly every row has nothing to say in them.
        if not len(known[:3]) <= len(fields) <= len(names):
            raise RulesError(f"{len(fields)} fields, expected {len(names)}: {','.join(names)}")
        cell = dict(zip(names, fields, strict=False))
        return TileRow(
            line,
            _bare(cell["tile"]),
            _blank_form(cell["tile"], cell.get("blank", "")),
            _count(cell["count"]),
            _value(cell["value"]),
            tuple(map(_bare, cell.get("aliases", "").split())),
            tuple(map(_bare, cell.get("blank_aliases", "").split())),
        )

    return parse


def _magpie(numbered: Line) -> TileRow:
    line, fields = numbered
    # The full-width forms are for display in fixed columns, not another spelling.
    if len(fields) not in (5, 7):
        raise RulesError(f"{len(fields)} fields, expected letter,lower,count,score,vowel[,fullwidth,fullwidth lower]")
    tile, lower, count, value, vowel = fields[:5]
    _vowel(vowel)
    return TileRow(line, _bare(tile), _blank_form(tile, lower), _count(count), _value(value))


def _macondo(numbered: Line) -> TileRow:
    line, fields = numbered
    if len(fields) != 4:
        raise RulesError(f"{len(fields)} fields, expected letter,count,score,vowel")
    tile, count, value, vowel = fields
    _vowel(vowel)
    return TileRow(line, _bare(tile), None, _count(count), _value(value))


def _quackle(numbered: Line) -> TileRow:
    line, fields = numbered
    if fields[0] == "blank":
        if len(fields) != 3:
            raise RulesError(f"{len(fields)} fields, expected 'blank score count'")
        return TileRow(line, "?", None, _count(fields[2]), _value(fields[1]))
    if len(fields) != 5:
        raise RulesError(f"{len(fields)} fields, expected 'letter blankform score count vowel' or 'blank score count'")
    tile, lower, value, count, vowel = fields
    _vowel(vowel)
    return TileRow(line, _bare(tile), _blank_form(tile, lower), _count(count), _value(value))


def _wolges(numbered: Line) -> TileRow:
    line, fields = numbered
    form = "label, blank label, count, score, vowel, number of aliases, aliases, number of blank aliases, blank aliases"
    if len(fields) < 7:
        raise RulesError(f"{len(fields)} fields, expected {form}, separated by tabs")
    tile, lower, count, value, vowel = fields[:5]
    _vowel(vowel)
    lists = []
    rest = fields[5:]
    for _ in range(2):
        size = whole_number(rest[0]) if rest else None
        if size is None or not 0 <= size < len(rest):
            given = quote(rest[0] if rest else "")
            raise RulesError(f"number of aliases {given} does not fit the line, expected {form}")
        lists.append(tuple(map(_bare, rest[1 : 1 + size])))
        rest = rest[1 + size :]
    if rest:
        raise RulesError(f"{len(rest)} fields too many, expected {form}")
    return TileRow(line, _bare(tile), _blank_form(tile, lower), _count(count), _value(value), *lists)


_PARSERS: dict[str, Callable[[Line], TileRow]] = {
    "magpie": _magpie,
    "macondo": _macondo,
    "quackle": _quackle,
    "wolges": _wolges,
}
FORMATS = ("csv", *_PARSERS)
"""Names of the formats that `parse_rows` reads."""


def _bare(tile: str) -> str:
    """The name without the pair of brackets or bars that the notation puts around it."""
    for left, right in ("[]", "||"):
        if len(tile) > 2 and tile.startswith(left) and tile.endswith(right):
            return tile[1:-1]
    return tile


def _blank_form(tile: str, lower: str) -> str | None:
    # Files for scripts without case repeat the letter, which does not tell a blank from a tile.
    return None if lower in ("", tile) else _bare(lower)


def _count(text: str) -> int | None:
    return None if not text else _number(text, "count", MAX_COUNT)


def _value(text: str) -> int:
    return _number(text, "value", MAX_VALUE)


def _vowel(text: str) -> None:
    _number(text, "vowel mark", 1)


def _number(text: str, what: str, most: int) -> int:
    number = whole_number(text)
    if number is None:
        raise RulesError(f"{what} {quote(text)}, expected a whole number from 0 to {most}")
    if not 0 <= number <= most:
        raise RulesError(f"{what} {text[:12]}, expected 0 to {most}")
    return number
