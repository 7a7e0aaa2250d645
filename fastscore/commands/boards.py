"""Boards on a terminal in colours, and as plain text where the output is no terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastscore.commands.output import write_lines
from fastscore.coordinates import column_name, square_name
from fastscore.palettes import LIGHT, Palette, premium_colours
from fastscore.pictures import premium_labels

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from fastscore.board import Board
    from fastscore.rules.layouts import BoardLayout

__all__ = ["write_board"]

_ROW_NUMBERS = 3
_WIDEST = 3
_NARROWEST = 2
_BLANK = 0x80
_START = "*"
_MANY = LIGHT._replace(
    plain="#eeeeee",
    label="#444444",
    brick="#585858",
    mortar="#eeeeee",
    letter2="#afd7ff",
    letter2_ink="#000000",
    letter3="#5fafff",
    letter3_ink="#000000",
    letter4="#005faf",
    word2="#ffd7d7",
    word2_ink="#000000",
    word3="#ff8787",
    word3_ink="#000000",
    word4="#af0000",
    tile="#ffd787",
    tile_ink="#000000",
    blank="#ffffd7",
    blank_ink="#87005f",
    fresh="#ffff87",
)
"""Those of pictures, but for terminals of 256 colours: each is one of them, so that no two become the same."""
_SIXTEEN = LIGHT._replace(
    plain="white",
    label="black",
    brick="bright_black",
    mortar="bright_white",
    letter2="bright_cyan",
    letter2_ink="black",
    letter3="blue",
    letter3_ink="bright_white",
    letter4="bright_blue",
    letter4_ink="black",
    word2="bright_magenta",
    word2_ink="black",
    word3="red",
    word3_ink="bright_white",
    word4="magenta",
    word4_ink="bright_white",
    tile="bright_yellow",
    tile_ink="black",
    blank="bright_white",
    blank_ink="blue",
    fresh="bright_green",
)
"""Names of colours for terminals that have no more; what they look like is the user's choice."""


def write_board(board: Board, before: Board | None = None) -> None:
    """Write a board to standard output; tiles that were not on the board `before` stand out in colours and underlined.

    Colours need a terminal that is wide enough, else it is the text of `str(board)`. Premiums that are too long for
    their squares are listed below the board.
    """
    if not sys.stdout.isatty():
        write_lines(str(board).splitlines())
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False)
    width = _cell_width(board, console)
    if width is None:
        write_lines(str(board).splitlines())
        return
    palette = _SIXTEEN if console.color_system in ("standard", "windows") else _MANY
    fresh = np.zeros_like(board.tiles, np.bool_) if before is None else board.tiles != before.tiles
    console.print(_names(board, width), no_wrap=True)
    for row in range(board.rows):
        console.print(_row(board, row, width, fresh, palette), no_wrap=True)
    for line in _legend(board, width):
        console.print(Text(line))


def _cell_width(board: Board, console: Console) -> int | None:
    """Characters of a square; None where the terminal is too narrow for any."""
    from rich.cells import cell_len

    longest = max([1, *(cell_len(_name(board, row, col)) for row, col in _occupied(board))])
    room = (console.width - _ROW_NUMBERS) // board.cols
    usual = max(_WIDEST, longest + 1)
    # A space between two premiums; the start square may fill its own.
    premiums = [len(_premium(board.rules.layout, *square)) + 1 for square in _free(board)]
    wide = max([usual, *premiums, len(_marked(board.rules.layout, *board.rules.layout.start))])
    width = wide if wide <= room else min(usual, room)
    return width if width >= max(_NARROWEST, longest) else None


def _premium(layout: BoardLayout, row: int, col: int) -> str:
    """The labels of a square in one: `DL`, `TL=5`, `5L+9W`."""
    first, *others = premium_labels(layout, row, col) or [""]
    return first + "".join(f"={label[3:]}" if label.startswith("if ") else f"+{label}" for label in others)


def _marked(layout: BoardLayout, row: int, col: int) -> str:
    """The premium of a square, with a star before it on the start square."""
    return _START * ((row, col) == layout.start) + _premium(layout, row, col)


def _fitting(layout: BoardLayout, row: int, col: int, width: int) -> tuple[str, bool]:
    """What a free square says of itself in `width` characters, and whether that is all."""
    whole = _marked(layout, row, col)
    labels = premium_labels(layout, row, col)
    start = (row, col) == layout.start
    if len(whole) < width or (len(whole) <= width and (start or len(labels) == 1)):
        return whole, True
    return _START if start else labels[0], False


def _legend(board: Board, width: int) -> list[str]:
    """A line for each premium that free squares have no room for: `5L+9W: D1, E1`; and what a condition means."""
    squares: dict[str, list[str]] = {}
    for row, col in _free(board):
        if not _fitting(board.rules.layout, row, col, width)[1]:
            squares.setdefault(_marked(board.rules.layout, row, col), []).append(square_name(row, col))
    lines = [f"{premium}: {', '.join(names)}" for premium, names in squares.items()]
    if any(board.rules.layout.letter_condition[square] for square in _free(board)):
        lines.append("=N: only for letters of value N")
    return lines


def _free(board: Board) -> list[tuple[int, int]]:
    """The squares that show what they are: no tile, no brick."""
    free = (board.tiles == 0) & ~board.rules.layout.bricks
    return [(int(row), int(col)) for row, col in np.argwhere(free)]


def _occupied(board: Board) -> list[tuple[int, int]]:
    return [(row, col) for row, line in enumerate(board.tiles.tolist()) for col, tile in enumerate(line) if tile]


def _name(board: Board, row: int, col: int) -> str:
    """A tile as it is written, without brackets."""
    return board.rules.letters.decode(int(board.tiles[row, col])).strip("[]")


def _names(board: Board, width: int) -> Text:
    from rich.text import Text

    names = "".join(column_name(col).center(width) for col in range(board.cols))
    return Text(" " * _ROW_NUMBERS + names.rstrip())


def _row(board: Board, row: int, width: int, fresh: NDArray[np.bool_], palette: Palette) -> Text:
    from rich.cells import set_cell_size
    from rich.text import Text

    line = Text(f"{row + 1:>{_ROW_NUMBERS - 1}} ")
    for col in range(board.cols):
        is_fresh = bool(fresh[row, col])
        text, style = _square(board, row, col, width, is_fresh, palette)
        # A name in the middle of three characters, else from the left on.
        before = len(text) < width - 1
        first = len(line) + before
        line.append(set_cell_size(" " * before + text, width), style)
        if is_fresh:
            # For those who see no colours.
            line.stylize("underline", first, first + len(text))
    return line


def _square(board: Board, row: int, col: int, width: int, fresh: bool, palette: Palette) -> tuple[str, str]:
    """Text and style of one square."""
    layout = board.rules.layout
    code = int(board.tiles[row, col])
    if code:
        blank = bool(code & _BLANK)
        fill = palette.fresh if fresh else palette.blank if blank else palette.tile
        return _name(board, row, col), f"bold {palette.blank_ink if blank else palette.tile_ink} on {fill}"
    if layout.bricks[row, col]:
        return "##", f"{palette.mortar} on {palette.brick}"
    fill, ink = palette.plain, palette.label
    for kind, multiplier in (
        ("word", layout.word_multiplier[row, col]),
        ("letter", layout.letter_multiplier[row, col]),
    ):
        if multiplier > 1:
            fill, ink = premium_colours(palette, kind, int(multiplier))
    return _fitting(layout, row, col, width)[0], f"{ink} on {fill}"
