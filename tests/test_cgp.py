"""CGP lines: read, written, refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastscore.coordinates import Direction
from fastscore.errors import PositionError
from fastscore.notation.cgp import KNOWN_OPS, LastMove, Op, Position, format_cgp, own_layout_name, parse_cgp

EMPTY_15 = "/".join(["15"] * 15)
FULL = (
    "15/15/15/15/15/15/15/3WINDY7/15/15/15/15/15/14z/2[CH]12 AEINRS?/[L·L]QU 32/-5 2 "
    "bb 50; bdn CrosswordGame; cr 5pt; etl 7; gid woogles x1; ld english; lex CSW21; lm 8D.WINDY; mcnz 6; "
    "oru; ti 3000; tmr 60000/59000; to 120000; var classic; blah one two;"
)


def test_every_field_of_a_full_line() -> None:
    position = parse_cgp(FULL)
    assert len(position.rows) == 15
    assert position.cols == 15
    assert position.rows[7] == "...WINDY......."
    assert position.rows[13] == "..............z"
    assert position.rows[14] == "..[CH]............"
    assert position.squares[14] == (".", ".", "[CH]", *["."] * 12)
    assert position.racks == ("AEINRS?", "[L·L]QU")
    assert position.scores == (32, -5)
    assert position.zeros == 2
    assert position.bingo_bonus == 50
    assert position.layout_name == "standard15"
    assert position.challenge_rule == "5pt"
    assert position.exchange_limit == 7
    assert position.game_id == "woogles x1"
    assert position.distribution_name == "english"
    assert position.lexicon == "CSW21"
    assert position.last_move == LastMove("place", "WINDY", "8D", (7, 3, Direction.ACROSS))
    assert position.zero_turn_limit == 6
    assert position.opponent_rack_unknown
    assert position.increment == 3000
    assert position.timers == (60000, 59000)
    assert position.overtime == 120000
    assert position.variant == "classic"
    assert position.unknown_ops == (Op("blah", "one two"),)
    assert [op.name for op in position.ops] == [
        *["bb", "bdn", "cr", "etl", "gid", "ld", "lex", "lm", "mcnz", "oru", "ti", "tmr", "to", "var"],
        "blah",
    ]


def test_a_full_line_is_written_as_it_was() -> None:
    assert format_cgp(parse_cgp(FULL)) == FULL


def test_values_are_none_where_the_line_does_not_say() -> None:
    position = parse_cgp(f"{EMPTY_15} / 0/0 0")
    values = (
        position.bingo_bonus,
        position.layout_name,
        position.challenge_rule,
        position.exchange_limit,
        position.game_id,
        position.distribution_name,
        position.lexicon,
        position.last_move,
        position.zero_turn_limit,
        position.increment,
        position.timers,
        position.overtime,
        position.variant,
    )
    assert values == (None,) * 13
    assert not position.opponent_rack_unknown
    assert position.racks == ("", "")
    assert position.ops == position.unknown_ops == ()


@pytest.mark.parametrize(
    ("name", "own"),
    [("CrosswordGame", "standard15"), ("SuperCrosswordGame", "standard21"), ("crossplay15", "crossplay15")],
)
def test_layout_names(name: str, own: str) -> None:
    assert own_layout_name(name) == own
    assert parse_cgp(f"3/3/3 / 0/0 0 bdn {name};").layout_name == own


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("8D.WORD", LastMove("place", "WORD", "8D", (7, 3, Direction.ACROSS))),
        ("aa9.[CH]e", LastMove("place", "[CH]e", "aa9", (8, 26, Direction.DOWN))),
        ("ex.ABC?", LastMove("exchange", "ABC?")),
        ("ex.5", LastMove("exchange_count", "5")),
        ("pass", LastMove("pass")),
        ("phony.D8.WORQ", LastMove("phony", "WORQ", "D8", (7, 3, Direction.DOWN))),
    ],
)
def test_last_moves(text: str, move: LastMove) -> None:
    assert parse_cgp(f"{EMPTY_15} / 0/0 0 lm {text};").last_move == move


@pytest.mark.parametrize("players", [1, 3, 4, 6])
def test_other_numbers_of_players(players: int) -> None:
    racks = [*"ABCDEF"][:players]
    line = f"3/3/3 {'/'.join(racks)} {'/'.join('0' * players)} 0"
    assert parse_cgp(line).racks == tuple(racks)
    assert format_cgp(parse_cgp(line)) == line


@pytest.mark.parametrize("space", ["\n", "\r\n", "  ", "\t"])
def test_space_around_the_line_means_nothing(space: str) -> None:
    assert parse_cgp(f"{space}{FULL}{space}") == parse_cgp(FULL)


def test_fields_and_operations_may_be_spaced_freely() -> None:
    assert parse_cgp("3/3/3   A/B\t1/2  0   lex  CSW21 ;;ld english") == Position(
        ("...",) * 3, ("A", "B"), (1, 2), 0, (Op("lex", "CSW21"), Op("ld", "english"))
    )


def test_accents_written_apart_make_one_tile() -> None:
    # U+0301 after the letter: one square, not two.
    assert parse_cgp("1Z\u03011/3/3 / 0/0 0").rows[0] == ".\u0179."
    # Korean letters would run together into one syllable, but they are tiles of their own.
    assert parse_cgp("\u1100\u11611/3/3 / 0/0 0").squares[0] == ("\u1100", "\u1161", ".")


# (text, what the message says, column)
REFUSED = [
    ("", "no board", 1),
    ("15", "no racks", 3),
    (f"{EMPTY_15} A/B", "no scores", len(EMPTY_15) + 5),
    (f"{EMPTY_15} A/B 0/0", "no number of scoreless turns", len(EMPTY_15) + 9),
    ("3/2/3 / 0/0 0", "row 2 has 2 squares, expected 3", 3),
    ("3/3/A3 / 0/0 0", "row 3 has 4 squares, expected 3", 5),
    ("3/3/ / 0/0 0", "row 3 has 0 squares", 5),
    ("/3/3 / 0/0 0", "row 1 has 0 squares", 1),
    ("33/33 / 0/0 0", "'33' empty squares in row 1, expected 1 to 32", 1),
    ("0A/1 / 0/0 0", "'0' empty squares in row 1", 1),
    ("30A2/33 / 0/0 0", "row 1 has 33 squares", 1),
    ("/".join(["3"] * 33) + " / 0/0 0", "more than 32 rows", 65),
    ("3/1.1 / 0/0 0", "'.' in row 2", 4),
    ("3/1[CH1 / 0/0 0", "'[' in row 2", 4),
    ("3/1[]1 / 0/0 0", "'[]' in row 2", 4),
    ("3/1]1 / 0/0 0", "']' in row 2", 4),
    ("3/1*1 / 0/0 0", "'*' in row 2", 4),
    ("3/3 A1/B 0/0 0", "'1' in the rack 'A1'", 6),
    ("3/3 A/B( 0/0 0", "'(' in the rack 'B('", 8),
    ("3/3 A/B 0 0", "2 racks and 1 scores", 5),
    ("3/3 A 0/0 0", "1 racks and 2 scores", 5),
    ("3/3 A/B 0/x 0", "'0/x', expected scores", 9),
    ("3/3 A/B 0/0 -1", "'-1', expected the number of scoreless turns", 13),
    ("3/3 A/B 0/0 0 bb x;", "operation 'bb': 'x', expected a number", 15),
    ("3/3 A/B 0/0 0 lex CSW; bb -1;", "operation 'bb': '-1', expected a number from 0", 24),
    ("3/3 A/B 0/0 0 lex;", "operation 'lex': expected a value", 15),
    ("3/3 A/B 0/0 0 tmr 1:2;", "operation 'tmr'", 15),
    ("3/3 A/B 0/0 0 lm 8D;", "operation 'lm': '8D', expected a move", 15),
    ("3/3 A/B 0/0 0 lm 0D.AB;", "operation 'lm': '0D' is no coordinate", 15),
    ("3/3 A/B 0/0 0 lex A; lex B;", "operation 'lex' is given twice", 22),
]


@pytest.mark.parametrize(("text", "message", "column"), REFUSED)
def test_refused_with_the_column(text: str, message: str, column: int) -> None:
    with pytest.raises(PositionError) as caught:
        parse_cgp(text)
    assert message in str(caught.value)
    assert caught.value.column == column


def test_two_lines_are_refused() -> None:
    with pytest.raises(PositionError, match="more than one line"):
        parse_cgp(f"{FULL}\n{FULL}\n")


@pytest.mark.parametrize(
    "text",
    ["9" * 1_000_000, "A" * 60_000, "/" * 60_000, "[" * 60_000, " " * 60_000, "3 / 0/0 0 " + "a;" * 30_000],
    ids=lambda text: text[:12],
)
def test_hostile_lines_are_answered_at_once(text: str) -> None:
    start = time.perf_counter()
    if text.startswith("3 "):
        assert len(parse_cgp(text).ops) == 30_000
    else:
        with pytest.raises(PositionError):
            parse_cgp(text)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rows": ()}, "0 rows"),
        ({"rows": ("...", "..")}, "row 2 has 2 squares"),
        ({"rows": ("12",)}, "'1' in row 1"),
        ({"racks": ("A",)}, "1 racks and 2 scores"),
        ({"racks": ("A B", "")}, "' ' in the rack"),
        ({"zeros": -1}, "-1 scoreless turns"),
        ({"ops": (Op("lex", "A;B"),)}, "no operation"),
        ({"ops": (Op("le x", "A"),)}, "no operation"),
        ({"ops": (Op("etl", "many"),)}, "operation 'etl'"),
        ({"ops": (Op("lex", "A"), Op("lex", "B"))}, "'lex' is given twice"),
    ],
)
def test_a_position_that_no_line_can_say_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Position(**{"rows": ("...",), **fields})  # type: ignore[arg-type]


def test_one_player_without_a_rack_cannot_be_written() -> None:
    with pytest.raises(PositionError, match="one player with an empty rack"):
        format_cgp(Position(("...",), ("",), (0,)))


tiles = st.sampled_from([*"ABCxyz?ÄŁż", "[CH]", "[ny]", "[L·L]", "[A]"])
words = st.text("abcXYZ019/.:+-_", min_size=1, max_size=12)
texts = st.lists(words, min_size=1, max_size=3).map(" ".join)
unknown_ops = st.builds(Op, words.filter(lambda name: name not in KNOWN_OPS), texts | st.just(""))
known_ops = st.lists(
    st.one_of(
        st.builds(Op, st.sampled_from(["bb", "etl", "mcnz", "ti", "to"]), st.integers(0, 900).map(str)),
        st.builds(Op, st.sampled_from(["bdn", "cr", "gid", "ld", "lex", "var"]), texts),
        st.builds(Op, st.just("lm"), st.sampled_from(["8D.WORD", "ex.ABC", "ex.3", "pass", "phony.8D.WORD"])),
        st.builds(
            Op,
            st.just("tmr"),
            st.lists(st.integers(-9, 999), min_size=1, max_size=4).map(lambda times: "/".join(map(str, times))),
        ),
    ),
    unique_by=lambda op: op.name,
)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    height, width = draw(st.integers(1, 32)), draw(st.integers(1, 32))
    square = st.one_of(st.just("."), st.just("."), tiles)
    row = st.lists(square, min_size=width, max_size=width).map("".join)
    players = draw(st.integers(1, 6))
    racks = draw(st.lists(st.lists(tiles, max_size=9).map("".join), min_size=players, max_size=players))
    if racks == [""]:
        racks = ["?"]
    ops = draw(known_ops) + draw(st.lists(unknown_ops, max_size=4))
    return Position(
        tuple(draw(st.lists(row, min_size=height, max_size=height))),
        tuple(racks),
        tuple(draw(st.lists(st.integers(-999, 9999), min_size=players, max_size=players))),
        draw(st.integers(0, 12)),
        tuple(draw(st.permutations(ops))),
    )


@settings(deadline=None)
@given(positions())
def test_every_position_reads_back_as_itself(position: Position) -> None:
    line = format_cgp(position)
    assert parse_cgp(line) == position
    assert format_cgp(parse_cgp(line)) == line


@settings(deadline=None)
@given(st.text(max_size=80) | st.text("0123456789/ABab[]? ;.-lmbex", max_size=80))
def test_any_text_is_a_position_or_a_typed_error(text: str) -> None:
    try:
        position = parse_cgp(text)
    except PositionError:
        return
    assert parse_cgp(format_cgp(position)) == position
