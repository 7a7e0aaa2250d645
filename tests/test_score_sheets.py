"""Two score sheets of one game, compared turn by turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.score_sheets import SheetEntry, compare_sheets


def sheet(*scores: int, shift: dict[int, int] | None = None) -> list[SheetEntry]:
    """A sheet of two players in turn; `shift`: errors of addition by turn, from 0."""
    totals = [0, 0]
    entries = []
    for turn, score in enumerate(scores):
        totals[turn % 2] += score + (shift or {}).get(turn, 0)
        entries.append(SheetEntry(turn % 2, score, totals[turn % 2]))
    return entries


def test_equal_sheets() -> None:
    compared = compare_sheets(sheet(22, 16, 5), sheet(22, 16, 5), [22, 16, 5])
    assert compared.agree
    assert compared.first is None
    assert str(compared) == "the sheets agree"


@pytest.mark.parametrize(
    ("ours", "theirs", "right"), [(115, 113, "second"), (113, 115, "first"), (115, 110, "neither")]
)
def test_first_turn_at_which_they_part(ours: int, theirs: int, right: str) -> None:
    # BRUnCHIFY 29 x 2, YE 5 and the bonus of 50 are 113.
    compared = compare_sheets(sheet(22, 16, ours, 8, 30), sheet(22, 16, theirs, 8, 30), [22, 16, 113, 8, 30])
    parting = compared.first
    assert parting is not None
    assert (parting.turn, parting.kinds, parting.computed, parting.right) == (3, ("score",), 113, right)
    # The totals of later turns differ because of it, and are no partings of their own.
    assert compared.partings == (parting,)
    assert f"player 1 {ours:+d} = {22 + ours}; second sheet: player 1 {theirs:+d} = {22 + theirs}" in str(compared)
    assert f"computed: +113, {right} right" in str(compared)


def test_wrong_addition() -> None:
    compared = compare_sheets(sheet(22, 16, 5, 8, 30), sheet(22, 16, 5, 8, 30, shift={2: 10}))
    assert [(parting.turn, parting.kinds) for parting in compared.partings] == [(3, ("total",))]
    assert compared.partings[0].right is None


def test_two_errors_of_which_one_hides_the_other() -> None:
    # A score 5 too high, put right by an addition 5 too low: both are shown.
    compared = compare_sheets(sheet(22, 16, 10, shift={2: -5}), sheet(22, 16, 5), [22, 16, 5])
    assert [(parting.turn, parting.kinds) for parting in compared.partings] == [(3, ("score", "total"))]


def test_players_and_lengths() -> None:
    first = [SheetEntry(0, 22), SheetEntry(1, 16), SheetEntry(0, 5)]
    second = [SheetEntry(0, 22), SheetEntry(0, 12)]
    compared = compare_sheets(first, second)
    assert [(parting.turn, parting.kinds) for parting in compared.partings] == [
        (2, ("player", "score")),
        (3, ("missing",)),
    ]
    assert "second sheet: no entry" in str(compared.partings[1])
    assert str(compared).endswith("; 1 later turn differs")
    assert compare_sheets([SheetEntry(0, 22)], [SheetEntry(1, 22)]).partings[0].kinds == ("player",)


def test_points_of_another_player_part_the_totals_from_there_on() -> None:
    # The second sheet gives player 1 the 5 points of player 2: from then on the totals differ by 5, and only by that.
    first = [SheetEntry(0, 10, 10), SheetEntry(1, 5, 5), SheetEntry(0, 20, 30), SheetEntry(1, 7, 12)]
    second = [SheetEntry(0, 10, 10), SheetEntry(0, 5, 15), SheetEntry(0, 20, 35), SheetEntry(1, 7, 7)]
    (parting,) = compare_sheets(first, second, [10, 5, 20, 7]).partings
    assert (parting.turn, parting.kinds, parting.right) == (2, ("player",), None)
    assert str(parting) == "turn 2 (player): first sheet: player 2 +5 = 5; second sheet: player 1 +5 = 15; computed: +5"
    # An addition that is wrong as well is one more parting: 20 + 15 is not 36.
    wrong = [*second[:2], SheetEntry(0, 20, 36), second[3]]
    assert [(parting.turn, parting.kinds) for parting in compare_sheets(first, wrong).partings] == [
        (2, ("player",)),
        (3, ("total",)),
    ]


def test_scores_of_different_players() -> None:
    # The play counts 8 + 8: the first sheet has that, whoever it is.
    (parting,) = compare_sheets([SheetEntry(0, 16)], [SheetEntry(1, 18)], [16]).partings
    assert (parting.kinds, parting.right) == (("player", "score"), "first")


def test_a_total_that_is_not_written_is_not_compared() -> None:
    first = [SheetEntry(0, 22), SheetEntry(0, 8, 30)]
    second = [SheetEntry(0, 22, 22), SheetEntry(0, 8, 30)]
    assert compare_sheets(first, second).agree


def test_text_is_shown_and_harmless() -> None:
    first = [SheetEntry(0, 42, text="8D PWORDQ")]
    assert compare_sheets(first, [SheetEntry(0, 42, text="8D .WORD.")]).agree
    parting = compare_sheets(first, [SheetEntry(0, 24, text="8D \x1b[31mWORD\u202e")], [42]).first
    assert str(parting) == (
        "turn 1 (score): first sheet: player 1 8D PWORDQ +42; second sheet: player 1 8D WORD +24; "
        "computed: +42, first right"
    )


@given(
    scores=st.lists(st.integers(0, 150), min_size=1, max_size=30),
    changes=st.dictionaries(st.integers(0, 29), st.integers(1, 50)),
)
def test_partings_are_the_turns_that_differ(scores: list[int], changes: dict[int, int]) -> None:
    other = [score + changes.get(turn, 0) for turn, score in enumerate(scores)]
    expected = [turn + 1 for turn in sorted(changes) if turn < len(scores)]
    assert [parting.turn for parting in compare_sheets(sheet(*scores), sheet(*other)).partings] == expected
    added = compare_sheets(sheet(*scores), sheet(*scores, shift=changes))
    assert [parting.turn for parting in added.partings] == expected
    assert compare_sheets(sheet(*scores), sheet(*scores)).agree
