"""`replay`: games turn by turn, recorded and computed, with what is wrong with them and their result slips."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from fastscore.commands.boards import write_board
from fastscore.commands.output import warn, write_csv, write_file, write_json_line, write_lines, write_table
from fastscore.errors import FastscoreError, RulesError

if TYPE_CHECKING:
    from fastscore.findings import Finding
    from fastscore.replays import Replay, Turn
    from fastscore.rules.ruleset import Ruleset

__all__ = ["replay_files"]

GOOD = 0
"""Exit code: nothing is wrong with any game."""
FOUND = 1
"""Exit code: there are findings."""
BAD_INPUT = 2
"""Exit code: a file cannot be read."""

_CSV_HEADER = (
    "source",
    "game",
    "line",
    "turn",
    "kind",
    "player",
    "name",
    "move",
    "recorded",
    "computed",
    "total_recorded",
    "total_computed",
    "words",
    "findings",
)
_NUMBERS = ("line", "turn", "recorded", "computed", "total", "computed total")
_LONGEST_NAME = 24


def replay_files(
    paths: Sequence[str],
    *,
    output: str = "text",
    rules_name: str | None = None,
    strict: bool = False,
    boards: bool = False,
    html: str | None = None,
) -> int:
    """Write the replay of every game of some files; returns the exit code.

    `output`: text, json (an object a line for each game) or csv (a row a turn). `strict`: every departure from the
    format is an error, and what collections ask of a record is looked for as well. `boards`: with the board after each
    turn that changes it. `html`: a file to write the game's page to; of several games, the pages of the others go to
    files beside it, numbered from 2.
    """
    from fastscore.rules.ruleset import load_rules

    rules = None if rules_name is None else load_rules(rules_name)
    code = GOOD
    first = True
    pages = _page_names(html)
    for path in paths:
        try:
            for number, replayed in enumerate(_replays(path, rules, strict), start=1):
                if output == "json":
                    write_json_line(replayed.as_dict())
                elif output == "csv":
                    write_csv(_CSV_HEADER if first else (), _csv_rows(replayed, path, number))
                else:
                    write_lines([] if first else [""])
                    _write_text(replayed, path, boards)
                first = False
                if html is not None:
                    _write_page(replayed, next(pages))
                if replayed.findings:
                    code = max(code, FOUND)
        except RulesError:
            raise
        except FastscoreError as error:
            # The other files are as good as before.
            warn(str(error))
            code = BAD_INPUT
        except OSError as error:
            if error.filename != path:
                raise  # it came from writing
            warn(f"{path}: {(error.strerror or str(error)).lower()}")
            code = BAD_INPUT
    return code


def _replays(path: str, rules: Ruleset | None, strict: bool) -> Iterator[Replay]:
    from fastscore.gcg import read_games
    from fastscore.replays import replay_many

    return replay_many(read_games(path, strict=strict), rules, strict=strict)


def _page_names(first: str | None) -> Iterator[str]:
    """`game.html`, `game-2.html`, `game-3.html`; nothing for None."""
    if first is not None:
        yield first
        stem, ending = os.path.splitext(first)
        yield from (f"{stem}-{number}{ending}" for number in count(2))


def _write_page(replayed: Replay, file: str) -> None:
    from fastscore.pages import game_page

    write_file(file, game_page(replayed))


def _write_text(replayed: Replay, path: str, boards: bool) -> None:
    from fastscore.result_slip import result_slip

    game = replayed.game
    names = " against ".join(player.label for player in game.players) or "no players"
    place = path if game.first_line == 1 else f"{path}:{game.first_line}"
    write_lines([f"{place}: {names}, rules {replayed.rules.name}", *([game.title] if game.title else [])])
    codes = _codes_by_turn(replayed)
    rows = [_row(replayed, turn, codes.get(index, [])) for index, turn in enumerate(replayed.turns)]
    header = ["line", "turn", "player", "move", "recorded", "computed", "total", "computed total", "words", "findings"]
    if not any(row[-1] for row in rows):
        header, rows = header[:-1], [row[:-1] for row in rows]
    if boards:
        for index, (turn, row) in enumerate(zip(replayed.turns, rows, strict=True)):
            write_lines([""])
            write_table(header, [row], right=_NUMBERS)
            if turn.kind in ("place", "withdraw"):
                write_board(replayed.positions[index + 1], replayed.positions[index])
    elif rows:
        write_table(header, rows, right=_NUMBERS)
    write_lines(["", *_findings_text(replayed), *result_slip(replayed.result).splitlines()])


def _findings_text(replayed: Replay) -> list[str]:
    from fastscore.findings import meaning_of

    lines = [_counted(len(replayed.findings), "finding")]
    for finding in replayed.findings:
        meaning = "" if finding.detail or finding.cause else f": {meaning_of(finding.code)}"
        lines.append(f"  {finding}{meaning}")
    shown = {(finding.code, finding.line) for finding in replayed.findings}
    others = [
        problem
        for problem in replayed.game.problems
        if problem.severity != "note" and (problem.code, problem.line) not in shown
    ]
    if others:
        lines.append(_counted(len(others), "other departure") + " from the format")
        lines += [f"  line {problem.line}: {problem.code}: {problem.detail}" for problem in others]
    fitting = replayed.challenge_rules
    if fitting:
        lines.append(f"challenge rules that fit: {', '.join(fitting)}")
    return [*lines, ""]


def _counted(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def _codes_by_turn(replayed: Replay) -> dict[int, list[str]]:
    codes: dict[int, list[str]] = {}
    for finding in replayed.findings:
        if finding.turn is not None:
            codes.setdefault(finding.turn, []).append(finding.code)
    return codes


def _row(replayed: Replay, turn: Turn, codes: Sequence[str]) -> list[object]:
    players = replayed.game.players
    name = "" if turn.player is None else players[turn.player].label
    return [
        turn.line or "",
        _shown(turn.number),
        name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}...",
        turn.text,
        _points(turn.recorded),
        _points(turn.computed),
        _shown(turn.total_recorded),
        _shown(turn.total_computed),
        ", ".join(turn.words),
        ", ".join(codes),
    ]


def _shown(value: int | None) -> object:
    return "" if value is None else value


def _points(value: int | None) -> str:
    return "-" if value is None else f"{value:+d}"


def _csv_rows(replayed: Replay, path: str, number: int) -> list[list[Any]]:
    """A row for each turn, and one for each finding that is no turn's."""
    players = replayed.game.players
    codes = _codes_by_turn(replayed)
    rows = [
        [
            path,
            number,
            turn.line,
            _shown(turn.number),
            turn.kind,
            _shown(turn.player),
            "" if turn.player is None else players[turn.player].label,
            turn.text,
            _shown(turn.recorded),
            _shown(turn.computed),
            _shown(turn.total_recorded),
            _shown(turn.total_computed),
            "|".join(turn.words),
            "|".join(codes.get(index, [])),
        ]
        for index, turn in enumerate(replayed.turns)
    ]
    return [*rows, *(_csv_row(finding, path, number) for finding in replayed.findings if finding.turn is None)]


def _csv_row(finding: Finding, path: str, number: int) -> list[Any]:
    """A finding about the record as a whole."""
    recorded, computed = _shown(finding.recorded), _shown(finding.computed)
    player = _shown(finding.player)
    return [path, number, finding.line, "", "record", player, "", "", recorded, computed, "", "", "", finding.code]
