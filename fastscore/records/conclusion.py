"""The end of a record: its result, and what its end lines have wrong or lack."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from fastscore.adjustments import EndRack, derive_rack, end_rack
from fastscore.endings import END_KINDS, Ending, EndingStyle, EndLine, GameEnd
from fastscore.errors import NotationError, quote
from fastscore.findings import Finding, findings_of_reader, place_of
from fastscore.game import Game
from fastscore.records.examination import Examiner
from fastscore.records.facts import BAD_RACK, HAS_RACK, LARGE_RACK, RACK_NOT_IN_BAG, Course, Facts
from fastscore.records.placement_examination import tiles_on
from fastscore.records.settlement import RecordedEnd, doubled_lines, settle
from fastscore.results import Completeness, Result

if TYPE_CHECKING:
    from fastscore.records.phonies import Phonies
    from fastscore.rules.ruleset import Ruleset

__all__ = ["Examined", "examine", "settle_plain"]

_WRONG_POINTS = {"end_points": "end-points-wrong", "end_penalty": "end-penalty-wrong"}
_END_LINE_FAULTS = frozenset(
    {*_WRONG_POINTS.values(), "end-line-other-player", "end-line-twice", "end-tiles-unreadable", "end-line-early"}
)
"""They explain why end lines fit no way of counting, and why one is missing."""


class Examined(NamedTuple):
    """What a close look at a record gives: a list entry for each event, the findings by line, and the result.

    `computed`, `totals`: computed score and running total of the event's player, None where there is none.
    """

    computed: list[int | None]
    totals: list[int | None]
    course: Course
    findings: tuple[Finding, ...]
    result: Result


def examine(
    game: Game, rules: Ruleset, facts: Facts, *, phonies: Phonies | None = None, strict: bool = False
) -> Examined:
    """Look closely at every event of a game, and settle it.

    `facts`: those of its events and, behind them, of its final racks. `phonies`: words that are not in a lexicon; None
    = without one. `strict`: what collections ask of a record beyond the rules is found as well: a lexicon, and an end.
    """
    examiner = _Conclusion(game, rules, facts, phonies)
    examiner.take_events()
    return examiner.conclude(strict)


def settle_plain(game: Game, rules: Ruleset) -> Result:
    """The result of a game of which it is known that nothing is wrong with it: what `examine` would give."""
    names = [player.label for player in game.players]
    play = [0] * len(names)
    totals = [0] * len(names)
    lines: list[EndLine] = []
    for event in game.events:
        player, score, total = event.player, event.score, event.total
        assert player is not None, "a plain game has no malformed lines"
        assert score is not None, "a plain game has all scores"
        assert total is not None, "a plain game has all totals"
        totals[player] = total
        if event.kind == "end_points":
            # The points are twice the tiles.
            lines.append(EndLine(player, event.kind, score, score // 2, event.text))
        else:
            play[player] = total
    end = GameEnd(Ending.PLAYED_OUT, lines[0].player) if lines else GameEnd(Ending.NOT_ENDED)
    racks = [EndRack(0) if player == end.out else EndRack(None) for player in range(len(names))]
    record = RecordedEnd(tuple(play), tuple(totals), tuple(lines))
    return settle(play, rules, end, racks=racks, record=record, players=names)


class _Conclusion(Examiner):
    def conclude(self, strict: bool) -> Examined:
        self._check_final_racks()
        if self.end.ending is Ending.NOT_ENDED and (self.disordered or not self.certain):
            self.end = self._recorded_end()
        result = self._settle()
        for recorded, line in zip(self.lines, result.lines, strict=False):
            self.computed[recorded.turn] = line.computed
        self._check_end_lines(result)
        if strict:
            self._ask_more(result)
        findings = [*findings_of_reader(self.game), *self.findings]
        findings.sort(key=place_of)
        course = Course(self.bags, self.scoreless)
        return Examined(self.computed, self._totals(), course, tuple(findings), result)

    def _totals(self) -> list[int | None]:
        totals = [0] * len(self.game.players)
        found: list[int | None] = []
        for event, computed in zip(self.game.events, self.computed, strict=True):
            player = event.player
            if player is None or event.kind == "malformed":
                found.append(None)
                continue
            totals[player] += (event.score or 0) if computed is None else computed
            found.append(totals[player])
        return found

    # The result.

    def _recorded_end(self) -> GameEnd:
        """Why the game is over by the record, where tiles cannot be counted."""
        last_turn = max((turn for turn, event in enumerate(self.game.events) if event.is_turn), default=-1)
        lines = [line.line for line in self.lines if line.turn > last_turn]
        winners = {line.player for line in lines if line.kind == "end_points"}
        charged = {line.player for line in lines if line.kind == "end_penalty"}
        if len(winners) == 1:
            return GameEnd(Ending.PLAYED_OUT, winners.pop())
        # Everybody is charged where nobody went out.
        return GameEnd(Ending.ZERO_TURNS) if charged and len(charged) == len(self.game.players) else self.end

    def _settle(self) -> Result:
        names = [player.label for player in self.game.players]
        lines = {line.turn for line in self.lines}
        play = [0] * len(names)
        for turn, (event, computed) in enumerate(zip(self.game.events, self.computed, strict=True)):
            if event.player is not None and event.kind != "malformed" and turn not in lines:
                play[event.player] += (event.score or 0) if computed is None else computed
        record = RecordedEnd(tuple(self.played), tuple(self.ledger.totals), tuple(line.line for line in self.lines))
        if not names:
            # Nobody plays in a record that is empty.
            return Result((), (), self.end, self.rules.end_adjustment, (), (), (), None, Completeness.UNKNOWN)
        return settle(play, self.rules, self.end, racks=self._racks(), record=record, players=names)

    def _racks(self) -> list[EndRack]:
        """What each player holds at the end, as far as it is known."""
        players = range(len(self.game.players))
        racks = [EndRack(None) for _ in players]
        if not self.end.ending.counts_racks:
            return racks
        if self.end.out is None:
            # Whoever passed at last still holds what the line shows.
            for player in players:
                text = self._rack_kept(player)
                racks[player] = end_rack(text, self.rules)
        for player, text in self.game.final_racks.items():
            if player in players:
                try:
                    racks[player] = end_rack(text, self.rules)
                except NotationError:
                    continue
        if self.end.out is not None:
            racks[self.end.out] = EndRack(0)
        unknown = [player for player in players if racks[player].value is None]
        if self.certain and self.bag == 0 and len(unknown) == 1 and not self._covers(unknown[0]):
            racks[unknown[0]] = self._derive(racks)
        return racks

    def _rack_kept(self, player: int) -> str | None:
        for turn in range(len(self.game.events) - 1, -1, -1):
            event = self.game.events[turn]
            if event.player == player and event.kind in ("pass", "withdraw", "place", "exchange", "exchange_count"):
                whole = self.facts.marks[turn] & HAS_RACK and self.facts.rack_tiles[turn] == self.held[player]
                return event.rack if whole and event.kind in ("pass", "withdraw") else None
        return None

    def _covers(self, player: int) -> bool:
        """Whether a recorded end line says what a player of two holds."""
        owners = [line.player if line.kind == "end_penalty" else 1 - line.player for _, line in self.lines]
        return len(self.game.players) == 2 and player in owners

    def _derive(self, racks: list[EndRack]) -> EndRack:
        """The one rack that nobody gives, as what the distribution leaves."""
        letters = self.rules.letters
        assert letters.counts is not None, "numbers of tiles that are certain are known"
        seen = tiles_on(self.boards[-1], self.rules)
        for rack in racks:
            if rack.tiles:
                seen = [own + more for own, more in zip(seen, letters.rack(rack.tiles), strict=True)]
        left = derive_rack(letters.counts, seen, self.rules.rack_size)
        return EndRack(None) if left is None else end_rack(left, self.rules, derived=True)

    # What is wrong with the end.

    def _check_final_racks(self) -> None:
        events = len(self.game.events)
        lines = {pragma.keyword: pragma.line for pragma in self.game.pragmas}
        for index, (player, text) in enumerate(self.game.final_racks.items()):
            marks = self.facts.marks[events + index]
            faults = [
                ("rack-unreadable", marks & BAD_RACK),
                ("rack-too-large", marks & LARGE_RACK),
                ("rack-not-in-bag", marks & RACK_NOT_IN_BAG),
            ]
            for code, found in faults:
                if found:
                    line = lines[f"rack{player + 1}"]
                    self.findings.append(Finding(code, line, None, player, detail=f"the last rack {text!r}"))
        self._check_final_racks_together(lines)

    def _check_final_racks_together(self, lines: dict[str, int]) -> None:
        letters, racks = self.rules.letters, self.game.final_racks
        marks = self.facts.marks[len(self.game.events) :]
        # A rack that has too many by itself is a finding of its own.
        if letters.counts is None or len(racks) < 2 or any(own & (BAD_RACK | RACK_NOT_IN_BAG) for own in marks):
            return
        on_board = tiles_on(self.boards[-1], self.rules)
        held = [sum(counts) for counts in zip(*map(letters.rack, racks.values()), strict=True)]
        if any(own and own + laid > whole for own, laid, whole in zip(held, on_board, letters.counts, strict=True)):
            player, detail = max(racks), f"the last racks {', '.join(map(quote, racks.values()))}"
            line = lines[f"rack{player + 1}"]
            self.findings.append(Finding("racks-not-in-bag", line, None, player, detail=detail))

    def _check_end_lines(self, result: Result) -> None:
        doubled = doubled_lines([line.line for line in self.lines], len(self.game.players))
        for recorded, line, again in zip(self.lines, result.lines, doubled, strict=False):
            event = self.game.events[recorded.turn]
            if again:
                self.find("end-line-twice", recorded.turn, recorded=event.score, computed=0, detail=event.move)
            elif line.kind in END_KINDS and event.score is not None and line.computed != event.score:
                numbers = {"recorded": event.score, "computed": line.computed}
                self.find(_WRONG_POINTS[line.kind], recorded.turn, **numbers, detail=f"({line.tiles})")
                self._excuse_total(recorded.turn, (line.computed or 0) - event.score)
        style = result.recognised
        if style is not None and style.style is EndingStyle.OTHER and not self._has(_END_LINE_FAULTS):
            last = [line.turn for line in self.lines if line.line.kind in END_KINDS][-1]
            self.find("end-lines-contradict", last, detail=style.detail)
        if not result.missing:
            return
        last_event = self.game.events[-1]
        # The line may be there, and be wrong or not readable.
        follows = last_event.kind == "malformed" or self._has({*_END_LINE_FAULTS, "end-lines-contradict"})
        for line in result.missing:
            what = "points for" if line.kind == "end_points" else "points taken for"
            detail = f"{what} {line.tiles or 'a rack that is not known'}"
            missing = Finding(
                "end-line-missing",
                last_event.line,
                player=line.player,
                computed=line.computed,
                consequence=follows,
                detail=detail,
            )
            self.findings.append(missing)

    def _excuse_total(self, turn: int, difference: int) -> None:
        """A total that has the right points of an end line, where others are recorded, is no second fault."""
        for index, finding in enumerate(self.findings):
            if finding.code == "wrong-total" and finding.turn == turn and finding.difference == difference:
                excused = replace(finding, cause="right-score-added", consequence=True, detail="")
                self.findings[index] = excused

    def _has(self, codes: Set[str]) -> bool:
        return any(finding.code in codes for finding in self.findings)

    def _ask_more(self, result: Result) -> None:
        if not self.game.lexicon:
            self.findings.append(Finding("lexicon-missing", 0))
        if not result.finished:
            self.findings.append(Finding("game-incomplete", self.game.events[-1].line if self.game.events else 0))
