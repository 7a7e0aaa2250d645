"""From the scores of the turns to the result, with and without a record of the end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.adjustments import Adjustment, EndRack, end_rack
from fastscore.endings import Ending, EndingStyle, EndLine, GameEnd
from fastscore.errors import FastscoreError, ShapeError
from fastscore.records.settlement import RecordedEnd, settle
from fastscore.results import Completeness, Result, standing
from fastscore.rules.ruleset import END_ADJUSTMENTS, Ruleset, load_rules

CLASSIC = load_rules("classic/english")
TRANSFER = replace(CLASSIC, end_adjustment="transfer")
OUT = [GameEnd(Ending.PLAYED_OUT, out=player) for player in range(4)]
NOBODY_OUT = GameEnd(Ending.ZERO_TURNS)
POINTS, PENALTY = "end_points", "end_penalty"
FAMILY = [EndRack(0), EndRack(8)]  # player 0 is out, player 1 holds 8 points


def recorded(play: tuple[int, ...], totals: tuple[int, ...], *lines: EndLine) -> RecordedEnd:
    """What a record says at the end."""
    return RecordedEnd(play, totals, lines)


@pytest.mark.parametrize(
    ("rules", "totals"), [(CLASSIC, (239, 231)), (TRANSFER, (231, 223))], ids=["double", "transfer"]
)
def test_without_a_record(rules: Ruleset, totals: tuple[int, int]) -> None:
    result = settle((223, 231), rules, OUT[0], racks=FAMILY)
    assert result.totals_settled == result.totals_computed == result.totals == totals
    assert (result.winner, result.tie, result.spread) == (0, False, 8)
    assert (result.totals_recorded, result.recorded_style, result.missing) == (None, None, ())
    assert (result.decided_by, result.completeness) == ("settled", Completeness.COMPLETE)
    assert result.players == ("player 1", "player 2")


@pytest.mark.parametrize(
    ("record", "style", "totals"),
    [
        (recorded((223, 231), (239, 231), EndLine(0, POINTS, 16, 8)), EndingStyle.DOUBLE, (239, 231)),
        (
            recorded((223, 231), (231, 223), EndLine(0, POINTS, 8, 8), EndLine(1, PENALTY, -8, 8)),
            EndingStyle.TRANSFER,
            (231, 223),
        ),
    ],
)
@pytest.mark.parametrize("rules", END_ADJUSTMENTS)
def test_the_style_of_the_record_is_kept(
    record: RecordedEnd, style: EndingStyle, totals: tuple[int, int], rules: str
) -> None:
    asked = replace(CLASSIC, end_adjustment=rules)
    result = settle((223, 231), asked, OUT[0], racks=FAMILY, record=record)
    # With two players "standard" is another name of "transfer".
    assert result.recorded_style in (style, EndingStyle.STANDARD if rules == "standard" else style)
    assert result.totals_recorded == result.totals_computed == result.totals_settled == totals
    assert (result.winner, result.spread, result.missing) == (0, 8, ())
    assert [line.difference for line in result.lines] == [0] * len(result.lines)


def test_no_end_lines() -> None:
    result = settle((223, 231), CLASSIC, OUT[0], racks=FAMILY, record=recorded((223, 231), (223, 231)))
    assert result.recorded_style is EndingStyle.MISSING
    assert result.totals_recorded == result.totals_computed == (223, 231)
    assert result.missing == (Adjustment(0, POINTS, 16, value=8, missing=True),)
    # The record stops before the end: by its own totals the wrong player would have won.
    assert (result.decided_by, result.totals, result.winner) == ("settled", (239, 231), 0)
    by_record = result.standing(result.totals_recorded)
    assert by_record is not None
    assert by_record.winner == 1


def test_subtracting_only_makes_a_tie_of_a_win() -> None:
    record = recorded((223, 231), (223, 223), EndLine(1, PENALTY, -8, 8))
    result = settle((223, 231), CLASSIC, OUT[0], racks=FAMILY, record=record)
    assert result.recorded_style is EndingStyle.LOSS_ONLY
    assert [(line.player, line.computed) for line in result.missing] == [(0, 8)]
    assert (result.totals, result.winner, result.tie) == ((231, 223), 0, False)


def test_adding_once_only() -> None:
    record = recorded((223, 231), (231, 231), EndLine(0, POINTS, 8, 8))
    result = settle((223, 231), CLASSIC, OUT[0], record=record)
    assert result.recorded_style is EndingStyle.SINGLE
    assert [(line.player, line.computed) for line in result.missing] == [(1, -8)]
    assert result.totals == (231, 223)


def test_six_passes_of_which_one_deduction_is_recorded() -> None:
    polish = load_rules("classic/polish")
    racks = [end_rack("FHIKOPU", polish), end_rack("?ANNZZZ", polish)]
    record = recorded((10, 18), (10, 12), EndLine(1, PENALTY, -6, 6, "ANNZZZ?"))
    result = settle((10, 18), polish, NOBODY_OUT, racks=racks, record=record)
    assert result.recorded_style is EndingStyle.INCOMPLETE
    assert result.totals_recorded == result.totals_computed == (10, 12)
    assert result.missing == (Adjustment(0, PENALTY, -17, tiles="FHIKOPU", value=17, missing=True),)
    assert (result.totals, result.winner) == ((-7, 12), 1)


def test_six_zeros_and_a_last_draw_that_is_not_recorded() -> None:
    result = settle((40, 30), CLASSIC, NOBODY_OUT, racks=[EndRack(6), EndRack(None)])
    assert result.completeness is Completeness.UNKNOWN
    assert result.totals_settled == (34, None)
    assert (result.winner, result.tie, result.spread) == (None, False, None)
    assert result.standing() is None
    # A record has totals of its own, but not who won: the racks that change them are in none of its lines.
    kept = settle((40, 30), CLASSIC, NOBODY_OUT, record=recorded((40, 30), (40, 30)))
    assert (kept.completeness, kept.decided_by, kept.finished) == (Completeness.UNKNOWN, "recorded", True)
    assert (kept.decided, kept.winner, kept.tie) == (False, None, False)


def test_six_zeros_with_rack_lines_after_the_last_draw() -> None:
    # The rack before the exchange does not matter: the lines name the tiles.
    lines = (EndLine(0, PENALTY, -6, 6, "?AEEOTT"), EndLine(1, PENALTY, -16, 16, "EIOQRRT"))
    result = settle((0, 0), CLASSIC, NOBODY_OUT, record=recorded((0, 0), (-6, -16), *lines))
    assert (result.completeness, result.recorded_style) == (Completeness.COMPLETE, EndingStyle.STANDARD)
    assert result.totals_recorded == result.totals_computed == result.totals_settled == (-6, -16)


def test_derived_rack_is_labelled() -> None:
    racks = [EndRack(0), EndRack(12, "RELATCH", derived=True)]
    result = settle((400, 393), CLASSIC, OUT[0], racks=racks, record=recorded((400, 393), (400, 393)))
    assert result.completeness is Completeness.DERIVABLE
    assert result.missing[0].derived
    assert result.totals == (424, 393)


def test_end_points_with_the_wrong_amount() -> None:
    record = recorded((393, 515), (393, 529), EndLine(1, POINTS, 14, 12, "RELATCH"))
    result = settle((393, 515), CLASSIC, OUT[1], record=record)
    assert result.recorded_style is EndingStyle.OTHER
    assert (result.lines[0].computed, result.lines[0].difference) == (24, -10)
    assert (result.totals_recorded, result.totals_computed) == ((393, 529), (393, 539))


def test_challenge_line_between_the_last_play_and_the_rack_line() -> None:
    # Player 1 has laid the last tiles, player 0 is the author of the bonus line. RR is worth 2.
    lines = (EndLine(0, "challenge_bonus", 5), EndLine(1, POINTS, 4, 2, "RR"))
    result = settle((472, 369), CLASSIC, OUT[1], record=recorded((472, 369), (477, 373), *lines))
    assert result.finished
    assert (result.end.out, result.recorded_style) == (1, EndingStyle.DOUBLE)
    assert result.totals_computed == (477, 373)


def test_time_penalty_is_a_line_of_its_own() -> None:
    # NU left is worth 2.
    lines = (EndLine(0, POINTS, 4, 2, "NU"), EndLine(1, "time_penalty", -10))
    result = settle((439, 432), CLASSIC, OUT[0], record=recorded((439, 432), (443, 422), *lines))
    assert result.play_computed == (439, 432)
    assert result.totals_recorded == result.totals_computed == (443, 422)
    assert [(line.kind, line.recorded, line.computed) for line in result.lines] == [
        (POINTS, 4, 4),
        ("time_penalty", -10, -10),
    ]


def test_recorded_time_penalty_against_the_clock() -> None:
    lines = (EndLine(0, POINTS, 4, 2), EndLine(1, "time_penalty", -50), EndLine(1, "time_penalty", -50))
    record = recorded((439, 432), (443, 332), *lines)
    result = settle((439, 432), CLASSIC, OUT[0], record=record, times={1: 61})
    assert [line.computed for line in result.lines] == [4, -20, 0]
    assert result.totals_computed == (443, 412)
    unrecorded = settle((439, 432), CLASSIC, OUT[0], record=recorded((439, 432), (443, 432), lines[0]), times={1: 61})
    assert unrecorded.missing == (Adjustment(1, "time_penalty", -20, missing=True, seconds=61),)


def test_game_decided_by_a_challenge() -> None:
    end = GameEnd(Ending.CHALLENGE, awarded_to=1)
    result = settle((300, 120), CLASSIC, end, racks=[EndRack(20), EndRack(9)], record=recorded((300, 120), (300, 120)))
    assert (result.lines, result.recorded_style) == ((), None)
    assert (result.totals, result.winner, result.completeness) == ((300, 120), 1, Completeness.COMPLETE)
    # Racks that are counted all the same are worth nothing.
    record = recorded((300, 120), (280, 120), EndLine(0, PENALTY, -20, 20))
    assert settle((300, 120), CLASSIC, end, record=record).totals_computed == (300, 120)


def test_unfinished_game() -> None:
    result = settle((300, 120), CLASSIC, GameEnd(Ending.NOT_ENDED), record=recorded((300, 120), (300, 120)))
    assert not result.finished
    assert (result.winner, result.tie, result.spread) == (None, False, 180)
    assert result.completeness is Completeness.UNKNOWN
    # End lines do not end a game that the turns have not ended.
    record = recorded((300, 120), (302, 120), EndLine(0, POINTS, 2, 1))
    closed = settle((300, 120), CLASSIC, GameEnd(Ending.NOT_ENDED), record=record)
    assert not closed.finished
    assert (closed.winner, closed.totals_computed) == (None, (302, 120))


def test_four_players() -> None:
    # The others hold 7, 3 and 5.
    racks = [EndRack(7), EndRack(0), EndRack(3), EndRack(5)]
    result = settle((172, 184, 221, 149), CLASSIC, OUT[1], racks=racks)
    assert (result.style, result.totals) == ("standard", (165, 199, 218, 144))
    assert (result.winner, result.spread) == (2, 19)


def test_one_player() -> None:
    result = settle((412,), CLASSIC, NOBODY_OUT, racks=[EndRack(9)])
    assert (result.totals, result.winner, result.tie, result.spread) == ((403,), None, False, 0)
    assert settle((412,), CLASSIC, OUT[0], racks=[EndRack(0)]).totals == (412,)


def test_parts_that_do_not_fit() -> None:
    with pytest.raises(ShapeError, match="1 racks for 2 players"):
        settle((1, 2), CLASSIC, OUT[0], racks=[EndRack(0)])
    with pytest.raises(ShapeError, match="3 names for 2 players"):
        settle((1, 2), CLASSIC, OUT[0], players=["a", "b", "c"])
    with pytest.raises(ShapeError, match="0 recorded totals for 2 players"):
        settle((1, 2), CLASSIC, OUT[0], record=recorded((1, 2), ()))
    with pytest.raises(ShapeError, match="5 players: expected 1 to 4"):
        settle((1, 2, 3, 4, 5), CLASSIC, OUT[0])
    with pytest.raises(ShapeError, match="1 scores before the adjustments for 2 players"):
        standing((1, 2), before=(1,))
    for wrong in (OUT[2], GameEnd(Ending.CHALLENGE, awarded_to=2)):
        with pytest.raises(FastscoreError, match="player '2': expected 0 to 1"):
            settle((1, 2), CLASSIC, wrong)
    with pytest.raises(FastscoreError, match="player '2': expected 0 to 1"):
        settle((1, 2), CLASSIC, OUT[0], times={2: 60})


def settled(play: tuple[int, int], values: tuple[int, int], out: int | None, style: str) -> Result:
    racks = [EndRack(0 if player == out else value) for player, value in enumerate(values)]
    end = NOBODY_OUT if out is None else OUT[out]
    return settle(play, replace(CLASSIC, end_adjustment=style), end, racks=racks)


PLAYS = st.tuples(st.integers(0, 700), st.integers(0, 700))
RACKS = st.tuples(st.integers(1, 60), st.integers(1, 60))


@given(play=PLAYS, values=RACKS, out=st.none() | st.integers(0, 1))
def test_every_style_names_the_same_winner(play: tuple[int, int], values: tuple[int, int], out: int | None) -> None:
    results = [settled(play, values, out, style) for style in END_ADJUSTMENTS]
    assert len({(result.winner, result.tie, result.spread) for result in results}) == 1


@given(play=PLAYS, values=RACKS, out=st.none() | st.integers(0, 1), style=st.sampled_from(END_ADJUSTMENTS))
def test_a_right_record_is_left_alone(
    play: tuple[int, int], values: tuple[int, int], out: int | None, style: str
) -> None:
    alone = settled(play, values, out, style)
    lines = tuple(EndLine(line.player, line.kind, line.computed or 0, line.value) for line in alone.lines)
    record = RecordedEnd(play, alone.totals_computed, lines)
    for rules in END_ADJUSTMENTS:
        read = settle(play, replace(CLASSIC, end_adjustment=rules), alone.end, record=record)
        assert read.totals_recorded == read.totals_computed == read.totals_settled == alone.totals
        assert read.missing == ()


@given(play=PLAYS, seconds=st.tuples(st.integers(0, 1000), st.integers(0, 1000)))
def test_overtime_twice_is_overtime_once(play: tuple[int, int], seconds: tuple[int, int]) -> None:
    times = dict(enumerate(seconds))
    plain = settle(play, CLASSIC, OUT[0], racks=FAMILY)
    once = settle(play, CLASSIC, OUT[0], racks=FAMILY, times=times)
    assert plain.with_overtime(times, CLASSIC) == once
    assert once.with_overtime(times, CLASSIC) == once
    assert once.forfeits == tuple(player for player, time in times.items() if time >= 600)
    assert once.winner not in once.forfeits


@pytest.mark.parametrize("end", [GameEnd(Ending.PLAYED_OUT), GameEnd(Ending.ZERO_TURNS, out=0)])
def test_an_ending_that_contradicts_itself(end: GameEnd) -> None:
    with pytest.raises(FastscoreError, match="expected a player for played_out only"):
        settle((1, 2), CLASSIC, end)


def test_a_player_who_is_out_and_charged_all_the_same() -> None:
    record = recorded((223, 231), (215, 231), EndLine(0, PENALTY, -8, 8))
    result = settle((223, 231), CLASSIC, OUT[0], racks=FAMILY, record=record)
    assert result.recorded_style is EndingStyle.OTHER
    assert [(line.player, line.kind, line.computed) for line in result.lines] == [(0, PENALTY, -8), (0, POINTS, 16)]


LINES = st.builds(
    EndLine,
    st.integers(0, 2),
    st.sampled_from([POINTS, PENALTY, "time_penalty", "challenge_bonus"]),
    st.integers(-30, 30),
    st.none() | st.integers(0, 15),
)
ENDS = st.sampled_from([*OUT[:3], NOBODY_OUT, GameEnd(Ending.NOT_ENDED), GameEnd(Ending.CHALLENGE, awarded_to=1)])


@given(lines=st.lists(LINES, max_size=6), end=ENDS, players=st.integers(2, 3))
def test_any_record_is_settled_or_refused_by_name(lines: list[EndLine], end: GameEnd, players: int) -> None:
    play = (100,) * players
    record = RecordedEnd(play, play, tuple(lines))
    strangers = {line.player for line in lines} | {end.out or 0}
    if max(strangers) >= players:
        with pytest.raises(FastscoreError, match="player '2': expected 0 to 1"):
            settle(play, CLASSIC, end, record=record)
        return
    result = settle(play, CLASSIC, end, record=record)
    # What is recorded stands as it is, in its order.
    kept = [(line.player, line.kind, line.recorded) for line in result.lines if not line.missing]
    assert kept == [(line.player, line.kind, line.points) for line in lines]
    assert result.totals_recorded == play
    assert sum(result.totals_computed) == sum(play) + sum(
        line.computed or 0 for line in result.lines if not line.missing
    )
