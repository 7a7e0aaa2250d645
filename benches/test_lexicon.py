"""Look-up of formed words in a lexicon as large as those that are played with."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

import fastscore as fs
from benches.comparisons import rules
from benches.workloads import legal_plays
from fastscore.formation import FormedWords

N_WORDS = 280_000
MISSING = 10
_SEED = 20240301


class Lookups(NamedTuple):
    """A lexicon, the words that the legal plays form, and which of them are in it, or have an anagram in it."""

    lexicon: fs.Lexicon
    formed: FormedWords
    good: NDArray[np.bool_]
    good_anagrams: NDArray[np.bool_]


@cache
def lookups() -> Lookups:
    """One different word in ten is not in the lexicon, which is filled up with random words of usual lengths."""
    formed = fs.formed_words_batch(legal_plays().boards, legal_plays().batch, rules())
    words = [bytes(row[:length]) for row, length in zip(formed.tiles & 0x7F, formed.length.tolist(), strict=True)]
    good = {word for number, word in enumerate(sorted(set(words))) if number % MISSING}
    rng = np.random.default_rng(_SEED)
    while len(good) < N_WORDS:
        length = int(np.clip(round(rng.normal(9, 2.2)), 3, 15))
        good.add(rng.integers(1, 27, length, dtype=np.uint8).tobytes())
    by_length = [[list(word) for word in good if len(word) == length] for length in range(2, 16)]
    letters = {bytes(sorted(word)) for word in good}
    return Lookups(
        fs.Lexicon(by_length, rules().letters),
        formed,
        np.array([word in good for word in words]),
        np.array([bytes(sorted(word)) in letters for word in words]),
    )


@pytest.mark.parametrize("anagrams", [False, True], ids=["words", "anagrams"])
def test_contains_batch(benchmark: BenchmarkFixture, anagrams: bool) -> None:
    """All words that 456,193 legal plays form, 682,583, in random order."""
    lexicon, formed, good, good_anagrams = lookups()
    order = np.random.default_rng(_SEED).permutation(len(formed.length))
    words, lengths = formed.tiles[order], formed.length[order]
    benchmark.group = "lexicon"
    benchmark.extra_info["words"] = len(words)
    found = benchmark(lambda: lexicon.contains_batch(words, lengths, anagrams=anagrams))
    assert np.array_equal(found, (good_anagrams if anagrams else good)[order])
    assert 0.5 < found.mean() < 1


@pytest.mark.parametrize("with_lexicon", [False, True], ids=["no lexicon", "lexicon"])
def test_check_batch(benchmark: BenchmarkFixture, with_lexicon: bool) -> None:
    """All legal plays, checked with and without a look at their words."""
    plays = legal_plays()
    lexicon, formed, good, _ = lookups()
    benchmark.group = "check"
    benchmark.extra_info["plays"] = len(plays)
    status = benchmark(
        lambda: fs.check_batch(plays.boards, plays.batch, rules(), lexicon=lexicon if with_lexicon else None)
    )
    expected = np.zeros(len(plays), np.uint32)
    if with_lexicon:
        expected[formed.candidate[~good]] = fs.Status.PHONY
    assert np.array_equal(status, expected)
