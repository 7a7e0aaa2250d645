"""The bytes of GCG files: cut into games and made into text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from fastscore.errors import quote

__all__ = ["MAX_GAME_BYTES", "MAX_GAME_LINES", "Finding", "GameBytes", "GameText", "decode_game", "split_games"]

MAX_GAME_BYTES: Final = 1 << 20
"""Longest record of one game that is read. The longest known, full of comments, has a tenth of it."""
MAX_GAME_LINES: Final = 20_000
"""Most lines of one game that are read."""
_CHUNK = 1 << 18
# A head that the end of a chunk may have cut is looked at together with the next chunk.
_HOLD = 64
_BOM = b"\xef\xbb\xbf"
_HEAD = re.compile(rb"#(character-encoding|player1)(?![^ \t\r\n])", re.IGNORECASE)
_FIRST_EVENT = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*>")
_LATER_EVENT = re.compile(rb"[\r\n][ \t]*>")
_DECLARATION = re.compile(rb"#character-encoding(?![^ \t\r\n])[ \t]*([^\r\n]*)", re.IGNORECASE)
_BEYOND_ASCII = re.compile("[^\\x00-\\x7f]")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_ENCODINGS = {"utf8": "utf-8", "iso88591": "iso-8859-1", "latin1": "iso-8859-1"}
_USUAL_SPELLINGS = ("utf-8", "utf8", "iso-8859-1", "iso 8859-1")


class GameBytes(NamedTuple):
    """A game's part of a file: its bytes, its first line's number, and whether its end was left out."""

    data: bytes
    first_line: int
    cut: bool


class Finding(NamedTuple):
    """What there is to report: code, 1-based line and column (column 0 = the whole line), detail."""

    code: str
    line: int
    column: int
    detail: str


class GameText(NamedTuple):
    """A game's part of a file as text, its lines ended by LF. The other attributes are those of Game."""

    text: str
    first_line: int
    encoding: str | None
    encoding_declared: str | None
    newline: str
    final_newline: bool
    findings: list[Finding]


def split_games(read: Callable[[int], bytes]) -> Iterator[GameBytes]:
    """Cut what `read(size)` gives into games, holding little more than one game at a time.

    A new game begins at a line `#character-encoding` or `#player1`, once the game before has an event; and at a second
    `#character-encoding` in any case. What comes after the first MAX_GAME_BYTES of a game is passed over. There is
    always one game at least, which may be empty.
    """
    splitter = _Splitter()
    while chunk := read(_CHUNK):
        splitter.data += chunk
        yield from splitter.complete_games(len(splitter.data) - _HOLD)
        splitter.forget()
    yield from splitter.complete_games(len(splitter.data) + 1)
    yield splitter.game(len(splitter.data))


class _Splitter:
    """The game that is being looked for: `data` begins with it, or, once it is too long, with a later part of it."""

    def __init__(self) -> None:
        self.data = b""
        self.begin = 0
        # What was looked at already: for heads, for events.
        self.scanned = 0
        self.searched = -1
        self.has_event = False
        # Numbers of the game's first line and of the line at `begin`.
        self.first_line = self.line = 1
        self.kept: bytes | None = None

    def complete_games(self, limit: int) -> Iterator[GameBytes]:
        """The games that end before a head before `limit`."""
        for head in _HEAD.finditer(self.data, self.scanned):
            if head.start() >= limit:
                break
            start = _line_start(self.data, head.start())
            if start is not None and start > self.begin and self._ends_at(start, head[1][:1] in b"cC"):
                yield self.game(start)
                self.line += _count_lines(self.data, self.begin, start)
                self.first_line = self.line
                self.begin = start
                self.kept = None
                self.searched = -1
                self.has_event = False
        self.scanned = max(self.scanned, limit)

    def game(self, end: int) -> GameBytes:
        if self.kept is None:
            data = self.data[self.begin : min(end, self.begin + MAX_GAME_BYTES)]
            return GameBytes(data, self.first_line, end - self.begin > MAX_GAME_BYTES)
        return GameBytes(self.kept, self.first_line, True)

    def forget(self) -> None:
        """Drop the bytes that are not needed any more."""
        if self.kept is None and len(self.data) - self.begin > MAX_GAME_BYTES:
            self.kept = self.data[self.begin : self.begin + MAX_GAME_BYTES]
        # The bytes before a head tell whether it stands at the start of a line.
        if self.kept is not None and self.scanned - _HOLD > self.begin:
            end = self.scanned - _HOLD
            if self.data[end - 1 : end + 1] == b"\r\n":
                end -= 1
            self._search_event(end)
            self.line += _count_lines(self.data, self.begin, end)
            self.begin = end
        self.data = self.data[self.begin :]
        self.scanned = max(self.scanned - self.begin, 0)
        self.searched = max(self.searched - self.begin, 0) if self.searched >= 0 else -1
        self.begin = 0

    def _ends_at(self, start: int, declaration: bool) -> bool:
        self._search_event(start)
        if self.has_event or not declaration:
            return self.has_event
        first = self.data[self.begin : self.begin + _HOLD] if self.kept is None else self.kept[:_HOLD]
        return _DECLARATION.match(first.removeprefix(_BOM)) is not None

    def _search_event(self, end: int) -> None:
        if self.searched < 0:
            self.has_event = _FIRST_EVENT.match(self.data, self.begin, end) is not None
            self.searched = self.begin
        if not self.has_event:
            self.has_event = _LATER_EVENT.search(self.data, self.searched, end) is not None
            self.searched = max(self.searched, end - 1)


def _line_start(data: bytes, at: int) -> int | None:
    """`at` if a line begins there, or the place of the byte order mark that the line begins with; else None."""
    if data[max(at - 3, 0) : at] == _BOM:
        at -= 3
    return at if at == 0 or data[at - 1] in b"\r\n" else None


def _count_lines(data: bytes, begin: int, end: int) -> int:
    lines = data.count(b"\n", begin, end)
    if data.find(b"\r", begin, end) < 0:
        return lines
    return lines + data.count(b"\r", begin, end) - data.count(b"\r\n", begin, end)


def decode_game(game: GameBytes, inherited: str | None = None, *, as_text: bool = False) -> GameText:
    """The text of a game and how it was found.

    The encoding is, in this order: the one that the first line declares, or (`inherited`) the one declared for the game
    before in the file; UTF-8, if the bytes are UTF-8 and not ASCII alone; ISO-8859-1, the format's own. A byte order
    mark declares UTF-8. With `as_text` the bytes are text that was read elsewhere, as UTF-8.
    """
    findings: list[Finding] = []
    line = game.first_line
    data = game.data
    if game.cut:
        data = _without_half_character(data)
        findings.append(Finding("game-too-long", line, 0, f"more than {MAX_GAME_BYTES} bytes"))
    data = _limit_lines(data, line, findings)
    marked = data.startswith(_BOM)
    if marked:
        data = data[len(_BOM) :]
        findings.append(Finding("byte-order-mark", line, 1, "a byte order mark before the first character"))
    elif data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        findings.append(Finding("encoding-unsupported", line, 1, "UTF-16, expected UTF-8 or ISO-8859-1"))
    declaration = _DECLARATION.match(data)
    declared = None if declaration is None else declaration[1].decode("iso-8859-1").strip()
    encoding: str | None = None
    if as_text:
        text = data.decode("utf-8", "surrogatepass")
    else:
        if declaration is None or declared is None:
            encoding = inherited
        else:
            encoding = _supported(declared, line, declaration.start(1) + 1, findings)
        text, encoding = _decode(data, "utf-8" if marked else encoding, line, findings)
    text, newline = _unify_newlines(text, line, findings)
    return GameText(text, line, encoding, declared, newline, text.endswith("\n"), findings)


def _supported(declared: str, line: int, column: int, findings: list[Finding]) -> str:
    encoding = _ENCODINGS.get(re.sub("[^a-z0-9]", "", declared[:_HOLD].lower()))
    if encoding is None:
        findings.append(
            Finding("encoding-unsupported", line, column, f"encoding {quote(declared)}, expected UTF-8 or ISO-8859-1")
        )
        return "iso-8859-1"
    if declared.lower() not in _USUAL_SPELLINGS:
        findings.append(Finding("encoding-spelling", line, column, f"{quote(declared)} for {encoding}"))
    return encoding


def _decode(data: bytes, encoding: str | None, line: int, findings: list[Finding]) -> tuple[str, str]:
    """Text and the encoding it was read with; `encoding` None = not declared."""
    if data.isascii():
        return data.decode("ascii"), encoding or "iso-8859-1"
    if encoding == "utf-8":
        try:
            return data.decode("utf-8"), encoding
        except UnicodeDecodeError:
            return "".join(_decode_lines(data, line, findings)), encoding
    if encoding is None:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text, encoding = data.decode("iso-8859-1"), "iso-8859-1"
            code, detail = "encoding-default", "characters beyond ASCII, read as ISO-8859-1"
        else:
            encoding = "utf-8"
            code, detail = "encoding-undeclared", "UTF-8 that the first line does not declare"
        findings.append(Finding(code, *_place_beyond_ascii(text, line), detail))
        return text, encoding
    return data.decode("iso-8859-1"), encoding


def _decode_lines(data: bytes, first_line: int, findings: list[Finding]) -> Iterator[str]:
    # One bad line must not cost the others their letters, nor itself its own.
    for line, piece in enumerate(data.splitlines(keepends=True), start=first_line):
        try:
            yield piece.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(piece[: error.start].decode("utf-8")) + 1
            detail = (
                f"byte 0x{piece[error.start]:02x} is not UTF-8, expected as declared; the line is read as ISO-8859-1"
            )
            findings.append(Finding("encoding-mismatch", line, column, detail))
            yield piece.decode("iso-8859-1")


def _place_beyond_ascii(text: str, first_line: int) -> tuple[int, int]:
    """Line and column of the first character beyond ASCII."""
    found = _BEYOND_ASCII.search(text)
    before = "" if found is None else text[: found.start()]
    breaks = before.count("\n") + before.count("\r") - before.count("\r\n")
    return first_line + breaks, found.start() - max(before.rfind("\n"), before.rfind("\r")) if found else 0


def _without_half_character(data: bytes) -> bytes:
    """Bytes that were cut somewhere, less up to three that may be the beginning of a UTF-8 character."""
    for back in range(1, 4):
        if data[-back] >= 0xC0:
            return data[:-back]
        if data[-back] < 0x80:
            break
    return data


def _unify_newlines(text: str, line: int, findings: list[Finding]) -> tuple[str, str]:
    if "\r" not in text:
        return text, "lf" if "\n" in text else "none"
    pairs = text.count("\r\n")
    counts = {"crlf": pairs, "cr": text.count("\r") - pairs, "lf": text.count("\n") - pairs}
    found = [f"{count} {name}" for name, count in counts.items() if count]
    if len(found) > 1:
        findings.append(Finding("mixed-newlines", line, 0, f"line ends: {', '.join(found)}"))
    name = "mixed" if len(found) > 1 else found[0].split()[1]
    return text.replace("\r\n", "\n").replace("\r", "\n"), name


def _limit_lines(data: bytes, line: int, findings: list[Finding]) -> bytes:
    if len(data) <= MAX_GAME_LINES or _count_lines(data, 0, len(data)) <= MAX_GAME_LINES:
        return data
    findings.append(Finding("game-too-long", line + MAX_GAME_LINES, 0, f"more than {MAX_GAME_LINES} lines"))
    last = next(islice(_LINE_END.finditer(data), MAX_GAME_LINES - 1, None))
    return data[: last.end()]
