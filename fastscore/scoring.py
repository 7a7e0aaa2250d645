"""The scoring functions: arrays are brought to one form once, the kernel is called, the result is given.

Single plays go to the reference scorer (`fastscore.reference`), which needs no compilation; batches go to the kernels.
Both give the same numbers, always.
"""

from __future__ import annotations

import functools
import operator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastscore import reference
from fastscore.board import Board, boards_with_rules, narrow
from fastscore.digraphs import splitters
from fastscore.errors import RulesError, ShapeError, quote
from fastscore.formation import form
from fastscore.placements import Placement, PlacementBatch
from fastscore.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastscore.breakdown import Breakdown
    from fastscore.lexicon import Lexicon
    from fastscore.rules.ruleset import Ruleset
    from fastscore.tables import KeptTables, ScoringTables

__all__ = ["ScoreParts", "check", "check_batch", "explain", "score", "score_batch", "score_word_form", "warmup"]

Scores = NDArray[np.int32]
_NONE = narrow([], np.uint32, 0, "status")  # read-only as batches are: another array type is compiled anew
_IN_ORDER = np.zeros(0, np.int32)
_MIN_PER_THREAD = 4096
"""Candidates below which another thread costs more than it saves (starting one takes about 50 us)."""
_PARTS_PER_THREAD = 4
_SAMPLED = 4096
"""Pairs of neighbours that are looked at to see whether a batch is sorted by position."""
_FORMED_AT_ONCE = 1 << 16
"""Candidates whose words are formed at once: some 5 MB."""


class ScoreParts(NamedTuple):
    """Scores and their parts, int32[n] each: `score` = `main` (the main word) + `cross` (all cross words) + `bonus`."""

    score: Scores
    main: Scores
    cross: Scores
    bonus: Scores


def score(board: Board, play: str | Placement) -> int:
    """Points of one play, as a text like `8H QUIZ` or a Placement.

    Raises NotationError for a text that cannot be read and PlacementError for a play that has no score. A play that is
    scored and flagged (not connected, say) is scored: see `check`. Source of the rules: WESPA rules 3.5 and Appendix 1
    (counting a turn); what variants change is in the board's Ruleset.
    """
    return reference.score(board, _placement(board, play))


def check(
    board: Board,
    play: str | Placement,
    rack: Sequence[int] | str | None = None,
    *,
    lexicon: Lexicon | None = None,
) -> Status:
    """Every reason why one play is bad, `Status.GOOD` (0) for none.

    `rack`: a text like `QUIZ?`, or counts by tile code; tiles that are not on it are then flagged too. `lexicon`: so
    are words that are not in it. Raises NotationError for a text that cannot be read, ShapeError for counts that are
    not one for each tile code, RulesError for a lexicon of other tiles.
    """
    return reference.check(board, _placement(board, play), rack, lexicon)


def explain(board: Board, play: str | Placement) -> Breakdown:
    """The parts of one play's score: words, tiles, premiums, bonus; `str()` of it shows the arithmetic.

    Raises as `score` does.
    """
    return reference.explain(board, _placement(board, play))


def _placement(board: Board, play: str | Placement) -> Placement:
    return Placement.parse(play, board) if isinstance(play, str) else play


@overload
def score_batch(
    boards: Board | Sequence[Board] | ScoringTables | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = ...,
    *,
    out: Scores | None = ...,
    parts: Literal[False] = ...,
    threads: int = ...,
) -> Scores: ...
@overload
def score_batch(
    boards: Board | Sequence[Board] | ScoringTables | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = ...,
    *,
    out: Scores | None = ...,
    parts: Literal[True],
    threads: int = ...,
) -> ScoreParts: ...
def score_batch(
    boards: Board | Sequence[Board] | ScoringTables | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = None,
    *,
    out: Scores | None = None,
    parts: bool = False,
    threads: int = 1,
) -> Scores | ScoreParts:
    """Scores of many candidates on one board or many, by the rules that `score` names.

    Parameters
    ----------
    boards
        A Board, a list of Boards, ScoringTables (which spare the set-up), or tile codes [rows, cols] or
        [positions, rows, cols] of any integer type.
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
    int32[n] of points, 0 where a candidate has no score (`check_batch` says why); with `parts` a ScoreParts.

    Raises
    ------
    ShapeError
        Arrays that do not fit together.
    RulesError
        No rules, or others than the Boards carry.
    CompilerMissingError
        numba cannot be loaded.
    """
    kernels = _compiled().kernels
    tiles, known, arrays, kept = _prepare(boards, batch, rules)
    n = len(batch)
    scores = _output(out, n, tiles, *_columns(batch))
    if operator.index(threads) < 1:
        raise ShapeError(f"threads={threads}, expected a whole number from 1")
    status = batch.status if batch.flagged else _NONE
    if parts:
        made = ScoreParts(scores, *(np.empty(n, np.int32) for _ in range(3)))
        found = np.empty(n, np.uint32), *made[1:]
        columns = batch.position, batch.row, batch.col, batch.direction, batch.tiles, status

        def run(begin: int, end: int) -> None:
            kernels.judge_rows(
                tiles,
                *_cut(columns, n, begin, end),
                _NO_RACKS,
                arrays,
                np.empty(128, np.int64),
                *_cut(found, n, begin, end),
            )

        _split(n, threads, run)
        np.add(made.main, made.cross, out=scores)
        np.add(scores, made.bonus, out=scores)
        return made
    tabled = arrays.packed or arrays.special
    placed = _packable(batch.tiles) if tabled else batch.tiles
    columns = batch.position, batch.row, batch.col, batch.direction, placed, status
    if kept is not None and arrays.packed and placed.shape[1] <= kernels.PACKED_WIDTH:
        score_kept_rows = _compiled().table_kernels.score_kept_rows
        tables = kept.rules, kept.slots, kept.spots, kept.ready

        def run(begin: int, end: int) -> None:
            score_kept_rows(tiles, *_cut(columns, n, begin, end), _IN_ORDER, *tables, *_cut((scores,), n, begin, end))
    else:
        scratch = _compiled().tables.Scratch
        order = _order(batch.position, len(tiles)) if tabled else _IN_ORDER

        def run(begin: int, end: int) -> None:
            # Where rows are reached through an order, all the other arrays stay whole.
            bounds = (0, n) if len(order) else (begin, end)
            kernels.score_rows(
                tiles,
                *_cut(columns, n, *bounds),
                order[begin:end],
                arrays,
                *scratch.make(known),
                *_cut((scores,), n, *bounds),
            )

    _split(n, threads, run)
    return scores


def score_word_form(
    boards: Board | Sequence[Board] | ArrayLike,
    rules: Ruleset | None = None,
    *,
    row: ArrayLike,
    col: ArrayLike,
    direction: ArrayLike,
    length: ArrayLike,
    tiles: ArrayLike,
    position: ArrayLike = 0,
    out: Scores | None = None,
) -> Scores:
    """Scores of placements in the word form of other engines, without making a batch of them: int32[n].

    Parameters as in `PlacementBatch.from_word_form`, of which with `score_batch` this is the quicker equal: a row is
    converted, checked and scored in one pass. Raises as they do.
    """
    modules = _compiled()
    cells, known = boards_with_rules(boards, rules)
    if known is None:
        raise RulesError("boards as arrays, and no rules beside them; expected a ruleset such as load_rules gives")
    fields = {"position": position, "row": row, "col": col, "direction": direction, "tiles": tiles}
    word = PlacementBatch(**fields)  # only for its checks: the squares mean another thing
    n = len(word)
    lengths = narrow(length, np.uint8, 0, "length")
    if lengths.shape != (n,):
        raise ShapeError(f"length of shape {lengths.shape}, expected ({n},) as tiles of shape {word.tiles.shape} have")
    scores = _output(out, n, cells, *_columns(word), lengths)
    arrays = modules.tables.rule_arrays(known)
    left = np.empty(n + 1, np.int32)
    if arrays.packed and not known.layout.bricks.any():
        wide = word.tiles
        if wide.shape[1] < modules.word_form_kernels.WORD:
            wide = np.zeros((n, modules.word_form_kernels.WORD), np.uint8)
            wide[:, : word.tiles.shape[1]] = word.tiles
            # A length beyond the row is an error, not a word that ends in play-through.
            lengths = narrow(np.where(lengths > word.tiles.shape[1], 0, lengths), np.uint8, 0, "length")
        count = modules.word_form_kernels.score_word_rows(
            cells.reshape(len(cells), -1),
            word.position,
            word.row,
            word.col,
            word.direction,
            lengths,
            narrow(wide, np.uint8, 0, "tiles"),
            arrays,
            *modules.tables.Scratch.make(known),
            np.empty(modules.word_form_kernels.EMPTY_LANES, np.uint64),
            scores,
            left,
        )
        rest: Any = left[:count]
    else:
        rest = slice(None)
    some = PlacementBatch.from_word_form(
        cells, known, length=lengths[rest], **{name: getattr(word, name)[rest] for name in fields}
    )
    scores[rest] = score_batch(cells, some, known)
    return scores


def check_batch(
    boards: Board | Sequence[Board] | ScoringTables | ArrayLike,
    batch: PlacementBatch,
    rules: Ruleset | None = None,
    racks: ArrayLike | str | None = None,
    *,
    lexicon: Lexicon | None = None,
) -> NDArray[np.uint32]:
    """Every reason why each candidate is bad, as `fastscore.Status` flags: uint32[n], 0 = good.

    What a conversion found (`batch.status`) is included. `racks`: a rack for all candidates (a text like `QUIZ?`, or
    counts by tile code, index 0 = blanks, [n_letters + 1]), or one for each board ([positions, n_letters + 1]).
    `lexicon`: flags as PHONY the candidates that have a score and form a word that is not in it (nor, where the rules
    say so, any anagram of the word); RulesError if it has other tiles than the rules. Other parameters and errors as in
    `score_batch`.
    """
    kernels = _compiled().kernels
    tiles, known, arrays, _ = _prepare(boards, batch, rules)
    if lexicon is not None:
        lexicon.check_letters(known.letters)
    found = np.empty(len(batch), np.uint32)
    ignored = np.empty((3, len(batch)), np.int32)
    kernels.judge_rows(
        tiles,
        batch.position,
        batch.row,
        batch.col,
        batch.direction,
        batch.tiles,
        batch.status,
        _coerce_racks(racks, known, len(tiles)),
        arrays,
        np.empty(128, np.int64),
        found,
        *ignored,
    )
    if lexicon is not None or known.digraphs_need_tile:
        cells = tiles.reshape(-1, known.rows, known.cols)
        for first in range(0, len(batch), _FORMED_AT_ONCE):
            part = slice(first, first + _FORMED_AT_ONCE)
            _flag_words(cells, batch[part], found[part], known, lexicon)
    return found


def _flag_words(
    cells: NDArray[np.uint8],
    batch: PlacementBatch,
    found: NDArray[np.uint32],
    rules: Ruleset,
    lexicon: Lexicon | None,
) -> None:
    """Set PHONY in `found` for candidates that form a word which is not in the lexicon, and SPLIT_DIGRAPH for those
    that spell a tile by two where the rules forbid it.
    """
    words = form(cells, batch, found, rules)
    if lexicon is not None:
        good = lexicon.contains_batch(words.tiles, words.length, anagrams=rules.anagram_words)
        found[words.candidate[~good]] |= np.uint32(Status.PHONY)
    if rules.digraphs_need_tile:
        found[splitters(cells, batch, words, rules.letters)] |= np.uint32(Status.SPLIT_DIGRAPH)


def warmup() -> None:
    """Compile what `score_batch`, `score_word_form`, `check_batch` and ScoringTables need, or load it, on purpose.

    Other kernels (lexicons, keys, expansion, records) compile when they are first used. Takes some ten or twenty
    seconds where nothing is cached. Raises CompilerMissingError where numba cannot be loaded.
    """
    from fastscore.kernels import MIN_RUN
    from fastscore.rules.ruleset import load_rules

    board = Board(load_rules("classic/english"))
    # Two boards in turns, and enough for tables: the candidates are sorted by board first.
    where, tiles = np.arange(2 * MIN_RUN), np.ones((2 * MIN_RUN, 7), np.uint8)
    batch = PlacementBatch(position=where % 2, row=where % 15, col=where % 15, direction=0, tiles=tiles)
    score_batch([board, board], batch)
    score_batch([board, board], batch, parts=True)
    check_batch([board, board], batch)
    score_word_form([board, board], **{name: getattr(batch, name) for name in _FIELDS}, length=np.full(len(where), 7))
    tables = _compiled().tables.ScoringTables([board, board])
    score_batch(tables, batch)
    tables.play(0, "8H AA")
    tables.undo()


_FIELDS = ("position", "row", "col", "direction", "tiles")


class _Modules(NamedTuple):
    kernels: Any
    table_kernels: Any
    tables: Any
    word_form_kernels: Any


@functools.cache
def _compiled() -> _Modules:
    """The modules that need numba, imported by the first batch; an import statement in each call takes 0.5 us."""
    from fastscore import kernels, table_kernels, tables, word_form_kernels

    return _Modules(kernels, table_kernels, tables, word_form_kernels)


_NO_RACKS = narrow(np.zeros((0, 0), np.uint8), np.uint8, 0, "racks")


def _prepare(
    boards: Any, batch: PlacementBatch, rules: Ruleset | None
) -> tuple[NDArray[np.uint8], Ruleset, Any, KeptTables | None]:
    """Boards as uint8[positions, rows * cols], their rules, the rules as arrays, tables where they are kept."""
    if not isinstance(batch, PlacementBatch):
        raise ShapeError(f"batch is a {type(batch).__name__}, expected a PlacementBatch")
    if isinstance(boards, _compiled().tables.ScoringTables):
        if rules is not None and rules is not boards.rules and rules != boards.rules:
            raise RulesError(
                f"tables with the rules {quote(boards.rules.name)}, but other rules, {quote(rules.name)}, were given "
                "beside them"
            )
        return boards.arrays.boards, boards.rules, boards.arrays.rules, boards.arrays
    tiles, known = boards_with_rules(boards, rules)
    if known is None:
        raise RulesError("boards as arrays, and no rules beside them; expected a ruleset such as load_rules gives")
    return tiles.reshape(len(tiles), known.rows * known.cols), known, _compiled().tables.rule_arrays(known), None


def _output(out: Scores | None, n: int, *inputs: NDArray[Any]) -> Scores:
    if out is None:
        return np.empty(n, np.int32)
    made: Any = out  # whatever the caller gave
    expected = f"expected a writable, contiguous int32 array of shape ({n},)"
    if not isinstance(made, np.ndarray):
        raise ShapeError(f"out is a {type(made).__name__}, {expected}")
    if made.dtype != np.int32 or made.shape != (n,) or not (made.flags.c_contiguous and made.flags.writeable):
        raise ShapeError(f"out is {made.dtype} of shape {made.shape}, {expected}")
    # Arrays in their final form are read where they are; scores written over them would change what is yet to be read.
    # numpy keeps the owner of a view's memory as its base; asking it is quicker than comparing addresses.
    owner = made if made.base is None else made.base
    if any(array.base is owner or array is owner for array in inputs) or (
        not made.flags.owndata and any(np.may_share_memory(made, array) for array in inputs)
    ):
        raise ShapeError(f"out shares memory with the boards or the batch, {expected} of its own")
    return made


def _columns(batch: PlacementBatch) -> tuple[NDArray[Any], ...]:
    return batch.position, batch.row, batch.col, batch.direction, batch.tiles, batch.status


def _cut(columns: tuple[NDArray[Any], ...], n: int, begin: int, end: int) -> tuple[NDArray[Any], ...]:
    """Rows `begin` to `end` of some columns of `n` rows (or of none)."""
    return columns if end - begin == n else tuple(column[begin:end] for column in columns)


def _packable(tiles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows of tiles of a width that the tables take, 7 or 8: others are copied, unless a row really is longer."""
    most = _compiled().kernels.PACKED_WIDTH
    n, width = tiles.shape
    if width in (most - 1, most) or (width > most and tiles[:, most:].any()):
        return tiles
    padded = np.zeros((n, most), np.uint8)
    padded[:, : min(width, most)] = tiles[:, :most]
    padded.flags.writeable = False
    return padded


def _order(position: NDArray[np.int32], positions: int) -> NDArray[np.int32]:
    """Candidates sorted by position where that pays: tables want those of a position together."""
    kernels = _compiled().kernels
    n = len(position)
    if positions == 1 or n < kernels.MIN_RUN * positions:
        return _IN_ORDER
    seen = np.arange(0, n - 1, max(1, n // _SAMPLED))
    changes = np.count_nonzero(position[seen] != position[seen + 1])
    if changes * kernels.MIN_RUN < len(seen):
        return _IN_ORDER
    order = np.empty(n, np.int32)
    kernels.order_rows(position, positions, np.zeros(positions + 2, np.int64), order)
    return order


def _split(n: int, threads: int, run: Callable[[int, int], None]) -> None:
    """`run(begin, end)` over ranges of the rows, in as many threads, this one included; the kernels hold no lock.

    Ranges are taken one after the other, several for each thread: a thread may begin milliseconds after another.
    """
    threads = min(threads, max(1, n // _MIN_PER_THREAD))
    if threads == 1:
        run(0, n)
        return
    parts = threads * _PARTS_PER_THREAD
    left = iter([(n * part // parts, n * (part + 1) // parts) for part in range(parts)])

    def work() -> None:
        for begin, end in left:
            run(begin, end)

    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(work) for _ in range(threads - 1)]
        work()
        for other in others:
            other.result()


def _coerce_racks(racks: ArrayLike | str | None, rules: Ruleset, positions: int) -> NDArray[np.uint8]:
    if racks is None:
        return _NO_RACKS
    letters = rules.letters.n_letters + 1
    counts = np.asarray([rules.letters.rack(racks)] if isinstance(racks, str) else racks)
    if counts.dtype.kind in "iu":
        counts = counts.clip(0, 255)  # more of a tile than a play can lay is as good as any number
    made = np.atleast_2d(narrow(counts, np.uint8, 0, "racks"))
    if made.ndim != 2 or made.shape[1] != letters or made.shape[0] not in (1, positions):
        raise ShapeError(
            f"racks of shape {np.shape(racks) if not isinstance(racks, str) else made.shape}, expected [{letters}] or "
            f"[{positions}, {letters}]: counts by tile code for all boards or for each"
        )
    return np.ascontiguousarray(made)
