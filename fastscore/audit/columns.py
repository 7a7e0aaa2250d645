"""Columns of Parquet files, read cell by cell in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from fastscore.audit.limits import ArchiveError, Limits, check_amount
from fastscore.audit.parquet_pages import page_sizes
from fastscore.errors import quote

__all__ = ["column_cells"]

_LARGE_PAGE: Final = 128 << 20
"""A page is held in memory. Larger ones must be packed as records are; pyarrow makes them of a thousand large cells."""
_LARGEST_PAGE: Final = 1 << 30
_PAGE_RATIO: Final = 50
_BATCH_BYTES: Final = 32 << 20
_MOST_ROWS: Final = 256
_BUFFER: Final = 1 << 18


def column_cells(handle: IO[bytes], size: int, name: str | None, limits: Limits) -> Iterator[str | bytes | None]:
    """The cells of a column of a Parquet file, None for nulls.

    `size`: of the file. `name`: of the column; None = its only one of strings or bytes. Strings that are no UTF-8 come
    as bytes. Raises ArchiveError for a column that is not there and for what is too large, and whatever pyarrow raises.
    """
    file = pq.ParquetFile(handle, buffer_size=_BUFFER, pre_buffer=False)
    index, kind = _column(file, name)
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    out = 0
    for group in range(file.metadata.num_row_groups):
        if file.metadata.row_group(group).num_rows == 0:
            continue
        largest = _largest_page(handle, file, group, index)
        # A few bytes may stand for a value in each row.
        rows = max(1, min(_MOST_ROWS, _BATCH_BYTES // max(largest, 1)))
        # By name pyarrow would give several columns, where a struct's member or another column is called the same.
        for batch in file.reader.iter_batches(rows, row_groups=[group], column_indices=[index], use_threads=False):
            for cell in batch.column(0):
                if not cell.is_valid:
                    yield None
                    continue
                buffer = cell.as_buffer()
                out += buffer.size
                check_amount(out, size, limits)
                yield _value(buffer.to_pybytes(), is_text)


def _largest_page(handle: IO[bytes], file: Any, group: int, index: int) -> int:
    largest = 0
    for packed, plain in page_sizes(handle, file.metadata.row_group(group).column(index)):
        most = max(_LARGE_PAGE, min(_LARGEST_PAGE, _PAGE_RATIO * packed))
        if plain > most:
            detail = f"a page of {packed} bytes in row group {group} makes {plain}, expected {most} at most"
            raise ArchiveError("archive-too-large", detail)
        largest = max(largest, plain)
    return largest


def _value(data: bytes, is_text: bool) -> str | bytes:
    if is_text:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            # Not what the column says, and yet a record that is read as any other.
            pass
    return data


def _column(file: Any, name: str | None) -> tuple[int, Any]:
    """The number of a column, as its chunks are counted, and its type."""
    schema = file.schema_arrow
    texts: list[tuple[str, int, Any]] = []
    leaves = 0
    for field in schema:
        if _is_text(field.type):
            texts.append((field.name, leaves, field.type))
        leaves += _leaves(field.type)
    if leaves != len(file.schema):
        raise ArchiveError("archive-damaged", f"{len(file.schema)} columns, expected {leaves} as its Arrow schema says")
    names = [text for text, _, _ in texts]
    shown = ", ".join(names[:9])
    found = [(number, kind) for text, number, kind in texts if name is None or text == name]
    if len(found) == 1:
        return found[0]
    if name is None:
        detail = "no column of strings or bytes, expected one with records"
        if texts:
            detail = f"{len(texts)} columns of strings or bytes ({shown}), expected the name of one"
    elif found:
        detail = f"{len(found)} columns {quote(name)} of strings or bytes, expected one of a name"
    else:
        detail = f"no column {quote(name)} of strings or bytes, expected one of {shown or 'them'}"
    raise ArchiveError("column-missing", quote(detail, 300)[1:-1])


def _leaves(kind: Any) -> int:
    """How many columns of the file a column of Arrow is made of."""
    if isinstance(kind, pa.BaseExtensionType):
        return _leaves(kind.storage_type)
    return sum(_leaves(kind.field(index).type) for index in range(kind.num_fields)) or 1


def _is_text(kind: Any) -> bool:
    types = pa.types
    return any(test(kind) for test in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary))
