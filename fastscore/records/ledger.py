"""Running totals of a record: which do not follow from the ones before, and which only put an earlier one right."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Ledger", "WrongTotal"]


class WrongTotal(NamedTuple):
    """A recorded total that is not the one before and the score.

    `restored`: it puts right what an earlier one had wrong.
    """

    expected: int
    restored: bool


class Ledger:
    """The totals of each player as they are recorded, kept up where the record says nothing.

    A wrong total is found once: what comes after it is compared with it.
    """

    def __init__(self, players: int) -> None:
        self.totals = [0] * players
        # By how much a player's totals are off from the sum of the scores, now and at any time before.
        self._drift = [0] * players
        self._drifts: list[set[int]] = [{0} for _ in range(players)]

    def doubt(self, player: int, amount: int) -> None:
        """A later total may leave out a score of `amount` that was entered: it then puts something right."""
        self._drifts[player].add(self._drift[player] - amount)

    def enter(self, player: int, amount: int, total: int | None, right: int | None = None) -> WrongTotal | None:
        """Take down a total after a score of `amount`; None = not recorded.

        `right`: what the score should be, None = not known. A total that adds that is not off, whatever is recorded
        beside it, and later ones put nothing right.
        """
        expected = self.totals[player] + amount
        if total is None or total == expected:
            self.totals[player] = expected
            return None
        if right is not None and total == self.totals[player] + right:
            self.totals[player] = total
            return WrongTotal(expected, False)
        before = self._drift[player]
        drift = before + total - expected
        found = WrongTotal(expected, drift in self._drifts[player])
        # Whoever goes on from the total before a wrong line leaves that line's score out.
        self._drifts[player] |= {drift, before - amount}
        self._drift[player] = drift
        self.totals[player] = total
        return found
