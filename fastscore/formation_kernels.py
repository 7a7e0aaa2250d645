"""Compiled: the words that placements form, as rows of tile codes. Two passes, since a kernel cannot allocate: one
counts the words, the other writes them to where the counts add up to.

Arrays are C-contiguous and native: `boards` uint8[positions, rows, cols], `bricks` bool[rows, cols], `position`
int32[n], `row`, `col`, `direction` uint8[n], `tiles` uint8[n, width], `status` uint32[n]. Any values may be handed in:
a placement with an unscorable status, and one that cannot be laid, forms no word. A brick is a wall even where an array
has a tile on it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastscore.compilation import jit

__all__ = ["count_words", "form_words"]

UNSCORABLE = (1 << 21) - 1
"""The number of fastscore.status: numba would not notice a change there. A test compares the two."""

Bytes = NDArray[np.uint8]
Walls = NDArray[np.bool_]


@jit(inline=True)
def _is_tile(cells: Bytes, walls: Walls, board: int, square: int) -> bool:
    return bool(cells[board + square] != 0 and not walls[square])


@jit(inline=True)
def _run_before(cells: Bytes, walls: Walls, board: int, square: int, stride: int, steps: int) -> np.int64:
    """Tiles in a row directly before a square, of the `steps` squares up to the edge."""
    count = np.int64(0)
    while count < steps and _is_tile(cells, walls, board, square - (count + 1) * stride):
        count += 1
    return count


@jit(inline=True)
def _run_after(cells: Bytes, walls: Walls, board: int, square: int, stride: int, steps: int) -> np.int64:
    """Tiles in a row directly behind a square, of the `steps` squares up to the edge."""
    count = np.int64(0)
    while count < steps and _is_tile(cells, walls, board, square + (count + 1) * stride):
        count += 1
    return count


@jit
def count_words(
    boards: Bytes,
    bricks: Walls,
    position: NDArray[np.int32],
    row: Bytes,
    col: Bytes,
    direction: Bytes,
    tiles: Bytes,
    status: NDArray[np.uint32],
    starts: NDArray[np.int64],
) -> None:
    """Write to `starts` int64[n + 1] where the words of each placement begin when all are listed; the last entry is
    how many there are.
    """
    positions, rows, cols = np.int64(boards.shape[0]), np.int64(boards.shape[1]), np.int64(boards.shape[2])
    cells = boards.reshape(-1)
    walls = bricks.reshape(-1)
    width = np.int64(tiles.shape[1])
    words = np.int64(0)
    starts[0] = 0
    for k in range(position.shape[0]):
        p, r, c, d = np.int64(position[k]), np.int64(row[k]), np.int64(col[k]), np.int64(direction[k])
        starts[k + 1] = words
        if (np.int64(status[k]) & UNSCORABLE) != 0 or p < 0 or p >= positions or d > 1 or r >= rows or c >= cols:
            continue
        board = p * rows * cols
        square = r * cols + c
        if cells[board + square] != 0:
            continue
        along, lane, stride = (c, cols, np.int64(1)) if d == 0 else (r, rows, cols)
        aside, breadth, across = (r, rows, cols) if d == 0 else (c, cols, np.int64(1))
        run = _run_before(cells, walls, board, square, stride, along)
        crossings = np.int64(0)
        laid = np.int64(0)
        while laid < width and tiles[k, laid] != 0:
            if along >= lane or walls[square]:
                break
            if cells[board + square] == 0:
                laid += 1
                above = aside > 0 and _is_tile(cells, walls, board, square - across)
                if above or (aside + 1 < breadth and _is_tile(cells, walls, board, square + across)):
                    crossings += 1
            run += 1
            along += 1
            square += stride
        if laid == 0 or (laid < width and tiles[k, laid] != 0):
            continue
        run += _run_after(cells, walls, board, square - stride, stride, lane - along)
        words += crossings
        if run > 1:
            words += 1
        starts[k + 1] = words


@jit
def form_words(
    boards: Bytes,
    bricks: Walls,
    position: NDArray[np.int32],
    row: Bytes,
    col: Bytes,
    direction: Bytes,
    tiles: Bytes,
    starts: NDArray[np.int64],
    candidate: NDArray[np.int32],
    word_row: Bytes,
    word_col: Bytes,
    word_direction: Bytes,
    word_length: Bytes,
    word_main: NDArray[np.bool_],
    word_tiles: Bytes,
) -> None:
    """Write the words of each placement into the arrays `candidate` and `word_*`, of which `word_tiles` comes in zeroed
    and at least as wide as the longest lane.

    `starts` is that of `count_words` for the same arrays. The main word comes first, if there is one, then the cross
    words in the order of the tiles that they cross.
    """
    rows, cols = np.int64(boards.shape[1]), np.int64(boards.shape[2])
    cells = boards.reshape(-1)
    walls = bricks.reshape(-1)
    width = np.int64(tiles.shape[1])
    for k in range(position.shape[0]):
        word = starts[k]
        if starts[k + 1] == word:
            continue
        r, c, d = np.int64(row[k]), np.int64(col[k]), np.int64(direction[k])
        board = np.int64(position[k]) * rows * cols
        square = r * cols + c
        along, lane, stride = (c, cols, np.int64(1)) if d == 0 else (r, rows, cols)
        aside, breadth, across = (r, rows, cols) if d == 0 else (c, cols, np.int64(1))
        before = _run_before(cells, walls, board, square, stride, along)
        first = along - before
        follows = along + 1 < lane and _is_tile(cells, walls, board, square + stride)
        has_main = before > 0 or follows or (width > 1 and tiles[k, 1] != 0)
        main = word
        if has_main:
            for step in range(before):
                word_tiles[main, step] = cells[board + square - (before - step) * stride]
            word += 1
        laid = np.int64(0)
        while along < lane and not walls[square]:
            code = cells[board + square]
            if code == 0:
                if laid == width or tiles[k, laid] == 0:
                    break
                code = tiles[k, laid]
                laid += 1
                above = _run_before(cells, walls, board, square, across, aside)
                below = _run_after(cells, walls, board, square, across, breadth - aside - 1)
                if above + below > 0:
                    candidate[word] = k
                    word_row[word] = aside - above if d == 0 else along
                    word_col[word] = along if d == 0 else aside - above
                    word_direction[word] = 1 - d
                    word_length[word] = above + 1 + below
                    word_main[word] = False
                    for step in range(above + 1 + below):
                        word_tiles[word, step] = cells[board + square + (step - above) * across]
                    word_tiles[word, above] = code
                    word += 1
            if has_main:
                word_tiles[main, along - first] = code
            along += 1
            square += stride
        if has_main:
            candidate[main] = k
            word_row[main] = r if d == 0 else first
            word_col[main] = first if d == 0 else c
            word_direction[main] = d
            word_length[main] = along - first
            word_main[main] = True
