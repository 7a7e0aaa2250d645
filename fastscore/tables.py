"""What the kernels read: a ruleset as arrays, scratch memory, and scoring tables that are kept between calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastscore import slot_kernels
from fastscore.board import Board, boards_with_rules
from fastscore.errors import PlacementError, PositionError, RulesError, ShapeError, quote
from fastscore.placements import Placement
from fastscore.rules.ruleset import for_each_ruleset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastscore.rules.layouts import BoardLayout
    from fastscore.rules.ruleset import Ruleset

__all__ = ["KeptTables", "ScoringTables", "Scratch", "padded_side", "rule_arrays"]

_EXPONENTS = {1: (0, 0), 2: (1, 0), 3: (0, 1), 4: (2, 0), 6: (1, 1), 8: (3, 0), 9: (0, 2)}
"""Word multipliers as powers of 2 and 3; 5 and 7 are none."""
_MAX_CLASSES = 32
"""Most kinds of conditional squares with tables: 2 KB each, and a number of them must fit a byte."""
_MAX_EXPONENT = 15
"""Most that a field of four bits holds."""


class Scratch(NamedTuple):
    """Memory of the table kernels for one thread: see `slot_kernels.SUM_PARTS` and the head of slot_kernels.py."""

    sums: NDArray[np.uint32]
    lanes: NDArray[np.uint64]
    slots: NDArray[np.uint64]
    spots: NDArray[np.uint16]

    @classmethod
    def make(cls, rules: Ruleset) -> Scratch:
        """Fresh memory for boards of these rules, about 30 KB at 15x15."""
        side = padded_side(rules.layout)
        squares = 2 * rules.rows * rules.cols + rules.rows + rules.cols
        return cls(
            np.zeros(slot_kernels.SUM_PARTS * side * side, np.uint32),
            np.zeros(slot_kernels.LANE_PARTS * side * side, np.uint64),
            np.zeros(3 * (squares + slot_kernels.SPARE_SLOTS), np.uint64),
            np.zeros(slot_kernels.SPOTS, np.uint16),
        )


class KeptTables(NamedTuple):
    """The arrays of a `ScoringTables`, for compiled code of your own: pass them to `fastscore.generator_kernels`.

    `boards` uint8[positions, rows * cols]; `slots` uint64[positions, words]; `spots` uint16[positions, 2048]; `ready`
    bool[positions], False where a board holds a bad tile code and its tables are not filled; `rules` as
    `slot_kernels.RuleArrays`.
    """

    boards: NDArray[np.uint8]
    slots: NDArray[np.uint64]
    spots: NDArray[np.uint16]
    ready: NDArray[np.bool_]
    rules: Any


class _Laid(NamedTuple):
    """What `undo` needs of a placement."""

    position: int
    direction: int
    saved: NDArray[np.uint64]
    records: int
    squares: NDArray[np.uint32]


class ScoringTables:
    """What scoring needs of some boards, kept between calls: give it to `score_batch` in place of the boards.

    Filling takes about 1.5 us a position at 15x15; a position then takes 16,250 bytes (55 KB at 32x32). `play` and
    `undo` follow a game; renewing the tables takes a sixth of filling them (a third where they are in no cache), to
    which `lay` and `undo` add some 5 us as any call from Python does, and `play` its checks. Batches that are scored
    with it must not run beside a `play`.

    Parameters
    ----------
    boards
        A Board, a list of Boards, or tile codes [rows, cols] or [positions, rows, cols]; they are copied.
    rules
        Needed for arrays; Boards carry theirs.

    Raises as `score_batch` does.
    """

    def __init__(self, boards: Board | Sequence[Board] | ArrayLike, rules: Ruleset | None = None) -> None:
        tiles, known = boards_with_rules(boards, rules)
        if known is None:
            raise RulesError("boards as arrays, and no rules beside them; expected a ruleset such as load_rules gives")
        self._rules = known
        cells = tiles.reshape(len(tiles), known.rows * known.cols).copy()
        arrays = rule_arrays(known)
        positions = len(cells) if arrays.packed else 0
        scratch = Scratch.make(known)
        self._kept = KeptTables(
            cells,
            np.zeros((positions, len(scratch.slots)), np.uint64),
            np.zeros((positions, slot_kernels.SPOTS), np.uint16),
            np.zeros(len(cells), np.bool_),
            arrays,
        )
        self._history: list[_Laid] = []
        if arrays.packed:
            from fastscore.table_kernels import fill_rows

            fill_rows(cells, 0, positions, arrays, scratch.sums, scratch.lanes, *self._kept[1:4])

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        return self._rules

    @property
    def arrays(self) -> KeptTables:
        """The arrays for compiled code, not copied. Whoever writes to them answers for the scores."""
        return self._kept

    def __len__(self) -> int:
        """Number of positions."""
        return len(self._kept.boards)

    def board(self, position: int = 0) -> Board:
        """The board of a position as it stands now. Raises PositionError for one that holds a bad tile code."""
        shape = self._rules.rows, self._rules.cols
        return Board(self._rules, self._kept.boards[self._checked(position)].reshape(shape))

    def play(self, position: int, placement: Placement | str) -> None:
        """Lay the tiles of a placement (or a text like `8H QUIZ`) on the board of a position.

        Raises PositionError for a position that there is not, or whose board holds a bad tile code, NotationError for a
        text that cannot be read and PlacementError for a placement that has no score.
        """
        from fastscore import reference
        from fastscore.status import UNSCORABLE, reasons

        board = self.board(position)
        if isinstance(placement, str):
            placement = Placement.parse(placement, board)
        bad = reference.check(board, placement) & UNSCORABLE
        if bad:
            raise PlacementError(
                f"{quote(placement.format(board))} has no score: {'; '.join(reasons(bad))}", status=bad
            )
        fresh = [tile for tile in placement.tiles if tile]  # without padding
        self.lay(position, placement.row, placement.col, placement.direction, fresh)

    def lay(self, position: int, row: int, col: int, direction: int, tiles: ArrayLike) -> None:
        """`play` for programs that know their placement to be good: nothing is checked.

        `tiles`: the fresh tile codes without padding. A placement that leaves the board or meets a brick is written out
        of bounds; one that is wrong otherwise leaves wrong tables.
        """
        from fastscore.table_kernels import RECORD_WORDS, lay_kept, lay_on_board, record_count

        kept = self._kept
        row, col, direction = int(row), int(col), int(direction)  # each type of number would be compiled anew
        fresh = np.asarray(tiles, np.uint8)
        squares = np.zeros(len(fresh), np.uint32)
        if not kept.rules.packed:
            lay_on_board(kept.boards[position], row, col, direction, fresh, kept.rules, squares)
            self._history.append(_Laid(position, direction, np.zeros((0, 0), np.uint64), 0, squares))
            return
        saved = np.empty((record_count(len(fresh)), RECORD_WORDS), np.uint64)
        records = lay_kept(
            kept.boards[position],
            row,
            col,
            direction,
            fresh,
            kept.rules,
            kept.slots[position],
            kept.spots[position],
            saved,
            squares,
        )
        self._history.append(_Laid(position, direction, saved, records, squares))

    def undo(self) -> None:
        """Take the last placement back, whichever position it was on. Raises PositionError if there is none."""
        if not self._history:
            raise PositionError("nothing to undo, expected a placement laid by play before")
        last = self._history.pop()
        kept = self._kept
        if not kept.rules.packed:
            kept.boards[last.position, last.squares] = 0
            return
        from fastscore.table_kernels import take_back_kept

        take_back_kept(
            kept.boards[last.position],
            last.direction,
            kept.rules,
            kept.slots[last.position],
            kept.spots[last.position],
            last.saved,
            last.records,
            last.squares,
        )

    def copy(self) -> ScoringTables:
        """Tables of their own with the same boards, and the same placements to undo."""
        made = object.__new__(ScoringTables)
        made._rules = self._rules
        kept = self._kept
        made._kept = KeptTables(kept.boards.copy(), kept.slots.copy(), kept.spots.copy(), kept.ready.copy(), kept.rules)
        made._history = list(self._history)
        return made

    def __repr__(self) -> str:
        """How many positions, and which rules."""
        return f"ScoringTables({len(self)} positions, {self._rules.name})"

    def _checked(self, position: int) -> int:
        if not isinstance(position, (int, np.integer)):
            raise ShapeError(f"position is a {type(position).__name__}, expected a whole number")
        if not 0 <= position < len(self):
            raise PositionError(f"position {position}, expected one from 0 to {len(self) - 1}")
        return int(position)


def padded_side(layout: BoardLayout) -> int:
    """Length of a lane in the kernels' scratch memory: 16 for boards up to 16x16, else 32."""
    return 16 if max(layout.rows, layout.cols) <= 16 else 32


@for_each_ruleset
def rule_arrays(rules: Ruleset) -> Any:
    """The `slot_kernels.RuleArrays` of a ruleset."""
    layout, letters = rules.layout, rules.letters
    special = bool(layout.letter_condition.any()) or max(rules.bingo_multiplier) > 1
    fits = _fits(rules)
    numbers = np.zeros(slot_kernels.NUMBERS_SIZE, np.int64)
    values = numbers[: slot_kernels.FACE_VALUES]
    values[:] = -1
    values[0] = 0
    values[1 : letters.n_letters + 1] = letters.values[1:]
    values[slot_kernels.BLANK : slot_kernels.BLANK + letters.n_letters + 1] = letters.values[0]
    numbers[slot_kernels.FACE_VALUES + 1 : slot_kernels.FACE_VALUES + 1 + letters.n_letters] = letters.values[1:]
    # Batches may lay more tiles than a rack holds; those are unscorable, their entries are never given out.
    numbers[slot_kernels.BONUS_BY_TILES : slot_kernels.BONUS_BY_TILES + len(rules.bingo_bonus)] = rules.bingo_bonus
    factors = numbers[slot_kernels.MAIN_MULTIPLIER_BY_TILES :]
    factors[:] = 1
    factors[: len(rules.bingo_multiplier)] = rules.bingo_multiplier

    classes = _classes(layout)
    lookup = np.zeros(slot_kernels.CLASSES + 256 * len(classes), np.uint64)
    lookup[: slot_kernels.PRODUCTS] = np.where(values < 0, 1 << slot_kernels.LANE_SHIFT, values).astype(np.uint64)
    if fits:
        lookup[slot_kernels.PRODUCTS : slot_kernels.BONUSES] = [
            min(2 ** (fields & 15) * 3 ** (fields >> 4), slot_kernels.MAX_MULTIPLIER) for fields in range(256)
        ]
        lookup[slot_kernels.BONUSES : slot_kernels.MAIN_MULTIPLIERS] = rules.bingo_bonus
        lookup[slot_kernels.MAIN_MULTIPLIERS : slot_kernels.CLASSES] = rules.bingo_multiplier
    if layout.letter_condition.any():
        lookup[slot_kernels.BLANK] = 1 << slot_kernels.LANE_SHIFT  # these rules need the letter of a blank
    codes = np.arange(256)
    faces = np.concatenate([[0], letters.values[1:], np.zeros(127 - letters.n_letters, np.int64)])[codes & 0x7F]
    for number, (condition, multiplier) in enumerate(classes):
        first = slot_kernels.CLASSES + 256 * number
        matches = (faces == condition) & (values >= 0)
        lookup[first : first + 256] = lookup[:256] * np.where(matches, multiplier, 1).astype(np.uint64)

    squares = np.stack(
        [layout.letter_multiplier, layout.word_multiplier, layout.letter_condition, layout.bricks.astype(np.uint8)]
    ).reshape(4, -1)
    return slot_kernels.RuleArrays(
        rows=rules.rows,
        cols=rules.cols,
        start_square=layout.start[0] * rules.cols + layout.start[1],
        rack_size=rules.rack_size,
        n_letters=letters.n_letters,
        packed=fits and not special,
        special=fits and special,
        conditional=bool(layout.letter_condition.any()),
        lookup=lookup,
        premiums=_premiums(layout, classes) if fits else np.zeros(0, np.uint64),
        open_squares=_open_squares(layout),
        squares=np.ascontiguousarray(squares),
        numbers=numbers,
    )


def _classes(layout: BoardLayout) -> list[tuple[int, int]]:
    """The kinds of conditional squares, as condition and letter multiplier; the first is all other squares."""
    pairs = zip(layout.letter_condition.flat, layout.letter_multiplier.flat, strict=True)
    return [(-1, 1), *sorted({(int(condition), int(multiplier)) for condition, multiplier in pairs if condition})]


def _premiums(layout: BoardLayout, classes: list[tuple[int, int]]) -> NDArray[np.uint64]:
    """Per direction and square: letter and cross factor and class, cross multiplier, step of an empty square."""
    kinds = np.zeros((layout.rows, layout.cols), np.uint64)
    for number, (condition, multiplier) in enumerate(classes):
        kinds[(layout.letter_condition == condition) & (layout.letter_multiplier == multiplier)] = number
    # The multiplier of a conditional square is in the values of its class.
    certain = np.where(kinds > 0, 1, layout.letter_multiplier)
    side = padded_side(layout)
    made = np.zeros((2, 3, side, side), np.uint64)
    for direction in range(2):
        turned = [grid.T if direction else grid for grid in (certain, layout.word_multiplier, kinds)]
        letter, word, kind = (grid.astype(np.uint64) for grid in turned)
        bricks = layout.bricks.T if direction else layout.bricks
        twos, threes = (np.vectorize(lambda m, k=k: _EXPONENTS[m][k], otypes=[np.uint64])(word) for k in range(2))
        step = (
            (1 << slot_kernels.SQUARE_SHIFT)
            + (twos << slot_kernels.EXPONENT_SHIFT)
            + (threes << (slot_kernels.EXPONENT_SHIFT + 4))
        )
        corner = made[direction, :, : letter.shape[0], : letter.shape[1]]
        # A brick lies on no word; its step leads into another lane, so that no placement crosses it.
        factors = letter + (letter * word << slot_kernels.CROSS_SHIFT) + (kind << slot_kernels.LANE_SHIFT)
        corner[0] = np.where(bricks, 0, factors)
        corner[1] = np.where(bricks, 0, word << slot_kernels.CROSS_SHIFT)
        corner[2] = np.where(bricks, 1 << slot_kernels.LANE_SHIFT, step)
    return made.ravel()


def _open_squares(layout: BoardLayout) -> NDArray[np.uint32]:
    side = padded_side(layout)
    made = np.zeros((side, side), np.uint32)
    made[: layout.rows, : layout.cols] = np.where(layout.bricks, 0, np.uint32(2**32 - 1))
    return made.ravel()


def _fits(rules: Ruleset) -> bool:
    """Whether no placement on any board can overflow a field of the tables, nor its score 32 bits.

    Bounds for whole lanes full of the dearest tile, so that no board needs to be looked at. What the tables do not know
    (a bonus for one tile, racks over 8, word multipliers 5 and 7) does not fit either.
    """
    layout = rules.layout
    known = rules.bingo_bonus[1] == 0 and len(_classes(layout)) <= _MAX_CLASSES
    if (
        not known
        or rules.rack_size > slot_kernels.PACKED_WIDTH
        or not set(layout.word_multiplier.flat) <= set(_EXPONENTS)
    ):
        return False
    dearest = max(rules.letters.values)
    for direction in range(2):
        letters = layout.letter_multiplier.T if direction else layout.letter_multiplier
        words = layout.word_multiplier.T if direction else layout.word_multiplier
        across = letters.shape[0]
        for letter_lane, word_lane in zip(letters.tolist(), words.tolist(), strict=True):
            word_sum = dearest * sum(letter_lane)
            cross_sum = sum(
                dearest * (letter + across) * word for letter, word in zip(letter_lane, word_lane, strict=True)
            )
            exponents = [sum(_EXPONENTS[word][k] for word in word_lane) for k in range(2)]
            product = 1
            for word in sorted(word_lane)[-rules.rack_size :]:
                product *= word
            product *= max(rules.bingo_multiplier)
            score = word_sum * product + cross_sum + max(rules.bingo_bonus)
            if max(word_sum, cross_sum) >= slot_kernels.SUM_LIMIT or max(exponents) > _MAX_EXPONENT:
                return False
            if score > slot_kernels.MAX_SCORE:
                return False
    return True
