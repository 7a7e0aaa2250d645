"""Repairs of records: what is corrected, what is left, and that the record itself is never touched."""

from __future__ import annotations

import io
import json
import os
import random
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fastscore.cli import main
from fastscore.errors import FastscoreError, RecordError
from fastscore.gcg import read_game, read_games, write_gcg
from fastscore.repairs import repair
from fastscore.replays import replay
from fastscore.ruleset_choice import bundled_candidates
from tests.repaired import HEAD, changes_of, events_of, game_of

DATA = Path(__file__).parent / "data"
GAMES = DATA / "games"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))


def test_a_wrong_score_and_the_totals_after_it() -> None:
    # 8G CAT is (3 + 1 + 1) x 2 = 10; S at J8 makes CATS: 3 + 1 + 1 + 1 = 6.
    game = game_of(">A: CAT 8G CAT +12 12", ">B: E -  +0 0", ">A: S 8G ...S +6 18")
    repaired = repair(game)
    assert events_of(repaired) == ["A 8G CAT +10 10", "B - +0 0", "A 8G ...S +6 16"]
    assert changes_of(repaired) == [(3, "score", "+12", "+10", "misscored")]
    following = [(change.line, change.what, change.before, change.after) for change in repaired.corrections[1:]]
    assert following == [(3, "total", "12", "10"), (5, "total", "18", "16")]
    assert all(change.consequence for change in repaired.corrections[1:])
    assert repaired.left == ()


def test_the_record_stays_as_it_is() -> None:
    game = game_of(">A: CAT 8G CAT +12 12")
    before = [(event.score, event.total, event.notes) for event in game]
    repaired = repair(game)
    assert [(event.score, event.total, event.notes) for event in game] == before
    assert repaired.original is game
    assert repaired.game is not game


def test_a_wrong_total() -> None:
    game = game_of(">A: CAT 8G CAT +10 10", ">B: E -  +0 0", ">A: S 8G ...S +6 17", ">B: E -  +0 0", ">A: Q -  +0 17")
    repaired = repair(game)
    assert [event.total for event in repaired.game] == [10, 0, 16, 0, 16]
    assert changes_of(repaired) == [(5, "total", "17", "16", "wrong-total")]
    assert repaired.corrections[0].cause == "arithmetic"


def test_a_challenge_bonus_in_the_score() -> None:
    # 15 is the 10 of CAT and 5 for a challenge: the total is right, the line is not there.
    repaired = repair(game_of(">A: CAT 8G CAT +15 15", ">B: E -  +0 0"))
    assert events_of(repaired) == ["A 8G CAT +10 10", "A (challenge) +5 15", "B - +0 0"]
    assert changes_of(repaired) == [
        (3, "score", "+15", "+10", "misscored"),
        (3, "line", "", "(challenge) +5", "misscored"),
    ]


def test_a_play_that_was_taken_back_has_no_challenge_bonus() -> None:
    repaired = repair(game_of(">A: CAT 8G CAT +15 15", ">A: CAT --  -15 0", ">B: E -  +0 0"))
    assert events_of(repaired) == ["A 8G CAT +10 10", "A -- -10 0", "B - +0 0"]


def test_a_challenge_bonus_that_is_only_in_a_total() -> None:
    # CATS is 6: from 10 to 21 there are 5 too many, which belong after CAT.
    game = game_of(">A: CAT 8G CAT +10 10", ">B: E -  +0 0", ">A: S 8G ...S +6 21")
    repaired = repair(game)
    assert events_of(repaired) == ["A 8G CAT +10 10", "A (challenge) +5 15", "B - +0 0", "A 8G ...S +6 21"]
    assert changes_of(repaired) == [(3, "line", "", "(challenge) +5", "wrong-total")]


def test_a_total_that_is_put_right_later_was_no_challenge_bonus() -> None:
    lines = (">A: CAT 8G CAT +10 10", ">B: E -  +0 0", ">A: S 8G ...S +6 21", ">B: E -  +0 0", ">A: Q -  +0 16")
    repaired = repair(game_of(*lines))
    assert [event.kind for event in repaired.game] == ["place", "pass", "place", "pass", "pass"]
    assert [event.total for event in repaired.game] == [10, 0, 16, 0, 16]


@pytest.mark.parametrize(("score", "total"), [(0, 0), (-9, 1), (-9, 0)])
def test_a_withdrawal_of_another_amount(score: int, total: int) -> None:
    game = game_of(">A: CAT 8G CAT +10 10", f">A: CAT --  {score:+} {total}", ">B: E -  +0 0")
    repaired = repair(game)
    assert events_of(repaired)[1] == "A -- -10 0"
    assert repaired.left == ()


def test_a_turn_with_points_that_has_none() -> None:
    repaired = repair(game_of(">A: CAT -CAT +4 4", ">B: E -  +3 3"))
    assert events_of(repaired) == ["A -CAT +0 0", "B - +0 0"]
    assert [change[4] for change in changes_of(repaired)] == ["turn-scored", "turn-scored"]


def test_numbers_that_are_not_there() -> None:
    repaired = repair(game_of(">A: CAT 8G CAT +10", ">B: E -  +0 0"))
    assert events_of(repaired)[0] == "A 8G CAT +10 10"
    assert (3, "total", "", "10", "total-missing") in changes_of(repaired)


def test_a_play_without_all_letters_of_its_word() -> None:
    # CAT stands; an S at J8 makes CATS, written as a lone S. It is worth the whole word, 6.
    repaired = repair(game_of(">A: CAT 8G CAT +10 10", ">B: S 8J S +6 6"))
    assert events_of(repaired)[1] == "B 8G ...S +6 6"
    assert changes_of(repaired) == [(4, "play", "8J S", "8G ...S", "not-maximal")]
    assert repaired.left == ()


def test_a_play_without_all_letters_and_a_wrong_score() -> None:
    # Its writer counted the S alone.
    repaired = repair(game_of(">A: CAT 8G CAT +10 10", ">B: S 8J S +1 1"))
    assert events_of(repaired)[1] == "B 8G ...S +6 6"


def test_lettered_rows() -> None:
    # H7 is row H, column 7 here: the row of the start square, so across.
    head = (*HEAD, "#orientation lettered-rows")
    repaired = repair(game_of(">A: CAT H7 CAT +10 10", ">B: S H10 S +6 6", head=head))
    assert events_of(repaired) == ["A H7 CAT +10 10", "B H7 ...S +6 6"]
    # Down: column 8, from row I on: A lies at row H, and below it B in row I, on no premium: AB is 1 + 3 = 4.
    repaired = repair(game_of(">A: CAT H7 CAT +10 10", ">B: B 8I B +7 7", head=head))
    assert events_of(repaired)[1] == "B 8H .B +4 4"


def test_the_end_of_a_real_game() -> None:
    # The tiles RELATCH are worth 1+1+1+1+1+3+4 = 12, twice 24; the record says 14.
    repaired = repair(read_game(GAMES / "h35_end_points_wrong.gcg"))
    assert changes_of(repaired) == [(36, "score", "+14", "+24", "end-points-wrong")]
    assert repaired.left == ()


def test_a_penalty_that_is_recorded_for_one_player_only() -> None:
    # F 5, H 3, I 1, K 2, O 1, P 2, U 3 are 17: from 10 to -7. That the game was over after four passes is left.
    game = read_game(GAMES / "h47_polish_plus_minus.gcg")
    repaired = repair(game, "classic/polish")
    assert repaired.game.recorded_totals == [-7, 12]
    assert [change for change in changes_of(repaired) if change[1] == "line"] == [
        (11, "line", "", "(FHIKOPU) -17", "end-line-missing")
    ]
    assert "move-after-passes" in {finding.code for finding in repaired.left}


def test_a_line_is_added_before_time_penalties_and_last_racks() -> None:
    # Six zero turns; A holds Q (10) and B holds Z (10), and B was 61 seconds late: 20 points.
    passes = [f">{player}: {rack} -  +0 0" for player, rack in ("AQ", "BZ") * 3]
    game = game_of(*passes, ">A: Q (Q) -10 -10", ">B: Z (time) -20 -20", "#rack2 Z")
    # Racks of one tile are not whole, so that only the pragma says what B has.
    repaired = repair(game)
    kinds = [event.kind for event in repaired.game]
    assert kinds[6:] == ["end_penalty", "end_penalty", "time_penalty"]
    assert events_of(repaired)[6:] == ["A (Q) -10 -10", "B (Z) -10 -10", "B (time) -20 -30"]
    assert [pragma.after for pragma in repaired.game.pragmas] == [9]


def test_one_correction_shows_the_next() -> None:
    # Only once Anna's line is right is it known how the record counts: Q is 10, and Berta's seven vowels are 7.
    passes = [f">{player}: {rack} -  +0 0" for player, rack in (("A", "Q"), ("B", "AAEEIOU")) * 3]
    repaired = repair(game_of(*passes, ">A: Q (Q) -9 -9"))
    assert events_of(repaired)[6:] == ["A (Q) -10 -10", "B (AAEEIOU) -7 -7"]
    assert repaired.left == ()


def test_what_nobody_can_know_is_left() -> None:
    # J15 is nowhere near: not connected, and the score of a play that lay elsewhere cannot be known.
    game = game_of(">A: CAT 8G CAT +10 10", ">B: DOG 15A DOG +4 4", ">A: X -  +0 10")
    repaired = repair(game)
    assert repaired.corrections == ()
    assert [finding.code for finding in repaired.left if not finding.consequence] == ["not-connected"]
    assert events_of(repaired)[1] == "B 15A DOG +4 4"


def test_lines_that_are_no_events_are_kept() -> None:
    game = game_of(">A: CAT 8G CAT +12 12", ">B what is this", ">A: Q -  +0 12")
    repaired = repair(game)
    assert [event.kind for event in repaired.game] == ["place", "malformed", "pass"]
    assert "what is this" in repaired.game.events[1].text
    assert repaired.game.recorded_totals == [10, None]


def test_comments() -> None:
    game = game_of(">A: CAT 8G CAT +12 12", "#note my best word", ">B: E -  +0 0", ">A: Q -  +0 12")
    repaired = repair(game)
    own, added = repaired.game.events[0].notes
    assert own == "my best word"
    assert added.startswith("fastscore: score +12 -> +10: misscored")
    # What only follows has none.
    assert [event.notes for event in repaired.game.events[1:]] == [(), ()]
    assert repair(game, comments=False).game.events[0].notes == ("my best word",)


def test_spelling() -> None:
    text = "#player1 A Anna\r\n#player2 B Berta\n>A: CAT  8G CAT +10 10 CAT\n>B: E - +-0 0"
    repaired = repair(read_game(io.BytesIO(text.encode())))
    assert repaired.corrections == ()
    codes = {change.code for change in repaired.changes}
    assert {"mixed-newlines", "extra-space", "text-after-cumulative", "score-plus-minus", "no-final-newline"} <= codes
    assert {change.what for change in repaired.changes} == {"spelling"}


def test_wrong_rules_are_not_wrong_scores() -> None:
    game = read_game(GAMES / "lewis1.gcg")
    with pytest.raises(RecordError, match="21 of 25 plays have another score by classic/english") as caught:
        repair(game)
    assert caught.value.code == "rules-doubtful"
    # Whoever names them is believed.
    assert len(changes_of(repair(game, "classic/english"))) >= 21


def test_letters_that_are_no_tiles_are_other_rules() -> None:
    with pytest.raises(RecordError, match="letters that are no tiles") as caught:
        repair(game_of(">A: ŁA 8H ŁA +8 8"))
    assert caught.value.code == "rules-doubtful"


def test_the_rules_that_explain_a_game() -> None:
    # German values; Quackle's users write the 10 points for a challenge into the score.
    repaired = repair(read_game(GAMES / "h44_german_bonus_inside_play.gcg"), bundled_candidates())
    assert repaired.rules.name == "classic/german"
    assert changes_of(repaired) == [
        (28, "score", "+32", "+22", "misscored"),
        (28, "line", "", "(challenge) +10", "misscored"),
    ]
    assert repaired.left == ()


def test_a_record_that_is_not_whole_is_refused() -> None:
    game = game_of(">A: CAT 8G CAT +10 10 " + "x" * 70_000)
    with pytest.raises(RecordError) as caught:
        repair(game)
    assert (caught.value.code, caught.value.line) == ("line-too-long", 3)


REPAIRED = {
    "misscored",
    "wrong-total",
    "withdrawal-amount",
    "withdrawal-zero",
    "turn-scored",
    "not-maximal",
    "end-points-wrong",
    "end-penalty-wrong",
}


@pytest.mark.parametrize("file", sorted(EXPECTED))
def test_real_records(file: str) -> None:
    game = read_game(GAMES / file)
    # The value sets of bots' games are not among the bundled ones: their rules are refused elsewhere.
    if EXPECTED[file]["values"] not in ("english", "german", "polish"):
        return
    rules = None if EXPECTED[file]["values"] == "english" else f"classic/{EXPECTED[file]['values']}"
    if game.layout_name is None and EXPECTED[file]["layout"] == "standard21":
        rules = "super/english"
    repaired = repair(game, rules)
    left = {finding.code for finding in repaired.left if not finding.consequence}
    assert not left & REPAIRED
    # No fault that was not there.
    before = {finding.code for finding in replay(game, rules).findings}
    assert left <= before
    # The copy can be written, reads back equal, and there is nothing more to correct in it.
    handle = io.BytesIO()
    write_gcg(repaired.game, handle, malformed="keep")
    handle.seek(0)
    (back,) = read_games(handle)
    assert back == repaired.game
    again = repair(back, repaired.rules)
    assert again.corrections == ()
    # The events of the record are all there, in their order, and what was added stands between them.
    assert len(repaired.game) == len(game) + sum(change.what == "line" for change in repaired.corrections)
    remaining = iter([(event.kind, event.player, event.rack) for event in repaired.game])
    assert all((event.kind, event.player, event.rack) in remaining for event in game)


def test_a_record_without_faults_is_not_changed() -> None:
    flawless = [file for file, entry in EXPECTED.items() if not entry["issues"] and entry["values"] == "english"]
    quiet = [file for file in flawless if not replay(read_game(GAMES / file)).findings]
    assert len(quiet) > 20
    for file in quiet:
        assert repair(read_game(GAMES / file)).corrections == (), file


def test_damaged_records() -> None:
    # Whatever stands in a record: a typed error, or a copy in which there is nothing more to correct.
    chance = random.Random(5)
    files = [(GAMES / file).read_bytes() for file in sorted(EXPECTED)]
    repaired = 0
    refused: list[str] = []
    for number in range(150):
        lines = chance.choice(files).splitlines(keepends=True) or [b"\n"]
        for _ in range(chance.randint(1, 4)):
            at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
            damage = chance.randrange(3)
            if damage == 0:
                lines[at] = lines[other]
            elif damage == 1:
                lines[at], lines[other] = lines[other], lines[at]
            else:
                line = bytearray(lines[at])
                line[chance.randrange(len(line))] = chance.choice(b"0123456789ABCabc .-+()>#?\n\xc3")
                lines[at] = bytes(line)
        game = read_game(io.BytesIO(b"".join(lines)))
        try:
            first = repair(game, "classic/english" if number % 2 else None)
        except RecordError as error:
            refused.append(error.code)
            continue
        repaired += 1
        assert repair(first.game, first.rules).corrections == ()
    assert repaired > 75
    assert set(refused) <= {"rules-doubtful", "unwritable"}


# The command.


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["repair", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.gcg"
    path.write_text("".join(f"{line}\n" for line in (*HEAD, ">A: CAT 8G CAT +12 12", ">B: E -  +0 0")), "utf-8")
    return path


def test_the_command(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    before = record.read_bytes()
    code, out, err = run(capsys, record)
    assert (code, err) == (1, "")
    assert record.read_bytes() == before
    copy = record.with_name("game.corrected.gcg")
    assert read_game(copy).recorded_totals == [10, 0]
    assert out.splitlines() == [
        f"{record}: Anna against Berta, rules classic/english",
        "changed: 2",
        "  line 3: score +12 -> +10: misscored: '8G CAT'",
        "  and 1 more that follow",
        "left as it is: nothing",
        "final totals 12 to 0 -> 10 to 0",
        "",
        f"{copy}: the copy",
    ]
    assert sorted(path.name for path in record.parent.iterdir()) == ["game.corrected.gcg", "game.gcg"]


def test_the_command_for_programs(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    code, out, _ = run(capsys, record, "--format", "json", "--out", record.with_name("a.gcg"))
    data = json.loads(out)
    assert code == 1
    assert (data["totals_before"], data["totals_after"]) == ([12, 0], [10, 0])
    assert [(change["what"], change["before"], change["after"]) for change in data["changes"]] == [
        ("score", "+12", "+10"),
        ("total", "12", "10"),
    ]
    code, out, _ = run(capsys, record, "--format", "csv", "--out", record.with_name("b.gcg"))
    header, first, *_ = out.splitlines()
    assert header.startswith("source,game,done,line,player,what,before,after,code")
    assert first == f"{record},1,changed,3,0,score,+12,+10,misscored,,False,'8G CAT'"


def test_nothing_to_correct(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    run(capsys, record)
    code, out, _ = run(capsys, record.with_name("game.corrected.gcg"), "--out", record.with_name("twice.gcg"))
    assert code == 0
    assert "changed: nothing" in out


def test_never_over_the_record(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    before = record.read_bytes()
    os.link(record, record.with_name("hard.gcg"))
    os.symlink(record.name, record.with_name("soft.gcg"))
    for target in ("game.gcg", "hard.gcg", "soft.gcg", f"../{record.parent.name}/game.gcg"):
        code, out, err = run(capsys, record, "--force", "--out", record.parent / target)
        assert (code, out) == (2, "")
        assert "is the record itself" in err
    assert record.read_bytes() == before
    assert record.with_name("soft.gcg").is_symlink()


def test_not_over_another_file(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    other = record.with_name("other.gcg")
    other.write_text("mine", "utf-8")
    code, _, err = run(capsys, record, "--out", other)
    assert code == 2
    assert "is there already" in err
    assert other.read_text("utf-8") == "mine"
    assert run(capsys, record, "--out", other, "--force")[0] == 1
    assert read_game(other).recorded_totals == [10, 0]


def test_a_copy_is_whole_or_is_not_there(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    # The second of the games is too long for a whole copy.
    with record.open("a", encoding="utf-8") as handle:
        handle.write("#player1 A Anna\n#player2 B Berta\n>A: CAT 8G CAT +10 10 " + "x" * 70_000 + "\n")
    code, _, err = run(capsys, record)
    assert code == 2
    assert "70" in err or "characters" in err
    assert [path.name for path in record.parent.iterdir()] == ["game.gcg"]


def test_many_games_of_a_file(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text(record.read_text("utf-8") * 3, "utf-8")
    code, out, _ = run(capsys, record, "--format", "json")
    assert code == 1
    assert [json.loads(line)["line"] for line in out.splitlines()] == [1, 5, 9]
    copies = list(read_games(record.with_name("game.corrected.gcg")))
    assert [copy.recorded_totals for copy in copies] == [[10, 0]] * 3


def test_rules_of_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    german = GAMES / "h44_german_bonus_inside_play.gcg"
    out_file = tmp_path / "copy.gcg"
    code, _, err = run(capsys, german, "--out", out_file)
    assert code == 2
    assert "expected to be told the rules" in err
    assert not out_file.exists()
    code, out, _ = run(capsys, german, "--out", out_file, "--rules", "auto")
    assert code == 1
    assert "rules classic/german" in out
    code, _, err = run(capsys, german, "--out", out_file, "--force", "--rules", "classic/germann")
    assert code == 2
    assert "germann" in err


def test_text_of_a_record_is_made_fit_for_a_terminal(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text(record.read_text("utf-8").replace("Anna", "An\x1b[31mna\u202e"), "utf-8")
    _, out, _ = run(capsys, record)
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, tmp_path / "none.gcg")
    assert code == 2
    assert "none.gcg" in err
    assert list(tmp_path.iterdir()) == []


def test_errors_are_typed() -> None:
    with pytest.raises(FastscoreError):
        repair(game_of(">A: CAT 8G CAT +10 10"), "no such rules")
    with pytest.raises(FastscoreError):
        repair(game_of(">A: CAT 8G CAT +10 10"), [])


def test_the_best_of_several_rulesets_may_explain_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # In this game every tile counts 50: no bundled ruleset gives any of its scores.
    game = GAMES / "fifty120.gcg"
    code, _, err = run(capsys, game, "--out", tmp_path / "copy.gcg", "--rules", "auto")
    assert code == 2
    assert f"{game}:1: 21 of 21 plays have another score by " in err
    assert "expected to be told the rules of the game (--rules)" in err
    assert list(tmp_path.iterdir()) == []


def test_clean_games_among_many_take_a_line(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    wrong = record.read_text("utf-8")
    record.write_text(wrong + wrong.replace("+12 12", "+10 10") * 2, "utf-8")
    code, out, _ = run(capsys, record)
    assert code == 1
    assert out.splitlines()[-6:] == [
        "",
        f"{record}:5: Anna against Berta, rules classic/english: nothing to correct",
        f"{record}:9: Anna against Berta, rules classic/english: nothing to correct",
        "3 games, 1 corrected",
        "",
        f"{record.with_name('game.corrected.gcg')}: the copy",
    ]


def test_standard_input(record: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fastscore", "repair", "-"]
    with record.open("rb") as data:
        ran = subprocess.run([*command, "--out", str(tmp_path / "a.gcg")], stdin=data, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert read_game(tmp_path / "a.gcg").recorded_totals == [10, 0]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == b"fastscore: a record from standard input, expected --out FILE for its copy\n"


@pytest.mark.parametrize("out", ["", "/", ".", "..", "x/.."])
def test_names_of_no_file(capsys: pytest.CaptureFixture[str], record: Path, out: str) -> None:
    code, _, err = run(capsys, record, "--out", out, "--force")
    assert code == 2
    assert "names no file, expected one" in err or "is no file, expected the name of one" in err


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of that kind")
def test_never_over_a_device(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    pipe = record.with_name("pipe")
    os.mkfifo(pipe)
    code, _, err = run(capsys, record, "--out", pipe, "--force")
    assert code == 2
    assert "is no file, expected the name of one" in err
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_file_that_comes_meanwhile_stays(
    capsys: pytest.CaptureFixture[str], record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = record.with_name("game.corrected.gcg")
    link = os.link

    def late(source: Path, target: Path) -> None:
        copy.write_text("mine", "utf-8")
        link(source, target)

    monkeypatch.setattr("os.link", late)
    code, _, err = run(capsys, record)
    assert code == 2
    assert "is there already, expected a new file, or --force" in err
    assert copy.read_text("utf-8") == "mine"
    assert sorted(path.name for path in record.parent.iterdir()) == ["game.corrected.gcg", "game.gcg"]


def test_no_formulas_in_csv(capsys: pytest.CaptureFixture[str], record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = record.with_name("=HYPERLINK(1).gcg")
    record.rename(hostile)
    monkeypatch.chdir(record.parent)
    _, out, _ = run(capsys, Path(hostile.name), "--format", "csv")
    assert out.splitlines()[1].startswith("'=HYPERLINK(1).gcg,1,changed,3,0,score,+12,+10,")


def test_a_doubtful_end_line_is_no_ground_for_another() -> None:
    # D, O and G are left of nothing that was laid: 97 tiles of the set lie nowhere, so (DOG) are not all of them.
    game = game_of(">A: CAT 8G CAT +10 10", ">B: E -  +0 0", ">A: (DOG) +10 20")
    before = {finding.code for finding in replay(game).findings}
    assert any(code.startswith("end-tiles") for code in before)
    repaired = repair(game)
    assert events_of(repaired) == ["A 8G CAT +10 10", "B - +0 0", "A (DOG) +10 20"]
    assert {finding.code for finding in replay(repaired.game).findings} <= before
