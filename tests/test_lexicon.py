"""Lexicons: word lists, membership in Python, anagrams, and the flag of plays that form other words."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import fastscore as fs
from fastscore.cli import main
from fastscore.errors import LexiconError, RulesError, ShapeError
from fastscore.lexicon import Lexicon
from fastscore.status import UNSCORABLE, Status
from fastscore.testing import random_board, random_placements, random_ruleset, reference
from tests.kwg_writer import write_kwg

CLASSIC = fs.load_rules("classic/english")
ENGLISH = CLASSIC.letters
SPANISH = fs.load_rules("classic/spanish").letters
SAMPLE = Path(__file__).parent / "data" / "sample_ab.kwg"


@pytest.fixture
def words() -> Lexicon:
    return Lexicon.from_words(["CAB", "CABS", "SO", "QUIZ"], ENGLISH)


# --- words ------------------------------------------------------------------------------------------------------------


def test_membership(words: Lexicon) -> None:
    assert all(word in words for word in ("CAB", "CABS", "SO", "QUIZ"))
    assert not any(word in words for word in ("CA", "CABSS", "BAC", "OS", "QUIT", "A"))
    assert (len(words), list(words)) == (4, ["SO", "CAB", "CABS", "QUIZ"])
    assert repr(words) == "<Lexicon lexicon, 4 words of english>"


def test_blanks_count_as_their_letters(words: Lexicon) -> None:
    assert "cAb" in words
    assert [3 | 0x80, 1, 2] in words
    assert (3, 1, 2) in words
    assert np.array([3, 1, 2], np.uint8) in words
    assert np.array([3, 2, 1]) not in words
    assert [3, 1, 2 | 0x80, 19] in words


def test_what_is_no_word(words: Lexicon) -> None:
    # No letter, nothing, another alphabet, codes beyond the letters and beyond a byte, a hole, no text at all.
    for no_word in (
        "CA?",
        "",
        "ČAB",
        "CA1",
        "A" * 65,
        [],
        [3, 1, 0x80],
        [3, 0, 1],
        [27],
        [3 + 256, 1, 2],
        [-125, 1, 2],
    ):
        assert no_word not in words
    assert 5 not in words
    assert None not in words


def test_word_list_file(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"\xef\xbb\xbf# a comment\r\ncab\r\n\r\nCABS \r\n  so\r\nQUIZ\r\ncab")
    lexicon = Lexicon.from_words(path, ENGLISH)
    assert list(lexicon) == ["SO", "CAB", "CABS", "QUIZ"]
    assert lexicon.name == "list"
    assert list(Lexicon.from_words(str(path), ENGLISH)) == list(Lexicon.read(path, ENGLISH)) == list(lexicon)


def test_read_goes_by_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "SAMPLE.KWG"
    path.write_bytes(SAMPLE.read_bytes())
    assert len(Lexicon.read(path, ENGLISH)) == 8
    assert len(Lexicon.read(str(path), ENGLISH)) == 8


def test_tiles_with_long_names() -> None:
    lexicon = Lexicon.from_words(["CHICO", "calle", "[RR]E"], SPANISH)
    assert list(lexicon) == ["[RR]E", "CA[LL]E", "[CH]ICO"]
    assert all(word in lexicon for word in ("[CH]ICO", "CHICO", "[ch]ico", "CALLE", "RRE"))
    # C and H apart are two other tiles, C[H] in brackets.
    assert "C[H]ICO" not in lexicon


def test_iterables() -> None:
    assert len(Lexicon.from_words(iter(["AB", "", " BA ", "AB"]), ENGLISH)) == 2
    assert len(Lexicon.from_words([], ENGLISH)) == 0
    assert "AB" not in Lexicon.from_words([], ENGLISH)
    assert Lexicon.from_words([], ENGLISH).contains_batch([[1, 2]], [2]).tolist() == [False]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"CAB\nCA B\n", 2, "' ' at character 3 of 'CA B' is no tile of 'english'"),
        (b"# x\n\nC\xc3\x84B\n", 3, "'Ä' at character 2"),
        (b"CAB\nCA?\n", 2, "'CA\\?' holds a blank without a letter"),
        (b"CAB\nSO\nC\xe4B\n", 3, "byte 0xe4 is not UTF-8"),
        (b"CAB\n" + b"A" * 65 + b"\n", 2, "has 65 tiles, expected at most 64"),
        (b"# nothing\n", None, "no words, expected one a line"),
        (b"", None, "no words"),
    ],
)
def test_bad_word_lists(tmp_path: Path, content: bytes, line: int | None, message: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(LexiconError, match=message) as raised:
        Lexicon.from_words(path, ENGLISH)
    assert (raised.value.source, raised.value.line, raised.value.node) == (str(path), line, None)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["AB", "A-B"], "^word 2: '-' at character 2"),
        (["AB", "", "A?"], r"^word 3: 'A\?' holds a blank"),
        (["A\nB"], "^word 1: "),
        (["A" * 64, "A" * 65], "^word 2: 'A{60}'... .* has 65 tiles"),
    ],
)
def test_bad_texts_are_counted(texts: list[str], message: str) -> None:
    with pytest.raises(LexiconError, match=message):
        Lexicon.from_words(texts, ENGLISH)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path, "a\0b"):
        with pytest.raises(LexiconError, match="cannot be read"):
            Lexicon.from_words(path, ENGLISH)


def test_arrays() -> None:
    lexicon = Lexicon([np.array([[1, 2], [2, 1], [1, 2 | 0x80]]), np.array([[1, 2, 3]], np.int64)], ENGLISH, "made")
    assert list(lexicon) == ["AB", "BA", "ABC"]
    for bad in ([[1, 0]], [[1, 27]], [[1, 300]]):
        with pytest.raises(LexiconError, match=r"tile codes \[1, \d+\] in a word, expected 1 to 26 as in 'english'"):
            Lexicon([bad], ENGLISH)
    for shape in ((3,), (2, 0), (1, 65)):
        with pytest.raises(LexiconError, match="words of shape"):
            Lexicon([np.ones(shape, np.uint8)], ENGLISH)


def test_pickled(words: Lexicon) -> None:
    assert words.contains("BAC", anagrams=True)
    again = pickle.loads(pickle.dumps(words))
    assert list(again) == list(words)
    assert again.contains("BAC", anagrams=True)
    assert again.contains_batch([[3, 1, 2]], [3]).tolist() == [True]


def test_many_words_are_told_apart() -> None:
    # All words of three letters but one in seven: hash tables that are full and long rows of taken slots.
    every = [f"{a}{b}{c}" for a in ENGLISH.tiles[1:] for b in ENGLISH.tiles[1:] for c in ENGLISH.tiles[1:]]
    good = [word for number, word in enumerate(every) if number % 7]
    lexicon = Lexicon.from_words(good, ENGLISH)
    assert list(lexicon) == good
    codes = np.array([ENGLISH.encode(word) for word in every])
    assert lexicon.contains_batch(codes, np.full(len(every), 3)).tolist() == [
        bool(number % 7) for number in range(len(every))
    ]
    assert [word in lexicon for word in every[:700]] == [bool(number % 7) for number in range(700)]


# --- anagrams ---------------------------------------------------------------------------------------------------------


def test_anagrams(words: Lexicon) -> None:
    for word in ("CAB", "BAC", "bca", "OS", "ZIQU", "SCAB"):
        assert words.contains(word, anagrams=True)
    for word in ("CA", "CAA", "CABB", "SOS", "?", ""):
        assert not words.contains(word, anagrams=True)


def test_anagrams_of_long_words() -> None:
    # Sixteen and more of one letter do not fit the four bits of its first plane.
    lexicon = Lexicon.from_words(["A" * 16 + "B", "A" * 15, "AB" * 16, "A" * 64], ENGLISH)
    for good in ("B" + "A" * 16, "A" * 15, "B" * 16 + "A" * 16, "A" * 64):
        assert lexicon.contains(good, anagrams=True)
    for bad in ("A" * 17, "A" * 16, "B" + "A" * 15, "B" * 17 + "A" * 15, "A" * 63, "A" * 48, "B" * 64):
        assert not lexicon.contains(bad, anagrams=True)


# --- flags ------------------------------------------------------------------------------------------------------------


def flags(board: fs.Board, plays: list[str], lexicon: Lexicon) -> list[Status]:
    """The flags of the plays, one by one and as a batch, which are the same."""
    single = [fs.check(board, play, lexicon=lexicon) for play in plays]
    batch = fs.PlacementBatch.parse(plays, board, errors="status")
    assert fs.check_batch(board, batch, lexicon=lexicon).tolist() == [int(status) for status in single]
    return single


def test_main_and_cross_words(words: Lexicon) -> None:
    board = fs.Board(CLASSIC).play("8G CAB")
    # J8 SO: SO down and CABS across. J7 OS: OS is none. 9G SO: CS and AO down are none.
    assert flags(board, ["J8 SO", "J8 So", "J7 OS", "J8 SQ", "9G SO"], words) == [
        Status.GOOD,
        Status.GOOD,
        Status.PHONY,
        Status.PHONY,
        Status.PHONY,
    ]
    # Flagged beside other reasons, but not for a play that has no score or forms no word.
    assert flags(board, ["A1 SO", "A1 OS"], words) == [Status.NOT_CONNECTED, Status.NOT_CONNECTED | Status.PHONY]
    assert flags(board, ["A1 S"], words) == [Status.NOT_CONNECTED | Status.NO_WORD]
    assert flags(board, ["15O OS"], words) == [Status.OFF_BOARD]
    assert flags(board, ["J8 S?"], words) == [Status.BLANK_UNDESIGNATED | Status.PHONY]


def test_without_a_lexicon_every_word_is_good() -> None:
    board = fs.Board(CLASSIC)
    assert fs.check(board, "8H QZX") == Status.GOOD
    assert fs.check_batch(board, fs.PlacementBatch.parse(["8H QZX"], board)).tolist() == [0]


def test_rules_of_anagrams(words: Lexicon) -> None:
    wordsmog = fs.load_rules("wordsmog")
    assert wordsmog.anagram_words
    board = fs.Board(wordsmog).play("8G BAC")
    assert flags(board, ["J8 SO", "J7 OS", "J8 SS", "9G SO"], words) == [
        Status.GOOD,
        # The S is on J8: BACS is CABS, too.
        Status.GOOD,
        Status.PHONY,
        Status.PHONY,
    ]
    classic = fs.Board(CLASSIC).play("8G BAC")
    assert flags(classic, ["J8 SO"], words) == [Status.PHONY]


def test_real_plays() -> None:
    with np.load(Path(__file__).parent / "data" / "legal_plays.npz") as file:
        some = slice(0, 2000)
        form = {name: file[name][some] for name in ("position", "row", "col", "direction", "length", "tiles")}
        boards = file["boards"]
    batch = fs.PlacementBatch.from_word_form(boards, **form)
    # The words as the reference reads them; one in five is left out of the lexicon.
    formed = [
        {tuple(tile.tile & 0x7F for tile in word.tiles) for word in reference.judge(board, placement).words}
        for board, placement in (
            (fs.Board(CLASSIC, boards[position]), batch[number]) for number, position in enumerate(form["position"])
        )
    ]
    missing = set(sorted(set().union(*formed))[::5])
    good = set().union(*formed) - missing
    lexicon = Lexicon(([word] for word in good), ENGLISH)
    expected = [int(Status.PHONY) if word & missing else 0 for word in formed]
    assert 0 < sum(map(bool, expected)) < len(expected)
    assert fs.check_batch(boards, batch, CLASSIC, lexicon=lexicon).tolist() == expected


@pytest.mark.parametrize("seed", range(12))
def test_kernels_and_reference_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastscore.scoring._FORMED_AT_ONCE", 64)
    rng = np.random.default_rng(seed)
    rules = dataclasses.replace(random_ruleset(rng), anagram_words=bool(seed % 2))
    boards = [random_board(rng, rules) for _ in range(3)]
    fields = [random_placements(rng, board, 60) for board in boards]
    placements = [[fs.Placement(*field) for field in some] for some in fields]
    judged = [
        [reference.judge(board, placement) for placement in some]
        for board, some in zip(boards, placements, strict=True)
    ]
    formed = {
        tuple(tile.tile & 0x7F for tile in word.tiles)
        for some in judged
        for judgement in some
        for word in judgement.words
    }
    good = [word for word in sorted(formed) if 0 not in word and rng.random() < 0.6]
    lexicon = Lexicon(([word] for word in good), rules.letters)
    expected = [
        int(reference.check(board, placement, None, lexicon))
        for board, some in zip(boards, placements, strict=True)
        for placement in some
    ]
    flat = [field for some in fields for field in some]
    batch = fs.PlacementBatch(
        position=np.repeat(np.arange(3), 60),
        row=[field.row for field in flat],
        col=[field.col for field in flat],
        direction=[field.direction for field in flat],
        tiles=[list(field.tiles) + [0] * (20 - len(field.tiles)) for field in flat],
    )
    found = fs.check_batch(boards, batch, lexicon=lexicon)
    assert found.tolist() == expected
    assert not any(status & Status.PHONY and status & (UNSCORABLE | Status.NO_WORD) for status in expected)
    assert {bool(status & Status.PHONY) for status in expected} == {False, True}


def test_lexicon_of_other_tiles(words: Lexicon) -> None:
    spanish = fs.Board(fs.load_rules("classic/spanish"))
    for judge in (
        lambda: fs.check(spanish, "8H SO", lexicon=words),
        lambda: fs.check_batch(spanish, fs.PlacementBatch.parse(["8H SO"], spanish), lexicon=words),
    ):
        with pytest.raises(
            RulesError, match="lexicon 'lexicon' has the tiles of 'english', expected those of the rules"
        ):
            judge()
    # Other values and counts are no other tiles.
    friends = fs.Board(fs.load_rules("words-with-friends"))
    assert fs.check(friends, "8H SO", lexicon=words) == Status.GOOD


def test_shapes(words: Lexicon) -> None:
    for rows, lengths in (([1, 2], [2]), ([[1, 2]], [[2]]), ([[1, 2]], [2, 2]), ([[1, 2]], 2)):
        with pytest.raises(ShapeError, match="expected"):
            words.contains_batch(rows, lengths)
    with pytest.raises(ShapeError, match="expected integers"):
        words.contains_batch([[1.0, 2.0]], [2])


# --- the command ------------------------------------------------------------------------------------------------------

EMPTY = "/".join(["15"] * 15) + " / 0/0 0"


@pytest.mark.parametrize("ending", ["txt", "kwg"])
def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str) -> None:
    path = tmp_path / f"lexicon.{ending}"
    if ending == "kwg":
        path.write_bytes(write_kwg({(3, 1, 2), (19, 15)}))
    else:
        path.write_text("cab\nso\n", encoding="utf-8")
    assert main(["check", EMPTY, "8G CAB", "8G SO", "--lexicon", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["8G CAB  good", "8G SO   good"]
    assert main(["check", EMPTY, "8G CAB", "8G BAC", "--lexicon", str(path), "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [play["reasons"] for play in report["plays"]] == [[], ["PHONY"]]


def test_command_with_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.kwg"
    path.write_bytes(SAMPLE.read_bytes()[:-4] + b"\xff\xff\x7f\x02")
    for name, message in (
        (path, f"{path}: node 27: child 4194303"),
        (tmp_path / "none", "cannot be read: no such file"),
    ):
        assert main(["check", EMPTY, "8G CAB", "--lexicon", str(name)]) == 2
        assert message in capsys.readouterr().err


def test_command_of_many_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fastscore.commands.judging.COMPILED_FROM", 2)
    path = tmp_path / "list.txt"
    path.write_text("CAB\n", encoding="utf-8")
    assert main(["check", EMPTY, "8G CAB", "8G BAC", "--lexicon", str(path), "--format", "csv"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "play,status,reasons",
        "8G CAB,0,",
        f"8G BAC,{1 << 27},PHONY",
    ]
