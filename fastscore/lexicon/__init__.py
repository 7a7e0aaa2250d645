"""Lexicon: which words are good, for those who want to know. Scores never ask."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastscore.board import INVALID_TILE, narrow
from fastscore.errors import LexiconError, NotationError, RulesError, ShapeError, quote
from fastscore.lexicon.kwg import LONGEST_WORD, MAX_BYTES, read_graph
from fastscore.lexicon.tables import MOST_CHUNKS, Rows, WordTables, keys_of_letters, keys_of_words
from fastscore.lexicon.word_lists import MAX_TEXT_BYTES, encode_words, words_of_text
from fastscore.rules.sources import display_name, name_of

if TYPE_CHECKING:
    from fastscore.rules.letters import LetterDistribution

__all__ = ["Lexicon"]

_LETTER = np.uint8(0x7F)
_GRAPH_ENDING = ".kwg"
_ROWS_AT_ONCE = 1 << 16


class Lexicon:
    """A set of words over the tiles of one letter distribution.

    Made by `from_words`, `from_kwg` or `read`. `"QUIZ" in lexicon` takes a text or tile codes; blanks count as their
    letters. `len()` is the number of words; iteration gives them as text, short ones first.

    Parameters
    ----------
    words
        Tile codes, an array [n, length] for the words of each length, in any order; a word may come twice.
    letters
        The letter distribution whose tile codes they are.
    name
        For messages.

    Raises LexiconError for codes that are no letters and words of no tile or more than 64.
    """

    __slots__ = ("_anagrams", "_words", "letters", "name")

    letters: LetterDistribution
    name: str
    _words: WordTables
    _anagrams: WordTables | None

    def __init__(self, words: Iterable[ArrayLike], letters: LetterDistribution, name: str = "lexicon") -> None:
        keys = []
        for given in words:
            rows = narrow(given, np.uint8, INVALID_TILE, "words") & _LETTER
            if rows.ndim != 2 or not 1 <= rows.shape[1] <= LONGEST_WORD:
                raise LexiconError(f"words of shape {rows.shape}, expected [n, length] with 1 to {LONGEST_WORD} tiles")
            bad = ((rows == 0) | (rows > letters.n_letters)).any(axis=1)
            if bad.any():
                raise LexiconError(
                    f"tile codes {rows[bad.argmax()].tolist()} in a word, expected 1 to {letters.n_letters} as in "
                    f"{quote(letters.name)}"
                )
            keys.append(keys_of_words(rows))
        self.letters = letters
        self.name = name
        self._words = WordTables.make(keys)
        self._anagrams = None

    @classmethod
    def read(cls, path: str | os.PathLike[str], letters: LetterDistribution) -> Lexicon:
        """The lexicon of a file: a word graph if the name ends in `.kwg`, else a list of words."""
        if os.fspath(path).lower().endswith(_GRAPH_ENDING):
            return cls.from_kwg(path, letters)
        return cls.from_words(path, letters)

    @classmethod
    def from_words(cls, source: str | os.PathLike[str] | Iterable[str], letters: LetterDistribution) -> Lexicon:
        """A lexicon from a list of words: a file (a `str` is its name) or any iterable of texts.

        A file is UTF-8 text with a word a line; blank lines and those that begin with `#` are left out. Words are
        written as in a play, in upper or lower case: `CHICO`, `[CH]ICO` and `chico` are one word in Spanish.

        Raises LexiconError, with file and line (or number of the text, from 1), for a word that the letters cannot
        write and one of more than 64 tiles; also for a file that cannot be read or holds no word.
        """
        if isinstance(source, (str, os.PathLike)):
            shown = display_name(source)
            words = words_of_text(_read(source, MAX_TEXT_BYTES), shown)
            return cls(encode_words(words, letters, shown), letters, name_of(source))
        numbered = [(number, text.strip()) for number, text in enumerate(source, 1)]
        return cls(encode_words([word for word in numbered if word[1]], letters), letters)

    @classmethod
    def from_kwg(
        cls, path: str | os.PathLike[str], letters: LetterDistribution, *, child_bits: int | None = None
    ) -> Lexicon:
        """A lexicon from a KWG file, the word graph of wolges, MAGPIE and liwords.

        Its tile codes must be those of `letters`. There are two variants, with children's numbers of 22 and 24 bits;
        which one a file has is found out if `child_bits` does not say. Every node is checked before it is used: raises
        LexiconError with the file and, as `node`, the node that is to blame.
        """
        data = _read(path, MAX_BYTES)
        words = read_graph(data, letters.n_letters, child_bits=child_bits, source=display_name(path))
        return cls(words, letters, name_of(path))

    def __len__(self) -> int:
        return sum(map(len, self._words.all_keys()))

    def __iter__(self) -> Iterator[str]:
        rows_by_length = sorted(self._rows(), key=lambda rows: rows.shape[1])
        for rows in rows_by_length:
            for row in rows[np.lexsort(rows.T[::-1])].tolist():
                yield self.letters.format(row)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, (Sequence, np.ndarray)) and self.contains(word)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the words alone, a third of their tables."""
        return type(self), (list(self._rows()), self.letters, self.name)

    def __repr__(self) -> str:
        return f"<Lexicon {self.name}, {len(self)} words of {self.letters.name}>"

    def contains(self, word: str | Sequence[int] | NDArray[np.integer[Any]], *, anagrams: bool = False) -> bool:
        """Whether a word, as text or tile codes, is in the lexicon; with `anagrams`, or any word of the same letters.

        A text that the letters cannot write is not, nor are codes that are no letters, such as that of a blank without
        one. Needs no compiled code.
        """
        n_letters = self.letters.n_letters
        try:
            codes = self.letters.encode(word) if isinstance(word, str) else [int(code) for code in word]
        except NotationError:
            return False
        letters_only = all(0 < code <= 0xFF and 0 < code & 0x7F <= n_letters for code in codes)
        if not letters_only or not 1 <= len(codes) <= LONGEST_WORD:
            return False
        rows = np.array([codes], np.uint8) & _LETTER
        if anagrams:
            return self._letter_counts().holds(keys_of_letters(rows, n_letters)[0].tolist())
        return self._words.holds(keys_of_words(rows)[0].tolist())

    def contains_batch(self, words: ArrayLike, lengths: ArrayLike, *, anagrams: bool = False) -> NDArray[np.bool_]:
        """Which of many words are in the lexicon: bool[n], by compiled code.

        Parameters
        ----------
        words
            Tile codes uint8[n, width], each word from the start of its row; integers of other types are taken too.
            Blanks count as their letters.
        lengths
            Tiles of each word, [n]; what stands behind them in the row does not matter. 0, and lengths beyond the row
            or 64, are no word.
        anagrams
            A word is also good if any word of the same letters is.

        Raises ShapeError for anything but integers and for shapes that do not fit together.
        """
        from fastscore import lexicon_kernels

        rows = narrow(words, np.uint8, INVALID_TILE, "words")
        counts = narrow(lengths, np.uint8, 0, "lengths")
        if rows.ndim != 2 or counts.shape != rows.shape[:1]:
            raise ShapeError(
                f"words of shape {rows.shape} and lengths of shape {counts.shape}, expected [n, width] and [n]"
            )
        found = np.empty(len(rows), np.bool_)
        scratch = np.empty(MOST_CHUNKS, np.uint64)
        if anagrams:
            n_letters = self.letters.n_letters
            lexicon_kernels.contains_anagram_rows(rows, counts, n_letters, *self._letter_counts(), scratch, found)
        else:
            lexicon_kernels.contains_rows(rows, counts, *self._words, scratch, found)
        return found

    def fits(self, letters: LetterDistribution) -> bool:
        """Whether tile codes mean the same in `letters`; values and counts may differ."""
        return letters is self.letters or letters.tiles == self.letters.tiles

    def digest(self) -> str:
        """A hash of the tiles and the words: lexicons with the same words over the same tiles have the same."""
        found = hashlib.blake2b("\0".join(self.letters.tiles).encode(), digest_size=8)
        for array in self._words:
            found.update(array.astype("<u8").tobytes())
        return found.hexdigest()

    def check_letters(self, letters: LetterDistribution) -> None:
        """Raise RulesError unless the lexicon fits the letters."""
        if not self.fits(letters):
            raise RulesError(
                f"the lexicon {quote(self.name)} has the tiles of {quote(self.letters.name)}, expected those of the "
                f"rules, {quote(letters.name)}"
            )

    def _rows(self) -> Iterator[Rows]:
        """The words, uint8[n, length]; several arrays may have the same length."""
        for chunks in self._words.all_keys():
            padded = np.ascontiguousarray(chunks.astype("<u8")).view(np.uint8)
            lengths = np.count_nonzero(padded, axis=1)
            for length in np.unique(lengths).tolist():
                yield padded[lengths == length, :length]

    def _letter_counts(self) -> WordTables:
        """The tables of letter counts, made when they are first asked for."""
        if self._anagrams is None:
            self._anagrams = WordTables.make(
                keys_of_letters(rows[first : first + _ROWS_AT_ONCE], self.letters.n_letters)
                for rows in self._rows()
                for first in range(0, len(rows), _ROWS_AT_ONCE)
            )
        return self._anagrams


def _read(path: str | os.PathLike[str], most: int) -> bytes:
    shown = display_name(path)
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the path.
        reason = getattr(error, "strerror", None) or str(error)
        raise LexiconError(f"cannot be read: {reason.lower()}", source=shown) from None
    if len(data) > most:
        raise LexiconError(f"is larger than {most} bytes, expected a lexicon", source=shown)
    return data
