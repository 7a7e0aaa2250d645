"""What the kernels read: a ruleset as arrays, and the scratch memory of the scoring tables."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastscore import kernels

if TYPE_CHECKING:
    from fastscore.rules.layouts import BoardLayout
    from fastscore.rules.ruleset import Ruleset

__all__ = ["Scratch", "padded_side", "rule_arrays"]

_EXPONENTS = {1: (0, 0), 2: (1, 0), 3: (0, 1), 4: (2, 0), 6: (1, 1), 8: (3, 0), 9: (0, 2)}
"""Word multipliers as powers of 2 and 3; 5 and 7 are none."""
_MAX_EXPONENT = 15
"""Most that a field of four bits holds."""


class Scratch(NamedTuple):
    """Memory of the table kernels for one thread: see `kernels.SUM_PARTS` and the head of kernels.py."""

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
            np.zeros(kernels.SUM_PARTS * side * side, np.uint32),
            np.zeros(kernels.LANE_PARTS * side * side, np.uint64),
            np.zeros(3 * (squares + kernels.SPARE_SLOTS), np.uint64),
            np.zeros(kernels.SPOTS, np.uint16),
        )


def padded_side(layout: BoardLayout) -> int:
    """Length of a lane in the kernels' scratch memory: 16 for boards up to 16x16, else 32."""
    return 16 if max(layout.rows, layout.cols) <= 16 else 32


_made: dict[int, tuple[weakref.ref[Ruleset], Any]] = {}


def rule_arrays(rules: Ruleset) -> Any:
    """The `kernels.RuleArrays` of a ruleset, made once for each Ruleset object while it lives.

    Looked up by identity, since comparing rulesets by value takes longer than scoring a hundred plays.
    """
    key = id(rules)
    found = _made.get(key)
    if found is None or found[0]() is not rules:
        found = weakref.ref(rules, lambda _: _made.pop(key, None)), _make(rules)
        _made[key] = found
    return found[1]


def _make(rules: Ruleset) -> Any:
    layout, letters = rules.layout, rules.letters
    packed = _fits(rules)
    numbers = np.zeros(kernels.NUMBERS_SIZE, np.int64)
    values = numbers[: kernels.FACE_VALUES]
    values[:] = -1
    values[0] = 0
    values[1 : letters.n_letters + 1] = letters.values[1:]
    values[kernels.BLANK : kernels.BLANK + letters.n_letters + 1] = letters.values[0]
    numbers[kernels.FACE_VALUES + 1 : kernels.FACE_VALUES + 1 + letters.n_letters] = letters.values[1:]
    # Batches may lay more tiles than a rack holds; those are unscorable, their entries are never given out.
    numbers[kernels.BONUS_BY_TILES : kernels.BONUS_BY_TILES + len(rules.bingo_bonus)] = rules.bingo_bonus
    factors = numbers[kernels.MAIN_MULTIPLIER_BY_TILES :]
    factors[:] = 1
    factors[: len(rules.bingo_multiplier)] = rules.bingo_multiplier

    lookup = np.zeros(kernels.LOOKUP_SIZE, np.uint64)
    lookup[: kernels.PRODUCTS] = np.where(values < 0, 1 << kernels.LANE_SHIFT, values).astype(np.uint64)
    if packed:
        lookup[kernels.PRODUCTS : kernels.BONUSES] = [
            min(2 ** (fields & 15) * 3 ** (fields >> 4), kernels.MAX_MULTIPLIER) for fields in range(256)
        ]
        lookup[kernels.BONUSES :] = rules.bingo_bonus

    squares = np.stack(
        [layout.letter_multiplier, layout.word_multiplier, layout.letter_condition, layout.bricks.astype(np.uint8)]
    ).reshape(4, -1)
    return kernels.RuleArrays(
        rows=rules.rows,
        cols=rules.cols,
        start_square=layout.start[0] * rules.cols + layout.start[1],
        rack_size=rules.rack_size,
        n_letters=letters.n_letters,
        packed=packed,
        conditional=bool(layout.letter_condition.any()),
        lookup=lookup,
        premiums=_premiums(layout) if packed else np.zeros(0, np.uint64),
        open_squares=_open_squares(layout),
        squares=np.ascontiguousarray(squares),
        numbers=numbers,
    )


def _premiums(layout: BoardLayout) -> NDArray[np.uint64]:
    """Per direction and square: letter and cross factor, cross multiplier, step of an empty square."""
    side = padded_side(layout)
    made = np.zeros((2, 3, side, side), np.uint64)
    for direction in range(2):
        turned = [grid.T if direction else grid for grid in (layout.letter_multiplier, layout.word_multiplier)]
        letter, word = (grid.astype(np.uint64) for grid in turned)
        bricks = layout.bricks.T if direction else layout.bricks
        twos, threes = (np.vectorize(lambda m, k=k: _EXPONENTS[m][k], otypes=[np.uint64])(word) for k in range(2))
        step = (1 << kernels.SQUARE_SHIFT) + (twos << kernels.EXPONENT_SHIFT) + (threes << (kernels.EXPONENT_SHIFT + 4))
        corner = made[direction, :, : letter.shape[0], : letter.shape[1]]
        # A brick lies on no word; its step leads into another lane, so that no placement crosses it.
        corner[0] = np.where(bricks, 0, letter + (letter * word << kernels.CROSS_SHIFT))
        corner[1] = np.where(bricks, 0, word << kernels.CROSS_SHIFT)
        corner[2] = np.where(bricks, 1 << kernels.LANE_SHIFT, step)
    return made.ravel()


def _open_squares(layout: BoardLayout) -> NDArray[np.uint32]:
    side = padded_side(layout)
    made = np.zeros((side, side), np.uint32)
    made[: layout.rows, : layout.cols] = np.where(layout.bricks, 0, np.uint32(2**32 - 1))
    return made.ravel()


def _fits(rules: Ruleset) -> bool:
    """Whether no placement on any board can overflow a field of the tables, nor its score 32 bits.

    Bounds for whole lanes full of the dearest tile, so that no board needs to be looked at. Rules that the tables do
    not know (conditional letter squares, a multiplied main word, a bonus for one tile, racks over 8) do not fit either.
    """
    layout = rules.layout
    known = not layout.letter_condition.any() and max(rules.bingo_multiplier) == 1 and rules.bingo_bonus[1] == 0
    if not known or rules.rack_size > kernels.PACKED_WIDTH or not set(layout.word_multiplier.flat) <= set(_EXPONENTS):
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
            score = word_sum * product + cross_sum + max(rules.bingo_bonus)
            if max(word_sum, cross_sum) >= kernels.SUM_LIMIT or max(exponents) > _MAX_EXPONENT:
                return False
            if score > kernels.MAX_SCORE:
                return False
    return True
