"""Compressed streams, decompressed while they are read.

Whatever a stream states, pieces of bounded size come out of it, and are counted. Of a damaged stream everything comes
out that can be decompressed, and then its error.
"""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, Protocol, cast

import pyarrow as pa

from fastscore.audit.limits import ArchiveError, Limits, check_amount

__all__ = ["PIECE", "Metered", "Stream", "decompressed", "member_stream"]

PIECE: Final = 1 << 18
"""Most bytes that are decompressed at a time."""
_SMALL_PIECE: Final = 1 << 10
_INPUT: Final = 1 << 16
_NEVER_IN_RECORDS: Final = b"\xff"
_LARGEST_DICTIONARY: Final = 128 << 20
"""Memory that an LZMA stream may ask for; of zstd it is the library's own limit."""


class Metered(io.RawIOBase):
    """A handle that counts the bytes read from it in `count`."""

    def __init__(self, handle: IO[bytes]) -> None:
        self._handle = handle
        self.count = 0

    def readable(self) -> bool:
        """True."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """As of the handle."""
        data = self._handle.read(-1 if size is None else size)
        self.count += len(data)
        return data

    def readinto(self, buffer: Any, /) -> int:
        """As of the handle."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class Stream(io.RawIOBase):
    """What comes out of a decompressor, piece by piece, no more of it than `check` allows of the bytes so far.

    `count`: bytes that came out. `problem`: what is wrong behind the contents, which came out to their end.
    """

    def __init__(self, pieces: Iterator[bytes], check: Callable[[int], None]) -> None:
        self._pieces = pieces
        self._check = check
        self._piece = b""
        self._at = 0
        self.count = 0
        self.problem: OSError | None = None

    def readable(self) -> bool:
        """True."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Up to `size` bytes, of one piece; nothing at the end."""
        if self._at >= len(self._piece):
            self._piece, self._at = self._next(), 0
        end = len(self._piece) if size is None or size < 0 else self._at + size
        data = self._piece[self._at : end]
        self._at += len(data)
        return data

    def check_end(self) -> None:
        """Pass over what is left, behind which checksums stand, and raise what is wrong with it."""
        while self.read():
            pass
        if self.problem is not None:
            raise self.problem

    def _next(self) -> bytes:
        try:
            piece = next(self._pieces, b"")
        except _EndError as error:
            self.problem = OSError(str(error))
            return b""
        self.count += len(piece)
        self._check(self.count)
        return piece


class _EndError(Exception):
    """What is wrong where the contents have come out to their end."""


def decompressed(handle: Metered, kind: str, limits: Limits) -> IO[bytes]:
    """What a compressed file holds, decompressed while it is read. `kind`: gz or zst."""
    pieces = _gunzipped(handle) if kind == "gz" else _unzstd(handle)
    return cast("IO[bytes]", Stream(pieces, lambda count: check_amount(count, handle.count, limits)))


# --- decompressors ----------------------------------------------------------------------------------------------------


class _Decompressor(Protocol):
    """As bz2 and lzma have it. `unused_data`: input behind the stream's end."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Inflater:
    """zlib's, with the interface of the others; gives what stands before an error too."""

    def __init__(self) -> None:
        self._packed = zlib.decompressobj(-zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._packed.eof

    @property
    def needs_input(self) -> bool:
        return not self._packed.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._packed.unused_data

    def decompress(self, data: bytes, max_length: int = PIECE) -> bytes:
        data = self._packed.unconsumed_tail + data
        while True:
            before = self._packed.copy()
            try:
                return self._packed.decompress(data, max_length)
            except zlib.error:
                # It keeps nothing of a piece with an error in it, so that the piece is made smaller.
                self._packed = before
                if max_length == 1:
                    raise
                max_length //= 2


def _unpacked(packed: _Decompressor, read: Callable[[], bytes], piece: int) -> Iterator[bytes]:
    """What comes out up to the stream's end, `piece` bytes at a time at most. `read` gives some input, b"" = none."""
    while not packed.eof:
        data = read() if packed.needs_input else b""
        out = packed.decompress(data, piece)
        if out:
            yield out
        elif not data and packed.needs_input and not packed.eof:
            raise EOFError("the file ends within packed data")


# --- gz and zst -------------------------------------------------------------------------------------------------------


class _Input:
    """A handle to which bytes can be given back."""

    def __init__(self, handle: Metered) -> None:
        self._handle = handle
        self._data = b""

    def some(self) -> bytes:
        data, self._data = self._data, b""
        return data or self._handle.read(_INPUT)

    def give_back(self, data: bytes) -> None:
        self._data = data + self._data

    def exactly(self, size: int) -> bytes:
        """That many bytes, fewer at the end."""
        data = b""
        while len(data) < size and (more := self.some()):
            data += more
        self.give_back(data[size:])
        return data[:size]

    def pass_zeros(self) -> None:
        while (data := self.some()) and not (rest := data.lstrip(b"\0")):
            pass
        if data:
            self.give_back(rest)

    def pass_text(self) -> None:
        """Go behind the next zero byte."""
        while data := self.some():
            _, zero, rest = data.partition(b"\0")
            if zero:
                self.give_back(rest)
                return
        raise EOFError("the file ends within a gzip header")


def _gunzipped(handle: Metered) -> Iterator[bytes]:
    """The gzip streams of a file (RFC 1952), one behind the other, with zeros between them or not.

    Python's own reader keeps back what it has where a file is cut.
    """
    source = _Input(handle)
    begun = False
    while (magic := source.exactly(2)) != b"":
        if magic != b"\x1f\x8b":
            if not begun:
                raise OSError("not a gzipped file")
            raise _EndError("something that is not gzipped follows the packed data")
        _pass_gzip_header(source)
        begun = True
        packed = _Inflater()
        checksum = size = 0
        for piece in _unpacked(packed, source.some, PIECE):
            checksum = zlib.crc32(piece, checksum)
            size += len(piece)
            yield piece
        source.give_back(packed.unused_data)
        end = source.exactly(8)
        if len(end) < 8:
            raise _EndError("the file ends before the checksum")
        if end != struct.pack("<LL", checksum, size & 0xFFFFFFFF):
            raise _EndError("the checksum is that of other contents")
        source.pass_zeros()


def _pass_gzip_header(source: _Input) -> None:
    fixed = source.exactly(8)
    if len(fixed) < 8:
        raise EOFError("the file ends within a gzip header")
    if fixed[0] != 8:
        raise OSError(f"gzip method {fixed[0]}, expected 8")
    flags = fixed[1]
    if flags & 4:
        length = source.exactly(2)
        source.exactly(int.from_bytes(length, "little"))
    # A name and a comment.
    for flag in (8, 16):
        if flags & flag:
            source.pass_text()
    if flags & 2:
        source.exactly(2)


def _unzstd(handle: Metered) -> Iterator[bytes]:
    stream = pa.CompressedInputStream(pa.PythonFile(handle, mode="r"), "zstd")
    while True:
        # What was decompressed before an error lies in the buffer, but nothing says how much it is: all that is not
        # filling. Bytes like the filling at the very end are lost with it, and no record ends in them.
        buffer = bytearray(_NEVER_IN_RECORDS * PIECE)
        try:
            count = stream.readinto(buffer)
        except Exception:
            if rest := bytes(buffer.rstrip(_NEVER_IN_RECORDS)):
                yield rest
            raise
        if not count:
            return
        yield bytes(memoryview(buffer)[:count])


# --- members of zip files ---------------------------------------------------------------------------------------------


def member_stream(handle: IO[bytes], info: zipfile.ZipInfo, check: Callable[[int], None]) -> Stream:
    """The contents of a member of a zip file, whose directory's entry is `info`; `handle` is the file.

    Python's own reader takes as much memory as bzip2 and LZMA ask for, and keeps the last piece of a damaged member.
    """
    return Stream(_unzipped(handle, info), check)


def _unzipped(handle: IO[bytes], info: zipfile.ZipInfo) -> Iterator[bytes]:
    handle.seek(info.header_offset)
    header = handle.read(30)
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("no member where the directory says")
    name, extra = struct.unpack("<HH", header[26:])
    handle.seek(name + extra, io.SEEK_CUR)
    left = info.compress_size

    def read() -> bytes:
        nonlocal left
        data = handle.read(min(left, _INPUT))
        if left and not data:
            raise EOFError(f"the file ends {left} bytes before the end of a member")
        left -= len(data)
        return data

    pieces = _by_method(info, read)
    checksum = size = 0
    # LZMA streams need not have an end of their own.
    while size < info.file_size and (piece := next(pieces, b"")[: info.file_size - size]):
        checksum = zlib.crc32(piece, checksum)
        size += len(piece)
        yield piece
    if (size, checksum) != (info.file_size, info.CRC):
        raise _EndError("size or checksum are those of other contents")


def _by_method(info: zipfile.ZipInfo, read: Callable[[], bytes]) -> Iterator[bytes]:
    method = info.compress_type
    if method == zipfile.ZIP_STORED:
        return iter(read, b"")
    if method == zipfile.ZIP_DEFLATED:
        return _unpacked(_Inflater(), read, PIECE)
    # These keep nothing of a piece with an error in it either, and cannot try again with a smaller one.
    if method == zipfile.ZIP_BZIP2:
        return _unpacked(bz2.BZ2Decompressor(), read, _SMALL_PIECE)
    if method == zipfile.ZIP_LZMA:
        return _unlzma(read)
    raise ArchiveError("member-unsupported", f"packed by method {method}, expected stored, deflate, bzip2 or LZMA")


def _unlzma(read: Callable[[], bytes]) -> Iterator[bytes]:
    first = read()
    # Two bytes of version, the length of the properties, and they: a byte of settings and the size of the dictionary.
    if len(first) < 9 or first[2:4] != b"\x05\x00":
        raise lzma.LZMAError("no LZMA header")
    settings, dictionary = struct.unpack("<BL", first[4:9])
    if dictionary > _LARGEST_DICTIONARY:
        detail = f"an LZMA dictionary of {dictionary} bytes, expected {_LARGEST_DICTIONARY} at most"
        raise ArchiveError("member-unsupported", detail)
    rest, lc = divmod(settings, 9)
    pb, lp = divmod(rest, 5)
    chain: list[dict[str, Any]] = [
        {"id": lzma.FILTER_LZMA1, "dict_size": max(dictionary, 1 << 12), "lc": lc, "lp": lp, "pb": pb}
    ]
    packed = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain)
    pieces = iter([first[9:]])
    return _unpacked(packed, lambda: next(pieces, b"") or read(), _SMALL_PIECE)
