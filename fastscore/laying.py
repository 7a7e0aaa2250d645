"""How the tiles of one play come to lie on the squares of a board: plain Python, a play at a time.

A text or a map of squares says where tiles were seen; only the board tells which of them are fresh and whether they
can lie there. Nothing here raises: what does not fit becomes a status.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fastscore.coordinates import Direction, lane_through
from fastscore.notation.plays import Mark, WrittenPlay
from fastscore.status import Status

if TYPE_CHECKING:
    from fastscore.rules.ruleset import Ruleset

__all__ = [
    "BLANK_BIT",
    "LETTER_BITS",
    "CompactPlay",
    "Ground",
    "fresh_squares",
    "gather_squares",
    "gather_written",
    "lone_direction",
]

BLANK_BIT = 0x80
"""Set in the code of a blank; alone it is a blank without a letter."""
LETTER_BITS = 0x7F
"""The letter of a tile code."""
_FARTHEST = 255
"""Rows and columns beyond are kept as this one: batches hold them in 8 bits."""


class Ground(NamedTuple):
    """What lies on a board, by square number: tile codes and bricks (0 or 1). No tile lies on a brick."""

    tiles: bytes
    bricks: bytes
    rows: int
    cols: int

    def occupied(self, row: int, col: int) -> bool:
        """Whether a tile lies there; squares off the board hold none."""
        return 0 <= row < self.rows and 0 <= col < self.cols and self.tiles[row * self.cols + col] != 0

    def touches(self, row: int, col: int, direction: int) -> bool:
        """Whether a tile on this square would have a neighbour in its lane, and so be part of a word there."""
        if direction == Direction.DOWN:
            return self.occupied(row - 1, col) or self.occupied(row + 1, col)
        return self.occupied(row, col - 1) or self.occupied(row, col + 1)


class CompactPlay(NamedTuple):
    """A play in compact form: 0-based square of the first fresh tile, direction, fresh tiles, and what is wrong."""

    row: int
    col: int
    direction: int
    tiles: tuple[int, ...]
    status: Status = Status.GOOD


def lone_direction(ground: Ground, row: int, col: int) -> Direction:
    """The canonical direction of a one-tile play: across if it forms a word across, else down."""
    return Direction.ACROSS if ground.touches(row, col, Direction.ACROSS) else Direction.DOWN


def gather_written(ground: Ground, play: WrittenPlay) -> CompactPlay:
    """Find out which written tiles are fresh.

    The walk along the lane ends at a letter or marker that contradicts the board (THROUGH_DIFFERS, THROUGH_EMPTY), at
    the edge and at a brick; tiles before that are kept. Otherwise a tile of the run beyond the written squares gives
    NOT_MAXIMAL. A first square off the board is kept as it is, at most 255, for a checker to see; without a fresh
    tile the square is that of the first symbol.
    """
    row, col, direction, symbols = play
    if not (0 <= row < ground.rows and 0 <= col < ground.cols):
        return CompactPlay(min(row, _FARTHEST), min(col, _FARTHEST), direction, letters_of(play))
    tiles, bricks = ground.tiles, ground.bricks
    lane, first = lane_through(row, col, direction, ground.rows, ground.cols)
    squares: list[int] = []
    fresh: list[int] = []
    status = Status.GOOD
    for index, (mark, tile) in enumerate(symbols, start=first):
        square = lane.start + lane.stride * index
        if index >= lane.length:
            status = Status.OFF_BOARD
        elif bricks[square]:
            status = Status.OVER_BRICK
        elif tiles[square]:
            if mark != Mark.THROUGH and (tiles[square] ^ tile) & LETTER_BITS:
                status = Status.THROUGH_DIFFERS
        elif mark == Mark.LETTER:
            squares.append(square)
            fresh.append(tile)
        else:
            status = Status.THROUGH_EMPTY
        if status:
            break
    else:
        beyond = (first - 1, first + len(symbols))
        if any(0 <= index < lane.length and tiles[lane.start + lane.stride * index] for index in beyond):
            status = Status.NOT_MAXIMAL
    if squares:
        row, col = divmod(squares[0], ground.cols)
    return CompactPlay(row, col, direction, tuple(fresh), status)


def letters_of(play: WrittenPlay) -> tuple[int, ...]:
    """The tiles of a play for which there is no board: those that are not marked as lying there already."""
    return tuple(tile for mark, tile in play.symbols if mark == Mark.LETTER)


def gather_squares(ground: Ground, tiles: Mapping[tuple[int, int], int]) -> CompactPlay:
    """The play that lays these tiles, by (row, col), its direction inferred.

    Squares in one row or column give the direction, a lone tile its canonical one. Otherwise NOT_IN_LINE. Flagged
    are faults of the squares (BAD_ROW, BAD_COL, SQUARE_BRICK, SQUARE_OCCUPIED) and between them (GAP, OVER_BRICK).
    """
    if not tiles:
        return CompactPlay(0, 0, Direction.ACROSS, ())
    squares = sorted(tiles)
    (row, col), (last_row, last_col) = squares[0], squares[-1]
    columns = [square_col for _, square_col in squares]
    status = Status.GOOD
    direction = Direction.ACROSS
    if len(squares) == 1:
        direction = lone_direction(ground, row, col)
    elif min(columns) == max(columns):
        direction = Direction.DOWN
    elif row != last_row:
        status |= Status.NOT_IN_LINE
    if not 0 <= row <= last_row < ground.rows:
        status |= Status.BAD_ROW
    if not 0 <= min(columns) <= max(columns) < ground.cols:
        status |= Status.BAD_COL
    if not status & (Status.BAD_ROW | Status.BAD_COL):
        numbers = {square_row * ground.cols + square_col for square_row, square_col in squares}
        if any(ground.bricks[number] for number in numbers):
            status |= Status.SQUARE_BRICK
        if any(ground.tiles[number] for number in numbers):
            status |= Status.SQUARE_OCCUPIED
        if not status & Status.NOT_IN_LINE:
            lane, first = lane_through(row, col, direction, ground.rows, ground.cols)
            span = range(first, first + (last_row - row) + (last_col - col) + 1)
            between = {lane.start + lane.stride * index for index in span} - numbers
            if any(ground.bricks[number] for number in between):
                status |= Status.OVER_BRICK
            if any(not ground.tiles[number] and not ground.bricks[number] for number in between):
                status |= Status.GAP
    return CompactPlay(row, col, direction, tuple(tiles[square] for square in squares), status)


def fresh_squares(
    ground: Ground, rules: Ruleset, row: int, col: int, direction: int, tiles: Sequence[int]
) -> tuple[list[int], Status]:
    """The square numbers that the tiles of a compact play go to, and every reason why they cannot be laid.

    No squares unless all tiles have one; a play with a bad tile or too many of them has its squares all the same.
    """
    status = Status.GOOD
    if direction not in (Direction.ACROSS, Direction.DOWN):
        status |= Status.BAD_DIRECTION
    if not 0 <= row < ground.rows:
        status |= Status.BAD_ROW
    if not 0 <= col < ground.cols:
        status |= Status.BAD_COL
    laid = [tile for tile in tiles if tile != 0]
    if not laid:
        status |= Status.NO_TILE
    if list(tiles[: len(laid)]) != laid:
        status |= Status.HOLE
    squares: list[int] = []
    if not status:
        squares, status = _next_empty(ground, row, col, direction, len(laid))
    if len(laid) > rules.rack_size:
        status |= Status.TOO_MANY_TILES
    if any(not 0 <= tile <= 0xFF or tile & LETTER_BITS > rules.letters.n_letters for tile in laid):
        status |= Status.BAD_TILE
    if BLANK_BIT in laid:
        status |= Status.BLANK_UNDESIGNATED
        if rules.layout.letter_condition.any():
            status |= Status.BLANK_NEEDS_LETTER
    return squares, status


def _next_empty(ground: Ground, row: int, col: int, direction: int, count: int) -> tuple[list[int], Status]:
    """The next `count` empty squares of the lane from an empty one on."""
    lane, first = lane_through(row, col, direction, ground.rows, ground.cols)
    on_the_way = lane.squares()[first:]
    if ground.bricks[on_the_way[0]]:
        return [], Status.SQUARE_BRICK
    if ground.tiles[on_the_way[0]]:
        return [], Status.SQUARE_OCCUPIED
    squares: list[int] = []
    for square in on_the_way:
        if ground.bricks[square]:
            return [], Status.OVER_BRICK
        if not ground.tiles[square]:
            squares.append(square)
            if len(squares) == count:
                return squares, Status.GOOD
    return [], Status.OFF_BOARD
