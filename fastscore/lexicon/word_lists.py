"""Word lists: texts -> tile codes. A list is UTF-8 text with a word a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastscore.errors import LexiconError, NotationError, quote
from fastscore.lexicon.kwg import LONGEST_WORD, MAX_WORDS
from fastscore.rules.sources import numbered_lines

if TYPE_CHECKING:
    from fastscore.rules.letters import LetterDistribution

__all__ = ["MAX_TEXT_BYTES", "encode_words", "words_of_text"]

MAX_TEXT_BYTES = 1 << 27
"""Most bytes of a word list."""

_COMMENT = "#"
_BLANK = 0x80
_LETTER = 0x7F
_MOST_CHARACTERS_SHOWN = 60

Rows = NDArray[np.uint8]
NumberedWord = tuple[int, str]


def words_of_text(data: bytes, source: str) -> list[NumberedWord]:
    """The words of a file with their lines, from 1; blank lines and those that begin with `#` are left out."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = error.object[: error.start]
        detail = f"byte 0x{error.object[error.start]:02x} is not UTF-8, expected a word list"
        raise LexiconError(detail, source=source, line=place.count(b"\n") + 1) from None
    stripped = ((number, line.strip()) for number, line in numbered_lines(text))
    words = [(number, line) for number, line in stripped if line and not line.startswith(_COMMENT)]
    if not words:
        raise LexiconError("no words, expected one a line", source=source)
    return words


def encode_words(words: Sequence[NumberedWord], letters: LetterDistribution, source: str | None = None) -> list[Rows]:
    """Tile codes of the words, without marks of blanks: uint8[n, length] for each length that occurs.

    Raises LexiconError, with the line of a file or the number of a word, for one that the letters cannot write, that
    holds a blank without a letter, or that has more than 64 tiles.
    """
    if len(words) > MAX_WORDS:
        raise LexiconError(f"{len(words)} words, expected at most {MAX_WORDS}", source=source)
    # One long text: a call for each word would take longer than all the rest.
    joined = "".join(f"{text}\n" for _, text in words)
    try:
        codes = np.array(letters.encode(joined, extra="\n"), np.uint8)
    except NotationError:
        raise _unreadable(words, letters, source) from None
    ends = np.flatnonzero(codes == 0)
    if len(ends) != len(words) or (codes == _BLANK).any():
        raise _unreadable(words, letters, source)
    lengths = np.diff(ends, prepend=-1) - 1
    if (lengths > LONGEST_WORD).any():
        index = int((lengths > LONGEST_WORD).argmax())
        raise _at_word(words[index], f"has {lengths[index]} tiles, expected at most {LONGEST_WORD}", source)
    codes &= np.uint8(_LETTER)
    starts = ends - lengths
    return [
        codes[starts[lengths == length][:, np.newaxis] + np.arange(length)] for length in np.unique(lengths).tolist()
    ]


def _unreadable(words: Sequence[NumberedWord], letters: LetterDistribution, source: str | None) -> LexiconError:
    """The error of the first word that the letters cannot write."""
    for word in words:
        try:
            if _BLANK in letters.encode(word[1]):
                return _at_word(word, "holds a blank without a letter, expected letters", source)
        except NotationError as error:
            if source is None:
                return LexiconError(f"word {word[0]}: {error.detail}", column=error.column)
            return LexiconError(error.detail, source=source, line=word[0], column=error.column)
    return LexiconError("words that cannot be read one after the other", source=source)


def _at_word(word: NumberedWord, problem: str, source: str | None) -> LexiconError:
    number, text = word
    if source is None:
        return LexiconError(f"word {number}: {quote(text)} {problem}")
    return LexiconError(f"{quote(text)} {problem}", source=source, line=number)
