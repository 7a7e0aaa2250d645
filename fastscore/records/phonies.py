"""Which of the words that the plays of a record form are not in a lexicon."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fastscore.lexicon import Lexicon
    from fastscore.rules.ruleset import Ruleset

__all__ = ["Phonies", "WordCheck", "are_good"]

Phonies: TypeAlias = Mapping[int, tuple[str, ...]]
"""The words that are not in the lexicon, main word first, by the event that forms them."""

_BLANK: Final = 0x80
_MOST_KEPT: Final = 1 << 17
"""Words kept in mind, some 15 MB."""


class WordCheck:
    """Looks up the words of many games of one ruleset in a lexicon, and keeps in mind which were good."""

    def __init__(self, rules: Ruleset, lexicon: Lexicon) -> None:
        self.rules = rules
        self.lexicon = lexicon
        self._good: dict[str, bool] = {}

    def phonies(self, words: Sequence[tuple[str, ...]]) -> Phonies | None:
        """The words that are not in the lexicon; None if it has other tiles than the rules.

        `words`: those of each event. Under rules with `anagram_words` a word is good if any anagram of it is. A word
        with a blank without a letter is not judged: nobody knows which word it is.
        """
        if not self.lexicon.fits(self.rules.letters):
            return None
        good = self._good
        if len(good) > _MOST_KEPT:
            good.clear()
        texts: set[str] = set().union(*words)
        new = texts.difference(good)  # not -, which would go through all that is kept
        if new:
            self._look_up(new)
        bad = {text for text in texts if not good[text]}
        if not bad:
            return {}
        return {
            event: tuple(text for text in formed if text in bad)
            for event, formed in enumerate(words)
            if not bad.isdisjoint(formed)
        }

    def _look_up(self, texts: Iterable[str]) -> None:
        codes = {text: self.rules.letters.encode(text) for text in texts}
        anagrams = self.rules.anagram_words
        self._good |= {text: True for text, word in codes.items() if _BLANK in word}
        codes = {text: word for text, word in codes.items() if _BLANK not in word}
        if "fastscore.records.arrays" in sys.modules:
            # Compiled code is at hand; loading it for one game would take longer than it saves.
            import numpy as np

            flat = [code for word in codes.values() for code in (*word, 0)]
            found = are_good(np.array(flat, np.uint8), self.lexicon, anagrams=anagrams).tolist()
        else:
            found = [self.lexicon.contains(word, anagrams=anagrams) for word in codes.values()]
        self._good |= zip(codes, found, strict=True)


def are_good(words: NDArray[np.uint8], lexicon: Lexicon, *, anagrams: bool = False) -> NDArray[np.bool_]:
    """Which words are in a lexicon, bool[n], by compiled code; `words`: tile codes, each word with a 0 behind it."""
    import numpy as np

    ends = np.flatnonzero(words == 0)
    lengths = np.diff(ends, prepend=-1) - 1
    rows = np.zeros((len(ends), int(lengths.max(initial=0))), np.uint8)
    rows[np.arange(rows.shape[1]) < lengths[:, None]] = words[words != 0]
    return lexicon.contains_batch(rows, lengths, anagrams=anagrams)
