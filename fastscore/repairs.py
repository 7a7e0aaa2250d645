"""Repairs of records: a corrected copy of a game, and a list of what was changed and why.

What is corrected is what the record itself and the rules decide: scores of plays, withdrawals and end lines, points for
turns that have none, running totals, challenge bonuses that stand in a play's score or only in a total, points that
later totals show to have been taken from a challenger, end lines that are not there, plays written without all letters
of their word, and the spelling of the format. What nobody can know from the record stays as it is and is listed: wrong
racks, plays that cannot be laid, turns out of order, a last total from which a challenger's points may have been taken,
and whatever only follows from those. The record that was read is never touched.

Where a score and the total beside it contradict each other, the rules decide; where these say nothing, whatever later
totals carry on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fastscore.adjustments import is_time_penalty
from fastscore.challenges import challenged_play, fits, may_have_bonus
from fastscore.coordinates import Direction, format_coordinate, parse_coordinate
from fastscore.errors import FastscoreError, RecordError
from fastscore.findings import CAUSES, Finding, meaning_of
from fastscore.findings import CODES as FINDING_CODES
from fastscore.game import Event, Game, Pragma
from fastscore.gcg.codes import CODES as READER_CODES
from fastscore.records.corrected_text import corrected_text, plain_text
from fastscore.replays import Replay, Turn, replay
from fastscore.rules.ruleset import Ruleset
from fastscore.ruleset_choice import choose_rules
from fastscore.sanitise import printable

__all__ = ["Change", "Repair", "repair"]

_PASSES: Final = 4
"""What was corrected may show what else was wrong, once or twice."""
_LOSING: Final = frozenset({"game-too-long", "line-too-long"})
"""What the reader left out of a game of which a copy would not be whole."""
_WRONG_PLACE: Final = frozenset({"not-connected", "start-not-covered", "no-word"})
"""Plays that probably lay elsewhere, so that nobody knows their score."""
_END_POINTS: Final = ("end-points-wrong", "end-penalty-wrong")
"""End lines of another amount than their tiles give."""
_UNCERTAIN: Final = ("", "arithmetic", "digits-swapped", "challenge-line-missing")
"""Causes of a wrong total that do not say whether it or the score beside it is wrong."""
_DOUBTFUL_FROM: Final = 3
"""So many wrong scores, and more than half of all, are rather the wrong rules."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something that the corrected copy has otherwise than the record.

    Attributes
    ----------
    line
        1-based line of the record; of a line that was added, the one before it. 0 = the whole record.
    what
        "score", "total", "play" (its text), "line" (a line that was added) or "spelling".
    before, after
        What it was and what it is; "" for what was not there.
    code
        What was wrong: a code of `fastscore.findings` or `fastscore.gcg.codes`.
    cause
        The likely cause, one of `fastscore.findings.CAUSES`, or "".
    player
        From 0; None where it is nobody's.
    consequence
        Whether it only follows from another change, as totals follow from a score.
    detail
        Why, in words.
    """

    line: int
    what: str
    before: str
    after: str
    code: str
    cause: str = ""
    player: int | None = None
    consequence: bool = False
    detail: str = ""

    @property
    def severity(self) -> str:
        """Error, warning or note: how bad what was wrong is."""
        found = FINDING_CODES.get(self.code) or READER_CODES.get(self.code)
        return "error" if found is None else found.severity

    def as_dict(self) -> dict[str, Any]:
        """The change as plain data."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "severity": self.severity}

    def __str__(self) -> str:
        """`line 14: score +115 -> +113: misscored: a blank is counted as the letter that it stands for`."""
        if self.what == "line":
            done = f"added {self.after}"
        elif self.what == "spelling":
            done = "spelling"
        else:
            done = f"{self.what} {self.before or 'none'} -> {self.after}"
        why = [self.code, CAUSES.get(self.cause, "") or self.detail or meaning_of(self.code)]
        if self.consequence:
            why = ["follows from another change"]
        parts = [f"line {self.line}" if self.line else "", done, *why]
        return ": ".join(printable(part) for part in parts if part)


@dataclass(frozen=True)
class Repair:
    """A corrected copy of a game: `game`, what was changed in it, and what is still wrong with it.

    `original` is the record as it was read. `left` has the lines of the original. `text` is the copy as text,
    which reads as `game`; it is meant for UTF-8.
    """

    original: Game
    game: Game
    rules: Ruleset
    changes: tuple[Change, ...]
    left: tuple[Finding, ...]
    text: str

    @property
    def corrections(self) -> tuple[Change, ...]:
        """The changes of what the record says, without those of its spelling."""
        return tuple(change for change in self.changes if change.what != "spelling")

    def as_dict(self) -> dict[str, Any]:
        """Changes, and what is left, as plain data."""
        return {
            "source": self.original.source,
            "line": self.original.first_line,
            "rules": self.rules.name,
            "players": [player.name or player.nick for player in self.game.players],
            "totals_before": self.original.recorded_totals,
            "totals_after": self.game.recorded_totals,
            "changes": [change.as_dict() for change in self.changes],
            "left": [finding.as_dict() for finding in self.left],
        }


def repair(
    game: Game,
    rules: Ruleset | Sequence[Ruleset] | str | None = None,
    *,
    comments: bool = True,
    text: str | None = None,
) -> Repair:
    """A corrected copy of a game.

    Parameters
    ----------
    game
        The record; it stays as it is.
    rules
        A ruleset, its name or file, or several rulesets of which the one is taken that explains most of the recorded
        scores. None = what the record says, else classic/english.
    comments
        Whether the copy says at each line that was corrected, in a comment, what it was.
    text
        The text that the game was read from, for a `Repair.text` that keeps every line of it that nothing changes. None
        = that text is wholly in the spelling of `write_gcg`.

    Raises
    ------
    RecordError
        With the code `rules-doubtful`: most plays have another score by rules that nobody has named, so that the rules
        are wrong and not the scores. With `unwritable`, `game-too-long` or `line-too-long`: a record of which no whole
        copy can be written.
    RulesError
        An unknown name of a ruleset.
    """
    for problem in game.problems:
        if problem.code in _LOSING:
            raise RecordError(problem.detail, code=problem.code, source=game.source, line=problem.line)
    named = rules if rules is None or isinstance(rules, (str, Ruleset)) else choose_rules(game, rules).rules
    first = replay(game, named)
    if not isinstance(rules, (str, Ruleset)):
        # Of several the best is not always one that explains anything.
        _check_rules(first)
    copy = _Copy(first)
    copy.correct()
    made = copy.game(comments=comments)
    corrected = None if text is None else corrected_text(text, game, made, copy.origins())
    if corrected is None:
        corrected = plain_text(made)
    made.problems = [problem for problem in game.problems if corrected.has(problem)]
    spelling = [
        Change(problem.line, "spelling", "", "", problem.code, detail=problem.detail or meaning_of(problem.code))
        for problem in game.problems
        if not corrected.has(problem)
    ]
    left = tuple(map(copy.explain, replay(made, named).findings))
    return Repair(game, made, first.rules, (*spelling, *copy.changes()), left, corrected.text)


def _check_rules(first: Replay) -> None:
    """Refuse what looks like a game of other rules: letters that there are not, or wrong scores all over."""
    game, rules = first.game, first.rules
    fit = choose_rules(game, [rules]).best[0]
    unread = sum(finding.code == "play-unreadable" for finding in first.findings)
    what = f"{fit.wrong} of {fit.placements} plays have another score"
    if unread:
        what = f"{unread} of {fit.placements} plays have letters that are no tiles"
    elif fit.wrong < _DOUBTFUL_FROM or 2 * fit.wrong <= fit.placements:
        return
    detail = f"{what} by {rules.name}, expected to be told the rules of the game (--rules)"
    raise RecordError(detail, code="rules-doubtful", source=game.source, line=game.first_line)


@dataclass(slots=True)
class _Entry:
    """An event of the copy, what it was (None = it is added), and why something of it is changed.

    `told`: by how much the recorded total changes, None where that is not recorded. `unexplained`: by how much the
    total jumps for a reason that nobody can know.
    """

    event: Event
    origin: Event | None
    why: dict[str, Finding] = field(default_factory=dict)
    told: int | None = None
    unexplained: int = 0


class _Copy:
    """The events of the copy while they are corrected."""

    def __init__(self, first: Replay) -> None:
        self.first = first
        self.entries = [_Entry(replace(event), event) for event in first.game.events]
        # What was found in the record itself names a fault better than what is found once others are corrected.
        self.reasons: dict[int, dict[str, Finding]] = {}
        for finding in first.findings:
            if finding.turn is None:
                continue
            self.reasons.setdefault(id(self.entries[finding.turn]), {})[finding.code] = finding
            if finding.code == "wrong-total" and not finding.consequence:
                self.entries[finding.turn].why["total"] = finding
        self._take_down_totals()

    def _take_down_totals(self) -> None:
        """By how much the recorded totals change: evidence that is lost once they are added up anew."""
        totals = [0] * len(self.first.game.players)
        for entry in self.entries:
            event = entry.event
            if event.player is None or event.kind == "malformed":
                continue
            if event.total is None:
                totals[event.player] += event.score or 0
            else:
                entry.told = event.total - totals[event.player]
                totals[event.player] = event.total

    def correct(self) -> None:
        """Correct what can be corrected, until there is nothing more."""
        self._believe_totals()
        self._add_challenge_lines()
        for _ in range(_PASSES):
            # Copies: the events themselves are changed.
            before = [replace(entry.event) for entry in self.entries]
            self._add_up()
            current = replay(self.game(comments=False), self.first.rules)
            self._correct_scores(current)
            self._add_up()
            if [entry.event for entry in self.entries] == before:
                break
        self._keep_unexplained()

    def _keep_unexplained(self) -> None:
        """Keep of the jumps that nobody can explain those which a look at the copy finds as inexplicable."""
        while jumps := [(index, entry) for index, entry in enumerate(self.entries) if entry.unexplained]:
            current = replay(self.game(comments=False), self.first.rules)
            found = {finding.turn: finding for finding in current.findings if finding.code == "wrong-total"}
            solved = [
                entry
                for index, entry in jumps
                if index not in found
                or found[index].cause == "total-restored"
                or found[index].consequence != self.reasons[id(entry)]["wrong-total"].consequence
                or _put_right_later(current, index, entry.event.player)
            ]
            if not solved:
                return
            for entry in solved:
                entry.unexplained = 0
            self._add_up()

    def game(self, *, comments: bool) -> Game:
        """The copy, with comments on what is changed or without."""
        original = self.first.game
        events = [replace(entry.event) for entry in self.entries]
        if comments:
            for number, (event, entry) in enumerate(zip(events, self.entries, strict=True), start=1):
                after = events[number] if number < len(events) else None
                if after is not None and after.kind == "malformed" and not after.text.startswith(">"):
                    # It would become the end of the comment.
                    continue
                notes = [_comment(change) for change in _changes_of(entry) if not change.consequence]
                event.notes = (*event.notes, *notes)
        places = [index for index, entry in enumerate(self.entries) if entry.origin is not None]
        places.append(len(self.entries))
        pragmas = [
            Pragma(pragma.keyword, pragma.text, places[pragma.after] if pragma.after else 0, pragma.line)
            for pragma in original.pragmas
        ]
        return replace(original, events=events, pragmas=pragmas, problems=[])

    def origins(self) -> list[Event | None]:
        """What each event of the copy was; None = it is added."""
        return [entry.origin for entry in self.entries]

    def explain(self, finding: Finding) -> Finding:
        """A finding about the copy, with why it was left."""
        if finding.cause != "challenge-line-missing" or finding.turn is None or finding.consequence:
            return finding
        if self.entries[finding.turn].unexplained:
            return replace(finding, detail=f"{finding.detail}, or a wrong sum: no later turn tells")
        return finding

    def changes(self) -> Iterator[Change]:
        """What is otherwise than in the record, in the order of lines."""
        for entry in self.entries:
            yield from _changes_of(entry)

    # Totals.

    def _add_up(self) -> None:
        """Running totals from the scores."""
        totals = [0] * len(self.first.game.players)
        for entry in self.entries:
            event = entry.event
            player = event.player
            if player is None or event.kind == "malformed":
                continue
            if event.score is None:
                # A total that is there says what the score was.
                event.score = 0 if event.total is None else event.total - totals[player]
            totals[player] += event.score + entry.unexplained
            event.total = totals[player]

    def _believe_totals(self) -> None:
        """Take points from the totals where these say it and the points are contradicted, or cannot be computed."""
        for index, (entry, turn) in enumerate(zip(self.entries, self.first.turns, strict=True)):
            event, found = entry.event, self.reasons.get(id(entry), {})
            total, told = found.get("wrong-total"), entry.told
            if total is None or told is None or event.player is None:
                continue
            if total.cause == "right-score-added" and turn.computed is not None:
                # Even of a play that misses a tile before it: two that agree are right.
                _set_score(entry, turn.computed, found, ("misscored", *_END_POINTS), asked=True)
            elif event.kind == "end_penalty" and event.rack is None and self._gains(event.player, turn, told):
                event.kind = "end_points"
                _set_score(entry, told, found, (*_END_POINTS, "end-lines-contradict", "wrong-total"))
                entry.why.pop("total", None)
            elif total.cause != "total-restored" and total.consequence and self._may_lack_line(index, event.player):
                # The points of a line that nobody can read, or that is not there, are in the total all the same.
                if not _put_right_later(self.first, index, event.player):
                    entry.unexplained = self._unearned(entry, turn)
            elif told and total.cause in _UNCERTAIN and self._tells(index, told, found):
                _set_score(entry, told, found, ("challenge-amount", "time-penalty-amount", "wrong-total"))
                entry.why.pop("total", None)

    def _gains(self, player: int, turn: Turn, told: int) -> bool:
        """Whether the total adds, with the wrong sign, what whoever went out gets for others' tiles."""
        value = -(turn.computed or 0)
        amounts = (value, 2 * value) if len(self.first.game.players) == 2 else (value,)
        return self.first.result.end.out == player and told > 0 and told in amounts

    def _tells(self, index: int, told: int, found: dict[str, Finding]) -> bool:
        """Whether points that nobody can compute are rather what the total says."""
        events, turns = self.first.game.events, self.first.turns
        kind, player = events[index].kind, events[index].player or 0
        if kind == "place":
            wrong = found.get("misscored")
            doubtful = turns[index].computed is None or (wrong is not None and wrong.consequence)
            possible, broken = doubtful and told > 0, False
        elif kind == "challenge_bonus":
            words = next((turn.words for turn in turns[index::-1] if turn.kind == "place"), ())
            possible, broken = bool(fits(told, max(1, len(words)))), "challenge-amount" in found
        elif kind == "time_penalty":
            possible, broken = is_time_penalty(told, self.first.rules), "time-penalty-amount" in found
        else:
            return False
        follower = events[index + 1] if index + 1 < len(events) else None
        if follower is not None and follower.kind == "withdraw" and follower.player == player:
            return possible and follower.score == -told
        carried = any(event.player == player and event.total is not None for event in events[index + 1 :])
        carried = carried and not _put_right_later(self.first, index, player)
        return possible and (broken or carried)

    def _may_lack_line(self, index: int, player: int) -> bool:
        """Whether a line of the player before an event may be one that cannot be read, or not be there."""
        for at in range(index, -1, -1):
            event = self.first.game.events[at]
            if event.kind == "malformed" or "off-turn" in self.reasons.get(id(self.entries[at]), {}):
                return True
            if at < index and event.player == player:
                break
        return False

    def _add_challenge_lines(self) -> None:
        """Give a line of their own to points for challenges that are only in a total."""
        events, words = self.first.game.events, [turn.words for turn in self.first.turns]
        inserted: list[tuple[int, _Entry]] = []
        for turn, entry in enumerate(self.entries):
            finding, player = entry.why.get("total"), entry.event.player
            if finding is None or player is None or finding.cause != "challenge-line-missing":
                continue
            points = self._unearned(entry, self.first.turns[turn])
            after = challenged_play(events, words, turn, points)
            if after is None or _put_right_later(self.first, turn, player):
                entry.why["total"] = replace(finding, cause="", detail="")
                continue
            if points > 0 or self._has_turn_after(turn, player):
                inserted.append((after, _challenge(player, points, events[after].line, finding)))
                del entry.why["total"]
            else:
                entry.unexplained = points
        for after, line in sorted(inserted, key=lambda each: each[0], reverse=True):
            self.entries.insert(after + 1, line)

    def _unearned(self, entry: _Entry, turn: Turn) -> int:
        """By how much a total changes beside what the turn is worth."""
        wrong = self.reasons.get(id(entry), {}).get("misscored")
        scored = turn.computed if turn.kind == "place" and not (wrong and wrong.consequence) else None
        return (entry.told or 0) - ((entry.event.score or 0) if scored is None else scored)

    def _has_turn_after(self, turn: int, player: int) -> bool:
        """Whether a later turn's total carries on what a total has; one of a wrong sum is often put right there."""
        return any(event.player == player and event.is_turn for event in self.first.game.events[turn + 1 :])

    # Scores.

    def _correct_scores(self, current: Replay) -> None:
        findings: dict[int, list[Finding]] = {}
        for finding in current.findings:
            if finding.turn is not None:
                findings.setdefault(finding.turn, []).append(finding)
        added: list[tuple[int, _Entry]] = []
        played: int | None = None
        for index, entry in enumerate(self.entries):
            event, computed = entry.event, current.turns[index].computed
            found = {finding.code: finding for finding in findings.get(index, ())}
            known = self.reasons.get(id(entry), {})
            if event.kind == "place":
                added += self._correct_play(index, entry, computed, found, current)
                played = index
            elif event.kind == "withdraw":
                lost = {"withdrawal-without-play", "withdrawal-other-player"} & set(found)
                if played is not None and not lost:
                    right = -(self.entries[played].event.score or 0)
                    _set_score(entry, right, {**found, **known}, ("withdrawal-zero", "withdrawal-amount"))
                elif entry.told == computed:
                    # It takes nothing back, and its total says so too.
                    _set_score(entry, entry.told or 0, found, ("misscored",), asked=True)
                played = None
            elif "turn-scored" in found:
                _set_score(entry, 0, found, ("turn-scored",))
            elif computed is not None and not any(code.startswith("end-tiles") for code in found):
                _set_score(entry, computed, found, _END_POINTS, asked=True)
        for index, new in reversed(added):
            self.entries.insert(index + 1, new)
        if not added:
            self._add_end_lines(current)

    def _correct_play(
        self, index: int, entry: _Entry, computed: int | None, found: dict[str, Finding], current: Replay
    ) -> Iterator[tuple[int, _Entry]]:
        event = entry.event
        wrong = found.get("misscored")
        short = found.get("not-maximal")
        if short is not None and (short.consequence or _WRONG_PLACE & set(found)):
            short = None
        if short is not None:
            whole = _whole_play(event, current, index)
            if whole is not None:
                entry.why.setdefault("play", short)
                event.coordinate, event.at, event.text = whole
        if wrong is None or computed is None or (wrong.consequence and short is None) or event.score is None:
            return
        bonus = event.score - computed
        # What the recorded totals say of it is lost once they are added up anew.
        first = self.reasons.get(id(entry), {}).get("misscored", wrong)
        if first.consequence:
            first = wrong
        earned = first.cause == "challenge-bonus-included" and self._earned(index, entry, computed)
        if first.cause == "challenge-bonus-included" and not earned:
            first = replace(first, cause="")
        entry.why.setdefault("score", first)
        event.score = computed
        if earned:
            yield index, _challenge(event.player or 0, bonus, event.line, first)

    def _earned(self, index: int, entry: _Entry, computed: int) -> bool:
        """Whether points in the score of a play are a challenge bonus, and not contradicted by the recorded totals."""
        turn = next((at for at, event in enumerate(self.first.game.events) if event is entry.origin), 0)
        later = _put_right_later(self.first, turn, entry.event.player or 0)
        return may_have_bonus([each.event for each in self.entries], index) and entry.told != computed and not later

    def _add_end_lines(self, current: Replay) -> None:
        """Add the lines for the last racks that the rules ask for."""
        missing = [finding for finding in current.findings if finding.code == "end-line-missing"]
        lines = [line for line in current.result.missing if line.computed and line.tiles]
        if not missing or any(finding.consequence for finding in missing) or not lines:
            return
        if any(finding.code.startswith("end-tiles") for finding in current.findings):
            # What a doubtful line says of the last racks is no ground for another one.
            return
        at = len(self.entries)
        while at and self.entries[at - 1].event.kind == "time_penalty":
            at -= 1
        place = self.entries[at - 1].event.line if at else 0
        for line in lines:
            penalty = line.kind == "end_penalty"
            rack = line.tiles if penalty else None
            kind = "end_penalty" if penalty else "end_points"
            event = Event(kind, line.player, rack, line.tiles, score=line.computed, line=place)  # type: ignore[arg-type]
            why = next((finding for finding in missing if finding.player == line.player), missing[0])
            if line.derived:
                why = replace(why, detail=f"{why.detail}, the tiles that are left of the set")
            self.entries.insert(at, _Entry(event, None, {"line": why}))
            at += 1


def _put_right_later(replayed: Replay, turn: int, player: int | None) -> bool:
    """Whether a later total of a player is as if that of a turn had not been wrong."""
    return any(
        finding.cause == "total-restored" and finding.player == player and (finding.turn or 0) > turn
        for finding in replayed.findings
    )


def _challenge(player: int, points: int, line: int, why: Finding) -> _Entry:
    """A line for the points of a challenge."""
    return _Entry(Event("challenge_bonus", player, score=points, line=line), None, {"line": why})


def _set_score(
    entry: _Entry, right: int, found: dict[str, Finding], codes: Sequence[str], *, asked: bool = False
) -> None:
    """Give an event its score, if it has another; `asked`: only where a finding says that it is wrong."""
    why = next((found[code] for code in codes if code in found), None)
    if entry.event.score == right or (asked and why is None):
        return
    if why is not None:
        entry.why.setdefault("score", why)
    entry.event.score = right


def _whole_play(event: Event, current: Replay, index: int) -> tuple[str, tuple[int, int, Direction], str] | None:
    """Coordinate and text of a play with all the letters of its word; None if that cannot be said."""
    from fastscore.placements import Placement

    board = current.positions[index]
    if event.at is None:
        return None
    try:
        placement = Placement.parse(f"{format_coordinate(*event.at)} {event.text}", board)
        coordinate, _, text = placement.format(board, style="dots").partition(" ")
    except FastscoreError:
        return None
    row, col, direction = at = parse_coordinate(coordinate)
    if current.game.lettered_rows:
        # Letters for rows: the same square with its two parts exchanged, and so the direction.
        coordinate = format_coordinate(col, row, 1 - direction)
    return coordinate, at, text


def _changes_of(entry: _Entry) -> Iterator[Change]:
    event, origin = entry.event, entry.origin
    if origin is None:
        why = entry.why["line"]
        shown = f"{event.move} {event.score or 0:+}"
        yield Change(event.line, "line", "", shown, why.code, why.cause, event.player, False, why.detail)
        return
    if event.text != origin.text or event.coordinate != origin.coordinate:
        yield _change(entry, "play", origin.move, event.move)
    if event.score != origin.score:
        before = "" if origin.score is None else f"{origin.score:+}"
        yield _change(entry, "score", before, f"{event.score or 0:+}")
    if event.total != origin.total:
        before = "" if origin.total is None else str(origin.total)
        yield _change(entry, "total", before, str(event.total))


def _change(entry: _Entry, what: str, before: str, after: str) -> Change:
    event = entry.event
    why = entry.why.get(what)
    if why is not None:
        return Change(event.line, what, before, after, why.code, why.cause, event.player, False, why.detail)
    if not before:
        code = "score-missing" if what == "score" else "total-missing"
        return Change(event.line, what, before, after, code, "", event.player)
    code = "misscored" if what == "score" else "wrong-total"
    return Change(event.line, what, before, after, code, "", event.player, True)


def _comment(change: Change) -> str:
    """A comment for the copy; it is a line of its own."""
    return f"fastscore: {str(change).partition(': ')[2]}"
