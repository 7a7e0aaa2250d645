"""What can only be measured in a fresh process: peak memory of one call, and the time of imports.

Linux only: the peak is read from /proc. `python -m benches.fresh memory 1000000` is what the report starts.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

__all__ = ["IMPORTS", "import_seconds", "peak_memory"]

_REPOSITORY = Path(__file__).resolve().parent.parent
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")

IMPORTS = {
    "numpy": ("pass", "import numpy"),
    "fastscore": ("import numpy", "import fastscore"),
    "scoring": ("import numpy", "from fastscore import Board, PlacementBatch, load_rules, score_batch"),
    "numba": ("import numpy", "import numba"),
    "first score": (
        "import numpy, numba",
        "import fastscore as fs; board = fs.Board(fs.load_rules('classic/english')); "
        "scores = fs.score_batch(board, fs.PlacementBatch.parse(['8H QUIZ'], board)); assert scores.tolist() == [44]",
    ),
}
"""What is imported already, and the statement to time after it, in a fresh process.

QUIZ at 8H: (10 + 1 + 1 + 10) x 2 for the double word of H8.
"""


def import_seconds(rounds: int) -> dict[str, float]:
    """Median seconds of each statement of IMPORTS in fresh processes, in turns.

    The first round does not count: it fills the cache of compiled functions and reads the files for the first time.
    """
    seconds: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for turn in range(-1, rounds):
        for name, (before, statement) in IMPORTS.items():
            code = (
                f"import time; {before}; begun = time.perf_counter(); {statement}; print(time.perf_counter() - begun)"
            )
            took = float(_output(["-c", code]))
            if turn >= 0:
                seconds[name].append(took)
    return {name: statistics.median(times) for name, times in seconds.items()}


def peak_memory(candidates: int) -> dict[str, float]:
    """Peak megabytes (2^20 bytes) beyond the inputs while plays are scored in a fresh process, by their order."""
    # Without these two, freed blocks of less than 32 MB would be used again unseen: every large array is mapped anew.
    own_mappings = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    found: dict[str, float] = json.loads(_output(["-m", "benches.fresh", "memory", str(candidates)], own_mappings))
    return found


def _output(arguments: list[str], environment: dict[str, str] | None = None) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=_REPOSITORY,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def _resident(field: str) -> float:
    """VmRSS (now) or VmHWM (peak) in megabytes."""
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) / 1024


def _measure_memory(candidates: int) -> dict[str, float]:
    import fastscore as fs
    from benches.interleave import equals
    from benches.workloads import legal_plays, repeated, shuffled

    rules = fs.load_rules("classic/english")
    extra = {}
    for plays in (legal_plays(), shuffled()):
        work = repeated(plays, candidates)
        batch = work.batch
        # What compiling takes is no part of it.
        fs.score_batch(work.boards, batch[:100], rules)
        _CLEAR.write_text("5")  # the peak begins anew at what is resident now
        before = _resident("VmRSS")
        scores = fs.score_batch(work.boards, batch, rules)
        extra[plays.name] = _resident("VmHWM") - before
        equals(work.scores)(scores)
    return extra


if __name__ == "__main__":
    command, count = sys.argv[1:]
    if command != "memory":
        raise SystemExit(f"unknown measurement {command!r}, expected 'memory'")
    print(json.dumps(_measure_memory(int(count))))
