"""Boards on a terminal in colours, and as plain text where the output is no terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastscore.commands.output import write_lines
from fastscore.coordinates import column_name
from fastscore.palettes import LIGHT, premium_colours
from fastscore.pictures import premium_labels

if TYPE_CHECKING:
    from rich.text import Text

    from fastscore.board import Board

__all__ = ["write_board"]

_ROW_NUMBERS = 3
_WIDEST = 3
_NARROWEST = 2
_BLANK = 0x80
_TILE = f"bold {LIGHT.tile_ink} on {LIGHT.tile}"
_FRESH = f"bold {LIGHT.tile_ink} on {LIGHT.fresh}"
_BLANK_TILE = f"bold {LIGHT.blank_ink} on"
_PLAIN = f"{LIGHT.label} on {LIGHT.plain}"
_BRICK = f"{LIGHT.mortar} on {LIGHT.brick}"
_START = "*"


def write_board(board: Board, before: Board | None = None) -> None:
    """Write a board to standard output; tiles that were not on the board `before` stand out in colours.

    Colours need a terminal that is wide enough, else it is the text of `str(board)`.
    """
    width = _cell_width(board) if sys.stdout.isatty() else None
    if width is None:
        write_lines(str(board).splitlines())
        return
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False)
    fresh = np.zeros_like(board.tiles, np.bool_) if before is None else board.tiles != before.tiles
    console.print(_names(board, width), no_wrap=True)
    for row in range(board.rows):
        console.print(_row(board, row, width, fresh), no_wrap=True)


def _cell_width(board: Board) -> int | None:
    """Characters of a square; None where the terminal is too narrow for any."""
    from rich.cells import cell_len
    from rich.console import Console

    longest = max([1, *(cell_len(_name(board, row, col)) for row, col in _occupied(board))])
    room = (Console(file=sys.stdout).width - _ROW_NUMBERS) // board.cols
    width = min(max(_WIDEST, longest + 1), room)
    return width if width >= max(_NARROWEST, longest) else None


def _occupied(board: Board) -> list[tuple[int, int]]:
    return [(row, col) for row, line in enumerate(board.tiles.tolist()) for col, tile in enumerate(line) if tile]


def _name(board: Board, row: int, col: int) -> str:
    """A tile as it is written, without brackets."""
    return board.rules.letters.decode(int(board.tiles[row, col])).strip("[]")


def _names(board: Board, width: int) -> Text:
    from rich.text import Text

    names = "".join(column_name(col).center(width) for col in range(board.cols))
    return Text(" " * _ROW_NUMBERS + names.rstrip())


def _row(board: Board, row: int, width: int, fresh: NDArray[np.bool_]) -> Text:
    from rich.cells import set_cell_size
    from rich.text import Text

    line = Text(f"{row + 1:>{_ROW_NUMBERS - 1}} ")
    for col in range(board.cols):
        text, style = _square(board, row, col, bool(fresh[row, col]))
        # A name in the middle of three characters, else from the left on.
        line.append(set_cell_size(f" {text}" if len(text) < width - 1 else text, width), style)
    return line


def _square(board: Board, row: int, col: int, fresh: bool) -> tuple[str, str]:
    """Text and style of one square."""
    layout = board.rules.layout
    code = int(board.tiles[row, col])
    if code:
        style = _FRESH if fresh else _TILE
        if code & _BLANK:
            style = f"{_BLANK_TILE} {LIGHT.fresh if fresh else LIGHT.blank}"
        return _name(board, row, col), style
    if layout.bricks[row, col]:
        return "##", _BRICK
    labels = premium_labels(layout, row, col)
    letter, word = int(layout.letter_multiplier[row, col]), int(layout.word_multiplier[row, col])
    style = _PLAIN
    if letter > 1 or word > 1:
        fill, ink = premium_colours(LIGHT, *(("letter", letter) if letter > 1 else ("word", word)))
        style = f"{ink} on {fill}"
    if (row, col) == layout.start:
        return _START, style
    return (labels[0] if labels else ""), style
