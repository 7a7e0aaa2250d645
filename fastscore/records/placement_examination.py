"""The close look at the placements of a record: whose turn it is, what was laid and scored, and what was taken back.

Of a play that cannot be laid the later plays that miss its tiles are marked as consequences. The board of a turn is
made only where something is wrong with it.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from fastscore.challenges import may_have_bonus
from fastscore.endings import Ending, GameEnd, ScorelessTurns, game_end, went_out
from fastscore.errors import quote
from fastscore.findings import Finding
from fastscore.game import Event, Game
from fastscore.laying import BLANK_BIT, gather_written
from fastscore.records.causes import cause_of_score
from fastscore.records.facts import (
    OVERDRAWN,
    TAKEN_BACK,
    TILES_NOT_ON_RACK,
    Facts,
    withdrawn_placements,
    written_play,
)
from fastscore.records.ledger import Ledger
from fastscore.records.lost_tiles import LostTiles
from fastscore.status import UNSCORABLE, Status, reasons

if TYPE_CHECKING:
    from fastscore.board import Board
    from fastscore.records.phonies import Phonies
    from fastscore.rules.ruleset import Ruleset

__all__ = ["NOT_ENDED", "Placed", "PlacementExaminer", "tiles_on", "why_over"]

NOT_ENDED: Final = GameEnd(Ending.NOT_ENDED)
"""The game goes on; there is one such object, so that `is` tells."""

_FLAG_CODES = (
    (int(Status.NOT_CONNECTED), "not-connected"),
    (int(Status.START_NOT_COVERED), "start-not-covered"),
    (int(Status.NOT_MAXIMAL), "not-maximal"),
    (int(Status.NO_WORD), "no-word"),
)
"""Faults of where a play lies. They explain a wrong score."""
_OTHER_FLAG_CODES = (
    (int(Status.BLANK_UNDESIGNATED), "blank-undesignated"),
    (int(Status.SPLIT_DIGRAPH), "split-digraph"),
    (int(Status.NOT_ON_RACK), "not-on-rack"),
)
_UNSCORABLE = int(UNSCORABLE)
_NO_TILE = int(Status.NO_TILE)
_OTHER_TILES = int(Status.NO_TILE | Status.THROUGH_DIFFERS | Status.THROUGH_EMPTY)
"""Why a play cannot be laid that could be on a board with other tiles."""


class Placed(NamedTuple):
    """The placement just made, and what was before it: tiles in the bag and on the player's rack, scoreless turns."""

    turn: int
    player: int
    computed: int | None
    recorded: int | None
    words: int
    bag: int | None
    held: int
    scoreless: ScorelessTurns


class PlacementExaminer:
    """What is known of a game at one of its events.

    `ledger`: recorded totals. `end`: why the game is over, or NOT_ENDED. `held`: how many tiles each player has; `bag`:
    tiles in the bag, None = not known. `lost`: tiles that could not be laid. `entered`: by how much the event changes
    the recorded total; None = by its computed score. `placed`: the placement just made; `challenged`: how many
    challenge lines each player has for it. `turns`: scoreless turns so far. `timed`: the players with a time penalty so
    far. `overdrawn`: placements of more of a tile than the set has. `disordered`: there was a turn of another player
    than the one to move. `phonies`: words that are not in a lexicon; None = without one.
    """

    def __init__(self, game: Game, rules: Ruleset, facts: Facts, phonies: Phonies | None = None) -> None:
        self.game = game
        self.rules = rules
        self.facts = facts
        self.phonies = phonies
        self.findings: list[Finding] = []
        players = len(game.players)
        self.ledger = Ledger(players)
        self.end = NOT_ENDED
        self.held = [rules.rack_size] * players
        counts = rules.letters.counts
        dealt = rules.rack_size * players
        self.bag = None if counts is None or sum(counts) < dealt else sum(counts) - dealt
        self.lost = LostTiles()
        self.entered: int | None = None
        self.placed: Placed | None = None
        self.challenged: Counter[int] = Counter()
        self.turns = ScorelessTurns(rules)
        self.timed: set[int] = set()
        self.overdrawn: set[int] = set()
        # Whether a time penalty before its time was found, or a turn after the end; whether a line since the last turn
        # could not be read.
        self.early_time = False
        self.moved_on = False
        self.skipped = False
        # A challenge that decides the game pays nothing.
        self._pays_for_challenges = rules.challenge != "triple"
        self._counts = self.bag is not None
        seats = [number for number, player in enumerate(game.players) if player.nick]
        self._next = dict(zip(seats, seats[1:] + seats[:1], strict=True))
        self._due: int | None = None
        # Whether the last turn was of the wrong player; a line in a wrong place; the players who had no line since one
        # that could not be read or is not there.
        self.disordered = False
        self._off_turn = False
        self._misplaced = -1
        self._unheard: set[int] = set()

    @cached_property
    def boards(self) -> list[Board]:
        """The board before each event, and after the last one."""
        return list(self.game.boards(self.rules))

    @cached_property
    def taken_back(self) -> frozenset[int]:
        """The placements that are withdrawn in the end."""
        return withdrawn_placements(self.game, self.facts)

    @property
    def certain(self) -> bool:
        """Whether numbers of tiles can be relied on."""
        return self._counts and not self.lost

    def find(self, code: str, turn: int, **what: object) -> None:
        """Add a finding about a turn; `what`: further attributes of a Finding."""
        event = self.game.events[turn]
        self.findings.append(Finding(code, event.line, turn, event.player, **what))  # type: ignore[arg-type]

    def check_time(self, turn: int) -> None:
        """A turn, or a claim to the last one, comes before any time penalty."""
        if self.timed:
            self.find("turn-after-time-penalty", turn, consequence=self.early_time)
            self.early_time = True

    def take_turn(self, turn: int, player: int) -> None:
        """Whose turn it is, and whether there may be one."""
        self.check_time(turn)
        if self.end is not NOT_ENDED:
            if not self.moved_on:
                follows = self.disordered or not self.certain
                # Records that name letters only do not say by which federation's count of passes they were played.
                code = "move-after-passes" if self.end.ending is Ending.PASSES else "move-after-end"
                self.find(code, turn, consequence=follows, detail=why_over(self.end))
            self.moved_on = True
            self.end = NOT_ENDED
        off_turn = self._due is not None and player != self._due
        if off_turn and self._due is not None:
            # One line too many, too few or under another name puts two turns out of order.
            follows = self.skipped or self._off_turn
            self.find("off-turn", turn, consequence=follows, detail=f"player {self._due + 1} was to move")
            self.disordered = True
            self._misplaced = turn
            self._unheard.add(self._due)
        self._off_turn = off_turn
        self._due = self._next.get(player)
        self.skipped = False

    def over(self, out: int | None = None, awarded_to: int | None = None) -> GameEnd:
        """Why the game is over, NOT_ENDED itself if it is not."""
        end = game_end(self.turns, out=out, awarded_to=awarded_to)
        return NOT_ENDED if end.ending is Ending.NOT_ENDED else end

    def place(self, turn: int, event: Event) -> int | None:
        """A placement; its computed score."""
        player = event.player
        assert player is not None, "only malformed lines have no player"
        self.take_turn(turn, player)
        facts = self.facts
        recorded, status = event.score, facts.status[turn]
        computed: int | None = facts.score[turn]
        laid, words = facts.laid[turn], len(facts.words[turn])
        placed = Placed(turn, player, computed, recorded, words, self.bag, self.held[player], self.turns)
        if status & _UNSCORABLE:
            computed = None
            placed = placed._replace(computed=None)
            laid = self._report_unlaid(turn, event, status)
        elif status or (recorded is not None and recorded != computed):
            self._judge_play(turn, event, status)
        if self.phonies is not None and turn in self.phonies and turn not in self.taken_back:
            self._report_phony(turn, event, self.phonies[turn])
        if facts.marks[turn] & OVERDRAWN:
            self.overdrawn.add(turn)
            self.find("tile-overdrawn", turn, detail=f"{quote(event.move)} lays a tile that the set has no more of")
        self.placed = placed
        self.challenged.clear()
        self.turns = self.turns.placed((recorded or 0) if computed is None else computed)
        out = self.bag is not None and self._draw(turn, player, laid, self.bag)
        if out or self.turns.zeros:
            self.end = self.over(player if out else None)
        return computed

    def _draw(self, turn: int, player: int, laid: int, bag: int) -> bool:
        """The player lays tiles and draws others; whether the game is played out."""
        left = self.held[player] - laid
        if left < 0:
            if self.certain:
                # A turn, or a tile, has been lost or made up: the numbers are of no use from here on.
                detail = f"{laid} tiles laid by a player who holds {self.held[player]}"
                self.find("tiles-not-held", turn, consequence=self.disordered, detail=detail)
            self._counts = False
            left = 0
        drawn = min(bag, self.rules.rack_size - left)
        self.bag = bag - drawn
        self.held[player] = left + drawn
        return went_out(left + drawn, bag - drawn) and self.certain

    def _doubt_placed(self, placed: Placed) -> None:
        """Another player than the one who made it takes the play back: its tiles and points may be there no more."""
        play = written_play(self.game.events[placed.turn], self.rules.letters)
        if play is not None and placed.computed is not None:
            self.lost.doubt(play, self.boards[placed.turn].ground)
        self.ledger.doubt(placed.player, placed.recorded or placed.computed or 0)

    def _report_unlaid(self, turn: int, event: Event, status: int) -> int:
        """A play without a score: findings, and how many tiles it would have laid."""
        play = written_play(event, self.rules.letters)
        if play is None:
            self.find("play-unreadable", turn, detail=quote(event.move))
            self.lost.unplaced = True
            return 0
        ground = self.boards[turn].ground
        self.ledger.doubt(event.player or 0, event.score or 0)
        # A walk that stops before the first tile has laid none, which is not the reason.
        shown = status & _UNSCORABLE & ~_NO_TILE or _NO_TILE
        # Where a line may be missing, under another name or there twice, the board may lack its tiles or have them.
        follows = self.lost.touch(play, ground) or (self.disordered and not shown & ~_OTHER_TILES)
        self.find(
            "play-illegal",
            turn,
            recorded=event.score,
            consequence=follows,
            detail=f"{quote(event.move)}: {'; '.join(reasons(shown))}",
        )
        if status & Status.NOT_ON_RACK:
            self.find("not-on-rack", turn, consequence=True, detail=f"rack {quote(event.rack)}")
        return self.lost.add(turn, play, ground)

    def _judge_play(self, turn: int, event: Event, status: int) -> None:
        """A play that is laid, flagged or with another score than the recorded one."""
        # Most records need no arrays.
        from fastscore.placements import Placement
        from fastscore.reference import explain

        recorded, computed = event.score, self.facts.score[turn]
        play = written_play(event, self.rules.letters)
        assert play is not None, "what is laid can be read"
        board = self.boards[turn]
        explained = self.lost.touch(play, board.ground)
        move = quote(event.move)
        for flag, code in _FLAG_CODES:
            if status & flag:
                self.find(code, turn, consequence=explained, detail=move)
                explained = True
        for flag, code in _OTHER_FLAG_CODES:
            if status & flag:
                shown = f"{move} with the rack {quote(event.rack)}" if code == "not-on-rack" else move
                self.find(code, turn, detail=shown)
        if recorded is not None and recorded != computed:
            cause = ""
            if not explained:
                right = explain(board, Placement(*gather_written(board.ground, play)))
                cause = cause_of_score(recorded, right, self.rules, stands=self._may_have_bonus(turn, event))
            numbers = {"recorded": recorded, "computed": computed}
            self.find("misscored", turn, **numbers, cause=cause, consequence=explained, detail=move)

    def _may_have_bonus(self, turn: int, event: Event) -> bool:
        """Whether the score of a play may hold a challenge bonus: nothing else in the record contradicts it."""
        if turn in self.taken_back or not self._pays_for_challenges or not may_have_bonus(self.game.events, turn):
            return False
        # A total that adds the score by the rules has no bonus.
        right = self.ledger.totals[event.player or 0] + self.facts.score[turn]
        return event.total != right

    def _report_phony(self, turn: int, event: Event, words: tuple[str, ...]) -> None:
        detail = f"{quote(event.move)}: {', '.join(words)} not in the lexicon"
        self.find("phony", turn, consequence=self._is_beside_lost(turn, event), detail=detail)

    def _report_good(self, turn: int, played: int) -> None:
        if self.facts.status[played] & Status.BLANK_UNDESIGNATED:
            return  # nobody knows which word it is
        play = self.game.events[played]
        detail = f"{quote(play.move)}: {', '.join(self.facts.words[played])}"
        self.find("good-play-withdrawn", turn, consequence=self._is_beside_lost(played, play), detail=detail)

    def _is_beside_lost(self, turn: int, event: Event) -> bool:
        """Whether the words of a play may be others than were formed, since a tile is missing on the board."""
        if not self.lost:
            return False
        play = written_play(event, self.rules.letters)
        return play is not None and self.lost.touch(play, self.boards[turn].ground)

    def withdraw(self, turn: int, event: Event) -> int:
        """A play taken back; its computed points."""
        self.check_time(turn)
        placed, recorded = self.placed, event.score
        marks = self.facts.marks[turn]
        if placed is None or not marks & TAKEN_BACK:
            code = "withdrawal-without-play" if placed is None else "withdrawal-other-player"
            self.find(code, turn, consequence=self.skipped)
            self._misplaced = turn
            if placed is not None:
                self._doubt_placed(placed)
            if recorded:
                self.find("misscored", turn, recorded=recorded, computed=0, consequence=True)
            return 0
        if self.challenged:
            self.find("withdrawal-after-challenge", turn, detail=quote(self.game.events[placed.turn].move))
        self.placed = None
        self.lost.take_back(placed.turn)
        self.overdrawn.discard(placed.turn)
        if self.phonies is not None and placed.words and placed.turn not in self.phonies:
            self._report_good(turn, placed.turn)
        self.bag, self.held[placed.player] = placed.bag, placed.held
        self.turns = self.turns.withdrawn()
        winner = self._next.get(placed.player) if self.rules.challenge == "triple" and len(self._next) == 2 else None
        self.end = self.over(awarded_to=winner)
        if marks & TILES_NOT_ON_RACK:
            # A rack that lacked them before is the same fault.
            follows = bool(self.facts.status[placed.turn] & Status.NOT_ON_RACK)
            self.find("withdrawal-other-tiles", turn, consequence=follows, detail=f"rack {quote(event.rack)}")
        # A play that has no score has none to take back.
        computed = -(placed.computed or 0)
        expected = computed if placed.recorded is None else -placed.recorded
        if recorded is None:
            self.entered = expected
        elif recorded == expected:
            if recorded != computed:
                cause = "withdrawn-play-misscored"
                self.find("misscored", turn, recorded=recorded, computed=computed, cause=cause, consequence=True)
        elif recorded == 0 and event.total == self.ledger.totals[placed.player] + expected:
            self.find("withdrawal-zero", turn, recorded=0, computed=expected)
            self.entered = expected
        else:
            self.find("withdrawal-amount", turn, recorded=recorded, computed=expected)
        return computed


def tiles_on(board: Board, rules: Ruleset) -> list[int]:
    """How many of each tile lie on a board, by tile code; [0] = blanks, whatever they stand for."""
    found = [0] * len(rules.letters.tiles)
    for code in board.ground.tiles:
        if code:
            found[0 if code & BLANK_BIT else code] += 1
    return found


def why_over(end: GameEnd) -> str:
    """Why a game is over, for a detail."""
    who = "" if end.out is None else f" by player {end.out + 1}"
    return f"the game is over: {end.ending.value.replace('_', ' ')}{who}"
