"""The commands: what they write, how they end, and that bad input is never a traceback."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import fastscore as fs
from fastscore.cli import main
from fastscore.commands import judging

ROOT = Path(__file__).resolve().parents[1]
POSITION = str(ROOT / "examples" / "position.cgp")
PLAYS = str(ROOT / "examples" / "plays.txt")
BOARD = "15/15/5I9/5P9/5O4H4/5M4A4/5O4B4/5EnERGID3/5A4T4/10U4/10d4/10E4/15/15/15"
EMPTY = "/".join(["15"] * 15)

# E3 HUGE beside IPOMOEA. Main word, over the double word at E5: (4 + 1 + 2 + 1) x 2 = 16; cross words HI 4 + 1 = 5,
# UP 1 + 3 = 4, GO (2 + 1) x 2 = 6 over the same double word, EM 1 + 3 = 4. 35 in the record of the game.
HUGE = [("HUGE", 16, True), ("HI", 5, False), ("UP", 4, False), ("GO", 6, False), ("EM", 4, False)]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process; `stdin` as bytes."""

    def run_main(*arguments: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run_main


def process(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    settings: dict[str, object] = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "cwd": ROOT}
    command = [sys.executable, "-m", "fastscore", *arguments]
    return subprocess.run(command, check=False, timeout=120, **{**settings, **options})  # type: ignore[call-overload,no-any-return]


def loaded_after(arguments: list[str]) -> set[str]:
    """Heavy packages that a command loads."""
    code = (
        "import json, sys; from fastscore.cli import main; main(sys.argv[1:]);"
        "sys.stderr.write(json.dumps([name for name in ('numpy', 'numba', 'rich') if name in sys.modules]))"
    )
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(json.loads(ran.stderr.splitlines()[-1]))


# ---------------------------------------------------------------- score


def test_score_table(run: Run) -> None:
    ran = run("score", POSITION, "E3 HUGE", "J6 HA.")
    # HAT down over J6 (double letter) and J7 would be row 8: J8 holds the G of EnERGID. The record's list of legal
    # plays gives 32 for J6 HA.
    assert ran.code == 0
    header, first, second = ran.out.splitlines()
    assert header.split() == ["play", "score", "words"]
    assert first == "E3 HUGE     35  HUGE 16, HI 5, UP 4, GO 6, EM 4"
    assert second.split()[:3] == ["J6", "HA.", "32"]
    assert ran.err == ""


def test_score_file_of_plays(run: Run) -> None:
    ran = run("score", POSITION, PLAYS)
    assert ran.code == 0
    written = [line for line in Path(PLAYS).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert [" ".join(line.split()[:2]) for line in ran.out.splitlines()[1:]] == written


def test_score_json(run: Run) -> None:
    ran = run("score", POSITION, "E3 HUGE", "E3 HUQE", "C3 HUGE", "--format", "json")
    assert ran.code == 1
    report = json.loads(ran.out)
    assert list(report) == ["position", "rules", "plays"]
    assert report["position"] == f"{BOARD} AEEGHIU/ 17/168 0"
    assert report["rules"] == "classic/english"
    assert report["plays"][0] == {
        "play": "E3 HUGE",
        "score": 35,
        "status": 0,
        "reasons": [],
        "words": [{"word": word, "score": score, "main": main_word} for word, score, main_word in HUGE],
    }
    # Q instead of G: main word (4 + 1 + 10 + 1) x 2 = 32, HI 5, UP 4, QO (10 + 1) x 2 = 22, EM 4.
    assert report["plays"][1]["score"] == 32 + 5 + 4 + 22 + 4
    assert report["plays"][1]["status"] == fs.Status.NOT_ON_RACK
    assert report["plays"][1]["reasons"] == ["NOT_ON_RACK"]
    # C3 is a double word: (4 + 1 + 2 + 1) x 2; no square of it touches a tile.
    assert report["plays"][2]["score"] == 16
    assert report["plays"][2]["reasons"] == ["NOT_CONNECTED"]


def test_score_json_of_a_play_without_score(run: Run) -> None:
    ran = run("score", POSITION, "F3 HUGE", "--format", "json")
    assert ran.code == 1
    (play,) = json.loads(ran.out)["plays"]
    assert play == {
        "play": "F3 HUGE",
        "score": 0,
        "status": int(fs.Status.THROUGH_DIFFERS | fs.Status.NO_TILE),
        "reasons": ["NO_TILE", "THROUGH_DIFFERS"],
        "words": [],
    }


def test_score_csv(run: Run) -> None:
    ran = run("score", POSITION, "E3 HUGE", "15A ZA", "--format", "csv")
    assert ran.code == 1
    assert list(csv.reader(io.StringIO(ran.out))) == [
        ["play", "score", "status", "reasons"],
        ["E3 HUGE", "35", "0", ""],
        # A15 is a triple word: (10 + 1) x 3.
        ["15A ZA", "33", str(int(fs.Status.NOT_CONNECTED | fs.Status.NOT_ON_RACK)), "NOT_CONNECTED|NOT_ON_RACK"],
    ]
    assert "\r" not in ran.out


def test_top_sorts_by_score_and_leaves_ties_in_order(run: Run) -> None:
    # Scores of the list of legal plays: 24, 31, 35, 31, 31.
    plays = ("E4 UH", "J5 EH", "E3 HUGE", "J5 AH", "E4 UGH")
    ran = run("score", POSITION, *plays, "--format", "json", "--top", "4")
    assert ran.code == 0
    shown = [(play["play"], play["score"]) for play in json.loads(ran.out)["plays"]]
    assert shown == [("E3 HUGE", 35), ("J5 EH", 31), ("J5 AH", 31), ("E4 UGH", 31)]


def test_bad_plays_that_top_hides_are_counted(run: Run) -> None:
    ran = run("score", POSITION, "A1 AE", "E3 HUGE", "A9 ?", "F3 X", "--top", "1")
    assert ran.code == 1
    assert len(ran.out.splitlines()) == 2
    assert ran.err == "fastscore: 3 more bad plays are not among those shown\n"


def test_bad_plays_are_listed_with_reasons(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "some plays.txt"
    file.write_text("# of a friend\nE3 HUGE\n\n  E3 HU!E\nO1 HUGE\n8F EnERGID\n", encoding="utf-8")
    ran = run("score", POSITION, str(file))
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0].split() == ["play", "score", "words", "reasons"]
    assert lines[1].startswith("E3 HUGE")
    assert lines[2].split()[:3] == ["E3", "HU!E", "-"]
    assert "the text cannot be read as a play" in lines[2]
    assert "touches no tile on the board" in lines[3]
    assert "no tile is laid" in lines[4]
    assert ran.err.startswith(f"fastscore: {file}:4:6: ")
    assert "'!'" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_text_of_the_command_line_is_quoted(run: Run) -> None:
    ran = run("score", POSITION, "E3 HU!E")
    assert ran.code == 1
    assert ran.err.startswith("fastscore: 'E3 HU!E', column 6: ")


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_plays_from_standard_input(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run("score", POSITION, *arguments, "--format", "csv", stdin=b"E3 HUGE\r\nJ6 HA.\r\nE3 \xff\n"[:17])
    assert ran.code == 0
    assert [line.split(",")[:2] for line in ran.out.splitlines()[1:]] == [["E3 HUGE", "35"], ["J6 HA.", "32"]]


def test_no_plays_at_all(run: Run) -> None:
    ran = run("score", POSITION, "-", "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["plays"] == []
    assert run("score", POSITION, "-").out.split() == ["play", "score", "words"]


def test_a_position_without_rack_has_none_to_check(run: Run) -> None:
    assert run("score", f"{BOARD} / 0/0 0", "9F ZA").code == 1  # NOT_CONNECTED would be the only reason
    ran = run("score", f"{EMPTY} / 0/0 0", "8H QUIZ", "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["plays"][0]["score"] == 44


def test_explanations_of_several_plays(run: Run) -> None:
    ran = run("score", f"{EMPTY} / 0/0 0", "8H QUIZ", "8O AB", "--explain")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "8H QUIZ",
        "  8H QUIZ: (10 + 1 + 1 + 10) x 2 [H8 double word] = 44",
        "",
        "8O AB",
        "  no score: runs off the board",
    ]


def test_explanations_as_json(run: Run) -> None:
    ran = run("score", f"{EMPTY} / 0/0 0", "8H QUIZ", "--explain", "--format", "json")
    assert json.loads(ran.out)["plays"][0]["explanation"] == ["8H QUIZ: (10 + 1 + 1 + 10) x 2 [H8 double word] = 44"]


def test_rules_by_name_and_by_file(run: Run, tmp_path: Path) -> None:
    position = f"{EMPTY} / 0/0 0"
    # Words With Friends has a plain start square and other values: 10 + 2 + 1 + 10.
    ran = run("score", position, "8H QUIZ", "--rules", "words-with-friends", "--format", "json")
    report = json.loads(ran.out)
    assert (report["rules"], report["plays"][0]["score"], ran.code) == ("words-with-friends", 23, 0)
    club = tmp_path / "club.toml"
    club.write_text('layout = "standard15"\ndistribution = "english"\nbingo = { 4 = 7 }\n', encoding="utf-8")
    ran = run("score", position, "8H QUIZ", "--rules", str(club), "--format", "json")
    assert json.loads(ran.out)["plays"][0]["score"] == 44 + 7


@pytest.mark.parametrize(
    "arguments", [("--format", "csv"), ("--format", "json", "--top", "7"), ("--top", "3"), ("--format", "json")]
)
def test_the_compiled_scorer_gives_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    plays = tmp_path / "plays.txt"
    bad = ["A1 AE", "E3 HU!E", "F3 X", "8O EE", "99Z AE", "E3 HU?E", "15A QZ", "E3 AEEGHIUU", "J5 H"]
    plays.write_text(Path(PLAYS).read_text(encoding="utf-8") + "\n".join(bad), encoding="utf-8")
    few = run("score", POSITION, str(plays), *arguments)
    monkeypatch.setattr(judging, "COMPILED_FROM", 0)
    many = run("score", POSITION, str(plays), *arguments)
    assert many == few
    assert few.code == 1
    assert few.out


# ---------------------------------------------------------------- explain, check


def test_explain(run: Run) -> None:
    expected = "8H QUIZ: (10 + 1 + 1 + 10) x 2 [H8 double word] = 44\n"
    for play in (["8H QUIZ"], ["8H", "QUIZ"]):
        assert run("explain", f"{EMPTY} / 0/0 0", *play) == Ran(0, expected, "")


def test_explain_names_every_word_and_flag(run: Run) -> None:
    ran = run("explain", POSITION, "E3 HUQE")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "E3 HUQE: (4 + 1 + 10 + 1) x 2 [E5 double word] = 32",
        "3E HI: 4 + 1 = 5",
        "4E UP: 1 + 3 = 4",
        "5E QO: (10 + 1) x 2 [E5 double word] = 22",
        "6E EM: 1 + 3 = 4",
        "total: 32 + 5 + 4 + 22 + 4 = 67",
        "flagged: a tile that is not on the rack",
    ]


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        ("F3 X", "no tile is laid; a letter differs from the tile on the board"),
        ("15O AE", "runs off the board"),
        ("what", "'what' is no play"),
        ("pass", "is a turn of kind pass, expected a placement"),
    ],
)
def test_explain_without_a_score(run: Run, play: str, reason: str) -> None:
    ran = run("explain", POSITION, play, "--format", "json")
    assert ran.code == 1
    (entry,) = json.loads(ran.out)["plays"]
    assert reason in entry["explanation"][0]
    assert entry["explanation"][0].startswith("no score: ")


def test_check(run: Run) -> None:
    ran = run("check", POSITION, "E3 HUGE", "E3 QUIZ", "9F A")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "play     status",
        "E3 HUGE  good",
        "E3 QUIZ  a tile that is not on the rack",
        "9F A     no tile is laid",
    ]


def test_check_json_and_csv(run: Run) -> None:
    ran = run("check", POSITION, "E3 HUGE", "A1 Q", "--format", "json")
    assert ran.code == 1
    reasons = ["NOT_CONNECTED", "NOT_ON_RACK", "NO_WORD"]
    status = int(fs.Status.NOT_CONNECTED | fs.Status.NOT_ON_RACK | fs.Status.NO_WORD)
    assert json.loads(ran.out)["plays"] == [
        {"play": "E3 HUGE", "status": 0, "reasons": []},
        {"play": "A1 Q", "status": status, "reasons": reasons},
    ]
    ran = run("check", POSITION, "A1 Q", "--format", "csv")
    assert ran.out == f"play,status,reasons\nA1 Q,{status},{'|'.join(reasons)}\n"


@pytest.mark.parametrize(("rack", "code"), [("QUIZ", 0), ("?UIZ", 1), ("QUIZAEI", 0), ("QUI", 1), ("", 1)])
def test_check_with_another_rack(run: Run, rack: str, code: int) -> None:
    assert run("check", POSITION, "E3 QUIZ", "--rack", rack).code == code


def test_check_takes_a_blank_from_the_rack_as_a_blank(run: Run) -> None:
    assert run("check", POSITION, "E3 qUIZ", "--rack", "?UIZ").code == 0


# ---------------------------------------------------------------- rules, info


def test_rules_list(run: Run) -> None:
    ran = run("rules")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == fs.ruleset_names()
    assert [entry["name"] for entry in json.loads(run("rules", "--format", "json").out)["rulesets"]] == (
        fs.ruleset_names()
    )


def test_one_ruleset(run: Run) -> None:
    out = run("rules", "classic/english").out
    # The first and the eighth row of the classic board, and the tile Q.
    assert " 1 = . . ' . . . = . . . ' . . =\n" in out
    assert " 8 = . . ' . . . - . . . ' . . =\n" in out
    assert "\nQ     q         10      1\n" in out
    report = json.loads(run("rules", "hong-kong", "--format", "json").out)
    assert (report["rack"], report["start"]) == (9, "H8")
    assert report["bingo"] == [{"tiles": 9, "bonus": 50, "multiplier": 1}]
    assert sum(tile["count"] for tile in report["tiles"]) == 107


def test_ruleset_with_conditions_and_factors(run: Run) -> None:
    assert "legend: " in run("rules", "literaki").out
    out = run("rules", "letter-league").out
    assert "7 tiles main word x2" in out
    assert "   A  B  C " in out


def test_info(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTSCORE_NUMBA_CACHE", "0")
    report = json.loads(run("info", "--format", "json").out)
    assert report["versions"]["fastscore"] == fs.__version__
    assert report["cache"] is False
    assert report["threads"] >= 1
    text = run("info").out
    assert f"fastscore     {fs.__version__}" in text or f"fastscore  {fs.__version__}" in text


# ---------------------------------------------------------------- bad input


def test_version(run: Run) -> None:
    assert run("--version") == Ran(0, f"fastscore {fs.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score"], "missing argument 'POSITION'"),
        ([], "missing command"),
        (["frobnicate"], "no such command 'frobnicate'"),
        (["score", POSITION, "-\x1bQ"], "no such option '-\\x1b'"),
        (["score", POSITION, "E3 HUGE", "--format", "xml"], "'xml' is not one of"),
        (["score", POSITION, "E3 HUGE", "--top", "0"], "'--top'"),
        (["score", POSITION, "E3 HUGE", "--top", "many"], "'--top'"),
        (["score", POSITION, "E3 HUGE", "--explain", "--format", "csv"], "--explain goes with"),
        (["explain", POSITION], "missing argument 'PLAY...'"),
        (["score", "nowhere.cgp", "8H AB"], "no file 'nowhere.cgp', and no CGP line either"),
        (["score", str(ROOT), "8H AB"], "is a directory"),
        (["score", "", "8H AB"], "no file ''"),
        (["score", "\0", "8H AB"], "no file '\\x00'"),
        (["score", f"{BOARD} AEE!/ 0/0 0", "8H AB"], "column "),
        (["score", f"{BOARD}/15 / 0/0 0", "8H AB"], "expected"),
        (["score", f"{BOARD} /", "8H AB"], "expected a board, racks, scores"),
        (["score", f"{BOARD} abc/ 0/0 0", "8H AB"], "expected '?' for a blank"),
        (["score", f"{BOARD} / 0/0 0 ld nothing;", "8H AB"], "'nothing'"),
        (["score", f"{BOARD} / 0/0 0 bdn nothing;", "8H AB"], "'nothing'"),
        (["score", POSITION, "8H"], "no file '8H', and no play either"),
        (["score", POSITION, "plays.txt"], "no file 'plays.txt'"),
        (["score", POSITION, str(ROOT)], "is a directory"),
        (["score", POSITION, "8H AB", "--rules", "nope"], "unknown ruleset 'nope'"),
        (["score", POSITION, "8H AB", "--rules", "nope.toml"], "nope.toml"),
        (["score", POSITION, "8H AB", "--rules", "super/english"], "expected"),
        (["check", POSITION, "8H AB", "--rack", "A1"], "'1'"),
        (["check", POSITION, "8H AB", "--rack", "ab"], "expected '?' for a blank"),
        (["rules", "nope"], "unknown ruleset 'nope'"),
    ],
)
def test_bad_input(run: Run, arguments: list[str], message: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.startswith(("fastscore: ", "Usage: "))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": no position, expected a CGP line"),
        (b"# nothing\n\n", ": no position, expected a CGP line"),
        (b"\n15/15 / 0/0 0\n# x\n15/15 / 0/0 0\n", ":4: a second position, expected one CGP line"),
        (b"# x\r\n15/15/\xff / 0/0 0\r\n", ":2: byte 0xff is not UTF-8"),
        (b"\n15/15/$5 / 0/0 0\n", ":2:7: "),
        (b"\x00" * 1_000_001, ": more than 1000000 bytes"),
    ],
)
def test_bad_position_file(run: Run, tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "bad.cgp"
    file.write_bytes(content)
    ran = run("score", str(file), "8H AB")
    assert ran.code == 2
    assert ran.err.startswith(f"fastscore: {file}{message}")
    assert len(ran.err.splitlines()) == 1


def test_bad_file_of_plays(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "plays.bin"
    file.write_bytes(b"E3 HUGE\nE3 H\xe9\n")
    ran = run("score", POSITION, str(file))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"fastscore: {file}:2: byte 0xe9 is not UTF-8")
    ran = run("score", POSITION, "-", stdin=b"E3 \xe9")
    assert ran.code == 2
    assert ran.err.startswith("fastscore: <stdin>:1: byte 0xe9 is not UTF-8")


def test_a_byte_order_mark_is_no_text(run: Run, tmp_path: Path) -> None:
    position, plays = tmp_path / "p.cgp", tmp_path / "plays.txt"
    position.write_bytes(b"\xef\xbb\xbf" + f"{BOARD} / 0/0 0".encode())
    plays.write_bytes(b"\xef\xbb\xbfE3 HUGE")
    assert run("score", str(position), str(plays)).code == 0


def test_harmful_text_does_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    plays = tmp_path / "plays.txt"
    plays.write_text("E3 HU\x1b[31mGE\nE3 HU\u202eGE\x07\n", encoding="utf-8")
    for output in ("text", "csv", "json"):
        ran = run("score", POSITION, str(plays), "--format", output)
        assert ran.code == 1
        assert not {"\x1b", "\u202e", "\x07"} & set(ran.out + ran.err)
    assert [play["play"] for play in json.loads(ran.out)["plays"]] == ["E3 HU\x1b[31mGE", "E3 HU\u202eGE\x07"]


def test_names_of_files_are_made_harmless_too(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[2Jb.cgp"
    file.write_text("nonsense / x", encoding="utf-8")
    ran = run("score", str(file), "8H AB")
    assert ran.code == 2
    assert "\x1b" not in ran.err


# ---------------------------------------------------------------- processes


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in ("score", "explain", "check"))])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert loaded_after(arguments) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", POSITION, "E3 HUGE"],
        ["score", POSITION, PLAYS, "--top", "3"],
        ["explain", POSITION, "E3 HUGE"],
        ["check", POSITION, PLAYS],
        ["rules", "classic/english"],
    ],
)
def test_few_plays_need_no_numba(arguments: list[str]) -> None:
    assert loaded_after(arguments) <= {"numpy"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["info", "--format", "json"], '"compiled": false'),
        (["score", POSITION, "E3 HUGE", "--format", "csv"], "E3 HUGE,35,0,"),
        (["check", POSITION, "E3 HUGE", "--format", "csv"], "E3 HUGE,0,"),
    ],
)
def test_without_numba(arguments: list[str], expected: str) -> None:
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from fastscore.cli import main\n"
        "from fastscore.commands import judging\n"
        "judging.COMPILED_FROM = 0\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=ROOT, check=True)
    assert expected in ran.stdout
    assert ran.stderr == ""


def test_a_reader_that_goes_away() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        ran = process("score", POSITION, PLAYS, capture_output=False, stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert (ran.returncode, ran.stderr) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")
def test_a_full_disk() -> None:
    with open("/dev/full", "wb") as full:
        ran = process("score", POSITION, PLAYS, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ran.returncode == 2
    assert ran.stderr == "fastscore: no space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="needs limits of the size of files")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_gets_full(tmp_path: Path, unbuffered: str) -> None:
    plays = tmp_path / "plays.txt"
    plays.write_text("E3 HUGE\n" * 1000)
    # The first 1000 bytes can be written: the system takes them, and says so.
    command = f"ulimit -f 1; exec '{sys.executable}' -m fastscore score '{POSITION}' '{plays}' > '{tmp_path / 'out'}'"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(["sh", "-c", command], cwd=ROOT, check=False, env=environment, stderr=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (2, b"fastscore: file too large\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_in_the_middle(tmp_path: Path, unbuffered: str) -> None:
    plays = tmp_path / "plays.txt"
    plays.write_text("E3 HUGE\n" * 4000)  # more than a pipe holds
    command = [sys.executable, "-m", "fastscore", "score", POSITION, str(plays)]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        assert ran.stdout.read(1) == b"p"
        ran.stdout.close()
        assert ran.stderr.read() == b""
    assert ran.returncode == 141


def test_a_long_cell_is_shortened(run: Run, tmp_path: Path) -> None:
    plays = tmp_path / "plays.txt"
    plays.write_text("E3 HUGE\nE3 " + "H" * 300_000 + "\n")
    code, out, _ = run("score", POSITION, str(plays))
    assert code == 1
    long, short = max(out.splitlines(), key=len), out.splitlines()[1]
    assert long.startswith("E3 HHHH")
    assert "... (300003 characters)" in long  # 3 before the 300,000
    assert short.split()[:3] == ["E3", "HUGE", "35"]
    assert len(long) < 3000


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
def test_closed_standard_input() -> None:
    command = f"exec '{sys.executable}' -m fastscore score '{POSITION}' - <&-"
    ran = subprocess.run(["sh", "-c", command], cwd=ROOT, check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "fastscore: standard input is closed, expected plays on it, a line each\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
def test_closed_streams() -> None:
    command = f"exec '{sys.executable}' -m fastscore score '{POSITION}' 'A1 AE' <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], cwd=ROOT, check=False).returncode == 1


def test_an_interrupt_ends_quietly() -> None:
    code = (
        "import io, os, signal, sys, threading; from fastscore.cli import main\n"
        # A shell may have started the tests in the background, where it has interrupts ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupted(io.BytesIO):\n"
        "    def read(self, *size): signal.raise_signal(signal.SIGINT)\n"
        "sys.stdin = io.TextIOWrapper(Interrupted())\n"
        "sys.exit(main(['score', sys.argv[1], '-']))"
    )
    ran = subprocess.run([sys.executable, "-c", code, POSITION], capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 130
    assert ran.stdout == ""
    assert ran.stderr.strip() == ""


def test_an_encoding_without_the_letters() -> None:
    # ß and Ä are letters of the German distribution, but not of ASCII.
    position = f"{EMPTY} / 0/0 0 ld german;"
    ran = process("score", position, "8H ÄRA", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert ran.returncode == 0
    assert "8H \\xc4RA" in ran.stdout


def test_a_terminal_gets_a_table_of_its_width() -> None:
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    ran = process("score", POSITION, "E3 HUGE", "J6 HA.", capture_output=False, stdout=child, stderr=subprocess.PIPE)
    os.close(child)
    shown = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(parent)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert b"E3 HUGE" in shown
    assert b"\x1b[1m" in shown


def test_module_is_the_command() -> None:
    ran = process("--version")
    assert (ran.returncode, ran.stdout) == (0, f"fastscore {fs.__version__}\n")
