"""What there is to read: files, folders, archives, standard input, columns of Parquet files, as one stream of games.

The order is that of the arguments, within a folder that of the names, within a file that of its members and games: the
same in every run. Files of records are only named here and read by the workers; what must be read from its beginning
to its end (archives, large files) is read here and handed on game by game.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Final, NamedTuple, cast

from fastscore.audit.archives import Member, tar_members, zip_members
from fastscore.audit.columns import column_cells
from fastscore.audit.limits import ArchiveError, Limits, reason
from fastscore.audit.rows import RecordText
from fastscore.audit.streams import Metered, decompressed
from fastscore.audit.tables import record_texts, visible

__all__ = [
    "STDIN",
    "Item",
    "LooseFile",
    "Meter",
    "SourceError",
    "SourceFile",
    "list_sources",
    "read_loose",
    "read_source",
]

STDIN: Final = "-"
"""The argument that means standard input."""
_LOOSE: Final = 1 << 16
"""Files of more bytes are read here, piece by piece, and not by the workers, as a whole."""
_ENDINGS: Final = {
    ".tar.gz": "tar.gz",
    ".tgz": "tar.gz",
    ".tar.zst": "tar.zst",
    ".tar": "tar",
    ".zip": "zip",
    ".gz": "gz",
    ".zst": "zst",
    ".parquet": "parquet",
}
_RECORDS: Final = (".gcg", ".gcgs")
_PACKED_RECORDS: Final = tuple(f"{ending}{packed}" for ending in _RECORDS for packed in (".gz", ".zst"))
_IN_FOLDERS: Final = (*_RECORDS, *_PACKED_RECORDS, ".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst")
"""What is read of a folder. Parquet files are not: a folder may hold the tables of an earlier run."""
_LITTER: Final = "._"
"""How the names of the files begin that macOS puts beside others."""
_HOPELESS: Final = ("archive-ratio", "archive-too-large")
_ESCAPED: Final = re.compile(r"\\x[0-9a-f]{2}")
"""What labels have for bytes that are no text."""
_EFFECTIVE: Final = os.access in os.supports_effective_ids


class SourceFile(NamedTuple):
    """A file to be read: its path, its name as it appears in tables, what it is, and what tells its contents apart.

    `modified`, `changed`: when its contents were, and when they or its rights were, in nanoseconds.
    """

    path: str
    label: str
    kind: str
    size: int
    modified: int
    changed: int


class LooseFile(NamedTuple):
    """A small file of records, for a worker to read.

    `readable`: whether it seems that it can be. A run that goes on must not keep that it could not be.
    """

    path: str
    label: str
    size: int
    modified: int
    changed: int
    readable: bool


class SourceError(NamedTuple):
    """A row of the table `errors`."""

    source: str
    member: str
    line: int | None
    code: str
    detail: str


Item = RecordText | LooseFile | SourceError
"""What sources consist of, in their order."""


@dataclass
class Meter:
    """How far reading has come: sources that were read to their end, bytes of them, and what was passed over.

    Passed over are files of other kinds in folders and archives, and nulls in a column.
    """

    sources: int = 0
    bytes: int = 0
    passed_over: int = 0


# --- which files ------------------------------------------------------------------------------------------------------


def list_sources(paths: Sequence[str], meter: Meter | None = None) -> Iterator[SourceFile | SourceError]:
    """The files of the arguments, in their order, each once.

    Folders are read with all that is in them; links to folders are followed, and each folder is read once, so that
    loops end. A path that cannot be read is a SourceError.
    """
    walker = _Walker(paths, Meter() if meter is None else meter)
    for path in paths:
        yield from walker.list_path(path)


class _Walker:
    def __init__(self, paths: Sequence[str], meter: Meter) -> None:
        self.meter = meter
        # Device and number of what was given by name, and of the folders that were read.
        self.named: set[tuple[int, int]] = set()
        self.done: set[tuple[int, int]] = set()
        self.stdin_done = False
        # The labels that two files may have.
        self.labels: set[str] = set()
        for path in paths:
            try:
                found = os.stat(path)
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(found.st_mode):
                self.named.add((found.st_dev, found.st_ino))

    def list_path(self, path: str) -> Iterator[SourceFile | SourceError]:
        if path == STDIN:
            if not self.stdin_done:
                self.stdin_done = True
                yield SourceFile(path, visible(path), "stdin", 0, 0, 0)
            return
        try:
            found = os.stat(path)
        except (OSError, ValueError) as error:
            yield _unreadable(visible(path), "", None, error)
            return
        key = found.st_dev, found.st_ino
        if stat.S_ISDIR(found.st_mode):
            yield from self.list_folder(path, key)
        elif stat.S_ISFIFO(found.st_mode):
            if key not in self.done:
                self.done.add(key)
                yield SourceFile(path, self.label(path), "records", 0, 0, 0)
        elif not stat.S_ISREG(found.st_mode):
            detail = "a special file, expected a file or a folder"
            yield SourceError(visible(path), "", None, "source-not-regular", detail)
        elif key in self.named:
            self.named.discard(key)
            # Given by name again, it is not read again.
            self.done.add(key)
            yield self.source(path, found)

    def list_folder(self, path: str, key: tuple[int, int]) -> Iterator[SourceFile | SourceError]:
        # Not by calling itself: folders may lie deeper within one another than calls may.
        entered: list[Iterator[tuple[str, str, bool]]] = []
        folder: tuple[str, tuple[int, int]] | None = (path, key)
        while folder is not None or entered:
            if folder is not None:
                try:
                    entered.append(self.entries(*folder))
                except OSError as error:
                    yield _unreadable(visible(folder[0]), "", None, error)
                folder = None
                continue
            entry = next(entered[-1], None)
            if entry is None:
                entered.pop()
                continue
            found = self.look_at(*entry)
            if isinstance(found, (SourceFile, SourceError)):
                yield found
            else:
                folder = found

    def entries(self, path: str, key: tuple[int, int]) -> Iterator[tuple[str, str, bool]]:
        """Path, name, and whether it is a folder for certain, of what is in a folder that was not read before."""
        if key in self.done:
            return iter(())
        self.done.add(key)
        with os.scandir(path) as entries:
            names = sorted((entry.name, _is_folder(entry)) for entry in entries)
        return ((os.path.join(path, name), name, is_folder) for name, is_folder in names)

    def look_at(
        self, path: str, name: str, is_folder: bool
    ) -> SourceFile | SourceError | tuple[str, tuple[int, int]] | None:
        """A file to be read, or a folder's path and key; None for what is not read."""
        wanted = name.lower().endswith(_IN_FOLDERS) and not name.startswith(_LITTER)
        try:
            found = os.stat(path)
        except OSError as error:
            # What could be a folder with anything in it is missed, a link that leads nowhere is not.
            missed = wanted or is_folder or error.errno == errno.ENAMETOOLONG
            return _unreadable(visible(path), "", None, error) if missed else None
        key = found.st_dev, found.st_ino
        if stat.S_ISDIR(found.st_mode):
            return path, key
        if not wanted:
            self.meter.passed_over += 1
        elif not stat.S_ISREG(found.st_mode):
            return SourceError(visible(path), "", None, "source-not-regular", "a special file, expected a file")
        elif key not in self.named and key not in self.done:
            return self.source(path, found)
        return None

    def source(self, path: str, found: os.stat_result) -> SourceFile:
        lower = path.lower()
        kind = next((kind for ending, kind in _ENDINGS.items() if lower.endswith(ending)), "records")
        return SourceFile(path, self.label(path), kind, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def label(self, path: str) -> str:
        """The path as text. A byte that is no text and the four characters that stand for it are not one label."""
        label = plain = visible(path)
        if _ESCAPED.search(label) is not None:
            number = 1
            while label in self.labels:
                number += 1
                label = f"{plain}#{number}"
            self.labels.add(label)
        return label


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


# --- what is in them --------------------------------------------------------------------------------------------------


def read_source(source: SourceFile, limits: Limits, meter: Meter, column: str | None = None) -> Iterator[Item]:
    """The games of a file. What cannot be read, for whatever reason, is a SourceError, behind the games before it.

    `column`: of a Parquet file, the one with the texts; None = its only one of strings or bytes.
    """
    if source.kind == "records" and 0 < source.size <= _LOOSE:
        meter.bytes += source.size
        readable = os.access(source.path, os.R_OK, effective_ids=_EFFECTIVE)
        yield LooseFile(source.path, source.label, source.size, source.modified, source.changed, readable)
        return
    try:
        with _opened(source) as handle:
            raw = _Progressing(handle, meter)
            yield from _read_opened(source, raw, limits, meter, column)
    except MemoryError:
        raise
    except Exception as error:
        # One file of a million must not end the run.
        yield _unreadable(source.label, "", None, error)


def read_loose(file: LooseFile) -> Iterator[RecordText | SourceError]:
    """The games of a small file."""
    try:
        with open(file.path, "rb") as handle:
            yield from _texts(file.label, "", handle)
    except OSError as error:
        yield _unreadable(file.label, "", None, error)


def _opened(source: SourceFile) -> IO[bytes]:
    if source.kind == "stdin":
        if sys.stdin is None:
            raise OSError("there is no standard input")
        # Closing it is nobody's business here.
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    return open(source.path, "rb")


class _Progressing(Metered):
    """The file itself: how much of it was read is the progress of the run."""

    def __init__(self, handle: IO[bytes], meter: Meter) -> None:
        super().__init__(handle)
        self.handle = handle
        self._meter = meter

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self._meter.bytes += len(data)
        return data


def _read_opened(
    source: SourceFile, raw: _Progressing, limits: Limits, meter: Meter, column: str | None
) -> Iterator[Item]:
    kind = source.kind
    if kind == "parquet":
        meter.bytes += source.size
        for row, cell in enumerate(column_cells(raw.handle, source.size, column, limits), start=1):
            if cell is None:
                meter.passed_over += 1
            else:
                yield from record_texts(source.label, cell, f"row {row}")
        return
    if kind == "zip":
        meter.bytes += source.size
        yield from _read_members(source, zip_members(raw.handle, source.size, limits), meter, _HOPELESS)
        return
    packing = kind.rpartition(".")[2]
    handle = decompressed(raw, packing, limits) if packing in ("gz", "zst") else cast("IO[bytes]", raw)
    if kind.startswith("tar"):
        # A stream that broke is not found again.
        yield from _read_members(source, tar_members(handle, limits), meter, (*_HOPELESS, "member-damaged"))
    else:
        yield from _texts(source.label, "", handle)


def _read_members(
    source: SourceFile, members: Iterator[Member], meter: Meter, hopeless: Sequence[str]
) -> Iterator[Item]:
    """`hopeless`: the errors of a member after which nothing more is read of the archive."""
    seen: dict[str, int] = {}
    for member in members:
        plain = member.name.replace("\\", "/")
        file = plain.rpartition("/")[2]
        lower = file.lower()
        if file.startswith(_LITTER) or not lower.endswith((*_IN_FOLDERS, *_ENDINGS)):
            meter.passed_over += 1
            continue
        name = visible(member.name)
        # Two members of one name are two sources.
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = f"{name}#{seen[name]}"
        if member.handle is None:
            problem = member.problem
            assert problem is not None, "a member has a handle or a problem"
            yield SourceError(source.label, name, None, problem.code, problem.detail)
        elif not lower.endswith(_RECORDS):
            detail = "packed within an archive, expected records: unpack the outer one"
            yield SourceError(source.label, name, None, "archive-nested", detail)
        else:
            for item in _texts(source.label, name, member.handle):
                yield item
                if isinstance(item, SourceError) and item.code in hopeless:
                    return


def _texts(label: str, member: str, handle: IO[bytes]) -> Iterator[RecordText | SourceError]:
    """The games of a handle. The one that an error cuts is not among them."""
    reader = _UpToError(handle)
    last: RecordText | None = None
    try:
        for text in record_texts(label, cast("IO[bytes]", reader), member):
            if last is not None:
                yield last
            last = text
    except MemoryError:
        raise
    except Exception as error:
        reader.error = error
    if last is None:
        assert reader.error is not None, "a text has a game at least"
        yield _unreadable(label, member, None, reader.error)
        return
    if reader.error is not None:
        # Its beginning is what could not be read to its end.
        line = last.first_line if last.game > 1 else None
        yield _unreadable(label, member, line, reader.error)
        return
    yield last
    problem: Exception | None = getattr(handle, "problem", None)
    if problem is not None:
        ends = last.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
        yield _unreadable(label, member, last.first_line + ends, problem)


class _UpToError:
    """A handle that ends where it cannot be read any more, so that all is looked at that came before."""

    def __init__(self, handle: IO[bytes]) -> None:
        self._handle = handle
        self.error: Exception | None = None

    def read(self, size: int) -> bytes:
        try:
            return self._handle.read(size) if self.error is None else b""
        except MemoryError:
            raise
        except Exception as error:
            self.error = error
            return b""


def _unreadable(label: str, member: str, line: int | None, error: BaseException) -> SourceError:
    if isinstance(error, ArchiveError):
        return SourceError(label, member, line, error.code, error.detail)
    return SourceError(label, member, line, "member-damaged" if member else "source-unreadable", reason(error).lower())
