"""Scores and statuses square by square, without tables.

`judge` follows the words of a placement, finds every reason for a bad status, and knows all rules. `walk_run` is the
same without the reasons, for single candidates. Integers and indices as in slot_kernels.py.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.slot_kernels import (
    BAD_BOARD,
    BAD_COL,
    BAD_DIRECTION,
    BAD_POSITION,
    BAD_ROW,
    BAD_TILE,
    BLANK,
    BLANK_NEEDS_LETTER,
    BLANK_UNDESIGNATED,
    BONUS_BY_TILES,
    BONUSES,
    BRICKS,
    BYTE_LOW_BITS,
    BYTE_ONES,
    CONDITIONS,
    FACE_VALUES,
    HOLE,
    LETTER_BITS,
    LETTER_MULTIPLIERS,
    MAIN_MULTIPLIER_BY_TILES,
    MAX_MULTIPLIER,
    MAX_SCORE,
    NO_TILE,
    NO_WORD,
    NOT_CONNECTED,
    OFF_BOARD,
    ONE_LANE,
    OVER_BRICK,
    SCORE_OVERFLOW,
    SQUARE_BRICK,
    SQUARE_OCCUPIED,
    START_NOT_COVERED,
    TOO_MANY_TILES,
    UNSCORABLE,
    WORD_MULTIPLIERS,
    tile_word,
)

__all__ = ["judge", "walk_run"]

U64 = np.uint64
I64 = np.int64


@jit
def walk_run(
    begin, end, boards, position, row, col, direction, tiles, order, rows, cols, lookup, rack_size, squares, scores
):
    """Scores of candidates `begin` to `end`, each walked on its board: for single candidates under packed rules without
    bricks. As `judge`, less the reasons: 25 ns less a play.
    """
    for index in range(U64(begin), U64(end)):
        candidate = U64(order[index]) if len(order) > 0 else index
        scores[candidate] = 0
        where = U64(position[candidate])
        r = U64(row[candidate])
        c = U64(col[candidate])
        d = U64(direction[candidate])
        word = tile_word(tiles, candidate)
        laid_bits = (((word & BYTE_LOW_BITS) + BYTE_LOW_BITS) | word) >> U64(7) & BYTE_ONES
        laid = laid_bits * BYTE_ONES >> U64(56)
        if (laid - U64(1) >= rack_size) | (where >= U64(len(boards))) | (r >= rows) | (c >= cols) | (d > U64(1)):
            continue
        if word >> (U64(8) * laid - U64(8)) >> U64(8) != U64(0):
            continue
        board = boards[where]
        square = r * cols + c
        if board[square] != 0:
            continue
        step, across = (U64(1), cols) if d == U64(0) else (cols, U64(1))
        along, length = (c, cols) if d == U64(0) else (r, rows)
        aside, width = (r, rows) if d == U64(0) else (c, cols)
        # One step aside, or none at the edge: the square itself is empty.
        up = across if aside > U64(0) else U64(0)
        down = across if aside + U64(1) < width else U64(0)
        # Sums of values, to which bad codes add bit 56; `seen` has it where any word runs through one.
        total = U64(0)
        run = laid
        at = square
        for _ in range(along):
            at -= step
            if board[at] == 0:
                break
            total += lookup[U64(board[at])]
            run += U64(1)
        left = length - along
        product = U64(1)
        cross = U64(0)
        crossed = False
        seen = U64(0)
        while left > U64(0):
            on_board = U64(board[square])
            if on_board != U64(0):
                total += lookup[on_board]
                run += U64(1)
            elif word == U64(0):
                break
            else:
                value = lookup[word & U64(255)] * U64(squares[LETTER_MULTIPLIERS, square])
                word >>= U64(8)
                total += value
                product *= U64(squares[WORD_MULTIPLIERS, square])
                if board[square - up] | board[square + down] != 0:
                    crossed = True
                    cross_sum = value
                    at = square
                    for _ in range(aside):
                        at -= across
                        if board[at] == 0:
                            break
                        cross_sum += lookup[U64(board[at])]
                    at = square
                    for _ in range(width - aside - U64(1)):
                        at += across
                        if board[at] == 0:
                            break
                        cross_sum += lookup[U64(board[at])]
                    seen |= cross_sum
                    cross += cross_sum * U64(squares[WORD_MULTIPLIERS, square])
            square += step
            left -= U64(1)
        if word != U64(0) or (seen | total) >= ONE_LANE:
            continue
        if run > U64(1):
            scores[candidate] = total * product + cross + lookup[U64(BONUSES) + laid]
        elif crossed:
            scores[candidate] = cross + lookup[U64(BONUSES) + laid]


@jit(inline=True)
def _occupied(boards, position, square, squares):
    """Whether a tile lies on the square; a brick counts as a wall whatever an array says of it."""
    return boards[position, square] != 0 and squares[BRICKS, square] == 0


@jit(inline=True)
def _run(boards, position, squares, numbers, square, step, steps):
    """Tiles that follow each other from beside `square`: how many, the sum of their values, whether one has a bad code.

    At most `steps` squares are left to the edge; `step` is signed.
    """
    count = I64(0)
    total = I64(0)
    bad = False
    while count < steps:
        square += step
        if not _occupied(boards, position, U64(square), squares):
            break
        value = numbers[U64(boards[position, U64(square)])]
        if value < 0:
            bad = True
        else:
            total += value
        count += I64(1)
    return count, total, bad


@jit(inline=True)
def _judge_tiles(tiles, row, rack_size, n_letters, conditional):
    """Status of a row of tiles for itself, and how many are laid."""
    status = I64(0)
    laid = I64(0)
    ended = False
    for index in range(tiles.shape[1]):
        code = I64(tiles[row, U64(index)])
        if code == 0:
            ended = True
            continue
        if ended:
            status |= HOLE
        laid += I64(1)
        if code & LETTER_BITS > n_letters:
            status |= BAD_TILE
        if code == BLANK:
            status |= BLANK_UNDESIGNATED
            if conditional:
                status |= BLANK_NEEDS_LETTER
    if laid == 0:
        status |= NO_TILE
    if laid > rack_size:
        status |= TOO_MANY_TILES
    return status, laid


@jit(inline=True)
def judge(
    boards,
    position,
    row,
    col,
    direction,
    tiles,
    candidate,
    given,
    rows,
    cols,
    start_square,
    rack_size,
    n_letters,
    conditional,
    squares,
    numbers,
):
    """Score and status of one placement, square by square: (main word, cross words, bonus, status).

    `position`, `row`, `col` and `direction` are wide and signed, and may be anything; `given` is the status that the
    candidate has from its conversion. All three parts are 0 where there is no score.
    """
    status, laid = _judge_tiles(tiles, candidate, rack_size, n_letters, conditional)
    stop = given & UNSCORABLE | status & (NO_TILE | HOLE)
    place = I64(0)
    if position < 0 or position >= boards.shape[0]:
        place |= BAD_POSITION
    if direction < 0 or direction > 1:
        place |= BAD_DIRECTION
    if row < 0 or row >= rows:
        place |= BAD_ROW
    if col < 0 or col >= cols:
        place |= BAD_COL
    status |= given | place
    main = I64(0)
    cross = I64(0)
    if stop != 0 or place != 0:
        return main, cross, I64(0), status

    where = U64(position)
    step, cross_step = (I64(1), cols) if direction == 0 else (cols, I64(1))
    along, length = (col, cols) if direction == 0 else (row, rows)
    aside, width = (row, rows) if direction == 0 else (col, cols)
    square = row * cols + col
    if squares[BRICKS, U64(square)] != 0:
        return main, cross, I64(0), status | SQUARE_BRICK
    if boards[where, U64(square)] != 0:
        return main, cross, I64(0), status | SQUARE_OCCUPIED

    run, total, bad_board = _run(boards, where, squares, numbers, square, -step, along)
    multiplier = numbers[U64(MAIN_MULTIPLIER_BY_TILES + min(laid, 255))]
    crossed = False
    on_start = False
    next_tile = I64(0)
    while next_tile < laid:
        if along >= length:
            return I64(0), I64(0), I64(0), status | OFF_BOARD
        at = U64(square)
        if squares[BRICKS, at] != 0:
            return I64(0), I64(0), I64(0), status | OVER_BRICK
        on_board = boards[where, at]
        if on_board != 0:
            value = numbers[U64(on_board)]
            bad_board |= value < 0
            total += value
        else:
            code = U64(tiles[candidate, U64(next_tile)])
            next_tile += I64(1)
            on_start |= square == start_square
            value = numbers[code]
            condition = I64(squares[CONDITIONS, at])
            if condition == 0 or condition == numbers[U64(FACE_VALUES) + (code & U64(LETTER_BITS))]:
                value *= I64(squares[LETTER_MULTIPLIERS, at])
            word_multiplier = I64(squares[WORD_MULTIPLIERS, at])
            total += value
            multiplier = min(multiplier * word_multiplier, MAX_MULTIPLIER)
            above, above_sum, above_bad = _run(boards, where, squares, numbers, square, -cross_step, aside)
            below, below_sum, below_bad = _run(boards, where, squares, numbers, square, cross_step, width - aside - 1)
            if above + below > 0:
                crossed = True
                bad_board |= above_bad | below_bad
                cross += (value + above_sum + below_sum) * word_multiplier
        run += 1
        square += step
        along += 1
    follow, follow_sum, follow_bad = _run(boards, where, squares, numbers, square - step, step, length - along)
    run += follow
    total += follow_sum

    if bad_board | follow_bad:
        status |= BAD_BOARD
    bonus = numbers[U64(BONUS_BY_TILES + min(laid, 255))]
    if run > 1:
        main = total * multiplier
    elif not crossed:
        status |= NO_WORD
        bonus = I64(0)
    if run == laid and not crossed:
        empty = True
        for any_square in range(U64(boards.shape[1])):
            if _occupied(boards, where, any_square, squares):
                empty = False
                break
        if not empty:
            status |= NOT_CONNECTED
        elif not on_start:
            status |= START_NOT_COVERED
    # The sums of an unscorable placement may hold the -1 of a bad code; they are not given out.
    if status & UNSCORABLE == 0 and main + cross + bonus > MAX_SCORE:
        status |= SCORE_OVERFLOW
    if status & UNSCORABLE != 0:
        return I64(0), I64(0), I64(0), status
    return main, cross, bonus, status
