"""Two score sheets of one game, compared turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from fastscore.sanitise import printable

__all__ = ["Parting", "SheetEntry", "SheetsCompared", "compare_sheets"]


class SheetEntry(NamedTuple):
    """A turn on a score sheet: who, how many points, and what else is written.

    `player` from 0; `total`: the player's running total, None = not written; `text`: the play as it is written, which
    is shown and not compared, since one play can be written in several ways.
    """

    player: int
    score: int
    total: int | None = None
    text: str = ""

    def __str__(self) -> str:
        parts = [f"player {self.player + 1}", printable(self.text), f"{self.score:+d}"]
        return " ".join(part for part in parts if part) + ("" if self.total is None else f" = {self.total}")


class Parting(NamedTuple):
    """A turn at which two sheets part.

    `turn`: from 1. `kinds`: what differs: "player", "score", "total", or "missing" if one of the sheets has no such
    turn. `computed`: the computed score, None where it is not known.
    """

    turn: int
    kinds: tuple[str, ...]
    first: SheetEntry | None
    second: SheetEntry | None
    computed: int | None = None

    @property
    def right(self) -> str | None:
        """Which sheet has the computed score: "first", "second", "both" or "neither".

        None where it is not known, and where both have it for different players: a score does not say whose it is.
        """
        if self.computed is None:
            return None
        first = self.first is not None and self.first.score == self.computed
        second = self.second is not None and self.second.score == self.computed
        if first and second:
            return None if "player" in self.kinds else "both"
        return "first" if first else "second" if second else "neither"

    def __str__(self) -> str:
        sheets = [
            f"{name} sheet: {'no entry' if entry is None else entry}"
            for name, entry in (("first", self.first), ("second", self.second))
        ]
        right = "" if self.right is None else f", {self.right} right"
        computed = "" if self.computed is None else f"; computed: {self.computed:+d}{right}"
        return f"turn {self.turn} ({', '.join(self.kinds)}): {'; '.join(sheets)}{computed}"


class SheetsCompared(NamedTuple):
    """All turns at which two sheets part. A total that differs only because an earlier one did is none of them."""

    partings: tuple[Parting, ...]

    @property
    def agree(self) -> bool:
        """Whether the sheets say the same."""
        return not self.partings

    @property
    def first(self) -> Parting | None:
        """The first turn at which they part; None if they agree."""
        return self.partings[0] if self.partings else None

    def __str__(self) -> str:
        if self.first is None:
            return "the sheets agree"
        later = len(self.partings) - 1
        return f"{self.first}" + (f"; {later} later turn{' differs' if later == 1 else 's differ'}" if later else "")


def compare_sheets(
    first: Iterable[SheetEntry], second: Iterable[SheetEntry], computed: Sequence[int | None] = ()
) -> SheetsCompared:
    """Compare two sheets of one game turn by turn.

    `computed`: the computed score of each turn as far as it is known, so that it can be said which sheet is right; it
    may be shorter than the sheets. A running total is reported where it parts from the other sheet's in itself: the
    difference of the two is not the one that the player's turns before and this turn's score leave.
    """
    partings: list[Parting] = []
    drift: dict[int, int] = {}
    for turn, (ours, theirs) in enumerate(zip_longest(first, second), start=1):
        score = computed[turn - 1] if turn <= len(computed) else None
        kinds = ("missing",) if ours is None or theirs is None else _differences(ours, theirs, drift)
        if kinds:
            partings.append(Parting(turn, kinds, ours, theirs, score))
    return SheetsCompared(tuple(partings))


def _differences(ours: SheetEntry, theirs: SheetEntry, drift: dict[int, int]) -> tuple[str, ...]:
    """What differs in a turn; `drift` holds how far the totals of each player have parted, and is kept up."""
    if ours.player != theirs.player:
        # Each player has these points on one sheet only.
        drift[ours.player] = drift.get(ours.player, 0) + ours.score
        drift[theirs.player] = drift.get(theirs.player, 0) - theirs.score
        return ("player",) if ours.score == theirs.score else ("player", "score")
    expected = drift.get(ours.player, 0) + ours.score - theirs.score
    actual = expected if ours.total is None or theirs.total is None else ours.total - theirs.total
    drift[ours.player] = actual
    kinds = ("score",) if ours.score != theirs.score else ()
    return (*kinds, "total") if actual != expected else kinds
