"""What an audit makes of packed files that are cut or damaged, of odd names and of surprises."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastscore.audit import sources
from fastscore.audit.chunks import chunks_of
from fastscore.audit.limits import Limits
from fastscore.audit.rows import RecordText
from fastscore.audit.sources import LooseFile, Meter, SourceError, SourceFile, list_sources, read_source
from tests.audits import SHORT, WRONG
from tests.test_audit_sources import errors, items, labels, tar_bytes, texts, zip_bytes, zst

ROOT = Path(__file__).resolve().parents[1]
# 1,000 games of 7 lines, no two of them alike.
GAMES = [SHORT.replace(b"Ann", b"A%03d" % number) for number in range(1000)]
MANY = b"".join(GAMES)
LENGTH = len(GAMES[0])


def read(path: Path, data: bytes) -> tuple[list[bytes], list[tuple[str, int | None, str]]]:
    """The games of a file with these bytes, and member, line and code of its errors."""
    path.write_bytes(data)
    found = list(items(path))
    games = [item.data for item in found if isinstance(item, RecordText)]
    return games, [(item.member, item.line, item.code) for item in found if isinstance(item, SourceError)]


# --- cut and damaged --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [1, 4, 8])
def test_gz_without_its_end_has_all_games(tmp_path: Path, cut: int) -> None:
    # The last eight bytes are checksum and size: all contents stand before them.
    expected = GAMES, [("", 7001, "source-unreadable")]
    assert read(tmp_path / "a.gcgs.gz", gzip.compress(MANY)[:-cut]) == expected


@pytest.mark.parametrize("cut", [9, 100, 1000])
def test_gz_cut_in_its_contents_has_what_is_left(tmp_path: Path, cut: int) -> None:
    data = gzip.compress(MANY)[:-cut]
    left = len(zlib.decompressobj(31).decompress(data))
    games, found = read(tmp_path / "a.gcgs.gz", data)
    # A game is whole where the head of the next, `#player1`, is there.
    whole = (left - 8) // LENGTH
    assert games == GAMES[:whole]
    assert found == [("", 7 * whole + 1, "source-unreadable")]


def test_gz_with_a_wrong_checksum(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(MANY))
    data[-8] ^= 1
    expected = GAMES, [("", 7001, "source-unreadable")]
    assert read(tmp_path / "a.gcgs.gz", bytes(data)) == expected
    data = bytearray(gzip.compress(tar_bytes({"a.gcgs": MANY})))
    data[-8] ^= 1
    assert read(tmp_path / "a.tar.gz", bytes(data)) == (GAMES, [("", None, "source-unreadable")])


def test_gz_with_zeros_and_other_things_behind_it(tmp_path: Path) -> None:
    packed = gzip.compress(MANY)
    assert read(tmp_path / "a.gcgs.gz", packed + bytes(600) + packed + bytes(3)) == (GAMES * 2, [])
    assert read(tmp_path / "b.gcgs.gz", packed + b"more") == (GAMES, [("", 7001, "source-unreadable")])


def test_gz_headers(tmp_path: Path) -> None:
    deflated = gzip.compress(SHORT)[10:]
    # Extra field, name, comment and a checksum of the header: 4 + 8 + 16 + 2.
    header = b"\x1f\x8b\x08\x1e" + bytes(6) + b"\x03\x00abc" + b"name\0" + b"comment\0" + b"ck"
    path = tmp_path / "a.gcg.gz"
    assert read(path, header + deflated) == ([SHORT], [])
    for end in range(1, len(header)):
        assert read(path, header[:end]) == ([], [("", None, "source-unreadable")])
    assert read(path, b"\x1f\x8b\x07" + header[3:] + deflated)[1] == [("", None, "source-unreadable")]


def test_zst_cut_near_its_end(tmp_path: Path) -> None:
    # zstd packs blocks of 128 KiB, so that a cut leaves the first; games are found by the heads behind them.
    whole = ((1 << 17) - 8) // LENGTH
    assert len(MANY) > 1 << 17
    for cut in (1, 100):
        games, found = read(tmp_path / "a.gcgs.zst", zst(MANY)[:-cut])
        assert games == GAMES[:whole]
        assert found == [("", 7 * whole + 1, "source-unreadable")]


def test_zst_that_asks_for_too_much_memory(tmp_path: Path) -> None:
    # A frame's magic number, no flags, and a window of 2 ** (10 + 21) bytes; an empty last block.
    games, found = read(tmp_path / "a.gcg.zst", b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00")
    assert (games, found) == ([], [("", None, "source-unreadable")])


def test_members_of_a_cut_tar(tmp_path: Path) -> None:
    data = tar_bytes({"a.gcgs": MANY})
    # The member begins behind a header of 512 bytes; here ten games of it are left and the head of the next.
    assert read(tmp_path / "a.tar", data[: 512 + 10 * LENGTH + 20]) == (
        GAMES[:10],
        [("a.gcgs", 71, "member-damaged")],
    )
    games, found = read(tmp_path / "b.tar.gz", gzip.compress(data)[:-200])
    assert len(games) > 900
    assert games == GAMES[: len(games)]
    assert found == [("a.gcgs", 7 * len(games) + 1, "member-damaged")]


METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflate": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}


def directory(data: bytes, offset: int, form: str, value: int) -> bytes:
    """A zip file whose directory's first entry says something else `offset` bytes from its beginning."""
    changed = bytearray(data)
    struct.pack_into(form, changed, data.index(b"PK\x01\x02") + offset, value)
    return bytes(changed)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_members_with_another_checksum_have_all_games(tmp_path: Path, method: int) -> None:
    members = {"a.gcgs": MANY, "empty.gcg": b"", "b.gcg": WRONG}
    data = zip_bytes(members, method)
    path = tmp_path / "a.zip"
    assert read(path, data) == ([*GAMES, b"", WRONG], [])
    # The checksum stands 16 bytes into an entry of the directory, the size 24.
    assert read(path, directory(data, 16, "<L", 1)) == (
        [*GAMES, b"", WRONG],
        [("a.gcgs", 7001, "member-damaged")],
    )
    # No more is read than the directory says: ten games.
    assert read(path, directory(data, 24, "<L", 10 * LENGTH)) == (
        [*GAMES[:10], b"", WRONG],
        [("a.gcgs", 71, "member-damaged")],
    )
    games, found = read(path, directory(data, 24, "<L", len(MANY) + 1))
    assert games[-2:] == [b"", WRONG]
    assert [(member, code) for member, _, code in found] == [("a.gcgs", "member-damaged")]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_members_with_damaged_contents_have_what_is_left(tmp_path: Path, method: int) -> None:
    data = bytearray(zip_bytes({"a.gcgs": MANY, "b.gcg": WRONG}, method))
    # The last fifty bytes of the first member.
    end = data.index(b"PK\x03\x04", 4)
    data[end - 50 : end] = b"\xff" * 50
    games, found = read(tmp_path / "a.zip", bytes(data))
    assert games[-1] == WRONG
    assert games[:800] == GAMES[:800]
    assert [(member, code) for member, _, code in found] == [("a.gcgs", "member-damaged")]


@pytest.mark.parametrize(
    ("change", "code", "detail"),
    [
        # The method stands 10 bytes into an entry of the directory, the place of the member 42.
        (lambda data: directory(data, 10, "<H", 93), "member-unsupported", "packed by method 93, expected stored"),
        (lambda data: directory(data, 10, "<H", 14), "member-damaged", "no lzma header"),
        (lambda data: directory(data, 42, "<L", 7), "member-damaged", "no member where the directory says"),
        (lambda data: directory(data, 20, "<L", 5), "member-damaged", "the file ends within packed data"),
    ],
)
def test_members_that_are_not_read(tmp_path: Path, change: Callable[[bytes], bytes], code: str, detail: str) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(change(zip_bytes({"a.gcg": SHORT})))
    (error,) = errors(path)
    assert (error.member, error.code) == ("a.gcg", code)
    assert error.detail.startswith(detail)


def test_lzma_that_asks_for_too_much_memory(tmp_path: Path) -> None:
    data = bytearray(zip_bytes({"a.gcg": SHORT}, zipfile.ZIP_LZMA))
    # Behind the member's header and name: version, length, a byte of settings, the dictionary.
    struct.pack_into("<L", data, 30 + len("a.gcg") + 5, 1 << 30)
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    (error,) = errors(path)
    assert (error.code, error.detail) == (
        "member-unsupported",
        "an LZMA dictionary of 1073741824 bytes, expected 134217728 at most",
    )


def test_a_member_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_bytes({"Xx.gcg": b"", "b.gcg": SHORT}).replace(b"Xx.gcg", b"\0x.gcg"))
    meter = Meter()
    assert [text.member for text in texts(path, meter=meter)] == ["b.gcg"]
    assert meter.passed_over == 1


# --- surprises --------------------------------------------------------------------------------------------------------


def surprising(error: BaseException) -> Callable[..., Any]:
    def members(*_: object) -> Any:
        raise error

    return members


def test_whatever_a_source_raises_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.tar").write_bytes(tar_bytes({"a.gcg": SHORT}))
    (tmp_path / "b.gcg").write_bytes(WRONG)
    monkeypatch.setattr(sources, "tar_members", surprising(IndexError("list index out of range")))
    error, text = items(tmp_path)
    assert error == SourceError(
        str(tmp_path / "a.tar"), "", None, "source-unreadable", "indexerror: list index out of range"
    )
    assert isinstance(text, RecordText)


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_what_is_no_fault_of_a_source_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    (tmp_path / "a.tar").write_bytes(tar_bytes({"a.gcg": SHORT}))
    monkeypatch.setattr(sources, "tar_members", surprising(error()))
    with pytest.raises(error):
        list(items(tmp_path))


def test_errors_of_the_reader_are_not_those_of_a_source(tmp_path: Path) -> None:
    (tmp_path / "a.gcgs.gz").write_bytes(gzip.compress(MANY))
    found = items(tmp_path)
    next(found)
    # As where the folder for the tables is full: what is read goes on, and does not take the blame.
    try:
        raise OSError("no space left on device")
    except OSError:
        assert isinstance(next(found), RecordText)


# --- folders and names ------------------------------------------------------------------------------------------------


def test_folders_deep_within_one_another(tmp_path: Path) -> None:
    path, count = str(tmp_path), sys.getrecursionlimit()
    made = []
    try:
        for _ in range(count):
            path += "/a"
            os.mkdir(path)
            made.append(path)
        for name in ("0.gcg", "b.gcg"):
            Path(tmp_path, "a", name).write_bytes(SHORT)
        deepest = Path(path, "x.gcg")
        deepest.write_bytes(SHORT)
        found = labels([str(tmp_path)])
        # By their names: 0.gcg, the folder a with all that is in it, b.gcg.
        assert found == [str(tmp_path / "a" / "0.gcg"), str(deepest), str(tmp_path / "a" / "b.gcg")]
        deepest.unlink()
    finally:
        for name in ("0.gcg", "b.gcg"):
            Path(tmp_path, "a", name).unlink(missing_ok=True)
        # What cleans up behind tests calls itself.
        for folder in reversed(made):
            os.rmdir(folder)


@pytest.mark.skipif(os.mkdir not in os.supports_dir_fd, reason="no way to make such paths")
def test_paths_that_are_too_long(tmp_path: Path) -> None:
    (tmp_path / "z.gcg").write_bytes(SHORT)
    name = "n" * 200
    folder = os.open(tmp_path, os.O_RDONLY)
    # 25 x 201 are more than the 4096 (or fewer) bytes that a path may have.
    for _ in range(25):
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    error, text = items(tmp_path)
    assert isinstance(error, SourceError)
    assert (error.code, error.detail) == ("source-unreadable", "file name too long")
    assert error.source.endswith(f"/{name}")
    assert isinstance(text, RecordText)


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_no_two_files_have_one_label(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    for name in (rb"a\xff.gcg", b"a\xff.gcg", rb"b\xff.gcg", rb"c\d.gcg"):
        with open(folder + b"/" + name, "wb") as handle:
            handle.write(SHORT)
    found = [os.path.basename(text.source) for text in texts(tmp_path)]
    # The byte alone is a surrogate beyond all letters, and comes behind the backslash.
    assert found == ["a\\xff.gcg", "a\\xff.gcg#2", "b\\xff.gcg", "c\\d.gcg"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert labels([str(tmp_path / "pipe")] * 2) == [str(tmp_path / "pipe")]


# --- what is kept of an earlier run -----------------------------------------------------------------------------------


def key_of(folder: Path) -> str:
    found: list[Any] = []
    for source in list_sources([str(folder)]):
        assert isinstance(source, SourceFile)
        found += read_source(source, Limits(), Meter())
    assert all(isinstance(item, LooseFile) for item in found)
    (chunk,) = chunks_of(found)
    return chunk.key


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_keys_tell_files_with_other_rights_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gcg"
    path.write_bytes(SHORT)
    first = key_of(tmp_path)
    assert key_of(tmp_path) == first
    path.chmod(0o600)
    second = key_of(tmp_path)
    assert second != first
    # The file as it was, for somebody who may not read it.
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert key_of(tmp_path) not in (first, second)


@pytest.mark.skipif(sys.platform == "win32", reason="no such times there")
def test_keys_tell_files_apart_whose_time_was_set_back(tmp_path: Path) -> None:
    path = tmp_path / "a.gcg"
    path.write_bytes(SHORT)
    first = key_of(tmp_path)
    before = path.stat().st_mtime_ns
    path.write_bytes(SHORT.replace(b"Ann", b"Eve"))
    os.utime(path, ns=(before, before))
    assert key_of(tmp_path) != first


# As root everything can be read, so that it becomes nobody, once all is imported that nobody may not reach.
REPAIRED = """
import os, sys
from pathlib import Path
from fastscore.audit.run import run_audit
from tests.audits import folder_of, rows
root = Path(sys.argv[1])
run_audit([folder_of(root / "first", 3)], root / "first-out", workers=1)
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
games, out = folder_of(root / "games", 4), root / "out"
closed = games / "game002.gcg"
closed.chmod(0)
before = run_audit([games], out, workers=1, chunk_games=1)
print(before.games, [(Path(row["source"]).name, row["detail"]) for row in rows(out, "errors")])
closed.chmod(0o644)
after = run_audit([games], out, workers=1, resume=True)
print(after.games, after.errors, after.parts, after.parts_before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights as Unix has them")
def test_a_file_that_may_be_read_after_all() -> None:
    # Nobody may look into the folders that pytest makes.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        command = [sys.executable, "-c", REPAIRED, folder]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr
    first, second = ran.stdout.splitlines()
    assert first == "3 [('game002.gcg', 'permission denied')]"
    # Of four parts only the one with that file is made again.
    assert second == "4 0 4 3"
