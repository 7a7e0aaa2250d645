"""The real records of tests/data/games, what is expected of them, and the rules that they were played by."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from pathlib import Path
from typing import Any

from fastscore.gcg import read_game
from fastscore.replays import Replay, replay
from fastscore.rules.layouts import BoardLayout, load_layout
from fastscore.rules.letters import LetterDistribution, load_distribution
from fastscore.rules.ruleset import Ruleset

DATA = Path(__file__).parent / "data"
GAMES = DATA / "games"
# Letter values that have the tiles and counts of another set are told by their own name.
TILES_OF = {"german": "german", "polish": "polish", "french": "french"}


@cache
def load(name: str) -> Any:
    """One of the expectation files."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


EXPECTED: dict[str, Any] = load("expected.json")


@cache
def letters_of(values: str) -> LetterDistribution:
    """A value set as a letter distribution, with the tiles and counts of its language."""
    own = load("values.json")["value_sets"][values]
    like = load_distribution(TILES_OF.get(values, "english"))
    return dataclasses.replace(like, name=values, values=tuple(own.get(tile, 0) for tile in like.tiles))


def rules_with(values: str, layout: BoardLayout) -> Ruleset:
    """Plain rules, of no federation: `rack?` is what the program that wrote some games charged for a blank left."""
    left_blank = load("values.json")["value_sets"][values].get("rack?")
    return Ruleset(f"{layout.name}, {values}", layout, letters_of(values), end_blank_value=left_blank)


@cache
def rules_of(game: str) -> Ruleset:
    """The rules of a game."""
    expected = EXPECTED[game]
    return rules_with(expected["values"], load_layout(expected["layout"]))


@cache
def replayed(game: str) -> Replay:
    """The replay of a game."""
    return replay(read_game(GAMES / game), rules_of(game))
