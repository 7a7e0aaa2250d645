"""All legal plays of 486 positions, set-up of each position included, by every scorer and in three orders."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benches.comparisons import EVERY_WAY
from benches.interleave import equals
from benches.workloads import Workload, legal_plays, shuffled, shuffled_within_positions
from benches.yardsticks import Scorer

ORDERS = {"file_order": legal_plays, "within": shuffled_within_positions, "shuffled": shuffled}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", EVERY_WAY)
def test_legal_plays(
    benchmark: BenchmarkFixture, bind: Callable[[str, Workload], Scorer], name: str, order: str
) -> None:
    """456,193 plays in one call."""
    plays = ORDERS[order]()
    benchmark.group = plays.name
    benchmark.extra_info["plays"] = len(plays)
    scores = benchmark(bind(name, plays))
    equals(plays.scores)(scores)
