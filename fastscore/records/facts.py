"""The facts of a record: what every event is worth and claims, before anybody judges it.

Two ways to them, equal in every number: by the reference scorer, and compiled (`fastscore.records.arrays`), which pays
from a few dozen games on. A fact is a number for each event; what follows from them is the part of
`fastscore.records.examination`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from fastscore.errors import NotationError, RecordError, quote
from fastscore.game import KINDS, MAX_PLAYERS, Event, Game, Player
from fastscore.notation.plays import WrittenPlay, parse_word
from fastscore.status import UNSCORABLE, Status

if TYPE_CHECKING:
    from fastscore.board import Board
    from fastscore.placements import Placement
    from fastscore.rules.letters import LetterDistribution
    from fastscore.rules.ruleset import Ruleset

__all__ = [
    "BAD_RACK",
    "BAD_TEXT",
    "HAS_RACK",
    "LARGE_RACK",
    "OVERDRAWN",
    "RACKS_NOT_IN_BAG",
    "RACK_NOT_IN_BAG",
    "TAKEN_BACK",
    "TILES_NOT_ON_RACK",
    "TILES_NOT_UNSEEN",
    "Course",
    "Facts",
    "FactsByReference",
    "FactsOfGame",
    "check_events",
    "with_final_racks",
    "withdrawn_placements",
    "written_play",
]

# What `Facts.marks` is made of; record_kernels.py has copies, tests compare them.
HAS_RACK: Final = 1 << 0
"""The rack shown can be read."""
BAD_RACK: Final = 1 << 1
"""The rack shown cannot be read."""
LARGE_RACK: Final = 1 << 2
"""More tiles on the rack shown than a rack holds."""
RACK_NOT_IN_BAG: Final = 1 << 3
"""The rack shown has more of some tile than lie off the board."""
OVERDRAWN: Final = 1 << 4
"""A placement lays more of some tile than the set has."""
BAD_TEXT: Final = 1 << 5
"""The tiles of an exchange or an end line cannot be read."""
TILES_NOT_ON_RACK: Final = 1 << 6
"""Tiles exchanged, or returned with a withdrawn play, are not on the rack shown; those of an end line are not the rack
shown beside them."""
TILES_NOT_UNSEEN: Final = 1 << 7
"""The tiles of an end line are not those that do not lie on the board."""
TAKEN_BACK: Final = 1 << 8
"""A withdrawal takes back the placement that the same player has just made."""
RACKS_NOT_IN_BAG: Final = 1 << 9
"""The rack of this turn and that of another player's turn right before, held at the same time, have more of some tile
than lay off the board then."""

_TYPES: Final[tuple[tuple[str, type, bool], ...]] = (
    ("kind", str, False),
    ("player", int, True),
    ("rack", str, True),
    ("text", str, False),
    ("score", int, True),
    ("total", int, True),
)
"""The parts of an event, their types, and whether they may be None."""

BLANK = 0x80
LETTER_BITS = 0x7F


class Facts(NamedTuple):
    """The facts of a game, a list entry for each event, and behind them one for each final rack, of which only the
    marks matter.

    `score`, `status`, `laid`: of a placement: computed score, flags of fastscore.Status, tiles laid (0 if it has no
    score). `marks`: flags of this module. `value`: what the tiles of an end line are worth once, or how many tiles an
    exchange exchanges. `unseen`: tiles not on the board before the event (after a withdrawal), -1 = not known.
    `rack_tiles`: tiles on the rack shown, if it can be read. `words`: the words formed, main word first.
    """

    score: list[int]
    status: list[int]
    laid: list[int]
    marks: list[int]
    value: list[int]
    unseen: list[int]
    rack_tiles: list[int]
    words: list[tuple[str, ...]]


class Course(NamedTuple):
    """Tiles in the bag before each event, None = not known, and scoreless turns in a row after it."""

    bags: list[int | None]
    scoreless: list[int]


class FactsOfGame(Protocol):
    """Where the facts of a game come from.

    `plain`: it is known that a closer look would find nothing: all scores and totals are right, and `course` is known.
    """

    @property
    def plain(self) -> bool:
        """Whether a closer look would find nothing."""

    def facts(self) -> Facts:
        """The facts."""

    def course(self) -> Course:
        """The course of a plain game."""


def check_events(game: Game) -> None:
    """Raise RecordError for a game that no reader gives: with an event of an unknown kind, of none of the game's
    players, or with a part of another type than `fastscore.game.Event` says.
    """
    count = len(game.players)
    if count > MAX_PLAYERS:
        raise RecordError(f"{count} players, expected {MAX_PLAYERS} at most", code="player-number", source=game.source)
    parts: tuple[tuple[str, Sequence[object], type], ...] = (
        ("player", game.players, Player),
        ("event", game.events, Event),
    )
    for name, listed, kind in parts:
        for number, part in enumerate(listed, start=1):
            if not isinstance(part, kind):
                detail = f"{name} {number}: {quote(part)}, expected one of the type {kind.__name__}"
                raise RecordError(detail, code="event-unknown", source=game.source)
    for number, event in enumerate(game.events, start=1):
        fault = _wrong_type(event) or _wrong_value(event, count)
        if fault:
            detail = f"event {number}: {fault}"
            raise RecordError(detail, code="event-unknown", source=game.source, line=event.line or None)


def _wrong_type(event: Event) -> str:
    """What of an event has another type than it should, in words; "" if nothing has."""
    for name, kind, optional in _TYPES:
        value = getattr(event, name)
        if not (isinstance(value, kind) or (optional and value is None)):
            return f"{name} {quote(value)}, expected {kind.__name__}"
    at: object = event.at
    if at is not None and not (isinstance(at, tuple) and len(at) == 3 and all(isinstance(part, int) for part in at)):
        return f"at {quote(at)}, expected row, column and direction"
    return ""


def _wrong_value(event: Event, players: int) -> str:
    """Which part of an event no record can have, in words; "" if none."""
    who = event.player
    if event.kind not in KINDS:
        return f"kind {quote(event.kind)}, expected one of {', '.join(KINDS)}"
    if not (event.kind == "malformed" if who is None else 0 <= who < players):
        return f"player {who}, expected one of the {players} of the game, from 0"
    if event.kind == "exchange_count" and not event.text.isdecimal():
        return f"{quote(event.text)} tiles exchanged, expected a number"
    return ""


def written_play(event: Event, letters: LetterDistribution) -> WrittenPlay | None:
    """What a placement says, None if it cannot be read."""
    if event.at is None:
        return None
    try:
        return WrittenPlay(*event.at, parse_word(event.text, letters))
    except NotationError:
        return None


def with_final_racks(game: Game) -> Iterator[Event]:
    """The events of a game, and each of its final racks in an event that does nothing."""
    yield from game.events
    if game.pragmas:
        for rack in game.final_racks.values():
            yield Event("malformed", None, rack)


def withdrawn_placements(game: Game, facts: Facts) -> frozenset[int]:
    """The events that are placements which a later event takes back."""
    last = -1
    found = set()
    for number, (event, marks) in enumerate(zip(game.events, facts.marks, strict=False)):
        if event.kind == "place":
            last = number
        elif marks & TAKEN_BACK:
            found.add(last)
    return frozenset(found)


class FactsByReference:
    """The facts of a game by the reference scorer, some 100 microseconds for each placement, without numba."""

    plain = False

    def __init__(self, game: Game, rules: Ruleset) -> None:
        check_events(game)
        self._game = game
        self._rules = rules

    def facts(self) -> Facts:
        """The facts."""
        walk = _Walk(self._rules)
        for event in with_final_racks(self._game):
            walk.take(event)
        return walk.facts

    def course(self) -> Course:
        """Never asked for: nothing is plain here before it was looked at."""
        raise LookupError("only a record that is plain has its course at once")


class _Walk:
    """Takes the events one by one."""

    def __init__(self, rules: Ruleset) -> None:
        from fastscore.board import Board

        self.rules = rules
        self.facts = Facts([], [], [], [], [], [], [], [])
        self.board: Board = Board(rules)
        # The placement that can be taken back: its player, its tiles, and the board before it.
        self.last: tuple[int | None, Counter[int], Board] | None = None
        # The player of the turn before, and the tiles that were neither on the board nor on that player's rack.
        self.rest: tuple[int | None, Counter[int]] | None = None

    def take(self, event: Event) -> None:
        """Add the facts of the next event."""
        marks = 0
        returned: Counter[int] | None = None
        if event.kind == "withdraw" and self.last is not None and self.last[0] == event.player:
            _, returned, self.board = self.last
            self.last = None
            marks = TAKEN_BACK
        counts = self.rules.letters.counts
        self.left = None if counts is None else Counter(dict(enumerate(counts)))
        if self.left is not None:
            for code, count in Counter(self.board.ground.tiles).items():
                if code:
                    self.left[_tile(code)] -= count
        self.rack: Counter[int] | None = None
        rack_text = None
        if event.rack is not None:
            try:
                self.rack = Counter(dict(enumerate(self.rules.letters.rack(event.rack))))
                rack_text = event.rack
            except NotationError:
                marks |= BAD_RACK
        if self.rack is not None:
            marks |= HAS_RACK
            if self.rack.total() > self.rules.rack_size:
                marks |= LARGE_RACK
            if self.left is not None and not _within(self.rack, self.left):
                marks |= RACK_NOT_IN_BAG

        if event.is_turn:
            marks |= self._check_both_racks(event, marks)

        score = status = laid = value = 0
        words: tuple[str, ...] = ()
        unseen = -1 if self.left is None else self.left.total()
        if event.kind == "place":
            score, status, laid, words, overdrawn = self._place(event, rack_text)
            marks |= OVERDRAWN if overdrawn else 0
        elif returned is not None and self.rack is not None and not _within(returned, self.rack):
            marks |= TILES_NOT_ON_RACK
        elif event.kind in ("exchange", "end_points", "end_penalty"):
            value, more = self._claim(event)
            marks |= more
        elif event.kind == "exchange_count":
            value = event.exchanged or 0
        if event.kind in ("exchange", "exchange_count", "pass"):
            self.last = None
        numbers = (score, status, laid, marks, value, unseen, 0 if self.rack is None else self.rack.total())
        for column, number in zip(self.facts[:-1], numbers, strict=True):
            column.append(number)
        self.facts.words.append(words)

    def _check_both_racks(self, event: Event, marks: int) -> int:
        """RACKS_NOT_IN_BAG or 0 for a turn with these marks."""
        before, self.rest = self.rest, None
        if self.rack is None or self.left is None or marks & RACK_NOT_IN_BAG:
            return 0
        rest = self.left.copy()
        rest.subtract(self.rack)
        self.rest = event.player, rest
        crowded = before is not None and before[0] != event.player and not _within(self.rack, before[1])
        return RACKS_NOT_IN_BAG if crowded else 0

    def _place(self, event: Event, rack: str | None) -> tuple[int, int, int, tuple[str, ...], bool]:
        """Score, status, tiles laid, words, and whether the set has not so many tiles."""
        from fastscore.laying import gather_written
        from fastscore.placements import Placement
        from fastscore.reference import judge

        before = self.board
        play = written_play(event, self.rules.letters)
        self.last = (event.player, Counter(), before)
        if play is None:
            return 0, int(Status.UNREADABLE), 0, (), False
        placement: Placement = Placement(*gather_written(before.ground, play))
        status, words, _, total = judge(before, placement, rack)
        if status & UNSCORABLE:
            return 0, int(status), 0, (), False
        tiles = Counter(map(_tile, placement.tiles))
        self.board = before.play(placement)
        self.last = (event.player, tiles, before)
        overdrawn = self.left is not None and not _within(tiles, self.left)
        return total, int(status), len(placement.tiles), tuple(word.text for word in words), overdrawn

    def _claim(self, event: Event) -> tuple[int, int]:
        """Number or worth of the tiles of an exchange or an end line, and marks."""
        rules = self.rules
        try:
            # A small letter shows the tile here, not a blank: nothing is designated off the board.
            codes = [code if code == BLANK else code & LETTER_BITS for code in rules.letters.encode(event.text)]
        except NotationError:
            return 0, BAD_TEXT
        tiles = Counter(map(_tile, codes))
        if event.kind == "exchange":
            fine = self.rack is None or _within(tiles, self.rack)
            return len(codes), 0 if fine else TILES_NOT_ON_RACK
        blank = rules.letters.values[0] if rules.end_blank_value is None else rules.end_blank_value
        value = sum(count * (rules.letters.values[tile] if tile else blank) for tile, count in tiles.items())
        marks = 0
        if self.left is not None and tiles != self.left:
            marks |= TILES_NOT_UNSEEN
        if self.rack is not None and tiles != self.rack:
            marks |= TILES_NOT_ON_RACK
        return value, marks


def _tile(code: int) -> int:
    """The tile of a code as it is counted: a blank is one whatever it stands for."""
    return 0 if code & BLANK else int(code)


def _within(tiles: Counter[int], stock: Counter[int]) -> bool:
    # Of a tile that is not among them there may be less than none, once the set was overdrawn.
    return all(stock[tile] >= count for tile, count in tiles.items() if count)
