"""Candidates: boards, racks, placements and scores that belong together, as files and tables hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastscore.coordinates import MAX_SIDE
from fastscore.errors import FastscoreError, ShapeError, TableError, quote
from fastscore.placements import PlacementBatch

if TYPE_CHECKING:
    from fastscore.rules.ruleset import Ruleset

__all__ = ["COLUMNS", "Candidates", "assemble", "check_codes", "check_columns", "joined"]

COLUMNS = ("position", "row", "col", "direction", "length", "tiles", "status", "score")
"""Columns of placements that are read; `position`, `length` (of the word form), `status` and `score` may be missing."""
_NEEDED = ("row", "col", "direction", "tiles")
_SQUARES, _COUNTS = MAX_SIDE * MAX_SIDE, 127
_MOST_CODES = {"boards": _SQUARES, "board": _SQUARES, "racks": _COUNTS, "rack": _COUNTS, "tiles": 255}
"""Most codes that a row of such an array or column has: a full board, a rack of any distribution, and what will do."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Placements with the boards and racks that they are for; ShapeError where the arrays do not go together.

    `batch`: the placements, whose `position` counts in `boards` and `racks`. `boards` uint8[positions, rows, cols] and
    `racks` uint8[positions, letters + 1] of counts by tile code, None where there are none. `score` int32[n]: scores
    that stand beside the placements, or None. `rules`: the name of the ruleset, if it is written there. `first`: the
    number of the first row in its file, from 0.
    """

    batch: PlacementBatch
    boards: NDArray[np.uint8] | None = None
    racks: NDArray[np.uint8] | None = None
    score: NDArray[np.int32] | None = None
    rules: str | None = None
    first: int = 0

    def __post_init__(self) -> None:
        """Compare the shapes."""
        for name, dims in (("boards", 3), ("racks", 2)):
            array: NDArray[Any] | None = getattr(self, name)
            if array is not None and (array.dtype != np.uint8 or array.ndim != dims):
                raise ShapeError(
                    f"{name} are {array.dtype} of shape {array.shape}, expected uint8 of {dims} dimensions"
                )
        if self.boards is not None and self.racks is not None and len(self.racks) != len(self.boards):
            raise ShapeError(f"{len(self.racks)} racks and {len(self.boards)} boards, expected one for each position")
        if self.score is not None and (self.score.dtype != np.int32 or self.score.shape != (len(self.batch),)):
            raise ShapeError(
                f"score is {self.score.dtype} of shape {self.score.shape}, expected int32 of shape ({len(self.batch)},)"
            )

    def __len__(self) -> int:
        return len(self.batch)


def check_columns(names: Sequence[str], source: str | None) -> None:
    """Raise TableError where a column that every table of placements has is missing."""
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        found = ", ".join(quote(name) for name in names[:20]) or "none"
        raise TableError(
            f"no column {quote(missing[0])}, expected {', '.join(_NEEDED)} (found: {found})", source=source
        )


def check_codes(name: str, width: int, source: str | None) -> None:
    """Raise TableError where a row of boards, racks or tiles has more codes than any can have."""
    if width > _MOST_CODES[name]:
        raise TableError(
            f"column {quote(name)}: {width} codes a row, expected at most {_MOST_CODES[name]}", source=source
        )


def assemble(
    columns: Mapping[str, NDArray[Any]],
    *,
    boards: NDArray[np.uint8] | None = None,
    racks: NDArray[np.uint8] | None = None,
    rules: Ruleset | None = None,
    ground: NDArray[np.uint8] | None = None,
    rules_name: str | None = None,
    first: int = 0,
    source: str | None = None,
) -> Candidates:
    """Candidates from columns of integers of any type, one row each.

    With a column `length` the placements are in word form, and are converted with `rules` and with the boards or, where
    there are none, with `ground`, the boards that they are meant for. Raises TableError for columns that do not go
    together.
    """
    check_columns(list(columns), source)
    n = len(columns["row"])
    for name, column in columns.items():
        if len(column) != n:
            raise TableError(f"column {quote(name)}: {len(column)} rows, expected {n} as in 'row'", source=source)
    try:
        batch = _batch(columns, ground if boards is None else boards, rules)
        return Candidates(batch, boards, racks, _scores(columns.get("score")), rules_name, first)
    except FastscoreError as error:
        raise TableError(error.detail, source=source) from None


def _batch(
    columns: Mapping[str, NDArray[Any]], boards: NDArray[np.uint8] | None, rules: Ruleset | None
) -> PlacementBatch:
    fields: dict[str, Any] = {name: columns[name] for name in _NEEDED}
    fields["position"] = columns.get("position", 0)
    status = columns.get("status")
    if "length" not in columns:
        return PlacementBatch(**fields, status=status)
    if boards is None:
        raise TableError("column 'length': placements in word form, and no boards that they are for")
    batch = PlacementBatch.from_word_form(boards, rules, **fields, length=columns["length"])
    if status is None:
        return batch
    return PlacementBatch(
        position=batch.position,
        row=batch.row,
        col=batch.col,
        direction=batch.direction,
        tiles=batch.tiles,
        status=batch.status | PlacementBatch(**fields, status=status).status,
    )


def _scores(column: NDArray[Any] | None) -> NDArray[np.int32] | None:
    if column is None:
        return None
    scores = column.astype(np.int32)
    if scores.dtype != column.dtype and np.any(scores != column):
        beyond = column[scores != column][0]
        raise TableError(f"column 'score': {beyond} does not fit 32 bits, expected int32")
    return scores


def joined(parts: Sequence[Candidates]) -> Candidates:
    """One after the other; boards and racks that several parts have in common stand there several times."""
    if len(parts) == 1:
        return parts[0]
    width = max(part.batch.tiles.shape[1] for part in parts)
    before = np.cumsum([0, *(0 if part.boards is None else len(part.boards) for part in parts[:-1])])

    def moved(part: Candidates, by: int) -> NDArray[np.int32]:
        position = part.batch.position
        # A position out of range must not become that of another part's board.
        bad = position < 0 if part.boards is None else (position < 0) | (position >= len(part.boards))
        return np.where(bad, -1, position + by).astype(np.int32)

    def all_of(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        return None if any(array is None for array in arrays) else np.concatenate(arrays)

    return Candidates(
        PlacementBatch(
            position=np.concatenate([moved(part, by) for part, by in zip(parts, before.tolist(), strict=True)]),
            tiles=np.concatenate(
                [np.pad(part.batch.tiles, ((0, 0), (0, width - part.batch.tiles.shape[1]))) for part in parts]
            ),
            **{
                name: np.concatenate([getattr(part.batch, name) for part in parts])
                for name in ("row", "col", "direction", "status")
            },
        ),
        all_of("boards"),
        all_of("racks"),
        all_of("score"),
        parts[0].rules,
        parts[0].first,
    )
