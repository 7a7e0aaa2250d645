"""The command `replay` and its files: what it writes where, what it reads, and how wide it gets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from fastscore.cli import main

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
        ran = run("replay", "good.gcg", "--html", page)
        assert (ran.code, ran.out) == (2, "")
        assert "one of the files that are read" in ran.err
    assert Path("good.gcg").read_text() == GOOD


def test_numbered_pages_replace_nothing(run: Run) -> None:
    Path("game-2.html").write_text("mine")
    ran = run("replay", "two.gcgs", "--html", "game.html")
    assert (ran.code, ran.out) == (2, "")
    assert "'game-2.html', where the page of game 2 goes, is there already" in ran.err
    assert not Path("game.html").exists()
    assert Path("game-2.html").read_text() == "mine"
    assert run("replay", "good.gcg", "--html", "game.html").code == 0
    Path("game-2.html").unlink()
    assert run("replay", "two.gcgs", "--html", "game.html").code == 0
    assert "Cas" in Path("game-2.html").read_text()


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
