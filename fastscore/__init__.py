"""fastscore scores plays of crossword games in large batches: main word, cross words, premiums, bingo.

Names are loaded when they are first used: `import fastscore` imports neither numpy nor numba, and `score`, `check` and
`explain` of one play never import numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastscore import errors
    from fastscore.board import Board
    from fastscore.breakdown import Breakdown, TileScore, WordScore
    from fastscore.coordinates import Direction
    from fastscore.errors import (
        FastscoreError,
        NotationError,
        PlacementError,
        PositionError,
        RecordError,
        RulesError,
        ShapeError,
    )
    from fastscore.notation.cgp import format_cgp, parse_cgp
    from fastscore.placements import Placement, PlacementBatch
    from fastscore.rules.layouts import BoardLayout
    from fastscore.rules.letters import LetterDistribution
    from fastscore.rules.ruleset import Ruleset, load_rules, ruleset_names
    from fastscore.scoring import check, check_batch, explain, score, score_batch, warmup
    from fastscore.status import Status

__version__ = "0.1.0"

__all__ = [
    "Board",
    "BoardLayout",
    "Breakdown",
    "Direction",
    "FastscoreError",
    "LetterDistribution",
    "NotationError",
    "Placement",
    "PlacementBatch",
    "PlacementError",
    "PositionError",
    "RecordError",
    "RulesError",
    "Ruleset",
    "ShapeError",
    "Status",
    "TileScore",
    "WordScore",
    "__version__",
    "check",
    "check_batch",
    "errors",
    "explain",
    "format_cgp",
    "load_rules",
    "parse_cgp",
    "ruleset_names",
    "score",
    "score_batch",
    "warmup",
]

_HOMES = {
    "fastscore.board": ("Board",),
    "fastscore.breakdown": ("Breakdown", "TileScore", "WordScore"),
    "fastscore.coordinates": ("Direction",),
    "fastscore.errors": (
        "FastscoreError",
        "NotationError",
        "PlacementError",
        "PositionError",
        "RecordError",
        "RulesError",
        "ShapeError",
    ),
    "fastscore.notation.cgp": ("format_cgp", "parse_cgp"),
    "fastscore.placements": ("Placement", "PlacementBatch"),
    "fastscore.rules.layouts": ("BoardLayout",),
    "fastscore.rules.letters": ("LetterDistribution",),
    "fastscore.rules.ruleset": ("Ruleset", "load_rules", "ruleset_names"),
    "fastscore.scoring": ("check", "check_batch", "explain", "score", "score_batch", "warmup"),
    "fastscore.status": ("Status",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a checker that saw it would take every misspelt name for an object

    def __getattr__(name: str) -> object:
        """Load a public name from its module at first use."""
        if name == "errors":
            # The import binds the submodule here by itself.
            return import_module("fastscore.errors")
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value: object = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted({*globals(), *__all__})
