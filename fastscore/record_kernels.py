"""Compiled: the facts of game records. The placements of many games are laid one after the other, each game on an empty
board: scores, statuses, formed words, and what racks, exchanges and end lines claim against what the tiles allow.

It is the shape that tables do not pay for: one placement a position. Everything else that a record can have wrong is
judged in Python (`fastscore.records.examination`), from these facts; a game in which nothing at all stands out
(`plain`) needs no second look. The same facts in plain Python, from the reference scorer:
`fastscore.records.facts.FactsByReference`.

Arrays are C-contiguous. In: `events` int64[n, EVENT_COLUMNS]; `games` int64[games + 1, 2] (first event, players);
`codes` uint8 (the text and then the rack of each event as tile codes; 0 = a tile that lies there, 0xFF before a code =
that tile lies there); `squares` uint8[4, rows * cols]; `digraphs` uint8[letters + 1, letters + 1] (1 = the two may not
stand side by side; [0, 0] = any may); `numbers` int64[NUMBERS_SIZE]; `settings` int64[SETTINGS]. For work, zeroed:
`board` and `mark` uint8[rows * cols], `scratch` int64[SCRATCH_SIZE]. Out: `facts` int64[n, FACT_COLUMNS]; `words` uint8
(formed words as tile codes, each with a 0 behind it); `plain` uint8[games]. Every event is of a player of its game, but
for those of other kinds than the named ones.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.slot_kernels import (
    BAD_COL,
    BAD_ROW,
    BLANK,
    BLANK_NEEDS_LETTER,
    BLANK_UNDESIGNATED,
    BRICKS,
    CONDITIONS,
    LETTER_BITS,
    LETTER_MULTIPLIERS,
    MAX_MULTIPLIER,
    MAX_SCORE,
    NO_TILE,
    NO_WORD,
    NOT_CONNECTED,
    NOT_ON_RACK,
    OFF_BOARD,
    OVER_BRICK,
    SCORE_OVERFLOW,
    START_NOT_COVERED,
    TOO_MANY_TILES,
    UNSCORABLE,
    WORD_MULTIPLIERS,
)

__all__ = ["replay_records"]

I64 = np.int64

# More flags of fastscore.status, where numba would not notice a change; a test compares them.
UNREADABLE = 1 << 0
THROUGH_DIFFERS = 1 << 17
THROUGH_EMPTY = 1 << 18
NOT_MAXIMAL = 1 << 23
SPLIT_DIGRAPH = 1 << 28
STILL_LAID = TOO_MANY_TILES | BLANK_NEEDS_LETTER
"""Unscorable, but the tiles have their squares."""

THROUGH_LETTER = 0xFF
LONGEST_LANE = 32

# Columns of `events`.
KIND = 0
PLAYER = 1
ROW = 2  # of an exchange by number: how many
COL = 3
DIRECTION = 4
SCORE = 5
TOTAL = 6
TEXT = 7  # how many codes
RACK = 8
GIVEN = 9
EVENT_COLUMNS = 10

# Kinds: the order of fastscore.game.KINDS.
PLACE = 0
EXCHANGE = 1
EXCHANGE_COUNT = 2
PASS = 3
WITHDRAW = 4
END_POINTS = 6
END_PENALTY = 7

# Bits of GIVEN.
NO_SCORE = 1
NO_TOTAL = 2
TEXT_UNREADABLE = 4
NO_RACK = 8
RACK_UNREADABLE = 16

# Columns of `facts`.
FACT_SCORE = 0
FACT_STATUS = 1
FACT_LAID = 2
FACT_MARKS = 3
FACT_VALUE = 4  # end lines: worth of their tiles; exchanges: number of tiles
FACT_UNSEEN = 5  # tiles not on the board before the event, after a withdrawal; -1 = not known
FACT_RACK = 6  # tiles on the rack shown
FACT_WORDS = 7  # how many words
FACT_END = 8  # where their codes end
FACT_BAG = 9  # in a plain game: tiles in the bag before the event
FACT_SCORELESS = 10  # in a plain game: scoreless turns in a row after the event
FACT_COLUMNS = 11

# Bits of FACT_MARKS.
HAS_RACK = 1 << 0
BAD_RACK = 1 << 1
LARGE_RACK = 1 << 2
RACK_NOT_IN_BAG = 1 << 3
OVERDRAWN = 1 << 4
BAD_TEXT = 1 << 5
TILES_NOT_ON_RACK = 1 << 6
TILES_NOT_UNSEEN = 1 << 7
TAKEN_BACK = 1 << 8
RACKS_NOT_IN_BAG = 1 << 9

# Rows of `squares` and parts of `numbers`.
VALUES = 0  # 256, by tile code
FACES = 256  # 128, by letter
COUNTS = 384  # 128, by letter
END_VALUES = 512  # 128, by letter
BONUSES = 640  # 64, by tiles placed
FACTORS = 704  # 64, by tiles placed
NUMBERS_SIZE = 768

# Parts of `settings`.
ROWS = 0
COLS = 1
START = 2
RACK_SIZE = 3
LETTERS = 4
CONDITIONAL = 5
TILES = 6  # in the set; -1 = not known
EXCHANGE_LIMIT = 7
QUICK_LIMIT = 8  # so many turns without a placement may end the game
DOUBLES = 9  # the rules pay twice the tiles of the other
EXCHANGE_IS_SCORELESS = 10
ZERO_IS_SCORELESS = 11
SETTINGS = 12

# Parts of `scratch`.
SEEN = 0  # 128: tiles on the board
TALLY = 128  # 128: tiles of a text
ON_RACK = 256  # 128: tiles of a rack
FRESH = 384  # 32: squares of the last placement
FRESH_CODES = 416  # 32
TOTALS = 448  # 4
HELD = 452  # 4
REST = 456  # 128: tiles that were neither on the board nor on the rack of the player who moved before
SCRATCH_SIZE = 584


@jit(inline=True)
def _count_tiles(codes, begin, size, letters, natural, scratch, part):
    """Counts of a text by letter into a part of `scratch`: whether all of it are tiles, and how many are.

    A designated blank is no tile yet, or with `natural` the letter that it shows.
    """
    for letter in range(letters + 1):
        scratch[part + letter] = 0
    good = True
    found = I64(0)
    for index in range(size):
        code = I64(codes[begin + index])
        letter = code & LETTER_BITS
        if code == 0 or letter > letters or (code > BLANK and not natural):
            good = False
        else:
            scratch[part + letter] += 1
            found += 1
    return good, found


@jit(inline=True)
def _gather(
    codes,
    begin,
    size,
    row,
    col,
    direction,
    rows,
    cols,
    board,
    squares,
    scratch,
):
    """Which written tiles are fresh: status, how many, and the number of those that are blanks without a letter.

    Their squares and codes go to `scratch`, their counts by letter to its TALLY.
    """
    status = I64(0)
    laid = I64(0)
    undesignated = I64(0)
    if row < 0 or row >= rows:
        status |= BAD_ROW
    if col < 0 or col >= cols:
        status |= BAD_COL
    off = status != 0
    step, along, length = (I64(1), col, cols) if direction == 0 else (cols, row, rows)
    square = row * cols + col
    first = square
    begun = along
    index = I64(0)
    while index < size:
        code = I64(codes[begin + index])
        index += 1
        through = code == 0
        if code == THROUGH_LETTER:
            through = True
            code = I64(codes[begin + index])
            index += 1
        if not off:
            if along >= length:
                status |= OFF_BOARD
                break
            if squares[BRICKS, square] != 0:
                status |= OVER_BRICK
                break
            lies = I64(board[square])
            if lies != 0:
                if code != 0 and (lies ^ code) & LETTER_BITS != 0:
                    status |= THROUGH_DIFFERS
                    break
            elif through:
                status |= THROUGH_EMPTY
                break
            else:
                scratch[FRESH + laid] = square
                scratch[FRESH_CODES + laid] = code
            square += step
            along += 1
            if lies != 0:
                continue
        elif through:
            continue
        laid += 1
        if code == BLANK:
            undesignated += 1
        scratch[TALLY + (I64(0) if code >= BLANK else code)] += 1
    if status == 0:
        if begun > 0 and board[first - step] != 0:
            status |= NOT_MAXIMAL
        if along < length and board[square] != 0:
            status |= NOT_MAXIMAL
    return status, laid, undesignated


@jit(inline=True)
def _read_word(
    board,
    mark,
    squares,
    digraphs,
    numbers,
    square,
    step,
    along,
    length,
    words,
    out,
):
    """The run through a square: tiles, sum, word multiplier, whether it splits a digraph, and where `words` ends.

    `mark` has the fresh squares; no tile lies on a brick. A run of one tile is no word and leaves nothing in `words`.
    """
    while along > 0 and board[square - step] != 0:
        square -= step
        along -= 1
    end = out
    total = I64(0)
    multiplier = I64(1)
    split = False
    while along < length and board[square] != 0:
        code = I64(board[square])
        if len(digraphs) > 0 and end > out and (mark[square] != 0 or mark[square - step] != 0):
            split |= digraphs[I64(words[end - 1]) & LETTER_BITS, code & LETTER_BITS] != 0
        value = numbers[VALUES + code]
        if mark[square] != 0:
            condition = I64(squares[CONDITIONS, square])
            if condition == 0 or condition == numbers[FACES + (code & LETTER_BITS)]:
                value *= I64(squares[LETTER_MULTIPLIERS, square])
            multiplier = min(multiplier * I64(squares[WORD_MULTIPLIERS, square]), MAX_MULTIPLIER)
        total += value
        words[end] = code
        end += 1
        square += step
        along += 1
    tiles = end - out
    if tiles < 2:
        return tiles, I64(0), multiplier, False, out
    words[end] = 0
    return tiles, total, multiplier, split, end + 1


@jit(inline=True)
def _score(
    status,
    laid,
    direction,
    start,
    rows,
    cols,
    board,
    mark,
    squares,
    digraphs,
    numbers,
    scratch,
    words,
    out,
):
    """Score, status, number of words and where `words` ends, for tiles that lie on the board and are marked."""
    step, cross_step = (I64(1), cols) if direction == 0 else (cols, I64(1))
    length, width = (cols, rows) if direction == 0 else (rows, cols)
    touches = False
    starts = False
    for index in range(laid):
        square = scratch[FRESH + index]
        row, col = square // cols, square % cols
        starts |= square == start
        touches |= row > 0 and board[square - cols] != 0 and mark[square - cols] == 0
        touches |= row < rows - 1 and board[square + cols] != 0 and mark[square + cols] == 0
        touches |= col > 0 and board[square - 1] != 0 and mark[square - 1] == 0
        touches |= col < cols - 1 and board[square + 1] != 0 and mark[square + 1] == 0
    if not touches:
        empty = True
        for square in range(rows * cols):
            if board[square] != 0 and mark[square] == 0:
                empty = False
                break
        if not empty:
            status |= NOT_CONNECTED
        elif not starts:
            status |= START_NOT_COVERED

    count = I64(0)
    end = out
    square = scratch[FRESH]
    along = square % cols if direction == 0 else square // cols
    tiles, total, multiplier, split, end = _read_word(
        board, mark, squares, digraphs, numbers, square, step, along, length, words, end
    )
    score = total * min(multiplier * numbers[FACTORS + laid], MAX_MULTIPLIER)
    if tiles > 1:
        count += 1
    for index in range(laid):
        square = scratch[FRESH + index]
        aside = square // cols if direction == 0 else square % cols
        tiles, total, multiplier, crossing_split, end = _read_word(
            board, mark, squares, digraphs, numbers, square, cross_step, aside, width, words, end
        )
        if tiles > 1:
            count += 1
            score += total * multiplier
            split |= crossing_split
    if count == 0:
        return I64(0), status | NO_WORD, I64(0), out
    score += numbers[BONUSES + laid]
    if status & UNSCORABLE == 0 and score > MAX_SCORE:
        status |= SCORE_OVERFLOW
    if status & UNSCORABLE != 0:
        return I64(0), status, I64(0), out
    if split:
        status |= SPLIT_DIGRAPH
    return score, status, count, end


@jit
def replay_records(
    events,
    games,
    codes,
    squares,
    digraphs,
    numbers,
    settings,
    board,
    mark,
    scratch,
    facts,
    words,
    plain,
):
    """The facts of every event, and which games have nothing that a second look could find."""
    rows, cols, start = settings[ROWS], settings[COLS], settings[START]
    rack_size, letters, tiles = settings[RACK_SIZE], settings[LETTERS], settings[TILES]
    cells = rows * cols
    text = I64(0)
    end = I64(0)
    for game in range(len(games) - 1):
        players = games[game, 1]
        for square in range(cells):
            board[square] = 0
        for letter in range(letters + 1):
            scratch[SEEN + letter] = 0
        on_board = I64(0)
        last_player = I64(-1)  # of the placement that can be taken back; -1 = none
        last_laid = I64(0)
        rest_player = I64(-1)  # whose rack is left out of REST; -1 = there is none

        fine = tiles >= rack_size * players and players == 2
        mover = I64(-1)
        bag = tiles - rack_size * players
        out_player = I64(-1)
        idle = I64(0)  # turns without points
        scoreless = I64(0)
        settled = False
        for player in range(4):
            scratch[TOTALS + player] = 0
            scratch[HELD + player] = rack_size

        for event in range(games[game, 0], games[game + 1, 0]):
            kind, player, given = events[event, KIND], events[event, PLAYER], events[event, GIVEN]
            size, rack = events[event, TEXT], events[event, RACK]
            marks = I64(0)
            status = I64(0)
            score = I64(0)
            laid = I64(0)
            value = I64(0)
            count = I64(0)
            if kind == WITHDRAW and last_player >= 0 and last_player == player:
                marks |= TAKEN_BACK
                last_player = I64(-1)
                on_board -= last_laid
                for index in range(last_laid):
                    code = scratch[FRESH_CODES + index]
                    board[scratch[FRESH + index]] = 0
                    scratch[SEEN + (I64(0) if code >= BLANK else code)] -= 1
            unseen = tiles - on_board if tiles >= 0 else I64(-1)

            known = False
            rack_tiles = I64(0)
            if given & (NO_RACK | RACK_UNREADABLE) == 0:
                known, rack_tiles = _count_tiles(codes, text + size, rack, letters, False, scratch, ON_RACK)
            if known:
                marks |= HAS_RACK
                if rack_tiles > rack_size:
                    marks |= LARGE_RACK
                if tiles >= 0:
                    for letter in range(letters + 1):
                        held = scratch[ON_RACK + letter]
                        if held > 0 and held > numbers[COUNTS + letter] - scratch[SEEN + letter]:
                            marks |= RACK_NOT_IN_BAG
                            break
            else:
                rack_tiles = I64(0)
                if given & NO_RACK == 0:
                    marks |= BAD_RACK

            if kind <= PASS:
                known_rest = known and tiles >= 0 and marks & RACK_NOT_IN_BAG == 0
                if known_rest:
                    for letter in range(letters + 1):
                        held = scratch[ON_RACK + letter]
                        if rest_player >= 0 and rest_player != player and held > 0 and held > scratch[REST + letter]:
                            marks |= RACKS_NOT_IN_BAG
                        scratch[REST + letter] = numbers[COUNTS + letter] - scratch[SEEN + letter] - held
                rest_player = player if known_rest else I64(-1)

            if kind == PLACE:
                last_player = player
                last_laid = I64(0)
                if given & TEXT_UNREADABLE != 0:
                    status = I64(UNREADABLE)
                else:
                    direction = events[event, DIRECTION]
                    for letter in range(letters + 1):
                        scratch[TALLY + letter] = 0
                    status, laid, undesignated = _gather(
                        codes,
                        text,
                        size,
                        events[event, ROW],
                        events[event, COL],
                        direction,
                        rows,
                        cols,
                        board,
                        squares,
                        scratch,
                    )
                    lies = status & UNSCORABLE == 0 and laid > 0
                    if laid == 0:
                        status |= NO_TILE
                    if laid > rack_size:
                        status |= TOO_MANY_TILES
                    if undesignated > 0:
                        status |= BLANK_UNDESIGNATED
                        if settings[CONDITIONAL] != 0:
                            status |= BLANK_NEEDS_LETTER
                    if known:
                        for letter in range(letters + 1):
                            if scratch[TALLY + letter] > scratch[ON_RACK + letter]:
                                status |= NOT_ON_RACK
                                break
                    if lies:
                        for index in range(laid):
                            square = scratch[FRESH + index]
                            board[square] = scratch[FRESH_CODES + index]
                            mark[square] = 1
                        score, status, count, end = _score(
                            status,
                            laid,
                            direction,
                            start,
                            rows,
                            cols,
                            board,
                            mark,
                            squares,
                            digraphs,
                            numbers,
                            scratch,
                            words,
                            end,
                        )
                        for index in range(laid):
                            mark[scratch[FRESH + index]] = 0
                            if status & UNSCORABLE != 0:
                                board[scratch[FRESH + index]] = 0
                    if status & UNSCORABLE != 0:
                        laid = I64(0)
                    else:
                        last_laid = laid
                        on_board += laid
                        for letter in range(letters + 1):
                            scratch[SEEN + letter] += scratch[TALLY + letter]
                            if (
                                tiles >= 0
                                and scratch[TALLY + letter] > 0
                                and scratch[SEEN + letter] > numbers[COUNTS + letter]
                            ):
                                marks |= OVERDRAWN
            elif marks & TAKEN_BACK != 0:
                if known:
                    for index in range(last_laid):
                        code = scratch[FRESH_CODES + index]
                        letter = I64(0) if code >= BLANK else code
                        scratch[ON_RACK + letter] -= 1
                        if scratch[ON_RACK + letter] < 0:
                            marks |= TILES_NOT_ON_RACK
            elif kind in (EXCHANGE, END_POINTS, END_PENALTY):
                good, shown = _count_tiles(codes, text, size, letters, True, scratch, TALLY)
                if not good or given & TEXT_UNREADABLE != 0:
                    marks |= BAD_TEXT
                elif kind == EXCHANGE:
                    value = shown
                    if known:
                        for letter in range(letters + 1):
                            if scratch[TALLY + letter] > scratch[ON_RACK + letter]:
                                marks |= TILES_NOT_ON_RACK
                                break
                else:
                    for letter in range(letters + 1):
                        value += scratch[TALLY + letter] * numbers[END_VALUES + letter]
                        if tiles >= 0 and scratch[TALLY + letter] != numbers[COUNTS + letter] - scratch[SEEN + letter]:
                            marks |= TILES_NOT_UNSEEN
                        if known and scratch[TALLY + letter] != scratch[ON_RACK + letter]:
                            marks |= TILES_NOT_ON_RACK
            elif kind == EXCHANGE_COUNT:
                value = events[event, ROW]
            if kind in (EXCHANGE, EXCHANGE_COUNT, PASS):
                last_player = I64(-1)

            facts[event, FACT_SCORE] = score
            facts[event, FACT_STATUS] = status
            facts[event, FACT_LAID] = laid
            facts[event, FACT_MARKS] = marks
            facts[event, FACT_VALUE] = value
            facts[event, FACT_UNSEEN] = unseen
            facts[event, FACT_RACK] = rack_tiles
            facts[event, FACT_WORDS] = count
            facts[event, FACT_END] = end
            facts[event, FACT_BAG] = bag
            facts[event, FACT_SCORELESS] = scoreless
            text += size + rack

            # Anything out of the ordinary makes the game one for a second look, whether it is a fault or not.
            if not fine:
                continue
            if given & ~NO_RACK != 0 or marks & ~HAS_RACK != 0 or status != 0 or settled:
                fine = False
                continue
            scratch[TOTALS + player] += events[event, SCORE]
            if scratch[TOTALS + player] != events[event, TOTAL]:
                fine = False
            if kind == END_POINTS:
                settled = True
                fine = fine and player == out_player and events[event, SCORE] == 2 * value and settings[DOUBLES] != 0
                continue
            if out_player >= 0 or (mover >= 0 and player == mover):
                fine = False
            mover = player
            if kind == PLACE:
                if score != events[event, SCORE] or laid > scratch[HELD + player]:
                    fine = False
                drawn = min(bag, laid)
                bag -= drawn
                scratch[HELD + player] += drawn - laid
                if scratch[HELD + player] == 0:
                    out_player = player
                scoreless = scoreless + 1 if score == 0 and settings[ZERO_IS_SCORELESS] != 0 else I64(0)
                facts[event, FACT_SCORELESS] = scoreless
                if score > 0:
                    idle = I64(0)
                    continue
            elif kind == EXCHANGE:
                if value == 0 or value > scratch[HELD + player] or bag < max(value, settings[EXCHANGE_LIMIT]):
                    fine = False
                if events[event, SCORE] != 0:
                    fine = False
                scoreless = scoreless + 1 if settings[EXCHANGE_IS_SCORELESS] != 0 else I64(0)
            elif kind != PASS or events[event, SCORE] != 0:
                fine = False
            else:
                scoreless += 1
            facts[event, FACT_SCORELESS] = scoreless
            idle += 1
            if idle >= settings[QUICK_LIMIT]:
                fine = False
        if out_player >= 0 and not settled:
            fine = False
        plain[game] = fine
