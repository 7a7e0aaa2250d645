"""The reference scorer against values worked out by hand and against 600 placements of real games."""

from __future__ import annotations

import dataclasses
import itertools
import json
import subprocess
import sys
from functools import cache, reduce
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fastscore.board import Board
from fastscore.coordinates import format_coordinate
from fastscore.errors import NotationError, PlacementError, ShapeError
from fastscore.placements import Placement
from fastscore.reference import check, explain, judge, score
from fastscore.rules.layouts import BoardLayout, load_layout, parse_layout
from fastscore.rules.letters import LetterDistribution
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.status import Status
from fastscore.testing import random_board, random_placements, random_ruleset

DATA = Path(__file__).parent / "data"
ENGLISH = load_rules("classic/english")


def board_after(rules: Ruleset, *plays: str) -> Board:
    return reduce(Board.play, plays, Board(rules))


def english_on(*rows: str, start: str = "0, 0", **settings: object) -> Ruleset:
    """English tiles on a board of these rows of premium symbols."""
    layout = parse_layout("\n".join([start, *rows]))
    return dataclasses.replace(ENGLISH, name="test", layout=layout, **settings)


def bonus_at(tiles: int, points: int) -> tuple[int, ...]:
    return tuple(points if count == tiles else 0 for count in range(16))


def words_of(board: Board, placement: Placement) -> list[tuple[str, int]]:
    return [(word.text, word.score) for word in explain(board, placement).words]


def transposed(placement: Placement) -> Placement:
    return dataclasses.replace(placement, row=placement.col, col=placement.row, direction=1 - placement.direction)


# (rules, plays on the board, play, words with their scores (main word first), total)
Case = tuple[str, list[str], str, list[tuple[str, int]], int]

CLASSIC: list[Case] = [
    # --- the rules' own examples: C on D8, then the premium is spent; two triple words; M on a double letter over an E
    ("classic/english", [], "8D CASTLE", [("CASTLE", 22)], 22),
    ("classic/english", ["8D CASTLE"], "D8 CAR", [("CAR", 5)], 5),
    ("classic/english", ["9A GAME"], "8D MAIL", [("MAIL", 9), ("ME", 7)], 16),
    (
        "classic/english",
        ["H8 CREATOR", "N14 IN"],
        "15H SYMPHO.Y",
        [("SYMPHONY", 25 * 9), ("CREATORS", 10 * 3)],
        305,
    ),
    # --- premiums: start square, letter premium, both letters and words
    ("classic/english", [], "8H JOG", [("JOG", 22)], 22),
    ("classic/english", ["8H JOG"], "I7 G.RE", [("GORE", 8)], 8),
    ("classic/english", [], "8E JOUET", [("JOUET", 24)], 24),
    ("classic/english", [], "8D JOUET", [("JOUET", 40)], 40),
    ("classic/english", [], "8F FAZE", [("FAZE", 32)], 32),
    ("classic/english", ["8F FAZE"], "8F ....S", [("FAZES", 17)], 17),
    ("classic/english", ["1B R"], "1A C.AZIEST", [("CRAZIEST", 261)], 311),
    ("classic/english", [], "1H KAZIQUE", [("KAZIQUE", 117)], 167),
    ("classic/english", [], "8E JOUSTER", [("JOUSTER", 28)], 78),
    ("classic/english", [], "8G CAT", [("CAT", 10)], 10),
    # --- one tile: no main word of its own, and never the same word twice
    ("classic/english", ["8G HA"], "8G ..T", [("HAT", 6)], 6),
    ("classic/english", ["8G HA"], "8I T", [("HAT", 6)], 6),
    ("classic/english", ["8G HA"], "I8 T", [("HAT", 6)], 6),
    ("classic/english", ["8G FOR"], "8G ...E", [("FORE", 7)], 7),
    ("classic/english", ["8G FOR"], "J8 E", [("FORE", 7)], 7),
    ("classic/english", ["8F HEY", "F8 HAZE"], "9F .X", [("AX", 17), ("EX", 17)], 34),
    ("classic/english", ["8F HEY", "F8 HAZE"], "G8 .X", [("EX", 17), ("AX", 17)], 34),
    ("classic/english", ["8F HEY", "F8 HAZE"], "9F .N", [("AN", 3), ("EN", 3)], 6),
    ("classic/english", ["8F HEY", "F8 HAZE"], "9F .G", [("AG", 5), ("EG", 5)], 10),
    # --- cross words: the letter premium counts in both words
    (
        "classic/english",
        ["F7 QUIZ", "8F .VAE", "I7 J.U"],
        "6A TOELESS",
        [("TOELESS", 11), ("SQUIZ", 25)],
        86,
    ),
    ("classic/english", ["8G OVA"], "7I APP", [("APP", 8), ("AA", 3)], 11),
    ("classic/english", [], "8G OVA", [("OVA", 12)], 12),
    ("classic/english", ["8G OVA", "7I APP"], "J5 UM.S", [("UMPS", 14), ("OVAS", 7)], 21),
    ("classic/english", ["8G OVA", "7I APP"], "J6 A.pLE", [("APpLE", 10), ("OVAp", 6)], 16),
    ("classic/english", ["8G OVA", "7I APP"], "L4 OVAS", [("OVAS", 14), ("APPS", 8)], 22),
    ("classic/english", ["8D AWNING"], "C7 ID", [("ID", 4), ("DAWNING", 12)], 16),
    # --- the run is the word, however much of it was written
    ("classic/english", ["D8 PE", "I8 QUA"], "8E WORD", [("PWORDQ", 42)], 42),
    ("classic/english", ["D8 PE", "I8 QUA"], "8D PWORDQ", [("PWORDQ", 42)], 42),
    ("classic/english", ["D8 PE", "I8 QUA"], "8D .WORD.", [("PWORDQ", 42)], 42),
    ("classic/english", ["N8 E", "8O D", "K9 X"], "8K COR..", [("CORED", 9), ("CX", 11)], 20),
    ("classic/english", ["8D WINDY"], "E7 L.D", [("LID", 4)], 4),
    # --- blanks: worth 0 whatever the letter; a word premium under one still counts; a word of a lone blank neighbour
    ("classic/english", [], "8H aT", [("aT", 2)], 2),
    ("classic/english", [], "8H zT", [("zT", 2)], 2),
    ("classic/english", [], "8H ?T", [("?T", 2)], 2),
    # I on I9, a double letter
    ("classic/english", ["8H a"], "9H TI", [("TI", 3), ("aT", 1)], 4),
    ("classic/english", ["8H a"], "9H bI", [("bI", 2), ("ab", 0)], 2),
    ("classic/english", ["8H a"], "9H b", [("ab", 0)], 0),
    # --- no bonus for three tiles (an emptied short rack) nor for a word of eight letters with six tiles
    # HOG: H on G7 and G on G9, both double letters: 8 + 1 + 4
    ("classic/english", ["8H CAT"], "G7 HOG", [("HOG", 13), ("OCAT", 6)], 19),
    # AEAONAEA: the first A on D8, a double letter: 2 + 7
    ("classic/english", ["8G ON"], "8D AEA..AEA", [("AEAONAEA", 9)], 9),
]

VARIANTS: list[Case] = [
    ("words-with-friends", [], "8E JOUSTER", [("JOUSTER", 17)], 52),
    ("words-with-friends", [], "8G CAT", [("CAT", 6)], 6),
    ("words-with-friends", [], "1D QUIZ", [("QUIZ", 129)], 129),
    ("super/english", ["G1 R"], "1A QUIXOT.Y", [("QUIXOTRY", 35 * 12)], 470),
    ("super/english", ["G8 R"], "8A QUIXOT.Y", [("QUIXOTRY", 27 * 6)], 212),
    ("super/english", [], "11H QUARTZY", [("QUARTZY", 28 * 2)], 106),
    # the far corner, beyond row 15 and column O: Q on the double letter R21, Z on the quadruple word U21
    ("super/english", [], "21R QUIZ", [("QUIZ", 32 * 4)], 128),
    # Letter League: JOUSTER 14 on the double words L10 and P10, doubled once more for seven tiles; UA and ST are not
    ("letter-league", ["11N AT"], "10L JOUSTER", [("JOUSTER", 14 * 2 * 2 * 2), ("UA", 2), ("ST", 2)], 116),
    # Literaki, row 8: F8 asks for a 3, H8 for a 5. B 3 x3, O 1, Ą 5 x3, K 2
    ("literaki", [], "8F BOĄK", [("BOĄK", 27)], 27),
    ("literaki", [], "8F BOąK", [("BOąK", 12)], 12),
    # K 2 on F8 and T 2 on H8 are not what the squares ask for
    ("literaki", [], "8F KOTA", [("KOTA", 6)], 6),
]


@cache
def rules_named(name: str) -> Ruleset:
    return load_rules(name)


@pytest.mark.parametrize(("rules", "laid", "play", "words", "total"), CLASSIC + VARIANTS)
def test_words_and_total(rules: str, laid: list[str], play: str, words: list[tuple[str, int]], total: int) -> None:
    board = board_after(rules_named(rules), *laid)
    placement = Placement.parse(play, board)
    breakdown = explain(board, placement)
    assert words_of(board, placement) == words
    assert breakdown.total == score(board, placement) == total
    assert breakdown.bonus == total - sum(points for _, points in words)
    # The other direction: the same play on the mirrored board.
    mirrored = explain(board.transposed(), transposed(placement))
    assert words_of(board.transposed(), transposed(placement)) == words
    assert (mirrored.bonus, mirrored.total, mirrored.status) == (breakdown.bonus, total, breakdown.status)


@pytest.mark.parametrize(
    ("rules", "play", "total"),
    [
        (english_on("....."), "1A CAT", 5),
        (english_on("'...."), "1A CAT", 8),
        (english_on("'.-.."), "1A CAT", 16),
        (english_on("'.-..", rack_size=3, bingo_bonus=bonus_at(3, 50)), "1A CAT", 66),
        (english_on("....."), "1A QUIZ", 22),
        (english_on('...".'), "1A QUIz", 12),
        # word multipliers multiply
        (english_on("-.-"), "1A CAT", 5 * 4),
        (english_on("=.="), "1A CAT", 5 * 9),
        (english_on("-.="), "1A CAT", 5 * 6),
        (english_on("==="), "1A CAT", 5 * 27),
        (english_on("~.^"), "1A CAT", (3 + 1 + 4) * 4),
        # other multipliers, and a letter and a word premium on one square
        (english_on("legend: a = letter 5, b = word 6", "ab.."), "1A QUIZ", (50 + 1 + 1 + 10) * 6),
        (english_on("legend: a = letter 9 word 9", "a..."), "1A QUIZ", (90 + 1 + 1 + 10) * 9),
        # a table of bonuses: 7 tiles 40, 8 tiles 50, counted in tiles laid
        (english_on("." * 9, rack_size=8, bingo_bonus=(0,) * 7 + (40, 50) + (0,) * 7), "1A EEEEEE", 6),
        (english_on("." * 9, rack_size=8, bingo_bonus=(0,) * 7 + (40, 50) + (0,) * 7), "1A EEEEEEE", 47),
        (english_on("." * 9, rack_size=8, bingo_bonus=(0,) * 7 + (40, 50) + (0,) * 7), "1A EEEEEEEE", 58),
        # the bonus is added after every multiplication, a factor for tiles laid multiplies the word
        (english_on("-.", rack_size=2, bingo_bonus=bonus_at(2, 50)), "1A AT", 2 * 2 + 50),
        (english_on("-.", rack_size=2, bingo_multiplier=(1, 1, 5) + (1,) * 13), "1A AT", 2 * 2 * 5),
    ],
)
def test_one_word_on_chosen_premiums(rules: Ruleset, play: str, total: int) -> None:
    board = Board(rules)
    placement = Placement.parse(play, board)
    assert check(board, placement) == Status.GOOD
    assert score(board, placement) == total
    assert score(board.transposed(), transposed(placement)) == total


def test_record_play() -> None:
    # No rack lays these words; the board only has to hold them.
    row_1 = ["1B X", "1E HEN", "1I UT", "1M ON"]
    below = ["A2 PACIFYI", "A9 NG", "C2 ELKS", "D2 REInTER", "D9 VIEWED", "H2 RAINWAS", "H9 HING"]
    below += ["K2 MELIORA", "K9 TIVE", "L2 ARFS", "O2 JACULAT", "O9 ING"]
    board = board_after(ENGLISH, *row_1, *below)
    placement = Placement.parse("1A OXYPHENBUTAZONE", board)
    assert words_of(board, placement) == [
        ("OXYPHENBUTAZONE", 54 * 27),
        ("OPACIFYING", 63),
        ("YELKS", 12),
        ("PREInTERVIEWED", 25),
        ("BRAINWASHING", 63),
        ("AMELIORATIVE", 17),
        ("ZARFS", 27),
        ("EJACULATING", 63),
    ]
    assert score(board, placement) == 1778
    assert score(board.transposed(), transposed(placement)) == 1778


def test_value_of_a_blank_comes_from_the_letters() -> None:
    letters = dataclasses.replace(ENGLISH.letters, values=(3, *ENGLISH.letters.values[1:]))
    rules = dataclasses.replace(english_on("'...", "...."), letters=letters)
    # 3 on the double letter, whatever it stands for, then 1 + 1; later 3 without the premium
    assert [score(Board(rules), Placement.parse(f"1A {blank}AT", Board(rules))) for blank in "cz?"] == [8, 8, 8]
    board = board_after(rules, "1A cAT")
    assert words_of(board, Placement.parse("2A B", board)) == [("cB", 6)]


def test_square_that_asks_for_a_face_value() -> None:
    layout = parse_layout("0, 0\nlegend: 3 = letter 3 if value 3\n3..\n...")
    rules = dataclasses.replace(ENGLISH, layout=layout)
    board = Board(rules)
    # B, C, M and P are worth 3, A is not; a blank counts as the letter it stands for and keeps its own value
    assert [score(board, Placement.parse(f"1A {first}E", board)) for first in "BCAbZ"] == [10, 10, 2, 1, 11]
    tiles = explain(board, Placement.parse("1A bE", board)).words[0].tiles
    assert [(tile.letter_multiplier, tile.points) for tile in tiles] == [(3, 0), (1, 1)]
    letters = dataclasses.replace(ENGLISH.letters, values=(2, *ENGLISH.letters.values[1:]))
    board = Board(dataclasses.replace(rules, letters=letters))
    assert [score(board, Placement.parse(f"1A {first}E", board)) for first in "ba"] == [2 * 3 + 1, 2 + 1]


def test_score_does_not_depend_on_the_letter_of_a_blank() -> None:
    # H8 double word, F6 triple letter, G7 double letter, A8 triple word
    board = board_after(ENGLISH, "8I AT")
    alphabet = "abcdefghijklmnopqrstuvwxyz?"
    for before, after in (("8H ", ".."), ("H6 ER", ""), ("F6 ", "ET"), ("G7 ", "O"), ("A8 ", "E")):
        plays = [Placement.parse(f"{before}{blank}{after}", board) for blank in alphabet]
        assert len({score(board, play) for play in plays}) == 1, before


def test_results_do_not_depend_on_what_was_scored_before() -> None:
    board = board_after(ENGLISH, "8G OVA")
    # a bingo, one that runs off the board, one tile, two tiles
    plays = [Placement.parse(text, board) for text in ("J1 RETINAS", "H7 A.E", "9G N", "J7 AS")]
    plays.append(Placement(7, 9, 0, (1, 2, 3, 4, 5, 6, 7)))
    alone = [judge(board, play) for play in plays]
    assert len({judgement.status for judgement in alone}) > 1
    for order in itertools.permutations(range(len(plays))):
        assert [judge(board, plays[k]) for k in order] == [alone[k] for k in order]


# --- status: each flag on its own, and what is judged beside it -------------------------------------------------------

A, B, C, X = 1, 2, 3, 24
NONE: list[str] = []
AT = ["8H AT"]


@pytest.mark.parametrize(
    ("laid", "row", "col", "direction", "tiles", "expected"),
    [
        (NONE, 7, 7, 0, (A, B), Status.GOOD),
        (NONE, 7, 7, 2, (A, B), Status.BAD_DIRECTION),
        (NONE, 7, 7, -1, (A, B), Status.BAD_DIRECTION),
        (NONE, 7, 7, 256, (A, B), Status.BAD_DIRECTION),
        (NONE, 15, 7, 0, (A, B), Status.BAD_ROW),
        (NONE, -1, 7, 0, (A, B), Status.BAD_ROW),
        (NONE, 256 + 7, 7, 1, (A, B), Status.BAD_ROW),
        (NONE, 7, 15, 0, (A, B), Status.BAD_COL),
        (NONE, 7, -1, 1, (A, B), Status.BAD_COL),
        (NONE, 7, 2**63, 0, (A, B), Status.BAD_COL),
        (NONE, 15, -1, 9, (99,), Status.BAD_ROW | Status.BAD_COL | Status.BAD_DIRECTION | Status.BAD_TILE),
        (NONE, 7, 7, 0, (A, 27), Status.BAD_TILE),
        (NONE, 7, 7, 0, (A, 0x80 | 27), Status.BAD_TILE),
        (NONE, 7, 7, 0, (A, 127), Status.BAD_TILE),
        (NONE, 7, 7, 0, (256, B), Status.BAD_TILE),
        (NONE, 7, 7, 0, (A, 256 + 128), Status.BAD_TILE),
        (NONE, 7, 7, 0, (A, -1), Status.BAD_TILE),
        (NONE, 7, 7, 0, (), Status.NO_TILE),
        (NONE, 7, 7, 0, (0, 0), Status.NO_TILE),
        (NONE, 15, 7, 0, (0,), Status.NO_TILE | Status.BAD_ROW),
        (NONE, 7, 7, 0, (A, B, 0, 0), Status.GOOD),
        (NONE, 7, 7, 0, (A, 0, B), Status.HOLE),
        (NONE, 7, 7, 0, (0, A, B), Status.HOLE),
        # with a hole the squares are not judged: this would run off the board
        (NONE, 7, 14, 0, (A, 0, B), Status.HOLE),
        (NONE, 7, 3, 0, (A,) * 8, Status.TOO_MANY_TILES),
        (NONE, 7, 7, 0, (A,) * 9, Status.TOO_MANY_TILES | Status.OFF_BOARD),
        (NONE, 7, 0, 0, (A,) * 20, Status.TOO_MANY_TILES | Status.OFF_BOARD),
        (NONE, 7, 7, 0, (A, 99) + (A,) * 6, Status.TOO_MANY_TILES | Status.BAD_TILE),
        (NONE, 14, 14, 1, (A, B), Status.OFF_BOARD),
        (NONE, 7, 8, 0, (A, B), Status.START_NOT_COVERED),
        (NONE, 7, 7, 0, (A,), Status.NO_WORD),
        (NONE, 7, 8, 0, (A,), Status.NO_WORD | Status.START_NOT_COVERED),
        (NONE, 7, 7, 0, (0x80, B), Status.BLANK_UNDESIGNATED),
        (NONE, 14, 14, 1, (A, 0x80), Status.OFF_BOARD | Status.BLANK_UNDESIGNATED),
        (AT, 7, 7, 0, (A,), Status.SQUARE_OCCUPIED),
        (AT, 7, 8, 1, (A, B), Status.SQUARE_OCCUPIED),
        (AT, 7, 6, 0, (C, B), Status.GOOD),
        (AT, 7, 9, 0, (A,), Status.GOOD),
        (AT, 7, 9, 1, (A,), Status.GOOD),
        (AT, 8, 9, 0, (A, B), Status.NOT_CONNECTED),
        (AT, 8, 9, 1, (A,), Status.NOT_CONNECTED | Status.NO_WORD),
        (AT, 8, 8, 0, (A,), Status.GOOD),
        (AT, 0, 0, 0, (0x80, A), Status.NOT_CONNECTED | Status.BLANK_UNDESIGNATED),
        # 14 columns right of the board's tiles: the tiles in the way count as squares passed, not as tiles laid
        (["8M TEN"], 7, 11, 0, (A, B), Status.OFF_BOARD),
    ],
)
def test_status(laid: list[str], row: int, col: int, direction: int, tiles: tuple[int, ...], expected: Status) -> None:
    board = board_after(ENGLISH, *laid)
    assert check(board, Placement(row, col, direction, tiles)) == expected


@pytest.mark.parametrize(
    ("laid", "row", "col", "direction", "tiles", "expected"),
    [
        (NONE, 0, 2, 0, (A,), Status.SQUARE_BRICK),
        (NONE, 0, 1, 0, (A, B), Status.OVER_BRICK),
        (NONE, 0, 0, 0, (A, B), Status.GOOD),
        # the last tile lies before the brick
        (["1B A"], 0, 0, 0, (A,), Status.GOOD),
        (["1B A"], 0, 0, 0, (A, B), Status.OVER_BRICK),
        # a tile beyond the brick belongs to no word and does not connect
        (["1D A"], 0, 0, 0, (A, B), Status.NOT_CONNECTED),
        (["1D A"], 0, 1, 0, (A,), Status.NOT_CONNECTED | Status.NO_WORD),
        (["1D A"], 1, 3, 0, (A,), Status.GOOD),
    ],
)
def test_status_with_bricks(
    laid: list[str], row: int, col: int, direction: int, tiles: tuple[int, ...], expected: Status
) -> None:
    board = board_after(english_on("..#..", "....."), *laid)
    assert check(board, Placement(row, col, direction, tiles)) == expected


def test_start_square_under_a_brick_cannot_be_covered() -> None:
    board = Board(english_on("#..", "..."))
    assert check(board, Placement(0, 1, 0, (A, B))) == Status.START_NOT_COVERED


def test_letters_needed_where_squares_ask_for_a_value() -> None:
    board = Board(rules_named("literaki"))
    expected = Status.BLANK_NEEDS_LETTER | Status.BLANK_UNDESIGNATED
    assert check(board, Placement(7, 7, 0, (A, 0x80))) == expected
    assert check(board, Placement(7, 14, 0, (A, 0x80))) == expected | Status.OFF_BOARD
    with pytest.raises(PlacementError, match="these rules need the letter"):
        score(board, Placement(7, 7, 0, (A, 0x80)))


CONVERSION_FAULTS = (
    Status.UNREADABLE,
    Status.BAD_POSITION,
    Status.BAD_LENGTH,
    Status.NOT_IN_LINE,
    Status.GAP,
    Status.THROUGH_DIFFERS,
    Status.THROUGH_EMPTY,
)


@pytest.mark.parametrize("brought", CONVERSION_FAULTS)
def test_faults_of_the_conversion_stay_and_the_tiles_are_still_judged(brought: Status) -> None:
    board = Board(ENGLISH)
    assert judge(board, Placement(7, 7, 0, (A, B), brought)) == (brought, (), 0, 0)
    assert check(board, Placement(7, 14, 0, (A, B), brought)) == brought
    expected = brought | Status.BAD_ROW | Status.BAD_TILE | Status.TOO_MANY_TILES | Status.BLANK_UNDESIGNATED
    assert check(board, Placement(15, 7, 0, (99, 0x80) + (A,) * 6, brought)) == expected
    with pytest.raises(PlacementError) as caught:
        score(board, Placement(7, 7, 0, (A, B), brought))
    assert caught.value.status == brought


def test_flag_of_the_conversion_that_scores() -> None:
    board = board_after(ENGLISH, "D8 PE", "I8 QUA")
    short = explain(board, Placement.parse("8E WORD", board))
    assert (short.status, short.total) == (Status.NOT_MAXIMAL, 42)
    assert explain(board, Placement.parse("8D PWORDQ", board)).status == Status.GOOD
    assert check(board, Placement(7, 12, 0, (A, B, C, X), Status.NOT_MAXIMAL)) == Status.NOT_MAXIMAL | Status.OFF_BOARD


def test_eight_tiles() -> None:
    board = board_after(ENGLISH, "8G OVA", "7I APP")
    placement = Placement.parse("J7 .NEUMONIA", board)
    with pytest.raises(PlacementError, match="more tiles than a rack holds") as caught:
        score(board, placement)
    assert caught.value.status == Status.TOO_MANY_TILES


def test_contact_at_a_corner_is_none() -> None:
    board = board_after(ENGLISH, "8H AT")
    dog = explain(board, Placement.parse("9J DOG", board))
    # J9..L9: no premium on J9, K9, and none on L9
    assert (dog.status, dog.total) == (Status.NOT_CONNECTED, 5)


def test_highest_score() -> None:
    # 729 x (1000000 + 1000000 + 945793) = 2147483097; 550 more is 2^31 - 1
    values = (0, 1_000_000, 945_793, *ENGLISH.letters.values[3:])
    letters = dataclasses.replace(ENGLISH.letters, values=values)
    rules = dataclasses.replace(english_on("legend: a = word 9", "aaa"), letters=letters, rack_size=3)
    highest = dataclasses.replace(rules, bingo_bonus=bonus_at(3, 550))
    beyond = dataclasses.replace(rules, bingo_bonus=bonus_at(3, 551))
    placement = Placement(0, 0, 0, (A, A, B))
    assert score(Board(highest), placement) == 2**31 - 1
    assert judge(Board(beyond), placement) == (Status.SCORE_OVERFLOW, (), 0, 0)
    # only where nothing else leaves the play without a score
    assert check(Board(beyond), Placement(0, 0, 0, (A, A, B), Status.GAP)) == Status.GAP
    with pytest.raises(PlacementError, match="32 bits"):
        explain(Board(beyond), placement)


@pytest.mark.parametrize(
    ("rack", "tiles", "expected"),
    [
        ("ABC", (A, B), Status.GOOD),
        ("AB", (A, A), Status.NOT_ON_RACK),
        ("A?", (A, 0x80 | B), Status.GOOD),
        ("A?", (0x80 | A, 0x80), Status.NOT_ON_RACK | Status.BLANK_UNDESIGNATED),
        ("AB", (A, 0x80 | B), Status.NOT_ON_RACK),
        ("", (A, B), Status.NOT_ON_RACK),
        # what is no tile is not looked for
        ("A", (A, 99, 256), Status.BAD_TILE),
        ("A", (A, 0, B), Status.HOLE | Status.NOT_ON_RACK),
    ],
)
def test_rack(rack: str, tiles: tuple[int, ...], expected: Status) -> None:
    board = Board(ENGLISH)
    counts = ENGLISH.letters.rack(rack)
    placement = Placement(7, 7, 0, tiles)
    assert check(board, placement, rack) == expected
    assert check(board, placement, counts) == check(board, placement, np.array(counts, np.uint8)) == expected
    assert judge(board, placement, rack).total == judge(board, placement).total


def test_unusable_racks() -> None:
    placement = Placement(7, 7, 0, (A, B))
    with pytest.raises(ShapeError, match="7 counts, expected 27"):
        check(Board(ENGLISH), placement, [1] * 7)
    for counts in ([0.9] * 27, np.ones(27), [None] * 27, np.ones((27, 2), int)):
        with pytest.raises(ShapeError, match="expected a text or whole numbers"):
            check(Board(ENGLISH), placement, counts)  # type: ignore[arg-type]
    with pytest.raises(NotationError):
        check(Board(ENGLISH), placement, "AB!")


def raw_board(rules: Ruleset, tiles: list[list[int]]) -> Board:
    """A board as raw arrays can have it; `Board` itself refuses such tiles."""
    board: object = SimpleNamespace(rules=rules, tiles=np.array(tiles, np.uint8), rows=rules.rows, cols=rules.cols)
    return board  # type: ignore[return-value]


def test_board_tiles_that_are_no_letters() -> None:
    board = raw_board(english_on("....", "....", start="1, 0"), [[0, 0, 99, 0], [0, 0, 0, 0]])
    # in the main word, in a cross word, in no word of the play
    assert check(board, Placement(0, 0, 0, (A, B))) == Status.BAD_BOARD
    assert check(board, Placement(1, 1, 0, (A, B))) == Status.BAD_BOARD
    assert check(board, Placement(1, 0, 0, (A, B))) == Status.NOT_CONNECTED


def test_brick_with_a_tile_on_it_is_a_wall() -> None:
    board = raw_board(english_on("..#.", "...."), [[0, 0, A, 0], [0, 0, 0, 0]])
    assert check(board, Placement(0, 0, 0, (A, B))) == Status.GOOD
    assert check(board, Placement(0, 1, 0, (A, B))) == Status.OVER_BRICK
    assert check(board, Placement(0, 2, 0, (A, B))) == Status.SQUARE_BRICK


def test_error_tells_the_placement_and_every_reason() -> None:
    with pytest.raises(PlacementError) as caught:
        explain(Board(ENGLISH), Placement(15, 3, 0, (1, 99)))
    assert caught.value.status == Status.BAD_ROW | Status.BAD_TILE
    assert str(caught.value) == (
        "'16D A[#99]' has no score: row is off the board; tile code is not of the letter distribution"
    )


# --- boards of other shapes, mirrored boards --------------------------------------------------------------------------


def padded(board: Board, rows: int, cols: int) -> Board:
    """The same board in the corner of a larger one, bricks around it."""
    rules, layout = board.rules, board.rules.layout

    def pad(array: np.ndarray, filling: int) -> np.ndarray:  # type: ignore[type-arg]
        return np.pad(array, ((0, rows - board.rows), (0, cols - board.cols)), constant_values=filling)

    larger = BoardLayout(
        name="padded",
        rows=rows,
        cols=cols,
        start=layout.start,
        letter_multiplier=pad(layout.letter_multiplier, 1),
        word_multiplier=pad(layout.word_multiplier, 1),
        letter_condition=pad(layout.letter_condition, 0),
        bricks=pad(layout.bricks, 1),
    )
    return Board(dataclasses.replace(rules, layout=larger), pad(board.tiles, 0))


def test_board_that_is_not_square() -> None:
    # 9 rows, 13 columns: words at both far edges
    rows = ["." * 12 + "="] * 8 + ["-" + "." * 12]
    board = board_after(english_on(*rows, start="4, 6"), "5G AT")
    across, down = Placement.parse("9J QUIZ", board), Placement.parse("M6 QUIZ", board)
    # M9 is no premium; M6, M7 and M8 are triple words
    assert score(board, across) == 22
    assert score(board, down) == 22 * 27
    for play in (across, down):
        assert score(padded(board, 15, 15), play) == score(board, play)
        assert score(board.transposed(), transposed(play)) == score(board, play)
    assert board.transposed().rows == 13


SWAPPED = {Status.BAD_ROW: Status.BAD_COL, Status.BAD_COL: Status.BAD_ROW}


@pytest.mark.parametrize("seed", range(60))
def test_mirrored_and_padded_boards(seed: int) -> None:
    rng = np.random.default_rng(seed)
    board = random_board(rng, random_ruleset(rng))
    mirrored, larger = board.transposed(), padded(board, 32, 32)
    for fields in random_placements(rng, board, 60):
        placement = Placement(*fields)
        status, words, bonus, total = judge(board, placement)
        there = judge(mirrored, transposed(placement))
        lines = status & (Status.BAD_ROW | Status.BAD_COL)
        swapped = status & ~lines | Status(sum(SWAPPED[flag] for flag in SWAPPED if flag & lines))
        if placement.direction in (0, 1):
            assert there.status == swapped
        assert (there.bonus, there.total) == (bonus, total)
        assert [(word.text, word.score) for word in there.words] == [(word.text, word.score) for word in words]
        if total:
            assert judge(larger, placement) == (status, words, bonus, total)
            assert total == sum(word.score for word in words) + bonus


# --- placements of real games -----------------------------------------------------------------------------------------


@cache
def rules_of_record(values: str, layout: str) -> Ruleset:
    value_set = json.loads((DATA / "values.json").read_text(encoding="utf-8"))["value_sets"][values]
    tiles = ("?", *sorted(tile for tile in value_set if len(tile) == 1 and tile != "?"))
    letters = LetterDistribution(
        name=values,
        tiles=tiles,
        values=tuple(value_set[tile] for tile in tiles),
        counts=None,
        blank_forms=tuple(tile.lower() for tile in tiles),
        aliases=(),
    )
    return dataclasses.replace(ENGLISH, name=values, layout=load_layout(layout), letters=letters)


def test_real_placements() -> None:
    lines = (DATA / "placements.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 600
    for line in lines:
        case = json.loads(line)
        rules = rules_of_record(case["values"], case["layout"])
        board = Board.parse(case["board"], rules)
        direction = 0 if case["across"] else 1
        row, col, _ = case["placed"][0]
        tiles = tuple(rules.letters.encode("".join(tile for _, _, tile in case["placed"])))
        placement = Placement(row, col, direction, tiles)
        breakdown = explain(board, placement)
        assert breakdown.total == case["score"], case
        assert [[word.text, word.score] for word in breakdown.words] == case["words"], case
        fresh = {(tile.row, tile.col, tile.text) for word in breakdown.words for tile in word.tiles if tile.fresh}
        assert sorted(fresh) == sorted(map(tuple, case["placed"])), case
        text = f"{format_coordinate(case['row'], case['col'], direction)} {case['word']}"
        assert Placement.parse(text, board) == placement, case
        assert score(board.transposed(), transposed(placement)) == case["score"], case


def test_reference_does_not_load_compiled_code() -> None:
    script = "import sys, fastscore.reference; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "fastscore.reference" in loaded
    assert loaded.isdisjoint({"numba", "fastscore.kernels", "fastscore.tables", "fastscore.scoring"})
