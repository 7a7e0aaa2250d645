"""Compiled: the columns of an audit's tables for plain games, from the arrays of `fastscore.gcg_kernels` and the facts
of `fastscore.record_kernels`.

In a plain game nothing is wrong, so that every placement can be laid, recorded numbers are the computed ones, and there
is one end line at most, the last event.

Arrays are C-contiguous. In, beside those of the two modules: `chosen` int64[n], the games to take; `first_lines`
int64[n], the numbers of their first lines; `shown` uint8[256], the character of each tile code; `premium` uint8[rows *
cols], the premium of each square as number of a column from 1, 0 = none; `bonus` uint8[LONGEST], 1 = so many tiles
placed bring a bonus; for work `board` uint8[rows * cols] and `counts` int64[128].

Out, a row an event of the chosen games, `size` of them: `short` int16[SHORTS, size], `middle` int32[MIDDLES, size],
`wide` int64[WIDES, size], `flags` uint8[FLAGS, size]. Texts are as Arrow has them, characters and ends of texts:
`offsets` int32[TEXTS, size + 1] for `racks`, `moves`, `tiles`, `leaves` uint8; `word_offsets` int32 (one more than
there are words) for `words` uint8, `list_offsets` int32[size + 1] for the words of an event.

Out, a row a game: `game_numbers` int64[GAME_NUMBERS, n]; `name_offsets` int32[2, 2 * n + 1] for `nicks` and `names`
uint8; `print_offsets` int64[n + 1] for `prints` uint8, the bytes that a fingerprint is made of.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.gcg_kernels import (
    CODE_AT,
    COMMENTS,
    EACH_PLAYER,
    LINE,
    MOVE_AT,
    MOVE_SIZE,
    NAME,
    NICK,
    RACK_AT,
)
from fastscore.record_kernels import (
    COL,
    DIRECTION,
    END_POINTS,
    EXCHANGE,
    FACT_BAG,
    FACT_END,
    FACT_SCORELESS,
    KIND,
    PASS,
    PLACE,
    PLAYER,
    RACK,
    ROW,
    SCORE,
    TEXT,
    TOTAL,
)

__all__ = ["fill_games", "fill_turns"]

I64 = np.int64

BLANK = 0x80
LETTER_BITS = 0x7F
LONGEST = 64

# Rows of `short`.
FIRST_ROW = 0
FIRST_COL = 1
LAID = 2
BLANKS = 3
WORD_LENGTH = 4
RACK_TILES = 5
PREMIUM = 6  # and five more
SHORTS = 12

# Rows of `middle`.
TURN = 0
NUMBER = 1
BAG = 2
SCORELESS = 3
NOTES = 4
NAME_INDEX = 5
MIDDLES = 6

# Rows of `wide`.
LINE_NUMBER = 0
POINTS = 1
RUNNING = 2
WIDES = 3

# Rows of `flags`.
KIND_NUMBER = 0
WHO = 1
DOWN = 2
IS_BINGO = 3
IS_PLACE = 4
IS_TURN = 5
FLAGS = 6

# Rows of `offsets`.
RACKS = 0
MOVES = 1
FRESH_TILES = 2
LEAVES = 3
TEXTS = 4

# The kinds of moves in a fingerprint, letters as in fastscore.records.moves.
PRINT_PLACE = ord("P")
PRINT_EXCHANGE = ord("E")
PRINT_PASS = ord("S")

# Rows of `game_numbers`.
EVENTS = 0
PLACEMENTS = 1
EXCHANGES = 2
PASSES = 3
END_LINES = 4
ALL_NOTES = 5
FIRST_TOTAL = 6
SECOND_TOTAL = 7
FIRST_PLAYER = 8
OUT = 9  # -1 = nobody
GAME_NUMBERS = 10


@jit(inline=True)
def _copy(data, begin, size, out, end):
    for index in range(size):
        out[end + index] = data[begin + index]
    return end + size


@jit(inline=True)
def _print(prints, end, who, kind):
    """Begin a move of a fingerprint: the player's digit and a letter."""
    prints[end] = 48 + who
    prints[end + 1] = kind
    return end + 2


@jit
def fill_turns(
    data,
    first_lines,
    chosen,
    games,
    events,
    places,
    codes,
    facts,
    formed,
    settings,
    shown,
    premium,
    bonus,
    board,
    counts,
    short,
    middle,
    wide,
    flags,
    offsets,
    racks,
    moves,
    tiles,
    leaves,
    words,
    word_offsets,
    list_offsets,
    prints,
    print_offsets,
):
    """The rows of the turns. Returns how many words there are."""
    rows, cols, letters = settings[0], settings[1], settings[4]
    row = I64(0)
    racks_end, moves_end, tiles_end, leaves_end = I64(0), I64(0), I64(0), I64(0)
    words_end, n_words, prints_end = I64(0), I64(0), I64(0)
    for text in range(TEXTS):
        offsets[text, 0] = 0
    word_offsets[0] = 0
    list_offsets[0] = 0
    print_offsets[0] = 0
    for index in range(len(chosen)):
        game = chosen[index]
        for square in range(rows * cols):
            board[square] = 0
        number = I64(0)
        starter = I64(-1)
        first = games[game, 0]
        for event in range(first, games[game + 1, 0]):
            kind, player = events[event, KIND], events[event, PLAYER]
            size, rack_size = events[event, TEXT], events[event, RACK]
            at = places[event, CODE_AT]
            is_place, is_turn = kind == PLACE, kind != END_POINTS
            flags[KIND_NUMBER, row] = kind
            flags[WHO, row] = player
            flags[DOWN, row] = events[event, DIRECTION]
            flags[IS_PLACE, row] = is_place
            flags[IS_TURN, row] = is_turn
            flags[IS_BINGO, row] = 0
            if is_turn:
                number += 1
                if starter < 0:
                    starter = player
            who = I64(0) if player == starter else I64(1)
            middle[TURN, row] = event - first
            middle[NUMBER, row] = number
            middle[BAG, row] = facts[event, FACT_BAG]
            middle[SCORELESS, row] = facts[event, FACT_SCORELESS]
            middle[NOTES, row] = places[event, COMMENTS]
            middle[NAME_INDEX, row] = 2 * index + player
            wide[LINE_NUMBER, row] = first_lines[index] + places[event, LINE]
            wide[POINTS, row] = events[event, SCORE]
            wide[RUNNING, row] = events[event, TOTAL]
            for column in range(SHORTS):
                short[column, row] = 0
            short[RACK_TILES, row] = rack_size

            for letter in range(letters + 1):
                counts[letter] = 0
            for place in range(at + size, at + size + rack_size):
                counts[I64(codes[place]) & LETTER_BITS] += 1

            if is_place:
                down = events[event, DIRECTION] != 0
                square = events[event, ROW] * cols + events[event, COL]
                step = cols if down else I64(1)
                laid = I64(0)
                tiles_begin = tiles_end
                prints_end = _print(prints, prints_end, who, PRINT_PLACE) + 1
                for place in range(at, at + size):
                    code = I64(codes[place])
                    if code != 0 and board[square] == 0:
                        board[square] = code
                        tiles[tiles_end] = shown[code]
                        tiles_end += 1
                        laid += 1
                        prints[prints_end] = square // cols
                        prints[prints_end + 1] = square % cols
                        prints_end += 2
                        letter = code
                        if code >= BLANK:
                            short[BLANKS, row] += 1
                            letter = I64(0)
                        counts[letter] -= 1
                        kind_of_square = I64(premium[square])
                        if kind_of_square != 0:
                            short[PREMIUM + kind_of_square - 1, row] += 1
                    square += step
                prints[prints_end - 2 * laid - 1] = laid
                prints_end = _copy(tiles, tiles_begin, laid, prints, prints_end)
                prints[prints_end] = 0
                prints_end += 1
                short[FIRST_ROW, row] = events[event, ROW]
                short[FIRST_COL, row] = events[event, COL]
                short[LAID, row] = laid
                flags[IS_BINGO, row] = bonus[laid]
                begin = facts[event - 1, FACT_END] if event > 0 else I64(0)
                found = I64(0)
                for place in range(begin, facts[event, FACT_END]):
                    code = I64(formed[place])
                    if code != 0:
                        words[words_end] = shown[code]
                        words_end += 1
                    else:
                        if found == 0:
                            short[WORD_LENGTH, row] = place - begin
                        found += 1
                        n_words += 1
                        word_offsets[n_words] = words_end
            elif kind == EXCHANGE:
                for place in range(at, at + size):
                    counts[I64(codes[place]) & LETTER_BITS] -= 1
                prints_end = _print(prints, prints_end, who, PRINT_EXCHANGE)
                prints[prints_end] = size
                prints_end += 1
            elif is_turn:
                prints_end = _print(prints, prints_end, who, PRINT_PASS)

            racks_end = _copy(data, places[event, RACK_AT], rack_size, racks, racks_end)
            moves_end = _copy(data, places[event, MOVE_AT], places[event, MOVE_SIZE], moves, moves_end)
            if is_turn:
                for letter in range(letters + 1):
                    character = shown[letter if letter > 0 else BLANK]
                    for _ in range(counts[letter]):
                        leaves[leaves_end] = character
                        leaves_end += 1
            row += 1
            offsets[RACKS, row] = racks_end
            offsets[MOVES, row] = moves_end
            offsets[FRESH_TILES, row] = tiles_end
            offsets[LEAVES, row] = leaves_end
            list_offsets[row] = n_words
        print_offsets[index + 1] = prints_end
    return n_words


@jit
def fill_games(
    data,
    chosen,
    games,
    owners,
    heads,
    events,
    places,
    game_numbers,
    nicks,
    names,
    name_offsets,
):
    """The rows of the games."""
    nicks_end, names_end = I64(0), I64(0)
    name_offsets[0, 0] = 0
    name_offsets[1, 0] = 0
    for index in range(len(chosen)):
        game = chosen[index]
        text = owners[game]
        for player in range(2):
            column = EACH_PLAYER * player
            nicks_end = _copy(data, heads[text, column + NICK], heads[text, column + NICK + 1], nicks, nicks_end)
            names_end = _copy(data, heads[text, column + NAME], heads[text, column + NAME + 1], names, names_end)
            name_offsets[0, 2 * index + player + 1] = nicks_end
            name_offsets[1, 2 * index + player + 1] = names_end
        for number in range(GAME_NUMBERS):
            game_numbers[number, index] = 0
        game_numbers[FIRST_PLAYER, index] = -1
        game_numbers[OUT, index] = -1
        first = games[game, 0]
        for event in range(first, games[game + 1, 0]):
            kind, player = events[event, KIND], events[event, PLAYER]
            game_numbers[EVENTS, index] += 1
            game_numbers[ALL_NOTES, index] += places[event, COMMENTS]
            game_numbers[FIRST_TOTAL + player, index] = events[event, TOTAL]
            if kind != END_POINTS and game_numbers[FIRST_PLAYER, index] < 0:
                game_numbers[FIRST_PLAYER, index] = player
            if kind == PLACE:
                game_numbers[PLACEMENTS, index] += 1
            elif kind == EXCHANGE:
                game_numbers[EXCHANGES, index] += 1
            elif kind == PASS:
                game_numbers[PASSES, index] += 1
            else:
                game_numbers[END_LINES, index] += 1
                game_numbers[OUT, index] = player
