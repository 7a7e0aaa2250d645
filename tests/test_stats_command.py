"""The command `stats`, its pictures, and what statistics may read and what not."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastscore.audit import statistics as module
from fastscore.audit.failures import AuditError
from fastscore.audit.plots import draw_statistics, gather_bins
from fastscore.audit.run import run_audit
from fastscore.audit.schema import files_of_table
from fastscore.audit.statistics import MEANINGS, NOTABLES, statistics
from fastscore.cli import main
from tests.small_games import (
    ANNA_WINS,
    BERTA_WINS,
    HEAD,
    NOBODY_WINS,
    TWO_BINGOS,
    audited,
    notables,
)

# What may be read, and what not.

HOSTILE = (
    "'); DROP TABLE game; --",
    "read_csv('records/game0.gcg')",
    "records/*.gcg",
    "$\\frac{a}{b}$ <script>alert(1)</script>",
    "\"; ATTACH 'x.db' AS x; --",
)


def test_names_are_values(tmp_path: Path) -> None:
    games = [[f"#player1 A {name}", "#player2 B Berta", *ANNA_WINS] for name in HOSTILE]
    out = audited(tmp_path, games)
    found = statistics(out, players=HOSTILE)
    assert {row["name"] for row in found.players.to_pylist()} == set(HOSTILE)
    assert all(row["wins"] == 1 for row in found.players.to_pylist())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "records"]


def test_a_folder_with_a_hostile_name(tmp_path: Path) -> None:
    name = "o'ut; *.parquet [a]?"
    shutil.move(audited(tmp_path, [ANNA_WINS]), tmp_path / name)
    assert statistics(tmp_path / name).collection["games"] == 1


def test_the_database_reads_and_writes_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n", "utf-8")
    local = {"a": [1]}
    assert local
    with module._database() as connection:
        for statement in (
            f"SELECT * FROM read_csv('{secret}')",
            f"SELECT * FROM '{secret}'",
            f"SELECT * FROM read_text('{secret}')",
            f"SELECT * FROM glob('{tmp_path}/*')",
            f"COPY (SELECT 1) TO '{tmp_path}/copy.csv'",
            f"ATTACH '{tmp_path}/new.db' AS new",
            f"EXPORT DATABASE '{tmp_path}/export'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
            "SET python_enable_replacements = true",
            "SELECT * FROM local",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(statement)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    out = audited(tmp_path, [ANNA_WINS])
    (part,) = files_of_table(out, "turns")
    elsewhere = tmp_path / "elsewhere.parquet"
    shutil.move(part, elsewhere)
    os.symlink(elsewhere, part)
    with pytest.raises(AuditError, match="a link out of the audit's folder"):
        statistics(out)


def test_a_name_of_rules_is_not_the_name_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The column `rules` comes from a file that others may have written.
    out = audited(tmp_path, [ANNA_WINS])
    (part,) = files_of_table(out, "games")
    table = pq.read_table(part)
    rules = tmp_path / "evil.toml"
    rules.write_text('layout = "standard15"\ndistribution = "english"\n', "utf-8")
    column = table.schema.get_field_index("rules")
    (out / "manifest.jsonl").unlink()
    pq.write_table(table.set_column(column, table.schema.field("rules"), [[str(rules)]]), part)
    opened: list[str] = []
    monkeypatch.setattr(module, "load_rules", lambda name: opened.append(name))
    found = statistics(out)
    assert found.collection["games"] == 1
    assert opened == []
    # Nothing is known of such rules.
    assert notables(found) == [("combined-score-low", None, -1)]


def test_rules_of_a_file(tmp_path: Path) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text('name = "mine"\nlayout = "standard15"\ndistribution = "english"\n', "utf-8")
    records = tmp_path / "records"
    records.mkdir()
    (records / "game.gcg").write_text("".join(f"{line}\n" for line in (*HEAD, *ANNA_WINS)), "utf-8")
    run_audit([records], tmp_path / "out", rules=str(rules), workers=1)
    assert "no-blanks" not in [name for name, *_ in notables(statistics(tmp_path / "out"))]
    known = statistics(tmp_path / "out", rules=[str(rules)])
    assert "no-blanks" in [name for name, *_ in notables(known)]


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="expected the folder of an audit"):
        statistics(tmp_path)
    with pytest.raises(AuditError, match="expected the folder of an audit"):
        statistics(tmp_path / "none")


def tables_alone(tmp_path: Path) -> Path:
    """The folder of an audit, without a manifest that would know its files."""
    out = audited(tmp_path, [ANNA_WINS])
    (out / "manifest.jsonl").unlink()
    return out


def test_files_that_are_broken(tmp_path: Path) -> None:
    out = tables_alone(tmp_path)
    (part,) = files_of_table(out, "turns")
    whole = part.read_bytes()
    for data in (b"", b"PAR1", whole[:-100], b"\0" * len(whole)):
        part.write_bytes(data)
        with pytest.raises(AuditError, match="cannot be read") as caught:
            statistics(out)
        assert caught.value.source == str(part)


def test_parts_that_are_not_there(tmp_path: Path) -> None:
    out = audited(tmp_path, [ANNA_WINS])
    (part,) = files_of_table(out, "turns")
    whole = part.read_bytes()
    part.write_bytes(whole[:-1])
    with pytest.raises(
        AuditError, match=rf"{len(whole) - 1} bytes, expected {len(whole)}: --resume makes this part again"
    ):
        statistics(out)
    part.unlink()
    with pytest.raises(
        AuditError, match="no such file or directory, expected a part: --resume makes it again"
    ) as caught:
        statistics(out)
    assert caught.value.source == str(part)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("computed", pa.array(["12"] * 9), "column computed is of type 'string', expected int64"),
        ("player", pa.array([0] * 9, pa.int64()), "column player is of type 'int64', expected int8"),
        ("computed", pa.array([2**63 - 1] * 9, pa.int64()), "tables that cannot be read: .*[Oo]ut of .*ange"),
    ],
)
def test_columns_that_are_damaged(tmp_path: Path, name: str, values: pa.Array, message: str) -> None:
    out = tables_alone(tmp_path)
    (part,) = files_of_table(out, "turns")
    table = pq.read_table(part)
    column = table.schema.get_field_index(name)
    damaged = table.set_column(column, name, values).replace_schema_metadata(table.schema.metadata)
    pq.write_table(damaged, part)
    with pytest.raises(AuditError, match=message):
        statistics(out)


def test_data_that_is_damaged(tmp_path: Path) -> None:
    out = tables_alone(tmp_path)
    (part,) = files_of_table(out, "turns")
    data = bytearray(part.read_bytes())
    data[200:400] = bytes(200)
    part.write_bytes(data)
    with pytest.raises(AuditError, match="tables that cannot be read: "):
        statistics(out)


def test_no_formulas_in_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = [["#player1 A =HYPERLINK(1)", "#player2 B +1+1", *ANNA_WINS]]
    out = str(audited(tmp_path, games))
    assert main(["stats", out, "--format", "csv"]) == 0
    names = [line[1] for line in csv.reader(capsys.readouterr().out.splitlines())]
    assert names == ["name", "", "'+1+1", "'=HYPERLINK(1)"] or names == ["name", "", "'=HYPERLINK(1)", "'+1+1"]
    assert main(["stats", out, "--format", "csv", "--games"]) == 0
    header, row = csv.reader(capsys.readouterr().out.splitlines())
    # A score of -1 is a number.
    assert dict(zip(header, row, strict=True))["names"] == "'=HYPERLINK(1)|+1+1"
    assert dict(zip(header, row, strict=True))["totals"] == "0|-1"


def test_a_picture_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = audited(tmp_path, [ANNA_WINS])
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        assert main(["stats", str(out), "--plot", str(picture)]) == 2
    assert f"{picture}: cannot be written: no space left on device" in capsys.readouterr().err
    assert picture.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "picture.png", "records"]


def test_a_player_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = audited(tmp_path, [ANNA_WINS])
    assert main(["stats", str(out), "--player", "a\udcff"]) == 2
    assert "no player 'a\\\\xff', expected " in capsys.readouterr().err


def test_tables_of_another_version(tmp_path: Path) -> None:
    out = tables_alone(tmp_path)
    (part,) = files_of_table(out, "games")
    table = pq.read_table(part)
    pq.write_table(table.replace_schema_metadata({"fastscore.schema": "999"}), part)
    with pytest.raises(AuditError, match="tables of version '999', expected 1"):
        statistics(out)
    pq.write_table(table.drop_columns(["tie"]), part)
    with pytest.raises(AuditError, match="no column 'tie'"):
        statistics(out)


def unfinished(out: Path) -> None:
    manifest = out / "manifest.jsonl"
    lines = manifest.read_text("utf-8").splitlines(keepends=True)
    assert "finished" in lines[-1]
    manifest.write_text("".join(lines[:-1]), "utf-8")


def test_an_unfinished_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = audited(tmp_path, [ANNA_WINS])
    unfinished(out)
    # A part that the manifest does not note may be broken.
    (out / "games" / "part-000007.parquet").write_bytes(b"half a file")
    found = statistics(out)
    assert (found.finished, found.collection["games"]) == (False, 1)
    with pytest.raises(AuditError, match="expected a finished run"):
        statistics(out, once=True)
    assert main(["stats", str(out), "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert "the audit is unfinished" in captured.err
    assert json.loads(captured.out)["finished"] is False


# The command.


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["stats", *map(str, arguments)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return audited(tmp_path_factory.mktemp("games"), [ANNA_WINS, BERTA_WINS, NOBODY_WINS, TWO_BINGOS])


def test_text(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, out)
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["all", "games", "Anna", "Berta"]
    assert ["games", "4", "4", "4"] in lines
    assert ["bingos", "by", "length", "7:1", "8:1", "7:1", "8:1", "-"] in lines
    assert ["bingoless", "games", "3", "3", "4"] in lines
    assert "nobody lays a blank in a finished game" in text
    # Boards without such squares have no lines for them.
    assert "quadruple" not in text


def test_text_of_games_and_fewer_players(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, out, "--games", "--top", 1)
    assert text.splitlines()[0].split() == ["all", "games", "Anna"]
    assert "and 1 more players" in text
    assert any(line.split()[-6:] == ["160-0", "3", "2", "82", "14", "0"] for line in text.splitlines())


def test_json(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(run(capsys, out, "--format", "json", "--games"))
    assert data["finished"] is True
    assert list(data["collection"]) == list(MEANINGS)
    assert data["collection"]["bingos_by_length"] == {"7": 1, "8": 1}
    assert [row["name"] for row in data["players"]] == ["Anna", "Berta"]
    assert [row["totals"] for row in data["games"]] == [[0, -1], [-1, 2], [-1, -1], [160, 0]]
    assert {row["notable"] for row in data["notables"]} <= set(NOTABLES)
    assert "games" not in json.loads(run(capsys, out, "--format", "json"))


def test_csv(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(run(capsys, out, "--format", "csv"))))
    assert [(row["scope"], row["name"], row["games"]) for row in rows] == [
        ("collection", "", "4"),
        ("player", "Anna", "4"),
        ("player", "Berta", "4"),
    ]
    assert rows[1]["bingos_by_length"] == "7:1 8:1"
    games = list(csv.DictReader(io.StringIO(run(capsys, out, "--format", "csv", "--games"))))
    assert [row["totals"] for row in games] == ["0|-1", "-1|2", "-1|-1", "160|0"]


def test_names_are_made_fit_for_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = audited(tmp_path, [["#player1 A An\x1b[31mna\u202e", "#player2 B Berta", *ANNA_WINS]])
    for form in ("text", "csv", "json"):
        text = run(capsys, out, "--format", form, "--games")
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_bad_folders_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(tmp_path)]) == 2
    assert "expected the folder of an audit" in capsys.readouterr().err
    out = audited(tmp_path, [ANNA_WINS])
    assert main(["stats", str(out), "--rules", "no such"]) == 2
    assert main(["stats", str(out), "--plot", str(tmp_path / "picture.gif")]) == 2
    assert "'picture.gif', expected a name that ends in .png, .svg, .pdf" in capsys.readouterr().err


def test_pictures(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = statistics(out)
    for ending, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".PDF", b"%PDF")):
        first, second = tmp_path / f"a{ending}", tmp_path / f"b{ending}"
        draw_statistics(found, first)
        draw_statistics(found, second)
        assert first.read_bytes().startswith(magic)
        assert first.read_bytes() == second.read_bytes()
    assert "bingo streak" in run(capsys, out, "--plot", tmp_path / "c.svg")
    assert (tmp_path / "c.svg").read_bytes() == (tmp_path / "a.svg").read_bytes()


def test_a_picture_says_what_it_shows(tmp_path: Path) -> None:
    hostile = HOSTILE[3]
    out = audited(tmp_path, [TWO_BINGOS, [f"#player1 A {hostile}", "#player2 B Berta", *ANNA_WINS]])
    draw_statistics(statistics(out), tmp_path / "picture.svg")
    text = (tmp_path / "picture.svg").read_text("utf-8")
    # Berta has played twice. A name is neither a formula nor markup.
    for shown in ("all 2 games", "Berta (2)", "bingos by length", "$\\frac{a}{b}$"):
        assert shown in text
    assert "<script" not in text


def test_a_picture_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    run_audit([tmp_path / "records"], tmp_path / "out", workers=1)
    draw_statistics(statistics(tmp_path / "out"), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_bins() -> None:
    assert gather_bins({}, 25) == (25, {}, False)
    assert gather_bins({300: 2, 325: 5}, 25) == (25, {300: 2, 325: 5}, False)
    # 1000 values from 0 to 45, and one at 9000: it is one in 1001, at most five of which may lie beyond.
    counts = dict.fromkeys(range(0, 50, 5), 100)
    assert gather_bins({**counts, 9000: 1}, 5) == (5, {**counts, 45: 101}, True)
    # 100 bins of 5 in 40 bars or fewer: three of them in each.
    wide, gathered, beyond = gather_bins(dict.fromkeys(range(0, 500, 5), 10), 5)
    assert (wide, beyond, len(gathered), sum(gathered.values())) == (15, False, 34, 1000)


def test_what_is_needed_is_named(out: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['duckdb'] = None\n"
        "import importlib.util as util\n"
        "find = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'duckdb' else find(name, *more)\n"
        "from fastscore.cli import main\n"
        "raise SystemExit(main(['stats', sys.argv[1]]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(out)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'fastscore[records]'" in done.stderr
