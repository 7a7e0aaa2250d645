"""One play a position, small calls, and the slow reference on a sample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import fastscore as fs
from benches.comparisons import COMPACT, CROSS, PARTS, WALK, WORD_FORM, rules
from benches.interleave import equals
from benches.workloads import Workload, busy_positions, by_position, one_a_position
from benches.yardsticks import Scorer
from fastscore import reference

Bind = Callable[[str, Workload], Scorer]


@pytest.mark.parametrize("name", [WALK, CROSS, COMPACT, PARTS, WORD_FORM])
def test_one_play_a_position(benchmark: BenchmarkFixture, bind: Bind, name: str) -> None:
    """100,000 boards with one play each."""
    plays = one_a_position()
    benchmark.group = plays.name
    scores = benchmark(bind(name, plays))
    equals(plays.scores)(scores)


@pytest.mark.parametrize("name", [CROSS, COMPACT, WORD_FORM])
def test_small_calls(benchmark: BenchmarkFixture, bind: Bind, name: str) -> None:
    """A call with 1,000 plays for each of some boards in turn; a call's time is that of the round by their number."""
    parts = by_position(busy_positions())
    functions = [bind(name, plays) for plays in parts]
    benchmark.group = "small calls"
    benchmark.extra_info["calls"] = len(parts)
    answers = benchmark(lambda: [function() for function in functions])
    for plays, scores in zip(parts, answers, strict=True):
        equals(plays.scores)(scores)


def test_reference(benchmark: BenchmarkFixture) -> None:
    """The slow scorer on 200 plays, each on its own board."""
    plays = one_a_position(200)
    cases = [(fs.Board(rules(), tiles), plays.batch[number]) for number, tiles in enumerate(plays.boards)]
    benchmark.group = "reference"
    benchmark.extra_info["plays"] = len(plays)
    scores = benchmark(lambda: [reference.score(board, placement) for board, placement in cases])
    equals(plays.scores)(np.array(scores, dtype=np.int32))
