"""Contenders timed in turns, for a machine whose speed drifts by a factor of two while it works.

Every round times each contender once, one after another, and what is reported is how they compare within the rounds.
Every answer of every round is checked, outside the timed part.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Contender", "Ratio", "Timings", "WrongAnswerError", "equals", "run_in_turns"]

Answer = TypeVar("Answer")


class WrongAnswerError(AssertionError):
    """A contender gave something else than the right answer, so its speed is of no interest."""


@dataclass(frozen=True)
class Contender(Generic[Answer]):
    """Something to time: `run` is the timed part, `check` raises WrongAnswerError unless its answer is right."""

    name: str
    run: Callable[[], Answer]
    check: Callable[[Answer], None]


def equals(expected: NDArray[np.int32]) -> Callable[[NDArray[np.int32]], None]:
    """A check that an answer is this array; it overwrites the answer, so that the next one cannot be this old one."""

    def check(answer: NDArray[np.int32]) -> None:
        if answer.shape != expected.shape:
            raise WrongAnswerError(f"an answer of shape {answer.shape} where {expected.shape} was expected")
        wrong = np.flatnonzero(answer != expected)
        if len(wrong):
            first = int(wrong[0])
            raise WrongAnswerError(
                f"{len(wrong)} of {len(expected)} answers are wrong, the first is number {first}: "
                f"{answer[first]} where {expected[first]} was expected"
            )
        if answer.flags.writeable:
            answer.fill(-1)

    return check


@dataclass(frozen=True)
class Ratio:
    """One contender's time as a multiple of another's: median and quartiles of the rounds' ratios, ratio of the minima.

    Not the ratio of the medians: where the machine changes its speed half-way, the two may come from different halves.
    """

    median: float
    lower: float
    upper: float
    of_minima: float


@dataclass(frozen=True)
class Timings:
    """Seconds of each contender in each round."""

    seconds: dict[str, tuple[float, ...]]

    def ratio(self, name: str, baseline: str) -> Ratio:
        """How long `name` took in terms of `baseline`; above 1 = slower."""
        times, base = self.seconds[name], self.seconds[baseline]
        by_round = [one / other for one, other in zip(times, base, strict=True)]
        cuts = statistics.quantiles(by_round, n=4, method="inclusive") if len(by_round) > 1 else by_round * 3
        return Ratio(median=cuts[1], lower=cuts[0], upper=cuts[2], of_minima=min(times) / min(base))

    def median(self, name: str) -> float:
        """Median seconds; between machines, or days, good for an order of magnitude only."""
        return statistics.median(self.seconds[name])


def run_in_turns(
    contenders: Sequence[Contender[Any]], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> Timings:
    """Time each contender once a round, after one round that does not count (it compiles, and warms the caches).

    Each round begins with another contender, so that none always runs behind the same one. Raises WrongAnswerError.
    """
    seconds: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    if len(seconds) != len(contenders):
        raise ValueError(f"two contenders share a name: {[contender.name for contender in contenders]}")
    for turn in range(-1, rounds):
        first = max(turn, 0) % len(contenders)
        for contender in [*contenders[first:], *contenders[:first]]:
            took = _timed(contender, clock)
            if turn >= 0:
                seconds[contender.name].append(took)
    return Timings({name: tuple(times) for name, times in seconds.items()})


def _timed(contender: Contender[Any], clock: Callable[[], float]) -> float:
    gc_was_on = gc.isenabled()
    gc.disable()
    try:
        before = clock()
        answer = contender.run()
        took = clock() - before
    finally:
        if gc_was_on:
            gc.enable()
    try:
        contender.check(answer)
    except WrongAnswerError as wrong:
        raise WrongAnswerError(f"{contender.name}: {wrong}") from None
    return took
