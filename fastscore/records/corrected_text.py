"""The text of a corrected record: its lines as they are where nothing of them is changed, in their order.

Lines of events that are changed, or that depart from the format, are written anew; comments and lines that are added
stand where they belong. Names, comments, pragmas (also unknown ones and those of another spelling), blank lines and the
way lines are ended stay as they are. The encoding becomes UTF-8, and the text says so where it has to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

from fastscore.errors import RecordError
from fastscore.game import Event, Game, Problem
from fastscore.gcg.writer import format_event, format_game, format_note, read_back

__all__ = ["CorrectedText", "corrected_text", "plain_text"]

_ENCODING: Final = "#character-encoding UTF-8"
_UTF8: Final = ("utf-8", "utf8")
_PLAYER: Final = re.compile(r"[ \t]*#player([0-9]{1,4})[ \t]+[^ \t]", re.IGNORECASE)
_NOTE: Final = re.compile(r"[ \t]*#note(?![^ \t])", re.IGNORECASE)
_LINE_ENDS: Final = {"crlf": "\r\n", "cr": "\r"}


@dataclass(frozen=True)
class CorrectedText:
    """The text of a copy, and which departures from the format it still has.

    `departures`: their codes, with the line of the record, None = wherever they were.
    """

    text: str
    departures: frozenset[tuple[str, int | None]]

    def has(self, problem: Problem) -> bool:
        """Whether the copy still has a problem of the record."""
        return not self.departures.isdisjoint({(problem.code, problem.line), (problem.code, None)})


class _Line(NamedTuple):
    """A line of the copy and that of the record which it is, counted from 1; 0 = it is added."""

    text: str
    origin: int = 0


def plain_text(made: Game) -> CorrectedText:
    """A copy wholly in the spelling of the writer. RecordError for what cannot be written."""
    text = format_game(made, malformed="keep")
    departures = frozenset((problem.code, None) for problem in read_back(text).problems)
    return CorrectedText(text, departures)


def corrected_text(text: str, original: Game, made: Game, origins: Sequence[Event | None]) -> CorrectedText | None:
    """The text of a record with what was corrected.

    Parameters
    ----------
    text
        What `original` was read from.
    original, made
        The record and its copy.
    origins
        For each event of `made` the one of `original` that it was; None = it is added.

    Returns
    -------
    CorrectedText
        None where no such text reads back as `made`: where `text` is not that of the record, or a pragma would come
        before another event than in the copy.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    begins = [event.line - original.first_line for event in original.events]
    if begins != sorted(set(begins)) or any(not 0 <= begin < len(lines) for begin in begins):
        return None
    kept = [_Line(line, number) for number, line in enumerate(lines, start=original.first_line)]
    blocks = [kept[begin:end] for begin, end in pairwise([0, *begins, len(kept)])]
    try:
        _write_events(blocks, original, made, origins)
        written = _with_heading([line for block in blocks for line in block], original)
        back = read_back("".join(f"{line.text}\n" for line in written))
    except RecordError:
        return None
    if back != made:
        return None
    departures = ((problem.code, written[problem.line - 1].origin if problem.line else 0) for problem in back.problems)
    end = _LINE_ENDS.get(original.newline, "\n")
    return CorrectedText("".join(f"{line.text}{end}" for line in written), frozenset(departures))


def _write_events(blocks: Sequence[list[_Line]], original: Game, made: Game, origins: Sequence[Event | None]) -> None:
    """Change the blocks of lines that begin with the record's events; the first has what stands before all of them."""
    # Of an unknown player only the first line is a fault by itself, and all of them have to be mended.
    departing = {
        problem.line for problem in original.problems if problem.severity != "note" or problem.code == "player-unknown"
    }
    block, at = blocks[0], len(blocks[0])
    following = iter(blocks[1:])
    for event, origin in zip(made.events, origins, strict=True):
        notes = event.notes
        if origin is None:
            block.insert(at, _Line(format_event(made, event, "keep")))
            at += 1
        else:
            block = next(following)
            if event.line in departing or event != replace(origin, notes=notes):
                block[0] = _Line(format_event(made, event, "keep"), event.line)
            at = _end_of_notes(block)
            notes = notes[len(origin.notes) :]
        added = [_Line(line) for note in notes for line in format_note(note, event.line).split("\n")]
        block[at:at] = added
        at += len(added)


def _end_of_notes(block: Sequence[_Line]) -> int:
    """Behind which line of an event's own its last comment ends."""
    end, within = 1, False
    for number, line in enumerate(block[1:], start=2):
        text = line.text
        within = _NOTE.match(text) is not None or (within and text[:1] not in ("#", ">"))
        # Blank lines within a comment are its own, those after it are not.
        if within and text.strip():
            end = number
    return end


def _with_heading(lines: list[_Line], original: Game) -> list[_Line]:
    """The lines with the encoding where it must be said, and with the players that the record does not declare."""
    ascii_only = all(line.text.isascii() for line in lines)
    heading: list[_Line] = []
    if original.encoding_declared is not None:
        heading, lines = lines[:1], lines[1:]
        if original.encoding_declared.lower() not in _UTF8 and (not ascii_only or _departs_in_encoding(original)):
            heading = [_Line(_ENCODING, original.first_line)]
    elif not ascii_only:
        heading = [_Line(_ENCODING)]
    numbers = {int(match[1]) for line in lines if (match := _PLAYER.match(line.text))}
    undeclared = [
        _Line(f"#player{number} {player.nick}")
        for number, player in enumerate(original.players, start=1)
        if player.nick and number not in numbers
    ]
    # A game begins with its first player.
    first = next((at for at, line in enumerate(lines, start=1) if _PLAYER.match(line.text)), 0) if 1 in numbers else 0
    return [*heading, *lines[:first], *undeclared, *lines[first:]]


def _departs_in_encoding(game: Game) -> bool:
    codes = ("encoding-unsupported", "encoding-spelling")
    return any(problem.code in codes and problem.line == game.first_line for problem in game.problems)
