"""The benchmarks' own arithmetic: ratios, checks of answers, the forms of plays, the README's table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fastscore as fs
from benches import report
from benches.interleave import Contender, Timings, WrongAnswerError, equals, run_in_turns
from benches.report import replace_block
from benches.workloads import (
    WordForm,
    busy_positions,
    by_position,
    compact_form,
    legal_plays,
    one_a_position,
    repeated,
)
from benches.yardsticks import NoYardsticksError, Yardsticks


class FakeClock:
    """Seconds that pass only when a contender says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def spend(self, seconds: float) -> str:
        self.now += seconds
        return "answer"


def accept(answer: str) -> None:
    assert answer == "answer"


def test_contenders_run_in_turns_and_drift_cancels() -> None:
    clock = FakeClock()
    # The machine slows down threefold while it works; `slow` takes twice the time of `fast` all along.
    pace = iter([1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0])
    order: list[str] = []

    def contender(name: str, seconds: float) -> Contender[str]:
        def run() -> str:
            order.append(name)
            return clock.spend(seconds * next(pace))

        return Contender(name, run, accept)

    timings = run_in_turns([contender("fast", 1.0), contender("slow", 2.0)], 3, clock)
    # A round that does not count, then each round begins with the next one.
    assert order == ["fast", "slow", "fast", "slow", "slow", "fast", "fast", "slow"]
    assert timings.seconds == {"fast": (1.0, 2.0, 3.0), "slow": (2.0, 4.0, 6.0)}
    ratio = timings.ratio("slow", "fast")
    assert (ratio.median, ratio.lower, ratio.upper, ratio.of_minima) == (2.0, 2.0, 2.0, 2.0)
    assert timings.median("slow") == 4.0


def test_ratio_by_round_and_of_minima() -> None:
    timings = Timings({"base": (1.0, 2.0, 4.0, 1.0, 2.0), "other": (3.0, 2.0, 8.0, 4.0, 10.0)})
    ratio = timings.ratio("other", "base")
    # By round 3, 1, 2, 4, 5: a quarter of them lies below 2, half below 3 and a quarter above 4.
    assert (ratio.lower, ratio.median, ratio.upper) == (2.0, 3.0, 4.0)
    assert ratio.of_minima == 2.0 / 1.0
    assert timings.median("other") == 4.0


def test_one_round_is_its_own_quartiles() -> None:
    ratio = Timings({"base": (2.0,), "other": (3.0,)}).ratio("other", "base")
    assert (ratio.lower, ratio.median, ratio.upper) == (1.5, 1.5, 1.5)


def test_a_wrong_answer_ends_the_run() -> None:
    expected = np.array([5, 6, 7], dtype=np.int32)

    def run() -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.array([5, 0, 7], dtype=np.int32)

    with pytest.raises(WrongAnswerError, match="wrong one: 1 of 3 answers are wrong, the first is number 1: 0 "):
        run_in_turns([Contender("wrong one", run, equals(expected))], 1)
    with pytest.raises(WrongAnswerError, match=r"shape \(2,\) where \(3,\)"):
        equals(expected)(expected[:2])


def test_an_old_answer_is_no_answer() -> None:
    expected = np.array([5, 6], dtype=np.int32)
    kept = expected.copy()
    with pytest.raises(WrongAnswerError, match="idle: 2 of 2 answers are wrong"):
        run_in_turns([Contender("idle", lambda: kept, equals(expected))], 1)


def test_contenders_need_different_names() -> None:
    same = Contender("same", lambda: "answer", accept)
    with pytest.raises(ValueError, match="share a name"):
        run_in_turns([same, same], 1)


def test_compact_form_of_the_benchmark() -> None:
    # Across at row 7, col 3: through, 2, through, 4; down at row 1, col 2: 9, through.
    word = WordForm(
        position=np.array([0, 1], dtype=np.int32),
        row=np.array([7, 1], dtype=np.uint8),
        col=np.array([3, 2], dtype=np.uint8),
        direction=np.array([0, 1], dtype=np.uint8),
        length=np.array([4, 2], dtype=np.uint8),
        tiles=np.array([[0, 2, 0, 4, 0], [9, 0, 0, 0, 0]], dtype=np.uint8),
    )
    compact = compact_form(word)
    assert compact.row.tolist() == [7, 1]
    assert compact.col.tolist() == [4, 2]
    assert compact.tiles.tolist() == [[2, 4, 0, 0, 0, 0, 0], [9, 0, 0, 0, 0, 0, 0]]
    assert [column.dtype for column in compact] == [np.int32, np.uint8, np.uint8, np.uint8, np.uint8]


def test_workloads_have_the_sizes_they_promise() -> None:
    assert len(legal_plays()) == 456_193
    many = one_a_position(500)
    assert many.boards.shape == (500, 15, 15)
    assert many.word.position.tolist() == list(range(500))
    busy = busy_positions()
    assert len(busy) == 1000 * len(busy.boards)
    calls = by_position(busy)
    assert [len(call) for call in calls] == [1000] * len(busy.boards)
    twice = repeated(calls[0], 1500)
    assert (len(twice), len(twice.boards)) == (1500, 2)
    assert twice.word.position.tolist() == [0] * 1000 + [1] * 500
    assert twice.scores[1000:].tolist() == calls[0].scores[:500].tolist()


@pytest.fixture
def yardsticks() -> Yardsticks:
    try:
        return Yardsticks(fs.load_rules("classic/english"))
    except NoYardsticksError as none:
        pytest.skip(str(none))


def test_yardsticks_score_a_play_with_crosses(yardsticks: Yardsticks) -> None:
    boards = np.zeros((1, 15, 15), dtype=np.uint8)
    boards[0, 7, 6:9] = [3, 1 | 0x80, 20]  # C, blank A, T at 8G: 3 + 0 + 1
    word = WordForm(
        position=np.zeros(3, dtype=np.int32),
        row=np.array([7, 8, 4], dtype=np.uint8),
        col=np.array([6, 6, 7], dtype=np.uint8),
        direction=np.array([0, 0, 1], dtype=np.uint8),
        length=np.array([4, 2, 4], dtype=np.uint8),
        # CATS 8G; HE 9G (G9 and I9 double letters, H9 plain); Q through the blank A down from H5.
        tiles=np.array([[0, 0, 0, 19], [8, 5, 0, 0], [17, 21, 9, 0]], dtype=np.uint8),
    )
    # CATS: 3 + 0 + 1 + 1 = 5, J8 is plain.
    # HE: H doubled 8 + E 1 = 9; down CH 3 + 8 = 11 and aE 0 + 1 = 1: 21.
    # QUI + a down from H5, no premium: 10 + 1 + 1 + 0 = 12, and nothing beside.
    expected = [5, 21, 12]
    assert yardsticks.walk(boards, word)().tolist() == expected
    assert yardsticks.cross(boards, word)().tolist() == expected
    assert yardsticks.cross_plays(boards, word)().tolist() == expected
    sums = yardsticks.cross_setup(boards)().reshape(2, 15, 15)
    # For across plays the column counts: above and below C, the blank and T; a blank is a word of sum 0.
    assert sums[0, 6, 5:10].tolist() == [-1, 3, 0, 1, -1]
    assert sums[0, 8, 5:10].tolist() == [-1, 3, 0, 1, -1]
    # For down plays the row counts: before and after the word.
    assert sums[1, 7, [4, 5, 9, 10]].tolist() == [-1, 4, 4, -1]


def test_yardsticks_refuse_rules_they_do_not_know(yardsticks: Yardsticks) -> None:
    doubled = replace(fs.load_rules("classic/english"), bingo_multiplier=(1,) * 7 + (2,) + (1,) * 8)
    with pytest.raises(NoYardsticksError, match="classic/english has others"):
        Yardsticks(doubled)


def test_block_between_markers_is_replaced() -> None:
    text = "before\n<!-- speed table: begin -->\nold\n<!-- speed table: end -->\nafter\n"
    changed = replace_block(text, "| new |")
    assert changed == "before\n<!-- speed table: begin -->\n\n| new |\n\n<!-- speed table: end -->\nafter\n"
    assert replace_block(changed, "| new |") == changed
    with pytest.raises(ValueError, match="speed table: begin"):
        replace_block("no markers here", "| new |")


@pytest.mark.parametrize(
    ("arguments", "printed", "written"),
    [
        ([], "speed, quick False\n\nstart, quick False\n", "speed, quick False\n\nstart, quick False"),
        (["--dry-run", "--quick"], "speed, quick True\n\nstart, quick True\n", "old"),
        (["start"], "start, quick False\n", "old"),
    ],
)
def test_report_is_written_only_when_complete(
    arguments: list[str],
    printed: str,
    written: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(replace_block(f"{report.BEGIN}{report.END}", "old"), encoding="utf-8")
    monkeypatch.setattr(report, "_README", readme)
    monkeypatch.setattr(
        report,
        "PARTS",
        {"speed": lambda quick: f"speed, quick {quick}", "start": lambda quick: f"start, quick {quick}"},
    )
    assert report.main(arguments) == 0
    assert capsys.readouterr().out == printed
    assert readme.read_text(encoding="utf-8") == replace_block(f"{report.BEGIN}{report.END}", written)


def test_report_without_markers_measures_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("no markers", encoding="utf-8")
    monkeypatch.setattr(report, "_README", readme)
    monkeypatch.setattr(report, "PARTS", {})
    assert report.main([]) == 2
    assert "expected the lines <!-- speed table: begin -->" in capsys.readouterr().err
