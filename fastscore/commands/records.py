"""`replay`: games turn by turn, recorded and computed, with what is wrong with them and their result slips."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, count, islice
from typing import IO, TYPE_CHECKING, Any

from fastscore.commands.boards import write_board
from fastscore.commands.output import as_cell, warn, write_csv, write_file, write_json_line, write_lines, write_table
from fastscore.errors import FastscoreError, LexiconError, RulesError, quote

if TYPE_CHECKING:
    from fastscore.findings import Finding
    from fastscore.game import Game
    from fastscore.lexicon import Lexicon
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
_STDIN = "-"
_LONGEST_MOVE = 48
_LONGEST_WORDS = 160


def replay_files(
    paths: Sequence[str],
    *,
    output: str = "text",
    rules_name: str | None = None,
    strict: bool = False,
    boards: bool = False,
    html: str | None = None,
    lexicon_file: str | None = None,
) -> int:
    """Write the replay of every game of some files, `-` being standard input; returns the exit code.

    `output`: text, json (an object a line for each game) or csv (a row a turn). `strict`: every departure from the
    format is an error, and what collections ask of a record is looked for as well. `boards`: with the board after each
    turn that changes it. `html`: a file to write the game's page to; of several games, the pages of the others go to
    files beside it, numbered from 2, which may not be there yet; none of them may be one of the files that are read.
    `lexicon_file`: a file of the words that are good, over the tiles of the given rules, else of the first game's; None
    = words are not looked up.
    """
    from fastscore.rules.ruleset import load_rules

    rules = None if rules_name is None else load_rules(rules_name)
    sources = _sources(paths, again=html is not None)
    code = GOOD
    first = True
    words = None if lexicon_file is None else _Words(lexicon_file)
    pages = _page_names(html)
    if html is not None:
        _check_pages(html, sources, [file for file in (rules_name, lexicon_file) if file is not None])
    for path, source in zip(paths, sources, strict=True):
        try:
            for number, replayed in enumerate(_replays(source, rules, words, strict), start=1):
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
                if any(finding.severity != "note" for finding in replayed.findings):
                    code = max(code, FOUND)
        except (LexiconError, RulesError):
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


class _Words:
    """The lexicon of a file, which is read when the first game says what its tiles are."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._lexicon: Lexicon | None = None

    def lexicon(self, game: Game, rules: Ruleset | None) -> Lexicon:
        """The lexicon, whatever game it was read for."""
        from fastscore.lexicon import Lexicon
        from fastscore.record_rules import rules_of_record

        if self._lexicon is None:
            letters = (rules_of_record(game)[0] if rules is None else rules).letters
            self._lexicon = Lexicon.read(self._file, letters)
        return self._lexicon


_Source = str | IO[bytes]


def _sources(paths: Sequence[str], *, again: bool) -> list[_Source]:
    """What the paths name, `-` being standard input; `again`: it is read more than once."""
    if _STDIN not in paths:
        return list(paths)
    stdin: IO[bytes] = sys.stdin.buffer
    if again:
        stdin = io.BytesIO(stdin.read())
    return [stdin if path == _STDIN else path for path in paths]


def _replays(path: _Source, rules: Ruleset | None, words: _Words | None, strict: bool) -> Iterator[Replay]:
    from fastscore.gcg import read_games
    from fastscore.replays import replay_many

    games: Iterator[Game] = read_games(path, strict=strict)
    lexicon = None
    if words is not None:
        first = list(islice(games, 1))
        lexicon = words.lexicon(first[0], rules) if first else None
        games = chain(first, games)
    return replay_many(games, rules, lexicon, strict=strict)


def _page_names(first: str | None) -> Iterator[str]:
    """`game.html`, `game-2.html`, `game-3.html`; nothing for None."""
    if first is not None:
        yield first
        stem, ending = os.path.splitext(first)
        yield from (f"{stem}-{number}{ending}" for number in count(2))


def _check_pages(first: str, sources: Sequence[_Source], others: Sequence[str]) -> None:
    """Raise FastscoreError, before anything is written, where a page would replace a file that nobody named for it."""
    inputs = [file for file in (*sources, *others) if isinstance(file, str) and os.path.exists(file)]
    for number, page in enumerate(islice(_page_names(first), max(1, sum(map(_games_in, sources))))):
        if not os.path.exists(page):
            continue
        if any(os.path.samefile(page, file) for file in inputs):
            raise FastscoreError(f"--html {quote(page)} is one of the files that are read, expected another name")
        if number:
            raise FastscoreError(f"{quote(page)}, where the page of game {number + 1} goes, is there already")


def _games_in(source: _Source) -> int:
    """How many games a file holds; 0 for one that cannot be read, which is said when its turn comes."""
    from fastscore.gcg import read_games

    try:
        return sum(1 for _ in read_games(source))
    except (FastscoreError, OSError):
        return 0
    finally:
        if not isinstance(source, str):
            source.seek(0)


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
    from fastscore.findings import ADOPTED, meaning_of

    lines = [_counted(len(replayed.findings), "finding")]
    for finding in replayed.findings:
        meaning = "" if finding.detail or finding.cause else f": {meaning_of(finding.code)}"
        lines.append(f"  {finding}{meaning}")
    shown = {(finding.code, finding.line) for finding in replayed.findings}
    others = [
        problem
        for problem in replayed.game.problems
        if problem.severity != "note" and problem.code not in ADOPTED and (problem.code, problem.line) not in shown
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
        _cut(name, _LONGEST_NAME),
        _cut(turn.text, _LONGEST_MOVE),
        _points(turn.recorded),
        _points(turn.computed),
        _shown(turn.total_recorded),
        _shown(turn.total_computed),
        _cut(", ".join(turn.words), _LONGEST_WORDS),
        ", ".join(codes),
    ]


def _cut(text: str, longest: int) -> str:
    """`text`, or its beginning: a table is as wide as its longest cells."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


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
            as_cell(path),
            number,
            turn.line,
            _shown(turn.number),
            turn.kind,
            _shown(turn.player),
            "" if turn.player is None else as_cell(players[turn.player].label),
            as_cell(turn.text) if turn.kind == "malformed" else turn.text,
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
    player, source = _shown(finding.player), as_cell(path)
    return [source, number, finding.line, "", "record", player, "", "", recorded, computed, "", "", "", finding.code]
