"""Scores straight from the word form of other engines, without a batch in between.

A row is read as one 64-bit word. That its tiles lie exactly on the empty squares of its lane is one comparison of bits,
and since a play-through counts 0, the tiles need not even be moved together. Rows for which that does not do (longer
than eight squares, through letters written out, anything wrong) are named, for the caller to convert and score.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.slot_kernels import (
    BONUSES,
    BYTE_LOW_BITS,
    BYTE_ONES,
    CROSS_SHIFT,
    EXPONENT_MASK,
    EXPONENT_SHIFT,
    MIN_RUN,
    ONE_LANE,
    PRODUCTS,
    SPOT_LIMIT,
    SQUARE_MASK,
    SQUARE_SHIFT,
    WORD_SUM_MASK,
    bar,
    prepare,
)

__all__ = ["EMPTY_LANES", "WORD", "score_word_rows"]

U64 = np.uint64
WORD = 8
"""Squares of a row that are looked at, and least width of the rows."""
EMPTY_LANES = 64
"""Size of `empty`: a word of bits for each lane, the first 32 across."""
GATHER = U64(0x0102040810204080)
"""Times a word of eight bytes that are 0 or 1, the highest byte has them as bits."""


@jit(inline=True)
def _empty_squares(boards, position, rows, cols, empty):
    """Bits of the empty squares of each lane; lanes beyond the board have none."""
    for lane in range(U64(EMPTY_LANES)):
        empty[lane] = U64(0)
    for row in range(rows):
        across = U64(0)
        for col in range(cols):
            free = U64(boards[position, row * cols + col] == 0)
            across |= free << col
            empty[U64(32) + col] |= free << row
        empty[row] = across


@jit
def _score_word_run(
    begin,
    end,
    row,
    col,
    direction,
    length,
    tiles,
    rows,
    cols,
    rack_size,
    lookup,
    lanes,
    slots,
    spots,
    empty,
    scores,
    left,
    count,
):
    """Scores of rows `begin` to `end`, all of one position; rows that need more are added to `left`."""
    side = U64(16) if rows <= U64(16) and cols <= U64(16) else U64(32)
    for index in range(U64(begin), U64(end)):
        r = U64(row[index])
        c = U64(col[index])
        d = U64(direction[index])
        squares = U64(length[index]) & U64(255)
        word = U64(0)
        for step in range(U64(WORD)):
            word |= U64(tiles[index, step]) << (U64(8) * step)
        if ((r | c | d << U64(4)) >= SPOT_LIMIT) | (squares - U64(1) >= U64(WORD)):
            left[count] = index
            count += 1
            continue
        word &= ~U64(0) >> (U64(64) - U64(8) * squares)
        laid_bytes = (((word & BYTE_LOW_BITS) + BYTE_LOW_BITS) | word) >> U64(7) & BYTE_ONES
        fresh = laid_bytes * GATHER >> U64(56)
        laid = laid_bytes * BYTE_ONES >> U64(56)
        along, lane, lane_length = (c, r, cols) if d == U64(0) else (r, c, rows)
        free = empty[d << U64(5) | lane] >> along & ((U64(1) << squares) - U64(1))
        if (free != fresh) | (along + squares > lane_length) | (laid - U64(1) >= rack_size):
            left[count] = index
            count += 1
            continue
        # The byte of the first fresh tile: its lowest set bit less one has 8 set bits for each byte below.
        ahead = ((laid_bytes - U64(1)) & ~laid_bytes & BYTE_ONES) * BYTE_ONES >> U64(56)
        down = U64(0) - d  # all ones or 0: a branch on the direction is wrong half the time in shuffled rows
        first = U64(spots[d << U64(10) | (r + (ahead & down)) << U64(5) | (c + (ahead & ~down))])
        total = slots[first + U64(3) * laid] - slots[first + U64(1)]
        # Factors by square: what is not laid is 0 here.
        factor = (U64(3) * d * side + lane) * side + along
        for step in range(U64(WORD)):
            total += lookup[word >> (U64(8) * step) & U64(255)] * lanes[factor + step]
        if total >= ONE_LANE:
            left[count] = index
            count += 1
            continue
        product = lookup[U64(PRODUCTS) + (total >> U64(EXPONENT_SHIFT) & EXPONENT_MASK)]
        if total >> U64(SQUARE_SHIFT) & SQUARE_MASK == U64(1):
            product = U64(0)
        scores[index] = (total & WORD_SUM_MASK) * product + (total >> U64(CROSS_SHIFT)) + lookup[U64(BONUSES) + laid]
    return count


@jit
def score_word_rows(
    boards, position, row, col, direction, length, tiles, rules, sums, lanes, slots, spots, empty, scores, left
):
    """Scores of rows in word form, int32[n] in `scores`; returns how many numbers of rows stand in `left`.

    Those have no score yet. boards uint8[positions, rows * cols]; position int32[n]; row, col, direction, length
    uint8[n]; tiles uint8[n, width], width at least 8; sums, lanes, slots, spots: scratch of `kernels.prepare`; empty
    uint64[64]; left int32[n + 1]. For rulesets whose tables are packed and that have no bricks. Checks everything.
    """
    rows = U64(rules.rows)
    cols = U64(rules.cols)
    bar(slots, spots, rows, cols)
    n = len(position)
    count = 0
    begin = 0
    while begin < n:
        where = position[begin]
        end = begin + 1
        while end < n and position[end] == where:
            end += 1
        tables = end - begin >= MIN_RUN and where >= 0 and where < len(boards)
        if tables:
            tables = prepare(
                boards,
                U64(where),
                rows,
                cols,
                rules.lookup,
                rules.premiums,
                rules.open_squares,
                sums,
                lanes,
                slots,
                spots,
            )
        if tables:
            _empty_squares(boards, U64(where), rows, cols, empty)
            count = _score_word_run(
                begin,
                end,
                row,
                col,
                direction,
                length,
                tiles,
                rows,
                cols,
                U64(rules.rack_size),
                rules.lookup,
                lanes,
                slots,
                spots,
                empty,
                scores,
                left,
                count,
            )
        else:
            for index in range(begin, end):
                left[count] = index
                count += 1
        begin = end
    return count
