"""Statistics of an audit: of the collection, of each player and each game, by SQL over the Parquet files.

    found = statistics("out/")
    found.collection["bingos"]
    found.players.to_pylist()[0]["name"]

The SQL is statistics.sql beside this file, and it is the same for every folder: DuckDB may not touch the file system at
all, it is handed the Parquet files as Arrow data sets, and whatever comes from a record is a value in them.
"""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow.fs import LocalFileSystem

from fastscore.audit.failures import AuditError
from fastscore.audit.manifest import Part, file_of_part, read_manifest
from fastscore.audit.schema import ARROW_SCHEMAS, SCHEMA_VERSION, files_of_table
from fastscore.audit.tables import visible
from fastscore.errors import MissingExtraError, quote
from fastscore.rules.layouts import layout_names, load_layout
from fastscore.rules.letters import distribution_names, load_distribution
from fastscore.rules.ruleset import Ruleset, load_rules, ruleset_names

if TYPE_CHECKING:
    import duckdb

    from fastscore.rules.layouts import BoardLayout
    from fastscore.rules.letters import LetterDistribution

__all__ = ["MEANINGS", "NOTABLES", "Statistics", "statistics"]

MEANINGS: Final[dict[str, str]] = {
    "games": "games with at least one player",
    "wins": "games won; of a collection: games that somebody has won",
    "losses": "games lost",
    "ties": "games in which the first place is shared",
    "firsts": "games in which the player has the first turn",
    "first_wins": "games won by the player who had the first turn",
    "score": "sum of the final scores",
    "score_mean": "final score, mean of games with at least one turn",
    "score_high": "highest final score",
    "score_low": "lowest final score of a game with at least one turn",
    "spread_mean": "final score minus the best one of the others, mean; of a collection: of the winners",
    "turns": "placements, exchanges and passes; a play that was taken back is a turn",
    "points_per_turn": "computed points of placements for each turn, without challenge bonuses and end lines; of plays "
    "that cannot be laid the recorded ones",
    "highest_turn": "most points of a placement",
    "placements": "plays that stand",
    "turns_across": "placements of two tiles or more, across",
    "turns_down": "placements of two tiles or more, down",
    "one_tile_turns": "placements of one tile, which have no direction",
    "vertical_openings": "games whose first play that stands goes down",
    "bingos": "placements that earn the bonus for many tiles",
    "bingos_by_length": "bingos by the length of the main word",
    "bingoless_games": "games without a bingo: of a player without an own one, of a collection without any",
    "bingo_streak": "most bingos of a player in turns that follow one another",
    "consecutive_bingos": "bingos in the player's turn right after one with a bingo",
    "tiles_played": "tiles laid",
    "power_tiles_played": "J, Q, X, Z, S and blanks laid",
    "j_played": "J laid, blanks left out; so for the other letters",
    "q_played": "Q laid",
    "x_played": "X laid",
    "z_played": "Z laid",
    "s_played": "S laid",
    "blanks_played": "blanks laid",
    "power_tiles_stuck": "J, Q, X, Z, S and blanks left on the rack at the end, by the end lines of the record",
    "j_stuck": "J left on the rack; so for the other letters",
    "q_stuck": "Q left on the rack",
    "x_stuck": "X left on the rack",
    "z_stuck": "Z left on the rack",
    "s_stuck": "S left on the rack",
    "blanks_stuck": "blanks left on the rack",
    "e_played": "E laid",
    "turns_with_blank": "placements with a blank",
    "exchanges": "exchanges, of any number of tiles",
    "passes": "passes; a turn lost by a challenge is recorded as one",
    "full_rack_turns": "turns whose record shows a whole rack",
    "phonies_challenged_off": "plays taken back",
    "challenges_won": "plays of the opponent taken back, in games of two",
    "challenges_lost": "challenges of a play that stood, as far as a challenge line says so",
    "plays_challenged": "plays taken back, and plays that stood with a challenge line",
    "double_letter": "double letter squares covered",
    "triple_letter": "triple letter squares covered",
    "quadruple_letter": "quadruple letter squares covered",
    "double_word": "double word squares covered",
    "triple_word": "triple word squares covered",
    "quadruple_word": "quadruple word squares covered",
    "triple_triples": "placements that cover two triple word squares or more",
    "comments": "comments; those before the first event are of the game, not of a player",
}
"""What the columns mean. Nothing of a play that was taken back counts but its turn and that it was taken back."""

NOTABLES: Final[dict[str, str]] = {
    "all-triple-words": "every triple word square is covered",
    "all-triple-letters": "every triple letter square is covered",
    "many-double-letters": "20 or more of 24 double letter squares are covered",
    "many-double-words": "15 or more of 17 double word squares are covered",
    "combined-score-high": "the final scores add up to 1100 or more",
    "combined-score-low": "the final scores of a finished game add up to 200 or less",
    "score-high": "a player has 700 points or more",
    "every-power-tile": "one player lays every J, Q, X, Z, S and blank",
    "every-e": "one player lays every E",
    "many-challenges": "5 plays or more are challenged",
    "no-blanks": "nobody lays a blank in a finished game",
}
"""What is worth telling of a game."""

_POWER_TILES: Final = ("J", "Q", "X", "Z", "S", "?")
_KEY: Final = ("source", "member", "game")


class Statistics(NamedTuple):
    """The statistics of a folder.

    Attributes
    ----------
    collection
        The columns of MEANINGS for all games together.
    players
        `pyarrow.Table` with `name` and the columns of MEANINGS, those with most games first. Players are told apart by
        their full names, or the short ones where there is none.
    games
        `pyarrow.Table`, a row for each game: `source`, `member`, `game`, `title`, `rules`, `nicks`, `names`, `totals`,
        `winner`, `finished`, and the columns of MEANINGS that one game has.
    notables
        `pyarrow.Table`: `source`, `member`, `game`, `notable` (of NOTABLES), `name` of the player, if it is one
        player's, and `value`.
    scores, turn_points
        `pyarrow.Table` for drawings: `low` and `count`, how many final scores of a player lie in the 25 points from
        `low` on, and how many placements in the 5 points from `low` on.
    finished
        Whether the audit was finished; otherwise its complete parts are counted.
    """

    collection: dict[str, Any]
    players: Any
    games: Any
    notables: Any
    scores: Any
    turn_points: Any
    finished: bool


def statistics(
    folder: str | os.PathLike[str],
    *,
    rules: Sequence[Ruleset | str] = (),
    players: Sequence[str] = (),
    once: bool = False,
) -> Statistics:
    """The statistics of an audit's folder.

    Parameters
    ----------
    folder
        What `fastscore.audit.run.run_audit` has made.
    rules
        Only games that were replayed by these rulesets; none = all games. A ruleset that is not bundled, named by its
        file or given, is known only if it is among them: then numbers that depend on its board and tiles are as well.
    players
        Only these players are listed; none = all. The collection stays what it is.
    once
        Of games with the same moves only the first counts.

    Raises
    ------
    AuditError
        A folder without tables, with tables of another version, or with a file that cannot be read.
    RulesError
        An unknown name of a ruleset.
    MissingExtraError
        DuckDB is not installed.
    """
    if find_spec("duckdb") is None:
        raise MissingExtraError("duckdb is not installed, expected the extra: pip install 'fastscore[records]'")
    import duckdb

    given = [load_rules(each) if isinstance(each, str) else each for each in rules]
    path = Path(folder)
    try:
        return _statistics(path, given, [visible(name) for name in players], once)
    except (duckdb.Error, pa.ArrowException, UnicodeError) as error:
        # The columns are there, and what they hold is damaged or no number that an audit writes.
        raise AuditError(f"tables that cannot be read: {_first_line(error)}", source=str(path)) from error


def _statistics(path: Path, given: Sequence[Ruleset], players: Sequence[str], once: bool) -> Statistics:
    if visible(str(path)) != str(path):
        raise AuditError("a name that is no text, expected another one for the folder", source=str(path))
    manifest = read_manifest(path)
    parts = None if manifest is None else manifest.parts
    finished = manifest is None or manifest.finished is not None
    if once and not finished:
        raise AuditError("is unfinished, so that duplicates are not known: expected a finished run", source=str(path))
    tables = {table: _rows(path, table, parts) for table in ("games", "turns")}
    left_out = ARROW_SCHEMAS["duplicates"].empty_table()
    if once:
        left_out = _rows(path, "duplicates", None).to_table()
    named = tables["games"].to_table(columns=["rules"]).column(0).unique().to_pylist()
    with _database() as connection:
        connection.register("games_rows", tables["games"])
        connection.register("turns_rows", tables["turns"])
        connection.register("left_out", left_out.select(_KEY))
        connection.register("chosen_rules", pa.table({"name": pa.array([each.name for each in given], pa.string())}))
        connection.register("chosen_players", pa.table({"name": pa.array(list(players), pa.string())}))
        connection.register("known_rules", _known_rules(named, given))
        connection.execute(files("fastscore.audit").joinpath("statistics.sql").read_text("utf-8"))
        whole = _table(connection, "SELECT * FROM collection_statistics").to_pylist()[0]
        _check_keys(connection, path)
        _check_players(connection, players, path)
        return Statistics(
            {name: whole[name] for name in MEANINGS},
            _table(
                connection,
                "SELECT * FROM player_statistics "
                "WHERE (SELECT count(*) FROM chosen_players) = 0 OR name IN (SELECT name FROM chosen_players)",
            ),
            _table(connection, "SELECT * FROM game_statistics"),
            _table(connection, "SELECT * FROM notables"),
            _table(connection, "SELECT * FROM score_histogram"),
            _table(connection, "SELECT * FROM turn_histogram"),
            finished,
        )


@contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database that can read and write nothing but what it is handed, and a place for what does not fit memory."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="fastscore-") as spill:
        connection = duckdb.connect(":memory:", config={"temp_directory": spill})
        try:
            connection.execute("SET python_enable_replacements = false")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            yield connection
        finally:
            connection.close()


def _table(connection: duckdb.DuckDBPyConnection, query: str) -> Any:
    return connection.sql(query).to_arrow_table()


def _rows(folder: Path, table: str, parts: Mapping[int, Part] | None) -> Any:
    """The Parquet files of a table as one data set; `parts`: those that count, None = all."""
    if parts is None:
        paths = files_of_table(folder, table)
        if not paths and table != "duplicates":
            raise AuditError(f"holds no {table}/part-*.parquet, expected the folder of an audit", source=str(folder))
    else:
        paths = [file_of_part(folder, table, number) for number in sorted(parts)]
        for path, number in zip(paths, sorted(parts), strict=True):
            _check_size(path, parts[number].files[table][0])
    inside = folder.resolve()
    for path in paths:
        if not path.resolve().is_relative_to(inside):
            raise AuditError("a link out of the audit's folder, expected a file", source=str(path))
        _check_file(path, table)
    schema = ARROW_SCHEMAS[table]
    if not paths:
        return ds.dataset(schema.empty_table())
    # Plain paths of this machine: pyarrow takes some names, such as `s3:`, for addresses.
    return ds.dataset(
        [os.path.abspath(path) for path in paths], schema=schema, format="parquet", filesystem=LocalFileSystem()
    )


def _check_size(path: Path, size: int) -> None:
    """Raise AuditError unless a part is there as the manifest notes it."""
    try:
        found = path.stat().st_size
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise AuditError(f"{reason}, expected a part: --resume makes it again", source=str(path)) from None
    if found != size:
        raise AuditError(f"{found} bytes, expected {size}: --resume makes this part again", source=str(path))


def _check_file(path: Path, table: str) -> None:
    if path.exists() and not path.is_file():
        raise AuditError("is no file, expected a part of a table", source=str(path))
    try:
        schema = pq.read_schema(os.path.abspath(path), filesystem=LocalFileSystem())
    except (OSError, pa.ArrowException) as error:
        raise AuditError(f"cannot be read: {_first_line(error)}", source=str(path)) from None
    version = (schema.metadata or {}).get(b"fastscore.schema", b"").decode("utf-8", "replace")
    if version != str(SCHEMA_VERSION):
        raise AuditError(
            f"tables of version {quote(version)}, expected {SCHEMA_VERSION}: audit the records again", source=str(path)
        )
    for field in ARROW_SCHEMAS[table]:
        index = schema.get_field_index(field.name)
        if index < 0:
            raise AuditError(f"has no column {quote(field.name)}, expected those of {table}", source=str(path))
        if not schema.field(index).type.equals(field.type):
            kinds = f"{quote(schema.field(index).type)}, expected {field.type}"
            raise AuditError(f"column {field.name} is of type {kinds}", source=str(path))


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _check_keys(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    twice = connection.execute(
        "SELECT source, member, game FROM game GROUP BY source, member, game HAVING count(*) > 1 ORDER BY ALL LIMIT 1"
    ).fetchone()
    if twice is not None:
        raise AuditError(f"game {twice[2]} of {quote(twice[0])} stands there twice, expected once", source=str(folder))


def _check_players(connection: duckdb.DuckDBPyConnection, players: Sequence[str], folder: Path) -> None:
    if not players:
        return
    known = [name for (name,) in connection.execute("SELECT name FROM player_statistics").fetchall()]
    for name in players:
        if name not in known:
            folded = {other.casefold(): other for other in known}
            near = difflib.get_close_matches(name.casefold(), folded, 3, 0.5)
            advice = ", ".join(quote(folded[each]) for each in near) or "a name as the records have it"
            raise AuditError(f"no player {quote(name)}, expected {advice}", source=str(folder))


def _known_rules(names: Sequence[str | None], given: Sequence[Ruleset]) -> Any:
    """What the statistics ask of the rulesets that the games have, as far as they are known."""
    by_name = {rules.name: _facts_of_rules(rules.layout, rules.letters, rules.rack_size) for rules in given}
    bundled = set(ruleset_names())
    for name in names:
        if name is None or name in by_name:
            continue
        # The name stands in a file: it must never become the name of another one.
        plain = name.removesuffix(", wordsmog")
        layout, _, letters = plain.partition(" with ")
        if plain in bundled:
            rules = load_rules(plain)
            by_name[name] = _facts_of_rules(rules.layout, rules.letters, rules.rack_size)
        elif layout in layout_names() and letters in distribution_names():
            by_name[name] = _facts_of_rules(load_layout(layout), load_distribution(letters), None)
    premiums = ("double_letter", "triple_letter", "double_word", "triple_word")
    columns = ("rack_size", *premiums, "power_tiles", "e_tiles", "blanks")
    schema = pa.schema([("name", pa.string()), *((column, pa.int64()) for column in columns)])
    rows = [{"name": name, **facts} for name, facts in by_name.items()]
    return pa.Table.from_pylist(rows, schema=schema)


def _facts_of_rules(layout: BoardLayout, letters: LetterDistribution, rack_size: int | None) -> dict[str, int | None]:
    letter, word = layout.letter_multiplier, layout.word_multiplier
    counts = None if letters.counts is None else dict(zip(letters.tiles, letters.counts, strict=True))
    return {
        "rack_size": rack_size,
        "double_letter": int(((letter == 2) & (word == 1)).sum()),
        "triple_letter": int(((letter == 3) & (word == 1)).sum()),
        "double_word": int(((word == 2) & (letter == 1)).sum()),
        "triple_word": int(((word == 3) & (letter == 1)).sum()),
        "power_tiles": None if counts is None else sum(counts.get(tile, 0) for tile in _POWER_TILES),
        "e_tiles": None if counts is None else counts.get("E", 0),
        "blanks": None if counts is None else counts["?"],
    }
