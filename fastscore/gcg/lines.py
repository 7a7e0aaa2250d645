"""One event line of a GCG record, read leniently: what it says, and in what it departs from the format.

The grammar of an event, its fields parted by white space:

    >nick: rack 8D WORD score total        placement        >nick: rack -- score total      withdrawal
    >nick: rack - score total              pass             >nick: rack -ABC score total    exchange
    >nick: rack -3 score total             exchange by number
    >nick: [rack] (challenge) score total  bonus            >nick: [rack] (time) score total
    >nick: (ABC) score total               points for others' tiles
    >nick: rack (ABC) score total          points taken for the own tiles

The shape of the second field, or of the first where that is a bracket, tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Final, NamedTuple

from fastscore.errors import quote
from fastscore.game import Kind

__all__ = ["LINE", "Departure", "EventLine", "parse_event_line"]

# Letters and accents of most scripts, without spaces and invisible characters. What is left out takes the slow way.
_LETTER = "A-Za-z\u00b7\u00c0-\u05ff\u0620-\u06dc\u06de-\u070e\u0710-\u08e1\u08e3-\u167f\u1681-\u180d\u1810-\u1fff"
_RACK = rf"[{_LETTER}?\[\]]"

_RACKFUL = f"{_RACK}{{1,99}}"

LINE: Final = re.compile(
    r"^>(\S+): "
    rf"(?:((?!UNKNOWN ){_RACKFUL}) "
    rf"(?:([0-9]{{1,2}}[A-Z]|[A-Z][0-9]{{1,2}}) ([{_LETTER}?\[\].()]{{1,99}})|(-(?:{_RACKFUL}|-? ?)))"
    rf"| ?\((?!(?i:challenge|time)\))({_RACKFUL})\)(?= \+)) "
    r"([+-][0-9]{1,6}) (-?[0-9]{1,7})$|^(.*)$",
    re.MULTILINE,
)
"""Every line of a text, one match each: short name, rack, coordinate and word of a placement, or what an exchange, a
pass or a withdrawal has in their place, or others' tiles at the end, score, total; of lines that need a closer look
the last group has the whole."""


class Departure(NamedTuple):
    """In what a line departs from the format: code, 1-based column, detail."""

    code: str
    column: int
    detail: str


class EventLine(NamedTuple):
    """What an event line says, and the columns of the short name and of the field that tells the kind.

    `kind` malformed: nothing but the departures, the last of which says why.
    """

    kind: Kind
    nick: str
    nick_column: int
    column: int
    rack: str | None
    text: str
    coordinate: str
    score: int | None
    total: int | None
    departures: list[Departure]


class _Field(NamedTuple):
    column: int
    text: str


_FIELD = re.compile(r"\S+")
_SPACES = re.compile(r"\s+")
_COORDINATE = re.compile("[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2}")
_EXCHANGE_COUNT = re.compile("[0-9]{1,2}")
_BRACKET = re.compile(r"\(([^()]*)\)")
_WORDS = re.compile(r"pass\.?|exch(?:ange)?\.?|ex\.\S+", re.IGNORECASE)
_SCORE = re.compile("([+-]|\\+-|\u2212)?([0-9]{1,6})")
_TOTAL = re.compile("([+\u2212-])?([0-9]{1,7})")
_ON_RACK = re.compile(r"\[[^\]]*\]|.")
_NO_TILE = re.compile(r"[^\w\u0300-\u036f?\[\]\u00b7*|]|_")
_NOT_ON_RACK = re.compile(rf"{_NO_TILE.pattern}|\d")
# rack, field, two more for `exch ABC`, score, total, and one that begins what follows
_MOST_FIELDS = 7


def parse_event_line(line: str, is_player: Callable[[str], bool]) -> EventLine:
    """Read a line that begins with `>`.

    `is_player` tells whether a text is the short or the full name of a player: that decides where a name ends that is
    not followed by a colon and white space.
    """
    return _EventReader(line).read(is_player)


class _Malformed(Exception):
    def __init__(self, departure: Departure) -> None:
        super().__init__(departure.code)
        self.departure = departure


class _EventReader:
    def __init__(self, line: str) -> None:
        self.line = line
        self.departures: list[Departure] = []
        self.nick = ""
        self.nick_column = 2

    def read(self, is_player: Callable[[str], bool]) -> EventLine:
        try:
            body = self._read_nick(is_player)
            fields = [
                _Field(match.start() + 1, match[0]) for match in islice(_FIELD.finditer(self.line, body), _MOST_FIELDS)
            ]
            return self._read_fields(fields, body)
        except _Malformed as malformed:
            self.departures.append(malformed.departure)
            return EventLine("malformed", self.nick, self.nick_column, 0, None, "", "", None, None, self.departures)

    def _note(self, code: str, column: int, detail: str) -> None:
        self.departures.append(Departure(code, column, detail))

    def _read_nick(self, is_player: Callable[[str], bool]) -> int:
        """Find the short name; return where in the line the fields begin."""
        first = _FIELD.search(self.line, 1)
        if first is None:
            raise _Malformed(Departure("event-malformed", 2, "nothing after '>'"))
        self.nick_column = first.start() + 1
        if first.start() > 1:
            self._note("nick-with-space", 2, "white space after '>'")
        if first[0].endswith(":"):
            self.nick = first[0][:-1]
            return first.end()
        # A declared name says best where the name ends; else the first colon of the field does.
        colons = [at for at in islice(_colons(first[0]), 8) if is_player(first[0][:at])]
        colon = colons[-1] if colons else first[0].find(":")
        if colon >= 0:
            end = first.start() + colon + 1
            self._note("space-missing", end + 1, f"no white space after {quote(first[0][: colon + 1])}")
            self.nick = first[0][:colon]
            return end
        end = self.line.find(":", first.end())
        name = " ".join(self.line[first.start() : max(end, 0)].split())
        if end >= 0 and is_player(name):
            self.nick = name
            self._note("nick-with-space", self.nick_column, f"{quote(name)}, expected a short name without white space")
            return end + 1
        raise _Malformed(
            Departure("colon-missing", first.end() + 1, f"no colon after the short name {quote(first[0])}")
        )

    def _read_fields(self, fields: list[_Field], body: int) -> EventLine:
        if not fields:
            raise _Malformed(Departure("event-malformed", body + 1, "nothing after the short name"))
        rack: str | None = None
        first = fields[0]
        if first.text[0] in "(-":
            what, rest = first, fields[1:]
        elif len(fields) > 1 and _is_event_field(fields[1].text):
            rack, what, rest = first.text, fields[1], fields[2:]
        elif _is_event_field(first.text):
            what, rest = first, fields[1:]
        else:
            second = fields[1] if len(fields) > 1 else first
            raise _Malformed(
                Departure(
                    "event-malformed",
                    second.column,
                    f"{quote(second.text)} is no coordinate, exchange, pass or bracket, expected a line like "
                    "'>nick: RACK 8D WORD +10 20'",
                )
            )
        kind, coordinate, text, rest = self._read_what(what, rest)
        score, rest = self._read_score(rest)
        # Without a score there is no total either: one fault.
        total, rest = (None, rest) if score is None else self._read_total(rest)
        if rest:
            self._note("text-after-cumulative", rest[0].column, f"{quote(self.line[rest[0].column - 1 :])} is left out")
        if kind == "end_points" and (rack is not None or (score or 0) < 0):
            kind = self._which_end(rack, score, what)
        if rack is not None:
            rack = self._read_rack(_Field(first.column, rack))
        elif kind not in ("challenge_bonus", "time_penalty", "end_points"):
            self._note("rack-missing", what.column, f"no rack before {quote(what.text)}")
        if kind == "exchange_count" and rack is not None and int(text) > len(_ON_RACK.findall(rack)):
            self._note("exchange-exceeds-rack", what.column, f"{text} tiles exchanged of the rack {quote(rack)}")
        last = fields[len(fields) - len(rest) - 1]
        self._check_spaces(body, last.column - 1 + len(last.text))
        return EventLine(
            kind, self.nick, self.nick_column, what.column, rack, text, coordinate, score, total, self.departures
        )

    def _read_what(self, what: _Field, rest: list[_Field]) -> tuple[Kind, str, str, list[_Field]]:
        """Kind, coordinate and text of the event, and the fields after it."""
        text = what.text
        if text == "-":
            return "pass", "", "", rest
        if text == "--":
            return "withdraw", "", "", rest
        if text[0] == "-":
            return _exchange_kind(what, text[1:]), "", text[1:], rest
        if text[0] == "(":
            return self._read_bracket(what, rest)
        if _WORDS.fullmatch(text):
            return self._read_words(what, rest)
        if not rest or _SCORE.fullmatch(rest[0].text):
            raise _Malformed(Departure("play-missing", what.column, f"no word after the coordinate {quote(text)}"))
        if text != text.upper():
            self._note("lower-case-position", what.column, f"{quote(text)}, usually {text.upper()}")
        return "place", text, rest[0].text, rest[1:]

    def _read_bracket(self, what: _Field, rest: list[_Field]) -> tuple[Kind, str, str, list[_Field]]:
        bracket = _BRACKET.fullmatch(what.text)
        if bracket is None:
            raise _Malformed(
                Departure(
                    "bracket-malformed", what.column, f"{quote(what.text)}, expected (TILES), (challenge) or (time)"
                )
            )
        word = bracket[1].lower()
        if word not in ("challenge", "time"):
            return "end_points", "", bracket[1], rest
        if bracket[1] != word:
            self._note("event-case", what.column, f"{quote(what.text)}, expected ({word})")
        return "challenge_bonus" if word == "challenge" else "time_penalty", "", "", rest

    def _read_words(self, what: _Field, rest: list[_Field]) -> tuple[Kind, str, str, list[_Field]]:
        detail = f"{quote(what.text)}, expected '-' for a pass or '-ABC' for an exchange"
        if what.text[:4].lower() == "pass":
            self._note("event-word", what.column, detail)
            return "pass", "", "", rest
        tiles = what.text[3:]
        if what.text[2] != ".":
            # A number of tiles looks like a score, so that one must follow.
            number = _SCORE.fullmatch(rest[0].text) if rest else None
            followed = len(rest) > 1 and _SCORE.fullmatch(rest[1].text) is not None
            if not rest or (number is not None and (number[1] is not None or not followed)):
                raise _Malformed(Departure("event-malformed", what.column, f"no tiles after {quote(what.text)}"))
            tiles, rest = rest[0].text, rest[1:]
        kind = _exchange_kind(what, tiles)
        self._note("event-word", what.column, detail)
        return kind, "", tiles, rest

    def _read_score(self, rest: list[_Field]) -> tuple[int | None, list[_Field]]:
        if not rest:
            self._note("score-missing", len(self.line) + 1, "no score, expected one like +10")
            return None, rest
        column, text = rest[0]
        score = _SCORE.fullmatch(text)
        if score is None:
            raise _Malformed(Departure("score-malformed", column, f"{quote(text)} is no score, expected one like +10"))
        sign, digits = score.groups()
        if sign not in ("+", "-"):
            code = {None: "score-without-sign", "+-": "score-plus-minus"}.get(sign, "score-minus-sign")
            self._note(code, column, f"{quote(text)}, expected {'-' if sign else '+'}{int(digits)}")
        return int(digits) if sign in (None, "+") else -int(digits), rest[1:]

    def _read_total(self, rest: list[_Field]) -> tuple[int | None, list[_Field]]:
        if not rest:
            self._note("total-missing", len(self.line) + 1, "no running total after the score")
            return None, rest
        column, text = rest[0]
        total = _TOTAL.fullmatch(text)
        if total is None:
            self._note("total-malformed", column, f"{quote(text)} is no running total, expected a number")
            return None, rest[1:]
        sign, digits = total.groups()
        if sign == "+":
            self._note("total-with-plus", column, f"{quote(text)}, expected {int(digits)}")
        elif sign == "\u2212":
            self._note("score-minus-sign", column, f"{quote(text)}, expected -{int(digits)}")
        return int(digits) if sign in (None, "+") else -int(digits), rest[1:]

    def _which_end(self, rack: str | None, score: int | None, what: _Field) -> Kind:
        # The rack tells the two apart by the format, but a score of the other sign knows better.
        if rack is not None and (score or 0) > 0:
            self._note("end-rack-shown", what.column, f"points for {quote(what.text)} with a rack before it")
            return "end_points"
        return "end_penalty"

    def _read_rack(self, field: _Field) -> str | None:
        column, rack = field
        if not rack.strip("_"):
            self._note("rack-unknown", column, f"{quote(rack)} for an unknown rack")
            return None
        if rack == "UNKNOWN":
            self._note("rack-unknown-word", column, f"{quote(rack)} is taken for an unknown rack")
            return None
        if "." in rack:
            self._note("rack-dot-blank", column + rack.index("."), f"'.' for a blank in the rack {quote(rack)}")
            rack = rack.replace(".", "?")
        stranger = _NOT_ON_RACK.search(rack)
        if stranger is not None:
            detail = f"{quote(stranger[0])} in the rack {quote(rack)}, expected letters and '?'"
            self._note("rack-malformed", column + stranger.start(), detail)
        return rack

    def _check_spaces(self, body: int, end: int) -> None:
        """Report white space other than one space between the fields from `body` to `end`.

        Two spaces stand for a field that is left empty: a rack before a bracket, the tiles of a pass or a withdrawal.
        """
        seen: set[str] = set()
        for run in _SPACES.finditer(self.line, body, end):
            at, space = run.start(), run[0]
            left_out = self.line[run.end()] == "(" if at == body else self.line[at - 2 : at] in (" -", "--")
            code = "tab" if space.strip(" ") else "extra-space"
            if space == " " or (space == "  " and left_out) or code in seen:
                continue
            seen.add(code)
            self._note(code, at + 1, "expected one space between fields")
        if self.line[-1].isspace():
            self._note("trailing-space", len(self.line.rstrip()) + 1, "white space at the end of the line")


def _exchange_kind(what: _Field, tiles: str) -> Kind:
    stranger = _NO_TILE.search(tiles)
    if stranger is not None:
        detail = f"{quote(stranger[0])} in {quote(what.text)}, expected an exchange like -ABC or -3"
        raise _Malformed(Departure("event-malformed", what.column, detail))
    return "exchange_count" if _EXCHANGE_COUNT.fullmatch(tiles) else "exchange"


def _is_event_field(text: str) -> bool:
    if text[0] == "(":
        # A word may begin with the letters that it runs through.
        return ")" not in text or _BRACKET.fullmatch(text) is not None
    return text[0] == "-" or _COORDINATE.fullmatch(text) is not None or _WORDS.fullmatch(text) is not None


def _colons(text: str) -> list[int]:
    return [at for at, character in enumerate(text) if character == ":"]
