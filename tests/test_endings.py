"""When a game is over and why, and how the end lines of a record count the last racks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.endings import (
    Ending,
    EndingStyle,
    EndLine,
    GameEnd,
    ScorelessTurns,
    game_end,
    recognise_ending,
    went_out,
)
from fastscore.errors import FastscoreError, ShapeError
from fastscore.rules.ruleset import Ruleset, load_rules

CLASSIC = load_rules("classic/english")
SPANISH = replace(CLASSIC, zero_turn_limit=12, pass_limit=4)
GERMAN = replace(CLASSIC, zero_turn_limit=None, pass_limit=4)
POLISH = replace(CLASSIC, pass_limit=4, exchange_is_scoreless=False)

Turn = Callable[[ScorelessTurns], ScorelessTurns]
TURNS: dict[str, Turn] = {
    "pass": lambda turns: turns.passed(),
    "exchange": lambda turns: turns.exchanged(),
    "phony": lambda turns: turns.placed(30).withdrawn(),
    "lost": lambda turns: turns.turn_lost(),
    "zero": lambda turns: turns.placed(0),
    "score": lambda turns: turns.placed(8),
}


def after(rules: Ruleset, text: str) -> list[ScorelessTurns]:
    """The counter after each of the turns."""
    counters = []
    turns = ScorelessTurns(rules)
    for name in text.split():
        turns = TURNS[name](turns)
        counters.append(turns)
    return counters


def ended_after(rules: Ruleset, text: str) -> tuple[int | None, Ending]:
    """The number of turns after which the game is over, and why."""
    for number, turns in enumerate(after(rules, text), start=1):
        if turns.ending is not Ending.NOT_ENDED:
            return number, turns.ending
    return None, Ending.NOT_ENDED


@pytest.mark.parametrize(
    ("rules", "turns", "number", "ending"),
    [
        (CLASSIC, "phony pass phony pass phony pass", 6, Ending.ZERO_TURNS),
        (CLASSIC, "exchange exchange exchange exchange exchange exchange", 6, Ending.ZERO_TURNS),
        (CLASSIC, "pass exchange phony pass exchange phony", 6, Ending.ZERO_TURNS),
        # Passing twice each does not end a game under these rules.
        (CLASSIC, "pass pass pass pass", None, Ending.NOT_ENDED),
        (CLASSIC, "pass pass pass pass pass score pass", None, Ending.NOT_ENDED),
        (CLASSIC, "score lost pass pass pass pass pass", 7, Ending.ZERO_TURNS),
        (CLASSIC, "pass pass pass pass pass zero", None, Ending.NOT_ENDED),
        (replace(CLASSIC, zero_score_is_scoreless=True), "pass pass pass pass pass zero", 6, Ending.ZERO_TURNS),
        (SPANISH, "pass pass pass pass", 4, Ending.PASSES),
        (SPANISH, "pass pass pass exchange " * 3, 12, Ending.ZERO_TURNS),
        (GERMAN, "pass pass pass phony pass pass pass exchange pass pass", None, Ending.NOT_ENDED),
        (GERMAN, "exchange " * 20, None, Ending.NOT_ENDED),
        (GERMAN, "pass pass pass pass", 4, Ending.PASSES),
        (POLISH, "exchange exchange exchange exchange exchange exchange", None, Ending.NOT_ENDED),
        (POLISH, "phony pass phony pass phony pass", 6, Ending.ZERO_TURNS),
        (POLISH, "phony pass phony exchange phony pass", None, Ending.NOT_ENDED),
    ],
)
def test_scoreless_turns(rules: Ruleset, turns: str, number: int | None, ending: Ending) -> None:
    assert ended_after(rules, turns) == (number, ending)


def test_a_withdrawn_play_takes_up_the_count_where_it_was() -> None:
    counters = after(CLASSIC, "pass exchange phony")
    assert [turns.zeros for turns in counters] == [1, 2, 3]
    assert [turns.passes for turns in counters] == [1, 0, 0]
    # Between the play and its withdrawal the play is worth its score.
    assert counters[1].placed(30).zeros == 0


def test_a_withdrawal_without_a_placement_changes_nothing() -> None:
    turns = ScorelessTurns(CLASSIC).passed()
    assert turns.withdrawn() == turns
    assert turns.placed(30).withdrawn().withdrawn().zeros == 2


@given(st.lists(st.sampled_from(sorted(TURNS)), max_size=20))
def test_counts_are_those_of_the_last_turns(names: list[str]) -> None:
    counters = after(CLASSIC, " ".join(names))
    zeros = passes = 0
    for turns, name in zip(counters, names, strict=True):
        zeros = 0 if name in ("score", "zero") else zeros + 1
        passes = passes + 1 if name == "pass" else passes if name == "lost" else 0
        assert (turns.zeros, turns.passes) == (zeros, passes)


def test_no_game_sees_the_count_of_another() -> None:
    games = ["pass " * 6, "score pass score exchange score"] * 20
    alone = [ended_after(CLASSIC, game) for game in games]
    assert alone[:2] == [(6, Ending.ZERO_TURNS), (None, Ending.NOT_ENDED)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda game: ended_after(CLASSIC, game), games)) == alone
        assert list(pool.map(lambda game: ended_after(CLASSIC, game), games[::-1])) == alone[::-1]


@pytest.mark.parametrize(
    ("rack_tiles", "bag_tiles", "out"),
    [(0, 0, True), (0, 2, False), (1, 0, False), (0, None, False), (None, 0, False)],
)
def test_playing_out_needs_an_empty_rack_and_an_empty_bag(
    rack_tiles: int | None, bag_tiles: int | None, out: bool
) -> None:
    assert went_out(rack_tiles, bag_tiles) is out


def test_why_a_game_is_over() -> None:
    fresh = ScorelessTurns(CLASSIC)
    assert game_end(fresh) == GameEnd(Ending.NOT_ENDED)
    assert game_end(fresh.placed(12), out=1) == GameEnd(Ending.PLAYED_OUT, out=1)
    assert game_end(after(CLASSIC, "pass " * 6)[-1]) == GameEnd(Ending.ZERO_TURNS)
    assert game_end(after(GERMAN, "pass " * 4)[-1]) == GameEnd(Ending.PASSES)
    # A challenge that decides the game does so with tiles in the bag, and also after the last play.
    assert game_end(fresh.placed(12), awarded_to=0) == GameEnd(Ending.CHALLENGE, awarded_to=0)
    assert game_end(fresh.placed(12), out=1, awarded_to=0) == GameEnd(Ending.CHALLENGE, awarded_to=0)


def test_a_last_play_that_is_withdrawn_ends_nothing() -> None:
    laid = ScorelessTurns(CLASSIC).placed(12)
    assert game_end(laid, out=0).ending is Ending.PLAYED_OUT
    assert game_end(laid.withdrawn()).ending is Ending.NOT_ENDED


POINTS, PENALTY = "end_points", "end_penalty"


@pytest.mark.parametrize(
    ("lines", "players", "out", "style", "missing"),
    [
        ([EndLine(1, POINTS, 2, 1)], 2, 1, EndingStyle.DOUBLE, ()),
        ([EndLine(1, POINTS, 1, 1), EndLine(0, PENALTY, -1, 1)], 2, 1, EndingStyle.TRANSFER, ()),
        ([], 2, 1, EndingStyle.MISSING, ()),
        ([EndLine(1, POINTS, 1, 1)], 2, 1, EndingStyle.SINGLE, ((0, PENALTY),)),
        ([EndLine(0, PENALTY, -1, 1)], 2, 1, EndingStyle.LOSS_ONLY, ((1, POINTS),)),
        # Only time and challenge lines: the racks are not counted.
        ([EndLine(1, "challenge_bonus", 5), EndLine(0, "time_penalty", -10)], 2, 1, EndingStyle.MISSING, ()),
        ([EndLine(1, "challenge_bonus", 5), EndLine(1, POINTS, 4, 2)], 2, 1, EndingStyle.DOUBLE, ()),
        # Who went out is seen by the line.
        ([EndLine(1, POINTS, 2, 1)], 2, None, EndingStyle.DOUBLE, ()),
        # Three players: 3 and 5 are taken from the others.
        (
            [EndLine(0, POINTS, 8, 8), EndLine(1, PENALTY, -3, 3), EndLine(2, PENALTY, -5, 5)],
            3,
            0,
            EndingStyle.STANDARD,
            (),
        ),
        ([EndLine(0, POINTS, 8, 8), EndLine(1, PENALTY, -3, 3)], 3, 0, EndingStyle.INCOMPLETE, ((2, PENALTY),)),
        ([EndLine(0, POINTS, 3, 3), EndLine(0, POINTS, 5, 5)], 3, 0, EndingStyle.SINGLE, ((1, PENALTY), (2, PENALTY))),
        # Nobody went out.
        ([EndLine(0, PENALTY, -6, 6), EndLine(1, PENALTY, -16, 16)], 2, None, EndingStyle.STANDARD, ()),
        ([EndLine(1, PENALTY, -6, 6)], 2, None, EndingStyle.INCOMPLETE, ((0, PENALTY),)),
        ([EndLine(0, PENALTY, -6, 6)], 1, None, EndingStyle.STANDARD, ()),
        # PAIN is worth 6. A total that adds twice as much is a whole ending, points of once need another line.
        ([EndLine(1, POINTS, 6, 6, told=12)], 2, 1, EndingStyle.DOUBLE, ()),
        ([EndLine(1, POINTS, 12, 6, told=6)], 2, 1, EndingStyle.DOUBLE, ()),
        # Points that fit nothing, and a total that does.
        ([EndLine(1, POINTS, 9, 6, told=12)], 2, 1, EndingStyle.DOUBLE, ()),
        ([EndLine(1, POINTS, 9, 6, told=6)], 2, 1, EndingStyle.SINGLE, ((0, PENALTY),)),
        # What the total adds fits nothing.
        ([EndLine(1, POINTS, 6, 6, told=7)], 2, 1, EndingStyle.SINGLE, ((0, PENALTY),)),
        # The other line is there, so that it cannot be twice.
        ([EndLine(1, POINTS, 6, 6, told=12), EndLine(0, PENALTY, -6, 6)], 2, 1, EndingStyle.TRANSFER, ()),
        ([EndLine(1, POINTS, 9, 6, told=6), EndLine(0, PENALTY, -6, 6)], 2, 1, EndingStyle.TRANSFER, ()),
    ],
)
def test_recognised(
    lines: list[EndLine], players: int, out: int | None, style: EndingStyle, missing: tuple[tuple[int, str], ...]
) -> None:
    ending = recognise_ending(lines, players, out=out)
    assert ending.style is style
    assert ending.missing == missing
    assert ending.detail == ""


@pytest.mark.parametrize(
    ("lines", "players", "out", "detail"),
    [
        # RELATCH is worth 12.
        ([EndLine(1, POINTS, 14, 12)], 2, 1, "the player who went out gets 14, the tiles give 12 or 24"),
        ([EndLine(1, POINTS, 24, 12), EndLine(0, PENALTY, -12, 12)], 2, 1, "gets 24, and the others"),
        ([EndLine(0, POINTS, 16, 8)], 3, 0, "gets 16, the tiles give 8"),
        ([EndLine(1, POINTS, 2, None)], 2, 1, "the tiles give unknown"),
        ([EndLine(0, POINTS, 2, 1)], 2, 1, "points for a player who did not go out"),
        ([EndLine(1, POINTS, 8, 8), EndLine(0, PENALTY, -9, 9)], 2, 1, "gets 8, the others are charged -9"),
        ([EndLine(1, POINTS, 8, 8), EndLine(1, PENALTY, -8, 8)], 2, 1, "the player who went out is charged"),
        ([EndLine(1, PENALTY, -8, 8)], 2, 1, "the player who went out is charged"),
        ([EndLine(0, PENALTY, -7, 8)], 2, None, "a player is charged -7, the tiles are -8"),
        ([EndLine(0, PENALTY, -7)], 2, None, "a player is charged -7, the tiles are unknown"),
        ([EndLine(0, PENALTY, -7, 7), EndLine(0, PENALTY, -7, 7)], 2, None, "charged twice"),
    ],
)
def test_not_recognised(lines: list[EndLine], players: int, out: int | None, detail: str) -> None:
    ending = recognise_ending(lines, players, out=out)
    assert ending.style is EndingStyle.OTHER
    assert ending.fits == ()
    assert detail in ending.detail


def test_tiles_worth_nothing_fit_several_styles() -> None:
    lines = [EndLine(1, POINTS, 0, 0, "?")]
    fits = (EndingStyle.DOUBLE, EndingStyle.SINGLE, EndingStyle.TRANSFER, EndingStyle.STANDARD)
    for preferred in ("double", "transfer", "standard"):
        ending = recognise_ending(lines, 2, out=1, preferred=preferred)
        assert ending.fits == fits
        assert ending.style.value == preferred
        assert ending.missing == ()


def test_two_players_transfer_is_standard() -> None:
    lines = [EndLine(1, POINTS, 8, 8), EndLine(0, PENALTY, -8, 8)]
    assert recognise_ending(lines, 2, out=1).style is EndingStyle.TRANSFER
    assert recognise_ending(lines, 2, out=1, preferred="standard").style is EndingStyle.STANDARD


def test_errors_quote_what_is_wrong() -> None:
    with pytest.raises(FastscoreError, match="player '2': expected 0 to 1"):
        recognise_ending([EndLine(2, POINTS, 8, 8)], 2)
    with pytest.raises(ShapeError, match="5 players: expected 1 to 4"):
        recognise_ending([], 5)
