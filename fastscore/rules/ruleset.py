"""Rulesets: a board layout, a letter distribution and the settings of a variant or a federation."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

from fastscore.errors import RulesError, quote
from fastscore.rules.layouts import BoardLayout
from fastscore.rules.letters import LetterDistribution
from fastscore.rules.sources import described, is_whole

if TYPE_CHECKING:
    import os

__all__ = [
    "CHALLENGE_RULES",
    "END_ADJUSTMENTS",
    "MAX_RACK_SIZE",
    "Ruleset",
    "for_each_ruleset",
    "load_rules",
    "ruleset_names",
]

_Made = TypeVar("_Made")

MAX_RACK_SIZE = 15
"""Largest rack; the bingo tables have one entry more."""

END_ADJUSTMENTS = ("double", "transfer", "standard")
"""What happens with unplayed tiles when a player has gone out."""

CHALLENGE_RULES = ("void", "single", "double", "5pt", "10pt", "triple")
"""The challenge rules by the names that CGP gives them."""

_MAX_NAME = 100
_MAX_POINTS = 1_000_000
_MAX_TURNS = 10_000
_MAX_SECONDS = 1_000_000
_MAX_FACTOR = 9
_TABLE_LENGTH = MAX_RACK_SIZE + 1

# Least and most of the settings that are whole numbers; None may stand for "no limit" where it is the third.
_RANGES: dict[str, tuple[int, int, bool]] = {
    "rack_size": (1, MAX_RACK_SIZE, False),
    "zero_turn_limit": (1, _MAX_TURNS, True),
    "pass_limit": (1, _MAX_TURNS, True),
    "exchange_limit": (0, _MAX_TURNS, False),
    "overtime_step": (1, _MAX_SECONDS, False),
    "overtime_amount": (0, _MAX_POINTS, False),
    "overtime_limit": (0, _MAX_SECONDS, False),
    "end_blank_value": (0, _MAX_POINTS, True),
}
OPTIONAL = frozenset(key for key, (_, _, optional) in _RANGES.items() if optional)
"""Settings that may be None."""
TABLES = {"bingo_bonus": (0, _MAX_POINTS, 0), "bingo_multiplier": (1, _MAX_FACTOR, 1)}
"""The tables by tiles placed: least and most entry, and the one that changes nothing."""
_SWITCHES = ("exchange_is_scoreless", "zero_score_is_scoreless", "anagram_words", "digraphs_need_tile")
_CHOICES = {"end_adjustment": END_ADJUSTMENTS, "challenge": CHALLENGE_RULES}


@dataclass(frozen=True)
class Ruleset:
    """Everything that a score, a turn or a result depends on. Raises RulesError, beginning with the setting's name.

    Sources: the WESPA rules; for other variants those that `fastscore/rules/data/rulesets.toml` names.

    - `rack_size`: most tiles of a play, 1 to 15.
    - `bingo_bonus`: points by number of tiles placed, 16 entries; empty means 50 for a whole rack.
    - `bingo_multiplier`: factor (1 to 9) on the main word by number of tiles placed, 16 entries; empty means 1.
    - `end_adjustment`: `double` (who went out gains twice the others' unplayed tiles), `transfer` (gains them, the
      other loses them) or `standard` (everybody loses their own, who went out gains all).
    - `zero_turn_limit`, `pass_limit`: consecutive zero turns, or passes, that end the game; None for no limit.
    - `exchange_is_scoreless`, `zero_score_is_scoreless`: whether an exchange, and a placement worth 0, are zero turns.
    - `exchange_limit`: tiles the bag must hold for an exchange.
    - `challenge`: void, single, double, 5pt, 10pt or triple.
    - `overtime_step` (seconds), `overtime_amount` (points for each step or part of one), `overtime_limit` (seconds over
      that lose the game).
    - `end_blank_value`: value of a blank left on a rack at the end; None for its face value.
    - `anagram_words`: a word is good if any anagram of it is; scores are the same.
    - `digraphs_need_tile`: two tiles must not spell what is one tile of the set, C and H where there is a CH.
    """

    name: str
    layout: BoardLayout
    letters: LetterDistribution
    rack_size: int = 7
    bingo_bonus: tuple[int, ...] = ()
    bingo_multiplier: tuple[int, ...] = ()
    end_adjustment: str = "double"
    zero_turn_limit: int | None = 6
    pass_limit: int | None = None
    exchange_is_scoreless: bool = True
    zero_score_is_scoreless: bool = False
    exchange_limit: int = 7
    challenge: str = "double"
    overtime_step: int = 60
    overtime_amount: int = 10
    overtime_limit: int = 600
    end_blank_value: int | None = None
    anagram_words: bool = False
    digraphs_need_tile: bool = False

    def __post_init__(self) -> None:
        """Check every setting and complete the two tables."""
        if not 1 <= len(self.name) <= _MAX_NAME or not self.name.isprintable():
            raise RulesError(f"name: {quote(self.name)}, expected 1 to {_MAX_NAME} printable characters")
        for key in SETTINGS:
            value = getattr(self, key)
            check_setting(key, value)
            if key in _RANGES and value is not None:
                object.__setattr__(self, key, int(value))
        for key, (least, most, rest) in TABLES.items():
            # A play of no tile gets nothing, and one tile has no main word of its own in one of its directions.
            fixed = 1 if key == "bingo_bonus" else 2
            default = {self.rack_size: 50} if key == "bingo_bonus" else {}
            table = getattr(self, key) or table_by_tiles(default, rest)
            if len(table) != _TABLE_LENGTH:
                raise RulesError(f"{key}: {len(table)} entries, expected {_TABLE_LENGTH}, by number of tiles placed")
            for tiles, entry in enumerate(table):
                first, last = (rest, rest) if tiles < fixed else (least, most)
                if not is_whole(entry) or not first <= entry <= last:
                    wanted = f"{rest}" if tiles < fixed else f"a whole number from {least} to {most}"
                    placed = "1 tile" if tiles == 1 else f"{tiles} tiles"
                    raise RulesError(f"{key}: {described(entry)} for {placed}, expected {wanted}")
            object.__setattr__(self, key, tuple(map(int, table)))

    @property
    def rows(self) -> int:
        """Rows of the board."""
        return self.layout.rows

    @property
    def cols(self) -> int:
        """Columns of the board."""
        return self.layout.cols


SETTINGS = tuple(
    field.name
    for field in fields(Ruleset)
    if field.name not in ("name", "layout", "letters", "bingo_bonus", "bingo_multiplier")
)
"""Names of the settings that are one value each."""


def check_setting(key: str, value: object) -> None:
    """Raise RulesError, naming the setting, for a value that it cannot have."""
    if key in _RANGES:
        least, most, optional = _RANGES[key]
        if (optional and value is None) or (is_whole(value) and least <= value <= most):
            return
        other = " or none" if optional else ""
        raise RulesError(f"{key}: {described(value)}, expected a whole number from {least} to {most}{other}")
    if key in _SWITCHES:
        if not isinstance(value, bool):
            raise RulesError(f"{key}: {described(value)}, expected true or false")
    elif value not in _CHOICES[key]:
        raise RulesError(f"{key}: {described(value)}, expected one of {', '.join(_CHOICES[key])}")


def table_by_tiles(entries: Mapping[int, int], rest: int) -> tuple[int, ...]:
    """A table by number of tiles placed that holds `rest` where no entry is given."""
    return tuple(entries.get(tiles, rest) for tiles in range(_TABLE_LENGTH))


def load_rules(name_or_path: str | os.PathLike[str]) -> Ruleset:
    """A bundled ruleset by its name (`classic/english`, `super/catalan`, `duel`), or the one of a `.toml` file.

    A text that ends in `.toml` and a path object are files; bundled rulesets are made once. Raises RulesError: for an
    unknown name with the nearest known one, for a file with its name and, where one is to blame, the line.
    """
    from fastscore.rules.ruleset_files import bundled_rules, read_rules

    if isinstance(name_or_path, str) and not name_or_path.lower().endswith(".toml"):
        return bundled_rules(name_or_path)
    return read_rules(name_or_path)


def ruleset_names() -> list[str]:
    """Names of the bundled rulesets, sorted; `load_rules` takes them."""
    from fastscore.rules.ruleset_files import bundled_settings

    return sorted(bundled_settings())


def for_each_ruleset(make: Callable[[Ruleset], _Made]) -> Callable[[Ruleset], _Made]:
    """`make`, called once for each Ruleset object while it lives.

    Looked up by identity, since comparing rulesets by value takes longer than scoring a hundred plays.
    """
    made: dict[int, tuple[weakref.ref[Ruleset], _Made]] = {}

    @functools.wraps(make)
    def of(rules: Ruleset) -> _Made:
        key = id(rules)
        found = made.get(key)
        if found is None or found[0]() is not rules:
            found = weakref.ref(rules, lambda _: made.pop(key, None)), make(rules)
            made[key] = found
        return found[1]

    return of
