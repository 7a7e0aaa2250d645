"""Which rules the records of an audit are replayed by: one ruleset, the best of several, their own, or by folder."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fastscore.audit.failures import AuditError
from fastscore.errors import quote
from fastscore.rules.ruleset import Ruleset, load_rules

__all__ = ["AnyRules", "GivenRules", "Rules", "RulesByPath", "digest_of", "rules_given", "rulesets_of"]

Rules = Ruleset | Sequence[Ruleset] | None
"""One ruleset for all games; several, of which the one is taken that explains most of a game's scores; or None = those
that each record names."""


class RulesByPath:
    """Rules for the records of some paths, of which the longest counts that leads to a record."""

    def __init__(self, by_path: Mapping[str, Rules]) -> None:
        self.others = by_path.get("")
        """Those of all other records."""
        self.paths: dict[str, Rules] = {}
        for path, rules in by_path.items():
            if path != "" and self.paths.setdefault(_plain(path), rules) is not rules:
                raise AuditError(f"two rules for {quote(path)}, expected one")

    def of(self, source: str, member: str = "") -> Rules:
        """The rules for a source, or for a member of it."""
        whole = _plain(f"{source}/{member}" if member else source)
        for path in _ways_to(whole):
            if path in self.paths:
                return self.paths[path]
        return self.others

    def check(self, sources: Iterable[str]) -> None:
        """Raise AuditError for a path that leads to none of the sources."""
        plain = [_plain(source) for source in sources]
        for path in self.paths:
            if not any(path in _ways_to(source) or source in _ways_to(path) for source in plain):
                raise AuditError(
                    f"rules for {quote(path)}, which is none of the sources and leads to none, expected one of them as "
                    "it is given, or a path in it"
                )
            # Within an archive nobody knows before it is read.
            source = next((way for way in _ways_to(path) if way in plain), path)
            above = next(way for way in _ways_to(path) if way == source or os.path.lexists(way))
            if above != path and os.path.isdir(above):
                raise AuditError(f"rules for {quote(path)}, which is not there, expected a path in {quote(above)}")


AnyRules = Rules | RulesByPath

GivenRules = AnyRules | str | Mapping[str, Rules | str]
"""What callers may give: also the name of a ruleset, and either of them by path. A path is that of a source, a folder
of sources, or a member or a folder within an archive (`old.zip/club`); "" = all other records."""


def _plain(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/"))


def _ways_to(path: str) -> Iterator[str]:
    """A plain path and the folders that it lies in, the innermost first."""
    yield path
    # What is above `..` has no name.
    while path not in ("/", ".") and posixpath.basename(path) != "..":
        path = posixpath.dirname(path) or "."
        yield path


def rules_given(given: GivenRules) -> AnyRules:
    """What was given, with rulesets for their names. Raises RulesError, AuditError."""
    if isinstance(given, Mapping):
        return RulesByPath({path: load_rules(each) if isinstance(each, str) else each for path, each in given.items()})
    return load_rules(given) if isinstance(given, str) else given


def rulesets_of(rules: AnyRules) -> list[Ruleset]:
    """All rulesets of some rules, those for all records first."""
    if isinstance(rules, RulesByPath):
        return [each for some in (rules.others, *rules.paths.values()) for each in rulesets_of(some)]
    if rules is None:
        return []
    return [rules] if isinstance(rules, Ruleset) else list(rules)


def digest_of(rules: AnyRules) -> str:
    """The names of the rulesets and a hash of all that they are; "record" = those that the records name."""
    several = rulesets_of(rules)
    names = " ".join(each.name for each in several)
    if isinstance(rules, RulesByPath):
        where = [(path, digest_of(rules.paths[path])) for path in sorted(rules.paths)]
        found = hashlib.blake2b(repr([digest_of(rules.others), *where]).encode(), digest_size=8)
        return f"{names} by path {found.hexdigest()}"
    return f"{names} {_hash(several)}" if several else "record"


def _hash(rulesets: Sequence[Ruleset]) -> str:
    found = hashlib.blake2b(digest_size=8)
    for rules in rulesets:
        layout = rules.layout
        for grid in (layout.letter_multiplier, layout.word_multiplier, layout.letter_condition, layout.bricks):
            found.update(grid.tobytes())
        plain = {field.name: getattr(rules, field.name) for field in dataclasses.fields(rules)}
        plain["layout"] = layout.rows, layout.cols, layout.start
        found.update(repr(sorted(plain.items())).encode())
    return found.hexdigest()
