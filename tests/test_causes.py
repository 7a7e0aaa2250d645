"""Why a score was probably recorded wrong: each mistake made by hand on a play whose parts are known."""

from __future__ import annotations

import pytest

from fastscore.board import Board
from fastscore.breakdown import Breakdown
from fastscore.findings import CAUSES
from fastscore.placements import Placement
from fastscore.records.causes import cause_of_score, cause_of_total
from fastscore.reference import explain
from fastscore.rules.ruleset import load_rules

RULES = load_rules("classic/english")


def parts(plays: list[str], play: str) -> Breakdown:
    board = Board(RULES)
    for earlier in plays:
        board = board.play(earlier)
    return explain(board, Placement.parse(play, board))


# F 4 on the double letter D8, all on the double word H8: (8 + 6) x 2 = 28, and 50.
FEASTER = parts([], "8D FEASTER")
# A blank F: 6 x 2 = 12, and 50.
BLANK = parts([], "8D fEASTER")
# Eight letters of 1, the E of E8 lies there; two double words, E5 and E11: 8 x 4 = 32, and 50.
STEERIER = parts(["8D FEASTER"], "E5 STE.RIER")
# H 4 on the double letter I7, U 1, M 3 are 12; with the E of I8 HE 9, with the R of J8 UR 2.
HUM = parts(["8D FEASTER"], "7I HUM")
# The premium square under the F is spent: 4 + 6 + 1.
FEASTERS = parts(["8D FEASTER"], "8D .......S")


@pytest.mark.parametrize(
    ("right", "total", "recorded", "cause"),
    [
        (FEASTER, 78, 0, "not-counted"),
        (FEASTER, 78, 28, "bonus-missing"),
        (FEASTER, 78, 128, "bonus-doubled"),
        # The double letter left out: (4 + 6) x 2 + 50.
        (FEASTER, 78, 70, "premium-missing"),
        # The double word left out: 8 + 6 + 50; both: 4 + 6 + 50.
        (FEASTER, 78, 64, "premium-missing"),
        (FEASTER, 78, 60, "premium-missing"),
        (FEASTER, 78, 87, "digits-swapped"),
        (FEASTER, 78, 79, "arithmetic"),
        (FEASTER, 78, 83, "challenge-bonus-included"),
        (FEASTER, 78, 88, "challenge-bonus-included"),
        (FEASTER, 78, 500, ""),
        # One of the double words left out: 16 + 50.
        (STEERIER, 82, 66, "premium-missing"),
        # The bonus on the double words as well: (8 + 50) x 4.
        (STEERIER, 82, 232, "bonus-multiplied"),
        # f as an F of 4 on the double letter: (8 + 6) x 2 + 50.
        (BLANK, 62, 78, "blank-at-face-value"),
        (HUM, 23, 73, "bonus-unearned"),
        # Without HE, without UR, without both.
        (HUM, 23, 14, "cross-word-omitted"),
        (HUM, 23, 21, "cross-word-omitted"),
        (HUM, 23, 12, "cross-word-omitted"),
        (HUM, 23, 32, "cross-word-doubled"),
        (HUM, 23, 25, "cross-word-doubled"),
        (HUM, 23, 11, "main-word-omitted"),
        (HUM, 23, 35, "main-word-doubled"),
        # The H counted plainly in HE only, 8 for 12 in HUM: 12 + 5 + 2; in both: 8 + 5 + 2.
        (HUM, 23, 19, "premium-missing"),
        (HUM, 23, 15, "premium-missing"),
        # FEASTERS 11; with D8 again 15, with H8 again 22, with both 30.
        (FEASTERS, 11, 15, "premium-again"),
        (FEASTERS, 11, 22, "premium-again"),
        (FEASTERS, 11, 30, "premium-again"),
    ],
)
def test_scores(right: Breakdown, total: int, recorded: int, cause: str) -> None:
    assert right.total == total
    assert cause_of_score(recorded, right, RULES) == cause
    assert cause == "" or cause in CAUSES


def test_a_play_that_is_taken_back_has_earned_no_challenge_bonus() -> None:
    assert cause_of_score(83, FEASTER, RULES, stands=True) == "challenge-bonus-included"
    assert cause_of_score(83, FEASTER, RULES, stands=False) == ""
    # Other causes are as likely as ever.
    assert cause_of_score(28, FEASTER, RULES, stands=False) == "bonus-missing"


def test_multipliers_added() -> None:
    # C 3, the R of B1 1, A 1, Z 10 on the double letter D1, I, E, S, T: 29, on the triple words A1 and H1 x 9 = 261,
    # and 50. x (3 + 3) it would be 174, and 50.
    board = Board(RULES).play("B1 RE")
    right = explain(board, Placement.parse("1A C.AZIEST", board))
    assert right.total == 311
    assert cause_of_score(224, right, RULES) == "multipliers-added"


@pytest.mark.parametrize(
    ("recorded", "computed", "cause"),
    [
        # 100 before, and 30 recorded.
        (128, 28, "right-score-added"),
        (100, 30, "score-not-added"),
        (30, 30, "total-not-carried"),
        # The other player has 217.
        (247, 30, "other-player"),
        (310, 30, "digits-swapped"),
        (140, 30, "arithmetic"),
        (129, 30, "arithmetic"),
        (77, 30, ""),
    ],
)
def test_totals(recorded: int, computed: int, cause: str) -> None:
    assert cause_of_total(recorded, 100, 30, computed, [217]) == cause
    assert cause == "" or cause in CAUSES
