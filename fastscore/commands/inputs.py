"""What a command is given: positions and plays, from the command line, files and standard input."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fastscore.errors import FastscoreError, NotationError, PositionError, quote

if TYPE_CHECKING:
    from fastscore.board import Board
    from fastscore.game import Game
    from fastscore.placements import Placement

__all__ = ["TABLE_ENDINGS", "GivenPosition", "WrittenText", "read_plays", "read_position"]

TABLE_ENDINGS = (".npz", ".csv", ".parquet")
"""Names of files that hold arrays or tables end so: what `fastscore.batch_io` reads."""

_RECORD_ENDINGS = (".gcg", ".gcgs")
_TURN = re.compile("(.+?)(?::([0-9]{1,9}))?:([0-9]{1,9})", re.DOTALL)
_LONGEST_POSITION_FILE = 1_000_000
_COMMENT = "#"
_STDIN = "-"


class GivenPosition(NamedTuple):
    """A board, the rack of the player to move (None = not known), the CGP line of the position, and the file that it
    was read from (None = the command line).
    """

    board: Board
    rack: str | None
    cgp: str
    file: str | None = None


class WrittenText(NamedTuple):
    """A text, and the file and line (from 1) that it stands in; None for one from the command line.

    `placement`: what the text was made from, where a file has arrays and no texts.
    """

    text: str
    source: str | None = None
    line: int | None = None
    placement: Placement | None = None

    def placed(self, error: FastscoreError) -> FastscoreError:
        """`error` with this text's file and line, or with the text itself where it stands in no file."""
        if self.source is not None:
            return FastscoreError(error.detail, source=self.source, line=self.line, column=error.column)
        column = "" if error.column is None else f", column {error.column}"
        return FastscoreError(f"{quote(self.text)}{column}: {error.detail}")


def read_position(given: str, rules_name: str | None = None) -> GivenPosition:
    """The position that POSITION names: a file that holds one CGP line, a CGP line itself, or a turn of a record.

    `game.gcg:14` is the position before the 14th placement, exchange or pass, with the rack that the record shows; one
    more than there are is the position after the last, with the rack of a `#rack` line. `games.gcgs:3:14` is of the
    third game of a file.
    `rules_name`: a ruleset's name or file; None = as the CGP line or the record says. Raises FastscoreError, OSError.
    """
    of_record = _TURN.fullmatch(given)
    if of_record is not None and not os.path.exists(given):
        path, game, turn = of_record.groups()
        if game is not None and os.path.exists(f"{path}:{game}"):
            path, game = f"{path}:{game}", None
        if os.path.exists(path):
            return _from_record(path, None if game is None else int(game), int(turn), rules_name)
    if os.path.exists(given) and given.endswith(_RECORD_ENDINGS):
        raise PositionError(f"{quote(given)} is a record, expected a turn of it, like {quote(f'{given}:1')}")
    if os.path.exists(given):
        written = _only_line(given)
    elif "/" in given and len(given.split()) > 1:
        written = WrittenText(given.strip())
    else:
        raise PositionError(
            f"no file {quote(given)}, and no CGP line either, expected one of the two or a turn like game.gcg:14"
        )
    return _from_cgp(written, rules_name)


def read_plays(given: Sequence[str], board: Board) -> list[WrittenText]:
    """The plays that PLAYS name: texts, files with a play a line, files of placements on this board (.npz, .csv,
    .parquet), `-` or nothing at all for standard input.

    Blank lines and lines that begin with `#` are left out. Raises FastscoreError, OSError.
    """
    if not given:
        if sys.stdin is None or sys.stdin.isatty():
            raise NotationError("no plays, expected play texts, a file of them, or - for standard input")
        given = [_STDIN]
    plays: list[WrittenText] = []
    for text in given:
        if text == _STDIN:
            if sys.stdin is None:
                raise NotationError("standard input is closed, expected plays on it, a line each")
            plays += _lines(sys.stdin.buffer.read(), "<stdin>")
        elif os.path.exists(text):
            plays += _from_table(text, board) if text.lower().endswith(TABLE_ENDINGS) else _lines(_bytes_of(text), text)
        elif text.split()[1:]:
            plays.append(WrittenText(text.strip()))
        else:
            raise NotationError(f'no file {quote(text)}, and no play either, expected one like "8H QUIZ" in quotes')
    return plays


def _from_cgp(written: WrittenText, rules_name: str | None) -> GivenPosition:
    from fastscore.board import Board
    from fastscore.notation.cgp import format_cgp, parse_cgp
    from fastscore.rules.ruleset import load_rules

    rules = None if rules_name is None else load_rules(rules_name)
    try:
        position = parse_cgp(written.text)
        board = Board.from_cgp(written.text, rules)
        rack = position.racks[0] or None
        if rack is not None:
            board.rules.letters.rack(rack)
    except FastscoreError as error:
        raise written.placed(error) from None
    return GivenPosition(board, rack, format_cgp(position), written.source)


def _from_table(path: str, board: Board) -> Iterator[WrittenText]:
    from fastscore.batch_io import read_placements, read_play_texts
    from fastscore.status import Status

    texts = read_play_texts(path)
    if texts is not None:
        for line, text in texts:
            yield WrittenText(text, path, line)
        return
    batch = read_placements(path, board)
    for number, (position, placement) in enumerate(zip(batch.position.tolist(), batch, strict=True), start=1):
        if position != 0:
            # There is one board, number 0.
            placement = dataclasses.replace(placement, status=placement.status | Status.BAD_POSITION)
        yield WrittenText(placement.format(board), path, number, placement)


def _from_record(path: str, game: int | None, number: int, rules_name: str | None) -> GivenPosition:
    from fastscore.notation.cgp import format_cgp
    from fastscore.replays import replay

    replayed = replay(_game_of(path, game, number), rules_name)
    turn = next((turn for turn, move in enumerate(replayed.turns) if move.number == number), None)
    if turn is None:
        count = sum(move.number is not None for move in replayed.turns)
        if number != count + 1:
            expected = f"expected one from 1 to {count}, as many as the record has, or {count + 1} for its end"
            raise PositionError(f"turn {number}, {expected}", source=path)
        turn = len(replayed)
    position = replayed.cgp(turn)
    return GivenPosition(replayed.positions[turn], position.racks[0] or None, format_cgp(position), path)


def _game_of(path: str, number: int | None, turn: int) -> Game:
    """The game of that number, from 1, or the only one of a file."""
    from fastscore.gcg import read_games

    found: Game | None = None
    count = 0
    for count, game in enumerate(read_games(path), start=1):
        if count == (number or 1):
            found = game
    if number is None and count > 1:
        detail = f"{count} games, expected the number of one of them, like {quote(f'{path}:1:{turn}')}"
        raise PositionError(detail, source=path)
    if found is None:
        raise PositionError(f"game {number}, expected one from 1 to {count}, as many as the file has", source=path)
    return found


def _only_line(path: str) -> WrittenText:
    data = _bytes_of(path, _LONGEST_POSITION_FILE)
    found = list(_lines(data, path))
    if not found:
        raise PositionError("no position, expected a CGP line", source=path)
    if len(found) > 1:
        raise PositionError("a second position, expected one CGP line", source=path, line=found[1].line)
    return found[0]


def _bytes_of(path: str, most: int = -1) -> bytes:
    with open(path, "rb") as file:
        data = file.read(most)
        if most >= 0 and file.read(1):
            raise PositionError(f"more than {most} bytes, expected a file with one CGP line", source=path)
    return data


def _lines(data: bytes, source: str) -> Iterator[WrittenText]:
    """The lines of a UTF-8 text that say something, with their numbers."""
    from fastscore.rules.sources import numbered_lines

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        detail = f"byte 0x{data[error.start]:02x} is not UTF-8, expected a text file"
        raise NotationError(detail, source=source, line=line) from None
    for line_number, line_text in numbered_lines(text):
        stripped = line_text.strip()
        if stripped and not stripped.startswith(_COMMENT):
            yield WrittenText(stripped, source, line_number)
