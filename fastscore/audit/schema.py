"""The tables of an audit, in one place: columns, types, and a version that every Parquet file carries.

A row is told apart by `source`, `member` and `game`, and within a game by `turn` (index of the event, from 0) or
`finding` (from 0). `source` is the path as it was given, `member` the name within an archive, `row 17` of a Parquet
file, or "". `game` counts the games of a source and member from 1. Lines are 1-based, players, rows and columns are
counted from 0. Null means that something is not recorded, not known, or does not apply.

Rows stand in the order of the sources, of the members of each, of games, and of turns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.fs import LocalFileSystem

from fastscore import __version__

__all__ = [
    "ARROW_SCHEMAS",
    "DUPLICATES",
    "ERRORS",
    "FINDINGS",
    "GAMES",
    "PREMIUMS",
    "SCHEMA_VERSION",
    "TABLES",
    "TURNS",
    "files_of_table",
    "read_part",
]

SCHEMA_VERSION: Final = 1
"""Rises with every change of a column's name, type or meaning; metadata `fastscore.schema` of each file."""

_KEY: Final = (("source", pa.string()), ("member", pa.string()), ("game", pa.int32()))
_TEXTS: Final = pa.list_(pa.string())
_POINTS: Final = pa.list_(pa.int64())

GAMES: Final = (
    *_KEY,
    ("line", pa.int64()),  # where the game begins
    ("title", pa.string()),
    ("id", pa.string()),  # authority and name
    ("lexicon", pa.string()),
    ("rules", pa.string()),  # name of the ruleset it was replayed by
    # given; record: it names them; default: it names none; of several: recognised, or unrecognised, where even the one
    # that explains most explains less than half of the scores
    ("rules_from", pa.string()),
    ("rules_ties", _TEXTS),  # of several: the other rulesets that explain as much
    ("players", pa.int8()),
    ("nicks", _TEXTS),
    ("names", _TEXTS),  # full names, "" where there is none
    ("totals_recorded", _POINTS),  # final, by player; null without any
    ("totals_computed", _POINTS),  # by the rules, from the lines that the record has
    ("totals", _POINTS),  # final: the record's, or those by the rules where it lacks lines; null = not known
    ("winner", pa.int8()),  # null for a tie and an unfinished game
    ("tie", pa.bool_()),
    ("spread", pa.int64()),  # between the first and the second place
    ("finished", pa.bool_()),
    ("ending", pa.string()),  # not_ended, played_out, zero_turns, passes, challenge_rule
    ("out", pa.int8()),  # the player who went out
    ("style", pa.string()),  # how the record counts the last racks: double, transfer, ...
    ("first_player", pa.int8()),  # who has the first turn
    ("events", pa.int32()),
    ("placements", pa.int32()),  # withdrawn ones included
    ("exchanges", pa.int32()),
    ("passes", pa.int32()),
    ("withdrawals", pa.int32()),
    ("challenges", pa.int32()),  # challenge bonuses
    ("end_lines", pa.int32()),
    ("time_penalties", pa.int32()),
    ("malformed", pa.int32()),
    ("comments", pa.int32()),
    ("findings", pa.int32()),
    ("faults", pa.int32()),  # findings that are errors and no consequence
    ("misscored", pa.int32()),
    ("problems", pa.int32()),  # departures from the format, notes left out
    ("encoding", pa.string()),
    ("fingerprint", pa.string()),  # of the moves, see fastscore.records.moves.fingerprint; null without any
)

PREMIUMS: Final[Mapping[str, tuple[int, int]]] = {
    "double_letter": (2, 1),
    "triple_letter": (3, 1),
    "quadruple_letter": (4, 1),
    "double_word": (1, 2),
    "triple_word": (1, 3),
    "quadruple_word": (1, 4),
}
"""Columns of `turns` that count fresh tiles on premium squares, by letter and word multiplier of the square."""

TURNS: Final = (
    *_KEY,
    ("turn", pa.int32()),
    ("number", pa.int32()),  # 1 for the first placement, exchange or pass: game.gcg:1; null for other events
    ("line", pa.int64()),
    ("kind", pa.string()),  # one of fastscore.game.KINDS
    ("player", pa.int8()),
    ("name", pa.string()),  # the player's full name, else the short one
    ("rack", pa.string()),  # as recorded
    ("rack_tiles", pa.int16()),  # how many tiles it has; null where it cannot be read
    ("move", pa.string()),  # as recorded: 8D WORD, -ABC, -, --, (challenge), (ABC)
    ("row", pa.int16()),  # first written square of a placement
    ("col", pa.int16()),
    ("direction", pa.string()),  # across or down
    ("tiles", pa.string()),  # fresh tiles in order, blanks in lower case; null for other events and illegal plays
    ("tiles_placed", pa.int16()),
    ("blanks_placed", pa.int16()),
    ("words", _TEXTS),  # main word first
    ("word_length", pa.int16()),  # tiles of the first of them
    *((name, pa.int16()) for name in PREMIUMS),  # fresh tiles on such squares
    ("bingo", pa.bool_()),  # tiles placed that the rules give a bonus for
    ("withdrawn", pa.bool_()),  # taken back later
    ("recorded", pa.int64()),
    ("computed", pa.int64()),
    ("difference", pa.int64()),  # recorded minus computed
    ("total_recorded", pa.int64()),  # the player's running totals after the event
    ("total_computed", pa.int64()),
    ("leave", pa.string()),  # what is left of the rack, blanks first; null where the rack does not hold the move
    ("bag", pa.int32()),  # tiles in the bag before the event
    ("scoreless", pa.int32()),  # scoreless turns in a row after it
    ("status", pa.int64()),  # flags of fastscore.Status
    ("comments", pa.int32()),
    ("findings", pa.int32()),
)

FINDINGS: Final = (
    *_KEY,
    ("finding", pa.int32()),
    ("code", pa.string()),
    ("severity", pa.string()),  # error, warning or note
    ("consequence", pa.bool_()),  # it only follows from an earlier fault
    ("line", pa.int64()),  # 0 = the record as a whole
    ("turn", pa.int32()),
    ("player", pa.int8()),
    ("recorded", pa.int64()),
    ("computed", pa.int64()),
    ("difference", pa.int64()),
    ("cause", pa.string()),  # the likely cause; "" = unknown
    ("detail", pa.string()),
)

ERRORS: Final = (
    ("source", pa.string()),
    ("member", pa.string()),
    ("line", pa.int64()),  # the first line that could not be read; null = none could
    ("code", pa.string()),
    ("detail", pa.string()),
)

DUPLICATES: Final = (
    *_KEY,
    ("fingerprint", pa.string()),
    ("first_source", pa.string()),  # the first game with the same moves
    ("first_member", pa.string()),
    ("first_game", pa.int32()),
)

TABLES: Final = ("games", "turns", "findings", "errors")
"""The tables that are written chunk by chunk; `duplicates` is made of `games` when all are."""

_COLUMNS = {"games": GAMES, "turns": TURNS, "findings": FINDINGS, "errors": ERRORS, "duplicates": DUPLICATES}

ARROW_SCHEMAS: Final[Mapping[str, Any]] = {
    name: pa.schema(
        columns,
        metadata={
            "fastscore.table": name,
            "fastscore.schema": str(SCHEMA_VERSION),
            "fastscore.version": __version__,
        },
    )
    for name, columns in _COLUMNS.items()
}
"""The `pyarrow.Schema` of each table."""


def read_part(path: Path, columns: Sequence[str] | None = None) -> Any:
    """A part of a table, as pyarrow.Table.

    pyarrow takes some names, such as `s3:`, for addresses, but no whole path of this machine. It does not get an open
    file: its threads would still hold that when Python ends, and abort (12 of 100 short runs).
    """
    return pq.read_table(os.path.abspath(path), columns=columns, filesystem=LocalFileSystem())


def files_of_table(folder: str | Path, table: str) -> list[Path]:
    """The Parquet files of a table in an audit's folder, in the order of their rows."""
    return sorted((Path(folder) / table).glob("part-*.parquet"))
