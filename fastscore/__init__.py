"""fastscore scores plays of crossword games in large batches: main word, cross words, premiums, bingo.

Names are loaded when they are first used: `import fastscore` imports neither numpy nor numba, and `score`, `check` and
`explain` of one play never import numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastscore import errors
    from fastscore.batch_io import Candidates, open_candidates, read_candidates, write_candidates
    from fastscore.board import Board
    from fastscore.breakdown import Breakdown, TileScore, WordScore
    from fastscore.coordinates import Direction
    from fastscore.errors import (
        CompilerMissingError,
        FastscoreError,
        LexiconError,
        MissingExtraError,
        NotationError,
        PlacementError,
        PositionError,
        RecordError,
        RulesError,
        ShapeError,
        TableError,
    )
    from fastscore.expansion import best_k, expand_blanks, formed_words_batch, leaves, score_matrix
    from fastscore.findings import Finding
    from fastscore.game import Event, Game, Player
    from fastscore.gcg import read_game, read_games, write_gcg
    from fastscore.lexicon import Lexicon
    from fastscore.notation.cgp import format_cgp, parse_cgp
    from fastscore.placements import Placement, PlacementBatch
    from fastscore.repairs import Repair, repair
    from fastscore.replays import Replay, Turn, replay, replay_many
    from fastscore.results import Result
    from fastscore.rules.layouts import BoardLayout
    from fastscore.rules.letters import LetterDistribution
    from fastscore.rules.ruleset import Ruleset, load_rules, ruleset_names
    from fastscore.ruleset_choice import RulesChoice, choose_rules
    from fastscore.scoring import check, check_batch, explain, score, score_batch, score_word_form, warmup
    from fastscore.status import Status
    from fastscore.tables import ScoringTables
    from fastscore.words import word_score

__version__ = "0.1.0"

__all__ = [
    "Board",
    "BoardLayout",
    "Breakdown",
    "Candidates",
    "CompilerMissingError",
    "Direction",
    "Event",
    "FastscoreError",
    "Finding",
    "Game",
    "LetterDistribution",
    "Lexicon",
    "LexiconError",
    "MissingExtraError",
    "NotationError",
    "Placement",
    "PlacementBatch",
    "PlacementError",
    "Player",
    "PositionError",
    "RecordError",
    "Repair",
    "Replay",
    "Result",
    "RulesChoice",
    "RulesError",
    "Ruleset",
    "ScoringTables",
    "ShapeError",
    "Status",
    "TableError",
    "TileScore",
    "Turn",
    "WordScore",
    "__version__",
    "best_k",
    "check",
    "check_batch",
    "choose_rules",
    "errors",
    "expand_blanks",
    "explain",
    "format_cgp",
    "formed_words_batch",
    "leaves",
    "load_rules",
    "open_candidates",
    "parse_cgp",
    "read_candidates",
    "read_game",
    "read_games",
    "repair",
    "replay",
    "replay_many",
    "ruleset_names",
    "score",
    "score_batch",
    "score_matrix",
    "score_word_form",
    "warmup",
    "word_score",
    "write_candidates",
    "write_gcg",
]

_HOMES = {
    "fastscore.batch_io": ("Candidates", "open_candidates", "read_candidates", "write_candidates"),
    "fastscore.board": ("Board",),
    "fastscore.breakdown": ("Breakdown", "TileScore", "WordScore"),
    "fastscore.coordinates": ("Direction",),
    "fastscore.errors": (
        "CompilerMissingError",
        "FastscoreError",
        "LexiconError",
        "MissingExtraError",
        "NotationError",
        "PlacementError",
        "PositionError",
        "RecordError",
        "RulesError",
        "ShapeError",
        "TableError",
    ),
    "fastscore.expansion": ("best_k", "expand_blanks", "formed_words_batch", "leaves", "score_matrix"),
    "fastscore.findings": ("Finding",),
    "fastscore.game": ("Event", "Game", "Player"),
    "fastscore.gcg": ("read_game", "read_games", "write_gcg"),
    "fastscore.lexicon": ("Lexicon",),
    "fastscore.notation.cgp": ("format_cgp", "parse_cgp"),
    "fastscore.placements": ("Placement", "PlacementBatch"),
    "fastscore.repairs": ("Repair", "repair"),
    "fastscore.replays": ("Replay", "Turn", "replay", "replay_many"),
    "fastscore.results": ("Result",),
    "fastscore.rules.layouts": ("BoardLayout",),
    "fastscore.rules.letters": ("LetterDistribution",),
    "fastscore.rules.ruleset": ("Ruleset", "load_rules", "ruleset_names"),
    "fastscore.ruleset_choice": ("RulesChoice", "choose_rules"),
    "fastscore.scoring": ("check", "check_batch", "explain", "score", "score_batch", "score_word_form", "warmup"),
    "fastscore.status": ("Status",),
    "fastscore.tables": ("ScoringTables",),
    "fastscore.words": ("word_score",),
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
