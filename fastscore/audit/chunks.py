"""Chunks: what a worker does at a time, and what is lost at most when a run is killed.

A chunk is a number of items in the order of the sources, cut by the numbers of games and bytes alone, so that two runs
over the same sources have the same chunks. Its key is a hash of all that its rows are made of.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from fastscore.audit.rows import RecordText, Rules
from fastscore.audit.schema import ARROW_SCHEMAS, TABLES
from fastscore.audit.sources import Item, LooseFile, SourceError, read_loose
from fastscore.audit.tables import Tables, audit_texts, joined

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


def audit_items(items: Sequence[Item], rules: Rules = None) -> Tables:
    """The rows of items, in their order. Small files are read here."""
    parts: list[Tables] = []
    texts: list[RecordText] = []

    def flush() -> None:
        if texts:
            parts.append(audit_texts(texts, rules))
            texts.clear()

    for item in _flat(items):
        if isinstance(item, SourceError):
            flush()
            parts.append(_error_row(item))
        else:
            texts.append(item)
            if len(texts) >= _BATCH_GAMES:
                flush()
    flush()
    return joined(parts)


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
    """A record batch as the bytes of a Parquet file; equal batches give equal bytes."""
    out = io.BytesIO()
    with pq.ParquetWriter(out, batch.schema, compression=_COMPRESSION) as writer:
        (writer.write_table if isinstance(batch, pa.Table) else writer.write_batch)(batch)
    return out.getvalue()


def work(number: int, key: str, items: Sequence[Item], rules: Rules) -> Done:
    """The rows of a chunk, ready to be written: what a worker does, wherever it is."""
    tables = audit_items(items, rules)
    files = {table: parquet_bytes(batch) for table, batch in zip(TABLES, tables, strict=True)}
    return Done(number, key, files, {table: len(batch) for table, batch in zip(TABLES, tables, strict=True)})


def work_with_files(chunk: Chunk) -> Chunk:
    """The chunk with the contents of its small files, for workers that cannot read them."""
    return chunk._replace(items=tuple(_flat(chunk.items)))
