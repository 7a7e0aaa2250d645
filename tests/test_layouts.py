from __future__ import annotations

import io
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastscore.errors import RulesError
from fastscore.rules import BoardLayout, layout_names, load_layout, parse_layout, read_layout

LAYOUTS = Path(__file__).parent / "data" / "layouts"

# Malformed files, with the line that is wrong (the coordinates are line 1) and the reason.
MALFORMED = {
    "invalid_bonus_square15": (2, "unknown premium symbol 'T'"),
    "invalid_number_of_cols15": (9, "row of 14 squares, expected 15"),
    "malformed_start_coords15": (1, "malformed start coordinates '7, 7, 3'"),
    "out_of_bounds_start_coords15": (1, "start square 7, 17 is off the board of 15 rows and 15 columns"),
}
STARTS = {
    "0_0_start_coords_15": (0, 0),
    "0_14_start_coords_15": (0, 14),
    "14_0_start_coords_15": (14, 0),
    "14_14_start_coords_15": (14, 14),
    "3_2_start_coords_15": (3, 2),
    "standard21": (10, 10),
}

# Squares by kind, counted on the boards (upper half twice, and the middle row).
PREMIUMS: dict[str, dict[str, int]] = {
    "standard15": {"letter 2": 24, "letter 3": 12, "word 2": 17, "word 3": 8},
    "standard21": {"letter 2": 36, "letter 3": 20, "letter 4": 8, "word 2": 41, "word 3": 16, "word 4": 4},
    "scrabble_duel11": {"letter 2": 16, "letter 3": 4, "word 2": 9, "word 3": 4},
    "words_with_friends15": {"letter 2": 24, "letter 3": 16, "word 2": 12, "word 3": 8},
    "crossplay15": {"letter 2": 20, "letter 3": 20, "word 2": 8, "word 3": 8},
    "kelimelik15": {"letter 2": 24, "letter 3": 8, "word 2": 8, "word 3": 8},
    "letter_league27x19": {"letter 2": 76, "letter 3": 28, "word 2": 36, "word 3": 4},
    # Every letter square of Literaki triples: 20 for value 1, 24 for 2, 8 for 3, 17 for 5.
    "literaki15": {"letter 3": 20 + 24 + 8 + 17, "word 2": 16, "word 3": 8},
}
PLAIN_START = ("words_with_friends15", "crossplay15", "kelimelik15", "letter_league27x19")


def arrays(layout: BoardLayout) -> dict[str, np.ndarray[Any, Any]]:
    names = ("letter_multiplier", "word_multiplier", "letter_condition", "bricks")
    return {name: getattr(layout, name) for name in names}


def plain(height: int, width: int, **changes: Any) -> BoardLayout:
    fields: dict[str, Any] = {
        "name": "test",
        "rows": height,
        "cols": width,
        "start": (0, 0),
        "letter_multiplier": np.ones((height, width), np.uint8),
        "word_multiplier": np.ones((height, width), np.uint8),
        "letter_condition": np.zeros((height, width), np.uint8),
        "bricks": np.zeros((height, width), bool),
    }
    return BoardLayout(**{**fields, **changes})


class TestBundled:
    def test_names(self) -> None:
        assert set(layout_names()) == {*PREMIUMS, "punctured15", "rectangular13x17"}

    @pytest.mark.parametrize("name", sorted(PREMIUMS))
    def test_premiums(self, name: str) -> None:
        layout = load_layout(name)
        found: Counter[str] = Counter()
        for kind, array in (("letter", layout.letter_multiplier), ("word", layout.word_multiplier)):
            found.update(f"{kind} {multiplier}" for multiplier in array.flat if multiplier > 1)
        assert found == PREMIUMS[name]
        assert not layout.bricks.any()

    @pytest.mark.parametrize("name", [name for name in layout_names() if name != "rectangular13x17"])
    def test_symmetry(self, name: str) -> None:
        layout = load_layout(name)
        assert layout.start == (layout.rows // 2, layout.cols // 2)
        for array in arrays(layout).values():
            assert np.array_equal(array, array[::-1])
            assert np.array_equal(array, array[:, ::-1])
            if layout.rows == layout.cols:
                assert np.array_equal(array, array.T)

    def test_sizes(self) -> None:
        sizes = {name: (load_layout(name).rows, load_layout(name).cols) for name in layout_names()}
        assert sizes.pop("standard21") == (21, 21)
        assert sizes.pop("scrabble_duel11") == (11, 11)
        assert sizes.pop("letter_league27x19") == (19, 27)
        assert sizes.pop("rectangular13x17") == (13, 17)
        assert set(sizes.values()) == {(15, 15)}

    def test_inner_board_of_standard21_is_standard15(self) -> None:
        outer, inner = load_layout("standard21"), load_layout("standard15")
        for name, array in arrays(outer).items():
            # The triple words of the edge of the small board are inside of the large one.
            assert np.array_equal(array[3:18, 3:18], arrays(inner)[name])

    @pytest.mark.parametrize("name", [name for name in layout_names() if name != "rectangular13x17"])
    def test_start_square(self, name: str) -> None:
        layout = load_layout(name)
        assert layout.letter_multiplier[layout.start] == (3 if name == "literaki15" else 1)
        assert layout.word_multiplier[layout.start] == (1 if name in (*PLAIN_START, "literaki15") else 2)

    def test_literaki_conditions(self) -> None:
        layout = load_layout("literaki15")
        assert Counter(layout.letter_condition.flat) == {0: 225 - 69, 1: 20, 2: 24, 3: 8, 5: 17}
        assert np.array_equal(layout.letter_condition > 0, layout.letter_multiplier == 3)
        assert layout.letter_condition[7, 7] == 5
        assert not load_layout("standard15").letter_condition.any()

    def test_bricks(self) -> None:
        layout = load_layout("punctured15")
        # Rows 1 to 7 hold 2, 1, 2, 0, 2, 1 and 0 bricks, twice; row 8 has 4.
        assert layout.bricks.sum() == 20
        assert layout.bricks[7, 1]
        assert not layout.bricks[7, 7]

    def test_names_of_position_files(self) -> None:
        assert load_layout("CrosswordGame") == load_layout("standard15")
        assert load_layout("SuperCrosswordGame") == load_layout("standard21")

    def test_unknown_name(self) -> None:
        with pytest.raises(RulesError, match="unknown board layout 'standart15', did you mean 'standard15'"):
            load_layout("standart15")
        with pytest.raises(RulesError, match="unknown board layout"):
            load_layout("../layouts/standard15")

    @pytest.mark.parametrize("name", layout_names())
    def test_text_is_read_back(self, name: str) -> None:
        assert parse_layout(str(load_layout(name))) == load_layout(name)


class TestFiles:
    @pytest.mark.parametrize("path", sorted(LAYOUTS.glob("*.txt")), ids=lambda path: path.stem)
    def test_layout_file(self, path: Path) -> None:
        if path.stem in MALFORMED:
            line, reason = MALFORMED[path.stem]
            with pytest.raises(RulesError) as caught:
                read_layout(path)
            assert str(caught.value).startswith(f"{path}:{line}:")
            assert reason in str(caught.value)
            return
        layout = read_layout(path)
        assert layout.name == path.stem
        assert layout.start == STARTS.get(path.stem, (7, 7))
        rows = 21 if path.stem == "standard21" else 14 if path.stem == "invalid_number_of_rows15" else 15
        assert (layout.rows, layout.cols) == (rows, 21 if path.stem == "standard21" else 15)

    def test_column_of_an_unknown_symbol(self) -> None:
        with pytest.raises(RulesError) as caught:
            read_layout(LAYOUTS / "invalid_bonus_square15.txt")
        assert caught.value.column == 15

    def test_files_equal_to_bundled_layouts(self) -> None:
        # Written with spaces for plain squares and without a last line end.
        for name in ("standard15", "standard21"):
            layout = read_layout(LAYOUTS / f"{name}.txt")
            assert layout == load_layout(name)
            assert hash(layout) == hash(load_layout(name))

    def test_fourteen_rows_are_a_rectangle(self) -> None:
        layout = read_layout(LAYOUTS / "invalid_number_of_rows15.txt", name="short")
        assert layout.name == "short"
        assert np.array_equal(layout.word_multiplier, load_layout("standard15").word_multiplier[:14])

    def test_bricked_start(self) -> None:
        layout = read_layout(LAYOUTS / "start_is_bricked_15.txt")
        assert layout.bricks[layout.start]
        assert layout.word_multiplier[layout.start] == 1

    def test_quadruple_premiums(self) -> None:
        letter = read_layout(LAYOUTS / "quadruple_letter_opening15.txt")
        word = read_layout(LAYOUTS / "quadruple_word_opening15.txt")
        assert (letter.letter_multiplier == 4).any()
        assert (word.word_multiplier == 4).any()

    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    def test_line_ends(self, line_end: str) -> None:
        text = line_end.join(["# a comment", "# another", "0, 1", ".'\"", "^-=", "~# ", ""])
        layout = parse_layout(text)
        assert (layout.rows, layout.cols, layout.start) == (3, 3, (0, 1))
        assert layout.letter_multiplier.tolist() == [[1, 2, 3], [4, 1, 1], [1, 1, 1]]
        assert layout.word_multiplier.tolist() == [[1, 1, 1], [1, 2, 3], [4, 1, 1]]
        assert layout.bricks.tolist() == [[False] * 3, [False] * 3, [False, True, False]]

    def test_a_brick_may_begin_a_row(self) -> None:
        assert parse_layout("0, 1\n#.\n..").bricks[0, 0]

    def test_legend(self) -> None:
        layout = parse_layout(
            "0,0\nlegend: a = letter 5, b = word 6, 1 = letter 3 if value 1\nlegend: z = letter 9 word 9\nab\n1z\n"
        )
        assert layout.letter_multiplier.tolist() == [[5, 1], [3, 9]]
        assert layout.word_multiplier.tolist() == [[1, 6], [1, 9]]
        assert layout.letter_condition.tolist() == [[0, 0], [1, 0]]

    def test_largest_and_smallest(self) -> None:
        assert parse_layout("31, 31\n" + ("." * 32 + "\n") * 32).rows == 32
        assert parse_layout("0, 0\n.").cols == 1
        assert parse_layout("8, 0\n" + ("." * 13 + "\n") * 9).start == (8, 0)

    def test_open_file(self) -> None:
        assert read_layout(io.BytesIO(b"0, 0\n.."), name="open").name == "open"

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("", None, "no start coordinates"),
            ("# only a comment\n", None, "no start coordinates"),
            ("7\n..", 1, "malformed start coordinates '7', expected 'row, col' such as '7, 7'"),
            ("a, b\n..", 1, "malformed start coordinates 'a, b'"),
            ("0.0, 0\n..", 1, "malformed start coordinates"),
            ("-1, 0\n..", 1, "start square -1, 0 is off the board of 1 rows and 2 columns"),
            ("1, 0\n..", 1, "start square 1, 0 is off the board"),
            ("999999999999999999, 0\n..", 1, "is off the board"),
            ("0, 0\n", 1, "no rows, expected one line a row"),
            ("0, 0\n..\n...", 3, "row of 3 squares, expected 2 as in the first row"),
            ("0, 0\n..\n\n..", 3, "row of 0 squares, expected 2"),
            ("0, 0\n..\n.", 3, r"row of 1 squares, expected 2 .*may be written '\.'"),
            ("0, 0\n..\n.5", 3, "unknown premium symbol '5'"),
            ("0, 0\n.\t", 2, r"unknown premium symbol '\\t'"),
            ("0, 0\n" + "." * 33, 2, "row of 33 squares, expected at most 32"),
            ("0, 0\n" + ".\n" * 33, 34, "33 rows, expected at most 32"),
            ("0, 0\nlegend: a = letter 0\na", 2, "letter multiplier 0, expected 1 to 9"),
            ("0, 0\nlegend: a = letter 10\na", 2, "letter multiplier 10, expected 1 to 9"),
            ("0, 0\nlegend: a = word 12\na", 2, "word multiplier 12, expected 1 to 9"),
            ("0, 0\nlegend: a = word -2\na", 2, "negative premium -2 is not supported"),
            ("0, 0\nlegend: a = -5\na", 2, "additive premium '-5'"),
            ("0, 0\nlegend: a = points 5\na", 2, "additive premium 'points 5'"),
            ("0, 0\nlegend: a = letter +5\na", 2, r"additive premium '\+5' is not supported"),
            ("0, 0\nlegend: a = word two\na", 2, "word multiplier 'two', expected a whole number from 1 to 9"),
            ("0, 0\nlegend: a = letter 3 if value 0\na", 2, "face value 0, expected 1 to 255"),
            ("0, 0\nlegend: ab = letter 3\na", 2, "malformed legend entry 'ab = letter 3'"),
            ("0, 0\nlegend: a\na", 2, "malformed legend entry 'a'"),
            ("0, 0\nlegend: a = double\na", 2, "malformed legend entry 'double'"),
            ("0, 0\nlegend: # = word 5\na", 2, "legend symbol '#' has a meaning already"),
            ("0, 0\nlegend: a = word 5, a = word 6\na", 2, "legend symbol 'a' has a meaning already"),
        ],
    )
    def test_malformed(self, tmp_path: Path, text: str, line: int | None, message: str) -> None:
        path = tmp_path / "bad.txt"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RulesError, match=message) as caught:
            read_layout(path)
        assert caught.value.source == str(path)
        assert caught.value.line == line


class TestBoardLayout:
    def test_arrays_are_read_only_copies(self) -> None:
        given = np.full((2, 3), 2, np.int64)
        layout = plain(2, 3, letter_multiplier=given)
        given[0, 0] = 9
        assert layout.letter_multiplier[0, 0] == 2
        for name, array in arrays(layout).items():
            assert array.dtype == (bool if name == "bricks" else np.uint8)
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 1

    def test_pickle_keeps_it_read_only(self) -> None:
        layout = load_layout("literaki15")
        copy = pickle.loads(pickle.dumps(layout))
        assert copy == layout
        assert copy.name == layout.name
        assert not any(array.flags.writeable for array in arrays(copy).values())

    def test_equality_is_by_squares(self) -> None:
        assert plain(2, 3) == plain(2, 3, name="another")
        assert hash(plain(2, 3)) == hash(plain(2, 3, name="another"))
        different = (
            plain(3, 2),
            plain(2, 3, start=(0, 1)),
            plain(2, 3, word_multiplier=np.full((2, 3), 2)),
            plain(2, 3, letter_condition=np.full((2, 3), 1)),
            plain(2, 3, bricks=np.ones((2, 3), bool)),
        )
        assert plain(2, 3) not in different
        assert plain(2, 3) != "a layout"

    def test_text_of_many_kinds_of_squares(self) -> None:
        # 9 x 9 combinations of multipliers, more than there are digits and letters of the alphabet.
        letter, word = np.meshgrid(np.arange(1, 10), np.arange(1, 10))
        layout = plain(9, 9, letter_multiplier=letter, word_multiplier=word, letter_condition=(letter + word) % 3)
        assert parse_layout(str(layout)) == layout

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"rows": 0}, "a board of 0 rows, expected 1 to 32"),
            ({"cols": 33}, "a board of 33 columns, expected 1 to 32"),
            ({"start": (2, 0)}, "start square 2, 0 is off the board of 2 rows and 3 columns"),
            ({"start": (0, -1)}, "start square 0, -1 is off the board"),
            ({"bricks": np.zeros((3, 2))}, r"bricks has the shape \(3, 2\), expected \(2, 3\)"),
            (
                {"letter_multiplier": np.full((2, 3), 256)},
                "letter_multiplier is 256 at row 0, column 0, expected 1 to 9",
            ),
            ({"word_multiplier": np.zeros((2, 3), int)}, "word_multiplier is 0 at row 0, column 0, expected 1 to 9"),
            ({"word_multiplier": np.ones((2, 3))}, "word_multiplier has the dtype float64, expected whole numbers"),
            ({"letter_condition": np.full((2, 3), -1)}, "letter_condition is -1"),
            ({"bricks": np.full((2, 3), 2)}, "bricks is 2"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(RulesError, match=message):
            plain(2, 3, **changes)
