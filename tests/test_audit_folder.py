"""The folder of a run: what it takes for its own, and what it makes of a manifest that is not as it wrote it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastscore.audit.failures import AuditError
from fastscore.audit.manifest import Settings, read_manifest
from fastscore.audit.run import run_audit
from fastscore.audit.schema import TABLES
from fastscore.audit.statistics import statistics
from tests.audits import SHORT, folder_of, tables

COUNT = 8
PARTS = 3


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "games", COUNT)


@pytest.fixture
def out(games: Path, tmp_path: Path) -> Path:
    run_audit(games, tmp_path / "out", workers=1, chunk_games=PARTS)
    return tmp_path / "out"


def resume(games: Path, out: Path) -> int:
    """The parts that were taken over."""
    return run_audit(games, out, workers=1, resume=True).parts_before


# --- folders that are somebody's --------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [False, True])
def test_tables_without_a_manifest_are_not_touched(games: Path, out: Path, again: bool) -> None:
    before = tables(out)
    (out / "manifest.jsonl").unlink()
    with pytest.raises(AuditError, match=r"holds 'duplicates', expected a new or an empty folder"):
        run_audit(games, out, workers=1, resume=again)
    assert tables(out) == before


def test_records_in_a_folder_that_is_called_like_a_table(tmp_path: Path) -> None:
    record = tmp_path / "mine" / "games" / "part-000.parquet"
    record.parent.mkdir(parents=True)
    record.write_bytes(SHORT)
    with pytest.raises(AuditError, match=r"holds 'games', expected a new or an empty folder"):
        run_audit(record, tmp_path / "mine", workers=1)
    assert record.read_bytes() == SHORT


def test_a_lock_of_something_else(games: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / ".lock").write_bytes(b"precious \xff")
    (folder / "code.py").touch()
    with pytest.raises(AuditError, match=r"holds '\.lock', expected a new or an empty folder"):
        run_audit(games, folder, workers=1)
    assert (folder / ".lock").read_bytes() == b"precious \xff"


def test_a_lock_file_of_somebody_else_alone(games: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / ".lock").write_bytes(b"my own lock")
    with pytest.raises(AuditError, match=r"holds '\.lock', expected a new or an empty folder"):
        run_audit(games, folder, workers=1)
    assert (folder / ".lock").read_bytes() == b"my own lock"


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of that kind")
def test_pipes_in_place_of_files(games: Path, out: Path) -> None:
    manifest, part = out / "manifest.jsonl", out / "games" / "part-000000.parquet"
    for path in (manifest, part):
        path.unlink()
        os.mkfifo(path)
    for call in (statistics, lambda folder: run_audit(games, folder, workers=1, resume=True)):
        with pytest.raises(AuditError, match=r"manifest\.jsonl: is no file"):
            call(out)
    manifest.unlink()
    with pytest.raises(AuditError, match=r"part-000000\.parquet: is no file"):
        statistics(out)


def test_another_column_is_another_run(tmp_path: Path) -> None:
    source, out = tmp_path / "two.parquet", tmp_path / "out"
    pq.write_table(pa.table({"x": [SHORT], "y": [SHORT + SHORT]}), source)
    run_audit(source, out, workers=1, column="x")
    for column in ("y", None):
        with pytest.raises(AuditError, match=rf"was begun with column 'x', not '{column or ''}': expected the same"):
            run_audit(source, out, workers=1, column=column, resume=True)
    assert run_audit(source, out, workers=1, column="x", resume=True).games == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no links and pipes of that kind")
def test_a_lock_that_is_no_file(games: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"mine")
    linked, piped = tmp_path / "linked", tmp_path / "piped"
    linked.mkdir()
    piped.mkdir()
    (linked / ".lock").symlink_to(tmp_path / "precious")
    os.mkfifo(piped / ".lock")
    for folder in (linked, piped):
        with pytest.raises(AuditError, match=r"cannot be written: too many levels|holds '\.lock', which is no file"):
            run_audit(games, folder, workers=1)
    assert (tmp_path / "precious").read_bytes() == b"mine"


def test_a_file_in_place_of_the_folder(games: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    with pytest.raises(AuditError, match=r"file: is a file, expected a new or an empty folder$"):
        run_audit(games, tmp_path / "file", workers=1)


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
@pytest.mark.parametrize("name", ["s3:", "file:", "~", "a b%20", "hdfs:x", "#1?"])
def test_names_that_look_like_addresses(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    run_audit(games, f"./{name}", workers=1)
    assert statistics(f"./{name}").collection["games"] == COUNT


def test_a_name_that_is_no_text(games: Path, tmp_path: Path) -> None:
    for call in (lambda out: run_audit(games, out, workers=1), statistics):
        with pytest.raises(AuditError, match="a name that is no text, expected another one for the folder"):
            call(f"{tmp_path}/o\udcff")


# --- parts and manifests that are damaged -----------------------------------------------------------------------------


def test_a_damaged_part_is_made_again(games: Path, out: Path) -> None:
    before = tables(out)
    for table in ("turns", "games", "findings"):
        part = out / table / "part-000001.parquet"
        data = bytearray(part.read_bytes())
        # The size stays the same.
        data[len(data) // 2] ^= 0xFF
        part.write_bytes(data)
        assert resume(games, out) == PARTS - 1
        assert tables(out) == before


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"{",
        b"[]",
        b"5",
        b'{"settings": 5}',
        b'{"settings": {}}',
        b'{"settings": {"rules": "record"}}',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_a_manifest_without_settings(games: Path, out: Path, first: bytes, again: bool) -> None:
    before = tables(out)
    path = out / "manifest.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first + b"\n", *lines[1:]]))
    with pytest.raises(AuditError, match=r"manifest\.jsonl:1: does not begin with the settings of an audit"):
        run_audit(games, out, workers=1, resume=again)
    with pytest.raises(AuditError, match="does not begin with the settings of an audit"):
        statistics(out)
    assert tables(out) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [("chunk_games", "a"), ("chunk_bytes", None), ("schema", True), ("rules", 1), ("sources", "a"), ("missing", [1])],
)
def test_settings_that_make_no_sense(out: Path, name: str, value: Any) -> None:
    path = out / "manifest.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    settings = json.loads(lines[0])["settings"]
    path.write_text(json.dumps({"settings": {**settings, name: value}}) + "\n", "utf-8")
    with pytest.raises(AuditError, match="does not begin with the settings of an audit"):
        read_manifest(out)


@pytest.mark.parametrize(
    "change",
    [
        {"part": [1]},
        {"part": None},
        {"part": True},
        {"part": -1},
        {"part": 1e9},
        {"part": 10**12},
        {"key": 5},
        {"rows": None},
        {"rows": {}},
        {"rows": {"games": "1"}},
        {"files": {}},
        {"files": []},
        {"files": {"games": [1, "a"]}},
        {"files": {table: [1] for table in TABLES}},
        {"files": {table: ["1", "a"] for table in TABLES}},
        {"files": {table: [1, 2] for table in TABLES}},
    ],
    ids=str,
)
def test_parts_that_make_no_sense(games: Path, out: Path, change: dict[str, Any]) -> None:
    before = tables(out)
    path = out / "manifest.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    lines[1] = json.dumps({**json.loads(lines[1]), **change}) + "\n"
    path.write_text("".join(lines[:-1]), "utf-8")
    found = read_manifest(out)
    assert found is not None
    assert (sorted(found.parts), found.finished) == ([1, 2], None)
    assert resume(games, out) == PARTS - 1
    assert tables(out) == before


@pytest.mark.parametrize("line", ["5", "[]", "{", '{"finished": 5}', '{"finished": {"games": -1}}', "[" * 100_000])
def test_other_lines_are_passed_over(games: Path, out: Path, line: str) -> None:
    path = out / "manifest.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([lines[0], f"{line}\n", *lines[1:]]), "utf-8")
    found = read_manifest(out)
    assert found is not None
    assert (sorted(found.parts), found.finished is None) == ([0, 1, 2], False)
    assert resume(games, out) == PARTS


def test_settings_come_back_as_they_were(out: Path, games: Path) -> None:
    found = read_manifest(out)
    assert found is not None
    assert found.settings == Settings.of(None, PARTS, 4 << 20, sources=[str(games)])
    assert read_manifest(games) is None
