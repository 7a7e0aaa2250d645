"""`repair`: corrected copies of game records, with what was changed in them and why."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from fastscore.commands.output import as_cell, write_csv, write_json_line, write_lines
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
STDIN = "-"
"""The name that stands for standard input."""
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
    target = _Target(path, out, force)
    code = GOOD
    games = corrected = 0
    with target.opened() as handle:
        for repaired in _repairs(path, rules_name, comments, handle):
            games += 1
            _show(repaired, path, games, output)
            serious = [change for change in repaired.changes if change.severity != "note"]
            corrected += bool(repaired.changes)
            if serious or any(finding.severity != "note" for finding in repaired.left):
                code = FOUND
    if output == "text":
        write_lines([f"{games} games, {corrected} corrected", ""] if games > 1 else [])
        write_lines([f"{target.path}: the copy"])
    return code


class _Target:
    """Where the copy goes: never to the record itself, and with `force` only to a file that is there."""

    def __init__(self, record: str, out: str | None, force: bool) -> None:
        if out is None and record == STDIN:
            raise RecordError("a record from standard input, expected --out FILE for its copy", code="unwritable")
        self.record = Path(record)
        if out is None:
            out = str(self.record.with_name(f"{self.record.stem}.corrected{self.record.suffix or '.gcg'}"))
        self.path = Path(out)
        self.force = force
        if not self.path.name or self.path.name == "..":
            raise RecordError(f"{quote(out)} names no file, expected one", code="unwritable")
        self._check()

    def _check(self) -> None:
        if not os.path.lexists(self.path):
            return
        if self.path.exists() and self.record.exists() and self.path.samefile(self.record):
            raise RecordError(f"{quote(self.path)} is the record itself, expected another file", code="unwritable")
        if self.path.exists() and not self.path.is_file():
            raise RecordError(f"{quote(self.path)} is no file, expected the name of one", code="unwritable")
        if not self.force:
            raise self._taken()

    def _taken(self) -> RecordError:
        return RecordError(f"{quote(self.path)} is there already, expected a new file, or --force", code="unwritable")

    @contextlib.contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The file to write, which appears when all of it is written: nobody sees half a copy."""
        part = self.path.with_name(f".{uuid.uuid4().hex}.part")
        try:
            handle = open(part, "xb")  # noqa: SIM115 (it is closed before the file appears)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        with handle:
            try:
                yield handle
                handle.close()
                self._check()
                if self.force:
                    os.replace(part, self.path)
                else:
                    self._appear(part)
            finally:
                part.unlink(missing_ok=True)

    def _appear(self, part: Path) -> None:
        """As `os.replace`, but a file that has come into being meanwhile is not replaced."""
        try:
            os.link(part, self.path)
        except FileExistsError:
            raise self._taken() from None
        except OSError:
            # A file system without links.
            os.replace(part, self.path)


def _repairs(path: str, rules_name: str | None, comments: bool, handle: IO[bytes]) -> Iterator[Repair]:
    from fastscore.gcg import read_games_and_texts
    from fastscore.repairs import repair

    rules = _rules(rules_name)
    source: str | IO[bytes] = path
    if path == STDIN:
        if sys.stdin is None:
            raise RecordError("there is no standard input, expected a file", code="unreadable")
        source = sys.stdin.buffer
    for game, text in read_games_and_texts(source):
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
        write_lines(_text(repaired, path, number))


def _csv_rows(repaired: Repair, path: str, number: int) -> list[list[object]]:
    def shown(player: int | None) -> object:
        return "" if player is None else player

    changed: list[list[object]] = [
        [
            as_cell(path),
            number,
            "changed",
            change.line,
            shown(change.player),
            change.what,
            as_cell(change.before),
            as_cell(change.after),
            change.code,
            change.cause,
            change.consequence,
            as_cell(change.detail),
        ]
        for change in repaired.changes
    ]
    left: list[list[object]] = [
        [
            as_cell(path),
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
            as_cell(finding.detail),
        ]
        for finding in repaired.left
    ]
    return [*changed, *left]


def _text(repaired: Repair, path: str, number: int) -> list[str]:
    game = repaired.original
    place = path if game.first_line == 1 else f"{path}:{game.first_line}"
    names = " against ".join(player.label for player in game.players) or "no players"
    lines = [f"{place}: {names}, rules {repaired.rules.name}"]
    if number > 1 and not repaired.changes and not repaired.left:
        # Of many games most are right.
        return [f"{lines[0]}: nothing to correct"]
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
