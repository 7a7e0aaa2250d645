"""Compiled: designations of blanks, the best of each group, leaves.

Arrays are C-contiguous and native. No kernel allocates: the callers (expansion.py) count first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastscore.compilation import jit

__all__ = ["designate_rows", "leave_rows", "select_best"]

# The numbers of fastscore.status: numba would not notice a change there. A test compares them.
BAD_POSITION = 1 << 1
BAD_TILE = 1 << 5
BLANK_NEEDS_LETTER = 1 << 19
BLANK_UNDESIGNATED = 1 << 24
NOT_ON_RACK = 1 << 25

BLANK = 0x80
LETTER_BITS = 0x7F
INDEX_BITS = 32
LAST_INDEX = (1 << INDEX_BITS) - 1

Bytes = NDArray[np.uint8]
Flags = NDArray[np.uint32]
Numbers = NDArray[np.int64]


@jit
def designate_rows(
    position: NDArray[np.int32],
    row: Bytes,
    col: Bytes,
    direction: Bytes,
    tiles: Bytes,
    status: Flags,
    starts: Numbers,
    n_letters: int,
    source: NDArray[np.int32],
    new_position: NDArray[np.int32],
    new_row: Bytes,
    new_col: Bytes,
    new_direction: Bytes,
    new_tiles: Bytes,
    new_status: Flags,
) -> None:
    """Write every designation of the blanks of each row: those of row k to the rows from `starts[k]` to
    `starts[k + 1]`, of which there are n_letters to the power of its undesignated blanks.

    In order of letters, the last blank quickest. A row without such blanks is copied; the others lose the flags that
    say that a blank has no letter.
    """
    width = np.int64(tiles.shape[1])
    for k in range(position.shape[0]):
        first = starts[k]
        designations = starts[k + 1] - first
        flags = np.int64(status[k])
        if designations > 1 or n_letters == 1:
            flags &= ~(BLANK_NEEDS_LETTER | BLANK_UNDESIGNATED)
        for number in range(designations):
            made = first + number
            source[made] = k
            new_position[made] = position[k]
            new_row[made] = row[k]
            new_col[made] = col[k]
            new_direction[made] = direction[k]
            new_status[made] = flags
            rest = np.int64(number)
            for back in range(width):
                at = width - 1 - back
                code = np.int64(tiles[k, at])
                if code == BLANK:
                    code = BLANK + 1 + rest % n_letters
                    rest //= n_letters
                new_tiles[made, at] = code


@jit(inline=True)
def _sink(heap: Numbers, base: int, size: int) -> None:
    """Let the first entry of a heap (the least on top) sink to its place; the heap is `size` long from `base` on."""
    at = np.int64(0)
    key = heap[base]
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and heap[base + below + 1] < heap[base + below]:
            below += 1
        if heap[base + below] >= key:
            break
        heap[base + at] = heap[base + below]
        at = below
    heap[base + at] = key


@jit
def select_best(scores: NDArray[np.int32], order: Numbers, groups: Numbers, places: Numbers, chosen: Numbers) -> None:
    """Write the numbers of the best candidates of each group, the best first, of equal ones the first in input order.

    scores int32[n]; order int64[n] lists the candidates group by group, or [0] where they stand so; groups int64[g + 1]
    says where in it each group begins; the best of group g go to `chosen` int64[places[-1]] from `places[g]` on, as
    many as fit.

    A heap of keys: the score in the upper half and in the lower half the candidate's number, turned round, so that no
    two keys are equal and the order is complete.
    """
    for group in range(groups.shape[0] - 1):
        base = places[group]
        room = places[group + 1] - base
        size = np.int64(0)
        for at in range(groups[group], groups[group + 1]):
            candidate = order[at] if order.shape[0] > 0 else np.int64(at)
            key = (np.int64(scores[candidate]) << INDEX_BITS) + (LAST_INDEX - candidate)
            if size < room:
                up = size
                size += 1
                while up > 0 and chosen[base + (up - 1) // 2] > key:
                    chosen[base + up] = chosen[base + (up - 1) // 2]
                    up = (up - 1) // 2
                chosen[base + up] = key
            elif room > 0 and key > chosen[base]:
                chosen[base] = key
                _sink(chosen, base, size)
        # The least goes to the end, again and again.
        while size > 1:
            size -= 1
            least = chosen[base]
            chosen[base] = chosen[base + size]
            chosen[base + size] = least
            _sink(chosen, base, size)
        for at in range(base, base + room):
            chosen[at] = LAST_INDEX - (chosen[at] & LAST_INDEX)


@jit
def leave_rows(racks: Bytes, position: NDArray[np.int32], tiles: Bytes, leave: Bytes, status: Flags) -> None:
    """Write what each placement leaves of its rack to `leave` uint8[n, letters + 1], and what is wrong to `status`.

    racks uint8[1 or positions, letters + 1]. The leave of a row with a status is all zeros.
    """
    holders, letters = np.int64(racks.shape[0]), np.int64(racks.shape[1])
    width = np.int64(tiles.shape[1])
    for k in range(position.shape[0]):
        holder = np.int64(position[k]) if holders > 1 else np.int64(0)
        if holder < 0 or holder >= holders:
            status[k] = BAD_POSITION
            leave[k, :] = 0
            continue
        for entry in range(letters):
            leave[k, entry] = racks[holder, entry]
        flags = np.int64(0)
        for at in range(width):
            code = np.int64(tiles[k, at])
            letter = code & LETTER_BITS
            if code == 0:
                continue
            if letter >= letters:
                flags |= BAD_TILE
                continue
            if code >= BLANK:
                letter = np.int64(0)
            if leave[k, letter] == 0:
                flags |= NOT_ON_RACK
            else:
                leave[k, letter] -= 1
        status[k] = flags
        if flags != 0:
            leave[k, :] = 0
