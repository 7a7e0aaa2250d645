"""Why a placement is bad: bit flags, all reasons at once, 0 = good.

The numbers are frozen: flags are added at the end, never moved. Kernels carry their own copy of the numbers
(`tests/test_status.py` compares them), because numba would not notice a change made in this file.
"""

from __future__ import annotations

from enum import IntFlag

__all__ = ["REASONS", "UNSCORABLE", "Status", "reasons"]


class Status(IntFlag):
    """Reasons why a placement is bad: one group leaves no score (0 is given), the other is scored and flagged."""

    GOOD = 0

    # Unscorable: no score can be given, the score is 0.
    UNREADABLE = 1 << 0
    BAD_POSITION = 1 << 1
    BAD_DIRECTION = 1 << 2
    BAD_ROW = 1 << 3
    BAD_COL = 1 << 4
    BAD_TILE = 1 << 5
    BAD_LENGTH = 1 << 6
    BAD_BOARD = 1 << 7
    NO_TILE = 1 << 8
    HOLE = 1 << 9
    SQUARE_OCCUPIED = 1 << 10
    SQUARE_BRICK = 1 << 11
    OFF_BOARD = 1 << 12
    OVER_BRICK = 1 << 13
    TOO_MANY_TILES = 1 << 14
    NOT_IN_LINE = 1 << 15
    GAP = 1 << 16
    THROUGH_DIFFERS = 1 << 17
    THROUGH_EMPTY = 1 << 18
    BLANK_NEEDS_LETTER = 1 << 19
    SCORE_OVERFLOW = 1 << 20

    # Scored and flagged.
    NOT_CONNECTED = 1 << 21
    START_NOT_COVERED = 1 << 22
    NOT_MAXIMAL = 1 << 23
    BLANK_UNDESIGNATED = 1 << 24
    NOT_ON_RACK = 1 << 25
    NO_WORD = 1 << 26
    PHONY = 1 << 27
    SPLIT_DIGRAPH = 1 << 28

    @property
    def names(self) -> list[str]:
        """The names of all flags in it, in their order; [] = good. (Of several flags, `name` depends on the Python.)"""
        return [str(flag.name) for flag in Status if flag & self]


UNSCORABLE = Status((1 << 21) - 1)
"""Every flag that leaves no score."""

REASONS: dict[Status, str] = {
    Status.UNREADABLE: "the text cannot be read as a play",
    Status.BAD_POSITION: "position is not one of the boards",
    Status.BAD_DIRECTION: "direction is neither 0 (across) nor 1 (down)",
    Status.BAD_ROW: "row is off the board",
    Status.BAD_COL: "column is off the board",
    Status.BAD_TILE: "tile code is not of the letter distribution",
    Status.BAD_LENGTH: "length is not that of a word that fits its row of tiles",
    Status.BAD_BOARD: "a word runs through a board tile that is not of the letter distribution",
    Status.NO_TILE: "no tile is laid",
    Status.HOLE: "a hole in the row of tiles",
    Status.SQUARE_OCCUPIED: "a tile on an occupied square",
    Status.SQUARE_BRICK: "a tile on a brick",
    Status.OFF_BOARD: "runs off the board",
    Status.OVER_BRICK: "runs over a brick",
    Status.TOO_MANY_TILES: "more tiles than a rack holds",
    Status.NOT_IN_LINE: "tiles do not lie in one row or column",
    Status.GAP: "an empty square between the tiles",
    Status.THROUGH_DIFFERS: "a letter differs from the tile on the board",
    Status.THROUGH_EMPTY: "a play-through marker on an empty square",
    Status.BLANK_NEEDS_LETTER: "a blank without a letter, and these rules need the letter",
    Status.SCORE_OVERFLOW: "the score does not fit 32 bits",
    Status.NOT_CONNECTED: "touches no tile on the board",
    Status.START_NOT_COVERED: "the first play does not cover the start square",
    Status.NOT_MAXIMAL: "written without all tiles of the run",
    Status.BLANK_UNDESIGNATED: "a blank without a letter",
    Status.NOT_ON_RACK: "a tile that is not on the rack",
    Status.NO_WORD: "forms no word of two tiles",
    Status.PHONY: "a word that is not in the lexicon",
    Status.SPLIT_DIGRAPH: "two tiles beside each other spell what is one tile of the set",
}
"""The reason of each flag in words."""


def reasons(status: int) -> list[str]:
    """Every reason in `status` in words, in the order of the flags; [] = good."""
    return [text for flag, text in REASONS.items() if status & flag]
