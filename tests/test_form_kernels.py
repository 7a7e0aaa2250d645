"""Word form, compact form and keys: the compiled conversions against walks in plain Python, and on real plays."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fastscore import form_kernels
from fastscore.board import Board
from fastscore.placements import Placement, PlacementBatch, WordForm
from fastscore.rules.layouts import BoardLayout
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.status import UNSCORABLE, Status

CLASSIC = load_rules("classic/english")
DATA = Path(__file__).parent / "data" / "legal_plays.npz"
FIELDS = WordForm._fields
ROWS, COLS, BOARDS = 6, 9, 3

COMPILED = hasattr(form_kernels.pack_keys, "signatures")
needs_jit = pytest.mark.skipif(not COMPILED, reason="takes minutes where kernels are not compiled")


def real_plays() -> dict[str, NDArray[np.int32]]:
    with np.load(DATA) as file:
        return {name: file[name] for name in file.files}


def small_rules(bricks: NDArray[np.bool_]) -> Ruleset:
    plain = np.ones((ROWS, COLS), np.uint8)
    layout = BoardLayout("small", ROWS, COLS, (2, 3), plain, plain, np.zeros((ROWS, COLS), np.uint8), bricks)
    return Ruleset("small", layout, CLASSIC.letters)


def test_numbers_are_those_of_the_status() -> None:
    named = [name for name in dir(form_kernels) if name in Status.__members__]
    assert len(named) == 10
    for name in named:
        assert getattr(form_kernels, name) == Status[name], name
    assert form_kernels.UNSCORABLE == UNSCORABLE


# --- real plays -------------------------------------------------------------------------------------------------------


def check_round_trip(plays: dict[str, NDArray[np.int32]]) -> None:
    form = {name: plays[name] for name in FIELDS}
    batch = PlacementBatch.from_word_form(plays["boards"], **form)
    assert batch.tiles.shape == (len(form["row"]), 7)
    assert not batch.status.any()
    # The tiles of a compact row are those of its word form that are not play-through, in order and without a gap.
    laid = (form["tiles"] != 0).sum(axis=1)
    assert np.array_equal((batch.tiles != 0).sum(axis=1), laid)
    assert np.array_equal(batch.tiles != 0, np.arange(7) < laid[:, None])
    assert np.array_equal(batch.tiles[batch.tiles != 0], form["tiles"][form["tiles"] != 0])
    # The square is that of the first of them.
    ahead = (form["tiles"] != 0).argmax(axis=1)
    down = form["direction"] == 1
    assert np.array_equal(batch.row, form["row"] + ahead * down)
    assert np.array_equal(batch.col, form["col"] + ahead * ~down)
    back = batch.to_word_form(plays["boards"])
    for name in FIELDS:
        assert np.array_equal(getattr(back, name), form[name]), name


def test_real_plays_round_trip() -> None:
    plays = real_plays()
    some = slice(None, None, 400)
    check_round_trip({name: plays[name] if name == "boards" else plays[name][some] for name in ("boards", *FIELDS)})


@needs_jit
def test_all_real_plays_round_trip() -> None:
    plays = real_plays()
    assert len(plays["row"]) == 456_193
    check_round_trip(plays)


@needs_jit
def test_keys_of_all_real_plays_differ() -> None:
    plays = real_plays()
    batch = PlacementBatch.from_word_form(plays["boards"], **{name: plays[name] for name in FIELDS})
    keys = batch.keys(plays["boards"])
    assert keys.dtype == np.uint64
    assert len(np.unique(keys)) == len(batch)
    assert len(np.unique(batch.keys(plays["boards"], wide=True))) == len(batch)


def test_letters_written_out() -> None:
    plays = real_plays()
    form = {name: plays[name][::900] for name in FIELDS}
    dotted = PlacementBatch.from_word_form(plays["boards"], **form)
    # The letters of the board in place of the zeros, half of them with the blank bit turned over.
    rng = np.random.default_rng(3)
    tiles = form["tiles"].copy()
    for index, (position, row, col, direction, length) in enumerate(
        zip(*(form[name].tolist() for name in FIELDS[:5]), strict=True)
    ):
        board = plays["boards"][position]
        lane = board[row:, col] if direction else board[row, col:]
        through = lane[:length] != 0
        tiles[index, :length][through] = lane[:length][through] ^ (0x80 * rng.integers(0, 2, through.sum()))
    written = PlacementBatch.from_word_form(plays["boards"], **{**form, "tiles": tiles})
    assert np.array_equal(written.tiles, dotted.tiles)
    assert not written.status.any()
    assert np.array_equal(written.keys(plays["boards"]), dotted.keys(plays["boards"]))


# --- hostile rows -----------------------------------------------------------------------------------------------------


def hostile_boards(rng: np.random.Generator, bricks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Crowded boards; a few tiles lie on bricks, and a few codes are no tiles."""
    boards = rng.integers(1, 5, (BOARDS, ROWS, COLS)) * (rng.random((BOARDS, ROWS, COLS)) < 0.4)
    boards |= (0x80 * (rng.random(boards.shape) < 0.2)) * (boards != 0)
    boards[rng.random(boards.shape) < 0.02] = 127
    return boards.astype(np.uint8)


def hostile_word_forms(
    rng: np.random.Generator, boards: NDArray[np.uint8], n: int, width: int
) -> dict[str, NDArray[np.int64]]:
    """Word forms of which most nearly fit their boards."""
    form = {
        "position": rng.integers(0, BOARDS, n),
        "row": rng.integers(0, ROWS, n),
        "col": rng.integers(0, COLS, n),
        "direction": rng.integers(0, 2, n),
        "length": rng.integers(1, min(width, 9) + 1, n),
        "tiles": np.zeros((n, width), np.int64),
    }
    for name, low, high in (
        ("position", -2, BOARDS + 2),
        ("row", -1, 300),
        ("col", -1, 300),
        ("direction", -1, 4),
        ("length", -1, width + 3),
    ):
        spoilt = rng.random(n) < 0.03
        form[name][spoilt] = rng.integers(low, high, spoilt.sum())
    for index in range(n):
        position, row, col, direction = (int(form[name][index]) for name in ("position", "row", "col", "direction"))
        for step in range(width):
            r, c = (row + step, col) if direction == 1 else (row, col + step)
            inside = 0 <= position < BOARDS and 0 <= r < ROWS and 0 <= c < COLS
            there = int(boards[position, r, c]) if inside else 0
            luck = rng.random()
            if luck < (0.6 if there else 0.04):
                tile = 0
            elif there and luck < 0.9:
                tile = there ^ (0x80 if luck < 0.7 and there & 0x7F else 0)
            else:
                tile = int(rng.integers(0, 256)) if luck > 0.95 else int(rng.integers(1, 5))
            form["tiles"][index, step] = tile
    return form


def walked(
    boards: NDArray[np.uint8],
    bricks: NDArray[np.bool_],
    position: int,
    at: tuple[int, int],
    direction: int,
    word: list[int],
) -> tuple[tuple[int, int], list[int], Status]:
    """The compact form of one row whose fields are in range: square, fresh tiles, status."""
    step = (direction, 1 - direction)

    def lies(square: tuple[int, int]) -> int | None:
        """The tile on a square, 0 = none, None = no square to lie on."""
        row, col = square
        if not (0 <= row < ROWS and 0 <= col < COLS) or bricks[square]:
            return None
        return int(boards[position, row, col])

    square, fresh, first = at, [], None
    for tile in word:
        there = lies(square)
        if there is None:
            inside = square[0] < ROWS and square[1] < COLS
            return first or at, fresh, Status.OVER_BRICK if inside else Status.OFF_BOARD
        if there == 0 and tile == 0:
            return first or at, fresh, Status.THROUGH_EMPTY
        if there == 0:
            first = first or square
            fresh.append(tile)
        elif tile != 0 and tile % 128 != there % 128:
            return first or at, fresh, Status.THROUGH_DIFFERS
        square = (square[0] + step[0], square[1] + step[1])
    before = (at[0] - step[0], at[1] - step[1])
    return first or at, fresh, Status.NOT_MAXIMAL if lies(before) or lies(square) else Status.GOOD


NO_BRICKS = np.zeros((ROWS, COLS), np.bool_)
SOME_BRICKS = np.zeros((ROWS, COLS), np.bool_)
SOME_BRICKS[[0, 1, 4, 5, 2], [3, 8, 4, 0, 6]] = True


@pytest.mark.parametrize("width", [1, 5, 8, 12])
@pytest.mark.parametrize("bricks", [NO_BRICKS, SOME_BRICKS], ids=["plain", "bricks"])
def test_hostile_word_forms(width: int, bricks: NDArray[np.bool_]) -> None:
    rng = np.random.default_rng(width)
    boards = hostile_boards(rng, bricks)
    form = hostile_word_forms(rng, boards, 1500, width)
    batch = PlacementBatch.from_word_form(boards, **form, rules=small_rules(bricks))
    seen: Counter[Status] = Counter()
    for index in range(len(batch)):
        position, row, col, direction, length = (int(form[name][index]) for name in FIELDS[:5])
        tiles = form["tiles"][index].tolist()
        expected = Status.GOOD
        if not 0 <= position < BOARDS:
            expected |= Status.BAD_POSITION
        if direction not in (0, 1):
            expected |= Status.BAD_DIRECTION
        if not 0 <= row < ROWS:
            expected |= Status.BAD_ROW
        if not 0 <= col < COLS:
            expected |= Status.BAD_COL
        if not 1 <= length <= width:
            expected |= Status.BAD_LENGTH
        if expected:
            fresh = [tile for tile in tiles[: max(length, 0)] if tile != 0]
            # What does not fit 8 bits is kept as a number that no board has.
            square = (row if 0 <= row < 256 else 255, col if 0 <= col < 256 else 255)
        else:
            square, fresh, expected = walked(boards, bricks, position, (row, col), direction, tiles[:length])
        found = batch[index]
        assert (found.row, found.col) == square, index
        assert list(found.tiles) == fresh, index
        assert found.status == expected, index
        assert batch.position[index] == max(position, -1) if position >= 0 else batch.position[index] < 0
        assert found.direction == (direction if direction >= 0 else 255)
        for flag in Status:
            seen[flag] += bool(expected & flag)
        seen[Status.GOOD] += expected == Status.GOOD
    expected_kinds = {
        Status.GOOD,
        Status.BAD_POSITION,
        Status.BAD_DIRECTION,
        Status.BAD_ROW,
        Status.BAD_COL,
        Status.BAD_LENGTH,
        Status.THROUGH_DIFFERS,
        Status.THROUGH_EMPTY,
        Status.NOT_MAXIMAL,
    }
    if width > 1:
        expected_kinds.add(Status.OFF_BOARD)
    if bricks.any():
        expected_kinds.add(Status.OVER_BRICK)
    assert {flag for flag, count in seen.items() if count} == expected_kinds


def test_lengths_beyond_the_board_and_the_rack() -> None:
    empty = np.zeros((15, 15), np.uint8)
    word = np.arange(1, 16)[None]
    batch = PlacementBatch.from_word_form(empty, row=[7], col=[0], direction=0, length=[15], tiles=word)
    assert batch.tiles.tolist() == word.tolist()
    assert batch.status.tolist() == [0]
    # Of a row one longer than the lane all tiles that have a square are kept.
    batch = PlacementBatch.from_word_form(empty, row=[7], col=[1], direction=0, length=[15], tiles=word)
    assert batch.tiles.tolist() == word[:, :14].tolist()
    assert batch.status.tolist() == [Status.OFF_BOARD]
    nine = PlacementBatch.from_word_form(empty, row=[7], col=[0], direction=1, length=[8], tiles=word)
    assert nine.tiles.tolist() == word[:, :8].tolist()
    assert nine.status.tolist() == [0]


def test_codes_beyond_the_length_are_not_looked_at() -> None:
    empty = np.zeros((15, 15), np.uint8)
    batch = PlacementBatch.from_word_form(
        empty, row=[7, 7], col=[7, 7], direction=[0, 1], length=[2, 2], tiles=[[1, 2, 3, 0, 0, 0, 0, 9]] * 2
    )
    assert batch.tiles[:, :3].tolist() == [[1, 2, 0]] * 2
    assert batch.status.tolist() == [0, 0]


def test_width_follows_the_rack() -> None:
    hong_kong = load_rules("hong-kong")
    form = {"row": [7], "col": [7], "direction": 0, "length": [2], "tiles": [[1, 2]]}
    assert PlacementBatch.from_word_form(Board(hong_kong), **form).tiles.shape == (1, 9)
    assert PlacementBatch.from_word_form(Board(CLASSIC), **form).tiles.shape == (1, 7)
    assert PlacementBatch.from_word_form(np.zeros((15, 15), np.uint8), **form).tiles.shape == (1, 7)


# --- compact form -> word form ----------------------------------------------------------------------------------------


def word_form_of(
    boards: NDArray[np.uint8], bricks: NDArray[np.bool_], position: int, play: Placement
) -> tuple[int, int, int, list[int]] | None:
    """Square, direction and tiles of the word form in plain Python, None for what cannot be laid."""
    if play.status & UNSCORABLE or not 0 <= position < BOARDS or play.direction not in (0, 1):
        return None
    if not (0 <= play.row < ROWS and 0 <= play.col < COLS) or not play.tiles or 0 in play.tiles:
        return None
    tiles = {
        (row, col): int(boards[position, row, col])
        for row in range(ROWS)
        for col in range(COLS)
        if boards[position, row, col] and not bricks[row, col]
    }

    def run(square: tuple[int, int], direction: int, taken: set[tuple[int, int]]) -> list[tuple[int, int]]:
        down, right = direction, 1 - direction
        while (square[0] - down, square[1] - right) in taken:
            square = (square[0] - down, square[1] - right)
        squares = []
        while square in taken:
            squares.append(square)
            square = (square[0] + down, square[1] + right)
        return squares

    square = (play.row, play.col)
    if square in tiles or bricks[square]:
        return None
    fresh: dict[tuple[int, int], int] = {}
    for tile in play.tiles:
        while square in tiles:
            square = (square[0] + play.direction, square[1] + 1 - play.direction)
        if not (square[0] < ROWS and square[1] < COLS) or bricks[square]:
            return None
        fresh[square] = tile
        square = (square[0] + play.direction, square[1] + 1 - play.direction)
    taken = {*tiles, *fresh}
    direction = play.direction
    word = run((play.row, play.col), direction, taken)
    if len(word) == 1 and len(run((play.row, play.col), 1 - direction, taken)) > 1:
        direction = 1 - direction
        word = run((play.row, play.col), direction, taken)
    return *word[0], direction, [fresh.get(square, 0) for square in word]


def hostile_batch(rng: np.random.Generator, n: int, width: int) -> PlacementBatch:
    tiles = np.zeros((n, width), np.int64)
    for index in range(n):
        count = min(width, int(rng.integers(1, 5)))
        tiles[index, :count] = rng.integers(1, 5, count) | (0x80 * rng.integers(0, 2, count))
    tiles[rng.random(tiles.shape) < 0.02] = 0
    tiles[rng.random(tiles.shape) < 0.01] = 255
    fields = {
        "position": rng.integers(0, BOARDS, n),
        "row": rng.integers(0, ROWS, n),
        "col": rng.integers(0, COLS, n),
        "direction": rng.integers(0, 2, n),
        "status": np.zeros(n, np.int64),
    }
    for name, low, high in (("position", -2, 5), ("row", 0, 300), ("col", 0, 300), ("direction", 0, 5)):
        spoilt = rng.random(n) < 0.03
        fields[name][spoilt] = rng.integers(low, high, spoilt.sum())
    fields["status"][rng.random(n) < 0.03] = Status.GAP
    fields["status"][rng.random(n) < 0.03] = Status.NOT_MAXIMAL
    return PlacementBatch(tiles=tiles, **fields)


@pytest.mark.parametrize("bricks", [NO_BRICKS, SOME_BRICKS], ids=["plain", "bricks"])
def test_hostile_placements_to_word_form(bricks: NDArray[np.bool_]) -> None:
    rng = np.random.default_rng(11)
    rules = small_rules(bricks)
    boards = hostile_boards(rng, bricks)
    batch = hostile_batch(rng, 3000, 6)
    form = batch.to_word_form(boards, rules=rules)
    assert form.tiles.shape == (3000, COLS)
    assert form.position is batch.position
    laid = turned = 0
    for index, play in enumerate(batch):
        expected = word_form_of(boards, bricks, int(batch.position[index]), play)
        found = (int(form.row[index]), int(form.col[index]), int(form.direction[index]))
        length = int(form.length[index])
        assert not form.tiles[index, length:].any()
        if expected is None:
            assert length == 0, index
            assert found == (play.row, play.col, play.direction), index
        else:
            assert (*found, form.tiles[index, :length].tolist()) == expected, index
            laid += 1
            turned += expected[2] != play.direction
    assert laid > 500
    assert turned > 20
    # And back: the plays that could be laid are the same plays.
    back = PlacementBatch.from_word_form(boards, **form._asdict(), rules=rules)
    fits = form.length > 0
    assert np.array_equal(
        back.keys(boards, rules=rules, wide=True)[fits], batch.keys(boards, rules=rules, wide=True)[fits]
    )
    assert not back.status[fits].any()
    assert np.all(back.status[~fits] & Status.BAD_LENGTH)


# --- keys -------------------------------------------------------------------------------------------------------------


def test_layout_of_a_key() -> None:
    board = Board(CLASSIC)
    batch = PlacementBatch(position=[0, 3], row=[7, 31], col=[4, 2], direction=[0, 1], tiles=[[1, 0x82], [26, 31]])
    # Tiles in steps of 6 bits (32 = blank), direction at bit 42, row * 32 + col at 43, position at 53.
    first = 1 | (32 + 2) << 6 | (7 * 32 + 4) << 43
    second = 26 | 31 << 6 | 1 << 42 | (31 * 32 + 2) << 43 | 3 << 53
    keys = batch.keys(board)
    assert keys.dtype == np.uint64
    assert keys.tolist() == [first, second]
    assert batch[0].key(board) == first


def test_every_bit_of_a_key_counts() -> None:
    full = PlacementBatch(position=[2047], row=[31], col=[31], direction=[1], tiles=[[0x80 | 31] * 7])
    assert full.keys(Board(CLASSIC)).tolist() == [2**64 - 1]


def test_one_tile_plays_have_one_key() -> None:
    # X makes AX and EX: 9F .X and G8 .X are one play, and its canonical direction is across.
    board = Board(CLASSIC).play("8F HEY").play("F8 HAZE")
    both = PlacementBatch.parse(["9F .X", "G8 .X"], board)
    assert both.direction.tolist() == [0, 1]
    keys = both.keys(board)
    assert keys[0] == keys[1]
    across = both.keys(board, wide=True)
    assert across[0] == across[1]
    assert (int(keys[0]) >> 42) & 1 == 0
    # A word in one direction only, or none: that of the word, or down.
    ha = Board(CLASSIC).play("8G HA")
    for texts, direction in ((["8G ..T", "I8 T"], 0), (["G7 A.", "7G A"], 1), (["1A A", "A1 A"], 1)):
        batch = PlacementBatch.parse(texts, ha, errors="status")
        keys = batch.keys(ha)
        assert keys[0] == keys[1]
        assert (int(keys[0]) >> 42) & 1 == direction
        assert [batch[0].key(ha), batch[1].key(ha)] == keys.tolist()
    # On an occupied square nothing can be played, in neither direction.
    for placement in (Placement(7, 6, 0, (1,)), Placement(7, 6, 1, (1,))):
        key = int(PlacementBatch.from_placements([placement]).keys(ha)[0])
        assert key >> 42 & 1 == placement.direction
        assert placement.key(ha) == key
    # Two tiles differ by their direction.
    two = PlacementBatch.parse(["1A AT", "A1 AT"], ha).keys(ha)
    assert two[0] != two[1]


@pytest.mark.parametrize(
    "fields",
    [
        {"position": 2048},
        {"position": -1},
        {"row": [32]},
        {"col": [255]},
        {"direction": 2},
        {"tiles": [[32]]},
        {"tiles": [[0x80 | 32]]},
        {"tiles": [[1, 2, 3, 4, 5, 6, 7, 8]]},
    ],
)
def test_what_does_not_fit_has_a_wide_key(fields: dict[str, object]) -> None:
    board = Board(CLASSIC)
    usual = {"position": 0, "row": [1], "col": [2], "direction": 0, "tiles": [[1, 2]]}
    batch = PlacementBatch(**{**usual, **fields})  # type: ignore[arg-type]
    keys = batch.keys(board)
    assert keys.dtype == "S22"
    assert keys[0] == PlacementBatch(**{**usual, **fields}).keys(board, wide=True)[0]  # type: ignore[arg-type]
    assert keys[0] != PlacementBatch(**usual).keys(board, wide=True)[0]  # type: ignore[arg-type]
    if "position" not in fields:
        assert batch[0].key(board) == keys[0]


def test_wide_keys_do_not_depend_on_the_width_of_the_batch() -> None:
    board = Board(CLASSIC)
    narrow = PlacementBatch(row=[1], col=[2], direction=0, tiles=[[1, 2]]).keys(board, wide=True)
    wide = PlacementBatch(row=[1], col=[2], direction=0, tiles=[[1, 2] + [0] * 20]).keys(board, wide=True)
    assert narrow.tolist() == wide.tolist()
    # Position (4 bytes), row, col, direction, tiles; numpy takes the zeros at the end away.
    assert narrow.tolist() == [bytes([0, 0, 0, 0, 1, 2, 0, 1, 2])]
    long = PlacementBatch(row=[1], col=[2], direction=0, tiles=[[1] * 20]).keys(board)
    assert long.tolist() == [bytes([0, 0, 0, 0, 1, 2, 0] + [1] * 20)]


def test_empty_batches() -> None:
    board = Board(CLASSIC)
    batch = PlacementBatch(row=[], col=[], direction=[], tiles=[])
    assert batch.keys(board).shape == (0,)
    assert batch.keys(board, wide=True).shape == (0,)
    form = batch.to_word_form(board)
    assert form.tiles.shape == (0, 15)
    assert len(PlacementBatch.from_word_form(board, **form._asdict())) == 0
    none = np.zeros((0, 15, 15), np.uint8)
    lost = PlacementBatch.from_word_form(none, row=[7], col=[7], direction=0, length=[1], tiles=[[1] * 8])
    assert lost.status.tolist() == [Status.BAD_POSITION]


@needs_jit
def test_one_compiled_version_whatever_the_arrays() -> None:
    board = np.zeros((15, 15), np.uint8)
    usual = {"row": [7], "col": [7], "direction": 0, "length": [2], "tiles": [[1, 2]]}
    PlacementBatch.from_word_form(board, **usual)
    PlacementBatch.from_word_form(board, **usual, rules=CLASSIC).keys(Board(CLASSIC))
    PlacementBatch.from_word_form(Board(CLASSIC), **usual).to_word_form([Board(CLASSIC)] * 2)
    turned = Board(CLASSIC).transposed()
    for convert in (np.asfortranarray, lambda array: np.array(array, ">i8"), lambda array: np.array(array, np.uint8)):
        arrays = {name: convert(value) if name != "direction" else value for name, value in usual.items()}
        batch = PlacementBatch.from_word_form(turned, **arrays)
        batch.keys(turned)
        batch.to_word_form(turned)
    for kernel in (
        form_kernels.compact_from_word_form,
        form_kernels.word_form_from_compact,
        form_kernels.pack_keys,
    ):
        assert len(kernel.signatures) == 1  # type: ignore[attr-defined]
