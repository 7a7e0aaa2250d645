"""Compiled: the plain lines of GCG records, from bytes to the arrays that `fastscore.record_kernels` reads, for many
games at once.

A game is regular if each of its lines is plain: perhaps `#character-encoding UTF-8` or ISO-8859-1 first, then
`#player1` and `#player2` with other short names and other full names, then placements, exchanges, passes and points for
others' tiles in the one spelling that needs no remark, and comments on them, all in ASCII; blank lines may stand
anywhere. Every other game, whatever is the matter with it, is left to the tolerant reader (`fastscore.gcg.reader`),
which reads a regular game as it is read here.

Arrays are C-contiguous. In: `data` uint8, the texts one after the other; `bounds` int64[texts + 1]; `tiles` uint8[256],
the tile code of each byte, STRANGER for none, 0 for a point. Out, where `most` is the number of `>` in `data`: `events`
int64[most, record_kernels.EVENT_COLUMNS]; `places` int64[most, PLACE_COLUMNS]; `codes` uint8[len(data)]; `heads`
int64[texts, HEAD_COLUMNS]; `games` int64[texts + 1, 2]; `owners` int64[texts]. What is filled of them is returned.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.record_kernels import (
    COL,
    DIRECTION,
    END_POINTS,
    EXCHANGE,
    GIVEN,
    KIND,
    NO_RACK,
    PASS,
    PLACE,
    PLAYER,
    RACK,
    ROW,
    SCORE,
    TEXT,
    TOTAL,
)

__all__ = ["parse_records"]

I64 = np.int64

STRANGER = 0x7F

# Columns of `places`: where in `data` and `codes` an event stands.
LINE = 0  # from 0 within the text
RACK_AT = 1
MOVE_AT = 2
MOVE_SIZE = 3
TEXT_AT = 4
CODE_AT = 5
COMMENTS = 6
PLACE_COLUMNS = 7

# Columns of `heads`: by player, from NICK on, where the short name begins, its size, and the same of the full name.
ENCODING = 0  # 0 = not declared, 1 = UTF-8, 2 = ISO-8859-1
NICK = 1
NICK_SIZE = 2
NAME = 3
NAME_SIZE = 4
EACH_PLAYER = 4
HEAD_COLUMNS = 9

# Most characters of a rack or a word, and of a line that is no event; the tolerant reader takes longer ones.
LONGEST_TEXT = 99
LONGEST_LINE = 4096
MOST_LINES = 20_000
SCORE_DIGITS = 6
TOTAL_DIGITS = 7

NEWLINE = 10
SPACE = 32
LAST_VISIBLE = 126

UTF8_LINE = np.frombuffer(b"#character-encoding UTF-8", np.uint8)
LATIN_LINE = np.frombuffer(b"#character-encoding ISO-8859-1", np.uint8)
PLAYER_HEAD = np.frombuffer(b"#player", np.uint8)
NOTE_HEAD = np.frombuffer(b"#note", np.uint8)
UNKNOWN_RACK = np.frombuffer(b"UNKNOWN", np.uint8)
CHALLENGE_WORD = np.frombuffer(b"challenge", np.uint8)
TIME_WORD = np.frombuffer(b"time", np.uint8)


@jit(inline=True)
def _byte(data, at, stop):
    """The byte at a place of a line, a line end behind it."""
    return I64(data[at]) if at < stop else I64(NEWLINE)


@jit(inline=True)
def _begins(data, at, stop, word, ignored):
    """Whether a line goes on with a word; bits in `ignored` do not count."""
    size = I64(len(word))
    fits = stop - at >= size
    index = I64(0)
    while fits and index < size:
        fits = I64(data[at + index]) | ignored == I64(word[index])
        index += 1
    return fits


@jit(inline=True)
def _same(data, left, left_size, right, right_size):
    same = left_size == right_size
    index = I64(0)
    while same and index < left_size:
        same = data[left + index] == data[right + index]
        index += 1
    return same


@jit(inline=True)
def _tiles_end(data, at, stop, tiles, points):
    """Where the tiles of a rack or a word end, `at` itself if there are too few or too many. `points`: `.` is one."""
    end = at
    while end < stop:
        code = I64(tiles[data[end]])
        if code == STRANGER or (code == 0 and not points):
            break
        end += 1
    return at if end - at > LONGEST_TEXT else end


@jit(inline=True)
def _number(data, at, stop, digits):
    """A number of at most so many digits, and where it ends, `at` itself if there is none."""
    value = I64(0)
    end = at
    while end < stop and end - at <= digits and 48 <= data[end] <= 57:
        value = 10 * value + I64(data[end]) - 48
        end += 1
    return value, at if end - at > digits else end


@jit(inline=True)
def _read_player(data, at, stop, heads, text, number):
    """A line `#player1 nick full name`; whether it is plain."""
    if not _begins(data, at, stop, PLAYER_HEAD, 0):
        return False
    at += len(PLAYER_HEAD)
    if _byte(data, at, stop) != 49 + number or _byte(data, at + 1, stop) != SPACE:
        return False
    at += 2
    nick = at
    while at < stop and data[at] != SPACE:
        at += 1
    name = at + 1
    # One space at either side: the name is what is left.
    if at == nick or name >= stop or data[name] == SPACE or data[stop - 1] == SPACE:
        return False
    column = EACH_PLAYER * number
    heads[text, column + NICK] = nick
    heads[text, column + NICK_SIZE] = at - nick
    heads[text, column + NAME] = name
    heads[text, column + NAME_SIZE] = stop - name
    if number == 0:
        return True
    first = heads[text, NICK], heads[text, NICK_SIZE], heads[text, NAME], heads[text, NAME_SIZE]
    return not _same(data, first[0], first[1], nick, at - nick) and not _same(
        data, first[2], first[3], name, stop - name
    )


@jit(inline=True)
def _player_of(data, at, stop, heads, text):
    """Whose line it is, -1 = nobody's, and where what he did begins."""
    for player in range(2):
        nick = heads[text, EACH_PLAYER * player + NICK]
        size = heads[text, EACH_PLAYER * player + NICK_SIZE]
        end = at + size
        if end + 2 < stop and data[end] == 58 and data[end + 1] == SPACE and _same(data, at, size, nick, size):
            return I64(player), end + 2
    return I64(-1), at


@jit(inline=True)
def _square(data, at, stop):
    """Row, column, direction of a coordinate with a capital letter, and where it ends, `at` itself for none."""
    letter = _byte(data, at, stop) - 65
    across = letter < 0 or letter > 25
    number, end = _number(data, at if across else at + 1, stop, 2)
    if number == 0:
        return I64(0), I64(0), I64(0), at
    if across:
        letter = _byte(data, end, stop) - 65
        end += 1
        if letter < 0 or letter > 25:
            end = at
    return number - 1, letter, I64(0) if across else I64(1), end


@jit(inline=True)
def _read_event(data, at, stop, tiles, heads, text, event, code, events, places, codes):
    """An event line from behind its `>`; where its tile codes end, -1 if it is not plain."""
    player, at = _player_of(data, at, stop, heads, text)
    if player < 0:
        return I64(-1)
    kind, row, col, direction, given = I64(PASS), I64(0), I64(0), I64(0), I64(0)
    rack, rack_size = at, I64(0)
    if _byte(data, at, stop) == SPACE and _byte(data, at + 1, stop) == 40:
        at += 1
    if _byte(data, at, stop) == 40:
        kind, given = I64(END_POINTS), I64(NO_RACK)
        move = at
        word = at + 1
        end = _tiles_end(data, word, stop, tiles, False)
        size = end - word
        if size == 0 or _byte(data, end, stop) != 41 or _byte(data, end + 2, stop) != 43:
            return I64(-1)
        # These brackets hold no tiles, however they are written.
        if size == len(TIME_WORD) and _begins(data, word, end, TIME_WORD, 32):
            return I64(-1)
        if size == len(CHALLENGE_WORD) and _begins(data, word, end, CHALLENGE_WORD, 32):
            return I64(-1)
        at = end + 1
        move_size = at - move
    else:
        at = _tiles_end(data, rack, stop, tiles, False)
        rack_size = at - rack
        if rack_size == 0 or _byte(data, at, stop) != SPACE:
            return I64(-1)
        if rack_size == len(UNKNOWN_RACK) and _begins(data, rack, at, UNKNOWN_RACK, 0):
            return I64(-1)
        at += 1
        move = at
        if _byte(data, at, stop) == 45:
            word = at + 1
            at = _tiles_end(data, word, stop, tiles, False)
            move_size = at - move
            if at > word:
                kind = I64(EXCHANGE)
            elif _byte(data, at, stop) == SPACE and _byte(data, at + 1, stop) == SPACE:
                at += 1
        else:
            kind = I64(PLACE)
            row, col, direction, word = _square(data, at, stop)
            if word == at or _byte(data, word, stop) != SPACE:
                return I64(-1)
            word += 1
            at = _tiles_end(data, word, stop, tiles, True)
            if at == word:
                return I64(-1)
            move_size = at - move
        size = move + move_size - word
    sign = _byte(data, at + 1, stop)
    if _byte(data, at, stop) != SPACE or (sign != 43 and sign != 45):
        return I64(-1)
    begin = at + 2
    score, at = _number(data, begin, stop, SCORE_DIGITS)
    if at == begin or _byte(data, at, stop) != SPACE:
        return I64(-1)
    begin = at + 2 if _byte(data, at + 1, stop) == 45 else at + 1
    total, end = _number(data, begin, stop, TOTAL_DIGITS)
    if end == begin or end != stop:
        return I64(-1)

    events[event, KIND] = kind
    events[event, PLAYER] = player
    events[event, ROW] = row
    events[event, COL] = col
    events[event, DIRECTION] = direction
    events[event, SCORE] = score if sign == 43 else -score
    events[event, TOTAL] = total if begin == at + 1 else -total
    events[event, TEXT] = size
    events[event, RACK] = rack_size
    events[event, GIVEN] = given
    places[event, RACK_AT] = rack
    places[event, MOVE_AT] = move
    places[event, MOVE_SIZE] = move_size
    places[event, TEXT_AT] = word
    places[event, CODE_AT] = code
    places[event, COMMENTS] = 0
    for index in range(size):
        codes[code + index] = tiles[data[word + index]]
    for index in range(rack_size):
        codes[code + size + index] = tiles[data[rack + index]]
    return code + size + rack_size


@jit
def parse_records(data, bounds, tiles, events, places, codes, heads, games, owners):
    """The regular ones of some texts. Returns how many there are, how many events they have, and how many tile codes.

    `owners`: by game, the number of its text; `games`: by game, its first event and its players, and the end behind.
    """
    count = I64(0)
    event = I64(0)
    code = I64(0)
    for text in range(len(bounds) - 1):
        begin, at, end = bounds[text], bounds[text], bounds[text + 1]
        first_event, first_code = event, code
        heads[text, ENCODING] = 0
        players = I64(0)
        turns = I64(0)
        line = I64(0)
        good = True
        while good and at < end:
            stop = at
            while stop < end and data[stop] != NEWLINE:
                stop += 1
            mark = _byte(data, at, stop)
            if mark == 62:
                good = players == 2
                if good:
                    code = _read_event(data, at + 1, stop, tiles, heads, text, event, code, events, places, codes)
                    good = code >= 0
                if good:
                    places[event, LINE] = line
                    if events[event, KIND] != END_POINTS:
                        turns += 1
                    event += 1
            elif mark == 35:
                good = stop - at <= LONGEST_LINE
                for place in range(at, stop):
                    if data[place] < SPACE or data[place] > LAST_VISIBLE:
                        good = False
                        break
                if not good:
                    pass
                elif event > first_event:
                    after = _byte(data, at + len(NOTE_HEAD), stop)
                    good = _begins(data, at, stop, NOTE_HEAD, 0) and after in (SPACE, NEWLINE)
                    if good:
                        places[event - 1, COMMENTS] += 1
                elif at == begin and _begins(data, at, stop, UTF8_LINE, 0) and stop - at == len(UTF8_LINE):
                    heads[text, ENCODING] = 1
                elif at == begin and _begins(data, at, stop, LATIN_LINE, 0) and stop - at == len(LATIN_LINE):
                    heads[text, ENCODING] = 2
                else:
                    good = players < 2 and _read_player(data, at, stop, heads, text, players)
                    players += 1
            else:
                good = stop == at
            at = stop + 1
            line += 1
        if good and turns > 0 and line < MOST_LINES:
            games[count, 0] = first_event
            games[count, 1] = 2
            owners[count] = text
            count += 1
        else:
            event, code = first_event, first_code
    games[count, 0] = event
    games[count, 1] = 0
    return count, event, code
