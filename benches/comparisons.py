"""What is compared with what: each comparison is one interleaved run against one of the C yardsticks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastscore as fs
from benches.interleave import Contender, equals
from benches.table_moves import TURNS, Moves
from benches.workloads import (
    Workload,
    busy_positions,
    by_position,
    legal_plays,
    one_a_position,
    repeated,
    shuffled,
    shuffled_within_positions,
)
from benches.yardsticks import Scorer, Yardsticks

__all__ = ["COMPARISONS", "OWN_ROWS", "PEERS", "Comparison", "rules", "scorer", "yardsticks"]


@dataclass(frozen=True)
class Comparison:
    """Contenders on one workload; times are reported as multiples of `baseline` and for each of `items` `unit`s."""

    title: str
    baseline: str
    contenders: tuple[Contender[Any], ...]
    items: int
    unit: str
    rounds: int


@cache
def rules() -> fs.Ruleset:
    """The ruleset of the plays."""
    return fs.load_rules("classic/english")


@cache
def yardsticks() -> Yardsticks:
    """The C scorers. Raises NoYardsticksError."""
    return Yardsticks(rules())


CROSS, MARKED, CROSS_KEPT, WALK = "cross", "cross, squares marked", "cross, sums kept", "walk"
COMPACT, PARTS, WORD_FORM = "fastscore", "fastscore, with parts", "fastscore, word form in"
OWN_IN_C = "fastscore's algorithm in C"
CONVERTED, KEPT = "fastscore, word form to batch", "fastscore, tables kept"
EVERY_WAY = (CROSS, MARKED, CROSS_KEPT, WALK, COMPACT, KEPT, PARTS, WORD_FORM, CONVERTED)


def scorer(name: str, plays: Workload) -> Scorer:
    """A way to score a workload, as a function without arguments that gives the scores.

    The C scorers write into an array of their own, so fastscore is given one as well. Building a batch from arrays of
    the right types is not timed, except for the word form, where the conversion and its checks are what is asked.
    Raises NoYardsticksError for a C scorer where there is no compiler.
    """
    boards, word = plays.boards, plays.word
    if name == WALK:
        return yardsticks().walk(boards, word)
    if name in (CROSS, MARKED):
        return yardsticks().cross(boards, word, marked=name == MARKED)
    if name == CROSS_KEPT:
        return yardsticks().cross_plays(boards, word)
    batch, out = plays.batch, np.empty(len(plays), dtype=np.int32)
    if name == OWN_IN_C:
        return yardsticks().own(boards, batch)
    if name == COMPACT:
        return lambda: fs.score_batch(boards, batch, rules(), out=out)
    if name == KEPT:
        tables = fs.ScoringTables(boards, rules())
        return lambda: fs.score_batch(tables, batch, out=out)
    if name == PARTS:
        # The parts of a score come from the kernel that walks square by square, whatever the batch.
        return lambda: fs.score_batch(boards, batch, rules(), out=out, parts=True).score
    if name == WORD_FORM:
        return lambda: fs.score_word_form(boards, rules(), out=out, **word._asdict())
    if name == CONVERTED:

        def convert_and_score() -> Any:
            converted = fs.PlacementBatch.from_word_form(boards, rules(), **word._asdict())
            return fs.score_batch(boards, converted, rules(), out=out)

        return convert_and_score
    raise ValueError(f"no scorer is called {name!r}")


def _compare(title: str, plays: Workload, names: tuple[str, ...]) -> Comparison:
    check = equals(plays.scores)
    contenders = tuple(Contender(name, scorer(name, plays), check) for name in names)
    return Comparison(title, names[0], contenders, len(plays), "play", rounds=15)


def _file_order() -> Comparison:
    return _compare("all legal plays, file order", legal_plays(), (*EVERY_WAY, OWN_IN_C))


def _within() -> Comparison:
    return _compare("shuffled within each position", shuffled_within_positions(), (*EVERY_WAY, OWN_IN_C))


def _shuffled() -> Comparison:
    return _compare("shuffled altogether", shuffled(), EVERY_WAY)


def _one_a_position() -> Comparison:
    return _compare("100,000 boards, one play each", one_a_position(), (WALK, CROSS, COMPACT, PARTS, WORD_FORM))


def _small_calls() -> Comparison:
    """A call for each position against one call for all: what differs is what a call costs beside the scoring."""
    together = busy_positions()
    parts = by_position(together)
    checks = [equals(plays.scores) for plays in parts]
    check = equals(together.scores)

    def check_all(answers: list[Any]) -> None:
        for check_one, answer in zip(checks, answers, strict=True):
            check_one(answer)

    def calls(name: str) -> Contender[Any]:
        functions = [scorer(name, plays) for plays in parts]
        return Contender(name, lambda: [function() for function in functions], check_all)

    contenders = (
        calls(CROSS),
        calls(COMPACT),
        Contender(f"{COMPACT}, one call for all", scorer(COMPACT, together), check),
        calls(KEPT),
        Contender(f"{KEPT}, one call for all", scorer(KEPT, together), check),
    )
    return Comparison("a call for one board and 1,000 plays", CROSS, contenders, len(parts), "call", rounds=15)


def _set_up() -> Comparison:
    """Set-up alone. Tables are checked by scoring with them, outside the timed part."""
    plays, made = legal_plays(), Moves(legal_plays(), rules())
    boards = made.boards
    # On occupied squares the sums are undefined.
    empty = np.repeat(boards.reshape(len(boards), 1, -1) == 0, 2, axis=1)
    expected = yardsticks().cross_setup(boards)()[empty]
    check_scores = equals(plays.scores)

    def check_sums(sums: NDArray[np.int32]) -> None:
        equals(expected)(sums[empty])
        sums.fill(-2)

    def check_tables(tables: fs.ScoringTables) -> None:
        check_scores(fs.score_batch(tables, made.batch))

    contenders = (
        Contender("cross, set-up", yardsticks().cross_setup(boards), check_sums),
        Contender("fastscore, as score_batch does", made.prepare, lambda _: made.check_prepared()),
        Contender("fastscore, tables filled", made.fill, lambda _: made.check_and_clear()),
        Contender("fastscore, ScoringTables made", lambda: fs.ScoringTables(boards, rules()), check_tables),
    )
    return Comparison("set-up of a position", contenders[0].name, contenders, len(made), "position", rounds=31)


def _follow_games() -> Comparison:
    """Tables renewed after a placement, and as they were before it; each contender has its own tables."""
    filled, laid, back = (Moves(legal_plays(), rules()) for _ in range(3))
    back.lay()

    def check_laid(_: None) -> None:
        laid.check(laid=True)
        laid.take_back()

    def check_taken_back(_: None) -> None:
        back.check()
        back.lay()

    contenders = (
        Contender("fastscore, tables filled", filled.fill, lambda _: filled.check_and_clear()),
        Contender("fastscore, one more placement", laid.lay, check_laid),
        Contender("fastscore, taken back", back.take_back, check_taken_back),
    )
    title = f"tables of {len(filled)} games, more than the cache holds"
    return Comparison(title, contenders[0].name, contenders, len(filled), "position", rounds=31)


def _search() -> Comparison:
    """The same where the tables stay in the processor's cache."""
    filled, moved = (Moves(legal_plays(), rules(), every=10) for _ in range(2))
    contenders = (
        Contender("fastscore, tables filled", filled.fill_over_and_over, lambda _: filled.check_and_clear()),
        Contender("fastscore, a placement and back", moved.lay_and_take_back, lambda _: moved.check()),
    )
    title = f"tables of {len(filled)} positions"
    return Comparison(title, contenders[0].name, contenders, len(filled) * TURNS, "position", rounds=31)


def _threads() -> Comparison:
    plays = repeated(shuffled_within_positions(), 1_000_000)
    batch, check = plays.batch, equals(plays.scores)
    out = np.empty(len(plays), dtype=np.int32)

    def contender(name: str, threads: int) -> Contender[Any]:
        return Contender(name, lambda: fs.score_batch(plays.boards, batch, rules(), out=out, threads=threads), check)

    contenders = (contender("fastscore, 1 thread", 1), contender("fastscore, 2 threads", 2))
    return Comparison("a million plays", contenders[0].name, contenders, len(plays), "play", rounds=9)


COMPARISONS: tuple[Callable[[], Comparison], ...] = (
    _file_order,
    _within,
    _shuffled,
    _one_a_position,
    _small_calls,
    _set_up,
    _follow_games,
    _search,
    _threads,
)
"""Each makes its comparison when that is its turn: the tables and copies of the others take no memory then."""

PEERS = (
    ("MAGPIE", "C, keeps cross sums", "23-31", "43-56"),
    ("Quackle", "C++, walks crossing words", "36", "54"),
    ("wolges", "Rust, walks crossing words", "43", "61"),
    ("scrabble 1.3", "Python; a tenth of its scores are wrong", "33,200", ""),
)
"""Program, how it works, ns a play for the score alone, and with set-up and input conversion."""

OWN_ROWS = (
    ("`cross` (yardstick)", "C, keeps cross sums", CROSS_KEPT, CROSS),
    ("`walk` (yardstick)", "C, walks crossing words", WALK, WALK),
    ("fastscore, word form in", "Python and numba, tables per position", None, WORD_FORM),
    ("fastscore, compact form in", "the same", KEPT, COMPACT),
)
"""The same columns for what is measured here, with the contenders of the first comparison that fill them."""
