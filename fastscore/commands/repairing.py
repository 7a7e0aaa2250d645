"""`repair`: corrected copies of game records, with what was changed in them and why."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from fastscore.commands.output import write_csv, write_json_line, write_lines
from fastscore.errors import RecordError, quote

if TYPE_CHECKING:
    from fastscore.repairs import Repair
    from fastscore.rules.ruleset import Ruleset

__all__ = ["repair_file"]

GOOD = 0
"""Exit code: there was nothing to correct, and nothing is wrong."""
FOUND = 1
"""Exit code: something was corrected, or is wrong and was left."""

_CSV_HEADER = (
    "source",
    "game",
    "done",
    "line",
    "player",
    "what",
    "before",
    "after",
    "code",
    "cause",
    "consequence",
    "detail",
)
AUTO = "auto"
"""In place of a ruleset's name: the bundled one that explains the recorded scores."""


def repair_file(
    path: str,
    *,
    out: str | None = None,
    rules_name: str | None = None,
    comments: bool = True,
    force: bool = False,
    output: str = "text",
) -> int:
    """Write a corrected copy of the games of a file, and to standard output what was changed; returns the exit code.

    `out`: the copy's name, else that of the file with `.corrected` before its ending; never the file itself, and one
    that is there is replaced with `force` only. `rules_name`: a ruleset, or "auto" for the one that explains the
    scores; None = what each record says. `comments`: with a comment at each line that was corrected. `output`: text,
    json (an object a line for each game) or csv (a row for each change, and for each fault that was left).
    """
    source = Path(path)
    target = source.with_name(f"{source.stem}.corrected{source.suffix or '.gcg'}") if out is None else Path(out)
    _check_target(source, target, force)
    code = GOOD
    # Nobody sees half a copy.
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(part, "xb") as handle:
            for number, repaired in enumerate(_repairs(path, rules_name, comments, handle), start=1):
                _show(repaired, path, number, output)
                serious = [change for change in repaired.changes if change.severity != "note"]
                if serious or any(finding.severity != "note" for finding in repaired.left):
                    code = FOUND
        _check_target(source, target, force)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    if output == "text":
        write_lines([f"{target}: the copy"])
    return code


def _check_target(source: Path, target: Path, force: bool) -> None:
    if not os.path.lexists(target):
        return
    if target.exists() and target.samefile(source):
        raise RecordError(f"{quote(target)} is the record itself, expected another file", code="unwritable")
    if not force:
        raise RecordError(f"{quote(target)} is there already, expected a new file, or --force", code="unwritable")


def _repairs(path: str, rules_name: str | None, comments: bool, handle: IO[bytes]) -> Iterator[Repair]:
    from fastscore.gcg import read_games_and_texts
    from fastscore.repairs import repair

    rules = _rules(rules_name)
    for game, text in read_games_and_texts(path):
        repaired = repair(game, rules, comments=comments, text=text)
        handle.write(repaired.text.encode("utf-8"))
        yield repaired


def _rules(name: str | None) -> Ruleset | list[Ruleset] | None:
    from fastscore.rules.ruleset import load_rules
    from fastscore.ruleset_choice import bundled_candidates

    if name is None:
        return None
    return bundled_candidates() if name == AUTO else load_rules(name)


def _show(repaired: Repair, path: str, number: int, output: str) -> None:
    if output == "json":
        write_json_line(repaired.as_dict())
    elif output == "csv":
        write_csv(_CSV_HEADER if number == 1 else (), _csv_rows(repaired, path, number))
    else:
        write_lines(_text(repaired, path))


def _csv_rows(repaired: Repair, path: str, number: int) -> list[list[object]]:
    def shown(player: int | None) -> object:
        return "" if player is None else player

    changed: list[list[object]] = [
        [
            path,
            number,
            "changed",
            change.line,
            shown(change.player),
            change.what,
            change.before,
            change.after,
            change.code,
            change.cause,
            change.consequence,
            change.detail,
        ]
        for change in repaired.changes
    ]
    left: list[list[object]] = [
        [
            path,
            number,
            "left",
            finding.line,
            shown(finding.player),
            "",
            "" if finding.recorded is None else finding.recorded,
            "" if finding.computed is None else finding.computed,
            finding.code,
            finding.cause,
            finding.consequence,
            finding.detail,
        ]
        for finding in repaired.left
    ]
    return [*changed, *left]


def _text(repaired: Repair, path: str) -> list[str]:
    game = repaired.original
    place = path if game.first_line == 1 else f"{path}:{game.first_line}"
    names = " against ".join(player.label for player in game.players) or "no players"
    lines = [f"{place}: {names}, rules {repaired.rules.name}"]
    lines += _listed("changed", repaired.changes, [change.consequence for change in repaired.changes])
    lines += _listed("left as it is", repaired.left, [finding.consequence for finding in repaired.left])
    before, after = (_totals(each.recorded_totals) for each in (game, repaired.game))
    if before != after:
        lines.append(f"final totals {before} -> {after}")
    return [*lines, ""]


def _listed(title: str, items: Sequence[object], consequences: Sequence[bool]) -> list[str]:
    first = [item for item, follows in zip(items, consequences, strict=True) if not follows]
    rest = len(items) - len(first)
    lines = [f"{title}: {len(items) or 'nothing'}", *(f"  {item}" for item in first)]
    return [*lines, f"  and {rest} more that follow"] if rest else lines


def _totals(totals: Sequence[int | None]) -> str:
    return " to ".join("none" if total is None else str(total) for total in totals)
