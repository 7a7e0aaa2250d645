"""Plays as text: what is read, what is refused and where, and that writing and reading agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastscore.coordinates import Direction
from fastscore.errors import NotationError
from fastscore.notation.plays import (
    ExchangeText,
    Mark,
    PassText,
    PlayText,
    Symbol,
    WithdrawalText,
    WrittenPlay,
    format_play,
    format_symbols,
    parse_play,
    parse_turn,
    parse_word,
)
from fastscore.rules.letters import LetterDistribution, load_distribution

ENGLISH = load_distribution("english")
CATALAN = load_distribution("catalan")
SPANISH = load_distribution("spanish")
TURKISH = load_distribution("turkish")
ACROSS, DOWN = Direction.ACROSS, Direction.DOWN
BLANK = 0x80


def codes(letters: LetterDistribution, *names: str) -> list[int]:
    return [letters.tiles.index(name) for name in names]


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("-ABC", ExchangeText("ABC", None)),
        ("-?", ExchangeText("?", None)),
        ("- ABC", ExchangeText("ABC", None)),
        ("-3", ExchangeText("", 3)),
        ("exch ABC", ExchangeText("ABC", None)),
        ("EXCH 3", ExchangeText("", 3)),
        ("exchange AB", ExchangeText("AB", None)),
        ("ex.ABC", ExchangeText("ABC", None)),
        ("ex.3", ExchangeText("", 3)),
        ("-A[CH]", ExchangeText("A[CH]", None)),
        ("-", PassText()),
        ("pass", PassText()),
        (" Pass\n", PassText()),
        ("--", WithdrawalText()),
        ("8D .WORD.", PlayText(7, 3, ACROSS, ".WORD.", 4)),
        ("8d WORD", PlayText(7, 3, ACROSS, "WORD", 4)),
        ("d8 WORD", PlayText(7, 3, DOWN, "WORD", 4)),
        ("D8   WORD ", PlayText(7, 3, DOWN, "WORD", 6)),
        ("O15 AA", PlayText(14, 14, DOWN, "AA", 5)),
        ("19AA AA", PlayText(18, 26, ACROSS, "AA", 6)),
    ],
)
def test_turns_are_recognised(text: str, turn: object) -> None:
    read = parse_turn(text)
    assert read == turn
    assert type(read) is type(turn)


@pytest.mark.parametrize(
    ("text", "row", "col", "direction"),
    [("H8 AT", 7, 7, ACROSS), ("8H AT", 7, 7, DOWN), ("D12 AT", 3, 11, ACROSS), ("12D AT", 3, 11, DOWN)],
)
def test_lettered_rows(text: str, row: int, col: int, direction: Direction) -> None:
    play = parse_play(text, ENGLISH, lettered_rows=True)
    assert play[:3] == (row, col, direction)
    assert format_play(play, ENGLISH, lettered_rows=True) == text


@pytest.mark.parametrize(
    ("word", "marks", "tiles"),
    [
        ("WORD", "LLLL", [23, 15, 18, 4]),
        (".WORD.", "TLLLLT", [0, 23, 15, 18, 4, 0]),
        ("(P)WORD(Q)", "BLLLLB", [16, 23, 15, 18, 4, 17]),
        ("(P.)O(AB)", "BTLBB", [16, 0, 15, 1, 2]),
        ("wOr?", "LLLL", [23 | BLANK, 15, 18 | BLANK, BLANK]),
        ("(?)A", "BL", [BLANK, 1]),
        ("...", "TTT", [0, 0, 0]),
        ("()A", "L", [1]),
        ("(A)(B)", "BB", [1, 2]),
    ],
)
def test_symbols(word: str, marks: str, tiles: list[int]) -> None:
    kinds = {"L": Mark.LETTER, "T": Mark.THROUGH, "B": Mark.THROUGH_LETTER}
    assert parse_word(word, ENGLISH) == tuple(map(Symbol, [kinds[mark] for mark in marks], tiles))


def test_tiles_with_long_names() -> None:
    a, ny, qu, e, dot = codes(CATALAN, "A", "NY", "QU", "E", "L·L")

    def tiles(word: str) -> list[int]:
        return [symbol.tile for symbol in parse_word(word, CATALAN)]

    assert tiles("A[NY]") == tiles("ANY") == [a, ny]
    assert tiles("a[ny]") == [a | BLANK, ny | BLANK]
    assert tiles("A[ny]") == [a, ny | BLANK]
    assert tiles("[QU]E") == tiles("QuE") == [qu, e]
    # The dot of L·L is another character than the dot of a through tile.
    assert tiles("A[L·L].A") == tiles("AL·L.A") == [a, dot, 0, a]
    # A through tile between them parts N and Y.
    assert tiles("N.Y") != [ny]


def test_case_comes_from_the_tile_set() -> None:
    dotless, dotted = codes(TURKISH, "I", "\u0130")
    word = parse_word("I\u0131\u0130i", TURKISH)
    assert [symbol.tile for symbol in word] == [dotless, dotless | BLANK, dotted, dotted | BLANK]


@pytest.mark.parametrize(
    ("text", "column", "part"),
    [
        ("8D W(ORD", 5, "'('"),
        ("8D W)ORD", 5, "')'"),
        ("8D ((W)", 5, "'('"),
        ("8D W1RD", 5, "1"),
        ("8D .W[CH", 6, "["),
        ("8D  ()", 5, "no tile"),
    ],
)
def test_unreadable_words_say_where(text: str, column: int, part: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_play(text, ENGLISH)
    assert caught.value.column == column
    assert part in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "8D", "WORD", "8D WO RD", "8DXX WORD", "0D WORD", "8 WORD", "D WORD", "8D.WORD", "\0"]
)
def test_unreadable_texts(text: str) -> None:
    with pytest.raises(NotationError, match=r"expected|counted"):
        parse_play(text, ENGLISH)


@pytest.mark.parametrize(("text", "kind"), [("-ABC", "exchange"), ("pass", "pass"), ("--", "withdrawal")])
def test_other_turns_are_no_placements(text: str, kind: str) -> None:
    with pytest.raises(NotationError, match=f"'{text}' is a turn of kind {kind}"):
        parse_play(text, ENGLISH)


def test_written_forms() -> None:
    play = WrittenPlay(7, 3, ACROSS, parse_word("(P)WOR(DQ).", ENGLISH))
    assert format_play(play, ENGLISH) == "8D (P)WOR(DQ)."
    # C and H side by side are two tiles, where CH is one as well: they must not be read as one.
    c, h, ch = codes(SPANISH, "C", "H", "CH")
    for tiles in ([c, h], [ch], [c, ch, h], [c, 0, h]):
        symbols = tuple(Symbol(Mark.LETTER if tile else Mark.THROUGH, tile) for tile in tiles)
        assert parse_word(format_symbols(symbols, SPANISH), SPANISH) == symbols


def symbols_of(letters: LetterDistribution) -> st.SearchStrategy[Symbol]:
    letter = st.integers(1, letters.n_letters)
    tile = st.one_of(letter, letter.map(lambda code: code | BLANK), st.just(BLANK))
    return st.one_of(
        st.just(Symbol(Mark.THROUGH, 0)),
        st.builds(Symbol, st.sampled_from([Mark.LETTER, Mark.THROUGH_LETTER]), tile),
    )


@pytest.mark.parametrize("letters", [ENGLISH, CATALAN, SPANISH, TURKISH], ids=lambda letters: letters.name)
def test_what_is_written_is_read_back(letters: LetterDistribution) -> None:
    @given(
        st.builds(
            WrittenPlay,
            st.integers(0, 31),
            st.integers(0, 31),
            st.sampled_from(Direction),
            st.lists(symbols_of(letters), min_size=1, max_size=12).map(tuple),
        ),
        st.booleans(),
    )
    def check(play: WrittenPlay, lettered_rows: bool) -> None:
        text = format_play(play, letters, lettered_rows=lettered_rows)
        assert parse_play(text, letters, lettered_rows=lettered_rows) == play

    check()


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        play = parse_play(text, ENGLISH)
    except NotationError:
        return
    assert parse_play(format_play(play, ENGLISH), ENGLISH) == play
