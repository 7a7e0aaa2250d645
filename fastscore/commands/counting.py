"""`stats`: statistics of an audit's folder, as text, JSON, CSV, and a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastscore.commands.output import as_cell, warn, write_csv, write_json, write_lines, write_table
from fastscore.sanitise import printable

if TYPE_CHECKING:
    from fastscore.audit.statistics import Statistics

__all__ = ["show_statistics"]

GOOD = 0
"""Exit code: there are statistics."""

_AT_ONCE = 5
"""Columns of a table of players."""
_MOST_NOTABLES = 20
_LONGEST_NAME = 20
_GAME_HEADER = ("source", "member", "game", "players", "totals", "turns", "bingos", "highest turn", "tiles", "comments")
_GAME_NUMBERS = ("game", "turns", "bingos", "highest turn", "tiles", "comments")


def show_statistics(
    folder: str,
    *,
    output: str = "text",
    rules: Sequence[str] = (),
    players: Sequence[str] = (),
    once: bool = False,
    games: bool = False,
    top: int = 9,
    plot: str | None = None,
) -> int:
    """Write the statistics of an audit's folder, of the collection and of each player; returns the exit code.

    `output`: text, json or csv (a row for the collection and each player). `rules`, `players`, `once`: as in
    `fastscore.audit.statistics.statistics`. `games`: every game as well; csv has then a row for each game. `top`: how
    many players are shown as text. `plot`: a picture, too.
    """
    from fastscore.audit.plots import draw_statistics
    from fastscore.audit.statistics import statistics

    found = statistics(folder, rules=rules, players=players, once=once)
    if not found.finished:
        warn(f"{folder}: the audit is unfinished, only its complete parts are counted")
    if plot is not None:
        draw_statistics(found, plot)
    if output == "json":
        write_json(_as_dict(found, folder, games))
    elif output == "csv":
        _write_csv(found, games)
    else:
        _write_text(found, games, top)
    return GOOD


def _as_dict(found: Statistics, folder: str, games: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "folder": folder,
        "finished": found.finished,
        "collection": _plain(found.collection),
        "players": [_plain(player) for player in found.players.to_pylist()],
        "notables": found.notables.to_pylist(),
    }
    if games:
        data["games"] = [_plain(game) for game in found.games.to_pylist()]
    return data


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    lengths = {str(each["length"]): each["bingos"] for each in row["bingos_by_length"]}
    return {**row, "bingos_by_length": lengths}


def _write_csv(found: Statistics, games: bool) -> None:
    from fastscore.audit.statistics import MEANINGS

    if games:
        header = found.games.column_names
        write_csv(header, [])
        for batch in found.games.to_batches(1000):
            write_csv((), [[_cell(row[name]) for name in header] for row in batch.to_pylist()])
        return
    write_csv(["scope", "name", *MEANINGS], [["collection", "", *_cells(found.collection)]])
    for batch in found.players.to_batches(1000):
        write_csv((), [["player", as_cell(row["name"]), *_cells(row)] for row in batch.to_pylist()])


def _cells(row: Mapping[str, Any]) -> list[object]:
    from fastscore.audit.statistics import MEANINGS

    return [_cell(row[name]) for name in MEANINGS]


def _cell(value: object) -> object:
    """A value as CSV has it: lists as `A|B`, bingos by length as `7:3 8:2`."""
    if isinstance(value, list):
        if value and isinstance(value[0], dict):
            return _lengths(value)
        joined = "|".join("" if each is None else str(each) for each in value)
        return as_cell(joined) if any(isinstance(each, str) for each in value) else joined
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, str):
        return as_cell(value)
    return "" if value is None else value


def _lengths(value: Sequence[Mapping[str, int]]) -> str:
    return " ".join(f"{each['length']}:{each['bingos']}" for each in value)


def _write_text(found: Statistics, games: bool, top: int) -> None:
    players = found.players.slice(0, top).to_pylist()
    columns = [("all games", found.collection), *((_short(player["name"]), player) for player in players)]
    for begin in range(0, len(columns), _AT_ONCE):
        if begin:
            write_lines([""])
        _write_columns(columns[begin : begin + _AT_ONCE])
    more = len(found.players) - len(players)
    if more:
        write_lines(["", f"and {more} more players: --top N, or --format json or csv"])
    _write_notables(found)
    if games:
        write_lines([""])
        for batch in found.games.to_batches(1000):
            write_table(_GAME_HEADER, [_game_row(row) for row in batch.to_pylist()], right=_GAME_NUMBERS)


def _write_columns(columns: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    from fastscore.audit.statistics import MEANINGS

    names = [name for name, _ in columns]
    rows = [
        [name.replace("_", " "), *(_shown(values[name]) for _, values in columns)]
        for name in MEANINGS
        # Squares that the boards do not have, for one.
        if any(values[name] for _, values in columns) or not name.startswith("quadruple")
    ]
    write_table(["", *names], rows, right=names)


def _shown(value: object) -> object:
    if isinstance(value, list):
        return _lengths(value) or "-"
    if isinstance(value, float):
        return f"{value:.1f}"
    return "-" if value is None else value


def _write_notables(found: Statistics) -> None:
    from fastscore.audit.statistics import NOTABLES

    if not len(found.notables):
        return
    write_lines([""])
    rows = [
        [_place(row), NOTABLES[row["notable"]], row["name"] or "", row["value"]]
        for row in found.notables.slice(0, _MOST_NOTABLES).to_pylist()
    ]
    write_table(["game", "notable", "player", ""], rows, right=("",))
    more = len(found.notables) - len(rows)
    if more:
        write_lines([f"and {more} more: --format json"])


def _place(row: Mapping[str, Any]) -> str:
    parts = [row["source"], row["member"], str(row["game"]) if row["game"] != 1 else ""]
    return ":".join(part for part in parts if part)


def _game_row(row: Mapping[str, Any]) -> list[object]:
    names = [name or nick for name, nick in zip(row["names"], row["nicks"], strict=True)]
    totals = ["-" if total is None else str(total) for total in row["totals"] or ()]
    return [
        row["source"],
        row["member"],
        row["game"],
        ", ".join(map(_short, names)),
        "-".join(totals),
        row["turns"],
        row["bingos"],
        _shown(row["highest_turn"]),
        row["tiles_played"],
        row["comments"],
    ]


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 3]}..."
