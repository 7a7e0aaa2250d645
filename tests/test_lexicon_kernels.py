"""Compiled look-up against sets and sorted words in plain Python, on random and on hostile rows."""

from __future__ import annotations

import os

import numpy as np
import pytest
from numpy.typing import NDArray

from fastscore import lexicon_kernels
from fastscore.lexicon import Lexicon
from fastscore.lexicon import tables as lexicon_tables
from fastscore.lexicon.kwg import LONGEST_WORD
from fastscore.lexicon.tables import WordTables, keys_of_letters, keys_of_words
from fastscore.rules.letters import LetterDistribution

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
ROWS = 4000 if COMPILED else 120

Word = tuple[int, ...]


def letters(count: int) -> LetterDistribution:
    """A set of this many letters, some of them from beyond Latin."""
    tiles = [chr(code) for code in range(0x410, 0x430)] + [chr(code) for code in range(0x531, 0x557)]
    tiles += [chr(65 + code) for code in range(26)] + [chr(0x10A0 + code) for code in range(38)]
    return LetterDistribution(f"{count} letters", ("?", *tiles[:count]), (0, *[1] * count))


def naive(word: list[int], good: set[Word], n_letters: int, anagrams: bool) -> bool:
    """Whether a word is good, the slow way; `good` holds the words, or with `anagrams` the words sorted."""
    plain = [code & 0x7F for code in word]
    if not 1 <= len(plain) <= 64 or not all(1 <= code <= n_letters for code in plain):
        return False
    return tuple(sorted(plain) if anagrams else plain) in good


def random_word(rng: np.random.Generator, n_letters: int, longest: int) -> Word:
    # Few letters, so that words meet and anagrams are not rare.
    pool = rng.integers(1, n_letters + 1, 4)
    return tuple(rng.choice(pool, rng.integers(1, longest + 1)).tolist())


def rows_of(rng: np.random.Generator, words: list[Word], n_letters: int, width: int) -> list[list[int]]:
    """Words of the lexicon, shuffled ones, others, with blanks, holes and codes beyond the letters among them."""
    rows = []
    for _ in range(ROWS):
        kind = rng.integers(5)
        row = list(words[rng.integers(len(words))])
        if kind == 1:
            rng.shuffle(row)
        elif kind == 2:
            row[rng.integers(len(row))] = int(rng.integers(0, 256))
        elif kind == 3:
            row = list(random_word(rng, n_letters, width))
        if kind == 4:
            row = [code | 0x80 if rng.random() < 0.3 else code for code in row]
        rows.append(row[:width])
    return rows


def padded(rows: list[list[int]], width: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Rows with rubbish behind each word: it must not matter."""
    words = rng.integers(0, 256, (len(rows), width), dtype=np.uint8)
    for number, row in enumerate(rows):
        words[number, : len(row)] = row
    return words


@pytest.mark.parametrize("anagrams", [False, True], ids=["words", "anagrams"])
@pytest.mark.parametrize("n_letters", [1, 3, 15, 16, 26, 31, 32, 63, 126])
@pytest.mark.parametrize("width", [1, 7, 15, 16, 21, 64])
def test_against_sets(width: int, n_letters: int, anagrams: bool) -> None:
    rng = np.random.default_rng(1000 * width + n_letters)
    words = [random_word(rng, n_letters, width) for _ in range(200)]
    lexicon = Lexicon(([word] for word in words), letters(n_letters))
    good = {tuple(sorted(word)) for word in words} if anagrams else set(words)
    rows = rows_of(rng, words, n_letters, width)
    found = lexicon.contains_batch(padded(rows, width, rng), [len(row) for row in rows], anagrams=anagrams)
    expected = [naive(row, good, n_letters, anagrams) for row in rows]
    assert found.tolist() == expected
    assert any(expected)
    assert [lexicon.contains(row, anagrams=anagrams) for row in rows[:100]] == expected[:100]


def test_any_lengths() -> None:
    lexicon = Lexicon([[[1, 2]], [[1] * 64]], letters(26))
    words = np.ones((7, 70), np.uint8)
    words[0, 1] = 2
    assert lexicon.contains_batch(words, [2, 0, 65, 64, 70, 71, 255]).tolist() == [
        True,
        *[False] * 2,
        True,
        *[False] * 3,
    ]
    # Beyond a byte, and below: not what is left of them.
    assert lexicon.contains_batch(words, [256 + 2, 0, 0, -192, 64 + 256, 1 << 40, -1]).tolist() == [False] * 7
    assert lexicon.contains_batch(words, [2, 0, 65, 64, 70, 71, 255], anagrams=True).tolist() == [
        True,
        *[False] * 2,
        True,
        *[False] * 3,
    ]


def test_no_rows() -> None:
    lexicon = Lexicon([[[1, 2]]], letters(26))
    for anagrams in (False, True):
        assert lexicon.contains_batch(np.zeros((0, 15), np.uint8), [], anagrams=anagrams).tolist() == []
        assert lexicon.contains_batch(np.zeros((3, 0), np.uint8), [0, 1, 2], anagrams=anagrams).tolist() == [False] * 3


def test_other_kinds_of_arrays() -> None:
    lexicon = Lexicon([[[1, 2], [2, 1]]], letters(26))
    for kind in (np.uint8, np.int64, np.uint16):
        words = np.array([[1, 2, 0], [2, 2, 0], [2, 1, 0]], kind)
        assert lexicon.contains_batch(words, np.array([2, 2, 2], kind)).tolist() == [True, False, True]
        assert lexicon.contains_batch(np.asfortranarray(words)[::-1], [2, 2, 2]).tolist() == [True, False, True]
    # 257 is not 1.
    assert lexicon.contains_batch([[257, 2]], [2]).tolist() == [False]


def test_numbers_are_those_of_the_tables() -> None:
    assert int(lexicon_kernels.HASH_FACTOR) == lexicon_tables.HASH_FACTOR
    assert int(lexicon_kernels.HASH_SHIFT) == lexicon_tables.HASH_SHIFT
    assert lexicon_kernels.SHORT_WORD == lexicon_tables.SHORT_WORD
    assert lexicon_kernels.MOST_IN_NIBBLES == lexicon_tables.MOST_IN_NIBBLES
    assert lexicon_kernels.LONGEST_WORD == LONGEST_WORD
    assert int(lexicon_kernels.LONG_CHUNKS) * 8 == LONGEST_WORD


def test_keys() -> None:
    # Eight tiles a chunk, the first in the lowest byte.
    assert keys_of_words(np.array([[1, 2, 3]], np.uint8)).tolist() == [[0x030201, 0]]
    assert keys_of_words(np.array([[7] * 9], np.uint8)).tolist() == [[0x0707070707070707, 7]]
    assert keys_of_words(np.ones((2, 17), np.uint8)).shape == (2, 8)
    # Two of letter 1 and one of letter 3; 1 at the place of letter 0. Letter 17 is the second of the second chunk.
    assert keys_of_letters(np.array([[1, 3, 1]], np.uint8), 15).tolist() == [[0x1021]]
    assert keys_of_letters(np.array([[17, 1]], np.uint8), 26).tolist() == [[0x11, 0x10]]
    # 17 of letter 2: 1 in the first plane, 1 in the second.
    assert keys_of_letters(np.full((1, 17), 2, np.uint8), 3).tolist() == [[0x101, 0x100]]


def test_tables_hold_their_keys_and_end_with_an_empty_slot() -> None:
    rng = np.random.default_rng(5)
    keys = rng.integers(1, 1 << 62, (3000, 2)).astype(np.uint64)
    tables = WordTables.make([keys[:1000], keys[500:]])
    assert sum(map(len, tables.all_keys())) == 3000
    assert all(tables.holds(key) for key in keys.tolist())
    assert not any(tables.holds([key[0], key[1] + 1]) for key in keys.tolist())
    assert not tables.holds([5])
    assert tables.table[-2:].tolist() == [0, 0]
    assert not tables.table.flags.writeable


def test_keys_with_one_hash() -> None:
    # All keys of one slot: the multiplier is odd, so that equal high halves need not be sought; a table of one key has
    # two slots, and of many keys with the highest hashes some stand beyond the last slot.
    keys = np.arange(1, 100_001, dtype=np.uint64)[:, np.newaxis]
    mixed = keys[:, 0] ^ (keys[:, 0] >> np.uint64(lexicon_tables.HASH_SHIFT))
    mixed = mixed * np.uint64(lexicon_tables.HASH_FACTOR)
    highest = keys[np.argsort(mixed)[-300:]]
    tables = WordTables.make([highest])
    assert int(tables.slots[1]) == 600
    # Their hashes all lie within the last 300 / 100,000: in the last two slots.
    assert len(tables.table) == 600 - 2 + 300 + 1
    assert all(tables.holds([int(key)]) for key in highest[:, 0])
    found = [tables.holds([key]) for key in range(1, 3000)]
    assert sum(found) == int((highest < 3000).sum())
