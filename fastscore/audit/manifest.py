"""The manifest of a run: what its rows depend on, and a line for each part that is complete.

    {"settings": {...}}
    {"part": 0, "key": "...", "rows": {"games": 4096, ...}, "files": {"games": [123456, "..."], ...}}
    {"finished": {"games": 4096, ...}}

The first line is written with the file, others are added behind it: a kill cuts off the last one at most. Folders may
come from elsewhere, so that nothing in it is believed that does not have its form.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fastscore import __version__
from fastscore.audit.failures import AuditError
from fastscore.audit.ruling import AnyRules, digest_of
from fastscore.audit.schema import SCHEMA_VERSION, TABLES
from fastscore.audit.sources import STDIN
from fastscore.audit.tables import visible
from fastscore.errors import quote

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = ["MANIFEST", "Manifest", "Part", "Settings", "file_of_part", "line_of", "read_manifest"]

MANIFEST: Final = "manifest.jsonl"

_LONGEST: Final = 1 << 28
_LONGEST_PATH: Final = 300
_MOST_PARTS: Final = 10_000_000


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the rows of a run depend on beside the contents of its sources, and how its chunks are cut."""

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
    column: str = ""
    """The column that was asked for; "" = the only one."""
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
        column: str | None = None,
    ) -> Settings:
        """The settings of a run with these rules, words and sources."""
        words = "" if lexicon is None else f"{lexicon.name} {lexicon.digest()}"
        names = tuple(map(visible, sources))
        missing = tuple(visible(path) for path in sources if path != STDIN and not os.path.lexists(path))
        asked = "" if column is None else visible(column)
        return cls(digest_of(rules), chunk_games, chunk_bytes, words, names, missing, asked)

    def going_on(self, before: Settings, folder: str) -> Settings:
        """The settings with which a run that was begun with `before` goes on: its chunks are cut as they were.

        Raises AuditError if it would be another run. A slip of the pen, or a disk that is not there, must not cost the
        tables of what was read.
        """
        for name in ("schema", "version", "rules", "lexicon", "column"):
            then, now = getattr(before, name), getattr(self, name)
            if then != now:
                raise AuditError(
                    f"was begun with {name} {quote(then)}, not {quote(now)}: expected the same, or another folder",
                    source=folder,
                )
        if before.sources != self.sources:
            more = [quote(path, _LONGEST_PATH) for path in self.sources if path not in before.sources]
            fewer = [quote(path, _LONGEST_PATH) for path in before.sources if path not in self.sources]
            how = "with its sources in another order"
            if more or fewer:
                how = f"without {more[0]}" if more else f"with {fewer[0]}, too"
            raise AuditError(f"was begun {how}: expected the same sources, or another folder", source=folder)
        gone = sorted(set(self.missing) - set(before.missing))
        if gone:
            path = quote(gone[0], _LONGEST_PATH)
            raise AuditError(
                f"source {path} is not there any more, expected it as when the run was begun, or another folder",
                source=folder,
            )
        return dataclasses.replace(
            self, chunk_games=before.chunk_games, chunk_bytes=before.chunk_bytes, missing=before.missing
        )


class Part(NamedTuple):
    """A part that is complete: the key of its chunk, and for each table its rows, and size and hash of its file."""

    number: int
    key: str
    rows: Mapping[str, int]
    files: Mapping[str, tuple[int, str]]

    @classmethod
    def of(cls, number: int, key: str, rows: Mapping[str, int], files: Mapping[str, bytes]) -> Part:
        """The entry of a part with these files."""
        return cls(number, key, rows, {table: (len(data), _hash(data)) for table, data in files.items()})

    def is_whole(self, folder: Path) -> bool:
        """Whether its files are there as they were written."""
        return all(_is_file(file_of_part(folder, table, self.number), *each) for table, each in self.files.items())


class Manifest(NamedTuple):
    """What a manifest says. `finished`: the rows of each table, None = the run was not finished."""

    settings: Settings
    parts: dict[int, Part]
    finished: dict[str, int] | None


def file_of_part(folder: Path, table: str, number: int) -> Path:
    """The file of a part of a table."""
    return folder / table / f"part-{number:06d}.parquet"


def line_of(**entry: Any) -> bytes:
    """An entry as a line."""
    return json.dumps(entry, sort_keys=True).encode("ascii") + b"\n"


def read_manifest(folder: str | os.PathLike[str]) -> Manifest | None:
    """The manifest of a folder; None = there is none.

    A part whose entry is cut off or makes no sense is passed over. Raises AuditError where that is the first line.
    """
    path = Path(folder) / MANIFEST
    try:
        if path.exists() and not path.is_file():
            raise AuditError("is no file, expected the manifest of an audit", source=str(path))
        with open(path, "rb") as handle:
            lines = handle.read(_LONGEST).split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AuditError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=str(path)) from None
    settings = _settings(_entry(lines[0]).get("settings"))
    if settings is None:
        raise AuditError(
            "does not begin with the settings of an audit, expected the manifest of one, or a new folder",
            source=str(path),
            line=1,
        )
    found = Manifest(settings, {}, None)
    for line in lines[1:-1]:
        entry = _entry(line)
        part = _part(entry)
        if part is not None:
            found.parts[part.number] = part
            found = found._replace(finished=None)
        elif _are_counts(entry.get("finished")):
            found = found._replace(finished=entry["finished"])
    return found


def _entry(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _settings(found: object) -> Settings | None:
    if not isinstance(found, dict) or found.keys() != {field.name for field in dataclasses.fields(Settings)}:
        return None
    numbers = [found[name] for name in ("chunk_games", "chunk_bytes", "schema")]
    texts = [found[name] for name in ("rules", "lexicon", "version", "column")]
    lists = [found[name] for name in ("sources", "missing")]
    if not all(map(_is_count, numbers)) or not all(isinstance(text, str) for text in texts):
        return None
    if not all(isinstance(each, list) and all(isinstance(path, str) for path in each) for each in lists):
        return None
    return Settings(**{**found, "sources": tuple(found["sources"]), "missing": tuple(found["missing"])})


def _part(entry: dict[str, Any]) -> Part | None:
    fields: list[Any] = [entry.get(name) for name in ("part", "key", "rows", "files")]
    number, key, rows, files = fields
    if not _is_count(number) or number >= _MOST_PARTS or not isinstance(key, str) or not _are_counts(rows):
        return None
    if not isinstance(files, dict) or files.keys() != set(TABLES) or rows.keys() != set(TABLES):
        return None
    for each in files.values():
        if not isinstance(each, list) or len(each) != 2 or not _is_count(each[0]) or not isinstance(each[1], str):
            return None
    return Part(number, key, rows, {table: (size, digest) for table, (size, digest) in files.items()})


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


def _is_file(path: Path, size: int, digest: str) -> bool:
    try:
        return path.stat().st_size == size and _hash(path.read_bytes()) == digest
    except OSError:
        return False


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
