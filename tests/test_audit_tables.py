"""From record texts to tables: what stands in the rows, and that they are the same however the work is cut."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import fastscore as fs
from fastscore import __version__
from fastscore.audit import rows as rows_module
from fastscore.audit.failures import AuditError
from fastscore.audit.rows import read_text, rows_of_games
from fastscore.audit.schema import ARROW_SCHEMAS, PREMIUMS, TABLES
from fastscore.audit.tables import RecordText, Tables, audit_column, audit_texts, joined, merged_rows, record_texts
from fastscore.game import Game
from fastscore.gcg import read_game, read_games
from fastscore.replays import replay, replay_many
from fastscore.status import UNSCORABLE
from tests.audits import GAMES, SHORT, WRONG

FILES = sorted(GAMES.glob("*.gcg"))


def texts_of(*records: bytes) -> list[RecordText]:
    return [text for number, data in enumerate(records) for text in record_texts(f"record {number}", data)]


@pytest.fixture(scope="module")
def corpus() -> list[RecordText]:
    return [text for path in FILES for text in record_texts(path.name, path.read_bytes())]


@pytest.fixture(scope="module")
def tables(corpus: list[RecordText]) -> Tables:
    return audit_texts(corpus)


def test_turns_by_hand() -> None:
    turns = audit_texts(texts_of(SHORT)).turns.to_pylist()
    first, second, third, fourth, fifth = turns
    assert first == {
        "source": "record 0",
        "member": "",
        "game": 1,
        "turn": 0,
        "number": 1,
        "line": 3,
        "kind": "place",
        "player": 0,
        "name": "Ann",
        "rack": "ABDEGOT",
        "rack_tiles": 7,
        "move": "8G BAD",
        "row": 7,
        "col": 6,
        "direction": "across",
        "tiles": "BAD",
        "tiles_placed": 3,
        "blanks_placed": 0,
        "words": ["BAD"],
        "word_length": 3,
        # Of the squares G8 to I8 only H8 has a premium.
        "double_letter": 0,
        "triple_letter": 0,
        "quadruple_letter": 0,
        "double_word": 1,
        "triple_word": 0,
        "quadruple_word": 0,
        "bingo": False,
        "withdrawn": False,
        "recorded": 12,
        "computed": 12,
        "difference": 0,
        "total_recorded": 12,
        "total_computed": 12,
        "leave": "EGOT",
        "bag": 86,
        "scoreless": 0,
        "status": 0,
        "comments": 0,
        "findings": 0,
    }
    assert (second["direction"], second["tiles"], second["words"]) == ("down", "SEE", ["SEE", "BADS"])
    assert (second["triple_letter"], second["double_word"], second["withdrawn"]) == (1, 0, True)
    assert (second["leave"], second["bag"]) == ("IUVW", 83)
    assert (third["kind"], third["number"], third["leave"], third["total_computed"]) == ("withdraw", None, None, 0)
    assert (fourth["kind"], fourth["leave"], fourth["tiles"]) == ("exchange", "OT", None)
    assert (fifth["kind"], fifth["leave"], fifth["number"]) == ("pass", "EEISUVW", 4)


def test_games_by_hand() -> None:
    right, wrong = audit_texts(texts_of(SHORT, WRONG)).games.to_pylist()
    assert right["rules"] == "classic/english"
    assert right["rules_from"] == "default"
    assert (right["nicks"], right["names"]) == (["a", "b"], ["Ann", "Bob"])
    assert (right["totals_recorded"], right["totals_computed"]) == ([12, 0], [12, 0])
    assert (right["finished"], right["winner"], right["ending"]) == (False, None, "not_ended")
    counts = ("events", "placements", "withdrawals", "exchanges", "passes", "findings")
    assert [right[name] for name in counts] == [5, 2, 1, 1, 1, 0]
    assert (wrong["totals_recorded"], wrong["totals_computed"]) == ([12, 0], [14, 0])
    assert (wrong["findings"], wrong["faults"], wrong["misscored"], wrong["first_player"]) == (1, 1, 1, 0)


def test_findings_by_hand() -> None:
    (finding,) = audit_texts(texts_of(SHORT, WRONG)).findings.to_pylist()
    assert (finding["source"], finding["game"], finding["code"], finding["line"]) == ("record 1", 1, "misscored", 3)
    assert (finding["recorded"], finding["computed"], finding["difference"]) == (12, 14, -2)
    assert (finding["severity"], finding["consequence"], finding["turn"]) == ("error", False, 0)


def test_a_bingo_with_a_blank() -> None:
    # tAGL.ONI: seven tiles, the t a blank. ?AGILNO holds just them.
    turns = audit_texts(list(record_texts("", (GAMES / "h24_three_withdrawals.gcg").read_bytes()))).turns.to_pylist()
    (turn,) = [turn for turn in turns if turn["move"] == "E5 tAGL.ONI"]
    assert (turn["tiles"], turn["tiles_placed"], turn["blanks_placed"], turn["bingo"]) == ("tAGLONI", 7, 1, True)
    assert (turn["word_length"], turn["leave"], turn["computed"]) == (8, "", 82)
    assert [turn["move"] for turn in turns if turn["withdrawn"]] == ["O8 AIT.AEAS", "4E TRIALS", "D5 JAGA.OOL"]


def test_schemas(tables: Tables) -> None:
    for table, batch in zip(TABLES, tables, strict=True):
        assert batch.schema.equals(ARROW_SCHEMAS[table], check_metadata=True)
        metadata = batch.schema.metadata
        assert metadata[b"fastscore.table"] == table.encode()
        assert metadata[b"fastscore.schema"].isdigit()
        assert metadata[b"fastscore.version"] == __version__.encode()


def test_rows_are_those_of_the_replays(corpus: list[RecordText], tables: Tables) -> None:
    turns, findings = tables.turns.to_pylist(), tables.findings.to_pylist()
    for path in FILES:
        replayed = replay(read_game(path))
        own = [turn for turn in turns if turn["source"] == path.name]
        assert [(turn["line"], turn["kind"], turn["computed"], turn["words"]) for turn in own] == [
            (turn.line, turn.kind, turn.computed, list(turn.words)) for turn in replayed.turns
        ]
        found = [(row["code"], row["line"], row["cause"]) for row in findings if row["source"] == path.name]
        assert found == [(finding.code, finding.line, finding.cause) for finding in replayed.findings]
    assert [row["source"] for row in tables.games.to_pylist()] == [path.name for path in FILES]


def test_tiles_and_premiums_are_those_of_the_boards(tables: Tables) -> None:
    # Another way to the fresh tiles: what differs between the boards before and after.
    turns = tables.turns.to_pylist()
    compared = 0
    for path in FILES:
        game = read_game(path)
        replayed = replay(game)
        layout = replayed.rules.layout
        boards = list(game.boards(replayed.rules))
        for index, turn in enumerate([turn for turn in turns if turn["source"] == path.name]):
            if turn["kind"] != "place" or turn["status"] & UNSCORABLE:
                continue
            fresh = (boards[index].tiles != boards[index + 1].tiles).nonzero()
            codes = boards[index + 1].tiles[fresh].tolist()
            assert turn["tiles"] == replayed.rules.letters.format(codes)
            assert turn["tiles_placed"] == len(codes)
            squares = zip(layout.letter_multiplier[fresh], layout.word_multiplier[fresh], strict=True)
            premiums = Counter((int(letter), int(word)) for letter, word in squares)
            assert [turn[name] for name in PREMIUMS] == [premiums[premium] for premium in PREMIUMS.values()]
            compared += 1
    assert compared > 1000


def test_however_the_work_is_cut(corpus: list[RecordText], tables: Tables) -> None:
    assert joined([audit_texts(corpus[:7]), audit_texts(corpus[7:8]), audit_texts(corpus[8:])]) == tables
    evens, odds = range(0, len(corpus), 2), range(1, len(corpus), 2)
    parts = [rows_of_games(corpus, None, indices) for indices in (odds, evens)]
    assert merged_rows(corpus, parts) == tables


def test_nothing_at_all() -> None:
    assert [len(batch) for batch in audit_texts([])] == [0, 0, 0, 0]


def test_texts_are_the_games_of_the_reader() -> None:
    # The first game declares its encoding, and that holds for the second, in which a byte says nothing in UTF-8.
    line = b">a: AB 8G AB +8 8\n"
    whole = b"#character-encoding iso-8859-1\n#player1 a \xc9va\n" + line + b"#player1 a \xc3\x89va\n" + line
    for data in (whole, b"".join(path.read_bytes() for path in FILES), b"", b"\xef\xbb\xbf" + SHORT):
        games = list(read_games(io.BytesIO(data)))
        texts = list(record_texts("x", data))
        assert [text.game for text in texts] == list(range(1, len(games) + 1))
        for text, game in zip(texts, games, strict=True):
            made = read_text(text)
            assert made == game
            assert made.problems == game.problems
            assert (made.first_line, made.encoding) == (game.first_line, game.encoding)
    (first, second) = record_texts("x", whole)
    assert (first.encoding, second.encoding) == (None, "iso-8859-1")
    assert read_text(second).players[0].name == "Ã\x89va"


def test_text_that_is_read_already() -> None:
    (text,) = record_texts("x", "#character-encoding iso-8859-1\n#player1 a Éva\n#player2 b \ud800\n")
    assert [player.name for player in read_text(text).players] == ["Éva", "\\ud800"]
    assert audit_texts([text]).games.to_pylist()[0]["names"] == ["Éva", "\\ud800"]


def test_names_that_are_no_text() -> None:
    (text,) = record_texts("caf\udce9.gcg", SHORT)
    assert audit_texts([text]).games.to_pylist()[0]["source"] == "caf\\xe9.gcg"


def test_one_ruleset_for_all() -> None:
    # Words with friends: F 4, A 1, D 2; 8G to 8I have no premium there: 7, and a start square without one.
    (game,) = audit_texts(texts_of(WRONG), "words-with-friends").games.to_pylist()
    assert (game["rules"], game["rules_from"], game["totals_computed"]) == ("words-with-friends", "given", [7, 0])


def test_rules_that_are_recognised() -> None:
    given = [fs.load_rules("words-with-friends"), fs.load_rules("classic/english")]
    (game,) = audit_texts(texts_of(SHORT), given).games.to_pylist()
    assert (game["rules"], game["rules_from"]) == ("classic/english", "recognised")


def test_a_record_that_fails_costs_its_own_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(games: list[Game], *others: Any) -> Any:
        for replayed in replay_many(games, *others):
            if replayed.game.players[0].name == "Fay":
                raise ZeroDivisionError("no way")
            yield replayed

    monkeypatch.setattr(rows_module, "replay_many", failing)
    tables = audit_texts(texts_of(SHORT, SHORT.replace(b"Ann", b"Fay"), WRONG))
    assert tables.games.column("source").to_pylist() == ["record 0", "record 2"]
    (error,) = tables.errors.to_pylist()
    assert (error["source"], error["line"], error["code"]) == ("record 1", 1, "game-failed")
    assert error["detail"] == "game 1 cannot be judged: ZeroDivisionError: no way"


@pytest.mark.parametrize("kind", ["string", "binary"])
def test_a_column_of_texts(kind: str) -> None:
    cells: list[Any] = [SHORT + WRONG, None, WRONG]
    if kind == "string":
        cells = [cell and cell.decode() for cell in cells]
    batch = pa.record_batch({"id": ["x", "y", "z"], "gcg": cells})
    (games,) = audit_column([batch], "games", column="gcg", source="id")
    assert [(row["source"], row["game"]) for row in games.to_pylist()] == [("x", 1), ("x", 2), ("z", 1)]
    first, second = audit_column([batch, pa.Table.from_batches([batch])], "findings", column="gcg")
    assert first.column("source").to_pylist() == ["0", "2"]
    assert second.column("source").to_pylist() == ["3", "5"]
    with pytest.raises(AuditError, match="table 'moves', expected one of games, turns, findings, errors"):
        next(audit_column([batch], "moves", column="gcg"))


def test_the_folder_of_records_is_what_it_says() -> None:
    assert len(FILES) == 83
    assert Path(FILES[0]).is_file()
