"""The codes of what can be wrong, or worth knowing, about a GCG record. Codes and their severities are stable."""

from __future__ import annotations

from typing import Final, NamedTuple

from fastscore.game import Severity

__all__ = ["CODES", "LintCode"]


class LintCode(NamedTuple):
    """How bad a problem is and what it means. Strict reading raises for errors and warnings."""

    severity: Severity
    meaning: str


CODES: Final[dict[str, LintCode]] = {
    # The text as a whole.
    "empty-file": LintCode("error", "nothing but white space"),
    "encoding-unsupported": LintCode("error", "neither UTF-8 nor ISO-8859-1 is declared; read as the latter"),
    "encoding-mismatch": LintCode("error", "a line that is not UTF-8 in a UTF-8 record, read as ISO-8859-1"),
    "encoding-not-first": LintCode("error", "#character-encoding stands after other lines; it is not obeyed"),
    "encoding-undeclared": LintCode("warning", "UTF-8 without its #character-encoding line"),
    "encoding-spelling": LintCode("warning", "an unusual name for a supported encoding"),
    "encoding-default": LintCode("note", "no encoding is declared; characters beyond ASCII are read as ISO-8859-1"),
    "byte-order-mark": LintCode("warning", "the text begins with a byte order mark"),
    "mixed-newlines": LintCode("note", "lines are ended in more than one way"),
    "no-final-newline": LintCode("note", "the last line is not ended"),
    "game-too-long": LintCode("error", "more bytes or lines than a record of one game may have; the rest is left out"),
    "line-too-long": LintCode("error", "more characters than a line may have; the rest is left out"),
    "several-games": LintCode("warning", "more than one game where one was expected; the first is given"),
    "control-character": LintCode("warning", "a control, bidirectional or other invisible character"),
    # Lines other than events.
    "leading-space": LintCode("warning", "white space before the line's # or >"),
    "line-unknown": LintCode("error", "a line of no known form"),
    "pragma-unknown": LintCode("warning", "a pragma that the format does not have; it is kept"),
    "pragma-not-lower-case": LintCode("warning", "capital letters in a pragma's name"),
    "pragma-late": LintCode("warning", "a pragma after the first event"),
    "pragma-repeated": LintCode("warning", "a pragma that a record has once at most; all are kept, the first counts"),
    "pragma-not-continued": LintCode("warning", "#- without a pragma that it could continue"),
    "rack-pragma-before-events": LintCode("note", "#rack before the first event: racks at the start, or now"),
    "event-after-last-rack": LintCode("warning", "an event after a #rack that ends the record. Repeats are notes"),
    "note-before-events": LintCode("warning", "a comment before the first event"),
    # Players.
    "player-malformed": LintCode("error", "#player without a short name"),
    "player-number": LintCode("error", "#player with a number beyond 1 to 4"),
    "player-repeated": LintCode("error", "#player with a number that is taken; the first counts"),
    "player-left-out": LintCode("warning", "a player's number is left out before a higher one"),
    "player-name-missing": LintCode("warning", "#player without a full name"),
    "duplicate-nickname": LintCode("warning", "two players with one short name; events go by the order of turns"),
    "duplicate-full-name": LintCode("warning", "two players with one full name"),
    "player-undeclared": LintCode("error", "events of a player without a #player line; the player is added"),
    "player-unknown": LintCode(
        "error", "an event of none of the players; it goes to the one whose turn it is. Repeats are notes"
    ),
    "ambiguous-player": LintCode("note", "an event of a short name that two players have"),
    # Events.
    "colon-missing": LintCode("error", "no colon after the player's short name"),
    "event-malformed": LintCode("error", "an event of no known form"),
    "coordinate-malformed": LintCode("error", "a coordinate off every board"),
    "play-missing": LintCode("error", "a coordinate without a word"),
    "bracket-malformed": LintCode("error", "a bracket that is not closed or holds more than tiles"),
    "score-malformed": LintCode("error", "a score that is no number"),
    "score-missing": LintCode("error", "no score"),
    "total-malformed": LintCode("error", "a running total that is no number; it is left out"),
    "total-missing": LintCode("error", "no running total"),
    "nick-with-space": LintCode("warning", "a full name, or white space in or before the short name"),
    "space-missing": LintCode("warning", "no white space after the colon"),
    "extra-space": LintCode("warning", "more than one space between fields"),
    "tab": LintCode("warning", "a tab between fields"),
    "trailing-space": LintCode("warning", "white space at the end of an event"),
    "text-after-cumulative": LintCode("warning", "text after the running total; it is left out"),
    "lower-case-position": LintCode("note", "a coordinate with a small letter"),
    "event-word": LintCode("warning", "a word for what has a sign: pass, exch ABC, ex.ABC"),
    "event-case": LintCode("warning", "(challenge) or (time) with capital letters"),
    "rack-missing": LintCode("warning", "no rack where the format has one"),
    "rack-unknown": LintCode("note", "underscores for an unknown rack"),
    "rack-unknown-word": LintCode("warning", "the word UNKNOWN for an unknown rack"),
    "rack-dot-blank": LintCode("warning", "a point for a blank on a rack"),
    "rack-malformed": LintCode("warning", "a digit or a sign on a rack"),
    "exchange-exceeds-rack": LintCode("warning", "more tiles exchanged than the rack shows"),
    "end-rack-shown": LintCode("warning", "points for others' tiles with the own rack before them"),
    "score-without-sign": LintCode("warning", "a score without + or -"),
    "score-plus-minus": LintCode("warning", "a negative score written +-"),
    "score-minus-sign": LintCode("warning", "a typographic minus sign"),
    "total-with-plus": LintCode("warning", "a running total with a plus sign"),
}
"""Every code that reading GCG reports."""
