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
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from fastscore import __version__
from fastscore.audit.chunks import Done
from fastscore.audit.failures import AuditError
from fastscore.audit.ruling import AnyRules, digest_of
from fastscore.audit.schema import SCHEMA_VERSION, TABLES
from fastscore.audit.sources import STDIN
from fastscore.audit.tables import visible
from fastscore.errors import quote

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = ["Folder", "Settings", "read_manifest"]

_MANIFEST: Final = "manifest.jsonl"
_LOCK: Final = ".lock"
_TEMPORARY: Final = ".tmp-"
_LONGEST_PATH: Final = 300
_DUPLICATES: Final = "duplicates"


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the rows of a run depend on beside its sources, and how its chunks are cut."""

    rules: str
    """The rulesets' names and a hash of them; "record" = those that the records name."""
    chunk_games: int
    chunk_bytes: int
    lexicon: str = ""
    """Its name and a hash of it; "" = none."""
    sources: tuple[str, ...] = ()
    """The arguments, as they were given."""
    missing: tuple[str, ...] = ()
    """Those of them that were not there when the run began."""
    version: str = __version__
    schema: int = SCHEMA_VERSION

    @classmethod
    def of(
        cls,
        rules: AnyRules,
        chunk_games: int,
        chunk_bytes: int,
        lexicon: Lexicon | None = None,
        sources: Sequence[str] = (),
    ) -> Settings:
        """The settings of a run with these rules, words and sources."""
        words = "" if lexicon is None else f"{lexicon.name} {lexicon.digest()}"
        names = tuple(map(visible, sources))
        missing = tuple(visible(path) for path in sources if path != STDIN and not os.path.lexists(path))
        return cls(digest_of(rules), chunk_games, chunk_bytes, words, names, missing)


def read_manifest(folder: str | os.PathLike[str]) -> dict[str, Any] | None:
    """What a folder's manifest says: `settings`, `parts` by number, `finished`; None = there is none.

    A line that a kill cut off is passed over.
    """
    found: dict[str, Any] = {"settings": None, "parts": {}, "finished": None}
    try:
        with open(Path(folder) / _MANIFEST, "rb") as handle:
            lines = handle.read().split(b"\n")
    except FileNotFoundError:
        return None
    for line in lines[:-1]:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if not isinstance(entry, dict):
            continue
        if "settings" in entry:
            found["settings"] = entry["settings"]
        elif "part" in entry:
            found["parts"][entry["part"]] = entry
            found["finished"] = None
        elif "finished" in entry:
            found["finished"] = entry["finished"]
    return found if found["settings"] is not None else None


class Folder:
    """The folder of a run, locked while it is open. `parts`: what the manifest notes, by number of the part."""

    def __init__(self, path: str | os.PathLike[str], settings: Settings, resume: bool) -> None:
        self.path = Path(path)
        self.settings = settings
        self.parts: dict[int, dict[str, Any]] = {}
        self._resume = resume
        self._lock: IO[str] | None = None
        self._manifest: IO[bytes] | None = None

    def __enter__(self) -> Folder:
        if self.path.exists() and not self.path.is_dir():
            raise AuditError("is a file, expected a new or an empty folder", source=str(self.path))
        with self._complaining():
            self.path.mkdir(parents=True, exist_ok=True)
            self._take_lock()
            try:
                self._prepare()
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
        # The file stays for ever: what counts is the system's lock on it, which ends with the process.
        handle = open(path, "a+", encoding="utf-8")  # noqa: SIM115 (open as long as the folder is)
        if not _lock(handle):
            handle.seek(0)
            holder = handle.read(20).strip()
            handle.close()
            raise AuditError(
                f"another run writes here{f' (process {quote(holder)[1:-1]})' if holder else ''}, expected its end, "
                "or another folder",
                source=str(self.path),
            )
        self._lock = handle
        handle.seek(0)
        handle.truncate()
        handle.write(f"{os.getpid()}\n")
        handle.flush()

    def _prepare(self) -> None:
        found = read_manifest(self.path)
        if found is None:
            self._begin()
        elif not self._resume:
            state = "finished" if found["finished"] else "unfinished"
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
        mine = {_LOCK, _MANIFEST, _DUPLICATES, *TABLES}
        others = sorted(set(os.listdir(self.path)) - mine)
        others = [name for name in others if not name.startswith(_TEMPORARY)]
        if others:
            raise AuditError(f"holds {quote(others[0])}, expected a new or an empty folder", source=str(self.path))
        for table in TABLES:
            for path in (self.path / table).glob("part-*.parquet"):
                path.unlink()
        self._write_manifest(None)

    def _go_on(self, found: dict[str, Any]) -> None:
        before = found["settings"]
        after = dataclasses.asdict(self.settings)
        for name in ("schema", "version", "rules", "lexicon"):
            if before.get(name) != after[name]:
                raise AuditError(
                    f"was begun with {name} {quote(before.get(name))}, not {quote(after[name])}: expected the same, or "
                    "another folder",
                    source=str(self.path),
                )
        self._check_sources(before["sources"], before["missing"])
        # Chunks must be cut as they were.
        self.settings = dataclasses.replace(
            self.settings,
            chunk_games=int(before["chunk_games"]),
            chunk_bytes=int(before["chunk_bytes"]),
            missing=tuple(before["missing"]),
        )
        self.parts = {number: part for number, part in found["parts"].items() if self._is_whole(part)}
        self._write_manifest(None)

    def _check_sources(self, before: Sequence[str], missing: Sequence[str]) -> None:
        """A slip of the pen, or a disk that is not there, must not cost the tables of what was read."""
        now = self.settings.sources
        if tuple(before) != now:
            more = [path for path in now if path not in before]
            fewer = [path for path in before if path not in now]
            how = "with its sources in another order"
            if more or fewer:
                how = f"without {quote(more[0], _LONGEST_PATH)}" if more else f"with {quote(fewer[0], _LONGEST_PATH)}, too"
            raise AuditError(f"was begun {how}: expected the same sources, or another folder", source=str(self.path))
        gone = sorted(set(self.settings.missing) - set(missing))
        if gone:
            raise AuditError(
                f"source {quote(gone[0], _LONGEST_PATH)} is not there any more, expected it as when the run was begun, or another "
                "folder",
                source=str(self.path),
            )

    def _is_whole(self, part: dict[str, Any]) -> bool:
        try:
            return all(self.file(table, part["part"]).stat().st_size == part["sizes"][table] for table in TABLES)
        except OSError:
            return False

    def _forget_temporary(self) -> None:
        # Nobody else can be writing them: the lock is ours, and workers only hand over what they made.
        for place in (self.path, *(self.path / table for table in (*TABLES, _DUPLICATES))):
            for path in place.glob(f"{_TEMPORARY}*"):
                path.unlink(missing_ok=True)

    # The parts.

    def file(self, table: str, number: int) -> Path:
        """The file of a part of a table."""
        return self.path / table / f"part-{number:06d}.parquet"

    def has(self, number: int, key: str) -> bool:
        """Whether that chunk is complete."""
        part = self.parts.get(number)
        return part is not None and part["key"] == key

    def adopt(self, done: Done) -> None:
        """Write the files of a chunk, and note it as complete."""
        with self._complaining():
            for table, data in done.files.items():
                self._put(self.file(table, done.number), data)
            part = {
                "part": done.number,
                "key": done.key,
                "rows": done.rows,
                "sizes": {table: len(data) for table, data in done.files.items()},
            }
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

    def _note(self, entry: dict[str, Any]) -> None:
        assert self._manifest is not None, "the manifest is open while the folder is"
        self._manifest.write(_line(entry))
        self._manifest.flush()
        os.fsync(self._manifest.fileno())

    def _write_manifest(self, totals: dict[str, int] | None) -> None:
        """The whole manifest anew, in one step."""
        if self._manifest is not None:
            self._manifest.close()
        lines = [_line({"settings": dataclasses.asdict(self.settings)})]
        lines += [_line(self.parts[number]) for number in sorted(self.parts)]
        if totals is not None:
            lines.append(_line({"finished": totals}))
        self._put(self.path / _MANIFEST, b"".join(lines))
        self._manifest = open(self.path / _MANIFEST, "ab")  # noqa: SIM115


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, sort_keys=True).encode("ascii") + b"\n"


def _lock(handle: IO[str]) -> bool:
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


def _lock_on_windows(handle: IO[str]) -> bool:
    import msvcrt

    try:
        # A byte far behind the text, which others may read.
        handle.seek(1 << 30)
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True
