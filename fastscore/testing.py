"""For your own tests: the reference scorer, makers of random rulesets, boards and placements, and strategies of them.

The makers (`random_ruleset`, `random_board`, `random_placements`, `random_rack`) take a `numpy.random.Generator` and
are quick enough for millions of placements. The strategies (`rulesets`, `boards`, `legal_placements`,
`hostile_placements`, `racks`) need hypothesis, which is imported when one is first made; they run the same makers on
numbers that hypothesis chooses and shrinks, so a failing case comes back small: few tiles, low codes, no premiums.

    >>> import numpy
    >>> from fastscore import Placement
    >>> from fastscore.testing import random_board, random_placements, random_ruleset, reference
    >>> rng = numpy.random.default_rng(1)
    >>> board = random_board(rng, random_ruleset(rng))
    >>> [reference.check(board, Placement(*fields)) for fields in random_placements(rng, board, 100)]
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from fastscore import reference
from fastscore.board import Board
from fastscore.coordinates import MAX_SIDE, Direction, lane_through
from fastscore.placements import Placement
from fastscore.rules.layouts import BoardLayout
from fastscore.rules.letters import LetterDistribution
from fastscore.rules.ruleset import Ruleset
from fastscore.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypothesis.strategies import SearchStrategy

__all__ = [
    "Fields",
    "boards",
    "hostile_placements",
    "legal_placements",
    "racks",
    "random_board",
    "random_placements",
    "random_rack",
    "random_ruleset",
    "reference",
    "rulesets",
]

_T = TypeVar("_T")

_MAX_RACK = 15
_MAX_TILES = 20
_MAX_LETTERS = 126
_BLANK = 0x80
_EDGES = (-1, 127, 128, 255, 256, 257, 65536, 2**31 - 1, -(2**31), 2**32, -(2**63), 2**63 - 1)


class Fields(NamedTuple):
    """A placement as raw numbers, not yet a `Placement`: `Placement(*fields)` makes it one."""

    row: int
    col: int
    direction: int
    tiles: tuple[int, ...]


def random_ruleset(rng: np.random.Generator) -> Ruleset:
    """A ruleset out of the ordinary: 1x2 to 32x32 (mostly small), any start square, bricks, premiums 1-9, at times
    squares that ask for a face value, 1-126 letters with odd or huge values, blanks that count, racks of 1-15, odd
    bingo tables. Scores can be beyond int32.
    """
    return _ruleset(_chance(rng))


def random_board(rng: np.random.Generator, rules: Ruleset) -> Board:
    """A board after up to 20 random plays (one a tenth of its squares), or an empty one.

    One tile in ten is a blank; where the rules do not need the letter some blanks have none.
    """
    return _board(_chance(rng), rules)


def random_placements(rng: np.random.Generator, board: Board, n: int, hostile: float = 0.3) -> list[Fields]:
    """`n` placements as raw fields. A share of `hostile` has something wrong: fields out of range (up to int64), tile
    codes that are no letters, holes, no tile, up to 20 tiles, taken or far squares; some of them are good by luck.
    The others are connected, on empty squares, on the board and not more than the rack holds.
    """
    chance = _chance(rng)
    map_ = _Map(board)
    return [_hostile(chance, map_) if chance.random() < hostile else _good(chance, map_) for _ in range(n)]


def random_rack(rng: np.random.Generator, rules: Ruleset) -> tuple[int, ...]:
    """A rack of up to rack_size tiles as counts by tile code (index 0 = blanks)."""
    return _rack(_chance(rng), rules)


def rulesets() -> SearchStrategy[Ruleset]:
    """Strategy of rulesets as `random_ruleset` makes them."""
    return _strategy(_ruleset)


def boards(rules: Ruleset) -> SearchStrategy[Board]:
    """Strategy of boards under `rules`, as `random_board` makes them."""
    return _strategy(lambda chance: _board(chance, rules))


def legal_placements(board: Board) -> SearchStrategy[Placement]:
    """Strategy of placements that `reference.check` calls good.

    None is to be had on a full board, or under rules so rich that every play is beyond int32; hypothesis then reports
    the test as unsatisfiable.
    """
    map_ = _Map(board)
    return _strategy(lambda chance: Placement(*_good(chance, map_))).filter(
        lambda placement: reference.check(board, placement) == Status.GOOD
    )


def hostile_placements(board: Board) -> SearchStrategy[Placement]:
    """Strategy of placements with something wrong (a few are good by luck), as in `random_placements`; some bring
    a status from the conversion of a text with them.
    """
    map_ = _Map(board)
    brought = (Status.GOOD, Status.NOT_MAXIMAL, Status.THROUGH_DIFFERS, Status.GAP | Status.NOT_IN_LINE)

    def make(chance: Random) -> Placement:
        return Placement(*_hostile(chance, map_), status=_mostly_first(chance, brought))

    return _strategy(make)


def racks(rules: Ruleset) -> SearchStrategy[tuple[int, ...]]:
    """Strategy of racks as counts by tile code, up to rack_size tiles."""
    return _strategy(lambda chance: _rack(chance, rules))


def _strategy(make: Callable[[Random], _T]) -> SearchStrategy[_T]:
    try:
        from hypothesis import strategies
    except ImportError as error:
        raise ImportError(
            "the strategies of fastscore.testing need hypothesis: pip install hypothesis (the random_... makers beside "
            "them do without)"
        ) from error
    # Hypothesis' own Random: it records what is drawn and shrinks it towards 0, the first and plainest choice below.
    return strategies.randoms(use_true_random=False).map(make)


def _chance(rng: np.random.Generator) -> Random:
    # A call of a Generator for one number costs several of Random's.
    return Random(int(rng.integers(2**63)))


def _up_to(chance: Random, most: int) -> int:
    return chance.randrange(most + 1)


def _mostly_first(chance: Random, choices: Sequence[_T]) -> _T:
    """The first in half of all cases, else any."""
    return choices[0] if chance.randrange(2) == 0 else choices[chance.randrange(len(choices))]


# --- rulesets ---------------------------------------------------------------------------------------------------------


def _ruleset(chance: Random) -> Ruleset:
    letters = _letters(chance)
    layout = _layout(chance, letters)
    rack_size = _mostly_first(chance, (7, *range(1, _MAX_RACK + 1)))
    bonus = [0] * (_MAX_RACK + 1)
    multiplier = [1] * (_MAX_RACK + 1)
    bonus[rack_size] = _mostly_first(chance, (50, 0, 1, 35))
    if chance.randrange(4) == 3:
        bonus[1:] = [_up_to(chance, 100) for _ in bonus[1:]]
    if chance.randrange(4) == 3:
        # A single tile has no main word of its own in one of its two directions, so a factor cannot apply to it.
        multiplier[2:] = [1 + _up_to(chance, 8) for _ in multiplier[2:]]
    return Ruleset(
        name="random",
        layout=layout,
        letters=letters,
        rack_size=rack_size,
        bingo_bonus=tuple(bonus),
        bingo_multiplier=tuple(multiplier),
    )


def _letters(chance: Random) -> LetterDistribution:
    n_letters = _mostly_first(chance, (26, 1, 2, 3, 5, 33, 100, _MAX_LETTERS))
    # A..Z and then AA, AB, ...: tiles of two letters need their brackets.
    names = [chr(65 + k) if k < 26 else chr(64 + k // 26) + chr(65 + k % 26) for k in range(n_letters)]
    highest = _mostly_first(chance, (10, 1, 99, 255, 1_000_000))
    values = [_up_to(chance, highest) for _ in names]
    blank_value = _mostly_first(chance, (0, 1, 5, highest))
    return LetterDistribution(
        name="random",
        tiles=("?", *names),
        values=(blank_value, *values),
        counts=None if chance.randrange(2) else tuple(_up_to(chance, 12) for _ in ["?", *names]),
        blank_forms=("?", *(name.lower() for name in names)),
        aliases=(),
    )


def _layout(chance: Random, letters: LetterDistribution) -> BoardLayout:
    longest = _mostly_first(chance, (7, 2, 15, 21, MAX_SIDE))
    rows, cols = 1 + _up_to(chance, longest - 1), 2 + _up_to(chance, longest - 2)
    if chance.randrange(2):
        rows, cols = cols, rows
    premiums = (0.0, 0.05, 0.3, 0.3, 0.3, 1.0)[chance.randrange(6)]
    bricks = _mostly_first(chance, (0.0, 0.05, 0.3))
    # Two thousand single choices would be too many for hypothesis; whether there is any at all is chosen above.
    fill = np.random.default_rng(chance.getrandbits(32))

    def scatter() -> Any:
        return np.where(fill.random((rows, cols)) < premiums, fill.integers(1, 10, (rows, cols)), 1).astype(np.uint8)

    condition = np.zeros((rows, cols), np.uint8)
    if chance.randrange(8) == 7:
        asked = [0, *(value for value in letters.values if 0 < value <= 255)]
        condition = fill.choice(np.array(asked, np.uint8), (rows, cols))
    return BoardLayout(
        name="random",
        rows=rows,
        cols=cols,
        start=(_mostly_first(chance, (rows // 2, *range(rows))), _mostly_first(chance, (cols // 2, *range(cols)))),
        letter_multiplier=scatter(),
        word_multiplier=scatter(),
        letter_condition=condition,
        bricks=fill.random((rows, cols)) < bricks,
    )


# --- boards and racks -------------------------------------------------------------------------------------------------


def _tile(chance: Random, rules: Ruleset) -> int:
    """A tile code to lay: one in ten a blank, some of these without a letter where the rules allow it."""
    letter = 1 + chance.randrange(rules.letters.n_letters)
    kind = chance.randrange(40)
    if kind < 36:
        return letter
    return _BLANK if kind == 39 and not _needs_letters(rules) else letter | _BLANK


def _needs_letters(rules: Ruleset) -> bool:
    return bool(rules.layout.letter_condition.any())


def _board(chance: Random, rules: Ruleset) -> Board:
    board = Board(rules)
    most = min(1 + rules.rows * rules.cols // 10, 20)
    for _ in range(_up_to(chance, most)):
        map_ = _Map(board)
        if not map_.empty:
            break
        board = board.play(Placement(*_good(chance, map_)))
    return board


def _rack(chance: Random, rules: Ruleset) -> tuple[int, ...]:
    counts = [0] * (rules.letters.n_letters + 1)
    for _ in range(_up_to(chance, rules.rack_size)):
        counts[_up_to(chance, rules.letters.n_letters)] += 1
    return tuple(counts)


# --- placements -------------------------------------------------------------------------------------------------------

_Square = tuple[int, int]


class _Map:
    """Where tiles can go on a board.

    A stretch is the empty squares of a lane between two bricks (or edges), in order: tiles that begin on one of them
    go on the next ones. `stretch_at[direction][square]` = the stretch of an empty square and its index in it.
    """

    def __init__(self, board: Board) -> None:
        self.rules = rules = board.rules
        tiles: list[int] = board.tiles.ravel().tolist()
        bricks: list[bool] = rules.layout.bricks.ravel().tolist()
        rows, cols = rules.rows, rules.cols
        self.taken = [divmod(square, cols) for square, tile in enumerate(tiles) if tile]
        self.bricks = [divmod(square, cols) for square, brick in enumerate(bricks) if brick]
        self.stretch_at: tuple[dict[_Square, tuple[list[_Square], int]], ...] = ({}, {})
        for direction, squares_by_lane in ((Direction.ACROSS, rows), (Direction.DOWN, cols)):
            for number in range(squares_by_lane):
                first = (number, 0) if direction == Direction.ACROSS else (0, number)
                stretch: list[_Square] = []
                for square in lane_through(*first, direction, rows, cols)[0].squares():
                    if bricks[square]:
                        stretch = []
                    elif not tiles[square]:
                        self.stretch_at[direction][divmod(square, cols)] = (stretch, len(stretch))
                        stretch.append(divmod(square, cols))
        self.empty = list(self.stretch_at[Direction.ACROSS])
        occupied = set(self.taken)
        start = tuple(rules.layout.start)
        self.anchors = [
            (row, col)
            for row, col in self.empty
            if (not occupied and (row, col) == start)
            or not occupied.isdisjoint({(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)})
        ]


def _good(chance: Random, map_: _Map) -> Fields:
    """Tiles over an anchor: a square next to a tile, or the start square of an empty board."""
    rules = map_.rules
    squares = map_.anchors or map_.empty
    if not squares:
        return Fields(0, 0, 0, (1,))
    anchor = squares[chance.randrange(len(squares))]
    direction = chance.randrange(2)
    stretch, index = map_.stretch_at[direction][anchor]
    if len(stretch) == 1 and not map_.taken:
        # One tile alone on the board is no word: the other direction may have room for two.
        direction = 1 - direction
        stretch, index = map_.stretch_at[direction][anchor]
    most = min(rules.rack_size, len(stretch))
    fewest = min(2, most) if not map_.taken else 1
    n_tiles = fewest + chance.randrange(most - fewest + 1)
    earliest, latest = max(0, index - n_tiles + 1), min(index, len(stretch) - n_tiles)
    row, col = stretch[latest - chance.randrange(latest - earliest + 1)]
    return Fields(row, col, direction, tuple(_tile(chance, rules) for _ in range(n_tiles)))


def _hostile(chance: Random, map_: _Map) -> Fields:
    """A good placement with one or two things turned wrong."""
    fields = _good(chance, map_)
    for _ in range(1 + chance.randrange(2)):
        fields = _spoilt(chance, map_, fields)
    return fields


def _spoilt(chance: Random, map_: _Map, fields: Fields) -> Fields:
    rules = map_.rules
    row, col, direction, tiles = fields
    fault = chance.randrange(9)
    if fault == 0:
        return fields._replace(row=chance.randrange(rules.rows), col=chance.randrange(rules.cols))
    if fault == 1:
        return fields._replace(row=_wild(chance, rules.rows, row + 256))
    if fault == 2:
        return fields._replace(col=_wild(chance, rules.cols, col + 256))
    if fault == 3:
        return fields._replace(direction=_wild(chance, 2, direction + 256))
    if fault == 4:
        return fields._replace(tiles=(0,) * chance.randrange(3))
    if fault == 5:
        more = tuple(_tile(chance, rules) for _ in range(1 + chance.randrange(_MAX_TILES)))
        return fields._replace(tiles=(tiles + more)[:_MAX_TILES])
    if fault == 6:
        # A square where no tile can go: on a tile or on a brick.
        wrong = map_.taken + map_.bricks
        row, col = wrong[chance.randrange(len(wrong))] if wrong else (row, col)
        return fields._replace(row=row, col=col)
    k = chance.randrange(len(tiles) + 1)
    if fault == 7:
        return fields._replace(tiles=(*tiles[:k], 0, *tiles[k:]))
    beyond = rules.letters.n_letters + 1
    return fields._replace(tiles=(*tiles[:k], _wild(chance, beyond, beyond | _BLANK, _BLANK), *tiles[k + 1 :]))


def _wild(chance: Random, *near: int) -> int:
    """One of `near` or a number at the edges of the integer types; some have a harmless low byte."""
    choices = (*near, *_EDGES)
    return choices[chance.randrange(len(choices))]
