"""examples/generator.py finds exactly the plays of real positions, and on small boards what trying everything finds."""

from __future__ import annotations

import dataclasses
import os
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

import fastscore as fs
from examples import generator
from fastscore.rules.layouts import BoardLayout
from fastscore.rules.letters import LetterDistribution
from fastscore.rules.ruleset import Ruleset
from fastscore.testing import random_board

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
LEGAL = Path(__file__).parent / "data" / "legal_plays.npz"
BLANK = 0x80
LETTER = 0x7F


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    return fs.load_rules("classic/english")


# --- all words of real plays ------------------------------------------------------------------------------------------


def formed_words(plays: dict[str, np.ndarray]) -> set[tuple[int, ...]]:
    """Letters of each main word of two tiles and more and of each cross word, from boards and word form."""
    boards = plays["boards"] & LETTER
    across = plays["direction"] == 0
    width = plays["tiles"].shape[1]
    along = np.arange(width)
    rows = plays["row"][:, None] + along * ~across[:, None]
    cols = plays["col"][:, None] + along * across[:, None]
    within = along < plays["length"][:, None]
    tiles = plays["tiles"] & LETTER
    there = boards[plays["position"][:, None], np.where(within, rows, 0), np.where(within, cols, 0)]
    letters = np.where(within, np.where(tiles != 0, tiles, there), 0).astype(np.uint8)
    # As bytes, from which numpy strips the zeros at the end.
    words = {tuple(word) for word in set(letters[plays["length"] > 1].view(f"S{width}")[:, 0].tolist())}

    play, place = np.nonzero(within & (tiles != 0))
    fields = plays["position"][play], rows[play, place], cols[play, place], plays["direction"][play], tiles[play, place]
    sides = len(boards), *boards.shape[1:], 2, 128
    laid = np.unravel_index(np.unique(np.ravel_multi_index(fields, sides)), sides)
    for position, row, col, direction, letter in zip(*(field.tolist() for field in laid), strict=True):
        # Down through the tile of a play across, and the other way round.
        line, at = (boards[position, :, col], row) if direction == 0 else (boards[position, row], col)
        line = line.tolist()
        first, last = at, at
        while first > 0 and line[first - 1]:
            first -= 1
        while last + 1 < len(line) and line[last + 1]:
            last += 1
        if first < last:
            words.add((*line[first:at], letter, *line[at + 1 : last + 1]))
    return words


def sorted_plays(keys: np.ndarray, scores: np.ndarray) -> tuple[list[int], list[int]]:
    order = np.argsort(keys, kind="stable")
    return keys[order].tolist(), scores[order].tolist()


def test_finds_exactly_the_legal_plays_of_real_positions(rules: Ruleset) -> None:
    with np.load(LEGAL) as file:
        plays = {name: file[name] for name in file.files}
    words = formed_words(plays)
    graph = generator.word_graph((rules.letters.format(word) for word in words), rules.letters)
    boards = plays["boards"]
    # Without compilation some take a second: an empty board, one with a blank on the rack, some with little to play.
    empty = int(np.flatnonzero(~boards.reshape(len(boards), -1).any(axis=1))[0])
    positions = range(len(boards)) if COMPILED else [empty, 100, 9, 14]
    found = 0
    for position in positions:
        mine = plays["position"] == position
        columns = {name: plays[name][mine] for name in ("row", "col", "direction", "length", "tiles")}
        board = fs.Board(rules, boards[position])
        listed = fs.PlacementBatch.from_word_form(board, **columns)
        batch, scores = generator.find_plays(board, plays["racks"][position], graph)
        assert sorted_plays(batch.keys(board), scores) == sorted_plays(listed.keys(board), plays["score"][mine])
        found += len(scores)
    assert found == 456_193 or not COMPILED


# --- everything tried on small boards ---------------------------------------------------------------------------------


def small_rules(rng: np.random.Generator, rows: int, cols: int, bricks: float) -> Ruleset:
    """Three letters, racks of three, any premiums, some bricks."""
    walls = rng.random((rows, cols)) < bricks
    start = rows // 2, cols // 2
    walls[start] = False
    layout = BoardLayout(
        name="small",
        rows=rows,
        cols=cols,
        start=start,
        letter_multiplier=rng.integers(1, 4, (rows, cols)).astype(np.uint8),
        word_multiplier=rng.integers(1, 4, (rows, cols)).astype(np.uint8),
        letter_condition=np.zeros((rows, cols), np.uint8),
        bricks=walls,
    )
    letters = LetterDistribution(name="small", tiles=("?", "A", "B", "C"), values=(1, 2, 5, 9))
    bonus = (0, 0, 0, 20, *[0] * 12)
    return Ruleset(name="small", layout=layout, letters=letters, rack_size=3, bingo_bonus=bonus)


def all_plays(board: fs.Board, rack: tuple[int, ...], words: list[str]) -> fs.PlacementBatch:
    """Every order of every choice of tiles on every square in either direction, as far as it is good."""
    codes = [code for code, count in enumerate(rack) for _ in range(count)]
    rows: set[tuple[int, ...]] = set()
    for laid in range(1, len(codes) + 1):
        for order in set(permutations(codes, laid)):
            choices = [[code] if code else [BLANK | letter for letter in (1, 2, 3)] for code in order]
            rows.update(product(*choices))
    squares = product(range(board.rows), range(board.cols), range(1 if board.is_empty else 2))
    tried = fs.PlacementBatch.from_placements(fs.Placement(*square, tiles) for square in squares for tiles in rows)
    lexicon = fs.Lexicon.from_words(words, board.rules.letters)
    good = tried[fs.check_batch(board, tried, racks=rack, lexicon=lexicon) == 0]
    # Equal plays, a lone tile written in both directions, are one.
    return good[np.unique(good.keys(board), return_index=True)[1]]


SIZES = [(1, 6), (6, 1), (2, 7), (4, 5), (5, 5), (6, 4)]


@pytest.mark.parametrize("bricks", [0.0, 0.2])
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_finds_what_trying_everything_finds(rows: int, cols: int, bricks: float) -> None:
    rng = np.random.default_rng(rows * 10 + cols)
    every = ["".join(word) for length in (2, 3, 4, 5) for word in product("ABC", repeat=length)]
    found = 0
    for turn in range(12 if COMPILED else 2):
        rules = small_rules(rng, rows, cols, bricks)
        words = [word for word in every if rng.random() < (0.6 if len(word) < 4 else 0.2)]
        board = fs.Board(rules) if turn == 0 else random_board(rng, rules)
        rack = ((1, 1, 1, 0), (0, 2, 0, 1), (2, 0, 1, 0), (1, 0, 0, 1))[turn % 4]
        batch, scores = generator.find_plays(board, rack, words)
        expected = all_plays(board, rack, words)
        by_hand = sorted_plays(expected.keys(board), fs.score_batch(board, expected))
        assert sorted_plays(batch.keys(board), scores) == by_hand
        found += len(scores)
    assert found > 0


# --- by hand ----------------------------------------------------------------------------------------------------------


def texts(board: fs.Board, rack: str, words: list[str]) -> dict[str, int]:
    batch, scores = generator.find_plays(board, rack, words)
    made = dict(zip(batch.texts(board), scores.tolist(), strict=True))
    assert len(made) == len(scores)
    return made


def test_an_empty_board_across_through_the_start_square_only(rules: Ruleset) -> None:
    # (1 + 1) x 2 [H8 double word]
    assert texts(fs.Board(rules), "AT", ["AT"]) == {"8G AT": 4, "8H AT": 4}
    # a blank counts 0 and stands for each letter in turn
    assert texts(fs.Board(rules), "A?", ["AT", "TA", "TT"]) == {"8G At": 2, "8H At": 2, "8G tA": 2, "8H tA": 2}


def test_a_lone_tile_is_one_play(rules: Ruleset) -> None:
    """Across where it forms a word across, with the word down as well; else down."""
    board = fs.Board(rules).play("8H HA").play("H8 .A")
    # H8 H, I8 A, H9 A. T at I9, a double letter, makes AT across and AT down; at J8 HAT across; at H10 HAT down.
    at, hat = 1 + 2 * 1, 4 + 1 + 1
    assert texts(board, "T", ["AT", "HAT"]) == {"9H .T": at + at, "8H ..T": hat, "H8 ..T": hat}


def test_two_blanks_are_every_letter(rules: Ruleset) -> None:
    found = texts(fs.Board(rules), "??", ["AT", "TO"])
    assert found == {"8G at": 0, "8H at": 0, "8G to": 0, "8H to": 0}


def test_racks_as_text_and_counts_and_words_as_any_iterable(rules: Ruleset) -> None:
    board = fs.Board(rules)
    counts = rules.letters.rack("AT")
    lexicon = fs.Lexicon.from_words(["AT"], rules.letters)
    graph = generator.word_graph(["AT"], rules.letters)
    for rack, words in (("TA", ["at"]), (counts, lexicon), (np.array(counts), graph), (list(counts), iter(["AT"]))):
        assert generator.find_plays(board, rack, words).scores.tolist() == [4, 4]
    assert counts == rules.letters.rack("AT")


def test_no_words_and_no_tiles_are_no_plays(rules: Ruleset) -> None:
    assert len(generator.find_plays(fs.Board(rules), "AT", []).scores) == 0
    assert len(generator.find_plays(fs.Board(rules), "", ["AT"]).scores) == 0


def test_no_more_tiles_than_a_rack_holds(rules: Ruleset) -> None:
    small = dataclasses.replace(rules, rack_size=2)
    assert set(texts(fs.Board(small), "CAB", ["CAB", "AB"])) == {"8G AB", "8H AB"}


def test_tiles_of_two_letters() -> None:
    spanish = fs.load_rules("classic/spanish")
    found = texts(fs.Board(spanish), "[CH]O", ["CHO"])
    # CH 5 + O 1, doubled by the start square
    assert found == {"8G [CH]O": 12, "8H [CH]O": 12}


def test_rules_without_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="'literaki' have no tables"):
        generator.find_plays(fs.Board(fs.load_rules("literaki")), "A", [])


def test_graph_shares_what_words_share(rules: Ruleset) -> None:
    graph = generator.word_graph(["TAP", "TAPS", "TOP", "TOPS"], rules.letters)
    # none; T; A and O; P; S
    assert len(graph.letter) == 6
    assert graph.root == 5
    assert int(graph.ends.sum()) == 2


def test_words_that_cannot_be_written(rules: Ruleset) -> None:
    with pytest.raises(fs.NotationError, match="4"):
        generator.word_graph(["CA4"], rules.letters)


# --- the command ------------------------------------------------------------------------------------------------------

POSITION = Path(__file__).parents[1] / "examples" / "position.cgp"


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = tmp_path / "words.txt"
    words.write_text("HUGE\nHI\nUP\nGO\nEM\nHAG\nHA\nAB\n", encoding="utf-8")
    assert generator.main([str(POSITION), str(words), "--top", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # Each word and its sum is in the first example of README.md.
    assert [line.split() for line in lines[1:]] == [["E3", "HUGE", "35"], ["J6", "HA.", "32"]]
    line = POSITION.read_text(encoding="utf-8").splitlines()[-1]
    assert generator.main([line, str(words), "--top", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == lines


@pytest.mark.parametrize(
    ("position", "words", "message"),
    [
        ("nowhere.cgp", "HA", "nowhere.cgp"),
        (str(POSITION), "H4", "words.txt"),
        (str(Path(__file__)), "HA", "expected one with a position in CGP"),
        ("15/15 A/", "HA", "generator: "),
    ],
)
def test_bad_input_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], position: str, words: str, message: str
) -> None:
    path = tmp_path / "words.txt"
    path.write_text(words, encoding="utf-8")
    assert generator.main([position, str(path)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
