"""What a replay can find wrong with a record: stable codes, likely causes, and findings as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from fastscore.game import Game, Severity
from fastscore.gcg.codes import CODES as READER_CODES
from fastscore.sanitise import printable

__all__ = ["ADOPTED", "CAUSES", "CODES", "Finding", "FindingCode", "findings_of_reader", "meaning_of", "place_of"]


class FindingCode(NamedTuple):
    """How bad a finding is and what it means.

    A warning contradicts no rule, or none that a record must name. A note is nothing bad, only good to know.
    """

    severity: Severity
    meaning: str


CODES: Final[dict[str, FindingCode]] = {
    # Placements.
    "misscored": FindingCode("error", "the recorded score is not the one that the rules give"),
    "play-illegal": FindingCode("error", "a play that cannot be laid; it has no score, and the board stays as it was"),
    "play-unreadable": FindingCode("error", "a play with letters that are no tiles; the board stays as it was"),
    "not-connected": FindingCode("error", "a play that touches no tile on the board"),
    "start-not-covered": FindingCode("error", "a first play that does not cover the start square"),
    "not-maximal": FindingCode("error", "a play written without all tiles of its word"),
    "no-word": FindingCode("error", "a play that forms no word of two tiles"),
    "blank-undesignated": FindingCode("error", "a blank laid without a letter"),
    "split-digraph": FindingCode("error", "two tiles side by side that spell what is one tile of the set"),
    "not-on-rack": FindingCode("error", "a tile laid that is not on the rack shown"),
    "tile-overdrawn": FindingCode("error", "a tile laid of which the set has no more"),
    "tiles-not-held": FindingCode("error", "more tiles laid than the player can hold at that point"),
    # Racks.
    "rack-unreadable": FindingCode("error", "a rack with letters that are no tiles"),
    "rack-too-large": FindingCode("error", "more tiles on the rack shown than a rack holds"),
    "rack-not-in-bag": FindingCode("error", "a tile on the rack shown of which no more are off the board"),
    "racks-not-in-bag": FindingCode("error", "the racks of two players have more of a tile than are off the board"),
    # Turns.
    "off-turn": FindingCode("error", "a turn of another player than the one whose turn it is"),
    "turn-scored": FindingCode("error", "a pass or an exchange with points"),
    "exchange-unreadable": FindingCode("error", "an exchange of letters that are no tiles"),
    "exchange-not-on-rack": FindingCode("error", "a tile exchanged that is not on the rack shown"),
    "exchange-too-many": FindingCode("error", "more tiles exchanged than the player holds"),
    "exchange-bag": FindingCode("error", "an exchange with fewer tiles in the bag than the rules ask for"),
    "withdrawal-without-play": FindingCode("error", "a play taken back where none has just been made"),
    "withdrawal-other-player": FindingCode("error", "a play taken back by another player than the one who made it"),
    "withdrawal-other-tiles": FindingCode("error", "a play taken back with a rack that lacks its tiles"),
    "withdrawal-after-challenge": FindingCode("error", "a play taken back after a challenge that it stood"),
    "withdrawal-amount": FindingCode("error", "a play taken back for another number of points than it was given"),
    "withdrawal-zero": FindingCode("warning", "a play taken back for no points, but with the right total"),
    "challenge-without-play": FindingCode("error", "a challenge bonus where no play has just been made"),
    "challenge-other-player": FindingCode("error", "a challenge bonus for another player than that of the play"),
    "challenge-twice": FindingCode("error", "more challenge bonuses for a play than it has words"),
    "challenge-amount": FindingCode("error", "a challenge bonus that fits no challenge rule"),
    "wrong-total": FindingCode("error", "a running total that is not the one before and the score"),
    # The end.
    "move-after-end": FindingCode("error", "a turn after the end of the game"),
    "move-after-passes": FindingCode("note", "a turn after as many passes as end the game by the rules"),
    "end-line-early": FindingCode("error", "a line that counts the last racks before the end of the game"),
    "end-line-other-player": FindingCode("error", "points for others' tiles to a player who did not go out"),
    "end-points-wrong": FindingCode("error", "points for others' tiles that are not what the tiles are worth"),
    "end-penalty-wrong": FindingCode("error", "points taken for the own tiles that are not what the tiles are worth"),
    "end-line-twice": FindingCode("error", "a second line that counts the same rack"),
    "end-tiles-unreadable": FindingCode("error", "an end line with letters that are no tiles"),
    "end-tiles-not-unseen": FindingCode("error", "the tiles of an end line are not those that are not on the board"),
    "end-tiles-not-rack": FindingCode("error", "the tiles of an end line are not the rack shown beside them"),
    "end-lines-contradict": FindingCode("error", "end lines that together fit no way to count the last racks"),
    "end-line-missing": FindingCode("warning", "the game is over, and the record lacks a line for the last racks"),
    "end-line-after-time-penalty": FindingCode("error", "a line that counts the last racks after a time penalty"),
    "time-penalty-early": FindingCode("error", "a time penalty before the end of the game"),
    "time-penalty-twice": FindingCode("error", "a second time penalty of one player"),
    "time-penalty-amount": FindingCode("error", "a time penalty of an amount that the rules do not have"),
    "turn-after-time-penalty": FindingCode("error", "a turn, a withdrawal or a challenge after a time penalty"),
    # The words, by a lexicon.
    "phony": FindingCode("warning", "a play that stands and forms a word that is not in the lexicon"),
    "good-play-withdrawn": FindingCode("note", "a play taken back whose words are all in the lexicon"),
    "lexicon-other-tiles": FindingCode("warning", "the lexicon has other tiles than the rules; no word is looked up"),
    # The record.
    "alias-spelling": FindingCode("note", "tiles written as older files do, such as W for L·L"),
    "rules-unknown": FindingCode("error", "a board, letters or a variant by a name that fastscore does not have"),
    "lexicon-missing": FindingCode("warning", "the record does not name its lexicon (asked for with `strict` only)"),
    "game-incomplete": FindingCode("warning", "the record stops before the end (asked for with `strict` only)"),
}
"""Every code of a replay's own findings. Codes and severities are stable."""

ADOPTED: Final = frozenset(
    {
        "ambiguous-player",
        "duplicate-full-name",
        "duplicate-nickname",
        "event-after-last-rack",
        "pragma-late",
        "pragma-repeated",
        "rack-malformed",
    }
)
"""What the reader warns of that touches who played what; its errors, which lose something, are findings as well."""

_FOLLOWS = {"ambiguous-player": "duplicate-nickname", "event-after-last-rack": "event-after-last-rack"}
"""Codes of the reader that follow from another, once that was reported."""

CAUSES: Final[dict[str, str]] = {
    # Of a wrong score.
    "not-counted": "recorded as no points",
    "bonus-missing": "the bonus for a whole rack is missing",
    "bonus-doubled": "the bonus for a whole rack is counted twice",
    "bonus-unearned": "a bonus for a whole rack without one",
    "bonus-multiplied": "the bonus is multiplied by the word premium",
    "blank-at-face-value": "a blank is counted as the letter that it stands for",
    "cross-word-omitted": "a cross word is left out",
    "cross-word-doubled": "a cross word is counted twice",
    "main-word-omitted": "the main word is left out",
    "main-word-doubled": "the main word is counted twice",
    "premium-missing": "a premium square is left out",
    "premium-again": "a premium square under a tile that lay there counts again",
    "multipliers-added": "word premiums are added, not multiplied",
    "challenge-bonus-included": "a challenge bonus is written into the play's score",
    "digits-swapped": "the digits of the score are in another order",
    "withdrawn-play-misscored": "the play that is taken back was misscored",
    # Of a wrong total.
    "challenge-line-missing": "points for a challenge without a line of their own",
    "total-restored": "the total goes back to what it was before an earlier wrong one",
    "total-not-carried": "the total before is not carried on",
    "other-player": "the score is added to another player's total",
    "score-not-added": "the score is not added",
    "right-score-added": "the right score is added, not the recorded one",
    # Of either.
    "arithmetic": "one digit is off by one",
}
"""What a finding's cause can be, beside "" for unknown. The names are stable."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a record, or that a reader should know.

    Attributes
    ----------
    code
        One of CODES, or of `fastscore.gcg.codes.CODES` for what reading found.
    line
        1-based line of the file, 0 = the whole record.
    turn
        Index into the replay's turns; None where it is no turn's.
    player
        From 0; None where it is nobody's.
    recorded, computed
        What the record says and what it should say: scores, or running totals, or points of an end line.
    cause
        The likely cause, one of CAUSES; "" = unknown.
    consequence
        Whether it only follows from an earlier fault, or from another one of the same turn.
    detail
        What is wrong, in words.
    """

    code: str
    line: int
    turn: int | None = None
    player: int | None = None
    recorded: int | None = None
    computed: int | None = None
    cause: str = ""
    consequence: bool = False
    detail: str = ""

    @property
    def difference(self) -> int | None:
        """Recorded minus computed; None where one of them is not known."""
        return None if self.recorded is None or self.computed is None else self.recorded - self.computed

    @property
    def severity(self) -> str:
        """Error, warning or note. What follows from something else is as bad as it would be alone."""
        own = CODES.get(self.code)
        if own is not None:
            return own.severity
        return "warning" if self.code in ADOPTED else "error"

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {
            "code": self.code,
            "severity": self.severity,
            "line": self.line,
            "turn": self.turn,
            "player": self.player,
            "recorded": self.recorded,
            "computed": self.computed,
            "difference": self.difference,
            "cause": self.cause,
            "consequence": self.consequence,
            "detail": self.detail,
        }

    def __str__(self) -> str:
        """`line 14: misscored: recorded 115, computed 113 (+2): a blank is counted as the letter ...`."""
        parts = [f"line {self.line}" if self.line else "", self.code]
        if self.difference is not None:
            parts.append(f"recorded {self.recorded}, computed {self.computed} ({self.difference:+d})")
        parts += [printable(self.detail), CAUSES.get(self.cause, "")]
        return ": ".join(part for part in parts if part) + (" (follows from another fault)" if self.consequence else "")


def place_of(finding: Finding) -> tuple[int, int]:
    """Where a finding comes in the list: by line, then by turn, those of no turn last, those of the record first."""
    if finding.line == 0 and finding.turn is None:
        return 0, -1
    return finding.line, finding.turn if finding.turn is not None else 1 << 30


def meaning_of(code: str) -> str:
    """What a code means in words, whether it is a replay's or the reader's; "" for none of them."""
    found = CODES.get(code) or READER_CODES.get(code)
    return "" if found is None else found.meaning


def findings_of_reader(game: Game) -> list[Finding]:
    """What the reader found that loses something of the game or touches who played what, as findings."""
    turns: dict[int, int] | None = None
    found: list[Finding] = []
    seen: set[str] = set()
    for problem in game.problems:
        if problem.severity != "error" and problem.code not in ADOPTED:
            continue
        if turns is None:
            turns = {event.line: index for index, event in enumerate(game.events) if event.line}
        turn = turns.get(problem.line)
        follows = _FOLLOWS.get(problem.code) in seen
        seen.add(problem.code)
        player = None if turn is None else game.events[turn].player
        found.append(Finding(problem.code, problem.line, turn, player, consequence=follows, detail=problem.detail))
    return found
