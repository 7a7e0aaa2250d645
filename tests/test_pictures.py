"""Pictures of boards: what is on them, that they are XML whatever the texts are, and the command that shows them."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fastscore.board import Board
from fastscore.cli import main
from fastscore.commands.inputs import read_position
from fastscore.errors import FastscoreError, PlacementError
from fastscore.markup import element, written
from fastscore.palettes import DARK, LIGHT, THEMES, Palette
from fastscore.pictures import PICTURE_START, board_svg, premium_labels, words_on
from fastscore.rules.layouts import load_layout, parse_layout
from fastscore.rules.letters import LetterDistribution
from fastscore.rules.ruleset import Ruleset, load_rules, ruleset_names

ROOT = Path(__file__).resolve().parents[1]
POSITION = str(ROOT / "examples" / "position.cgp")
CLASSIC = load_rules("classic/english")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script> & \x1b[31m\x00\u202e\u2028\ufffe ]]> -->'
HOSTILE_SHOWN = '<script>alert("1")</script> &  ]]> -->'
ODD = parse_layout(
    "1, 1\nlegend: a = letter 5, b = word 6, c = letter 3 word 2\n"
    "legend: d = letter 2 if value 3 word 9, e = letter 3 if value 1\nabcde\n#.#^~\n'\"-=.\n.....\n"
)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def texts(root: ElementTree.Element) -> list[str]:
    return [node.text or "" for node in root.iter(f"{SVG}text")]


def tile_groups(root: ElementTree.Element) -> list[ElementTree.Element]:
    """The groups of tiles: the coordinates are the one group that is hidden from screen readers."""
    return [group for group in root.iter(f"{SVG}g") if group.get("aria-hidden") is None]


@pytest.mark.parametrize("name", ruleset_names())
@pytest.mark.parametrize("theme", THEMES)
def test_every_ruleset_is_drawn(name: str, theme: str) -> None:
    rules = load_rules(name)
    codes = [*range(1, rules.letters.n_letters + 1)]
    codes += [0x80, *(code | 0x80 for code in codes)]
    room = rules.rows * rules.cols
    cells = (codes + [0] * room)[:room]
    board = Board(rules, [cells[first : first + rules.cols] for first in range(0, room, rules.cols)])
    root = parsed(board.to_svg(theme=theme))
    # A name and a value for each tile.
    shown = [[text.text for text in group.iter(f"{SVG}text")] for group in tile_groups(root)]
    letters = rules.letters
    assert shown == [[letters.tiles[code & 0x7F], str(letters.value(code))] for code in cells if code]
    beside = root.find(f"{SVG}g[@aria-hidden]")
    assert beside is not None
    names = [node.text for node in beside]
    assert names[0] == "A"
    assert names[-1] == str(rules.rows)
    assert len(names) == rules.rows + rules.cols


def test_labels_of_the_standard_board() -> None:
    # 24 double and 12 triple letters, 17 double words with the start square, 8 triple words.
    assert Counter(
        premium_labels(CLASSIC.layout, row, col)[0]
        for row in range(15)
        for col in range(15)
        if premium_labels(CLASSIC.layout, row, col)
    ) == {"DL": 24, "TL": 12, "DW": 17, "TW": 8}
    counts = Counter(texts(parsed(Board(CLASSIC).to_svg(coordinates=False))))
    assert counts == {"DL": 24, "TL": 12, "DW": 17, "TW": 8}


def test_labels_of_other_squares() -> None:
    rows = [[premium_labels(ODD, row, col) for col in range(ODD.cols)] for row in range(ODD.rows)]
    assert rows[0] == [["5L"], ["6W"], ["TL", "DW"], ["DL", "if 3", "9W"], ["TL", "if 1"]]
    assert rows[1][3:] == [["QL"], ["QW"]]
    assert rows[2] == [["DL"], ["TL"], ["DW"], ["TW"], []]
    root = parsed(Board(dataclasses.replace(CLASSIC, layout=ODD)).to_svg(coordinates=False))
    shown = ["5L", "6W", "TL", "DW", "DL=3", "9W", "TL", "if 1", "QL", "QW", "DL", "TL", "DW", "TW"]
    assert texts(root) == shown


def test_colours_of_squares() -> None:
    root = parsed(Board(dataclasses.replace(CLASSIC, layout=ODD)).to_svg())
    fills = Counter(rect.get("fill") for rect in root.iter(f"{SVG}rect"))
    assert fills[LIGHT.brick] == 2
    assert fills[LIGHT.letter3] == 3  # the letter's half of C1 is drawn as a whole square
    assert fills[LIGHT.letter4] == 2  # five times, four times
    assert fills[LIGHT.word2] == 1
    halves = [shape.get("fill") for shape in root.iter(f"{SVG}polygon")]
    assert halves == [LIGHT.word2, LIGHT.word4, LIGHT.star]


def test_start_mark_lies_under_the_tiles() -> None:
    empty, covered = (parsed(board.to_svg()) for board in (Board(CLASSIC), Board(CLASSIC).play("8H AT")))
    assert [shape.get("fill") for shape in empty.iter(f"{SVG}polygon")] == [LIGHT.star]
    order = [node.tag.removeprefix(SVG) for node in covered]
    assert order.index("polygon") < order.index("g")


def star_and_labels(start: str, palette: Palette = LIGHT) -> tuple[ElementTree.Element, list[ElementTree.Element]]:
    """What is on a start square that has this meaning, in the upper left corner."""
    layout = parse_layout(f"0, 0\nlegend: a = {start}\na....\n" + ".....\n" * 4)
    theme = "dark" if palette is DARK else "light"
    root = parsed(Board(dataclasses.replace(CLASSIC, layout=layout)).to_svg(coordinates=False, theme=theme))
    return list(root.iter(f"{SVG}polygon"))[-1], list(root.iter(f"{SVG}text"))


@pytest.mark.parametrize(
    ("start", "labels"),
    [
        ("letter 3 if value 1", ["TL=1"]),
        ("letter 3", ["TL"]),
        ("word 4", ["QW"]),
        ("letter 5 word 9", ["5L", "9W"]),
        ("letter 5 if value 3 word 9", ["5L=3", "9W"]),
    ],
)
def test_the_star_covers_no_label(start: str, labels: list[str]) -> None:
    star, texts = star_and_labels(start)
    assert [text.text for text in texts] == labels
    corners = [tuple(map(float, point.split(","))) for point in (star.get("points") or "").split()]
    left, right = (end(x for x, _ in corners) for end in (min, max))
    top, bottom = (end(y for _, y in corners) for end in (min, max))
    assert min(left, top) > 0
    for text in texts:
        size, x, y = (float(text.get(name) or 0) for name in ("font-size", "x", "y"))
        # Capitals are some 0.72 of the size high, and 0.78 wide.
        half = 0.39 * size * len(text.text or "")
        assert y - 0.72 * size >= bottom or y <= top or x - half >= right


@pytest.mark.parametrize("palette", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("start", [f"{kind} {times}" for kind in ("letter", "word") for times in (2, 3, 4, 9)])
def test_the_star_is_seen(start: str, palette: Palette) -> None:
    kind, times = start.split()
    star, _ = star_and_labels(start, palette)
    fill = palette._asdict()[f"{kind}{min(int(times), 4)}"]
    # Shapes that say something need 3.
    assert contrast(star.get("fill") or "", fill) >= 3


def test_tiles() -> None:
    board = Board(load_rules("classic/spanish")).play("8G [CH]A[ll]A")
    groups = tile_groups(parsed(board.to_svg()))
    assert [[text.text for text in group.iter(f"{SVG}text")] for group in groups] == [
        ["CH", "5"],
        ["A", "1"],
        ["LL", "0"],
        ["A", "1"],
    ]
    dashed = [any(rect.get("stroke-dasharray") for rect in group.iter(f"{SVG}rect")) for group in groups]
    assert dashed == [False, False, True, False]
    inks = [{text.get("fill") for text in group.iter(f"{SVG}text")} for group in groups]
    assert inks == [{LIGHT.tile_ink}, {LIGHT.tile_ink}, {LIGHT.blank_ink}, {LIGHT.tile_ink}]


def test_long_names_and_values_are_written_smaller() -> None:
    letters = LetterDistribution("long", ("?", "A", "CH", "SCHTSCHSCHTS"), (0, 1, 10, 1_000_000))
    board = Board(dataclasses.replace(CLASSIC, letters=letters), [[1, 2, 3] + [0] * 12] + [[0] * 15] * 14)
    sizes = [
        [float(text.get("font-size") or 0) for text in group.iter(f"{SVG}text")]
        for group in tile_groups(parsed(board.to_svg()))
    ]
    assert sizes[0][0] > sizes[1][0] > sizes[2][0]
    # Twelve capitals of 0.78 of their size each in the 29 units that a tile has for its name.
    assert sizes[2][0] == pytest.approx(29 / (12 * 0.78), abs=0.01)
    assert sizes[0][1] == sizes[1][1] > sizes[2][1]


def test_a_play_is_laid_and_highlighted() -> None:
    before = Board(CLASSIC).play("8F EnERGID").play("F3 IPOMO.A")
    root = parsed(before.to_svg("E3 HUgE"))
    fresh = [group for group in tile_groups(root) if group[0].get("stroke") == LIGHT.fresh_edge]
    assert ["".join(text.text or "" for text in group.iter(f"{SVG}text")) for group in fresh] == [
        "H4",
        "U1",
        "G0",
        "E1",
    ]
    assert [group[0].get("fill") for group in fresh] == [LIGHT.fresh, LIGHT.fresh, LIGHT.blank, LIGHT.fresh]
    assert len(tile_groups(root)) == 7 + 6 + 4
    assert "Laid now: E3, E4, E5, E6." in (root.findtext(f"{SVG}desc") or "")
    assert len(tile_groups(parsed(before.to_svg()))) == 7 + 6  # the board itself is as it was


def test_a_play_that_cannot_be_laid() -> None:
    with pytest.raises(PlacementError, match="runs off the board"):
        Board(CLASSIC).to_svg("8M QUIZ")


def test_pictures_have_names_and_descriptions() -> None:
    board = Board(CLASSIC).play("8F EnERGID").play("F3 IPOMO.A")
    root = parsed(board.to_svg())
    assert root.get("role") == "img"
    title, description = root[:2]
    assert (root.get("aria-labelledby") or "").split() == [title.get("id"), description.get("id")]
    assert title.text == "Board of 15 rows and 15 columns, classic/english"
    rows = "3F I, 4F P, 5F O, 6F M, 7F O, 8F EnERGID, 9F A"
    assert description.text == f"On the board: {rows}."
    assert parsed(Board(CLASSIC).to_svg(title="Game 7")).findtext(f"{SVG}title") == "Game 7"
    # Two pictures in one notebook do not name each other.
    identities = {parsed(each.to_svg())[0].get("id") for each in (board, Board(CLASSIC), Board(load_rules("duel")))}
    assert len(identities) == 3


def test_words_on_a_board() -> None:
    spanish = load_rules("classic/spanish")
    board = Board(spanish).play("8G [CH]A").play("H8 .L[ll]A")
    assert words_on(spanish.letters, board.tiles.tolist()) == ["8G [CH]A", "9H L", "10H [ll]", "11H A"]
    assert words_on(CLASSIC.letters, [[1, 99, 0, 0x80]]) == ["1A [1, 99]", "1D ?"]


def test_notebooks_get_the_picture() -> None:
    board = Board(CLASSIC).play("8H AT")
    assert board._repr_svg_() == board.to_svg()


def test_size_in_pixels() -> None:
    # 15 columns of 40 units, 26 for the names, 5 at the other edge: 631; 32 pixels for 40 units.
    standard = parsed(Board(CLASSIC).to_svg())
    assert (standard.get("viewBox"), standard.get("width"), standard.get("height")) == ("-26 -26 631 631", "505", "505")
    oblong = parsed(Board(load_rules("letter-league")).to_svg(width=1111, coordinates=False))
    # 27 columns and 19 rows, 5 units at every edge: 1090 x 770.
    assert oblong.get("viewBox") == "-5 -5 1090 770"
    assert (oblong.get("width"), oblong.get("height")) == ("1111", str(round(1111 * 770 / 1090)))


@pytest.mark.parametrize("width", [0, -5])
def test_a_picture_without_width(width: int) -> None:
    with pytest.raises(FastscoreError, match=rf"^a picture {width} pixels wide, expected 1 or more$"):
        Board(CLASSIC).to_svg(width=width)
    narrow = parsed(Board(load_rules("letter-league")).to_svg(width=1))
    assert (narrow.get("width"), narrow.get("height")) == ("1", "1")


def test_columns_beyond_z() -> None:
    names = texts(parsed(Board(load_rules("letter-league")).to_svg()))
    assert names[-27 - 19 :][24:28] == ["Y", "Z", "AA", "1"]


def test_themes() -> None:
    light, dark = (Board(CLASSIC).to_svg(theme=theme) for theme in ("light", "dark"))
    assert LIGHT.plain in light
    assert DARK.plain not in light
    assert DARK.plain in dark
    with pytest.raises(FastscoreError, match=r"^unknown theme 'drak', did you mean 'dark'\?$"):
        Board(CLASSIC).to_svg(theme="drak")


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` as WCAG 2 defines it."""
    parts = [int(colour[first : first + 2], 16) / 255 for first in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", THEMES.values(), ids=THEMES)
def test_text_can_be_read(palette: Palette) -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    inks = [(name.removesuffix("_ink"), name) for name in palette._fields if name.endswith("_ink") and name[0] in "lw"]
    assert len(inks) == 6
    inks += [(fill, ink) for ink in ("tile_ink", "blank_ink") for fill in ("blank",)]
    inks += [("tile", "tile_ink"), ("fresh", "tile_ink"), ("paper", "label")]
    poor = [pair for pair in inks if contrast(*(getattr(palette, name) for name in pair)) < 4.5]
    assert poor == []
    # Shapes that say something need 3.
    assert contrast(palette.star, palette.plain) >= 3
    assert contrast(palette.star, palette.word2) >= 3
    assert contrast(palette.fresh_edge, palette.plain) >= 3


def test_hostile_texts_are_text() -> None:
    letters = LetterDistribution(
        "odd", ("?", "<", "&AMP", "B", "C"), (0, 1, 2, 3, 4), blank_forms=("?", ">", "&amp", "b", "c")
    )
    rules = Ruleset("a <b> & 'c' \"d\"", load_layout("standard15"), letters)
    board = Board(rules, [[1, 2, 1 | 0x80] + [0] * 12] + [[0] * 15] * 14)
    root = parsed(board.to_svg(title=HOSTILE))
    assert root.findtext(f"{SVG}title") == HOSTILE_SHOWN
    assert "1A <[&AMP]>." in (root.findtext(f"{SVG}desc") or "")
    names = [group.findtext(f"{SVG}text") for group in tile_groups(root)]
    assert names == ["<", "&AMP", "<"]
    assert root.find(f".//{SVG}script") is None
    assert "a <b> & 'c' \"d\"" in (parsed(board.to_svg()).findtext(f"{SVG}title") or "")


def test_raw_boards_with_codes_that_are_no_tiles() -> None:
    cells = [[99, 0x80 | 99] + [0] * 13] + [[0] * 15] * 14
    root = parsed(board_svg(CLASSIC, cells))
    assert [[text.text for text in group.iter(f"{SVG}text")] for group in tile_groups(root)] == [
        ["99", "!"],
        ["227", "!"],
    ]


def test_elements() -> None:
    assert element("a", written("<&\"'>"), class_="x", data_y=1, skipped=None) == (
        '<a class="x" data-y="1">&lt;&amp;&quot;&#x27;&gt;</a>'
    )
    assert element("b", x='"') == '<b x="&quot;"/>'
    assert written("a\ud800\ufffe\uffffb") == "ab"
    assert written(f"\U0010ffff{chr(0x1F600)}") == f"\U0010ffff{chr(0x1F600)}"


def test_boards_do_not_load_pictures_until_asked() -> None:
    code = (
        "import sys, fastscore.board; print([name for name in sys.modules if 'picture' in name or 'palette' in name])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ran.stdout.strip() == "[]"


# ---------------------------------------------------------------- the command

HUGE_SUM = "total: 16 + 5 + 4 + 6 + 4 = 35"  # see test_cli


def test_show_is_plain_text_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", POSITION]) == 0
    out = capsys.readouterr().out
    board = read_position(POSITION).board
    assert out == f"{board}\n\nrack: AEEGHIU\n"
    assert main(["show", POSITION, "E3", "HUGE"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{board.play('E3 HUGE')}\n\nrack: AEEGHIU\nE3 HUGE: ")
    assert out.endswith(f"{HUGE_SUM}\n")


def test_show_writes_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.svg"
    assert main(["show", POSITION, "E3 HUGE", "--svg", str(file), "--theme", "dark"]) == 0
    board = read_position(POSITION).board
    assert file.read_bytes() == (board.to_svg("E3 HUGE", theme="dark") + "\n").encode()
    assert HUGE_SUM in capsys.readouterr().out
    assert main(["show", POSITION, "--svg", "-"]) == 0
    assert capsys.readouterr().out == board.to_svg() + "\n"


@pytest.mark.parametrize("theme", THEMES)
def test_pictures_of_the_documentation_are_those_of_the_program(theme: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", POSITION, "E3", "HUGE", "--svg", "-", "--theme", theme]) == 0
    assert (ROOT / "docs" / f"board-{theme}.svg").read_text(encoding="utf-8") == capsys.readouterr().out


def test_readme_shows_pictures_that_are_there() -> None:
    shown = re.findall(r'(?:src|srcset)="([^"]+)"', (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {"docs/board-light.svg", "docs/board-dark.svg", "docs/game.png"} <= set(shown)
    assert [name for name in shown if not (ROOT / name).is_file()] == []


def test_show_marks_a_bad_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.svg"
    # On the board, but the X is not on the rack.
    assert main(["show", POSITION, "15A", "AX", "--svg", str(file)]) == 1
    out = capsys.readouterr().out
    assert "flagged: touches no tile on the board" in out
    assert "flagged: a tile that is not on the rack" in out
    assert file.exists()


@pytest.mark.parametrize(
    ("play", "said"),
    [
        ("8M HUGE", "no score: runs off the board"),
        ("E3 HU4E", "'E3 HU4E', column 6: '4' at character 3 of 'HU4E' is no tile"),
        ("HUGE", "'HUGE': 'HUGE' is no play"),
    ],
)
def test_show_refuses_what_cannot_be_laid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], play: str, said: str
) -> None:
    file = tmp_path / "out.svg"
    assert main(["show", POSITION, play, "--svg", str(file)]) == 1
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.out.startswith("   A B C")
    assert not file.exists()


def test_show_without_a_place_for_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", POSITION, "--svg", str(tmp_path / "no" / "out.svg")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "no such file or directory" in shown.err


def test_a_picture_never_replaces_what_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    position, record, rules = Path("p.cgp"), Path("q.gcg"), Path("club.toml")
    position.write_bytes(Path(POSITION).read_bytes())
    record.write_text("#player1 a Ann\n#player2 b Bob\n>a: AT 8H AT +4 4\n", encoding="utf-8")
    rules.write_text('layout = "standard15"\ndistribution = "english"\n', encoding="utf-8")
    Path("link.svg").symlink_to(record)
    before = {path: path.read_bytes() for path in (position, record, rules)}
    for arguments in (
        ["p.cgp", "--svg", "p.cgp"],
        ["q.gcg:2", "--svg", "q.gcg"],
        ["q.gcg:2", "--svg", "link.svg"],
        ["p.cgp", "--rules", "club.toml", "--svg", "club.toml"],
    ):
        for force in ([], ["--force"]):
            assert main(["show", *arguments, *force]) == 2
            shown = capsys.readouterr()
            assert (shown.out, "is one of the files that are read" in shown.err) == ("", True)
    assert {path: path.read_bytes() for path in before} == before
    # Another file is replaced only if that is asked for; a picture is, and what is empty.
    assert main(["show", "q.gcg:2", "--svg", "p.cgp"]) == 2
    assert "'p.cgp' is there already and is no picture of fastscore" in capsys.readouterr().err
    assert position.read_bytes() == before[position]
    assert main(["show", "q.gcg:2", "--svg", "p.cgp", "--force"]) == 0
    assert position.read_text(encoding="utf-8").startswith(PICTURE_START)
    assert main(["show", "q.gcg:1", "--svg", "p.cgp", "--theme", "dark"]) == 0
    assert DARK.plain in position.read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="needs limits of the size of files")
def test_a_picture_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    old = Board(CLASSIC).to_svg()
    picture.write_text(old)
    command = f"ulimit -f 1; exec '{sys.executable}' -m fastscore show '{POSITION}' --svg '{picture}'"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(["sh", "-c", command], cwd=ROOT, check=False, env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (2, f"fastscore: {str(picture)!r}: file too large\n")
    assert picture.read_text() == old
    assert list(tmp_path.iterdir()) == [picture]


@pytest.mark.skipif(os.name == "nt", reason="needs links and devices")
def test_a_picture_through_a_link_and_to_a_device(tmp_path: Path) -> None:
    picture, link = tmp_path / "board.svg", tmp_path / "link.svg"
    link.symlink_to(picture)
    assert main(["show", POSITION, "--svg", str(link)]) == 0
    assert link.is_symlink()
    assert picture.read_text().endswith("</svg>\n")
    assert main(["show", POSITION, "--svg", os.devnull]) == 0
    assert not os.path.isfile(os.devnull)
