"""The result of a game: final scores recorded and computed, what changed them, who won, and corrections.

Nothing is rewritten: what a record says and what the rules give stand side by side, and a correction keeps the result
that it corrects. Players are counted from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fastscore.adjustments import Adjustment, Seconds, time_penalties
from fastscore.endings import (
    Ending,
    EndingStyle,
    GameEnd,
    RecognisedEnding,
    check_player,
    check_players,
)
from fastscore.errors import FastscoreError, ShapeError, quote
from fastscore.rules.ruleset import Ruleset

__all__ = ["Completeness", "Correction", "Result", "Standing", "standing"]


class Completeness(str, Enum):
    """Whether the last racks are known."""

    COMPLETE = "complete"
    """The record or the caller gives all that counts."""
    DERIVABLE = "derivable"
    """A rack that counts is not given, but is what the distribution leaves."""
    UNKNOWN = "unknown"
    """A rack that counts is not known, or the game is not over."""


@dataclass(frozen=True)
class Standing:
    """Who came where. `ranks`: the place of each player, 1 = first, equal places are shared: 1, 1, 3."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    winners: tuple[int, ...]
    """The players in the first place; () if nobody can win: a single player, or all have forfeited."""

    @property
    def winner(self) -> int | None:
        """The one player in the first place; None for a tie and where nobody wins."""
        return self.winners[0] if len(self.winners) == 1 else None

    @property
    def tie(self) -> bool:
        """Whether several players share the first place."""
        return len(self.winners) > 1

    @property
    def ranking(self) -> tuple[int, ...]:
        """The players, best first; those who share a place in their own order."""
        return tuple(sorted(range(len(self.ranks)), key=lambda player: self.ranks[player]))

    @property
    def spread(self) -> int:
        """Points by which the best-placed player leads the next; 0 for a tie and for a single player.

        Below 0 where the winner by forfeit or by a challenge has fewer points.
        """
        first, *others = self.ranking
        return self.totals[first] - self.totals[others[0]] if others else 0

    @property
    def spreads(self) -> tuple[int, ...]:
        """Each player's points minus the most of any other player; 0 for a single player."""
        return tuple(
            total - max((other for rival, other in enumerate(self.totals) if rival != player), default=total)
            for player, total in enumerate(self.totals)
        )


def standing(
    totals: Sequence[int],
    *,
    forfeits: Sequence[int] = (),
    awarded_to: int | None = None,
    before: Sequence[int] | None = None,
) -> Standing:
    """Who came where with these final totals, which already contain every adjustment.

    `forfeits`: players who cannot win and come after all others, whatever their points. `awarded_to`: the player to
    whom a challenge gave the game. `before`: the scores before any adjustment, to decide equal totals by the box rule,
    the highest first; None = equal totals are a tie, as in tournaments.
    """
    players = len(totals)
    check_players(players)
    if before is not None and len(before) != players:
        raise ShapeError(f"{len(before)} scores before the adjustments for {players} players: expected as many")
    for player in (*forfeits, *(() if awarded_to is None else (awarded_to,))):
        check_player(player, players)

    def merit(player: int) -> tuple[bool, bool, int, int]:
        tie_break = 0 if before is None else int(before[player])
        return player == awarded_to, player not in forfeits, int(totals[player]), tie_break

    merits = [merit(player) for player in range(players)]
    ranks = tuple(1 + sum(other > own for other in merits) for own in merits)
    first = tuple(player for player, rank in enumerate(ranks) if rank == 1)
    can_win = players > 1 and (first[0] not in forfeits or first[0] == awarded_to)
    return Standing(tuple(int(total) for total in totals), ranks, first if can_win else ())


@dataclass(frozen=True)
class Correction:
    """A change of the final totals. `kind`: "reversal" (entered the wrong way round) or "agreed" (by all players)."""

    kind: str
    reason: str
    original: Result
    """The result that was corrected, as it was."""


@dataclass(frozen=True)
class Result:
    """The result of a game of 1 to 4 players. Immutable; `fastscore.records.settlement.settle` makes one.

    `play_recorded`, `play_computed`: scores of all turns, challenge bonuses included, before `lines`.
    `totals_recorded`: final totals by the record, None if there is none. `style`: the way in which the last racks are
    counted here. `awarded_to`: the player to whom a challenge gave the game. `signed_by`: players who have signed.
    Source of the rules: WESPA rules Appendix 1, 5.1 to 5.4 (last racks and overtime).
    """

    players: tuple[str, ...]
    play_computed: tuple[int, ...]
    end: GameEnd
    style: str
    lines: tuple[Adjustment, ...] = ()
    play_recorded: tuple[int, ...] | None = None
    totals_recorded: tuple[int, ...] | None = None
    recognised: RecognisedEnding | None = None
    completeness: Completeness = Completeness.COMPLETE
    forfeits: tuple[int, ...] = ()
    corrections: tuple[Correction, ...] = ()
    signed_by: tuple[int, ...] = ()
    submitted: bool = False
    rules_name: str = ""

    @property
    def totals_computed(self) -> tuple[int, ...]:
        """Final totals by the rules from what is recorded: lines that the record lacks are not in it."""
        return self._totals([line for line in self.lines if not line.missing])

    @property
    def totals_settled(self) -> tuple[int | None, ...]:
        """Final totals by the rules with every line that they ask for; None for a player with a rack not known."""
        unknown = {line.player for line in self.lines if line.computed is None}
        return tuple(None if player in unknown else total for player, total in enumerate(self._totals(self.lines)))

    def _totals(self, lines: Sequence[Adjustment]) -> tuple[int, ...]:
        totals = list(self.play_computed)
        for line in lines:
            totals[line.player] += line.computed or 0
        return tuple(totals)

    @property
    def missing(self) -> tuple[Adjustment, ...]:
        """The lines that the rules ask for and the record lacks."""
        return tuple(line for line in self.lines if line.missing)

    @property
    def recorded_style(self) -> EndingStyle | None:
        """How the record counts the last racks; None without a record, or where they do not count."""
        return None if self.recognised is None else self.recognised.style

    @property
    def decided_by(self) -> str:
        """Which totals are final: "recorded" or "settled".

        The record's, unless there is none, or it lacks lines and all that they take is known.
        """
        if self.totals_recorded is None:
            return "settled"
        if self.corrections or not self.missing or None in self.totals_settled:
            return "recorded"
        return "settled"

    @property
    def totals(self) -> tuple[int | None, ...]:
        """The final totals, see `decided_by`."""
        recorded = self.totals_recorded
        return recorded if recorded is not None and self.decided_by == "recorded" else self.totals_settled

    @property
    def finished(self) -> bool:
        """Whether the game is over: by its turns, a challenge or a forfeit, not because a record counts racks."""
        return self.end.ending is not Ending.NOT_ENDED or bool(self.forfeits) or bool(self.corrections)

    @property
    def decided(self) -> bool:
        """Whether it is known how the game ended: it is over, and no rack that changes the totals is unknown."""
        unknown = any(line.missing and line.computed is None for line in self.lines)
        return self.finished and (not unknown or bool(self.forfeits) or bool(self.corrections))

    def standing(self, totals: Sequence[int | None] | None = None, *, box_rule: bool = False) -> Standing | None:
        """Who came where by the final totals, or by others, e.g. `totals_computed`; None where one is not known.

        `box_rule`: equal totals are decided by the scores before any adjustment, the highest first.
        """
        known = [total for total in (self.totals if totals is None else totals) if total is not None]
        if not known or len(known) < len(self.players):
            return None
        before = self.play_computed
        if totals is None and self.play_recorded is not None and self.decided_by == "recorded":
            before = self.play_recorded
        return standing(
            known,
            forfeits=self.forfeits,
            awarded_to=self.end.awarded_to,
            before=before if box_rule else None,
        )

    @property
    def winner(self) -> int | None:
        """The player who has won; None for a tie, and for a game that is not decided."""
        final = self.standing() if self.decided else None
        return None if final is None else final.winner

    @property
    def tie(self) -> bool:
        """Whether the game is decided and several players share the first place."""
        final = self.standing() if self.decided else None
        return final is not None and final.tie

    @property
    def spread(self) -> int | None:
        """Points between the first and the second place by the final totals; None where one is not known."""
        final = self.standing()
        return None if final is None else final.spread

    @property
    def final(self) -> bool:
        """Whether all players have signed."""
        return len(self.signed_by) == len(self.players) > 0

    def signed(self, player: int) -> Result:
        """With the signature of a player."""
        check_player(player, len(self.players))
        return replace(self, signed_by=tuple(sorted({*self.signed_by, player})))

    def submit(self) -> Result:
        """Handed in. FastscoreError unless all players have signed."""
        if not self.final:
            unsigned = [player for player in range(len(self.players)) if player not in self.signed_by]
            raise FastscoreError(f"result not signed by players {unsigned}: expected all to have signed")
        return replace(self, submitted=True)

    def with_overtime(self, times: Mapping[int, Seconds], rules: Ruleset) -> Result:
        """With the overtime of some players, whole time over in seconds, in place of any given for them before."""
        recorded = self.totals_recorded is not None
        lines, forfeits = time_penalties(self.lines, times, rules, len(self.players), recorded=recorded)
        kept = [player for player in self.forfeits if player not in times]
        return replace(self, lines=lines, forfeits=tuple(sorted({*kept, *forfeits})))

    def corrected(self, totals: Sequence[int], reason: str, *, agreed_by: Sequence[int]) -> Result:
        """With other final totals, on which all players agree, before the result is submitted; this one is kept."""
        if self.submitted:
            raise FastscoreError("a submitted result: expected a reversal, nothing else can be corrected")
        if len(totals) != len(self.players):
            raise ShapeError(f"{len(totals)} totals for {len(self.players)} players: expected as many")
        everybody = tuple(range(len(self.players)))
        if tuple(sorted(set(agreed_by))) != everybody:
            raise FastscoreError(f"correction agreed by players {sorted(set(agreed_by))}: expected {list(everybody)}")
        return replace(self._correct("agreed", reason, totals), signed_by=everybody)

    def reversal(self, reason: str) -> Result:
        """With the final totals of two players, which were entered the wrong way round, exchanged; this one is kept."""
        if len(self.players) != 2:
            raise FastscoreError(f"reversal with {len(self.players)} players: expected 2")
        return self._correct("reversal", reason, self.totals[::-1])

    def _correct(self, kind: str, reason: str, totals: Sequence[int | None]) -> Result:
        known = tuple(int(total) for total in totals if total is not None)
        if len(known) < len(self.players):
            raise FastscoreError("final totals that are not known: expected all of them before a correction")
        if not reason.strip():
            raise FastscoreError(f"reason {quote(reason)}: expected one for a correction")
        return replace(self, totals_recorded=known, corrections=(*self.corrections, Correction(kind, reason, self)))

    def as_dict(self) -> dict[str, object]:
        """The result as plain data: only str, int, bool, None, lists and dicts."""
        final = self.standing()
        recorded = self.totals_recorded
        return {
            "players": list(self.players),
            "rules": self.rules_name,
            "ending": self.end.ending.value,
            "out": self.end.out,
            "awarded_to": self.end.awarded_to,
            "completeness": self.completeness.value,
            "finished": self.finished,
            "style": self.style,
            "recorded_style": None if self.recorded_style is None else self.recorded_style.value,
            "recorded_style_detail": "" if self.recognised is None else self.recognised.detail,
            "play_recorded": None if self.play_recorded is None else list(self.play_recorded),
            "play_computed": list(self.play_computed),
            "lines": [line.as_dict() for line in self.lines],
            "totals_recorded": None if recorded is None else list(recorded),
            "totals_computed": list(self.totals_computed),
            "totals_settled": list(self.totals_settled),
            "decided_by": self.decided_by,
            "totals": list(self.totals),
            "ranks": None if final is None else list(final.ranks),
            "winner": self.winner,
            "tie": self.tie,
            "spread": self.spread,
            "forfeits": list(self.forfeits),
            "signed_by": list(self.signed_by),
            "submitted": self.submitted,
            "corrections": [
                {"kind": correction.kind, "reason": correction.reason, "original": list(correction.original.totals)}
                for correction in self.corrections
            ],
        }
