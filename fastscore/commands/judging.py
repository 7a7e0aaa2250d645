"""Scores and faults of the plays that a command was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from fastscore.commands.inputs import GivenPosition, WrittenText
from fastscore.errors import CompilerMissingError, NotationError
from fastscore.status import UNSCORABLE, Status

if TYPE_CHECKING:
    from fastscore.breakdown import Breakdown
    from fastscore.lexicon import Lexicon
    from fastscore.placements import Placement
    from fastscore.reference import Judgement

__all__ = ["Judged", "breakdown_of", "judge_each", "judge_many"]

COMPILED_FROM = 5000
"""So many plays are scored by the compiled scorer, fewer by the reference: numba takes as long to load as the reference
takes for this many. Both give the same."""


class Judged(NamedTuple):
    """A play as written, its placement, score and status.

    The placement is None if the text cannot be read; `problem` says why. `judgement`: the reference's, if it was asked.
    """

    written: WrittenText
    placement: Placement | None
    score: int
    status: Status
    problem: NotationError | None = None
    judgement: Judgement | None = None

    @property
    def has_score(self) -> bool:
        """Whether the play can be scored at all."""
        return not self.status & UNSCORABLE

    @property
    def reasons(self) -> list[str]:
        """The names of the flags of the status, in their order."""
        return self.status.names


def judge_each(
    position: GivenPosition, plays: Sequence[WrittenText], rack: str | None, lexicon: Lexicon | None = None
) -> list[Judged]:
    """Score and check plays one by one, without numba. `rack` None = not known, `lexicon` None = every word is good."""
    from fastscore.reference import judge

    judged = []
    for play in _read(position, plays):
        if play.placement is not None:
            judgement = judge(position.board, play.placement, rack, lexicon)
            play = play._replace(score=judgement.total, status=judgement.status, judgement=judgement)
        judged.append(play)
    return judged


def judge_many(
    position: GivenPosition, plays: Sequence[WrittenText], rack: str | None, lexicon: Lexicon | None = None
) -> list[Judged]:
    """Score and check plays as `judge_each`, by the compiled scorer if they are many."""
    if len(plays) < COMPILED_FROM:
        return judge_each(position, plays, rack, lexicon)
    from fastscore.placements import PlacementBatch
    from fastscore.scoring import check_batch, score_batch

    board = position.board
    read = _read(position, plays)
    placements = [play.placement for play in read if play.placement is not None]
    batch = PlacementBatch.from_placements(placements)
    try:
        scores = iter(score_batch(board, batch).tolist())
        statuses = iter(check_batch(board, batch, racks=rack, lexicon=lexicon).tolist())
    except CompilerMissingError:
        # The same, only slower.
        return judge_each(position, plays, rack, lexicon)
    return [
        play if play.placement is None else play._replace(score=next(scores), status=Status(next(statuses)))
        for play in read
    ]


def breakdown_of(position: GivenPosition, play: Judged) -> Breakdown | None:
    """The parts of a play's score; None if it has no score."""
    from fastscore.breakdown import Breakdown
    from fastscore.reference import judge

    if play.placement is None or not play.has_score:
        return None
    _, words, bonus, total = play.judgement or judge(position.board, play.placement)
    return Breakdown(play.written.text, words, bonus, total, play.status, position.board.rules.name)


def _read(position: GivenPosition, plays: Sequence[WrittenText]) -> list[Judged]:
    from fastscore.placements import Placement

    read = []
    for written in plays:
        try:
            placement = written.placement or Placement.parse(written.text, position.board)
            read.append(Judged(written, placement, 0, placement.status))
        except NotationError as error:
            read.append(Judged(written, None, 0, Status.UNREADABLE, error))
    return read
