"""Replays with a lexicon: plays of words that are not in it, and good plays that were taken back."""

from __future__ import annotations

import dataclasses
import io
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import fastscore as fs
from fastscore.findings import Finding
from fastscore.gcg import read_game
from fastscore.lexicon import Lexicon
from fastscore.records.phonies import WordCheck, are_good
from fastscore.replays import Replay, replay, replay_many
from fastscore.rules.letters import load_distribution
from fastscore.rules.ruleset import load_rules
from fastscore.status import Status
from tests.tiny_games import COMPLETE, HEADER, OPENING, TINY, game_of

CLASSIC = load_rules("classic/english")
ENGLISH = load_distribution("english")
# F 4 on a double letter, all on a double word: (8 + 6) x 2 + 50. HUM 4 x 2 + 1 + 3 = 12, HE 9, UR 2.
FEASTER = ">a: AEEFRST 8D FEASTER +78 78"
HUM = ">b: EHIMTUD 7I HUM +23 23"
HUM_BACK = ">b: EHIMTUD -- -23 0"


def lexicon(*words: str) -> Lexicon:
    return Lexicon.from_words(words, ENGLISH)


def record(lines: Sequence[str], words: Sequence[str], pragma: str = "") -> Replay:
    """The replay of a record, of which these words are good."""
    return replay(game_of(lines, HEADER + pragma), lexicon=lexicon(*words))


def phonies(played: Replay) -> list[tuple[int, str, bool]]:
    """Line, detail and consequence of the phonies found."""
    return [
        (finding.line, finding.detail, finding.consequence) for finding in played.findings if finding.code == "phony"
    ]


def flagged(played: Replay) -> list[bool]:
    return [bool(turn.status & Status.PHONY) for turn in played.turns]


def test_a_play_that_stands() -> None:
    played = record([FEASTER, HUM], ["FEASTER", "HE"])
    assert played.findings == (Finding("phony", 4, 1, 1, detail="'7I HUM': HUM, UR not in the lexicon"),)
    assert played.findings[0].severity == "warning"
    assert flagged(played) == [False, True]
    assert played.turns[1].as_dict()["reasons"] == ["PHONY"]


def test_good_words_and_no_lexicon() -> None:
    assert record([FEASTER, HUM], ["FEASTER", "HE", "HUM", "UR"]).findings == ()
    assert replay(game_of([FEASTER, HUM])).findings == ()
    assert flagged(replay(game_of([FEASTER, HUM]))) == [False, False]


def test_a_play_that_is_taken_back() -> None:
    played = record([FEASTER, HUM, HUM_BACK], ["FEASTER", "HE", "HUM"])
    # It was challenged off rightly: nothing is wrong, and the turn still shows it.
    assert played.findings == ()
    assert flagged(played) == [False, True, False]


def test_a_good_play_that_is_taken_back() -> None:
    played = record([FEASTER, HUM, HUM_BACK], ["FEASTER", "HE", "HUM", "UR"])
    assert played.findings == (Finding("good-play-withdrawn", 5, 2, 1, detail="'7I HUM': HUM, HE, UR"),)
    assert played.findings[0].severity == "note"


def test_only_the_play_that_is_taken_back_is_pardoned() -> None:
    again = ">b: EHIMTUD 7I HUM +23 23"
    played = record([FEASTER, HUM, HUM_BACK, ">a: E - +0 78", again], ["FEASTER", "HE", "HUM"])
    assert phonies(played) == [(7, "'7I HUM': UR not in the lexicon", False)]


def test_a_misscored_phony() -> None:
    played = record([FEASTER, HUM.replace("+23 23", "+25 25")], ["FEASTER", "HE", "HUM"])
    assert [finding.code for finding in played.findings] == ["misscored", "phony"]


def test_blanks_count_as_their_letters() -> None:
    # (0 + 6) x 2 + 50.
    blank = ">a: AEE?RST 8D fEASTER +62 62"
    assert record([blank], ["FEASTER"]).findings == ()
    assert phonies(record([blank], ["FEAST"])) == [(3, "'8D fEASTER': fEASTER not in the lexicon", False)]


def test_a_blank_without_a_letter_is_no_phony() -> None:
    lines = [">a: AEE?RST 8D ?EASTER +62 62", ">b: A - +0 0"]
    assert [finding.code for finding in record(lines, ["FEAST"]).findings] == ["blank-undesignated"]
    # Nor can anybody say that it was good.
    taken_back = [lines[0], ">a: AEE?RST -- -62 0"]
    assert [finding.code for finding in record(taken_back, ["FEAST"]).findings] == ["blank-undesignated"]


def test_any_anagram_is_good_in_wordsmog() -> None:
    # The double letter D8 under the S: (2 + 4 + 5) x 2 + 50.
    line = ">a: AEEFRST 8D SFEATER +72 72"
    words = ["FEASTER"]
    assert [detail for _, detail, _ in phonies(record([line], words))] == ["'8D SFEATER': SFEATER not in the lexicon"]
    smog = record([line], words, "#game-type wordsmog\n")
    assert (smog.rules.anagram_words, smog.findings) == (True, ())
    other = record([line], ["FEASTED"], "#game-type wordsmog\n")
    assert phonies(other) == [(4, "'8D SFEATER': SFEATER not in the lexicon", False)]


def test_words_beside_tiles_that_could_not_be_laid() -> None:
    # There is no such tile as Ł; whatever is formed where its tiles are missing was another word in truth.
    lines = [FEASTER, ">b: E E7 Ł.D +4 4", ">a: HUM 7I HUM +23 101"]
    played = record(lines, ["FEASTER", "HE", "HUM"])
    assert phonies(played) == [(5, "'7I HUM': UR not in the lexicon", True)]


def test_a_lexicon_of_other_tiles() -> None:
    german = Lexicon.from_words(["ÄRA"], load_distribution("german"))
    played = replay(game_of([FEASTER]), lexicon=german)
    detail = "'lexicon' has the tiles of 'german', the rules have those of 'english'"
    assert played.findings == (Finding("lexicon-other-tiles", 0, detail=detail),)
    assert played.findings[0].severity == "warning"
    assert flagged(played) == [False]


def test_values_may_differ() -> None:
    friends = load_rules("words-with-friends")
    played = replay(game_of([">a: AN 8H AN +3 3"]), friends, lexicon("NA"))
    assert "lexicon-other-tiles" not in [finding.code for finding in played.findings]
    assert [line for line, _, _ in phonies(played)] == [3]


def test_a_plain_game_to_its_end() -> None:
    letters = TINY.letters
    everything = Lexicon.from_words(["AN", "NEE"], letters)
    assert replay(game_of(COMPLETE), TINY, everything).findings == ()
    played = replay(game_of(COMPLETE), TINY, Lexicon.from_words(["AN"], letters))
    assert phonies(played) == [(4, "'I8 .EE': NEE not in the lexicon", False)]
    plain = replay(game_of(COMPLETE), TINY)
    assert [turn._replace(status=0) for turn in played.turns] == list(plain.turns)
    assert played.result == plain.result


def test_many_games() -> None:
    games = [game_of([FEASTER, HUM] if number % 3 else [FEASTER]) for number in range(90)]
    played = list(replay_many(games, CLASSIC, lexicon("FEASTER", "HE", "HUM")))
    assert [len(each.findings) for each in played] == [1 if number % 3 else 0 for number in range(90)]


def test_both_ways_to_look_words_up_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [("FEASTER",), (), ("HUM", "HE", "UR"), ("hE",), ("?E",), ("MUH",), ("EH",)]
    known = lexicon("FEASTER", "HE", "HUM")
    smog = dataclasses.replace(CLASSIC, anagram_words=True)
    import fastscore.records.arrays  # noqa: F401 (with it loaded, compiled code is taken)

    compiled = [WordCheck(rules, known).phonies(words) for rules in (CLASSIC, smog)]
    monkeypatch.delitem(sys.modules, "fastscore.records.arrays")
    assert [WordCheck(rules, known).phonies(words) for rules in (CLASSIC, smog)] == compiled
    assert compiled == [{2: ("UR",), 5: ("MUH",), 6: ("EH",)}, {2: ("UR",)}]
    assert WordCheck(CLASSIC, known).phonies([]) == {}


def test_words_are_kept_in_mind_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastscore.records.phonies._MOST_KEPT", 2)
    check = WordCheck(CLASSIC, lexicon("HE", "HUM"))
    for _ in range(2):
        assert check.phonies([("HE", "HAM"), ("HUM",), ("HE",)]) == {0: ("HAM",)}
        assert check.phonies([("HUM", "UR")]) == {0: ("UR",)}


def test_words_of_codes() -> None:
    known = lexicon("HE", "FEASTER")
    texts = ["HE", "FEASTER", "HEN", "hE"]
    codes = np.array([code for text in texts for code in (*ENGLISH.encode(text), 0)], np.uint8)
    assert are_good(codes, known).tolist() == [True, True, False, True]
    assert are_good(codes[:0], known).tolist() == []


def test_a_lexicon_can_be_sent_to_other_processes() -> None:
    known = lexicon("FEASTER", "HE", "HUM")
    again = pickle.loads(pickle.dumps(known))
    assert list(again) == ["HE", "HUM", "FEASTER"]
    assert (again.name, again.letters, again.digest()) == (known.name, known.letters, known.digest())
    assert "EH" not in again
    assert again.contains("EH", anagrams=True)


def test_digests_of_lexicons() -> None:
    assert lexicon("HE", "HUM").digest() == lexicon("HUM", "HE", "HE").digest()
    assert lexicon("HE", "HUM").digest() != lexicon("HE", "HAM").digest()
    german = Lexicon.from_words(["HE", "HUM"], load_distribution("german"))
    assert lexicon("HE", "HUM").digest() != german.digest()


# The command.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.gcg").write_text(HEADER + f"{FEASTER}\n{HUM}\n")
    (tmp_path / "back.gcg").write_text(HEADER + f"{FEASTER}\n{HUM}\n{HUM_BACK}\n")
    (tmp_path / "words.txt").write_text("FEASTER\nHE\nHUM\nUR\n")
    (tmp_path / "few.txt").write_text("FEASTER\nHE\nHUM\n")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    from fastscore.cli import main

    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out.splitlines(), captured.err


@pytest.mark.usefixtures("folder")
def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, _ = run(capsys, "replay", "game.gcg", "--lexicon", "words.txt")
    assert (code, "no findings" in lines) == (0, True)
    code, lines, _ = run(capsys, "replay", "game.gcg", "--lexicon", "few.txt")
    assert code == 1
    assert "  line 4: phony: '7I HUM': UR not in the lexicon" in lines


@pytest.mark.usefixtures("folder")
def test_notes_alone_are_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, _ = run(capsys, "replay", "back.gcg", "--lexicon", "words.txt")
    assert code == 0
    assert "  line 5: good-play-withdrawn: '7I HUM': HUM, HE, UR" in lines


def test_command_takes_the_tiles_of_the_first_game(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Ä 6, R 1, A 1, doubled: 16.
    text = f"#character-encoding UTF-8\n{HEADER}#tile-distribution german\n>a: ÄRA 8H ÄRA +16 16\n"
    (folder / "german.gcg").write_text(text, "utf-8")
    (folder / "german.txt").write_text("ÄRA\n", "utf-8")
    assert run(capsys, "replay", "german.gcg", "--lexicon", "german.txt")[0] == 0
    code, lines, _ = run(capsys, "replay", "german.gcg", "game.gcg", "--lexicon", "german.txt")
    assert code == 1
    assert [line.split(": ")[0] for line in lines if "tiles of" in line] == ["  lexicon-other-tiles"]
    # Of given rules their own.
    code, _, err = run(capsys, "replay", "german.gcg", "--lexicon", "german.txt", "--rules", "classic/english")
    assert code == 2
    assert "german.txt" in err


@pytest.mark.usefixtures("folder")
def test_a_lexicon_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, err = run(capsys, "replay", "game.gcg", "game.gcg", "--lexicon", "none.txt")
    assert (code, lines) == (2, [])
    assert err.count("none.txt") == 1


# Older spellings of tiles.


def aliases(language: str, *lines: str) -> list[tuple[int, str, str]]:
    text = f"{HEADER}#tile-distribution {language}\n" + "".join(f"{line}\n" for line in lines)
    played = replay(read_game(io.StringIO(text)))
    return [
        (finding.line, finding.detail, finding.severity)
        for finding in played.findings
        if finding.code == "alias-spelling"
    ]


def test_a_note_on_aliases() -> None:
    old = [">a: AY 8G AY +22 22", ">b: AW 9G WA +21 21", ">a: K -K +0 22"]
    assert aliases("catalan", *old) == [(4, "'Y' for [NY], 'W' for [L·L], 'K' for Ç", "note")]
    assert aliases("catalan", ">a: A[NY] 8G A[NY] +22 22", ">b: A 9G [L·L]A +21 21") == []
    # The first line that has one, be it on a rack.
    assert aliases("spanish", ">a: AS 8G AS +4 4", ">b: 1O - +0 0") == [(5, "'1' for [CH]", "note")]
    # CH 5 and O 1, doubled; four tiles exchanged are no fourth tile.
    assert aliases("spanish", ">a: CHO 8H CHO +12 12", ">b: A -1 +0 0") == []


def test_other_spellings_of_one_letter_are_no_news() -> None:
    assert aliases("english", OPENING) == []


def test_aliases_beside_other_findings() -> None:
    text = f"{HEADER}#tile-distribution catalan\n>a: AY 8G AY +20 20\n>b: A - +0 0\n"
    played = replay(read_game(io.StringIO(text)))
    assert [finding.code for finding in played.findings] == ["misscored", "alias-spelling"]


def test_public_names() -> None:
    assert callable(fs.repair)
    assert callable(fs.choose_rules)
    import fastscore.repairs  # noqa: F401 (it must not take the function's place)

    assert callable(fs.repair)
