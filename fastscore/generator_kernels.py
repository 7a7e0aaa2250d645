"""Functions for other people's compiled code: scoring inside a move generator's inner loop.

All take arrays of `ScoringTables.arrays` (one position of them: `slots[position]`, `spots[position]`) and its
`rules.lookup`, are merged into the caller by `numba.njit`, and check nothing beyond what their docstrings say: garbage
in gives a number without meaning, or reads out of bounds where that is said. Rulesets with `rules.packed` False
(conditional squares, multiplied main words, racks over 8, huge values) have no tables, and neither has a position whose
`ready` is False, since its board holds a bad tile code; score those with `score_batch`.

`table_kernels.lay` and `take_back` follow a game in compiled code, for search: they are merged into callers as well.

A generator that lays tiles one by one from the first fresh square of a placement keeps a running total:

    first = first_slot(spots, row, col, direction)          # the square of the first fresh tile
    total = lay_tile(slots, lookup, first, 0, tile)         # first fresh tile
    total += lay_tile(slots, lookup, first, 1, tile)        # the next one, on the next empty square of the lane
    score = finish(slots, lookup, first, 2, total)          # at every point where a word ends

`examples/generator.py` is such a generator. Tile codes as everywhere: 1..n letters, `code | 0x80` blanks.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.slot_kernels import (
    BONUSES,
    CROSS_SHIFT,
    EXPONENT_MASK,
    EXPONENT_SHIFT,
    ONE_LANE,
    PACKED_WIDTH,
    PRODUCTS,
    SQUARE_MASK,
    SQUARE_SHIFT,
    WORD_SUM_MASK,
    look_up,
)

__all__ = ["blank_losses", "finish", "first_slot", "lay_tile", "room", "score_placement", "score_run", "upper_bounds"]

U64 = np.uint64
I64 = np.int64
NO_SCORE = I64(-1)


@jit(inline=True)
def score_placement(slots, spots, lookup, rack_size, row, col, direction, word):
    """Score of one placement in compact form, -1 where it has none (as `score_batch` finds it: a hole, a tile code out
    of range, an occupied first square, off the board, over a brick, more tiles than the rack).

    slots uint64[words], spots uint16[2048]: of one position; lookup uint64: of its rules; rack_size; row, col,
    direction: of the first fresh tile, any integers from 0; word: uint64, the tiles from the lowest byte on. Checks
    everything.
    """
    if U64(direction) > U64(1):
        return NO_SCORE
    score, good = look_up(slots, spots, lookup, U64(rack_size), U64(row), U64(col), U64(direction), U64(word))
    return I64(score) if good else NO_SCORE


@jit(inline=True)
def first_slot(spots, row, col, direction):
    """The slot (a word index, uint64) of an empty square in its lane of `direction`: where its first fresh tile goes.

    An occupied square or one off the board gets a slot from which nothing has a score; with a row or column over 31 or
    a direction over 1 another place is read, or one out of bounds.
    """
    return U64(spots[U64(direction) << U64(10) | U64(row) << U64(5) | U64(col)])


@jit(inline=True)
def lay_tile(slots, lookup, first, index, tile):
    """What fresh tile number `index` (0-based, at most 7) of a placement from slot `first` counts: add it up.

    A uint64 with fields for the main word and the cross words, without meaning to callers except through `finish`.
    Tiles may be added up in any order. Beyond the lane's end it is any number, for which `finish` gives -1.
    """
    return lookup[U64(tile)] * slots[U64(first) + U64(3) * U64(index) + U64(2)]


@jit(inline=True)
def room(slots, first, laid):
    """Whether `laid` tiles (1 to 8) from slot `first` on stay within the lane, on this side of any brick."""
    return slots[U64(first) + U64(3) * U64(laid)] - slots[U64(first) + U64(1)] < ONE_LANE


@jit(inline=True)
def finish(slots, lookup, first, laid, total):
    """Score of `laid` tiles (1 to 8) whose `lay_tile` sums to `total`; -1 where they leave the lane or a code is bad.

    The bonus for the tiles laid is in it. A lone tile that forms no word scores 0.
    """
    first = U64(first)
    laid = U64(laid)
    total = U64(total) + slots[first + U64(3) * laid] - slots[first + U64(1)]
    if total >= ONE_LANE:
        return NO_SCORE
    product = lookup[U64(PRODUCTS) + (total >> U64(EXPONENT_SHIFT) & EXPONENT_MASK)]
    if total >> U64(SQUARE_SHIFT) & SQUARE_MASK == U64(1):
        product = U64(0)
    return I64((total & WORD_SUM_MASK) * product + (total >> U64(CROSS_SHIFT)) + lookup[U64(BONUSES) + laid])


@jit(inline=True)
def score_run(slots, lookup, first, laid, words, totals, count, scores):
    """Scores of `count` placements that begin in one slot, lay `laid` tiles each and share none, some or all of them.

    words uint64[count]: the tiles whose sum is not in `totals` yet, the others 0 (each tile in the byte of its place);
    totals uint64[count]: sums of `lay_tile` made by the caller; scores int32[count], out, -1 where there is no score.
    """
    for placement in range(U64(count)):
        word = words[placement]
        total = totals[placement]
        index = U64(0)
        while word != U64(0):
            total += lay_tile(slots, lookup, first, index, word & U64(255))
            word >>= U64(8)
            index += U64(1)
        scores[placement] = finish(slots, lookup, first, laid, total)


@jit(inline=True)
def blank_losses(slots, lookup, first, laid, word, losses):
    """By how much the score of a placement falls for each tile if that tile is a blank, int32[8] in `losses`.

    Losses add up: a placement with blanks for tiles 0 and 2 scores `score - losses[0] - losses[2]`, whatever letters
    the blanks stand for. `word` holds natural tiles; the placement has a score. A loss is below 0 where a blank is
    worth more than the tile.
    """
    first = U64(first)
    laid = U64(laid)
    window = slots[first + U64(3) * laid] - slots[first + U64(1)]
    product = I64(lookup[U64(PRODUCTS) + (window >> U64(EXPONENT_SHIFT) & EXPONENT_MASK)])
    if window >> U64(SQUARE_SHIFT) & SQUARE_MASK == U64(1):
        product = I64(0)
    for index in range(laid):
        tile = U64(word) >> (U64(8) * index) & U64(255)
        lost = I64(lookup[tile]) - I64(lookup[tile | U64(128)])
        factor = slots[first + U64(3) * index + U64(2)]
        losses[index] = lost * (I64(factor & WORD_SUM_MASK) * product + I64(factor >> U64(CROSS_SHIFT)))


@jit(inline=True)
def upper_bounds(slots, lookup, first, rack_values, tiles, bounds):
    """The most that a placement from slot `first` on can score with each number of tiles, for pruning.

    rack_values int64[tiles]: values of the tiles on the rack, highest first; tiles at most 8; bounds int64[9], out:
    entry n for n tiles, -1 where so many do not fit the lane or the rack. No placement from this slot scores more; the
    bound is reached only if the dearest tiles can lie on the best squares.
    """
    first = U64(first)
    bounds[U64(0)] = NO_SCORE
    for laid in range(U64(1), U64(PACKED_WIDTH + 1)):
        bounds[laid] = NO_SCORE
        if laid > U64(tiles) or not room(slots, first, laid):
            continue
        window = slots[first + U64(3) * laid] - slots[first + U64(1)]
        product = lookup[U64(PRODUCTS) + (window >> U64(EXPONENT_SHIFT) & EXPONENT_MASK)]
        if window >> U64(SQUARE_SHIFT) & SQUARE_MASK == U64(1):
            product = U64(0)
        # Each tile's whole weight; the dearest tile on the heaviest square is the best of all assignments.
        dearest = U64(0)
        used = U64(0)
        for rank in range(laid):
            best = U64(0)
            best_index = U64(0)
            for index in range(laid):
                if used >> index & U64(1) == U64(0):
                    factor = slots[first + U64(3) * index + U64(2)]
                    weight = (factor & WORD_SUM_MASK) * product + (factor >> U64(CROSS_SHIFT)) + U64(1)
                    if weight > best:
                        best = weight
                        best_index = index
            used |= U64(1) << best_index
            dearest += (best - U64(1)) * U64(rack_values[rank])
        fixed = (window & WORD_SUM_MASK) * product + (window >> U64(CROSS_SHIFT)) + lookup[U64(BONUSES) + laid]
        bounds[laid] = I64(dearest + fixed)
