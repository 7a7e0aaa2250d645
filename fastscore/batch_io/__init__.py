"""Candidates and scores in files: .npz, .csv, .parquet; and as Arrow tables.

    >>> from fastscore.batch_io import open_candidates, read_candidates, write_candidates

Everything is read as data that somebody else may have made: nothing is unpickled, sizes that a file declares are
checked before memory is taken, and what is wrong is a TableError that names file and column. Everything is written
under another name first and put in place at the end, so that there is no half file. Parquet and Arrow need the extra
`fastscore[records]`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fastscore.batch_io.arrow_tables import ParquetReader, ParquetWriter, from_arrow, to_arrow, words_to_arrow
from fastscore.batch_io.csv_files import CsvReader, CsvWriter, sheet_cells
from fastscore.batch_io.npz_files import NpzReader, NpzWriter
from fastscore.candidates import Candidates, joined
from fastscore.errors import TableError, quote

if TYPE_CHECKING:
    from fastscore.board import Board
    from fastscore.placements import PlacementBatch
    from fastscore.rules.ruleset import Ruleset

__all__ = [
    "SUFFIXES",
    "CandidateReader",
    "CandidateWriter",
    "Candidates",
    "ScoreWriter",
    "from_arrow",
    "open_candidates",
    "read_candidates",
    "read_placements",
    "read_play_texts",
    "to_arrow",
    "words_to_arrow",
    "write_candidates",
]

SUFFIXES = (".npz", ".csv", ".parquet")
"""Endings of the files that are read and written here."""
LARGEST_READ = 4 << 30
"""Bytes that `read_candidates` takes into memory unless it is told otherwise."""

_Path = str | os.PathLike[str]
_ROWS_AT_A_TIME = 1 << 16


class CandidateReader(Protocol):
    """An open file of candidates."""

    path: str
    rows: int | None
    """How many candidates there are, None where only the end of the file says so."""
    rules: str | None
    """The name of the ruleset, if the file says one."""

    @property
    def size(self) -> int:
        """Bytes that everything takes in memory, more or less."""

    @property
    def has_boards(self) -> bool:
        """Whether the file says on which boards the placements are."""

    def chunks(
        self, size: int, rules: Ruleset | None = None, ground: NDArray[np.uint8] | None = None
    ) -> Iterator[Candidates]:
        """The candidates from the first on, up to `size` at a time; once only.

        For placements in word form: `rules` (where bricks are) and, if the file has no boards, `ground`
        uint8[positions, rows, cols].
        """

    def close(self) -> None:
        """Close the file."""


def _ending(path: _Path) -> str:
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in SUFFIXES:
        raise TableError(f"the name ends in {quote(ending)}, expected one of {', '.join(SUFFIXES)}", source=str(path))
    return ending


@contextlib.contextmanager
def open_candidates(path: _Path) -> Iterator[CandidateReader]:
    """Open a file of candidates, to be read in pieces: `for part in reader.chunks(100_000, rules)`.

    Each piece has the boards and racks that its rows name, and `position` counts in those of the piece; `first` is the
    number of its first row in the file. Memory is taken for one piece only, however large the file is. Raises
    TableError, OSError, MissingExtraError.
    """
    kinds: dict[str, Any] = {".npz": NpzReader, ".csv": CsvReader, ".parquet": ParquetReader}
    reader: CandidateReader = kinds[_ending(path)](path)
    with contextlib.closing(reader):
        yield reader


def read_candidates(path: _Path, rules: Ruleset | None = None, *, limit: int = LARGEST_READ) -> Candidates:
    """All candidates of a file.

    `rules`: for placements in word form (where bricks are, how large a rack is). In tables, where each row has its
    board, boards are numbered anew in order of appearance. Raises TableError, also for a file that declares more than
    `limit` bytes, OSError, MissingExtraError.
    """
    with open_candidates(path) as reader:
        return _all_of(reader, rules, None, limit)


def read_placements(path: _Path, board: Board) -> PlacementBatch:
    """The placements of a file that are all for one board; a `position` other than 0 is one that there is not.

    Raises as `read_candidates` does, and TableError for a file that has boards of its own.
    """
    with open_candidates(path) as reader:
        if reader.has_boards:
            raise TableError("has boards of its own, expected only placements, for another board", source=reader.path)
        return _all_of(reader, board.rules, board.tiles[np.newaxis], LARGEST_READ).batch


def _all_of(reader: CandidateReader, rules: Ruleset | None, ground: NDArray[np.uint8] | None, limit: int) -> Candidates:
    if reader.size > limit:
        raise TableError(f"{reader.size} bytes, expected at most {limit} (limit=)", source=reader.path)
    return joined(list(reader.chunks(max(reader.rows or _ROWS_AT_A_TIME, 1), rules, ground)))


def read_play_texts(path: _Path) -> list[tuple[int, str]] | None:
    """Line and text of each play of a .csv file with a column `play`; None for any other file of candidates."""
    if _ending(path) != ".csv":
        return None
    with contextlib.closing(CsvReader(path)) as reader:
        return list(reader.texts()) if reader.has_texts else None


class _Columns:
    """Columns on their way into a file that is in place only when all is written."""

    def __init__(self, path: _Path, *, compress: bool = False) -> None:
        ending = _ending(path)
        self._target = os.path.realpath(path)
        folder, name = os.path.split(self._target)
        if os.path.exists(self._target) and not os.path.isfile(self._target):
            raise TableError("is no regular file, expected one that can be replaced", source=os.fspath(path))
        if not os.path.isdir(folder):
            raise TableError(f"there is no folder {quote(folder)}", source=os.fspath(path))
        # The name of the process: two that write the same file do not write into each other's.
        self._temporary = os.path.join(folder, f".{name}.{os.getpid()}.part")
        self._pieces = 0
        self._out: Any
        if ending == ".npz":
            self._out = NpzWriter(self._temporary, folder=folder, compress=compress)
        else:
            self._out = CsvWriter(self._temporary) if ending == ".csv" else ParquetWriter(self._temporary)

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            with contextlib.suppress(Exception):
                self._out.discard()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._temporary)

    def _finish(self) -> None:
        if not self._pieces:
            raise TableError("nothing to write: not one piece was added", source=self._target)
        self._out.close()
        os.replace(self._temporary, self._target)


class ScoreWriter(_Columns):
    """Scores into one file, piece by piece: arrays or columns `score` int32 and `status` uint32, a row a candidate.

    A context manager: the file is in place when the block has ended, and is left alone when it ended by an error. The
    kind of file follows from the name. `compress`: pack the arrays of an .npz. Raises TableError, OSError.
    """

    def __enter__(self) -> ScoreWriter:
        return self

    def append(self, score: NDArray[np.int32], status: NDArray[np.uint32]) -> None:
        """Add the scores and statuses of some candidates."""
        self._pieces += 1
        self._out.append(score=np.asarray(score, np.int32), status=np.asarray(status, np.uint32))


class CandidateWriter(_Columns):
    """Candidates into one file, piece by piece, otherwise like ScoreWriter.

    In .npz each piece's boards and racks are added to those before, and its positions count from there. In tables each
    row has its board.
    """

    def __init__(self, path: _Path, *, compress: bool = False) -> None:
        super().__init__(path, compress=compress)
        self._boards = 0

    def __enter__(self) -> CandidateWriter:
        return self

    def append(self, candidates: Candidates) -> None:
        """Add some candidates. Raises TableError where they have other columns than those before."""
        self._pieces += 1
        if isinstance(self._out, ParquetWriter):
            self._out.append_table(to_arrow(candidates))
            return
        batch = candidates.batch
        columns: dict[str, NDArray[Any]] = {
            "position": batch.position,
            **{name: getattr(batch, name) for name in ("row", "col", "direction", "tiles", "status")},
        }
        if candidates.score is not None:
            columns["score"] = candidates.score
        sheets = {"board": candidates.boards, "rack": candidates.racks}
        if isinstance(self._out, CsvWriter):
            cells = {name: sheet_cells(sheet, batch.position) for name, sheet in sheets.items() if sheet is not None}
            self._out.append(**columns, **cells)
            return
        boards = max((len(sheet) for sheet in sheets.values() if sheet is not None), default=0)
        good = (batch.position >= 0) & ((batch.position < boards) | (boards == 0))
        columns["position"] = np.where(good, batch.position + self._boards, -1).astype(np.int32)
        self._out.rules = candidates.rules
        self._out.append(**columns, **{f"{name}s": sheet for name, sheet in sheets.items() if sheet is not None})
        self._boards += boards


def write_candidates(path: _Path, candidates: Candidates, *, compress: bool = False) -> None:
    """Write candidates to a file whose name ends in .npz, .csv or .parquet. Raises TableError, OSError."""
    with CandidateWriter(path, compress=compress) as writer:
        writer.append(candidates)
