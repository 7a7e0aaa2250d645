"""The close look at a record: turn order, racks and bag, totals, the end of the game, and what follows from what.

It goes through the events once, with their facts (`fastscore.records.facts`), and makes findings of everything that
contradicts the rules or the record itself. A record is evidence: nothing is rewritten, recorded and computed numbers
stand side by side. Of a fault that spoils later lines (a play that cannot be laid, a total that is wrong) those lines
are marked as consequences.

How the numbers are computed: a placement by the rules; one that has no score keeps its recorded points in the running
total, and leaves the board as it was. Pass and exchange: 0. A withdrawal: minus the computed score of the play taken
back, 0 where that has none. Challenge bonus and time penalty: as recorded, there is nothing to compute them from. End
lines: by their own tiles, in the way that the record counts (`fastscore.records.conclusion`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from fastscore.adjustments import is_time_penalty, overtime
from fastscore.challenges import challenged_play, fits
from fastscore.endings import END_KINDS, EndLine
from fastscore.errors import quote
from fastscore.game import Event, Game
from fastscore.records.causes import cause_of_total
from fastscore.records.facts import (
    BAD_RACK,
    BAD_TEXT,
    LARGE_RACK,
    OVERDRAWN,
    RACK_NOT_IN_BAG,
    RACKS_NOT_IN_BAG,
    TILES_NOT_ON_RACK,
    TILES_NOT_UNSEEN,
    Facts,
)
from fastscore.records.ledger import WrongTotal
from fastscore.records.placement_examination import NOT_ENDED, PlacementExaminer, tiles_on, why_over

if TYPE_CHECKING:
    from fastscore.records.phonies import Phonies
    from fastscore.rules.ruleset import Ruleset

__all__ = ["Examiner", "RecordedLine"]

_RACK_FAULTS = BAD_RACK | LARGE_RACK | RACK_NOT_IN_BAG | RACKS_NOT_IN_BAG


class RecordedLine(NamedTuple):
    """A line after the last turn, and the turn that it is."""

    turn: int
    line: EndLine


class Examiner(PlacementExaminer):
    """Goes through the events of a game; afterwards its attributes say what there was, and what was wrong.

    `computed`: the computed score of each event, None where there is none (yet, for end lines). `bags`: tiles in the
    bag before each event, None = not known. `scoreless`: scoreless turns in a row after each event. `played`: the
    recorded totals before any end line. `lines`: the end lines, time penalties among them.
    """

    def __init__(self, game: Game, rules: Ruleset, facts: Facts, phonies: Phonies | None = None) -> None:
        super().__init__(game, rules, facts, phonies)
        self.computed: list[int | None] = []
        self.bags: list[int | None] = []
        self.scoreless: list[int] = []
        self.played = [0] * len(game.players)
        self.lines: list[RecordedLine] = []
        # Running totals by the computed scores; racks that were wrong.
        self._right = [0] * len(game.players)
        self._bad_racks: set[tuple[int | None, str]] = set()
        self._takers: dict[str, Callable[[int, Event], int | None]] = {
            "place": self.place,
            "exchange": self._exchange,
            "exchange_count": self._exchange,
            "pass": self._pass,
            "withdraw": self.withdraw,
            "challenge_bonus": self._bonus,
            "end_points": self._end_line,
            "end_penalty": self._end_line,
            "time_penalty": self._time_penalty,
            "malformed": self._malformed,
        }

    def take_events(self) -> None:
        """Look at every event."""
        takers, marks = self._takers, self.facts.marks
        for turn, event in enumerate(self.game.events):
            self.bags.append(self.bag)
            if marks[turn] & _RACK_FAULTS:
                self._check_rack(turn, event)
            self.entered = event.score
            computed = takers[event.kind](turn, event)
            self.computed.append(computed)
            self.scoreless.append(self.turns.zeros)
            player = event.player
            if player is not None and event.kind != "malformed":
                amount = self.entered if self.entered is not None else computed or 0
                self._right[player] += (event.score or 0) if computed is None else computed
                wrong = self.ledger.enter(player, amount, event.total, right=computed)
                if wrong is not None:
                    self._report_total(turn, event, amount, wrong)
                self._unheard.discard(player)
                if event.kind not in END_KINDS and event.kind != "time_penalty":
                    self.played[player] = self.ledger.totals[player]

    def _check_rack(self, turn: int, event: Event) -> None:
        marks = self.facts.marks[turn]
        rack = event.rack or ""
        detail = f"rack {quote(rack)}"
        if marks & BAD_RACK and not any(
            problem.code == "rack-malformed" and problem.line == event.line for problem in self.game.problems
        ):
            self.find("rack-unreadable", turn, detail=detail)
        if marks & LARGE_RACK:
            self.find("rack-too-large", turn, detail=f"{detail}, expected {self.rules.rack_size} tiles at most")
        if marks & RACK_NOT_IN_BAG:
            # The same wrong rack on the next line, or a tile laid that there is not, is the same fault.
            key = (event.player, "".join(sorted(rack)))
            follows = key in self._bad_racks or bool(marks & OVERDRAWN) or self._is_overdrawn(turn, event)
            self.find("rack-not-in-bag", turn, consequence=follows, detail=detail)
            self._bad_racks.add(key)
        if marks & RACKS_NOT_IN_BAG:
            before = next(at for at in range(turn - 1, -1, -1) if self.game.events[at].is_turn)
            # Turn by turn the same two players still hold them.
            follows = bool(self.facts.marks[before] & RACKS_NOT_IN_BAG)
            detail += f" and {quote(self.game.events[before].rack)} of the turn before"
            self.find("racks-not-in-bag", turn, consequence=follows, detail=detail)

    def _is_overdrawn(self, turn: int, event: Event) -> bool:
        """Whether a rack has too many only of tiles of which the board has too many already."""
        counts = self.rules.letters.counts
        if not self.overdrawn or counts is None:
            return False
        laid = tiles_on(self.boards[turn + (event.kind == "withdraw")], self.rules)
        held_tiles = self.rules.letters.rack(event.rack or "")
        return not any(
            held and held > whole - used and used <= whole
            for held, whole, used in zip(held_tiles, counts, laid, strict=True)
        )

    def _report_total(self, turn: int, event: Event, amount: int, wrong: WrongTotal) -> None:
        player, total, expected = event.player, event.total, wrong.expected
        assert player is not None, "only events of a player have a total"
        assert total is not None, "a total that is not recorded is not wrong"
        others = [other for rival, other in enumerate(self.ledger.totals) if rival != player]
        # A right score after a wrong one, and the total as if there had been none.
        restored = wrong.restored or (total == self._right[player] and self.computed[turn] == amount)
        cause = cause_of_total(total, expected - amount, amount, self.computed[turn], others)
        detail = ""
        if restored:
            cause = "total-restored"
        elif cause != "right-score-added" and self._pays_for_challenges:
            points = total - (expected - amount) - self._known_points(turn, amount)
            challenged = challenged_play(self.game.events, self.facts.words, turn, points)
            # Points that are too few by chance have more common causes than points that were taken.
            if challenged is not None and (points > 0 or cause in ("", "arithmetic", "digits-swapped")):
                cause = "challenge-line-missing"
                detail = f"{points:+} for {quote(self.game.events[challenged].move)}"
        unlaid = event.kind == "place" and self.computed[turn] is None
        follows = (
            restored or unlaid or cause == "right-score-added" or self._misplaced == turn or player in self._unheard
        )
        numbers = {"recorded": total, "computed": expected}
        self.find("wrong-total", turn, **numbers, cause=cause, consequence=follows, detail=detail)

    def _known_points(self, turn: int, amount: int) -> int:
        """What a turn is worth: by the rules where it is a play that is only scored wrong, else as recorded."""
        scored = self.computed[turn] if self.game.events[turn].kind == "place" else None
        doubtful = any(
            found.turn == turn and found.code == "misscored" and found.consequence for found in self.findings
        )
        return amount if scored is None or doubtful else scored

    # Exchanges and passes.

    def _exchange(self, turn: int, event: Event) -> int:
        player = event.player
        assert player is not None, "only malformed lines have no player"
        self.take_turn(turn, player)
        marks, number = self.facts.marks[turn], self.facts.value[turn]
        detail = f"{quote(event.move)} with the rack {quote(event.rack or '')}"
        if marks & BAD_TEXT:
            self.find("exchange-unreadable", turn, detail=detail)
        elif marks & TILES_NOT_ON_RACK:
            self.find("exchange-not-on-rack", turn, detail=detail)
        elif not 0 < number <= (self.held[player] if self.certain else self.rules.rack_size):
            self.find("exchange-too-many", turn, detail=f"{number} tiles exchanged")
            number = 0
        needed = max(number, self.rules.exchange_limit)
        if self.certain and self.bag is not None and self.bag < needed:
            self.find(
                "exchange-bag",
                turn,
                consequence=self.disordered,
                detail=f"{self.bag} tiles in the bag, expected {needed} or more",
            )
        self.turns = self.turns.exchanged()
        return self._no_points(turn, event)

    def _pass(self, turn: int, event: Event) -> int:
        player = event.player
        assert player is not None, "only malformed lines have no player"
        self.take_turn(turn, player)
        self.turns = self.turns.passed()
        return self._no_points(turn, event)

    def _no_points(self, turn: int, event: Event) -> int:
        if event.score:
            self.find("turn-scored", turn, recorded=event.score, computed=0)
        self.placed = None
        self.end = self.over()
        return 0

    # What is no turn.

    def _bonus(self, turn: int, event: Event) -> int:
        self.check_time(turn)
        placed, score = self.placed, event.score or 0
        if placed is None:
            self.find("challenge-without-play", turn, consequence=self.skipped)
            return score
        # Points are for the player of the word; a penalty is the challenger's.
        if (placed.player == event.player) == (score < 0):
            self.find("challenge-other-player", turn, recorded=event.score)
        if not fits(score, max(1, placed.words)):
            self.find("challenge-amount", turn, recorded=score, detail=f"a play of {placed.words} words")
        self.challenged[event.player or 0] += 1
        if self.challenged[event.player or 0] > max(1, placed.words):
            self.find("challenge-twice", turn, recorded=event.score, detail=f"a play of {placed.words} words")
        if self.rules.challenge == "triple":
            self.end = self.over(awarded_to=placed.player)
        return score

    def _end_line(self, turn: int, event: Event) -> None:
        player = event.player
        assert player is not None, "only malformed lines have no player"
        marks = self.facts.marks[turn]
        points = event.kind == "end_points"
        early = self.certain and self.end is NOT_ENDED
        if self.timed:
            self.find("end-line-after-time-penalty", turn, consequence=self.early_time)
        elif early and not self.lines:
            # A game that went on after its end has no end of its own any more.
            follows = self.moved_on or self.disordered
            self.find("end-line-early", turn, consequence=follows, detail=f"{self.bag} tiles in the bag")
        if points and self.end is not NOT_ENDED and self.end.out != player:
            self.find("end-line-other-player", turn, detail=why_over(self.end))
        if marks & BAD_TEXT:
            self.find("end-tiles-unreadable", turn, detail=quote(event.text))
        elif marks & TILES_NOT_UNSEEN and len(self.game.players) == 2 and (points or self.end.out is not None):
            detail = f"{quote(event.text)}, and {self.facts.unseen[turn]} tiles are not on the board"
            self.find(
                "end-tiles-not-unseen", turn, consequence=early or bool(self.overdrawn or self.lost), detail=detail
            )
        if marks & TILES_NOT_ON_RACK and not points:
            self.find("end-tiles-not-rack", turn, detail=f"{quote(event.text)} and the rack {quote(event.rack)}")
        value = None if marks & BAD_TEXT else self.facts.value[turn]
        told = None if event.total is None else event.total - self.ledger.totals[player]
        self.lines.append(RecordedLine(turn, EndLine(player, event.kind, event.score or 0, value, event.text, told)))

    def _time_penalty(self, turn: int, event: Event) -> int:
        player, score = event.player, event.score or 0
        assert player is not None, "only malformed lines have no player"
        if player in self.timed:
            self.find("time-penalty-twice", turn, recorded=event.score)
        elif self.certain and self.end is NOT_ENDED and not self.lines:
            self.find("time-penalty-early", turn, recorded=event.score)
            self.early_time = True
            self._misplaced = turn
        if event.score is not None and not is_time_penalty(score, self.rules):
            most = overtime(self.rules.overtime_limit, self.rules).points
            detail = f"expected a multiple of -{self.rules.overtime_amount}, -{most} at most"
            self.find("time-penalty-amount", turn, recorded=score, detail=detail)
        self.timed.add(player)
        self.lines.append(RecordedLine(turn, EndLine(player, "time_penalty", score)))
        return score

    def _malformed(self, turn: int, event: Event) -> None:
        # A line that is no event's, like a comment without its mark, takes nothing off the board.
        if event.text.lstrip().startswith(">"):
            self.skipped = True
            self._unheard = set(range(len(self.game.players)))
            # After the end nobody lays tiles.
            self.lost.unplaced |= self.end is NOT_ENDED
