"""The status flags: frozen numbers, words for each, and the kernels' copies of them."""

from __future__ import annotations

import pytest

from fastscore import form_kernels, slot_kernels
from fastscore.status import REASONS, UNSCORABLE, Status, reasons

# Written out once and never changed: users store these numbers.
FROZEN = {
    "UNREADABLE": 0,
    "BAD_POSITION": 1,
    "BAD_DIRECTION": 2,
    "BAD_ROW": 3,
    "BAD_COL": 4,
    "BAD_TILE": 5,
    "BAD_LENGTH": 6,
    "BAD_BOARD": 7,
    "NO_TILE": 8,
    "HOLE": 9,
    "SQUARE_OCCUPIED": 10,
    "SQUARE_BRICK": 11,
    "OFF_BOARD": 12,
    "OVER_BRICK": 13,
    "TOO_MANY_TILES": 14,
    "NOT_IN_LINE": 15,
    "GAP": 16,
    "THROUGH_DIFFERS": 17,
    "THROUGH_EMPTY": 18,
    "BLANK_NEEDS_LETTER": 19,
    "SCORE_OVERFLOW": 20,
    "NOT_CONNECTED": 21,
    "START_NOT_COVERED": 22,
    "NOT_MAXIMAL": 23,
    "BLANK_UNDESIGNATED": 24,
    "NOT_ON_RACK": 25,
    "NO_WORD": 26,
    "PHONY": 27,
    "SPLIT_DIGRAPH": 28,
}


@pytest.mark.parametrize(("name", "bit"), FROZEN.items())
def test_numbers_are_frozen(name: str, bit: int) -> None:
    assert Status[name] == 1 << bit
    assert bool(UNSCORABLE & Status[name]) == (bit <= 20)


def test_every_flag_has_words_of_its_own() -> None:
    assert set(REASONS) == {flag for flag in Status if flag}
    assert len(set(REASONS.values())) == len(REASONS)


def test_reasons_are_listed_in_the_order_of_the_flags() -> None:
    assert reasons(0) == []
    assert reasons(Status.NO_WORD | Status.HOLE) == ["a hole in the row of tiles", "forms no word of two tiles"]


def test_names_are_listed_in_the_order_of_the_flags() -> None:
    assert Status.GOOD.names == []
    # As read from an array: bit 26 and bit 9.
    assert Status((1 << 26) + (1 << 9)).names == ["HOLE", "NO_WORD"]
    assert len(UNSCORABLE.names) == 21


@pytest.mark.parametrize("module", [slot_kernels, form_kernels], ids=["slot_kernels", "form_kernels"])
def test_kernels_use_the_same_numbers(module: object) -> None:
    copied = {name.lstrip("_"): int(value) for name, value in vars(module).items() if name.lstrip("_") in FROZEN}
    assert len(copied) > 5
    assert copied == {name: int(Status[name]) for name in copied}


def test_kernels_know_what_is_unscorable() -> None:
    assert slot_kernels.UNSCORABLE == UNSCORABLE
