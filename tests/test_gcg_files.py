"""Where records are read from: files, pipes, and devices, which are refused unless they are standard input."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fastscore.cli import main
from fastscore.errors import RecordError
from fastscore.gcg import read_game, read_games
from tests.audits import SHORT

pytestmark = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such devices there")
ROOT = Path(__file__).resolve().parents[1]


def test_devices_without_end_are_refused() -> None:
    for read in (read_game, read_games):
        with pytest.raises(RecordError, match="/dev/zero: is a device, expected a file") as caught:
            list(read("/dev/zero"))  # type: ignore[arg-type]
        assert (caught.value.code, caught.value.source) == ("source-not-regular", "/dev/zero")


@pytest.mark.parametrize("command", ["replay", "repair"])
def test_commands_refuse_devices(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "/dev/zero"]) == 2
    assert "/dev/zero: is a device, expected a file" in capsys.readouterr().err


def test_the_null_device_is_an_empty_file() -> None:
    assert [problem.code for problem in read_game(os.devnull).problems] == ["empty-file"]


def test_files_that_are_missing_stay_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_game(tmp_path / "missing.gcg")


@pytest.mark.parametrize("path", ["/dev/stdin", "/dev/fd/0"])
@pytest.mark.parametrize("kind", ["pipe", "file", "device"])
def test_standard_input_is_read_whatever_it_is(tmp_path: Path, path: str, kind: str) -> None:
    if not Path(path).exists():
        pytest.skip(f"no {path}")
    code = "import sys; from fastscore.gcg import read_games; print(len(next(read_games(sys.argv[1])).events))"
    command = [sys.executable, "-c", code, path]
    if kind == "pipe":
        ran = subprocess.run(command, input=SHORT, capture_output=True, cwd=ROOT, check=True)
    elif kind == "file":
        record = tmp_path / "a.gcg"
        record.write_bytes(SHORT)
        with record.open("rb") as handle:
            ran = subprocess.run(command, stdin=handle, capture_output=True, cwd=ROOT, check=True)
    else:
        # A terminal is a device, too. Of this one there is an end, unlike that of zeros.
        parent, child = os.openpty()
        # Two characters of control end what is typed.
        os.write(parent, SHORT + b"\x04\x04")
        ran = subprocess.run(command, stdin=child, capture_output=True, cwd=ROOT, check=True, timeout=60)
        os.close(parent)
        os.close(child)
    # SHORT has five events.
    assert ran.stdout == b"5\n"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (gzip.compress(b"#player1 a A\n", mtime=0), "gzip"),
        (b"PK\x03\x04" + bytes(60), "zip"),
        (b"\x28\xb5\x2f\xfd" + bytes(60), "zstd"),
        (b"PAR1" + bytes(60), "Parquet"),
    ],
    ids=["gzip", "zip", "zstd", "parquet"],
)
def test_packed_files_are_no_records(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "games.gcg"
    path.write_bytes(data)
    with pytest.raises(RecordError, match=rf"games\.gcg: is packed \({kind}\), expected records as text") as caught:
        list(read_games(path))
    assert caught.value.code == "source-packed"
