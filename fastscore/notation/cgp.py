"""CGP, a position on one line: `board racks scores zeros [op arguments; ...]`.

Rows of the board are joined by `/`, numbers stand for runs of empty squares, lower case for blanks, `[CH]` for a tile
with a long name. Racks are joined by `/` as well, the player to move first, and so are the scores. `zeros` counts the
scoreless turns just made. An operation is a name with its arguments, closed by `;`.

What is read here stays plain data: no letter distribution and no board are needed. `Board.from_cgp` goes on from it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeVar

from fastscore.coordinates import MAX_SIDE, Direction, parse_coordinate
from fastscore.errors import NotationError, PositionError, quote

__all__ = ["KNOWN_OPS", "LastMove", "Op", "Position", "format_cgp", "own_layout_name", "parse_cgp"]

MAX_LENGTH: Final = 65_536
"""Most characters of a CGP line: 32 x 32 tiles with names of ten letters leave room to spare."""
MAX_PLAYERS: Final = 16
MAX_TILE_NAME: Final = 12
_LAYOUT_NAMES = {"CrosswordGame": "standard15", "SuperCrosswordGame": "standard21"}

_T = TypeVar("_T")

LastMoveKind = Literal["place", "exchange", "exchange_count", "pass", "phony"]


class Op(NamedTuple):
    """An operation of a CGP line: its name, and its arguments as they were written."""

    name: str
    arguments: str = ""


class LastMove(NamedTuple):
    """The move before the position.

    `kind` is place, exchange, exchange_count, pass or phony (a play that was challenged off). Plays have their
    `coordinate` as written and `at`, the 0-based row and column of the first letter and the direction. `text` is the
    word with the letters that were played through, or the tiles or the number exchanged.
    """

    kind: LastMoveKind
    text: str = ""
    coordinate: str = ""
    at: tuple[int, int, Direction] | None = None


_WHOLE_LINE = re.compile(r"\S+")
_ROW_PIECE = re.compile(r"(?P<run>[0-9]+)|(?P<long>\[[^\[\]/\s]*\])|(?P<tile>.)", re.DOTALL)
_TILES_PIECE = re.compile(r"\[[^\[\]/\s]*\]|.", re.DOTALL)
_LAST_PLAY = re.compile(r"(phony\.)?([0-9A-Za-z]{1,4})\.(\S+)")
_LAST_EXCHANGE = re.compile(r"ex\.(\S+)")


def _text(arguments: str) -> str:
    if not arguments:
        raise PositionError("expected a value")
    return arguments


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(arguments: str) -> int:
        if re.fullmatch("-?[0-9]{1,12}", arguments) is None or not least <= int(arguments) <= most:
            raise PositionError(f"{quote(arguments)}, expected a number from {least} to {most}")
        return int(arguments)

    return read


def _timers(arguments: str) -> tuple[int, ...]:
    if re.fullmatch(r"-?[0-9]{1,12}(?:/-?[0-9]{1,12})*", arguments) is None:
        raise PositionError(f"{quote(arguments)}, expected milliseconds joined by '/'")
    return tuple(map(int, arguments.split("/")))


def _last_move(arguments: str) -> LastMove:
    if arguments == "pass":
        return LastMove("pass")
    exchange = _LAST_EXCHANGE.fullmatch(arguments)
    if exchange is not None:
        tiles = exchange[1]
        return LastMove("exchange_count" if re.fullmatch("[0-9]{1,3}", tiles) else "exchange", tiles)
    play = _LAST_PLAY.fullmatch(arguments)
    if play is None:
        raise PositionError(f"{quote(arguments)}, expected a move like 8D.WORD, ex.ABC, ex.3, pass or phony.8D.WORD")
    try:
        at = parse_coordinate(play[2])
    except NotationError as error:
        raise PositionError(error.detail) from None
    return LastMove("phony" if play[1] else "place", play[3], play[2], at)


_MOST: Final = 10**12
_READERS: dict[str, Callable[[str], object]] = {
    "bb": _number(0, 1_000_000),
    "bdn": _text,
    "cr": _text,
    "etl": _number(0, 1_000),
    "gid": _text,
    "ld": _text,
    "lex": _text,
    "lm": _last_move,
    "mcnz": _number(0, 1_000),
    "oru": str,
    "ti": _number(0, _MOST),
    "tmr": _timers,
    "to": _number(0, _MOST),
    "var": _text,
}
KNOWN_OPS: Final = tuple(_READERS)
"""Names of the operations that a Position gives typed values for."""


@dataclass(frozen=True)
class Position:
    """A position as CGP has it. Raises PositionError for values that no CGP line can say.

    Attributes
    ----------
    rows
        The rows of the board as text, all of them equally many squares: `.` for an empty one, a letter for a tile, a
        lower-case letter for a blank, `?` for a blank without a letter, `[CH]` for a tile with a long name. A letter
        outside brackets is one square, whatever it makes with its neighbour.
    racks
        A rack for each player, the player to move first; "" = unknown or empty.
    scores
        The players' scores in the same order.
    zeros
        How many scoreless turns have just been made.
    ops
        Every operation in its order, known or not.
    """

    rows: tuple[str, ...]
    racks: tuple[str, ...] = ("", "")
    scores: tuple[int, ...] = (0, 0)
    zeros: int = 0
    ops: tuple[Op, ...] = ()

    def __post_init__(self) -> None:
        _check_size([_count_squares(row, number) for number, row in enumerate(self.rows, start=1)])
        _check_players(self.racks, self.scores)
        for rack in self.racks:
            _check_tiles(rack, 0)
        if self.zeros < 0:
            raise PositionError(f"{self.zeros} scoreless turns, expected 0 or more")
        for op in self.ops:
            if re.fullmatch(r"[^\s;]+", op.name) is None or re.search(r"[;\r\n]|^\s|\s$", op.arguments):
                written = quote(f"{op.name} {op.arguments}")
                raise PositionError(f"{written} is no operation, expected a name and arguments")
            _read_op(op, 0)
        names = [op.name for op in self.ops if op.name in _READERS]
        if len(names) != len(set(names)):
            raise PositionError(f"operation {quote(_first_repeated(names))} is given twice")

    @property
    def cols(self) -> int:
        """Number of columns of the board."""
        return _count_squares(self.rows[0], 1)

    @property
    def squares(self) -> tuple[tuple[str, ...], ...]:
        """The board as one text a square: `squares[row][col]` is `.`, `A`, `a`, `?` or `[CH]`."""
        return tuple(tuple(_TILES_PIECE.findall(row)) for row in self.rows)

    @property
    def unknown_ops(self) -> tuple[Op, ...]:
        """The operations that have no meaning here. They are kept and written again."""
        return tuple(op for op in self.ops if op.name not in _READERS)

    @property
    def bingo_bonus(self) -> int | None:
        """`bb`: points for laying a whole rack. This and all the following are None where the line does not say."""
        return self._value("bb", int)

    @property
    def layout_name(self) -> str | None:
        """`bdn`: the board layout by the name that fastscore has for it."""
        name = self._value("bdn", str)
        return None if name is None else own_layout_name(name)

    @property
    def challenge_rule(self) -> str | None:
        """`cr`: void, single, double, 5pt, 10pt or triple; other words are given as they are."""
        return self._value("cr", str)

    @property
    def exchange_limit(self) -> int | None:
        """`etl`: how many tiles the bag must hold for an exchange."""
        return self._value("etl", int)

    @property
    def game_id(self) -> str | None:
        """`gid`: name of the game."""
        return self._value("gid", str)

    @property
    def distribution_name(self) -> str | None:
        """`ld`: name of the letter distribution."""
        return self._value("ld", str)

    @property
    def lexicon(self) -> str | None:
        """`lex`: name of the word list."""
        return self._value("lex", str)

    @property
    def last_move(self) -> LastMove | None:
        """`lm`: the move that led to the position."""
        return self._value("lm", LastMove)

    @property
    def zero_turn_limit(self) -> int | None:
        """`mcnz`: how many scoreless turns in a row end the game."""
        return self._value("mcnz", int)

    @property
    def opponent_rack_unknown(self) -> bool:
        """`oru`: the opponent's rack is unknown."""
        return any(op.name == "oru" for op in self.ops)

    @property
    def increment(self) -> int | None:
        """`ti`: milliseconds that a player gains with each turn."""
        return self._value("ti", int)

    @property
    def timers(self) -> tuple[int, ...] | None:
        """`tmr`: milliseconds left to each player, in the order of the racks."""
        return self._value("tmr", tuple)

    @property
    def overtime(self) -> int | None:
        """`to`: milliseconds of overtime that are allowed."""
        return self._value("to", int)

    @property
    def variant(self) -> str | None:
        """`var`: name of the game's variant."""
        return self._value("var", str)

    def _value(self, name: str, kind: type[_T]) -> _T | None:
        for op in self.ops:
            if op.name == name:
                value = _READERS[name](op.arguments)
                assert isinstance(value, kind)
                return value
        return None


def own_layout_name(name: str) -> str:
    """The name that fastscore has for a board layout that others call `name`; unknown names stay as they are."""
    return _LAYOUT_NAMES.get(name, name)


def parse_cgp(text: str) -> Position:
    """Read a CGP line.

    White space around it, a line end included, is of no meaning. Raises PositionError, with the 1-based column in the
    text: for missing fields, rows of different lengths, more than 32 rows or columns, characters that are no tile,
    operations with impossible arguments, a known operation given twice, more than 65,536 characters.
    """
    if len(text) > MAX_LENGTH:
        raise PositionError(f"a CGP line of {len(text)} characters, expected at most {MAX_LENGTH}")
    bare = text.rstrip()
    if "\n" in bare.lstrip() or "\r" in bare.lstrip():
        raise PositionError("more than one line, expected one CGP line")
    fields = list(_fields(bare))
    if len(fields) < len(_FIELD_NAMES):
        missing = _FIELD_NAMES[len(fields)]
        raise PositionError(
            f"no {missing} in {quote(bare)}, expected a board, racks, scores and the number of scoreless turns",
            column=len(bare) + 1,
        )
    board, racks, scores, zeros = fields
    rows = _parse_board(board[0], _compose(board[1]))
    players = tuple(_compose(racks[1]).split("/"))
    at = racks[0]
    for rack in players:
        _check_tiles(rack, at)
        at += len(rack) + 1
    numbers = _parse_numbers(*scores)
    try:
        _check_players(players, numbers)
    except PositionError as error:
        raise PositionError(error.detail, column=racks[0]) from None
    if re.fullmatch("[0-9]{1,6}", zeros[1]) is None:
        raise PositionError(f"{quote(zeros[1])}, expected the number of scoreless turns", column=zeros[0])
    ops = tuple(_parse_ops(bare, zeros[0] + len(zeros[1]) - 1))
    return Position(rows, players, numbers, int(zeros[1]), ops)


def format_cgp(position: Position) -> str:
    """The line that `parse_cgp` reads back as an equal Position.

    Raises PositionError for a position of one player with an empty rack: white space cannot say that.
    """
    if position.racks == ("",):
        raise PositionError("one player with an empty rack, which CGP has no spelling for")
    board = "/".join(map(_format_row, position.rows))
    line = f"{board} {'/'.join(position.racks)} {'/'.join(map(str, position.scores))} {position.zeros}"
    return line + "".join(f" {f'{op.name} {op.arguments}'.rstrip()};" for op in position.ops)


_COMPOSED = re.compile("[^\\W\\d_][\u0300-\u036f]+")


def _compose(text: str) -> str:
    """`text` with every accented letter as one character; Korean letters, which are tiles, stay apart."""
    return text if text.isascii() else _COMPOSED.sub(lambda letter: unicodedata.normalize("NFC", letter[0]), text)


_FIELD_NAMES = ("board", "racks", "scores", "number of scoreless turns")


def _fields(line: str) -> Iterator[tuple[int, str]]:
    """Column and text of the fields before the operations."""
    for count, field in enumerate(_WHOLE_LINE.finditer(line)):
        if count == len(_FIELD_NAMES):
            return
        yield field.start() + 1, field[0]


def _parse_board(column: int, board: str) -> tuple[str, ...]:
    rows: list[str] = []
    widths: list[int] = []
    at = column
    for number, row in enumerate(board.split("/"), start=1):
        if number > MAX_SIDE:
            raise PositionError(f"more than {MAX_SIDE} rows", column=at)
        squares = list(_expand(row, number, at))
        rows.append("".join(squares))
        widths.append(sum(len(square) if square[0] == "." else 1 for square in squares))
        _check_size(widths, at)
        at += len(row) + 1
    return tuple(rows)


def _expand(row: str, number: int, column: int) -> Iterator[str]:
    """The tiles of a row and, as dots, its runs of empty squares; the row begins at `column`."""
    for piece in _ROW_PIECE.finditer(row):
        if piece.lastgroup == "run":
            # Its length as text is looked at first: a run of a million digits is no number to convert.
            if len(piece[0]) > 2 or not 1 <= int(piece[0]) <= MAX_SIDE:
                raise PositionError(
                    f"{quote(piece[0])} empty squares in row {number}, expected 1 to {MAX_SIDE}",
                    column=column + piece.start(),
                )
            yield "." * int(piece[0])
        elif _is_tile(piece[0]):
            yield piece[0]
        else:
            raise PositionError(
                f"{quote(piece[0])} in row {number}, expected a letter, a tile like [CH] or a number of empty squares",
                column=column + piece.start(),
            )


def _count_squares(row: str, number: int) -> int:
    """Squares of a row as a Position has it."""
    pieces = _TILES_PIECE.findall(row)
    for piece in pieces:
        if piece != "." and not _is_tile(piece):
            raise PositionError(f"{quote(piece)} in row {number}, expected '.', a letter or a tile like [CH]")
    return len(pieces)


def _check_size(widths: list[int], column: int | None = None) -> None:
    if not 1 <= len(widths) <= MAX_SIDE:
        raise PositionError(f"{len(widths)} rows, expected 1 to {MAX_SIDE}", column=column)
    for number, width in enumerate(widths, start=1):
        if not 1 <= width <= MAX_SIDE:
            raise PositionError(f"row {number} has {width} squares, expected 1 to {MAX_SIDE}", column=column)
        if width != widths[0]:
            raise PositionError(f"row {number} has {width} squares, expected {widths[0]} as row 1 has", column=column)


def _is_tile(piece: str) -> bool:
    if len(piece) == 1:
        return piece == "?" or piece.isalpha()
    name = piece[1:-1]
    return 1 <= len(name) <= MAX_TILE_NAME and name.isprintable() and not name.isspace()


def _check_tiles(rack: str, column: int) -> None:
    """Check the text of a rack that begins at `column`, 0 = not in a line."""
    for piece in _TILES_PIECE.finditer(rack):
        if not _is_tile(piece[0]):
            raise PositionError(
                f"{quote(piece[0])} in the rack {quote(rack)}, expected letters, '?' or a tile like [CH]",
                column=column + piece.start() if column else None,
            )


def _check_players(racks: tuple[str, ...], scores: tuple[int, ...]) -> None:
    if len(racks) != len(scores):
        raise PositionError(f"{len(racks)} racks and {len(scores)} scores, expected one of each for every player")
    if not 1 <= len(scores) <= MAX_PLAYERS:
        raise PositionError(f"{len(scores)} players, expected 1 to {MAX_PLAYERS}")


def _parse_numbers(column: int, scores: str) -> tuple[int, ...]:
    if re.fullmatch("-?[0-9]{1,9}(?:/-?[0-9]{1,9})*", scores) is None:
        raise PositionError(f"{quote(scores)}, expected scores joined by '/'", column=column)
    return tuple(map(int, scores.split("/")))


def _parse_ops(line: str, start: int) -> Iterator[Op]:
    """The operations from the character `start` of the line on."""
    seen: set[str] = set()
    for segment in re.finditer("[^;]+", line[start:]):
        bare = segment[0].strip()
        if not bare:
            continue
        column = start + segment.start() + len(segment[0]) - len(segment[0].lstrip()) + 1
        name, *arguments = bare.split(maxsplit=1)
        op = Op(name, *arguments)
        _read_op(op, column)
        if name in seen and name in _READERS:
            raise PositionError(f"operation {quote(name)} is given twice", column=column)
        seen.add(name)
        yield op


def _read_op(op: Op, column: int) -> None:
    reader = _READERS.get(op.name)
    if reader is None:
        return
    try:
        reader(op.arguments)
    except PositionError as error:
        raise PositionError(f"operation {quote(op.name)}: {error.detail}", column=column or None) from None


def _first_repeated(names: list[str]) -> str:
    return next(name for index, name in enumerate(names) if name in names[:index])


def _format_row(row: str) -> str:
    return "".join(
        str(len(list(run))) if empty else "".join(run)
        for empty, run in groupby(_TILES_PIECE.findall(row), key=lambda square: square == ".")
    )
