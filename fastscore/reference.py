"""The slow scorer and checker: the rules of counting a turn, written to be read.

It stands beside the compiled scorer so that the two can be compared; the tests do so on millions of placements. For
that it shares no arithmetic with it: no lanes, no tables, no cross scores kept for later. It looks at the squares,
reads the words as a player would and adds them up in Python integers, which do not overflow. One placement takes some
tens of microseconds.

Sources: WESPA rules 3.5 and Appendix 1 (counting a turn), a published word-score calculator, the layout of each
variant for its premiums.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fastscore.board import Board
from fastscore.breakdown import Breakdown, TileScore, WordScore
from fastscore.coordinates import Direction
from fastscore.errors import PlacementError, ShapeError, quote
from fastscore.placements import Placement
from fastscore.rules.ruleset import Ruleset
from fastscore.status import UNSCORABLE, Status, reasons

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = ["Judgement", "check", "explain", "judge", "score"]

_HIGHEST_SCORE = 2**31 - 1
_BLANK = 0x80
_LETTER = 0x7F

# These faults leave no score, but the tiles can still be laid, so the squares are judged as well.
_STILL_LAID = Status.BAD_TILE | Status.TOO_MANY_TILES | Status.BLANK_NEEDS_LETTER
_CANNOT_BE_LAID = UNSCORABLE & ~_STILL_LAID

_STEP = {Direction.ACROSS: (0, 1), Direction.DOWN: (1, 0)}

Square = tuple[int, int]
Run = list[Square]


class Judgement(NamedTuple):
    """Everything about one placement: `words`, `bonus` and `total` are (), 0 and 0 for one that cannot be scored."""

    status: Status
    words: tuple[WordScore, ...]
    bonus: int
    total: int


def judge(
    board: Board,
    placement: Placement,
    rack: Sequence[int] | str | None = None,
    lexicon: Lexicon | None = None,
) -> Judgement:
    """Check and score a placement, whatever its fields hold; never raises for a bad placement.

    `rack`: the tiles the player has, as counts by tile code (index 0 = blanks) or as text; None = not known, and then
    not checked. `lexicon`: the words that are good; None = every word is. Raises ShapeError for counts of another
    length than the letters, NotationError for unreadable text, RulesError for a lexicon of other tiles.
    """
    rules = board.rules
    if lexicon is not None:
        lexicon.check_letters(rules.letters)
    status = Status(placement.status) | _tile_faults(placement.tiles, rules) | _square_faults(placement, rules)
    if rack is not None:
        status |= _rack_faults(placement.tiles, rules, _rack_counts(rack, rules))
    if status & _CANNOT_BE_LAID or placement.status & UNSCORABLE:
        return Judgement(status, (), 0, 0)

    squares = _Squares(board)
    fault = squares.lay(placement)
    if fault:
        return Judgement(status | fault, (), 0, 0)

    across_or_down = Direction(placement.direction)
    main_run = squares.run_through(placement.row, placement.col, across_or_down)
    cross_runs = [squares.run_through(row, col, across_or_down.other) for row, col in squares.fresh]
    # A "word" of one tile is no word.
    formed = [(run, across_or_down) for run in [main_run] if len(run) > 1]
    formed += [(run, across_or_down.other) for run in cross_runs if len(run) > 1]
    status |= squares.connection_faults()
    if not formed:
        status |= Status.NO_WORD
    if any(squares.on_board(*square) & _LETTER > rules.letters.n_letters for run, _ in formed for square in run):
        status |= Status.BAD_BOARD
    if status & (UNSCORABLE | Status.NO_WORD):
        return Judgement(status, (), 0, 0)

    words = tuple(_score_word(squares, run, direction, direction == across_or_down) for run, direction in formed)
    bonus = rules.bingo_bonus[len(squares.fresh)]
    total = sum(word.score for word in words) + bonus
    if total > _HIGHEST_SCORE:
        return Judgement(status | Status.SCORE_OVERFLOW, (), 0, 0)
    if lexicon is not None and not all(_is_good(word, rules, lexicon) for word in words):
        status |= Status.PHONY
    if rules.digraphs_need_tile and any(_splits_digraph(word, rules) for word in words):
        status |= Status.SPLIT_DIGRAPH
    return Judgement(status, words, bonus, total)


def check(
    board: Board,
    placement: Placement,
    rack: Sequence[int] | str | None = None,
    lexicon: Lexicon | None = None,
) -> Status:
    """Every reason why the placement is bad; `Status.GOOD` if none. `rack` and `lexicon` as in `judge`."""
    return judge(board, placement, rack, lexicon).status


def explain(board: Board, placement: Placement) -> Breakdown:
    """The parts of the placement's score. Raises PlacementError, with every reason, for one that cannot be scored."""
    status, words, bonus, total = judge(board, placement)
    if status & UNSCORABLE:
        reason = "; ".join(reasons(status & UNSCORABLE))
        raise PlacementError(f"{quote(placement.format(board))} has no score: {reason}", status=status)
    return Breakdown(placement.format(board), words, bonus, total, status, board.rules.name)


def score(board: Board, placement: Placement) -> int:
    """The placement's score. Raises PlacementError, with every reason, for one that cannot be scored."""
    return explain(board, placement).total


def _is_good(word: WordScore, rules: Ruleset, lexicon: Lexicon) -> bool:
    return lexicon.contains([tile.tile for tile in word.tiles], anagrams=rules.anagram_words)


def _splits_digraph(word: WordScore, rules: Ruleset) -> bool:
    """Whether two tiles side by side spell a third tile's name, one of them fresh: the play brought them together."""
    names = rules.letters.tiles
    return any(
        names[left.tile & _LETTER] + names[right.tile & _LETTER] in names
        for left, right in pairwise(word.tiles)
        if (left.fresh or right.fresh) and left.tile & _LETTER and right.tile & _LETTER
    )


def _is_bad(tile: int, rules: Ruleset) -> bool:
    return not 0 <= tile <= 0xFF or tile & _LETTER > rules.letters.n_letters


def _tile_faults(tiles: Sequence[int], rules: Ruleset) -> Status:
    """What is wrong with the tiles alone, wherever they go."""
    faults = Status.GOOD
    laid = [tile for tile in tiles if tile != 0]
    if not laid:
        faults |= Status.NO_TILE
    if 0 in tiles[: len(laid)]:
        faults |= Status.HOLE
    if len(laid) > rules.rack_size:
        faults |= Status.TOO_MANY_TILES
    if any(_is_bad(tile, rules) for tile in laid):
        faults |= Status.BAD_TILE
    if _BLANK in laid:
        faults |= Status.BLANK_UNDESIGNATED
        if rules.layout.letter_condition.any():
            faults |= Status.BLANK_NEEDS_LETTER
    return faults


def _square_faults(placement: Placement, rules: Ruleset) -> Status:
    """What is wrong with the first square and the direction alone, whatever lies there."""
    faults = Status.GOOD
    if placement.direction not in (Direction.ACROSS, Direction.DOWN):
        faults |= Status.BAD_DIRECTION
    if not 0 <= placement.row < rules.rows:
        faults |= Status.BAD_ROW
    if not 0 <= placement.col < rules.cols:
        faults |= Status.BAD_COL
    return faults


def _rack_counts(rack: Sequence[int] | str, rules: Ruleset) -> list[int]:
    try:
        counts = [operator.index(count) for count in (rules.letters.rack(rack) if isinstance(rack, str) else rack)]
    except TypeError:
        raise ShapeError(f"a rack of {quote(rack)}, expected a text or whole numbers, a count of each tile") from None
    if len(counts) != rules.letters.n_letters + 1:
        raise ShapeError(
            f"a rack of {len(counts)} counts, expected {rules.letters.n_letters + 1}: one for the blank and one for "
            f"each letter of {quote(rules.letters.name)}"
        )
    return counts


def _rack_faults(tiles: Sequence[int], rules: Ruleset, counts: list[int]) -> Status:
    """A blank is taken from the rack as a blank, whatever letter it stands for."""
    needed = Counter(0 if tile & _BLANK else tile for tile in tiles if tile != 0 and not _is_bad(tile, rules))
    return Status.NOT_ON_RACK if any(counts[tile] < number for tile, number in needed.items()) else Status.GOOD


class _Squares:
    """What lies where: a board, and on top of it the fresh tiles of one play."""

    def __init__(self, board: Board) -> None:
        self.rules = board.rules
        self.rows, self.cols = board.rules.rows, board.rules.cols
        self.tiles: list[list[int]] = board.tiles.tolist()
        self.bricks: list[list[bool]] = board.rules.layout.bricks.tolist()
        self.fresh: dict[Square, int] = {}

    def inside(self, row: int, col: int) -> bool:
        return 0 <= row < self.rows and 0 <= col < self.cols

    def on_board(self, row: int, col: int) -> int:
        """The tile that lay here before the play; 0 if none, on a brick and beyond the edges."""
        return self.tiles[row][col] if self.inside(row, col) and not self.bricks[row][col] else 0

    def tile(self, row: int, col: int) -> int:
        """The tile that lies here after the play."""
        return self.fresh.get((row, col), 0) or self.on_board(row, col)

    def lay(self, placement: Placement) -> Status:
        """Lay the tiles on the empty squares of the lane, from the first square on."""
        row, col = placement.row, placement.col
        down, right = _STEP[Direction(placement.direction)]
        if self.bricks[row][col]:
            return Status.SQUARE_BRICK
        if self.on_board(row, col):
            return Status.SQUARE_OCCUPIED
        for tile in placement.tiles:
            if tile == 0:
                break
            while self.on_board(row, col):
                row, col = row + down, col + right
            if not self.inside(row, col):
                return Status.OFF_BOARD
            if self.bricks[row][col]:
                return Status.OVER_BRICK
            self.fresh[row, col] = tile
            row, col = row + down, col + right
        return Status.GOOD

    def run_through(self, row: int, col: int, direction: Direction) -> Run:
        """The squares of the unbroken row of tiles through a square, in reading order."""
        down, right = _STEP[direction]
        while self.tile(row - down, col - right):
            row, col = row - down, col - right
        run = []
        while self.tile(row, col):
            run.append((row, col))
            row, col = row + down, col + right
        return run

    def connection_faults(self) -> Status:
        """A play touches a tile that lay there; the first play, which finds none, covers the start square."""
        neighbours = [
            (row + down, col + right) for row, col in self.fresh for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
        ]
        if any(self.on_board(row, col) for row, col in neighbours):
            return Status.GOOD
        if any(self.on_board(row, col) for row in range(self.rows) for col in range(self.cols)):
            return Status.NOT_CONNECTED
        return Status.GOOD if self.rules.layout.start in self.fresh else Status.START_NOT_COVERED


def _score_tile(squares: _Squares, row: int, col: int) -> TileScore:
    """A tile's points in a word. A premium counts only under a fresh tile."""
    letters, layout = squares.rules.letters, squares.rules.layout
    tile = squares.tile(row, col)
    fresh = (row, col) in squares.fresh
    value = letters.values[0] if tile & _BLANK else letters.values[tile]
    letter_multiplier = word_multiplier = 1
    if fresh:
        word_multiplier = int(layout.word_multiplier[row, col])
        # Some squares ask for a tile of one face value. A blank is asked for the value of the letter it stands for.
        asked = int(layout.letter_condition[row, col])
        if asked == 0 or asked == letters.values[tile & _LETTER]:
            letter_multiplier = int(layout.letter_multiplier[row, col])
    points = value * letter_multiplier
    return TileScore(row, col, tile, letters.decode(tile), value, fresh, letter_multiplier, points, word_multiplier)


def _score_word(squares: _Squares, run: Run, direction: Direction, main: bool) -> WordScore:
    """Letters with their premiums first, then the word premiums on the sum."""
    tiles = tuple(_score_tile(squares, row, col) for row, col in run)
    letter_sum = sum(tile.points for tile in tiles)
    word_multiplier = 1
    for tile in tiles:
        word_multiplier *= tile.word_multiplier
    bingo_multiplier = squares.rules.bingo_multiplier[len(squares.fresh)] if main else 1
    return WordScore(
        text=squares.rules.letters.format([tile.tile for tile in tiles]),
        row=run[0][0],
        col=run[0][1],
        direction=int(direction),
        tiles=tiles,
        letter_sum=letter_sum,
        word_multiplier=word_multiplier,
        bingo_multiplier=bingo_multiplier,
        score=letter_sum * word_multiplier * bingo_multiplier,
        main=main,
    )
