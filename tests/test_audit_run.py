"""Runs of an audit: the same tables however they are made, and nothing lost when something goes wrong."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import fastscore as fs
from fastscore.audit import folder as folder_module
from fastscore.audit.chunks import chunks_of
from fastscore.audit.failures import AuditError
from fastscore.audit.folder import Folder
from fastscore.audit.manifest import Settings, read_manifest
from fastscore.audit.run import Progress, run_audit
from fastscore.audit.sources import Item, SourceError
from fastscore.audit.tables import record_texts
from tests.audits import SHORT, WRONG, folder_of, read, rows, tables

ROOT = Path(__file__).resolve().parents[1]
COUNT = 12


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(tmp_path_factory.mktemp("sources") / "games", COUNT)


@pytest.fixture(scope="module")
def whole(games: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of a run that nothing interrupted."""
    out = tmp_path_factory.mktemp("whole") / "out"
    run_audit([games], out, workers=1, chunk_games=3)
    return out


def test_a_run(games: Path, whole: Path) -> None:
    # Every fifth of the 12 is WRONG: two of them.
    assert [row["source"] for row in rows(whole, "games")] == sorted(str(path) for path in games.iterdir())
    assert [row["code"] for row in rows(whole, "findings")] == ["misscored"] * 2
    assert rows(whole, "errors") == []
    manifest = read_manifest(whole)
    assert manifest is not None
    assert manifest.finished is not None
    assert manifest.finished["games"] == COUNT
    assert sorted(manifest.parts) == [0, 1, 2, 3]
    assert not list(whole.rglob(".tmp-*"))


@pytest.mark.slow
def test_workers_give_the_same_rows(games: Path, whole: Path, tmp_path: Path) -> None:
    summary = run_audit([games], tmp_path / "out", workers=2, chunk_games=3)
    assert (summary.games, summary.findings, summary.parts, summary.parts_before) == (COUNT, 2, 4, 0)
    assert tables(tmp_path / "out") == tables(whole)


def test_the_order_is_that_of_sources_members_games_and_turns(games: Path, tmp_path: Path) -> None:
    (tmp_path / "many.gcgs").write_bytes(SHORT + WRONG + SHORT)
    run_audit([tmp_path / "many.gcgs", games], tmp_path / "out", workers=1, chunk_games=2)
    sources = [str(tmp_path / "many.gcgs"), *sorted(str(path) for path in games.iterdir())]
    keys = [
        (sources.index(row["source"]), row["member"], row["game"], row["turn"])
        for row in rows(tmp_path / "out", "turns")
    ]
    assert keys == sorted(keys)
    assert keys[:6] == [(0, "", 1, 0), (0, "", 1, 1), (0, "", 1, 2), (0, "", 1, 3), (0, "", 1, 4), (0, "", 2, 0)]


def test_chunks_are_cut_by_games_and_bytes_alone() -> None:
    items: list[Item] = [text for number in range(5) for text in record_texts(str(number), SHORT)]
    assert [len(chunk.items) for chunk in chunks_of(items, games=2)] == [2, 2, 1]
    assert [len(chunk.items) for chunk in chunks_of(items, size=3 * len(SHORT))] == [3, 2]
    # One that is larger than a chunk stands alone.
    assert [len(chunk.items) for chunk in chunks_of(items, size=1)] == [1] * 5
    assert [chunk.items for chunk in chunks_of([])] == [()]
    keys = {chunk.key for chunk in chunks_of(items, games=1)}
    assert len(keys) == 5
    assert chunks_of(items, games=9).__next__().key == chunks_of(items, games=5).__next__().key


# --- resuming ---------------------------------------------------------------------------------------------------------


def interrupted(games: Path, out: Path, after: int) -> None:
    """A run that fails after so many parts."""
    seen = 0

    def fail(progress: Progress) -> None:
        nonlocal seen
        seen += 1
        if seen > after + 1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        run_audit([games], out, workers=1, chunk_games=3, progress=fail)


def test_resume(games: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    interrupted(games, out, after=2)
    manifest = read_manifest(out)
    assert manifest is not None
    assert manifest.finished is None
    before = {path: path.stat().st_mtime_ns for path in (out / "games").iterdir()}
    with pytest.raises(AuditError, match=r"holds a run already \(unfinished\), expected --resume"):
        run_audit([games], out, workers=1)
    # The chunks stay as they were cut.
    summary = run_audit([games], out, workers=1, resume=True)
    assert (summary.parts, summary.parts_before) == (4, len(before))
    assert tables(out) == tables(whole)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    with pytest.raises(AuditError, match=r"holds a run already \(finished\)"):
        run_audit([games], out)
    again = run_audit([games], out, workers=1, resume=True)
    assert (again.parts_before, again.games) == (4, COUNT)
    assert tables(out) == tables(whole)


def test_resume_where_nothing_is_begins(games: Path, whole: Path, tmp_path: Path) -> None:
    run_audit([games], tmp_path / "out", workers=1, chunk_games=3, resume=True)
    assert tables(tmp_path / "out") == tables(whole)


@pytest.mark.parametrize("line", [b'{"part": 1, "key"', b"\x00\xff\n", b'"text"\n'])
def test_a_manifest_that_was_cut_off(games: Path, whole: Path, tmp_path: Path, line: bytes) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    path = out / "manifest.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + line)
    (out / "games" / ".tmp-part-000001.parquet").write_bytes(b"half")
    summary = run_audit([games], out, workers=1, resume=True)
    assert summary.parts_before == 1
    assert tables(out) == tables(whole)
    assert not list(out.rglob(".tmp-*"))


def test_files_that_are_missing_or_cut_are_made_again(games: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    (out / "turns" / "part-000002.parquet").unlink()
    cut = out / "findings" / "part-000001.parquet"
    cut.write_bytes(cut.read_bytes()[:-1])
    assert run_audit([games], out, workers=1, resume=True).parts_before == 2
    assert tables(out) == tables(whole)


def test_sources_that_changed_are_read_again(tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", COUNT)
    interrupted(games, tmp_path / "out", after=3)
    (games / "game004.gcg").write_bytes(SHORT)
    for number in (9, 10, 11):
        (games / f"game{number:03d}.gcg").unlink()
    summary = run_audit([games], tmp_path / "out", workers=1, resume=True)
    # The second chunk has another game now; a fourth one is not there any more.
    assert (summary.parts, summary.parts_before, summary.games, summary.findings) == (3, 2, 9, 0)
    run_audit([games], tmp_path / "fresh", workers=1, chunk_games=3)
    assert tables(tmp_path / "out") == tables(tmp_path / "fresh")


def test_other_rules_are_another_run(games: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    with pytest.raises(AuditError, match=r"was begun with rules 'record', not 'classic/english [0-9a-f]{16}'"):
        run_audit([games], out, workers=1, rules="classic/english", resume=True)
    rules = fs.load_rules("classic/english")
    same_name = dataclasses.replace(rules, rack_size=8)
    assert Settings.of(rules, 1, 1) != Settings.of(same_name, 1, 1)
    assert Settings.of([rules], 1, 1) == Settings.of(rules, 1, 1)


def test_other_sources_are_another_run(games: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    before = tables(out)
    # A slip of the pen costs nothing.
    for sources, how in (
        ([tmp_path / "gamse"], rf"without '{tmp_path}/gamse'"),
        ([games, games / "game001.gcg"], rf"without '{games}/game001.gcg'"),
        ([], rf"with '{games}', too"),
    ):
        with pytest.raises(AuditError, match=rf"was begun {how}: expected the same sources, or another folder$"):
            run_audit(sources, out, workers=1, resume=True)
    several = tmp_path / "several"
    run_audit([games, tmp_path / "later.gcg"], several, workers=1)
    with pytest.raises(AuditError, match=r"was begun with its sources in another order: expected"):
        run_audit([tmp_path / "later.gcg", games], several, workers=1, resume=True)
    # What was not there may come, and what was there must not go.
    (tmp_path / "later.gcg").write_bytes(SHORT)
    assert run_audit([games, tmp_path / "later.gcg"], several, workers=1, resume=True).games == COUNT + 1
    games.rename(tmp_path / "away")
    try:
        with pytest.raises(AuditError, match=rf"source '{games}' is not there any more"):
            run_audit([games], out, workers=1, resume=True)
    finally:
        (tmp_path / "away").rename(games)
    assert tables(out) == before


def test_one_source_by_itself(games: Path, tmp_path: Path) -> None:
    assert run_audit(str(games), tmp_path / "out", workers=1).games == COUNT
    assert run_audit(games, tmp_path / "other", workers=1).games == COUNT


def test_a_lexicon_that_is_none(games: Path, tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=r"lexicon 'words\.txt', expected a fastscore\.Lexicon"):
        run_audit(games, tmp_path / "out", lexicon="words.txt")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_is_of_parts_that_are_complete(games: Path, tmp_path: Path, workers: int) -> None:
    seen: list[Progress] = []
    run_audit([games], tmp_path / "out", workers=workers, chunk_games=3, progress=seen.append)
    # A file is read by the worker that has its chunk: so many files are done as there are games.
    assert [each.sources for each in seen[:-1]] == [each.games for each in seen[:-1]]
    assert (seen[0].sources, seen[-1].sources, seen[-1].sources_total) == (0, COUNT, COUNT)
    assert seen[-1].bytes == seen[-1].bytes_total == sum(path.stat().st_size for path in games.iterdir())


# --- folders that cannot be written -----------------------------------------------------------------------------------


def test_two_runs_refuse_each_other(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with (
        Folder(out, Settings.of(None, 1, 1, sources=[str(games)]), resume=False),
        pytest.raises(AuditError, match=rf"another run writes here \(process {os.getpid()}\), expected its end"),
    ):
        run_audit([games], out, workers=1, resume=True)
    # The lock ends with its run.
    assert run_audit([games], out, workers=1, resume=True).games == COUNT


def test_folders_of_something_else(games: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(AuditError, match=r"holds 'letter.txt', expected a new or an empty folder"):
        run_audit([games], tmp_path, workers=1)
    with pytest.raises(AuditError, match=r"letter.txt/out: cannot be written: not a directory") as caught:
        run_audit([games], tmp_path / "letter.txt" / "out", workers=1)
    assert caught.value.source == str(tmp_path / "letter.txt" / "out")


def test_a_full_disk(games: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    calls = 0

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 12:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder_module.os, "fsync", fsync)
    # The manifest, then four tables and a line for each part: the twelfth is the first table of the third part.
    with pytest.raises(
        AuditError, match=r"cannot be written: no space left on device; 2 parts are complete, --resume goes on"
    ):
        run_audit([games], out, workers=1, chunk_games=3)
    assert not list(out.rglob(".tmp-*"))
    summary = run_audit([games], out, workers=1, resume=True)
    assert summary.parts_before == 2
    assert tables(out) == tables(whole)


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_a_system_that_writes_no_more(games: Path, tmp_path: Path) -> None:
    code = f"""
        import resource
        from fastscore.audit.run import run_audit
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        run_audit([{str(games)!r}], {str(tmp_path / "out")!r}, workers=1, chunk_games=3)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ran.returncode != 0
    assert "cannot be written: file too large; 0 parts are complete, --resume goes on with the others" in ran.stderr
    assert run_audit([games], tmp_path / "out", workers=1, resume=True).games == COUNT


# --- sources that cannot be read --------------------------------------------------------------------------------------


def test_a_bad_source_costs_one_row(games: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    summary = run_audit([tmp_path / "bad.zip", games, tmp_path / "missing.gcg"], tmp_path / "out", workers=1)
    assert (summary.games, summary.errors) == (COUNT, 2)
    assert [(row["source"], row["code"]) for row in rows(tmp_path / "out", "errors")] == [
        (str(tmp_path / "bad.zip"), "source-unreadable"),
        (str(tmp_path / "missing.gcg"), "source-unreadable"),
    ]


def test_a_source_that_goes_away_before_a_worker_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = folder_of(tmp_path / "games", 3)

    def remove(progress: Progress) -> None:
        (games / "game001.gcg").unlink(missing_ok=True)

    summary = run_audit([games], tmp_path / "out", workers=1, chunk_games=1, progress=remove)
    assert (summary.games, summary.errors) == (2, 0)
    held: list[Item] = [SourceError("x", "y", 7, "code", "detail")]
    monkeypatch.setattr("fastscore.audit.run.read_source", lambda *_: held)
    run_audit([games], tmp_path / "other", workers=1)
    assert rows(tmp_path / "other", "errors")[0] == {
        "source": "x",
        "member": "y",
        "line": 7,
        "code": "code",
        "detail": "detail",
    }


def test_no_sources_give_empty_tables(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    summary = run_audit([tmp_path / "empty"], tmp_path / "out", workers=1)
    assert (summary.games, summary.parts) == (0, 1)
    assert all(len(table) == 0 for table in tables(tmp_path / "out").values())


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_names_of_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.gcg")
    path.write_bytes(WRONG)
    (tmp_path / os.fsdecode(b"bad\xe9.zip")).write_bytes(b"no zip")
    run_audit([tmp_path], tmp_path / "out", workers=1)
    assert [row["source"] for row in rows(tmp_path / "out", "findings")] == [str(tmp_path / "caf\\xe9.gcg")]
    assert [row["source"] for row in rows(tmp_path / "out", "errors")] == [str(tmp_path / "bad\\xe9.zip")]


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_progress(games: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    run_audit([games], tmp_path / "out", workers=1, chunk_games=5, progress=seen.append)
    size = sum(path.stat().st_size for path in games.iterdir())
    assert (seen[0].games, seen[0].sources_total, seen[0].bytes_total) == (0, COUNT, size)
    assert [each.games for each in seen] == [0, 5, 10, 12, 12]
    assert (seen[-1].sources, seen[-1].bytes, seen[-1].findings) == (COUNT, size, 2)


def test_duplicates_whoever_played(tmp_path: Path) -> None:
    copy = SHORT.replace(b"Ann", b"Eve").replace(b">a: ABDEGOT", b">a: ABDEGIN")
    (tmp_path / "a.gcgs").write_bytes(SHORT + WRONG + copy)
    (tmp_path / "b.gcg").write_bytes(SHORT)
    (tmp_path / "c.gcg").write_bytes(b"#player1 a A\n")
    (tmp_path / "d.gcg").write_bytes(b"#player1 b B\n")
    summary = run_audit([tmp_path], tmp_path / "out", workers=1, chunk_games=2)
    a, b = str(tmp_path / "a.gcgs"), str(tmp_path / "b.gcg")
    found = [
        (row["source"], row["game"], row["first_source"], row["first_game"])
        for row in rows(tmp_path / "out", "duplicates")
    ]
    # Records without a turn are no copies of each other.
    assert found == [(a, 3, a, 1), (b, 1, a, 1)]
    assert summary.duplicates == 2


def test_tables_are_the_same_bytes(games: Path, whole: Path, tmp_path: Path) -> None:
    run_audit([games], tmp_path / "out", workers=1, chunk_games=3)
    for path in whole.rglob("*.parquet"):
        assert (tmp_path / "out" / path.relative_to(whole)).read_bytes() == path.read_bytes()


def test_every_file_says_what_it_is(whole: Path) -> None:
    for table in ("games", "turns", "findings", "errors", "duplicates"):
        metadata = read(whole, table).schema.metadata
        assert metadata[b"fastscore.table"] == table.encode()
        assert metadata[b"fastscore.schema"] == b"1"


def test_numbers_of_workers() -> None:
    with pytest.raises(AuditError, match="workers: 0, expected 1 or more"):
        run_audit([], "nowhere", workers=0)


def test_the_manifest_is_lines_of_json(whole: Path) -> None:
    lines: list[dict[str, Any]] = [json.loads(line) for line in (whole / "manifest.jsonl").read_text().splitlines()]
    assert list(lines[0]) == ["settings"]
    assert [line["part"] for line in lines[1:-1]] == [0, 1, 2, 3]
    assert lines[-1]["finished"]["findings"] == 2
    assert read_manifest(whole.parent) is None
