"""The compiled functions that score and check batches.

Two ways to a score, equal in every result: tables (slot_kernels.py) for many candidates on a position, a walk along the
words (walk_kernels.py) for single candidates, for statuses, and for rulesets whose numbers do not fit the tables.
Functions for other people's compiled code are in generator_kernels.py.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.slot_kernels import (
    BAD_POSITION,
    BLANK,
    BRICKS,
    LETTER_BITS,
    MIN_RUN,
    NOT_ON_RACK,
    PACKED_WIDTH,
    UNSCORABLE,
    RuleArrays,
    bar,
    prepare,
    score_slot_run,
    score_special_run,
)
from fastscore.walk_kernels import (
    judge,
    walk_run,
)

__all__ = ["MIN_RUN", "PACKED_WIDTH", "RuleArrays", "judge_rows", "order_rows", "score_rows"]

U64 = np.uint64
I64 = np.int64
U32 = np.uint32


@jit
def order_rows(position, positions, starts, order):
    """Candidates sorted by position, stable; those of positions out of range come last.

    position int32[n]; starts int64[positions + 2], zeroed; order int32[n], out.
    """
    for candidate in range(U64(len(position))):
        where = I64(position[candidate])
        if where < 0 or where >= positions:
            where = I64(positions)
        starts[U64(where + 1)] += 1
    for where in range(U64(positions)):
        starts[where + U64(1)] += starts[where]
    for candidate in range(U64(len(position))):
        where = I64(position[candidate])
        if where < 0 or where >= positions:
            where = I64(positions)
        order[starts[U64(where)]] = candidate
        starts[U64(where)] += 1


@jit
def score_rows(boards, position, row, col, direction, tiles, status, order, rules, sums, lanes, slots, spots, scores):
    """Scores of candidates `order` (all, in their own order, where it has no entries): the main entry.

    boards uint8[positions, rows * cols]; position int32[n]; row, col, direction uint8[n]; tiles uint8[n, width];
    status uint32[n] from the conversion, or [0] where nothing was found; order int32[n] or [0]; scores int32[n], out.
    Candidates of one position that stand together are scored by tables, others by a walk.
    """
    count = len(order) if len(order) > 0 else len(position)
    rows = rules.rows
    cols = rules.cols
    start_square = rules.start_square
    rack_size = rules.rack_size
    n_letters = rules.n_letters
    conditional = rules.conditional
    squares = rules.squares
    numbers = rules.numbers
    lookup = rules.lookup
    premiums = rules.premiums
    open_squares = rules.open_squares
    fits = 7 <= tiles.shape[1] <= 8
    packed = rules.packed and fits
    special = rules.special and fits
    bricks = False
    for square in range(U64(squares.shape[1])):
        bricks |= squares[BRICKS, square] != 0
    bar(slots, spots, rows, cols)
    # Runs that are too short for tables are walked together: a call of a kernel with so many arrays takes 30 ns.
    walked = I64(0)
    begin = I64(0)
    while begin < count:
        where = position[order[begin]] if len(order) > 0 else position[begin]
        end = begin + I64(1)
        far = begin + I64(MIN_RUN - 1)
        if far < count and (position[order[far]] if len(order) > 0 else position[far]) == where:
            while end < count and (position[order[end]] if len(order) > 0 else position[end]) == where:
                end += I64(1)
        tables = (packed or special) and end - begin >= MIN_RUN and where >= 0 and where < len(boards)
        if tables:
            tables = prepare(
                boards, U64(where), U64(rows), U64(cols), lookup, premiums, open_squares, sums, lanes, slots, spots
            )
        if tables and special:
            score_special_run(
                begin, end, row, col, direction, tiles, order, lookup, U64(rack_size), slots, spots, scores
            )
        elif tables:
            score_slot_run(begin, end, row, col, direction, tiles, order, lookup, U64(rack_size), slots, spots, scores)
        if tables or end == count:
            last = begin if tables else end
            if packed and not bricks and walked < last:
                walk_run(
                    walked,
                    last,
                    boards,
                    position,
                    row,
                    col,
                    direction,
                    tiles,
                    order,
                    U64(rows),
                    U64(cols),
                    lookup,
                    U64(rack_size),
                    squares,
                    scores,
                )
            elif walked < last:
                for index in range(U64(walked), U64(last)):
                    candidate = U64(order[index]) if len(order) > 0 else index
                    main, cross, bonus, _ = judge(
                        boards,
                        I64(position[candidate]),
                        I64(row[candidate]),
                        I64(col[candidate]),
                        I64(direction[candidate]),
                        tiles,
                        candidate,
                        I64(0),
                        rows,
                        cols,
                        start_square,
                        rack_size,
                        n_letters,
                        conditional,
                        squares,
                        numbers,
                    )
                    scores[candidate] = main + cross + bonus
            walked = end
        begin = end
    if len(status) > 0:
        for index in range(count):
            candidate = order[index] if len(order) > 0 else index
            if status[candidate] & U32(UNSCORABLE) != 0:
                scores[candidate] = 0


@jit(inline=True)
def _on_rack(tiles, candidate, racks, holder, n_letters, counts):
    """Whether the tiles are within the rack; any designated blank needs a blank. `counts` int64[128] is scratch."""
    for letter in range(U64(128)):
        counts[letter] = I64(0)
    within = True
    for index in range(tiles.shape[1]):
        code = I64(tiles[candidate, U64(index)])
        letter = code & LETTER_BITS
        if code == 0 or letter > n_letters:
            continue
        if code >= BLANK:
            letter = I64(0)
        counts[U64(letter)] += I64(1)
        if counts[U64(letter)] > I64(racks[holder, U64(letter)]):
            within = False
    return within


@jit
def judge_rows(
    boards,
    position,
    row,
    col,
    direction,
    tiles,
    status,
    racks,
    rules,
    counts,
    out_status,
    out_main,
    out_cross,
    out_bonus,
):
    """Status and parts of the score of every candidate, by a walk.

    Arrays as in `score_rows`; racks uint8[1 or positions, n_letters + 1] of counts, or [0, 0] for no racks; counts
    int64[128] is scratch. Writes uint32[n] and three int32[n].
    """
    for candidate in range(U64(len(position))):
        given = I64(status[candidate]) if len(status) > 0 else I64(0)
        main, cross, bonus, found = judge(
            boards,
            I64(position[candidate]),
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
        if len(racks) > 0 and found & BAD_POSITION == 0:
            holder = U64(position[candidate]) if len(racks) > 1 else U64(0)
            if not _on_rack(tiles, candidate, racks, holder, rules.n_letters, counts):
                found |= NOT_ON_RACK
        out_status[candidate] = found
        out_main[candidate] = main
        out_cross[candidate] = cross
        out_bonus[candidate] = bonus
