"""Candidates for the tests of files: as objects, and as the arrays of an .npz."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import fastscore as fs
from fastscore.batch_io import Candidates

FORMS = ("npz", "csv", "parquet")
PLACEMENT = ("position", "row", "col", "direction", "tiles", "status")


def some(n: int = 60, *, rack: bool = True, score: bool = True) -> Candidates:
    """Placements on three boards, ascending, good and hostile: all values that a batch can hold."""
    rng = np.random.default_rng(n)
    boards = rng.integers(0, 27, (3, 15, 15)).astype(np.uint8)
    tiles = rng.integers(0, 256, (n, 7)).astype(np.uint8)
    batch = fs.PlacementBatch(
        position=np.sort(rng.integers(0, 3, n)),
        row=rng.integers(0, 256, n),
        col=rng.integers(0, 256, n),
        direction=rng.integers(0, 256, n),
        tiles=tiles,
        status=rng.integers(0, 2**32, n),
    )
    racks = rng.integers(0, 8, (3, 27)).astype(np.uint8)
    scores = rng.integers(-(2**31), 2**31, n).astype(np.int32)
    return Candidates(batch, boards, racks if rack else None, scores if score else None, "classic/english")


def assert_same(found: Candidates, wanted: Candidates, *, numbers: bool = True) -> None:
    """Every row for the same board with the same rack; with `numbers` the same numbers of boards too."""
    for name in PLACEMENT[1:]:
        assert np.array_equal(getattr(found.batch, name), getattr(wanted.batch, name)), name
    for name in ("score", "boards", "racks"):
        assert (getattr(found, name) is None) == (getattr(wanted, name) is None), name
    assert np.array_equal(found.score, wanted.score) if wanted.score is not None else True
    if numbers:
        assert np.array_equal(found.batch.position, wanted.batch.position)
    for name in ("boards", "racks"):
        theirs, ours = getattr(found, name), getattr(wanted, name)
        if ours is not None:
            good = wanted.batch.position >= 0
            assert np.array_equal(found.batch.position >= 0, good)
            assert np.array_equal(theirs[found.batch.position[good]], ours[wanted.batch.position[good]]), name


def arrays(**changed: Any) -> dict[str, Any]:
    """Two placements on an empty board as an .npz holds them, some of it changed; None leaves an array out."""
    made: dict[str, Any] = {
        "boards": np.zeros((1, 15, 15), np.uint8),
        "position": np.zeros(2, np.int32),
        "row": np.full(2, 7, np.uint8),
        "col": np.full(2, 7, np.uint8),
        "direction": np.zeros(2, np.uint8),
        "tiles": np.array([[1, 2, 0, 0, 0, 0, 0], [3, 1, 2, 0, 0, 0, 0]], np.uint8),
        **changed,
    }
    return {name: array for name, array in made.items() if array is not None}


def saved(folder: Path, **changed: Any) -> Path:
    path = folder / "some.npz"
    np.savez(path, **arrays(**changed))
    return path


def make_folder(path: Path) -> Path:
    path.mkdir()
    return path
