"""The folder of a run: tables in parts, a manifest of the parts that are complete, and a lock.

    out/manifest.jsonl               what the run is, and a line for each complete part
    out/games/part-000000.parquet    and so for turns, findings, errors
    out/duplicates/part-000000.parquet

A part is written under a temporary name, renamed, and then noted in the manifest; only what is noted there counts. So a
run may be killed at any moment, and goes on with the parts that are not noted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from fastscore.audit.chunks import Done
from fastscore.audit.failures import AuditError
from fastscore.audit.manifest import MANIFEST, Manifest, Part, Settings, file_of_part, line_of, read_manifest
from fastscore.audit.schema import TABLES
from fastscore.audit.tables import visible
from fastscore.errors import quote

__all__ = ["Folder"]

_LOCK: Final = ".lock"
_TEMPORARY: Final = ".tmp-"
_DUPLICATES: Final = "duplicates"


class Folder:
    """The folder of a run, locked while it is open. `parts`: what the manifest notes, by number of the part."""

    def __init__(self, path: str | os.PathLike[str], settings: Settings, resume: bool) -> None:
        self.path = Path(path)
        self.settings = settings
        self.parts: dict[int, Part] = {}
        self._resume = resume
        self._lock: IO[bytes] | None = None
        self._manifest: IO[bytes] | None = None

    def __enter__(self) -> Folder:
        name = str(self.path)
        if visible(name) != name:
            raise AuditError("a name that is no text, expected another one for the folder", source=name)
        if self.path.exists() and not self.path.is_dir():
            raise AuditError("is a file, expected a new or an empty folder", source=name)
        with self._complaining():
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                self._take_lock()
                self._prepare()
                self._sign_lock()
            except BaseException:
                self.__exit__()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        for handle in (self._manifest, self._lock):
            if handle is not None:
                with contextlib.suppress(OSError):
                    handle.close()

    @contextlib.contextmanager
    def _complaining(self) -> Iterator[None]:
        """What the file system refuses, as one typed error that says how to go on."""
        try:
            yield
        except OSError as error:
            where = str(self.path) if error.filename is None else str(error.filename)
            detail = (error.strerror or str(error)).lower()
            raise AuditError(
                f"cannot be written: {detail}; {len(self.parts)} parts are complete, --resume goes on with the others",
                source=where,
            ) from error

    # The beginning.

    def _take_lock(self) -> None:
        path = self.path / _LOCK
        # The file stays for ever: what counts is the system's lock on it, which ends with the process. Nothing is
        # written to it before the folder is known to be ours, and it is never somewhere else, or something that waits.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.fdopen(os.open(path, flags, 0o666), "r+b", buffering=0)
        self._lock = handle
        if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
            raise AuditError(
                f"holds {quote(_LOCK)}, which is no file, expected a new or an empty folder", source=str(self.path)
            )
        if not _lock(handle):
            handle.seek(0)
            holder = handle.read(20).strip()
            process = f" (process {holder.decode()})" if holder.isdigit() else ""
            raise AuditError(
                f"another run writes here{process}, expected its end, or another folder", source=str(self.path)
            )

    def _sign_lock(self) -> None:
        assert self._lock is not None, "the lock is taken while the folder is open"
        self._lock.seek(0)
        self._lock.truncate()
        self._lock.write(b"%d\n" % os.getpid())

    def _prepare(self) -> None:
        found = read_manifest(self.path)
        if found is None:
            self._begin()
        elif not self._resume:
            state = "unfinished" if found.finished is None else "finished"
            raise AuditError(
                f"holds a run already ({state}), expected --resume to go on with it, or another folder",
                source=str(self.path),
            )
        else:
            self._go_on(found)
        self._forget_temporary()
        for table in (*TABLES, _DUPLICATES):
            (self.path / table).mkdir(exist_ok=True)

    def _begin(self) -> None:
        # Tables without a manifest are somebody's, if only of a run whose manifest was lost.
        others = sorted(name for name in os.listdir(self.path) if name != _LOCK and not name.startswith(_TEMPORARY))
        assert self._lock is not None, "the lock is taken while the folder is open"
        self._lock.seek(0)
        signed = self._lock.read(20).strip()
        if signed and not signed.isdigit():
            # Somebody else's file that is called like ours.
            others.insert(0, _LOCK)
        if others:
            raise AuditError(f"holds {quote(others[0])}, expected a new or an empty folder", source=str(self.path))
        self._write_manifest(None)

    def _go_on(self, found: Manifest) -> None:
        self.settings = self.settings.going_on(found.settings, str(self.path))
        self.parts = {number: part for number, part in found.parts.items() if part.is_whole(self.path)}
        self._write_manifest(None)

    def _forget_temporary(self) -> None:
        # Nobody else can be writing them: the lock is ours, and workers only hand over what they made.
        for place in (self.path, *(self.path / table for table in (*TABLES, _DUPLICATES))):
            for path in place.glob(f"{_TEMPORARY}*"):
                path.unlink(missing_ok=True)

    # The parts.

    def file(self, table: str, number: int) -> Path:
        """The file of a part of a table."""
        return file_of_part(self.path, table, number)

    def has(self, number: int, key: str) -> bool:
        """Whether that chunk is complete."""
        part = self.parts.get(number)
        return part is not None and part.key == key

    def adopt(self, done: Done) -> None:
        """Write the files of a chunk, and note it as complete."""
        with self._complaining():
            for table, data in done.files.items():
                self._put(self.file(table, done.number), data)
            part = Part.of(done.number, done.key, done.rows, done.files)
            self._note(part)
            self.parts[done.number] = part

    def finish(self, count: int, duplicates: bytes, totals: dict[str, int]) -> None:
        """Note that all is done: `count` parts, and what is more comes from other sources and is removed."""
        with self._complaining():
            for number in [number for number in self.parts if number >= count]:
                del self.parts[number]
            self._put(self.path / _DUPLICATES / "part-000000.parquet", duplicates)
            kept = {self.file(table, number) for table in TABLES for number in self.parts}
            for table in TABLES:
                for path in set((self.path / table).glob("part-*.parquet")) - kept:
                    path.unlink()
            self._write_manifest(totals)

    def _put(self, path: Path, data: bytes) -> None:
        temporary = path.with_name(f"{_TEMPORARY}{path.name}")
        try:
            with open(temporary, "wb") as handle:
                handle.write(data)
                handle.flush()
                os.fsync(handle.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise

    def _note(self, part: Part) -> None:
        assert self._manifest is not None, "the manifest is open while the folder is"
        self._manifest.write(_line_of_part(part))
        self._manifest.flush()
        os.fsync(self._manifest.fileno())

    def _write_manifest(self, totals: dict[str, int] | None) -> None:
        """The whole manifest anew, in one step."""
        if self._manifest is not None:
            self._manifest.close()
        lines = [line_of(settings=dataclasses.asdict(self.settings))]
        lines += [_line_of_part(self.parts[number]) for number in sorted(self.parts)]
        if totals is not None:
            lines.append(line_of(finished=totals))
        self._put(self.path / MANIFEST, b"".join(lines))
        self._manifest = open(self.path / MANIFEST, "ab")  # noqa: SIM115


def _line_of_part(part: Part) -> bytes:
    return line_of(part=part.number, key=part.key, rows=part.rows, files=part.files)


def _lock(handle: IO[bytes]) -> bool:
    """Whether the lock on a file is ours now. The system takes it back when this process ends, however it does."""
    try:
        import fcntl
    except ImportError:
        return _lock_on_windows(handle)
    try:
        fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN):
            return False
        raise
    return True


def _lock_on_windows(handle: IO[bytes]) -> bool:
    import msvcrt

    try:
        # A byte far behind the text, which others may read.
        handle.seek(1 << 30)
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True
