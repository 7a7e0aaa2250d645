"""Replays of records: computed scores beside the recorded ones, positions, findings, and the result.

for game in fastscore.read_games("games.gcg"):
    for finding in fastscore.replay(game).findings:
        ...
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fastscore.challenges import fits
from fastscore.errors import CompilerMissingError, FastscoreError, NotationError, RecordError, quote
from fastscore.findings import Finding, findings_of_reader, place_of
from fastscore.game import TURN_KINDS, Game, Kind
from fastscore.notation.cgp import Op, Position
from fastscore.records.conclusion import Examined, examine, settle_plain
from fastscore.records.facts import Facts, FactsByReference, FactsOfGame
from fastscore.records.moves import fingerprint, lay_moves
from fastscore.records.phonies import Phonies, WordCheck
from fastscore.records.rules import UnknownRule, rules_of_record
from fastscore.records.tile_aliases import alias_finding
from fastscore.results import Result
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.status import Status

if TYPE_CHECKING:
    from fastscore.board import Board
    from fastscore.lexicon import Lexicon

__all__ = ["Replay", "Turn", "replay", "replay_many"]

_BATCH: Final = 64
"""Games whose placements are scored in one call."""
_COMPILED_FROM: Final = 20
"""So many games of a process are replayed without numba: loading it takes as long as the reference takes for more."""


class Turn(NamedTuple):
    """One event of a record, recorded and computed.

    Attributes
    ----------
    line
        1-based line of the file, 0 = none.
    kind
        What it is, one of fastscore.game.KINDS.
    player
        Whose it is, from 0; None where a line does not say.
    text
        The move as the record writes it: `8D WORD`, `-ABC`, `-`, `--`, `(challenge)`, `(ABC)`; a malformed line whole.
    recorded, computed
        Points; None = not recorded, or no score. fastscore.records.examination says how they are computed.
    total_recorded, total_computed
        The player's running total after it.
    words
        The words that a placement forms, main word first.
    status
        What is wrong with a placement, as flags of fastscore.Status.
    tiles_placed
        How many tiles it lays.
    rack
        The rack as recorded; None = unknown.
    number
        1 for the first placement, exchange or pass, 2 for the next; None for other events.
    bag
        Tiles in the bag before it; None where it is not known.
    scoreless
        Scoreless turns in a row, this one included.
    """

    line: int
    kind: Kind
    player: int | None
    text: str
    recorded: int | None
    computed: int | None
    total_recorded: int | None
    total_computed: int | None
    words: tuple[str, ...]
    status: int
    tiles_placed: int
    rack: str | None
    number: int | None
    bag: int | None
    scoreless: int

    @property
    def difference(self) -> int | None:
        """Recorded minus computed points; None where one of them is not known."""
        return None if self.recorded is None or self.computed is None else self.recorded - self.computed

    def as_dict(self) -> dict[str, Any]:
        """The turn as plain data."""
        return {
            **self._asdict(),
            "words": list(self.words),
            "reasons": [str(flag.name) for flag in Status if flag & self.status],
        }


class Replay:
    """What there is to know about a game: `replay` and `replay_many` make it.

    Everything is computed when it is first asked for. Iteration gives each turn with the board before it.
    """

    def __init__(
        self,
        game: Game,
        rules: Ruleset,
        source: FactsOfGame,
        unknown: Sequence[UnknownRule] = (),
        words: WordCheck | None = None,
        strict: bool = False,
    ) -> None:
        self._game = game
        self._rules = rules
        self._source = source
        self._unknown = unknown
        self._words = words
        self._strict = strict

    @property
    def game(self) -> Game:
        """The record."""
        return self._game

    @property
    def rules(self) -> Ruleset:
        """The rules that it was replayed by."""
        return self._rules

    @cached_property
    def _facts(self) -> Facts:
        return self._source.facts()

    @cached_property
    def _phonies(self) -> Phonies | None:
        return None if self._words is None else self._words.phonies(self._facts.words)

    @cached_property
    def _examined(self) -> Examined:
        return examine(self._game, self._rules, self._facts, phonies=self._phonies, strict=self._strict)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that is wrong with the record, in the order of its lines."""
        game = self._game
        # In what is plain a closer look could find nothing.
        plain = self._source.plain and not self._strict and not self._phonies
        found = tuple(findings_of_reader(game)) if plain else self._examined.findings
        found = tuple(finding for finding in found if not self._is_alias_on_rack(finding))
        aliases = alias_finding(game, self._rules.letters)
        if aliases is not None:
            found = tuple(sorted((*found, aliases), key=place_of))
        unknown = [
            Finding("rules-unknown", _line_of(game, rule.pragma), detail=f"#{rule.pragma}: {rule.detail}")
            for rule in self._unknown
        ]
        if self._words is not None and self._phonies is None:
            lexicon, letters = self._words.lexicon, self._rules.letters
            tiles = f"the tiles of {quote(lexicon.letters.name)}, the rules have those of {quote(letters.name)}"
            unknown.append(Finding("lexicon-other-tiles", 0, detail=f"{quote(lexicon.name)} has {tiles}"))
        return (*unknown, *found)

    def _is_alias_on_rack(self, finding: Finding) -> bool:
        """Whether a sign on a rack that the reader wonders at is a tile of the rules, such as 1 for CH."""
        rack = None if finding.turn is None else self._game.events[finding.turn].rack
        if finding.code != "rack-malformed" or rack is None:
            return False
        try:
            self._rules.letters.rack(rack)
        except NotationError:
            return False
        return True

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """One turn for each event of the record."""
        events, facts = self._game.events, self._facts
        scores = [event.score for event in events]
        totals = [event.total for event in events]
        computed, totals_computed = scores, totals
        if self._source.plain:
            course = self._source.course()
        else:
            computed, totals_computed, course = self._examined[:3]
        statuses = facts.status
        if self._phonies:
            statuses = list(statuses)
            for turn in self._phonies:
                statuses[turn] |= Status.PHONY.value
        numbers = iter(range(1, len(events) + 1))
        return tuple(
            map(
                Turn._make,
                zip(
                    [event.line for event in events],
                    [event.kind for event in events],
                    [event.player for event in events],
                    [event.move for event in events],
                    scores,
                    computed,
                    totals,
                    totals_computed,
                    facts.words,
                    statuses,
                    facts.laid,
                    [event.rack for event in events],
                    [next(numbers) if event.kind in TURN_KINDS else None for event in events],
                    course.bags,
                    course.scoreless,
                    strict=False,  # behind the events there are facts about the last racks
                ),
            )
        )

    @cached_property
    def positions(self) -> tuple[Board, ...]:
        """The board before each turn, and after the last one: one more than there are turns."""
        return tuple(self._game.boards(self._rules))

    def cgp(self, turn: int) -> Position:
        """The position before a turn (an index of `turns`) as CGP has it: the player to move first, recorded totals.

        One more than the last index is the position after the last turn, with the racks that `#rack` lines give. A
        single player has an opponent of whom nothing is known. RecordError for a record without players, and for an
        index that is none.
        """
        source = self._game.source
        if not self._game.players:
            raise RecordError("a record without players, which has no position", code="players-missing", source=source)
        if not 0 <= turn <= len(self.turns):
            detail = f"turn {turn}, expected 0 to {len(self.turns)}"
            raise RecordError(detail, code="turn-unknown", source=source)
        players = max(2, len(self._game.players))
        totals = [0] * players
        for before in self.turns[:turn]:
            if before.player is not None and before.total_recorded is not None:
                totals[before.player] = before.total_recorded
        racks = self._racks_before(turn)
        mover = self._mover(turn)
        order = [(mover + step) % players for step in range(players)]
        ops = [Op("bdn", self._rules.layout.name), Op("ld", self._rules.letters.name)]
        lexicon = " ".join((self._game.lexicon or "").replace(";", " ").split())
        if lexicon:
            ops.append(Op("lex", lexicon))
        return Position(
            rows=tuple(self.positions[turn].to_rows()),
            racks=tuple(racks.get(player, "") for player in order),
            scores=tuple(totals[player] for player in order),
            zeros=self.turns[turn - 1].scoreless if turn else 0,
            ops=tuple(ops),
        )

    def _mover(self, turn: int) -> int:
        """Whose turn it is before a turn, or after the last one."""
        if turn < len(self.turns):
            return self.turns[turn].player or 0
        last = next((before.player for before in reversed(self.turns) if before.number is not None), None)
        return 0 if last is None else (last + 1) % len(self._game.players)

    def _racks_before(self, turn: int) -> dict[int, str]:
        """The racks known before a turn, or after the last one, those left out that cannot be read."""
        racks = dict(self._game.final_racks)
        if turn < len(self.turns):
            racks = {self._mover(turn): self.turns[turn].rack or ""}
        for player, rack in list(racks.items()):
            try:
                self._rules.letters.rack(rack)
            except NotationError:
                del racks[player]
        return racks

    @cached_property
    def result(self) -> Result:
        """The result, recorded and computed."""
        return settle_plain(self._game, self._rules) if self._source.plain else self._examined.result

    def fingerprint(self) -> str | None:
        """A name for the sequence of moves, see `fastscore.records.moves.fingerprint`: equal for copies of a game."""
        events, rules = self._game.events, self._rules
        moves = lay_moves(events, [turn.status for turn in self.turns], rules)
        return fingerprint(events, [laid for laid, _ in moves], rules)

    @property
    def challenge_rules(self) -> tuple[str, ...]:
        """The challenge rules that explain every challenge bonus of the record; () if it has none."""
        fitting: list[str] | None = None
        words = 1
        for turn in self.turns:
            if turn.kind == "place":
                words = max(1, len(turn.words))
            elif turn.kind == "challenge_bonus" and turn.recorded is not None:
                own = [str(fit.rule) for fit in fits(turn.recorded, words)]
                fitting = own if fitting is None else [rule for rule in fitting if rule in own]
        return tuple(fitting or ())

    def __len__(self) -> int:
        """Number of turns."""
        return len(self._game.events)

    def __iter__(self) -> Iterator[tuple[Turn, Board]]:
        """Each turn, and the board before it."""
        return zip(self.turns, self.positions, strict=False)

    def __repr__(self) -> str:
        """Players and numbers of events and findings."""
        return f"<Replay {self._game}, {len(self.findings)} findings>"

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data: only str, int, bool, None, lists and dicts."""
        game = self._game
        return {
            "source": game.source,
            "line": game.first_line,
            "title": game.title,
            "players": [{"nick": player.nick, "name": player.name} for player in game.players],
            "rules": self._rules.name,
            "turns": [turn.as_dict() for turn in self.turns],
            "findings": [finding.as_dict() for finding in self.findings],
            "problems": [problem._asdict() for problem in game.problems],
            "result": self.result.as_dict(),
        }


def replay(
    game: Game, rules: Ruleset | str | None = None, lexicon: Lexicon | None = None, *, strict: bool = False
) -> Replay:
    """Replay a game.

    Parameters
    ----------
    game
        The record.
    rules
        A ruleset, or the name or file of one; None = what the record's pragmas say, else classic/english.
    lexicon
        The good words: plays that stand and form others are found, with the code `phony`, and `Turn.status` has
        `Status.PHONY`, also of plays that were taken back. Under rules with `anagram_words` a word is good if any
        anagram of it is. None = words are not looked up; likewise, with a finding that says so, if the lexicon has
        other tiles than the rules.
    strict
        Find also what collections ask of a record beyond the rules: that it names its lexicon, and has an end.

    Raises
    ------
    RecordError
        A game that was built with an event of none of its players. Records that were read are never refused.
    RulesError
        An unknown name of a ruleset.
    """
    return next(_replayed([game], rules, lexicon, {}, strict))


def replay_many(
    games: Iterable[Game], rules: Ruleset | str | None = None, lexicon: Lexicon | None = None, *, strict: bool = False
) -> Iterator[Replay]:
    """Replay many games, in their order; faster than one by one. Parameters and errors are those of `replay`.

    Some dozens of games are read ahead, never more.
    """
    source = iter(games)
    checks: dict[int, WordCheck] = {}
    while True:
        batch: list[Game] = []
        try:
            batch.extend(islice(source, _BATCH))
        except FastscoreError:
            # Games that were read before the one that cannot be are given all the same.
            yield from _replayed(batch, rules, lexicon, checks, strict)
            raise
        if not batch:
            return
        yield from _replayed(batch, rules, lexicon, checks, strict)


def _replayed(
    games: Sequence[Game],
    rules: Ruleset | str | None,
    lexicon: Lexicon | None,
    checks: dict[int, WordCheck],
    strict: bool,
) -> Iterator[Replay]:
    """`checks`: those of the rulesets so far, by `id` of the ruleset that each holds."""
    if rules is None:
        ruled = [(game, *rules_of_record(game)) for game in games]
    else:
        known = load_rules(rules) if isinstance(rules, str) else rules
        ruled = [(game, known, ()) for game in games]
    for _, group in groupby(ruled, key=lambda each: id(each[1])):
        same = list(group)
        sources = _facts_of([game for game, _, _ in same], same[0][1])
        words = None if lexicon is None else checks.setdefault(id(same[0][1]), WordCheck(same[0][1], lexicon))
        for (game, own, unknown), source in zip(same, sources, strict=True):
            yield Replay(game, own, source, unknown, words, strict)


_replayed_without_numba = 0


def _facts_of(games: Sequence[Game], rules: Ruleset) -> Sequence[FactsOfGame]:
    """Facts by the reference for the first games of a process, then compiled. Both are equal."""
    global _replayed_without_numba
    if _replayed_without_numba + len(games) > _COMPILED_FROM or "fastscore.records.arrays" in sys.modules:
        try:
            from fastscore.records.arrays import compiled_facts
        except CompilerMissingError:
            # Slower, and the same.
            pass
        else:
            return compiled_facts(games, rules)
    _replayed_without_numba += len(games)
    return [FactsByReference(game, rules) for game in games]


def _line_of(game: Game, keyword: str) -> int:
    return next((pragma.line for pragma in game.pragmas if pragma.keyword == keyword), 0)
