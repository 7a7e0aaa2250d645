"""`audit`: many records to tables, with a progress bar, and a summary of what was found."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastscore.commands.output import warn, write_json, write_lines, write_table

if TYPE_CHECKING:
    from fastscore.audit.ruling import AnyRules, Rules
    from fastscore.audit.run import Progress, Summary
    from fastscore.audit.summaries import RulesCount
    from fastscore.lexicon import Lexicon

__all__ = ["audit_files"]

GOOD = 0
"""Exit code: every source was read, and nothing is wrong with any game."""
FOUND = 1
"""Exit code: there are findings."""
UNREADABLE = 2
"""Exit code: something of the sources could not be read."""

AUTO = "auto"
"""In place of a ruleset's name: the bundled one that explains the recorded scores."""

_SHOWN_ERRORS = 20
_SHOWN_CODES = 15


def audit_files(
    paths: Sequence[str],
    out: str,
    *,
    output: str = "text",
    rules_names: Sequence[str] = (),
    lexicon_file: str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    column: str | None = None,
) -> int:
    """Audit sources into a folder of tables; returns the exit code.

    `output`: text or json. `rules_names`: a ruleset or several, of which the one is taken that explains most of a
    game's scores; "auto" = all bundled ones; PATH=NAME = for the records that the path leads to; none = what each
    record says. `lexicon_file`: a file of the words that are good, over the tiles of the first ruleset, else those of
    classic/english. Raises FastscoreError.
    """
    from fastscore.audit.run import run_audit

    rules = _rules(rules_names)
    lexicon = None if lexicon_file is None else _lexicon(lexicon_file, rules)
    with _saying_how_to_go_on(out), _progress_bar() as progress:
        summary = run_audit(
            paths,
            out,
            rules=rules,
            lexicon=lexicon,
            workers=workers,
            scheduler=scheduler,
            resume=resume,
            column=column,
            progress=progress,
        )
    codes = _count_codes(out)
    ruled = _count_rules(out)
    if output == "json":
        shown = {
            "consequences": summary.findings - sum(count for _, count in codes),
            "codes": [{"code": code, "count": n} for code, n in codes],
            "rules": [each._asdict() for each in ruled],
        }
        write_json({"folder": out, **summary._asdict(), **shown})
    else:
        _write_text(out, summary, codes)
        if len(ruled) > 1 or any(each.rules_from.endswith("recognised") for each in ruled):
            write_lines([""])
            rows = [[each.games, each.tied, each.rules, each.rules_from] for each in ruled]
            write_table(["games", "tied", "rules", "rules from"], rows, right=("games", "tied"))
    _warn_of_errors(out, summary.errors)
    if not summary.games and not summary.errors:
        warn(f"no record in {', '.join(paths)}, expected .gcg or .gcgs files, or archives of them")
    if summary.errors:
        return UNREADABLE
    return FOUND if summary.findings and _has_faults(out) else GOOD


@contextlib.contextmanager
def _saying_how_to_go_on(out: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        from fastscore.audit.manifest import read_manifest

        found = read_manifest(out)
        if found is not None:
            warn(f"{out}: interrupted, {len(found.parts)} parts are complete, --resume goes on with the others")
        raise


def _rules(names: Sequence[str]) -> AnyRules:
    """What `--rules` says: NAME for all records, or PATH=NAME for those that PATH leads to; each may come again."""
    from fastscore.audit.ruling import RulesByPath
    from fastscore.rules.ruleset import load_rules
    from fastscore.ruleset_choice import bundled_candidates

    by_path: dict[str, list[str]] = {}
    for name in names:
        path, _, ruleset = name.rpartition("=")
        by_path.setdefault(path, []).append(ruleset)

    def of(names: Sequence[str]) -> Rules:
        if len(names) == 1 and names[0] != AUTO:
            return load_rules(names[0])
        several = [rules for name in names for rules in (bundled_candidates() if name == AUTO else [load_rules(name)])]
        return list({id(rules): rules for rules in several}.values())

    made = {path: of(several) for path, several in by_path.items()}
    return made.get("") if by_path.keys() <= {""} else RulesByPath(made)


def _lexicon(file: str, rules: AnyRules) -> Lexicon:
    from fastscore.audit.ruling import rulesets_of
    from fastscore.game import Game
    from fastscore.lexicon import Lexicon
    from fastscore.records.rules import rules_of_record

    several = rulesets_of(rules)
    first = several[0] if several else rules_of_record(Game())[0]
    return Lexicon.read(file, first.letters)


def _write_text(out: str, summary: Summary, codes: Sequence[tuple[str, int]]) -> None:
    from fastscore.findings import meaning_of

    following = summary.findings - sum(count for _, count in codes)
    write_lines(
        [
            f"games       {summary.games}",
            f"turns       {summary.turns}",
            f"findings    {summary.findings}",
            *([f"of these    {following} that only follow from others"] if following else []),
            f"duplicates  {summary.duplicates}",
            f"unreadable  {summary.errors}",
            *([f"passed over {summary.passed_over}"] if summary.passed_over else []),
            f"tables in   {out}",
        ]
    )
    if codes:
        write_lines([""])
        rows = [[count, code, meaning_of(code)] for code, count in codes[:_SHOWN_CODES]]
        write_table(["count", "finding", "meaning"], rows, right=("count",))
        if len(codes) > _SHOWN_CODES:
            write_lines([f"and {len(codes) - _SHOWN_CODES} other kinds"])


def _count_codes(out: str) -> list[tuple[str, int]]:
    """How many findings there are of each code, consequences left out, the most frequent first."""
    from fastscore.audit.summaries import count_codes

    return count_codes(Path(out))


def _count_rules(out: str) -> list[RulesCount]:
    from fastscore.audit.summaries import count_rules

    return count_rules(Path(out))


def _has_faults(out: str) -> bool:
    from fastscore.audit.summaries import has_faults

    return has_faults(Path(out))


def _warn_of_errors(out: str, count: int) -> None:
    """Name source, member and line of what could not be read."""
    if not count:
        return
    from fastscore.audit.summaries import first_errors

    for error in first_errors(Path(out), _SHOWN_ERRORS):
        place = [error["source"], error["member"], "" if error["line"] is None else str(error["line"])]
        warn(f"{':'.join(part for part in place if part)}: {error['code']}: {error['detail']}")
    if count > _SHOWN_ERRORS:
        warn(f"and {count - _SHOWN_ERRORS} others, see {Path(out) / 'errors'}")


@contextlib.contextmanager
def _progress_bar() -> Iterator[Callable[[Progress], None] | None]:
    """A bar on standard error while the block runs, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns: Sequence[Any] = (
        BarColumn(),
        TextColumn("{task.fields[sources]}/{task.fields[sources_total]} files"),
        TextColumn("{task.fields[games]} games, {task.fields[speed]}/s"),
        TextColumn("{task.fields[findings]} findings"),
        TextColumn("{task.fields[errors]} unreadable"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        fields: dict[str, Any] = {
            "sources": 0,
            "sources_total": "?",
            "games": 0,
            "speed": 0,
            "findings": 0,
            "errors": 0,
        }
        task = bar.add_task("audit", total=None, **fields)
        before: list[int] = []

        def show(progress: Progress) -> None:
            # What a resumed run has already is no part of its speed.
            if not before:
                before.append(progress.games)
            elapsed = bar.tasks[0].elapsed or 0.0
            speed = round((progress.games - before[0]) / elapsed) if elapsed else 0
            bar.update(
                task,
                completed=progress.bytes,
                total=max(progress.bytes_total, progress.bytes) or None,
                sources=progress.sources,
                sources_total=progress.sources_total,
                games=progress.games,
                speed=speed,
                findings=progress.findings,
                errors=progress.errors,
            )

        yield show
