"""Board layouts, letter distributions and rulesets: bundled ones by name, others from files."""

from fastscore.rules.layouts import BoardLayout, layout_names, load_layout, parse_layout, read_layout
from fastscore.rules.letters import (
    LetterDistribution,
    distribution_names,
    load_distribution,
    parse_distribution,
    read_distribution,
)
from fastscore.rules.ruleset import Ruleset, load_rules, ruleset_names
from fastscore.rules.ruleset_files import read_rules

__all__ = [
    "BoardLayout",
    "LetterDistribution",
    "Ruleset",
    "distribution_names",
    "layout_names",
    "load_distribution",
    "load_layout",
    "load_rules",
    "parse_distribution",
    "parse_layout",
    "read_distribution",
    "read_layout",
    "read_rules",
    "ruleset_names",
]
