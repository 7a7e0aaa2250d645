"""Which of some rulesets a game was played by, judged by the scores that its record has.

A record that says nothing of its letter values, or the wrong thing, still has a score for each play, and values that
are not those of the game give other scores. Often several rulesets explain a game: one of few turns, or rulesets that
differ only in what did not happen. Then all of them are named.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

from fastscore.errors import CompilerMissingError, FastscoreError, RulesError
from fastscore.game import Game
from fastscore.records.facts import BAD_TEXT, Facts, FactsByReference
from fastscore.records.rules import names_rules, rules_of_record
from fastscore.rules.ruleset import Ruleset, load_rules, ruleset_names
from fastscore.status import UNSCORABLE

__all__ = ["RulesChoice", "RulesFit", "bundled_candidates", "choose_rules", "choose_rules_of_each", "fit_of"]

_BATCH: Final = 64
"""Games whose placements are scored in one call."""
_COMPILED_FROM: Final = 12
"""So many times a game under a ruleset: fewer are scored sooner by the reference than numba is loaded."""
_UNSCORABLE: Final = int(UNSCORABLE)


class RulesFit(NamedTuple):
    """How much of a record a ruleset explains.

    `placements` have a recorded score, and `explained` of them have it from these rules; likewise `end_lines`, which
    count the tiles left over, and `end_lines_explained`. A placement that cannot be laid is not explained.
    """

    rules: Ruleset
    placements: int
    explained: int
    end_lines: int
    end_lines_explained: int

    @property
    def wrong(self) -> int:
        """Placements whose recorded score is not the one of these rules."""
        return self.placements - self.explained

    @property
    def explains(self) -> bool:
        """Whether every placement has its recorded score from these rules."""
        return self.explained == self.placements

    def __str__(self) -> str:
        """`classic/english 24 of 24 placements, 1 of 1 end lines`."""
        lines = f", {self.end_lines_explained} of {self.end_lines} end lines" if self.end_lines else ""
        return f"{self.rules.name} {self.explained} of {self.placements} placements{lines}"


@dataclass(frozen=True, repr=False)
class RulesChoice:
    """What each ruleset explains of a game, and which ones explain most.

    Attributes
    ----------
    fits
        One for each ruleset, in the order in which they were given.
    best
        Those that explain most placements and, among them, most end lines, in that order: several for a tie. The first
        of them that has the board, the letters and the kind of words that the record itself names goes before others.
    """

    fits: tuple[RulesFit, ...]
    best: tuple[RulesFit, ...]

    @property
    def rules(self) -> Ruleset:
        """The ruleset to take: the first of the best."""
        return self.best[0].rules

    @property
    def tied(self) -> bool:
        """Whether others explain as much."""
        return len(self.best) > 1

    @property
    def explained(self) -> bool:
        """Whether it explains every placement; otherwise it is only the nearest one."""
        return self.best[0].explains

    def __str__(self) -> str:
        """One line: `lewis explains 22 of 22 placements; one 3 of 22`."""
        first = self.best[0]
        verb = "explains" if self.explained else "explains most,"
        names = " and ".join(fit.rules.name for fit in self.best)
        if self.tied:
            verb = "explain" if self.explained else "explain most,"
        others = [f"{fit.rules.name} {fit.explained} of {fit.placements}" for fit in self.fits if fit not in self.best]
        return "; ".join([f"{names} {verb} {first.explained} of {first.placements} placements", *others])

    def __repr__(self) -> str:
        """The best of them, and how many others there are."""
        names, first = ", ".join(fit.rules.name for fit in self.best), self.best[0]
        return f"<RulesChoice {names}: {first.explained} of {first.placements}, {len(self.fits)} rulesets>"

    def as_dict(self) -> dict[str, Any]:
        """The choice as plain data."""
        return {
            "rules": self.rules.name,
            "explained": self.explained,
            "tied": [fit.rules.name for fit in self.best] if self.tied else [],
            "fits": [{**fit._asdict(), "rules": fit.rules.name} for fit in self.fits],
        }


def bundled_candidates() -> list[Ruleset]:
    """All bundled rulesets, those of the plain games first, English before the others: so ties are decided."""
    names = sorted(ruleset_names(), key=lambda name: (not name.startswith("classic/"), "english" not in name, name))
    return [load_rules(name) for name in names]


def choose_rules(game: Game, candidates: Sequence[Ruleset]) -> RulesChoice:
    """Which of the rulesets explains the recorded scores of a game.

    Raises RulesError without a ruleset to choose from.
    """
    return next(choose_rules_of_each([game], candidates))


def choose_rules_of_each(games: Iterable[Game], candidates: Sequence[Ruleset]) -> Iterator[RulesChoice]:
    """The choice for each of many games, in their order; faster than one by one. Some dozens are read ahead.

    Raises RulesError without a ruleset to choose from.
    """
    if not candidates:
        raise RulesError("no ruleset to choose from, expected one or more")
    return _choices(iter(games), tuple(candidates))


def _choices(source: Iterator[Game], candidates: Sequence[Ruleset]) -> Iterator[RulesChoice]:
    failed: FastscoreError | None = None
    while failed is None:
        batch: list[Game] = []
        try:
            batch.extend(islice(source, _BATCH))
        except FastscoreError as error:
            # The games before the one that cannot be read have their choices all the same.
            failed = error
        if not batch:
            break
        yield from _choices_of_batch(batch, candidates)
    if failed is not None:
        raise failed


def _choice(game: Game, fits: tuple[RulesFit, ...]) -> RulesChoice:
    most = max(map(_merit, fits))
    best = [fit for fit in fits if _merit(fit) == most]
    if len(best) > 1 and names_rules(game):
        named = _kind_of_game(rules_of_record(game)[0])
        # A stable sort: the order is that of the rulesets otherwise, but one of them goes first.
        first = next((fit for fit in best if _kind_of_game(fit.rules) == named), best[0])
        best.sort(key=lambda fit: fit is not first)
    return RulesChoice(fits, tuple(best))


def _kind_of_game(rules: Ruleset) -> tuple[str, str, bool]:
    return rules.layout.name, rules.letters.name, rules.anagram_words


def _merit(fit: RulesFit) -> tuple[int, int]:
    return fit.explained, fit.end_lines_explained


def _choices_of_batch(games: Sequence[Game], candidates: Sequence[Ruleset]) -> Iterator[RulesChoice]:
    if len(games) >= _COMPILED_FROM or "fastscore.records.arrays" in sys.modules:
        try:
            from fastscore.records.arrays import explained
        except CompilerMissingError:
            # Slower, and the same.
            pass
        else:
            counts = explained(games, candidates).transpose(1, 0, 2).tolist()
            for game, of_game in zip(games, counts, strict=True):
                yield _choice(
                    game, tuple(RulesFit(rules, *row) for rules, row in zip(candidates, of_game, strict=True))
                )
            return
    for game in games:
        yield _choice(game, tuple(fit_of(game, rules, FactsByReference(game, rules).facts()) for rules in candidates))


def fit_of(game: Game, rules: Ruleset, facts: Facts) -> RulesFit:
    """How much a ruleset explains of a game, from the facts of the game under it."""
    placements = explained = lines = lines_explained = 0
    two = len(game.players) == 2
    # Behind the events there are facts about the last racks.
    columns = zip(game.events, facts.score, facts.status, facts.value, facts.marks, strict=False)
    for event, score, status, value, marks in columns:
        recorded = event.score
        if recorded is None:
            continue
        if event.kind == "place":
            placements += 1
            explained += recorded == score and not status & _UNSCORABLE
        elif event.kind in ("end_points", "end_penalty"):
            lines += 1
            amounts = (-value,) if event.kind == "end_penalty" else (value, 2 * value) if two else (value,)
            lines_explained += recorded in amounts and not marks & BAD_TEXT
    return RulesFit(rules, placements, explained, lines, lines_explained)
