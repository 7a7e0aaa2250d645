"""The scoring functions: arrays are brought to one form once, the kernel is called, the result is given.

Single plays go to the reference scorer (`fastscore.reference`), which needs no compilation; batches go to the kernels.
Both give the same numbers, always.
"""

from __future__ import annotations

import operator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastscore import reference
from fastscore.board import Board, boards_with_rules, narrow
from fastscore.errors import RulesError, ShapeError
from fastscore.placements import Placement, PlacementBatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastscore.breakdown import Breakdown
    from fastscore.rules.ruleset import Ruleset
    from fastscore.status import Status

__all__ = ["ScoreParts", "check", "check_batch", "explain", "score", "score_batch", "warmup"]

Scores = NDArray[np.int32]
_NONE = narrow([], np.uint32, 0, "status")  # read-only as batches are: another array type is compiled anew
_IN_ORDER = np.zeros(0, np.int32)
_MIN_PER_THREAD = 4096
"""Candidates below which another thread costs more than it saves (starting one takes about 50 us)."""


class ScoreParts(NamedTuple):
    """Scores and their parts, int32[n] each: `score` = `main` (the main word) + `cross` (all cross words) + `bonus`."""

    score: Scores
    main: Scores
    cross: Scores
    bonus: Scores


def score(board: Board, play: str | Placement) -> int:
    """Points of one play, as a text like `8H QUIZ` or a Placement.

    Raises NotationError for a text that cannot be read and PlacementError for a play that has no score. A play that is
    scored and flagged (not connected, say) is scored: see `check`.
    """
    return reference.score(board, _placement(board, play))


def check(board: Board, play: str | Placement, rack: Sequence[int] | str | None = None) -> Status:
    """Every reason why one play is bad, `Status.GOOD` (0) for none; with a rack, also tiles that are not on it.

    `rack`: a text like `QUIZ?`, or counts by tile code. Raises NotationError for a text that cannot be read.
    """
    return reference.check(board, _placement(board, play), rack)


def explain(board: Board, play: str | Placement) -> Breakdown:
    """The parts of one play's score: words, tiles, premiums, bonus; `str()` of it shows the arithmetic.

    Raises as `score` does.
    """
    return reference.explain(board, _placement(board, play))


def _placement(board: Board, play: str | Placement) -> Placement:
    return Placement.parse(play, board) if isinstance(play, str) else play


@overload
def score_batch(
    boards: Board | Sequence[Board] | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = ...,
    *,
    out: Scores | None = ...,
    parts: Literal[False] = ...,
    threads: int = ...,
) -> Scores: ...
@overload
def score_batch(
    boards: Board | Sequence[Board] | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = ...,
    *,
    out: Scores | None = ...,
    parts: Literal[True],
    threads: int = ...,
) -> ScoreParts: ...
def score_batch(
    boards: Board | Sequence[Board] | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = None,
    *,
    out: Scores | None = None,
    parts: bool = False,
    threads: int = 1,
) -> Scores | ScoreParts:
    """Scores of many candidates on one board or many.

    Parameters
    ----------
    boards
        A Board, a list of Boards, or tile codes [rows, cols] or [positions, rows, cols] of any integer type.
    batch
        The candidates; `batch.position` says which board each is for. Fastest where those of a board stand together.
    rules
        Needed for arrays; Boards carry theirs.
    out
        int32[n], C-contiguous and writable, takes the scores.
    parts
        Also give the main word, the cross words and the bonus apart.
    threads
        Splits the batch; the result is the same for any number.

    Returns
    -------
    int32[n], 0 where a candidate has no score (`check_batch` says why); with `parts` a ScoreParts.

    Raises
    ------
    ShapeError
        Arrays that do not fit together.
    RulesError
        No rules, or others than the Boards carry.
    """
    from fastscore import kernels

    tiles, known, arrays = _prepare(boards, batch, rules)
    n = len(batch)
    scores = _output(out, n)
    if operator.index(threads) < 1:
        raise ShapeError(f"threads={threads}, expected a whole number from 1")
    status = batch.status if batch.status.any() else _NONE
    if parts:
        made = ScoreParts(scores, *(np.empty(n, np.int32) for _ in range(3)))
        ignored = np.empty(n, np.uint32)
        _split(
            n,
            threads,
            lambda begin, end: kernels.judge_rows(
                tiles,
                *_rows(batch, begin, end),
                batch.tiles[begin:end],
                status[begin:end],
                _NO_RACKS,
                arrays,
                np.empty(128, np.int64),
                ignored[begin:end],
                *(part[begin:end] for part in made[1:]),
            ),
        )
        np.add(made.main, made.cross, out=scores)
        np.add(scores, made.bonus, out=scores)
        return made
    placed = _packable(batch.tiles) if arrays.packed else batch.tiles
    order = _order(batch.position, len(tiles)) if arrays.packed else _IN_ORDER
    if len(order):
        # Rows are reached through the order, so the other arrays stay whole.
        _split(
            n,
            threads,
            lambda begin, end: _score(
                tiles, _rows(batch, 0, n), placed, status, order[begin:end], arrays, known, scores
            ),
        )
    else:
        _split(
            n,
            threads,
            lambda begin, end: _score(
                tiles,
                _rows(batch, begin, end),
                placed[begin:end],
                status[begin:end],
                _IN_ORDER,
                arrays,
                known,
                scores[begin:end],
            ),
        )
    return scores


def check_batch(
    boards: Board | Sequence[Board] | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = None,
    racks: ArrayLike | str | None = None,
) -> NDArray[np.uint32]:
    """Every reason why each candidate is bad, as `fastscore.Status` flags: uint32[n], 0 = good.

    What a conversion found (`batch.status`) is included. `racks`: a rack for all candidates (a text like `QUIZ?`, or
    counts by tile code, index 0 = blanks, [n_letters + 1]), or one for each board ([positions, n_letters + 1]).
    Other parameters and errors as in `score_batch`.
    """
    from fastscore import kernels

    tiles, known, arrays = _prepare(boards, batch, rules)
    found = np.empty(len(batch), np.uint32)
    ignored = np.empty((3, len(batch)), np.int32)
    kernels.judge_rows(
        tiles,
        *_rows(batch, 0, len(batch)),
        batch.tiles,
        batch.status,
        _coerce_racks(racks, known, len(tiles)),
        arrays,
        np.empty(128, np.int64),
        found,
        *ignored,
    )
    return found


def warmup() -> None:
    """Compile everything that `score_batch` and `check_batch` need, or load it from the cache, on purpose."""
    from fastscore.kernels import MIN_RUN
    from fastscore.rules.ruleset import load_rules

    board = Board(load_rules("classic/english"))
    # Two boards in turns, and enough for tables: the candidates are sorted by board first.
    where, tiles = np.arange(2 * MIN_RUN), np.ones((2 * MIN_RUN, 7), np.uint8)
    batch = PlacementBatch(position=where % 2, row=where % 15, col=where % 15, direction=0, tiles=tiles)
    score_batch([board, board], batch)
    score_batch([board, board], batch, parts=True)
    check_batch([board, board], batch)


_NO_RACKS = narrow(np.zeros((0, 0), np.uint8), np.uint8, 0, "racks")


def _prepare(boards: Any, batch: PlacementBatch, rules: Ruleset | None) -> tuple[NDArray[np.uint8], Ruleset, Any]:
    """Boards as uint8[positions, rows * cols], their rules, and the rules as arrays."""
    from fastscore.tables import rule_arrays

    if not isinstance(batch, PlacementBatch):
        raise ShapeError(f"batch is a {type(batch).__name__}, expected a PlacementBatch")
    tiles, known = boards_with_rules(boards, rules)
    if known is None:
        raise RulesError("boards as arrays, and no rules beside them; expected a ruleset such as load_rules gives")
    return tiles.reshape(len(tiles), known.rows * known.cols), known, rule_arrays(known)


def _output(out: Scores | None, n: int) -> Scores:
    if out is None:
        return np.empty(n, np.int32)
    made: Any = out  # whatever the caller gave
    expected = f"expected a writable, contiguous int32 array of shape ({n},)"
    if not isinstance(made, np.ndarray):
        raise ShapeError(f"out is a {type(made).__name__}, {expected}")
    if made.dtype != np.int32 or made.shape != (n,) or not (made.flags.c_contiguous and made.flags.writeable):
        raise ShapeError(f"out is {made.dtype} of shape {made.shape}, {expected}")
    return made


def _rows(batch: PlacementBatch, begin: int, end: int) -> tuple[NDArray[Any], ...]:
    return tuple(column[begin:end] for column in (batch.position, batch.row, batch.col, batch.direction))


def _packable(tiles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows of tiles of a width that the tables take, 7 or 8: others are copied, unless a row really is longer."""
    from fastscore.kernels import PACKED_WIDTH

    n, width = tiles.shape
    if width in (PACKED_WIDTH - 1, PACKED_WIDTH) or (width > PACKED_WIDTH and tiles[:, PACKED_WIDTH:].any()):
        return tiles
    padded = np.zeros((n, PACKED_WIDTH), np.uint8)
    padded[:, : min(width, PACKED_WIDTH)] = tiles[:, :PACKED_WIDTH]
    padded.flags.writeable = False
    return padded


def _order(position: NDArray[np.int32], positions: int) -> NDArray[np.int32]:
    """Candidates sorted by position where that pays: tables want those of a position together."""
    from fastscore import kernels

    n = len(position)
    if positions == 1 or n < kernels.MIN_RUN * positions:
        return _IN_ORDER
    changes = np.count_nonzero(position[1:] != position[:-1])
    if changes * kernels.MIN_RUN < n:
        return _IN_ORDER
    order = np.empty(n, np.int32)
    kernels.order_rows(position, positions, np.zeros(positions + 2, np.int64), order)
    return order


def _score(
    boards: NDArray[np.uint8],
    rows: tuple[NDArray[Any], ...],
    tiles: NDArray[np.uint8],
    status: NDArray[np.uint32],
    order: NDArray[np.int32],
    arrays: Any,
    rules: Ruleset,
    scores: Scores,
) -> None:
    from fastscore import kernels
    from fastscore.tables import Scratch

    kernels.score_rows(boards, *rows, tiles, status, order, arrays, *Scratch.make(rules), scores)


def _split(n: int, threads: int, run: Any) -> None:
    """`run(begin, end)` over ranges of the rows, in as many threads; the kernels hold no lock."""
    threads = min(threads, max(1, n // _MIN_PER_THREAD))
    if threads == 1:
        run(0, n)
        return
    bounds = [n * part // threads for part in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(run, *bounds[part : part + 2]) for part in range(threads)]:
            done.result()


def _coerce_racks(racks: ArrayLike | str | None, rules: Ruleset, positions: int) -> NDArray[np.uint8]:
    if racks is None:
        return _NO_RACKS
    letters = rules.letters.n_letters + 1
    counts = [rules.letters.rack(racks)] if isinstance(racks, str) else racks
    made = np.atleast_2d(narrow(counts, np.uint8, 0, "racks"))
    if made.ndim != 2 or made.shape[1] != letters or made.shape[0] not in (1, positions):
        raise ShapeError(
            f"racks of shape {np.shape(racks) if not isinstance(racks, str) else made.shape}, expected [{letters}] or "
            f"[{positions}, {letters}]: counts by tile code for all boards or for each"
        )
    return np.ascontiguousarray(made)
