"""Text from files, made harmless before it reaches a terminal."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["escaped", "printable"]

# Control, format (bidirectional overrides, invisible characters), surrogates, line and paragraph separators.
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Nothing is seen of these either, though they count as letters, marks or signs: fillers, what joins or varies others, a
# pattern of no dots, and what Unicode keeps free for more of the kind (Default_Ignorable_Code_Point).
_INVISIBLE = frozenset(
    chr(code)
    for codes in (
        (0x034F, 0x2065, 0x2800, 0x3164, 0xFFA0),
        range(0x115F, 0x1161),
        range(0x17B4, 0x17B6),
        range(0x180B, 0x1810),
        range(0xFE00, 0xFE10),
        range(0xFFF0, 0xFFF9),
        range(0xE0000, 0xE1000),
    )
    for code in codes
)
# Persian and the scripts of India write with these two.
_JOINERS = frozenset({"\u200c", "\u200d"})
_WHITE_SPACE = frozenset({"\t", "\n", "\r"})
# A sequence goes as a whole, or its parameters would stay behind as text.
_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor movements
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # titles, links, device text
    r"|\x1b[ -/]*[0-~]"
)


def printable(text: str) -> str:
    """`text` on one line, without escape sequences, control, bidirectional and other invisible characters.

    A tab or a line end becomes a space; letters, marks and spaces of every script that are seen stay as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        " " if character in _WHITE_SPACE else character
        for character in _ESCAPE_SEQUENCE.sub("", text)
        if character in _WHITE_SPACE or not _harmful(character)
    )


def escaped(json_text: str) -> str:
    r"""`json_text` with every harmful character written as `\uXXXX`, which a reader of JSON takes for the same text.

    JSON has such characters only within its strings, but for the line ends of a text that is indented: they stay.
    """
    if json_text.isascii() and "\x7f" not in json_text:
        return json_text
    return "".join(
        _json_escape(character) if character != "\n" and _harmful(character) else character for character in json_text
    )


def _harmful(character: str) -> bool:
    if character in _INVISIBLE:
        return True
    return unicodedata.category(character) in _HARMFUL and character not in _JOINERS


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
