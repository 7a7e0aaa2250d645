"""What is written against what lies there: play texts and maps of squares become compact placements."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from fastscore.board import Board
from fastscore.coordinates import Direction
from fastscore.errors import NotationError
from fastscore.placements import Placement
from fastscore.rules.ruleset import load_rules
from fastscore.status import Status

CLASSIC = load_rules("classic/english")
ACROSS, DOWN = Direction.ACROSS, Direction.DOWN
A, E, F, N, O, R, S, T, W, X = (CLASSIC.letters.tiles.index(letter) for letter in "AEFNORSTWX")  # noqa: E741
D = CLASSIC.letters.tiles.index("D")


def board_of(*plays: str) -> Board:
    board = Board(CLASSIC)
    for play in plays:
        board = board.play(play)
    return board


# Row 8: P at D8, Q at I8, and nothing between them.
PQ = board_of("D8 PE", "I8 QUA")
FOR = board_of("8G FOR")
BRICKED = Board(
    dataclasses.replace(
        CLASSIC,
        layout=dataclasses.replace(CLASSIC.layout, bricks=np.arange(225).reshape(15, 15) == 7 * 15 + 10),
    )
).play("8G FOR")
"""FOR with a brick at K8, one square after J8."""


def test_four_spellings_of_one_play() -> None:
    # The run is PWORDQ; E8 is row 7, column 4.
    maximal = Placement(7, 4, ACROSS, (W, O, R, D))
    for text in ("8D .WORD.", "8D PWORDQ", "8D (P)WORD(Q)", "8d .WORDQ", "8D pWORD(q)"):
        assert Placement.parse(text, PQ) == maximal
    for text in ("8E WORD", "8D .WORD", "8E WORD."):
        assert Placement.parse(text, PQ) == dataclasses.replace(maximal, status=Status.NOT_MAXIMAL)


@pytest.mark.parametrize(
    ("board", "text", "placement"),
    [
        # Play-through at the start, in the middle, at the end, in both directions.
        (Board(CLASSIC), "8H AT", (7, 7, ACROSS, (A, T))),
        (board_of("8G HA"), "8G ..T", (7, 8, ACROSS, (T,))),
        (board_of("8G HA"), "8G HAT", (7, 8, ACROSS, (T,))),
        (board_of("8G HA"), "I8 T", (7, 8, DOWN, (T,))),
        (FOR, "8G ...E", (7, 9, ACROSS, (E,))),
        (FOR, "J8 E", (7, 9, DOWN, (E,))),
        (FOR, "8F (FOR)E", (7, 5, ACROSS, (), Status.THROUGH_EMPTY)),
        (board_of("8F FAZE"), "8F ....S", (7, 9, ACROSS, (S,))),
        (board_of("8H JOG"), "I7 T.E", (6, 8, DOWN, (T, E))),
        (board_of("N8 E", "O8 D", "K9 X"), "8K WOR..", (7, 10, ACROSS, (W, O, R))),
        (board_of("A1 ?"), "1A .A", (0, 1, ACROSS, (A,))),
        (board_of("A1 ?"), "1A (?)A", (0, 1, ACROSS, (A,))),
        (board_of("A1 f"), "1A FA", (0, 1, ACROSS, (A,))),
        (Board(CLASSIC), "15N aT", (14, 13, ACROSS, (A | 0x80, T))),
        # What contradicts the board ends the walk; the tiles before it are kept.
        (FOR, "8F AFAR", (7, 5, ACROSS, (A,), Status.THROUGH_DIFFERS)),
        (FOR, "8F A(FAR)", (7, 5, ACROSS, (A,), Status.THROUGH_DIFFERS)),
        (FOR, "8F A?", (7, 5, ACROSS, (A,), Status.THROUGH_DIFFERS)),
        (board_of("A1 ?"), "1A AA", (0, 0, ACROSS, (), Status.THROUGH_DIFFERS)),
        (FOR, "8G ...E.", (7, 9, ACROSS, (E,), Status.THROUGH_EMPTY)),
        (FOR, "8E W.", (7, 4, ACROSS, (W,), Status.THROUGH_EMPTY)),
        (FOR, "8E W(O)", (7, 4, ACROSS, (W,), Status.THROUGH_EMPTY)),
        (Board(CLASSIC), "15N ATE", (14, 13, ACROSS, (A, T), Status.OFF_BOARD)),
        (Board(CLASSIC), "O14 ATE", (13, 14, DOWN, (A, T), Status.OFF_BOARD)),
        (Board(CLASSIC), "15N AT.", (14, 13, ACROSS, (A, T), Status.OFF_BOARD)),
        (BRICKED, "8G ...EST", (7, 9, ACROSS, (E,), Status.OVER_BRICK)),
        (BRICKED, "8G ...E.", (7, 9, ACROSS, (E,), Status.OVER_BRICK)),
        (BRICKED, "K8 AT", (7, 10, DOWN, (), Status.OVER_BRICK)),
        (BRICKED, "8G ...E", (7, 9, ACROSS, (E,))),
        # No fresh tile: the square stays the written one.
        (FOR, "8G FOR", (7, 6, ACROSS, ())),
        (FOR, "8H .", (7, 7, ACROSS, (), Status.NOT_MAXIMAL)),
        # First squares off the board are for the checker; markers say nothing there.
        (FOR, "16A AT", (15, 0, ACROSS, (A, T))),
        (FOR, "Z9 A.T(E)", (8, 25, DOWN, (A, T))),
        (FOR, "99ZZ A", (98, 255, ACROSS, (A,))),
        # Nothing is cut off.
        (Board(CLASSIC), "1A AAAAAAAAA", (0, 0, ACROSS, (A,) * 9)),
    ],
)
def test_texts(board: Board, text: str, placement: tuple[int, int, int, tuple[int, ...], Status]) -> None:
    assert Placement.parse(text, board) == Placement(*placement)


def test_texts_that_cannot_be_read() -> None:
    for text in ("8D", "8D W1", "pass", "-AB"):
        with pytest.raises(NotationError):
            Placement.parse(text, PQ)


@pytest.mark.parametrize(
    ("board", "squares", "placement"),
    [
        (Board(CLASSIC), {"8H": "A", "8I": "T"}, (7, 7, ACROSS, (A, T))),
        (Board(CLASSIC), {"I8": "T", "8H": "a"}, (7, 7, ACROSS, (A | 0x80, T))),
        (Board(CLASSIC), {(7, 7): A, (8, 7): "T"}, (7, 7, DOWN, (A, T))),
        # A lone tile goes across if it forms a word across, or both ways, else down.
        (board_of("8G HA"), {"I8": "T"}, (7, 8, ACROSS, (T,))),
        (board_of("G8 HA"), {"G10": "T"}, (9, 6, DOWN, (T,))),
        (board_of("8F HEY", "F8 HAZE"), {"9G": "X"}, (8, 6, ACROSS, (X,))),
        (Board(CLASSIC), {"8H": "A"}, (7, 7, DOWN, (A,))),
        # Through the tiles that lie there.
        (FOR, {"F8": "A", "8J": "T"}, (7, 5, ACROSS, (A, T))),
        (FOR, {"H7": "N", "H9": "T"}, (6, 7, DOWN, (N, T))),
        # Not one play.
        (FOR, {"1A": "A", "2B": "T"}, (0, 0, ACROSS, (A, T), Status.NOT_IN_LINE)),
        (FOR, {"1A": "A", "1B": "T", "2A": "E"}, (0, 0, ACROSS, (A, T, E), Status.NOT_IN_LINE)),
        (FOR, {"2A": "A", "1B": "T"}, (0, 1, ACROSS, (T, A), Status.NOT_IN_LINE)),
        (FOR, {"1A": "A", "1C": "T"}, (0, 0, ACROSS, (A, T), Status.GAP)),
        (FOR, {"A1": "A", "A3": "T"}, (0, 0, DOWN, (A, T), Status.GAP)),
        (FOR, {"8E": "A", "8J": "T"}, (7, 4, ACROSS, (A, T), Status.GAP)),
        (FOR, {"8G": "F", "8J": "E"}, (7, 6, ACROSS, (F, E), Status.SQUARE_OCCUPIED)),
        (FOR, {"1A": "A", "8G": "F"}, (0, 0, ACROSS, (A, F), Status.NOT_IN_LINE | Status.SQUARE_OCCUPIED)),
        (BRICKED, {"8J": "E", "8K": "A"}, (7, 9, ACROSS, (E, A), Status.SQUARE_BRICK)),
        (BRICKED, {"8J": "E", "8L": "A"}, (7, 9, ACROSS, (E, A), Status.OVER_BRICK)),
        (BRICKED, {"8J": "E", "8M": "A"}, (7, 9, ACROSS, (E, A), Status.OVER_BRICK | Status.GAP)),
        (FOR, {"15O": "A", "16O": "T"}, (14, 14, DOWN, (A, T), Status.BAD_ROW)),
        (FOR, {"15O": "A", "15P": "T"}, (14, 14, ACROSS, (A, T), Status.BAD_COL)),
        (FOR, {(-1, 0): "A", (0, -1): "T"}, (-1, 0, ACROSS, (A, T), Status.NOT_IN_LINE | Status(0x18))),
        (FOR, {}, (0, 0, ACROSS, ())),
    ],
)
def test_maps_of_squares(
    board: Board,
    squares: dict[str, str | int],
    placement: tuple[int, int, int, tuple[int, ...], Status],
) -> None:
    assert Placement.from_squares(squares, board) == Placement(*placement)


def test_maps_that_cannot_be_read() -> None:
    with pytest.raises(NotationError, match="the square 'H8' is named twice"):
        Placement.from_squares({"8H": "A", "H8": "T"}, FOR)
    with pytest.raises(NotationError, match="'AT' is 2 tiles, expected one for the square '8H'"):
        Placement.from_squares({"8H": "AT"}, FOR)
    with pytest.raises(NotationError, match="'' is 0 tiles"):
        Placement.from_squares({"8H": ""}, FOR)
    with pytest.raises(NotationError, match="coordinate"):
        Placement.from_squares({"HH": "A"}, FOR)
    with pytest.raises(NotationError, match="1"):
        Placement.from_squares({"8H": "1"}, FOR)


@pytest.mark.parametrize(
    ("board", "placement", "squares"),
    [
        (PQ, Placement(7, 4, 0, (W, O, R, D)), ((7, 4), (7, 5), (7, 6), (7, 7))),
        (PQ, Placement(7, 2, 0, (A, T)), ((7, 2), (7, 4))),
        (PQ, Placement(6, 3, 1, (A, T)), ((6, 3), (9, 3))),
        (PQ, Placement(7, 3, 0, (A,)), ()),
        (PQ, Placement(7, 2, 0, (A, T), Status.GAP), ()),
        (PQ, Placement(7, 2, 0, (A, T), Status.NOT_MAXIMAL), ((7, 2), (7, 4))),
        (PQ, Placement(14, 14, 0, (A, T)), ()),
        (PQ, Placement(7, 2, 0, (A, 0, T)), ()),
        (PQ, Placement(-1, 2, 0, (A,)), ()),
        (PQ, Placement(7, 2, 2, (A,)), ()),
        (PQ, Placement(7, 2, 0, ()), ()),
        (BRICKED, Placement(7, 10, 0, (A,)), ()),
        (BRICKED, Placement(7, 9, 0, (A, T)), ()),
    ],
)
def test_squares_of_a_placement(board: Board, placement: Placement, squares: tuple[tuple[int, int], ...]) -> None:
    assert placement.squares(board) == squares
