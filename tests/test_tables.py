"""Scoring tables that are kept: the same scores as without them, and after a placement the tables of the new board."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import fastscore as fs
from fastscore import slot_kernels
from fastscore.coordinates import MAX_SIDE
from fastscore.rules.ruleset import Ruleset
from fastscore.status import UNSCORABLE, Status
from fastscore.tables import ScoringTables, rule_arrays
from fastscore.testing import random_board, random_placements, random_rack, random_ruleset, reference

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
LEGAL = Path(__file__).parent / "data" / "legal_plays.npz"


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    return fs.load_rules("classic/english")


class Legal(NamedTuple):
    """Tables of all positions, plays and their scores."""

    tables: ScoringTables
    batch: fs.PlacementBatch
    scores: np.ndarray


@pytest.fixture(scope="module")
def legal(rules: Ruleset) -> Legal:
    """Without compilation every 150th play."""
    every = 1 if COMPILED else 150
    with np.load(LEGAL) as file:
        fields = {name: file[name][::every] for name in ("position", "row", "col", "direction", "length", "tiles")}
        boards, scores = file["boards"], file["score"][::every]
    return Legal(ScoringTables(boards, rules), fs.PlacementBatch.from_word_form(boards, rules, **fields), scores)


# --- scores -----------------------------------------------------------------------------------------------------------


def pick_rules(rng: np.random.Generator) -> Ruleset:
    """Half of them fit the packed tables (random rulesets seldom do)."""
    bundled = ("classic/english", "super/english", "words-with-friends", "duel", "letter-league", "literaki")
    return fs.load_rules(bundled[rng.integers(len(bundled))]) if rng.random() < 0.5 else random_ruleset(rng)


def random_batch(rng: np.random.Generator, boards: list[fs.Board], per_board: int) -> fs.PlacementBatch:
    """Good and bad placements for all boards in random order, some for boards that there are not, some flagged."""
    fields = [random_placements(rng, board, per_board) for board in boards]
    brought = rng.choice(
        [Status.GOOD, Status.NOT_MAXIMAL, Status.THROUGH_DIFFERS], len(boards) * per_board, p=[0.8, 0.1, 0.1]
    )
    position = np.repeat(np.arange(len(boards)), per_board)
    position[rng.random(len(position)) < 0.03] = rng.choice([-1, len(boards), 2**31 - 1, -(2**31)])
    placements = [fs.Placement(*field) for some in fields for field in some]
    plain = fs.PlacementBatch.from_placements(placements, position)
    batch = fs.PlacementBatch(
        position=position, row=plain.row, col=plain.col, direction=plain.direction, tiles=plain.tiles, status=brought
    )
    return batch[rng.permutation(len(batch))]


def test_scores_are_those_of_the_boards() -> None:
    rng = np.random.default_rng(20)
    packed, scored, compared = 0, 0, 0
    for _ in range(100 if COMPILED else 16):
        rules = pick_rules(rng)
        boards = [random_board(rng, rules) for _ in range(1 + rng.integers(6))]
        batch = random_batch(rng, boards, 60 if COMPILED else 15)
        racks = np.array([random_rack(rng, rules) for _ in boards])
        tables = ScoringTables(boards)
        expected = fs.score_batch(boards, batch)
        assert np.array_equal(fs.score_batch(tables, batch), expected)
        for got, parts in zip(
            fs.score_batch(tables, batch, rules, parts=True), fs.score_batch(boards, batch, parts=True), strict=True
        ):
            assert np.array_equal(got, parts)
        assert np.array_equal(fs.check_batch(tables, batch, racks=racks), fs.check_batch(boards, batch, racks=racks))
        assert np.array_equal(tables.arrays.ready, [rule_arrays(rules).packed] * len(boards))
        packed += len(batch) * rule_arrays(rules).packed
        scored += np.count_nonzero(expected)
        compared += len(batch)
    assert compared // 4 < packed < compared * 3 // 4
    assert scored > compared // 4


def test_scores_are_those_of_the_reference() -> None:
    """One candidate a board, so that the boards' own scores would come from a walk."""
    rng = np.random.default_rng(21)
    for _ in range(60 if COMPILED else 10):
        rules = pick_rules(rng)
        board = random_board(rng, rules)
        placements = [fs.Placement(*fields) for fields in random_placements(rng, board, 20)]
        expected = [reference.judge(board, placement).total for placement in placements]
        assert fs.score_batch(ScoringTables(board), fs.PlacementBatch.from_placements(placements)).tolist() == expected


def test_every_legal_play_has_its_score(legal: Legal) -> None:
    tables, batch, scores = legal
    assert len(tables) == 486
    assert np.array_equal(fs.score_batch(tables, batch), scores)
    shuffle = np.random.default_rng(1).permutation(len(batch))
    for threads in (1, 2, 3):
        assert np.array_equal(fs.score_batch(tables, batch[shuffle], threads=threads), scores[shuffle])
    assert np.array_equal(fs.score_batch(tables, batch, parts=True, threads=2).score, scores)
    assert not fs.check_batch(tables, batch).any()


def test_eight_threads_share_the_tables(legal: Legal) -> None:
    tables, batch, scores = legal
    parts = np.array_split(np.random.default_rng(2).permutation(len(batch)), 8)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda part: fs.score_batch(tables, batch[part], threads=2), parts))
    assert np.array_equal(np.concatenate(found), scores[np.concatenate(parts)])


@pytest.mark.parametrize("width", [5, 6, 7, 8, 9, 12, 20])
def test_any_width_of_the_rows_of_tiles(legal: Legal, width: int) -> None:
    tables, batch, scores = legal
    some = np.random.default_rng(width).permutation(len(batch))[:3000]
    some = some[np.count_nonzero(batch.tiles[some], axis=1) <= width]
    tiles = np.pad(batch.tiles[some], ((0, 0), (0, max(width - 7, 0))))
    resized = fs.PlacementBatch(
        position=batch.position[some],
        row=batch.row[some],
        col=batch.col[some],
        direction=batch.direction[some],
        tiles=tiles[:, :width],
    )
    assert np.array_equal(fs.score_batch(tables, resized), scores[some])


def test_rows_that_really_lay_more_tiles_have_no_score(rules: Ruleset) -> None:
    tables = ScoringTables(fs.Board(rules))
    tiles = np.zeros((3, 20), np.uint8)
    tiles[0, :2], tiles[1, :8], tiles[2, :12] = 1, 1, 1
    batch = fs.PlacementBatch(row=[7] * 3, col=[2] * 3, direction=0, tiles=tiles)
    # AA on plain squares (C8 to D8 has a double letter at D8): 1 + 1 x 2
    assert fs.score_batch(tables, batch).tolist() == [3, 0, 0]
    assert fs.check_batch(tables, batch).tolist() == [
        Status.START_NOT_COVERED,
        Status.TOO_MANY_TILES,
        Status.TOO_MANY_TILES,
    ]


def test_status_of_the_conversion_counts(rules: Ruleset) -> None:
    board = fs.Board(rules).play("8H JOG")
    batch = fs.PlacementBatch.parse(["8H JAG", "nonsense", "I7 G.RE"] * 2, board, errors="status")
    # G 2 x 2 [I7 double letter] + O 1 + R 1 x 2 [I9 double letter] + E 1
    assert fs.score_batch(ScoringTables(board), batch).tolist() == [0, 0, 8] * 2


def test_out_and_no_candidates(rules: Ruleset) -> None:
    tables = ScoringTables(fs.Board(rules))
    out = np.full(1, -1, np.int32)
    # A 1 + B 3, doubled by the start square
    assert fs.score_batch(tables, fs.PlacementBatch.parse(["8H AB"], fs.Board(rules)), out=out) is out
    assert out.tolist() == [8]
    assert fs.score_batch(tables, fs.PlacementBatch.from_placements([])).shape == (0,)
    assert len(ScoringTables(np.zeros((0, 15, 15), np.uint8), rules)) == 0


# --- boards that arrays may hold --------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [27, 127, 0x80 + 27, 255, 300])
def test_a_board_with_a_bad_code_is_scored_by_a_walk(rules: Ruleset, code: int) -> None:
    boards = np.zeros((2, 15, 15), np.int64)
    boards[:, 7, 7] = 1  # A at H8
    boards[1, 0, 0] = code
    tables = ScoringTables(boards, rules)
    assert tables.arrays.ready.tolist() == [True, False]
    rows = fs.PlacementBatch(
        position=[0, 1, 1, 1], row=[7, 7, 1, 0], col=[6, 6, 0, 1], direction=[0, 0, 1, 0], tiles=[[20]] * 4
    )
    # TA at 8G: 1 + 1; only words through the bad code are spoilt
    assert fs.score_batch(tables, rows).tolist() == [2, 2, 0, 0]
    bad = Status.BAD_BOARD
    assert fs.check_batch(tables, rows).tolist() == [0, 0, bad, bad]
    tables.play(0, "8G T.")
    with pytest.raises(fs.PositionError, match="A1"):
        tables.play(1, "8G T.")
    with pytest.raises(fs.PositionError, match="A1"):
        tables.board(1)


def test_a_brick_is_a_wall_whatever_an_array_says(rules: Ruleset) -> None:
    bricks = np.zeros((15, 15), bool)
    bricks[7, 8] = True
    walled = dataclasses.replace(rules, layout=dataclasses.replace(rules.layout, bricks=bricks))
    boards = np.zeros((1, 15, 15), np.uint8)
    boards[0, 7, 8] = 26  # a Z on the brick at I8
    tables = ScoringTables(boards, walled)
    rows = fs.PlacementBatch(row=[7, 7], col=[6, 6], direction=0, tiles=[[1, 1, 0], [1, 1, 1]])
    # AA at 8G-8H, doubled by H8; the brick ends the word
    assert fs.score_batch(tables, rows).tolist() == [4, 0]


# --- play and undo ----------------------------------------------------------------------------------------------------


def lanes(tables: ScoringTables) -> list[tuple[int, np.ndarray]]:
    """Of each lane its first slot, and the spots of its squares as [positions, squares]."""
    rows, cols = tables.rules.rows, tables.rules.cols
    spots = tables.arrays.spots.reshape(len(tables), 2, MAX_SIDE, MAX_SIDE)
    across = [(row * (cols + 1), spots[:, 0, row, :cols]) for row in range(rows)]
    down = [(rows * (cols + 1) + col * (rows + 1), spots[:, 1, :rows, col]) for col in range(cols)]
    return across + down


def assert_same(tables: ScoringTables, fresh: ScoringTables) -> None:
    """All that a placement can meet is equal: spots, each lane's slots and its end, and what lies beyond the end."""
    kept, wanted = tables.arrays, fresh.arrays
    assert np.array_equal(kept.boards, wanted.boards)
    assert np.array_equal(kept.spots, wanted.spots)
    assert np.array_equal(kept.ready, wanted.ready)
    barred = int(slot_kernels.barred_slot(tables.rules.rows, tables.rules.cols)) if kept.rules.packed else 0
    for position in range(len(tables) if kept.rules.packed else 0):
        slots, expected = (arrays.slots[position].reshape(-1, 3) for arrays in (kept, wanted))
        for first, spots in lanes(tables):
            places = spots[position]
            count = int(np.count_nonzero(places != barred))
            assert np.array_equal(places[places != barred], 3 * np.arange(first, first + count))
            end = first + count
            assert np.array_equal(slots[first:end], expected[first:end])
            assert np.array_equal(slots[end, :2], expected[end, :2])
            # Whatever eight tiles can reach beyond the end has another lane number, seen from each slot.
            for beyond in range(end + 1, first + len(places) + 1):
                starts = slots[max(first, beyond - slot_kernels.PACKED_WIDTH) : end, 1]
                assert (slots[beyond, 0] - starts >= slot_kernels.ONE_LANE).all()


def assert_identical(tables: ScoringTables, before: ScoringTables) -> None:
    for name in ("boards", "slots", "spots", "ready"):
        assert np.array_equal(getattr(tables.arrays, name), getattr(before.arrays, name))


def scorable(rng: np.random.Generator, board: fs.Board, hostile: float = 0.0) -> fs.Placement | None:
    """A placement that has a score, connected or not, out of a few."""
    for fields in random_placements(rng, board, 5, hostile):
        placement = fs.Placement(*fields)
        if not reference.check(board, placement) & UNSCORABLE:
            return placement
    return None


def play_and_undo(rng: np.random.Generator, boards: list[fs.Board], plays: int) -> int:
    """Follows random plays on some boards; returns how many there were."""
    tables = ScoringTables(boards)
    now = list(boards)
    before = []
    for _ in range(plays):
        position = int(rng.integers(len(now)))
        placement = scorable(rng, now[position])
        if placement is not None:
            before.append(tables.copy())
            now[position] = now[position].play(placement)
            tables.play(position, placement)
            assert tables.board(position) == now[position]
            assert_same(tables, ScoringTables(now))
    batch = random_batch(rng, now, 40)
    assert np.array_equal(fs.score_batch(tables, batch), fs.score_batch(now, batch))
    for earlier in reversed(before):
        tables.undo()
        assert_identical(tables, earlier)
    assert_same(tables, ScoringTables(boards))
    with pytest.raises(fs.PositionError, match="nothing to undo"):
        tables.undo()
    return len(before)


def test_play_and_undo_on_random_rulesets() -> None:
    rng = np.random.default_rng(22)
    plays = [0, 0]
    for _ in range(250 if COMPILED else 12):
        rules = pick_rules(rng)
        boards = [random_board(rng, rules) for _ in range(1 + rng.integers(3))]
        plays[rule_arrays(rules).packed] += play_and_undo(rng, boards, 6)
    assert min(plays) > (400 if COMPILED else 10)


def sized(rules: Ruleset, rows: int, cols: int, bricks: float = 0.0) -> Ruleset:
    """The rules on a board of another size, its premiums those of the standard board over and over, some bricks."""
    walls = np.random.default_rng(rows * 100 + cols).random((rows, cols)) < bricks
    layout = rules.layout

    def tiled(grid: np.ndarray) -> np.ndarray:
        return np.tile(grid, (3, 3))[:rows, :cols].copy()

    made = dataclasses.replace(
        layout,
        rows=rows,
        cols=cols,
        start=(rows // 2, cols // 2),
        letter_multiplier=tiled(layout.letter_multiplier),
        word_multiplier=tiled(layout.word_multiplier),
        letter_condition=tiled(layout.letter_condition),
        bricks=walls,
    )
    return dataclasses.replace(rules, layout=made, rack_size=8)


SIZES = [(1, 2), (1, 15), (15, 1), (1, 32), (2, 9), (11, 11), (16, 16), (17, 16), (16, 17), (21, 21), (32, 1), (32, 32)]


@pytest.mark.parametrize("bricks", [0.0, 0.15])
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_play_and_undo_on_boards_of_all_sizes(rules: Ruleset, rows: int, cols: int, bricks: float) -> None:
    known = sized(rules, rows, cols, bricks)
    assert rule_arrays(known).packed
    rng = np.random.default_rng(rows + 100 * cols)
    boards = [fs.Board(known), random_board(rng, known)]
    assert play_and_undo(rng, boards, 12 if COMPILED else 3) > (0 if rows * cols < 100 else 2)


def test_a_full_lane(rules: Ruleset) -> None:
    """Until a row and its columns have no empty square, and back."""
    known = sized(rules, 3, 8)
    board = fs.Board(known)
    tables = ScoringTables(board)
    for play in ("2A ABCDEFGH", "A1 I.J", "1B KLMNOPQ", "3B RSTUVWX"):
        tables.play(0, play)
        board = board.play(play)
        assert_same(tables, ScoringTables(board))
    assert not (board.tiles == 0).any()
    for _ in range(4):
        tables.undo()
    assert_identical(tables, ScoringTables(fs.Board(known)))


def test_plays_that_are_flagged_are_laid(rules: Ruleset) -> None:
    board = fs.Board(rules).play("8H JOG")
    tables = ScoringTables(board)
    tables.play(0, "1A A?")  # touches nothing, and a blank without a letter
    assert_same(tables, ScoringTables(board.play("1A A?")))
    tables.play(0, fs.Placement(2, 2, 1, (1, 2, 0, 0)))  # with padding
    assert tables.board() == board.play("1A A?").play("C3 AB")
    assert_same(tables, ScoringTables(tables.board()))


def test_play_takes_texts_and_lay_the_fields(rules: Ruleset) -> None:
    board = fs.Board(rules).play("8H JOG")
    tables = ScoringTables([fs.Board(rules), board])
    tables.play(1, "I7 G.RE")
    assert tables.board(1) == board.play("I7 G.RE")
    tables.undo()
    # The same as fields: G at I7, then the next empty squares, as numbers of several types.
    tables.lay(1, np.int64(6), np.uint8(8), True, np.array([7, 18, 5]))
    assert tables.board(1) == board.play("I7 G.RE")
    assert_same(tables, ScoringTables([fs.Board(rules), board.play("I7 G.RE")]))
    assert tables.board(0).is_empty


def test_undo_goes_back_over_all_positions(rules: Ruleset) -> None:
    tables = ScoringTables([fs.Board(rules)] * 2)
    tables.play(1, "8H JOG")
    tables.play(0, "8H CAB")
    tables.undo()
    assert tables.board(0).is_empty
    assert tables.board(1) == fs.Board(rules).play("8H JOG")
    tables.undo()
    assert tables.board(1).is_empty


def test_scores_follow_the_game(rules: Ruleset) -> None:
    tables = ScoringTables(fs.Board(rules))
    batch = fs.PlacementBatch.parse(["I7 G.RE"], fs.Board(rules).play("8H JOG"))
    # GRE on empty squares: G 2 x 2 [I7 double letter] + R 1 + E 1 x 2 [I9 double letter]
    assert fs.score_batch(tables, batch).tolist() == [7]
    tables.play(0, "8H JOG")
    # G 2 x 2 [I7 double letter] + O 1 + R 1 x 2 [I9 double letter] + E 1
    assert fs.score_batch(tables, batch).tolist() == [8]
    tables.undo()
    assert fs.score_batch(tables, batch).tolist() == [7]


# --- the object -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["classic/english", "literaki"])
def test_a_copy_is_independent(name: str) -> None:
    rules = fs.load_rules(name)
    tables = ScoringTables(fs.Board(rules))
    first = fs.Placement(7, 7, 0, (1, 2))
    tables.play(0, first)
    before = tables.copy()
    copy = tables.copy()
    copy.play(0, fs.Placement(6, 8, 1, (3, 4)))
    assert_identical(tables, before)
    copy.undo()
    copy.undo()  # what was laid before it was copied
    assert copy.board().is_empty
    assert_identical(tables, before)
    tables.undo()
    assert tables.board().is_empty
    assert before.board() == fs.Board(rules).play(first)


def test_boards_are_copied(rules: Ruleset) -> None:
    boards = np.zeros((1, 15, 15), np.uint8)
    tables = ScoringTables(boards, rules)
    tables.play(0, "8H JOG")
    assert not boards.any()
    boards[:] = 1
    assert tables.board() == fs.Board(rules).play("8H JOG")


def test_memory_of_a_position(rules: Ruleset) -> None:
    """At most 16 KB at 15x15, the board included."""
    arrays = ScoringTables(np.zeros((100, 15, 15), np.uint8), rules).arrays
    assert sum(array.nbytes for array in arrays[:4]) / 100 <= 16 * 1024
    # 2 x 225 + 30 + 17 slots of 24 bytes, 2,048 spots of 2, the board, and whether it is ready
    assert sum(array.nbytes for array in arrays[:4]) / 100 == 497 * 24 + 4096 + 225 + 1
    # At 32x32: 2 x 1024 + 64 + 17 slots
    large = ScoringTables(fs.Board(sized(rules, 32, 32))).arrays
    assert sum(array.nbytes for array in large[:4]) == 2129 * 24 + 4096 + 1024 + 1
    assert "16,250 bytes (55 KB at 32x32)" in str(ScoringTables.__doc__)


def test_rulesets_that_do_not_fit_have_no_tables() -> None:
    tables = ScoringTables(np.zeros((5, 15, 15), np.uint8), fs.load_rules("literaki"))
    assert not tables.arrays.rules.packed
    assert tables.arrays.slots.size == tables.arrays.spots.size == 0
    assert not tables.arrays.ready.any()


def test_repr_and_rules(rules: Ruleset) -> None:
    tables = ScoringTables(np.zeros((3, 15, 15), np.uint8), rules)
    assert repr(tables) == "ScoringTables(3 positions, classic/english)"
    assert tables.rules is rules
    assert fs.ScoringTables is ScoringTables


Call = Callable[[ScoringTables], Any]
BAD_CALLS: dict[str, tuple[Call, type[Exception], str]] = {
    "position beyond": (lambda t: t.play(2, "8H JOG"), fs.PositionError, "position 2, expected one from 0 to 1"),
    "position below": (lambda t: t.board(-1), fs.PositionError, "position -1, expected one from 0 to 1"),
    "no number": (lambda t: t.play("0", "8H JOG"), fs.ShapeError, "position is a str, expected a whole number"),
    "half": (lambda t: t.board(0.5), fs.ShapeError, "position is a float"),
    "text": (lambda t: t.play(0, "8H J0G"), fs.NotationError, "0"),
    "off the board": (lambda t: t.play(0, "8N JOG"), fs.PlacementError, "'8N JO' has no score: runs off the board"),
    "occupied": (lambda t: t.play(1, fs.Placement(7, 7, 0, (1,))), fs.PlacementError, "occupied"),
    "bad tile": (lambda t: t.play(1, fs.Placement(0, 0, 0, (27,))), fs.PlacementError, "tile code"),
    "no tile": (lambda t: t.play(1, fs.Placement(0, 0, 0, (0, 0))), fs.PlacementError, "no tile"),
    "other letter": (lambda t: t.play(1, "8H CAB"), fs.PlacementError, "a letter differs from the tile"),
    "nothing to undo": (lambda t: t.undo(), fs.PositionError, "nothing to undo, expected a placement laid by play"),
    "other rules": (
        lambda t: fs.score_batch(t, fs.PlacementBatch.from_placements([]), fs.load_rules("super/english")),
        fs.RulesError,
        "'classic/english', but other rules, 'super/english'",
    ),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_errors_leave_the_tables_alone(rules: Ruleset, case: str) -> None:
    call, kind, message = BAD_CALLS[case]
    boards = [fs.Board(rules), fs.Board(rules).play("8H JOG")]
    tables = ScoringTables(boards)
    with pytest.raises(kind, match=message):
        call(tables)
    assert_identical(tables, ScoringTables(boards))
    with pytest.raises(fs.PositionError, match="nothing to undo"):
        tables.undo()


def test_placement_error_has_the_status(rules: Ruleset) -> None:
    with pytest.raises(fs.PlacementError) as caught:
        ScoringTables(fs.Board(rules)).play(0, "8N JOG")
    assert caught.value.status & Status.OFF_BOARD


def test_boards_need_rules_that_fit(rules: Ruleset) -> None:
    with pytest.raises(fs.RulesError, match="no rules beside them"):
        ScoringTables(np.zeros((1, 15, 15), np.uint8))
    with pytest.raises(fs.ShapeError, match=r"\(1, 15, 14\)"):
        ScoringTables(np.zeros((1, 15, 14), np.uint8), rules)
    with pytest.raises(fs.RulesError):
        ScoringTables(fs.Board(rules), fs.load_rules("words-with-friends"))
