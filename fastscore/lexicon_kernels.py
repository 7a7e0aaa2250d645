"""Compiled look-up of words in hash tables (lexicon/tables.py makes them and says how they are laid out).

Arrays are C-contiguous and native: `words` uint8[n, width] of tile codes, `lengths` uint8[n], `table` uint64[entries],
`slots` and `firsts` uint64[17], `chunks` uint64[16] (scratch), `found` bool[n] (out). Any rows may be handed in:
lengths are compared with the width before anything is read, and a tile code that is no letter is in no table.

Nearly all words have at most 16 tiles. Those are read as two 64-bit words, without a branch for their length, which
would be mispredicted every other time; the few longer ones go by the slow ways below.
"""

from __future__ import annotations

import numpy as np

from fastscore.compilation import jit

__all__ = ["contains_anagram_rows", "contains_rows"]

U64 = np.uint64
I64 = np.int64

# Copies of numbers of lexicon/tables.py (numba would not notice a change there); a test compares them.
LONGEST_WORD = 64
SHORT_WORD = 16
MOST_IN_NIBBLES = 15
HASH_FACTOR = U64(0x9E3779B97F4A7C15)
HASH_SHIFT = U64(29)

ZERO, ONE, TWO, FOUR, EIGHT, HALF = U64(0), U64(1), U64(2), U64(4), U64(8), U64(32)
LONG_CHUNKS = U64(8)
LETTER_BITS = U64(0x7F)
NIBBLE = U64(15)
ALL_BITS = U64(0xFFFFFFFFFFFFFFFF)
LOW_BITS = U64(0x7F7F7F7F7F7F7F7F)
TOP_BITS = U64(0x8080808080808080)
BEYOND_31 = U64(0x6060606060606060)
LETTERS_IN_TWO_CHUNKS = 31


@jit(inline=True)
def _bytes_of(count):
    """A 64-bit word whose lowest `count` bytes, 0 to 8, are all ones; in two steps, as a shift by 64 is undefined."""
    half = FOUR * (EIGHT - count)
    return ALL_BITS >> half >> half


@jit(inline=True)
def _eight(cells, at):
    """Eight bytes as a 64-bit word; one load, since nothing is written in between."""
    word = ZERO
    for place in range(EIGHT):
        word |= U64(cells[at + place]) << (EIGHT * place)
    return word


@jit(inline=True)
def _halves(cells, at, length):
    """The letters of a word of at most 16 tiles, eight in each word; codes without a letter become 0."""
    in_low, in_high = _bytes_of(min(length, EIGHT)), _bytes_of(max(length, EIGHT) - EIGHT)
    low, high = ZERO, ZERO
    if at + U64(SHORT_WORD) <= U64(len(cells)):
        low, high = _eight(cells, at), _eight(cells, at + EIGHT)
    else:
        for place in range(length):
            if place < EIGHT:
                low |= U64(cells[at + place]) << (EIGHT * place)
            else:
                high |= U64(cells[at + place]) << (EIGHT * (place - EIGHT))
    low &= in_low & LOW_BITS
    high &= in_high & LOW_BITS
    letters = ((low + LOW_BITS) & TOP_BITS == TOP_BITS & in_low) & ((high + LOW_BITS) & TOP_BITS == TOP_BITS & in_high)
    return low, high, letters


@jit(inline=True)
def _mix(mixed, chunk):
    """The hash of some chunks of a key and one more."""
    return (mixed ^ chunk ^ (chunk >> HASH_SHIFT)) * HASH_FACTOR


@jit(inline=True)
def _holds_two(table, size, first, low, high):
    """Whether a key of two chunks is in its table, of `size` slots from entry `first` on."""
    if size == ZERO:
        return False
    entry = first + ((_mix(_mix(ZERO, low), high) >> HALF) * size >> HALF) * TWO
    # An empty slot ends the search; the last slot of a table is always empty.
    while True:
        at_entry = table[entry]
        if (at_entry == low) & (table[entry + ONE] == high):
            return True
        if at_entry == ZERO:
            return False
        entry += TWO


@jit(inline=True)
def _holds(table, slots, firsts, chunks, count):
    """Whether a key of `count` chunks is in its table."""
    size = slots[count]
    if size == ZERO:
        return False
    mixed = ZERO
    for place in range(count):
        mixed = _mix(mixed, chunks[place])
    entry = firsts[count] + ((mixed >> HALF) * size >> HALF) * count
    while table[entry] != ZERO:
        same = True
        for place in range(count):
            same &= table[entry + place] == chunks[place]
        if same:
            return True
        entry += count
    return False


@jit
def contains_rows(words, lengths, table, slots, firsts, chunks, found):
    """Which words are in the tables of words.

    A blank counts as its letter. A word of no tile, of more than the row or 64 is in none, nor is one that holds a 0 or
    a blank without a letter.
    """
    cells = words.reshape(-1)
    width = I64(words.shape[1])
    size, first = slots[TWO], firsts[TWO]
    for row in range(U64(len(lengths))):
        length = I64(lengths[row])
        start = row * U64(width)
        if length == 0 or length > width or length > LONGEST_WORD:
            found[row] = False
        elif length <= SHORT_WORD:
            low, high, letters = _halves(cells, start, U64(length))
            found[row] = letters and _holds_two(table, size, first, low, high)
        else:
            for place in range(LONG_CHUNKS):
                chunks[place] = ZERO
            letters = True
            for place in range(U64(length)):
                code = U64(cells[start + place]) & LETTER_BITS
                letters &= code != ZERO
                chunks[place // EIGHT] |= code << (EIGHT * (place % EIGHT))
            found[row] = letters and _holds(table, slots, firsts, chunks, LONG_CHUNKS)


@jit
def contains_anagram_rows(words, lengths, n_letters, table, slots, firsts, chunks, found):
    """Which words have an anagram in the tables of letter counts; `n_letters` int. Otherwise as `contains_rows`."""
    cells = words.reshape(-1)
    width = I64(words.shape[1])
    size, first = slots[TWO], firsts[TWO]
    planes = U64(n_letters) // U64(16) + ONE
    for row in range(U64(len(lengths))):
        length = I64(lengths[row])
        start = row * U64(width)
        if length == 0 or length > width or length > LONGEST_WORD:
            found[row] = False
        elif length <= MOST_IN_NIBBLES and planes == TWO:
            low, high, letters = _halves(cells, start, U64(length))
            letters &= (low | high) & BEYOND_31 == ZERO
            few, many = ZERO, ZERO
            for place in range(EIGHT):
                for half in (low, high):
                    code = half >> (EIGHT * place)
                    counted = ONE << (FOUR * (code & NIBBLE))
                    upper = (code >> FOUR & ONE) * ALL_BITS
                    few += counted & ~upper
                    many += counted & upper
            # The zeros behind the word were counted too; there is no letter 0, and its place marks a taken slot.
            found[row] = letters and _holds_two(table, size, first, few & ~NIBBLE | ONE, many)
        else:
            count = planes if length <= MOST_IN_NIBBLES else TWO * planes
            for place in range(count):
                chunks[place] = ZERO
            letters = True
            for place in range(U64(length)):
                code = U64(cells[start + place]) & LETTER_BITS
                if code == ZERO or code > U64(n_letters):
                    letters = False
                    break
                at, shift = code >> FOUR, (code & NIBBLE) * FOUR
                if (chunks[at] >> shift) & NIBBLE == NIBBLE:
                    # The sixteenth of a letter: only long words have so many, and a second plane for them.
                    chunks[at] &= ~(NIBBLE << shift)
                    chunks[planes + at] += ONE << shift
                else:
                    chunks[at] += ONE << shift
            chunks[ZERO] |= ONE
            found[row] = letters and _holds(table, slots, firsts, chunks, count)
