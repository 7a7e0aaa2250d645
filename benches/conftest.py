"""Fixtures of the benchmark suites."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benches.comparisons import scorer
from benches.workloads import Workload
from benches.yardsticks import NoYardsticksError, Scorer


@pytest.fixture
def bind() -> Callable[[str, Workload], Scorer]:
    """`comparisons.scorer`, which skips with the reason where there is no compiler for a C scorer."""

    def scorer_or_skip(name: str, plays: Workload) -> Scorer:
        try:
            return scorer(name, plays)
        except NoYardsticksError as reason:
            pytest.skip(str(reason))

    return scorer_or_skip
