"""Games that stand in the tables more than once, whoever is said to have played them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fastscore.audit.schema import ARROW_SCHEMAS, read_part

__all__ = ["find_duplicates"]

_KEY: Final = ("source", "member", "game")


def find_duplicates(files: Sequence[Path]) -> Any:
    """A record batch of `duplicates`: a row for each game whose moves are those of one before it.

    Parameters
    ----------
    files
        The parts of the table `games`, in their order. 24 bytes of memory a game are taken.
    """
    row, first = _repeated(*_fingerprints(files))
    wanted = np.unique(np.concatenate([row, first]))
    keys = _keys(files, wanted)
    own, other = np.searchsorted(wanted, row), np.searchsorted(wanted, first)
    schema = ARROW_SCHEMAS["duplicates"]
    columns = {name: keys.column(name).take(pa.array(own)) for name in (*_KEY, "fingerprint")}
    columns |= {f"first_{name}": keys.column(name).take(pa.array(other)) for name in _KEY}
    return pa.Table.from_pydict(columns, schema=schema).combine_chunks()


def _fingerprints(files: Sequence[Path]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Numbers of the rows that have a fingerprint, int64[n], and the fingerprints, uint64[n, 2]."""
    rows: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    prints: list[NDArray[np.uint64]] = [np.zeros((0, 2), np.uint64)]
    begin = 0
    for file in files:
        column = read_part(file, columns=["fingerprint"]).column(0)
        known = np.flatnonzero(column.is_valid().to_numpy())
        rows.append(known + begin)
        digits = "".join(column.drop_null().to_pylist())
        prints.append(np.frombuffer(bytes.fromhex(digits), np.uint64).reshape(-1, 2))
        begin += len(column)
    return np.concatenate(rows), np.concatenate(prints)


def _repeated(rows: NDArray[np.int64], prints: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows whose fingerprint an earlier one has, ascending, and for each the first one that has it."""
    order = np.lexsort((rows, prints[:, 0], prints[:, 1]))
    ordered = prints[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    firsts = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0)) if len(order) else order
    again = np.flatnonzero(~is_first)
    row, first = rows[order[again]], rows[order[firsts[again]]]
    back = np.argsort(row)
    return row[back], first[back]


def _keys(files: Sequence[Path], wanted: NDArray[np.int64]) -> Any:
    """Keys and fingerprints of rows, whose numbers ascend."""
    return pa.concat_tables(_keys_by_file(files, wanted)).combine_chunks()


def _keys_by_file(files: Sequence[Path], wanted: NDArray[np.int64]) -> Iterator[Any]:
    schema = ARROW_SCHEMAS["games"]
    names = [*_KEY, "fingerprint"]
    yield pa.schema([schema.field(name) for name in names]).empty_table()
    begin = 0
    for file in files:
        end = begin + read_part(file, columns=[]).num_rows
        own = wanted[np.searchsorted(wanted, begin) : np.searchsorted(wanted, end)] - begin
        if len(own):
            yield read_part(file, columns=names).take(pa.array(own)).replace_schema_metadata(None)
        begin = end
