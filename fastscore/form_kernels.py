"""Compiled conversions of placements: word form -> compact form, compact form -> word form, keys.

Every index is compared with the board before it is used, so any row may be handed in; what is wrong with it becomes a
status bit. Arrays are C-contiguous and native: `boards` uint8[positions, rows, cols], `bricks` bool[rows, cols],
`position` int32[n], `row`, `col`, `direction`, `length` uint8[n], `tiles` uint8[n, width], `status` uint32[n]. A brick
is a wall even where an array has a tile on it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastscore.compilation import jit
from fastscore.slot_kernels import (
    BAD_COL,
    BAD_DIRECTION,
    BAD_POSITION,
    BAD_ROW,
    LETTER_BITS,
    OFF_BOARD,
    OVER_BRICK,
    UNSCORABLE,
)

__all__ = ["compact_from_word_form", "pack_keys", "word_form_from_compact"]

# More flags of fastscore.status, where numba would not notice a change; a test compares them.
BAD_LENGTH = 1 << 6
THROUGH_DIFFERS = 1 << 17
THROUGH_EMPTY = 1 << 18
NOT_MAXIMAL = 1 << 23

BLANK_SHIFT = 7

# For sums of 64 bits without a sign; numpy turns some mixtures of other integers with them into floats.
ZERO, ONE, SEVEN, EIGHT = np.uint64(0), np.uint64(1), np.uint64(7), np.uint64(8)
LETTER = np.uint64(LETTER_BITS)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
TOP_BITS = np.uint64(0x8080808080808080)
LEFT = np.uint32(0xFFFFFFFF)
FOUR_BYTES = np.uint64(0x01010101)

# A key: tile k in the bits from 6 k (five for the letter, one for the blank), direction, square, position.
KEY_TILES = 7
KEY_TILE_BITS = 6
KEY_LETTER_BITS = 5
KEY_DIRECTION_SHIFT = 42
KEY_SQUARE_SHIFT = 43
KEY_POSITION_SHIFT = 53
KEY_SIDE = 32
KEY_POSITIONS = 1 << 11

Bytes = NDArray[np.uint8]


@jit(inline=True)
def _has_neighbour(
    cells: Bytes, walls: NDArray[np.bool_], board: int, square: int, stride: int, index: int, length: int
) -> bool:
    """Whether a tile lies next to a square in its lane; `board` is the first cell of the board in `cells`."""
    if index > 0 and cells[board + square - stride] != 0 and not walls[square - stride]:
        return True
    return bool(index + 1 < length and cells[board + square + stride] != 0 and not walls[square + stride])


@jit(inline=True)
def _flags_of(word: np.uint64) -> np.uint64:
    """The top bit of each byte of a 64-bit word that is not 0."""
    return ((word & LOW_BITS) + LOW_BITS | word) & TOP_BITS


@jit(inline=True)
def _count_flags(flags: np.uint64) -> np.uint64:
    """How many of the top bits of the bytes are set."""
    halves = ((flags >> SEVEN) & FOUR_BYTES) + (flags >> np.uint64(39))
    quarters = halves + (halves >> np.uint64(16))
    return (quarters + (quarters >> EIGHT)) & np.uint64(15)


@jit(inline=True)
def _close_gaps(word: np.uint64, flags: np.uint64) -> np.uint64:
    """The flagged bytes of a word, moved together; the others are 0 already."""
    closed = np.uint64(0)
    place = np.uint64(0)
    for step in range(8):
        shift = np.uint64(8 * step)
        closed |= ((word >> shift) & np.uint64(255)) << place
        place += (flags >> (shift + np.uint64(4))) & EIGHT
    return closed


@jit(inline=True)
def _convert_plain_rows(
    boards: Bytes,
    turned: Bytes,
    position: NDArray[np.int32],
    row: Bytes,
    col: Bytes,
    direction: Bytes,
    length: Bytes,
    tiles: Bytes,
    fresh_row: Bytes,
    fresh_col: Bytes,
    fresh_tiles: Bytes,
    status: NDArray[np.uint32],
) -> np.uint64:
    """The rows that are plainly right, on boards without bricks; the others get the status LEFT. Most fresh tiles.

    That is nearly every row: up to eight squares go side by side into a 64-bit word, which costs no branch a square.
    With `turned` boards the squares of a down play lie side by side too.
    """
    positions, rows, cols = np.uint64(boards.shape[0]), np.uint64(boards.shape[1]), np.uint64(boards.shape[2])
    area = rows * cols
    cells = boards.reshape(-1)
    size = np.uint64(cells.shape[0])
    room = np.uint64(fresh_tiles.shape[1])
    most = ZERO
    for k in range(np.uint64(position.shape[0])):
        r, c, d, written = np.uint64(row[k]), np.uint64(col[k]), np.uint64(direction[k]), np.uint64(length[k])
        p = positions if position[k] < 0 else np.uint64(position[k])
        status[k] = LEFT
        if p >= positions or r >= rows or c >= cols or d > ONE or written == ZERO or written > EIGHT:
            continue
        if d == ZERO:
            index, lane, stride = c, cols, ONE
        else:
            index, lane, stride = r, rows, cols
        first = p * area + r * cols + c
        if index + written > lane or first + EIGHT > size:
            continue
        word = ZERO
        for step in range(EIGHT):
            word |= np.uint64(tiles[k, step]) << np.uint64(8 * step)
        there = ZERO
        if d == ZERO:
            for step in range(EIGHT):
                there |= np.uint64(cells[first + np.uint64(step)]) << np.uint64(8 * step)
        elif len(turned) > 0:
            here = p * area + c * rows + r
            if here + EIGHT > size:
                continue
            for step in range(EIGHT):
                there |= np.uint64(turned[here + np.uint64(step)]) << np.uint64(8 * step)
        else:
            here = first
            for step in range(EIGHT):
                # Beyond the word the column may end; any square will do there.
                there |= np.uint64(cells[here if np.uint64(step) < written else first]) << np.uint64(8 * step)
                here += stride
        in_word = ALL_BITS >> (np.uint64(64) - EIGHT * written)
        word &= in_word
        there &= in_word
        occupied = _flags_of(there)
        named = _flags_of(word)
        empty = TOP_BITS & in_word & ~occupied
        repeated = ((named & occupied) >> SEVEN) * np.uint64(255)
        if (word ^ there) & LOW_BITS & repeated != ZERO or empty == ZERO or named & empty != empty:
            continue
        # Flags of the squares before the first empty one.
        ahead = _count_flags((empty - ONE) & ~empty & TOP_BITS)
        laid = _count_flags(empty)
        word = (word & ~repeated) >> (EIGHT * ahead)
        empty >>= EIGHT * ahead
        if empty != TOP_BITS >> (np.uint64(64) - EIGHT * laid):
            word = _close_gaps(word, empty)
        for step in range(EIGHT):
            if step < room:
                fresh_tiles[k, step] = np.uint8(word >> np.uint64(8 * step) & np.uint64(255))
        before = index > ZERO and cells[first - stride] != 0
        after = index + written < lane and cells[first + stride * written] != 0
        status[k] = np.uint32(NOT_MAXIMAL if before or after else 0)
        fresh_row[k] = np.uint8(r if d == ZERO else r + ahead)
        fresh_col[k] = np.uint8(c + ahead if d == ZERO else c)
        most = max(most, laid)
    return most


@jit
def compact_from_word_form(
    boards: Bytes,
    turned: Bytes,
    bricks: NDArray[np.bool_],
    position: NDArray[np.int32],
    row: Bytes,
    col: Bytes,
    direction: Bytes,
    length: Bytes,
    tiles: Bytes,
    fresh_row: Bytes,
    fresh_col: Bytes,
    fresh_tiles: Bytes,
    status: NDArray[np.uint32],
) -> int:
    """Write the compact form of each row into `fresh_row`, `fresh_col`, `fresh_tiles` and `status`.

    `turned`, the same boards with columns for rows, as one line of cells, makes down plays quicker; or it is empty.
    `fresh_tiles` comes in zeroed. Returns the most fresh tiles of a row: where that is more than `fresh_tiles` is
    wide, the tiles beyond were left out and the caller comes again with wider rows.
    """
    positions, rows, cols = np.uint64(boards.shape[0]), np.uint64(boards.shape[1]), np.uint64(boards.shape[2])
    area = rows * cols
    cells = boards.reshape(-1)
    walls = bricks.reshape(-1)
    width = np.uint64(tiles.shape[1])
    room = np.uint64(fresh_tiles.shape[1])
    if width >= EIGHT and not walls.any():
        most = _convert_plain_rows(
            boards, turned, position, row, col, direction, length, tiles, fresh_row, fresh_col, fresh_tiles, status
        )
    else:
        most = ZERO
        status[:] = LEFT
    for k in range(np.uint64(position.shape[0])):
        if status[k] != LEFT:
            continue
        r, c, d, written = np.uint64(row[k]), np.uint64(col[k]), np.uint64(direction[k]), np.uint64(length[k])
        p = positions if position[k] < 0 else np.uint64(position[k])
        flags = 0
        if p >= positions:
            flags |= BAD_POSITION
        if d > ONE:
            flags |= BAD_DIRECTION
        if r >= rows:
            flags |= BAD_ROW
        if c >= cols:
            flags |= BAD_COL
        if written == ZERO or written > width:
            flags |= BAD_LENGTH
        laid = ZERO
        ahead = ZERO
        if flags != 0:
            # No board to compare with: whatever is not play-through counts as a tile.
            for step in range(min(written, width)):
                if tiles[k, step] != 0:
                    if laid < room:
                        fresh_tiles[k, laid] = tiles[k, step]
                    laid += ONE
        else:
            if d == ZERO:
                index, lane, stride = c, cols, ONE
            else:
                index, lane, stride = r, rows, cols
            first = r * cols + c
            board = p * area
            here = first
            for step in range(min(written, lane - index)):
                if walls[here]:
                    flags = OVER_BRICK
                    break
                code, lying = tiles[k, step], cells[board + here]
                if lying == 0:
                    if code == 0:
                        flags = THROUGH_EMPTY
                        break
                    if laid == ZERO:
                        ahead = np.uint64(step)
                    if laid < room:
                        fresh_tiles[k, laid] = code
                    laid += ONE
                elif code != 0 and (np.uint64(code) ^ np.uint64(lying)) & LETTER != ZERO:
                    flags = THROUGH_DIFFERS
                    break
                here += stride
            if flags == 0 and index + written > lane:
                flags = OFF_BOARD
            if flags == 0:
                before = index > ZERO and cells[board + first - stride] != 0 and not walls[first - stride]
                after = index + written < lane and cells[board + here] != 0 and not walls[here]
                if before or after:
                    flags = NOT_MAXIMAL
        fresh_row[k] = np.uint8(r if d == ZERO else r + ahead)
        fresh_col[k] = np.uint8(c + ahead if d == ZERO else c)
        status[k] = np.uint32(flags)
        most = max(most, laid)
    return int(most)


@jit
def word_form_from_compact(
    boards: Bytes,
    bricks: NDArray[np.bool_],
    position: NDArray[np.int32],
    row: Bytes,
    col: Bytes,
    direction: Bytes,
    tiles: Bytes,
    status: NDArray[np.uint32],
    word_row: Bytes,
    word_col: Bytes,
    word_direction: Bytes,
    word_length: Bytes,
    word_tiles: Bytes,
) -> None:
    """Write the word form of each row into the arrays `word_*`, of which `word_tiles` comes in zeroed.

    `word_tiles` is at least as wide as a lane is long. A row that cannot be laid keeps its square and direction and
    gets length 0. A lone tile that forms a word only in the other direction gets that direction.
    """
    positions, rows, cols = np.int64(boards.shape[0]), np.int64(boards.shape[1]), np.int64(boards.shape[2])
    area = rows * cols
    cells = boards.reshape(-1)
    walls = bricks.reshape(-1)
    width = np.int64(tiles.shape[1])
    for k in range(position.shape[0]):
        p, r, c, d = np.int64(position[k]), np.int64(row[k]), np.int64(col[k]), np.int64(direction[k])
        word_row[k] = row[k]
        word_col[k] = col[k]
        word_direction[k] = direction[k]
        word_length[k] = 0
        if (np.int64(status[k]) & UNSCORABLE) != 0 or p < 0 or p >= positions or d > 1 or r >= rows or c >= cols:
            continue
        count = np.int64(0)
        while count < width and tiles[k, count] != 0:
            count += 1
        hole = False
        for step in range(count, width):
            if tiles[k, step] != 0:
                hole = True
        board = p * area
        square = r * cols + c
        if count == 0 or hole or cells[board + square] != 0:
            continue
        if count == 1:
            across = _has_neighbour(cells, walls, board, square, 1, c, cols)
            down = _has_neighbour(cells, walls, board, square, cols, r, rows)
            if d == 0 and down and not across:
                d = np.int64(1)
            elif d == 1 and across and not down:
                d = np.int64(0)
        if d == 0:
            index, lane, stride = c, cols, np.int64(1)
        else:
            index, lane, stride = r, rows, cols
        first = index
        here = square - stride
        while first > 0 and cells[board + here] != 0 and not walls[here]:
            first -= 1
            here -= stride
        end = index
        here = square
        laid = np.int64(0)
        while end < lane and not walls[here]:
            if cells[board + here] == 0:
                if laid == count:
                    break
                word_tiles[k, end - first] = tiles[k, laid]
                laid += 1
            end += 1
            here += stride
        if laid < count:
            word_tiles[k, :] = 0
            continue
        if d == 0:
            word_col[k] = np.uint8(first)
        else:
            word_row[k] = np.uint8(first)
        word_direction[k] = np.uint8(d)
        word_length[k] = np.uint8(end - first)


@jit
def pack_keys(
    boards: Bytes,
    bricks: NDArray[np.bool_],
    position: NDArray[np.int32],
    row: Bytes,
    col: Bytes,
    direction: Bytes,
    tiles: Bytes,
    canonical: Bytes,
    keys: NDArray[np.uint64],
) -> bool:
    """Write each row's canonical direction into `canonical` and its key into `keys`; whether every key fits 64 bits."""
    positions, rows, cols = np.int64(boards.shape[0]), np.int64(boards.shape[1]), np.int64(boards.shape[2])
    area = rows * cols
    cells = boards.reshape(-1)
    walls = bricks.reshape(-1)
    width = np.int64(tiles.shape[1])
    all_fit = True
    for k in range(position.shape[0]):
        p, r, c, d = np.int64(position[k]), np.int64(row[k]), np.int64(col[k]), np.int64(direction[k])
        count = np.int64(0)
        packed = np.uint64(0)
        fits = bool(p >= 0 and p < KEY_POSITIONS and r < KEY_SIDE and c < KEY_SIDE and d <= 1)
        for step in range(width):
            code = np.int64(tiles[k, step])
            if code != 0:
                count += 1
                letter = code & LETTER_BITS
                if step < KEY_TILES and letter < (1 << KEY_LETTER_BITS):
                    six = letter | ((code >> BLANK_SHIFT) << KEY_LETTER_BITS)
                    packed |= np.uint64(six) << np.uint64(KEY_TILE_BITS * step)
                else:
                    fits = False
        if count == 1 and tiles[k, 0] != 0 and p >= 0 and p < positions and r < rows and c < cols and d <= 1:
            square = r * cols + c
            if cells[p * area + square] == 0 and not walls[square]:
                d = np.int64(0 if _has_neighbour(cells, walls, p * area, square, 1, c, cols) else 1)
        canonical[k] = np.uint8(d)
        if fits:
            packed |= np.uint64(d) << np.uint64(KEY_DIRECTION_SHIFT)
            packed |= np.uint64(r * KEY_SIDE + c) << np.uint64(KEY_SQUARE_SHIFT)
            packed |= np.uint64(p) << np.uint64(KEY_POSITION_SHIFT)
        else:
            all_fit = False
        keys[k] = packed
    return all_fit
