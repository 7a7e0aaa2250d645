"""The words that placements form, as arrays of tile codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fastscore.placements import PlacementBatch
    from fastscore.rules.letters import LetterDistribution
    from fastscore.rules.ruleset import Ruleset

__all__ = ["FormedWords", "form"]

Bytes = NDArray[np.uint8]


class FormedWords(NamedTuple):
    """The words that the candidates of a batch form, m in all, those of one candidate together.

    `candidate` int32[m] in ascending order; `row`, `col` (square of the first tile), `direction`, `length` uint8[m];
    `main` bool[m], False for cross words; `tiles` uint8[m, width]: the codes of all tiles of the word, then zeros,
    `width` being the longest lane of the boards. The words of candidate k are `starts[k]` to `starts[k + 1]`, int64[n +
    1]: its main word first, then the cross words in the order of the tiles that they cross.
    """

    candidate: NDArray[np.int32]
    row: Bytes
    col: Bytes
    direction: Bytes
    length: Bytes
    main: NDArray[np.bool_]
    tiles: Bytes
    starts: NDArray[np.int64]

    def texts(self, letters: LetterDistribution) -> list[str]:
        """Each word as text, blanks in lower case."""
        return [
            letters.format(codes[:length])
            for codes, length in zip(self.tiles.tolist(), self.length.tolist(), strict=True)
        ]


def form(cells: Bytes, batch: PlacementBatch, status: NDArray[np.uint32], rules: Ruleset) -> FormedWords:
    """The words of a batch on boards uint8[positions, rows, cols], none for a candidate whose status has no score.

    `status` uint32[n] is what `check_batch` found for the same candidates.
    """
    from fastscore.formation_kernels import count_words, form_words

    rows = (batch.position, batch.row, batch.col, batch.direction, batch.tiles)
    starts = np.empty(len(batch) + 1, np.int64)
    count_words(cells, rules.layout.bricks, *rows, status, starts)
    made = int(starts[-1])
    candidate, main = np.empty(made, np.int32), np.empty(made, np.bool_)
    row, col, direction, length = (np.empty(made, np.uint8) for _ in range(4))
    tiles = np.zeros((made, max(cells.shape[1:])), np.uint8)
    form_words(cells, rules.layout.bricks, *rows, starts, candidate, row, col, direction, length, main, tiles)
    return FormedWords(candidate, row, col, direction, length, main, tiles, starts)
