"""What changes the scores after the last turn: the tiles left on the racks, and overtime."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.adjustments import (
    Adjustment,
    EndRack,
    Seconds,
    derive_rack,
    end_adjustments,
    end_rack,
    overtime,
    rack_points,
    recompute_line,
)
from fastscore.endings import EndLine, recognise_ending
from fastscore.errors import FastscoreError, RulesError, ShapeError
from fastscore.rules.ruleset import END_ADJUSTMENTS, load_rules

CLASSIC = load_rules("classic/english")
STYLES = st.sampled_from(END_ADJUSTMENTS)
VALUES = st.lists(st.integers(1, 60), min_size=1, max_size=4)


def changes(racks: list[EndRack], style: str, out: int | None) -> list[int]:
    """Points by which the score of each player changes."""
    points = [0] * len(racks)
    for line in end_adjustments(racks, style=style, out=out):
        assert line.computed is not None
        points[line.player] += line.computed
    return points


def racks_of(values: list[int], out: int | None) -> list[EndRack]:
    """Racks worth these values; the player who is out holds nothing."""
    return [EndRack(0 if player == out else value) for player, value in enumerate(values)]


@pytest.mark.parametrize(
    ("style", "finals"), [("double", (239, 231)), ("transfer", (231, 223)), ("standard", (231, 223))]
)
def test_out_at_223_against_231_with_8_points_left(style: str, finals: tuple[int, int]) -> None:
    won, lost = changes([EndRack(0), EndRack(8)], style, 0)
    assert (223 + won, 231 + lost) == finals


@pytest.mark.parametrize("style", END_ADJUSTMENTS)
def test_six_zeros_at_0_0(style: str) -> None:
    # A1 E1 E1 O1 T1 T1 and a blank, 6; E1 I1 O1 Q10 R1 R1 T1, 16.
    racks = [end_rack("?AEEOTT", CLASSIC), end_rack("EIOQRRT", CLASSIC)]
    assert changes(racks, style, None) == [-6, -16]


@pytest.mark.parametrize(("style", "finals"), [("double", [0, 6]), ("transfer", [-3, 3]), ("standard", [-3, 3])])
def test_rack_with_a_blank(style: str, finals: list[int]) -> None:
    rack = end_rack("?ARR", CLASSIC)
    assert rack == EndRack(3, "?ARR")
    assert changes([rack, EndRack(0)], style, 1) == finals


def test_a_blank_left_may_cost_something_else() -> None:
    rules = replace(CLASSIC, end_blank_value=5)
    assert end_rack("?ARR", rules).value == 8
    assert end_rack("??", rules).value == 10
    assert rack_points((2, 1), (7, 3)) == 17
    assert rack_points((2, 1), (7, 3), 0) == 3


def test_rack_from_counts() -> None:
    counts = CLASSIC.letters.rack("?QUIZ")
    assert end_rack(counts, CLASSIC, derived=True) == EndRack(22, "IQUZ?", derived=True)
    assert end_rack(None, CLASSIC) == EndRack(None)
    with pytest.raises(ShapeError, match="3 counts for 27 values"):
        end_rack((0, 1, 0), CLASSIC)


def test_polish_six_passes() -> None:
    # F5 H3 I1 K2 O1 P2 U3 = 17; A1 N1 N1 Z1 Z1 Z1 and a blank = 6. Scores before: 10 and 18.
    polish = load_rules("classic/polish")
    racks = [end_rack("FHIKOPU", polish), end_rack("?ANNZZZ", polish)]
    lost = changes(racks, polish.end_adjustment, None)
    assert [10 + lost[0], 18 + lost[1]] == [-7, 12]


@pytest.mark.parametrize(
    ("values", "style", "out", "expected"),
    [
        # Three and four players: each of the others loses their own, the one who is out gets the sum.
        ([0, 3, 5], "standard", 0, [8, -3, -5]),
        ([7, 0, 3, 5], "standard", 1, [-7, 15, -3, -5]),
        ([7, 0, 3, 5], "transfer", 1, [-7, 15, -3, -5]),
        # The double rule is one for two players.
        ([7, 0, 3, 5], "double", 1, [-7, 15, -3, -5]),
        ([7, 2, 3, 5], "standard", None, [-7, -2, -3, -5]),
        # Alone: nobody to gain from, but the own tiles are lost.
        ([0], "double", 0, [0]),
        ([9], "double", None, [-9]),
    ],
)
def test_one_to_four_players(values: list[int], style: str, out: int | None, expected: list[int]) -> None:
    assert changes(racks_of(values, out), style, out) == expected


def test_lines() -> None:
    racks = [EndRack(0), EndRack(3, "?ARR"), EndRack(5, "VE", derived=True)]
    assert end_adjustments(racks, style="standard", out=0) == (
        Adjustment(0, "end_points", 8, tiles="?ARRVE", value=8, derived=True),
        Adjustment(1, "end_penalty", -3, tiles="?ARR", value=3),
        Adjustment(2, "end_penalty", -5, tiles="VE", value=5, derived=True),
    )
    # Tiles worth nothing have their line, no tiles have none.
    lines = end_adjustments([EndRack(0, "?"), EndRack(0)], style="double")
    assert lines == (Adjustment(0, "end_penalty", 0, tiles="?", value=0),)


def test_an_unknown_rack_is_not_guessed() -> None:
    gain, loss = end_adjustments([EndRack(0), EndRack(None)], style="transfer", out=0)
    assert (gain.computed, loss.computed) == (None, None)
    first, second = end_adjustments([EndRack(6), EndRack(None)], style="double")
    assert (first.computed, second.computed) == (-6, None)


@given(value=st.integers(0, 200), scores=st.tuples(st.integers(-50, 900), st.integers(-50, 900)), out=st.integers(0, 1))
def test_two_players_every_style_gives_the_same_spread(value: int, scores: tuple[int, int], out: int) -> None:
    racks = racks_of([value, value], out)
    spreads = set()
    for style in END_ADJUSTMENTS:
        points = changes(racks, style, out)
        spreads.add(scores[0] + points[0] - scores[1] - points[1])
    assert len(spreads) == 1


@given(values=VALUES, style=STYLES, data=st.data())
def test_what_one_gains_the_others_lose(values: list[int], style: str, data: st.DataObject) -> None:
    out = data.draw(st.integers(0, len(values) - 1))
    points = changes(racks_of(values, out), style, out)
    others = sum(values) - values[out]
    doubled = style == "double" and len(values) == 2
    assert points[out] == (2 * others if doubled else others)
    assert sum(points) == (2 * others if doubled else 0)


@given(values=VALUES, style=STYLES)
def test_nobody_out_every_player_loses_their_own(values: list[int], style: str) -> None:
    assert changes(racks_of(values, None), style, None) == [-value for value in values]


@given(values=st.lists(st.integers(1, 60), min_size=2, max_size=4), style=STYLES, data=st.data())
def test_lines_are_recognised_and_recomputed(values: list[int], style: str, data: st.DataObject) -> None:
    out = data.draw(st.none() | st.integers(0, len(values) - 1))
    lines = [
        EndLine(line.player, line.kind, line.computed or 0, line.value)
        for line in end_adjustments(racks_of(values, out), style=style, out=out)
    ]
    ending = recognise_ending(lines, len(values), out=out, preferred=style)
    assert ending.missing == ()
    assert ending.style.value == ("standard" if out is None or len(values) > 2 else style)
    assert [recompute_line(line, style, len(values)) for line in lines] == [line.points for line in lines]


def test_recomputed_lines() -> None:
    assert recompute_line(EndLine(1, "end_points", 14, 12), "double") == 24
    assert recompute_line(EndLine(1, "end_points", 14, 12), "transfer") == 12
    assert recompute_line(EndLine(1, "end_penalty", -14, 12), "double") == -12
    # Nothing to compute from.
    assert recompute_line(EndLine(1, "end_points", 14), "double") == 14
    assert recompute_line(EndLine(1, "time_penalty", -20), "double") == -20


def test_the_last_rack_is_what_the_distribution_leaves() -> None:
    counts = CLASSIC.letters.counts
    assert counts is not None
    left = CLASSIC.letters.rack("RELATCH")
    seen = [whole - held for whole, held in zip(counts, left, strict=True)]
    assert derive_rack(counts, seen, 7) == left
    assert end_rack(derive_rack(counts, seen, 7), CLASSIC, derived=True) == EndRack(12, "ACEHLRT", derived=True)
    assert derive_rack(counts, counts, 7) == (0,) * 27
    # An eighth tile left would be in the bag.
    seen[1] -= 1
    assert derive_rack(counts, seen, 7) is None
    # More seen than there are.
    assert derive_rack((0, 2), (0, 3), 7) is None
    with pytest.raises(ShapeError, match="2 counts of seen tiles for 27 tile codes"):
        derive_rack(counts, (0, 1), 7)


@pytest.mark.parametrize(
    ("seconds", "points", "forfeit"),
    [
        (0, 0, False),
        (0.9, 0, False),
        (1, 10, False),
        (60, 10, False),
        (60.9, 10, False),
        (Decimal("60.999"), 10, False),
        (Fraction(609, 10), 10, False),
        (61, 20, False),
        (125, 30, False),
        (599, 100, False),
        (599.9, 100, False),
        (600, 100, True),
        (601, 100, True),
        (5000, 100, True),
    ],
)
def test_overtime(seconds: Seconds, points: int, forfeit: bool) -> None:
    charge = overtime(seconds, CLASSIC)
    assert (charge.points, charge.forfeit) == (points, forfeit)
    # Charging once more gives the same and not the double.
    assert overtime(charge.seconds, CLASSIC) == charge


def test_overtime_settings() -> None:
    rules = replace(CLASSIC, overtime_step=30, overtime_amount=5, overtime_limit=90)
    assert [overtime(seconds, rules)[1:] for seconds in (0, 30, 31, 89, 90, 91)] == [
        (0, False),
        (5, False),
        (10, False),
        (15, False),
        (15, True),
        (15, True),
    ]
    # No overtime is allowed: the first second loses, keeping to the time does not.
    strict = replace(CLASSIC, overtime_limit=0)
    assert [overtime(seconds, strict)[1:] for seconds in (0, 1)] == [(0, False), (0, True)]


@given(seconds=st.integers(0, 2000), more=st.integers(0, 2000))
def test_more_time_never_costs_less(seconds: int, more: int) -> None:
    first, second = overtime(seconds, CLASSIC), overtime(seconds + more, CLASSIC)
    assert first.points <= second.points <= 100
    assert first.points % 10 == 0
    assert first.forfeit <= second.forfeit


@pytest.mark.parametrize("seconds", [-1, -0.5, float("nan"), float("inf"), Decimal("NaN"), "60"])
def test_overtime_that_is_no_time(seconds: Seconds) -> None:
    with pytest.raises(FastscoreError, match=r"overtime of '.*' seconds: expected a number, 0 or more"):
        overtime(seconds, CLASSIC)


def test_errors_quote_what_is_wrong() -> None:
    with pytest.raises(RulesError, match="'half': expected one of double, transfer, standard"):
        end_adjustments([EndRack(0), EndRack(8)], style="half", out=0)
    with pytest.raises(FastscoreError, match="player 1 went out with tiles worth 8"):
        end_adjustments([EndRack(0), EndRack(8)], style="double", out=1)
    with pytest.raises(FastscoreError, match="player '2': expected 0 to 1"):
        end_adjustments([EndRack(0), EndRack(8)], style="double", out=2)
    with pytest.raises(ShapeError, match="0 players: expected 1 to 4"):
        end_adjustments([], style="double")
