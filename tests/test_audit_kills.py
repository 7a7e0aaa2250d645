"""Runs that are killed: with SIGKILL, at any moment, and the tables are whole in the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from fastscore.audit.manifest import read_manifest
from fastscore.audit.run import run_audit
from tests.audits import folder_of, tables

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills and forks as Unix has them")

ROOT = Path(__file__).resolve().parents[1]
KILLS = 24

# Everything is imported once, and each run is a fork: what is killed is the run, not an interpreter that starts. The
# moments are random, from the first system call of a run to some time after it is half done; the seed is printed.
KILLER = """
    import os, random, signal, sys, time
    from fastscore.audit.run import run_audit
    games, out, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])

    def run(folder):
        run_audit([games], folder, workers=1, chunk_games=1, resume=True)

    began = time.monotonic()
    run(out + "-first")
    length = time.monotonic() - began
    random.seed(seed := int.from_bytes(os.urandom(4), "big"))
    print("seed", seed, flush=True)
    killed = folder = 0
    while killed < kills:
        child = os.fork()
        if child == 0:
            try:
                run(f"{out}-{folder}")
                os._exit(0)
            finally:
                os._exit(1)
        time.sleep(random.uniform(0, length / 3))
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            killed += 1
        else:
            assert os.WEXITSTATUS(status) == 0, "a run failed"
            folder += 1
    run(f"{out}-{folder}")
    print("folders", folder + 1)
"""


def test_kills_at_random_moments(tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", 15)
    out = tmp_path / "out"
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLER), str(games), str(out), str(KILLS)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    expected = tables(tmp_path / "out-first")
    assert len(expected["games"]) == 15
    count = int(ran.stdout.split()[-1])
    assert count >= 1
    for number in range(count):
        folder = tmp_path / f"out-{number}"
        assert tables(folder) == expected, ran.stdout
        assert not list(folder.rglob(".tmp-*"))


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # Behind the name in brackets: the state and the parent.
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == process:
            own = int(path.parent.name)
            found += [own, *descendants(own)]
    return found


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks up processes in /proc")
def test_workers_end_with_the_process_that_is_killed(tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", 80)
    out = tmp_path / "out"
    code = f"""
        from fastscore.audit.run import run_audit
        if __name__ == "__main__":
            run_audit([{str(games)!r}], {str(out)!r}, workers=2, chunk_games=1)
    """
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.Popen([sys.executable, str(script)], env=environment)
    try:
        deadline = time.monotonic() + 60
        while not ((found := read_manifest(out)) and found.parts) and time.monotonic() < deadline:
            time.sleep(0.02)
        workers = descendants(run.pid)
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert len(workers) >= 2
        while any(map(alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not any(map(alive, workers))
    finally:
        run.kill()
        run.wait()
    before = read_manifest(out)
    assert before is not None
    summary = run_audit([games], out, workers=1, resume=True)
    assert summary.parts_before >= len(before.parts) > 0
    run_audit([games], tmp_path / "whole", workers=1)
    assert tables(out) == tables(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks up processes in /proc")
def test_a_worker_that_is_killed(tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", 80)
    out = tmp_path / "out"
    code = f"""
        import contextlib, os, signal
        from fastscore.audit.run import run_audit
        from tests.test_audit_kills import descendants

        def kill(progress):
            if progress.games >= 5:
                for process in descendants(os.getpid()):
                    # Some have gone since the call before this one.
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)

        if __name__ == "__main__":
            run_audit([{str(games)!r}], {str(out)!r}, workers=2, chunk_games=1, progress=kill)
    """
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 1
    assert "AuditError: a worker process ended without being asked to" in ran.stderr, ran.stderr
    summary = run_audit([games], out, workers=1, resume=True)
    assert summary.games == 80
    assert summary.parts_before >= 5
