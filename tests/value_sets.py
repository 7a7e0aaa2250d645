"""Five value sets of real games: English tiles that count differently."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from fastscore.rules.ruleset import Ruleset, load_rules

DATA = Path(__file__).parent / "data"
CLASSIC = load_rules("classic/english")


def value_set(name: str, values: dict[str, int]) -> Ruleset:
    """English tiles on the standard board with other values; "rack?" is what a blank left on a rack costs."""
    letters = CLASSIC.letters
    own = tuple(values[tile] for tile in letters.tiles)
    named = dataclasses.replace(letters, name=name, values=own)
    return dataclasses.replace(CLASSIC, name=name, letters=named, end_blank_value=values.get("rack?"))


VALUES = json.loads((DATA / "values.json").read_text(encoding="utf-8"))["value_sets"]
FIVE = [value_set(name, VALUES[name]) for name in ("english", "lewis", "random", "one", "fifty")]
