"""From a batch to more: every letter that a blank may stand for, the words that are formed, leaves, the best few, and
scores under several rulesets.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastscore.board import Board, as_boards, boards_with_rules, narrow
from fastscore.errors import RulesError, ShapeError, quote
from fastscore.formation import FormedWords, form
from fastscore.placements import PlacementBatch
from fastscore.scoring import check_batch, score_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastscore.rules.ruleset import Ruleset

__all__ = [
    "Expansion",
    "FormedWords",
    "Leaves",
    "best_k",
    "expand_blanks",
    "formed_words_batch",
    "leaves",
    "score_matrix",
]

EXPANSION_LIMIT = 10_000_000
"""Most rows that `expand_blanks` makes unless it is told otherwise, about 300 MB of them."""
_BLANK = 0x80
_MOST_CANDIDATES = 2**31 - 1

Bytes = NDArray[np.uint8]


class Expansion(NamedTuple):
    """A batch in which each blank has a letter: `source` int32[m] says which candidate each row was made from (in
    ascending order), `scores` int32[m] what it scores.
    """

    batch: PlacementBatch
    source: NDArray[np.int32]
    scores: NDArray[np.int32]


def expand_blanks(
    boards: Board | Sequence[Board] | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = None,
    *,
    limit: int = EXPANSION_LIMIT,
    threads: int = 1,
) -> Expansion:
    """Let each blank without a letter be each letter of the distribution, and score what comes of it.

    A candidate with b such blanks becomes n_letters ** b rows, in order of letters, the last blank quickest; one
    without stays as it is. Candidates that cannot be scored are expanded like the others, with score 0 in each row.
    `batch.status` goes along, but for the flags that say that a blank has no letter. Designations differ in score only
    where squares ask for a face value; elsewhere each source is scored once.

    `boards`, `rules`, `threads` as in `score_batch`, and so are the errors. Raises ShapeError where more than `limit`
    rows would be made, before any is.
    """
    from fastscore.expansion_kernels import designate_rows

    cells, known = _with_rules(boards, batch, rules)
    n_letters = known.letters.n_letters
    starts = _expansion_starts(batch, n_letters, limit)
    made = int(starts[-1])
    source, position = np.empty(made, np.int32), np.empty(made, np.int32)
    row, col, direction = (np.empty(made, np.uint8) for _ in range(3))
    tiles, status = np.empty((made, batch.tiles.shape[1]), np.uint8), np.empty(made, np.uint32)
    designate_rows(
        batch.position,
        batch.row,
        batch.col,
        batch.direction,
        batch.tiles,
        batch.status,
        starts,
        n_letters,
        source,
        position,
        row,
        col,
        direction,
        tiles,
        status,
    )
    expanded = PlacementBatch(position=position, row=row, col=col, direction=direction, tiles=tiles, status=status)
    if known.layout.letter_condition.any():
        scores = score_batch(cells, expanded, known, threads=threads)
    else:
        scores = score_batch(cells, batch, known, threads=threads)[source]
    return Expansion(expanded, source, scores)


def _expansion_starts(batch: PlacementBatch, n_letters: int, limit: int) -> NDArray[np.int64]:
    """Where the designations of each candidate begin, and how many there are in all."""
    blanks = np.count_nonzero(batch.tiles == _BLANK, axis=1)
    most = int(blanks.max(initial=0))
    # The powers do not fit 64 bits for rows full of blanks, so those are refused before any array of them is made.
    total = sum(int(count) * n_letters**power for power, count in enumerate(np.bincount(blanks)))
    if total > min(limit, _MOST_CANDIDATES):
        worst = int(blanks.argmax())
        raise ShapeError(
            f"{total} designations of the blanks in {len(batch)} candidates, up to {n_letters} ** {most} of one "
            f"(candidate {worst}), expected at most {min(limit, _MOST_CANDIDATES)} (limit=)"
        )
    starts = np.zeros(len(batch) + 1, np.int64)
    np.cumsum(np.int64(n_letters) ** blanks, out=starts[1:])
    return starts


def best_k(scores: ArrayLike, k: int, position: ArrayLike | None = None) -> NDArray[np.int64]:
    """The numbers of the `k` best candidates, int64: the best first, of equal scores the first in input order.

    With `position` (that of the batch, int[n]) the `k` best of each position, positions in ascending order; a position
    with fewer candidates gives all that it has. `batch[best_k(...)]` is the batch of them. Bad candidates count with
    the score that they have, 0 where there is none: leave them out first if they must not be among the best.

    Raises ShapeError for scores that are no int32[n] (or integers that fit it), and for a `k` below 1.
    """
    from fastscore.expansion_kernels import select_best

    if operator.index(k) < 1:
        raise ShapeError(f"k={k}, expected a whole number from 1")
    values = np.asarray(scores)
    narrowed = narrow(scores, np.int32, 0, "scores")
    if narrowed.ndim != 1 or (narrowed.dtype != values.dtype and not np.array_equal(narrowed, values)):
        raise ShapeError(f"scores are {values.dtype} of shape {values.shape}, expected int32[n]")
    n = len(narrowed)
    order = np.zeros(0, np.int64)
    groups = np.array([0, n], np.int64)
    if position is not None:
        where = np.asarray(position)
        if where.shape != (n,) or where.dtype.kind not in "iu":
            raise ShapeError(f"position is {where.dtype} of shape {where.shape}, expected integers of shape ({n},)")
        if np.any(where[1:] < where[:-1]):
            order = np.argsort(where, kind="stable")
            where = where[order]
        groups = np.concatenate(([0], np.flatnonzero(where[1:] != where[:-1]) + 1, [n])).astype(np.int64)
    places = np.zeros(len(groups), np.int64)
    np.cumsum(np.minimum(np.diff(groups), k), out=places[1:])
    chosen = np.empty(int(places[-1]), np.int64)
    select_best(narrowed, order, groups, places, chosen)
    return chosen


def formed_words_batch(
    boards: Board | Sequence[Board] | ArrayLike, batch: PlacementBatch, rules: Ruleset | None = None
) -> FormedWords:
    """The words that each candidate forms, as tile codes.

    A candidate that cannot be scored forms none, and neither does one that lies alone. A lone tile has no main word
    unless it forms one in its written direction. `boards`, `rules` and the errors as in `score_batch`.
    """
    cells, known = _with_rules(boards, batch, rules)
    return form(cells, batch, check_batch(cells, batch, known), known)


class Leaves(NamedTuple):
    """What each candidate leaves of its rack: `counts` uint8[n, letters + 1] by tile code, index 0 = blanks.

    `status` uint32[n], flags of `fastscore.Status`: NOT_ON_RACK, BAD_POSITION (no rack of this number), BAD_TILE; the
    counts of such a candidate are all 0.
    """

    counts: Bytes
    status: NDArray[np.uint32]


def leaves(racks: ArrayLike, batch: PlacementBatch) -> Leaves:
    """The leave of each candidate: its rack less the tiles that it lays, any blank counting as a blank.

    `racks`: counts by tile code, [letters + 1] for one rack that all have, or [positions, letters + 1]. (Counts of a
    text are `rules.letters.rack("QUIZ?")`.) Nothing is checked but the rack: no board is needed. A row without tiles
    leaves the whole rack. Raises ShapeError for other shapes and for counts outside 0..255.
    """
    from fastscore.expansion_kernels import leave_rows

    counts = np.atleast_2d(np.asarray(racks))
    held = narrow(counts, np.uint8, 0, "racks")
    if held.ndim != 2 or not len(held) or not 1 < held.shape[1] <= 127 or not np.array_equal(held, counts):
        raise ShapeError(
            f"racks are {counts.dtype} of shape {counts.shape}, expected counts 0..255 of shape [letters + 1] or "
            "[positions, letters + 1]"
        )
    left = np.empty((len(batch), held.shape[1]), np.uint8)
    status = np.empty(len(batch), np.uint32)
    leave_rows(held, batch.position, batch.tiles, left, status)
    return Leaves(left, status)


def score_matrix(
    boards: Board | Sequence[Board] | ArrayLike,
    batch: PlacementBatch,
    rulesets: Sequence[Ruleset],
    *,
    threads: int = 1,
) -> NDArray[np.int32]:
    """Scores of one batch under several rulesets: int32[rulesets, n], row k as `score_batch` gives under ruleset k.

    The rulesets have boards of one size and the same tiles in the same order, so that a tile code means one letter;
    values, premiums, bricks, rack sizes and settings may differ. What a Board carries is one more ruleset of which only
    the tiles count. Raises RulesError for rulesets that do not go together, other errors as `score_batch`.
    """
    cells, carried = as_boards(boards)
    for rules in rulesets:
        other = carried or rulesets[0]
        if rules.letters.tiles != other.letters.tiles:
            raise RulesError(
                f"the rules {quote(rules.name)} have other tiles than {quote(other.name)}, expected the same tiles in "
                "the same order"
            )
        if (rules.rows, rules.cols) != cells.shape[1:]:
            raise RulesError(
                f"the rules {quote(rules.name)} have boards of {rules.rows} rows and {rules.cols} columns, expected "
                f"{cells.shape[1]} and {cells.shape[2]} as in the boards"
            )
    scores = np.empty((len(rulesets), len(batch)), np.int32)
    for rules, line in zip(rulesets, scores, strict=True):
        score_batch(cells, batch, rules, out=line, threads=threads)
    return scores


def _with_rules(
    boards: Board | Sequence[Board] | ArrayLike, batch: PlacementBatch, rules: Ruleset | None
) -> tuple[Bytes, Ruleset]:
    if not isinstance(batch, PlacementBatch):
        raise ShapeError(f"batch is a {type(batch).__name__}, expected a PlacementBatch")
    cells, known = boards_with_rules(boards, rules)
    if known is None:
        raise RulesError("boards as arrays, and no rules beside them; expected a ruleset such as load_rules gives")
    return cells, known
