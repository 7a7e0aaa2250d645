"""A game that is over after two plays, for records of a few lines.

Two tiles a rack, no bonus, no premium squares. Of the six tiles A, E, E, N, S, S each player holds two; with AN and ES
for the one who begins and EE ... the usual course is

    >a: AN 8H AN +101 101       A 1 + N 100; draws SS, the bag is empty
    >b: EE I8 .EE +120 120      N 100 + E 10 + E 10; nothing is left
    >b: (SS) +12 132            2 x (3 + 3)
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from fastscore.game import Game
from fastscore.gcg import read_game
from fastscore.replays import Replay, replay
from fastscore.rules.layouts import BoardLayout
from fastscore.rules.letters import LetterDistribution
from fastscore.rules.ruleset import Ruleset

SIDE = 15
ONES = np.ones((SIDE, SIDE), np.uint8)
LAYOUT = BoardLayout(
    name="plain",
    rows=SIDE,
    cols=SIDE,
    start=(7, 7),
    letter_multiplier=ONES,
    word_multiplier=ONES,
    letter_condition=np.zeros((SIDE, SIDE), np.uint8),
    bricks=np.zeros((SIDE, SIDE), np.bool_),
)


def tiny_rules(
    values: dict[str, int] | None = None, counts: dict[str, int] | None = None, **settings: object
) -> Ruleset:
    """Rules with the given values and counts of tiles; others than A, E, N and S only where they are given."""
    worth = {"?": 0, "A": 1, "E": 10, "N": 100, "S": 3} | (values or {})
    number = {"?": 0, "A": 1, "E": 2, "N": 1, "S": 2} | (counts or {})
    letters = LetterDistribution("tiny", tuple(worth), tuple(worth.values()), tuple(number[tile] for tile in worth))
    own: dict[str, object] = {"rack_size": 2, "bingo_bonus": (0,) * 16, "exchange_limit": 1}
    return Ruleset("tiny", LAYOUT, letters, **(own | settings))  # type: ignore[arg-type]


TINY = tiny_rules()
HEADER = "#player1 a Ann\n#player2 b Bob\n"
# The complete game.
OPENING = ">a: AN 8H AN +101 101"
OUT_PLAY = ">b: EE I8 .EE +120 120"
END_LINE = ">b: (SS) +12 132"
COMPLETE = (OPENING, OUT_PLAY, END_LINE)


def game_of(lines: Sequence[str], header: str = HEADER) -> Game:
    """The game that a header of two lines and these lines record, so that the first of them is line 3."""
    return read_game(io.StringIO(header + "".join(f"{line}\n" for line in lines)))


def replay_of(lines: Sequence[str], rules: Ruleset = TINY, header: str = HEADER, *, strict: bool = False) -> Replay:
    """The replay of such a game."""
    return replay(game_of(lines, header), rules, strict=strict)


def found(played: Replay) -> list[tuple[int, str]]:
    """Lines and codes of all findings that are faults in themselves."""
    return [(finding.line, finding.code) for finding in played.findings if not finding.consequence]
