"""Placements: one (`Placement`) and many (`PlacementBatch`), and their conversion from and to other forms.

The compact form that both hold: the square of the first fresh tile, the direction, the fresh tiles in order. They go on
the next empty squares of the lane. What a text, a word form or a map of squares says beyond that (a letter that differs
from the board, tiles not in line, ...) is kept as status flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastscore.board import INVALID_TILE, Board, Number, boards_with_rules, narrow
from fastscore.coordinates import Direction, format_coordinate, parse_coordinate
from fastscore.errors import NotationError, PlacementError, RulesError, ShapeError, quote
from fastscore.laying import (
    LETTER_BITS,
    CompactPlay,
    fresh_squares,
    gather_squares,
    gather_written,
    letters_of,
    lone_direction,
)
from fastscore.notation.plays import Mark, Symbol, WrittenPlay, format_play, parse_play
from fastscore.status import UNSCORABLE, Status, reasons

if TYPE_CHECKING:
    from fastscore.rules.letters import LetterDistribution
    from fastscore.rules.ruleset import Ruleset

__all__ = ["Placement", "PlacementBatch", "Style", "WordForm"]

Style = Literal["dots", "parentheses", "full", "compact"]
"""How a placement is written: `8D .WORD.`, `8D (P)WORD(Q)`, `8D PWORDQ`, `8E WORD`."""

_NO_POSITION = -1
_NO_SQUARE = 255
_NO_LENGTH = 0
_WIDTH = 7
_WIDE_KEY_TILES = 15

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Placement:
    """One placement in compact form.

    `row`, `col`: 0-based square of the first fresh tile. `direction`: 0 across, 1 down. `tiles`: codes of the fresh
    tiles in order. `status`: what a conversion found. Nothing is checked here: `fastscore.check` judges any values.
    """

    row: int
    col: int
    direction: int
    tiles: tuple[int, ...]
    status: Status = Status.GOOD

    @classmethod
    def parse(cls, text: str, board: Board, *, lettered_rows: bool = False) -> Placement:
        """Read `8D .WORD.`, `8D (P)WORD(Q)`, `8D PWORDQ` or `8E WORD`; the four are equal on a board with P and Q.

        A text that contradicts the board or leaves it gives a placement that says so in its status; only text that
        cannot be read raises (NotationError).
        """
        written = parse_play(text, board.rules.letters, lettered_rows=lettered_rows)
        return cls(*gather_written(board.ground, written))

    @classmethod
    def from_squares(
        cls, squares: Mapping[str, str | int] | Mapping[tuple[int, int], str | int], board: Board
    ) -> Placement:
        """The placement that lays tiles on the given squares.

        Squares are names (`8H` and `H8` are the same) or 0-based pairs (row, col); tiles are text (`Q`, `q`, `[CH]`)
        or codes. The direction follows from the squares; a lone tile goes across if it forms a word across, else
        down. Squares that are not in one line, or with an empty square between them, give NOT_IN_LINE and GAP.
        Raises NotationError for text that cannot be read and for a square that is named twice.
        """
        return cls(*gather_squares(board.ground, _read_squares(squares, board)))

    def squares(self, board: Board) -> tuple[tuple[int, int], ...]:
        """The (row, col) of each fresh tile; () for a placement that cannot be laid."""
        numbers, status = fresh_squares(board.ground, board.rules, self.row, self.col, self.direction, self.tiles)
        if (status & ~_STILL_LAID | self.status) & UNSCORABLE:
            return ()
        return tuple((number // board.cols, number % board.cols) for number in numbers)

    def format(self, board: Board, style: Style = "dots") -> str:
        """The placement as text in one of the styles: `dots`, `parentheses`, `full` or `compact`.

        All but `compact` write the whole main word and read back as the same play. A lone tile that forms a word only
        in the other direction is written in that one. A placement that cannot be laid is written as its square and
        its tiles.
        """
        return _format(self, board, style)

    def key(self, board: Board) -> int | bytes:
        """The key of `PlacementBatch.keys` at position 0: equal for equal plays on one board."""
        tiles = _trimmed(self.tiles)
        direction = self.direction
        if len(tiles) == 1 and fresh_squares(board.ground, board.rules, self.row, self.col, direction, tiles)[0]:
            direction = lone_direction(board.ground, self.row, self.col)
        key = _pack_key(self.row, self.col, direction, tiles)
        if key is not None:
            return key
        batch = PlacementBatch.from_placements([Placement(self.row, self.col, direction, tiles)])
        return bytes(_wide_keys(batch, batch.direction)[0])


# The tiles of these placements can be laid all the same.
_STILL_LAID = Status.BAD_TILE | Status.TOO_MANY_TILES | Status.BLANK_NEEDS_LETTER


def _trimmed(tiles: Sequence[int]) -> tuple[int, ...]:
    """Without the zeros at the end."""
    end = len(tiles)
    while end and tiles[end - 1] == 0:
        end -= 1
    return tuple(tiles[:end])


def _read_squares(
    squares: Mapping[str, str | int] | Mapping[tuple[int, int], str | int], board: Board
) -> dict[tuple[int, int], int]:
    """Tile code by (row, col)."""
    found: dict[tuple[int, int], int] = {}
    for name, tile in squares.items():
        row, col = parse_coordinate(name)[:2] if isinstance(name, str) else (int(name[0]), int(name[1]))
        codes = board.rules.letters.encode(tile) if isinstance(tile, str) else [int(tile)]
        if len(codes) != 1:
            raise NotationError(f"{quote(tile)} is {len(codes)} tiles, expected one for the square {quote(name)}")
        if (row, col) in found:
            raise NotationError(f"the square {quote(name)} is named twice")
        found[row, col] = codes[0]
    return found


def _format(placement: Placement, board: Board, style: str) -> str:
    if style not in _MARKS:
        raise NotationError(f"{quote(style)} is no style of a play, expected one of {', '.join(_MARKS)}")
    letters = board.rules.letters
    squares = placement.squares(board)
    if squares:
        try:
            return format_play(_written(placement, squares, board, style), letters)
        except NotationError:
            # A tile, fresh or on a board that nobody checked, which is not of the letters.
            pass
    return _format_unlaid(placement, letters)


_MARKS: Final[dict[str, Mark]] = {
    "dots": Mark.THROUGH,
    "parentheses": Mark.THROUGH_LETTER,
    "full": Mark.LETTER,
    "compact": Mark.THROUGH,
}
"""How each style marks the tiles that lie there."""


def _written(placement: Placement, squares: tuple[tuple[int, int], ...], board: Board, style: str) -> WrittenPlay:
    (row, col), direction = squares[0], Direction(placement.direction)
    ground = board.ground
    if len(squares) == 1 and not ground.touches(row, col, direction) and ground.touches(row, col, direction.other):
        direction = direction.other
    down, right = (1, 0) if direction == Direction.DOWN else (0, 1)
    last_row, last_col = squares[-1]
    if style != "compact":
        while ground.occupied(row - down, col - right):
            row, col = row - down, col - right
        while ground.occupied(last_row + down, last_col + right):
            last_row, last_col = last_row + down, last_col + right
    fresh = dict(zip(squares, placement.tiles, strict=False))
    symbols = []
    mark = _MARKS[style]
    for step in range(last_row - row + last_col - col + 1):
        square = (row + down * step, col + right * step)
        if square in fresh:
            symbols.append(Symbol(Mark.LETTER, fresh[square]))
        else:
            symbols.append(Symbol(mark, 0 if mark == Mark.THROUGH else int(board.tiles[square])))
    return WrittenPlay(row, col, direction, tuple(symbols))


def _format_unlaid(placement: Placement, letters: LetterDistribution) -> str:
    """Something to read for any values of the fields."""
    row, col, direction = placement.row, placement.col, placement.direction
    if 0 <= row <= _NO_SQUARE and 0 <= col <= _NO_SQUARE and direction in (Direction.ACROSS, Direction.DOWN):
        coordinate = format_coordinate(row, col, direction)
    else:
        coordinate = f"(row {row}, column {col}, direction {direction})"
    texts = []
    for tile in _trimmed(placement.tiles):
        try:
            texts.append(letters.decode(tile) if tile else "_")
        except NotationError:
            texts.append(f"[#{tile}]")
    return f"{coordinate} {''.join(texts) or '(no tile)'}"


def _pack_key(row: int, col: int, direction: int, tiles: Sequence[int]) -> int | None:
    """The 64-bit key at position 0, None where it does not fit; `PlacementBatch.keys` has the layout."""
    if not (0 <= row < 32 and 0 <= col < 32 and direction in (0, 1) and len(tiles) <= 7):
        return None
    key = int(direction) << 42 | (row * 32 + col) << 43
    for index, tile in enumerate(tiles):
        if not 0 <= tile <= 0xFF or tile & LETTER_BITS > 31:
            return None
        key |= (tile & LETTER_BITS | (tile >> 7) << 5) << 6 * index
    return key


class WordForm(NamedTuple):
    """Placements as other engines write them: the whole main word, 0 for a tile that already lies there.

    `position` int32[n], `row`, `col` (square of the word's first tile), `direction`, `length` uint8[n], `tiles`
    uint8[n, width].
    """

    position: NDArray[np.int32]
    row: Bytes
    col: Bytes
    direction: Bytes
    length: Bytes
    tiles: Bytes


class PlacementBatch:
    """Many placements in compact form, a struct of arrays, read-only.

    Parameters
    ----------
    position
        Which board each placement is for, [n], or one number for all.
    row, col
        0-based square of the first fresh tile, [n].
    direction
        0 across, 1 down, [n], or one number for all.
    tiles
        Codes of the fresh tiles in order, [n, width], padded with zeros.
    status
        Flags that a conversion found, [n], or one number for all; None = none.

    Any integer array-likes are taken. Those that are canonical already (native and C-contiguous, `position` int32,
    `status` uint32, the others uint8) are not copied. What does not fit these types becomes a value that no board
    has (position -1, row, col and direction 255, tile 127), so that checking reports it.

    Raises ShapeError for anything but integers and for shapes that do not fit together.
    """

    __slots__ = ("_plain", "col", "direction", "position", "row", "status", "tiles")

    position: Final[NDArray[np.int32]]
    row: Final[Bytes]
    col: Final[Bytes]
    direction: Final[Bytes]
    tiles: Final[Bytes]
    status: Final[NDArray[np.uint32]]

    def __init__(
        self,
        *,
        row: ArrayLike,
        col: ArrayLike,
        direction: ArrayLike,
        tiles: ArrayLike,
        position: ArrayLike = 0,
        status: ArrayLike | None = None,
    ) -> None:
        self.tiles = _narrow_tiles(tiles)
        n = self.tiles.shape[0]
        self.position = _one_each(position, np.int32, _NO_POSITION, "position", n, spread=True)
        self.row = _one_each(row, np.uint8, _NO_SQUARE, "row", n)
        self.col = _one_each(col, np.uint8, _NO_SQUARE, "col", n)
        self.direction = _one_each(direction, np.uint8, _NO_SQUARE, "direction", n, spread=True)
        self.status = _one_each(0 if status is None else status, np.uint32, Status.UNREADABLE, "status", n, spread=True)
        self._plain = status is None

    @classmethod
    def from_placements(cls, placements: Iterable[Placement], position: ArrayLike = 0) -> PlacementBatch:
        """The batch of some placements; `position` is which board each is for, or one number for all."""
        return _assemble(list(placements), position, _WIDTH)

    @classmethod
    def parse(
        cls,
        texts: Iterable[str],
        boards: Board | Sequence[Board] | ArrayLike,
        *,
        position: ArrayLike = 0,
        rules: Ruleset | None = None,
        errors: Literal["raise", "status"] = "raise",
        lettered_rows: bool = False,
    ) -> PlacementBatch:
        """Read texts like `8D .WORD.`, each for the board that its `position` names.

        `boards`: a Board, a list of Boards, or arrays [rows, cols] or [positions, rows, cols] with their `rules`.
        Rows are as wide as the rack, or as the row with the most fresh tiles: nothing is cut off.

        With `errors="raise"` a text that cannot be read raises NotationError and one that contradicts its board
        PlacementError, with the text's number, counted from 0. With "status" they are rows with a status; what cannot
        be read is UNREADABLE and otherwise zeros.
        """
        if errors not in ("raise", "status"):
            raise NotationError(f"errors={quote(errors)}, expected 'raise' or 'status'")
        lines = [texts] if isinstance(texts, str) else list(texts)
        look_up = _BoardsByPosition(boards, rules)
        where = _one_each(position, np.int32, _NO_POSITION, "position", len(lines), spread=True)
        plays = []
        for index, (text, place) in enumerate(zip(lines, where.tolist(), strict=True)):
            try:
                play = look_up.lay(text, place, lettered_rows)
            except NotationError as error:
                if errors == "raise":
                    raise NotationError(f"text {index}: {error.detail}", column=error.column) from None
                play = CompactPlay(0, 0, 0, (), Status.UNREADABLE)
            if errors == "raise" and play.status & UNSCORABLE:
                why = "; ".join(reasons(play.status & UNSCORABLE))
                raise PlacementError(f"text {index}: {quote(text)} has no score: {why}", status=play.status)
            plays.append(play)
        return _assemble(plays, where, look_up.rules.rack_size)

    @classmethod
    def from_word_form(
        cls,
        boards: Board | Sequence[Board] | ArrayLike,
        rules: Ruleset | None = None,
        *,
        row: ArrayLike,
        col: ArrayLike,
        direction: ArrayLike,
        length: ArrayLike,
        tiles: ArrayLike,
        position: ArrayLike = 0,
    ) -> PlacementBatch:
        """Convert placements from the word form: the whole main word from its first square, 0 for play-through.

        `tiles` is [n, width], of which the first `length` codes count and the others are not looked at; the other
        arrays are as in `WordForm`, `position` and `direction` also one number for all. A tile on an occupied square
        is play-through if the letter is the same, whichever of the two is a blank. `rules` say where bricks lie and
        how large a rack is if `boards` are arrays; without them there are no bricks and racks of 7.

        What is wrong with a row is in its status: BAD_POSITION, BAD_DIRECTION, BAD_ROW, BAD_COL, BAD_LENGTH,
        OFF_BOARD, OVER_BRICK, THROUGH_EMPTY, THROUGH_DIFFERS (the walk along the lane ends at the first of these
        and keeps the tiles before it), NOT_MAXIMAL.
        """
        from fastscore.form_kernels import compact_from_word_form

        cells, found = boards_with_rules(boards, rules)
        word = cls(position=position, row=row, col=col, direction=direction, tiles=tiles)
        lengths = _one_each(length, np.uint8, _NO_LENGTH, "length", len(word))
        walls = _bricks(cells, found)
        # Turning a board takes about as long as a dozen rows.
        turn = len(word) >= _TURNS_PAY * len(cells)
        turned = narrow(cells.transpose(0, 2, 1).reshape(-1) if turn else [], np.uint8, 0, "boards")
        n, room = len(word), _WIDTH if found is None else found.rack_size
        while True:
            fresh_row, fresh_col, status = np.empty(n, np.uint8), np.empty(n, np.uint8), np.empty(n, np.uint32)
            fresh = np.zeros((n, room), np.uint8)
            most = compact_from_word_form(
                cells,
                turned,
                walls,
                word.position,
                word.row,
                word.col,
                word.direction,
                lengths,
                word.tiles,
                fresh_row,
                fresh_col,
                fresh,
                status,
            )
            if most <= room:
                break
            room = most
        return cls(
            position=word.position,
            row=fresh_row,
            col=fresh_col,
            direction=word.direction,
            tiles=fresh,
            status=status,
        )

    def to_word_form(self, boards: Board | Sequence[Board] | ArrayLike, rules: Ruleset | None = None) -> WordForm:
        """Convert to the word form of other engines; `tiles` is as wide as the longest lane of the boards.

        A lone tile that forms a word only in the other direction gets that direction. A row that cannot be laid gets
        length 0 and no tiles, and keeps its square and direction.
        """
        from fastscore.form_kernels import word_form_from_compact

        cells, found = boards_with_rules(boards, rules)
        n = len(self)
        row, col, direction, length = (np.empty(n, np.uint8) for _ in range(4))
        tiles = np.zeros((n, max(cells.shape[1:])), np.uint8)
        word_form_from_compact(
            cells,
            _bricks(cells, found),
            self.position,
            self.row,
            self.col,
            self.direction,
            self.tiles,
            self.status,
            row,
            col,
            direction,
            length,
            tiles,
        )
        return WordForm(self.position, row, col, direction, length, tiles)

    def keys(
        self,
        boards: Board | Sequence[Board] | ArrayLike,
        *,
        rules: Ruleset | None = None,
        wide: bool = False,
    ) -> NDArray[np.uint64] | NDArray[np.bytes_]:
        """A key for each placement, equal for equal plays.

        A one-tile play counts as written in its canonical direction: across if it forms a word across, else down. The
        status is not part of a key.

        The keys are uint64[n] if every row fits (position below 2048, at most 7 tiles, letters below 32):

        * bits 0-41: seven tiles of 6 bits, the first in the lowest; in each 5 bits letter, then 1 bit blank
        * bit 42: direction
        * bits 43-52: square as row * 32 + col
        * bits 53-63: position

        Otherwise, or if `wide`, they are bytes[n] of one width (position as 4 bytes, big-endian, row, col, direction,
        tiles). Keys of two batches compare if both are of one kind.
        """
        from fastscore.form_kernels import pack_keys

        cells, found = boards_with_rules(boards, rules)
        canonical, keys = np.empty(len(self), np.uint8), np.empty(len(self), np.uint64)
        fit = pack_keys(
            cells,
            _bricks(cells, found),
            self.position,
            self.row,
            self.col,
            self.direction,
            self.tiles,
            canonical,
            keys,
        )
        return keys if fit and not wide else _wide_keys(self, canonical)

    def texts(
        self,
        boards: Board | Sequence[Board] | ArrayLike,
        rules: Ruleset | None = None,
        style: Style = "dots",
    ) -> list[str]:
        """Each placement as text, as `Placement.format` writes it."""
        look_up = _BoardsByPosition(boards, rules)
        texts = []
        for place, placement in zip(self.position.tolist(), self, strict=True):
            board = look_up.board(place)
            if board is None:
                texts.append(_format_unlaid(placement, look_up.rules.letters))
            else:
                texts.append(placement.format(board, style))
        return texts

    def __len__(self) -> int:
        return int(self.tiles.shape[0])

    @overload
    def __getitem__(self, index: int) -> Placement: ...
    @overload
    def __getitem__(self, index: slice | NDArray[Any] | Sequence[int] | Sequence[bool]) -> PlacementBatch: ...

    def __getitem__(
        self, index: int | slice | NDArray[Any] | Sequence[int] | Sequence[bool]
    ) -> Placement | PlacementBatch:
        """One placement for a number; a batch for a slice, a mask or an array of numbers."""
        if isinstance(index, (int, np.integer)):
            return Placement(
                int(self.row[index]),
                int(self.col[index]),
                int(self.direction[index]),
                _trimmed(self.tiles[index].tolist()),
                Status(int(self.status[index])),
            )
        return PlacementBatch(
            position=self.position[index],
            row=self.row[index],
            col=self.col[index],
            direction=self.direction[index],
            tiles=self.tiles[index],
            status=self.status[index],
        )

    @property
    def flagged(self) -> bool:
        """Whether a conversion found anything, that is whether some status is not 0."""
        return not self._plain and bool(self.status.any())

    def __iter__(self) -> Iterator[Placement]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<PlacementBatch of {len(self)}, {self.tiles.shape[1]} tiles wide>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: numpy forgets on the way that an array was read-only.
        return (_rebuild, tuple(getattr(self, name) for name in _FIELDS))


_TURNS_PAY = 16
"""Rows for each board from which turning the boards makes conversion from the word form quicker."""
_FIELDS = ("position", "row", "col", "direction", "tiles", "status")


def _rebuild(*fields: Any) -> PlacementBatch:
    return PlacementBatch(**dict(zip(_FIELDS, fields, strict=True)))


def _narrow_tiles(tiles: ArrayLike) -> Bytes:
    narrowed = narrow(tiles, np.uint8, INVALID_TILE, "tiles")
    if narrowed.ndim == 1 and narrowed.size == 0:
        # An empty list says nothing about its width.
        return narrow(np.zeros((0, _WIDTH), np.uint8), np.uint8, INVALID_TILE, "tiles")
    if narrowed.ndim != 2:
        raise ShapeError(f"tiles of shape {narrowed.shape}, expected [placements, width]")
    if narrowed.shape[1] == 0:
        return narrow(np.zeros((len(narrowed), 1), np.uint8), np.uint8, INVALID_TILE, "tiles")
    return narrowed


def _one_each(
    values: ArrayLike, dtype: type[Number], invalid: int, name: str, n: int, *, spread: bool = False
) -> NDArray[Number]:
    """One value a placement; with `spread` a single number stands for all."""
    array = narrow(values, dtype, invalid, name)
    if spread and array.ndim == 0:
        array = narrow(np.full(n, array), dtype, invalid, name)
    if array.shape != (n,):
        number = " or one number" if spread else ""
        raise ShapeError(f"{name} of shape {array.shape}, expected ({n},){number} as there are {n} placements")
    return array


def _clamped(value: int, most: int, invalid: int) -> int:
    return value if 0 <= value <= most else invalid


def _assemble(plays: Sequence[CompactPlay | Placement], position: ArrayLike, rack_size: int) -> PlacementBatch:
    """The batch of some plays, wide enough for each."""
    rows = [_trimmed(play.tiles) for play in plays]
    width = max([rack_size, *map(len, rows)])
    packed = bytearray()
    for tiles in rows:
        packed += bytes([_clamped(tile, 0xFF, INVALID_TILE) for tile in tiles]).ljust(width, b"\0")
    return PlacementBatch(
        position=position,
        row=[_clamped(play.row, _NO_SQUARE, _NO_SQUARE) for play in plays],
        col=[_clamped(play.col, _NO_SQUARE, _NO_SQUARE) for play in plays],
        direction=[_clamped(play.direction, _NO_SQUARE, _NO_SQUARE) for play in plays],
        tiles=np.frombuffer(packed, np.uint8).reshape(len(plays), width),
        status=[int(play.status) for play in plays],
    )


class _BoardsByPosition:
    """The boards that placements name by their position, for code that goes through them one by one."""

    def __init__(self, boards: Board | Sequence[Board] | ArrayLike, rules: Ruleset | None) -> None:
        self._cells, found = boards_with_rules(boards, rules)
        if found is None:
            raise RulesError("boards given as arrays carry no rules, and play texts need their letters: give rules=")
        self.rules = found
        self.letters = found.letters
        self._boards: dict[int, Board] = {}

    def board(self, position: int) -> Board | None:
        """The board of a position, None if there is none."""
        if not 0 <= position < len(self._cells):
            return None
        if position not in self._boards:
            self._boards[position] = Board.unchecked(self.rules, self._cells[position])
        return self._boards[position]

    def lay(self, text: str, position: int, lettered_rows: bool) -> CompactPlay:
        """Read a text and lay it on its board. Raises NotationError."""
        if not isinstance(text, str):
            raise NotationError(f"{quote(text)} is no text, expected one like '8D WORD'")
        written = parse_play(text, self.letters, lettered_rows=lettered_rows)
        board = self.board(position)
        if board is None:
            return CompactPlay(written.row, written.col, written.direction, letters_of(written), Status.BAD_POSITION)
        return gather_written(board.ground, written)


def _bricks(cells: Bytes, rules: Ruleset | None) -> NDArray[np.bool_]:
    """Bricks as kernels take them; none without rules."""
    bricks = np.zeros(cells.shape[1:], np.bool_) if rules is None else np.ascontiguousarray(rules.layout.bricks).view()
    bricks.flags.writeable = False
    return bricks


def _wide_keys(batch: PlacementBatch, direction: Bytes) -> NDArray[np.bytes_]:
    n = len(batch)
    used = np.flatnonzero(batch.tiles.any(axis=0))
    width = int(used[-1]) + 1 if used.size else 0
    keys = np.zeros((n, _WIDE_KEY_TILES + 7 if width <= _WIDE_KEY_TILES else width + 7), np.uint8)
    keys[:, :4] = batch.position.astype(">i4").view(np.uint8).reshape(n, 4)
    keys[:, 4], keys[:, 5], keys[:, 6] = batch.row, batch.col, direction
    keys[:, 7 : 7 + width] = batch.tiles[:, :width]
    joined: NDArray[np.bytes_] = keys.view(f"S{keys.shape[1]}").reshape(n)
    return joined
