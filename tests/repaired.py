"""Small records that are repaired, and what tests ask of the copies."""

from __future__ import annotations

import io

from fastscore.game import Game
from fastscore.gcg import read_game
from fastscore.repairs import Repair

HEAD = ("#player1 A Anna", "#player2 B Berta")


def game_of(*lines: str, head: tuple[str, ...] = HEAD) -> Game:
    return read_game(io.StringIO("".join(f"{line}\n" for line in (*head, *lines))))


def events_of(repaired: Repair) -> list[str]:
    """The events of the copy: player, move, score, total."""
    names = "ABCD"
    return [f"{names[event.player or 0]} {event.move} {event.score:+} {event.total}" for event in repaired.game]


def changes_of(repaired: Repair) -> list[tuple[int, str, str, str, str]]:
    """What was changed, without what follows from it."""
    return [
        (change.line, change.what, change.before, change.after, change.code)
        for change in repaired.corrections
        if not change.consequence
    ]
