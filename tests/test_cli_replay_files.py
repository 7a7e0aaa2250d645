"""The command `replay` and its files: what it writes where, what it reads, and how wide it gets."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from fastscore.cli import main
from fastscore.commands.output import as_cell

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
HEADER = "#player1 a Ann\n#player2 b Bob\n"
GOOD = HEADER + ">a: AEEFRST 8D FEASTER +78 78\n>b: EHIMTUD 7I HUM +23 23\n"


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in an empty folder that holds the record good.gcg and two games in two.gcgs."""
    (tmp_path / "good.gcg").write_text(GOOD)
    (tmp_path / "two.gcgs").write_text(GOOD + GOOD.replace("Ann", "Cas"))
    monkeypatch.chdir(tmp_path)

    def run_main(*arguments: str) -> Ran:
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run_main


def test_moves_are_cut(run: Run) -> None:
    Path("long.gcg").write_text(GOOD + f">a: A 1A {'A' * 60_000} +0 78\n")
    ran = run("replay", "long.gcg")
    table = ran.out.splitlines()[1:5]
    assert max(map(len, table)) < 250
    assert f"1A {'A' * 42}..." in table[3]


def test_a_page_never_replaces_a_record(run: Run) -> None:
    Path("link.html").symlink_to("good.gcg")
    for page in ("good.gcg", "./good.gcg", "link.html"):
        for force in ([], ["--force"]):
            ran = run("replay", "good.gcg", "--html", page, *force)
            assert (ran.code, ran.out) == (2, "")
            assert "one of the files that are read" in ran.err
    assert Path("good.gcg").read_text() == GOOD


@pytest.mark.parametrize("other", ["1.gcg", "link.html"])
def test_a_forgotten_name_destroys_nothing(run: Run, other: str) -> None:
    # As a shell writes `replay --html *.gcg`.
    Path("1.gcg").write_text(GOOD.replace("Ann", "Cas"))
    Path("link.html").symlink_to("1.gcg")
    ran = run("replay", "--html", other, "good.gcg")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"fastscore: --html '{other}' is there already and is no page of fastscore, expected another name, or --force\n"
    )
    assert Path("1.gcg").read_text() == GOOD.replace("Ann", "Cas")
    assert run("replay", "--html", other, "good.gcg", "--force").code == 0
    assert Path("1.gcg").read_text().startswith("<!doctype html>")
    assert Path("link.html").is_symlink()


def test_pages_replace_earlier_pages_and_nothing_else(run: Run) -> None:
    Path("game-2.html").write_text('<!doctype html>\n<html lang="en">\n<title>mine</title>')
    ran = run("replay", "two.gcgs", "--html", "game.html")
    assert (ran.code, ran.out) == (2, "")
    assert "'game-2.html' is there already and is no page of fastscore" in ran.err
    assert not Path("game.html").exists()
    assert "mine" in Path("game-2.html").read_text()
    Path("game-2.html").write_text("")
    assert run("replay", "two.gcgs", "--html", "game.html").code == 0
    pages = [Path(name).read_text() for name in ("game.html", "game-2.html")]
    assert ["Cas" in page for page in pages] == [False, True]
    Path("two.gcgs").write_text(GOOD + GOOD.replace("Ann", "Dan"))
    assert run("replay", "two.gcgs", "--html", "game.html").code == 0
    assert Path("game.html").read_text() == pages[0]
    assert "Dan" in Path("game-2.html").read_text()


@pytest.mark.parametrize("option", ["--rules", "--lexicon"])
def test_a_page_replaces_no_rules_and_no_words(run: Run, option: str) -> None:
    Path("club.toml").write_text('layout = "standard15"\ndistribution = "english"\n')
    ran = run("replay", "good.gcg", option, "club.toml", "--html", "club.toml", "--force")
    assert (ran.code, "one of the files that are read" in ran.err) == (2, True)
    assert Path("club.toml").read_text().startswith("layout")


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="needs a name of standard input")
def test_a_page_does_not_replace_what_standard_input_reads(run: Run) -> None:
    with Path("good.gcg").open("rb") as stdin:
        command = [sys.executable, "-m", "fastscore", "replay", "-", "--html", "good.gcg", "--force"]
        ran = subprocess.run(command, stdin=stdin, capture_output=True, check=False, env=ENVIRONMENT, text=True)
    assert (ran.returncode, "one of the files that are read" in ran.stderr) == (2, True)
    assert Path("good.gcg").read_text() == GOOD


@pytest.mark.skipif(os.name == "nt", reason="needs modes of files and names of bytes")
def test_a_page_keeps_the_mode_of_the_one_before(run: Run) -> None:
    assert run("replay", "good.gcg", "--html", "game.html").code == 0
    Path("game.html").chmod(0o600)
    assert run("replay", "two.gcgs", "--html", "game.html").code == 0
    assert Path("game.html").stat().st_mode & 0o777 == 0o600
    # 255 bytes are what a name may have.
    long = "n" * 250 + ".html"
    assert run("replay", "good.gcg", "--html", long).code == 0
    assert {path.name for path in Path().iterdir()} == {"good.gcg", "two.gcgs", "game.html", "game-2.html", long}


def test_only_the_page(run: Run) -> None:
    assert run("replay", "good.gcg", "--html", "game.html").code == 0
    for arguments in ([], ["--format", "json"], ["--boards"]):
        ran = run("replay", "good.gcg", "--html", "-", *arguments)
        assert (ran.code, ran.out) == (0, Path("game.html").read_text())
    ran = run("replay", "two.gcgs", "--html", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "--html - writes the page of one game, found 2" in ran.err
    assert not list(Path().glob("-*"))
    ran = run("replay", "none.gcg", "--html", "-")
    assert (ran.code, ran.out, ran.err) == (2, "", "fastscore: none.gcg: no such file or directory\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(run: Run) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_text(GOOD), daemon=True)
    writer.start()
    ran = run("replay", "pipe", "--html", "game.html", "--format", "json")
    writer.join(10)
    assert [turn["computed"] for turn in json.loads(ran.out)["turns"]] == [78, 23]
    assert "8D FEASTER" in Path("game.html").read_text()


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="needs a name of standard input")
def test_a_pipe_by_the_name_of_standard_input(run: Run) -> None:
    command = [sys.executable, "-m", "fastscore", "replay", "/dev/stdin", "--html", "-"]
    ran = subprocess.run(command, input=GOOD.encode(), capture_output=True, check=True, env=ENVIRONMENT)
    assert run("replay", "good.gcg", "--html", "-").out.encode() == ran.stdout


def test_closed_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    ran = run("replay", "-")
    assert (ran.code, ran.err) == (2, "fastscore: standard input is closed, expected a record on it\n")


@pytest.mark.parametrize("games", [1, 30])
def test_pages_are_written_though_nobody_reads_the_report(run: Run, games: int) -> None:
    # 30 reports are more than what is kept back until the end.
    Path("many.gcgs").write_text(GOOD * games)
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "fastscore", "replay", "many.gcgs", "--html", "game.html"]
    ran = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False, env=ENVIRONMENT)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (141, b"")
    assert len(list(Path().glob("game*.html"))) == games


@pytest.mark.parametrize("page", [[], ["--html", "page.html"]])
def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch, page: list[str]) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(GOOD.encode())))
    ran = run("replay", "-", "--format", "json", *page)
    assert (ran.code, [turn["computed"] for turn in json.loads(ran.out)["turns"]]) == (0, [78, 23])
    assert Path("page.html").exists() == bool(page)


def test_an_empty_file(run: Run) -> None:
    Path("empty.gcg").write_text("")
    assert run("replay", "empty.gcg").out.splitlines()[-1] == "signed: nobody"


def test_csv_runs_no_formulas(run: Run) -> None:
    Path("evil.gcg").write_text(GOOD.replace("Ann", "=1+1") + "@SUM(1)\n")
    rows = list(csv.DictReader(io.StringIO(run("replay", "evil.gcg", "--format", "csv").out)))
    assert [row["name"] for row in rows] == ["'=1+1", "Bob", ""]
    assert rows[2]["move"] == "'@SUM(1)"
    # What is not written must not hide what is: a space of no width, a filler; a wide sign is a sign for some.
    for hidden in ("\u200b=1+1", " \u3164\ufeff=1+1", "\u2800\t=1+1"):
        Path("evil.gcg").write_text(GOOD.replace("Ann", hidden), encoding="utf-8")
        rows = list(csv.DictReader(io.StringIO(run("replay", "evil.gcg", "--format", "csv").out)))
        assert rows[0]["name"].replace(" ", "") == "'=1+1"
    assert as_cell("\uff1d1+1") == "'\uff1d1+1"
    assert as_cell("A=1") == "A=1"
    assert "'" in run("replay", "--help").out


def test_help_speaks_of_records(run: Run) -> None:
    help_text = " ".join(run("replay", "--help").out.split())
    assert "else the record says which" in help_text
    assert "else the position or record" not in help_text


def test_other_spellings_on_a_rack_are_no_departure(run: Run) -> None:
    header = HEADER.replace("#player2", "#tile-distribution spanish\n#player2")
    Path("spanish.gcg").write_text(header + ">a: 1OOABDE 8G BODA +14 14\n")
    ran = run("replay", "spanish.gcg")
    assert (ran.code, "alias-spelling" in ran.out, "rack-malformed" in ran.out) == (0, True, False)


# Positions of records.


def test_the_position_after_the_last_turn(run: Run) -> None:
    Path("racks.gcg").write_text(GOOD + "#rack1 AEIOUUU\n#rack2 DEIT\n")
    position = json.loads(run("score", "racks.gcg:3", "6J IT", "--format", "json").out)["position"]
    assert position.startswith("15/15/15/15/15/15/8HUM4/3FEASTER5/15/15/15/15/15/15/15 AEIOUUU/DEIT 78/23 0 ")


def test_a_game_of_many(run: Run) -> None:
    ran = run("score", "two.gcgs:1", "8D FEASTER")
    assert ran.code == 2
    assert "two.gcgs: 2 games, expected the number of one of them, like 'two.gcgs:1:1'" in ran.err
    ran = run("score", "two.gcgs:3:1", "8D FEASTER")
    assert (ran.code, "game 3, expected one from 1 to 2" in ran.err) == (2, True)
    ran = run("score", "two.gcgs:2:2", "7I HUM", "--format", "json")
    assert (ran.code, json.loads(ran.out)["plays"][0]["score"]) == (0, 23)


def test_a_record_of_one_player(run: Run) -> None:
    Path("one.gcg").write_text("#player1 a Ann\n>a: 8G ET +4 4\n")
    ran = run("score", "one.gcg:1", "8G ET", "--format", "json")
    assert (ran.code, ran.err, json.loads(ran.out)["plays"][0]["score"]) == (0, "", 4)
