"""An audit on a cluster: a scheduler and two workers on this machine, one of which is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastscore.audit.failures import AuditError
from fastscore.audit.run import Progress, run_audit
from fastscore.lexicon import Lexicon
from fastscore.rules.letters import load_distribution
from tests.audits import folder_of, rows, tables

ROOT = Path(__file__).resolve().parents[1]
# The other end of a connection goes away: asyncio and distributed may say so.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
COUNT = 40


def start(*arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "20s"}
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class Cluster:
    """A scheduler and two workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.folder = folder
        self.address = ""

    def __enter__(self) -> Cluster:
        file = self.folder / "scheduler.json"
        local = ("--host", "127.0.0.1", "--no-dashboard")
        self.add("distributed.cli.dask_scheduler", *local, "--port", "0", "--scheduler-file", str(file))
        deadline = time.monotonic() + 60
        while not self.address and time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError):
                self.address = json.loads(file.read_text(encoding="utf-8"))["address"]
            time.sleep(0.05)
        assert self.address
        for number in (1, 2):
            place = ("--local-directory", str(self.folder / str(number)), "--no-nanny", "--nthreads", "1")
            self.add("distributed.cli.dask_worker", self.address, *local, *place)
        return self

    def add(self, *arguments: str) -> None:
        self.processes.append(start(*arguments))

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with Cluster(tmp_path) as running:
        yield running


def test_a_worker_that_is_killed(cluster: Cluster, tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", COUNT)
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if progress.games >= 4 and not killed:
            worker = cluster.processes[-1]
            worker.send_signal(signal.SIGKILL)
            killed.append(progress.games)

    summary = run_audit([games], tmp_path / "out", scheduler=cluster.address, chunk_games=2, progress=kill)
    assert killed[0] < COUNT
    assert cluster.processes[-1].wait() == -signal.SIGKILL
    assert (summary.games, summary.errors, summary.parts) == (COUNT, 0, COUNT // 2)
    run_audit([games], tmp_path / "serial", workers=1, chunk_games=2)
    assert tables(tmp_path / "out") == tables(tmp_path / "serial")
    assert len(rows(tmp_path / "out", "findings")) == COUNT // 5


def test_a_lexicon_goes_along(cluster: Cluster, tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", COUNT)
    # One game in five has FAD, misscored; the others have BAD.
    lexicon = Lexicon.from_words(["FAD"], load_distribution("english"))
    run_audit([games], tmp_path / "out", lexicon=lexicon, scheduler=cluster.address, chunk_games=8)
    codes = [row["code"] for row in rows(tmp_path / "out", "findings")]
    assert (codes.count("phony"), codes.count("misscored"), len(codes)) == (COUNT * 4 // 5, COUNT // 5, COUNT)


def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastscore.audit.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(AuditError, match=r"scheduler 'tcp://127\.0\.0\.1:9' cannot be reached"):
        run_audit([], tmp_path / "out", scheduler="tcp://127.0.0.1:9")
    for address in ("nonsense", "tcp://127.0.0.1", "127.0.0.1:99999", "tcp://127.0.0.1:9/x", "", ":9"):
        with pytest.raises(AuditError, match=rf"scheduler '{address}', expected an address like tcp://127"):
            run_audit([], tmp_path / "out", scheduler=address)
    with pytest.raises(AuditError, match=r"scheduler 'no\.such\.invalid:9' cannot be reached"):
        run_audit([], tmp_path / "out", scheduler="no.such.invalid:9")
    with pytest.raises(AuditError, match=r"workers and a scheduler \('tcp://127\.0\.0\.1:9'\), expected one of them"):
        run_audit([], tmp_path / "out", scheduler="tcp://127.0.0.1:9", workers=2)
    # The corrected command can begin.
    assert not (tmp_path / "out").exists()


def test_a_scheduler_without_workers(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastscore.audit.cluster._CONNECT_SECONDS", 3)
    for worker in cluster.processes[1:]:
        worker.kill()
        worker.wait()
    with pytest.raises(AuditError, match=r"has no worker after 3 seconds, expected one or more"):
        run_audit([tmp_path], tmp_path / "out", scheduler=cluster.address)
    assert not (tmp_path / "out").exists()


def test_workers_of_another_version(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastscore.audit.cluster.__version__", "99.0")
    with pytest.raises(
        AuditError, match=r"worker 'tcp://127\.0\.0\.1:\d+' of scheduler '.*' has fastscore '.*', expected 99"
    ):
        run_audit([tmp_path], tmp_path / "out", scheduler=cluster.address)
    monkeypatch.setattr("fastscore.audit.cluster._VERSION", "__import__('no_such_module')")
    with pytest.raises(AuditError, match=r"has no fastscore, expected 99\.0"):
        run_audit([tmp_path], tmp_path / "out", scheduler=cluster.address)
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_goes_away(cluster: Cluster, tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", COUNT)

    def kill(progress: Progress) -> None:
        if progress.games >= 4:
            for process in cluster.processes:
                process.kill()

    with pytest.raises(AuditError, match=r"gave up: .*--resume goes on with what is left"):
        run_audit([games], tmp_path / "out", scheduler=cluster.address, chunk_games=2, progress=kill)
    summary = run_audit([games], tmp_path / "out", workers=1, resume=True)
    assert summary.games == COUNT
    assert summary.parts_before >= 2
