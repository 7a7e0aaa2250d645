"""Game and its parts as plain data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fastscore.coordinates import Direction
from fastscore.errors import NotationError
from fastscore.game import KINDS, TURN_KINDS, Event, Game, Player, Pragma, Problem
from fastscore.gcg import read_game
from fastscore.rules.ruleset import load_rules

DATA = Path(__file__).parent / "data"
EXPECTED = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))
# A name that would clear a terminal, turn its text around and hide a letter.
HOSTILE = "Bo\x1b[2Jb\u202e\u200b\x07"


def small_game() -> Game:
    return Game(
        players=[Player("ann", "Ann A"), Player("ben", "Ben B")],
        events=[
            Event.placement(0, "8D", "WINDY", 32, 32, rack="DINNVWY"),
            Event("exchange_count", 1, "AB", "2", score=0, total=0),
            Event("pass", 0, score=0, total=32),
        ],
    )


def test_kinds_are_those_of_the_corpus() -> None:
    found = {kind for record in EXPECTED.values() for kind in record["kinds"]}
    assert found == set(KINDS)
    assert set(KINDS) > TURN_KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_which_kinds_are_turns(kind: str) -> None:
    turns = {"place", "exchange", "exchange_count", "pass"}
    assert Event(kind, 0).is_turn == (kind in turns)  # type: ignore[arg-type]


def test_a_placement_knows_its_square() -> None:
    assert Event.placement(0, "8D", "WINDY", 32, 32).at == (7, 3, Direction.ACROSS)
    assert Event.placement(0, "d8", "WINDY", 32, 32).at == (7, 3, Direction.DOWN)
    # With lettered rows H is the eighth row and 4 the fourth column.
    assert Event.placement(0, "H4", "WINDY", 32, 32, lettered_rows=True).at == (7, 3, Direction.ACROSS)
    with pytest.raises(NotationError):
        Event.placement(0, "8-D", "WINDY", 32, 32)


@pytest.mark.parametrize(
    ("event", "move", "text"),
    [
        (Event.placement(0, "8D", "WINDY", 32, 32, rack="DINNVWY"), "8D WINDY", "DINNVWY 8D WINDY +32 32"),
        (Event("exchange", 0, "AB?", "A?", score=0, total=5), "-A?", "AB? -A? +0 5"),
        (Event("exchange_count", 0, None, "4", score=0, total=5), "-4", "-4 +0 5"),
        (Event("pass", 0, "AB", score=0, total=5), "-", "AB - +0 5"),
        (Event("withdraw", 0, "AB", score=-70, total=0), "--", "AB -- -70 0"),
        (Event("challenge_bonus", 0, score=5, total=10), "(challenge)", "(challenge) +5 10"),
        (Event("time_penalty", 0, score=-10, total=-4), "(time)", "(time) -10 -4"),
        (Event("end_points", 0, None, "QZ", score=40, total=41), "(QZ)", "(QZ) +40 41"),
        (Event("end_penalty", 0, "QZ", "QZ", score=-20, total=1), "(QZ)", "QZ (QZ) -20 1"),
        (Event("malformed", None, text=">x y"), ">x y", ">x y"),
    ],
)
def test_events_as_text(event: Event, move: str, text: str) -> None:
    assert event.move == move
    assert str(event) == text


def test_the_number_of_an_exchange_by_number() -> None:
    assert Event("exchange_count", 0, text="4").exchanged == 4
    assert Event("exchange", 0, text="ABC").exchanged is None


def test_totals_are_the_last_recorded_ones() -> None:
    game = small_game()
    assert game.recorded_totals == [32, 0]
    game.events.append(Event("malformed", None, text="?", total=99))
    game.events.append(Event("pass", 1, score=0))
    assert game.recorded_totals == [32, 0]
    assert Game(players=[Player("ann")]).recorded_totals == [None]
    assert str(game) == "Ann A 32, Ben B 0, 5 events"


def test_iteration_gives_the_events() -> None:
    game = small_game()
    assert list(game) == game.events
    assert len(game) == 3
    assert len(Game()) == 0
    assert bool(Game())


def test_what_the_pragmas_say() -> None:
    game = small_game()
    assert (game.title, game.description, game.game_id, game.lexicon, game.game_type) == (None,) * 5
    assert (game.layout_name, game.distribution_name, game.lettered_rows, game.incomplete) == (None, None, False, False)
    assert (game.opening_racks, game.final_racks, game.declared_tiles) == ({}, {}, ())
    game.pragmas = [
        Pragma("title", "Final"),
        Pragma("title", "Another"),
        Pragma("description", "one"),
        Pragma("description", "two"),
        Pragma("id", "io.woogles  p6Q"),
        Pragma("lexicon", "CSW21"),
        Pragma("board-layout", "SuperCrosswordGame"),
        Pragma("tile-distribution", "english_super"),
        Pragma("game-type", "classic_super"),
        Pragma("orientation", "lettered-rows"),
        Pragma("tile", "CH ch"),
        Pragma("tile", "half"),
        Pragma("rack1", "ABC"),
        Pragma("rack2", "DEF", after=1),
        Pragma("rack2", "GHI", after=3),
        Pragma("incomplete", "", after=3),
    ]
    assert game.title == "Final"
    assert game.description == "one\ntwo"
    assert game.game_id == ("io.woogles", "p6Q")
    assert game.lexicon == "CSW21"
    assert game.layout_name == "standard21"
    assert game.distribution_name == "english_super"
    assert game.game_type == "classic_super"
    assert game.lettered_rows
    assert game.incomplete
    assert game.declared_tiles == (("CH", "ch"),)
    assert game.opening_racks == {0: "ABC"}
    assert game.final_racks == {1: "GHI"}


def test_where_a_game_came_from_is_not_compared() -> None:
    game = small_game()
    other = small_game()
    other.source, other.first_line, other.encoding, other.newline = "x.gcg", 7, "utf-8", "crlf"
    other.problems.append(Problem("tab", 1, 1, "x", "warning"))
    other.events[0].line = 12
    assert other == game
    other.events[0].notes = ("good",)
    assert other != game


def test_errors_among_the_problems() -> None:
    game = small_game()
    game.problems.append(Problem("tab", 3, 9, "white space", "warning"))
    assert not game.has_errors
    game.problems.append(Problem("line-unknown", 4, 1, "x", "error"))
    assert game.has_errors
    assert str(game.problems[0]) == "3:9: warning: tab: white space"


def test_text_from_a_record_reaches_a_terminal_clean() -> None:
    player = Player(HOSTILE, f"{HOSTILE} Smith")
    assert player.label == "Bob Smith"
    assert Player(HOSTILE).label == "Bob"
    assert str(Game(players=[player])) == "Bob Smith -, 0 events"
    assert str(Event("malformed", None, text=f">{HOSTILE}")) == ">Bob"
    assert str(Problem("tab", 1, 1, HOSTILE, "warning")) == "1:1: warning: tab: Bob"


class TestBoards:
    @pytest.mark.parametrize(
        ("file", "rules"),
        [
            ("traditional0.gcg", "classic/english"),
            ("h13_polish_crlf_digit_nicknames.gcg", "classic/polish"),
            ("h18_full_words_no_final_newline.gcg", "classic/english"),
            ("h24_three_withdrawals.gcg", "classic/english"),
            ("d2_parentheses_from_h24_three_withdrawals.gcg", "classic/english"),
            ("h31_withdrawal_without_placement.gcg", "classic/english"),
            ("h45_german_lettered_rows_errors.gcg", "classic/german"),
            ("s4_super_board_from_h24_three_withdrawals.gcg", "super/english"),
        ],
    )
    def test_the_last_board_is_the_expected_one(self, file: str, rules: str) -> None:
        game = read_game(DATA / "games" / file)
        boards = list(game.boards(load_rules(rules)))
        assert len(boards) == len(game) + 1
        assert boards[0].to_rows() == ["." * boards[0].cols] * boards[0].rows
        assert boards[-1].to_rows() == EXPECTED[file]["board"]

    def test_a_play_that_cannot_be_laid_leaves_the_board(self) -> None:
        game = small_game()
        game.events.insert(1, Event.placement(1, "8D", "WORD", 10, 10))
        game.events.insert(2, Event.placement(0, "9D", "W,RD", 10, 10))
        first, *others = game.boards(load_rules("classic/english"))
        assert first != others[0]
        assert others == [others[0]] * 5

    def test_a_withdrawal_takes_back_the_own_play_right_before_it(self) -> None:
        game = small_game()
        game.events[1:1] = [Event("withdraw", 1), Event("withdraw", 0), Event("withdraw", 0)]
        boards = list(game.boards(load_rules("classic/english")))
        assert boards[2] == boards[1] != boards[0]
        assert boards[3:] == [boards[0]] * 4
