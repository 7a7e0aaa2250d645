"""What a run found, in a few lines, from the tables in its folder."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from fastscore.audit.schema import files_of_table, read_part

__all__ = ["RulesCount", "count_codes", "count_rules", "first_errors", "has_faults"]


def count_codes(folder: Path) -> list[tuple[str, int]]:
    """How many findings of each code there are, the most frequent first; consequences of others are left out."""
    counts: Counter[str] = Counter()
    for file in files_of_table(folder, "findings"):
        table = read_part(file, columns=["code", "consequence"])
        for code, consequence in zip(table.column(0).to_pylist(), table.column(1).to_pylist(), strict=True):
            counts[code] += not consequence
    return sorted(((code, count) for code, count in counts.items() if count), key=lambda each: (-each[1], each[0]))


def has_faults(folder: Path) -> bool:
    """Whether anything was found beyond notes."""
    return any(
        severity != "note"
        for file in files_of_table(folder, "findings")
        for severity in read_part(file, columns=["severity"]).column(0).unique().to_pylist()
    )


class RulesCount(NamedTuple):
    """How many games were replayed by a ruleset, and in how many of them others explain as much.

    `rules_from`: as the column of `games`.
    """

    rules: str
    rules_from: str
    games: int
    tied: int


def count_rules(folder: Path) -> list[RulesCount]:
    """How many games were replayed by which rulesets, most first."""
    games: Counter[tuple[str, str]] = Counter()
    tied: Counter[tuple[str, str]] = Counter()
    for file in files_of_table(folder, "games"):
        table = read_part(file, columns=["rules", "rules_from", "rules_ties"])
        for rules, origin, ties in zip(*(column.to_pylist() for column in table.columns), strict=True):
            games[rules, origin] += 1
            tied[rules, origin] += bool(ties)
    ordered = sorted(games, key=lambda key: (-games[key], key))
    return [RulesCount(*key, games[key], tied[key]) for key in ordered]


def first_errors(folder: Path, most: int) -> list[dict[str, Any]]:
    """The first rows of `errors`, at most so many."""
    found: list[dict[str, Any]] = []
    for file in files_of_table(folder, "errors"):
        if len(found) >= most:
            break
        found += read_part(file).slice(0, most - len(found)).to_pylist()
    return found
