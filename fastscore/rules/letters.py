"""Letter distributions: the tiles of a set, their values and counts, and how they are written.

A tile code is 0 for none, 1..n for the letters in the order of the distribution, `code | 0x80` for a blank played as
that letter and 0x80 for a blank without a letter. In text a letter stands for its tile, its blank form (the lower case
of the set's own table) for a blank played as it, `?` for a blank without a letter. A tile whose name has several
characters is written in brackets, `[CH]`, blank `[ch]`; without brackets the longest match wins. In scripts without
case a blank is written `[?X]`, always with the brackets.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Literal

from fastscore.errors import NotationError, RulesError, quote
from fastscore.rules.distribution_files import MAX_COUNT, MAX_VALUE, TileRow, parse_rows
from fastscore.rules.sources import (
    Source,
    bundled_names,
    bundled_text,
    described,
    display_name,
    is_whole,
    name_of,
    nearest,
    read_text,
)

__all__ = [
    "BLANK",
    "MAX_LETTERS",
    "LetterDistribution",
    "distribution_names",
    "load_distribution",
    "parse_distribution",
    "read_distribution",
]

BLANK = 0x80
"""Bit of a tile code that marks a blank; alone, a blank without a letter."""

MAX_LETTERS = 126
"""Most letters of a distribution."""

_MAX_NAME = 12
_RESERVED = frozenset("?.,;:/()[]|#_\"'\\")
# Characters that play, rack, position or record texts use for something else.


@dataclass(frozen=True)
class LetterDistribution:
    """The tiles of a set. All tuples are indexed by tile code; index 0 is the blank.

    `tiles[0]` is `?`, the others are the upper forms without brackets. `values` are face values (0 to 1,000,000);
    `values[0]` is what a blank is worth whatever letter it stands for. `counts` (0 to 10,000) is None where it is
    unknown how many tiles there are: then nothing is checked against the bag. `blank_forms` are the texts of
    designated blanks; left empty they are made from `tiles`. `aliases` are other spellings with the tile code that they
    stand for. Texts are normalised to NFC. Raises RulesError.
    """

    name: str
    tiles: tuple[str, ...]
    values: tuple[int, ...]
    counts: tuple[int, ...] | None = None
    blank_forms: tuple[str, ...] = ()
    aliases: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        """Normalise the texts and refuse what could not be told apart or be encoded."""
        tiles = tuple(map(_composed, self.tiles))
        if tiles[:1] != ("?",):
            raise RulesError(f"first tile {quote(''.join(tiles[:1]))}, expected '?' (the blank)")
        if not 1 <= len(tiles) - 1 <= MAX_LETTERS:
            raise RulesError(f"{len(tiles) - 1} letters, expected 1 to {MAX_LETTERS}")
        for tile in tiles[1:]:
            _check_name(tile)
        forms = tuple(map(_composed, self.blank_forms)) or ("?", *map(_default_blank_form, tiles[1:]))
        for what, column in (("values", self.values), ("counts", self.counts), ("blank forms", forms)):
            if column is not None and len(column) != len(tiles):
                raise RulesError(f"{len(column)} {what} for {len(tiles)} tiles, expected one for each")
        for what, numbers, most in (("value", self.values, MAX_VALUE), ("count", self.counts or (), MAX_COUNT)):
            for tile, number in zip(tiles, numbers, strict=False):
                if not is_whole(number) or not 0 <= number <= most:
                    raise RulesError(f"{what} {described(number)} of tile {quote(tile)}, expected 0 to {most}")
        aliases = tuple((_composed(text), code) for text, code in self.aliases)
        object.__setattr__(self, "tiles", tiles)
        object.__setattr__(self, "values", tuple(map(int, self.values)))
        object.__setattr__(self, "counts", None if self.counts is None else tuple(map(int, self.counts)))
        object.__setattr__(self, "blank_forms", forms)
        object.__setattr__(self, "aliases", aliases)
        _ = self._symbols  # refuses spellings with two meanings

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the fields without the tables that are made from them."""
        return (type(self), (self.name, self.tiles, self.values, self.counts, self.blank_forms, self.aliases))

    @property
    def n_letters(self) -> int:
        """Number of letters, the blank not counted."""
        return len(self.tiles) - 1

    @property
    def spellings(self) -> Mapping[str, int]:
        """Every text that stands for a tile without brackets, with its code: `A`, `a`, `?`, `CH`, aliases."""
        return self._plain

    def value(self, code: int) -> int:
        """Face value of a tile code: the letter's, or the blank's if the code is one of a blank."""
        return self.values[0] if code & BLANK else self.values[code]

    def encode(self, text: str, *, extra: str = "") -> list[int]:
        """The tile codes of a text, with 0 for each of the characters in `extra` (such as `.` for a through tile).

        Raises NotationError, whose `column` is the 1-based place in the text in composed form.
        """
        if not text.isascii():
            text = unicodedata.normalize(self._form, text)
        table = self._single(extra)
        if table is not None:
            try:
                return [table[character] for character in text]
            except KeyError:
                pass  # brackets, or an error to be described
        return [code for _, code in self._scan(text, extra)]

    def rack(self, text: str) -> tuple[int, ...]:
        """The tiles of a rack as counts by tile code, n_letters + 1 of them; index 0 counts the blanks, written `?`.

        Raises NotationError, also for a designated blank: a tile on a rack is no letter yet.
        """
        counts = [0] * len(self.tiles)
        codes = self.encode(text)
        for index, code in enumerate(codes):
            if code > BLANK:
                shown = self.decode(code)
                text = unicodedata.normalize(self._form, text)
                column = list(self._scan(text, ""))[index][0] + 1
                raise NotationError(
                    f"designated blank {quote(shown)} at character {column} of the rack {quote(text)}, expected '?' "
                    "for a blank and upper forms for tiles",
                    column=column,
                )
            counts[code & 0x7F] += 1
        return tuple(counts)

    def decode(self, code: int) -> str:
        """One tile as text: `A`, `a` (blank), `[CH]`, `[ch]`, and `?` for a blank without a letter.

        Raises NotationError for a code that is none of these (0 is no tile).
        """
        letter = code & 0x7F
        if code == 0 or not 0 <= code <= 0xFF or letter > self.n_letters:
            raise NotationError(
                f"tile code {code} is not of the letter distribution {quote(self.name)}, expected 1 to "
                f"{self.n_letters}, or {BLANK} more for a blank"
            )
        text = self.blank_forms[letter] if code & BLANK else self.tiles[letter]
        return f"[{text}]" if len(text) > 1 else text

    def format(self, codes: Iterable[int]) -> str:
        """Tiles as text that `encode` reads back: C and H beside each other are `C[H]` where CH is a tile too."""
        parts = list(map(self.decode, codes))
        if self._single("") is None:
            run: list[str] = []
            for index, part in enumerate(parts):
                if part.startswith("["):
                    run = []
                elif run and len(self.encode("".join((*run, part)))) != len(run) + 1:
                    parts[index] = f"[{part}]"
                    run = []
                else:
                    run.append(part)
        return "".join(parts)

    def aliases_in(self, text: str, *, extra: str = "") -> list[str]:
        """The aliases that a text uses, in order of first use, for a remark on the spelling. Raises NotationError."""
        text = unicodedata.normalize(self._form, text)
        known = {unicodedata.normalize(self._form, alias) for alias, _ in self.aliases}
        places = [*(place for place, _ in self._scan(text, extra)), len(text)]
        spellings = (text[start:end].strip("[]") for start, end in pairwise(places))
        return list(dict.fromkeys(spelling for spelling in spellings if spelling in known))

    @cached_property
    def _form(self) -> Literal["NFC", "NFD"]:
        # Composition would weld Korean letters into syllables, which are no tiles; taken apart they are letters again.
        return "NFD" if any("\u1100" <= character <= "\u11ff" for tile in self.tiles for character in tile) else "NFC"

    @cached_property
    def _symbols(self) -> dict[str, int]:
        """Every spelling that may stand in brackets, with its code."""
        spellings = [*self.aliases]
        for code in range(1, len(self.tiles)):
            spellings += [(self.tiles[code], code), (self.blank_forms[code], code | BLANK)]
        symbols: dict[str, int] = {"?": BLANK}
        for text, code in spellings:
            # A `?` is only the blank itself and the sign of a blank in scripts without case.
            _check_characters(text.removeprefix("?"), "spelling", digits=True)
            if (code & 0x7F) >= len(self.tiles) or not 0 < code <= 0xFF:
                raise RulesError(f"spelling {quote(text)} stands for tile code {code}, which there is not")
            if symbols.setdefault(unicodedata.normalize(self._form, text), code) != code:
                raise RulesError(f"{quote(text)} is the spelling of two tiles, expected different ones")
        return symbols

    @cached_property
    def _plain(self) -> dict[str, int]:
        """The spellings that need no brackets. Those that hold a `?` do: on a rack `?X` is a blank and an X."""
        return {text: code for text, code in self._symbols.items() if "?" not in text or text == "?"}

    @cached_property
    def _longest(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, sorted(self._plain, key=len, reverse=True))))

    @cached_property
    def _tables(self) -> dict[str, dict[str, int] | None]:
        return {}

    def _single(self, extra: str) -> dict[str, int] | None:
        """Code by character, None if some unbracketed spelling has several characters."""
        try:
            return self._tables[extra]
        except KeyError:
            table = None
            if all(len(text) == 1 for text in self._plain):
                table = self._plain | dict.fromkeys(extra, 0)
            if len(self._tables) < 16:
                self._tables[extra] = table
            return table

    def _scan(self, text: str, extra: str) -> Iterator[tuple[int, int]]:
        """Place (0-based, in the normalised text) and code of each tile; the way for brackets, digraphs and errors."""
        place = 0
        while place < len(text):
            character = text[place]
            if character in extra:
                yield place, 0
                place += 1
                continue
            if character == "[":
                end = text.find("]", place)
                if end < 0:
                    raise self._unreadable(text, place, "'['", "has no closing bracket, expected one such as in [CH]")
                code = self._symbols.get(text[place + 1 : end])
                if code is None:
                    raise self._unreadable(text, place, quote(text[place : end + 1]), self._no_tile())
                yield place, code
                place = end + 1
                continue
            match = self._longest.match(text, place)
            if match is None:
                raise self._unreadable(text, place, quote(character), self._no_tile())
            yield place, self._plain[match.group()]
            place = match.end()

    def _no_tile(self) -> str:
        longer = next((tile for tile in self.tiles if len(tile) > 1), None)
        bracketed = f", a tile in brackets such as [{longer}]" if longer else ""
        return f"is no tile of {quote(self.name)}, expected a letter of the set{bracketed} or '?'"

    def _unreadable(self, text: str, place: int, what: str, why: str) -> NotationError:
        return NotationError(f"{what} at character {place + 1} of {quote(text)} {why}", column=place + 1)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _check_name(tile: str) -> None:
    _check_characters(tile, "tile", digits=False)


def _check_characters(text: str, what: str, *, digits: bool) -> None:
    """Refuse texts that could not stand in a play, a rack, a position or a record. Digits may be aliases."""
    if not 1 <= len(text) <= _MAX_NAME:
        raise RulesError(f"{what} {quote(text)} has {len(text)} characters, expected 1 to {_MAX_NAME}")
    for character in text:
        refused = character in _RESERVED or character.isspace() or (character.isdecimal() and not digits)
        if refused or not character.isprintable():
            raise RulesError(f"{what} {quote(text)} contains {quote(character)}, expected letters")
    if unicodedata.combining(text[0]):
        raise RulesError(f"{what} {quote(text)} begins with a combining mark, expected a letter")


def _default_blank_form(tile: str) -> str:
    """Lower case, character by character: `str.lower` on a whole name has rules for ends of words."""
    form = "".join(_composed(character.lower()) for character in tile)
    if len(form) != len(tile):
        raise RulesError(f"lower case of tile {quote(tile)} is longer than it, expected its blank form to be given")
    if form != tile:
        return form
    if tile.upper() != tile:
        raise RulesError(f"tile {quote(tile)} is in lower case, expected upper case (lower case is for blanks)")
    return f"?{tile}"


def parse_distribution(
    text: str, name: str = "distribution", format: str | None = None, source: str | None = None
) -> LetterDistribution:
    """The distribution that the text of a file describes; formats as in `fastscore.rules.distribution_files`.

    The order of the lines is the order of the tile codes, except that the blank is always 0; without a line for the
    blank there is none (count 0, value 0). Raises RulesError with `source` and the line.
    """
    rows = parse_rows(text, format, source)
    first_line: dict[str, int] = {}
    for row in rows:
        tile = _composed(row.tile)
        try:
            if tile in first_line:
                raise RulesError(f"tile {quote(tile)} appears twice, first in line {first_line[tile]}")
            if tile != "?":
                _check_name(tile)
                if row.blank_form is None:
                    _default_blank_form(tile)
            if (row.count is None) != (rows[0].count is None):
                which = "no" if row.count is None else "a"
                raise RulesError(f"tile {quote(tile)} has {which} count, expected counts for every tile or for none")
        except RulesError as error:
            raise RulesError(error.detail, source=source, line=row.line) from None
        first_line[tile] = row.line
    blanks = [row for row in rows if row.tile == "?"]
    letters = [row for row in rows if row.tile != "?"]
    blank = blanks[0] if blanks else TileRow(0, "?", None, 0, 0)
    ordered = [blank, *letters]
    try:
        return LetterDistribution(
            name,
            tuple(row.tile for row in ordered),
            tuple(row.value for row in ordered),
            None if rows[0].count is None else tuple(row.count or 0 for row in ordered),
            ("?", *(row.blank_form or _default_blank_form(_composed(row.tile)) for row in letters)),
            tuple(
                (alias, code | mark)
                for code, row in enumerate(letters, 1)
                for mark, aliases in ((0, row.aliases), (BLANK, row.blank_aliases))
                for alias in aliases
            ),
        )
    except RulesError as error:
        raise RulesError(error.detail, source=source) from None


def read_distribution(path: Source, name: str | None = None, format: str | None = None) -> LetterDistribution:
    """The distribution of a file (a path or an open file). `name` is the file's name without its ending if not given.

    `format` is one of `csv` (this project's), `magpie`, `macondo`, `quackle` and `wolges`, recognised if not given.
    Raises RulesError with file and line.
    """
    shown = display_name(path)
    return parse_distribution(read_text(path), name_of(path) if name is None else name, format, shown)


def distribution_names() -> list[str]:
    """Names of the bundled letter distributions, sorted."""
    return list(bundled_names("distributions"))


@cache
def load_distribution(name: str) -> LetterDistribution:
    """A bundled letter distribution by its name, e.g. `english`. Raises RulesError for an unknown name."""
    if name not in bundled_names("distributions"):
        raise RulesError(f"unknown letter distribution {quote(name)}, {nearest(name, distribution_names())}")
    return parse_distribution(bundled_text(f"distributions/{name}.csv"), name, "csv", f"{name}.csv")
