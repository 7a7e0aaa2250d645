"""Scoring tables that are kept, in compiled loops over positions: filled, renewed after one more placement, taken back.

The loops are plain `numba.njit` functions, as those of other programs would be, so that what is timed is not Python.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import fastscore as fs
from benches.interleave import WrongAnswerError, equals
from benches.workloads import Workload
from fastscore.slot_kernels import bar, prepare
from fastscore.table_kernels import RECORD_WORDS, fill_rows, lay, record_count, take_back
from fastscore.tables import Scratch

__all__ = ["TURNS", "Moves"]

TURNS = 20
"""How often `fill_over_and_over` and `lay_and_take_back` go round, so that a few positions take long enough."""

_SEED = 20240301
U64 = np.uint64


@numba.njit(error_model="numpy")
def _prepare_each(boards: Any, rules: Any, sums: Any, lanes: Any, slots: Any, spots: Any) -> None:
    rows, cols = U64(rules.rows), U64(rules.cols)
    for position in range(U64(len(boards))):
        prepare(
            boards, position, rows, cols, rules.lookup, rules.premiums, rules.open_squares, sums, lanes, slots, spots
        )


@numba.njit(error_model="numpy")
def _lay_each(kept: Any, plays: Any, counts: Any, saved: Any, squares: Any, records: Any) -> None:
    boards, slots, spots, _, rules = kept
    row, col, direction, tiles = plays
    for p in range(len(row)):
        fresh, at = tiles[p, : counts[p]], squares[p, : counts[p]]
        records[p] = lay(boards[p], row[p], col[p], direction[p], fresh, rules, slots[p], spots[p], saved[p], at)


@numba.njit(error_model="numpy")
def _take_back_each(kept: Any, plays: Any, counts: Any, saved: Any, squares: Any, records: Any) -> None:
    boards, slots, spots, _, rules = kept
    direction = plays[2]
    for p in range(len(direction)):
        at = squares[p, : counts[p]]
        take_back(boards[p], direction[p], rules, slots[p], spots[p], saved[p], records[p], at)


@numba.njit(error_model="numpy")
def _lay_and_take_back_each(kept: Any, plays: Any, counts: Any, saved: Any, squares: Any, records: Any) -> None:
    boards, slots, spots, _, rules = kept
    row, col, direction, tiles = plays
    for _ in range(TURNS):
        for p in range(len(row)):
            fresh, at = tiles[p, : counts[p]], squares[p, : counts[p]]
            records[p] = lay(boards[p], row[p], col[p], direction[p], fresh, rules, slots[p], spots[p], saved[p], at)
            take_back(boards[p], direction[p], rules, slots[p], spots[p], saved[p], records[p], at)


@numba.njit(error_model="numpy")
def _fill_over_and_over(kept: Any, sums: Any, lanes: Any) -> None:
    boards, slots, spots, ready, rules = kept
    for _ in range(TURNS):
        fill_rows(boards, 0, len(boards), rules, sums, lanes, slots, spots, ready)


class Moves:
    """Tables of the positions (or of every so many of them) that some plays are for, and one of its plays on each.

    `boards`, `batch` and `scores` are those positions and all their plays, numbered anew.
    """

    def __init__(self, plays: Workload, rules: fs.Ruleset, every: int = 1) -> None:
        busy, first, count = np.unique(plays.batch.position, return_index=True, return_counts=True)
        busy, first, count = busy[::every], first[::every], count[::every]
        chosen = plays.batch[first + np.random.default_rng(_SEED).integers(count)]
        mine = np.flatnonzero(np.isin(plays.batch.position, busy))
        numbers = np.searchsorted(busy, plays.batch.position[mine]).astype(np.int32)
        compact = plays.take(mine, plays.name).compact
        self.batch = fs.PlacementBatch(**{**compact._asdict(), "position": numbers})
        self.boards, self.scores = plays.boards[busy], plays.scores[mine]
        self.tables = fs.ScoringTables(self.boards, rules)
        self._scratch = Scratch.make(rules)
        bar(self._scratch.slots, self._scratch.spots, U64(rules.rows), U64(rules.cols))
        self._barred = self._scratch.spots.max()
        self._last = self.tables.arrays.slots[-1].copy(), self.tables.arrays.spots[-1].copy()
        most = chosen.tiles.shape[1]
        self._moves = (
            (chosen.row, chosen.col, chosen.direction, chosen.tiles),
            np.count_nonzero(chosen.tiles, axis=1),
            np.zeros((len(busy), record_count(most), RECORD_WORDS), np.uint64),
            np.zeros((len(busy), most), np.uint32),
            np.zeros(len(busy), np.int64),
        )
        after = [fs.Board(rules, tiles).play(play) for tiles, play in zip(self.boards, chosen, strict=True)]
        self._scores_after = fs.score_batch(after, self.batch)

    def __len__(self) -> int:
        return len(self.boards)

    def prepare(self) -> None:
        """Tables of one position after the other in the same memory, as `score_batch` makes them."""
        arrays = self.tables.arrays
        _prepare_each(arrays.boards, arrays.rules, *self._scratch)

    def fill(self) -> None:
        """All the tables anew."""
        arrays = self.tables.arrays
        fill_rows(arrays.boards, 0, len(self), arrays.rules, self._scratch.sums, self._scratch.lanes, *arrays[1:4])

    def lay(self) -> None:
        """One placement on each position."""
        _lay_each(self.tables.arrays, *self._moves)

    def take_back(self) -> None:
        """Undo `lay`."""
        _take_back_each(self.tables.arrays, *self._moves)

    def lay_and_take_back(self) -> None:
        """Both, on one position after the other, as a search does; TURNS times."""
        _lay_and_take_back_each(self.tables.arrays, *self._moves)

    def fill_over_and_over(self) -> None:
        """`fill`, TURNS times."""
        _fill_over_and_over(self.tables.arrays, self._scratch.sums, self._scratch.lanes)

    def check(self, *, laid: bool = False) -> None:
        """Raises WrongAnswerError unless the tables give each play its score, before or after the placements."""
        expected: NDArray[np.int32] = self._scores_after if laid else self.scores
        equals(expected)(fs.score_batch(self.tables, self.batch))

    def check_and_clear(self) -> None:
        """`check`, and nothing is left of the tables, so that they have to be filled again."""
        self.check()
        self.tables.arrays.slots.fill(0)

    def check_prepared(self) -> None:
        """Raises WrongAnswerError unless `prepare` has left the tables of the last position; clears them."""
        slots, spots = self._last
        used = np.flatnonzero(np.isin(np.arange(len(slots)) // 3 * 3, spots[spots != self._barred]))
        same = np.array_equal(self._scratch.spots, spots) and np.array_equal(self._scratch.slots[used], slots[used])
        if not same:
            raise WrongAnswerError("the tables of the last position are not those that were kept")
        self._scratch.slots[used] = 0
