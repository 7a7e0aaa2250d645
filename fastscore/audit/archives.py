"""Archives of records as streams: nothing is unpacked to disk, and nothing in an archive decides how much is read.

Names of members are labels. Only regular members are read; links, devices and sparse files are not. Sizes that an
archive states are checked before they are believed, what comes out of it is counted, and an archive that expands
beyond all measure is given up.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, Final, NamedTuple, cast

from fastscore.audit.limits import ArchiveError, Limits, check_amount, reason
from fastscore.audit.streams import PIECE, Stream, member_stream
from fastscore.errors import quote

__all__ = ["Limits", "Member", "reason", "tar_members", "zip_members"]

_BLOCK: Final = 512
_LONGEST_NAME: Final = 1 << 16
_LARGEST_HEADER: Final = 1 << 20
_ENCRYPTED: Final = 0x1


class Member(NamedTuple):
    """A member of an archive: its name, and a handle to read it from, valid until the next one is asked for.

    `problem`: why it is not read, instead of a handle.
    """

    name: str
    handle: IO[bytes] | None
    problem: ArchiveError | None = None


# --- zip --------------------------------------------------------------------------------------------------------------


def zip_members(handle: IO[bytes], size: int, limits: Limits) -> Iterator[Member]:
    """The regular members of a zip file, in the order of its directory; `size`: of the file. Raises as zipfile does."""
    before = 0
    with zipfile.ZipFile(handle) as archive:
        for info in archive.infolist():
            # The upper half holds the mode where a Unix system wrote it.
            mode = info.external_attr >> 16
            kind = mode & 0o170000
            if info.filename.endswith("/") or kind == 0o040000:
                continue
            if kind not in (0, 0o100000):
                yield Member(info.filename, None, _not_regular("a link" if kind == 0o120000 else "a special file"))
            elif info.flag_bits & _ENCRYPTED:
                yield Member(info.filename, None, ArchiveError("member-encrypted", "encrypted, expected a plain one"))
            elif info.file_size > limits.member:
                yield Member(info.filename, None, _too_large(info.file_size, limits))
            else:
                member = member_stream(handle, info, _counting_from(before, size, limits))
                yield Member(info.filename, cast("IO[bytes]", member))
                before += member.count


def _counting_from(before: int, size: int, limits: Limits) -> Callable[[int], None]:
    """Many small members are as much as a large one."""
    return lambda count: check_amount(before + count, size, limits)


# --- tar --------------------------------------------------------------------------------------------------------------


def tar_members(handle: IO[bytes], limits: Limits) -> Iterator[Member]:
    """The regular members of a tar file that is read once from its beginning to its end.

    Headers are read here and not by tarfile, which takes as much memory as a header says and keeps every member.
    Raises ArchiveError, or as tarfile does, where the file is damaged: what comes after cannot be found.
    """
    out = 0
    name = ""
    size: int | None = None
    sparse = False
    while True:
        block = _read_exactly(handle, _BLOCK)
        if not block.strip(b"\0"):
            if isinstance(handle, Stream):
                handle.check_end()
            return
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if info.size < 0:
            raise ArchiveError("archive-damaged", f"a member of {info.size} bytes")
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
            data = _header_data(handle, info.size, _LONGEST_NAME)
            if info.type == tarfile.GNUTYPE_LONGNAME:
                name = data.rstrip(b"\0").decode("utf-8", "surrogateescape")
            continue
        if info.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE):
            entries = _pax_entries(_header_data(handle, info.size, _LARGEST_HEADER))
            if info.type != tarfile.XGLTYPE:
                name = entries.get(b"path", b"").decode("utf-8", "surrogateescape") or name
                size = _pax_size(entries, size)
                sparse = sparse or any(key.startswith(b"GNU.sparse") for key in entries)
            continue
        name, length = name or info.name, info.size if size is None else size
        regular = info.type in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE) and not name.endswith("/")
        if not regular and info.type not in (tarfile.GNUTYPE_SPARSE,):
            if info.type not in (tarfile.DIRTYPE, tarfile.REGTYPE, tarfile.AREGTYPE):
                link = info.type in (tarfile.LNKTYPE, tarfile.SYMTYPE)
                yield Member(name, None, _not_regular("a link" if link else "a special file"))
            # Links and directories have no data, whatever size they state.
            length = 0 if info.type in (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE) else length
            _pass_over(handle, _padded(length))
        elif info.type == tarfile.GNUTYPE_SPARSE or sparse:
            raise ArchiveError("member-not-regular", f"the sparse file {quote(name)}, expected regular files only")
        elif length > limits.member:
            yield Member(name, None, _too_large(length, limits))
            _pass_over(handle, _padded(length))
        else:
            part = _Part(handle, length)
            yield Member(name, cast("IO[bytes]", part))
            _pass_over(handle, part.left + _padded(length) - length)
        out += length
        if out > limits.total:
            raise ArchiveError("archive-too-large", f"more than {limits.total} bytes in its members")
        name, size, sparse = "", None, False


class _Part(io.RawIOBase):
    """The next `left` bytes of a handle."""

    def __init__(self, handle: IO[bytes], length: int) -> None:
        self._handle = handle
        self.left = length

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = PIECE if size is None or size < 0 else min(size, PIECE)
        if not self.left or not wanted:
            return b""
        data = self._handle.read(min(wanted, self.left))
        if not data:
            raise EOFError(f"the file ends {self.left} bytes before the end of a member")
        self.left -= len(data)
        return data


def _read_exactly(handle: IO[bytes], size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = handle.read(size - len(data))
        if not piece:
            raise EOFError("the file ends within a tar header or before the end mark")
        data += piece
    return data


def _header_data(handle: IO[bytes], size: int, most: int) -> bytes:
    if size > most:
        raise ArchiveError("archive-damaged", f"a tar header of {size} bytes, expected {most} at most")
    return _read_exactly(handle, _padded(size))[:size]


def _pax_entries(data: bytes) -> dict[bytes, bytes]:
    """`21 path=some/name` and a line end, one after the other; the number counts the whole entry."""
    entries: dict[bytes, bytes] = {}
    at = 0
    while at < len(data) and data[at] != 0:
        digits, _, _ = data[at : at + 20].partition(b" ")
        if not digits.isdigit() or not len(digits) + 2 < int(digits) <= len(data) - at:
            raise ArchiveError("archive-damaged", "an extended tar header that cannot be read")
        key, _, value = data[at + len(digits) + 1 : at + int(digits) - 1].partition(b"=")
        entries[key] = value
        at += int(digits)
    return entries


def _pax_size(entries: dict[bytes, bytes], size: int | None) -> int | None:
    stated = entries.get(b"size")
    if stated is None:
        return size
    if not stated.isdigit() or len(stated) > 18:
        raise ArchiveError("archive-damaged", f"a member of {quote(stated.decode('latin-1'))} bytes")
    return int(stated)


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _pass_over(handle: IO[bytes], size: int) -> None:
    while size:
        piece = handle.read(min(size, PIECE))
        if not piece:
            raise EOFError(f"the file ends {size} bytes before the end of a member")
        size -= len(piece)


def _not_regular(what: str) -> ArchiveError:
    return ArchiveError("member-not-regular", f"{what}, expected regular files only")


def _too_large(size: int, limits: Limits) -> ArchiveError:
    return ArchiveError("member-too-large", f"{size} bytes, expected {limits.member} at most")
