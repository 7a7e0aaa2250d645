"""Challenge rules: what a challenge does to the play, the scores and the turn, and what a recorded bonus fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fastscore.errors import FastscoreError, RulesError, quote
from fastscore.game import Event
from fastscore.rules.ruleset import CHALLENGE_RULES

__all__ = [
    "ChallengeFit",
    "ChallengeOutcome",
    "ChallengeRule",
    "WithdrawalAmounts",
    "challenge_rule",
    "challenged_play",
    "check_withdrawal",
    "fits",
    "may_have_bonus",
]

_BONUS = {"5pt": 5, "10pt": 10}
_PENALTY = -10
"""What some federations take from the challenger of a good play, in place of a bonus."""


@dataclass(frozen=True)
class ChallengeOutcome:
    """What one challenge does.

    The points are for the player of the word and for the challenger; the score of a withdrawn play is not among them.
    `winner`: "player" or "challenger" where the challenge decides the game.
    """

    player_points: int = 0
    challenger_points: int = 0
    withdrawn: bool = False
    """The tiles go back, the score is removed, and the play was one scoreless turn."""
    refused: bool = False
    """The play never was one: it is refused on entry, no turn has passed."""
    challenger_loses_turn: bool = False
    winner: str | None = None


@dataclass(frozen=True)
class ChallengeRule:
    """A challenge rule by its name, one of CHALLENGE_RULES.

    `per_word`: the bonus is paid for each challenged word, not once a play. `penalty`: the challenger loses the
    points; the player of the word does not get them. Both matter for "5pt" and "10pt" only.
    """

    name: str
    per_word: bool = False
    penalty: bool = False

    def __post_init__(self) -> None:
        if self.name not in CHALLENGE_RULES:
            raise RulesError(f"unknown challenge rule {quote(self.name)}: expected one of {', '.join(CHALLENGE_RULES)}")
        if (self.per_word or self.penalty) and self.name not in _BONUS:
            raise RulesError(f"challenge rule {quote(self.name)} has no points: expected {' or '.join(_BONUS)}")

    @property
    def points(self) -> int:
        """Points of one good play, or of one good word where they are paid per word; 0 where there are none."""
        return _BONUS.get(self.name, 0)

    def outcome(self, *, good: bool, words_challenged: int = 1) -> ChallengeOutcome:
        """What a challenge does: `good` = every challenged word is good, so the play stands.

        `words_challenged`: how many words of the play were challenged, 1 or more.
        """
        if words_challenged < 1:
            raise FastscoreError(f"{words_challenged} words challenged: expected 1 or more")
        if self.name == "triple":
            return ChallengeOutcome(withdrawn=not good, winner="player" if good else "challenger")
        if not good:
            return ChallengeOutcome(refused=True) if self.name == "void" else ChallengeOutcome(withdrawn=True)
        points = self.points * (words_challenged if self.per_word else 1)
        if self.penalty:
            return ChallengeOutcome(challenger_points=-points)
        return ChallengeOutcome(player_points=points, challenger_loses_turn=self.name == "double")

    def __str__(self) -> str:
        if self.name not in _BONUS:
            return self.name
        return f"{self.name} per {'word' if self.per_word else 'play'}{', from the challenger' if self.penalty else ''}"


def challenge_rule(name: str, *, per_word: bool = False, penalty: bool = False) -> ChallengeRule:
    """The challenge rule of that name; RulesError if there is none."""
    return ChallengeRule(name, per_word, penalty)


class ChallengeFit(NamedTuple):
    """A rule that explains a recorded bonus; `words_challenged` is None where their number makes no difference."""

    rule: ChallengeRule
    words_challenged: int | None

    def __str__(self) -> str:
        words = self.words_challenged
        return f"{self.rule}" if words is None else f"{self.rule}, {words} word{'' if words == 1 else 's'} challenged"


def fits(bonus: int, words: int) -> tuple[ChallengeFit, ...]:
    """The rules that explain a recorded challenge bonus, for a record whose challenge rule is not known.

    `bonus`: the recorded points of the player of the word, or below 0 those taken from the challenger; `words`: how
    many words the play formed, which is the most that can be challenged. () = no rule explains it. A bonus of 0 is
    written under "single" only: the other rules without a bonus write a lost turn, the end of the game, or nothing.
    """
    if words < 1:
        raise FastscoreError(f"a play of {words} words: expected 1 or more")
    if bonus == 0:
        return (ChallengeFit(ChallengeRule("single"), None),)
    penalty, amount = bonus < 0, abs(bonus)
    found: list[ChallengeFit] = []
    for name, points in _BONUS.items():
        if amount == points:
            found.append(ChallengeFit(ChallengeRule(name, penalty=penalty), None))
        challenged, rest = divmod(amount, points)
        if rest == 0 and challenged <= words:
            found.append(ChallengeFit(ChallengeRule(name, per_word=True, penalty=penalty), challenged))
    return tuple(found)


class WithdrawalAmounts(NamedTuple):
    """Whether the line that withdraws a play has the right amount and leaves the right total."""

    expected: int
    """Points of the line: minus the recorded score of the play."""
    expected_total: int
    amount_right: bool
    total_right: bool


def check_withdrawal(play_score: int, recorded: int, total_before: int, total_after: int) -> WithdrawalAmounts:
    """The amounts of a withdrawal. Some programs write +0 or -0 for the amount and the right total beside it.

    `play_score`, `recorded`: what the record gives for the play and for the withdrawal; `total_before`, `total_after`:
    the player's recorded running totals with the play and after the withdrawal.
    """
    expected_total = total_before - play_score
    return WithdrawalAmounts(-play_score, expected_total, recorded == -play_score, total_after == expected_total)


def may_have_bonus(events: Sequence[Event], turn: int) -> bool:
    """Whether a placement may have earned points without a line for them: it is not taken back, nor is there a line."""
    return turn + 1 == len(events) or events[turn + 1].kind not in ("withdraw", "challenge_bonus")


def challenged_play(events: Sequence[Event], words: Sequence[Sequence[str]], turn: int, points: int) -> int | None:
    """The placement whose challenge explains that a total has `points` too many, without a line for them; None = none.

    `words`: those that each event's play formed; `turn`: the event of the total. A bonus is for the player's play
    before, or for that of the turn itself. A penalty is for a play of another, the only one since the player's line
    before.
    """
    player, kind = events[turn].player, events[turn].kind
    before = next((at for at in range(turn - 1, -1, -1) if events[at].player == player), -1)
    if kind == "withdraw" or points % 5:
        # Nobody is paid for a play that is taken back.
        return None
    if points > 0:
        plays = [at for at in (before, turn) if at >= 0 and events[at].kind == "place"]
    else:
        plays = [at for at in range(before + 1, turn) if events[at].kind == "place"]
        if points != _PENALTY or len(plays) != 1:
            return None
    fitting = (at for at in plays if may_have_bonus(events, at) and fits(points, max(1, len(words[at]))))
    return next(fitting, None)
