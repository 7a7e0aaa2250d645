"""Game: a record of a game as plain data. It says what was written down; whether that was legal is `replay`'s part.

A game is a list of events in the order of the record. Players are counted from 0. Everything a record says beside its
moves (titles, word lists, racks left over, the way rows are named) is kept as pragmas in their order.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from fastscore.coordinates import Direction, format_coordinate, parse_coordinate
from fastscore.errors import NotationError, PlacementError
from fastscore.notation.cgp import own_layout_name
from fastscore.sanitise import printable

if TYPE_CHECKING:
    from fastscore.board import Board
    from fastscore.rules.ruleset import Ruleset

__all__ = [
    "KINDS",
    "MAX_PLAYERS",
    "TURN_KINDS",
    "Event",
    "Game",
    "Kind",
    "Player",
    "Pragma",
    "Problem",
    "Severity",
]

MAX_PLAYERS: Final = 4
"""Most players of a game."""

Kind = Literal[
    "place",
    "exchange",
    "exchange_count",
    "pass",
    "withdraw",
    "challenge_bonus",
    "end_points",
    "end_penalty",
    "time_penalty",
    "malformed",
]
KINDS: Final[tuple[Kind, ...]] = (
    "place",
    "exchange",
    "exchange_count",
    "pass",
    "withdraw",
    "challenge_bonus",
    "end_points",
    "end_penalty",
    "time_penalty",
    "malformed",
)
"""What an event can be.

place: tiles laid. exchange: tiles exchanged, known. exchange_count: exchanged, only their number known. pass: nothing
done; a lost turn after a challenge is a pass as well. withdraw: the play just made is taken back. challenge_bonus:
points for a play that was challenged and stood (or, below 0, taken from the challenger). end_points: points for the
tiles that others are left with. end_penalty: points taken for the tiles on the own rack. time_penalty: overtime.
malformed: a line that says nothing readable, kept as text.
"""
TURN_KINDS: Final = frozenset({"place", "exchange", "exchange_count", "pass"})
"""The events that are a player's turn: after them the next player moves."""

Severity = Literal["error", "warning", "note"]


class Problem(NamedTuple):
    """Something about a record that is not as it should be, or that a reader should know.

    `code` is stable. `line` and `column` are 1-based; line 0 = the whole record, column 0 = the whole line. An `error`
    loses something of the record or guesses it, a `warning` is a spelling that the format does not have, a `note` is
    within the format and reported only.
    """

    code: str
    line: int
    column: int
    detail: str
    severity: Severity

    def __str__(self) -> str:
        """`12:7: warning: extra-space: ...`."""
        return f"{self.line}:{self.column}: {self.severity}: {self.code}: {printable(self.detail)}"


@dataclass(slots=True)
class Player:
    """A player: the short name that the record's lines use, without white space, and the full name."""

    nick: str
    name: str = ""

    @property
    def label(self) -> str:
        """The full name, or else the short one, fit for a terminal."""
        return printable(self.name or self.nick)


@dataclass(slots=True)
class Pragma:
    """Something that a record says beside its moves: `#title Final game`.

    `keyword` is in lower case without its `#`, `text` what follows; a text of several lines is one that the format
    continues with `#-`. `after` = how many events came before it. `line` (1-based, 0 = none) is not compared.
    """

    keyword: str
    text: str = ""
    after: int = 0
    line: int = field(default=0, compare=False)


@dataclass(slots=True)
class Event:
    """One event of a record.

    Attributes
    ----------
    kind
        One of KINDS.
    player
        Whose event it is, from 0; None where a malformed line does not say.
    rack
        The rack as written, "?" for a blank; None = unknown. It may be partial or wrong.
    text
        place: the word as written. exchange: the tiles. exchange_count: the number. end_points and end_penalty: the
        tiles counted. malformed: the line. Else "".
    coordinate, at
        place: the coordinate as written, and what it means: row and column of the first written square, from 0, and
        the direction. Else "" and None.
    score
        Points of this event as recorded; None = not recorded.
    total
        The player's total after it as recorded; None = not recorded.
    line
        1-based line of the file, 0 = none; not compared.
    notes
        Comments on this event; a comment may have several lines.
    """

    kind: Kind
    player: int | None
    rack: str | None = None
    text: str = ""
    coordinate: str = ""
    at: tuple[int, int, Direction] | None = None
    score: int | None = None
    total: int | None = None
    line: int = field(default=0, compare=False)
    notes: tuple[str, ...] = ()

    @classmethod
    def placement(
        cls,
        player: int,
        coordinate: str,
        text: str,
        score: int,
        total: int,
        *,
        rack: str | None = None,
        lettered_rows: bool = False,
    ) -> Event:
        """A placement like `8D WORD`. Raises NotationError for a coordinate that cannot be read."""
        at = parse_coordinate(coordinate, lettered_rows=lettered_rows)
        return cls("place", player, rack, text, coordinate, at, score, total)

    @property
    def is_turn(self) -> bool:
        """Whether the next player moves after it."""
        return self.kind in TURN_KINDS

    @property
    def exchanged(self) -> int | None:
        """How many tiles an exchange by number exchanged; None for other events."""
        return int(self.text) if self.kind == "exchange_count" else None

    @property
    def move(self) -> str:
        """The event without its player and numbers, as a record writes it: `8D WORD`, `-ABC`, `-`, `--`, `(time)`."""
        if self.kind == "place":
            return f"{self.coordinate} {self.text}"
        if self.kind in ("exchange", "exchange_count"):
            return f"-{self.text}"
        if self.kind in ("end_points", "end_penalty"):
            return f"({self.text})"
        return _FIXED_MOVES.get(self.kind, self.text)

    def __str__(self) -> str:
        """The event on one line, fit for a terminal: `?AEINRS 8D RETAINs +60 60`."""
        numbers = ("" if self.score is None else f"{self.score:+}", "" if self.total is None else str(self.total))
        return printable(" ".join(part for part in (self.rack or "", self.move, *numbers) if part))


_FIXED_MOVES = {"pass": "-", "withdraw": "--", "challenge_bonus": "(challenge)", "time_penalty": "(time)"}
_RACK_KEYWORD = re.compile("rack([1-9])")


@dataclass(slots=True)
class Game:
    """A record of one game, 1 to 4 players.

    Two games are equal if they say the same: players, pragmas, comments and events. Where they were read from, how that
    was spelt and what was wrong with it (the attributes from `problems` on) is not compared.

    Attributes
    ----------
    players
        In the order of their numbers. A player whose number is left out between others has "" for a nick.
    events
        In the order of the record.
    pragmas
        All but players, comments and the encoding, in their order.
    notes
        Comments before the first event.
    problems
        What the reader found, in the order of lines as far as it knows them early.
    source, first_line
        Name of the file and the line in it where the game begins; None and 1 where there is none.
    encoding
        How the bytes were read: utf-8 or iso-8859-1; None = they came as text.
    encoding_declared
        The encoding's name as the record has it; None = it has none.
    newline
        lf, crlf, cr, mixed, or none where there is no line end.
    final_newline
        Whether the last line is ended.
    """

    players: list[Player] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    pragmas: list[Pragma] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list, compare=False)
    source: str | None = field(default=None, compare=False)
    first_line: int = field(default=1, compare=False)
    encoding: str | None = field(default=None, compare=False)
    encoding_declared: str | None = field(default=None, compare=False)
    newline: str = field(default="none", compare=False)
    final_newline: bool = field(default=False, compare=False)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        """Number of events."""
        return len(self.events)

    def __bool__(self) -> bool:
        """True, also without events."""
        return True

    def __str__(self) -> str:
        """One line, fit for a terminal: `Alice 400, Bob 380, 25 events`."""
        totals = [
            f"{player.label} {'-' if total is None else total}"
            for player, total in zip(self.players, self.recorded_totals, strict=True)
        ]
        return ", ".join([*totals, f"{len(self.events)} events"])

    @property
    def has_errors(self) -> bool:
        """Whether something of the record was lost or guessed."""
        return any(problem.severity == "error" for problem in self.problems)

    @property
    def recorded_totals(self) -> list[int | None]:
        """The last recorded total of each player; None = none."""
        totals: list[int | None] = [None] * len(self.players)
        for event in self.events:
            if event.player is not None and event.total is not None and event.player < len(totals):
                totals[event.player] = event.total
        return totals

    def pragma(self, keyword: str) -> str | None:
        """Text of the first pragma of that name; None = there is none."""
        return next((pragma.text for pragma in self.pragmas if pragma.keyword == keyword), None)

    @property
    def title(self) -> str | None:
        """Title of the game. It is text from a file: `fastscore.sanitise.printable` makes it fit for a terminal."""
        return self.pragma("title")

    @property
    def description(self) -> str | None:
        """All descriptions, one a line; None = there is none."""
        texts = [pragma.text for pragma in self.pragmas if pragma.keyword == "description"]
        return "\n".join(texts) if texts else None

    @property
    def game_id(self) -> tuple[str, str] | None:
        """Who gave the game its name, and the name."""
        text = self.pragma("id")
        if text is None:
            return None
        authority, _, name = text.partition(" ")
        return authority, name.strip()

    @property
    def lexicon(self) -> str | None:
        """Name of the word list."""
        return self.pragma("lexicon")

    @property
    def layout_name(self) -> str | None:
        """The board layout by the name that fastscore has for it."""
        name = self.pragma("board-layout")
        return None if name is None else own_layout_name(name)

    @property
    def distribution_name(self) -> str | None:
        """Name of the letter distribution."""
        return self.pragma("tile-distribution")

    @property
    def game_type(self) -> str | None:
        """Name of the variant: classic, wordsmog, classic_super, wordsmog_super."""
        return self.pragma("game-type")

    @property
    def lettered_rows(self) -> bool:
        """Whether letters name the rows and numbers the columns."""
        return self.pragma("orientation") == "lettered-rows"

    @property
    def incomplete(self) -> bool:
        """Whether the record says that the game was not finished."""
        return self.pragma("incomplete") is not None

    @property
    def declared_tiles(self) -> tuple[tuple[str, str], ...]:
        """Multi-letter tiles that the record declares: as a tile, as a blank."""
        pairs = (pragma.text.split() for pragma in self.pragmas if pragma.keyword == "tile")
        return tuple((pair[0], pair[1]) for pair in pairs if len(pair) == 2)

    @property
    def opening_racks(self) -> dict[int, str]:
        """Racks written before the first event, by player: the racks to begin with, or those now on the table."""
        return {player: text for player, text, after in self._racks() if after == 0}

    @property
    def final_racks(self) -> dict[int, str]:
        """Racks written after the last event, by player: what they hold where the record stops."""
        return {player: text for player, text, after in self._racks() if after == len(self.events) > 0}

    def _racks(self) -> Iterator[tuple[int, str, int]]:
        for pragma in self.pragmas:
            number = _RACK_KEYWORD.fullmatch(pragma.keyword)
            if number is not None:
                yield int(number[1]) - 1, pragma.text, pragma.after

    def boards(self, rules: Ruleset) -> Iterator[Board]:
        """The board before each event and after the last one: one more than there are events.

        Whether a play was legal is not asked. One that cannot be laid leaves the board as it is, a withdrawal takes
        back the play of the same player right before it.
        """
        # Reading records needs no arrays.
        from fastscore.board import Board
        from fastscore.placements import Placement

        board = Board(rules)
        yield board
        played: tuple[int | None, Board] | None = None
        for event in self.events:
            if event.kind == "place" and event.at is not None:
                played = (event.player, board)
                with contextlib.suppress(NotationError, PlacementError):
                    board = board.play(Placement.parse(f"{format_coordinate(*event.at)} {event.text}", board))
            elif event.kind == "withdraw" and played is not None and played[0] == event.player:
                board = played[1]
                played = None
            elif event.is_turn:
                played = None
            yield board
