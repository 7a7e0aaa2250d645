"""Tiles that a record speaks of and that could not be laid: what they leave behind on later lines."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from fastscore.coordinates import lane_through
from fastscore.laying import Ground
from fastscore.notation.plays import Mark, WrittenPlay

__all__ = ["LostTiles"]


class _Span(NamedTuple):
    """The squares a play is written on, and those of them where it lays a tile or would."""

    written: list[int]
    fresh: list[int]


class LostTiles:
    """The squares that plays were written on which could not be laid.

    `unplaced`: there is a line from which no square can be read, so that tiles may be missing anywhere.
    """

    def __init__(self) -> None:
        self.unplaced = False
        # By turn, and how many plays would have laid a tile on a square: a look-up for each square of a play is enough.
        self._squares: dict[int, list[int]] = {}
        self._plays: Counter[int] = Counter()
        # Where tiles lie that may have been taken back.
        self._doubted: set[int] = set()

    def add(self, turn: int, play: WrittenPlay, ground: Ground) -> int:
        """Take note of a play that cannot be laid; how many tiles it would have laid."""
        fresh = _span(play, ground).fresh
        self._squares[turn] = fresh
        self._plays.update(fresh)
        return len(fresh)

    def take_back(self, turn: int) -> None:
        """The play of that turn is withdrawn."""
        self._plays.subtract(self._squares.pop(turn, ()))

    def doubt(self, play: WrittenPlay, ground: Ground) -> None:
        """Somebody took back a play that was laid on this ground, and the record does not say whose it was."""
        self._doubted.update(_span(play, ground).fresh)

    def touch(self, play: WrittenPlay, ground: Ground) -> bool:
        """Whether a play is written on or beside a square where a tile may be missing, or lie that should not."""
        if self.unplaced:
            return True
        if not self:
            return False
        written = _span(play, ground).written
        near = set(written)
        for square in written:
            row, col = divmod(square, ground.cols)
            beside = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
            near |= {r * ground.cols + c for r, c in beside if 0 <= r < ground.rows and 0 <= c < ground.cols}
        missing = any(self._plays[square] > 0 and not ground.tiles[square] for square in near)
        return missing or not near.isdisjoint(self._doubted)

    def __bool__(self) -> bool:
        """Whether tiles are missing on the board, or may be."""
        return self.unplaced or bool(self._squares or self._doubted)


def _span(play: WrittenPlay, ground: Ground) -> _Span:
    row, col, direction, symbols = play
    if not (0 <= row < ground.rows and 0 <= col < ground.cols):
        return _Span([], [])
    lane, first = lane_through(row, col, direction, ground.rows, ground.cols)
    written = list(lane.squares()[first : first + len(symbols)])
    fresh = [
        square
        for square, (mark, _) in zip(written, symbols, strict=False)
        if mark == Mark.LETTER and not ground.tiles[square] and not ground.bricks[square]
    ]
    return _Span(written, fresh)
