"""Expansion of batches: designations of blanks, words, leaves, the best few, several rulesets."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import fastscore as fs
from fastscore import expansion_kernels, formation_kernels
from fastscore.formation import FormedWords
from fastscore.rules.ruleset import Ruleset
from fastscore.status import UNSCORABLE
from fastscore.testing import random_board, random_placements, random_rack, random_ruleset, reference
from tests.against_reference import pick_rules

CLASSIC = fs.load_rules("classic/english")
EMPTY = fs.Board(CLASSIC)
DATA = Path(__file__).parent / "data" / "legal_plays.npz"
COMPILED = hasattr(formation_kernels.count_words, "signatures")
SEEDS = range(25 if COMPILED else 6)
A, B, C, Q = 1, 2, 3, 17
BLANK = 0x80


class Legal(NamedTuple):
    """Legal plays of real positions: all of them where kernels are compiled, else the first of them."""

    boards: NDArray[np.uint8]
    racks: NDArray[np.uint8]
    batch: fs.PlacementBatch
    score: NDArray[np.int32]
    main: NDArray[np.uint8]  # letters of the main word, then zeros
    length: NDArray[np.uint8]


@pytest.fixture(scope="module")
def legal() -> Legal:
    with np.load(DATA) as file:
        data = {name: file[name] for name in file.files}
    n = len(data["row"]) if COMPILED else 1500
    form = {name: data[name][:n] for name in ("position", "row", "col", "direction", "length", "tiles")}
    batch = fs.PlacementBatch.from_word_form(data["boards"], CLASSIC, **form)
    # The main word, read from the file: its own tiles, and those of the board where it has zeros.
    along = np.arange(15)
    down = form["direction"][:, None] == 1
    row = np.minimum(form["row"][:, None] + np.where(down, along, 0), 14)
    col = np.minimum(form["col"][:, None] + np.where(down, 0, along), 14)
    there = data["boards"][form["position"][:, None], row, col]
    inside = along < form["length"][:, None]
    main = np.where(inside, np.where(form["tiles"] == 0, there, form["tiles"]), 0).astype(np.uint8)
    return Legal(data["boards"], data["racks"], batch, data["score"][:n], main, form["length"])


def across(*rows: list[int], row: int = 7, col: int = 7, status: int = 0) -> fs.PlacementBatch:
    """A batch of placements across from one square."""
    tiles = np.zeros((len(rows), 7), np.uint8)
    for number, codes in enumerate(rows):
        tiles[number, : len(codes)] = codes
    n = len(rows)
    return fs.PlacementBatch(row=[row] * n, col=[col] * n, direction=0, tiles=tiles, status=[status] * n)


def hostile(seed: int) -> tuple[Ruleset, list[fs.Board], list[list[fs.Placement]], fs.PlacementBatch]:
    """Random rules, boards, and placements of which some are bad in every way."""
    rng = np.random.default_rng(seed)
    rules = pick_rules(rng)
    boards = [random_board(rng, rules) for _ in range(3)]
    placements = [[fs.Placement(*fields) for fields in random_placements(rng, board, 40)] for board in boards]
    flat = [placement for some in placements for placement in some]
    return rules, boards, placements, fs.PlacementBatch.from_placements(flat, np.repeat(np.arange(3), 40))


def test_numbers_are_those_of_the_status() -> None:
    named = [name for name in dir(expansion_kernels) if name in fs.Status.__members__]
    assert len(named) == 5
    for name in named:
        assert getattr(expansion_kernels, name) == fs.Status[name], name
    assert formation_kernels.UNSCORABLE == UNSCORABLE


# --- formed words -----------------------------------------------------------------------------------------------------


def test_words_of_a_play() -> None:
    board = EMPTY.play("8F EnERGID").play("F3 IPOMO.A").play("K5 HAB.TUdE")
    words = fs.formed_words_batch(board, fs.PlacementBatch.parse(["E3 HUGE", "J6 HA."], board))
    # HUGE down column E beside IPOMOEA: its words with I, P, O, M. HA above the G of row 8 makes HAG, and beside
    # HABITUDE the words HA over A6 and AB over B7.
    assert words.texts(CLASSIC.letters) == ["HUGE", "HI", "UP", "GO", "EM", "HAG", "HA", "AB"]
    assert words.candidate.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert words.starts.tolist() == [0, 5, 8]
    assert words.main.tolist() == [True, False, False, False, False, True, False, False]
    assert words.direction.tolist() == [1, 0, 0, 0, 0, 1, 0, 0]
    assert words.row.tolist() == [2, 2, 3, 4, 5, 5, 5, 6]
    assert words.col.tolist() == [4, 4, 4, 4, 4, 9, 9, 9]
    assert words.length.tolist() == [4, 2, 2, 2, 2, 3, 2, 2]
    assert words.tiles.shape == (8, 15)
    assert words.tiles[1].tolist() == [8, 9, *[0] * 13]


def test_a_lone_tile_has_its_words_in_both_directions() -> None:
    board = EMPTY.play("8H CAB").play("J9 AD")
    # S at K8 makes CABS. S at I9 stands before the A at J9, behind which nothing lies, and below the A of CAB at I8.
    across_word, both = (
        fs.formed_words_batch(board, fs.PlacementBatch.parse([text], board)) for text in ("8K S", "9I S")
    )
    assert across_word.texts(CLASSIC.letters) == ["CABS"]
    assert (both.texts(CLASSIC.letters), both.main.tolist()) == (["SA", "AS"], [True, False])
    # Written down, the same tile has its word across as the cross word.
    down = fs.formed_words_batch(board, fs.PlacementBatch(row=[7], col=[10], direction=[1], tiles=[[19]]))
    assert (down.texts(CLASSIC.letters), down.main.tolist(), down.direction.tolist()) == (["CABS"], [False], [0])


def test_placements_that_form_no_word() -> None:
    board = EMPTY.play("8H CAB")
    batch = across([A], [27, A], [A, 0, A], [], row=0, col=0)
    assert fs.formed_words_batch(board, batch).starts.tolist() == [0, 0, 0, 0, 0]
    assert len(fs.formed_words_batch(board, batch[:0]).candidate) == 0
    # A conversion's verdict counts, and a play that is only flagged has its word.
    flagged = across([A, B], row=0, col=0, status=fs.Status.NOT_MAXIMAL)
    assert fs.formed_words_batch(board, flagged).texts(CLASSIC.letters) == ["AB"]
    assert len(fs.formed_words_batch(board, across([A, B], row=0, col=0, status=fs.Status.THROUGH_DIFFERS)).row) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_words_are_those_of_the_reference(seed: int) -> None:
    rules, boards, placements, batch = hostile(seed)
    wanted = [
        (number, word.row, word.col, word.direction, word.main, [tile.tile for tile in word.tiles])
        for number, (board, placement) in enumerate(
            (board, placement) for board, some in zip(boards, placements, strict=True) for placement in some
        )
        for word in reference.judge(board, placement).words
    ]
    words = fs.formed_words_batch(boards, batch)
    assert listed(words) == wanted
    assert words.tiles.shape == (len(wanted), max(rules.rows, rules.cols))
    assert not words.tiles[np.arange(words.tiles.shape[1]) >= words.length[:, None]].any()


def listed(words: FormedWords) -> list[tuple[int, int, int, int, bool, list[int]]]:
    columns = (words.candidate, words.row, words.col, words.direction, words.main, words.length, words.tiles)
    return [
        (candidate, row, col, direction, main, tiles[:length])
        for candidate, row, col, direction, main, length, tiles in zip(*(c.tolist() for c in columns), strict=True)
    ]


def test_main_words_of_all_legal_plays(legal: Legal) -> None:
    words = fs.formed_words_batch(legal.boards, legal.batch, CLASSIC)
    main = words.tiles[words.main]
    # The file lists a play with the word that it names, so each has a main word.
    assert np.array_equal(words.candidate[words.main], np.arange(len(legal.batch)))
    assert np.array_equal(main, legal.main)
    assert np.array_equal(words.length[words.main], legal.length)
    assert np.array_equal(words.direction[words.main], legal.batch.direction)
    # They come first, and where the counts say.
    assert words.main[words.starts[:-1]].all()
    assert np.array_equal(np.repeat(np.arange(len(legal.batch)), np.diff(words.starts)), words.candidate)


def test_every_word_of_all_legal_plays_lies_on_the_board(legal: Legal) -> None:
    """Lay each play on a copy of its board and read the words there."""
    step = 50_000
    for first in range(0, len(legal.batch), step):
        batch = legal.batch[first : first + step]
        before = legal.boards[batch.position]
        words = fs.formed_words_batch(legal.boards, batch, CLASSIC)
        after, laid = lay(before, batch)
        inside = np.arange(15) < words.length[:, None]
        assert np.array_equal(np.where(inside, squares_of(words, after), 0), words.tiles)
        # Whole: no tile directly before the first or behind the last.
        assert not squares_of(words, after, before=1)[:, 0].any()
        behind = squares_of(words, after)[np.arange(len(words.length)), np.minimum(words.length, 14)]
        assert not behind[words.length < 15].any()
        # A cross word has one fresh tile, a main word all.
        fresh = np.where(inside, squares_of(words, laid), 0).astype(bool).sum(axis=1)
        tiles = np.count_nonzero(batch.tiles, axis=1)
        assert np.array_equal(fresh, np.where(words.main, tiles[words.candidate], 1))
        # As many cross words as fresh tiles with a neighbour across.
        padded = np.pad(before != 0, ((0, 0), (1, 1), (1, 1)))
        beside = np.where(
            (batch.direction == 0)[:, None, None],
            padded[:, :-2, 1:-1] | padded[:, 2:, 1:-1],
            padded[:, 1:-1, :-2] | padded[:, 1:-1, 2:],
        )
        crossed = (beside & (laid != 0)).sum(axis=(1, 2))
        assert np.array_equal(np.bincount(words.candidate[~words.main], minlength=len(batch)), crossed)


def squares_of(words: FormedWords, boards: NDArray[np.uint8], before: int = 0) -> NDArray[np.uint8]:
    """15 squares of each word's lane, from `before` squares before its first tile on; 0 beyond the edges."""
    along = np.arange(15) - before
    down = words.direction[:, None] == 1
    row = words.row[:, None] + np.where(down, along, 0)
    col = words.col[:, None] + np.where(down, 0, along)
    outside = (row < 0) | (row > 14) | (col < 0) | (col > 14)
    found = boards[words.candidate[:, None], np.clip(row, 0, 14), np.clip(col, 0, 14)]
    return np.where(outside, 0, found)


def lay(before: NDArray[np.uint8], batch: fs.PlacementBatch) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The boards with the tiles on them, and the tiles alone."""
    after, laid = before.copy(), np.zeros_like(before)
    row, col = batch.row.astype(int), batch.col.astype(int)
    every = np.arange(len(batch))
    down = batch.direction == 1
    for number in range(7):
        codes = batch.tiles[:, number]
        more = codes != 0
        after[every[more], row[more], col[more]] = codes[more]
        laid[every[more], row[more], col[more]] = codes[more]
        # On to the next empty square, or to the edge.
        moving = more.copy()
        while moving.any():
            row, col = np.where(moving & down, row + 1, row), np.where(moving & ~down, col + 1, col)
            edge = (row > 14) | (col > 14)
            row, col = np.minimum(row, 14), np.minimum(col, 14)
            moving &= ~edge & (after[every, row, col] != 0)
    return after, laid


def test_words_of_legal_plays_are_those_of_the_reference(legal: Legal) -> None:
    sample = np.random.default_rng(3).choice(len(legal.batch), 400, replace=False)
    words = listed(fs.formed_words_batch(legal.boards, legal.batch[sample], CLASSIC))
    wanted = []
    for number, at in enumerate(sample.tolist()):
        board = fs.Board(CLASSIC, legal.boards[legal.batch.position[at]])
        wanted += [
            (number, word.row, word.col, word.direction, word.main, [tile.tile for tile in word.tiles])
            for word in reference.judge(board, legal.batch[at]).words
        ]
    assert words == wanted


# --- blanks -----------------------------------------------------------------------------------------------------------


def test_each_letter_of_a_blank() -> None:
    expanded = fs.expand_blanks(EMPTY, across([BLANK, Q], [A, B], [C, BLANK]))
    assert expanded.source.tolist() == [0] * 26 + [1] + [2] * 26
    assert expanded.batch.tiles[:26, 0].tolist() == [BLANK | letter for letter in range(1, 27)]
    assert set(expanded.batch.tiles[:26, 1].tolist()) == {Q}
    assert expanded.batch.tiles[26, :3].tolist() == [A, B, 0]
    assert expanded.batch.tiles[27:, 1].tolist() == [BLANK | letter for letter in range(1, 27)]
    # On the start square, a double word: (0 + 10) x 2, (1 + 3) x 2, (3 + 0) x 2.
    assert expanded.scores.tolist() == [20] * 26 + [8] + [6] * 26
    assert not fs.check_batch(EMPTY, expanded.batch).any()


def test_two_blanks_stand_for_all_pairs() -> None:
    expanded = fs.expand_blanks(EMPTY, across([BLANK, A, BLANK]))
    assert len(expanded.batch) == 26 * 26
    pairs = [(BLANK | first, A, BLANK | last) for first in range(1, 27) for last in range(1, 27)]
    assert [tuple(row) for row in expanded.batch.tiles[:, :3].tolist()] == pairs


def test_letters_matter_where_squares_ask_for_a_value() -> None:
    plain = np.ones((3, 3), np.uint8)
    triple, asked = plain.copy(), np.zeros((3, 3), np.uint8)
    triple[1, 1], asked[1, 1] = 3, 3
    layout = fs.BoardLayout("asking", 3, 3, (1, 1), triple, plain, asked, np.zeros((3, 3), bool))
    letters = dataclasses.replace(CLASSIC.letters, values=(2, *CLASSIC.letters.values[1:]))
    rules = Ruleset("asking", layout, letters)
    expanded = fs.expand_blanks(fs.Board(rules), across([BLANK, A], row=1, col=1))
    # A blank counts 2 here, and 2 x 3 on the square that asks for a letter of value 3 if it stands for B, C, M or P.
    # The A beside it counts 1.
    wanted = {letter: 7 if letter in "BCMP" else 3 for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    found = [letters.decode(code & 0x7F) for code in expanded.batch.tiles[:, 0].tolist()]
    assert dict(zip(found, expanded.scores.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_designations_score_as_the_reference_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_ruleset(rng)
    board = random_board(rng, rules)
    fields = random_placements(rng, board, 10, hostile=0.2)
    # The second tile becomes a blank, and at times the first.
    placements = []
    for at, (row, col, direction, tiles) in enumerate(fields):
        codes = [BLANK if number == 1 or (number == 0 and at % 4 == 0) else tile for number, tile in enumerate(tiles)]
        placements.append(fs.Placement(row, col, direction, tuple(codes)))
    batch = fs.PlacementBatch.from_placements(placements)
    expanded = fs.expand_blanks(board, batch)
    blanks = (batch.tiles == BLANK).sum(axis=1)
    assert np.bincount(expanded.source, minlength=len(batch)).tolist() == (rules.letters.n_letters**blanks).tolist()
    assert not (expanded.batch.tiles == BLANK).any()
    sample = rng.choice(len(expanded.batch), min(300, len(expanded.batch)), replace=False)
    for at in sample.tolist():
        assert expanded.scores[at] == reference.judge(board, expanded.batch[at]).total
    assert len(np.unique(np.column_stack([expanded.source, expanded.batch.tiles]), axis=0)) == len(expanded.batch)


def test_the_status_goes_along() -> None:
    undesignated = fs.Status.BLANK_UNDESIGNATED | fs.Status.BLANK_NEEDS_LETTER
    expanded = fs.expand_blanks(EMPTY, across([BLANK, A], status=undesignated | fs.Status.NOT_MAXIMAL))
    assert set(expanded.batch.status.tolist()) == {fs.Status.NOT_MAXIMAL}
    unscorable = fs.expand_blanks(EMPTY, across([BLANK, A], status=fs.Status.THROUGH_DIFFERS))
    assert set(unscorable.batch.status.tolist()) == {fs.Status.THROUGH_DIFFERS}
    assert not unscorable.scores.any()


def test_several_boards_and_positions() -> None:
    boards = np.zeros((2, 15, 15), np.uint8)
    boards[1, 7, 6] = A
    batch = fs.PlacementBatch(position=[1, 0, -1], row=[7] * 3, col=[7] * 3, direction=0, tiles=[[BLANK, Q]] * 3)
    expanded = fs.expand_blanks(boards, batch, CLASSIC)
    assert expanded.batch.position.tolist() == [1] * 26 + [0] * 26 + [-1] * 26
    # With the A before it: (1 + 0 + 10) x 2; on the empty board (0 + 10) x 2; on no board nothing.
    assert expanded.scores.tolist() == [22] * 26 + [20] * 26 + [0] * 26


def test_too_many_designations_are_refused_before_they_are_made() -> None:
    with pytest.raises(
        fs.ShapeError, match=r"677 .* in 2 candidates, up to 26 \*\* 2 of one \(candidate 1\), expected at most 676"
    ):
        fs.expand_blanks(EMPTY, across([A, B], [BLANK, BLANK]), limit=676)
    assert len(fs.expand_blanks(EMPTY, across([A, B], [BLANK, BLANK]), limit=677).batch) == 677
    wide = fs.PlacementBatch(row=[7], col=[0], direction=0, tiles=np.full((1, 15), BLANK))
    with pytest.raises(fs.ShapeError, match=r"26 \*\* 15"):
        fs.expand_blanks(EMPTY, wide)


def test_nothing_to_expand() -> None:
    expanded = fs.expand_blanks(EMPTY, across())
    assert (len(expanded.batch), len(expanded.source), len(expanded.scores)) == (0, 0, 0)


@pytest.mark.parametrize("function", [fs.expand_blanks, fs.formed_words_batch])
def test_arguments_that_do_not_go_together(function: object) -> None:
    assert callable(function)
    with pytest.raises(fs.RulesError, match="no rules beside them"):
        function(EMPTY.tiles, across([A, B]))
    with pytest.raises(fs.ShapeError, match="batch is a list"):
        function(EMPTY, [1])
    with pytest.raises(fs.ShapeError, match=r"expected 21 rows"):
        function(EMPTY.tiles, across([A, B]), fs.load_rules("super/english"))


# --- the best ---------------------------------------------------------------------------------------------------------


def test_the_best_of_all_and_of_each_position() -> None:
    scores = [5, 9, 7, 9, 5, 0]
    assert fs.best_k(scores, 3).tolist() == [1, 3, 2]
    assert fs.best_k(scores, 4).tolist() == [1, 3, 2, 0]
    assert fs.best_k(scores, 99).tolist() == [1, 3, 2, 0, 4, 5]
    assert fs.best_k(scores, 2, [0, 0, 0, 1, 1, 2]).tolist() == [1, 2, 3, 4, 5]
    assert fs.best_k(scores, 1, [1, 0, 1, 0, -1, 1]).tolist() == [4, 1, 2]
    assert fs.best_k([], 3).tolist() == []
    assert fs.best_k([], 3, np.zeros(0, np.int32)).tolist() == []


@pytest.mark.parametrize("k", [1, 2, 7, 100])
@pytest.mark.parametrize("ascending", [True, False])
def test_the_best_are_those_of_a_stable_sort(k: int, ascending: bool) -> None:
    rng = np.random.default_rng(k)
    n = 5000 if COMPILED else 400
    # Few different scores, so that there are ties, and the edges of the type.
    scores = rng.choice([0, 1, 2, 30, 31, -1, 2**31 - 1, -(2**31)], n).astype(np.int32)
    position = rng.integers(-1, 20, n).astype(np.int32)
    if ascending:
        position.sort()
    by_score = sorted(range(n), key=lambda at: -int(scores[at]))
    assert fs.best_k(scores, k).tolist() == by_score[:k]
    wanted: list[int] = []
    for number in sorted(set(position.tolist())):
        wanted += [at for at in by_score if position[at] == number][:k]
    assert fs.best_k(scores, k, position).tolist() == wanted


def test_the_best_of_all_legal_plays(legal: Legal) -> None:
    best = fs.best_k(legal.score, 1, legal.batch.position)
    highest: dict[int, int] = {}
    for position, score in zip(legal.batch.position.tolist(), legal.score.tolist(), strict=True):
        highest[position] = max(score, highest.get(position, 0))
    assert dict(zip(legal.batch.position[best].tolist(), legal.score[best].tolist(), strict=True)) == highest
    assert len(legal.batch[best]) == len(highest)


@pytest.mark.parametrize(
    ("scores", "k", "position", "message"),
    [
        ([1, 2], 0, None, "k=0, expected a whole number from 1"),
        ([1.5], 1, None, "float64"),
        ([[1], [2]], 1, None, r"shape \(2, 1\), expected int32\[n\]"),
        ([1, 2**31], 1, None, r"int64 of shape \(2,\), expected int32\[n\]"),
        ([1, 2], 1, [0], r"shape \(1,\), expected integers of shape \(2,\)"),
        ([1, 2], 1, [0.0, 1.0], "position is float64"),
    ],
)
def test_what_is_no_score(scores: object, k: int, position: object, message: str) -> None:
    with pytest.raises(fs.ShapeError, match=message):
        fs.best_k(scores, k, position)  # type: ignore[arg-type]


# --- leaves -----------------------------------------------------------------------------------------------------------


def test_leave_of_a_rack() -> None:
    batch = across([A, B], [BLANK | C, A], [A, A, A], [], [BLANK, BLANK])
    left = fs.leaves(CLASSIC.letters.rack("AABQ?"), batch)
    assert left.counts.shape == (5, 27)
    letters = CLASSIC.letters
    assert left.counts[0].tolist() == list(letters.rack("AQ?"))
    assert left.counts[1].tolist() == list(letters.rack("ABQ"))
    assert left.counts[3].tolist() == list(letters.rack("AABQ?"))
    assert left.status.tolist() == [0, 0, fs.Status.NOT_ON_RACK, 0, fs.Status.NOT_ON_RACK]
    assert not left.counts[[2, 4]].any()


def test_each_position_has_its_rack() -> None:
    racks = np.array([CLASSIC.letters.rack("AB"), CLASSIC.letters.rack("BC")])
    tiles = [[B, 0], [B, 0], [A, 0], [27, 0], [B, 0]]
    batch = fs.PlacementBatch(position=[0, 1, 1, 0, 2], row=[0] * 5, col=[0] * 5, direction=0, tiles=tiles)
    left = fs.leaves(racks, batch)
    assert left.status.tolist() == [0, 0, fs.Status.NOT_ON_RACK, fs.Status.BAD_TILE, fs.Status.BAD_POSITION]
    assert left.counts[:2, 1:4].tolist() == [[1, 0, 0], [0, 0, 1]]
    assert not left.counts[2:].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_leaves_of_hostile_placements(seed: int) -> None:
    rules, boards, placements, batch = hostile(seed)
    racks = np.array([random_rack(np.random.default_rng((seed, at)), rules) for at in range(len(boards))])
    left = fs.leaves(racks, batch)
    # What check_batch says of the rack, this says too.
    on_rack = (fs.check_batch(boards, batch, racks=racks) & np.uint32(fs.Status.NOT_ON_RACK)) == 0
    assert np.array_equal((left.status & np.uint32(fs.Status.NOT_ON_RACK)) == 0, on_rack)
    flat = [placement for some in placements for placement in some]
    for at, placement in enumerate(flat):
        if left.status[at] == 0:
            rest = Counter({tile: int(count) for tile, count in enumerate(racks[at // 40])})
            rest.subtract(0 if tile >= BLANK else tile for tile in placement.tiles if tile)
            assert left.counts[at].tolist() == [rest[tile] for tile in range(rules.letters.n_letters + 1)]
        else:
            assert not left.counts[at].any()


def test_leaves_of_all_legal_plays(legal: Legal) -> None:
    left = fs.leaves(legal.racks, legal.batch)
    assert not left.status.any()
    tiles = np.where(legal.batch.tiles >= BLANK, 0, legal.batch.tiles)
    laid = legal.batch.tiles != 0
    for letter in range(27):
        used = ((tiles == letter) & laid).sum(axis=1)
        assert np.array_equal(left.counts[:, letter] + used, legal.racks[legal.batch.position, letter])


@pytest.mark.parametrize(
    "racks", [[], [[]], [1], np.zeros((1, 128), int), np.zeros((1, 1, 27), int), [256, 1], [-1, 1]]
)
def test_what_is_no_rack(racks: object) -> None:
    with pytest.raises(fs.ShapeError, match="racks"):
        fs.leaves(racks, across([A]))  # type: ignore[arg-type]


# --- several rulesets -------------------------------------------------------------------------------------------------


def test_one_batch_under_several_rulesets(legal: Legal) -> None:
    friends = fs.load_rules("words-with-friends")
    dearer = dataclasses.replace(CLASSIC, name="dearer", bingo_bonus=(*[0] * 7, 60, *[0] * 8))
    batch = legal.batch[:1000]
    scores = fs.score_matrix(legal.boards, batch, [CLASSIC, friends, dearer])
    assert (scores.dtype, scores.shape) == (np.int32, (3, 1000))
    assert np.array_equal(scores[0], legal.score[:1000])
    # Ten more for each play of seven tiles.
    assert np.array_equal(scores[2] - scores[0], np.where(np.count_nonzero(batch.tiles, axis=1) == 7, 10, 0))
    for at in range(0, 1000, 50):
        board = fs.Board(friends, legal.boards[batch.position[at]])
        assert scores[1, at] == reference.score(board, batch[at])


def test_boards_with_rules_of_their_own() -> None:
    board = fs.Board(CLASSIC).play("8H CAB")
    batch = fs.PlacementBatch.parse(["8H CABS"], board)
    # C 3, A 1, B 3, S 1, no premium under the S at K8; C 4, A 1, B 4, S 1 with Words With Friends' values, whose K8 has
    # no premium either.
    assert fs.score_matrix(board, batch, [CLASSIC, fs.load_rules("words-with-friends")]).tolist() == [[8], [10]]
    assert fs.score_matrix(board, batch, []).shape == (0, 1)


def test_rulesets_that_do_not_go_together() -> None:
    batch = across([A, B])
    with pytest.raises(fs.RulesError, match="21 rows and 21 columns, expected 15 and 15"):
        fs.score_matrix(EMPTY.tiles, batch, [fs.load_rules("super/english")])
    with pytest.raises(fs.RulesError, match="other tiles than 'classic/english'"):
        fs.score_matrix(EMPTY, batch, [fs.load_rules("classic/german")])
    with pytest.raises(fs.RulesError, match="other tiles than 'classic/german'"):
        fs.score_matrix(EMPTY.tiles, batch, [fs.load_rules("classic/german"), CLASSIC])
