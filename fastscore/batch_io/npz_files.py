"""Candidates in .npz files: read and written in pieces, so that no array has to fit into memory.

A member of the zip is read as the stream that it is, row by row, by its own header; so is each array written, to a
temporary file first, since a zip takes one member after the other. Nothing is unpickled, and what a file declares is
compared with what it holds before memory is taken for it.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from fastscore.candidates import COLUMNS, Candidates, assemble, check_codes, check_columns
from fastscore.coordinates import MAX_SIDE
from fastscore.errors import TableError, quote

if TYPE_CHECKING:
    from fastscore.rules.ruleset import Ruleset

__all__ = ["NpzReader", "NpzWriter"]

_ARRAYS = dict.fromkeys(COLUMNS, 1) | {"tiles": 2, "boards": 3, "racks": 2}
"""The members that are read, and their dimensions."""
_SUFFIX = ".npy"
_DEFLATE_RATIO = 1100
"""More than deflate packs at best, 1032 to 1: a member that declares more is refused."""
_SMALL = 64 << 20
"""Boards or racks of up to so many bytes are held as a whole, so that `position` may name them in any order."""
_SPAN = 256 << 20
"""Of larger ones at most so many bytes at a time."""
_PIECE = 1 << 20
_LONGEST_NAME = 200


class _Member:
    """One array of the file, from its first row on. The zip stays open in the reader."""

    def __init__(self, archive: zipfile.ZipFile, name: str, path: str) -> None:
        self.name = name
        self.path = path
        self._archive = archive
        with self._complaining():
            self._info = archive.getinfo(name + _SUFFIX)
            if self._info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise self.error("compressed by another method, expected none or deflate")
            if self._info.file_size > max(self._info.compress_size, 1) * _DEFLATE_RATIO:
                sizes = f"{self._info.file_size} bytes out of {self._info.compress_size}"
                raise self.error(f"declares {sizes}, more than deflate can pack")
            self._stream = archive.open(self._info)
            self.shape, self.dtype = self._header()
        self.rows = self.shape[0] if self.shape else 0
        self.row_bytes = self.dtype.itemsize * math.prod(self.shape[1:])
        self.at = 0

    def error(self, detail: str) -> TableError:
        return TableError(f"array {quote(self.name)}: {detail}", source=self.path)

    @contextlib.contextmanager
    def _complaining(self) -> Iterator[None]:
        """Whatever a damaged or hostile zip makes the standard library raise, as one typed error."""
        try:
            yield
        except (TableError, MemoryError):
            raise
        except zlib.error as error:
            raise self.error(f"damaged: {error}") from None
        except Exception as error:  # BadZipFile, EOFError, OSError for a place before the file, and more
            raise self.error(f"cannot be read: {quote(str(error), 200)[1:-1]}") from None

    def _header(self) -> tuple[tuple[int, ...], np.dtype[Any]]:
        version = npy.read_magic(self._stream)
        if version == (1, 0):
            shape, fortran, dtype = npy.read_array_header_1_0(self._stream)
        elif version == (2, 0):
            shape, fortran, dtype = npy.read_array_header_2_0(self._stream)
        else:
            raise self.error(f"version {version} of the format, expected 1.0 or 2.0")
        declared = math.prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or self._stream.tell() + declared != self._info.file_size:
            raise self.error(f"shape {shape} of {dtype} does not go with its {self._info.file_size} bytes")
        if fortran and len(shape) > 1:
            raise self.error("in Fortran order, expected C order (numpy.ascontiguousarray)")
        return shape, dtype

    def expect_integers(self, dims: int) -> None:
        if self.dtype.kind not in "biu" or len(self.shape) not in (dims, dims - (self.name in ("boards", "racks"))):
            raise self.error(f"{self.dtype} of shape {self.shape}, expected integers of {dims} dimensions")
        if len(self.shape) < dims:
            # One board, one rack.
            self.shape, self.rows, self.row_bytes = (1, *self.shape), 1, self.row_bytes * self.rows
        if len(self.shape) > 1:
            check_codes(self.name, math.prod(self.shape[1:]), self.path)

    def read(self, count: int) -> NDArray[Any]:
        """The next `count` rows."""
        with self._complaining():
            data = self._stream.read(count * self.row_bytes)
        if len(data) != count * self.row_bytes:
            raise self.error(f"ends in row {self.at + len(data) // max(self.row_bytes, 1)}, expected {self.rows} rows")
        self.at += count
        return np.frombuffer(data, self.dtype).reshape(count, *self.shape[1:])

    def skip(self, count: int) -> None:
        """Leave out the next `count` rows."""
        rows = max(_PIECE // max(self.row_bytes, 1), 1)
        for done in range(0, count, rows):
            self.read(min(rows, count - done))

    def text(self) -> str:
        """The whole of it, one short text."""
        if self.shape != () or self.dtype.kind != "U" or self.dtype.itemsize > 4 * _LONGEST_NAME:
            raise self.error(f"{self.dtype} of shape {self.shape}, expected one text")
        with self._complaining():
            return str(np.frombuffer(self._stream.read(self.dtype.itemsize), self.dtype)[0])


class _Sheets:
    """Boards and racks by number: all of them where they are small, else as many as one piece of the file names."""

    def __init__(self, members: dict[str, _Member]) -> None:
        self._members = members
        self._number = min(member.rows for member in members.values())
        self._row_bytes = sum(member.row_bytes for member in members.values())
        self._small = self._number * self._row_bytes <= _SMALL
        self._first = self._end = 0
        self._held: dict[str, NDArray[np.uint8]] = {}
        self._read_up_to(self._number if self._small else 0)

    def named(self, position: NDArray[Any]) -> tuple[NDArray[np.int64], dict[str, NDArray[np.uint8]]]:
        """The boards and racks that these rows name, and `position` as a number among them, -1 if there is none."""
        good = (position >= 0) & (position < self._number)
        if not self._small and good.any():
            self._move(int(position[good].min()), int(position[good].max()) + 1)
        return np.where(good, position.astype(np.int64) - self._first, -1), self._held

    def _move(self, begin: int, end: int) -> None:
        if begin < self._first or (end - begin) * self._row_bytes > _SPAN:
            raise next(iter(self._members.values())).error(
                f"{self._number} rows are too many to hold at once, and `position` asks for {begin} and "
                f"{max(end, self._end) - 1} close together, expected `position` in ascending order"
            )
        self._held = {name: held[begin - self._first :] for name, held in self._held.items()}
        for member in self._members.values():
            member.skip(max(begin - self._end, 0))
        self._first, self._end = begin, max(begin, self._end)
        self._read_up_to(end)

    def _read_up_to(self, end: int) -> None:
        if end >= self._end:
            for name, member in self._members.items():
                codes = _as_codes(member, member.read(end - self._end))
                self._held[name] = np.concatenate([self._held[name], codes]) if len(self._held.get(name, ())) else codes
            self._end = end


def _as_codes(member: _Member, array: NDArray[Any]) -> NDArray[np.uint8]:
    codes = array.astype(np.uint8, copy=False)
    if array.dtype != np.uint8 and np.any(codes != array):
        raise member.error(f"holds {array[codes != array][0]}, expected numbers of 0..255")
    return codes


class NpzReader:
    """The candidates of one file, in pieces.

    `path`: the file; members are those of `candidates.COLUMNS`, and `boards`, `racks` and `rules` (a name). Others are
    not looked at. `rows`: how many placements there are. `rules`: the name, or None. Raises TableError, OSError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.rules: str | None = None
        self._columns: dict[str, _Member] = {}
        self._sheets: dict[str, _Member] = {}
        # Opened here, to be closed here: a zip closes its file only when all its members are closed.
        self._file = open(self.path, "rb")  # noqa: SIM115 - closed by close
        try:
            self._archive = self._open_archive()
            self._open_members()
        except BaseException:
            self.close()
            raise

    def _open_archive(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self._file)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise TableError(f"no .npz file: {quote(str(error).lower(), 200)[1:-1]}", source=self.path) from None

    def _open_members(self) -> None:
        names = [name.removesuffix(_SUFFIX) for name in self._archive.namelist() if name.endswith(_SUFFIX)]
        for name in (*_ARRAYS, "rules"):
            if names.count(name) > 1:
                raise TableError(f"array {quote(name)} stands there {names.count(name)} times", source=self.path)
        check_columns(names, self.path)
        if "rules" in names:
            self.rules = _Member(self._archive, "rules", self.path).text()
        members = {name: _Member(self._archive, name, self.path) for name in _ARRAYS if name in names}
        for name, member in members.items():
            member.expect_integers(_ARRAYS[name])
        self._sheets = {name: members.pop(name) for name in ("boards", "racks") if name in members}
        self._columns = members
        self.rows = members["row"].rows
        for member in members.values():
            if member.rows != self.rows:
                raise member.error(f"{member.rows} rows, expected {self.rows} as in 'row'")
        self._check_sheets()

    def _check_sheets(self) -> None:
        boards, racks = self._sheets.get("boards"), self._sheets.get("racks")
        if boards is not None and not all(1 <= side <= MAX_SIDE for side in boards.shape[1:]):
            raise boards.error(f"shape {boards.shape}, expected 1 to {MAX_SIDE} rows and columns")
        if racks is not None and boards is not None and racks.rows != boards.rows:
            raise racks.error(f"{racks.rows} racks, expected {boards.rows} as there are boards")
        if boards is not None and boards.rows != 1 and "position" not in self._columns:
            raise boards.error(f"{boards.rows} boards, and no array 'position' that says which is whose")

    @property
    def size(self) -> int:
        """Bytes that everything takes in memory."""
        members = (*self._columns.values(), *self._sheets.values())
        return sum(member.rows * member.row_bytes for member in members)

    @property
    def has_boards(self) -> bool:
        """Whether the file says on which boards the placements are."""
        return "boards" in self._sheets

    def chunks(
        self, size: int, rules: Ruleset | None = None, ground: NDArray[np.uint8] | None = None
    ) -> Iterator[Candidates]:
        """The candidates from the first on, up to `size` at a time; once only.

        `position` counts in the boards of the piece. Where those of the whole file take more than 64 MB, `position` has
        to ascend. For placements in word form: `rules` (where bricks are) and, if the file has no boards, `ground`
        uint8[positions, rows, cols].
        """
        sheets = _Sheets(self._sheets) if self._sheets else None
        for first in range(0, max(self.rows, 1), size):
            count = min(size, self.rows - first)
            columns = {name: member.read(count) for name, member in self._columns.items()}
            held: dict[str, NDArray[np.uint8]] = {}
            if sheets is not None:
                columns["position"], held = sheets.named(columns.get("position", np.zeros(count, np.int32)))
            yield assemble(
                columns,
                boards=held.get("boards"),
                racks=held.get("racks"),
                rules=rules,
                ground=ground,
                rules_name=self.rules,
                first=first,
                source=self.path,
            )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass
class _Spool:
    """Rows of one array on their way into the zip."""

    file: IO[bytes]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    rows: int = 0


class NpzWriter:
    """Arrays into one file, piece by piece: each array has as many rows as all its pieces together.

    `path`: where the zip is written when `close` is called, not before. `rules`: a name that goes with them.
    """

    def __init__(self, path: str | os.PathLike[str], *, folder: str, compress: bool = False) -> None:
        self._path = path
        self._folder = folder
        self._method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
        self._spools: dict[str, _Spool] = {}
        self.rules: str | None = None

    def append(self, **arrays: NDArray[Any]) -> None:
        """Add rows to the arrays. Raises TableError, and adds nothing, where they are others than those before, or of
        another type or width.
        """
        if not self._spools:
            for name, array in arrays.items():
                file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed by close or discard
                self._spools[name] = _Spool(file, array.dtype, array.shape[1:])
        if self._spools.keys() != arrays.keys():
            raise TableError(f"arrays {quote(', '.join(arrays))} after {quote(', '.join(self._spools))}")
        for name, array in arrays.items():
            spool = self._spools[name]
            if (array.dtype, array.shape[1:]) != (spool.dtype, spool.shape):
                raise TableError(
                    f"array {quote(name)}: rows of {array.dtype} and shape {array.shape[1:]} after rows of "
                    f"{spool.dtype} and shape {spool.shape}"
                )
        for name, array in arrays.items():
            self._spools[name].file.write(np.ascontiguousarray(array).data)
            self._spools[name].rows += len(array)

    def close(self) -> None:
        """Write the file."""
        with zipfile.ZipFile(self._path, "w", self._method) as archive:
            for name, spool in self._spools.items():
                with archive.open(self._member(name), "w", force_zip64=True) as member:
                    shape = (spool.rows, *spool.shape)
                    header = {"descr": npy.dtype_to_descr(spool.dtype), "fortran_order": False, "shape": shape}
                    npy.write_array_header_1_0(member, header)
                    spool.file.seek(0)
                    shutil.copyfileobj(spool.file, member, _PIECE)
                spool.file.close()
            if self.rules is not None:
                with archive.open(self._member("rules"), "w") as member:
                    npy.write_array(member, np.array(self.rules), allow_pickle=False)

    def _member(self, name: str) -> zipfile.ZipInfo:
        # Without the time of day, equal arrays make equal files.
        info = zipfile.ZipInfo(name + _SUFFIX)
        info.compress_type = self._method
        return info

    def discard(self) -> None:
        """Give it up: nothing is written."""
        for spool in self._spools.values():
            spool.file.close()
