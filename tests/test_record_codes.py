"""Texts of records as tile codes: what the letter distribution and the notation say, in every language."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fastscore import record_kernels as kernels
from fastscore.errors import NotationError
from fastscore.notation.plays import Mark, parse_word
from fastscore.records.codes import Coder
from fastscore.rules.letters import LetterDistribution, distribution_names, load_distribution

TEXTS = 400


def codes_of(text: str, letters: LetterDistribution, placement: bool) -> bytes | None:
    """By the notation itself: a code a tile, 0 for a point, 0xFF before a tile in round brackets; None = no text."""
    try:
        if not placement:
            return bytes(letters.encode(text))
        found = b""
        for mark, tile in parse_word(text, letters):
            found += bytes([0xFF, tile] if mark == Mark.THROUGH_LETTER else [tile])
    except NotationError:
        return None
    return found


def check(texts: list[str], letters: LetterDistribution, kind: int = kernels.PLACE) -> None:
    """Each two of the texts are the text and the rack of an event."""
    texts = texts[: len(texts) // 2 * 2]
    events = np.zeros((len(texts) // 2, kernels.EVENT_COLUMNS), np.int64)
    events[:, kernels.KIND] = kind
    events[:, kernels.TEXT] = [len(text) for text in texts[::2]]
    events[:, kernels.RACK] = [len(text) for text in texts[1::2]]
    codes = Coder(letters).encode(texts, events).tobytes()
    at = 0
    for index, text in enumerate(texts):
        event, part = divmod(index, 2)
        size = events[event, (kernels.TEXT, kernels.RACK)[part]]
        found = codes[at : at + size]
        at += size
        unreadable = events[event, kernels.GIVEN] & (kernels.TEXT_UNREADABLE, kernels.RACK_UNREADABLE)[part] != 0
        expected = codes_of(text, letters, part == 0 and kind == kernels.PLACE) if text else b""
        if "." in text and (part or kind != kernels.PLACE):
            # A point is no tile of a rack; as code 0, which is none either, the record kernel finds it.
            assert unreadable or 0 in found, text
        else:
            assert (None if unreadable else found) == expected, text
    assert at == len(codes)


def some_texts(letters: LetterDistribution, source: random.Random) -> list[str]:
    """Tiles in every spelling, points, brackets, and sometimes something that is none of these."""
    spellings = [*letters.spellings]
    pieces = [*spellings, *(letters.decode(code) for code in letters.spellings.values())]
    strange = [
        "(",
        ")",
        "[",
        "]",
        "()",
        "[]",
        "#",
        "1",
        " ",
        "é",
        "\u0301",
        "\u0303",
        "Ж",
        "한",
        "\ud800",
        "\U0001f600",
    ]
    made = []
    for _ in range(TEXTS):
        text = [source.choice(pieces) for _ in range(source.randrange(12))]
        if source.random() < 0.5:
            text.insert(source.randrange(len(text) + 1), ".")
        if source.random() < 0.3:
            begin = source.randrange(len(text) + 1)
            text[begin:begin] = ["(", source.choice(spellings), ")"]
        if source.random() < 0.3:
            text.insert(source.randrange(len(text) + 1), source.choice(strange))
        made.append("".join(text))
    return made


@pytest.mark.parametrize("name", distribution_names())
def test_texts_of_every_language(name: str) -> None:
    letters = load_distribution(name)
    source = random.Random(name)
    check(some_texts(letters, source), letters)
    check(some_texts(letters, source), letters, kernels.EXCHANGE)
    # The texts of another language, all together and one by one.
    others = some_texts(load_distribution(source.choice(distribution_names())), source)
    check(others, letters)
    for begin in range(0, 40, 2):
        check(others[begin : begin + 2], letters)


def test_the_longest_spelling_counts() -> None:
    letters = load_distribution("spanish")
    check(["CHOCLLO", "CCHHLL", "C.HCH", "ch.Ch", "(CH)C.H", "[CH]C[H]"], letters)
    values = ("?", "A", "AB", "ABC", "B", "C", "D")
    three = LetterDistribution("three", values, (0,) * 7)
    # ABD is AB and D, although ABC begins like it; ABAB is AB twice.
    check(["ABCABDAB", "ABABC", "aba", "abcABCab.c"], three)
    assert codes_of("ABD", three, True) == bytes([2, 6])


def test_nothing() -> None:
    check([], load_distribution("english"))
    check(["", "", "", "AB"], load_distribution("english"))


def test_characters_that_are_composed() -> None:
    # N and a tilde of its own are one tile, and so for characters beyond the first 256.
    check(["N\u0303O", "NO\u0303"], load_distribution("spanish"))
    check(["a\u0306B", "A\u0306"], load_distribution("romanian"))
