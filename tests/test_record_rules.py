"""Which rules a record names."""

from __future__ import annotations

import pytest

from fastscore.game import Game, Pragma
from fastscore.records.rules import rules_of_record


def named(**pragmas: str) -> tuple[str, list[str]]:
    """Name of the rules of a record with these pragmas, and which of the pragmas are unknown."""
    game = Game(pragmas=[Pragma(keyword.replace("_", "-"), text) for keyword, text in pragmas.items()])
    rules, unknown = rules_of_record(game)
    return rules.name, [rule.pragma for rule in unknown]


@pytest.mark.parametrize(
    ("pragmas", "name"),
    [
        ({}, "classic/english"),
        ({"title": "a game"}, "classic/english"),
        ({"tile_distribution": "polish"}, "classic/polish"),
        ({"tile_distribution": "English"}, "classic/english"),
        ({"board_layout": "CrosswordGame", "tile_distribution": "german"}, "classic/german"),
        ({"board_layout": "SuperCrosswordGame"}, "super/english"),
        ({"board_layout": "standard21", "tile_distribution": "super_catalan"}, "super/catalan"),
        # What is said goes before what usually comes with it.
        ({"board_layout": "standard21", "tile_distribution": "english"}, "standard21 with english"),
        ({"game_type": "classic"}, "classic/english"),
        ({"game_type": "classic_super"}, "super/english"),
        ({"game_type": "wordsmog"}, "classic/english, wordsmog"),
        ({"game_type": "wordsmog_super"}, "super/english, wordsmog"),
        ({"board_layout": "words_with_friends15"}, "words-with-friends"),
        ({"board_layout": "scrabble_duel11", "tile_distribution": "english"}, "duel"),
        # The word list hints at the language where the letters are not named.
        ({"lexicon": "CSW21"}, "classic/english"),
        ({"lexicon": "NWL23"}, "classic/english"),
        ({"lexicon": "RD28"}, "classic/german"),
        ({"lexicon": "OSPS49"}, "classic/polish"),
        ({"lexicon": "FRA24"}, "classic/french"),
        ({"lexicon": "NSF22"}, "classic/norwegian"),
        ({"lexicon": "DISC2"}, "classic/catalan"),
        ({"lexicon": "FILE2017"}, "classic/spanish"),
        ({"lexicon": "DISC2", "board_layout": "standard21"}, "super/catalan"),
        ({"lexicon": "my own list"}, "classic/english"),
        ({"lexicon": "OSPS49", "tile_distribution": "english"}, "classic/english"),
    ],
)
def test_rules_by_pragmas(pragmas: dict[str, str], name: str) -> None:
    assert named(**pragmas) == (name, [])


def test_federations_hold_on_every_board() -> None:
    game = Game(pragmas=[Pragma("board-layout", "standard21"), Pragma("tile-distribution", "german")])
    rules, _ = rules_of_record(game)
    # The German federation ends a game after four passes, and not after scoreless turns.
    assert (rules.rows, rules.zero_turn_limit, rules.pass_limit) == (21, None, 4)


def test_wordsmog_takes_any_anagram() -> None:
    assert rules_of_record(Game(pragmas=[Pragma("game-type", "wordsmog")]))[0].anagram_words


def test_rules_are_made_once() -> None:
    pragmas = [Pragma("board-layout", "standard21"), Pragma("tile-distribution", "german")]
    first, second = (rules_of_record(Game(pragmas=list(pragmas)))[0] for _ in range(2))
    assert first is second


@pytest.mark.parametrize(
    ("pragmas", "name", "unknown"),
    [
        ({"game_type": "chess"}, "classic/english", ["game-type"]),
        ({"board_layout": "triangle", "tile_distribution": "polish"}, "classic/polish", ["board-layout"]),
        ({"tile_distribution": "klingon", "board_layout": "standard21"}, "super/english", ["tile-distribution"]),
    ],
)
def test_unknown_names(pragmas: dict[str, str], name: str, unknown: list[str]) -> None:
    assert named(**pragmas) == (name, unknown)
