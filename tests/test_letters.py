from __future__ import annotations

import io
import json
import pickle
import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.errors import NotationError, RulesError
from fastscore.rules import (
    LetterDistribution,
    distribution_names,
    load_distribution,
    parse_distribution,
    read_distribution,
)

# Tiles and points of the whole set, as the federations and programs publish them; None = not published.
TOTALS = {
    "catalan": (100, 189),
    "dutch": (102, 230),
    "english": (100, 187),
    "english_super": (200, 381),
    "english_wild": (102, 187),
    "french": (102, 197),
    "german": (102, 202),
    "greek": (104, 206),
    "hong_kong_english": (107, 228),
    "korean": (100, 211),
    "mandarin": (55, 149),
    "norwegian": (100, 202),
    "persian": (102, 248),
    "pinyin": (100, 431),
    "polish": (100, 190),
    "polish_literaki": (100, 183),
    "romanian": (100, 211),
    "romanian_super": (200, 422),
    "russian": (101, 212),
    "slovene": (100, 180),
    "spanish": (100, 192),
    "super_catalan": (200, 370),
    "swedish": (100, 194),
    "turkish": (100, 201),
    "tuvan": (100, 395),
    "words_with_friends_english": (104, None),
    "zhuyin": (100, 431),
}
UNKNOWN_COUNTS = {"crossplay_english", "letter_league_english"}


def value_of(letters: LetterDistribution, text: str) -> list[int]:
    return [letters.value(code) for code in letters.encode(text)]


def test_every_bundled_distribution_is_checked() -> None:
    assert set(distribution_names()) == set(TOTALS) | UNKNOWN_COUNTS


@pytest.mark.parametrize(("name", "tiles", "points"), [(name, *totals) for name, totals in TOTALS.items()])
def test_totals(name: str, tiles: int, points: int | None) -> None:
    letters = load_distribution(name)
    assert letters.counts is not None
    assert sum(letters.counts) == tiles
    if points is not None:
        assert sum(count * value for count, value in zip(letters.counts, letters.values, strict=True)) == points


@pytest.mark.parametrize("name", ["english", "french", "german", "polish"])
def test_values_and_counts_of_a_second_source(name: str) -> None:
    letters = load_distribution(name)
    second = json.loads((Path(__file__).parent / "data" / "values.json").read_text(encoding="utf-8"))
    assert dict(zip(letters.tiles, letters.values, strict=True)) == second["value_sets"][name]
    if name in second["counts"]:
        assert letters.counts is not None
        assert dict(zip(letters.tiles, letters.counts, strict=True)) == second["counts"][name]


@pytest.mark.parametrize("name", sorted(UNKNOWN_COUNTS))
def test_unknown_counts(name: str) -> None:
    assert load_distribution(name).counts is None


@pytest.mark.parametrize("name", distribution_names())
def test_blanks_are_worth_nothing_and_come_first(name: str) -> None:
    letters = load_distribution(name)
    assert letters.tiles[0] == letters.blank_forms[0] == "?"
    assert letters.values[0] == 0
    assert letters.value(0x80) == letters.value(0x81) == 0


@pytest.mark.parametrize("name", distribution_names())
def test_every_tile_is_read_back(name: str) -> None:
    letters = load_distribution(name)
    for code in range(1, letters.n_letters + 1):
        assert letters.encode(letters.tiles[code]) == [code]
        assert letters.encode(f"[{letters.tiles[code]}]") == [code]
        assert letters.encode(letters.decode(code)) == [code]
        assert letters.encode(letters.decode(code | 0x80)) == [code | 0x80]


@pytest.mark.parametrize("name", ["english", "catalan", "spanish", "pinyin", "korean", "persian", "turkish"])
@given(data=st.data())
def test_format_is_read_back(name: str, data: st.DataObject) -> None:
    letters = load_distribution(name)
    tile = st.integers(1, letters.n_letters).flatmap(lambda code: st.sampled_from((code, code | 0x80)))
    codes = data.draw(st.lists(tile | st.just(0x80), max_size=12))
    assert letters.encode(letters.format(codes)) == codes


def test_english() -> None:
    letters = load_distribution("english")
    assert letters.n_letters == 26
    # Q = 17, U = 21, I = 9, Z = 26 in the alphabet; 0x80 marks a blank.
    assert letters.encode("QUIz?") == [17, 21, 9, 26 | 0x80, 0x80]
    assert letters.encode("[Q][z]") == [17, 26 | 0x80]
    assert letters.encode("") == []
    assert value_of(letters, "QUIZ") == [10, 1, 1, 10]
    assert value_of(letters, "QuIz?") == [10, 0, 1, 0, 0]
    assert [letters.decode(code) for code in (17, 17 | 0x80, 0x80)] == ["Q", "q", "?"]


def test_extra_characters_are_no_tile() -> None:
    letters = load_distribution("english")
    assert letters.encode("A.b_", extra="._") == [1, 0, 2 | 0x80, 0]
    assert load_distribution("spanish").encode("C.[CH]", extra=".") == [3, 0, 4]
    with pytest.raises(NotationError):
        letters.encode("A.b")


def test_rack() -> None:
    letters = load_distribution("english")
    # Two blanks, two As and one C.
    assert letters.rack("A?CA?") == (2, 2, 0, 1, *[0] * 23)
    assert letters.rack("") == (0,) * 27
    with pytest.raises(NotationError, match=r"designated blank 'c' at character 3 of the rack 'A\?cA'") as caught:
        letters.rack("A?cA")
    assert caught.value.column == 3


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("AB1", 3, "'1' at character 3 of 'AB1' is no tile of 'english', expected a letter of the set or '?'"),
        ("AÉ", 2, "'É' at character 2"),
        ("A[BC", 2, "'[' at character 2 of 'A[BC' has no closing bracket"),
        ("A[BC]", 2, "'[BC]' at character 2"),
        ("A[]", 2, "'[]' at character 2"),
        ("A]", 2, "']' at character 2"),
        ("A B", 2, "' ' at character 2"),
        ("A\x1b", 2, r"'\x1b' at character 2"),
    ],
)
def test_unreadable_text(text: str, column: int, message: str) -> None:
    with pytest.raises(NotationError) as caught:
        load_distribution("english").encode(text)
    assert caught.value.column == column
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("code", [0, 27, 27 | 0x80, 256, -1])
def test_no_tile_code(code: int) -> None:
    with pytest.raises(NotationError, match=f"tile code {code} is not of the letter distribution 'english'"):
        load_distribution("english").decode(code)


class TestMultiLetterTiles:
    def test_longest_match(self) -> None:
        letters = load_distribution("catalan")
        a, ny = letters.tiles.index("A"), letters.tiles.index("NY")
        assert letters.encode("A[NY]") == letters.encode("ANY") == [a, ny]
        assert letters.encode("a[ny]") == [a | 0x80, ny | 0x80]
        assert letters.encode("A[ny]") == [a, ny | 0x80]
        assert letters.format([a, ny]) == "A[NY]"
        assert letters.format([a | 0x80, ny | 0x80]) == "a[ny]"

    def test_values(self) -> None:
        # 8G ANY: (1 + 10) x 2 = 22 for both spellings; 8H QUE: (8 + 1) x 2 = 18.
        letters = load_distribution("catalan")
        for text, points in (("A[NY]", 22), ("ANY", 22), ("[QU]E", 18), ("QuE", 18), ("a[ny]", 0), ("A[ny]", 2)):
            assert 2 * sum(value_of(letters, text)) == points

    @pytest.mark.parametrize(
        ("spelled", "official"),
        [("W", "L·L"), ("Y", "NY"), ("Q", "QU"), ("K", "Ç"), ("Qu", "QU"), ("w", "l·l"), ("AYQ", "A[NY][QU]")],
    )
    @pytest.mark.parametrize("name", ["catalan", "super_catalan"])
    def test_catalan_aliases(self, name: str, spelled: str, official: str) -> None:
        letters = load_distribution(name)
        assert letters.encode(spelled) == letters.encode(official)

    def test_spanish_aliases(self) -> None:
        letters = load_distribution("spanish")
        assert letters.encode("123") == letters.encode("[CH][LL][RR]")
        assert letters.aliases_in("1O1O2") == ["1", "2"]
        assert letters.aliases_in("[CH]OCHO") == []
        assert letters.aliases_in("") == []

    def test_alias_only_where_no_longer_tile_is_written(self) -> None:
        letters = load_distribution("catalan")
        assert letters.aliases_in("QUQE[Y]ANY") == ["Q", "Y"]

    def test_digraph_and_its_letters(self) -> None:
        letters = load_distribution("spanish")
        c, h, ch = (letters.tiles.index(tile) for tile in ("C", "H", "CH"))
        assert letters.encode("CHCO") == [ch, c, letters.tiles.index("O")]
        assert letters.format([c, h, ch]) == "C[H][CH]"
        assert letters.rack("[CH]OOC[H]")[ch] == 1
        # CHOCHO at 8G: (5 + 1 + 5 + 1) x 2 = 24.
        assert 2 * sum(value_of(letters, "[CH]O[CH]O")) == 24

    def test_unknown_tile_in_brackets(self) -> None:
        with pytest.raises(NotationError, match=r"'\[XY\]' at character 2 .* a tile in brackets such as \[L·L\]"):
            load_distribution("catalan").encode("A[XY]")

    def test_pinyin(self) -> None:
        letters = load_distribution("pinyin")
        zh, ang = letters.tiles.index("ZH"), letters.tiles.index("ANG")
        assert letters.encode("ZHANG") == [zh, ang]
        an, g = letters.tiles.index("AN"), letters.tiles.index("G")
        assert letters.format([an, g]) == "[AN]G"
        a, n = letters.tiles.index("A"), letters.tiles.index("N")
        assert letters.format([a, n, g]) == "A[N]G"


class TestScripts:
    def test_turkish_has_four_different_i(self) -> None:
        letters = load_distribution("turkish")
        dotless, dotted = letters.tiles.index("I"), letters.tiles.index("İ")
        assert letters.encode("I\u0131İiI\u0307") == [dotless, dotless | 0x80, dotted, dotted | 0x80, dotted]
        assert (letters.values[dotless], letters.values[dotted]) == (2, 1)
        assert letters.format([dotless | 0x80, dotted | 0x80]) == "\u0131i"

    @pytest.mark.parametrize(("text", "points"), [("ŹLE", 24), ("ŻLE", 16), ("źLE", 6)])
    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    def test_polish_composed_and_decomposed(self, text: str, points: int, form: Literal["NFC", "NFD"]) -> None:
        # 8G: Ź 9, Ż 5, L 2, E 1, doubled.
        letters = load_distribution("polish")
        assert 2 * sum(value_of(letters, unicodedata.normalize(form, text))) == points

    def test_french_f(self) -> None:
        assert 2 * sum(value_of(load_distribution("french"), "OEUF")) == 14

    @pytest.mark.parametrize(("name", "absent"), [("norwegian", "QXZ"), ("swedish", "QW"), ("slovene", "QWXY")])
    def test_letters_that_exist_only_as_blanks(self, name: str, absent: str) -> None:
        letters = load_distribution(name)
        assert letters.counts is not None
        for code in letters.encode(absent):
            assert letters.counts[code] == 0
        assert value_of(letters, absent.lower()) == [0] * len(absent)

    def test_greek_and_russian_case(self) -> None:
        assert value_of(load_distribution("greek"), "ΩωΣ") == [3, 0, 1]
        assert value_of(load_distribution("russian"), "Юю") == [8, 0]

    def test_scripts_without_case_mark_a_blank_in_brackets(self) -> None:
        letters = load_distribution("persian")
        beh = letters.tiles.index("ب")
        assert letters.decode(beh | 0x80) == "[?ب]"
        assert letters.encode("[?ب]ب") == [beh | 0x80, beh]
        # Without brackets: a blank and a tile, as on a rack.
        assert letters.encode("?ب") == [0x80, beh]
        assert letters.rack("?ب")[0] == 1

    def test_korean_syllables_are_taken_apart(self) -> None:
        letters = load_distribution("korean")
        g, a, ng = (letters.tiles.index(tile) for tile in "\u1100\u1161\u11bc")
        assert letters.encode("\u1100\u1161\u11bc") == [g, a, ng]
        assert letters.encode("강") == [g, a, ng]
        # The first and the last sound of a syllable, and the letters of a keyboard, are one tile each.
        assert letters.encode("각") == letters.encode("ㄱㅏㄱ") == [g, a, g]

    def test_wild_tile(self) -> None:
        letters = load_distribution("english_wild")
        assert value_of(letters, "A*") == [1, 0]
        assert letters.counts is not None
        assert letters.counts[letters.tiles.index("*")] == 4


class TestDistribution:
    def test_equal_by_value(self) -> None:
        first, second = (LetterDistribution("ab", ("?", "A", "B"), (0, 1, 3), (2, 9, 2)) for _ in range(2))
        assert first == second
        assert hash(first) == hash(second)
        assert first != LetterDistribution("ab", ("?", "A", "B"), (0, 1, 4), (2, 9, 2))
        assert first.blank_forms == ("?", "a", "b")

    def test_pickle(self) -> None:
        letters = load_distribution("catalan")
        copy = pickle.loads(pickle.dumps(letters))
        assert copy == letters
        assert copy.encode("A[ny]Q") == letters.encode("A[ny]Q")

    def test_value_of_a_blank_comes_from_the_set(self) -> None:
        letters = LetterDistribution("random", ("?", "A"), (4, 7))
        assert value_of(letters, "Aa?") == [7, 4, 4]
        assert letters.counts is None

    def test_at_most_126_letters(self) -> None:
        names = [chr(0x4E00 + number) for number in range(127)]
        assert LetterDistribution("many", ("?", *names[:126]), (0,) * 127).n_letters == 126
        with pytest.raises(RulesError, match="127 letters, expected 1 to 126"):
            LetterDistribution("many", ("?", *names), (0,) * 128)

    @pytest.mark.parametrize(
        ("tiles", "values", "counts", "message"),
        [
            (("A", "B"), (1, 1), None, r"first tile 'A', expected '\?'"),
            (("?",), (0,), None, "0 letters, expected 1 to 126"),
            (("?", "A"), (0,), None, "1 values for 2 tiles"),
            (("?", "A"), (0, 1), (1,), "1 counts for 2 tiles"),
            (("?", "A"), (0, -1), None, "value -1 of tile 'A', expected 0 to 1000000"),
            (("?", "A"), (0, 1_000_001), None, "value 1000001 of tile 'A'"),
            (("?", "A"), (0, 1.5), None, "value 1.5 of tile 'A'"),
            (("?", "A"), (0, 1), (2, 10_001), "count 10001 of tile 'A', expected 0 to 10000"),
            (("?", "A", "A"), (0, 1, 1), None, "'A' is the spelling of two tiles"),
            (("?", "a"), (0, 1), None, "tile 'a' is in lower case, expected upper case"),
            (("?", "İ"), (0, 1), None, "lower case of tile 'İ' is longer than it"),
            (("?", "A.B"), (0, 1), None, r"tile 'A\.B' contains '\.', expected letters"),
            (("?", "A2"), (0, 1), None, "tile 'A2' contains '2'"),
            (("?", "\u0301"), (0, 1), None, "begins with a combining mark"),
            (("?", "ABCDEFGHIJKLM"), (0, 1), None, "has 13 characters, expected 1 to 12"),
        ],
    )
    def test_refused(self, tiles: tuple[str, ...], values: tuple[int, ...], counts: object, message: str) -> None:
        with pytest.raises(RulesError, match=message):
            LetterDistribution("bad", tiles, values, counts)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("aliases", "message"),
        [
            ((("B", 1),), "'B' is the spelling of two tiles"),
            ((("C", 9),), "'C' stands for tile code 9, which there is not"),
            ((("C.", 1),), "spelling 'C.' contains '.'"),
            ((("", 1),), "spelling '' has 0 characters"),
        ],
    )
    def test_refused_aliases(self, aliases: tuple[tuple[str, int], ...], message: str) -> None:
        with pytest.raises(RulesError, match=message):
            LetterDistribution("bad", ("?", "A", "B"), (0, 1, 1), aliases=aliases)


OWN = "# two letters\ntile,count,value\n?,2,0\nA,9,1\n[CH],2,10\n"
MAGPIE = "?,?,2,0,0\nA,a,9,1,1\nCH,ch,2,10,0,\uff23\uff28,\uff43\uff48\n"
MACONDO = "?,2,0,0\nA,9,1,1\n[CH],2,10,0\n"
QUACKLE = "# two letters\nblank 0 2\nA a 1 9 1\n|CH|\t|ch|  10 2 0\n"
WOLGES = "?\t?\t2\t0\t0\t0\t0\nA\ta\t9\t1\t1\t0\t0\nCH\tch\t2\t10\t0\t1\t1\t1\tx\n"


class TestFiles:
    @pytest.mark.parametrize(
        ("format", "text"),
        [("csv", OWN), ("magpie", MAGPIE), ("macondo", MACONDO), ("quackle", QUACKLE), ("wolges", WOLGES)],
    )
    @pytest.mark.parametrize("line_end", ["\n", "\r\n"])
    @pytest.mark.parametrize("told", [True, False])
    def test_every_format(self, tmp_path: Path, format: str, text: str, line_end: str, told: bool) -> None:
        path = tmp_path / "letters.txt"
        path.write_bytes(text.rstrip("\n").replace("\n", line_end).encode())
        letters = read_distribution(path, format=format if told else None)
        assert letters.name == "letters"
        assert letters.tiles == ("?", "A", "CH")
        assert letters.values == (0, 1, 10)
        assert letters.counts == (2, 9, 2)
        assert letters.blank_forms == ("?", "a", "ch")

    def test_wolges_aliases(self) -> None:
        letters = parse_distribution(WOLGES)
        assert letters.encode("1x") == letters.encode("[CH][ch]")

    def test_own_columns(self) -> None:
        text = "tile,count,value,blank,aliases,blank_aliases\nİ,1,1,i\nI,1,2,\u0131,J Y,j\n"
        letters = parse_distribution(text, "dots")
        assert letters.encode("İiI\u0131JYj") == [1, 0x81, 2, 0x82, 2, 2, 0x82]

    def test_without_a_blank(self) -> None:
        letters = parse_distribution("tile,count,value\nA,9,1\n")
        assert (letters.tiles, letters.counts, letters.values) == (("?", "A"), (0, 9), (0, 1))

    def test_the_blank_may_stand_anywhere(self) -> None:
        letters = parse_distribution("A a 1 9 1\nB b 3 2 0\nblank 0 2\n")
        assert letters.tiles == ("?", "A", "B")
        assert letters.counts == (2, 9, 2)

    def test_no_counts(self) -> None:
        assert parse_distribution("tile,count,value\n?,,0\nA,,1\n").counts is None

    def test_limits_are_allowed(self) -> None:
        letters = parse_distribution("tile,count,value\nA,10000,1000000\nB,0,0\n")
        assert letters.values == (0, 1_000_000, 0)
        assert letters.counts == (0, 10_000, 0)

    def test_open_files_and_byte_order_mark(self) -> None:
        assert read_distribution(io.StringIO(OWN), "a").tiles == ("?", "A", "CH")
        assert read_distribution(io.BytesIO(b"\xef\xbb\xbf" + OWN.encode()), "b").name == "b"

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("tile,count,value\nA,9,-1\n", 2, "value -1, expected 0 to 1000000"),
            ("tile,count,value\nA,9,1000001\n", 2, "value 1000001, expected 0 to 1000000"),
            ("tile,count,value\nA,-9,1\n", 2, "count -9, expected 0 to 10000"),
            ("tile,count,value\nA,10001,1\n", 2, "count 10001, expected 0 to 10000"),
            ("tile,count,value\nA,9,one\n", 2, "value 'one', expected a whole number from 0 to 1000000"),
            ("tile,count,value\nA,9,1_0\n", 2, "value '1_0', expected a whole number"),
            ("tile,count,value\nA,9,٣\n", 2, "value '٣', expected a whole number"),
            ("tile,count,value\nA,9,\n", 2, "value '', expected a whole number"),
            ("tile,count,value\nA,9,1\nB,2,3\nA,1,1\n", 4, "tile 'A' appears twice, first in line 2"),
            ("tile,count,value\nŹ,9,1\nZ\u0301,2,3\n", 3, "tile 'Ź' appears twice, first in line 2"),
            ("tile,count,value\n?,2,0\n?,2,0\n", 3, r"tile '\?' appears twice"),
            ("tile,count,value\nA,9\n", 2, "2 fields, expected 3: tile,count,value"),
            ("tile,count,value\nA,9,1,1\n", 2, "4 fields, expected 3"),
            ("tile,count,value\nA,9,1\nB,,1\n", 3, "tile 'B' has no count, expected counts for every tile or for none"),
            ("tile,count,value\nA,9,1\n# note,1,1\n", 3, "tile '# note' contains '#'"),
            ("tile,count,value\nab,9,1\n", 2, "tile 'ab' is in lower case"),
            ("tile,count,value\nİ,9,1\n", 2, "lower case of tile 'İ' is longer than it, expected its blank form"),
            ("tile,count,valeu\nA,9,1\n", 1, "unknown column 'valeu', did you mean 'value'"),
            ("tile,count\nA,9\n", 1, "no column 'value', expected a header like"),
            ('tile,count,value\n"A,9,1\n', 2, "malformed CSV"),
            ('"x,count,value\nA,9,1\n', 1, "malformed CSV"),
            ("# A remark\n" + "x" * 140_000 + ",9,1\n", 2, "malformed CSV"),
            ("A,9,1\n", 1, "unknown distribution format of 'A,9,1', expected the header 'tile,count,value'"),
            ("?,?,2,0,0\nA,a,9,1\n", 2, "4 fields, expected letter,lower,count,score,vowel"),
            ("?,?,2,0,0\nA,a,9,1,2\n", 2, "vowel mark 2, expected 0 to 1"),
            ("?,2,0,0\nA,9,1\n", 2, "3 fields, expected letter,count,score,vowel"),
            ("blank 0 2\nA a 1 9\n", 2, "4 fields, expected 'letter blankform score count vowel'"),
            ("blank 0 2\nblank 0\n", 2, "2 fields, expected 'blank score count'"),
            ("?\t?\t2\t0\t0\t0\t0\nA\ta\t9\t1\t1\n", 2, "5 fields, expected label, blank label, count"),
            ("?\t?\t2\t0\t0\t0\t0\nA\ta\t9\t1\t1\t5\t0\n", 2, "number of aliases '5' does not fit the line"),
            ("?\t?\t2\t0\t0\t0\t0\nA\ta\t9\t1\t1\t0\t0\tX\n", 2, "1 fields too many"),
            ("", None, "no tiles, expected one line a tile"),
            ("tile,count,value\n", None, "no tiles, expected one line a tile"),
            ("# only a comment\n", None, "no tiles, expected one line a tile"),
            ("tile,count,value\nA,9," + "9" * 5000, 2, "value 999999999999, expected 0 to 1000000"),
        ],
    )
    def test_malformed(self, tmp_path: Path, text: str, line: int | None, message: str) -> None:
        path = tmp_path / "bad.csv"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RulesError, match=message) as caught:
            read_distribution(path)
        assert caught.value.source == str(path)
        assert caught.value.line == line
        assert str(caught.value).startswith(str(path))

    def test_unknown_format(self) -> None:
        with pytest.raises(RulesError, match="unknown distribution format 'magpy', did you mean 'magpie'"):
            parse_distribution(MAGPIE, format="magpy")

    def test_too_many_letters(self) -> None:
        rows = "".join(f"{chr(0x4E00 + number)},1,1\n" for number in range(127))
        with pytest.raises(RulesError, match="127 letters, expected 1 to 126"):
            parse_distribution(f"tile,count,value\n{rows}")

    def test_not_utf8(self, tmp_path: Path) -> None:
        path = tmp_path / "latin.csv"
        path.write_bytes("tile,count,value\nÅ,2,4\n".encode("iso-8859-1"))
        with pytest.raises(RulesError, match="byte 0xc5 is not UTF-8") as caught:
            read_distribution(path)
        assert caught.value.line == 2

    def test_too_large(self, tmp_path: Path) -> None:
        path = tmp_path / "large.csv"
        path.write_bytes(b"#" * 1_000_001)
        with pytest.raises(RulesError, match="is larger than 1000000 bytes"):
            read_distribution(path)

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(RulesError, match="cannot be read: no such file"):
            read_distribution(tmp_path / "none.csv")
        with pytest.raises(RulesError, match="cannot be read"):
            read_distribution("a\0b")

    def test_unknown_name(self) -> None:
        with pytest.raises(RulesError, match="unknown letter distribution 'englsh', did you mean 'english'"):
            load_distribution("englsh")
        with pytest.raises(RulesError, match="unknown letter distribution"):
            load_distribution("../distributions/english")
