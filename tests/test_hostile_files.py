"""Files and tables of candidates that are damaged, hostile or no such files: each is one typed error."""

from __future__ import annotations

import io
import os
import pickle
import re
import struct
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastscore as fs
from fastscore.batch_io import from_arrow, to_arrow
from tests.candidate_files import FORMS, arrays, make_folder, saved, some


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"row": None}, r"no column 'row', expected row, col, direction, tiles \(found: 'boards', 'position'"),
        ({"row": np.zeros(3, np.uint8)}, "array 'position': 2 rows, expected 3 as in 'row'"),
        ({"row": np.zeros(2)}, "array 'row': float64 of shape .*, expected integers of 1 dimensions"),
        ({"row": np.array(["a", "b"])}, "array 'row': <U1"),
        ({"row": np.zeros((2, 1), int)}, "array 'row': int64 of shape"),
        ({"row": np.array(7)}, "array 'row': int64 of shape"),
        ({"tiles": np.zeros(2, np.uint8)}, "array 'tiles': uint8 of shape"),
        ({"tiles": np.zeros((2, 256), np.uint8)}, "'tiles': 256 codes a row, expected at most 255"),
        ({"tiles": np.asfortranarray(np.ones((2, 7), np.uint8))}, "array 'tiles': in Fortran order"),
        ({"boards": np.zeros((1, 33, 15), np.uint8)}, "array 'boards': shape .*, expected 1 to 32 rows and columns"),
        ({"boards": np.zeros((1, 0, 15), np.uint8)}, "array 'boards': shape"),
        ({"boards": np.zeros((1, 1, 1, 15), np.uint8)}, "array 'boards': uint8 of shape"),
        ({"boards": np.full((1, 15, 15), 256)}, "array 'boards': holds 256, expected numbers of 0..255"),
        ({"racks": np.full((1, 27), -1)}, "array 'racks': holds -1"),
        ({"racks": np.zeros((2, 27), np.uint8)}, "array 'racks': 2 racks, expected 1 as there are boards"),
        ({"racks": np.zeros((1, 128), np.uint8)}, "'racks': 128 codes a row, expected at most 127"),
        ({"position": None, "boards": np.zeros((2, 15, 15), np.uint8)}, "2 boards, and no array 'position'"),
        ({"score": np.array([1, 2**31])}, "'score': 2147483648 does not fit 32 bits"),
        ({"length": np.array([2, 3]), "boards": None}, "'length': placements in word form, and no boards"),
        ({"rules": np.array(["a", "b"])}, "array 'rules': <U1 of shape .*, expected one text"),
        ({"rules": np.array("x" * 300)}, "array 'rules': <U300"),
    ],
)
def test_npz_that_does_not_fit_together(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    path = saved(tmp_path, **changed)
    with pytest.raises(fs.TableError, match=message) as caught:
        fs.read_candidates(path)
    assert caught.value.source == str(path)


class Exploit:
    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("exit 1",)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    path = saved(tmp_path, row=np.array([Exploit(), 1], object))
    with pytest.raises(fs.TableError, match="array 'row'"):
        fs.read_candidates(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("status.npy", pickle.dumps(Exploit()))
    with pytest.raises(fs.TableError, match=r"array 'row'|array 'status'"):
        fs.read_candidates(path)


def with_header(header: str, data: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    length = struct.pack("<H" if version == (1, 0) else "<I", len(header))
    return b"\x93NUMPY" + bytes(version) + length + header.encode() + data


@pytest.mark.parametrize(
    "member",
    [
        with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000000,), }\n"),
        with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (-2,), }\n", b"ab"),
        with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"abc"),
        with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 99999999999999999999), }\n", b"ab"),
        with_header("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n", b"a" * 16),
        with_header("{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': (2,), }\n", b"ab"),
        with_header("{'descr': '|u1', 'fortran_order': False, 'shape': __import__('os'), }\n", b"ab"),
        with_header("(" * 5000, b"ab"),
        with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"ab", version=(3, 0)),
        with_header("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"ab", version=(9, 9)),
        b"\x93NUMPY",
        b"",
        b"no array at all",
    ],
)
def test_hostile_headers(tmp_path: Path, member: bytes) -> None:
    path = saved(tmp_path, row=None)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("row.npy", member)
    with pytest.raises(fs.TableError, match="array 'row'"):
        fs.read_candidates(path)


def test_a_version_2_header_is_read(tmp_path: Path) -> None:
    path = saved(tmp_path, row=None)
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("row.npy", with_header(header, b"\7\7", version=(2, 0)))
    assert fs.read_candidates(path).batch.row.tolist() == [7, 7]


def test_zip_bombs(tmp_path: Path) -> None:
    # 200 MB of zeros in some 200 KB: honest, and refused by what it declares, before any of it is unpacked.
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, **arrays(boards=np.zeros((900_000, 15, 15), np.uint8)))
    assert path.stat().st_size < 300_000
    with pytest.raises(fs.TableError, match=r"2025000\d\d bytes, expected at most 50000000"):
        fs.read_candidates(path, limit=50_000_000)
    # A directory that declares more than deflate can pack.
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02", 0, data.rindex(b"boards.npy"))
    packed = struct.unpack_from("<I", data, entry + 20)[0]
    struct.pack_into("<I", data, entry + 24, min(packed * 2000, 2**32 - 2))
    path.write_bytes(data)
    with pytest.raises(fs.TableError, match=r"array 'boards': declares .* more than deflate can pack"):
        fs.read_candidates(path)


def test_a_member_twice(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("row.npy", b"")
    with pytest.raises(fs.TableError, match="array 'row' stands there 2 times"):
        fs.read_candidates(path)


def test_another_compression(tmp_path: Path) -> None:
    path = saved(tmp_path, row=None)
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(2, np.uint8))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("row.npy", buffer.getvalue(), zipfile.ZIP_LZMA)
    with pytest.raises(fs.TableError, match="array 'row': compressed by another method"):
        fs.read_candidates(path)


@pytest.mark.parametrize("compress", [False, True])
def test_damaged_npz_is_never_another_error(tmp_path: Path, compress: bool) -> None:
    good = tmp_path / "good.npz"
    fs.write_candidates(good, some(50), compress=compress)
    data = good.read_bytes()
    path = tmp_path / "bad.npz"
    rng = np.random.default_rng(1)
    refused = 0
    for case in range(300):
        spoilt = bytearray(data)
        if case % 3 == 0:
            del spoilt[int(rng.integers(len(data))) :]
        for _ in range(int(rng.integers(0, 4)) if case % 3 == 0 else 3):
            if spoilt:
                spoilt[int(rng.integers(len(spoilt)))] = int(rng.integers(256))
        path.write_bytes(spoilt)
        try:
            found = fs.read_candidates(path, limit=10_000_000)
        except fs.TableError:
            refused += 1
        else:
            assert len(found.batch) <= 10_000_000
    # Nearly every damage is noticed, by a checksum if by nothing else.
    assert refused > 250


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"", None, "no column 'row', expected row, col, direction, tiles (found: none)"),
        (b"row,col,direction\n", None, "no column 'tiles'"),
        (b"row,col,direction,tiles,row\n", None, "column 'row' stands there 2 times"),
        (b"row,col,direction,tiles\n1,2,0,01\n1,2,0\n", 3, "3 cells, expected 4"),
        (b"row,col,direction,tiles\n1,2,0,01\nx,2,0,01\n", 3, "column 'row': 'x', expected a whole number"),
        (b"row,col,direction,tiles\n1,1_0,0,01\n", 2, "column 'col': '1_0'"),
        (b"row,col,direction,tiles\n1,2,0,0g\n", 2, "column 'tiles': '0g', expected codes"),
        (b"row,col,direction,tiles\n1,2,0,012\n", 2, "column 'tiles': '012'"),
        (b"row,col,direction,tiles\n1,2,0," + b"01" * 256 + b"\n", None, "'tiles': 256 codes a row"),
        (b"row,col,direction,tiles\n1,2,0,\xff\n", 2, "byte 0xff is not UTF-8"),
        (b"row,col,direction,tiles\n1,2,0,\0\n", 2, "bad.csv:2"),
        (b'row,col,direction,tiles\n1,2,0,"01\n', 2, "no CSV"),
        (b"row,col,direction,tiles\n" + b"1" * 20_000, 2, "more than 16384 bytes in one line"),
        (b"row,col,direction,tiles,board\n1,2,0,01,0000/000000\n", None, "'board': rows of different lengths"),
        (b"row,col,direction,tiles,board\n1,2,0,01,0000/0000\n1,2,0,01,00/00\n", None, "rows of different lengths"),
        (b"row,col,direction,tiles,board\n1,2,0,01,000/000\n", None, "rows of different lengths"),
        (b"row,col,direction,tiles,board\n1,2,0,01,00xx\n", 2, "column 'board': '00xx', expected codes"),
        (b"row,col,direction,tiles,score\n1,2,0,01,9999999999\n", None, "'score': 9999999999 does not fit 32 bits"),
    ],
)
def test_csv_that_cannot_be_read(tmp_path: Path, text: bytes, line: int | None, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(text)
    with pytest.raises(fs.TableError, match=re.escape(message)) as caught:
        fs.read_candidates(path)
    assert (caught.value.source, caught.value.line) == (str(path), line)


def table(**changed: Any) -> pa.Table:
    rows: dict[str, Any] = {"row": [7, 7], "col": [7, 7], "direction": [0, 0], "tiles": [b"\1\2", b"\3"]}
    return pa.table({name: column for name, column in {**rows, **changed}.items() if column is not None})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tiles": None}, "no column 'tiles', expected row, col, direction, tiles (found: 'row', 'col', 'direction')"),
        ({"row": [7.0, 7.0]}, "column 'row': holds double, expected integers"),
        ({"row": [7, None]}, "column 'row': 1 nulls, expected a number in each row"),
        ({"tiles": ["A", "B"]}, "column 'tiles': holds string, expected bytes or lists of integers"),
        ({"tiles": [[1.5], [2.5]]}, "column 'tiles': holds list"),
        ({"tiles": [b"\1", None]}, "column 'tiles': 1 nulls"),
        ({"tiles": [[1, None], [2, 3]]}, "column 'tiles': 1 nulls among the codes"),
        ({"tiles": [bytes(256), b"\1"]}, "'tiles': 256 codes a row, expected at most 255"),
        ({"tiles": [[0] * 256, [1]]}, "'tiles': 256 codes a row, expected at most 255"),
        ({"board": [bytes(2000), bytes(2000)]}, "'board': 2000 codes a row, expected at most 1024"),
        ({"board": [bytes(225), bytes(224)]}, "'board': rows of different lengths"),
        ({"score": [1, 2**40]}, "'score': 1099511627776 does not fit 32 bits"),
    ],
)
@pytest.mark.parametrize("in_a_file", [False, True])
def test_tables_that_cannot_be_read(tmp_path: Path, changed: dict[str, Any], message: str, in_a_file: bool) -> None:
    made = table(**changed)
    path = tmp_path / "bad.parquet"
    if in_a_file:
        pq.write_table(made, path)
    read = partial(fs.read_candidates, path) if in_a_file else partial(from_arrow, made)
    with pytest.raises(fs.TableError, match=re.escape(message)) as caught:
        read()
    assert caught.value.source == (str(path) if in_a_file else None)


def test_small_files_of_long_lists_are_refused_by_what_they_declare(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    pq.write_table(table(tiles=[np.zeros(3_000_000, np.uint8), np.zeros(1, np.uint8)]), path, compression="zstd")
    assert path.stat().st_size < 100_000
    with pytest.raises(fs.TableError, match=r"'tiles.*': 3000001 values in 2 rows, expected at most 1024 a row"):
        fs.read_candidates(path)
    pq.write_table(table(tiles=[bytes(3_000_000)] * 2), path, compression="zstd")
    with pytest.raises(fs.TableError, match="'tiles': 3000000 codes a row"):
        fs.read_candidates(path)
    rows = np.zeros(1_000_000, np.uint8)
    many = dict.fromkeys(("row", "col", "direction"), rows)
    pq.write_table(pa.table({**many, "tiles": pa.array(np.zeros((1_000_000, 1)).tolist(), pa.list_(pa.uint8()))}), path)
    with pytest.raises(fs.TableError, match="bytes, expected at most 20000000"):
        fs.read_candidates(path, limit=20_000_000)


@pytest.mark.parametrize("form", FORMS)
def test_files_that_are_none(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"none.{form}"
    for content in (b"", b"\0" * 200, b"PAR1" + b"\xff" * 60 + b"PAR1", b"PK\5\6" + b"\xff" * 18, os.urandom(500)):
        path.write_bytes(content)
        with pytest.raises(fs.TableError, match=re.escape(path.name)):
            fs.read_candidates(path)
    with pytest.raises(FileNotFoundError):
        fs.read_candidates(tmp_path / f"missing.{form}")
    with pytest.raises(OSError, match="directory"):
        fs.read_candidates(make_folder(tmp_path / f"folder.{form}"))


def test_an_unknown_ending() -> None:
    for path in ("some.json", "some", "npz"):
        with pytest.raises(fs.TableError, match=r"expected one of .npz, .csv, .parquet"):
            fs.read_candidates(path)


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs.write_candidates(tmp_path / "some.parquet", some(3))
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for attempt in (
        lambda: fs.read_candidates(tmp_path / "some.parquet"),
        lambda: fs.write_candidates(tmp_path / "other.parquet", some(3)),
        lambda: to_arrow(some(3)),
    ):
        with pytest.raises(fs.MissingExtraError, match=r"pip install 'fastscore\[records\]'"):
            attempt()
    # The other formats do without.
    fs.write_candidates(tmp_path / "some.npz", some(3))
    assert len(fs.read_candidates(tmp_path / "some.npz")) == 3
    assert sorted(os.listdir(tmp_path)) == ["some.npz", "some.parquet"]
