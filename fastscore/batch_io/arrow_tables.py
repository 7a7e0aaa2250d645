"""Candidates and formed words as Arrow tables and in .parquet files. pyarrow is imported when the first is made.

A table has a row for each placement: the columns of `candidates.COLUMNS`, `board` (the codes of all squares, row by
row) and `rack` (counts by tile code). Codes are bytes: fixed-size binary for tiles, dictionary-encoded binary for
boards and racks, so that a board that many rows share stands there once. Lists of integers are read as well.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastscore.board import INVALID_TILE, narrow
from fastscore.candidates import COLUMNS, Candidates, assemble, check_codes, check_columns, joined
from fastscore.coordinates import MAX_SIDE
from fastscore.errors import MissingExtraError, TableError, quote
from fastscore.rules.sources import whole_number

if TYPE_CHECKING:
    from fastscore.formation import FormedWords
    from fastscore.rules.ruleset import Ruleset

__all__ = ["ParquetReader", "ParquetWriter", "from_arrow", "to_arrow", "words_to_arrow"]

_SHEETS = {"board": "boards", "rack": "racks"}
_PREFIX = "fastscore."
_LARGEST_GROUP = 2 << 30
"""Bytes of the columns of one row group, which parquet files declare; more is refused."""
_LONGEST_NAME = 200
_MOST_IN_LIST = 2**31 - 1
_MOST_SQUARES = MAX_SIDE * MAX_SIDE
_ROW_BYTES = 24
"""What a placement takes in memory, whatever it takes in the file."""
_BUFFER = 1 << 20


def _pyarrow(module: str = "pyarrow") -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module} cannot be imported ({error}), expected the extra: pip install 'fastscore[records]'"
        ) from None


@contextlib.contextmanager
def _complaining(source: str | None) -> Iterator[None]:
    """What pyarrow raises for files and tables that it cannot read, as one typed error."""
    pa = _pyarrow()
    try:
        yield
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        text = str(error).splitlines()
        raise TableError(f"cannot be read: {quote(text[0] if text else '', 200)[1:-1]}", source=source) from None


# --- tables in memory -------------------------------------------------------------------------------------------------


def to_arrow(candidates: Candidates) -> Any:
    """A `pyarrow.Table` of candidates, a row each; without copying boards, racks and tiles.

    `score`, `board` and `rack` are among the columns where the candidates have them. A row whose position is that of no
    board has null in `board` and `rack`.
    """
    pa = _pyarrow()
    batch = candidates.batch
    columns = {name: pa.array(getattr(batch, name)) for name in ("position", "row", "col", "direction")}
    columns["tiles"] = _bytes_array(batch.tiles)
    columns["status"] = pa.array(batch.status)
    if candidates.score is not None:
        columns["score"] = pa.array(candidates.score)
    metadata = {} if candidates.rules is None else {f"{_PREFIX}rules": candidates.rules}
    if candidates.boards is not None:
        rows, cols = candidates.boards.shape[1:]
        metadata |= {f"{_PREFIX}rows": str(rows), f"{_PREFIX}cols": str(cols)}
    for column, name in _SHEETS.items():
        sheet: NDArray[np.uint8] | None = getattr(candidates, name)
        if sheet is not None:
            outside = (batch.position < 0) | (batch.position >= len(sheet))
            columns[column] = pa.DictionaryArray.from_arrays(
                pa.array(batch.position, mask=outside), _bytes_array(sheet.reshape(len(sheet), -1)).cast(pa.binary())
            )
    return pa.table(columns, metadata=metadata)


def from_arrow(table: Any, rules: Ruleset | None = None) -> Candidates:
    """The candidates of a `pyarrow.Table` such as `to_arrow` makes, or one with lists of integers for bytes.

    Boards are numbered anew, in the order of the dictionary or of the rows, and `position` counts in them. `rules`: for
    placements in word form; they also say how large a board is where the table's metadata do not. Raises TableError.
    """
    with _complaining(None):
        table.validate(full=True)
        parts = list(_Pieces(table.schema, rules, None).of(table.combine_chunks().to_batches()))
    return joined(parts)


def words_to_arrow(words: FormedWords) -> Any:
    """A `pyarrow.Table` of the words of each candidate: a row a candidate, one column `words`.

    Its type is list<struct<tiles: list<uint8>, row, col, direction: uint8, main: bool>>: the main word first.
    """
    pa = _pyarrow()
    lengths = words.length.astype(np.int64)
    ends = np.concatenate(([0], np.cumsum(lengths)))
    codes = words.tiles[np.arange(words.tiles.shape[1]) < lengths[:, None]]
    if ends[-1] > _MOST_IN_LIST:
        raise TableError(f"words of {ends[-1]} tiles, expected at most {_MOST_IN_LIST} in one table")
    fields = {
        "tiles": pa.ListArray.from_arrays(ends.astype(np.int32), pa.array(codes)),
        **{name: pa.array(getattr(words, name)) for name in ("row", "col", "direction", "main")},
    }
    structs = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    return pa.table({"words": pa.ListArray.from_arrays(words.starts.astype(np.int32), structs)})


def _bytes_array(rows: NDArray[np.uint8]) -> Any:
    """uint8[n, width] as fixed-size binary; not copied where it is contiguous."""
    pa = _pyarrow()
    rows = np.ascontiguousarray(rows)
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(rows.shape[1]), len(rows), [None, pa.py_buffer(rows)])


class _Pieces:
    """Candidates from record batches of one schema."""

    def __init__(
        self, schema: Any, rules: Ruleset | None, source: str | None, ground: NDArray[np.uint8] | None = None
    ) -> None:
        self._pa = _pyarrow()
        self._source = source
        self._rules = rules
        self._ground = ground
        names = [str(name) for name in schema.names]
        for name in (*COLUMNS, *_SHEETS):
            if names.count(name) > 1:
                raise TableError(f"column {quote(name)} stands there {names.count(name)} times", source=source)
        check_columns(names, source)
        self.columns = [name for name in (*COLUMNS, *_SHEETS) if name in names]
        found = {key.decode("utf-8", "replace"): value for key, value in (schema.metadata or {}).items()}
        notes = {name: found.get(_PREFIX + name, b"").decode("utf-8", "replace") for name in ("rules", "rows", "cols")}
        self.name = notes["rules"] if 0 < len(notes["rules"]) <= _LONGEST_NAME else None
        self._shape = (whole_number(notes["rows"]) or 0, whole_number(notes["cols"]) or 0)

    def of(self, batches: Iterator[Any] | list[Any]) -> Iterator[Candidates]:
        first = 0
        for batch in batches:
            yield self._piece(batch, first)
            first += len(batch)
        if not first:
            columns = {
                name: np.zeros((0, 1) if name == "tiles" else 0, np.uint8)
                for name in ("row", "col", "direction", "tiles")
            }
            yield assemble(columns, rules_name=self.name, source=self._source)

    def _piece(self, batch: Any, first: int) -> Candidates:
        columns: dict[str, NDArray[Any]] = {}
        for name in self.columns:
            if name not in _SHEETS:
                array = batch.column(name)
                columns[name] = self._codes(name, array) if name == "tiles" else self._integers(name, array)
        boards = racks = None
        if "board" in self.columns:
            boards, number = self._sheet(batch, "board")
            if "rack" in self.columns:
                racks, held = self._sheet(batch, "rack")
                boards, racks, number = _paired(boards, racks, number, held)
            columns["position"] = number
            boards = self._as_boards(boards)
        return assemble(
            columns,
            boards=boards,
            racks=racks,
            rules=self._rules,
            ground=self._ground,
            rules_name=self.name,
            first=first,
            source=self._source,
        )

    def _as_boards(self, flat: NDArray[np.uint8]) -> NDArray[np.uint8]:
        squares = flat.shape[1]
        rows, cols = self._shape
        if (rows, cols) == (0, 0):
            side = math.isqrt(squares)
            rows, cols = (side, side) if self._rules is None else (self._rules.rows, self._rules.cols)
        if len(flat) and (rows * cols != squares or not (1 <= rows <= MAX_SIDE and 1 <= cols <= MAX_SIDE)):
            raise self._error("board", f"{squares} squares, expected those of {rows} rows and {cols} columns")
        return flat.reshape(len(flat), rows, cols) if len(flat) else np.zeros((0, max(rows, 1), max(cols, 1)), np.uint8)

    def _sheet(self, batch: Any, name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The different boards or racks, and which each row has, -1 for null."""
        array = batch.column(name)
        if isinstance(array, self._pa.DictionaryArray):
            number = array.indices.cast(self._pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
            values = array.dictionary
            if len(values) > len(array):
                # The dictionary of a whole row group, of which these rows have a part.
                used, number = np.unique(number, return_inverse=True)
                nulls = int(np.searchsorted(used, 0))
                values, number = values.take(self._pa.array(used[nulls:])), number - nulls
            return self._codes(name, values), number
        codes = self._codes(name, array.fill_null(b"") if _is_binary(self._pa, array.type) else array)
        if not len(codes):
            return codes, np.zeros(0, np.int64)
        changed = np.concatenate(([True], (codes[1:] != codes[:-1]).any(axis=1)))
        number = np.cumsum(changed) - 1
        missing = np.asarray(array.is_null())
        return codes[changed], np.where(missing, -1, number)

    def _integers(self, name: str, array: Any) -> NDArray[Any]:
        if not self._pa.types.is_integer(array.type):
            raise self._error(name, f"holds {array.type}, expected integers")
        if array.null_count:
            raise self._error(name, f"{array.null_count} nulls, expected a number in each row")
        found: NDArray[Any] = array.to_numpy(zero_copy_only=False)
        return found

    def _codes(self, name: str, array: Any) -> NDArray[np.uint8]:
        """Bytes or lists of integers as uint8[n, width], shorter ones filled up with zeros."""
        types, kind = self._pa.types, array.type
        if array.null_count:
            raise self._error(name, f"{array.null_count} nulls, expected codes in each row")
        n = len(array)
        if types.is_dictionary(kind):
            number = array.indices.to_numpy(zero_copy_only=False)
            values = self._codes(name, array.dictionary)
            return values[number] if n else values[:0]
        if types.is_fixed_size_binary(kind):
            check_codes(name, kind.byte_width, self._source)
            data = np.frombuffer(array.buffers()[1], np.uint8) if n else np.zeros(0, np.uint8)
            begin = array.offset * kind.byte_width
            return data[begin : begin + n * kind.byte_width].reshape(n, kind.byte_width)
        if _is_binary(self._pa, kind):
            wide = types.is_large_binary(kind)
            offsets, data = array.buffers()[1:]
            ends = np.frombuffer(offsets, np.int64 if wide else np.int32)[array.offset : array.offset + n + 1]
            codes = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        elif types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind):
            if not types.is_integer(kind.value_type):
                raise self._error(name, f"holds {kind}, expected bytes or lists of integers")
            values = array.flatten()
            if values.null_count:
                raise self._error(name, f"{values.null_count} nulls among the codes")
            lengths = np.asarray(_pyarrow("pyarrow.compute").list_value_length(array)).astype(np.int64)
            ends = np.concatenate(([0], np.cumsum(lengths)))
            codes = narrow(values.to_numpy(zero_copy_only=False), np.uint8, INVALID_TILE, name)
        else:
            raise self._error(name, f"holds {kind}, expected bytes or lists of integers")
        return self._padded(name, codes, ends.astype(np.int64))

    def _padded(self, name: str, codes: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.uint8]:
        lengths = np.diff(ends)
        width = int(lengths.max(initial=0))
        check_codes(name, width, self._source)
        n = len(lengths)
        # A board is whole or missing; a short one would pass for another.
        if name == "board" and np.any((lengths != width) & (lengths != 0)):
            raise self._error("board", "rows of different lengths, expected boards of one size")
        used = codes[ends[0] : ends[-1]] if n else codes[:0]
        if np.all(lengths == width):
            return used.reshape(n, width)
        made = np.zeros((n, width), np.uint8)
        made[np.arange(width) < lengths[:, None]] = used
        return made

    def _error(self, name: str, detail: str) -> TableError:
        return TableError(f"column {quote(name)}: {detail}", source=self._source)


def _is_binary(pa: Any, kind: Any) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _paired(
    boards: NDArray[np.uint8], racks: NDArray[np.uint8], board: NDArray[np.int64], rack: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]:
    """Boards and racks numbered alike: a position for each pair of them that some row has."""
    if len(boards) == len(racks) and np.array_equal(board, rack):
        return boards, racks, board
    whole = (board >= 0) & (rack >= 0)
    pairs, number = np.unique((board * max(len(racks), 1) + rack)[whole], return_inverse=True)
    position = np.full(len(board), -1, np.int64)
    position[whole] = number
    return boards[pairs // max(len(racks), 1)], racks[pairs % max(len(racks), 1)], position


# --- files ------------------------------------------------------------------------------------------------------------


class ParquetReader:
    """The candidates of one file, in pieces. `rows`: how many there are.

    Raises TableError, MissingExtraError, OSError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        parquet = _pyarrow("pyarrow.parquet")
        with open(self.path, "rb"):
            pass  # the error of the system, if there is one: pyarrow has errors of its own
        with _complaining(self.path):
            schema = parquet.read_schema(self.path)
            # As dictionaries, long values that many rows share take memory once only.
            encoded = [name for name in (*_SHEETS, "tiles") if name in schema.names and _is_encodable(schema, name)]
            self._file = parquet.ParquetFile(self.path, read_dictionary=encoded, pre_buffer=False, buffer_size=_BUFFER)
        try:
            self._metadata = self._file.metadata
            self.rows: int = self._metadata.num_rows
            self.rules = self._pieces().name
            self._check_groups()
        except BaseException:
            self.close()
            raise

    def _pieces(self, rules: Ruleset | None = None, ground: NDArray[np.uint8] | None = None) -> _Pieces:
        return _Pieces(self._file.schema_arrow, rules, self.path, ground)

    def _check_groups(self) -> None:
        for number in range(self._metadata.num_row_groups):
            group = self._metadata.row_group(number)
            declared = group.total_byte_size
            if not 0 <= declared <= _LARGEST_GROUP:
                raise TableError(
                    f"row group {number} declares {declared} bytes, expected at most {_LARGEST_GROUP}", source=self.path
                )
            for index in range(group.num_columns):
                column = group.column(index)
                # Lists of equal numbers take next to nothing in a file, however long they are.
                if column.num_values > group.num_rows * _MOST_SQUARES:
                    raise TableError(
                        f"column {quote(column.path_in_schema)}: {column.num_values} values in {group.num_rows} rows, "
                        f"expected at most {_MOST_SQUARES} a row",
                        source=self.path,
                    )

    @property
    def size(self) -> int:
        """Bytes that everything takes in memory, as the file declares; boards that rows share count once."""
        groups = range(self._metadata.num_row_groups)
        declared = sum(int(self._metadata.row_group(number).total_byte_size) for number in groups)
        return declared + _ROW_BYTES * self.rows

    @property
    def has_boards(self) -> bool:
        """Whether the file says on which boards the placements are."""
        return "board" in self._file.schema_arrow.names

    def chunks(
        self, size: int, rules: Ruleset | None = None, ground: NDArray[np.uint8] | None = None
    ) -> Iterator[Candidates]:
        """The candidates from the first on, up to `size` at a time.

        For placements in word form: `rules` (where bricks are) and, if the file has no boards, `ground`
        uint8[positions, rows, cols].
        """
        pieces = self._pieces(rules, ground)
        with _complaining(self.path):
            yield from pieces.of(self._file.iter_batches(size, columns=pieces.columns, use_threads=False))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _is_encodable(schema: Any, name: str) -> bool:
    """Whether parquet can give a column as a dictionary."""
    pa, kind = _pyarrow(), schema.field(name).type
    return bool(_is_binary(pa, kind) or pa.types.is_dictionary(kind))


class ParquetWriter:
    """Columns into one file, a row group for each piece. `rules`: a name that goes with them."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._parquet = _pyarrow("pyarrow.parquet")
        self._writer: Any = None
        self.rules: str | None = None

    def append(self, **arrays: NDArray[Any]) -> None:
        """Add rows of numbers, all columns alike long."""
        pa = _pyarrow()
        self.append_table(pa.table({name: pa.array(array) for name, array in arrays.items()}))

    def append_table(self, table: Any) -> None:
        """Add the rows of a `pyarrow.Table`. Raises TableError for another schema than before."""
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(
                self._path, table.schema, use_dictionary=list(_SHEETS), compression="zstd"
            )
        if not table.schema.equals(self._writer.schema):
            raise TableError(
                f"columns {quote(_described(table.schema), 200)} after {quote(_described(self._writer.schema), 200)}"
            )
        self._writer.write_table(table, row_group_size=max(len(table), 1))

    def close(self) -> None:
        """Write the end of the file."""
        if self._writer is not None:
            self._writer.close()

    discard = close


def _described(schema: Any) -> str:
    return ", ".join(f"{field.name}: {field.type}" for field in schema)
