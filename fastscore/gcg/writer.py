"""A Game as the text of a GCG record, in one spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from fastscore.errors import RecordError, quote
from fastscore.game import MAX_PLAYERS, Event, Game, Pragma
from fastscore.gcg.reader import read_game_text
from fastscore.gcg.text import GameBytes, decode_game

__all__ = ["format_event", "format_game", "format_note", "read_back"]

_UNWRITABLE = "unwritable"


def format_game(game: Game, *, malformed: Literal["refuse", "keep"] = "refuse") -> str:
    """The record of `game`, which reads back as an equal Game.

    It begins with `#character-encoding UTF-8`, has one space between fields and two for one that is left out, and a
    line end after each line. An unknown rack is left out where the format lets it, else written `_______`.

    Raises RecordError with the code `unwritable`, and the line that the event or pragma had where it came from, for
    what the format cannot say: an event without score or total, a name with white space, a comment with a line that
    looks like another event. Lines of kind malformed are refused as well, or written as they were with `malformed`
    "keep".
    """
    text = "".join(f"{line}\n" for line in _lines(game, malformed))
    # Whatever was overlooked must not become another game in silence.
    back = read_back(text)
    if back != game:
        raise RecordError(f"{_first_difference(game, back)} would read back as another", code=_UNWRITABLE)
    return text


def read_back(text: str) -> Game:
    """The game that a text would be once it is written; RecordError for what is no character."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RecordError(f"{quote(text[error.start])} is no character", code=_UNWRITABLE) from None
    return read_game_text(decode_game(GameBytes(data, 1, False)))


def _lines(game: Game, malformed: str) -> Iterator[str]:
    yield "#character-encoding UTF-8"
    if len(game.players) > MAX_PLAYERS:
        raise RecordError(f"{len(game.players)} players, expected {MAX_PLAYERS} at most", code=_UNWRITABLE)
    for number, player in enumerate(game.players, start=1):
        if player.nick:
            if len(player.nick.split()) != 1 or player.nick != player.nick.strip():
                raise RecordError(
                    f"short name {quote(player.nick)}, expected one without white space", code=_UNWRITABLE
                )
            yield f"#player{number} {player.nick} {_one_line(player.name, 'name', 0)}".rstrip()
    pragmas = sorted(game.pragmas, key=lambda pragma: pragma.after)
    waiting = iter(pragmas)
    pragma = next(waiting, None)
    for index in range(len(game.events) + 1):
        if index:
            event = game.events[index - 1]
            yield format_event(game, event, malformed)
        # A pragma ends a comment, so which comes first is free.
        for note in game.events[index - 1].notes if index else game.notes:
            yield format_note(note, game.events[index - 1].line if index else 0)
        while pragma is not None and pragma.after <= index:
            yield from _format_pragma(pragma)
            pragma = next(waiting, None)
    if pragma is not None:
        raise RecordError(
            f"#{quote(pragma.keyword)[1:-1]} after {pragma.after} events of {len(game.events)}",
            code=_UNWRITABLE,
            line=pragma.line or None,
        )


def _format_pragma(pragma: Pragma) -> Iterator[str]:
    first, *more = pragma.text.split("\n")
    if re.fullmatch(r"\S*", pragma.keyword) is None:
        raise RecordError(
            f"pragma {quote(pragma.keyword)}, expected a word", code=_UNWRITABLE, line=pragma.line or None
        )
    yield f"#{pragma.keyword} {_one_line(first, 'pragma', pragma.line)}".rstrip()
    for line in more:
        yield f"#- {_one_line(line, 'pragma', pragma.line)}"


def format_note(note: str, line: int) -> str:
    """A comment, of one line or more; `line` is that of its event, for an error."""
    if "\r" in note or re.search("\n[#>]", note):
        raise RecordError(
            f"comment {quote(note)}, expected no line that begins with '#' or '>'", code=_UNWRITABLE, line=line or None
        )
    return f"#note {note}"


def format_event(game: Game, event: Event, malformed: str) -> str:
    """The line of an event, without its comments; `malformed` and errors are those of `format_game`."""
    line = event.line or None
    if event.kind == "malformed":
        if malformed == "refuse":
            raise RecordError(f"{quote(event.text)} is no event", code=_UNWRITABLE, line=line)
        return _one_line(event.text, "line", event.line)
    if event.player is None or not 0 <= event.player < len(game.players) or not game.players[event.player].nick:
        detail = f"event {quote(event)} of player {event.player}, expected one of the game"
        raise RecordError(detail, code=_UNWRITABLE, line=line)
    if event.score is None or event.total is None:
        raise RecordError(f"event {quote(event)} without score or running total", code=_UNWRITABLE, line=line)
    rack = event.rack
    if rack is None:
        rack = "" if event.kind in ("challenge_bonus", "time_penalty", "end_points") else "_______"
    sign = "-" if event.score < 0 else "+"
    move = event.move
    if event.kind in ("pass", "withdraw"):
        # The tiles are what is left out.
        move += " "
    return f">{game.players[event.player].nick}: {rack} {move} {sign}{abs(event.score)} {event.total}"


def _one_line(text: str, what: str, line: int) -> str:
    if "\n" in text or "\r" in text:
        raise RecordError(f"{what} {quote(text)} has a line end", code=_UNWRITABLE, line=line or None)
    return text


def _first_difference(game: Game, back: Game) -> str:
    """What of `game` differs from what its text says, for a message."""
    for name in ("players", "pragmas", "notes"):
        if getattr(game, name) != getattr(back, name):
            return f"{name} {quote(getattr(game, name))}"
    changed = (index for index, event in enumerate(game.events) if back.events[index : index + 1] != [event])
    index = next(changed, None)
    return "the game" if index is None else f"event {index + 1}, {quote(game.events[index])},"
