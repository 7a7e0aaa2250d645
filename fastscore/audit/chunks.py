"""Chunks: what a worker does at a time, and what is lost at most when a run is killed.

A chunk is a number of items in the order of the sources, cut by the numbers of games and bytes alone, so that two runs
over the same sources have the same chunks. Its key is a hash of all that its rows are made of.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from fastscore.audit.rows import RecordText
from fastscore.audit.ruling import AnyRules
from fastscore.audit.schema import ARROW_SCHEMAS, TABLES
from fastscore.audit.sources import Item, LooseFile, SourceError, read_loose
from fastscore.audit.tables import Tables, audit_texts, joined

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = [
    "CHUNK_BYTES",
    "CHUNK_GAMES",
    "Chunk",
    "Done",
    "audit_items",
    "chunks_of",
    "parquet_bytes",
    "work",
    "work_with_files",
]

CHUNK_GAMES: Final = 4096
"""Games of a chunk, where a small file counts as one."""
CHUNK_BYTES: Final = 4 << 20
"""Bytes of a chunk's records."""
_BATCH_GAMES: Final = 1024
_COMPRESSION: Final = "zstd"
_DIFFERING: Final = frozenset({"game", "line", "rack", "move"})
"""Columns whose values seldom come again."""


class Chunk(NamedTuple):
    """Items that are worked on together."""

    number: int
    key: str
    items: tuple[Item, ...]


class Done(NamedTuple):
    """A chunk's rows: for each table the bytes of a Parquet file and the number of rows."""

    number: int
    key: str
    files: dict[str, bytes]
    rows: dict[str, int]


def chunks_of(items: Iterable[Item], games: int = CHUNK_GAMES, size: int = CHUNK_BYTES) -> Iterator[Chunk]:
    """The chunks of a stream of items: one at least, which may be empty. `games`, `size`: how much each holds."""
    number = 0
    held: list[Item] = []
    held_bytes = held_games = 0
    key = _Key()
    for item in items:
        weight = _size_of(item)
        # Texts are never larger than a chunk, so that it is the memory of one more game at most.
        if held and (held_games >= games or held_bytes + weight > size):
            yield Chunk(number, key.text(), tuple(held))
            number += 1
            held, held_bytes, held_games, key = [], 0, 0, _Key()
        held.append(item)
        key.add(item)
        held_bytes += weight
        held_games += 1
    if held or not number:
        yield Chunk(number, key.text(), tuple(held))


def _size_of(item: Item) -> int:
    if isinstance(item, RecordText):
        return len(item.data)
    return item.size if isinstance(item, LooseFile) else len(item.detail)


class _Key:
    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def add(self, item: Item) -> None:
        if isinstance(item, RecordText):
            # The data as it is: escaping it would take longer than all the rest.
            source, data, *others = item
            parts: tuple[object, ...] = (len(data), source, *others)
        else:
            data, parts = b"", (type(item).__name__, *item)
        # Paths may hold bytes that are no text.
        self._hash.update("\0".join(map(str, parts)).encode("utf-8", "surrogatepass") + b"\0\0" + data)

    def text(self) -> str:
        return self._hash.hexdigest()


# --- the work ---------------------------------------------------------------------------------------------------------


def audit_items(items: Sequence[Item], rules: AnyRules = None, lexicon: Lexicon | None = None) -> Tables:
    """The rows of items, in their order. Small files are read here."""
    return joined(list(_parts(items, rules, lexicon)))


def _parts(items: Sequence[Item], rules: AnyRules, lexicon: Lexicon | None) -> Iterator[Tables]:
    texts: list[RecordText] = []
    for item in _flat(items):
        if isinstance(item, RecordText):
            texts.append(item)
            if len(texts) < _BATCH_GAMES:
                continue
        if texts:
            yield audit_texts(texts, rules, lexicon)
            texts = []
        if isinstance(item, SourceError):
            yield _error_row(item)
    if texts:
        yield audit_texts(texts, rules, lexicon)


def _flat(items: Iterable[Item]) -> Iterator[RecordText | SourceError]:
    for item in items:
        if isinstance(item, LooseFile):
            yield from read_loose(item)
        else:
            yield item


def _error_row(error: SourceError) -> Tables:
    schema = ARROW_SCHEMAS["errors"]
    empty = joined([])
    row = [pa.array([value], field.type) for value, field in zip(error, schema, strict=True)]
    return empty._replace(errors=pa.RecordBatch.from_arrays(row, schema=schema))


def parquet_bytes(batch: Any) -> bytes:
    """A record batch, or a table, as the bytes of a Parquet file; equal ones give equal bytes."""
    out = io.BytesIO()
    schema = batch.schema
    with pq.ParquetWriter(out, schema, compression=_COMPRESSION, use_dictionary=_with_dictionary(schema)) as writer:
        (writer.write_table if isinstance(batch, pa.Table) else writer.write_batch)(batch)
    return out.getvalue()


def _with_dictionary(schema: Any) -> list[str]:
    """The columns in which values come again and again."""
    lists = (f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name for field in schema)
    return [path for path in lists if path not in _DIFFERING]


def work(number: int, key: str, items: Sequence[Item], rules: AnyRules, lexicon: Lexicon | None = None) -> Done:
    """The rows of a chunk, ready to be written: what a worker does, wherever it is."""
    parts = list(_parts(items, rules, lexicon))
    # Joining them would copy all.
    tables = {
        table: pa.Table.from_batches([getattr(part, table) for part in parts], ARROW_SCHEMAS[table]) for table in TABLES
    }
    files = {name: parquet_bytes(table) for name, table in tables.items()}
    return Done(number, key, files, {name: len(table) for name, table in tables.items()})


def work_with_files(chunk: Chunk) -> Chunk:
    """The chunk with the contents of its small files, for workers that cannot read them."""
    return chunk._replace(items=tuple(_flat(chunk.items)))
