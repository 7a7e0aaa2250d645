"""What an audit reads: folders, archives, columns, and what it refuses to read."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastscore.audit.limits import Limits
from fastscore.audit.rows import RecordText
from fastscore.audit.sources import (
    Item,
    LooseFile,
    Meter,
    SourceError,
    SourceFile,
    list_sources,
    read_loose,
    read_source,
)
from tests.audits import SHORT, WRONG

MEMBERS = {"b/second.gcg": WRONG, "first.gcgs": SHORT + WRONG, "README.txt": b"no record"}
# What must come out of every archive of these: member and number of each game.
FOUND = [("b/second.gcg", 1), ("first.gcgs", 1), ("first.gcgs", 2)]


def items(
    *paths: Path | str, limits: Limits | None = None, meter: Meter | None = None, column: str | None = None
) -> Iterator[RecordText | SourceError]:
    """All that is read of some paths, small files as well."""
    meter = meter or Meter()
    for source in list_sources([str(path) for path in paths], meter):
        found: list[Item] = (
            [source]
            if isinstance(source, SourceError)
            else list(read_source(source, limits or Limits(), meter, column))
        )
        for item in found:
            if isinstance(item, LooseFile):
                yield from read_loose(item)
            else:
                yield item


def texts(*paths: Path | str, **options: Any) -> list[RecordText]:
    """The games of some paths, all of which can be read."""
    found = list(items(*paths, **options))
    assert not [item for item in found if isinstance(item, SourceError)]
    return [item for item in found if isinstance(item, RecordText)]


def errors(*paths: Path | str, **options: Any) -> list[SourceError]:
    return [item for item in items(*paths, **options) if isinstance(item, SourceError)]


def labels(paths: list[str]) -> list[str]:
    return [source.label for source in list_sources(paths) if isinstance(source, SourceFile)]


# --- archives to be read ----------------------------------------------------------------------------------------------


def tar_bytes(members: dict[str, bytes], **settings: Any) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", **settings) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zip_bytes(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def zst(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "a.zip": lambda: zip_bytes(MEMBERS),
    "stored.zip": lambda: zip_bytes(MEMBERS, zipfile.ZIP_STORED),
    "lzma.zip": lambda: zip_bytes(MEMBERS, zipfile.ZIP_LZMA),
    "a.tar": lambda: tar_bytes(MEMBERS),
    "pax.tar": lambda: tar_bytes(MEMBERS, format=tarfile.PAX_FORMAT, pax_headers={"comment": "of all"}),
    "a.tar.gz": lambda: gzip.compress(tar_bytes(MEMBERS)),
    "a.tgz": lambda: gzip.compress(tar_bytes(MEMBERS, format=tarfile.USTAR_FORMAT)),
    "a.tar.zst": lambda: zst(tar_bytes(MEMBERS)),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name]())
    meter = Meter()
    found = texts(path, meter=meter)
    assert [(text.member, text.game) for text in found] == FOUND
    assert [text.data for text in found] == [WRONG, SHORT, WRONG]
    assert {text.source for text in found} == {str(path)}
    assert found[2].first_line == 8
    assert meter.passed_over == 1
    assert meter.bytes > 0
    # A folder is looked into for archives too.
    assert texts(tmp_path) == found


@pytest.mark.parametrize(("name", "pack"), [("x.gcgs.gz", gzip.compress), ("x.gcg.zst", zst)])
def test_one_packed_file(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / name
    # Two streams, one behind the other, are one file.
    path.write_bytes(pack(SHORT) + pack(WRONG))
    assert [(text.member, text.game, text.data) for text in texts(path)] == [("", 1, SHORT), ("", 2, WRONG)]


def test_long_names_in_tar(tmp_path: Path) -> None:
    name = f"{'long/' * 60}game.gcg"
    for kind in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        path = tmp_path / f"{kind}.tar"
        path.write_bytes(tar_bytes({name: SHORT, "next.gcg": WRONG}, format=kind))
        assert [text.member for text in texts(path)] == [name, "next.gcg"]


def test_names_of_members_are_labels(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    names = ["../escaped.gcg", "/absolute.gcg", "C:\\dir\\game.gcg", "twice.gcg"]
    (inside / "a.zip").write_bytes(zip_bytes(dict.fromkeys(names, SHORT)))
    # Each member takes a block of 512 bytes for its header and one for its text; behind them stand others.
    members = tar_bytes(dict.fromkeys(names, SHORT))[: 4 * 1024]
    (inside / "b.tar").write_bytes(members + tar_bytes({"twice.gcg": WRONG}))
    before = sorted(tmp_path.rglob("*"))
    found = texts(inside / "b.tar")
    assert [text.member for text in found] == [*names, "twice.gcg#2"]
    # zipfile names members with one kind of slash.
    assert [text.member for text in texts(inside / "a.zip")] == names
    assert sorted(tmp_path.rglob("*")) == before


# --- archives to be refused -------------------------------------------------------------------------------------------


def tar_with(*infos: tuple[str, bytes, str]) -> bytes:
    """A tar file of special members (name, type, link target) and a record behind them."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind, target in infos:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
        info = tarfile.TarInfo("last.gcg")
        info.size = len(SHORT)
        archive.addfile(info, io.BytesIO(SHORT))
    return out.getvalue()


def test_links_and_devices_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    special = [
        ("link.gcg", tarfile.SYMTYPE, "/etc/passwd"),
        ("hard.gcg", tarfile.LNKTYPE, "last.gcg"),
        ("device.gcg", tarfile.CHRTYPE, ""),
        ("pipe.gcg", tarfile.FIFOTYPE, ""),
        ("folder.gcg", tarfile.DIRTYPE, ""),
    ]
    path.write_bytes(tar_with(*special))
    found = list(items(path))
    assert [(error.member, error.code) for error in found if isinstance(error, SourceError)] == [
        (name, "member-not-regular") for name in ("link.gcg", "hard.gcg", "device.gcg", "pipe.gcg")
    ]
    assert [text.member for text in found if isinstance(text, RecordText)] == ["last.gcg"]


def test_links_in_zip_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("link.gcg")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("last.gcg", SHORT)
    (error, text) = items(path)
    assert isinstance(error, SourceError)
    assert (error.member, error.code, error.detail) == (
        "link.gcg",
        "member-not-regular",
        "a link, expected regular files only",
    )
    assert isinstance(text, RecordText)


def test_archives_in_archives_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_bytes({"inner.zip": zip_bytes({"x.gcg": SHORT}), "y.gcg.gz": gzip.compress(SHORT)}))
    assert [(error.member, error.code) for error in errors(path)] == [
        ("inner.zip", "archive-nested"),
        ("y.gcg.gz", "archive-nested"),
    ]


BOMB = SHORT + b"#note " + b"0" * 3_000_000 + b"\n"
SMALL = Limits(ratio_from=100_000, ratio=50)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bomb.gcg.gz", lambda: gzip.compress(BOMB)),
        ("bomb.gcg.zst", lambda: zst(BOMB)),
        ("bomb.zip", lambda: zip_bytes({"a.gcg": BOMB, "b.gcg": SHORT})),
        ("bomb.tar.gz", lambda: gzip.compress(tar_bytes({"a.gcg": BOMB, "b.gcg": SHORT}))),
        # Not read, and not passed over either.
        ("other.tar.gz", lambda: gzip.compress(tar_bytes({"a.bin": b"0" * 3_000_000, "b.gcg": SHORT}))),
    ],
)
def test_what_expands_beyond_measure(tmp_path: Path, name: str, data: Callable[[], bytes]) -> None:
    path = tmp_path / name
    path.write_bytes(data())
    (error,) = errors(path, limits=SMALL)
    assert (error.source, error.code) == (str(path), "archive-ratio")
    assert "expected 50 times as many at most" in error.detail
    assert not errors(path)


def test_many_small_members_are_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_bytes({f"{number}.gcg": SHORT + b"#note " + b"0" * 50_000 for number in range(9)}))
    (error,) = errors(path, limits=SMALL)
    assert (error.member, error.code) == ("2.gcg", "archive-ratio")


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_members_that_are_too_large(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    make = zip_bytes if name == "a.zip" else tar_bytes
    path.write_bytes(make({"large.gcg": SHORT * 9, "small.gcg": SHORT}))
    error, text = items(path, limits=Limits(member=200))
    assert isinstance(error, SourceError)
    assert (error.member, error.code, error.detail) == (
        "large.gcg",
        "member-too-large",
        f"{9 * len(SHORT)} bytes, expected 200 at most",
    )
    assert isinstance(text, RecordText)
    assert text.member == "small.gcg"


def test_all_that_comes_out_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar_bytes({f"{number}.gcg": SHORT for number in range(9)}))
    (error,) = errors(path, limits=Limits(total=3 * len(SHORT)))
    assert error.code == "archive-too-large"


def test_headers_of_tar_are_not_believed(tmp_path: Path) -> None:
    def header(kind: bytes, size: int) -> bytes:
        info = tarfile.TarInfo("x.gcg")
        info.type, info.size = kind, size
        return info.tobuf(tarfile.GNU_FORMAT)

    path = tmp_path / "a.tar"
    for data, code in [
        (header(tarfile.XHDTYPE, 1 << 40), "archive-damaged"),
        (header(tarfile.GNUTYPE_LONGNAME, 1 << 33), "archive-damaged"),
        (header(tarfile.XHDTYPE, 20) + b"99 path=x\n".ljust(512, b"\0"), "archive-damaged"),
        (
            header(tarfile.XHDTYPE, 20) + b"20 size=99999999999\n".ljust(512, b"\0") + header(b"0", 5),
            "member-too-large",
        ),
        (header(tarfile.GNUTYPE_SPARSE, 5), "member-not-regular"),
        (header(tarfile.REGTYPE, 1 << 20), "member-damaged"),
        (b"x" * 512, "source-unreadable"),
        (b"", "source-unreadable"),
    ]:
        path.write_bytes(data)
        assert [error.code for error in errors(path)][:1] == [code]


def test_encrypted_members(tmp_path: Path) -> None:
    data = bytearray(zip_bytes({"a.gcg": SHORT}))
    # The flags stand 6 bytes into the local header and 8 bytes into the directory's entry.
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    (error,) = errors(path)
    assert (error.member, error.code) == ("a.gcg", "member-encrypted")


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.gcg.gz", "a.gcg.zst"])
def test_damaged_files_keep_what_came_before(tmp_path: Path, name: str) -> None:
    many = SHORT * 20_000
    make = {
        "a.zip": lambda: zip_bytes({"a.gcgs": many, "b.gcg": SHORT}, zipfile.ZIP_STORED),
        "a.tar.gz": lambda: gzip.compress(tar_bytes({"a.gcgs": many, "b.gcg": SHORT})),
        "a.gcg.gz": lambda: gzip.compress(many),
        "a.gcg.zst": lambda: zst(many),
    }[name]
    data = bytearray(make())
    path = tmp_path / name
    if name == "a.zip":
        # A game in the middle is another one than the checksum says.
        at = data.index(b"Ann", len(data) // 2)
        data[at : at + 3] = b"Eve"
        path.write_bytes(data)
    else:
        path.write_bytes(data[: len(data) * 3 // 4])
    found = list(items(path))
    broken = [item for item in found if isinstance(item, SourceError)]
    assert len(broken) == 1
    assert broken[0].code == ("member-damaged" if name in ("a.zip", "a.tar.gz") else "source-unreadable")
    games = [item for item in found if isinstance(item, RecordText)]
    assert len(games) > 5_000
    if name == "a.zip":
        assert games[-1].member == "b.gcg"
        games.pop()
    # The first line that could not be read is that behind the last game.
    assert broken[0].line == games[-1].first_line + 7


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 and no more", os.urandom(300)])
@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.gcg.gz", "a.tar.zst", "a.gcg.zst", "a.parquet"])
def test_what_is_no_archive(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    found = list(items(path))
    if name.startswith("a.gcg.") and not data:
        # No stream at all is nothing packed: an empty record.
        assert [type(item) for item in found] == [RecordText]
    else:
        (error,) = found
        assert isinstance(error, SourceError)
        assert (error.source, error.member, error.line) == (str(path), "", None)
        assert error.detail


# --- files and folders ------------------------------------------------------------------------------------------------


def test_order_of_a_folder(tmp_path: Path) -> None:
    for name in ("b.gcg", "a/z.gcg", "a/B.GCGS", "c.txt", "a.gcg", "a/._z.gcg", "d/e/f.gcg", "t.parquet"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(SHORT)
    meter = Meter()
    found = [source.label for source in list_sources([str(tmp_path)], meter) if isinstance(source, SourceFile)]
    assert [os.path.relpath(label, tmp_path) for label in found] == [
        os.path.join("a", "B.GCGS"),
        os.path.join("a", "z.gcg"),
        "a.gcg",
        "b.gcg",
        os.path.join("d", "e", "f.gcg"),
    ]
    # The text, the Parquet file and the litter of macOS.
    assert meter.passed_over == 3


def test_arguments_keep_their_order_and_are_read_once(tmp_path: Path) -> None:
    for name in ("a.gcg", "b.gcg", "c.dat"):
        (tmp_path / name).write_bytes(SHORT)
    first, second, third = (str(tmp_path / name) for name in ("a.gcg", "b.gcg", "c.dat"))
    folder = str(tmp_path)
    # A file given by name may be called as it likes, and is read where it is named.
    assert labels([third, second, folder, second, first, folder]) == [third, second, first]
    assert labels([folder, second]) == [first, second]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_loops_of_links_end(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "game.gcg").write_bytes(SHORT)
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "b").symlink_to(tmp_path / "b")
    (tmp_path / "b" / "a").symlink_to(tmp_path / "a")
    (tmp_path / "b" / "self.gcg").symlink_to("self.gcg")
    found = list(list_sources([str(tmp_path)]))
    names = [source.label for source in found if isinstance(source, SourceFile)]
    assert [os.path.relpath(name, tmp_path) for name in names] == ["a/b/game.gcg", "a/game.gcg"]
    (error,) = [source for source in found if isinstance(source, SourceError)]
    assert (error.source, error.code) == (str(tmp_path / "a" / "b" / "self.gcg"), "source-unreadable")


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
def test_special_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gcg")
    (error,) = errors(tmp_path)
    assert (error.source, error.code) == (str(tmp_path / "pipe.gcg"), "source-not-regular")
    (error,) = errors("/dev/zero")
    assert error.code == "source-not-regular"
    # Given by name a pipe is read, as a shell hands it over.
    reader = os.open(tmp_path / "pipe.gcg", os.O_RDWR)
    os.write(reader, SHORT)
    (source,) = list_sources([str(tmp_path / "pipe.gcg")])
    assert isinstance(source, SourceFile)
    os.close(reader)


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    missing, empty = tmp_path / "missing.gcg", tmp_path / "empty.gcg"
    empty.touch()
    error, text = items(missing, empty)
    assert error == SourceError(str(missing), "", None, "source-unreadable", "no such file or directory")
    assert isinstance(text, RecordText)
    assert text.data == b""
    (error,) = errors("nul\0")
    assert error.code == "source-unreadable"


def test_a_file_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "a.gcg"
    path.write_bytes(SHORT)
    found = items(path)
    path.unlink()
    assert errors(path) == [SourceError(str(path), "", None, "source-unreadable", "no such file or directory")]
    assert len(list(found)) == 1


def test_large_files_are_read_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "a.gcgs"
    path.write_bytes(SHORT * 1000)
    meter = Meter()
    (source,) = list_sources([str(path)])
    assert isinstance(source, SourceFile)
    found = read_source(source, Limits(), meter)
    assert isinstance(next(found), RecordText)
    assert len(list(found)) == 999
    assert meter.bytes == 1000 * len(SHORT)


# --- columns and standard input ---------------------------------------------------------------------------------------


def parquet(path: Path, columns: dict[str, list[Any]]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_a_column_of_a_parquet_file(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", {"n": [1, 2, 3], "gcg": [SHORT.decode(), None, (WRONG + SHORT).decode()]})
    meter = Meter()
    found = texts(path, meter=meter)
    assert [(text.member, text.game) for text in found] == [("row 1", 1), ("row 3", 1), ("row 3", 2)]
    assert all(text.is_text for text in found)
    assert meter.passed_over == 1
    two = parquet(tmp_path / "b.parquet", {"name": [b"x"], "gcg": [SHORT]})
    assert [text.data for text in texts(two, column="gcg")] == [SHORT]


@pytest.mark.parametrize(
    ("columns", "column", "detail"),
    [
        ({"a": ["x"], "b": ["y"]}, None, "2 columns of strings or bytes (a, b), expected the name of one"),
        ({"a": [1]}, None, "no column of strings or bytes, expected one with records"),
        ({"a": ["x"], "b": [1]}, "b", "no column 'b' of strings or bytes, expected one of a"),
    ],
)
def test_columns_that_are_not_there(
    tmp_path: Path, columns: dict[str, list[Any]], column: str | None, detail: str
) -> None:
    path = parquet(tmp_path / "a.parquet", columns)
    (error,) = errors(path, column=column)
    assert (error.code, error.detail.replace('\\"', '"').replace("\\'", "'")) == ("column-missing", detail)


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "input"
    path.write_bytes(SHORT + WRONG)
    with path.open() as handle:
        monkeypatch.setattr(sys, "stdin", handle)
        found = texts("-", "-")
        assert [(text.source, text.game) for text in found] == [("-", 1), ("-", 2)]
        assert not handle.closed
    monkeypatch.setattr(sys, "stdin", None)
    assert errors("-") == [SourceError("-", "", None, "source-unreadable", "there is no standard input")]
