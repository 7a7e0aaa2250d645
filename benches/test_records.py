"""Game records: read, replayed and checked, one thread, from the bytes of a file to its findings.

The 1,500 games of `tests/data/bot_games.gcgs.gz` were played by programs, so that nearly nothing is wrong with them: it
is checking that takes the time, not finding. A game has 25 events. The file is uncompressed before the clock runs.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import fastscore as fs

_RECORDS = Path(__file__).resolve().parent.parent / "tests" / "data" / "bot_games.gcgs.gz"
GAMES = 1500
EVENTS = 37_377
# Five games ended by six scoreless turns and have a line for the tiles of one player only.
FINDINGS = 5


@cache
def records() -> bytes:
    """The file."""
    return gzip.decompress(_RECORDS.read_bytes())


def read() -> tuple[int, int]:
    """Read only: games and events."""
    games = [len(game) for game in fs.read_games(io.BytesIO(records()))]
    return len(games), sum(games)


def check_each() -> tuple[int, int]:
    """Read, replay and check game by game: games and findings."""
    found = [len(fs.replay(game).findings) for game in fs.read_games(io.BytesIO(records()))]
    return len(found), sum(found)


def check_many() -> tuple[int, int]:
    """The same in batches."""
    found = [len(played.findings) for played in fs.replay_many(fs.read_games(io.BytesIO(records())))]
    return len(found), sum(found)


def turns() -> tuple[int, int]:
    """As `check_many`, and every turn with its words: events, and those whose recorded score is the computed one."""
    events = right = 0
    for played in fs.replay_many(fs.read_games(io.BytesIO(records()))):
        assert len(played.findings) <= 1
        events += len(played.turns)
        right += sum(turn.recorded == turn.computed for turn in played.turns)
    return events, right


def results() -> tuple[int, int]:
    """As `check_many`, and every game settled: games, and those whose final totals are the computed ones."""
    found = [played.result for played in fs.replay_many(fs.read_games(io.BytesIO(records())))]
    return len(found), sum(result.totals_recorded == result.totals_computed for result in found)


WORK: dict[str, tuple[Callable[[], tuple[int, int]], tuple[int, int]]] = {
    "read": (read, (GAMES, EVENTS)),
    "check each": (check_each, (GAMES, FINDINGS)),
    "check many": (check_many, (GAMES, FINDINGS)),
    "turns": (turns, (EVENTS, EVENTS)),
    "results": (results, (GAMES, GAMES)),
}


@pytest.mark.parametrize("name", WORK)
def test_records(benchmark: BenchmarkFixture, name: str) -> None:
    """1,500 games; games a second = 1,500 by the time of a round."""
    work, answer = WORK[name]
    benchmark.group = "records"
    assert work() == answer
    found = benchmark(work)
    assert found == answer
    benchmark.extra_info["games"] = GAMES
