"""Audits with a lexicon, and by the ruleset that explains most of a game's scores."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from fastscore.audit.failures import AuditError
from fastscore.audit.fast import fast_rows
from fastscore.audit.rows import RecordText, Rules, rows_of_games
from fastscore.audit.run import run_audit
from fastscore.audit.schema import TABLES
from fastscore.audit.tables import audit_texts, merged_rows, record_texts
from fastscore.cli import main
from fastscore.gcg import read_game
from fastscore.lexicon import Lexicon
from fastscore.replays import replay
from fastscore.rules.letters import load_distribution
from fastscore.status import Status
from tests.audits import GAMES, SHORT, WRONG, folder_of, rows, tables

DATA = Path(__file__).parent / "data"
ENGLISH = load_distribution("english")
# Plain games: 8G BAD (3 + 1 + 2) x 2 = 12, 8G FAD (4 + 1 + 2) x 2 = 14.
PLAIN = b"""\
#player1 a Ann
#player2 b Bob
>a: ABDEGOT 8G BAD +12 12
>b: EEISUVW -UVW +0 0
"""
OTHER = PLAIN.replace(b"ABDEGOT 8G BAD +12 12", b"ADFEGOT 8G FAD +14 14")


def words(*known: str) -> Lexicon:
    return Lexicon.from_words(known, ENGLISH)


def records(*games: bytes) -> list[RecordText]:
    return [RecordText(f"game{number}", data) for number, data in enumerate(games)]


def found(texts: Sequence[RecordText], lexicon: Lexicon, rules: Rules | str = None) -> list[tuple[str, str, str]]:
    batch = audit_texts(texts, rules, lexicon).findings
    return [(row["source"], row["code"], row["severity"]) for row in batch.to_pylist()]


def test_the_fast_way_leaves_games_with_phonies() -> None:
    texts = records(PLAIN, OTHER, PLAIN, OTHER)
    (plain,), left = fast_rows(texts, None, words("BAD"))
    assert left == [1, 3]
    assert plain["games"].owners.tolist() == [0, 2]
    assert fast_rows(texts, None, words("BAD", "FAD"))[1] == []
    assert fast_rows(texts, None, words("FAB"))[1] == [0, 1, 2, 3]
    assert fast_rows([], None, words("FAB"))[1] == []
    # Words of other tiles: each game has a finding that says so.
    german = Lexicon.from_words(["BAD"], load_distribution("german"))
    assert fast_rows(texts, None, german)[1] == [0, 1, 2, 3]
    assert {code for _, code, _ in found(texts, german)} == {"lexicon-other-tiles"}


def test_findings() -> None:
    texts = records(PLAIN, OTHER, SHORT)
    # In SHORT a second play, SEE and BADS, is taken back.
    assert found(texts, words("BAD", "SEE")) == [("game1", "phony", "warning")]
    assert found(texts, words("BAD", "SEE", "BADS", "FAD")) == [("game2", "good-play-withdrawn", "note")]
    assert found(texts, words("FAD")) == [("game0", "phony", "warning"), ("game2", "phony", "warning")]
    statuses = audit_texts(texts, None, words("BAD", "FAD")).turns.column("status").to_pylist()
    assert [bool(status & Status.PHONY) for status in statuses] == [False] * 5 + [True] + [False] * 3


def test_equal_to_a_replay_in_either_way() -> None:
    bots = list(record_texts("bots", gzip.decompress((DATA / "bot_games.gcgs.gz").read_bytes())))[:60]
    corpus = [text for path in sorted(GAMES.glob("h*.gcg"))[:30] for text in record_texts(path.name, path.read_bytes())]
    texts = [*bots, *corpus]
    everything = [word for row in audit_texts(bots).turns.column("words").to_pylist() for word in row]
    known = words(*sorted(set(everything))[3:])
    whole = audit_texts(texts, None, known)
    for table, made in zip(TABLES, merged_rows(texts, [rows_of_games(texts, lexicon=known)]), strict=True):
        assert getattr(whole, table).equals(made)
    # Three of the words of bots are left out; records of others have many that bots never played.
    phonies = [row for row in whole.findings.to_pylist() if row["code"] == "phony"]
    assert {row["source"] == "bots" for row in phonies} == {True, False}
    path = GAMES / "h24_three_withdrawals.gcg"
    codes = [finding.code for finding in replay(read_game(path), lexicon=known).findings]
    of_audit = [row["code"] for row in whole.findings.to_pylist() if row["source"] == path.name]
    assert of_audit == codes
    assert "phony" in codes


def test_workers_and_resuming(tmp_path: Path) -> None:
    games = folder_of(tmp_path / "games", 12)
    known = words("FAD")
    run_audit([games], tmp_path / "one", lexicon=known, workers=1, chunk_games=4)
    run_audit([games], tmp_path / "two", lexicon=known, workers=2, chunk_games=4)
    assert tables(tmp_path / "one") == tables(tmp_path / "two")
    codes = [row["code"] for row in rows(tmp_path / "one", "findings")]
    # Every fifth game is a misscored FAD, the other ten have BAD.
    assert sorted(codes) == ["misscored"] * 2 + ["phony"] * 10
    again = run_audit([games], tmp_path / "one", lexicon=words("FAD"), workers=1, resume=True)
    assert again.parts_before == again.parts == 3
    for other in (None, words("FAB")):
        with pytest.raises(AuditError, match="was begun with lexicon 'lexicon "):
            run_audit([games], tmp_path / "one", lexicon=other, workers=1, resume=True)


# The command.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("BAD\nSEE\nBADS\n")
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "short.gcg").write_bytes(SHORT)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["audit", "-o", "out", "--workers", "1", *arguments])
    return (code, *capsys.readouterr())


def test_notes_alone_are_no_fault(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "games", "--lexicon", "words.txt")
    assert code == 0
    assert out.splitlines()[-1] == "    1  good-play-withdrawn  a play taken back whose words are all in the lexicon"
    assert [row["severity"] for row in rows(folder / "out", "findings")] == ["note"]


def test_phonies(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "games" / "plain.gcg").write_bytes(OTHER)
    code, out, _ = run(capsys, "games", "--lexicon", "words.txt", "--format", "json")
    assert code == 1
    assert {"code": "phony", "count": 1} in json.loads(out)["codes"]


def test_letters_are_those_of_the_first_ruleset(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "german.txt").write_text("ÄRA\n", "utf-8")
    code, _, err = run(capsys, "games", "--lexicon", "german.txt")
    assert (code, "german.txt" in err) == (2, True)
    assert not (folder / "out").exists()
    # Ä 6, R 1, A 1, doubled.
    german = b"#character-encoding UTF-8\n" + PLAIN.replace(b"ABDEGOT 8G BAD +12 12", "_ 8H ÄRA +16 16".encode())
    (folder / "games" / "short.gcg").write_bytes(german)
    code, _, _ = run(capsys, "games", "--lexicon", "german.txt", "--rules", "classic/german")
    assert code == 0


def test_rules_that_explain_the_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # words-with-friends: B 4, A 1, D 2 make 7 on its board, where the start is no premium square; WRONG is 12 or 14.
    (folder / "games" / "other.gcg").write_bytes(PLAIN.replace(b"+12 12", b"+7 7"))
    code, out, _ = run(capsys, "games", "--rules", "words-with-friends", "--rules", "classic/english")
    assert code == 0
    assert [line.split() for line in out.splitlines()[-3:]] == [
        ["games", "tied", "rules", "rules", "from"],
        ["1", "0", "classic/english", "recognised"],
        ["1", "0", "words-with-friends", "recognised"],
    ]
    games = rows(folder / "out", "games")
    assert [(row["source"], row["rules"], row["rules_from"]) for row in games] == [
        ("games/other.gcg", "words-with-friends", "recognised"),
        ("games/short.gcg", "classic/english", "recognised"),
    ]


def test_rules_auto(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "games", "--rules", "auto", "--format", "json")
    assert code == 0
    # One game of one play that stands: many rulesets give it these scores, and classic/english goes first.
    assert json.loads(out)["rules"] == [{"rules": "classic/english", "rules_from": "recognised", "games": 1, "tied": 1}]
    (game,) = rows(folder / "out", "games")
    assert (game["rules"], game["rules_from"]) == ("classic/english", "recognised")
    assert "classic/dutch" not in game["rules_ties"]


def test_a_ruleset_given_twice_is_not_tied_with_itself(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "games", "--rules", "classic/english", "--rules", "auto", "--rules", "classic/english")
    (game,) = rows(folder / "out", "games")
    assert game["rules"] == "classic/english"
    assert len(set(game["rules_ties"])) == len(game["rules_ties"]) > 0
    assert "classic/english" not in game["rules_ties"]


def test_an_unknown_ruleset_among_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "games" / "wrong.gcg").write_bytes(WRONG)
    code, _, err = run(capsys, "games", "--rules", "auto", "--rules", "classic/klingon")
    assert code == 2
    assert "classic/klingon" in err
