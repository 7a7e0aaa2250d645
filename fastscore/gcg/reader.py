"""The text of one GCG record made into a Game."""

from __future__ import annotations

import re
from typing import Final

from fastscore.coordinates import Direction, parse_coordinate
from fastscore.errors import NotationError, RecordError, quote
from fastscore.game import MAX_PLAYERS, TURN_KINDS, Event, Game, Kind, Player, Pragma, Problem
from fastscore.gcg.codes import CODES
from fastscore.gcg.lines import LINE, EventLine, parse_event_line
from fastscore.gcg.text import GameText

__all__ = ["KNOWN_PRAGMAS", "MAX_LINE", "read_game_text"]

MAX_LINE: Final = 1 << 16
"""Most characters of a line that are read."""
KNOWN_PRAGMAS: Final = frozenset(
    {
        "title",
        "description",
        "id",
        "lexicon",
        "incomplete",
        "style",
        "tile-set",
        "game-board",
        "board-layout",
        "tile-distribution",
        "game-type",
        "tile",
        "orientation",
        *(f"rack{number}" for number in range(1, MAX_PLAYERS + 1)),
    }
)
"""The pragmas that the format has, beside players, comments and the encoding."""
_ONCE = frozenset({"title", "id", "lexicon", "board-layout", "tile-distribution", "game-type", "orientation"})
_CONTINUED = frozenset({"tile-set", "game-board"})
_ANYWHERE = re.compile("rack[0-9]+|incomplete")
_PRAGMA = re.compile(r"#(\S*)[ \t]?(.*)")
_PLAYER = re.compile("player([0-9]{1,4})")
# What may hide in a name or turn the text around it; not a tab, nor the joiners that some scripts write with.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]"
)

_FIXED_MOVES: dict[str, Kind] = {"-": "pass", "- ": "pass", "--": "withdraw", "-- ": "withdraw"}

_Square = tuple[int, int, Direction]
# Coordinates that records were seen to use, for boards with numbered and with lettered rows.
_SQUARES: tuple[dict[str, _Square], dict[str, _Square]] = ({}, {})


def read_game_text(found: GameText, *, source: str | None = None, strict: bool = False) -> Game:
    """The game that a text records, with every problem of it.

    With `strict` the first problem that is more than a note raises RecordError.
    """
    reader = _GameReader(found, source, strict)
    for finding in found.findings:
        reader.report(*finding)
    reader.read(found.text)
    return reader.game


class _GameReader:
    __slots__ = (
        "_ambiguous",
        "_by_nick",
        "_ending",
        "_last_turn",
        "_more",
        "_note",
        "_note_line",
        "_note_owner",
        "_notes",
        "_once",
        "_scanned",
        "_seats",
        "_squares",
        "_strangers",
        "_strict",
        "_totals",
        "_undeclared",
        "game",
    )

    def __init__(self, found: GameText, source: str | None, strict: bool) -> None:
        self.game = Game(
            source=source,
            first_line=found.first_line,
            encoding=found.encoding,
            encoding_declared=found.encoding_declared,
            newline=found.newline,
            final_newline=found.final_newline,
        )
        self._strict = strict
        # Players by the short names that only they have, and the short names of several.
        self._by_nick: dict[str, int] = {}
        self._ambiguous: set[str] = set()
        self._undeclared: set[int] = set()
        self._strangers: set[str] = set()
        # The players whose events need no second look.
        self._seats = self._by_nick
        self._squares = _SQUARES[0]
        # Whether a #rack ended the record: 0 no, 1 yes, 2 an event after it was reported.
        self._ending = 0
        # Who had the last turn and what the totals were, among the events before `_scanned`.
        self._last_turn = -1
        self._totals: dict[int, int] = {}
        self._scanned = 0
        # Comments on the event before number `_note_owner`; the lines of the last one, and the number of its last line.
        self._notes: list[str] = []
        self._note_owner = 0
        self._note: list[str] = []
        self._note_line = -1
        # Pragmas that were there and may not come again; further lines of the last pragma.
        self._once: set[str] = set()
        self._more: list[str] = []

    def report(self, code: str, line: int, column: int, detail: str, *, again: bool = False) -> None:
        """Collect a problem, or raise it. `again`: it goes on from one that was reported, and is a note."""
        severity = "note" if again else CODES[code].severity
        if self._strict and severity != "note":
            raise RecordError(detail, code=code, source=self.game.source, line=line, column=column or None)
        self.game.problems.append(Problem(code, line, column, detail, severity))

    def read(self, text: str) -> None:
        """Read all lines."""
        if not text or text.isspace():
            self.report("empty-file", 0, 0, "nothing but white space, expected a game")
            return
        append = self.game.events.append
        seats, squares = self._seats, self._squares
        lines: list[str] = []
        first = line = self.game.first_line
        # An event costs one match and one object; all that is not plain goes through `_read_line`.
        for line, (nick, rack, coordinate, word, other_move, tiles, score, total, other) in enumerate(
            LINE.findall(text), first
        ):
            player = seats.get(nick)
            if player is not None:
                if coordinate:
                    at = squares.get(coordinate)
                    if at is not None:
                        append(Event("place", player, rack, word, coordinate, at, int(score), int(total), line))
                        continue
                elif other_move:
                    kind = _FIXED_MOVES.get(other_move, "exchange")
                    moved = other_move[1:] if kind == "exchange" else ""
                    append(Event(kind, player, rack, moved, "", None, int(score), int(total), line))
                    continue
                else:
                    append(Event("end_points", player, None, tiles, "", None, int(score), int(total), line))
                    continue
            if nick:
                lines = lines or text.split("\n")
                other = lines[line - first]
            self._read_line(other, line)
            seats, squares = self._seats, self._squares
        self._close_note()
        self._give_notes()
        self._close_pragma()
        for number, seat in enumerate(self.game.players, start=1):
            if not seat.nick:
                self.report("player-left-out", 0, 0, f"no #player{number}, but one with a higher number")
        if not self.game.final_newline:
            self.report("no-final-newline", line, 0, "the last line is not ended")

    def _read_line(self, text: str, line: int) -> None:
        if len(text) > MAX_LINE:
            detail = f"a line of {len(text)} characters, expected {MAX_LINE} at most"
            self.report("line-too-long", line, MAX_LINE + 1, detail)
            text = text[:MAX_LINE]
        if self._note_line == line - 1 and text[:1] not in ("#", ">"):
            self._note.append(text)
            self._note_line = line
            self._check_visible(text, line)
            return
        bare = text.lstrip()
        if not bare:
            return
        column = len(text) - len(bare)
        self._check_visible(text, line)
        if column and bare[0] in "#>":
            self.report("leading-space", line, 1, f"white space before {quote(bare[0])}")
        if bare[0] == ">":
            self._read_event(bare, line, column)
        elif bare[0] == "#":
            self._read_pragma(bare, line, column)
        else:
            detail = f"{quote(text)} is no pragma, no event and no comment, expected a line that begins with '#' or '>'"
            self.report("line-unknown", line, 1, detail)
            self._add_malformed(text, line)

    def _check_visible(self, text: str, line: int) -> None:
        if not text.isprintable():
            found = _INVISIBLE.search(text)
            if found is not None:
                self.report("control-character", line, found.start() + 1, f"the character U+{ord(found[0]):04X}")

    def _add_malformed(self, text: str, line: int) -> None:
        self.game.events.append(Event("malformed", None, text=text, line=line))

    # Pragmas and comments.

    def _read_pragma(self, text: str, line: int, column: int) -> None:
        match = _PRAGMA.match(text)
        assert match is not None, "every text that begins with # matches"
        written, value = match.groups()
        keyword = written.lower()
        if keyword != written:
            self.report("pragma-not-lower-case", line, column + 2, f"#{quote(written)[1:-1]}, expected small letters")
        if keyword == "note":
            self._begin_note(value, line)
            return
        self._close_note()
        if keyword == "-":
            self._continue_pragma(value.rstrip(), line)
            return
        self._close_pragma()
        value = value.strip()
        late = bool(self.game.events) and _ANYWHERE.fullmatch(keyword) is None
        if keyword == "character-encoding":
            # The decoder obeyed the one on the first line.
            if line != self.game.first_line or column:
                self.report("encoding-not-first", line, column + 1, f"{quote(text)}, expected on the first line")
            return
        if late:
            self.report("pragma-late", line, column + 1, f"#{quote(keyword)[1:-1]}, expected before the first event")
        player = _PLAYER.fullmatch(keyword)
        if player is not None:
            self._read_player(int(player[1]), value, line, column)
            return
        if keyword not in KNOWN_PRAGMAS:
            self.report("pragma-unknown", line, column + 2, f"#{quote(keyword)[1:-1]} is unknown and kept as it is")
        elif keyword in self._once:
            self.report("pragma-repeated", line, column + 1, f"a second #{keyword}, the first counts")
        elif keyword == "orientation" and value == "lettered-rows":
            self._squares = _SQUARES[1]
        elif keyword.startswith("rack"):
            self._read_rack_pragma(keyword, line, column)
        if keyword in _ONCE:
            self._once.add(keyword)
        self.game.pragmas.append(Pragma(keyword, value, len(self.game.events), line))

    def _read_rack_pragma(self, keyword: str, line: int, column: int) -> None:
        if self.game.events:
            self._ending = self._ending or 1
            self._seats = {}
        else:
            self.report("rack-pragma-before-events", line, column + 1, f"#{keyword} before the first event")

    def _continue_pragma(self, value: str, line: int) -> None:
        pragmas = self.game.pragmas
        if pragmas and pragmas[-1].keyword in _CONTINUED and pragmas[-1].after == len(self.game.events):
            self._more.append(value)
        else:
            self.report("pragma-not-continued", line, 1, "'#-' after no #tile-set or #game-board, kept as it is")
            pragmas.append(Pragma("-", value, len(self.game.events), line))

    def _close_pragma(self) -> None:
        if self._more:
            last = self.game.pragmas[-1]
            last.text = "\n".join([last.text, *self._more])
            self._more = []

    def _begin_note(self, value: str, line: int) -> None:
        self._close_note()
        owner = len(self.game.events)
        if owner != self._note_owner:
            self._give_notes()
            self._note_owner = owner
        if owner == 0:
            self.report("note-before-events", line, 1, "a comment before the first event")
        self._note = [value]
        self._note_line = line

    def _close_note(self) -> None:
        if self._note:
            # Blank lines within a comment are its own, those after it are layout.
            while len(self._note) > 1 and not self._note[-1].strip():
                self._note.pop()
            self._notes.append("\n".join(self._note))
            self._note = []

    def _give_notes(self) -> None:
        if not self._notes:
            return
        if self._note_owner:
            self.game.events[self._note_owner - 1].notes = tuple(self._notes)
        else:
            self.game.notes = tuple(self._notes)
        self._notes = []

    # Players.

    def _read_player(self, number: int, value: str, line: int, column: int) -> None:
        if not 1 <= number <= MAX_PLAYERS:
            detail = f"#player{number}, expected a number from 1 to {MAX_PLAYERS}"
            self.report("player-number", line, column + 1, detail)
            return
        nick, name = [*value.split(maxsplit=1), "", ""][:2]
        if not nick:
            self.report("player-malformed", line, column + 1, f"#player{number} without a short name")
            return
        if not name:
            self.report("player-name-missing", line, column + 1, f"#player{number} {quote(nick)} without a full name")
        players = self.game.players
        while len(players) < number:
            players.append(Player(""))
        own = players[number - 1]
        if own.nick and not (number - 1 in self._undeclared and own.nick == nick):
            self.report("player-repeated", line, column + 1, f"#player{number} is {quote(own.nick)} already")
            return
        for other in players:
            if other is not own and other.nick == nick:
                self.report("duplicate-nickname", line, column + 1, f"{quote(nick)} is another player's short name too")
            elif other is not own and name and other.name == name:
                self.report("duplicate-full-name", line, column + 1, f"{quote(name)} is another player's full name too")
        players[number - 1] = Player(nick, name)
        if not own.nick:
            self._seat(nick, number - 1)
        self._undeclared.discard(number - 1)

    def _seat(self, nick: str, index: int) -> None:
        """Take note of a player's short name."""
        if nick in self._by_nick or nick in self._ambiguous:
            self._by_nick.pop(nick, None)
            self._ambiguous.add(nick)
        else:
            self._by_nick[nick] = index

    def _is_player(self, text: str) -> bool:
        return text in self._by_nick or text in self._ambiguous or self._by_name(text) is not None

    def _by_name(self, text: str) -> int | None:
        """The only player with that full name."""
        found = [index for index, player in enumerate(self.game.players) if " ".join(player.name.split()) == text != ""]
        return found[0] if len(found) == 1 else None

    def _find_player(self, parsed: EventLine, line: int, column: int) -> int | None:
        nick = parsed.nick
        player = self._by_nick.get(nick)
        if player is not None:
            return player
        players = self.game.players
        place = column + parsed.nick_column
        if nick in self._ambiguous:
            self.report("ambiguous-player", line, place, f"{quote(nick)} is the short name of several players")
            return self._by_turn(parsed, [index for index, player in enumerate(players) if player.nick == nick])
        player = self._by_name(nick)
        if player is not None:
            return player
        # A record without any #player line may have up to four; a single one leaves room for the opponent.
        room = MAX_PLAYERS if len(self._undeclared) == len(players) else 2
        if nick and len(players) < room:
            self.report("player-undeclared", line, place, f"no #player line for {quote(nick)}")
            self._undeclared.add(len(players))
            players.append(Player(nick))
            self._seat(nick, len(players) - 1)
            return len(players) - 1
        self.report(
            "player-unknown", line, place, f"{quote(nick)} is none of the players", again=nick in self._strangers
        )
        self._strangers.add(nick)
        return self._by_turn(parsed, [index for index, player in enumerate(players) if player.nick])

    def _by_turn(self, parsed: EventLine, candidates: list[int]) -> int | None:
        """Which of the candidates an event without a clear name belongs to, by the order of turns."""
        if not candidates:
            return None
        for event in self.game.events[self._scanned :]:
            if event.player is not None:
                if event.total is not None:
                    self._totals[event.player] = event.total
                if event.kind in TURN_KINDS:
                    self._last_turn = event.player
        self._scanned = len(self.game.events)
        count = len(self.game.players)
        if parsed.kind in TURN_KINDS:
            return min(candidates, key=lambda index: (index - self._last_turn - 1) % count)
        if parsed.kind not in ("withdraw", "challenge_bonus") and parsed.total is not None:
            # At the end the order of turns is silent, but the totals are not.
            fitting = [
                index for index in candidates if self._totals.get(index, 0) + (parsed.score or 0) == parsed.total
            ]
            if len(fitting) == 1:
                return fitting[0]
        return self._last_turn if self._last_turn in candidates else candidates[0]

    # Events.

    def _read_event(self, text: str, line: int, column: int) -> None:
        self._close_note()
        parsed = parse_event_line(text, self._is_player)
        for code, place, detail in parsed.departures:
            self.report(code, line, column + place, detail)
        at = None
        if parsed.kind == "place":
            at = self._square(parsed, line, column)
        if parsed.kind == "malformed" or (parsed.kind == "place" and at is None):
            self._add_malformed(text, line)
            return
        player = self._find_player(parsed, line, column)
        if player is None:
            self._add_malformed(text, line)
            return
        if self._ending:
            detail = "an event after a #rack that says what is left"
            self.report("event-after-last-rack", line, column + 1, detail, again=self._ending == 2)
            self._ending = 2
        self.game.events.append(
            Event(
                parsed.kind, player, parsed.rack, parsed.text, parsed.coordinate, at, parsed.score, parsed.total, line
            )
        )

    def _square(self, parsed: EventLine, line: int, column: int) -> _Square | None:
        coordinate = parsed.coordinate
        found = self._squares.get(coordinate)
        if found is None:
            try:
                found = parse_coordinate(coordinate, lettered_rows=self._squares is _SQUARES[1])
            except NotationError as error:
                self.report("coordinate-malformed", line, column + parsed.column, error.detail)
                return None
            self._squares[coordinate] = found
        return found
