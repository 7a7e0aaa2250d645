"""The rule that two tiles must not spell what is one tile of the set, for batches: C and H where there is a CH."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fastscore.formation import FormedWords
    from fastscore.placements import PlacementBatch
    from fastscore.rules.letters import LetterDistribution

__all__ = ["digraph_pairs", "splitters"]

_CODES = 128
_LETTER = 0x7F


def digraph_pairs(letters: LetterDistribution) -> NDArray[np.bool_]:
    """Which letters, the left one first, spell a third tile of the set: bool[128, 128] by tile code without the blank's
    bit.
    """
    code_of = {tile: code for code, tile in enumerate(letters.tiles) if code}
    pairs = np.zeros((_CODES, _CODES), np.bool_)
    for tile in code_of:
        for place in range(1, len(tile)):
            left, right = code_of.get(tile[:place]), code_of.get(tile[place:])
            if left is not None and right is not None:
                pairs[left, right] = True
    return pairs


def splitters(
    cells: NDArray[np.uint8], batch: PlacementBatch, words: FormedWords, letters: LetterDistribution
) -> NDArray[np.int32]:
    """The candidates of a batch that bring two tiles together which spell a third: their indices, int32, some twice.

    `cells` uint8[positions, rows, cols]; `words`: what `fastscore.formation.form` gives for the batch. Two tiles that
    already lay side by side are an earlier play's fault.
    """
    codes = words.tiles & np.uint8(_LETTER)
    word, place = np.nonzero(digraph_pairs(letters)[codes[:, :-1], codes[:, 1:]])
    candidate = words.candidate[word]
    board, down = batch.position[candidate], words.direction[word].astype(np.int64)
    row, col = words.row[word] + place * down, words.col[word] + place * (1 - down)
    both_lay_there = (cells[board, row, col] != 0) & (cells[board, row + down, col + 1 - down] != 0)
    found: NDArray[np.int32] = candidate[~both_lay_there]
    return found
