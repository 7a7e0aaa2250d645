"""Scoring tables: what a position contributes to any placement on it, a few additions away.

For each direction the empty squares of every lane are listed in order, one slot each, so that the tiles of a placement
fall into consecutive slots. A slot holds three 64-bit words:

- `reach`: running sum over the lane up to this slot, in fields: values of the tiles on the board, squares, exponents of
  the word multipliers, constant part of the cross words (tiles on the board x word multiplier), lane number;
- `start`: the same, less the tiles directly before this slot, since they belong to a word that begins here;
- `factor`: what a tile laid here counts, once in the main word (its letter multiplier) and once in its cross word.

So `reach[first + laid] - start[first]` is all that the board contributes to a placement, in one subtraction, and each
tile adds `value * factor`. A placement that leaves its lane (or meets a brick) meets another lane number.

Narrow integers are widened by `U64(...)` or `I64(...)` at every read: arithmetic of uint8 differs with and without
compilation. Indices are unsigned, which spares the branch for negative ones. No index is used before it is checked.
"""

from collections import namedtuple

import numpy as np

from fastscore.compilation import jit

__all__ = ["RuleArrays", "bar", "look_up", "prepare", "score_slot_run", "score_special_run", "tile_word"]

U64 = np.uint64
I64 = np.int64
U32 = np.uint32

# Status flags: copies of fastscore.status (numba would not notice a change there); tests/test_status.py compares.
BAD_POSITION = 1 << 1
BAD_DIRECTION = 1 << 2
BAD_ROW = 1 << 3
BAD_COL = 1 << 4
BAD_TILE = 1 << 5
BAD_BOARD = 1 << 7
NO_TILE = 1 << 8
HOLE = 1 << 9
SQUARE_OCCUPIED = 1 << 10
SQUARE_BRICK = 1 << 11
OFF_BOARD = 1 << 12
OVER_BRICK = 1 << 13
TOO_MANY_TILES = 1 << 14
BLANK_NEEDS_LETTER = 1 << 19
SCORE_OVERFLOW = 1 << 20
UNSCORABLE = (1 << 21) - 1
NOT_CONNECTED = 1 << 21
START_NOT_COVERED = 1 << 22
BLANK_UNDESIGNATED = 1 << 24
NOT_ON_RACK = 1 << 25
NO_WORD = 1 << 26

BLANK = 0x80
LETTER_BITS = 0x7F
MAX_SCORE = (1 << 31) - 1
MAX_MULTIPLIER = 1 << 32
"""Products of multipliers stop here: with any word sum above 0 the score is beyond int32 then, with 0 it stays 0."""

# Fields of `reach`, from bit 0. The sums of a placement fit them, or the ruleset has `packed = False` (tables.py).
SQUARE_SHIFT = 20  # bits 0-19 word sum, 20-25 squares of the main word
EXPONENT_SHIFT = 26  # 26-29 exponent of 2, 30-33 exponent of 3
CROSS_SHIFT = 36  # 36-55 cross words
LANE_SHIFT = 56  # 56-63 lane number; also bad tile codes, see `lookup`
SUM_LIMIT = 1 << 20
WORD_SUM_MASK = U64(SUM_LIMIT - 1)
SQUARE_MASK = U64(63)
EXPONENT_MASK = U64(255)
ONE_SQUARE = U64(1 << SQUARE_SHIFT)
ONE_LANE = U64(1 << LANE_SHIFT)
LETTER_FACTOR_MASK = U64(0xFFFF | 0xFF << LANE_SHIFT)  # with the class of the square: see `lookup`
CROSS_FACTOR_MASK = U64(0xFFFF << CROSS_SHIFT)

# Parts of `lookup`.
PRODUCTS = 256
BONUSES = 512
MAIN_MULTIPLIERS = 528
CLASSES = 544
"""From here on 256 values of tile codes for each class of squares, where a ruleset is special: class 0 as they are, the
others multiplied if the face value is that of the square's condition. `factor` has the class in its highest byte."""

# Rows of `squares` and parts of `numbers`.
LETTER_MULTIPLIERS = 0
WORD_MULTIPLIERS = 1
CONDITIONS = 2
BRICKS = 3
FACE_VALUES = 256  # 128 letters
BONUS_BY_TILES = 384  # 256 counts
MAIN_MULTIPLIER_BY_TILES = 640  # 256 counts
NUMBERS_SIZE = 896

# A placement's tiles as one 64-bit word, first tile in the lowest byte.
BYTE_ONES = U64(0x0101010101010101)
BYTE_LOW_BITS = U64(0x7F7F7F7F7F7F7F7F)
PACKED_WIDTH = 8

SPOTS = 2048
"""Entries of `spots`: direction, row, column with five bits for each of the last two, so that three numbers are checked
by one comparison; entries off the board are barred."""
SPOT_LIMIT = U64(32)

MIN_RUN = 24
"""Candidates in a row on one position from which tables pay: set-up is about 1.2 us, a walk about 50 ns more than the
table's 8 ns (benches/test_crossover.py)."""

RuleArrays = namedtuple(
    "RuleArrays",
    [
        "rows",  # int
        "cols",  # int
        "start_square",  # int
        "rack_size",  # int
        "n_letters",  # int
        "packed",  # bool: every sum fits the fields, and the ruleset is not special
        "special",  # bool: every sum fits, but some square has a letter condition or some main word a multiplier
        "conditional",  # bool: some square has a letter condition
        "lookup",  # uint64[CLASSES + 256 * classes]: 0-255 value of a tile code (bit 56 = bad code), then as above
        "premiums",  # uint64[2 * 3 * side * side]: per direction, lane by lane: factor, cross multiplier, empty step
        "open_squares",  # uint32[side * side]: all ones, 0 = a brick
        "squares",  # uint8[4, rows * cols]: letter multiplier, word multiplier, letter condition, brick
        "numbers",  # int64[896]: 0-255 value of a tile code (-1 = bad), then face values, bonuses, main multipliers
    ],
)
"""A ruleset as the kernels read it (made by tables.py). `side` is 16 or 32, the least that holds rows and cols."""

SPARE_SLOTS = 17
"""Slots of one position beside those of its squares and of the ends of its lanes: 8 beyond the last lane, 9 barred."""

SUM_PARTS = 4
LANE_PARTS = 6
"""Parts of the two scratch arrays of `prepare`, each `side * side` long. `sums` uint32: tile value and one square (0 =
empty) by rows, the same by columns, sums of the tiles before and after a square across the lanes. `lanes` uint64: for
each direction factor, step and tile mask of every square, lane by lane. Few arrays with parts at constant places: the
compiler makes vector code only where it can tell that what a loop writes is not what it reads."""


@jit(inline=True)
def slot_count(rows, cols):
    """Slots of one position: each square in two directions, the end of each lane, the spare ones."""
    return U64(2 * rows * cols + rows + cols + SPARE_SLOTS)


@jit(inline=True)
def barred_slot(rows, cols):
    """Where a placement that starts on an occupied square or off the board looks: it meets another lane number."""
    return U64(3) * (slot_count(rows, cols) - U64(9))


@jit(inline=True)
def bar(slots, spots, rows, cols):
    """Prepares fresh (zeroed) tables, once: nothing that `_fill` writes later touches the barred slots."""
    barred = barred_slot(rows, cols)
    slots[barred + U64(1)] = ONE_LANE
    for spot in range(U64(SPOTS)):
        spots[spot] = barred


@jit(inline=True)
def _fill_direction(direction, side, count, length, first, reach, barred, premiums, sums, lanes, slots, spots):
    """Slots of `count` lanes of one direction, from slot `first` on, `length + 1` for each; returns what follows."""
    area = side * side
    values = direction * area
    before, after = U64(2) * area, U64(3) * area
    premium = U64(3) * direction * area
    factor, step, mask = premium, premium + area, premium + U64(2) * area
    last = (count - U64(1)) * side
    # The tiles across the lanes: running sums that an empty square resets, downwards and upwards.
    for at in range(side):
        sums[before + at] = U32(0)
        sums[after + last + at] = U32(0)
    for lane in range(count - U64(1)):
        at = lane * side
        up = last - at
        for along in range(side):
            value = sums[values + at + along]
            sums[before + at + side + along] = (sums[before + at + along] + value) & (U32(0) - U32(value != U32(0)))
        for along in range(side):
            value = sums[values + up + along]
            sums[after + up - side + along] = (sums[after + up + along] + value) & (U32(0) - U32(value != U32(0)))
    for at in range(last + side):
        value = U64(sums[values + at])
        crossing = U64(sums[before + at] + sums[after + at])
        factors = premiums[premium + at]
        tile = ~U64(0) if value != U64(0) else U64(0)
        empty_step = (crossing & WORD_SUM_MASK) * premiums[premium + area + at] + premiums[premium + U64(2) * area + at]
        cross_factor = factors & CROSS_FACTOR_MASK if crossing != U64(0) else U64(0)
        lanes[factor + at] = (factors & LETTER_FACTOR_MASK) + cross_factor
        lanes[step + at] = (value & tile) | (empty_step & ~tile)
        lanes[mask + at] = tile
    # Every square is written to the next free slot, and only an empty one (or a brick) takes it: no branch, which would
    # be wrong one time in six on a real board (1.2 us a position instead of 2.0).
    slot = first
    for lane in range(count):
        block = U64(0)
        for along in range(length):
            at = lane * side + along
            tile = lanes[mask + at]
            slots[slot] = reach
            slots[slot + U64(1)] = reach - block
            slots[slot + U64(2)] = lanes[factor + at]
            spot = (slot & ~tile) | (barred & tile)
            if direction == U64(0):
                spots[(lane << U64(5)) + along] = spot
            else:
                spots[U64(1024) + (along << U64(5)) + lane] = spot
            reach += lanes[step + at]
            block = (block + lanes[step + at]) & tile
            slot += U64(3) & ~tile
        slots[slot] = reach
        slots[slot + U64(1)] = reach - block
        # Beyond the end of the lane, as far as eight tiles reach, there is another lane number: two further, so that a
        # difference of the lower fields that borrows one leaves one. The next lane overwrites what is its own.
        reach = ((reach >> U64(LANE_SHIFT)) + U64(2)) << U64(LANE_SHIFT)
        for beyond in range(U64(1), U64(PACKED_WIDTH + 1)):
            slots[slot + U64(3) * beyond] = reach
        first += U64(3) * (length + U64(1))
        slot = first
    return first, reach


@jit(inline=True)
def _fill(boards, position, rows, cols, side, lookup, premiums, open_squares, sums, lanes, slots, spots):
    """`slots` and `spots` of one board. Returns False where the board holds a tile code that is not a letter's.

    `side` is 16 or 32 and a constant where this is merged: a lane is `side` long whatever the board, and the square
    across the lanes lies `side` away.
    """
    seen = U64(0)
    for row in range(rows):
        for col in range(cols):
            code = U64(boards[position, row * cols + col])
            value = lookup[code]
            seen |= value
            # An empty square has value 0; a tile also counts as one square, so that it is never 0.
            value += ONE_SQUARE if code != U64(0) else U64(0)
            sums[row * side + col] = U32(value) & open_squares[row * side + col]
    if seen >= ONE_LANE:
        return False
    for row in range(rows):
        for col in range(cols):
            sums[side * side + col * side + row] = sums[row * side + col]
    barred = barred_slot(rows, cols)
    first, reach = _fill_direction(
        U64(0), side, rows, cols, U64(0), U64(0), barred, premiums, sums, lanes, slots, spots
    )
    _fill_direction(U64(1), side, cols, rows, first, reach, barred, premiums, sums, lanes, slots, spots)
    return True


@jit(inline=True)
def prepare(boards, position, rows, cols, lookup, premiums, open_squares, sums, lanes, slots, spots):
    """`_fill` with the stride that the board needs, as a constant."""
    if rows <= U64(16) and cols <= U64(16):
        return _fill(boards, position, rows, cols, U64(16), lookup, premiums, open_squares, sums, lanes, slots, spots)
    return _fill(boards, position, rows, cols, U64(32), lookup, premiums, open_squares, sums, lanes, slots, spots)


@jit(inline=True)
def tile_word(tiles, row):
    """The tiles of a row as one 64-bit word: rows of seven as two overlapping halves, rows of eight as they are."""
    low = U32(tiles[row, 0]) | U32(tiles[row, 1]) << U32(8) | U32(tiles[row, 2]) << U32(16)
    low |= U32(tiles[row, 3]) << U32(24)
    high = U32(tiles[row, 3]) | U32(tiles[row, 4]) << U32(8) | U32(tiles[row, 5]) << U32(16)
    high |= U32(tiles[row, 6]) << U32(24)
    word = U64(low) | U64(high) << U64(24)
    if tiles.shape[1] == 8:
        word |= U64(tiles[row, 7]) << U64(56)
    return word


@jit(inline=True)
def _count_tile(lookup, slots, at, tile, special):
    """What a tile adds whose factor stands at `at`."""
    if special:
        factor = slots[at]
        return lookup[U64(CLASSES) + (factor >> U64(LANE_SHIFT) << U64(8)) + tile] * (factor & (ONE_LANE - U64(1)))
    return lookup[tile] * slots[at]


@jit(inline=True)
def look_up(slots, spots, lookup, rack_size, row, col, direction, word, special=False):
    """Score of one placement by tables, `word` its tiles. Returns (score, good); good is False for unscorable ones.

    Wide unsigned arguments; `special` is a constant, as in the ruleset. About 100 instructions, 7 ns: four tiles
    without a branch and the rest behind one beat a loop, since a play lays three tiles on average.
    """
    laid_bits = (((word & BYTE_LOW_BITS) + BYTE_LOW_BITS) | word) >> U64(7) & BYTE_ONES
    laid = laid_bits * BYTE_ONES >> U64(56)
    if (laid - U64(1) >= rack_size) | ((row | col | direction << U64(4)) >= SPOT_LIMIT):
        return U64(0), False
    # A hole leaves tiles beyond as many bytes as there are tiles (shifted in two steps: by 64 is undefined).
    if word >> (U64(8) * laid - U64(8)) >> U64(8) != U64(0):
        return U64(0), False
    first = U64(spots[direction << U64(10) | row << U64(5) | col])
    total = slots[first + U64(3) * laid] - slots[first + U64(1)]
    total += _count_tile(lookup, slots, first + U64(2), word & U64(255), special)
    total += _count_tile(lookup, slots, first + U64(5), word >> U64(8) & U64(255), special)
    total += _count_tile(lookup, slots, first + U64(8), word >> U64(16) & U64(255), special)
    total += _count_tile(lookup, slots, first + U64(11), word >> U64(24) & U64(255), special)
    if laid > U64(4):
        total += _count_tile(lookup, slots, first + U64(14), word >> U64(32) & U64(255), special)
        total += _count_tile(lookup, slots, first + U64(17), word >> U64(40) & U64(255), special)
        total += _count_tile(lookup, slots, first + U64(20), word >> U64(48) & U64(255), special)
        total += _count_tile(lookup, slots, first + U64(23), word >> U64(56), special)
    # Another lane, or a tile code out of range (its value has bit 56, times 1 to 9).
    if total >= ONE_LANE:
        return U64(0), False
    product = lookup[U64(PRODUCTS) + (total >> U64(EXPONENT_SHIFT) & EXPONENT_MASK)]
    if total >> U64(SQUARE_SHIFT) & SQUARE_MASK == U64(1):
        product = U64(0)  # a main word of one tile is no word; a bonus for one tile never comes here (tables.py)
    if special:
        product *= lookup[U64(MAIN_MULTIPLIERS) + laid]
    score = (total & WORD_SUM_MASK) * product + (total >> U64(CROSS_SHIFT)) + lookup[U64(BONUSES) + laid]
    return score, True


@jit
def score_slot_run(begin, end, row, col, direction, tiles, order, lookup, rack_size, slots, spots, scores):
    """Scores of candidates `begin` to `end` of one position by its tables. A function of its own, so that the loop has
    the registers for itself (11 ns a play inside `score_rows`, 9 ns here).
    """
    if tiles.shape[1] == 8:
        words = tiles.view(U64)
        for index in range(U64(begin), U64(end)):
            candidate = U64(order[index]) if len(order) > 0 else index
            score, good = look_up(
                slots,
                spots,
                lookup,
                rack_size,
                U64(row[candidate]),
                U64(col[candidate]),
                U64(direction[candidate]),
                words[candidate, 0],
            )
            scores[candidate] = score if good else U64(0)
    else:
        for index in range(U64(begin), U64(end)):
            candidate = U64(order[index]) if len(order) > 0 else index
            score, good = look_up(
                slots,
                spots,
                lookup,
                rack_size,
                U64(row[candidate]),
                U64(col[candidate]),
                U64(direction[candidate]),
                tile_word(tiles, candidate),
            )
            scores[candidate] = score if good else U64(0)


@jit
def score_special_run(begin, end, row, col, direction, tiles, order, lookup, rack_size, slots, spots, scores):
    """`score_slot_run` for special rulesets, which cost a third more; the others must not pay for them."""
    for index in range(U64(begin), U64(end)):
        candidate = U64(order[index]) if len(order) > 0 else index
        score, good = look_up(
            slots,
            spots,
            lookup,
            rack_size,
            U64(row[candidate]),
            U64(col[candidate]),
            U64(direction[candidate]),
            tile_word(tiles, candidate),
            True,
        )
        scores[candidate] = score if good else U64(0)
