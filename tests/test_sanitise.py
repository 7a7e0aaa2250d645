"""Text from files is made harmless before a terminal sees it."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.sanitise import escaped, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("8H QUIZ", "8H QUIZ"),
        ("", ""),
        ("Zażółć L·L ЁЖ ㅏ ÅÄÖ", "Zażółć L·L ЁЖ ㅏ ÅÄÖ"),
        ("می\u200cروم", "می\u200cروم"),
        ("two\nlines\tand\ra tab", "two lines and a tab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b2Jcleared", "cleared"),
        ("\x1b]0;a title\x07name", "name"),
        ("\x1b]8;;file:x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPdevice\x1b\\after", "after"),
        ("\x1bcreset", "reset"),
        # What is left of two nested sequences must not be one.
        ("\x1b\x1b[m[31mtext", "[31mtext"),
        ("bell\x07 back\x08 nul\x00 del\x7f", "bell back nul del"),
        ("left\u202eright\u2066isolate\u200f", "leftrightisolate"),
        ("line\u2028paragraph\u2029next\x85", "lineparagraphnext"),
        ("\ufeffmark", "mark"),
        ("half \ud800 a pair", "half  a pair"),
        # Fillers of Hangul, a grapheme joiner, a braille pattern without dots, selectors of variants, a free code.
        ("A\u115f\u1160\u3164\uffa0nn", "Ann"),
        ("A\u034fn\u2800n\u2065", "Ann"),
        ("A\ufe0fn\U000e0100n\u180b\u180f\ufff0", "Ann"),
        # Dots, another space and combining marks are seen.
        ("\u2801 a\u0301\u3000\u0e4d", "\u2801 a\u0301\u3000\u0e4d"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_harmful_is_left(text: str) -> None:
    shown = printable(text)
    left = {unicodedata.category(character) for character in shown if character not in "\u200c\u200d"}
    assert not left & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not set("\u034f\u2065\u2800\u3164\ufe0f\U000e0100") & set(shown)
    assert printable(shown) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_escaped_json_reads_as_the_same_text(text: str) -> None:
    written = escaped(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(written) == {"text": text}
    assert printable(written) == written


def test_escaped_leaves_line_ends_and_letters() -> None:
    assert escaped('{\n "é": "Ł"\n}') == '{\n "é": "Ł"\n}'
    assert escaped('"\u202e"') == '"\\u202e"'
    assert escaped('"\U000e0001"') == '"\\udb40\\udc01"'
