"""Scoring tables that are kept: made, filled, renewed after a placement, taken back, and scored with."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import fastscore as fs
from benches.comparisons import KEPT, rules
from benches.interleave import equals
from benches.table_moves import TURNS, Moves
from benches.workloads import Workload, busy_positions, by_position, legal_plays, shuffled_within_positions
from benches.yardsticks import Scorer

ROUNDS = 50


def test_make(benchmark: BenchmarkFixture) -> None:
    """`ScoringTables` of 486 positions, its memory included."""
    plays = legal_plays()
    benchmark.group = "set-up"
    tables = benchmark(lambda: fs.ScoringTables(plays.boards, rules()))
    equals(plays.scores)(fs.score_batch(tables, plays.batch))


@pytest.fixture
def moves() -> Moves:
    """Tables of 485 positions, and a play on each."""
    return Moves(legal_plays(), rules())


def test_prepare(benchmark: BenchmarkFixture, moves: Moves) -> None:
    """Tables of 485 positions, one after the other in the same memory."""
    benchmark.group = "set-up"
    benchmark(moves.prepare)
    moves.check_prepared()


def test_fill(benchmark: BenchmarkFixture, moves: Moves) -> None:
    """Tables of 485 positions, each in its own memory."""
    benchmark.group = "set-up"
    benchmark(moves.fill)
    moves.check()


def test_lay(benchmark: BenchmarkFixture, moves: Moves) -> None:
    """One more placement on each of 485 positions."""
    benchmark.group = "set-up"
    moves.lay()
    benchmark.pedantic(moves.lay, setup=moves.take_back, rounds=ROUNDS)
    moves.check(laid=True)


def test_take_back(benchmark: BenchmarkFixture, moves: Moves) -> None:
    """The same, undone."""
    benchmark.group = "set-up"
    benchmark.pedantic(moves.take_back, setup=moves.lay, rounds=ROUNDS)
    moves.check()


@pytest.mark.parametrize("name", ["fill_over_and_over", "lay_and_take_back"])
def test_in_the_cache(benchmark: BenchmarkFixture, name: str) -> None:
    """Tables of 49 positions filled, and a placement laid and taken back on each, 20 times."""
    moves = Moves(legal_plays(), rules(), every=10)
    benchmark.group = "set-up, in the cache"
    benchmark.extra_info["positions"] = len(moves) * TURNS
    benchmark(getattr(moves, name))
    moves.check()


@pytest.mark.parametrize("workload", [legal_plays, shuffled_within_positions])
def test_score(
    benchmark: BenchmarkFixture, bind: Callable[[str, Workload], Scorer], workload: Callable[[], Workload]
) -> None:
    """456,193 plays in one call."""
    plays = workload()
    benchmark.group = plays.name
    equals(plays.scores)(benchmark(bind(KEPT, plays)))


def test_small_calls(benchmark: BenchmarkFixture, bind: Callable[[str, Workload], Scorer]) -> None:
    """A call with 1,000 plays for each of some boards in turn."""
    parts = by_position(busy_positions())
    functions = [bind(KEPT, plays) for plays in parts]
    benchmark.group = "small calls"
    benchmark.extra_info["calls"] = len(parts)
    answers = benchmark(lambda: [function() for function in functions])
    for plays, scores in zip(parts, answers, strict=True):
        equals(plays.scores)(scores)
