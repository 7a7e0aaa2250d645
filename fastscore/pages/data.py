"""What a page shows of a game, as plain data: its turns, what was found in them, and how long each tile lay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fastscore.board import Board
    from fastscore.breakdown import Breakdown

__all__ = ["Lying", "PageFinding", "PageGame", "PageTurn", "lying_tiles"]


@dataclass(frozen=True)
class PageFinding:
    """Something found in a record. `consequence`: it follows from an earlier one. `step`: number of the turn, None for
    the whole game.
    """

    text: str
    code: str = ""
    line: int = 0
    step: int | None = None
    consequence: bool = False


@dataclass(frozen=True)
class PageTurn:
    """One event of a game.

    `what` says in words what happened, `move` is its text in the record, `board` how it left the board. `rack`: as
    written, None = not known. `recorded`, `computed`: its points; the totals are those of its player after it; None =
    not known. `words`: why it scores so, None where no words are formed; `remark`: why that is.
    """

    what: str
    move: str
    player: int | None
    board: Board
    rack: str | None = None
    recorded: int | None = None
    computed: int | None = None
    total_recorded: int | None = None
    total_computed: int | None = None
    words: Breakdown | None = None
    remark: str = ""
    findings: tuple[PageFinding, ...] = ()
    notes: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True)
class PageGame:
    """A game: its title, players' names, the board before the first turn, the turns, findings, and what concerns no
    single turn: remarks on the record's spelling, comments, facts as name and value, the result as a text of lines, and
    the settled totals (None = not known); () where nothing is settled.
    """

    title: str
    players: tuple[str, ...]
    board: Board
    turns: tuple[PageTurn, ...]
    findings: tuple[PageFinding, ...] = ()
    spelling: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    result: str = ""
    totals: tuple[int | None, ...] = ()


class Lying(NamedTuple):
    """A tile and the steps during which it lies there: from `first` until before `end`, None = to the last."""

    row: int
    col: int
    code: int
    first: int
    end: int | None


def lying_tiles(boards: Sequence[Board]) -> list[Lying]:
    """Every tile that lies on one of the boards, in the order of steps; `boards[k]` is the board after step k."""
    lying: dict[tuple[int, int], tuple[int, int]] = {}
    found = []
    for step, board in enumerate(boards):
        if step and board is boards[step - 1]:
            continue
        now = dict(_tiles(board))
        for place, (code, first) in list(lying.items()):
            if now.get(place) != code:
                found.append(Lying(*place, code, first, step))
                del lying[place]
        for place, code in now.items():
            lying.setdefault(place, (code, step))
    found += [Lying(*place, code, first, None) for place, (code, first) in lying.items()]
    return sorted(found, key=lambda tile: (tile.first, tile.row, tile.col))


def _tiles(board: Board) -> Iterator[tuple[tuple[int, int], int]]:
    for row, line in enumerate(board.tiles.tolist()):
        for col, code in enumerate(line):
            if code:
                yield (row, col), code
