"""The text of repaired copies: what is not changed is in them as it was, byte for byte."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from fastscore.cli import main
from fastscore.game import Game
from fastscore.gcg import read_game, read_games_and_texts, write_gcg
from fastscore.repairs import Repair, repair
from fastscore.replays import replay
from tests.repaired import changes_of

DATA = Path(__file__).parent / "data"
GAMES = DATA / "games"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))
# The rules of the value sets that are bundled; those of English games are what their records say.
NAMED = {"english": None, "german": "classic/german", "polish": "classic/polish"}
HEAD = "#player1 A Anna\n#player2 B Berta\n"
# 8G CAT is (3 + 1 + 1) x 2 = 10.
WRONG = ">A: CAT 8G CAT +12 12\n"
RIGHT = ">A: CAT 8G CAT +10 10\n"
COMMENT = "#note fastscore: score +12 -> +10: misscored: '8G CAT'\n"
PASS = ">B: E -  +0 0\n"


def repaired_text(text: str | bytes, **options: bool) -> Repair:
    """The repair of a record that keeps what is not changed."""
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    ((game, own),) = read_games_and_texts(io.BytesIO(data))
    repaired = repair(game, "classic/english", text=own, **options)
    assert back(repaired.text) == repaired.game
    return repaired


def back(text: str) -> Game:
    return read_game(io.BytesIO(text.encode("utf-8")))


def spelling_of(repaired: Repair) -> list[tuple[int, str]]:
    return [(change.line, change.code) for change in repaired.changes if change.what == "spelling"]


def test_all_but_the_corrected_line_stays() -> None:
    before = "#Rack1 Q\n#title  two  spaces \n#player2 B  Berta  \n\n#x-own  Y \n#player1 A Anna\n#note  first \n"
    after = "#note mine\n\nmore \n\n\n#incomplete \n>B: e -  +0 0\n#RACK2 e \n"
    repaired = repaired_text(before + WRONG + after)
    assert repaired.text == before + RIGHT + after.replace("more \n", f"more \n{COMMENT}")
    assert spelling_of(repaired) == []
    assert repaired_text(before + WRONG + after, comments=False).text == before + RIGHT + after


def test_a_record_without_faults_stays_as_it_is() -> None:
    text = HEAD + RIGHT + "#note x \n" + PASS
    assert repaired_text(text).text == text
    assert repaired_text("").text == ""


def test_lines_of_moves_that_depart_from_the_format() -> None:
    # Two spaces in line 3, words after the total in line 4; the line between them has neither.
    text = HEAD + ">A: CAT  8G CAT +10 10\n>B: ?E -  +0 0\n>A: QI -  +0 10 QI\n"
    repaired = repaired_text(text)
    assert repaired.text == HEAD + ">A: CAT 8G CAT +10 10\n>B: ?E -  +0 0\n>A: QI -  +0 10\n"
    assert spelling_of(repaired) == [(3, "extra-space"), (5, "text-after-cumulative")]


def test_a_departure_that_is_corrected_in_one_line_only() -> None:
    # White space before a pragma stays, before a move it goes.
    text = "#player1 A Anna\n #player2 B Berta\n " + RIGHT
    repaired = repaired_text(text)
    assert repaired.text == "#player1 A Anna\n #player2 B Berta\n" + RIGHT
    assert spelling_of(repaired) == [(3, "leading-space")]
    assert [(problem.line, problem.code) for problem in repaired.game.problems] == [(2, "leading-space")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    text = (HEAD + WRONG + PASS).replace("\n", end)
    assert repaired_text(text).text == (HEAD + RIGHT + COMMENT + PASS).replace("\n", end)
    # The last line is ended in the same way.
    assert repaired_text(text.removesuffix(end)).text.endswith(f"0{end}")


def test_mixed_line_ends() -> None:
    repaired = repaired_text((HEAD + RIGHT).replace("\n", "\r\n", 1))
    assert repaired.text == HEAD + RIGHT
    assert spelling_of(repaired) == [(1, "mixed-newlines")]


@pytest.mark.parametrize(
    ("head", "encoding", "heading"),
    [
        ("#character-encoding UTF-8\n", "utf-8", "#character-encoding UTF-8\n"),
        ("#Character-Encoding  utf8 \n", "utf-8", "#Character-Encoding  utf8 \n"),
        ("#character-encoding ISO-8859-1\n", "iso-8859-1", "#character-encoding UTF-8\n"),
        ("", "utf-8", "#character-encoding UTF-8\n"),
        ("", "iso-8859-1", "#character-encoding UTF-8\n"),
    ],
)
def test_letters_beyond_ascii(head: str, encoding: str, heading: str) -> None:
    rest = "#player1 A  Änne \n#player2 B Berta\n" + RIGHT
    assert repaired_text((head + rest).encode(encoding)).text == heading + rest


@pytest.mark.parametrize("head", ["", "#character-encoding ISO-8859-1\n", "#character-encoding UTF-8\n"])
def test_letters_of_ascii_need_no_other_encoding(head: str) -> None:
    assert repaired_text(head + HEAD + RIGHT).text == head + HEAD + RIGHT


def test_an_encoding_that_is_none_of_the_formats() -> None:
    repaired = repaired_text("#character-encoding ISO8859-6\n" + HEAD + RIGHT)
    assert repaired.text == "#character-encoding UTF-8\n" + HEAD + RIGHT
    assert spelling_of(repaired) == [(1, "encoding-unsupported")]


def test_lines_that_are_added_stand_after_the_comments_of_the_move() -> None:
    # 15 are the 10 of CAT and 5 for a challenge.
    repaired = repaired_text(HEAD + ">A: CAT 8G CAT +15 15\n#note x\n" + PASS, comments=False)
    assert repaired.text == HEAD + RIGHT + "#note x\n>A:  (challenge) +5 15\n" + PASS


def test_players_that_the_record_does_not_declare() -> None:
    repaired = repaired_text("#title t\n" + RIGHT + PASS)
    assert repaired.text == "#player1 A\n#player2 B\n#title t\n" + RIGHT + PASS
    repaired = repaired_text("#player1 A  Anna\n#title t\n" + RIGHT + PASS)
    assert repaired.text == "#player1 A  Anna\n#player2 B\n#title t\n" + RIGHT + PASS
    assert spelling_of(repaired) == [(4, "player-undeclared")]


def test_a_move_of_an_unknown_player() -> None:
    repaired = repaired_text(HEAD + RIGHT + PASS.replace("B", "C"))
    assert repaired.text == HEAD + RIGHT + PASS


def test_lines_that_say_nothing_readable_stay() -> None:
    # A comment before `foo` would take it for its end.
    repaired = repaired_text(HEAD + WRONG + "foo  bar\n>B what is this\n")
    assert repaired.text == HEAD + RIGHT + "foo  bar\n>B what is this\n"
    assert changes_of(repaired) == [(3, "score", "+12", "+10", "misscored")]


def test_a_text_of_another_record_is_not_taken() -> None:
    game = read_game(io.StringIO(HEAD + "#Title t\n" + WRONG))
    plain = io.StringIO()
    write_gcg(repair(game).game, plain)
    for text in (HEAD, HEAD + RIGHT + PASS, HEAD + "#Title u\n" + WRONG):
        assert repair(game, text=text).text == plain.getvalue()
    assert repair(game).text == plain.getvalue()


def test_a_pragma_that_would_come_too_early() -> None:
    # The comment behind #rack1 is the play's own, and the line for the challenge comes after it.
    repaired = repaired_text(HEAD + ">A: CAT 8G CAT +15 15\n#Rack1 Q\n#note x\n", comments=False)
    lines = [*HEAD.splitlines(), RIGHT.rstrip(), "#note x", ">A:  (challenge) +5 15", "#rack1 Q"]
    assert repaired.text.splitlines() == ["#character-encoding UTF-8", *lines]


@pytest.mark.parametrize("file", [file for file in sorted(EXPECTED) if EXPECTED[file]["values"] in NAMED])
def test_real_records(file: str) -> None:
    rules = NAMED[EXPECTED[file]["values"]]
    data = (GAMES / file).read_bytes()
    for game, text in read_games_and_texts(io.BytesIO(data)):
        repaired = repair(game, rules, text=text)
        assert back(repaired.text) == repaired.game
        # All lines but those of moves are there, in their order.
        kept = [line for line in text.split("\n") if not line.lstrip().startswith(">")]
        if game.encoding_declared is not None and not data.isascii():
            kept = kept[1:]
        remaining = iter(repaired.text.replace("\r\n", "\n").split("\n"))
        assert all(line in remaining for line in kept)
        # What is changed a second time is nothing at all.
        again = repair(back(repaired.text), repaired.rules, text=repaired.text.replace("\r\n", "\n"))
        assert (again.text, again.changes) == (repaired.text, ())


def test_the_command_keeps_the_games_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = "#player1 A  Änne \r\n#player2 B Berta\r\n#Title t\r\n>A: CAT 8G CAT +10 10\r\n"
    record = tmp_path / "games.gcg"
    record.write_bytes((HEAD + "#Rack1 Q\n" + WRONG + other).encode())
    assert main(["repair", str(record)]) == 1
    assert "line 4: score +12 -> +10" in capsys.readouterr().out
    copy = record.with_name("games.corrected.gcg").read_bytes().decode()
    assert copy == HEAD + "#Rack1 Q\n" + RIGHT + COMMENT + "#character-encoding UTF-8\r\n" + other


def test_every_line_of_an_unknown_player_is_mended() -> None:
    # Only the first is a fault by itself, the others repeat it.
    lines = [
        ">A: CABXYZQ 8G CAB +14 14",
        ">Bo: DEEEEEE -EE +0 0",
        ">A: XYZQ - +0 14",
        ">Bo: DEEEE - +0 0",
        ">Bo: DE - +0 0",
    ]
    repaired = repaired_text(HEAD + "".join(f"{line}\n" for line in lines))
    assert ">Bo" not in repaired.text
    again = repaired_text(repaired.text)
    assert again.text == repaired.text
    assert not [finding for finding in replay(again.game).findings if finding.code == "player-unknown"]
