"""The texts and racks of record events as tile codes and back, many at once."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from fastscore import record_kernels as events_of
from fastscore import spelling_kernels as kernels
from fastscore.errors import NotationError
from fastscore.notation.plays import Mark, parse_word
from fastscore.rules.letters import BLANK

if TYPE_CHECKING:
    from fastscore.rules.letters import LetterDistribution

__all__ = ["Coder"]

_THROUGH: Final = "."
_NOT_ALONE: Final = "[]()"
_MOST_CLASSES: Final = 255


class Coder:
    """The codes of texts under one letter distribution: compiled, but for texts with brackets or of rare characters."""

    def __init__(self, letters: LetterDistribution) -> None:
        self.letters = letters
        self._classes, self._steps, self._tiles = _tree_of(letters)
        shown = {code: letters.decode(code) for code in _codes_of(letters)}
        self._back: bytes | None = None
        if all(len(text) == 1 and ord(text) < 256 for text in shown.values()):
            self._back = bytes(ord(shown.get(code, "\0")) for code in range(256))

    def encode(self, texts: list[str], events: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The codes of all texts, of which each event has one and a rack.

        Corrects the numbers of their codes in `events`, and flags those that cannot be read.
        """
        joined = "".join(texts)
        try:
            points = np.frombuffer(joined.encode("iso-8859-1"), np.uint8)
        except UnicodeEncodeError:
            wide = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
            points = np.minimum(wide, len(self._classes) - 1)
        codes = np.empty(len(points), np.uint8)
        left = np.empty((len(events), 2), np.uint8)
        used = kernels.encode_texts(self._classes[points], self._steps, self._tiles, events, codes, left)
        made = codes[:used] if not left.any() else self._with_those_left(texts, events, codes, left)
        made.setflags(write=False)  # as other callers have it: another array type is compiled anew
        return made

    def _with_those_left(
        self, texts: list[str], events: NDArray[np.int64], codes: NDArray[np.uint8], left: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        columns = (events_of.TEXT, events_of.RACK)
        sizes = np.where(left, 0, events[:, columns])
        ends = np.cumsum(sizes.reshape(-1)).tolist()
        pieces: list[bytes] = []
        data = codes.tobytes()
        at = 0
        for index in np.flatnonzero(left).tolist():
            event, part = divmod(index, 2)
            pieces.append(data[at : ends[index]])
            at = ends[index]
            try:
                if part or events[event, events_of.KIND] != events_of.PLACE:
                    found = bytes(self.letters.encode(texts[index]))
                else:
                    found = _word_codes(texts[index], self.letters)
            except NotationError:
                found = b""
                events[event, events_of.GIVEN] |= (events_of.TEXT_UNREADABLE, events_of.RACK_UNREADABLE)[part]
            events[event, columns[part]] = len(found)
            pieces.append(found)
        pieces.append(data[at : ends[-1]])
        return np.frombuffer(b"".join(pieces), np.uint8)

    def decode(self, codes: bytes) -> list[str]:
        """Words from their codes, each with a 0 behind it."""
        if self._back is not None:
            return codes.translate(self._back).decode("iso-8859-1").split("\0")
        return [self.letters.format(word) for word in codes.split(b"\0")]


def _tree_of(letters: LetterDistribution) -> tuple[NDArray[np.uint8], NDArray[np.int16], NDArray[np.uint8]]:
    """Class by character (the last one for all behind), and the tree of spellings, as the kernel has them."""
    plain = {text: code for text, code in letters.spellings.items() if all(map(_stands_alone, text))}
    characters = sorted(set("".join(plain)))[: _MOST_CLASSES - kernels.FIRST_CLASS]
    classes = np.full(max(*map(ord, characters), 255) + 2, kernels.SPECIAL, np.uint8)
    classes[:128] = kernels.STRANGER
    classes[[ord(character) for character in _NOT_ALONE]] = kernels.SPECIAL
    classes[ord(_THROUGH)] = kernels.THROUGH
    numbers = {character: number for number, character in enumerate(characters, start=kernels.FIRST_CLASS)}
    for character, number in numbers.items():
        classes[ord(character)] = number
    steps = [[0] * (kernels.FIRST_CLASS + len(characters))]
    tiles = [0]
    for text, code in plain.items():
        if not numbers.keys() >= set(text):
            continue
        state = 0
        for character in text:
            following = steps[state][numbers[character]]
            if following == 0:
                following = len(steps)
                steps[state][numbers[character]] = following
                steps.append([0] * len(steps[0]))
                tiles.append(0)
            state = following
        tiles[state] = code
    return classes, np.array(steps, np.int16), np.array(tiles, np.uint8)


def _stands_alone(character: str) -> bool:
    """Whether what stands beside a character cannot make another one of it: then texts need no composing."""
    return character.isascii() or unicodedata.category(character)[0] != "M"


def _codes_of(letters: LetterDistribution) -> list[int]:
    letter_codes = range(1, letters.n_letters + 1)
    return [*letter_codes, *(code | BLANK for code in letter_codes), BLANK]


def _word_codes(text: str, letters: LetterDistribution) -> bytes:
    codes = bytearray()
    for mark, tile in parse_word(text, letters):
        if mark == Mark.THROUGH_LETTER:
            codes.append(events_of.THROUGH_LETTER)
        codes.append(tile)
    return bytes(codes)
