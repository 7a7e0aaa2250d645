"""Multi-letter tiles, other languages and other boards, from end to end: public reports of what programs got wrong.

Values are worked out by hand from the letters' values and the premium squares; they stand beside each play.
"""

from __future__ import annotations

import dataclasses
import io
import json
import re
import unicodedata

import numpy as np
import pytest

import fastscore as fs
from fastscore.board import Board
from fastscore.cli import main
from fastscore.digraphs import digraph_pairs
from fastscore.errors import NotationError, RulesError
from fastscore.gcg import read_game, write_gcg
from fastscore.placements import Placement, PlacementBatch
from fastscore.reference import check, score
from fastscore.replays import replay
from fastscore.rules.layouts import load_layout, parse_layout
from fastscore.rules.letters import load_distribution
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.status import UNSCORABLE, Status

CATALAN = load_rules("classic/catalan")
SPANISH = load_rules("classic/spanish")
TURKISH = load_rules("classic/turkish")
POLISH = load_rules("classic/polish")
ENGLISH = load_rules("classic/english")
EMPTY = "/".join(["15"] * 15)
WWF = load_rules("words-with-friends")
SUPER = load_rules("super/english")


def points(board: Board, text: str) -> int:
    """The score of a play by every way there is, which must agree: one play, a batch, the word form, transposed."""
    placement = Placement.parse(text, board)
    found = {score(board, placement), fs.score(board, text)}
    batch = PlacementBatch.from_placements([placement] * 2)
    found |= set(fs.score_batch(board, batch).tolist())
    found |= set(fs.score_batch([board, board], batch).tolist())
    turned = dataclasses.replace(placement, row=placement.col, col=placement.row, direction=1 - placement.direction)
    found.add(score(board.transposed(), turned))
    assert found == {next(iter(found))}, found
    return found.pop()


def record(letters: str, *lines: str) -> str:
    head = ("#character-encoding UTF-8", "#player1 ann Ann", "#player2 ben Ben", f"#tile-distribution {letters}")
    return "\n".join([*head, *lines, ""])


# ---------------------------------------------------------------- tiles with several letters


@pytest.mark.parametrize(
    ("play", "expected"),
    [
        # The D and L squares of row 8 are far away; H8 doubles the word.
        ("8G A[NY]", (1 + 10) * 2),
        ("8G ANY", (1 + 10) * 2),  # the longest match
        ("8H [QU]E", (8 + 1) * 2),
        ("8H QUE", (8 + 1) * 2),
        ("8H QuE", (8 + 1) * 2),  # in mixed case a tile, no blank
        ("8G a[ny]", 0),
        ("8G A[ny]", (1 + 0) * 2),
        ("8G CE[L·L]A", (2 + 1 + 10 + 1) * 2),
        ("8G CEL·LA", (2 + 1 + 10 + 1) * 2),
        ("8G CEl·lA", (2 + 1 + 0 + 1) * 2),
        ("8G CE[L]LA", (2 + 1 + 1 + 1 + 1) * 2),  # two L without the dot are two tiles, K8 is plain
        # The spelling of older files: W for L·L, Y for NY, Q for QU, K for the C with a cedilla.
        ("8G CEWA", (2 + 1 + 10 + 1) * 2),
        ("8G AY", (1 + 10) * 2),
        ("8H QE", (8 + 1) * 2),
        ("8G AK", (1 + 10) * 2),
        ("8G Ay", (1 + 0) * 2),
    ],
)
def test_catalan(play: str, expected: int) -> None:
    assert points(Board(CATALAN), play) == expected


def test_a_tile_with_several_letters_fills_one_square() -> None:
    board = Board(CATALAN).play("8G A[NY]")
    assert int(np.count_nonzero(board.tiles)) == 2
    assert fs.explain(Board(CATALAN), "8G ANY").words[0].text == "A[NY]"
    # Through it: CA[NY]A is C, the A and NY on the board, A on J8 beside: (2 + 1 + 10 + 1), no premium under F8 and I8.
    assert points(board, "8F C(A[NY])A") == points(board, "8F C..A") == points(board, "8F CANYA") == 14


def test_the_same_board_in_every_spelling() -> None:
    rows = ["." * 15] * 15
    boards = {Board(CATALAN).play("8G ANY"), Board(CATALAN).play("8G AY")}
    for text in ("......A[NY].......", "......AY.......", "......A[Y]......."):
        rows[7] = text
        boards.add(Board.parse(rows, CATALAN))
    for row in ("6A[NY]7", "6AY7"):
        boards.add(Board.from_cgp(f"{'15/' * 7}{row}{'/15' * 7} / 0/0 0 ld catalan;"))
    assert len(boards) == 1
    assert boards.pop().to_rows()[7] == "......A[NY]......."


def test_racks() -> None:
    letters = CATALAN.letters
    assert letters.rack("L·LNYQU?") == letters.rack("[L·L][NY][QU]?") == letters.rack("WYQ?")
    assert sum(letters.rack("L·LNYQU?")) == 4
    # N and Y beside each other are the tile NY; in brackets N is only N, and there is no Y but in NY's other spelling.
    assert letters.rack("[N]A") == letters.rack("NA")
    play = "8G A[NY]"
    assert fs.check(Board(CATALAN), play, "ANY") == Status.GOOD
    assert fs.check(Board(CATALAN), play, "AN") == Status.NOT_ON_RACK
    assert fs.check(Board(CATALAN), "8G A[ny]", "A?") == Status.GOOD


def test_the_other_spelling_is_told() -> None:
    # For a remark beside what was read.
    assert CATALAN.letters.aliases_in("CEWA") == ["W"]
    assert CATALAN.letters.aliases_in("CE[L·L]A") == []
    assert SPANISH.letters.aliases_in("1O2") == ["1", "2"]


def test_records_with_tiles_of_several_letters() -> None:
    for event in (">ann: A[NY]CEXT 8G A[NY] +22 22", ">ann: ANYCEXT 8G ANY +22 22", ">ann: AYCEXT 8G AY +22 22"):
        game = replay(read_game(io.StringIO(record("catalan", event))))
        assert game.rules == CATALAN
        (turn,) = game.turns
        assert (turn.computed, turn.words, turn.tiles_placed) == (22, ("A[NY]",), 2)
        assert game.positions[-1] == Board(CATALAN).play("8G ANY")
        # The same game in either spelling; where an older file writes Y for NY, a note says so.
        notes = [(finding.code, finding.severity, finding.detail) for finding in game.findings]
        assert notes == ([("alias-spelling", "note", "'Y' for [NY]")] if "AYC" in event else [])


def test_a_written_record_reads_back() -> None:
    game = read_game(io.StringIO(record("catalan", ">ann: A[NY]CE[L·L][QU]? 8G A[NY] +22 22")))
    target = io.StringIO()
    write_gcg(game, target)
    again = read_game(io.StringIO(target.getvalue()))
    assert again == game
    assert replay(again).turns[0].computed == 22


# ---------------------------------------------------------------- a digraph and its letters


def test_chocho_needs_two_tiles() -> None:
    board = Board(SPANISH)
    rack = "[CH]OO[C]H"
    assert sum(SPANISH.letters.rack(rack)) == 5
    # The second CH is not there; C and H are, but must not stand for it.
    assert fs.check(board, "8G [CH]O[CH]O", rack) == Status.NOT_ON_RACK
    assert fs.check(board, "8G [CH]O[C]HO", rack) == Status.SPLIT_DIGRAPH
    assert fs.check(board, "8G [CH]O[CH]O", "CHCHOO") == Status.GOOD
    assert points(board, "8G [CH]O[CH]O") == (5 + 1 + 5 + 1) * 2 == 24
    assert points(board, "8G [ch]O[CH]O") == (0 + 1 + 5 + 1) * 2 == 14
    # Flagged, and scored all the same: C 3, H 4.
    assert points(board, "8G [CH]O[C]HO") == (5 + 1 + 3 + 4 + 1) * 2 == 28


@pytest.mark.parametrize(
    ("laid", "play", "split"),
    [
        ([], "8G [C]HICO", True),
        ([], "8G [c]HICO", True),  # a blank is the letter that it stands for
        ([], "8G C[h]ICO", True),
        ([], "8G [L]LANO", True),
        ([], "8G PE[R]RO", True),
        ([], "8G [CH]ICO", False),
        ([], "8G HICO", False),
        ([], "8G [LL][LL]", False),
        ([], "8G L[LL]", False),
        # C lay there, H comes beside it; or the other way round; or below it.
        (["8H CA"], "H8 .HO", True),
        (["8H HA"], "8G C..", True),
        (["8H HA", "H8 .O"], "7H C", True),
        # C and H in different words, side by side in neither.
        (["8H CA"], "9H O", False),
        (["8H AC"], "9H TH", True),  # the H comes below the C: AT and CH
        # They lay side by side before: whoever did that was flagged.
        (["8G [C]HICO"], "8G .....S", False),
        (["8G [C]HICO"], "8F A.....", False),
    ],
)
def test_two_tiles_that_spell_a_third(laid: list[str], play: str, split: bool) -> None:
    board = Board(SPANISH)
    for earlier in laid:
        board = board.play(earlier)
    placement = Placement.parse(play, board)
    assert bool(check(board, placement) & Status.SPLIT_DIGRAPH) == split
    free = Board(dataclasses.replace(SPANISH, digraphs_need_tile=False), board.tiles)
    assert not check(free, placement) & Status.SPLIT_DIGRAPH
    for each in (board, free):
        batch = PlacementBatch.from_placements([placement])
        assert fs.check_batch(each, batch).tolist() == [check(each, placement)]


def test_which_rules_forbid_it() -> None:
    # Two tiles for a digraph: forbidden by the Spanish federation. The other sets with digraphs leave it open.
    assert SPANISH.digraphs_need_tile
    assert not CATALAN.digraphs_need_tile
    assert not ENGLISH.digraphs_need_tile
    names = {
        (SPANISH.letters.tiles[a], SPANISH.letters.tiles[b]) for a, b in np.argwhere(digraph_pairs(SPANISH.letters))
    }
    assert names == {("C", "H"), ("L", "L"), ("R", "R")}
    assert not digraph_pairs(ENGLISH.letters).any()
    # Catalan has no Y, and L L is not L·L; QU has no Q. Pinyin: AN is A and N, ANG both AN and G.
    assert not digraph_pairs(CATALAN.letters).any()
    pinyin = load_distribution("pinyin")
    code = {tile: number for number, tile in enumerate(pinyin.tiles)}
    assert digraph_pairs(pinyin)[code["A"], code["N"]]
    assert digraph_pairs(pinyin)[code["AN"], code["G"]]
    assert not digraph_pairs(pinyin)[code["N"], code["A"]]


def test_random_plays_are_judged_alike_by_both_scorers() -> None:
    random = np.random.default_rng(75)
    code = {tile: number for number, tile in enumerate(SPANISH.letters.tiles)}
    pieces = [code[tile] for tile in ("C", "H", "CH", "L", "R", "A")]
    rules = dataclasses.replace(SPANISH, layout=load_layout("punctured15"))
    flagged = 0
    for _ in range(20):
        cells = np.where(random.random((15, 15)) < 0.4, random.choice(pieces, (15, 15)), 0)
        cells |= np.where((cells > 0) & (random.random((15, 15)) < 0.2), 0x80, 0)
        cells[rules.layout.bricks] = 0
        board = Board(rules, cells)
        tiles = random.choice(pieces, (60, 7)) | np.where(random.random((60, 7)) < 0.1, 0x80, 0)
        tiles[np.arange(7) >= random.integers(1, 5, 60)[:, None]] = 0
        batch = PlacementBatch(
            position=0,
            row=random.integers(0, 15, 60),
            col=random.integers(0, 15, 60),
            direction=random.integers(0, 2, 60),
            tiles=tiles,
        )
        expected = [int(check(board, batch[k])) for k in range(len(batch))]
        assert fs.check_batch(board, batch).tolist() == expected
        flagged += sum(bool(status & Status.SPLIT_DIGRAPH) for status in expected)
    assert flagged > 50


def test_the_flag_in_commands_and_records(capsys: pytest.CaptureFixture[str]) -> None:
    position = f"{EMPTY} [CH]OO[C]H/ 0/0 0 ld spanish;"
    assert main(["check", position, "8G [CH]O[C]HO", "--format", "json"]) == 1
    (play,) = json.loads(capsys.readouterr().out)["plays"]
    assert play["reasons"] == ["SPLIT_DIGRAPH"]
    assert main(["explain", position, "8G", "[CH]O[C]HO"]) == 1
    assert "flagged: two tiles beside each other spell what is one tile of the set" in capsys.readouterr().out
    game = replay(read_game(io.StringIO(record("spanish", ">ann: [CH]OO[C]H 8G [CH]O[C]HO +28 28"))))
    assert [finding.code for finding in game.findings] == ["split-digraph"]
    with pytest.raises(RulesError, match=r"^digraphs_need_tile: 1, expected true or false$"):
        dataclasses.replace(SPANISH, digraphs_need_tile=1)  # type: ignore[arg-type]
    assert main(["rules", "classic/spanish"]) == 0
    assert re.search(r"^digraphs need tile +yes$", capsys.readouterr().out, re.MULTILINE)


# ---------------------------------------------------------------- letters of other languages


@pytest.mark.parametrize(
    ("rules", "play", "expected"),
    [
        (POLISH, "8G ŹLE", (9 + 2 + 1) * 2),
        (POLISH, "8G ŻLE", (5 + 2 + 1) * 2),
        (POLISH, "8G źLE", (0 + 2 + 1) * 2),
        (load_rules("classic/french"), "8G OEUF", (1 + 1 + 1 + 4) * 2),
    ],
)
def test_values_that_programs_had_wrong(rules: Ruleset, play: str, expected: int) -> None:
    assert points(Board(rules), play) == expected
    apart = unicodedata.normalize("NFD", play)
    assert points(Board(rules), apart) == expected
    assert Board(rules).play(apart) == Board(rules).play(play)


@pytest.mark.parametrize(("language", "absent"), [("norwegian", "QZX"), ("swedish", "QW")])
def test_letters_that_are_blanks_only(language: str, absent: str) -> None:
    rules = load_rules(f"classic/{language}")
    assert rules.letters.counts is not None
    for letter in absent:
        assert rules.letters.counts[rules.letters.encode(letter)[0]] == 0
        # A blank: allowed, and worth nothing; A 1 on a double word.
        assert fs.check(Board(rules), f"8H {letter.lower()}A", "A?") == Status.GOOD
        assert points(Board(rules), f"8H {letter.lower()}A") == (0 + 1) * 2
        # A tile of that letter: there is none in the set.
        blank, natural = (
            replay(read_game(io.StringIO(record(language, f">ann: {rack} 8H {text}A +0 0"))))
            for rack, text in (("A?", letter.lower()), (f"A{letter}", letter))
        )
        codes = [
            {finding.code for finding in each.findings} - {"misscored", "wrong-total"} for each in (blank, natural)
        ]
        assert codes[0] == set()
        assert codes[1] & {"tile-overdrawn", "rack-not-in-bag"}


def test_turkish_dotted_and_dotless_i() -> None:
    letters = TURKISH.letters
    dotless, dotted = letters.encode("I\u0130")
    assert letters.encode("\u0131i") == [dotless | 0x80, dotted | 0x80]
    assert len({dotless, dotted, dotless | 0x80, dotted | 0x80}) == 4
    assert letters.format([dotless, dotted, dotless | 0x80, dotted | 0x80]) == "I\u0130\u0131i"
    # I is worth 2, \u0130 is worth 1; T is worth 1. Blanks are worth nothing.
    for text, expected in (("IT", 2 + 1), ("\u0130T", 1 + 1), ("\u0131T", 0 + 1), ("iT", 0 + 1)):
        assert points(Board(TURKISH), f"8H {text}") == expected * 2
        assert Board(TURKISH).play(f"8H {text}").to_rows()[7][7:9] == text
        again = Board.from_cgp(f"{'/'.join(['15'] * 7)}/7{text}6/{'/'.join(['15'] * 7)} / 0/0 0 ld turkish;")
        assert again == Board(TURKISH).play(f"8H {text}")
    game = replay(read_game(io.StringIO(record("turkish", ">ann: I\u0130?TTT 8H I\u0130\u0131i +0 0"))))
    assert game.turns[0].words == ("I\u0130\u0131i",)
    assert game.turns[0].computed == (2 + 1) * 2
    assert "not-on-rack" in {finding.code for finding in game.findings}  # two blanks, and one on the rack


def test_a_letter_without_an_upper_or_lower_form_of_one_character() -> None:
    german = load_distribution("german")
    with pytest.raises(NotationError, match="is no tile of 'german'"):
        german.encode("ß")
    with pytest.raises(RulesError, match=r"lower case of tile .* is longer than it"):
        dataclasses.replace(
            TURKISH.letters, tiles=("?", "\u0130"), values=(0, 1), counts=None, blank_forms=(), aliases=()
        )


# ---------------------------------------------------------------- other boards


def test_words_with_friends() -> None:
    # Row 8 has its double words in D and L: J 10, O 1, U 2, S 1, T 1, E 1, R 1, and 35 for seven tiles.
    assert points(Board(WWF), "8E JOUSTER") == 10 + 1 + 2 + 1 + 1 + 1 + 1 + 35 == 52
    # The standard board doubles in H8: J 8 and six of 1.
    assert points(Board(ENGLISH), "8E JOUSTER") == 14 * 2 + 50 == 78
    assert points(Board(WWF), "8G CAT") == 4 + 1 + 1
    assert points(Board(ENGLISH), "8G CAT") == (3 + 1 + 1) * 2


def test_values_and_board_go_together() -> None:
    # From the triple word D1 to the triple letter G1: Q 10, U 2, I 1, Z 10.
    assert points(Board(WWF), "1D QUIZ") == (10 + 2 + 1 + 3 * 10) * 3 == 129
    # With the letters of the standard game a U is worth 1.
    mixed = Ruleset("mixed", WWF.layout, ENGLISH.letters, bingo_bonus=WWF.bingo_bonus)
    assert points(Board(mixed), "1D QUIZ") == (10 + 1 + 1 + 3 * 10) * 3 == 126


def test_the_board_of_21_rows() -> None:
    def with_r(row: int) -> Board:
        rows = ["." * 21] * 21
        rows[row] = "......R" + "." * 14
        return Board.parse(rows, SUPER)

    # Quadruple word A1, double letter D1 under the X, triple word H1: Q U I X O T (R) Y.
    assert points(with_r(0), "1A QUIXOT.Y") == (10 + 1 + 1 + 2 * 8 + 1 + 1 + 1 + 4) * 4 * 3 + 50 == 470
    # Triple word A8, double word H8.
    assert points(with_r(7), "8A QUIXOT.Y") == (10 + 1 + 1 + 8 + 1 + 1 + 1 + 4) * 3 * 2 + 50 == 212
    # The start square K11 doubles, H11 to N11 have no other premium.
    assert points(Board(SUPER), "11H QUARTZY") == (10 + 1 + 1 + 1 + 1 + 10 + 4) * 2 + 50 == 106
    # Rows and columns beyond 15 and O; 200 tiles.
    # Double letter U18 under the R, quadruple word U21.
    assert points(with_r(0), "U15 QUARTZY") == (10 + 1 + 1 + 2 * 1 + 1 + 10 + 4) * 4 + 50 == 166
    assert fs.check(Board(SUPER).play("11H QUARTZY"), "N11 .U") == Status.GOOD
    assert sum(SUPER.letters.counts or ()) == 200
    inner, standard = SUPER.layout, ENGLISH.layout
    assert (inner.letter_multiplier[3:18, 3:18] == standard.letter_multiplier).all()
    assert (inner.word_multiplier[3:18, 3:18] == standard.word_multiplier).all()


def test_a_full_board_of_21_rows_in_records() -> None:
    text = record("english_super", "#board-layout SuperCrosswordGame", ">ann: QUARTZY 11H QUARTZY +106 106")
    game = replay(read_game(io.StringIO(text)))
    assert (game.rules.layout.name, game.turns[0].computed) == ("standard21", 106)
    assert game.findings == ()


def test_multipliers_from_1_to_9() -> None:
    layout = parse_layout("0, 0\nlegend: a = letter 5, b = word 6, c = letter 9 word 9\nab.c")
    rules = Ruleset("many", layout, ENGLISH.letters)
    # A on 5 letters, B (3) on 6 words, C (3) plain, D (2) on 9 letters and 9 words.
    assert points(Board(rules), "1A ABCD") == (5 * 1 + 3 + 3 + 9 * 2) * 6 * 9
    for entry, what in (
        ("a = letter 10", "letter multiplier 10, expected 1 to 9"),
        ("a = word 0", "word multiplier 0, expected 1 to 9"),
        ("a = letter -5", "negative premium -5 is not supported"),
        ("a = minus 5", "additive premium 'minus 5'"),
        ("a = plus 10 points", "additive premium 'plus 10 points'"),
        ("a = letter +5", "additive premium '\\+5' is not supported"),
        ("a = letter 3 if colour red", "malformed legend entry"),
    ):
        with pytest.raises(RulesError, match=what):
            parse_layout(f"0, 0\nlegend: {entry}\na")


def test_a_letter_square_for_one_value() -> None:
    literaki = load_rules("literaki")
    # A1 triples letters of value 5 and no others: A is worth 1, the N with an accent 5.
    value = {tile: literaki.letters.values[code] for code, tile in enumerate(literaki.letters.tiles)}
    assert (value["A"], value["\u0143"]) == (1, 5)
    board = Board(literaki)
    assert int(board.rules.layout.letter_condition[0, 0]) == 5
    assert points(board, "1A \u0143A") == 3 * 5 + 1
    assert points(board, "1A AA") == 1 + 1
    assert points(board, "1A \u0144A") == 0 + 1  # a blank meets the condition, and is worth nothing three times


OBLONG = parse_layout(
    """4, 6
=.....'.....=
.-.........-.
..-.......-..
...'.....'...
"..........."
...'.....'...
..-.......-..
.-.........-.
=.....'.....=
""",
    "oblong9x13",
)


def test_a_board_that_is_not_square() -> None:
    assert (OBLONG.rows, OBLONG.cols, OBLONG.start) == (9, 13, (4, 6))
    # The same squares, with plain ones to fill up a square board.
    padded = dataclasses.replace(
        OBLONG,
        rows=13,
        letter_multiplier=np.vstack([OBLONG.letter_multiplier, np.ones((4, 13), np.uint8)]),
        word_multiplier=np.vstack([OBLONG.word_multiplier, np.ones((4, 13), np.uint8)]),
        letter_condition=np.zeros((13, 13), np.uint8),
        bricks=np.zeros((13, 13), np.bool_),
    )
    squares = (OBLONG, padded)
    boards = [Board(Ruleset(each.name, each, ENGLISH.letters)).play("5E QUIZ").play("H5 .AGS") for each in squares]
    for play, expected in (
        # Row 1 at its right edge: K1 to M1, triple word M1. J 8, A 1, B 3.
        ("1K JAB", (8 + 1 + 3) * 3),
        # Row 9 at its left edge: triple word A9, double letter G9 under the seventh tile.
        ("9A JOUSTER", (8 + 1 + 1 + 1 + 1 + 1 + 2 * 1) * 3 + 50),
        # Column M, nine rows: triple words M1 and M9, triple letter M5; seven tiles reach one of the two.
        ("M1 JOUSTER", (8 + 1 + 1 + 1 + 3 * 1 + 1 + 1) * 3 + 50),
        ("M3 JOUSTER", (8 + 1 + 3 * 1 + 1 + 1 + 1 + 1) * 3 + 50),
        # Column A down to the last row: triple word A9.
        ("A7 JAB", (8 + 1 + 3) * 3),
        # Before the S of ZAGS in H8, on plain squares.
        ("8F PA.", 3 + 1 + 1),
    ):
        assert {points(board, play) for board in boards} == {expected}, play
    turned = boards[0].transposed()
    assert (turned.rows, turned.cols) == (13, 9)
    assert turned.rules.layout.start == (6, 4)
    assert turned.transposed() == boards[0]
    for play in ("M4 JOUSTER", "A8 JAB", "8M JA", "10A JA"):
        assert fs.check(boards[0], play) & UNSCORABLE, play  # one row or column too far
