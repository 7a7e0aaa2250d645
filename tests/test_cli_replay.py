"""The command `replay`, and positions that are a turn of a record."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from fastscore.cli import main

ROOT = Path(__file__).resolve().parents[1]
GAMES = ROOT / "tests" / "data" / "games"
HEADER = "#player1 a Ann\n#player2 b Bob\n"
# F 4 on a double letter, all on a double word: (8 + 6) x 2 + 50; HUM 4 x 2 + 1 + 3 = 12, HE 9, UR 2.
GOOD = HEADER + ">a: AEEFRST 8D FEASTER +78 78\n>b: EHIMTUD 7I HUM +23 23\n"
BAD = GOOD.replace("+23 23", "+33 33")


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in an empty folder that holds the records good.gcg and bad.gcg."""
    (tmp_path / "good.gcg").write_text(GOOD)
    (tmp_path / "bad.gcg").write_text(BAD)
    monkeypatch.chdir(tmp_path)

    def run_main(*arguments: str) -> Ran:
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run_main


def test_text(run: Run) -> None:
    ran = run("replay", "bad.gcg")
    assert (ran.code, ran.err) == (1, "")
    lines = ran.out.splitlines()
    assert lines[0] == "bad.gcg: Ann against Bob, rules classic/english"
    assert lines[1].split() == [
        *("line", "turn", "player", "move", "recorded", "computed", "total", "computed", "total", "words", "findings")
    ]
    assert lines[2].split() == ["3", "1", "Ann", "8D", "FEASTER", "+78", "+78", "78", "78", "FEASTER"]
    assert lines[3].split() == [
        "4",
        "2",
        "Bob",
        "7I",
        "HUM",
        *(["+33", "+23", "33", "23"]),
        "HUM,",
        "HE,",
        "UR",
        "misscored",
    ]
    cause = "a challenge bonus is written into the play's score"
    found = f"  line 4: misscored: recorded 33, computed 23 (+10): '7I HUM': {cause}"
    assert lines[5:7] == ["1 finding", found]
    assert "result slip, rules classic/english" in lines
    assert "winner: not decided" in lines


def test_a_good_record(run: Run) -> None:
    ran = run("replay", "good.gcg")
    assert (ran.code, ran.err) == (0, "")
    assert "findings" not in ran.out.splitlines()[1]
    assert "no findings" in ran.out.splitlines()


def test_boards(run: Run) -> None:
    ran = run("replay", "good.gcg", "--boards")
    assert ran.code == 0
    assert ran.out.count(" A B C D E F G H I J K L M N O") == 2
    assert " 8 . . . F E A S T E R . . . . ." in ran.out.splitlines()
    assert run("replay", "good.gcg", "--boards", "--format", "json").code == 2


def test_json(run: Run) -> None:
    (one, other) = [
        json.loads(line) for line in run("replay", "good.gcg", "bad.gcg", "--format", "json").out.splitlines()
    ]
    assert [game["source"] for game in (one, other)] == ["good.gcg", "bad.gcg"]
    assert (one["findings"], one["rules"]) == ([], "classic/english")
    assert other["players"] == [{"nick": "a", "name": "Ann"}, {"nick": "b", "name": "Bob"}]
    turn = other["turns"][1]
    wanted = {"line": 4, "kind": "place", "player": 1, "text": "7I HUM", "recorded": 33, "computed": 23}
    wanted |= {"total_recorded": 33, "total_computed": 23, "words": ["HUM", "HE", "UR"], "number": 2}
    assert {key: turn[key] for key in wanted} == wanted
    finding = other["findings"][0]
    wanted = {"code": "misscored", "line": 4, "turn": 1, "recorded": 33, "computed": 23, "consequence": False}
    wanted |= {"difference": 10, "cause": "challenge-bonus-included"}
    assert {key: finding[key] for key in wanted} == wanted
    assert other["result"]["totals_recorded"] == [78, 33]
    assert other["result"]["totals_computed"] == [78, 23]
    assert other["result"]["winner"] is None


def test_json_of_a_file_of_many_games(run: Run) -> None:
    Path("many.gcgs").write_text(GOOD + BAD + GOOD)
    ran = run("replay", "many.gcgs", "--format", "json")
    games = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 1
    assert [(game["line"], len(game["findings"])) for game in games] == [(1, 0), (5, 1), (9, 0)]


def test_csv(run: Run) -> None:
    Path("ended.gcg").write_text(GOOD + ">a: GGG - +0 78\n#title late\n")
    ran = run("replay", "bad.gcg", "ended.gcg", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert ran.code == 1
    assert [(row["source"], row["game"], row["line"], row["turn"], row["move"]) for row in rows] == [
        ("bad.gcg", "1", "3", "1", "8D FEASTER"),
        ("bad.gcg", "1", "4", "2", "7I HUM"),
        ("ended.gcg", "1", "3", "1", "8D FEASTER"),
        ("ended.gcg", "1", "4", "2", "7I HUM"),
        ("ended.gcg", "1", "5", "3", "-"),
        # What is no turn's has a row of its own.
        ("ended.gcg", "1", "6", "", ""),
    ]
    assert [(row["recorded"], row["computed"], row["words"], row["findings"]) for row in rows[:2]] == [
        ("78", "78", "FEASTER", ""),
        ("33", "23", "HUM|HE|UR", "misscored"),
    ]
    assert (rows[5]["kind"], rows[5]["findings"]) == ("record", "pragma-late")


def test_rules(run: Run) -> None:
    # M is worth 3 in English and in German, H 4 and 2: 2 x 2 + 1 + 3 = 8, HE 5, UR 2; FEASTER (8 + 6) x 2 + 50.
    ran = run("replay", "good.gcg", "--rules", "classic/german", "--format", "json")
    assert [turn["computed"] for turn in json.loads(ran.out)["turns"]] == [78, 15]
    ran = run("replay", "good.gcg", "--rules", "classic/klingon")
    assert ran.code == 2
    assert "classic/klingon" in ran.err


def test_strict(run: Run) -> None:
    # Nothing departs from the format, but collections want a lexicon and an end.
    assert "lexicon-missing" in run("replay", "good.gcg", "--strict").out
    Path("loose.gcg").write_text(GOOD.replace("8D FEASTER +78", "8D  FEASTER +78"))
    assert run("replay", "loose.gcg").code == 0
    assert "1 other departure from the format" in run("replay", "loose.gcg").out
    ran = run("replay", "loose.gcg", "good.gcg", "--strict")
    assert (ran.code, ran.err.splitlines()) == (2, ["fastscore: loose.gcg:3:15: expected one space between fields"])
    # The other file is read all the same.
    assert "good.gcg: Ann against Bob" in ran.out


def test_files_that_cannot_be_read(run: Run) -> None:
    ran = run("replay", "nothing.gcg", "bad.gcg")
    assert (ran.code, ran.err) == (2, "fastscore: nothing.gcg: no such file or directory\n")
    assert "bad.gcg: Ann against Bob" in ran.out
    assert run("replay").code == 2
    Path("empty.gcg").write_text("")
    ran = run("replay", "empty.gcg")
    assert (ran.code, ran.err) == (1, "")
    assert "empty.gcg: no players, rules classic/english" in ran.out


def test_nothing_from_a_file_reaches_the_terminal_raw(run: Run) -> None:
    evil = "\x1b[31mA\u202en\x07n"
    text = GOOD.replace("Ann", evil).replace("#player2", f"#title {evil}\n#player2") + f"bad \x1b]0;line {evil}\n"
    Path("evil.gcg").write_text("#character-encoding UTF-8\n" + text, encoding="utf-8")
    for output in ("text", "json", "csv"):
        ran = run("replay", "evil.gcg", "--format", output)
        assert ran.code == 1
        assert not {"\x1b", "\u202e", "\x07"} & set(ran.out + ran.err), output
    names = [player["name"] for player in json.loads(run("replay", "evil.gcg", "--format", "json").out)["players"]]
    assert names == [evil, "Bob"]


@pytest.mark.parametrize("path", sorted(GAMES.iterdir()), ids=lambda path: path.name)
def test_every_real_record(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["replay", str(path)])
    ran = capsys.readouterr()
    assert ran.err == ""
    assert ("no findings" in ran.out.splitlines()) == (code == 0)
    assert "result slip" in ran.out


def test_one_game_needs_no_numba() -> None:
    code = "import sys; from fastscore.cli import main; main(sys.argv[1:]); sys.exit('numba' in sys.modules)"
    game = str(GAMES / "h39_withdrawn_phony_misscored.gcg")
    subprocess.run([sys.executable, "-c", code, "replay", game], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)


# A turn of a record as a position.


def test_score_at_a_turn(run: Run) -> None:
    # Before the second turn FEASTER lies, and Bob holds EHIMTUD.
    ran = run("score", "good.gcg:2", "7I HUM", "7I HAM", "--format", "json")
    scored = json.loads(ran.out)
    assert ran.code == 1
    assert scored["position"].startswith("15/15/15/15/15/15/15/3FEASTER5/15/15/15/15/15/15/15 EHIMTUD/ 0/78 0 ")
    # HAM: H 8, A 1, M 3; HE 9; AR 2.
    assert [(play["score"], play["reasons"]) for play in scored["plays"]] == [(23, []), (23, ["NOT_ON_RACK"])]


def test_explain_and_check_at_a_turn(run: Run) -> None:
    ran = run("explain", "good.gcg:2", "7I", "HUM")
    assert ran.out.splitlines()[-1] == "total: 12 + 9 + 2 = 23"
    ran = run("check", "good.gcg:1", "8D FEASTER", "1A FEASTER")
    assert (ran.code, "does not cover the start square" in ran.out) == (1, True)


def test_rules_at_a_turn(run: Run) -> None:
    text = GOOD.replace("#player2", "#tile-distribution german\n#player2").replace("+23 23", "+15 15")
    Path("german.gcg").write_text(text)
    assert json.loads(run("score", "german.gcg:2", "7I HUM", "--format", "json").out)["plays"][0]["score"] == 15
    ran = run("score", "german.gcg:2", "7I HUM", "--rules", "classic/english", "--format", "json")
    assert json.loads(ran.out)["plays"][0]["score"] == 23


def test_racks_that_are_not_known(run: Run) -> None:
    Path("unknown.gcg").write_text(GOOD.replace("EHIMTUD", "_______"))
    Path("odd.gcg").write_text(GOOD.replace("EHIMTUD", "EH3"))
    for name in ("unknown.gcg", "odd.gcg"):
        ran = run("score", f"{name}:2", "7I HAM", "--format", "json")
        assert (ran.code, json.loads(ran.out)["plays"][0]["reasons"]) == (0, [])


@pytest.mark.parametrize(
    ("position", "complaint"),
    [
        ("good.gcg:4", "good.gcg: turn 4, expected one from 1 to 2, as many as the record has, or 3 for its end"),
        ("good.gcg:0", "good.gcg: turn 0, expected one from 1 to 2, as many as the record has"),
        ("good.gcg", "'good.gcg' is a record, expected a turn of it, like 'good.gcg:1'"),
        ("none.gcg:1", "no file 'none.gcg:1'"),
    ],
)
def test_bad_turns(run: Run, position: str, complaint: str) -> None:
    ran = run("score", position, "8H AT")
    assert ran.code == 2
    assert complaint in ran.err


def test_a_file_whose_name_ends_like_a_turn(run: Run) -> None:
    Path("good.gcg:2").write_text("15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 / 0/0 0\n")
    assert json.loads(run("score", "good.gcg:2", "8H AT", "--format", "json").out)["plays"][0]["score"] == 4
