"""Which rules a record was played by, as far as it says so."""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache
from typing import Final, NamedTuple

from fastscore.errors import RulesError, quote
from fastscore.game import Game
from fastscore.notation.cgp import own_layout_name
from fastscore.rules.layouts import load_layout
from fastscore.rules.letters import load_distribution
from fastscore.rules.ruleset import Ruleset, load_rules, ruleset_names

__all__ = ["UnknownRule", "names_rules", "rules_of_record"]

_DEFAULT: Final = "classic/english"
_PRAGMAS: Final = ("board-layout", "tile-distribution", "game-type", "lexicon")
_LAYOUTS: Final = {
    "classic": "standard15",
    "wordsmog": "standard15",
    "classic_super": "standard21",
    "wordsmog_super": "standard21",
}
"""The game types and their boards."""
_LEXICONS: Final = (
    (re.compile(r"(CSW|NWL|NSWL|OSPD|OCTWL|OWL|OTCWL|TWL|SOWPODS|ECWL|CEL|COLLINS|AMERICA)", re.I), "english"),
    (re.compile(r"(RD\d|D\d+WL|DUDEN|SUPER-?DUDEN)", re.I), "german"),
    (re.compile(r"(OSPS|POLISH)", re.I), "polish"),
    (re.compile(r"(FRA\d|ODS\d*$|ODS\b)", re.I), "french"),
    (re.compile(r"(NSF|NORWEGIAN|NSWL-?NO)", re.I), "norwegian"),
    (re.compile(r"(DISC\d|DIEC)", re.I), "catalan"),
    (re.compile(r"(FISE|FILE\d|LEXIS)", re.I), "spanish"),
    (re.compile(r"(SAOL|SWEDISH)", re.I), "swedish"),
    (re.compile(r"(OPENTAAL|DUTCH|SWL_?NL)", re.I), "dutch"),
)
"""How the word lists of a language are called, by what their names begin with."""


class UnknownRule(NamedTuple):
    """What a record names and fastscore does not have: the pragma and what is wrong with it."""

    pragma: str
    detail: str


def names_rules(game: Game) -> bool:
    """Whether a record says anything about its rules."""
    return any(game.pragma(keyword) for keyword in _PRAGMAS)


def rules_of_record(game: Game) -> tuple[Ruleset, tuple[UnknownRule, ...]]:
    """The rules that a record names, and what of it is unknown and was left out.

    Its pragmas #board-layout, #tile-distribution and #game-type say so; without a distribution the word list of
    #lexicon hints at one by its name. What is not said is as in classic/english.
    """
    if not game.pragmas:
        return _named(None, None, None, None)
    return _named(*(game.pragma(keyword) or None for keyword in _PRAGMAS))


@lru_cache(maxsize=256)
def _named(
    layout: str | None, letters: str | None, game_type: str | None, lexicon: str | None
) -> tuple[Ruleset, tuple[UnknownRule, ...]]:
    unknown: list[UnknownRule] = []
    variant = None if game_type is None else game_type.lower()
    if variant is not None and variant not in _LAYOUTS:
        unknown.append(UnknownRule("game-type", f"{quote(game_type)}, expected one of {', '.join(_LAYOUTS)}"))
        variant = None
    board = _LAYOUTS["classic" if variant is None else variant]
    if layout is not None:
        try:
            board = load_layout(own_layout_name(layout)).name
        except RulesError as error:
            unknown.append(UnknownRule("board-layout", error.detail))
    distribution = None
    if letters is not None:
        try:
            distribution = load_distribution(letters.lower()).name
        except RulesError as error:
            unknown.append(UnknownRule("tile-distribution", error.detail))
    rules = _rules_with(board, distribution, _language_of(lexicon))
    if variant is not None and variant.startswith("wordsmog"):
        rules = dataclasses.replace(rules, name=f"{rules.name}, wordsmog", anagram_words=True)
    return rules, tuple(unknown)


def _language_of(lexicon: str | None) -> str | None:
    name = "" if lexicon is None else lexicon.strip()
    return next((language for pattern, language in _LEXICONS if pattern.match(name)), None)


def _rules_with(layout: str, letters: str | None, language: str | None) -> Ruleset:
    """The bundled ruleset of a layout and a letter distribution, or else one that is put together.

    Where no distribution is named, those bundled with the layout are taken, the one of `language` if there is.
    """
    # The plain variants first: others are played on the same boards.
    names = sorted(ruleset_names(), key=lambda name: not name.startswith(("classic/", "super/")))
    bundled = [rules for rules in map(load_rules, names) if rules.layout.name == layout]
    if letters is None:
        wanted = [rules for rules in bundled if rules.name.endswith(f"/{language or 'english'}")]
        english = [rules for rules in bundled if rules.letters.name in ("english", "english_super")]
        if wanted or (language is None and bundled):
            return (wanted or english or bundled)[0]
        letters = language or "english"
    found = next((rules for rules in bundled if rules.letters.name == letters), None)
    if found is not None:
        return found
    settings = next((rules for rules in map(load_rules, names) if rules.letters.name == letters), None)
    name = f"{layout} with {letters}"
    if settings is None:
        return Ruleset(name, load_layout(layout), load_distribution(letters))
    # What the federations of a language play differently holds on every board.
    return dataclasses.replace(settings, name=name, layout=load_layout(layout))
