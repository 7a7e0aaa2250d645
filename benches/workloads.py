"""What is scored in the benchmarks: real legal plays with their scores, in several orders and shapes.

The plays are `tests/data/legal_plays.npz`: every legal play of 486 positions of real games (English, 15x15), in the
word form, with scores. The compact form is made here in plain numpy, so that the library's own conversion is not
trusted to prepare its own benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fastscore as fs

__all__ = [
    "RACK_SIZE",
    "CompactForm",
    "WordForm",
    "Workload",
    "busy_positions",
    "by_position",
    "compact_form",
    "legal_plays",
    "one_a_position",
    "repeated",
    "shuffled",
    "shuffled_within_positions",
]

RACK_SIZE = 7
_LEGAL_PLAYS = Path(__file__).resolve().parent.parent / "tests" / "data" / "legal_plays.npz"
_SEED = 20240229


class WordForm(NamedTuple):
    """Plays as move generators hold them: `tiles uint8[n, 15]` over the whole main word, 0 for play-through."""

    position: NDArray[np.int32]
    row: NDArray[np.uint8]
    col: NDArray[np.uint8]
    direction: NDArray[np.uint8]
    length: NDArray[np.uint8]
    tiles: NDArray[np.uint8]

    def take(self, order: NDArray[np.int64]) -> WordForm:
        """The plays of these numbers, in this order."""
        return WordForm(
            self.position[order],
            self.row[order],
            self.col[order],
            self.direction[order],
            self.length[order],
            self.tiles[order],
        )


class CompactForm(NamedTuple):
    """Plays as fastscore holds them: the square of the first fresh tile and `tiles uint8[n, 7]`, fresh tiles only."""

    position: NDArray[np.int32]
    row: NDArray[np.uint8]
    col: NDArray[np.uint8]
    direction: NDArray[np.uint8]
    tiles: NDArray[np.uint8]


def compact_form(word: WordForm) -> CompactForm:
    """The compact form of plays that are legal; their boards are not needed."""
    fresh = word.tiles != 0
    first = fresh.argmax(axis=1).astype(np.uint8)
    play, square = np.nonzero(fresh)
    tiles = np.zeros((len(fresh), RACK_SIZE), dtype=np.uint8)
    tiles[play, fresh.cumsum(axis=1)[play, square] - 1] = word.tiles[play, square]
    return CompactForm(
        position=word.position,
        row=word.row + first * word.direction,
        col=word.col + first * (1 - word.direction),
        direction=word.direction,
        tiles=tiles,
    )


@dataclass(frozen=True)
class Workload:
    """Boards `uint8[positions, 15, 15]`, plays on them in both forms, and their scores `int32[n]`."""

    name: str
    boards: NDArray[np.uint8]
    word: WordForm
    scores: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def compact(self) -> CompactForm:
        """The same plays in the compact form."""
        return compact_form(self.word)

    @cached_property
    def batch(self) -> fs.PlacementBatch:
        """The compact form as the library takes it."""
        return fs.PlacementBatch(**self.compact._asdict())

    def take(self, order: NDArray[Any], name: str) -> Workload:
        """The plays of these numbers, in this order, on the same boards."""
        numbers = np.asarray(order, dtype=np.int64)
        return Workload(name, self.boards, self.word.take(numbers), self.scores[numbers])


@cache
def legal_plays() -> Workload:
    """All 456,193 plays in file order: position by position, within each in the order of a move generator."""
    with np.load(_LEGAL_PLAYS) as archive:
        columns = {field: archive[field] for field in WordForm._fields}
        return Workload("file order", archive["boards"], WordForm(**columns), archive["score"])


@cache
def shuffled_within_positions() -> Workload:
    """Position by position, the plays of each in random order, so that no branch can be learnt by heart."""
    plays = legal_plays()
    chance = np.random.default_rng(_SEED).random(len(plays))
    return plays.take(np.lexsort((chance, plays.word.position)), "shuffled within each position")


@cache
def shuffled() -> Workload:
    """All plays in random order: nearly every play is on another board than the one before."""
    plays = legal_plays()
    return plays.take(np.random.default_rng(_SEED).permutation(len(plays)), "shuffled")


@cache
def one_a_position(positions: int = 100_000) -> Workload:
    """One play for each of many boards, as replayed records and vectors of games ask for."""
    chosen = shuffled().take(np.arange(positions), "one play a position")
    word = chosen.word._replace(position=np.arange(positions, dtype=np.int32))
    return replace(chosen, boards=np.ascontiguousarray(chosen.boards[chosen.word.position]), word=word)


@cache
def busy_positions(candidates: int = 1_000) -> Workload:
    """Every position that has this many plays, with so many of them, chosen at random."""
    plays = shuffled_within_positions()
    counts = np.bincount(plays.word.position)
    firsts = np.cumsum(counts) - counts
    busy = np.flatnonzero(counts >= candidates)
    chosen = plays.take((firsts[busy, None] + np.arange(candidates)).ravel(), f"{candidates} plays a position")
    word = chosen.word._replace(position=np.repeat(np.arange(len(busy), dtype=np.int32), candidates))
    return replace(chosen, boards=chosen.boards[busy], word=word)


def by_position(plays: Workload) -> list[Workload]:
    """Each position with its plays apart: what a move generator passes for one turn. Needs plays in that order."""
    positions = plays.word.position
    bounds = np.searchsorted(positions, np.arange(len(plays.boards) + 1))
    parts = []
    for position, (first, last) in enumerate(pairwise(bounds.tolist())):
        part = plays.take(np.arange(first, last), f"position {position}")
        word = part.word._replace(position=np.zeros(last - first, dtype=np.int32))
        parts.append(replace(part, boards=plays.boards[position : position + 1].copy(), word=word))
    return parts


def repeated(plays: Workload, count: int) -> Workload:
    """The plays over and over until there are `count`; every time round on boards of their own, so in file order."""
    rounds = -(-count // len(plays))
    chosen = plays.take(np.arange(count) % len(plays), plays.name)
    turn = (np.arange(count) // len(plays) * len(plays.boards)).astype(np.int32)
    word = chosen.word._replace(position=chosen.word.position + turn)
    return replace(chosen, boards=np.tile(plays.boards, (rounds, 1, 1)), word=word)
