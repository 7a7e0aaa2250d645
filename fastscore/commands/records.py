"""`replay`: games turn by turn, recorded and computed, with what is wrong with them and their result slips."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, count, islice
from typing import IO, TYPE_CHECKING, Any

from fastscore.commands.boards import write_board
from fastscore.commands.documents import STDOUT, Documents
from fastscore.commands.output import as_cell, warn, write_csv, write_json_line, write_lines, write_table
from fastscore.errors import FastscoreError, LexiconError, RulesError

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
_STDIN = "-"

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
    force: bool = False,
    lexicon_file: str | None = None,
) -> int:
    """Write the replay of every game of some files, `-` being standard input; returns the exit code.

    `output`: text, json (an object a line for each game) or csv (a row a turn). `strict`: every departure from the
    format is an error, and what collections ask of a record is looked for as well. `boards`: with the board after each
    turn that changes it. `html`: a file to write the game's page to, `-` = only the page, to standard output; of
    several games, the pages of the others go to files beside it, numbered from 2. What a page may replace:
    fastscore.commands.documents; `force`: any file that is not read. `lexicon_file`: a file of the words that are good,
    over the tiles of the given rules, else of the first game's; None = words are not looked up.
    """
    from fastscore.rules.ruleset import load_rules

    rules = None if rules_name is None else load_rules(rules_name)
    sources = [_source(path, again=html is not None) for path in paths]
    code = GOOD
    words = None if lexicon_file is None else _Words(lexicon_file)
    pages = None if html is None else _Pages(html, sources, (*paths, rules_name, lexicon_file), force=force)
    report = None if html == STDOUT else _Report(output, boards)
    gone: BrokenPipeError | None = None
    for path, source in zip(paths, sources, strict=True):
        try:
            for number, replayed in enumerate(_replays(source, rules, words, strict), start=1):
                if pages is not None:
                    pages.write(replayed)
                try:
                    if report is not None and gone is None:
                        report.write(replayed, path, number)
                except BrokenPipeError as error:
                    if pages is None:
                        raise
                    # Nobody reads on, but the other pages are wanted all the same.
                    gone = error
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
    if gone is not None:
        raise gone
    return code


class _Report:
    """What goes to standard output of game after game."""

    def __init__(self, output: str, boards: bool) -> None:
        self._output = output
        self._boards = boards
        self._first = True

    def write(self, replayed: Replay, path: str, number: int) -> None:
        """Write a game, the `number`th of the file `path`."""
        first, self._first = self._first, False
        if self._output == "json":
            write_json_line(replayed.as_dict())
        elif self._output == "csv":
            write_csv(_CSV_HEADER if first else (), _csv_rows(replayed, path, number))
        else:
            write_lines([] if first else [""])
            _write_text(replayed, path, self._boards)


class _Words:
    """The lexicon of a file, which is read when the first game says what its tiles are."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._lexicon: Lexicon | None = None

    def lexicon(self, game: Game, rules: Ruleset | None) -> Lexicon:
        """The lexicon, whatever game it was read for."""
        from fastscore.lexicon import Lexicon
        from fastscore.records.rules import rules_of_record

        if self._lexicon is None:
            letters = (rules_of_record(game)[0] if rules is None else rules).letters
            self._lexicon = Lexicon.read(self._file, letters)
        return self._lexicon


_Source = str | IO[bytes]


class _Held(io.BytesIO):
    """The bytes of a source that can be read only once, under its name."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def _source(path: str, *, again: bool) -> _Source:
    """What a path names, `-` being standard input; `again`: it is read more than once."""
    if path == _STDIN:
        if sys.stdin is None:
            raise FastscoreError("standard input is closed, expected a record on it")
        stdin: IO[bytes] = sys.stdin.buffer
        return _Held(stdin.read(), "<stdin>") if again else stdin
    # A pipe, named or made by a shell for `<(...)`, gives what it has once.
    if again and os.path.exists(path) and not os.path.isfile(path):
        try:
            with open(path, "rb") as file:
                return _Held(file.read(), path)
        except OSError:
            pass  # It is said when its turn comes, as of a folder.
    return path


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


class _Pages:
    """The pages of all games: `game.html`, `game-2.html`, `game-3.html`."""

    def __init__(self, first: str, sources: Sequence[_Source], inputs: Sequence[str | None], *, force: bool) -> None:
        """Raises FastscoreError where a page must not go where it would, before anything is written."""
        from fastscore.pages.markup import PAGE_START

        self._documents = Documents("--html", "page", PAGE_START, map(_file_of, inputs), force=force)
        self._names = _page_names(first)
        games = sum(map(_games_in, sources))
        if first == STDOUT and games > 1:
            raise FastscoreError(f"--html - writes the page of one game, found {games}, expected the name of a file")
        for page in islice(_page_names(first), max(1, games)):
            self._documents.check(page)

    def write(self, replayed: Replay) -> None:
        """Write the page of the next game."""
        from fastscore.pages import game_page

        self._documents.write(next(self._names), game_page(replayed))


def _page_names(first: str) -> Iterator[str]:
    yield first
    stem, ending = os.path.splitext(first)
    yield from (f"{stem}-{number}{ending}" for number in count(2))


def _file_of(path: str | None) -> str | None:
    """The file that is read; standard input may be one."""
    return "/dev/stdin" if path == _STDIN else path


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
            _write_turns(header, [row])
            if turn.kind in ("place", "withdraw"):
                write_board(replayed.positions[index + 1], replayed.positions[index])
    elif rows:
        _write_turns(header, rows)
    write_lines(["", *_findings_text(replayed), *result_slip(replayed.result).splitlines()])


def _write_turns(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    write_table(header, rows, right=_NUMBERS, whole=("move",), below=("words", "findings"))


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
