"""Tables on a terminal, in whatever width it has: numbers are never broken, texts at spaces.

What has no room as a table with all columns has some of them below each row, where the table says so, and on a very
narrow terminal each row becomes a list of names and values.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

__all__ = ["Column", "write_terminal_table"]

_GAP = 2
_INDENT = 2
_LONGEST_WORD = 24
"""Longer words may be broken: one of a thousand letters would leave no room for others."""
_LONGEST_WHOLE = 48


class Column(NamedTuple):
    """A column. `right`: aligned right; `whole`: its cells are not broken at spaces, as those of a `right` one are not;
    `below`: where there is no room, they go below the row.
    """

    name: str
    right: bool = False
    whole: bool = False
    below: bool = False


def write_terminal_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Write rows to standard output, a terminal."""
    console = Console(file=sys.stdout, highlight=False)
    for line in _lines(columns, rows, console):
        # Nothing is wider than the terminal; rich shall not look again.
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], console: Console) -> Iterator[Text]:
    everything = range(len(columns))
    kept = [place for place in everything if not columns[place].below]
    for places in (everything, kept):
        widths = _widths(
            [columns[place] for place in places], [[row[place] for row in rows] for place in places], console
        )
        if widths is None or not places:
            continue
        shown = [columns[place] for place in places]
        yield from _in_columns([column.name for column in shown], shown, widths, console, "bold")
        for row in rows:
            yield from _in_columns([row[place] for place in places], shown, widths, console, "")
            rest = [(columns[place].name, row[place]) for place in everything if place not in places]
            yield from _as_list(rest, console, " " * 2 * _INDENT)
        return
    for row in rows:
        pairs = [(column.name, cell) for column, cell in zip(columns, row, strict=True)]
        yield from _as_list(pairs, console, "")


def _widths(columns: Sequence[Column], cells: Sequence[Sequence[str]], console: Console) -> list[int] | None:
    """Widths of columns in which nothing is broken that must not be; None if there are none."""
    least = [_least(column, texts) for column, texts in zip(columns, cells, strict=True)]
    most = [max(map(cell_len, (column.name, *texts))) for column, texts in zip(columns, cells, strict=True)]
    room = console.width - _GAP * (len(columns) - 1)
    if sum(most) <= room:
        return most
    spare = room - sum(least)
    if spare < 0:
        return None
    widths = list(least)
    # Only texts gain by more than the least. Those that lack little come first, and what they leave goes to the others.
    texts_only = [place for place, column in enumerate(columns) if not column.right]
    for done, place in enumerate(sorted(texts_only, key=lambda place: most[place] - least[place])):
        more = min(most[place] - least[place], spare // (len(texts_only) - done))
        widths[place] += more
        spare -= more
    return widths


def _least(column: Column, texts: Sequence[str]) -> int:
    """The width that a column needs; that of its header's longest word at least."""
    header = max(map(cell_len, column.name.split()), default=1)
    if column.right or column.whole:
        longest = min(max(map(cell_len, texts), default=0), _LONGEST_WHOLE)
    else:
        words = (cell_len(word) for text in texts for word in text.split())
        longest = min(max(words, default=0), _LONGEST_WORD)
    return max(header, longest)


def _in_columns(
    cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int], console: Console, style: str
) -> Iterator[Text]:
    """The lines of a row."""
    parts = [
        [cell] if cell_len(cell) <= width else [line.plain.rstrip() for line in Text(cell).wrap(console, width)]
        for cell, width in zip(cells, widths, strict=True)
    ]
    for number in range(max(map(len, parts))):
        line = ""
        start = 0
        for part, column, width in zip(parts, columns, widths, strict=True):
            text = part[number] if number < len(part) else ""
            before = width - cell_len(text) if column.right else 0
            if text:
                line += " " * (start + before - cell_len(line)) + text
            start += width + _GAP
        yield Text(line, style)


def _as_list(pairs: Sequence[tuple[str, str]], console: Console, indent: str) -> Iterator[Text]:
    """Names with values, as many in a line as have room; without values they are left out."""
    line = Text(indent)
    for name, value in pairs:
        if not value:
            continue
        pair = Text.assemble((name, "bold"), " " if name else "", value)
        if line.plain.strip() and line.cell_len + _GAP + pair.cell_len <= console.width:
            line += Text(" " * _GAP) + pair
            continue
        if line.plain.strip():
            yield line
            line = Text(indent or " " * _INDENT)
        if line.cell_len + pair.cell_len <= console.width:
            line += pair
        else:
            *full, line = _indented(pair, console, line.plain)
            yield from full
    if line.plain.strip():
        yield line


def _indented(text: Text, console: Console, indent: str) -> Iterator[Text]:
    for line in text.wrap(console, max(1, console.width - len(indent))):
        line.rstrip()
        yield Text(indent) + line
