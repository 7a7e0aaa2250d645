"""The word calculator: values of a published one, the notation, what is refused, and the command."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

import fastscore as fs
from fastscore.cli import main
from fastscore.words import word_score


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return lambda *arguments: Ran(main(arguments), *capsys.readouterr())


# Values of the published calculator and guide, as listed in the rules of counting a turn.
@pytest.mark.parametrize(
    ("words", "bonus", "total"),
    [
        (["CAT"], False, 5),
        (["C2AT"], False, 8),
        (["C2AT:2"], False, 16),
        (["C2AT:2"], True, 66),
        (["QUIZ"], False, 22),
        (["QUIz3"], False, 12),
        # Two triple words, H on a double letter, and CREATORS on a triple word: 25 x 9 + 10 x 3 + 50.
        (["S:3YMPH2ONY:3", "CREATORS:3"], True, 305),
        # M on a double letter in MAIL, above the E of GAME.
        (["M2AIL", "M2E"], False, 9 + 7),
        # The record: three triple words, P and Z on double letters, 54 x 27, without its cross words.
        (["O:3XYP2HENB:3UTAZ2ONE:3"], False, 54 * 27),
    ],
)
def test_published_values(words: list[str], bonus: bool, total: int) -> None:
    counted = word_score(*words, bonus=bonus)
    assert counted.total == int(counted) == total
    assert counted.total == sum(word.score for word in counted.words) + counted.bonus


def test_parts() -> None:
    counted = fs.word_score("C2AT:2", "aB", bonus=True)
    first, second = counted.words
    assert (first.text, first.letter_sum, first.word_multiplier, first.score) == ("CAT", 6 + 1 + 1, 2, 16)
    assert [(letter.text, letter.value, letter.letter_multiplier, letter.points) for letter in first.letters] == [
        ("C", 3, 2, 6),
        ("A", 1, 1, 1),
        ("T", 1, 1, 1),
    ]
    assert (second.text, second.score, [letter.tile for letter in second.letters]) == ("aB", 3, [0x81, 2])
    assert (counted.bonus, counted.total, counted.rules_name) == (50, 16 + 3 + 50, "classic/english")


def test_arithmetic() -> None:
    assert str(word_score("CAT")) == "CAT: 3 + 1 + 1 = 5"
    assert str(word_score("C2A4:5t", bonus=True)).splitlines() == [
        "CAt: (3 x 2 [double letter] + 1 x 4 [quadruple letter] + 0) x 5 [x5 word] = 50",
        "bonus for 7 tiles: 50",
        "total: 50 + 50 = 100",
    ]
    # Without a bonus two words still have a total.
    assert str(word_score("A", "B")).splitlines() == ["A: 1 = 1", "B: 3 = 3", "total: 1 + 3 = 4"]


def test_several_word_premiums_multiply() -> None:
    # 1 + 3 = 4 points, on a double and a triple word.
    assert int(word_score("A:2B:3")) == 4 * 6
    # The same square may be both: 1 x 2 + 3 = 5.
    assert int(word_score("A2:3B")) == 5 * 3


def test_pairs_with_named_premiums() -> None:
    assert word_score(("CAT", ["DL", "", "DW"])) == word_score("C2AT:2")
    assert word_score(("QUIz", ["TL", "QL", "TW", "QW"])) == word_score("Q3U4I:3z:4")
    with pytest.raises(fs.NotationError, match=r"^2 premiums for the 3 tiles of 'CAT', expected one for each"):
        word_score(("CAT", ["DL", "DW"]))
    with pytest.raises(fs.NotationError, match=r"^'DLS' is no premium, expected DL, TL"):
        word_score(("AB", ["DLS", ""]))


def test_other_rules() -> None:
    # Bonus 35; Q is 10, I and U 1 and 2, Z 10 in that set.
    counted = word_score("QI", bonus=True, rules="words-with-friends")
    assert (counted.total, counted.bonus) == (10 + 1 + 35, 35)
    # Nine tiles on the rack there: 50 for all nine.
    assert str(word_score("AB", bonus=True, rules="hong-kong")).splitlines()[1] == "bonus for 9 tiles: 50"
    assert word_score("CAT", rules=fs.load_rules("duel")).total == 5
    with pytest.raises(fs.RulesError, match="unknown ruleset 'klassic/english'"):
        word_score("CAT", rules="klassic/english")


def test_rules_that_multiply_the_main_word() -> None:
    plain = word_score("QI", "QI", rules="letter-league")
    twice = word_score("QI", "QI", bonus=True, rules="letter-league")
    one = plain.words[0].score
    assert plain.total == 2 * one
    # The first word is the main word; no points are added.
    assert (twice.total, twice.bonus) == (2 * one + one, 0)
    assert twice.words[0].arithmetic.endswith(" x 2 [7 tiles laid]")


def test_tiles_with_long_names() -> None:
    # Spanish CH is one tile of 5, O 1: CH on a double letter, bracketed or not; C and H apart are 3 and 4.
    for text in ("CH2O", "[CH]2O"):
        counted = word_score(text, rules="classic/spanish")
        assert (counted.words[0].text, counted.total) == ("[CH]O", 5 * 2 + 1)
    assert word_score("C2HO", rules="classic/spanish").total == 3 * 2 + 4 + 1
    assert word_score("[ch]3O:2", rules="classic/spanish").total == 2
    # Some files write 1 for CH; behind a letter a digit is always a premium, so it needs its brackets.
    assert word_score("[1]O", rules="classic/spanish").total == 5 + 1


def test_blank_without_a_letter() -> None:
    assert word_score("CA?3:2").total == (3 + 1 + 0) * 2


def test_longest_word_is_that_of_the_board() -> None:
    assert word_score("A" * 15).total == 15
    with pytest.raises(fs.NotationError, match=r"^'A{16}' has 16 tiles, expected 1 to 15 as on the board of 'classic/"):
        word_score("A" * 16)
    assert word_score("A" * 21, rules="super/english").total == 21
    with pytest.raises(fs.NotationError, match="has 22 tiles, expected 1 to 21"):
        word_score("A" * 22, rules="super/english")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("CÄT", 2, "'Ä' at character 2 of 'CÄT' is no tile of 'english'"),
        ("C T", 2, "' ' at character 2"),
        ("C2A-T", 4, "'-' at character 4"),
        ("2CAT", 1, "'2' at character 1 of '2CAT' is no premium"),
        (":2CAT", 1, "':' at character 1"),
        ("C1AT", 2, "'1' at character 2 of 'C1AT' is no premium, expected behind a tile 2 to 9"),
        ("C0AT", 2, "'0' at character 2"),
        ("CA22T", 4, "'2' at character 4"),
        ("C:2:2AT", 4, "':' at character 4"),
        ("C:1AT", 3, "'1' at character 3"),
        ("C:23AT", 4, "'3' at character 4"),
        ("C:AT", None, "no number behind a ':' of 'C:AT', expected 2 to 9"),
        ("CAT:", None, "no number behind a ':'"),
        ("[CAT", 1, "'\\[' at character 1"),
        ("[XY]2", 1, "'\\[XY\\]' at character 1"),
        ("", None, "'' has 0 tiles, expected 1 to 15"),
    ],
)
def test_unreadable(text: str, column: int | None, message: str) -> None:
    with pytest.raises(fs.NotationError, match=f"^{message}") as raised:
        word_score("CAT", text)
    assert raised.value.column == column


def test_no_words() -> None:
    with pytest.raises(fs.NotationError, match=r"^no words, expected one or more"):
        word_score()


# --- the command ------------------------------------------------------------------------------------------------------


def test_command_text(run: Run) -> None:
    ran = run("word", "C2AT:2", "--bonus")
    assert ran == Ran(
        0,
        "CAT: (3 x 2 [double letter] + 1 + 1) x 2 [double word] = 16\nbonus for 7 tiles: 50\ntotal: 16 + 50 = 66\n",
        "",
    )


def test_command_json(run: Run) -> None:
    ran = run("word", "C2AT:2", "QUIz3", "--format", "json")
    assert ran.code == 0
    report = json.loads(ran.out)
    assert {key: report[key] for key in ("rules", "bonus", "total")} == {
        "rules": "classic/english",
        "bonus": 0,
        "total": 16 + 12,
    }
    assert [(word["word"], word["score"], word["letter_sum"]) for word in report["words"]] == [
        ("CAT", 16, 8),
        ("QUIz", 12, 12),
    ]
    assert report["words"][1]["tiles"][3] == {
        "text": "z",
        "tile": 26 | 0x80,
        "value": 0,
        "letter_multiplier": 3,
        "word_multiplier": 1,
        "points": 0,
    }


def test_command_csv(run: Run) -> None:
    ran = run("word", "CAT:2", "B", "--bonus", "--format", "csv", "--rules", "words-with-friends")
    rows = list(csv.reader(io.StringIO(ran.out)))
    # C 4, A 1, T 1, B 4 in that set.
    assert rows == [
        ["part", "word", "score", "arithmetic"],
        ["word", "CAT", "12", "(4 + 1 + 1) x 2 [double word]"],
        ["word", "B", "4", "4"],
        ["bonus", "", "35", ""],
        ["total", "", "51", ""],
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ABCDEFGHIJKLMNOP"], "fastscore: 'ABCDEFGHIJKLMNOP' has 16 tiles, expected 1 to 15"),
        (["CÄT"], "fastscore: 'Ä' at character 2 of 'CÄT' is no tile"),
        (["CAT", "--rules", "clasic/english"], "did you mean 'classic/english'?"),
        ([], "missing argument 'WORDS...'"),
    ],
)
def test_command_bad_input(run: Run, arguments: list[str], message: str) -> None:
    ran = run("word", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_command_says_that_lower_case_is_blanks(run: Run) -> None:
    ran = run("word", "cat", "CAt")
    # 0 + 0 + 0, and C 3 + A 1 + 0.
    assert (ran.code, ran.out) == (0, "cat: 0 + 0 + 0 = 0\nCAt: 3 + 1 + 0 = 4\ntotal: 0 + 4 = 4\n")
    assert ran.err == "fastscore: 'cat' is of blanks only, which lower case stands for; other tiles are in upper case\n"


def test_command_help_shows_the_notation(run: Run) -> None:
    ran = run("word", "--help")
    assert ran.code == 0
    rows = [line.split() for line in ran.out.splitlines() if re.fullmatch(r"    \S.* \d+", line)]
    shown = {row[0]: int(row[-1]) for row in rows}
    assert list(shown) == ["CAT", "C2AT", "C2AT:2", "QUIz3"]
    assert shown == {text: int(word_score(text)) for text in shown}
