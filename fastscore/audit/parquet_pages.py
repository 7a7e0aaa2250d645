"""The sizes of a Parquet column's pages, read from the headers of these.

What a file's metadata states of sizes is not what its pages take in memory, and pyarrow says nothing of pages.
The format: https://github.com/apache/parquet-format, headers in Thrift's compact protocol.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any, Final

from fastscore.audit.limits import ArchiveError

__all__ = ["page_sizes"]

_UNCOMPRESSED_SIZE: Final = 2
_COMPRESSED_SIZE: Final = 3
# Kinds of values in the compact protocol.
_BOOLEANS: Final = (1, 2)
_BYTE: Final = 3
_INTEGERS: Final = (4, 5, 6)
_DOUBLE: Final = 7
_BINARY: Final = 8
_LISTS: Final = (9, 10)
_STRUCT: Final = 12
_DEEPEST: Final = 8
"""Page headers have structs within structs within themselves."""
_LONGEST_LIST: Final = 1 << 16


def page_sizes(handle: IO[bytes], chunk: Any) -> Iterator[tuple[int, int]]:
    """The bytes of each page of a column chunk, packed and in memory; `chunk`: its metadata as pyarrow gives it.

    No value of the chunk is larger than the largest page, since none goes over two, and values that repeat others have
    a dictionary, a page too, or are cut from values of the same page. Raises ArchiveError or EOFError for headers that
    cannot be read.
    """
    start = chunk.data_page_offset
    # A chunk without values has no data page, and 0 for its place.
    if chunk.has_dictionary_page and (start == 0 or 0 < chunk.dictionary_page_offset < start):
        start = chunk.dictionary_page_offset
    end = start + chunk.total_compressed_size
    while start < end:
        handle.seek(start)
        sizes = _integers(handle)
        packed, plain = sizes.get(_COMPRESSED_SIZE, -1), sizes.get(_UNCOMPRESSED_SIZE, -1)
        if packed < 0 or plain < 0:
            raise _damaged()
        start = handle.tell() + packed
        yield packed, plain


def _integers(handle: IO[bytes], depth: int = 0) -> dict[int, int]:
    """The integers of a struct by the numbers of their fields; the rest of it is passed over."""
    if depth > _DEEPEST:
        raise _damaged()
    found: dict[int, int] = {}
    field = 0
    while head := _byte(handle):
        step, kind = head >> 4, head & 15
        field = field + step if step else _signed(handle)
        if kind in _INTEGERS:
            found[field] = _signed(handle)
        elif kind not in _BOOLEANS:
            # A boolean's kind is its value.
            _pass_over(handle, kind, depth)
    return found


def _pass_over(handle: IO[bytes], kind: int, depth: int) -> None:
    if kind in (_BYTE, *_BOOLEANS):
        _byte(handle)
    elif kind in _INTEGERS:
        _unsigned(handle)
    elif kind == _DOUBLE:
        handle.seek(8, io.SEEK_CUR)
    elif kind == _BINARY:
        handle.seek(_unsigned(handle), io.SEEK_CUR)
    elif kind in _LISTS:
        head = _byte(handle)
        length = head >> 4 if head >> 4 < 15 else _unsigned(handle)
        if length > _LONGEST_LIST or depth > _DEEPEST:
            raise _damaged()
        for _ in range(length):
            _pass_over(handle, head & 15, depth + 1)
    elif kind == _STRUCT:
        _integers(handle, depth + 1)
    else:
        raise _damaged()


def _byte(handle: IO[bytes]) -> int:
    data = handle.read(1)
    if not data:
        raise EOFError("the file ends within the header of a page")
    return data[0]


def _unsigned(handle: IO[bytes]) -> int:
    value = 0
    for shift in range(0, 64, 7):
        byte = _byte(handle)
        value |= (byte & 127) << shift
        if byte < 128:
            return value
    raise _damaged()


def _signed(handle: IO[bytes]) -> int:
    value = _unsigned(handle)
    return value >> 1 ^ -(value & 1)


def _damaged() -> ArchiveError:
    return ArchiveError("archive-damaged", "the header of a page cannot be read")
