"""Hash tables of words, exact and not likely: compiled code (lexicon_kernels.py) and plain Python read the same arrays.

A word's key is a row of 64-bit chunks, and there is a table for each number of chunks: `slots[count]` slots of `count`
chunks, from entry `firsts[count]` of one array on. A key stands at the slot that its hash names, or at one of the next;
a slot whose first chunk is 0 is empty, and the last slot of a table always is.

- Keys of words: eight tiles a chunk, the first in the lowest byte; two chunks for words of up to 16 tiles, eight for
  longer ones.
- Keys of letter counts, for rules under which any anagram will do: sixteen letters a chunk, four bits each, by tile
  code, with 1 at the place of code 0; words of more than 15 tiles have as many chunks again with the next four bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_CHUNKS", "MOST_IN_NIBBLES", "Keys", "Rows", "WordTables", "keys_of_letters", "keys_of_words"]

MOST_CHUNKS = 16
"""Most chunks of a key: those of the letter counts of a long word with 126 letters."""
MOST_IN_NIBBLES = 15
"""Most tiles of a word each of whose letter counts fits four bits."""
SHORT_WORD = 16
"""Most tiles of a word whose key has two chunks."""
HASH_FACTOR = 0x9E3779B97F4A7C15
HASH_SHIFT = 29

_LONG_WORD = 64
_ALL_BITS = (1 << 64) - 1

Rows = NDArray[np.uint8]
Keys = NDArray[np.uint64]


class WordTables(NamedTuple):
    """Keys in hash tables: uint64[entries], uint64[17], uint64[17], read-only."""

    table: Keys
    slots: Keys
    firsts: Keys

    @classmethod
    def make(cls, keys: Iterable[Keys]) -> WordTables:
        """Tables of keys uint64[n, count]; several arrays may have the same count, and a key may come twice."""
        by_count: dict[int, list[Keys]] = {}
        for chunks in keys:
            if len(chunks):
                by_count.setdefault(chunks.shape[1], []).append(chunks)
        slots = np.zeros(MOST_CHUNKS + 1, np.uint64)
        firsts = np.zeros(MOST_CHUNKS + 1, np.uint64)
        tables = [np.zeros(0, np.uint64)]
        first = 0
        for count in range(MOST_CHUNKS + 1):
            firsts[count] = first
            if count in by_count:
                table, slots[count] = _make_table(np.concatenate(by_count[count]))
                tables.append(table)
                first += len(table)
        made = cls(np.concatenate(tables), slots, firsts)
        for array in made:
            array.flags.writeable = False
        return made

    def all_keys(self) -> Iterator[Keys]:
        """All keys, uint64[n, count] for each count that occurs."""
        bounds = [*self.firsts.tolist(), len(self.table)]
        for count in range(1, MOST_CHUNKS + 1):
            if self.slots[count]:
                entries = self.table[bounds[count] : bounds[count + 1]].reshape(-1, count)
                yield entries[entries[:, 0] != 0]

    def holds(self, key: Sequence[int]) -> bool:
        """Whether a key is in its table; as the kernels do it, without them."""
        count, mixed = len(key), 0
        for chunk in key:
            mixed = (mixed ^ chunk ^ (chunk >> HASH_SHIFT)) * HASH_FACTOR & _ALL_BITS
        slots = int(self.slots[count])
        if not slots:
            return False
        entry = int(self.firsts[count]) + ((mixed >> 32) * slots >> 32) * count
        while self.table[entry]:
            if self.table[entry : entry + count].tolist() == list(key):
                return True
            entry += count
        return False


def keys_of_words(rows: Rows) -> Keys:
    """The keys of words of one length, uint8[n, length] without marks of blanks -> uint64[n, count]."""
    n, length = rows.shape
    padded = np.zeros((n, SHORT_WORD if length <= SHORT_WORD else _LONG_WORD), np.uint8)
    padded[:, :length] = rows
    return padded.view("<u8").astype(np.uint64)


def keys_of_letters(rows: Rows, n_letters: int) -> Keys:
    """The keys of the letter counts of words of one length, uint8[n, length] without marks of blanks."""
    n, length = rows.shape
    planes = n_letters // 16 + 1
    counts = np.zeros((n, 16 * planes), np.uint8)
    number = np.arange(n)
    for place in range(length):
        counts[number, rows[:, place]] += 1
    low = _nibbles(counts & np.uint8(15))
    low[:, 0] |= np.uint64(1)
    return low if length <= MOST_IN_NIBBLES else np.hstack((low, _nibbles(counts >> np.uint8(4))))


def _nibbles(counts: Rows) -> Keys:
    pairs = counts[:, 0::2] | counts[:, 1::2] << np.uint8(4)
    return np.ascontiguousarray(pairs).view("<u8").astype(np.uint64)


def _make_table(keys: Keys) -> tuple[Keys, int]:
    """The entries of one table and its number of slots, two for each key.

    With the keys in the order of their hash, each stands at its own slot or behind the one before: all places at once.
    """
    mixed = np.zeros(len(keys), np.uint64)
    for chunk in keys.T:
        mixed = (mixed ^ chunk ^ (chunk >> np.uint64(HASH_SHIFT))) * np.uint64(HASH_FACTOR)
    order = np.lexsort((*keys.T, mixed))
    keys, mixed = keys[order], mixed[order]
    new = np.append(True, (keys[1:] != keys[:-1]).any(axis=1))
    keys, mixed = keys[new], mixed[new]
    slots = 2 * len(keys)
    home = ((mixed >> np.uint64(32)) * np.uint64(slots) >> np.uint64(32)).astype(np.int64)
    number = np.arange(len(keys))
    place = number + np.maximum.accumulate(home - number)
    table = np.zeros((max(slots, int(place[-1]) + 1) + 1, keys.shape[1]), np.uint64)
    table[place] = keys
    return table.ravel(), slots
