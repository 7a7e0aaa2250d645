"""Text of bundled data and of the files that a user names: bounded, UTF-8, with errors that name the file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from numbers import Integral
from pathlib import Path
from typing import IO, TypeGuard, Union

from fastscore.errors import RulesError, quote
from fastscore.sanitise import printable

__all__ = [
    "MAX_FILE_SIZE",
    "Source",
    "bundled_names",
    "bundled_text",
    "described",
    "display_name",
    "is_whole",
    "name_of",
    "nearest",
    "numbered_lines",
    "read_text",
    "whole_number",
]

MAX_FILE_SIZE = 1_000_000
"""Most bytes of a layout, distribution or ruleset file."""

Source = Union[str, "os.PathLike[str]", IO[str], IO[bytes]]
"""What the readers take: a path, or an open file."""

_NUMBER = re.compile(r"[+-]?[0-9]+")
_MOST_DIGITS = 12


def display_name(source: Source) -> str:
    """The name of a source for messages: its path as given, or the name of an open file."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<file>"


def name_of(source: Source) -> str:
    """The name of what a file holds if nothing else names it: the file's name without its ending."""
    return printable(Path(display_name(source)).stem)


def read_text(source: Source) -> str:
    """The text of a file, UTF-8 with or without a byte order mark, at most MAX_FILE_SIZE bytes. Raises RulesError."""
    shown = display_name(source)
    try:
        if isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as opened:
                content: str | bytes = opened.read(MAX_FILE_SIZE + 1)
        else:
            content = source.read(MAX_FILE_SIZE + 1)
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the path, or a closed file.
        reason = getattr(error, "strerror", None) or str(error)
        raise RulesError(f"cannot be read: {reason.lower()}", source=shown) from None
    if len(content) > MAX_FILE_SIZE:
        raise RulesError(f"is larger than {MAX_FILE_SIZE} bytes, expected a small text file", source=shown)
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The place is counted behind a byte order mark, which holds no line end.
        line = content[: error.start].count(b"\n") + 1
        detail = f"byte 0x{error.object[error.start]:02x} is not UTF-8, expected UTF-8 text"
        raise RulesError(detail, source=shown, line=line) from None


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text with their numbers from 1. Only LF, CRLF and CR end a line, unlike `str.splitlines`."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return list(enumerate(lines, 1))


def whole_number(text: str) -> int | None:
    """The number that ASCII digits with an optional sign write, None for any other text.

    `int` alone would take `1_0`, Arabic digits and numbers of a million digits.
    """
    if _NUMBER.fullmatch(text) is None:
        return None
    digits = text.lstrip("+-").lstrip("0") or "0"
    # Anything longer is out of every range; which number it is does not matter.
    number = int(digits[: _MOST_DIGITS + 1])
    return -number if text.startswith("-") else number


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is an integer, Python's or NumPy's, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def described(value: object) -> str:
    """A value from a file or a caller as it may stand in a message, however large or deep it is."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, (bool, float)) or value is None:
        return str(value)
    if is_whole(value):
        # Python refuses to write numbers of thousands of digits.
        return str(value) if abs(value) < 10**_MOST_DIGITS else f"a number of more than {_MOST_DIGITS} digits"
    kinds = {"dict": "a table", "list": "an array"}
    kind = type(value).__name__
    return kinds.get(kind, f"a value of type {kind}")


def bundled_text(path: str) -> str:
    """The text of a file below `fastscore/rules/data`. Raises FileNotFoundError."""
    return files("fastscore.rules").joinpath("data").joinpath(path).read_text(encoding="utf-8")


@cache
def bundled_names(folder: str) -> tuple[str, ...]:
    """Names, without their endings, of the bundled files of a folder, sorted."""
    entries = files("fastscore.rules").joinpath("data").joinpath(folder).iterdir()
    return tuple(sorted(Path(entry.name).stem for entry in entries if not entry.name.startswith((".", "_"))))


def nearest(name: str, known: Iterable[str]) -> str:
    """` , did you mean 'x'?` for the known name nearest to `name`, or a list of the known ones if none is near."""
    from difflib import get_close_matches

    names = sorted(known)
    found = get_close_matches(name[:80].lower(), names, n=1, cutoff=0.5)
    if found:
        return f"did you mean {quote(found[0])}?"
    return f"expected one of {', '.join(names)}"
