"""Challenge rules: the table of outcomes, what a recorded bonus fits, and the amounts of a withdrawal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.challenges import (
    ChallengeFit,
    ChallengeOutcome,
    ChallengeRule,
    challenge_rule,
    check_withdrawal,
    fits,
)
from fastscore.errors import FastscoreError, RulesError
from fastscore.rules.ruleset import CHALLENGE_RULES

WITHDRAWN = ChallengeOutcome(withdrawn=True)


@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [
        ("void", ChallengeOutcome(refused=True), ChallengeOutcome()),
        ("single", WITHDRAWN, ChallengeOutcome()),
        ("double", WITHDRAWN, ChallengeOutcome(challenger_loses_turn=True)),
        ("5pt", WITHDRAWN, ChallengeOutcome(player_points=5)),
        ("10pt", WITHDRAWN, ChallengeOutcome(player_points=10)),
        ("triple", ChallengeOutcome(withdrawn=True, winner="challenger"), ChallengeOutcome(winner="player")),
    ],
)
def test_table(name: str, bad: ChallengeOutcome, good: ChallengeOutcome) -> None:
    rule = challenge_rule(name)
    assert rule.outcome(good=False) == bad
    assert rule.outcome(good=True) == good
    assert str(rule).startswith(name)


@pytest.mark.parametrize(
    ("rule", "points"),
    [
        (ChallengeRule("5pt", per_word=True), 10),
        (ChallengeRule("5pt"), 5),
        (ChallengeRule("10pt", per_word=True), 20),
        (ChallengeRule("double"), 0),
        (ChallengeRule("single"), 0),
    ],
    ids=str,
)
def test_two_of_four_words_challenged(rule: ChallengeRule, points: int) -> None:
    outcome = rule.outcome(good=True, words_challenged=2)
    assert outcome.player_points == points
    assert outcome.challenger_loses_turn == (rule.name == "double")


def test_bonus_or_penalty_is_the_same_spread() -> None:
    # A play of 74, challenged without success.
    bonus = challenge_rule("10pt").outcome(good=True)
    penalty = challenge_rule("10pt", penalty=True).outcome(good=True)
    totals = [(74 + outcome.player_points, outcome.challenger_points) for outcome in (bonus, penalty)]
    assert totals == [(84, 0), (74, -10)]
    assert {player - challenger for player, challenger in totals} == {84}


@pytest.mark.parametrize(
    ("bonus", "words", "explained"),
    [
        (0, 4, ["single"]),
        (5, 1, ["5pt per play", "5pt per word, 1 word challenged"]),
        (10, 4, ["5pt per word, 2 words challenged", "10pt per play", "10pt per word, 1 word challenged"]),
        (15, 4, ["5pt per word, 3 words challenged"]),
        (20, 4, ["5pt per word, 4 words challenged", "10pt per word, 2 words challenged"]),
        (10, 1, ["10pt per play", "10pt per word, 1 word challenged"]),
        (15, 2, []),
        (25, 4, []),
        (7, 4, []),
        (-10, 1, ["10pt per play, from the challenger", "10pt per word, from the challenger, 1 word challenged"]),
    ],
)
def test_rules_that_explain_a_bonus(bonus: int, words: int, explained: list[str]) -> None:
    assert [str(fit) for fit in fits(bonus, words)] == explained


@given(words=st.integers(1, 8), steps=st.integers(1, 8))
def test_any_multiple_of_five_up_to_five_a_word_is_explained(words: int, steps: int) -> None:
    fit = ChallengeFit(ChallengeRule("5pt", per_word=True), steps)
    assert (fit in fits(5 * steps, words)) == (steps <= words)


@given(bonus=st.integers(-100, 100), words=st.integers(1, 8))
def test_an_explanation_gives_the_bonus(bonus: int, words: int) -> None:
    for rule, challenged in fits(bonus, words):
        outcome = rule.outcome(good=True, words_challenged=challenged or words)
        assert outcome.player_points + outcome.challenger_points == bonus
        assert challenged is None or 1 <= challenged <= words


@pytest.mark.parametrize(
    ("play_score", "recorded", "total_before", "total_after", "amount_right"),
    [(82, 0, 467, 385, False), (45, 0, 104, 59, False), (45, -45, 104, 59, True)],
)
def test_withdrawal_written_with_the_wrong_amount(
    play_score: int, recorded: int, total_before: int, total_after: int, amount_right: bool
) -> None:
    amounts = check_withdrawal(play_score, recorded, total_before, total_after)
    assert amounts == (-play_score, total_after, amount_right, True)


def test_withdrawal_with_the_wrong_total() -> None:
    assert check_withdrawal(45, -45, 104, 104) == (-45, 59, True, False)


def test_errors_quote_what_is_wrong() -> None:
    with pytest.raises(RulesError, match=r"'7pt': expected one of void, single, double, 5pt, 10pt, triple"):
        challenge_rule("7pt")
    for name in CHALLENGE_RULES:
        if "pt" not in name:
            with pytest.raises(RulesError, match=f"'{name}' has no points"):
                challenge_rule(name, per_word=True)
    with pytest.raises(FastscoreError, match="0 words challenged"):
        challenge_rule("5pt").outcome(good=True, words_challenged=0)
    with pytest.raises(FastscoreError, match="a play of 0 words"):
        fits(5, 0)
