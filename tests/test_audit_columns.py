"""Columns of Parquet files: which one is read, its pages, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastscore.audit import columns
from fastscore.audit.limits import ArchiveError, Limits
from fastscore.audit.parquet_pages import page_sizes
from tests.audits import SHORT, WRONG
from tests.test_audit_sources import errors, parquet, texts

# --- which column -----------------------------------------------------------------------------------------------------


def written(path: Path, *fields: tuple[str, Any]) -> Path:
    """A file of columns in their order, several of which may have one name."""
    arrays = [pa.array(values) for _, values in fields]
    pq.write_table(pa.Table.from_arrays(arrays, names=[name for name, _ in fields]), path)
    return path


@pytest.mark.parametrize(
    "others",
    [
        [("gcg", [7])],
        [("gcg", [{"a": 1, "b": "x"}])],
        [("g", [{"cg": "x"}])],
        [("m", pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8()))), ("l", [[["x"]]]), ("gcg", [1.5])],
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_the_column_of_texts_among_others_of_its_name(
    tmp_path: Path, others: list[tuple[str, Any]], before: bool
) -> None:
    # A column `a.b` is also called as the member b of a column a.
    name = "g.cg" if others[0][0] == "g" else "gcg"
    column = (name, [SHORT.decode()])
    fields = [*others, column] if before else [column, *others]
    path = written(tmp_path / "a.parquet", *fields)
    for wanted in (None, name):
        assert [text.data for text in texts(path, column=wanted)] == [SHORT]


def test_two_columns_of_texts_of_one_name(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", ("gcg", ["x"]), ("gcg", [b"y"]))
    (error,) = errors(path, column="gcg")
    assert error.code == "column-missing"
    assert error.detail.startswith("2 columns")
    assert "expected one of a name" in error.detail


def test_row_groups_and_nulls_keep_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    cells = [SHORT if number % 3 else None for number in range(1000)]
    pq.write_table(pa.table({"gcg": cells}), path, row_group_size=300)
    assert [text.member for text in texts(path)] == [f"row {row + 1}" for row in range(1000) if row % 3]


def test_strings_that_are_no_text(tmp_path: Path) -> None:
    # Latin-1 in a column that is said to be UTF-8; the row behind it is read as well.
    latin = SHORT.replace(b"Ann", b"J\xf6rg")
    values = pa.array([latin, WRONG], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"gcg": values}), tmp_path / "a.parquet")
    found = texts(tmp_path / "a.parquet")
    assert [(text.data, text.is_text) for text in found] == [(latin, False), (WRONG, True)]


# --- how much of it ---------------------------------------------------------------------------------------------------


def test_cells_are_counted(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", {"gcg": [SHORT] * 100})
    (error,) = errors(path, limits=Limits(total=10 * len(SHORT)))
    assert error.code == "archive-too-large"
    assert len(texts(path, limits=Limits(total=100 * len(SHORT)))) == 100
    size = path.stat().st_size
    (error,) = errors(path, limits=Limits(ratio=1, ratio_from=1))
    out = (size // len(SHORT) + 1) * len(SHORT)
    assert (error.code, error.detail) == (
        "archive-ratio",
        f"{out} bytes came out of {size}, expected 1 times as many at most",
    )


def test_pages_are_looked_at_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_LARGE_PAGE", 10_000)
    path = tmp_path / "a.parquet"
    # Four bytes of length before 20,000, and six that say it is no null: 4 of length, a run of 1 and the level 1.
    pq.write_table(pa.table({"gcg": ["a" * 20_000]}), path, use_dictionary=False, compression="zstd")
    (error,) = errors(path)
    assert error.code == "archive-too-large"
    assert "in row group 0 makes 20010, expected 10000 at most" in error.detail
    # Unpacked it is as large as its file.
    pq.write_table(pa.table({"gcg": ["a" * 20_000]}), path, use_dictionary=False, compression="none")
    assert len(texts(path)) == 1
    monkeypatch.setattr(columns, "_LARGEST_PAGE", 15_000)
    (error,) = errors(path)
    assert "expected 15000 at most" in error.detail


# --- pages ------------------------------------------------------------------------------------------------------------


def sizes(data: bytes, length: int | None = None, **chunk: Any) -> list[tuple[int, int]]:
    known: dict[str, Any] = {"data_page_offset": 0, "has_dictionary_page": False, "dictionary_page_offset": None}
    known["total_compressed_size"] = len(data) if length is None else length
    return list(page_sizes(io.BytesIO(data), SimpleNamespace(**{**known, **chunk})))


# Fields of a header: the step from the number of the field before and the kind (5 an integer, 12 a struct, 1 true, 2
# false, 8 bytes, 9 a list, 7 a double, 3 a byte); integers are written as their doubles, odd ones for negative numbers.
PAGE = bytes([0x15, 0, 0x15, 20, 0x15, 10])  # of kind 0, 10 bytes, packed in 5
HEADER = bytes([0x2C, 0x15, 2, 0x15, 0, 0x2C, 0x18, 3]) + b"abc" + bytes([0x11, 0x12, 0, 0])


def test_headers_of_pages() -> None:
    page = PAGE + HEADER + b"\0" + b"vwxyz"
    assert sizes(page) == [(5, 10)]
    assert sizes(page * 3) == [(5, 10)] * 3
    # 300 is 600 doubled: 4 x 128 + 88. A field with its number in full: step 0, and the number doubled.
    large = bytes([0x05, 4, 0x80 | 88, 4, 0x15, 10, 0]) + b"vwxyz"
    assert sizes(large) == [(5, 300)]
    others = bytes([0x19, 0x25, 2, 4, 0x17]) + bytes(8) + bytes([0x13, 9, 0x19, 0x1C, 0x15, 2, 0, 0])
    assert sizes(PAGE + others + b"vwxyz") == [(5, 10)]


def test_where_pages_begin() -> None:
    page = PAGE + b"\0" + b"vwxyz"
    length = len(page)
    data = b"PAR1" + page + page
    assert sizes(data, length, data_page_offset=4) == [(5, 10)]
    of_both = {"data_page_offset": 4 + length, "has_dictionary_page": True, "dictionary_page_offset": 4}
    assert sizes(data, 2 * length, **of_both) == [(5, 10)] * 2


@pytest.mark.parametrize(
    "data",
    [
        b"\0",  # no sizes
        bytes([0x25, 19, 0x15, 10, 0]),  # a size of -10
        PAGE + b"\x1c" * 50 + bytes(51),  # structs within structs
        PAGE + b"\x19" + b"\x19" * 50,  # lists within lists
        PAGE + bytes([0x19, 0xF5, 0xFF, 0xFF, 0xFF, 0x7F]),  # a list of 2 ** 28 numbers
        PAGE + b"\x1b\0",  # a map
        bytes([0x15]) + b"\xff" * 20,  # a number without end
    ],
)
def test_headers_that_cannot_be_read(data: bytes) -> None:
    with pytest.raises(ArchiveError, match="the header of a page cannot be read"):
        sizes(data)


@pytest.mark.parametrize("end", range(1, len(PAGE + HEADER) + 1))
def test_headers_that_are_cut(end: int) -> None:
    with pytest.raises(EOFError):
        sizes((PAGE + HEADER)[:end], 1)


def test_pages_that_pyarrow_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for version in ("1.0", "2.0"):
        pq.write_table(
            pa.table({"n": [1, 2, 3], "gcg": ["a" * 10, "b" * 10, "c" * 10]}),
            path,
            compression="none",
            use_dictionary=["gcg"],
            data_page_version=version,
        )
        with path.open("rb") as handle:
            chunk = pq.ParquetFile(path).metadata.row_group(0).column(1)
            (dictionary, packed), (_, plain) = page_sizes(handle, chunk)
        # Three texts with four bytes of length each.
        assert (dictionary, packed) == (42, 42)
        # Levels and three small numbers.
        assert 0 < plain < 20


def test_row_groups_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    schema = pa.schema([("gcg", pa.binary())])
    with pq.ParquetWriter(path, schema) as writer:
        for cells in ([SHORT], [], [WRONG], []):
            writer.write_table(pa.table({"gcg": cells}, schema))
    assert pq.ParquetFile(path).metadata.num_row_groups == 4
    assert [text.data for text in texts(path)] == [SHORT, WRONG]
    pq.write_table(pa.table({"gcg": []}, schema), path)
    assert texts(path) == []
    assert errors(path) == []
