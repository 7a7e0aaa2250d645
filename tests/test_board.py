"""Boards: parsing, printing, laying plays, and bringing arrays to one form."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from numpy.typing import NDArray

from fastscore.board import INVALID_TILE, Board, as_boards, boards_with_rules, narrow
from fastscore.errors import NotationError, PlacementError, PositionError, RulesError, ShapeError
from fastscore.placements import Placement
from fastscore.rules.layouts import load_layout
from fastscore.rules.letters import load_distribution
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.status import Status

CLASSIC = load_rules("classic/english")
SPANISH = load_rules("classic/spanish")
BRICKS = Ruleset("bricks", load_layout("punctured15"), load_distribution("english"))
OBLONG = Ruleset("oblong", load_layout("rectangular13x17"), load_distribution("english"))
EMPTY_ROWS = ["." * 15] * 15


def rows_with(row: int, text: str, rules: Ruleset = CLASSIC) -> list[str]:
    rows = ["." * rules.cols] * rules.rows
    rows[row] = text
    return rows


def tiles_of(board: Board) -> dict[tuple[int, int], int]:
    return {(int(row), int(col)): int(board.tiles[row, col]) for row, col in np.argwhere(board.tiles)}


def test_parse_rows() -> None:
    board = Board.parse(rows_with(7, "...Wo?D........"), CLASSIC)
    assert tiles_of(board) == {(7, 3): 23, (7, 4): 15 | 0x80, (7, 5): 0x80, (7, 6): 4}
    assert board == Board.parse(rows_with(7, "   Wo?D        "), CLASSIC)
    assert board.tiles.dtype == np.uint8
    assert board.tiles.shape == (15, 15)
    assert board.to_rows() == rows_with(7, "...Wo?D........")
    assert not board.is_empty
    assert Board.parse(EMPTY_ROWS, CLASSIC).is_empty
    assert Board.parse(EMPTY_ROWS, CLASSIC) == Board(CLASSIC)


def test_parse_text() -> None:
    rows = rows_with(14, "Q.............Z")
    expected = Board.parse(rows, CLASSIC)
    text = "\n".join(rows)
    assert tiles_of(expected) == {(14, 0): 17, (14, 14): 26}
    for other in (text, text + "\n", "\n" + text + "\n    ", "\n\n" + text.replace("\n", "\r\n")):
        assert Board.parse(other, CLASSIC) == expected
    # Fifteen lines of spaces are fifteen empty rows.
    assert Board.parse("\n".join([" " * 15] * 15), CLASSIC) == Board(CLASSIC)


def test_long_names_are_one_square() -> None:
    letters = SPANISH.letters
    c, h, ch = (letters.tiles.index(name) for name in ("C", "H", "CH"))
    board = Board.parse(rows_with(7, "[CH]CH[ch]..........."), SPANISH)
    assert tiles_of(board) == {(7, 0): ch, (7, 1): c, (7, 2): h, (7, 3): ch | 0x80}
    assert Board.parse(board.to_rows(), SPANISH) == board


def test_accents_may_be_characters_of_their_own() -> None:
    polish = load_rules("classic/polish")
    taken_apart = Board.parse(rows_with(0, "Z\u0307A............."), polish)
    assert taken_apart == Board.parse(rows_with(0, "\u017bA............."), polish)
    assert taken_apart.tiles[0, 0] == polish.letters.tiles.index("Ż")


@pytest.mark.parametrize(
    ("row", "text", "column", "part"),
    [
        (2, "...............", None, None),
        (2, "..............", None, "14 squares"),
        (2, "................", None, "16 squares"),
        (2, "...1...........", 4, "1"),
        (2, "_..............", 1, "_"),
        (2, ".[XY]...........", 2, "XY"),
        (2, ".[XY............", 2, "["),
    ],
)
def test_bad_rows_say_where(row: int, text: str, column: int | None, part: str | None) -> None:
    rows = rows_with(row, text)
    if part is None:
        assert Board.parse(rows, CLASSIC).is_empty
        return
    with pytest.raises(PositionError) as caught:
        Board.parse(rows, CLASSIC)
    assert (caught.value.line, caught.value.column) == (row + 1, column)
    assert part in str(caught.value)


def test_bad_number_of_rows() -> None:
    with pytest.raises(PositionError, match="14 rows, expected 15"):
        Board.parse(EMPTY_ROWS[1:], CLASSIC)
    with pytest.raises(PositionError, match="16 rows, expected 15"):
        Board.parse("\n".join(["." * 15] * 16), CLASSIC)


def test_no_tile_on_a_brick() -> None:
    row, col = (int(index) for index in np.argwhere(BRICKS.layout.bricks)[0])
    text = "." * col + "A" + "." * (14 - col)
    with pytest.raises(PositionError, match=r"tile code 1 at .* on a brick") as caught:
        Board.parse(rows_with(row, text), BRICKS)
    assert caught.value.line == row + 1


GRID = np.zeros((15, 15), np.int64)
GRID[7, 3:7] = [23, 15 | 0x80, 0x80, 4]


@pytest.mark.parametrize(
    "tiles",
    [
        GRID,
        GRID.tolist(),
        GRID.astype(np.uint8),
        GRID.astype(">i4"),
        np.asfortranarray(GRID),
        np.repeat(GRID, 2, axis=1)[:, ::2],
        np.frombuffer(GRID.astype(np.uint8).tobytes(), np.uint8).reshape(15, 15),
        GRID.astype(np.uint64),
    ],
)
def test_any_integers_are_taken(tiles: NDArray[np.int64]) -> None:
    assert Board(CLASSIC, tiles) == Board.parse(rows_with(7, "...Wo?D........"), CLASSIC)


@pytest.mark.parametrize("code", [27, 126, 127, 0x80 | 27, 255, 256, 257, -1, 2**40])
def test_codes_that_are_no_tiles(code: int) -> None:
    tiles = np.zeros((15, 15), np.int64)
    tiles[2, 4] = code
    with pytest.raises(PositionError, match="E3 is not of the letter distribution"):
        Board(CLASSIC, tiles)


@pytest.mark.parametrize(
    ("tiles", "part"),
    [
        (np.zeros((15, 14), np.uint8), r"\(15, 14\), expected \(15, 15\)"),
        (np.zeros((1, 15, 15), np.uint8), r"\(1, 15, 15\)"),
        (np.zeros((15, 15)), "float64"),
        ([["A"] * 15] * 15, "expected integers"),
        ([[1, 2], [3]], "no array of integers"),
        ([], r"\(0,\)"),
        (7, r"\(\)"),
    ],
)
def test_bad_arrays(tiles: object, part: str) -> None:
    with pytest.raises(ShapeError, match=part):
        Board(CLASSIC, tiles)  # type: ignore[arg-type]


def test_a_board_does_not_change() -> None:
    source = np.zeros((15, 15), np.uint8)
    board = Board(CLASSIC, source)
    source[0, 0] = 1
    assert board.is_empty
    assert not board.tiles.flags.writeable
    with pytest.raises(AttributeError, match="does not change"):
        board.rules = SPANISH  # type: ignore[misc]
    before = board.tiles.copy()
    after = board.play("8H JOG")
    assert np.array_equal(board.tiles, before)
    assert not after.tiles.flags.writeable


def test_equality() -> None:
    board = Board(CLASSIC).play("8H JOG")
    same = Board.parse(rows_with(7, ".......JOG....."), CLASSIC)
    assert board == same
    assert hash(board) == hash(same)
    assert board != Board(CLASSIC)
    assert board != Board.parse(rows_with(7, ".......JoG....."), CLASSIC)
    assert board != Board(load_rules("wordsmog"), board.tiles)
    assert (board == "board") is False
    copy = pickle.loads(pickle.dumps(board))
    assert copy == board
    assert not copy.tiles.flags.writeable


def test_plays_are_laid() -> None:
    board = Board(CLASSIC).play("8H JOG").play("I7 GORE").play("8h ...s")
    assert tiles_of(board) == {
        (7, 7): 10,
        (7, 8): 15,
        (7, 9): 7,
        (6, 8): 7,
        (8, 8): 18,
        (9, 8): 5,
        (7, 10): 19 | 0x80,
    }
    # A play that is flagged, here because it touches nothing, is laid all the same.
    assert tiles_of(board.play("1A ?T"))[0, 0] == 0x80
    assert board.play(Placement(0, 0, 1, (1, 2))) == board.play("A1 AB")


@pytest.mark.parametrize(
    ("play", "status"),
    [
        ("8H JAGS", Status.THROUGH_DIFFERS | Status.NO_TILE),
        ("8G A....", Status.THROUGH_EMPTY),
        ("8K ABCDEF", Status.OFF_BOARD),
        ("16A AB", Status.BAD_ROW),
        ("P1 AB", Status.BAD_COL),
        ("8H JOG", Status.NO_TILE),
        ("1A ABCDEFGH", Status.TOO_MANY_TILES),
        (Placement(7, 7, 0, (1,)), Status.SQUARE_OCCUPIED),
        (Placement(0, 0, 2, (1,)), Status.BAD_DIRECTION),
        (Placement(0, 0, 0, (27,)), Status.BAD_TILE),
        (Placement(0, 0, 0, (1, 0, 1)), Status.HOLE),
        (Placement(0, 0, 0, (1,), Status.GAP), Status.GAP),
    ],
)
def test_plays_that_cannot_be_laid(play: str | Placement, status: Status) -> None:
    board = Board(CLASSIC).play("8H JOG")
    with pytest.raises(PlacementError, match="cannot be played: ") as caught:
        board.play(play)
    assert caught.value.status == status
    with pytest.raises(NotationError):
        board.play("8H")


def test_some_rules_need_the_letter_of_a_blank() -> None:
    # Literaki's letter squares ask for the value of the letter.
    board = Board(load_rules("literaki"))
    with pytest.raises(PlacementError, match="a blank without a letter, and these rules need the letter") as caught:
        board.play("8H ?T")
    assert caught.value.status == Status.BLANK_NEEDS_LETTER | Status.BLANK_UNDESIGNATED
    assert len(tiles_of(board.play("8H aT"))) == 2


def test_bricks_are_in_the_way() -> None:
    bricks = BRICKS.layout.bricks
    # A brick with a free square before it.
    row, col = (int(index) for index in np.argwhere(bricks[:, 1:] & ~bricks[:, :-1])[0] + (0, 1))
    board = Board(BRICKS)
    with pytest.raises(PlacementError) as caught:
        board.play(Placement(row, col, 0, (1,)))
    assert caught.value.status == Status.SQUARE_BRICK
    with pytest.raises(PlacementError) as caught:
        board.play(Placement(row, col - 1, 0, (1, 2)))
    assert caught.value.status == Status.OVER_BRICK


def test_transposed() -> None:
    board = Board(OBLONG).play(Placement(3, 5, 0, (1, 2, 3)))
    turned = board.transposed()
    assert (board.rows, board.cols) == (OBLONG.rows, OBLONG.cols)
    assert (turned.rows, turned.cols) == (OBLONG.cols, OBLONG.rows)
    assert tiles_of(turned) == {(5, 3): 1, (6, 3): 2, (7, 3): 3}
    assert turned.rules.layout.start == OBLONG.layout.start[::-1]
    assert np.array_equal(turned.rules.layout.word_multiplier, OBLONG.layout.word_multiplier.T)
    assert turned.tiles.flags.c_contiguous
    assert turned.rules.layout.letter_multiplier.flags.c_contiguous
    assert turned.transposed() == board


def test_printed_board() -> None:
    small = dataclasses.replace(
        SPANISH,
        layout=dataclasses.replace(
            SPANISH.layout,
            rows=2,
            cols=3,
            start=(0, 0),
            letter_multiplier=np.ones((2, 3), np.uint8),
            word_multiplier=np.ones((2, 3), np.uint8),
            letter_condition=np.zeros((2, 3), np.uint8),
            bricks=np.array([[0, 0, 0], [0, 0, 1]], bool),
        ),
    )
    board = Board.parse(["A.[ch]", "?.."], small)
    assert str(board) == "   A    B    C\n 1 A    .    [ch]\n 2 ?    .    #"
    assert repr(board) == "<Board classic/spanish 2x3, 3 tiles>"
    assert str(Board(CLASSIC)).splitlines()[10] == "10" + " ." * 15


# --- CGP --------------------------------------------------------------------------------------------------------------

CGP_BOARD = "15/15/15/15/15/15/15/7JOg5/15/15/15/15/15/15/15"


def test_from_cgp() -> None:
    board = Board.from_cgp(f"{CGP_BOARD} ABC/ 22/0 0 lex CSW21; ld english;")
    assert board == Board(CLASSIC).play("8H JOg")
    assert Board.from_cgp(f"{CGP_BOARD} / 0/0 0") == board
    spanish = Board.from_cgp("15/[CH]1CH11" + "/15" * 13 + " / 0/0 0 ld spanish; bdn CrosswordGame;")
    ch, c, h = (SPANISH.letters.tiles.index(name) for name in ("CH", "C", "H"))
    assert spanish.rules == SPANISH
    assert tiles_of(spanish) == {(1, 0): ch, (1, 2): c, (1, 3): h}


@pytest.mark.parametrize(
    ("size", "ops", "rules"),
    [
        (21, "bdn SuperCrosswordGame;", "super/english"),
        (21, "", "super/english"),
        (21, "ld super_catalan;", "super/catalan"),
        (15, "ld polish; bb 50;", "classic/polish"),
        (15, "bdn words_with_friends15; ld words_with_friends_english;", "words-with-friends"),
        (15, "bdn literaki15; ld polish_literaki;", "literaki"),
        (15, "ld hong_kong_english;", "hong-kong"),
    ],
)
def test_cgp_names_its_rules(size: int, ops: str, rules: str) -> None:
    board = Board.from_cgp("/".join([str(size)] * size) + f" / 0/0 0 {ops}")
    assert board.rules == load_rules(rules)


def test_cgp_puts_rules_together() -> None:
    rules = Board.from_cgp(f"{CGP_BOARD} / 0/0 0 bdn crossplay15; bb 35;").rules
    assert rules.layout == load_layout("crossplay15")
    assert rules.letters == load_distribution("english")
    assert [bonus for bonus in enumerate(rules.bingo_bonus) if bonus[1]] == [(7, 35)]
    assert "35" in rules.name


def test_cgp_that_does_not_fit() -> None:
    with pytest.raises(PositionError, match="15 rows and 15 columns, expected 21 and 21"):
        Board.from_cgp(f"{CGP_BOARD} / 0/0 0", load_rules("super/english"))
    with pytest.raises(PositionError, match=r"row 8 of the board: .*Ż"):
        Board.from_cgp(CGP_BOARD.replace("JO", "JŻ") + " / 0/0 0")
    with pytest.raises(PositionError, match="whose layout is not named"):
        Board.from_cgp("3/3 / 0/0 0")
    with pytest.raises(RulesError, match="klingon"):
        Board.from_cgp(f"{CGP_BOARD} / 0/0 0 ld klingon;")
    # Given rules win over the line's.
    assert Board.from_cgp(f"{CGP_BOARD} / 0/0 0 ld klingon;", CLASSIC) == Board(CLASSIC).play("8H JOg")


# --- arrays -----------------------------------------------------------------------------------------------------------


def test_narrow_does_not_copy_what_is_canonical() -> None:
    source = np.arange(12, dtype=np.uint8).reshape(3, 4)
    narrowed = narrow(source, np.uint8, 127, "tiles")
    assert np.shares_memory(narrowed, source)
    assert not narrowed.flags.writeable
    assert source.flags.writeable
    assert narrow(narrowed, np.uint8, 127, "tiles") is narrowed


def unaligned(values: list[int]) -> NDArray[np.int32]:
    buffer = bytearray(4 * len(values) + 1)
    array = np.frombuffer(buffer, np.int32, len(values), 1)
    array[:] = values
    return array


@pytest.mark.parametrize(
    "values",
    [
        [0, 1, 200],
        (0, 1, 200),
        np.array([0, 1, 200], ">i8"),
        np.array([0, 9, 1, 9, 200], np.uint16)[::2],
        unaligned([0, 1, 200]),
        np.array([0, 1, 200], np.uint64),
    ],
)
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint32])
def test_narrow_takes_any_integers(values: list[int], dtype: type[np.uint8]) -> None:
    narrowed = narrow(values, dtype, 0, "values")
    assert narrowed.tolist() == [0, 1, 200]
    assert narrowed.dtype == np.dtype(dtype)
    assert narrowed.flags.c_contiguous
    assert narrowed.flags.aligned
    assert not narrowed.flags.writeable


def test_the_name_of_a_ruleset_is_no_ruleset() -> None:
    name, cells = "classic/english", np.zeros((15, 15), np.uint8)
    calls = [
        lambda: Board(name),  # type: ignore[arg-type]
        lambda: Board.parse("", name),  # type: ignore[arg-type]
        lambda: Board.from_cgp("/".join(["15"] * 15) + " / 0/0 0", name),  # type: ignore[arg-type]
        lambda: boards_with_rules(cells, name),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(RulesError, match=r"expected a Ruleset: fastscore\.load_rules\('classic/english'\)"):
            call()


def test_narrow_checks_before_it_narrows() -> None:
    assert narrow([255, 256, -1, 2**62, -(2**62)], np.uint8, 127, "tiles").tolist() == [255, 127, 127, 127, 127]
    assert narrow(np.array([-128, -1, 5], np.int8), np.uint8, 127, "tiles").tolist() == [127, 127, 5]
    assert narrow([2**31, 2**32 + 3, -5], np.int32, -1, "position").tolist() == [-1, -1, -5]
    assert narrow(np.array([2**63 + 1], np.uint64), np.int32, -1, "position").tolist() == [-1]
    assert narrow([2**70, 7, -(2**70)], np.uint8, 127, "tiles").tolist() == [127, 7, 127]
    assert narrow([-1, 2**63], np.int32, -9, "position").tolist() == [-1, -9]  # a float64 for numpy
    assert narrow([[3], [2**64]], np.uint8, 255, "row").tolist() == [[3], [255]]
    assert narrow(2**70, np.uint8, 127, "row").tolist() == 127
    assert narrow(np.array([True, False]), np.uint8, 127, "direction").tolist() == [1, 0]
    assert narrow([], np.uint8, 127, "tiles").shape == (0,)
    assert narrow(np.array([]), np.uint8, 127, "tiles").dtype == np.uint8


@pytest.mark.parametrize(
    "values",
    [
        [1.0],
        ["1"],
        [None],
        np.zeros(1),
        [2**70, 1.0],
        [[1], [1, 2]],
        [1 + 2j],
        np.zeros(0, [("row", np.uint8)]),
        np.zeros(0, "M8[s]"),
    ],
)
def test_narrow_refuses_what_is_no_integer(values: object) -> None:
    with pytest.raises(ShapeError, match=r"^speed .*integers"):
        narrow(values, np.uint8, 0, "speed")  # type: ignore[arg-type]


def test_boards_of_any_kind() -> None:
    board = Board(CLASSIC).play("8H JOG")
    one, rules = as_boards(board)
    assert rules is CLASSIC
    assert one.shape == (1, 15, 15)
    assert np.shares_memory(one, board.tiles)
    two, rules = as_boards([board, Board(CLASSIC)])
    assert rules is CLASSIC
    assert two.shape == (2, 15, 15)
    assert np.array_equal(two[0], board.tiles)
    assert not two[1].any()
    for array in (board.tiles, board.tiles.tolist(), board.tiles.astype(">i2"), np.asfortranarray(board.tiles)[None]):
        tiles, rules = as_boards(array)
        assert rules is None
        assert np.array_equal(tiles, one)
        assert tiles.flags.c_contiguous
        assert not tiles.flags.writeable
    stack = np.zeros((3, 15, 15), np.uint8)
    assert np.shares_memory(as_boards(stack)[0], stack)
    assert as_boards(np.zeros((0, 15, 15), np.uint8))[0].shape == (0, 15, 15)


def test_codes_of_raw_boards_are_checked_before_they_are_narrowed() -> None:
    tiles = np.zeros((15, 15), np.int64)
    tiles[0, :4] = [256, -1, 255, 300]
    assert as_boards(tiles)[0][0, 0, :4].tolist() == [INVALID_TILE, INVALID_TILE, 255, INVALID_TILE]


@pytest.mark.parametrize(
    ("boards", "part"),
    [
        (np.zeros(15, np.uint8), r"\(15,\)"),
        (np.zeros((1, 1, 15, 15), np.uint8), r"\(1, 1, 15, 15\)"),
        (np.zeros((33, 15), np.uint8), "1 to 32"),
        (np.zeros((2, 15, 0), np.uint8), "1 to 32"),
        (np.zeros((15, 15)), "float64"),
        ([], r"\(0,\)"),
        ([Board(CLASSIC), np.zeros((15, 15), np.uint8)], "1 of 2 boards"),
    ],
)
def test_bad_boards(boards: object, part: str) -> None:
    with pytest.raises(ShapeError, match=part):
        as_boards(boards)  # type: ignore[arg-type]


def test_one_ruleset() -> None:
    with pytest.raises(RulesError, match="board 1 has the rules 'classic/spanish'"):
        as_boards([Board(CLASSIC), Board(SPANISH)])
    with pytest.raises(RulesError, match=r"'classic/english'.*'classic/spanish'"):
        boards_with_rules(Board(CLASSIC), SPANISH)
    with pytest.raises(ShapeError, match=r"\(1, 15, 15\), expected 21 rows"):
        boards_with_rules(np.zeros((15, 15), np.uint8), load_rules("super/english"))
    assert boards_with_rules(Board(CLASSIC), None)[1] is CLASSIC
    assert boards_with_rules(Board(CLASSIC), dataclasses.replace(CLASSIC))[1] == CLASSIC
    assert boards_with_rules(np.zeros((15, 15), np.uint8), CLASSIC)[1] is CLASSIC
    assert boards_with_rules(np.zeros((15, 15), np.uint8), None)[1] is None


def test_unchecked_board() -> None:
    tiles = np.full((15, 15), INVALID_TILE, np.uint8)
    board = Board.unchecked(BRICKS, tiles)
    assert np.array_equal(board.tiles == 0, BRICKS.layout.bricks)
    assert board.tiles[~BRICKS.layout.bricks].tolist() == [INVALID_TILE] * int((~BRICKS.layout.bricks).sum())
