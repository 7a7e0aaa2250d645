"""The batch functions: real plays, every kind of input, bad input; values by hand come from the rules."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastscore as fs
from fastscore.rules.ruleset import Ruleset
from fastscore.status import Status

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
LEGAL = Path(__file__).parent / "data" / "legal_plays.npz"
# Without compilation all plays would take half an hour; every 150th keeps all positions.
EVERY = 1 if COMPILED else 150


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    return fs.load_rules("classic/english")


@pytest.fixture(scope="module")
def plays() -> dict[str, np.ndarray]:
    with np.load(LEGAL) as file:
        loaded = {name: file[name] for name in file.files}
    return {
        name: array if name in ("boards", "racks") else np.ascontiguousarray(array[::EVERY])
        for name, array in loaded.items()
    }


@pytest.fixture(scope="module")
def batch(plays: dict[str, np.ndarray], rules: Ruleset) -> fs.PlacementBatch:
    fields = {name: plays[name] for name in ("position", "row", "col", "direction", "length", "tiles")}
    return fs.PlacementBatch.from_word_form(plays["boards"], rules, **fields)


def test_every_legal_play_has_its_score(plays: dict[str, np.ndarray], batch: fs.PlacementBatch, rules: Ruleset) -> None:
    assert len(batch) == (456_193 if COMPILED else len(plays["score"]))
    assert np.array_equal(fs.score_batch(plays["boards"], batch, rules), plays["score"])


def test_every_legal_play_is_good_with_its_rack(
    plays: dict[str, np.ndarray], batch: fs.PlacementBatch, rules: Ruleset
) -> None:
    assert not fs.check_batch(plays["boards"], batch, rules, racks=plays["racks"]).any()


def test_order_of_the_batch_does_not_matter(
    plays: dict[str, np.ndarray], batch: fs.PlacementBatch, rules: Ruleset
) -> None:
    shuffle = np.random.default_rng(3).permutation(len(batch))
    assert np.array_equal(fs.score_batch(plays["boards"], batch[shuffle], rules), plays["score"][shuffle])


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_gives_the_same(
    plays: dict[str, np.ndarray], batch: fs.PlacementBatch, rules: Ruleset, threads: int
) -> None:
    shuffle = np.random.default_rng(4).permutation(len(batch))
    for order in (slice(None), shuffle):
        scores = fs.score_batch(plays["boards"], batch[order], rules, threads=threads)
        assert np.array_equal(scores, plays["score"][order])
    parts = fs.score_batch(plays["boards"], batch, rules, parts=True, threads=threads)
    assert np.array_equal(parts.score, plays["score"])


def test_parts_add_up(plays: dict[str, np.ndarray], batch: fs.PlacementBatch, rules: Ruleset) -> None:
    parts = fs.score_batch(plays["boards"], batch, rules, parts=True)
    assert np.array_equal(parts.score, plays["score"])
    assert np.array_equal(parts.main + parts.cross + parts.bonus, parts.score)
    seven = np.count_nonzero(batch.tiles, axis=1) == 7
    assert seven.any()
    assert np.array_equal(parts.bonus, np.where(seven, 50, 0))


@pytest.mark.parametrize("width", [5, 7, 8, 9, 15, 20])
def test_any_width_of_the_rows_of_tiles(
    plays: dict[str, np.ndarray], batch: fs.PlacementBatch, rules: Ruleset, width: int
) -> None:
    fits = np.count_nonzero(batch.tiles, axis=1) <= width
    tiles = np.zeros((len(batch), max(width, 7)), np.uint8)
    tiles[:, :7] = batch.tiles[:, :7]
    some = fs.PlacementBatch(
        position=batch.position[fits],
        row=batch.row[fits],
        col=batch.col[fits],
        direction=batch.direction[fits],
        tiles=tiles[fits][:, :width],
    )
    assert np.array_equal(fs.score_batch(plays["boards"], some, rules), plays["score"][fits])


# Boards and values by hand: facts of the rules (premiums, crosses, bonus), worked out in the comments.
BY_HAND = [
    # (8 + 1 + 2) x 2 [H8 double word]
    ("", "8H JOG", 22),
    # G 2 x 2 [I7 double letter] + O 1 + R 1 x 2 [I9 double letter] + E 1
    ("8H JOG", "I7 G.RE", 8),
    # 25 with F7 QUIZ, 8F UVAE, I7 JEU: 11 + (3 + 22) + 50
    ("F7 QUIZ/8F .VAE/I7 J.U", "6A TOELESS", 86),
    # C on the double letter D8: 6 + 1 + 1 + 1 + 1 + 1 = 11, x 2 [H8]
    ("", "8D CASTLE", 22),
    # the premium at D8 is spent: 3 + 1 + 1
    ("8D CASTLE", "D8 .AR", 5),
    # AX 17 + EX 17, and the same written downwards
    ("8F HEY/F8 .AZE", "9F .X", 34),
    ("8F HEY/F8 .AZE", "G8 .X", 34),
]


@pytest.mark.parametrize(("earlier", "play", "score"), BY_HAND)
@pytest.mark.parametrize("copies", [1, 40])
def test_by_hand(rules: Ruleset, earlier: str, play: str, score: int, copies: int) -> None:
    """Forty copies go through the tables, one through the walk."""
    board = fs.Board(rules)
    for text in filter(None, earlier.split("/")):
        board = board.play(text)
    batch = fs.PlacementBatch.parse([play] * copies, board)
    assert fs.score_batch(board, batch).tolist() == [score] * copies
    assert fs.score(board, play) == score
    assert not fs.check_batch(board, batch).any()


def test_the_record_of_three_triple_words(rules: Ruleset) -> None:
    """54 x 27 = 1458, crosses 63 + 12 + 25 + 63 + 17 + 27 + 63 = 270, bonus 50: 1778, which is 242 in eight bits."""
    downward = {"A": "PACIFYING", "C": "ELKS", "D": "REInTERVIEWED", "H": "RAINWASHING", "K": "MELIORATIVE"}
    downward |= {"L": "ARFS", "O": "JACULATING"}
    grid = [["."] * 15 for _ in range(15)]
    for column, letter in zip("BEFGIJMN", "XHENUTON", strict=True):
        grid[0][ord(column) - 65] = letter
    for column, word in downward.items():
        for row, letter in enumerate(word, start=1):
            grid[row][ord(column) - 65] = letter
    board = fs.Board.parse(["".join(row) for row in grid], rules)
    for copies in (1, 40):
        batch = fs.PlacementBatch.parse(["1A O.YP...B..AZ..E"] * copies, board)
        assert fs.score_batch(board, batch).tolist() == [1778] * copies
    parts = fs.score_batch(board, batch, parts=True)
    assert (parts.main[0], parts.cross[0], parts.bonus[0]) == (1458, 270, 50)


def forms(array: np.ndarray) -> dict[str, Any]:
    """One array in every form that callers hold it in."""
    read_only = array.copy()
    read_only.flags.writeable = False
    strided = np.repeat(array, 2, axis=0)[::2]
    assert not strided.flags.c_contiguous
    return {
        "list": array.tolist(),
        "int64": array.astype(np.int64),
        "big-endian": array.astype(array.dtype.newbyteorder(">")).astype(">i4"),
        "fortran": np.asfortranarray(array),
        "read-only": read_only,
        "strided": strided,
        "reversed": array[::-1].copy()[::-1],
    }


@pytest.mark.parametrize("form", ["list", "int64", "big-endian", "fortran", "read-only", "strided", "reversed"])
def test_every_form_of_array(plays: dict[str, np.ndarray], batch: fs.PlacementBatch, rules: Ruleset, form: str) -> None:
    some = slice(0, 3000)
    boards = plays["boards"][:8]
    keep = batch.position[some] < 8
    fields = {
        name: forms(np.ascontiguousarray(getattr(batch, name)[some][keep]))[form]
        for name in ("position", "row", "col", "direction", "tiles")
    }
    other = fs.PlacementBatch(**fields)
    before = len(rule_arrays_signatures())
    assert np.array_equal(fs.score_batch(forms(boards)[form], other, rules), plays["score"][some][keep])
    assert not fs.check_batch(forms(boards)[form], other, rules).any()
    assert len(rule_arrays_signatures()) == max(before, 1) or not COMPILED


def rule_arrays_signatures() -> list[Any]:
    """Compiled versions of the main kernel: their number must not grow with the forms of the input."""
    from fastscore import kernels

    return list(getattr(kernels.score_rows, "signatures", []))


@pytest.mark.parametrize("empty", [[], np.zeros((0, 7), np.uint8), np.zeros((0, 7))])
def test_empty_batches(rules: Ruleset, empty: Any) -> None:
    batch = fs.PlacementBatch(position=[], row=[], col=[], direction=[], tiles=empty)
    scores = fs.score_batch(fs.Board(rules), batch)
    assert scores.dtype == np.int32
    assert scores.shape == (0,)
    assert fs.check_batch(fs.Board(rules), batch).shape == (0,)
    assert fs.score_batch(np.zeros((0, 15, 15), np.uint8), batch, rules).shape == (0,)


def hostile(**changes: Any) -> fs.PlacementBatch:
    """Forty times 8H AB with something changed."""
    fields: dict[str, Any] = {"position": 0, "row": 7, "col": 7, "direction": 0, "tiles": [1, 2, 0, 0, 0, 0, 0]}
    fields |= changes
    return fs.PlacementBatch(
        position=np.full(40, fields["position"]),
        row=np.full(40, fields["row"]),
        col=np.full(40, fields["col"]),
        direction=np.full(40, fields["direction"]),
        tiles=np.tile(fields["tiles"], (40, 1)),
    )


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, Status.GOOD),
        ({"position": -1}, Status.BAD_POSITION),
        ({"position": 2}, Status.BAD_POSITION),
        ({"position": 2**40}, Status.BAD_POSITION),
        ({"row": 15}, Status.BAD_ROW),
        ({"row": -1}, Status.BAD_ROW),
        ({"row": 256 + 7}, Status.BAD_ROW),
        ({"col": 15}, Status.BAD_COL),
        ({"col": 31}, Status.BAD_COL),
        ({"col": 2**33}, Status.BAD_COL),
        ({"direction": 2}, Status.BAD_DIRECTION),
        ({"direction": 256}, Status.BAD_DIRECTION),
        ({"tiles": [27, 2, 0, 0, 0, 0, 0]}, Status.BAD_TILE),
        ({"tiles": [1, 0x80 + 27, 0, 0, 0, 0, 0]}, Status.BAD_TILE),
        ({"tiles": [256, 2, 0, 0, 0, 0, 0]}, Status.BAD_TILE),
        ({"tiles": [1, -1, 0, 0, 0, 0, 0]}, Status.BAD_TILE),
        ({"tiles": [0, 1, 2, 0, 0, 0, 0]}, Status.HOLE),
        ({"tiles": [0, 0, 0, 0, 0, 0, 0]}, Status.NO_TILE),
        ({"tiles": [1] * 8}, Status.TOO_MANY_TILES),
        ({"tiles": [1] * 12, "col": 2}, Status.TOO_MANY_TILES),
        ({"col": 14}, Status.OFF_BOARD | Status.GOOD),
        ({"col": 14, "direction": 1, "row": 14}, Status.OFF_BOARD),
        ({"row": 99, "col": 99, "direction": 9}, Status.BAD_ROW | Status.BAD_COL | Status.BAD_DIRECTION),
    ],
)
def test_out_of_range_fields_give_a_status_and_no_score(
    rules: Ruleset, changes: dict[str, Any], status: Status
) -> None:
    boards = np.zeros((2, 15, 15), np.uint8)
    batch = hostile(**changes)
    found = fs.check_batch(boards, batch, rules)
    assert set(found.tolist()) == {int(status)}
    scores = fs.score_batch(boards, batch, rules)
    # A 1 + B 3, doubled by the start square
    assert set(scores.tolist()) == {8 if status == Status.GOOD else 0}
    good = hostile()
    mixed = fs.PlacementBatch(
        position=np.concatenate([batch.position, good.position]),
        row=np.concatenate([batch.row, good.row]),
        col=np.concatenate([batch.col, good.col]),
        direction=np.concatenate([batch.direction, good.direction]),
        tiles=np.concatenate([np.pad(x.tiles, ((0, 0), (0, 12 - x.tiles.shape[1]))) for x in (batch, good)]),
    )
    shuffle = np.random.default_rng(1).permutation(80)
    assert np.array_equal(
        fs.score_batch(boards, mixed[shuffle], rules), np.concatenate([scores, np.full(40, 8)])[shuffle]
    )


@pytest.mark.parametrize("code", [27, 100, 127, 0x80 + 27, 255, 300])
@pytest.mark.parametrize("copies", [1, 40])
def test_a_board_with_a_bad_code_spoils_only_words_through_it(rules: Ruleset, code: int, copies: int) -> None:
    boards = np.zeros((1, 15, 15), np.int64)
    boards[0, 7, 7] = 1  # A at H8
    boards[0, 0, 0] = code
    good = [[20, 0, 0, 0, 0, 0, 0]]
    rows = fs.PlacementBatch(
        row=[7, 1, 0] * copies, col=[6, 0, 1] * copies, direction=[0, 1, 0] * copies, tiles=good * (3 * copies)
    )
    status = fs.check_batch(boards, rows, rules).tolist()
    assert status == [0, int(Status.BAD_BOARD), int(Status.BAD_BOARD)] * copies
    # TA at 8G: 1 + 1
    assert fs.score_batch(boards, rows, rules).tolist() == [2, 0, 0] * copies


def test_a_brick_is_a_wall_whatever_an_array_says() -> None:
    layout = fs.load_rules("classic/english").layout
    bricks = np.zeros((15, 15), bool)
    bricks[7, 8] = True
    rules = replace(fs.load_rules("classic/english"), layout=replace(layout, bricks=bricks))
    boards = np.zeros((1, 15, 15), np.uint8)
    boards[0, 7, 8] = 26  # a Z on the brick at I8
    rows = fs.PlacementBatch(row=[7] * 40, col=[6] * 40, direction=[0] * 40, tiles=[[1, 1, 0, 0, 0, 0, 0]] * 40)
    # AA at 8G-8H, doubled by H8; the brick ends the word
    assert set(fs.score_batch(boards, rows, rules).tolist()) == {4}
    longer = fs.PlacementBatch(row=[7] * 40, col=[6] * 40, direction=[0] * 40, tiles=[[1, 1, 1, 0, 0, 0, 0]] * 40)
    assert set(fs.check_batch(boards, longer, rules).tolist()) == {int(Status.OVER_BRICK)}
    assert set(fs.score_batch(boards, longer, rules).tolist()) == {0}


def test_status_of_the_conversion_counts(rules: Ruleset) -> None:
    board = fs.Board(rules).play("8H JOG")
    batch = fs.PlacementBatch.parse(["9H A", "8H JAG", "nonsense", "I7 G.RE"] * 20, board, errors="status")
    found = fs.check_batch(board, batch)
    assert found[1] & Status.THROUGH_DIFFERS
    assert found[2] & Status.UNREADABLE
    assert found[3] == 0
    scores = fs.score_batch(board, batch).tolist()
    assert scores[1::4] == [0] * 20
    assert scores[2::4] == [0] * 20
    assert scores[3::4] == [8] * 20


def test_out_takes_the_scores(rules: Ruleset) -> None:
    out = np.full(40, -1, np.int32)
    assert fs.score_batch(fs.Board(rules), hostile(), out=out) is out
    assert set(out.tolist()) == {8}


@pytest.mark.parametrize(
    "out",
    [
        np.zeros(39, np.int32),
        np.zeros(40, np.int64),
        np.zeros(80, np.int32)[::2],
        np.zeros((40, 1), np.int32),
        [0] * 40,
    ],
)
def test_out_of_another_kind_is_refused(rules: Ruleset, out: Any) -> None:
    with pytest.raises(fs.ShapeError, match=r"out is .*expected a writable, contiguous int32 array of shape \(40,\)"):
        fs.score_batch(fs.Board(rules), hostile(), out=out)


def test_read_only_out_is_refused(rules: Ruleset) -> None:
    out = np.zeros(40, np.int32)
    out.flags.writeable = False
    with pytest.raises(fs.ShapeError, match="writable"):
        fs.score_batch(fs.Board(rules), hostile(), out=out)


def test_out_over_the_inputs_is_refused(rules: Ruleset) -> None:
    memory = np.zeros((40, 8), np.uint8)
    memory[:, :2] = 1, 2
    fields = {"row": [7] * 40, "col": [7] * 40, "direction": 0}
    batch = fs.PlacementBatch(tiles=memory, **fields)
    out = memory.view(np.int32).reshape(-1)[:40]
    with pytest.raises(fs.ShapeError, match="shares memory"):
        fs.score_batch(fs.Board(rules), batch, out=out)
    with pytest.raises(fs.ShapeError, match="shares memory"):
        fs.score_word_form(fs.Board(rules), tiles=memory, length=[2] * 40, out=out, **fields)


def test_boards_of_another_shape_are_refused(rules: Ruleset) -> None:
    with pytest.raises(fs.ShapeError, match=r"\(1, 15, 14\)"):
        fs.score_batch(np.zeros((1, 15, 14), np.uint8), hostile(), rules)


def test_arrays_need_rules() -> None:
    with pytest.raises(fs.RulesError, match="no rules"):
        fs.score_batch(np.zeros((1, 15, 15), np.uint8), hostile())


def test_other_rules_than_the_board_s_are_refused(rules: Ruleset) -> None:
    with pytest.raises(fs.RulesError, match="classic/english"):
        fs.score_batch(fs.Board(rules), hostile(), fs.load_rules("words-with-friends"))


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_are_counted_from_one(rules: Ruleset, threads: int) -> None:
    with pytest.raises(fs.ShapeError, match="threads"):
        fs.score_batch(fs.Board(rules), hostile(), threads=threads)


def test_racks_as_text_and_counts(rules: Ruleset) -> None:
    batch = hostile()
    for racks, status in (
        ("AB", 0),
        ("BA?", 0),
        ("A?", Status.NOT_ON_RACK),
        (rules.letters.rack("AAB"), 0),
        ([rules.letters.rack("AC")], Status.NOT_ON_RACK),
    ):
        assert set(fs.check_batch(fs.Board(rules), batch, racks=racks).tolist()) == {int(status)}


def test_racks_of_another_shape_are_refused(rules: Ruleset) -> None:
    with pytest.raises(fs.ShapeError, match="racks of shape"):
        fs.check_batch(fs.Board(rules), hostile(), racks=np.zeros((3, 27), np.uint8))


def test_results_do_not_depend_on_what_was_scored_before(rules: Ruleset) -> None:
    """A play of seven tiles, good or bad, leaves nothing behind."""
    board = fs.Board(rules)
    seven = fs.PlacementBatch.parse(["8D ABCDEFG"] * 30 + ["1A ABCDEFG"] * 30, board)
    two = fs.PlacementBatch.parse(["8H AB"] * 30, board)
    alone = fs.score_batch(board, two)
    fs.score_batch(board, seven)
    assert np.array_equal(fs.score_batch(board, two), alone)
    assert set(alone.tolist()) == {8}


def test_a_bonus_for_one_tile_needs_a_word() -> None:
    rules = replace(fs.load_rules("classic/english"), bingo_bonus=(0, 5, *[0] * 14))
    board = fs.Board(rules).play("8G AT")
    batch = fs.PlacementBatch.parse(["8I E", "1A E"] * 20, board)
    # ATE 1 + 1 + 1 and the bonus of 5; a lone tile is no word and earns nothing
    assert fs.score_batch(board, batch).tolist() == [8, 0] * 20
    assert fs.check_batch(board, batch)[1] == Status.NOT_CONNECTED | Status.NO_WORD
