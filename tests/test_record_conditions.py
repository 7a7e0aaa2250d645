"""Every condition that strict readers of records name, each by a small record of its own: its stable code and line."""

from __future__ import annotations

import io

import pytest

from fastscore.errors import RecordError
from fastscore.findings import CODES, meaning_of
from fastscore.gcg import read_game
from fastscore.gcg.codes import CODES as READER_CODES
from fastscore.replays import replay
from tests.tiny_games import COMPLETE, END_LINE, HEADER, OPENING, OUT_PLAY, TINY, found, replay_of

# Conditions that reading a record finds: in words, the text, line and code. The record is otherwise good.
BODY = "".join(f"{line}\n" for line in COMPLETE)
READING = {
    "duplicate names": ("#player1 a Ann\n#player2 b Ann\n" + BODY, 2, "duplicate-full-name"),
    "duplicate nicknames": ("#player1 a Ann\n#player2 a Bob\n", 2, "duplicate-nickname"),
    "pragma after events": (HEADER + BODY + "#title late\n", 6, "pragma-late"),
    "encoding line not first": ("#title t\n#character-encoding UTF-8\n" + HEADER + BODY, 2, "encoding-not-first"),
    "unsupported encoding": ("#character-encoding EBCDIC\n" + HEADER + BODY, 1, "encoding-unsupported"),
    "player does not exist": (HEADER + BODY.replace(">b: EE", ">c: EE"), 4, "player-unknown"),
    "event before any player": (BODY, 1, "player-undeclared"),
    "player number redundant": ("#player1 z Zoe\n" + HEADER + BODY, 2, "player-repeated"),
    "empty file": ("", 0, "empty-file"),
    "note before events": (HEADER + "#note early\n" + BODY, 3, "note-before-events"),
    "no matching token": (HEADER + "what is this\n" + BODY, 3, "line-unknown"),
    "rack malformed": (HEADER + BODY.replace("a: AN", "a: A4"), 3, "rack-malformed"),
    "score malformed": (HEADER + BODY.replace("+101", "+1o1"), 3, "score-malformed"),
    "redundant pragma": ("#title one\n#title two\n" + HEADER + BODY, 2, "pragma-repeated"),
    "event after the last rack": (HEADER + OPENING + "\n#rack2 EE\n" + OUT_PLAY + "\n", 5, "event-after-last-rack"),
}


@pytest.mark.parametrize("condition", READING)
def test_conditions_of_reading(condition: str) -> None:
    text, line, code = READING[condition]
    game = read_game(io.BytesIO(text.encode()))
    problems = [problem for problem in game.problems if problem.code == code]
    assert problems[0].line == line
    assert code in READER_CODES
    assert meaning_of(code) == READER_CODES[code].meaning
    findings = [finding.code for finding in replay(game, TINY).findings]
    # What loses something of the game, or touches who played what, is a finding of the replay as well.
    assert (code in findings) == (code != "note-before-events")
    with pytest.raises(RecordError) as error:
        read_game(io.BytesIO(text.encode()), strict=True)
    assert (error.value.code, error.value.line or 0) == (code, line)


# Conditions that only a replay finds: in words, the lines (the first is line 3 of the record), line and code.
PLAYING = {
    "phony returned without a play": (
        [OPENING, ">b: EE - +0 0", ">b: EE -- +0 0"],
        5,
        "withdrawal-without-play",
    ),
    "phony returned by another player": ([OPENING, ">b: EE -- -101 0"], 4, "withdrawal-other-player"),
    "phony returned with other tiles": ([OPENING, ">a: ES -- -101 0"], 4, "withdrawal-other-tiles"),
    "phony returned for another amount": ([OPENING, ">a: AN -- -100 1"], 4, "withdrawal-amount"),
    "phony returned for nothing": ([OPENING, ">a: AN -- +0 0"], 4, "withdrawal-zero"),
    "challenge bonus without a play": ([">a: AN - +0 0", ">a: AN (challenge) +5 5"], 4, "challenge-without-play"),
    "challenge bonus for another player": ([OPENING, ">b: EE (challenge) +5 5"], 4, "challenge-other-player"),
    # One word: 5 and 10 are the bonuses of one play or one word.
    "challenge bonus of no rule": ([OPENING, ">a: SS (challenge) +7 108"], 4, "challenge-amount"),
    # AN is one word.
    "two challenge bonuses for one word": (
        [OPENING, ">a: SS (challenge) +5 106", ">a: SS (challenge) +5 111"],
        5,
        "challenge-twice",
    ),
    "phony returned after a challenge that it stood": (
        [OPENING, ">a: SS (challenge) +5 106", ">a: AN -- -101 5"],
        5,
        "withdrawal-after-challenge",
    ),
    "played letters not in rack": ([">a: AE 8H AN +101 101"], 3, "not-on-rack"),
    "rack not in bag": ([">a: NN - +0 0"], 3, "rack-not-in-bag"),
    "rack too large": ([">a: ANE 8H AN +101 101"], 3, "rack-too-large"),
    "rack unreadable": ([">a: AQ - +0 0"], 3, "rack-unreadable"),
    "end-rack points incorrect": ([OPENING, OUT_PLAY, ">b: (SS) +11 131"], 5, "end-points-wrong"),
    # The tiles count 3 + 3; both lines of a transfer are there, and one has another number.
    "end-rack penalty incorrect": (
        [OPENING, OUT_PLAY, ">b: (SS) +6 126", ">a: SS (SS) -5 96"],
        6,
        "end-penalty-wrong",
    ),
    "end-rack tiles incorrect": ([OPENING, OUT_PLAY, ">b: (S) +6 126"], 5, "end-tiles-not-unseen"),
    "end-rack tiles are not the rack": (
        [*[">a: AN - +0 0", ">b: EE - +0 0"] * 3, ">a: AN (AE) -11 -11", ">b: EE (EE) -20 -20"],
        9,
        "end-tiles-not-rack",
    ),
    "end-rack tiles unreadable": ([OPENING, OUT_PLAY, ">b: (QQ) +12 132"], 5, "end-tiles-unreadable"),
    "end-rack points for another player": ([OPENING, OUT_PLAY, ">a: (SS) +12 113"], 5, "end-line-other-player"),
    # Whoever goes out pays nothing.
    "end lines that fit no way to count": (
        [OPENING, OUT_PLAY, ">b: _______ (SS) -6 114"],
        5,
        "end-lines-contradict",
    ),
    "end-rack points twice": ([*COMPLETE, ">b: (SS) +12 144"], 6, "end-line-twice"),
    "end-rack penalty twice": (
        [*[">a: AN - +0 0", ">b: EE - +0 0"] * 3, ">a: AN (AN) -101 -101", ">a: AN (AN) -101 -202"],
        10,
        "end-line-twice",
    ),
    "end line missing": ([OPENING, OUT_PLAY], 4, "end-line-missing"),
    "event off turn": ([OPENING, ">a: SS - +0 101"], 4, "off-turn"),
    "move after the game's end": ([OPENING, OUT_PLAY, ">a: SS - +0 101", END_LINE], 5, "move-after-end"),
    "end-game event before the game's end": ([OPENING, ">a: (EE) +40 141"], 4, "end-line-early"),
    "time penalty too early": ([OPENING, ">a: SS (time) -10 91", OUT_PLAY, END_LINE], 4, "time-penalty-early"),
    "time penalty twice": ([*COMPLETE, ">a: SS (time) -10 91", ">a: SS (time) -10 81"], 7, "time-penalty-twice"),
    "time penalty of no rule": ([*COMPLETE, ">a: SS (time) -15 86"], 6, "time-penalty-amount"),
    # Ten begun minutes cost 100, and the game.
    "time penalty beyond the limit": ([*COMPLETE, ">a: SS (time) -110 -9"], 6, "time-penalty-amount"),
    "end line after a time penalty": (
        [OPENING, OUT_PLAY, ">a: SS (time) -10 91", END_LINE],
        6,
        "end-line-after-time-penalty",
    ),
    "turn after a time penalty": (
        [*COMPLETE, ">a: SS (time) -10 91", ">b: EE -- -120 12"],
        7,
        "turn-after-time-penalty",
    ),
    "misscored play": ([">a: AN 8H AN +100 100"], 3, "misscored"),
    "pass with points": ([">a: AN - +5 5"], 3, "turn-scored"),
    "wrong running total": ([">a: AN 8H AN +101 100"], 3, "wrong-total"),
    "invalid move": ([">a: AN 8H A.N +101 101"], 3, "play-illegal"),
    "not connected": ([OPENING, ">b: EE 1A EE +20 20", ">b: (SS) +12 32"], 4, "not-connected"),
    "start square not covered": ([">a: AN 1A AN +101 101"], 3, "start-not-covered"),
    "not the whole run": ([OPENING, ">b: EE I9 EE +120 120", END_LINE], 4, "not-maximal"),
    "fewer than two tiles in the word": ([">a: AN 8H A +0 0"], 3, "no-word"),
    "tile not in the alphabet": ([">a: AN 8H AQ +101 101"], 3, "play-unreadable"),
    "more tiles than the rack size": ([">a: AN 8H ANE +111 111"], 3, "play-illegal"),
    "exchange with too few tiles in the bag": ([OPENING, ">b: EE -E +0 0"], 4, "exchange-bag"),
    "exchange of a tile not on the rack": ([">a: AN -E +0 0"], 3, "exchange-not-on-rack"),
    "exchange of too many tiles": ([">a: _______ -3 +0 0"], 3, "exchange-too-many"),
    "exchange of no tiles": ([">a: AN -Q +0 0"], 3, "exchange-unreadable"),
    "tile that the set has no more of": ([OPENING, ">b: _______ I8 .A +101 101"], 4, "tile-overdrawn"),
    # After the opening the bag is empty; a lays one tile of two, and then two more.
    "more tiles than the player holds": (
        [OPENING, ">b: EE - +0 0", ">a: SS 8H ..S +104 205", ">b: EE - +0 0", ">a: _______ J8 .SE +16 221"],
        7,
        "tiles-not-held",
    ),
}


@pytest.mark.parametrize("condition", PLAYING)
def test_conditions_of_playing(condition: str) -> None:
    lines, line, code = PLAYING[condition]
    played = replay_of(lines)
    assert found(played) == [(line, code)]
    assert CODES[code].meaning == meaning_of(code)


def test_a_good_game_has_no_findings() -> None:
    assert replay_of(COMPLETE).findings == ()


def test_what_collections_ask_for() -> None:
    # "lexicon not specified" and "incomplete game" are no faults of the game, and found on request only.
    assert [finding.code for finding in replay_of([OPENING], strict=True).findings] == [
        "lexicon-missing",
        "game-incomplete",
    ]
    named = replay_of(COMPLETE, header=HEADER.replace("Bob", "Bob\n#lexicon CSW21"), strict=True)
    assert named.findings == ()


@pytest.mark.parametrize(
    "pragma",
    ["#game-type chess", "#board-layout triangle", "#tile-distribution klingon"],
)
def test_unknown_variants(pragma: str) -> None:
    # "unknown game variant": the rest of the record is replayed by what is known.
    text = f"#player1 a Ann\n{pragma}\n#player2 b Bob\n>a: ET 8G ET +4 4\n"
    played = replay(read_game(io.StringIO(text)))
    assert [(finding.line, finding.code) for finding in played.findings] == [(2, "rules-unknown")]
    assert pragma.split()[1] in played.findings[0].detail
    assert (played.rules.name, played.turns[0].computed) == ("classic/english", 4)


def test_codes_have_meanings() -> None:
    assert all(code.meaning and code.severity in ("error", "warning", "note") for code in CODES.values())
    assert not set(CODES) & set(READER_CODES)
    assert meaning_of("no-such-code") == ""
