"""Faults of records that follow from one another, hide one another, or make a replay slow."""

from __future__ import annotations

import io
import time
from typing import Any

import pytest

from fastscore.errors import NotationError, RecordError
from fastscore.findings import CODES
from fastscore.game import Event, Game, Player
from fastscore.gcg import read_game
from fastscore.notation.cgp import format_cgp, parse_cgp
from fastscore.notation.plays import parse_word
from fastscore.records.arrays import compiled_facts
from fastscore.records.facts import RACKS_NOT_IN_BAG, FactsByReference
from fastscore.replays import Replay, replay
from fastscore.rules.letters import load_distribution
from tests.tiny_games import COMPLETE, END_LINE, HEADER, OPENING, OUT_PLAY, TINY, found, game_of, replay_of, tiny_rules

FIRST = ">a: AEEFRST 8D FEASTER +78 78"


def english(*lines: str, header: str = HEADER) -> Replay:
    """The replay of a record by the rules that it names, else English."""
    return replay(game_of(lines, header))


def follows(played: Replay) -> list[tuple[int, str]]:
    """Lines and codes of what follows from something else."""
    return [(finding.line, finding.code) for finding in played.findings if finding.consequence]


# Time.


def test_plays_that_cannot_be_laid_take_linear_time() -> None:
    lines = [f">{player}: A 1A .AAAAAAAAAAAAAA +0 0" for _ in range(2000) for player in "ab"]
    begin = time.perf_counter()
    played = english(*lines)
    assert [finding.code for finding in played.findings] == ["play-illegal"] * 4000
    # In quadratic time it is 14 seconds.
    assert time.perf_counter() - begin < 7


@pytest.mark.parametrize("name", ["english", "catalan"])
def test_brackets_that_are_not_closed_take_linear_time(name: str) -> None:
    letters = load_distribution(name)
    begin = time.perf_counter()
    with pytest.raises(NotationError):
        parse_word("[A" * 32_000, letters)
    assert time.perf_counter() - begin < 2


# Tiles that there are not.


def test_an_overdrawn_tile_is_found_once() -> None:
    # The set has one A. The racks that follow hold none, or the A that is overdrawn already.
    rules = tiny_rules(counts={"S": 8})
    lines = [OPENING, ">b: _______ I8 .A +101 101", ">a: SS - +0 101", ">b: SE - +0 101", ">a: AS - +0 101"]
    played = replay_of(lines, rules)
    assert found(played) == [(4, "tile-overdrawn")]
    assert follows(played) == [(7, "rack-not-in-bag")]
    # An N is another fault: the one N lies on the board.
    played = replay_of([*lines, ">b: NA - +0 101"], rules)
    assert found(played) == [(4, "tile-overdrawn"), (8, "rack-not-in-bag")]


@pytest.mark.parametrize("compiled", [True, False])
def test_tiles_on_two_racks_at_once(compiled: bool) -> None:
    # There are two E: A holds one of them when B shows both.
    game = game_of([">a: AE - +0 0", ">b: EE - +0 0", ">a: AE - +0 0", ">b: SS - +0 0"])
    (facts,) = compiled_facts([game], TINY) if compiled else [FactsByReference(game, TINY)]
    assert not facts.plain
    assert [bool(marks & RACKS_NOT_IN_BAG) for marks in facts.facts().marks] == [False, True, True, False]
    played = replay(game, TINY)
    assert (found(played), follows(played)) == ([(4, "racks-not-in-bag")], [(5, "racks-not-in-bag")])
    assert "'EE'" in played.findings[0].detail


def test_tiles_on_two_last_racks_at_once() -> None:
    played = replay_of([">a: AN - +0 0", "#rack1 AE", "#rack2 EE"])
    assert found(played) == [(5, "racks-not-in-bag")]


# The end.


def test_a_doubled_end_line_counts_once() -> None:
    played = replay_of([*COMPLETE, END_LINE.replace("132", "144")])
    assert found(played) == [(6, "end-line-twice")]
    assert (played.result.totals_recorded, played.result.totals_computed) == ((101, 144), (101, 132))
    # Both lines of the transfer twice: once each is right.
    transfer = [">b: (SS) +6 126", ">b: (SS) +6 132", ">a: SS (SS) -6 95", ">a: SS (SS) -6 89"]
    played = replay_of([OPENING, OUT_PLAY, *transfer])
    assert found(played) == [(6, "end-line-twice"), (8, "end-line-twice")]
    assert played.result.totals_computed == (95, 126)


def test_no_winner_where_an_end_rack_is_unknown() -> None:
    played = replay_of([OPENING, *[">b: - +0 0", ">a: - +0 101"] * 3])
    assert (played.result.finished, played.result.decided) == (True, False)
    assert (played.result.winner, played.result.tie) == (None, False)


@pytest.mark.parametrize(
    "lines",
    [
        [">a: AN - +0 0", ">b: EE - +0 0", ">a: AN (AN) -101 -101"],
        [*COMPLETE, ">a: SS - +0 101"],
    ],
)
def test_end_lines_do_not_end_a_game(lines: list[str]) -> None:
    result = replay_of(lines).result
    assert (result.finished, result.winner, result.tie) == (False, None, False)


def test_passes_of_a_federation_are_a_note() -> None:
    # Four passes end a game of that federation, six any game.
    header = HEADER.replace("#player2", "#tile-distribution polish\n#player2")
    passes = [">a: AEIOKSW - +0 0", ">b: AEIZZNR - +0 0"] * 3
    played = english(*passes, header=header)
    notes = [finding for finding in played.findings if finding.severity == "note"]
    assert [finding.code for finding in notes] == ["move-after-passes"]
    assert "move-after-end" not in [finding.code for finding in played.findings]
    assert played.result.end.ending.value == "zero_turns"


# What follows from what.


def test_a_doubled_line() -> None:
    lines = [FIRST, FIRST, ">b: EHIMTUD 7I HUM +23 23"]
    played = english(*lines)
    assert found(played) == [(4, "off-turn")]
    assert follows(played) == [(4, "play-illegal"), (4, "wrong-total")]


def test_a_play_off_the_board_follows_from_no_lost_line() -> None:
    lines = [FIRST, ">a: OOOIIUU - +0 78", ">b: EHIMTUD 8O EHIM +9 9"]
    assert found(english(*lines)) == [(4, "off-turn"), (5, "play-illegal")]
    # B's line is missing: the plays through its tiles, and B's total, follow.
    lines = [FIRST, ">a: OIEMEGF 6J FO. +32 110", ">b: EITD - +0 23"]
    played = english(*lines)
    assert found(played) == [(4, "off-turn")]
    assert follows(played) == [(4, "play-illegal"), (5, "wrong-total")]


def test_a_withdrawal_under_the_wrong_name() -> None:
    # B's line takes A's play back; the total is A's.
    lines = [FIRST, ">b: AEEFRST -- -78 0", ">b: EHIMTUD 8G HUM +16 16", ">a: AEEFRST - +0 0"]
    played = english(*lines)
    assert found(played) == [(4, "withdrawal-other-player")]
    assert follows(played) == [(4, "misscored"), (4, "wrong-total"), (5, "play-illegal"), (6, "wrong-total")]
    assert played.findings[-1].cause == "total-restored"


def test_a_turn_under_the_wrong_name() -> None:
    # HUM is B's: 23 points that come back with B's next line.
    lines = [FIRST, ">a: EHIMTUD 7I HUM +23 23", ">a: OOOIIUU - +0 78", ">b: EITDNNN - +0 23"]
    played = english(*lines)
    assert found(played) == [(4, "off-turn")]
    assert follows(played) == [(4, "wrong-total"), (5, "off-turn"), (5, "wrong-total"), (6, "wrong-total")]


def test_a_total_without_a_play_that_cannot_be_laid() -> None:
    lines = [FIRST, ">b: EHIMTUD 1A HUM.. +23 0", ">a: OO - +0 78", ">b: EHIMTUD - +0 0"]
    played = english(*lines)
    assert found(played) == [(4, "play-illegal")]
    assert follows(played) == [(4, "wrong-total")]
    # The total has it, and the next one has not.
    lines = [FIRST, ">b: EHIMTUD 1A HUM.. +23 23", ">a: OO - +0 78", ">b: EHIMTUD - +0 0"]
    played = english(*lines)
    assert (found(played), follows(played)) == ([(4, "play-illegal")], [(6, "wrong-total")])


def test_a_total_that_is_right_again() -> None:
    # FEASTER is 78; with 68 recorded the next total is the one of 78.
    played = english(">a: AEEFRST 8D FEASTER +68 68", ">b: EHIMTUD - +0 0", ">a: OO - +0 78")
    assert found(played) == [(3, "misscored")]
    assert (follows(played), played.findings[-1].cause) == ([(5, "wrong-total")], "total-restored")


# Names, racks and types.


def test_a_short_name_of_two_that_is_a_full_name() -> None:
    played = english(FIRST.replace(">a", ">Q"), ">Q: EHIMTUD 7I HUM +23 23", header="#player1 Q Q\n#player2 Q R\n")
    assert [turn.player for turn in played.turns] == [0, 1]


def test_other_spellings_of_tiles_on_a_rack() -> None:
    # CH is also written 1: B 3, O 1, D 2, A 1 on the doubled centre.
    header = HEADER.replace("#player2", "#tile-distribution spanish\n#player2")
    played = english(">a: 1OOABDE 8G BODA +14 14", header=header)
    assert [(finding.code, finding.severity) for finding in played.findings] == [("alias-spelling", "note")]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("attribute", "value"),
    [("score", "5"), ("total", 1.5), ("rack", b"AN"), ("text", None), ("text", 7), ("player", "a"), ("at", 3)],
)
def test_games_built_with_other_types(attribute: str, value: Any, compiled: bool) -> None:
    event = Event.placement(0, "8H", "AN", 101, 101, rack="AN")
    setattr(event, attribute, value)
    game = Game([Player("a"), Player("b")], [event])
    with pytest.raises(RecordError, match=f"event 1: {attribute} "):
        compiled_facts([game], TINY) if compiled else FactsByReference(game, TINY)


@pytest.mark.parametrize("given", [b"#player1 a Ann\n", None, 5])
def test_what_is_neither_a_path_nor_a_handle(given: Any) -> None:
    with pytest.raises(RecordError, match="expected a path or a handle") as error:
        read_game(given)
    assert ("BytesIO" in str(error.value)) == isinstance(given, bytes)


# Positions.


def test_the_position_after_the_last_turn() -> None:
    played = replay_of([OPENING, ">b: EE - +0 0", "#rack1 SS", "#rack2 EE"])
    line = format_cgp(played.cgp(2))
    assert line == "15/15/15/15/15/15/15/7AN6/15/15/15/15/15/15/15 SS/EE 101/0 1 bdn plain; ld tiny;"
    with pytest.raises(RecordError, match="turn 3, expected 0 to 2"):
        played.cgp(3)


def test_positions_of_few_players() -> None:
    with pytest.raises(RecordError, match="without players"):
        replay(read_game(io.StringIO(""))).cgp(0)
    single = read_game(io.StringIO("#player1 a Ann\n>a: 8G ET +4 4\n"))
    position = replay(single).cgp(0)
    assert (position.racks, parse_cgp(format_cgp(position))) == (("", ""), position)


def test_new_codes_have_severities() -> None:
    assert CODES["racks-not-in-bag"].severity == "error"
    assert CODES["move-after-passes"].severity == "note"
