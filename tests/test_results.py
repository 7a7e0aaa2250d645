"""Results: final scores recorded and computed, who won, corrections."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.adjustments import EndRack
from fastscore.endings import Ending, EndLine, GameEnd
from fastscore.errors import FastscoreError, ShapeError
from fastscore.records.settlement import RecordedEnd, settle
from fastscore.results import standing
from fastscore.rules.ruleset import load_rules

CLASSIC = load_rules("classic/english")
TRANSFER = replace(CLASSIC, end_adjustment="transfer")
OUT = [GameEnd(Ending.PLAYED_OUT, out=player) for player in range(4)]
NOBODY_OUT = GameEnd(Ending.ZERO_TURNS)
POINTS, PENALTY = "end_points", "end_penalty"
FAMILY = [EndRack(0), EndRack(8)]  # player 0 is out, player 1 holds 8 points


def recorded(play: tuple[int, ...], totals: tuple[int, ...], *lines: EndLine) -> RecordedEnd:
    """What a record says at the end."""
    return RecordedEnd(play, totals, lines)


def test_overtime_is_charged_once() -> None:
    once = settle((439, 432), CLASSIC, OUT[0], racks=[EndRack(0), EndRack(2)], times={1: 125})
    assert once.totals == (443, 402)
    assert once.with_overtime({1: 125}, CLASSIC) == once
    assert once.with_overtime({1: 125}, CLASSIC).with_overtime({1: 61}, CLASSIC).totals == (443, 412)
    assert once.with_overtime({1: 0}, CLASSIC).totals == (443, 432)


@pytest.mark.parametrize(("seconds", "winner", "forfeits"), [(599, 1, ()), (600, 0, (1,)), (3000, 0, (1,))])
def test_forfeit(seconds: int, winner: int, forfeits: tuple[int, ...]) -> None:
    # Player 1 leads by 200; 100 points are deducted first, and the other score stays as it is.
    result = settle((300, 500), CLASSIC, OUT[0], racks=[EndRack(0), EndRack(0)], times={1: seconds})
    assert result.totals == (300, 400)
    assert (result.winner, result.forfeits) == (winner, forfeits)
    assert result.spread == (-100 if forfeits else 100)
    assert result.with_overtime({1: 60}, CLASSIC).forfeits == ()


def test_forfeit_ends_a_game_that_is_not_over() -> None:
    result = settle((300, 500), CLASSIC, GameEnd(Ending.NOT_ENDED), forfeits=[1])
    assert result.finished
    assert (result.winner, result.totals) == (0, (300, 500))


def test_tie_and_box_rule() -> None:
    # 384 and 376 before: 4 points left, taken from the one and given to the other.
    result = settle((384, 376), TRANSFER, OUT[1], racks=[EndRack(4), EndRack(0)])
    assert result.totals == (380, 380)
    assert (result.winner, result.tie, result.spread) == (None, True, 0)
    boxed = result.standing(box_rule=True)
    assert boxed is not None
    assert (boxed.winner, boxed.tie) == (0, False)
    lines = (EndLine(1, POINTS, 4, 4), EndLine(0, PENALTY, -4, 4))
    from_record = settle((384, 376), TRANSFER, OUT[1], record=recorded((384, 376), (380, 380), *lines))
    assert from_record.tie
    assert from_record.standing(box_rule=True) == boxed


@pytest.mark.parametrize(
    ("totals", "forfeits", "ranks", "winners", "spread"),
    [
        ((300, 250, 280), (), (1, 3, 2), (0,), 20),
        ((300, 300, 280), (), (1, 1, 3), (0, 1), 0),
        ((300, 250, 280, 280), (0,), (4, 3, 1, 1), (2, 3), 0),
        ((300, 250, 280, 270), (0, 2), (3, 2, 4, 1), (3,), 20),
        ((300, 250), (0, 1), (1, 2), (), 50),
        ((300,), (), (1,), (), 0),
    ],
)
def test_places(
    totals: tuple[int, ...], forfeits: tuple[int, ...], ranks: tuple[int, ...], winners: tuple[int, ...], spread: int
) -> None:
    places = standing(totals, forfeits=forfeits)
    assert (places.ranks, places.winners, places.spread) == (ranks, winners, spread)
    assert places.tie == (len(winners) > 1)
    assert [places.ranks[player] for player in places.ranking] == sorted(ranks)


def test_spreads() -> None:
    assert standing((300, 250, 280)).spreads == (20, -50, -20)
    assert standing((300, 300)).spreads == (0, 0)
    assert standing((300,)).spreads == (0,)


def test_signatures() -> None:
    result = settle((223, 231), CLASSIC, OUT[0], racks=FAMILY)
    half = result.signed(1)
    assert not half.final
    with pytest.raises(FastscoreError, match=r"not signed by players \[0\]"):
        half.submit()
    handed_in = half.signed(0).submit()
    assert handed_in.final
    assert handed_in.submitted
    assert result.signed_by == ()


def test_agreed_correction_before_submission() -> None:
    result = settle((223, 231), CLASSIC, OUT[0], racks=FAMILY, record=recorded((223, 231), (223, 231)))
    with pytest.raises(FastscoreError, match=r"agreed by players \[0\]: expected \[0, 1\]"):
        result.corrected((241, 231), "a play misread", agreed_by=[0])
    corrected = result.corrected((241, 231), "a play misread", agreed_by=[1, 0])
    assert (corrected.totals, corrected.winner, corrected.final) == ((241, 231), 0, True)
    (correction,) = corrected.corrections
    assert (correction.kind, correction.reason) == ("agreed", "a play misread")
    assert correction.original == result
    with pytest.raises(FastscoreError, match="a submitted result: expected a reversal"):
        corrected.submit().corrected((1, 2), "a play misread", agreed_by=[0, 1])
    with pytest.raises(ShapeError, match="1 totals for 2 players"):
        result.corrected((241,), "a play misread", agreed_by=[0, 1])


def test_reversal_after_submission() -> None:
    entered = settle((380, 412), CLASSIC, OUT[1], racks=[EndRack(0), EndRack(0)]).signed(0).signed(1).submit()
    turned = entered.reversal("entered the wrong way round")
    assert (entered.totals, entered.winner) == ((380, 412), 1)
    assert (turned.totals, turned.winner, turned.submitted) == ((412, 380), 0, True)
    assert turned.corrections[0].original == entered
    back = turned.reversal("no, they were right")
    assert back.totals == entered.totals
    assert [correction.original.totals for correction in back.corrections] == [(380, 412), (412, 380)]


def test_corrections_that_cannot_be() -> None:
    with pytest.raises(FastscoreError, match="reversal with 3 players: expected 2"):
        settle((1, 2, 3), CLASSIC, OUT[0], racks=[EndRack(0)] * 3).reversal("turned")
    result = settle((1, 2), CLASSIC, OUT[0], racks=[EndRack(0), EndRack(None)])
    with pytest.raises(FastscoreError, match="final totals that are not known"):
        result.reversal("turned")
    with pytest.raises(FastscoreError, match="reason ' ': expected one"):
        settle((1, 2), CLASSIC, OUT[0], racks=FAMILY).reversal(" ")


def test_a_result_cannot_be_changed() -> None:
    result = settle((223, 231), CLASSIC, OUT[0], racks=FAMILY)
    with pytest.raises(FrozenInstanceError):
        result.forfeits = (0,)  # type: ignore[misc]
    assert hash(result) == hash(settle((223, 231), CLASSIC, OUT[0], racks=FAMILY))


def test_as_dict_is_plain_data() -> None:
    record = recorded((223, 231), (223, 231))
    result = settle((223, 231), CLASSIC, OUT[0], racks=FAMILY, record=record, players=["Ann", "Bob"])
    plain = result.reversal("turned").as_dict()
    assert json.loads(json.dumps(plain)) == plain
    expected = {
        "players": ["Ann", "Bob"],
        "ending": "played_out",
        "recorded_style": "missing",
        "completeness": "complete",
        "totals_recorded": [231, 239],
        "totals_computed": [223, 231],
        "totals_settled": [239, 231],
        "winner": 1,
        "corrections": [{"kind": "reversal", "reason": "turned", "original": [239, 231]}],
    }
    assert {key: plain[key] for key in expected} == expected


SCORES = st.lists(st.integers(-50, 900), min_size=2, max_size=4)


@given(scores=SCORES, data=st.data())
def test_places_do_not_depend_on_the_order_of_players(scores: list[int], data: st.DataObject) -> None:
    forfeits = data.draw(st.sets(st.integers(0, len(scores) - 1)))
    order = data.draw(st.permutations(range(len(scores))))
    places = standing(scores, forfeits=sorted(forfeits))
    moved = standing(
        [scores[player] for player in order], forfeits=[at for at, player in enumerate(order) if player in forfeits]
    )
    assert moved.ranks == tuple(places.ranks[player] for player in order)
    assert moved.spread == places.spread
    assert all(scores[player] == max(scores) for player in places.winners) or forfeits
