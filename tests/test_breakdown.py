"""A score taken apart: as text and as data."""

from __future__ import annotations

import dataclasses
import json
from functools import reduce

import pytest

from fastscore.board import Board
from fastscore.breakdown import Breakdown
from fastscore.placements import Placement
from fastscore.reference import explain
from fastscore.rules.layouts import parse_layout
from fastscore.rules.letters import LetterDistribution
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.status import Status

ENGLISH = load_rules("classic/english")


def breakdown_of(rules: Ruleset, laid: list[str], play: str) -> Breakdown:
    board = reduce(Board.play, laid, Board(rules))
    return explain(board, Placement.parse(play, board))


def test_text_of_one_word() -> None:
    assert str(breakdown_of(ENGLISH, [], "8H QUIZ")) == "8H QUIZ: (10 + 1 + 1 + 10) x 2 [H8 double word] = 44"
    assert str(breakdown_of(ENGLISH, [], "H8 QUIZ")) == "H8 QUIZ: (10 + 1 + 1 + 10) x 2 [H8 double word] = 44"
    # nothing multiplied: no brackets; tiles that lay there are part of the word and have no premium
    assert str(breakdown_of(ENGLISH, ["8F FAZE"], "8F ....S")) == "8F FAZES: 4 + 1 + 10 + 1 + 1 = 17"


def test_text_of_several_words() -> None:
    assert str(breakdown_of(ENGLISH, ["8G OVA", "7I APP"], "J5 UMPS")).splitlines() == [
        "J5 UMPS: 1 + 3 x 3 [J6 triple letter] + 3 + 1 = 14",
        "8G OVAS: 1 + 4 + 1 + 1 = 7",
        "total: 14 + 7 = 21",
    ]


def test_text_with_bonus() -> None:
    # K A Z I Q U E with Q on a double letter: 5 + 1 + 10 + 1 + 20 + 1 + 1 = 39, x3 = 117, + 50
    assert str(breakdown_of(ENGLISH, [], "1H KAZIQUE")).splitlines() == [
        "1H KAZIQUE: (5 + 1 + 10 + 1 + 10 x 2 [L1 double letter] + 1 + 1) x 3 [H1 triple word] = 117",
        "bonus for 7 tiles: 50",
        "total: 117 + 50 = 167",
        "flagged: the first play does not cover the start square",
    ]


def test_text_of_bingo_in_two_words() -> None:
    text = str(breakdown_of(ENGLISH, ["H8 CREATOR", "N14 IN"], "15H SYMPHO.Y"))
    assert text.splitlines() == [
        "15H SYMPHONY: (1 + 4 + 3 + 3 + 4 x 2 [L15 double letter] + 1 + 1 + 4) "
        "x 3 [H15 triple word] x 3 [O15 triple word] = 225",
        "H8 CREATORS: (3 + 1 + 1 + 1 + 1 + 1 + 1 + 1) x 3 [H15 triple word] = 30",
        "bonus for 7 tiles: 50",
        "total: 225 + 30 + 50 = 305",
    ]


def test_text_of_factor_for_tiles_laid() -> None:
    text = str(breakdown_of(load_rules("letter-league"), ["11N AT"], "10L JOUSTER"))
    assert text.splitlines() == [
        "10L JOUSTER: (8 + 1 + 1 + 1 + 1 + 1 + 1) x 2 [L10 double word] x 2 [P10 double word] x 2 [7 tiles laid] = 112",
        "N10 UA: 1 + 1 = 2",
        "O10 ST: 1 + 1 = 2",
        "total: 112 + 2 + 2 = 116",
    ]


@pytest.mark.parametrize(
    ("symbol", "value", "shown"),
    [
        ("'", 6, "3 x 2 [A1 double letter] + 1 + 1 = 8"),
        ('"', 9, "3 x 3 [A1 triple letter] + 1 + 1 = 11"),
        ("^", 12, "3 x 4 [A1 quadruple letter] + 1 + 1 = 14"),
        ("5", 15, "3 x 5 [A1 x5 letter] + 1 + 1 = 17"),
        ("-", 3, "(3 + 1 + 1) x 2 [A1 double word] = 10"),
        ("=", 3, "(3 + 1 + 1) x 3 [A1 triple word] = 15"),
        ("~", 3, "(3 + 1 + 1) x 4 [A1 quadruple word] = 20"),
        ("9", 3, "(3 + 1 + 1) x 9 [A1 x9 word] = 45"),
        ("b", 6, "(3 x 2 [A1 double letter] + 1 + 1) x 3 [A1 triple word] = 24"),
    ],
)
def test_names_of_premiums(symbol: str, value: int, shown: str) -> None:
    legend = "legend: 5 = letter 5, 9 = word 9, b = letter 2 word 3"
    rules = dataclasses.replace(ENGLISH, layout=parse_layout(f"0, 0\n{legend}\n{symbol}..."))
    breakdown = breakdown_of(rules, [], "1A CAT")
    assert str(breakdown) == f"1A CAT: {shown}"
    assert breakdown.words[0].tiles[0].points == value


def test_blanks_and_long_tiles_in_text() -> None:
    letters = LetterDistribution("test", ("?", "A", "E", "CH"), (0, 1, 1, 5))
    rules = dataclasses.replace(ENGLISH, letters=letters, layout=parse_layout('0, 0\n"....\n.....'))
    assert str(breakdown_of(rules, [], "1A [CH]A[ch]e")) == "1A [CH]A[ch]e: 5 x 3 [A1 triple letter] + 1 + 0 + 0 = 16"
    unknown = breakdown_of(rules, [], "1A ?A")
    assert str(unknown) == "1A ?A: 0 x 3 [A1 triple letter] + 1 = 1\nflagged: a blank without a letter"
    assert unknown.words[0].text == "?A"


def test_text_without_a_word() -> None:
    alone = breakdown_of(ENGLISH, [], "8H A")
    assert str(alone) == "total: 0\nflagged: forms no word of two tiles"
    assert (alone.words, alone.bonus, alone.total, alone.status) == ((), 0, 0, Status.NO_WORD)


def test_one_tile_has_a_cross_word_only() -> None:
    # written across, but HAT is not in that direction's row of squares
    breakdown = breakdown_of(ENGLISH, ["H6 HA"], "8H T")
    assert [(word.text, word.main, word.direction) for word in breakdown.words] == [("HAT", False, 1)]
    # H8 is a double word
    assert str(breakdown) == "H6 HAT: (4 + 1 + 1) x 2 [H8 double word] = 12"
    down = breakdown_of(ENGLISH, ["H6 HA"], "H8 T")
    assert [(word.text, word.main, word.direction) for word in down.words] == [("HAT", True, 1)]


def test_parts() -> None:
    breakdown = breakdown_of(ENGLISH, ["8G OVA", "7I APP"], "J5 UM.S")
    assert (breakdown.placement_text, breakdown.rules_name) == ("J5 UM.S", "classic/english")
    assert (breakdown.bonus, breakdown.total, breakdown.status, breakdown.tiles_laid) == (0, 21, Status.GOOD, 3)
    umps, ovas = breakdown.words
    assert (umps.row, umps.col, umps.direction, umps.main, umps.position) == (4, 9, 1, True, "J5")
    assert (ovas.row, ovas.col, ovas.direction, ovas.main, ovas.position) == (7, 6, 0, False, "8G")
    assert (umps.letter_sum, umps.word_multiplier, umps.bingo_multiplier, umps.score) == (14, 1, 1, 14)
    shown = [(tile.text, tile.value, tile.fresh, tile.letter_multiplier, tile.points) for tile in umps.tiles]
    assert shown == [("U", 1, True, 1, 1), ("M", 3, True, 3, 9), ("P", 3, False, 1, 3), ("S", 1, True, 1, 1)]
    assert [(tile.row, tile.col) for tile in umps.tiles] == [(4, 9), (5, 9), (6, 9), (7, 9)]
    with pytest.raises(dataclasses.FrozenInstanceError):
        breakdown.total = 22  # type: ignore[misc]


def test_as_dict_is_json() -> None:
    breakdown = breakdown_of(ENGLISH, ["8H AT"], "H7 B.")
    data = breakdown.as_dict()
    assert json.loads(json.dumps(data)) == data
    # B 3 on H7, no premium; A 1 lies on the double word, which is spent
    assert data == {
        "play": "H7 B.",
        "rules": "classic/english",
        "score": 4,
        "bonus": 0,
        "status": 0,
        "reasons": [],
        "words": [
            {
                "word": "BA",
                "position": "H7",
                "score": 4,
                "main": True,
                "letter_sum": 4,
                "word_multiplier": 1,
                "bingo_multiplier": 1,
                "tiles": [
                    {
                        "square": "H7",
                        "row": 6,
                        "col": 7,
                        "tile": 2,
                        "text": "B",
                        "fresh": True,
                        "value": 3,
                        "letter_multiplier": 1,
                        "word_multiplier": 1,
                        "points": 3,
                    },
                    {
                        "square": "H8",
                        "row": 7,
                        "col": 7,
                        "tile": 1,
                        "text": "A",
                        "fresh": False,
                        "value": 1,
                        "letter_multiplier": 1,
                        "word_multiplier": 1,
                        "points": 1,
                    },
                ],
            }
        ],
    }
    flagged = breakdown_of(ENGLISH, [], "1A ?T").as_dict()
    assert flagged["status"] == (1 << 22) | (1 << 24)
    assert flagged["reasons"] == ["START_NOT_COVERED", "BLANK_UNDESIGNATED"]
