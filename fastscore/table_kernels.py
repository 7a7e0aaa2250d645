"""Scoring tables that are kept: filled for many positions, scored from, and renewed after one more placement.

The layout of the tables is that of slot_kernels.py. A tile that is laid takes a slot out of its lane in either
direction, so that the slots behind it move up, and makes the cross words of the squares at both ends of its run longer,
which adds to the running sums behind these. No word is walked along: what lies around an empty square is the difference
of the two sums in its slot. That takes a sixth of the time of a whole set-up (a third where the tables are in no cache:
benches/test_tables.py). All of it are additions, so that `take_back` subtracts, and a few words for each tile are all
that has to be saved.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.slot_kernels import (
    BRICKS,
    ONE_LANE,
    ONE_SQUARE,
    SQUARE_MASK,
    SQUARE_SHIFT,
    UNSCORABLE,
    WORD_SUM_MASK,
    bar,
    barred_slot,
    prepare,
    score_slot_run,
)
from fastscore.walk_kernels import judge

__all__ = [
    "RECORD_WORDS",
    "fill_rows",
    "lay",
    "lay_kept",
    "lay_on_board",
    "record_count",
    "score_kept_rows",
    "take_back",
    "take_back_kept",
]

U64 = np.uint64
I64 = np.int64
U32 = np.uint32

TWO_LANES = U64(2) * ONE_LANE
RECORD_WORDS = 6
"""Words of a record: slot, last slot of its lane, what was added, the slot's factor and, of a slot that was taken out,
its `reach` and the next one's `start`.
"""


def record_count(tiles: int) -> int:
    """Most records of a placement: two slots for each tile, two ends of its own run and of one across each tile."""
    return 4 * tiles + 2


@jit
def fill_rows(boards, begin, end, rules, sums, lanes, slots, spots, ready):
    """Tables of positions `begin` to `end`; `ready` is False where a board holds a bad tile code.

    boards uint8[positions, rows * cols]; slots uint64[positions, 3 * slots]; spots uint16[positions, SPOTS];
    ready bool[positions]; sums and lanes as in `prepare`.
    """
    rows = U64(rules.rows)
    cols = U64(rules.cols)
    for position in range(U64(begin), U64(end)):
        bar(slots[position], spots[position], rows, cols)
        ready[position] = prepare(
            boards,
            position,
            rows,
            cols,
            rules.lookup,
            rules.premiums,
            rules.open_squares,
            sums,
            lanes,
            slots[position],
            spots[position],
        )


@jit
def score_kept_rows(boards, position, row, col, direction, tiles, status, order, rules, slots, spots, ready, scores):
    """`kernels.score_rows` with tables that are filled already. `order` has no entries; tiles has a width of 7 or 8."""
    count = len(position)
    begin = 0
    while begin < count:
        where = position[begin]
        end = begin + 1
        while end < count and position[end] == where:
            end += 1
        if where >= 0 and where < len(boards) and ready[where]:
            score_slot_run(
                begin,
                end,
                row,
                col,
                direction,
                tiles,
                order,
                rules.lookup,
                U64(rules.rack_size),
                slots[where],
                spots[where],
                scores,
            )
            if len(status) > 0:
                for candidate in range(begin, end):
                    if status[candidate] & U32(UNSCORABLE) != 0:
                        scores[candidate] = 0
        else:
            for candidate in range(U64(begin), U64(end)):
                given = I64(status[candidate]) if len(status) > 0 else I64(0)
                main, cross, bonus, _ = judge(
                    boards,
                    I64(where),
                    I64(row[candidate]),
                    I64(col[candidate]),
                    I64(direction[candidate]),
                    tiles,
                    candidate,
                    given,
                    I64(rules.rows),
                    I64(rules.cols),
                    I64(rules.start_square),
                    rules.rack_size,
                    rules.n_letters,
                    rules.conditional,
                    rules.squares,
                    rules.numbers,
                )
                scores[candidate] = main + cross + bonus
        begin = end


@jit(inline=True)
def _lane(direction, lane, rows, cols):
    """First slot of a lane, its length, its first square, the stride of its squares, and the same of its spots."""
    if direction == U64(0):
        return U64(3) * lane * (cols + U64(1)), cols, lane * cols, U64(1), lane << U64(5), U64(1)
    first = U64(3) * (rows * (cols + U64(1)) + lane * (rows + U64(1)))
    return first, rows, lane, cols, U64(1024) + lane, U64(32)


@jit(inline=True)
def _lane_of(direction, square, cols):
    """The lane of a square, and its place there."""
    row = U64(square) // cols
    col = U64(square) - row * cols
    return (row, col) if direction == U64(0) else (col, row)


@jit(inline=True)
def _number_spots(board, squares, direction, lane, along, slot, rows, cols, spots):
    """The slots of a lane's squares from `along` on: one after the other from `slot`, none for a tile."""
    _, length, square, stride, spot, spot_stride = _lane(direction, lane, rows, cols)
    barred = barred_slot(rows, cols)
    for place in range(along, length):
        at = square + place * stride
        free = board[at] == 0 or squares[BRICKS, at] != 0
        spots[spot + place * spot_stride] = slot if free else barred
        slot += U64(3) if free else U64(0)


@jit(inline=True)
def _close_slot(slots, slot, end, weight, saved, record):
    """A tile that counts `weight` takes the square of `slot`; the slots behind it move up, `end` is the lane's last."""
    reach = slots[slot]
    start = slots[slot + U64(1)]
    shift = weight - (slots[slot + U64(4)] - reach)  # less what the empty square counted
    saved[record, U64(0)] = slot
    saved[record, U64(1)] = end
    saved[record, U64(2)] = shift
    saved[record, U64(3)] = slots[slot + U64(2)]
    saved[record, U64(4)] = reach
    saved[record, U64(5)] = slots[slot + U64(4)]
    for at in range(slot, end, U64(3)):
        slots[at] = slots[at + U64(3)] + shift
        slots[at + U64(1)] = slots[at + U64(4)] + shift
        slots[at + U64(2)] = slots[at + U64(5)]
    # A word that begins behind the tile includes it and the tiles before it: it begins where one on its square did.
    slots[slot + U64(1)] = start
    # The slot that is left over has to have another lane number, as all beyond the lane; any but a lower one will do.
    slots[end] += TWO_LANES


@jit(inline=True)
def _open_slot(slots, saved, record):
    """Undoes `_close_slot`."""
    slot = saved[record, U64(0)]
    end = saved[record, U64(1)]
    shift = saved[record, U64(2)]
    for moved in range(U64(0), end - slot, U64(3)):
        at = end - moved
        slots[at] = slots[at - U64(3)] - shift
        slots[at + U64(1)] = slots[at - U64(2)] - shift
        slots[at + U64(2)] = slots[at - U64(1)]
    slots[slot + U64(2)] = saved[record, U64(3)]
    slots[slot] = saved[record, U64(4)]
    slots[slot + U64(4)] = saved[record, U64(5)]


@jit(inline=True)
def _lengthen(direction, lane, along, rows, cols, side, more, premiums, slots, spots, saved, record):
    """The cross word of an empty square, for plays in `direction`, has `more` tiles; returns the next record.

    `lane` may be off the board (one below 0 is beyond the last, being unsigned): then there is nothing to do. A brick
    has multipliers of 0, so that it stays as it is.
    """
    if lane >= (rows if direction == U64(0) else cols):
        return record
    first, length, _, _, spot, spot_stride = _lane(direction, lane, rows, cols)
    slot = U64(spots[spot + along * spot_stride])
    end = first + U64(3) * length
    premium = U64(3) * direction * side * side + lane * side + along
    added = (more & WORD_SUM_MASK) * premiums[premium + side * side]
    saved[record, U64(0)] = slot
    saved[record, U64(1)] = end
    saved[record, U64(2)] = added
    saved[record, U64(3)] = slots[slot + U64(2)]
    slots[slot + U64(2)] = premiums[premium]
    # Slots beyond the lane's end get the same: they only need a higher lane number.
    for at in range(slot + U64(3), end + U64(1), U64(3)):
        slots[at] += added
        slots[at + U64(1)] += added
    return record + U64(1)


@jit(inline=True)
def _shorten(slots, saved, record):
    """Undoes `_lengthen`."""
    slot = saved[record, U64(0)]
    added = saved[record, U64(2)]
    slots[slot + U64(2)] = saved[record, U64(3)]
    for at in range(slot + U64(3), saved[record, U64(1)] + U64(1), U64(3)):
        slots[at] -= added
        slots[at + U64(1)] -= added


@jit(inline=True)
def _lay_in_lane(board, direction, begin, end, tiles, laid, rules, slots, spots, saved, closed, record):
    """Renews the lane of `direction` in which tiles `begin` to `end` lie, and the cross words at the ends of their run.

    Records of slots begin at `closed`, those of cross words at `record`; returns the next one of these.
    """
    rows = U64(rules.rows)
    cols = U64(rules.cols)
    side = U64(16) if rows <= U64(16) and cols <= U64(16) else U64(32)
    lane, along = _lane_of(direction, laid[begin], cols)
    _, last_along = _lane_of(direction, laid[end - U64(1)], cols)
    first, length, _, _, spot, spot_stride = _lane(direction, lane, rows, cols)
    slot = U64(spots[spot + along * spot_stride])
    # The tiles around an empty square: those directly before a slot are what `reach` is ahead of `start`.
    before = slots[slot] - slots[slot + U64(1)]
    after = U64(0)
    for tile in range(begin, end):
        after = slots[slot + U64(3)] - slots[slot + U64(4)]
        weight = rules.lookup[U64(tiles[tile])] + ONE_SQUARE
        _close_slot(slots, slot, first + U64(3) * length, weight, saved, closed)
        closed += U64(1)
    run = slots[slot] - slots[slot + U64(1)]
    _number_spots(board, rules.squares, direction, lane, along, slot, rows, cols, spots)
    crossing = U64(1) - direction
    ahead = along - U64(1) - (before >> U64(SQUARE_SHIFT) & SQUARE_MASK)
    beyond = last_along + U64(1) + (after >> U64(SQUARE_SHIFT) & SQUARE_MASK)
    record = _lengthen(
        crossing,
        ahead,
        lane,
        rows,
        cols,
        side,
        run - before,
        rules.premiums,
        slots,
        spots,
        saved,
        record,
    )
    return _lengthen(
        crossing,
        beyond,
        lane,
        rows,
        cols,
        side,
        run - after,
        rules.premiums,
        slots,
        spots,
        saved,
        record,
    )


@jit(inline=True)
def _lay_tiles(board, row, col, direction, tiles, rules, laid):
    """The tiles of a good placement on `board` alone; `laid` uint32[n] takes their squares."""
    square = U64(row) * U64(rules.cols) + U64(col)
    step = U64(1) if direction == 0 else U64(rules.cols)
    next_tile = U64(0)
    while next_tile < U64(len(tiles)):
        if board[square] == 0:
            board[square] = tiles[next_tile]
            laid[next_tile] = square
            next_tile += U64(1)
        square += step


@jit(inline=True)
def lay(board, row, col, direction, tiles, rules, slots, spots, saved, laid):
    """Lays the tiles of a good placement on `board` and renews its tables; for compiled callers.

    board uint8[rows * cols]; row, col, direction: of the first fresh tile; tiles uint8[n], the fresh tiles without
    padding; slots, spots of this position; saved uint64[record_count(n), RECORD_WORDS] and laid uint32[n] take what
    `take_back` needs. Returns the number of records. Nothing is checked: a placement that leaves the board or meets a
    brick writes out of bounds, a bad tile code leaves tables without meaning.
    """
    _lay_tiles(board, row, col, direction, tiles, rules, laid)
    count = U64(len(tiles))
    own = U64(direction)
    record = U64(2) * count
    record = _lay_in_lane(board, own, U64(0), count, tiles, laid, rules, slots, spots, saved, U64(0), record)
    for tile in range(count):
        record = _lay_in_lane(
            board,
            U64(1) - own,
            tile,
            tile + U64(1),
            tiles,
            laid,
            rules,
            slots,
            spots,
            saved,
            count + tile,
            record,
        )
    return record


@jit(inline=True)
def take_back(board, direction, rules, slots, spots, saved, records, laid):
    """Undoes the last `lay` on this position, from what it saved; for compiled callers."""
    rows = U64(rules.rows)
    cols = U64(rules.cols)
    count = U64(len(laid))
    for record in range(U64(2) * count, U64(records)):
        _shorten(slots, saved, record)
    for back in range(U64(1), U64(2) * count + U64(1)):
        _open_slot(slots, saved, U64(2) * count - back)
    for tile in range(count):
        board[U64(laid[tile])] = 0
    own = U64(direction)
    lane, along = _lane_of(own, laid[U64(0)], cols)
    _number_spots(board, rules.squares, own, lane, along, saved[U64(0), U64(0)], rows, cols, spots)
    for tile in range(count):
        lane, along = _lane_of(U64(1) - own, laid[tile], cols)
        slot = saved[count + tile, U64(0)]
        _number_spots(board, rules.squares, U64(1) - own, lane, along, slot, rows, cols, spots)


@jit
def lay_on_board(board, row, col, direction, tiles, rules, laid):
    """The tiles of a good placement on `board` alone, where there are no tables; for callers in Python."""
    _lay_tiles(board, row, col, direction, tiles, rules, laid)


@jit
def lay_kept(board, row, col, direction, tiles, rules, slots, spots, saved, laid):
    """`lay` for callers in Python."""
    return lay(board, row, col, direction, tiles, rules, slots, spots, saved, laid)


@jit
def take_back_kept(board, direction, rules, slots, spots, saved, records, laid):
    """`take_back` for callers in Python."""
    take_back(board, direction, rules, slots, spots, saved, records, laid)
