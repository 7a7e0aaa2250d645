"""Fresh processes that score with a copy of the package of their own, for tests of compiled code and its cache."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # <linux/prctl.h>, <linux/capability.h>

# On the empty classic board; D8 is a double letter, H8 a double word: QUIZ (10 + 1 + 1 + 10) x 2, ZONES
# (2 x 10 + 1 + 1 + 1 + 1) x 2, AT (1 + 1) x 2, LETTERS (2 x 1 + 6) x 2 + 50, AT at A1 on a triple word, unconnected.
PLAYS = ["8H QUIZ", "8D ZONES", "8H AT", "8D LETTERS", "1A AT"]
SCORES = [44, 48, 4, 66, 6]
START_NOT_COVERED = 1 << 22
STATUSES = [0, 0, 0, 0, START_NOT_COVERED]

PRELUDE = f"""
import json, logging, os, sys
import numpy as np
import fastscore as fs

messages = []
handler = logging.Handler()
handler.emit = lambda record: messages.append(record.getMessage())
logging.getLogger("fastscore").addHandler(handler)
logging.getLogger("fastscore").setLevel(logging.DEBUG)
rules = fs.load_rules("classic/english")
board = fs.Board(rules)
batch = fs.PlacementBatch.parse({PLAYS}, board)

def all_kernels():
    # Without those that are parts of others only.
    modules = [sys.modules[name] for name in sorted(sys.modules) if name.startswith("fastscore.")]
    found = {{
        module.__name__ + "." + name: value
        for module in modules if module.__name__.endswith("kernels")
        for name, value in vars(module).items() if hasattr(value, "signatures")
    }}
    return {{name: kernel for name, kernel in found.items() if not kernel.targetoptions.get("forceinline")}}

def compiled():
    return {{name: len(kernel.signatures) for name, kernel in all_kernels().items() if kernel.signatures}}

def report(**found):
    from fastscore import compilation, kernels
    stats = [kernel.stats for kernel in all_kernels().values()]
    found["hits"] = sum(sum(one.cache_hits.values()) for one in stats)
    found["misses"] = sum(sum(one.cache_misses.values()) for one in stats)
    found["folder"] = compilation.cache_folder(kernels.judge_rows)
    print(json.dumps({{**found, "messages": messages}}))
"""
QUICK = """
made = fs.score_batch(board, batch, parts=True)
report(scores=made.score.tolist(), statuses=fs.check_batch(board, batch).tolist())
"""
"""Scores by the smallest kernel, which compiles in a second; the other takes five."""
FULL = """
fs.warmup()
report(scores=fs.score_batch(board, batch).tolist(), statuses=fs.check_batch(board, batch).tolist())
"""


class Install(NamedTuple):
    """A copy of the package on its own, and a home."""

    site: Path
    home: Path

    def start(
        self,
        code: str,
        *,
        cache: Path | None = None,
        environment: dict[str, str] | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> subprocess.Popen[str]:
        """A fresh process that runs `code` after PRELUDE; `prepare` runs in it before Python starts."""
        inherited = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("NUMBA_", "FASTSCORE_", "PYTHON", "XDG_", "COV_"))
        }
        chosen = {"NUMBA_CACHE_DIR": str(cache)} if cache is not None else {}
        return subprocess.Popen(
            [sys.executable, "-c", PRELUDE + code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.site,
            env={
                **inherited,
                "HOME": str(self.home),
                "PYTHONPATH": str(self.site),
                **chosen,
                **(environment or {}),
            },
            preexec_fn=prepare,
        )

    def run(self, code: str, **options: Any) -> dict[str, Any]:
        """What a fresh process reports at its end."""
        return finish(self.start(code, **options))


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The report of a process that has to end well, and soon."""
    try:
        out, err = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def right(found: dict[str, Any]) -> bool:
    return found["scores"] == SCORES and found["statuses"] == STATUSES


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """All files below a folder, by name: size and the time of the last change."""
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def make_install(folder: Path) -> Install:
    made = Install(folder / "site", folder / "home")
    made.home.mkdir()
    shutil.copytree(ROOT / "fastscore", made.site / "fastscore", ignore=shutil.ignore_patterns("__pycache__"))
    return made


def obey_modes() -> None:
    """What starts from here on obeys the modes of files, even as root (who may not be able to become another user and
    still find this Python)."""
    if os.geteuid() == 0:
        ctypes.CDLL(None, use_errno=True).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)
