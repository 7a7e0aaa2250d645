"""`fastscore score` of files: many positions in pieces, and plays on one position as arrays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import pytest

import fastscore as fs
from fastscore import form_kernels
from fastscore.batch_io import Candidates, CandidateWriter
from fastscore.cli import main

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(__file__).parent / "data" / "legal_plays.npz"
POSITION = str(ROOT / "examples" / "position.cgp")
CLASSIC = fs.load_rules("classic/english")
COMPILED = hasattr(form_kernels.compact_from_word_form, "signatures")
needs_jit = pytest.mark.skipif(not COMPILED, reason="millions of plays, and the memory of compiled code")
N = 20_000 if COMPILED else 600
RULES = ("--rules", "classic/english")


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process and in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run_main(*arguments: object) -> Ran:
        return Ran(main([str(argument) for argument in arguments]), *capsys.readouterr())

    return run_main


@pytest.fixture(scope="module")
def plays() -> Candidates:
    """Legal plays with their published scores, on their boards; some are made bad."""
    with np.load(DATA) as file:
        data = {name: file[name][:N] if file[name].shape[0] > 1000 else file[name] for name in file.files}
    form = {name: data[name] for name in ("position", "row", "col", "direction", "length", "tiles")}
    batch = fs.PlacementBatch.from_word_form(data["boards"], CLASSIC, **form)
    return Candidates(batch, data["boards"], data["racks"], data["score"], "classic/english")


def scores_in(path: Path) -> dict[str, list[int]]:
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name].tolist() for name in file.files}
    if path.suffix == ".parquet":
        found: dict[str, list[int]] = pq.read_table(path).to_pydict()
        return found
    names, *rows = [line.split(",") for line in path.read_text().splitlines()]
    return {name: [int(row[column]) for row in rows] for column, name in enumerate(names)}


# --- files of positions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["npz", "parquet", "csv"])
@pytest.mark.parametrize("target", ["npz", "parquet", "csv"])
def test_scores_of_legal_plays(run: Run, plays: Candidates, tmp_path: Path, source: str, target: str) -> None:
    few = Candidates(plays.batch[:500], plays.boards, plays.racks, None, plays.rules)
    fs.write_candidates(tmp_path / f"in.{source}", few)
    rules = RULES if source == "csv" else ()
    ran = run("score", f"in.{source}", "--out", f"out.{target}", "--chunk", 64, *rules)
    assert ran == Ran(0, f"500 scores in out.{target}\n", "")
    assert plays.score is not None
    assert scores_in(tmp_path / f"out.{target}") == {"score": plays.score[:500].tolist(), "status": [0] * 500}
    assert sorted(os.listdir(tmp_path)) == sorted({f"in.{source}", f"out.{target}"})


def test_word_form_and_the_usual_size_of_pieces(run: Run, plays: Candidates, tmp_path: Path) -> None:
    with np.load(DATA) as file:
        np.savez(tmp_path / "in.npz", **{n: file[n][:N] if len(file[n]) > 1000 else file[n] for n in file.files})
    assert run("score", "in.npz", "--out", "out.npz", *RULES).code == 0
    assert plays.score is not None
    assert scores_in(tmp_path / "out.npz")["score"] == plays.score.tolist()


def test_bad_placements_are_counted_and_given_their_status(run: Run, plays: Candidates, tmp_path: Path) -> None:
    batch = plays.batch[:10]
    row, position, tiles = batch.row.copy(), batch.position.copy(), batch.tiles.copy()
    row[2] = 15
    position[4] = 486
    # The rack of the first position has no Z.
    tiles[6, 0] = 26
    status = np.zeros(10, np.uint32)
    status[8] = fs.Status.NOT_MAXIMAL
    bad = fs.PlacementBatch(
        position=position, row=row, col=batch.col, direction=batch.direction, tiles=tiles, status=status
    )
    assert plays.racks is not None
    assert plays.racks[0, 26] == 0
    fs.write_candidates(tmp_path / "in.npz", Candidates(bad, plays.boards, plays.racks))
    ran = run("score", "in.npz", "--out", "out.npz", "--chunk", 3, *RULES)
    assert (ran.code, ran.out) == (1, "10 scores in out.npz\n")
    assert ran.err == (
        "fastscore: 4 of 10 placements are bad: 1 position is not one of the boards, 1 row is off the board, "
        "1 written without all tiles of the run, 1 a tile that is not on the rack\n"
    )
    found = scores_in(tmp_path / "out.npz")
    flags = {2: fs.Status.BAD_ROW, 4: fs.Status.BAD_POSITION, 6: fs.Status.NOT_ON_RACK, 8: fs.Status.NOT_MAXIMAL}
    assert found["status"] == [int(flags.get(at, fs.Status.GOOD)) for at in range(10)]
    assert (found["score"][2], found["score"][4]) == (0, 0)


def test_a_file_without_rows(run: Run, plays: Candidates, tmp_path: Path) -> None:
    fs.write_candidates(tmp_path / "in.npz", Candidates(plays.batch[:0], plays.boards))
    assert run("score", "in.npz", "--out", "out.parquet", *RULES) == Ran(0, "0 scores in out.parquet\n", "")
    assert scores_in(tmp_path / "out.parquet") == {"score": [], "status": []}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in.npz"], "needs --out FILE"),
        (["in.npz", "8H QUIZ", "--out", "o.npz"], "goes with --out, --chunk and --rules only"),
        (["in.npz", "--out", "o.npz", "--top", "3"], "goes with --out, --chunk and --rules only"),
        (["in.npz", "--out", "o.npz", "--format", "json"], "goes with --out, --chunk and --rules only"),
        ([POSITION, "8H QUIZ", "--out", "o.npz"], "--out and --chunk go with a file of positions"),
        ([POSITION, "8H QUIZ", "--chunk", "9"], "--out and --chunk go with a file of positions"),
        (["in.npz", "--out", "o.npz", "--chunk", "0"], "--chunk"),
        (["in.npz", "--out", "o.npz"], "in.npz: the file names no rules, expected --rules NAME"),
        (["in.npz", "--out", "o.npz", "--rules", "nonsense"], "nonsense"),
        (["in.npz", "--out", "o.npz", "--rules", "super/english"], "in.npz: boards of shape"),
        (["in.npz", "--out", "o.txt", *RULES], "o.txt: the name ends in '.txt', expected one of .npz, .csv, .parquet"),
        (["in.npz", "--out", "in.npz", *RULES], "in.npz: is read and cannot be written at the same time"),
        (["in.npz", "--out", "nowhere/o.npz", *RULES], "there is no folder"),
        (["missing.npz", "--out", "o.npz", *RULES], "'missing.npz': no such file or directory"),
        (["bare.npz", "--out", "o.npz", *RULES], "bare.npz: no boards, expected an array 'boards'"),
        (["other.npz", "--out", "o.npz"], "the rules '/etc/passwd' are none of those that are bundled"),
        (["racks.npz", "--out", "o.npz", *RULES], "racks.npz: racks of shape"),
        (["empty.parquet", "--out", "o.npz", *RULES], "empty.parquet: cannot be read"),
    ],
)
def test_bad_input(run: Run, plays: Candidates, tmp_path: Path, arguments: list[str], message: str) -> None:
    few = plays.batch[:3]
    fs.write_candidates(tmp_path / "in.npz", Candidates(few, plays.boards))
    fs.write_candidates(tmp_path / "bare.npz", Candidates(few))
    fs.write_candidates(tmp_path / "other.npz", Candidates(few, plays.boards, rules="/etc/passwd"))
    fs.write_candidates(tmp_path / "racks.npz", Candidates(few, plays.boards, np.zeros((486, 5), np.uint8)))
    (tmp_path / "empty.parquet").write_bytes(b"")
    before = sorted(os.listdir(tmp_path))
    ran = run("score", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert sorted(os.listdir(tmp_path)) == before


def test_progress_on_a_terminal(run: Run, plays: Candidates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    few = Candidates(plays.batch[:300], plays.boards, None, None, "classic/english")
    fs.write_candidates(tmp_path / "in.npz", few)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    assert run("score", "in.npz", "--out", "out.npz", "--chunk", 100).code == 0
    assert "300/300" in terminal.getvalue()


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("target", ["csv", "parquet", "npz"])
def test_ctrl_c_leaves_no_half_file(plays: Candidates, tmp_path: Path, target: str) -> None:
    fs.write_candidates(tmp_path / "in.npz", plays)
    out = tmp_path / f"out.{target}"
    out.write_text("what was there")
    # The process says when it has begun to write, and goes on one placement at a time. Shells let what they run in the
    # background ignore the signal.
    code = (
        "import signal, sys; from fastscore import batch_io, cli\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "append = batch_io.ScoreWriter.append\n"
        "def told(self, *columns):\n"
        "    append(self, *columns)\n"
        "    sys.stderr.write('.'); sys.stderr.flush()\n"
        "batch_io.ScoreWriter.append = told\n"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "score", str(tmp_path / "in.npz"), "--out", str(out), "--chunk", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stderr is not None
        assert process.stderr.read(1) == b"."
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert sorted(os.listdir(tmp_path)) == sorted(["in.npz", out.name])
    assert out.read_text() == "what was there"


# --- memory -----------------------------------------------------------------------------------------------------------

MEASURE = """
import resource, sys
from fastscore.cli import main
code = main(sys.argv[1:])
sys.stderr.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
sys.exit(code)
"""


def peak(folder: Path, source: str, target: str, *options: str) -> int:
    """Most bytes of memory that scoring a file takes, in a process of its own."""
    command = [sys.executable, "-c", MEASURE, "score", str(folder / source), "--out", str(folder / target), *options]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    unit = 1 if sys.platform == "darwin" else 1024
    return int(ran.stderr) * unit


@needs_jit
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
@pytest.mark.parametrize(("source", "target"), [("npz", "npz"), ("npz", "parquet"), ("parquet", "npz")])
def test_memory_does_not_grow_with_the_file(plays: Candidates, tmp_path: Path, source: str, target: str) -> None:
    for name, times in (("small", 5), ("large", 150)):
        with CandidateWriter(tmp_path / f"{name}.{source}") as writer:
            for _ in range(times):
                writer.append(plays)
    small, large = (
        peak(tmp_path, f"{n}.{source}", f"{n}-out.{target}", "--chunk", "50000") for n in ("small", "large")
    )
    # 100,000 and 3,000,000 placements: their arrays are 52 MB more, the scores and statuses 23 MB more.
    assert large - small < 20_000_000
    score = scores_in(tmp_path / f"large-out.{target}")["score"]
    assert plays.score is not None
    assert score == plays.score.tolist() * 150


@needs_jit
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_memory_does_not_grow_with_the_boards(tmp_path: Path) -> None:
    """One play a board, and boards that are not held as a whole."""
    boards = np.zeros((10_000, 15, 15), np.uint8)
    tiles = np.tile(np.array([3, 1, 2, 0, 0, 0, 0], np.uint8), (10_000, 1))
    batch = fs.PlacementBatch(
        position=np.arange(10_000), row=np.full(10_000, 7), col=np.full(10_000, 7), direction=0, tiles=tiles
    )
    for name, times in (("small", 2), ("large", 60)):
        with CandidateWriter(tmp_path / f"{name}.npz") as writer:
            for _ in range(times):
                writer.append(Candidates(batch, boards, None, None, "classic/english"))
    small, large = (peak(tmp_path, f"{name}.npz", f"{name}-out.npz", "--chunk", "20000") for name in ("small", "large"))
    # 130 MB of boards more.
    assert large - small < 40_000_000
    # CAB on the start square, a double word: (3 + 1 + 3) x 2.
    assert set(scores_in(tmp_path / "large-out.npz")["score"]) == {14}


# --- plays on one position --------------------------------------------------------------------------------------------

# HUGE beside IPOMOEA scores 35 in the record of the game (see examples/position.cgp), HA. 32.
TEXTS = ["E3 HUGE", "J6 HA."]


@pytest.fixture
def batch() -> fs.PlacementBatch:
    lines = Path(POSITION).read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if not line.startswith("#"))
    return fs.PlacementBatch.parse(TEXTS, fs.Board.from_cgp(line))


@pytest.mark.parametrize("form", ["npz", "csv", "parquet"])
def test_plays_as_arrays(run: Run, batch: fs.PlacementBatch, tmp_path: Path, form: str) -> None:
    fs.write_candidates(tmp_path / f"plays.{form}", Candidates(batch))
    ran = run("score", POSITION, f"plays.{form}", "--format", "json")
    assert ran.code == 0
    assert [(play["play"], play["score"]) for play in json.loads(ran.out)["plays"]] == [("E3 HUGE", 35), ("J6 HA.", 32)]
    assert run("check", POSITION, f"plays.{form}") == run("check", POSITION, *TEXTS)


def test_plays_in_word_form_on_the_position(run: Run, batch: fs.PlacementBatch, tmp_path: Path) -> None:
    # J6 HAG: H and A are laid, the G lies there.
    word = {"row": [5], "col": [9], "direction": [1], "length": [3], "tiles": [[8, 1, 0]]}
    np.savez(tmp_path / "plays.npz", **{name: np.array(column) for name, column in word.items()})
    ran = run("score", POSITION, "plays.npz", "--format", "csv")
    assert ran == Ran(0, "play,score,status,reasons\nJ6 HA.,32,0,\n", "")


def test_what_score_writes_as_csv_it_reads(run: Run, tmp_path: Path) -> None:
    first = run("score", POSITION, *TEXTS, "15A HUGE", "--format", "csv")
    assert first.code == 1
    (tmp_path / "plays.csv").write_text(first.out)
    assert run("score", POSITION, "plays.csv", "--format", "csv") == first


def test_plays_for_other_boards(run: Run, batch: fs.PlacementBatch, tmp_path: Path) -> None:
    moved = fs.PlacementBatch(
        position=[0, 1], row=batch.row, col=batch.col, direction=batch.direction, tiles=batch.tiles
    )
    fs.write_candidates(tmp_path / "plays.npz", Candidates(moved))
    ran = run("score", POSITION, "plays.npz", "--format", "csv")
    assert ran.code == 1
    assert ran.out.splitlines()[1:] == ["E3 HUGE,35,0,", f"J6 HA,0,{int(fs.Status.BAD_POSITION)},BAD_POSITION"]
    fs.write_candidates(tmp_path / "boards.npz", Candidates(moved, np.zeros((2, 15, 15), np.uint8)))
    ran = run("score", POSITION, "boards.npz")
    assert (ran.code, ran.out) == (2, "")
    assert "boards.npz: has boards of its own" in ran.err


def test_hostile_placements_are_listed(run: Run, tmp_path: Path) -> None:
    fields: dict[str, Any] = {"row": [200, 7, 3], "col": [7, 200, 4], "direction": [0, 9, 1]}
    tiles = [[1, 0, 2], [255, 127, 0], [0, 0, 0]]
    np.savez(tmp_path / "plays.npz", tiles=np.array(tiles), **{name: np.array(fields[name]) for name in fields})
    ran = run("score", POSITION, "plays.npz", "--format", "json")
    assert ran.code == 1
    reasons = [play["reasons"] for play in json.loads(ran.out)["plays"]]
    # The rack of the position, AEEGHIU, has an A but no B.
    assert reasons == [["BAD_ROW", "HOLE", "NOT_ON_RACK"], ["BAD_DIRECTION", "BAD_COL", "BAD_TILE"], ["NO_TILE"]]


def test_a_csv_of_texts_names_the_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plays.csv").write_text("play\nE3 HUGE\n8H 7\n")
    ran = run("score", POSITION, "plays.csv")
    assert ran.code == 1
    assert "plays.csv:3" in ran.err


def test_how_long_a_large_file_takes(run: Run, plays: Candidates, tmp_path: Path) -> None:
    """A file is scored at the speed of the kernels, not at that of Python: no loop over rows anywhere."""
    if not COMPILED:
        pytest.skip("the speed of compiled code")
    fs.warmup()
    with CandidateWriter(tmp_path / "in.npz") as writer:
        for _ in range(50):
            writer.append(plays)
    run("score", "in.npz", "--out", "out.npz")
    begin = time.perf_counter()
    assert run("score", "in.npz", "--out", "out.npz").code == 0
    # A million placements take about 0.2 s; a loop in Python would take some seconds.
    assert time.perf_counter() - begin < 3
