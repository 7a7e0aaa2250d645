"""Squares, lanes and coordinates.

A lane is a row or a column read as a line, so that one piece of code serves both directions. A coordinate is
written `8H` (row 8, column H) for an across play and `H8` for a down play; columns beyond Z are AA, AB, ...
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from fastscore.errors import NotationError, quote

__all__ = [
    "MAX_SIDE",
    "Direction",
    "Lane",
    "column_name",
    "format_coordinate",
    "lane_through",
    "parse_coordinate",
    "square_name",
]

MAX_SIDE = 32
"""Most rows or columns of a board."""


class Direction(IntEnum):
    """Direction of a play, as arrays have it: 0 across, 1 down."""

    ACROSS = 0
    DOWN = 1

    @property
    def other(self) -> Direction:
        """The crossing direction."""
        return Direction(1 - self)


class Lane(NamedTuple):
    """A row or column as a line of squares: square number `start + stride * k` for k in range(length)."""

    start: int
    stride: int
    length: int

    def squares(self) -> range:
        """The square numbers of the lane, in order."""
        return range(self.start, self.start + self.stride * self.length, self.stride)


def lane_through(row: int, col: int, direction: int, rows: int, cols: int) -> tuple[Lane, int]:
    """The lane of `direction` through a square, and the square's index in it."""
    if direction == Direction.ACROSS:
        return Lane(row * cols, 1, cols), col
    return Lane(col, cols, rows), row


def column_name(col: int) -> str:
    """`0` -> `A`, `25` -> `Z`, `26` -> `AA`, `27` -> `AB`."""
    return chr(65 + col) if col < 26 else chr(64 + col // 26) + chr(65 + col % 26)


def square_name(row: int, col: int) -> str:
    """Name of a square whatever the direction, column first: `(7, 7)` -> `H8`."""
    return f"{column_name(col)}{row + 1}"


def format_coordinate(row: int, col: int, direction: int) -> str:
    """`8H` for an across play from row 7, column 7, `H8` for a down play."""
    return square_name(row, col) if direction == Direction.DOWN else f"{row + 1}{column_name(col)}"


_ACROSS = re.compile(r"([0-9]{1,2})([A-Za-z]{1,2})")
_DOWN = re.compile(r"([A-Za-z]{1,2})([0-9]{1,2})")


def parse_coordinate(text: str, *, lettered_rows: bool = False) -> tuple[int, int, Direction]:
    """Row, column (0-based) and direction of `8H` (across) or `H8` (down); the letters may be in either case.

    With `lettered_rows` the letters name the rows and the numbers the columns, so `H8` is across. Coordinates are not
    compared with a board here: 99Z is readable. Raises NotationError.
    """
    number_first = _ACROSS.fullmatch(text)
    letters_first = _DOWN.fullmatch(text)
    match = number_first or letters_first
    if match is None:
        raise NotationError(f"{quote(text)} is no coordinate, expected one like 8H (across) or H8 (down)")
    number, letters = match.groups() if number_first else match.groups()[::-1]
    numbered = int(number) - 1
    lettered = 0
    for letter in letters.upper():
        lettered = lettered * 26 + ord(letter) - 64
    lettered -= 1
    if numbered < 0:
        raise NotationError(f"{quote(text)} is no coordinate: rows and columns are counted from 1")
    direction = Direction.ACROSS if (number_first is not None) != lettered_rows else Direction.DOWN
    # A row's letter comes first in an across coordinate there, as its number does here.
    if lettered_rows:
        return lettered, numbered, direction
    return numbered, lettered, direction
