"""Candidates in .csv files: read and written in pieces.

Columns are those of `candidates.COLUMNS`, and `board` and `rack`, in any order. Codes are written in hexadecimal, two
digits each: `1115091a` for the tiles QUIZ in English, the rows of a board with `/` between them, a rack as counts by
tile code. The column `play` of texts like `8H QUIZ` may stand in place of all others.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastscore.candidates import COLUMNS, Candidates, assemble, check_codes, check_columns
from fastscore.errors import TableError, quote
from fastscore.rules.sources import whole_number

if TYPE_CHECKING:
    from fastscore.rules.ruleset import Ruleset

__all__ = ["CsvReader", "CsvWriter", "sheet_cells"]

_LONGEST_LINE = 16_384
"""Bytes; a row with a board of 32 x 32 takes 3,000."""
_PLAY = "play"
_SHEETS = ("board", "rack")


class CsvReader:
    """The candidates or the texts of one file, in pieces. Raises TableError with the line, OSError."""

    rows: int | None = None
    """How many there are is known at the end only."""
    rules: str | None = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file = open(self.path, "rb")  # noqa: SIM115 - closed by close
        try:
            self._reader = csv.reader(self._lines(), strict=True)
            self._names = [name.strip() for name in next(self._records(), [])]
            for name in (*COLUMNS, *_SHEETS, _PLAY):
                if self._names.count(name) > 1:
                    raise self._error(f"column {quote(name)} stands there {self._names.count(name)} times")
            if not self.has_texts:
                check_columns(self._names, self.path)
        except BaseException:
            self.close()
            raise

    @property
    def has_texts(self) -> bool:
        """Whether the plays are texts."""
        return _PLAY in self._names

    @property
    def size(self) -> int:
        """Bytes that everything takes in memory, more or less."""
        return os.fstat(self._file.fileno()).st_size

    def texts(self) -> Iterator[tuple[int, str]]:
        """Line and text of each play; once only."""
        column = self._names.index(_PLAY)
        for record in self._records():
            if record[column].strip():
                yield self._reader.line_num, record[column].strip()

    @property
    def has_boards(self) -> bool:
        """Whether the file says on which boards the placements are."""
        return "board" in self._names

    def chunks(
        self, size: int, rules: Ruleset | None = None, ground: NDArray[np.uint8] | None = None
    ) -> Iterator[Candidates]:
        """The candidates from the first on, up to `size` at a time; once only.

        For placements in word form: `rules` (where bricks are) and, if the file has no boards, `ground`
        uint8[positions, rows, cols].
        """
        if self.has_texts:
            raise self._error(f"column {quote(_PLAY)}: texts, expected placements as numbers")
        records = ((self._reader.line_num, record) for record in self._records())
        first = 0
        for head in records:
            rows = [head, *islice(records, size - 1)]
            yield self._piece(rows, rules, ground, first)
            first += len(rows)
        if not first:
            yield self._piece([], rules, ground, first)

    def _piece(
        self,
        rows: Sequence[tuple[int, list[str]]],
        rules: Ruleset | None,
        ground: NDArray[np.uint8] | None,
        first: int,
    ) -> Candidates:
        columns: dict[str, NDArray[Any]] = {}
        cells = {name: [record[self._names.index(name)].strip() for _, record in rows] for name in self._names}
        lines = [line for line, _ in rows]
        for name in COLUMNS:
            if name == "tiles":
                columns[name] = self._codes(name, cells[name], lines)
            elif name in cells:
                columns[name] = self._numbers(name, cells[name], lines)
        boards = racks = None
        if "board" in cells:
            pairs = list(zip(cells["board"], cells.get("rack", cells["board"]), strict=True))
            known = [pair for pair in dict.fromkeys(pairs) if pair[0]]
            number = {pair: at for at, pair in enumerate(known)}
            columns["position"] = np.array([number.get(pair, -1) for pair in pairs], np.int32)
            if known:
                boards = self._boards([board for board, _ in known], lines)
            if known and "rack" in cells:
                racks = self._codes("rack", [rack for _, rack in known], lines)
        return assemble(columns, boards=boards, racks=racks, rules=rules, ground=ground, first=first, source=self.path)

    def _numbers(self, name: str, texts: Sequence[str], lines: Sequence[int]) -> NDArray[np.int64]:
        found = [whole_number(text) for text in texts]
        if None in found:
            bad = found.index(None)
            raise self._error(f"column {quote(name)}: {quote(texts[bad])}, expected a whole number", lines[bad])
        return np.array(found, np.int64)

    def _codes(self, name: str, texts: Sequence[str], lines: Sequence[int]) -> NDArray[np.uint8]:
        made = []
        for at, text in enumerate(texts):
            try:
                made.append(bytes.fromhex(text))
            except ValueError:
                raise self._error(
                    f"column {quote(name)}: {quote(text)}, expected codes as two hexadecimal digits each",
                    lines[at] if len(texts) == len(lines) else None,
                ) from None
        width = max(map(len, made), default=1)
        check_codes(name, width, self.path)
        return np.frombuffer(b"".join(codes.ljust(width, b"\0") for codes in made), np.uint8).reshape(len(made), width)

    def _boards(self, texts: Sequence[str], lines: Sequence[int]) -> NDArray[np.uint8]:
        shape, *others = {tuple(len(row) for row in text.split("/")) for text in texts}
        if others or len(set(shape)) > 1 or shape[0] % 2:
            raise self._error("column 'board': rows of different lengths, expected boards of one size")
        flat = self._codes("board", [text.replace("/", "") for text in texts], lines)
        return flat.reshape(len(flat), len(shape), shape[0] // 2)

    def _lines(self) -> Iterator[str]:
        """The lines as text; a file without line ends must not fill the memory."""
        number = 0
        while line := self._file.readline(_LONGEST_LINE + 1):
            number += 1
            if len(line) > _LONGEST_LINE:
                raise self._error(f"more than {_LONGEST_LINE} bytes in one line", number)
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                byte = f"0x{line[error.start]:02x}"
                raise self._error(f"byte {byte} is not UTF-8, expected a text file", number) from None

    def _records(self) -> Iterator[list[str]]:
        """The rows that are not blank, as many cells each as there are names."""
        while True:
            try:
                record = next(self._reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise self._error(f"no CSV: {error}", self._reader.line_num) from None
            names = getattr(self, "_names", record)
            if len(record) != len(names) and record:
                raise self._error(f"{len(record)} cells, expected {len(names)}", self._reader.line_num)
            if record:
                yield record

    def _error(self, detail: str, line: int | None = None) -> TableError:
        return TableError(detail, source=self.path, line=line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class CsvWriter:
    """Columns into one file, piece by piece, as text."""

    rules: str | None = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = open(path, "w", encoding="ascii", newline="")  # noqa: SIM115 - closed by close or discard
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._names: list[str] = []

    def append(self, **columns: NDArray[Any] | list[str]) -> None:
        """Add rows: texts and numbers as they are, rows of codes in hexadecimal without the zeros at their end."""
        if not self._names:
            self._names = list(columns)
            self._writer.writerow(self._names)
        if self._names != list(columns):
            raise TableError(f"columns {quote(', '.join(columns))} after {quote(', '.join(self._names))}")
        self._writer.writerows(zip(*map(_cells, columns.values()), strict=True))

    def close(self) -> None:
        """Write the rest, and close the file."""
        self._file.close()

    discard = close


def sheet_cells(sheet: NDArray[np.uint8], position: NDArray[np.int32]) -> list[str]:
    """The board or rack of each row in hexadecimal, with all its zeros; empty where there is none."""
    texts = ["/".join(row.tobytes().hex() for row in np.atleast_2d(codes)) for codes in sheet]
    return [texts[number] if 0 <= number < len(texts) else "" for number in position.tolist()]


def _cells(column: NDArray[Any] | list[str]) -> list[Any]:
    if isinstance(column, list):
        return column
    if column.ndim == 1:
        return list(column.tolist())
    return [row.tobytes().rstrip(b"\0").hex() for row in column]
