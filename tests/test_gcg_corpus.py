"""The GCG reader against 83 real records and what is known about them, and the writer on the same records."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fastscore.errors import RecordError
from fastscore.game import Game
from fastscore.gcg import read_game, read_games, write_gcg

DATA = Path(__file__).parent / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))
FILES = sorted(EXPECTED)

# What the records' description calls a departure, and the code of the reader for it. The others concern scores and
# rules, which a reader knows nothing about.
CODES = {
    "lower-case-position": "lower-case-position",
    "text-after-cumulative": "text-after-cumulative",
    "rack-of-underscores": "rack-unknown",
    "score-plus-minus": "score-plus-minus",
    "score-without-sign": "score-without-sign",
    "rack-malformed": "rack-malformed",
    "ambiguous-player": "ambiguous-player",
    "event-after-last-rack": "event-after-last-rack",
    "duplicate-nickname": "duplicate-nickname",
    "duplicate-full-name": "duplicate-full-name",
    "encoding": "encoding-unsupported",
    "empty-file": "empty-file",
    "no-final-newline": "no-final-newline",
    "utf8-bytes-without-header": "encoding-undeclared",
    "iso-8859-1-bytes": "encoding-default",
    "rack-pragma-before-events": "rack-pragma-before-events",
    "note-before-events": "note-before-events",
    "pragma-not-lower-case": "pragma-not-lower-case",
}
# Malformed lines, each with the reason that the reader has for it.
MALFORMED = {
    ("h33_unparsable_line.gcg", 10): "event-malformed",
    ("h41_cumulative_zeros_bad_last_line.gcg", 47): "colon-missing",
}


@pytest.fixture(params=FILES)
def record(request: pytest.FixtureRequest) -> tuple[str, Game, dict[str, Any]]:
    file: str = request.param
    return file, read_game(DATA / "games" / file), EXPECTED[file]


def test_the_text(record: tuple[str, Game, dict[str, Any]]) -> None:
    file, game, expected = record
    assert (DATA / "games" / file).stat().st_size == expected["bytes"]
    assert game.encoding == expected["encoding"]
    assert game.encoding_declared == expected["encoding_declared"]
    assert game.newline == expected["newline"]
    assert game.final_newline == expected["final_newline"]
    assert game.source is not None
    assert game.source.endswith(file)


def test_the_head(record: tuple[str, Game, dict[str, Any]]) -> None:
    _, game, expected = record
    players = [
        {"number": number, "nick": player.nick, "name": player.name}
        for number, player in enumerate(game.players, start=1)
    ]
    assert players == expected["players"]
    # Players and the encoding are no pragmas of the game; the others keep their order, their names are lower case.
    others = [name.lower() for name in expected["pragmas"] if name[:6] != "player" and name != "character-encoding"]
    assert [pragma.keyword for pragma in game.pragmas] == others
    assert game.lettered_rows == (expected["orientation"] == "lettered-rows")
    assert len(game.notes) + sum(len(event.notes) for event in game) == expected["notes"]


def test_the_events(record: tuple[str, Game, dict[str, Any]]) -> None:
    _, game, expected = record
    assert len(game) == expected["events"]
    assert Counter(event.kind for event in game) == expected["kinds"]
    # The records' description has 0 for players without any event.
    assert [total or 0 for total in game.recorded_totals] == expected["final_recorded"]
    for event, turn in zip(game, expected["turns"], strict=True):
        assert (event.line, event.kind) == (turn["line"], turn["kind"])
        assert (None if event.player is None else event.player + 1) == turn["player"]
        assert (event.score, event.total) == (turn["recorded"], turn["cum_recorded"])
        if "pos" in turn:
            assert (event.coordinate, event.text) == (turn["pos"], turn["word"])


def test_the_departures(record: tuple[str, Game, dict[str, Any]]) -> None:
    file, game, expected = record
    seen = [(CODES[issue["code"]], issue["line"]) for issue in expected["issues"] if issue["code"] in CODES]
    seen += [
        (CODES[flag], turn["line"])
        for turn in expected["turns"]
        for flag in turn["flags"]
        # Issues have these already.
        if flag in CODES and flag not in ("ambiguous-player", "rack-malformed")
    ]
    seen += [(MALFORMED[file, turn["line"]], turn["line"]) for turn in expected["turns"] if turn["kind"] == "malformed"]
    codes = {*CODES.values(), *MALFORMED.values()}
    found = [(problem.code, problem.line) for problem in game.problems if problem.code in codes]
    # Of these the description does not say where they are.
    anywhere = Counter(CODES[name] for name in expected["unusual"] if name in CODES)
    placed = [(code, line) for code, line in found if code not in anywhere]
    assert Counter(placed) == Counter(seen)
    assert {code for code, _ in found if code in anywhere} == set(anywhere)


def test_what_is_written_reads_back_equal(record: tuple[str, Game, dict[str, Any]]) -> None:
    file, game, expected = record
    handle = io.BytesIO()
    if "malformed" in expected["kinds"]:
        with pytest.raises(RecordError) as caught:
            write_gcg(game, handle)
        assert caught.value.code == "unwritable"
        assert (file, caught.value.line) in MALFORMED
        assert handle.getvalue() == b""
    write_gcg(game, handle, malformed="keep")
    handle.seek(0)
    (back,) = read_games(handle)
    assert back == game
    assert (back.encoding_declared, back.newline, back.final_newline) == ("UTF-8", "lf", True)


# What is left of a record's departures once it is written: they are in what it says, not in how it is spelt.
CONTENT = {
    "note-before-events",
    "duplicate-nickname",
    "duplicate-full-name",
    "rack-malformed",
    "event-after-last-rack",
    *MALFORMED.values(),
}


def test_what_is_written_is_clean(record: tuple[str, Game, dict[str, Any]]) -> None:
    _, game, _ = record
    handle = io.BytesIO()
    write_gcg(game, handle, malformed="keep")
    handle.seek(0)
    back = read_game(handle)
    assert {problem.code for problem in back.problems if problem.severity != "note"} <= CONTENT


def test_all_records_in_one_file() -> None:
    """A file of all records that begin a game in one of the two ways gives the same games."""
    files = [
        file for file in FILES if (DATA / "games" / file).read_bytes().startswith((b"#player1", b"#character-encoding"))
    ]
    files = [file for file in files if EXPECTED[file]["final_newline"] and EXPECTED[file]["events"]]
    assert len(files) > 60
    handle = io.BytesIO(b"".join((DATA / "games" / file).read_bytes() for file in files))
    line = 1
    for file, game in zip(files, read_games(handle), strict=True):
        alone = read_game(DATA / "games" / file)
        assert game.events == alone.events or game.encoding != alone.encoding
        assert game.players == alone.players or game.encoding != alone.encoding
        assert [event.line - line + 1 for event in game] == [event.line for event in alone]
        assert game.first_line == line
        line += len((DATA / "games" / file).read_bytes().splitlines())
