"""Board layouts: size, start square, premiums and bricks, and the text form they are written in.

The text form is the one of MAGPIE and macondo: the first line is `row, col` of the start square, counted from 0, then
one line a row and one character a square. `legend:` lines, comments (`#` before the first line) and `.` for a plain
square are this project's additions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastscore.coordinates import MAX_SIDE
from fastscore.errors import RulesError, quote
from fastscore.rules.sources import (
    Source,
    bundled_names,
    bundled_text,
    display_name,
    name_of,
    nearest,
    numbered_lines,
    read_text,
    whole_number,
)

__all__ = ["MAX_MULTIPLIER", "BoardLayout", "layout_names", "load_layout", "parse_layout", "read_layout"]

MAX_MULTIPLIER = 9
"""Largest letter or word multiplier of a square."""

_MAX_CONDITION = 255

_OTHER_NAMES = {"CrosswordGame": "standard15", "SuperCrosswordGame": "standard21"}
# Names of the same boards in CGP and GCG files.


class _Square(NamedTuple):
    letter: int = 1
    word: int = 1
    condition: int = 0
    brick: bool = False


_SYMBOLS = {
    ".": _Square(),
    " ": _Square(),
    "'": _Square(letter=2),
    '"': _Square(letter=3),
    "^": _Square(letter=4),
    "-": _Square(word=2),
    "=": _Square(word=3),
    "~": _Square(word=4),
    "#": _Square(brick=True),
}


def _spare_symbols() -> Iterator[str]:
    """Symbols for a legend: digits and letters, and enough of others for every square a board can have."""
    yield from "123456789"
    yield from (chr(code) for code in range(ord("A"), 0x2000) if chr(code).isalpha())


@dataclass(frozen=True, eq=False, repr=False)
class BoardLayout:
    """The squares of a board.

    `start` is (row, col) of the start square, from 0; it may be a brick (then no play can open the game). The arrays
    have the shape [rows, cols], are copied and read-only: `letter_multiplier` and `word_multiplier` uint8 from 1 to 9,
    `bricks` bool. `letter_condition` uint8 is 0 for none; otherwise the square's letter multiplier applies only to a
    tile whose letter has this face value (also for a designated blank, whose own points stay the blank's value).
    Premiums below a brick are dropped. Layouts are equal if their squares are, whatever their names.
    Raises RulesError.
    """

    name: str
    rows: int
    cols: int
    start: tuple[int, int]
    letter_multiplier: NDArray[np.uint8]
    word_multiplier: NDArray[np.uint8]
    letter_condition: NDArray[np.uint8]
    bricks: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Check, copy and freeze the arrays."""
        for what, side in (("rows", self.rows), ("columns", self.cols)):
            if not 1 <= side <= MAX_SIDE:
                raise RulesError(f"a board of {side} {what}, expected 1 to {MAX_SIDE}")
        row, col = self.start
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            raise RulesError(_off_board(row, col, self.rows, self.cols))
        shape = (self.rows, self.cols)
        bricks = _checked("bricks", self.bricks, shape, 0, 1).astype(np.bool_, order="C")
        frozen: dict[str, NDArray[Any]] = {"bricks": bricks}
        for name, least, most, plain in (
            ("letter_multiplier", 1, MAX_MULTIPLIER, 1),
            ("word_multiplier", 1, MAX_MULTIPLIER, 1),
            ("letter_condition", 0, _MAX_CONDITION, 0),
        ):
            array = _checked(name, getattr(self, name), shape, least, most).astype(np.uint8, order="C")
            array[bricks] = plain
            frozen[name] = array
        for name, array in frozen.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        for name, number in (("rows", int(self.rows)), ("cols", int(self.cols)), ("start", (int(row), int(col)))):
            object.__setattr__(self, name, number)

    @cached_property
    def _content(self) -> tuple[object, ...]:
        arrays = (self.letter_multiplier, self.word_multiplier, self.letter_condition, self.bricks)
        return (self.rows, self.cols, self.start, *(array.tobytes() for array in arrays))

    def __eq__(self, other: object) -> bool:
        """Equal squares and start square; the names do not count."""
        if not isinstance(other, BoardLayout):
            return NotImplemented
        return self is other or self._content == other._content

    def __hash__(self) -> int:
        """By content, as equality."""
        return hash(self._content)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle through the constructor: NumPy forgets on the way that an array was read-only."""
        fields = (self.letter_multiplier, self.word_multiplier, self.letter_condition, self.bricks)
        return (type(self), (self.name, self.rows, self.cols, self.start, *fields))

    def __repr__(self) -> str:
        """One line without the arrays."""
        return f"BoardLayout({self.name!r}, {self.rows} rows, {self.cols} columns, start={self.start})"

    def __str__(self) -> str:
        """The text form, with a legend where one is needed; `parse_layout` reads it back."""
        symbols = {square: symbol for symbol, square in _SYMBOLS.items() if symbol != " "}
        spare = _spare_symbols()
        legend = []
        lines = []
        for row in range(self.rows):
            line = []
            for col in range(self.cols):
                square = self._square(row, col)
                if square not in symbols:
                    symbols[square] = next(spare)
                    legend.append(f"{symbols[square]} = {_meaning(square)}")
                line.append(symbols[square])
            lines.append("".join(line))
        head = [f"{self.start[0]}, {self.start[1]}"]
        if legend:
            head.append(f"legend: {', '.join(legend)}")
        return "\n".join(head + lines)

    def _square(self, row: int, col: int) -> _Square:
        return _Square(
            int(self.letter_multiplier[row, col]),
            int(self.word_multiplier[row, col]),
            int(self.letter_condition[row, col]),
            bool(self.bricks[row, col]),
        )


def _checked(name: str, array: object, shape: tuple[int, int], least: int, most: int) -> NDArray[Any]:
    """The array if shape, kind and range are right; checked before it is narrowed, so that 256 cannot become 0."""
    given = np.asarray(array)
    if given.shape != shape:
        raise RulesError(f"{name} has the shape {given.shape}, expected {shape}")
    if given.dtype.kind not in "uib":
        raise RulesError(f"{name} has the dtype {given.dtype}, expected whole numbers")
    wrong = (given < least) | (given > most)
    if wrong.any():
        row, col = (int(index[0]) for index in np.nonzero(wrong))
        raise RulesError(f"{name} is {int(given[row, col])} at row {row}, column {col}, expected {least} to {most}")
    return given


def _off_board(row: int, col: int, rows: int, cols: int) -> str:
    return f"start square {row}, {col} is off the board of {rows} rows and {cols} columns (both are counted from 0)"


def _meaning(square: _Square) -> str:
    parts = []
    if square.letter > 1 or square.condition or square.word == 1:
        parts.append(f"letter {square.letter}")
        if square.condition:
            parts.append(f"if value {square.condition}")
    if square.word > 1:
        parts.append(f"word {square.word}")
    return " ".join(parts)


_START = re.compile(r"\s*([+-]?[0-9]+)\s*,\s*([+-]?[0-9]+)\s*")
_LEGEND = "legend:"
_LETTER = re.compile(r"letter\s+(\S+?)(?:\s+if\s+value\s+(\S+))?")
_WORD = re.compile(r"word\s+(\S+)")
_MEANING = re.compile(rf"{_LETTER.pattern}(?:\s+{_WORD.pattern})?|{_WORD.pattern}")
_ADDITIVE = re.compile(r"\b(?:add|additive|plus|minus|bonus|points?|penalty)\b|[+-]\s*[0-9]", re.IGNORECASE)
_LONGEST_MEANING = 60
_LEGEND_FORM = "expected entries such as a = letter 5, b = word 6, 1 = letter 3 if value 1"


def parse_layout(text: str, name: str = "layout", source: str | None = None) -> BoardLayout:
    """The layout that a text describes.

    Comment lines begin with `#` and stand before the start coordinates only (later `#` is a brick). A line
    `legend: a = letter 5, b = word 6, 1 = letter 3 if value 1` gives a meaning to other symbols; it may stand anywhere.
    Raises RulesError with `source` and the line.
    """

    def fail(detail: str, line: int | None = None, column: int | None = None) -> RulesError:
        return RulesError(detail, source=source, line=line, column=column)

    symbols = dict(_SYMBOLS)
    lines = []
    for number, line in numbered_lines(text):
        if line.startswith(_LEGEND):
            _read_legend(line[len(_LEGEND) :], symbols, source, number)
        else:
            lines.append((number, line))
    while lines and not lines[-1][1]:
        lines.pop()
    first = 0
    while first < len(lines) and (lines[first][1].startswith("#") or not lines[first][1].strip()):
        first += 1
    if first == len(lines):
        raise fail("no start coordinates, expected a first line such as '7, 7'")
    start_line, start_text = lines[first]
    match = _START.fullmatch(start_text)
    if match is None:
        raise fail(f"malformed start coordinates {quote(start_text)}, expected 'row, col' such as '7, 7'", start_line)
    row, col = (whole_number(part) or 0 for part in match.groups())
    grid = lines[first + 1 :]
    if not grid:
        raise fail("no rows, expected one line a row after the start coordinates", start_line)
    if len(grid) > MAX_SIDE:
        raise fail(f"{len(grid)} rows, expected at most {MAX_SIDE}", grid[MAX_SIDE][0])
    cols = len(grid[0][1])
    if cols > MAX_SIDE:
        raise fail(f"row of {cols} squares, expected at most {MAX_SIDE}", grid[0][0])
    squares = []
    for number, line in grid:
        if len(line) != cols or not line:
            hint = " (a plain square at the end of a row may be written '.')" if len(line) < cols else ""
            raise fail(f"row of {len(line)} squares, expected {cols or 'some'} as in the first row{hint}", number)
        for column, symbol in enumerate(line, 1):
            if symbol not in symbols:
                known = " ".join(sorted(symbols)).strip()
                detail = (
                    f"unknown premium symbol {quote(symbol)}, expected a space or one of {known} (others need a legend)"
                )
                raise fail(detail, number, column)
            squares.append(symbols[symbol])
    if not (0 <= row < len(grid) and 0 <= col < cols):
        raise fail(_off_board(row, col, len(grid), cols), start_line)
    table = np.array(squares, dtype=np.int64).reshape(len(grid), cols, len(_Square._fields))
    letter, word, condition, bricks = (table[:, :, field] for field in range(len(_Square._fields)))
    return BoardLayout(name, len(grid), cols, (row, col), letter, word, condition, bricks)  # type: ignore[arg-type]


def _read_legend(text: str, symbols: dict[str, _Square], source: str | None, line: int) -> None:
    """Add the entries of one legend line to `symbols`."""
    for entry in text.split(","):
        symbol, equals, meaning = (part.strip() for part in entry.partition("="))
        try:
            if not equals or len(symbol) != 1 or not symbol.isprintable() or len(meaning) > _LONGEST_MEANING:
                raise RulesError(f"malformed legend entry {quote(entry.strip())}, {_LEGEND_FORM}")
            if symbol in symbols:
                raise RulesError(f"legend symbol {quote(symbol)} has a meaning already, expected another symbol")
            symbols[symbol] = _legend_square(meaning)
        except RulesError as error:
            raise RulesError(error.detail, source=source, line=line) from None


def _legend_square(meaning: str) -> _Square:
    match = _MEANING.fullmatch(meaning)
    if match is None:
        if _ADDITIVE.search(meaning):
            raise RulesError(
                f"additive premium {quote(meaning)}: squares that add or take points are not supported, "
                f"expected a multiplier from 1 to {MAX_MULTIPLIER}"
            )
        raise RulesError(f"malformed legend entry {quote(meaning)}, {_LEGEND_FORM}")
    letter, condition, word, only_word = match.groups()
    return _Square(
        letter=_multiplier(letter, "letter multiplier"),
        word=_multiplier(word or only_word, "word multiplier"),
        condition=0 if condition is None else _ranged(condition, "face value", 1, _MAX_CONDITION),
    )


def _multiplier(text: str | None, what: str) -> int:
    return 1 if text is None else _ranged(text, what, 1, MAX_MULTIPLIER)


def _ranged(text: str, what: str, least: int, most: int) -> int:
    number = whole_number(text)
    if number is None:
        raise RulesError(f"{what} {quote(text)}, expected a whole number from {least} to {most}")
    if text.startswith("+"):
        raise RulesError(f"additive premium {quote(text)} is not supported, expected a multiplier from 1 to {most}")
    if number < 0:
        raise RulesError(f"negative premium {text[:12]} is not supported, expected a {what} from {least} to {most}")
    if not least <= number <= most:
        raise RulesError(f"{what} {text[:12]}, expected {least} to {most}")
    return number


def read_layout(path: Source, name: str | None = None) -> BoardLayout:
    """The layout of a file (a path or an open file). `name` is the file's name without its ending if not given.

    Raises RulesError with file and line.
    """
    shown = display_name(path)
    return parse_layout(read_text(path), name_of(path) if name is None else name, source=shown)


def layout_names() -> list[str]:
    """Names of the bundled layouts, sorted."""
    return list(bundled_names("layouts"))


@cache
def load_layout(name: str) -> BoardLayout:
    """A bundled layout by its name, e.g. `standard15`; also `CrosswordGame` and `SuperCrosswordGame`, as CGP has it.

    Raises RulesError for an unknown name.
    """
    known = _OTHER_NAMES.get(name, name)
    if known not in bundled_names("layouts"):
        raise RulesError(f"unknown board layout {quote(name)}, {nearest(name, layout_names())}")
    return parse_layout(bundled_text(f"layouts/{known}.txt"), known, source=f"{known}.txt")
