"""`fastscore audit`: what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fastscore.cli import main
from tests.audits import SHORT, WRONG, folder_of, rows

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "right.gcg").write_bytes(SHORT)
    return folder


def test_nothing_found(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    assert main(["audit", str(games), "-o", out, "--workers", "1"]) == 0
    ran = capsys.readouterr()
    assert ran.out.split("\n") == [
        "games       1",
        "turns       5",
        "findings    0",
        "duplicates  0",
        "unreadable  0",
        f"tables in   {out}",
        "",
    ]
    # No progress bar where there is no terminal.
    assert ran.err == ""


def test_findings(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (games / "wrong.gcg").write_bytes(WRONG)
    (games / "notes.txt").write_bytes(b"of others")
    assert main(["audit", str(games), "-o", str(tmp_path / "out"), "--workers", "1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "passed over 1" in lines
    assert lines[-2:] == [
        "count  finding    meaning",
        "    1  misscored  the recorded score is not the one that the rules give",
    ]


def test_sources_that_cannot_be_read(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (games / "wrong.gcg").write_bytes(WRONG)
    (games / "bad\x1b[31m.zip").write_bytes(b"no zip")
    missing = str(tmp_path / "missing.gcg")
    assert main(["audit", str(games), missing, "-o", str(tmp_path / "out"), "--workers", "1"]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert errors == [
        f"fastscore: {games / 'bad.zip'}: source-unreadable: file is not a zip file",
        f"fastscore: {missing}: source-unreadable: no such file or directory",
    ]
    assert len(rows(tmp_path / "out", "games")) == 2


def test_many_errors_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["audit", *(f"{tmp_path}/{number}" for number in range(23)), "-o", str(out), "--workers", "1"]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 21
    assert errors[-1] == f"fastscore: and 3 others, see {out / 'errors'}"


def test_json(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (games / "wrong.gcg").write_bytes(WRONG)
    arguments = ["audit", str(games), "-o", str(tmp_path / "out"), "--workers", "1", "--format", "json"]
    assert main(arguments) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["findings"], found["errors"]) == (2, 1, 0)
    assert found["codes"] == [{"code": "misscored", "count": 1}]


def test_resume_and_rules(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["audit", str(games), "-o", str(tmp_path / "out"), "--workers", "1"]
    assert main(arguments) == 0
    assert main(arguments) == 2
    assert "holds a run already (finished), expected --resume" in capsys.readouterr().err
    assert main([*arguments, "--resume"]) == 0
    assert main([*arguments, "--resume", "--rules", "words-with-friends"]) == 2
    assert "was begun with rules 'record'" in capsys.readouterr().err
    assert main(["audit", str(games), "-o", str(tmp_path / "new"), "--workers", "1", "--rules", "nowhere"]) == 2
    assert "unknown ruleset 'nowhere'" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_standard_input(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "fastscore", "audit", "-", "-o", str(tmp_path / "out"), "--workers", "2"],
        input=SHORT + WRONG,
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert [row["source"] for row in rows(tmp_path / "out", "games")] == ["-", "-"]


def test_without_pyarrow(games: Path, tmp_path: Path) -> None:
    # As if it were not installed.
    code = (
        "import importlib.util as util, sys; find = util.find_spec;"
        "util.find_spec = lambda name, *more: None if name == 'pyarrow' else find(name, *more);"
        "from fastscore.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "audit", str(games), "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == ("fastscore: pyarrow is not installed, expected the extra: pip install 'fastscore[records]'\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signals of that kind")
def test_an_interrupt_is_one_line(tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", 9000)
    # While the workers start, and later: the whole group gets the signal, as from a terminal.
    code = (
        # A test run in the background of a shell ignores interrupts, and so would this.
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from fastscore.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    codes = []
    for number, seconds in enumerate((0.9, 1.2, 1.5, 1.8, 2.2)):
        out = tmp_path / f"out{number}"
        run = subprocess.Popen(
            [sys.executable, "-c", code, "audit", str(games), "-o", str(out), "--workers", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            text=True,
            start_new_session=True,
        )
        time.sleep(seconds)
        os.killpg(run.pid, signal.SIGINT)
        _, errors = run.communicate(timeout=60)
        # It may have been done before.
        codes.append(run.returncode)
        told = rf"fastscore: {out}: interrupted, \d parts are complete, --resume goes on with the others\n"
        assert re.fullmatch(rf"({told})?\n?", errors)  # click ends the line that a terminal shows ^C in
    assert 130 in codes
    assert set(codes) <= {1, 130}


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of that kind")
def test_the_bar_on_a_terminal(games: Path, tmp_path: Path) -> None:
    (games / "wrong.gcg").write_bytes(WRONG)
    reader, terminal = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "fastscore", "audit", str(games), "-o", str(tmp_path / "out"), "--workers", "1"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as ran:
        os.close(terminal)
        shown = b""
        while True:
            try:
                piece = os.read(reader, 4096)
            except OSError:
                # How Linux says that the other end is closed.
                break
            if not piece:
                break
            shown += piece
        os.close(reader)
        assert ran.wait() == 1
    assert b"2/2 files 2 games" in shown
    assert b"1 findings" in shown
