"""Bulk audits: the 1,500 games of `tests/data/bot_games.gcgs.gz` a hundred times over, from bytes to tables.

The tables have a row for each of 3.7 million turns. One worker is this process, warm. How many games that is a second
stands in `extra_info`, for one worker also by the processor's clock, which other programs of a busy machine do not
disturb as much.
"""

from __future__ import annotations

import gzip
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import islice
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from fastscore.audit.run import run_audit
from fastscore.audit.tables import audit_texts, record_texts
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.ruleset_choice import bundled_candidates

Counts = tuple[int, int, int]

_RECORDS = Path(__file__).resolve().parent.parent / "tests" / "data" / "bot_games.gcgs.gz"
TIMES = 100
LOOSE_TIMES = 10
GAMES = 1500
EVENTS = 37_377
# Five games ended by six scoreless turns and have a line for the tiles of one player only.
FINDINGS = 5
_AT_ONCE = 4096
_PIECE = 1 << 18


@cache
def records() -> bytes:
    """The file."""
    return gzip.decompress(_RECORDS.read_bytes())


def answer(times: int) -> Counts:
    """Rows of games, turns and findings for the file so many times."""
    return times * GAMES, times * EVENTS, times * FINDINGS


class Repeated:
    """A handle that gives the file many times over."""

    def __init__(self, times: int) -> None:
        self._pieces = self._cut(times)

    @staticmethod
    def _cut(times: int) -> Iterator[bytes]:
        data = records()
        for _ in range(times):
            yield from (data[begin : begin + _PIECE] for begin in range(0, len(data), _PIECE))

    def read(self, _: int) -> bytes:
        """The next piece."""
        return next(self._pieces, b"")


def in_memory(times: int, rules: Sequence[Ruleset] | None = None) -> Counts:
    """Tables of some thousand games at a time: rows of games, turns and findings."""
    games = turns = findings = 0
    texts = record_texts("bots", Repeated(times))  # type: ignore[arg-type]
    while some := list(islice(texts, _AT_ONCE)):
        tables = audit_texts(some, rules)
        games, turns, findings = games + len(tables.games), turns + len(tables.turns), findings + len(tables.findings)
    return games, turns, findings


def to_folder(source: Path, folder: Path, workers: int) -> Counts:
    """A run from a source to a new folder: rows of games, turns and findings."""
    done = run_audit([source], folder, workers=workers)
    assert done.errors == 0
    return done.games, done.turns, done.findings


def measure(benchmark: BenchmarkFixture, work: Callable[[], Counts], times: int) -> float:
    """Check the answer of a piece of work and note how fast it was; the seconds that it took."""
    benchmark.group = "audit"
    in_memory(1)
    seconds = processor = 0.0

    def timed() -> Counts:
        nonlocal seconds, processor
        begin, busy = time.perf_counter(), time.process_time()
        found = work()
        seconds, processor = time.perf_counter() - begin, time.process_time() - busy
        return found

    found = benchmark.pedantic(timed, rounds=1)  # type: ignore[no-untyped-call]
    assert found == answer(times)
    benchmark.extra_info["games a second"] = round(times * GAMES / seconds)
    benchmark.extra_info["games a processor's second"] = round(times * GAMES / processor)
    return seconds


def test_tables_in_memory(benchmark: BenchmarkFixture) -> None:
    """150,000 games, and then the same in two processes, half of them each."""
    alone = measure(benchmark, partial(in_memory, TIMES), TIMES)
    if benchmark.enabled:
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            # Processes that have compiled code and a file in memory; one takes both halves of the first round at times.
            for _ in range(4):
                assert list(pool.map(in_memory, [1, 1])) == [answer(1)] * 2
            begin = time.perf_counter()
            assert list(pool.map(in_memory, [TIMES // 2] * 2)) == [answer(TIMES // 2)] * 2
            benchmark.extra_info["two workers, times as fast"] = round(alone / (time.perf_counter() - begin), 2)


@pytest.mark.parametrize("rulesets", ["two", "all bundled"])
def test_rules_recognised(benchmark: BenchmarkFixture, rulesets: str) -> None:
    """15,000 games, each by the ruleset that explains its scores."""
    two = [load_rules("classic/english"), load_rules("words-with-friends")]
    candidates = two if rulesets == "two" else bundled_candidates()
    in_memory(1, candidates)
    measure(benchmark, partial(in_memory, LOOSE_TIMES, candidates), LOOSE_TIMES)


def test_to_parquet(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """150,000 games of one file, and then the same by two workers, whose start counts."""
    source = tmp_path / "bots.gcgs"
    source.write_bytes(records() * TIMES)
    alone = measure(benchmark, partial(to_folder, source, tmp_path / "one", 1), TIMES)
    if benchmark.enabled:
        begin = time.perf_counter()
        assert to_folder(source, tmp_path / "two", 2) == answer(TIMES)
        benchmark.extra_info["two workers, times as fast"] = round(alone / (time.perf_counter() - begin), 2)


def test_loose_files(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """15,000 files of one game each to Parquet, one worker."""
    folder = tmp_path / "games"
    folder.mkdir()
    for number, text in enumerate(record_texts("bots", records() * LOOSE_TIMES)):
        (folder / f"{number:05d}.gcg").write_bytes(text.data)
    measure(benchmark, partial(to_folder, folder, tmp_path / "out", 1), LOOSE_TIMES)
