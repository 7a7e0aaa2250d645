"""Placement and PlacementBatch: fields, arrays of any kind, texts in and out."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fastscore.board import Board
from fastscore.errors import NotationError, PlacementError, RulesError, ShapeError
from fastscore.placements import Placement, PlacementBatch, Style
from fastscore.rules.ruleset import load_rules
from fastscore.status import UNSCORABLE, Status

CLASSIC = load_rules("classic/english")
SPANISH = load_rules("classic/spanish")
EMPTY = Board(CLASSIC)
PQ = EMPTY.play("D8 PE").play("I8 QUA")
STYLES: tuple[Style, ...] = ("dots", "parentheses", "full", "compact")
NAMES = ("position", "row", "col", "direction", "tiles", "status")


def columns(batch: PlacementBatch) -> dict[str, list[int]]:
    return {name: getattr(batch, name).tolist() for name in NAMES}


# --- one placement ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("style", "text"),
    [("dots", "8D .WORD."), ("parentheses", "8D (P)WORD(Q)"), ("full", "8D PWORDQ"), ("compact", "8E WORD")],
)
def test_styles(style: Style, text: str) -> None:
    placement = Placement(7, 4, 0, (23, 15, 18, 4))
    assert placement.format(PQ, style) == text
    expected = dataclasses.replace(placement, status=Status.NOT_MAXIMAL) if style == "compact" else placement
    assert Placement.parse(text, PQ) == expected
    assert Placement.parse(text, PQ).key(PQ) == placement.key(PQ)


def test_formats_of_particular_plays() -> None:
    spanish = Board.parse(["." * 15] * 7 + ["C[ch].?" + "." * 11] + ["." * 15] * 7, SPANISH)
    h, ch = (SPANISH.letters.tiles.index(name) for name in ("H", "CH"))
    play = Placement(7, 2, 0, (h, ch | 0x80))
    assert play.format(spanish) == "8A ..H.[ch]"
    assert play.format(spanish, "parentheses") == "8A (C[ch])H(?)[ch]"
    assert play.format(spanish, "compact") == "8C H.[ch]"
    for style in STYLES:
        assert Placement.parse(play.format(spanish, style), spanish).tiles == play.tiles
    # Written out, C before H must not become CH.
    beside = Board.parse(["C" + "." * 14] + ["." * 15] * 14, SPANISH)
    assert Placement.parse(Placement(0, 1, 0, (h,)).format(beside, "full"), beside) == Placement(0, 1, 0, (h,))
    # A lone tile that forms a word only in the other direction is written in that one.
    assert Placement(7, 9, 1, (5,)).format(EMPTY.play("8G FOR"), "full") == "8G FORE"
    assert Placement(7, 9, 1, (5,)).format(EMPTY.play("8G FOR")) == "8G ...E"
    assert Placement(7, 9, 1, (5,)).format(EMPTY) == "J8 E"
    assert Placement(7, 9, 0, (5,)).format(EMPTY) == "8J E"
    assert Placement(7, 9, 0, (0x80, 0x81)).format(EMPTY) == "8J ?a"
    with pytest.raises(NotationError, match="'dashes' is no style of a play, expected one of dots"):
        Placement(7, 9, 0, (5,)).format(EMPTY, "dashes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("placement", "text"),
    [
        (Placement(7, 3, 0, (1, 2)), "8D AB"),
        (Placement(14, 14, 1, (1, 2)), "O15 AB"),
        (Placement(200, 3, 0, (1, 2)), "201D AB"),
        (Placement(7, 4, 0, (1, 0, 2)), "8E A_B"),
        (Placement(7, 4, 0, (1, 127, 300)), "8E A[#127][#300]"),
        (Placement(7, 4, 0, ()), "8E (no tile)"),
        (Placement(7, 4, 0, (1,), Status.GAP), "8E A"),
        (Placement(-1, 4, 0, (1,)), "(row -1, column 4, direction 0) A"),
        (Placement(0, 10**9, 0, (1,)), "(row 0, column 1000000000, direction 0) A"),
        (Placement(0, 0, 5, (1,)), "(row 0, column 0, direction 5) A"),
    ],
)
def test_formats_of_what_cannot_be_laid(placement: Placement, text: str) -> None:
    assert [placement.format(PQ, style) for style in STYLES] == [text] * 4


whole = st.one_of(st.integers(-2, 20), st.integers(-(2**70), 2**70))


@settings(deadline=None)  # the first example waits for the compiler
@given(
    st.builds(
        Placement,
        whole,
        whole,
        st.one_of(st.integers(0, 1), whole),
        st.lists(st.one_of(st.integers(0, 30), whole), max_size=9).map(tuple),
        st.sampled_from([Status.GOOD, Status.GOOD, *Status]),
    ),
    st.sampled_from(STYLES),
)
def test_anything_can_be_written_and_has_a_key(placement: Placement, style: Style) -> None:
    text = placement.format(PQ, style)
    assert text.isprintable()
    if not placement.status & UNSCORABLE and placement.squares(PQ) and "[#" not in text:
        back = Placement.parse(text, PQ)
        assert back.key(PQ) == placement.key(PQ)
    key = placement.key(PQ)
    keys = PlacementBatch.from_placements([placement]).keys(PQ, wide=isinstance(key, bytes))
    assert keys.tolist() == [key]


def test_raw_boards_with_codes_that_are_no_tiles() -> None:
    tiles = np.zeros((15, 15), np.int64)
    tiles[7, 3] = 90
    batch = PlacementBatch.parse(["8D .AT", "1A AT"], tiles, rules=CLASSIC)
    assert batch.texts(tiles, CLASSIC) == ["8D .AT", "1A AT"]
    # There is no letter to write for the tile that lies there.
    assert batch.texts(tiles, CLASSIC, "full") == ["8E AT", "1A AT"]


# --- arrays -----------------------------------------------------------------------------------------------------------

FIELDS = {
    "position": [0, 1, 0],
    "row": [7, 0, 14],
    "col": [4, 3, 0],
    "direction": [0, 1, 1],
    "tiles": [[23, 15, 0x92, 4], [1, 0, 0, 0], [0x80, 2, 0, 0]],
    "status": [0, int(Status.NOT_MAXIMAL), 0],
}
KINDS = {
    "position": np.int32,
    "row": np.uint8,
    "col": np.uint8,
    "direction": np.uint8,
    "tiles": np.uint8,
    "status": np.uint32,
}


def read_only(array: NDArray[np.int64]) -> NDArray[np.int64]:
    array.flags.writeable = False
    return array


def strided(array: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.repeat(array, 2, axis=-1)[..., ::2]


@pytest.mark.parametrize(
    "convert",
    [
        lambda values: values,
        tuple,
        np.array,
        lambda values: np.array(values, ">i4"),
        lambda values: np.array(values, np.int32),
        lambda values: np.array(values, np.uint64),
        lambda values: np.asfortranarray(values),
        lambda values: read_only(np.array(values)),
        lambda values: strided(np.array(values)),
        lambda values: np.array(values)[::-1][::-1],
    ],
)
def test_any_integers_are_taken(convert: object) -> None:
    batch = PlacementBatch(**{name: convert(values) for name, values in FIELDS.items()})  # type: ignore[operator]
    assert columns(batch) == FIELDS
    for name, kind in KINDS.items():
        array = getattr(batch, name)
        assert array.dtype == kind
        assert array.flags.c_contiguous
        assert not array.flags.writeable
    assert len(batch) == 3
    assert repr(batch) == "<PlacementBatch of 3, 4 tiles wide>"


def test_integers_of_any_size_are_taken() -> None:
    batch = PlacementBatch(
        position=2**70, row=[2**70, 7, 7], col=[7, -(2**65), 7], direction=0, tiles=[[1], [1], [2**64]]
    )
    assert batch.position.tolist() == [-1] * 3
    assert (batch.row.tolist(), batch.col.tolist()) == ([255, 7, 7], [7, 255, 7])
    assert batch.tiles.tolist() == [[1], [1], [127]]


@pytest.mark.parametrize("width", [7, 8])
def test_canonical_arrays_are_not_copied(width: int) -> None:
    source = {name: np.zeros(5, kind) for name, kind in KINDS.items() if name != "tiles"}
    source["tiles"] = np.ones((5, width), np.uint8)
    batch = PlacementBatch(**source)
    for name, array in source.items():
        assert np.shares_memory(getattr(batch, name), array), name
        assert array.flags.writeable, name
    assert np.shares_memory(batch[1:3].tiles, source["tiles"])


def test_bools_are_directions() -> None:
    batch = PlacementBatch(row=[1, 2], col=[1, 2], direction=np.array([True, False]), tiles=[[1], [2]])
    assert batch.direction.tolist() == [1, 0]


def test_one_number_for_all() -> None:
    batch = PlacementBatch(position=3, row=[1, 2], col=[1, 2], direction=np.int64(1), tiles=[[1], [2]], status=2)
    assert columns(batch) == {
        "position": [3, 3],
        "row": [1, 2],
        "col": [1, 2],
        "direction": [1, 1],
        "tiles": [[1], [2]],
        "status": [2, 2],
    }
    assert PlacementBatch(row=[1], col=[1], direction=0, tiles=[[1]]).position.tolist() == [0]


def test_numbers_are_checked_before_they_are_narrowed() -> None:
    big = [256, -1, 2**40]
    batch = PlacementBatch(
        position=[2**31, -(2**31) - 1, 2**40],
        row=big,
        col=big,
        direction=big,
        tiles=[[number, 1] for number in big],
        status=[2**32, -1, 2**31],
    )
    assert columns(batch) == {
        "position": [-1, -1, -1],
        "row": [255, 255, 255],
        "col": [255, 255, 255],
        "direction": [255, 255, 255],
        "tiles": [[127, 1], [127, 1], [127, 1]],
        "status": [Status.UNREADABLE, Status.UNREADABLE, 2**31],
    }


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"row": [1, 2]}, r"row of shape \(2,\), expected \(3,\)"),
        ({"row": 1}, r"row of shape \(\), expected \(3,\)"),
        ({"position": [0]}, r"position of shape \(1,\), expected \(3,\) or one number"),
        ({"direction": [[0], [1], [1]]}, r"direction of shape \(3, 1\)"),
        ({"tiles": [1, 2, 3]}, r"tiles of shape \(3,\), expected \[placements, width\]"),
        ({"tiles": np.zeros((3, 1, 7), np.uint8)}, r"tiles of shape \(3, 1, 7\)"),
        ({"tiles": [[1], [1, 2], [3]]}, "tiles is no array of integers"),
        ({"tiles": np.zeros((3, 7))}, r"tiles of shape \(3, 7\) holds float64"),
        ({"col": ["1", "2", "3"]}, r"col of shape \(3,\) holds <U1"),
        ({"position": 0.0}, "position of shape .* holds float64"),
        ({"status": [None] * 3}, "status of shape .* holds object"),
    ],
)
def test_arrays_that_do_not_fit(fields: dict[str, object], part: str) -> None:
    with pytest.raises(ShapeError, match=part):
        PlacementBatch(**{**FIELDS, **fields})  # type: ignore[arg-type]


def test_empty_batches() -> None:
    for tiles in ([], np.zeros((0, 7), np.uint8)):
        batch = PlacementBatch(row=[], col=[], direction=[], tiles=tiles)
        assert len(batch) == 0
        assert batch.tiles.shape == (0, 7)
        assert list(batch) == []
        assert batch.texts(EMPTY) == []
    assert len(PlacementBatch.parse([], EMPTY)) == 0
    assert len(PlacementBatch.from_placements([])) == 0
    # Rows without any place for a tile have no tile.
    assert PlacementBatch(row=[1], col=[1], direction=0, tiles=np.zeros((1, 0), np.uint8)).tiles.tolist() == [[0]]


def test_indexing() -> None:
    batch = PlacementBatch(**FIELDS)
    assert batch[0] == Placement(7, 4, 0, (23, 15, 0x92, 4))
    assert batch[1] == Placement(0, 3, 1, (1,), Status.NOT_MAXIMAL)
    assert batch[-1] == batch[np.int64(2)] == Placement(14, 0, 1, (0x80, 2))
    assert type(batch[0].row) is int
    assert list(batch) == [batch[0], batch[1], batch[2]]
    for index in (slice(1, None), [1, 2], np.array([1, 2]), np.array([False, True, True])):
        assert columns(batch[index]) == {name: values[1:] for name, values in FIELDS.items()}
    assert columns(batch[::-1])["row"] == [14, 0, 7]
    with pytest.raises(IndexError):
        batch[3]


def test_from_placements() -> None:
    placements = [
        Placement(7, 4, 0, (1, 2)),
        Placement(300, -1, 9, (1, -5, 256), Status.GAP),
        Placement(0, 0, 1, (1,) * 9),
        Placement(0, 0, 1, (1, 0, 0)),
    ]
    batch = PlacementBatch.from_placements(placements, position=[0, 1, 2, 3])
    assert batch.tiles.shape == (4, 9)
    assert batch.position.tolist() == [0, 1, 2, 3]
    assert batch[0] == placements[0]
    assert batch[1] == Placement(255, 255, 9, (1, 127, 127), Status.GAP)
    assert batch[2] == placements[2]
    assert batch[3] == Placement(0, 0, 1, (1,))
    assert PlacementBatch.from_placements(iter(placements[:1]), 5).position.tolist() == [5]
    assert PlacementBatch.from_placements(placements[:1]).tiles.shape == (1, 7)


def test_pickle() -> None:
    batch = pickle.loads(pickle.dumps(PlacementBatch(**FIELDS)))
    assert columns(batch) == FIELDS
    assert not batch.tiles.flags.writeable


# --- texts ------------------------------------------------------------------------------------------------------------


def test_parse_on_several_boards() -> None:
    boards = [PQ, EMPTY]
    texts = ["8D .WORD.", "8D WORD", "8d (p)WORDq"]
    for given_boards, rules in ((boards, None), (np.stack([board.tiles for board in boards]), CLASSIC)):
        batch = PlacementBatch.parse(texts, given_boards, position=[0, 1, 0], rules=rules)
        assert batch.col.tolist() == [4, 3, 4]
        assert batch.tiles.tolist() == [[23, 15, 18, 4, 0, 0, 0]] * 3
        assert not batch.status.any()
        assert batch.texts(given_boards, rules) == ["8D .WORD.", "8D WORD", "8D .WORD."]
        assert batch.texts(given_boards, rules, "full") == ["8D PWORDQ", "8D WORD", "8D PWORDQ"]
    assert PlacementBatch.parse("8D WORD", EMPTY).tiles.shape == (1, 7)
    assert PlacementBatch.parse(["H8 AT"], EMPTY, lettered_rows=True).direction.tolist() == [0]


def test_nothing_is_cut_off() -> None:
    assert PlacementBatch.parse(["1A AAAAAAAAA"], EMPTY).tiles.tolist() == [[1] * 9]
    assert PlacementBatch.parse(["8H AT"], Board(load_rules("hong-kong"))).tiles.shape == (1, 9)


BAD_TEXTS = ["8D .WORD.", "nothing", "8D XWORD", "16A AT", "8D ()", "-ABC", "8E WORD"]


def test_errors_as_status() -> None:
    batch = PlacementBatch.parse([*BAD_TEXTS, None], PQ, errors="status")  # type: ignore[list-item]
    assert batch.status.tolist() == [
        0,
        Status.UNREADABLE,
        Status.THROUGH_DIFFERS,
        0,
        Status.UNREADABLE,
        Status.UNREADABLE,
        Status.NOT_MAXIMAL,
        Status.UNREADABLE,
    ]
    unreadable = batch[batch.status == Status.UNREADABLE]
    for name in NAMES[:-1]:
        assert not getattr(unreadable, name).any()
    assert (batch.row[3], batch.col[3]) == (15, 0)


@pytest.mark.parametrize(
    ("index", "error", "part"),
    [
        (1, NotationError, "text 2: 'nothing' is no play"),
        (2, PlacementError, "text 2: '8D XWORD' has no score: a letter differs from the tile on the board"),
        (4, NotationError, r"text 2: no tile in '\(\)'"),
        (5, NotationError, "text 2: '-ABC' is a turn of kind exchange"),
    ],
)
def test_errors_raised(index: int, error: type[Exception], part: str) -> None:
    with pytest.raises(error, match=part) as caught:
        PlacementBatch.parse(["8D .WORD.", "8E WORD", BAD_TEXTS[index]], PQ)
    if isinstance(caught.value, PlacementError):
        assert caught.value.status == Status.THROUGH_DIFFERS


def test_columns_of_errors_survive() -> None:
    with pytest.raises(NotationError) as caught:
        PlacementBatch.parse(["8D W1RD"], EMPTY)
    assert caught.value.column == 5


def test_positions_without_a_board() -> None:
    texts = ["8D W(O)R.D", "8D AT", "8D AT"]
    batch = PlacementBatch.parse(texts, [EMPTY], position=[1, -1, 0], errors="status")
    assert batch.status.tolist() == [Status.BAD_POSITION, Status.BAD_POSITION, 0]
    assert batch[0].tiles == (23, 18, 4)
    assert batch.texts([EMPTY]) == ["8D WRD", "8D AT", "8D AT"]
    with pytest.raises(PlacementError, match="text 0"):
        PlacementBatch.parse(texts, [EMPTY], position=[1, -1, 0])


def test_arguments_that_do_not_fit() -> None:
    tiles = np.zeros((15, 15), np.uint8)
    with pytest.raises(RulesError, match="give rules="):
        PlacementBatch.parse(["8D AT"], tiles)
    with pytest.raises(RulesError, match="were given beside them"):
        PlacementBatch.parse(["8D AT"], EMPTY, rules=SPANISH)
    with pytest.raises(ShapeError, match=r"position of shape \(2,\), expected \(1,\)"):
        PlacementBatch.parse(["8D AT"], EMPTY, position=[0, 0])
    with pytest.raises(NotationError, match="errors='ignore', expected 'raise' or 'status'"):
        PlacementBatch.parse(["8D AT"], EMPTY, errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="length of shape"):
        PlacementBatch.from_word_form(EMPTY, row=[1], col=[1], direction=0, length=1, tiles=[[1]])


def test_texts_round_trip_on_random_boards() -> None:
    rng = np.random.default_rng(5)
    texts = []
    board = EMPTY.play("8D WORD").play("E5 MED.CRE").play("10C ST.IES")
    for _ in range(600):
        row, col, direction = int(rng.integers(15)), int(rng.integers(15)), int(rng.integers(2))
        tiles = rng.integers(1, 27, rng.integers(1, 8)) | 0x80 * (rng.random() < 0.2)
        play = Placement(row, col, direction, tuple(tiles.tolist()))
        if not play.squares(board):
            continue
        for style in STYLES:
            text = play.format(board, style)
            back = Placement.parse(text, board)
            assert back.key(board) == play.key(board), text
            assert not back.status & ~Status.NOT_MAXIMAL
            if style != "compact":
                assert back.status == Status.GOOD, text
        texts.append(play.format(board))
    assert len(texts) > 300
    assert PlacementBatch.parse(texts, board).texts(board) == texts


def test_numba_is_loaded_only_for_conversions_of_arrays() -> None:
    code = (
        "import sys\n"
        "from fastscore.placements import Placement, PlacementBatch\n"
        "from fastscore.board import Board\n"
        "from fastscore.rules.ruleset import load_rules\n"
        "board = Board(load_rules('classic/english')).play('8H AT')\n"
        "batch = PlacementBatch.parse(['8H ..E'], board)\n"
        "batch.texts(board), batch[0].key(board), Placement.from_squares({'8J': 'E'}, board)\n"
        "assert 'numba' not in sys.modules, 'numba was loaded'\n"
        "batch.keys(board)\n"
        "assert 'numba' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
