"""From record texts to Arrow record batches: a pure function, for the map over batches of any engine.

    texts = [RecordText("club", data) for data in records]
    tables = audit_texts(texts)
    tables.turns  # pyarrow.RecordBatch, see fastscore.audit.schema

`audit_column` is the same for engines that hand over Arrow batches with a column of texts.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fastscore.audit.failures import AuditError
from fastscore.audit.rows import KEYS, OwnedRows, RecordText, Rows, rows_of_games
from fastscore.audit.ruling import AnyRules, GivenRules, Rules, RulesByPath, rules_given
from fastscore.audit.schema import ARROW_SCHEMAS, TABLES
from fastscore.errors import CompilerMissingError, RulesError, quote
from fastscore.gcg.text import GameBytes, decode_game, split_games

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = ["RecordText", "Tables", "audit_column", "audit_texts", "joined", "merged_rows", "record_texts", "visible"]

_AT_ONCE: Final = 1024
"""Games that are parsed at a time."""
_READ_AT_ONCE: Final = 256
"""Games that are read at a time by the tolerant reader: their objects take a hundred times the memory of their rows."""
_FAST_FROM: Final = 32
"""So many games are read sooner by the tolerant reader than compiled code is loaded."""
_LONG_RUN: Final = 64
"""Rows in a run from which on copying runs is faster than copying rows."""
_HEAD: Final = re.compile(rb"(?:\xef\xbb\xbf)?#character-encoding[^\r\n]{0,300}", re.IGNORECASE)


class Tables(NamedTuple):
    """Record batches (`pyarrow.RecordBatch`) of the tables, with the schemas of `fastscore.audit.schema`."""

    games: Any
    turns: Any
    findings: Any
    errors: Any


def record_texts(source: str, data: bytes | str | IO[bytes], member: str = "") -> Iterator[RecordText]:
    """The games of a text, or of a handle open for reading bytes: one at least, which may be empty.

    `source` and `member` become the key of their rows. Little more than one game is held at a time.
    """
    is_text = isinstance(data, str)
    if isinstance(data, str):
        # What is no character is none in a table either.
        data = data.encode("utf-8", "backslashreplace")
    handle = io.BytesIO(data) if isinstance(data, bytes) else data
    source, member = visible(source), visible(member)
    encoding: str | None = None
    for number, game in enumerate(split_games(handle.read), start=1):
        yield RecordText(source, game.data, member, number, game.first_line, game.cut, encoding, is_text)
        head = None if is_text else _HEAD.match(game.data)
        if head is not None:
            found = decode_game(GameBytes(head[0], 1, False))
            if found.encoding_declared is not None:
                encoding = found.encoding


def audit_texts(
    texts: Sequence[RecordText | str | bytes], rules: GivenRules = None, lexicon: Lexicon | None = None
) -> Tables:
    """The rows of games, in the order of their texts.

    Parameters
    ----------
    texts
        One game each, as `record_texts` gives them; or plain texts, each with one game or several, whose `source` is
        then their number from 1.
    rules
        A ruleset or the name of one for all of them; several, of which the one is taken that explains most of a game's
        scores; None = those that each record names, else classic/english; by path, see `fastscore.audit.ruling`.
    lexicon
        The good words: other words are found, see `fastscore.replays.replay`. None = words are not looked up.

    Raises
    ------
    RulesError
        An unknown name of a ruleset. Whatever stands in a record raises nothing.
    """
    ruled = rules_given(rules)
    parts = []
    records = _records(texts)
    for begin in range(0, len(records), _AT_ONCE):
        some = records[begin : begin + _AT_ONCE]
        parts.append(merged_rows(some, list(_rows_by_path(some, ruled, lexicon))))
    return joined(parts)


def _records(texts: Sequence[RecordText | str | bytes]) -> Sequence[RecordText]:
    if isinstance(texts, (str, bytes)):
        raise AuditError(f"{quote(texts)}, expected a list of texts")
    found: list[RecordText] = []
    for number, text in enumerate(texts, start=1):
        if isinstance(text, RecordText):
            found.append(text)
        elif isinstance(text, (str, bytes)):
            found += record_texts(str(number), text)
        else:
            raise AuditError(f"text {number} is {quote(text)}, expected a record text")
    return found


def _rows_by_path(texts: Sequence[RecordText], rules: AnyRules, lexicon: Lexicon | None) -> Iterator[Rows]:
    """The rows of games, those of the same rules together."""
    if not isinstance(rules, RulesByPath):
        yield from _rows(texts, rules, lexicon)
        return
    of_source: dict[tuple[str, str], Rules] = {}
    groups: dict[int, tuple[Rules, list[int]]] = {}
    for index, text in enumerate(texts):
        place = text.source, text.member
        if place not in of_source:
            of_source[place] = rules.of(*place)
        ruled = of_source[place]
        groups.setdefault(id(ruled), (ruled, []))[1].append(index)
    for ruled, indices in groups.values():
        numbers = np.array(indices, np.int64)
        for made in _rows([texts[index] for index in indices], ruled, lexicon):
            yield {table: OwnedRows(numbers[rows.owners], rows.batch) for table, rows in made.items()}


def _rows(texts: Sequence[RecordText], rules: Rules, lexicon: Lexicon | None) -> Iterator[Rows]:
    """The rows of games, those that are plain by compiled code, all others by the tolerant reader."""
    left: Sequence[int] = range(len(texts))
    if len(texts) >= _FAST_FROM or "fastscore.audit.fast" in sys.modules:
        try:
            from fastscore.audit.fast import fast_rows
        except CompilerMissingError:
            # Slower, and the same.
            pass
        else:
            try:
                plain, left = fast_rows(texts, rules, lexicon)
            except (MemoryError, OSError, RulesError):
                raise
            except Exception:
                # What it fails on must not end a run: every game has its rows by the other way.
                plain = []
            yield from plain
    for begin in range(0, len(left), _READ_AT_ONCE):
        yield rows_of_games(texts, rules, left[begin : begin + _READ_AT_ONCE], lexicon)


def joined(parts: Sequence[Tables]) -> Tables:
    """Several record batches of each table as one."""
    if len(parts) == 1:
        return parts[0]
    batches = []
    for table, column in zip(TABLES, zip(*parts, strict=True) if parts else ((),) * len(TABLES), strict=True):
        whole = pa.Table.from_batches(column, ARROW_SCHEMAS[table]).combine_chunks()
        made = whole.to_batches()
        if len(made) > 1:
            raise AuditError(
                f"{len(whole)} rows of {table} do not fit one record batch, expected fewer games at a time"
            )
        batches.append(made[0] if made else _empty(table))
    return Tables(*batches)


def merged_rows(texts: Sequence[RecordText], parts: Sequence[Rows]) -> Tables:
    """Rows that were made in several ways, each for some of the texts, as tables in the order of the texts."""
    key = ARROW_SCHEMAS["games"]
    keys = {name: pa.array([getattr(text, name) for text in texts], key.field(name).type) for name in KEYS}
    made = []
    for table in TABLES:
        owners = np.concatenate([part[table].owners for part in parts])
        batches = [part[table].batch for part in parts]
        schema = ARROW_SCHEMAS[table]
        rows = batches[0]
        if len(parts) > 1:
            order = np.argsort(owners, kind="stable")
            owners = owners[order]
            together = _reordered(pa.Table.from_batches(batches), order).combine_chunks().to_batches()
            rows = together[0] if together else batches[0]
        arrays = {name: rows.column(name) for name in rows.schema.names}
        takers = pa.array(owners)
        for name in KEYS:
            if name in schema.names:
                arrays[name] = keys[name].take(takers)
        made.append(pa.RecordBatch.from_arrays([arrays[name] for name in schema.names], schema=schema))
    return Tables(*made)


def _reordered(table: Any, order: NDArray[np.int64]) -> Any:
    """The rows of a table in another order."""
    begins = np.flatnonzero(np.diff(order, prepend=-2) != 1)
    if len(begins) * _LONG_RUN > len(order):
        return table.take(pa.array(order))
    lengths = np.diff(begins, append=len(order))
    slices = zip(order[begins].tolist(), lengths.tolist(), strict=True)
    return pa.concat_tables([table.slice(begin, length) for begin, length in slices] or [table])


def audit_column(
    batches: Iterable[Any],
    table: str,
    *,
    column: str,
    source: str | None = None,
    rules: GivenRules = None,
    lexicon: Lexicon | None = None,
) -> Iterator[Any]:
    """The rows of one table for record batches that have a column of texts: what Spark's mapInArrow asks for.

    Parameters
    ----------
    batches
        `pyarrow.RecordBatch` or `pyarrow.Table`.
    table
        games, turns, findings or errors.
    column
        The column that has a record, or several, in each row: strings, or bytes in any encoding that records have.
    source
        The column whose values name the records; None = their numbers, which begin anew in every call.
    rules, lexicon
        As in `audit_texts`.

    Yields
    ------
    pyarrow.RecordBatch
        One for each batch. Nulls have no row.
    """
    if table not in TABLES:
        raise AuditError(f"table {quote(table)}, expected one of {', '.join(TABLES)}")
    count = 0
    for batch in batches:
        texts: list[RecordText] = []
        cells = batch.column(column).to_pylist()
        names = range(count, count + len(cells)) if source is None else batch.column(source).to_pylist()
        count += len(cells)
        for name, cell in zip(names, cells, strict=True):
            if cell is not None:
                texts += record_texts(str(name), cell)
        yield getattr(audit_texts(texts, rules, lexicon), table)


def visible(label: str) -> str:
    """A label as Arrow takes it: file names may hold bytes that are no text."""
    try:
        label.encode()
    except UnicodeEncodeError:
        return label.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return label


def _empty(table: str) -> Any:
    schema = ARROW_SCHEMAS[table]
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
