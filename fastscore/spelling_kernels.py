"""Compiled: the texts and racks of record events to tile codes; of several spellings that fit, the longest counts.

Spellings are a tree: a state for each beginning of a spelling, 0 for none, and from there by the class of the next
character to the next state. Classes stand for the characters that spellings are made of; STRANGER for one that no text
can hold, THROUGH for a point, SPECIAL for one that only `LetterDistribution.encode` and `parse_word` can judge:
brackets, and what may have to be composed.

Arrays are C-contiguous. In: `classes` uint8[n], of the text and then the rack of each event; `steps` int16[states,
classes]; `tiles` uint8[states], the tile code of a state, 0 = a beginning only. In and out: `events`
int64[n, record_kernels.EVENT_COLUMNS], whose TEXT and RACK are numbers of characters, and become numbers of codes. Out:
`codes` uint8[n]; `left` uint8[events, 2], 1 = a text, a rack with a SPECIAL character, which have no codes here.
"""

import numpy as np

from fastscore.compilation import jit
from fastscore.record_kernels import (
    GIVEN,
    RACK,
    RACK_UNREADABLE,
    TEXT,
    TEXT_UNREADABLE,
)

__all__ = ["encode_texts"]

I64 = np.int64

STRANGER = 0
THROUGH = 1
SPECIAL = 2
FIRST_CLASS = 3


@jit(inline=True)
def _encode(classes, at, end, steps, tiles, codes, out):
    """The codes of one text: where they end, and 0, or the class of the character that there is no code for."""
    while at < end:
        if classes[at] < FIRST_CLASS:
            if classes[at] != THROUGH:
                return out, I64(classes[at]), True
            codes[out] = 0
            at += 1
        else:
            state = I64(0)
            after = at
            longest = at
            code = I64(0)
            while after < end:
                state = I64(steps[state, classes[after]])
                if state == 0:
                    break
                after += 1
                if tiles[state] != 0:
                    longest = after
                    code = I64(tiles[state])
            if longest == at:
                return out, I64(STRANGER), True
            codes[out] = code
            at = longest
        out += 1
    return out, I64(STRANGER), False


@jit
def encode_texts(classes, steps, tiles, events, codes, left):
    """The codes of all texts and racks; returns how many there are."""
    at = I64(0)
    out = I64(0)
    for event in range(len(events)):
        for part in range(2):
            column, unreadable = (TEXT, TEXT_UNREADABLE) if part == 0 else (RACK, RACK_UNREADABLE)
            size = events[event, column]
            begin = out
            out, culprit, stopped = _encode(classes, at, at + size, steps, tiles, codes, out)
            at += size
            left[event, part] = 0
            if stopped:
                out = begin
                if culprit == SPECIAL:
                    left[event, part] = 1
                else:
                    events[event, column] = 0
                    events[event, GIVEN] |= unreadable
            else:
                events[event, column] = out - begin
    return out
