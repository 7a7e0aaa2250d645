"""Repairs where scores and totals contradict each other: which of them is believed, and what nobody can know.

8G CAT is (3 + 1 + 1) x 2 = 10. SIFT down from J8 makes CATS, 3 + 1 + 1 + 1 = 6, and SIFT, with the F on the triple
letter J10: 1 + 1 + 12 + 1 = 15; together 21.
"""

from __future__ import annotations

import dataclasses
import gzip
import io
import random
from itertools import islice
from pathlib import Path

import pytest

from fastscore.cli import main
from fastscore.game import Game
from fastscore.gcg import read_game, read_games
from fastscore.repairs import Repair, repair
from fastscore.replays import replay
from fastscore.rules.ruleset import load_rules
from tests.repaired import HEAD, changes_of, events_of, game_of

DATA = Path(__file__).parent / "data"
GAMES = DATA / "games"
BEGINNING = (">A: CAT 8G CAT +10 10", ">B: E -  +0 0")
COPIED = ["A 8G CAT +10 10", "B - +0 0"]


def after_cat(*lines: str, head: tuple[str, ...] = HEAD) -> Game:
    return game_of(*BEGINNING, *lines, head=head)


def causes_of(game: Game) -> list[tuple[int, str, str, bool]]:
    return [(found.line, found.code, found.cause, found.consequence) for found in replay(game).findings]


def mended(game: Game) -> Repair:
    """The repair of a game, of which a second one would change nothing."""
    repaired = repair(game)
    assert repair(repaired.game).corrections == ()
    return repaired


# A play of another score, and a total that adds the right one.


@pytest.mark.parametrize(
    ("score", "cause"),
    [
        # 5 too few: as if a challenge bonus of 5 were in the total.
        (16, ""),
        (11, "arithmetic"),
        # 20 too few: 10 for each of the two words of SIFT, though CAT has but one.
        (1, ""),
        # Too many, by as much as a challenge bonus in the score.
        (26, ""),
        (31, "arithmetic"),
        (41, ""),
    ],
)
def test_a_total_that_adds_the_right_score_stays(score: int, cause: str) -> None:
    game = after_cat(f">A: FIST J8 SIFT {score:+} 31", ">B: E -  +0 0", ">A: Q -  +0 31")
    assert causes_of(game) == [(5, "misscored", cause, False), (5, "wrong-total", "right-score-added", True)]
    repaired = mended(game)
    assert events_of(repaired)[2:] == ["A J8 SIFT +21 31", "B - +0 0", "A - +0 31"]
    assert changes_of(repaired) == [(5, "score", f"{score:+}", "+21", "misscored")]
    assert [change.cause for change in repaired.corrections] == [cause]
    assert repaired.left == ()


def test_a_bonus_in_a_score_that_a_later_total_leaves_out() -> None:
    # 36 has the 5 too many, and the next total of 31 has them no more.
    repaired = mended(after_cat(">A: FIST J8 SIFT +26 36", ">B: E -  +0 0", ">A: Q -  +0 31"))
    assert events_of(repaired)[2:] == ["A J8 SIFT +21 31", "B - +0 0", "A - +0 31"]
    assert [change.cause for change in repaired.corrections] == ["", ""]


def test_a_bonus_in_a_score_beside_its_own_line() -> None:
    # CAT has one word, so that a second line would be one too many.
    game = game_of(">A: CAT 8G CAT +15 15", ">A: (challenge) +5 20", ">B: E -  +0 0")
    assert causes_of(game) == [(3, "misscored", "", False)]
    repaired = mended(game)
    assert events_of(repaired) == ["A 8G CAT +10 10", "A (challenge) +5 15", "B - +0 0"]
    assert repaired.left == ()


# Points for challenges that are only in a total.


def test_a_bonus_goes_to_the_play_whose_words_it_fits() -> None:
    # 5 fit CAT, the play before.
    repaired = mended(after_cat(">A: FIST J8 SIFT +21 36"))
    assert events_of(repaired) == [COPIED[0], "A (challenge) +5 15", COPIED[1], "A J8 SIFT +21 36"]
    # 20 are 10 for each word of SIFT; CAT is one word, for which there are no 20.
    repaired = mended(after_cat(">A: FIST J8 SIFT +21 51"))
    assert events_of(repaired) == [*COPIED, "A J8 SIFT +21 31", "A (challenge) +20 51"]
    assert repaired.left == ()


def test_no_bonus_where_one_is_recorded() -> None:
    # 17 in place of 15 after the line for the challenge: a sum that is wrong, and goes on to the end.
    repaired = mended(game_of(BEGINNING[0], ">A: (challenge) +5 17", BEGINNING[1], ">A: Q -  +0 17"))
    assert events_of(repaired) == [COPIED[0], "A (challenge) +5 15", COPIED[1], "A - +0 15"]


def test_a_bonus_beside_a_wrong_score() -> None:
    # From 10 to 36 are the 21 of SIFT and 5 for a challenge of CAT, whatever the score says.
    game = after_cat(">A: FIST J8 SIFT +16 36")
    assert ("wrong-total", "challenge-line-missing") in [each[1:3] for each in causes_of(game)]
    repaired = mended(game)
    assert events_of(repaired) == [COPIED[0], "A (challenge) +5 15", COPIED[1], "A J8 SIFT +21 36"]


def test_bonuses_before_and_after_a_wrong_score() -> None:
    # Two of Bob's totals have 5 points for a challenge. Between them a score is 5 too many, which no total has.
    text = (GAMES / "h42_challenge_lines_missing.gcg").read_text("utf-8")
    game = read_game(io.StringIO(text.replace("N9 QIN +17 244", "N9 QIN +22 244")))
    repaired = mended(game)
    assert [change[:4] for change in changes_of(repaired)] == [
        (10, "line", "", "(challenge) +5"),
        (18, "score", "+22", "+17"),
        (22, "line", "", "(challenge) +5"),
    ]
    assert repaired.game.recorded_totals == game.recorded_totals


def test_one_wrong_score_among_right_totals() -> None:
    # Whatever a challenge, a bonus or half an ending would explain: the totals are those of a game without faults.
    chance = random.Random(3)
    with gzip.open(DATA / "bot_games.gcgs.gz") as handle:
        games = list(islice(read_games(handle), 60))
    for game in games:
        if replay(game).findings:
            continue
        event = chance.choice(game.events)
        right = event.score
        assert right is not None
        event.score = right + chance.choice([5, 10, 15, 20, chance.randint(1, 20)]) * chance.choice([1, -1])
        repaired = mended(game)
        assert [copied.total for copied in repaired.game] == [recorded.total for recorded in game]
        assert [change.after for change in repaired.corrections] == [f"{right:+}"]
        assert repaired.left == ()


# Points that nobody can compute.


@pytest.mark.parametrize("score", [25, 10, 3])
def test_points_for_a_challenge_that_totals_contradict(score: int) -> None:
    # CAT is one word: 5 or 10 points. The total adds 5, and goes on so.
    game = game_of(BEGINNING[0], f">A: (challenge) {score:+} 15", BEGINNING[1], ">A: Q -  +0 15")
    repaired = mended(game)
    assert events_of(repaired) == [COPIED[0], "A (challenge) +5 15", COPIED[1], "A - +0 15"]
    assert [change[1:4] for change in changes_of(repaired)] == [("score", f"{score:+}", "+5")]
    assert repaired.left == ()


def test_a_bonus_that_is_not_added() -> None:
    # The line says that there was one: the totals have forgotten it.
    repaired = mended(game_of(BEGINNING[0], ">A: (challenge) +5 10", BEGINNING[1], ">A: Q -  +0 10"))
    assert events_of(repaired) == [COPIED[0], "A (challenge) +5 15", COPIED[1], "A - +0 15"]


def test_a_play_that_cannot_be_laid() -> None:
    # Nothing lies at A1, so that .ING has no score. Its total adds 8, and goes on so.
    play = ">A: ING 1A .ING {} 18"
    repaired = mended(after_cat(play.format("+28"), ">B: E -  +0 0", ">A: Q -  +0 18"))
    assert events_of(repaired)[2:] == ["A 1A .ING +8 18", "B - +0 0", "A - +0 18"]
    assert "play-illegal" in [left.code for left in repaired.left]
    # Taken back for 8 it was worth 8; a last total alone says nothing.
    repaired = mended(after_cat(play.format("+28"), ">A: ING --  -8 10"))
    assert events_of(repaired)[2:] == ["A 1A .ING +8 18", "A -- -8 10"]
    repaired = mended(after_cat(play.format("+28")))
    assert events_of(repaired)[2:] == ["A 1A .ING +28 38"]


def test_points_of_a_line_that_cannot_be_read() -> None:
    # The line of Anna had 50 points, which her totals have from there on: 10 + 50 + 21 = 81.
    lines = (">A ... ...", ">B: E -  +0 0", ">A: FIST J8 SIFT +21 81", ">B: E -  +0 0", ">A: Q -  +0 81")
    repaired = mended(after_cat(*lines))
    assert repaired.corrections == ()
    left = [found for found in repaired.left if found.code == "wrong-total"]
    assert [(found.line, found.difference, found.consequence) for found in left] == [(7, 50, True)]


def test_a_time_penalty() -> None:
    # Six zero turns. 25 is no multiple of 10, the 20 that the total takes are.
    passes = [f">{player}: {rack} -  +0 0" for player, rack in ("AQ", "BZ") * 3]
    ends = (">A: Q (Q) -10 -10", ">B: Z (Z) -10 -10")
    repaired = mended(game_of(*passes, *ends, ">B: Z (time) -25 -30"))
    assert events_of(repaired)[6:] == ["A (Q) -10 -10", "B (Z) -10 -10", "B (time) -20 -30"]


def test_a_withdrawal_of_nothing() -> None:
    # Nothing was laid after the pass, and the total takes nothing back.
    repaired = mended(after_cat(">A: Q -  +0 10", ">A: Q --  -17 10"))
    assert events_of(repaired)[2:] == ["A - +0 10", "A -- +0 10"]
    assert [left.code for left in repaired.left] == ["withdrawal-without-play"]


@pytest.mark.parametrize("carried", [True, False])
def test_no_bonus_for_a_play_that_is_taken_back(carried: bool) -> None:
    # SZ is 1 + 10 and CATS 6: 17. Once it is taken back, Anna has the 10 of CAT again.
    later = [">B: E -  +0 0", ">A: Q -  +0 15"] if carried else []
    repaired = mended(after_cat(">A: SZ J8 SZ +17 27", ">A: SZ --  -17 15", *later))
    assert events_of(repaired)[2:4] == ["A J8 SZ +17 27", "A -- -17 10"]
    assert repaired.game.recorded_totals == [10, 0]
    assert repaired.left == ()


def test_no_bonus_before_a_play_is_taken_back() -> None:
    # The total of SZ has 5 too many, and there is a pass between CAT and it: only SZ could have them.
    lines = (">A: Q -  +0 10", ">B: E -  +0 0", ">A: SZ J8 SZ +17 32", ">A: SZ --  -17 15")
    repaired = mended(after_cat(*lines))
    assert events_of(repaired)[4:] == ["A J8 SZ +17 27", "A -- -17 10"]
    assert repaired.left == ()


def test_a_challenge_that_decides_the_game_pays_nothing() -> None:
    triple = dataclasses.replace(load_rules("classic/english"), name="triple", challenge="triple")
    repaired = repair(after_cat(">A: FIST J8 SIFT +26 41", ">B: E -  +0 0"), triple)
    assert events_of(repaired) == [*COPIED, "A J8 SIFT +21 31", "B - +0 0"]
    assert repaired.left == ()


def test_points_that_are_taken_from_the_challenger() -> None:
    # Berta challenged SIFT and loses 10 for it, which her totals from then on show.
    game = after_cat(">A: FIST J8 SIFT +21 31", ">B: E -  +0 -10", ">A: Q -  +0 31", ">B: E -  +0 -10")
    assert causes_of(game) == [(6, "wrong-total", "challenge-line-missing", False)]
    repaired = mended(game)
    added = ["A J8 SIFT +21 31", "B (challenge) -10 -10", "B - +0 -10", "A - +0 31", "B - +0 -10"]
    assert events_of(repaired) == [*COPIED, *added]
    assert changes_of(repaired) == [(5, "line", "", "(challenge) -10", "wrong-total")]
    assert repaired.left == ()


def test_points_that_a_last_total_lacks_are_left() -> None:
    # Nothing after it says whether 10 were taken from Berta or she subtracted wrong.
    game = after_cat(">A: FIST J8 SIFT +21 31", ">B: E -  +0 -10", ">A: Q -  +0 31")
    repaired = mended(game)
    assert repaired.corrections == ()
    (left,) = repaired.left
    assert (left.code, left.line, left.difference) == ("wrong-total", 6, -10)
    assert left.detail == "-10 for 'J8 SIFT', or a wrong sum: no later turn tells"


def test_points_that_a_later_total_has_again_were_not_taken() -> None:
    lines = (">A: FIST J8 SIFT +21 31", ">B: E -  +0 -10", ">A: Q -  +0 31", ">B: E -  +0 0")
    repaired = mended(after_cat(*lines))
    assert [event.total for event in repaired.game] == [10, 0, 31, 0, 31, 0]
    assert changes_of(repaired) == [(6, "total", "-10", "0", "wrong-total")]
    assert repaired.corrections[0].cause == ""


@pytest.mark.parametrize(
    ("lines", "totals"),
    [
        # Nobody laid anything since Anna's line before.
        ((">A: Q -  +0 0", ">B: E -  +0 0", ">A: Q -  +0 0"), [10, 0, 10, 0, 10]),
        # What was laid was taken back, and cost the challenger nothing.
        (
            (">A: SZ J8 SZ +17 27", ">A: SZ --  -17 10", ">B: E -  +0 -10", ">A: Q -  +0 10", ">B: E -  +0 -10"),
            [10, 0, 27, 10, 0, 10, 0],
        ),
    ],
)
def test_points_that_no_challenge_has_taken(lines: tuple[str, ...], totals: list[int]) -> None:
    repaired = mended(after_cat(*lines))
    assert [event.total for event in repaired.game] == totals


# The end.


def end_of(line: str) -> Game:
    """A real game whose last line is `Quackle: (PAIN) +12 496`: 3 + 1 + 1 + 1 are 6, twice."""
    text = (GAMES / "h02_lower_case_exchange_and_end.gcg").read_text("utf-8")
    assert text.rstrip().endswith("(PAIN) +12 496")
    return read_game(io.StringIO(text.replace("(PAIN) +12 496", f"(PAIN) {line}")))


@pytest.mark.parametrize("score", [6, 2, 9, 22])
def test_the_total_of_an_end_line_says_how_the_record_counts(score: int) -> None:
    # 484 and 12 are 496: twice the tiles, though 6 were half of another way, and 2 are less by what a challenge brings.
    game = end_of(f"{score:+} 496")
    line = game.events[-1].line
    assert causes_of(game)[-2:] == [
        (line, "wrong-total", "right-score-added", True),
        (line, "end-points-wrong", "", False),
    ]
    repaired = mended(game)
    assert changes_of(repaired) == [(line, "score", f"{score:+}", "+12", "end-points-wrong")]
    assert repaired.game.recorded_totals == [302, 496]


@pytest.mark.parametrize("score", [-4, -6, -12])
def test_points_of_an_end_line_with_the_wrong_sign(score: int) -> None:
    # Whoever went out pays nothing; 496 has the 12 that they get.
    repaired = mended(end_of(f"{score:+} 496"))
    assert [str(event) for event in repaired.game.events[-1:]] == ["(PAIN) +12 496"]
    assert [(change.what, change.after) for change in repaired.corrections] == [("score", "+12")]
    assert repaired.left == ()


def test_a_total_that_speaks_for_another_way_than_the_rules() -> None:
    # 484 and 6 are 490: the tiles once, and then the opponent loses them.
    repaired = mended(end_of("+9 490"))
    ends = [str(event) for event in repaired.game.events[-2:]]
    assert ends == ["(PAIN) +6 490", "PAIN (PAIN) -6 296"]


def test_points_of_an_end_line_that_need_no_other_line() -> None:
    # Twice the tiles is a whole ending. 490 alone would need a loss for the opponent, which is not there.
    repaired = mended(end_of("+12 490"))
    assert [str(event) for event in repaired.game.events[-1:]] == ["(PAIN) +12 496"]


# Rules that nobody knows.


def test_unknown_rules_are_left(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    head = (*HEAD, "#tile-distribution eng7ish")
    game = after_cat(">A: FIST J8 SIFT +21 31", head=head)
    assert [(found.line, found.code) for found in repair(game).left] == [(3, "rules-unknown")]
    # Whoever names the rules does not ask the record.
    assert repair(game, "classic/english").left == ()
    path = tmp_path / "game.gcg"
    path.write_text("".join(f"{line}\n" for line in (*head, *BEGINNING)), "utf-8")
    assert main(["repair", str(path)]) == 1
    assert "left as it is: 1\n  line 3: rules-unknown" in capsys.readouterr().out
