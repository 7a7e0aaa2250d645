"""What a terminal gets: boards in its colours and width, and tables that break no number."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import subprocess
import sys

import pytest
from rich.color import Color, ColorSystem

from fastscore.board import Board
from fastscore.cli import main
from fastscore.commands.boards import _MANY, _SIXTEEN, write_board
from fastscore.commands.output import write_table
from fastscore.palettes import Palette
from fastscore.rules.ruleset import load_rules
from tests.test_pictures import CLASSIC, ODD, POSITION, ROOT, contrast


class Terminal(io.StringIO):
    """Says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(board: Board, monkeypatch: pytest.MonkeyPatch, before: Board | None, **settings: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", **settings}.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    write_board(board, before)
    monkeypatch.undo()
    return terminal.getvalue()


def bare(shown: str) -> list[str]:
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()]


def test_a_terminal_gets_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Board(load_rules("classic/catalan")).play("8G E[L·L]A[qu]")
    shown = on_terminal(before.play("8F C...."), monkeypatch, before, COLORTERM="truecolor")
    lines = bare(shown)
    assert len(lines) == 16
    # L·L fills three characters: all squares have four.
    assert lines[0] == "    " + "".join(f"{name:<4}" for name in "ABCDEFGHIJKLMNO").rstrip()
    cells = ["TW", "", "", "DL", "", "C", "E", "L·L", "A", "qu", "", "DL", "", "", "TW"]
    in_four = "".join(f" {cell:<3}" if len(cell) < 3 else f"{cell} " for cell in cells)
    assert lines[8] == f" 8 {in_four}".rstrip()
    row = next(line for line in shown.splitlines() if "L·L" in line)

    def background(colour: str) -> str:
        return "48;2;{};{};{}m".format(*(int(colour[first : first + 2], 16) for first in (1, 3, 5)))

    for colour, text in ((_MANY.tile, " E  "), (_MANY.blank, " qu "), (_MANY.letter2, " DL ")):
        assert re.search(re.escape(background(colour)) + re.escape(text), row)
    fresh = background(_MANY.fresh)
    assert re.search(re.escape(fresh) + r" \x1b\[0m\x1b\[1;4;[\d;]*" + re.escape(fresh) + r"C\x1b\[0m", row)


def test_a_terminal_without_colours_has_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board(CLASSIC).play("8F EnERGID")
    coloured = on_terminal(board, monkeypatch, None)
    plain = on_terminal(board, monkeypatch, None, NO_COLOR="1")
    assert "\x1b[1;38" in coloured
    assert "38;" not in plain
    assert bare(coloured) == bare(plain)


def test_fresh_tiles_are_known_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Board(CLASSIC).play("8F EnERGID")
    shown = on_terminal(before.play("F3 IPOMO.A"), monkeypatch, before, NO_COLOR="1")
    assert re.findall(r"\x1b\[1;4m(\w)\x1b\[0m", shown) == list("IPOMOA")


KINDS = ("plain", "letter2", "letter3", "letter4", "word2", "word3", "word4", "tile", "blank", "fresh", "brick")


def pairs(palette: Palette) -> list[tuple[str, str]]:
    """Each ink of a board with what it is written on."""
    premiums = [(getattr(palette, f"{kind}_ink"), getattr(palette, kind)) for kind in KINDS[1:7]]
    tiles = [(palette.tile_ink, palette.tile), (palette.tile_ink, palette.fresh)]
    blanks = [(palette.blank_ink, palette.blank), (palette.blank_ink, palette.fresh)]
    return [*premiums, *tiles, *blanks, (palette.label, palette.plain), (palette.mortar, palette.brick)]


def test_256_colours_keep_squares_apart() -> None:
    def shown(colour: str) -> str:
        return Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor().hex

    assert len({shown(getattr(_MANY, kind)) for kind in KINDS}) == len(KINDS)
    assert [pair for pair in pairs(_MANY) if contrast(*pair) < 4.5] == []
    assert [pair for pair in pairs(_MANY) if contrast(*map(shown, pair)) < 4.5] == []


def test_16_colours_keep_squares_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len({getattr(_SIXTEEN, kind) for kind in KINDS}) == len(KINDS)
    assert [pair for pair in pairs(_SIXTEEN) if pair[0] == pair[1]] == []
    shown = on_terminal(Board(CLASSIC).play("8F EnERGID"), monkeypatch, None, TERM="xterm")
    # Black on bright yellow; nothing of other palettes.
    assert re.search(r"\x1b\[1;30;103m E \x1b\[0m", shown)
    assert "38;" not in shown


def test_wide_boards_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board(load_rules("letter-league"))
    # 27 columns of 3 and the row numbers need 84 characters, columns of 2 need 57.
    # DL at the end of row 4 leaves one of its three characters empty.
    assert len(bare(on_terminal(board, monkeypatch, None, COLUMNS="84"))[4]) == 83
    assert len(bare(on_terminal(board, monkeypatch, None, COLUMNS="83"))[4]) == 57
    assert on_terminal(board, monkeypatch, None, COLUMNS="56") == f"{board}\n"


def on_odd_squares(monkeypatch: pytest.MonkeyPatch, columns: int) -> list[str]:
    board = Board(dataclasses.replace(CLASSIC, layout=ODD))
    return bare(on_terminal(board, monkeypatch, None, COLUMNS=str(columns)))


def test_bricks_the_start_and_premiums_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    # DL=3+9W has seven characters: eight for each of five columns, and three for the numbers of rows.
    assert on_odd_squares(monkeypatch, 43)[1:] == [
        " 1  5L      6W      TL+DW  DL=3+9W  TL=1",
        " 2  ##      *       ##      QL      QW",
        " 3  DL      TL      DW      TW",
        " 4",
        "=N: only for letters of value N",
    ]


def test_premiums_without_room_stand_below_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    assert on_odd_squares(monkeypatch, 42)[1:] == [
        " 1 5L 6W TL DL TL",
        " 2 ##  * ## QL QW",
        " 3 DL TL DW TW",
        " 4",
        "TL+DW: C1",
        "DL=3+9W: D1",
        "TL=1: E1",
        "=N: only for letters of value N",
    ]


def test_the_start_square_shows_its_premium(monkeypatch: pytest.MonkeyPatch) -> None:
    # H8 of the classic board is a double word.
    empty = Board(CLASSIC)
    assert "*DW" in on_terminal(empty, monkeypatch, None)
    narrow = bare(on_terminal(empty, monkeypatch, None, COLUMNS="40"))
    assert (narrow[8], narrow[-1]) == (" 8 TW    DL      *       DL    TW", "*DW: H8")
    covered = bare(on_terminal(empty.play("8H AT"), monkeypatch, None, COLUMNS="40"))
    assert len(covered) == 16


def test_conditions_of_a_whole_board(monkeypatch: pytest.MonkeyPatch) -> None:
    # H8 of literaki triples letters of value 5. Five characters for each of 15 columns and three for rows are 78.
    lines = bare(on_terminal(Board(load_rules("literaki")), monkeypatch, None, COLUMNS="80"))
    assert "*TL=5" in lines[8]
    assert lines[16:] == ["=N: only for letters of value N"]


def test_show_on_a_real_terminal() -> None:
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    ran = subprocess.run(
        [sys.executable, "-m", "fastscore", "show", POSITION, "E3", "HUGE"],
        stdin=subprocess.DEVNULL,
        stdout=child,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment,
        check=False,
    )
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
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"\x1b[1;38" in shown
    assert b"35" in shown


# ---------------------------------------------------------------- tables


def table_on_terminal(monkeypatch: pytest.MonkeyPatch, columns: int, *arguments: str) -> list[str]:
    """What a command shows on a terminal of that width."""
    terminal = Terminal()
    with monkeypatch.context() as patch:
        patch.setenv("TERM", "xterm-256color")
        patch.setenv("COLUMNS", str(columns))
        patch.setattr(sys, "stdout", terminal)
        patch.chdir(ROOT)
        main(arguments)
    return bare(terminal.getvalue())


@pytest.mark.parametrize("columns", [130, 100, 80, 60, 40, 20])
def test_a_replay_breaks_no_number_and_no_word(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    lines = table_on_terminal(monkeypatch, columns, "replay", "examples/game.gcg")
    table = lines[2 : lines.index("")]
    assert max(map(len, table)) <= columns
    words = " ".join(table).split()
    for whole in ("recorded", "computed", "misscored", "EnERGID", "HAB.TUdE", "HABITUdE", "HUGE,", "+70", "168", "236"):
        assert whole in words, whole
    # Coordinate and letters of a play are one.
    assert len(re.findall(r"\b(?:8F EnERGID|F3 IPOMO.A|K5 HAB.TUdE|E3 HUGE|J6 ZA\.)", "\n".join(table))) == 5


def test_words_and_findings_go_below_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table_on_terminal(monkeypatch, 80, "replay", "examples/game.gcg")[2:11] == [
        "line  turn  player  move         recorded  computed  total  computed total",
        "   5     1  Ann     8F EnERGID        +70       +70     70              70",
        "    words EnERGID",
        "   6     2  Bob     F3 IPOMO.A        +17       +17     17              17",
        "    words IPOMOEA",
        "   7     3  Ann     K5 HAB.TUdE       +98       +98    168             168",
        "    words HABITUdE",
        "   8     4  Bob     E3 HUGE           +31       +35     48              52",
        "    words HUGE, HI, UP, GO, EM  findings misscored",
    ]
    assert table_on_terminal(monkeypatch, 40, "replay", "examples/game.gcg")[2:6] == [
        "line 5  turn 1  player Ann",
        "  move 8F EnERGID  recorded +70",
        "  computed +70  total 70",
        "  computed total 70  words EnERGID",
    ]


def test_tables_are_broken_at_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(columns: int, *rows: tuple[object, ...]) -> list[str]:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setenv("TERM", "xterm-256color")
            patch.setenv("COLUMNS", str(columns))
            patch.setattr(sys, "stdout", terminal)
            write_table(("play", "points won", "why", ""), rows, right=("points won",), whole=("play",), below=("why",))
        return bare(terminal.getvalue())

    # 6, 10, 12 and 1 with three gaps of 2 are 35.
    row = ("8H QUI", 44, "one two, ten", "x")
    assert shown(35, row) == ["play    points won  why", "8H QUI          44  one two, ten  x"]
    assert shown(34, row) == [
        "play    points  why",
        "           won",
        "8H QUI      44  one two, ten  x",
    ]
    assert shown(23, row) == [
        "play    points  why",
        "           won",
        "8H QUI      44  one   x",
        "                two,",
        "                ten",
    ]
    # 6, 6, 4 and 1 with three gaps are 23; without the third 17.
    assert shown(22, row) == ["play    points won", "8H QUI          44  x", "    why one two, ten"]
    assert shown(16, row) == ["play 8H QUI", "  points won 44", "  why one two,", "  ten  x"]
    # Two columns for each sign; brackets are no markup; a word without end is broken.
    assert shown(35, ("[\u4e00]", 1, "", "x"))[1] == "[\u4e00]           1       x"
    assert shown(40, ("A" * 100, 1, "B" * 30, "x"))[:4] == [
        "play",
        "A" * 40,
        "A" * 40,
        f"{'A' * 20}  points won 1",
    ]
    assert shown(40) == ["play  points won  why"]


def test_tables_of_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    # 7, 5 and 5 with two gaps of 2 are 21.
    assert table_on_terminal(monkeypatch, 20, "score", POSITION, "E3 HUGE") == [
        "play     score",
        "E3 HUGE     35",
        "    words HUGE 16,",
        "    HI 5, UP 4, GO",
        "    6, EM 4",
    ]
