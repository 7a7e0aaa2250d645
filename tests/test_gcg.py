"""Reading and writing GCG: files, games, encodings, line ends, players, comments, what the writer refuses."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastscore.coordinates import Direction
from fastscore.errors import RecordError
from fastscore.game import Event, Game, Player, Pragma
from fastscore.gcg import read_game, read_games, write_gcg

GAMES = Path(__file__).parent / "data" / "games"
HEAD = "#character-encoding UTF-8\n#player1 ann Ann A\n#player2 ben Ben B\n"


def parse(text: str | bytes, *, strict: bool = False) -> Game:
    data = text.encode() if isinstance(text, str) else text
    (game,) = read_games(io.BytesIO(data), strict=strict)
    return game


def codes(game: Game) -> list[str]:
    return [problem.code for problem in game.problems]


def written(game: Game, **options: Any) -> str:
    handle = io.StringIO()
    write_gcg(game, handle, **options)
    return handle.getvalue()


# What follows the short name of the first player under HEAD, and the event.
EVENTS = [
    ("DINNVWY 8D WINDY +32 32", Event.placement(0, "8D", "WINDY", 32, 32, rack="DINNVWY")),
    ("DINNVWY D8 WINDY +32 32", Event.placement(0, "D8", "WINDY", 32, 32, rack="DINNVWY")),
    ("AB AA9 .b +2 2", Event.placement(0, "AA9", ".b", 2, 2, rack="AB")),
    ("?A 8D (WIND)Y +32 32", Event.placement(0, "8D", "(WIND)Y", 32, 32, rack="?A")),
    ("[CH]A 8D [CH]O[ch] +7 7", Event.placement(0, "8D", "[CH]O[ch]", 7, 7, rack="[CH]A")),
    ("ŻŹ 8D ŻŹ +14 14", Event.placement(0, "8D", "ŻŹ", 14, 14, rack="ŻŹ")),
    ("EEEEEEE -E +0 161", Event("exchange", 0, "EEEEEEE", "E", score=0, total=161)),
    ("ABC? -? +0 10", Event("exchange", 0, "ABC?", "?", score=0, total=10)),
    ("IIIU -4 +0 349", Event("exchange_count", 0, "IIIU", "4", score=0, total=349)),
    ("AB - +0 10", Event("pass", 0, "AB", score=0, total=10)),
    ("AB -  +0 10", Event("pass", 0, "AB", score=0, total=10)),
    ("AB -- -45 59", Event("withdraw", 0, "AB", score=-45, total=59)),
    ("AB --  -45 59", Event("withdraw", 0, "AB", score=-45, total=59)),
    ("AB -- +0 59", Event("withdraw", 0, "AB", score=0, total=59)),
    ("ABC (challenge) +5 47", Event("challenge_bonus", 0, "ABC", score=5, total=47)),
    (" (challenge) +5 47", Event("challenge_bonus", 0, None, score=5, total=47)),
    ("(challenge) -10 37", Event("challenge_bonus", 0, None, score=-10, total=37)),
    ("NU (time) -10 422", Event("time_penalty", 0, "NU", score=-10, total=422)),
    (" (time) -10 422", Event("time_penalty", 0, None, score=-10, total=422)),
    (" (RR) +4 373", Event("end_points", 0, None, "RR", score=4, total=373)),
    ("(RR) +4 373", Event("end_points", 0, None, "RR", score=4, total=373)),
    ("(Q[CH]?) +4 373", Event("end_points", 0, None, "Q[CH]?", score=4, total=373)),
    ("T (T) -1 452", Event("end_penalty", 0, "T", "T", score=-1, total=452)),
    ("AB (AB) -4 -4", Event("end_penalty", 0, "AB", "AB", score=-4, total=-4)),
]


class TestEvents:
    @pytest.mark.parametrize(("body", "event"), EVENTS, ids=[body for body, _ in EVENTS])
    def test_within_the_format(self, body: str, event: Event) -> None:
        game = parse(f"{HEAD}>ann: {body}\n", strict=True)
        assert game.events == [event]
        assert game.events[0].line == 4
        assert game.problems == []
        assert parse(written(game)) == game

    def test_all_spellings_of_an_unknown_rack_give_one_event(self) -> None:
        bodies = [" (challenge) +5 47", "UNKNOWN (challenge) +5 47", "_______ (challenge) +5 47"]
        games = [parse(f"{HEAD}>ann: {body}\n") for body in bodies]
        assert [game.events for game in games] == [games[0].events] * 3
        assert [codes(game) for game in games] == [[], ["rack-unknown-word"], ["rack-unknown"]]

    def test_lettered_rows(self) -> None:
        head = f"{HEAD}#orientation lettered-rows\n"
        game = parse(f"{head}>ann: AB H4 AB +8 8\n>ben: AB 4H AB +8 8\n")
        assert [event.at for event in game] == [(7, 3, Direction.ACROSS), (7, 3, Direction.DOWN)]
        assert [event.coordinate for event in game] == ["H4", "4H"]
        # It does not stay for the next reader.
        assert parse(f"{HEAD}>ann: AB H4 AB +8 8\n").events[0].at == (3, 7, Direction.DOWN)

    def test_malformed_lines_are_kept_and_the_next_ones_read(self) -> None:
        game = parse(f"{HEAD}>ann: AB WORD +1 1\nwhat is this\n>ben: AB 8D AB +8 8\n")
        assert game.events[:2] == [
            Event("malformed", None, text=">ann: AB WORD +1 1"),
            Event("malformed", None, text="what is this"),
        ]
        assert game.events[2] == Event.placement(1, "8D", "AB", 8, 8, rack="AB")
        assert codes(game) == ["event-malformed", "line-unknown"]

    def test_numbers_without_end_are_no_numbers(self) -> None:
        game = parse(f"{HEAD}>ann: AB 8D AB +{'9' * 5000} 8\n>ann: AB 8D AB +8 {'9' * 5000}\n")
        assert codes(game) == ["score-malformed", "total-malformed"]
        assert [(event.kind, event.score, event.total) for event in game] == [
            ("malformed", None, None),
            ("place", 8, None),
        ]


class TestComments:
    def test_several_of_several_lines(self) -> None:
        game = parse(
            f"{HEAD}#note early\n>ann: AB 8D AB +8 8\n#note one\n\n  more: x\n\n\n#note\n#note  three \n"
            ">ben: AB 9D AB +8 8\n\n#note four"
        )
        assert game.notes == ("early",)
        assert game.events[0].notes == ("one\n\n  more: x", "", " three ")
        assert game.events[1].notes == ("four",)
        assert codes(game) == ["note-before-events", "no-final-newline"]
        assert parse(written(game)) == game

    def test_a_comment_belongs_to_the_event_before_it(self) -> None:
        game = parse(f"{HEAD}>ann: AB -- -8 0\n#note x\n#rack2 AB\n#note y\n")
        assert game.events[0].notes == ("x", "y")
        assert game.final_racks == {1: "AB"}

    def test_a_tab_in_a_comment_is_nothing_special(self) -> None:
        game = parse(f"{HEAD}>ann: AB - +0 0\n#note a\tb\n")
        assert game.events[0].notes == ("a\tb",)
        assert game.problems == []

    def test_lines_of_no_known_form_after_anything_else_are_no_comments(self) -> None:
        game = parse(f"{HEAD}#title x\nmore\n")
        assert codes(game) == ["line-unknown"]


class TestPragmas:
    def test_kept_in_their_order_and_place(self) -> None:
        game = parse(
            f"{HEAD}#title T \n#description\n#style x\n#tile-set a\n#- b\n#-  c\n#foo bar\n#rack1 AB\n"
            ">ann: AB - +0 0\n#rack2 CD\n#incomplete CD\n"
        )
        assert game.pragmas == [
            Pragma("title", "T"),
            Pragma("description", ""),
            Pragma("style", "x"),
            Pragma("tile-set", "a\nb\n c"),
            Pragma("foo", "bar"),
            Pragma("rack1", "AB"),
            Pragma("rack2", "CD", after=1),
            Pragma("incomplete", "CD", after=1),
        ]
        assert [pragma.line for pragma in game.pragmas] == [4, 5, 6, 7, 10, 11, 13, 14]
        assert game.incomplete
        assert game.final_racks == {1: "CD"}
        assert codes(game) == ["pragma-unknown", "rack-pragma-before-events"]
        assert parse(written(game)) == game

    def test_the_first_of_two_counts(self) -> None:
        game = parse(f"{HEAD}#lexicon A\n#lexicon B\n")
        assert game.lexicon == "A"
        assert codes(game) == ["pragma-repeated"]
        assert parse(written(game)) == game


class TestPlayers:
    def test_four(self) -> None:
        game = read_game(GAMES / "h05_four_players_crlf.gcg")
        assert [player.nick for player in game.players] == ["Player_A", "PlayerB", "Player_C", "Player_D"]
        assert [event.player for event in game] == [index % 4 for index in range(17)]

    def test_one_nickname_for_two_goes_by_turns(self) -> None:
        head = "#character-encoding UTF-8\n#player1 x Ann\n#player2 x Ben\n"
        lines = [
            ">x: AB 8D AB +8 8",  # 1
            ">x: AB (challenge) +5 13",  # whose play stood
            ">x: CD 9D CD +10 10",  # 2
            ">x: CD -- -10 0",  # the same
            ">x: AB - +0 13",  # 1
            ">x: CD -C +0 0",  # 2
            ">x: (CD) +10 23",  # 13 + 10 = 23: 1, though 2 had the last turn
            ">x: CD (time) -10 -10",  # 0 - 10 = -10: 2
        ]
        game = parse(head + "".join(f"{line}\n" for line in lines))
        assert [event.player for event in game] == [0, 0, 1, 1, 0, 1, 0, 1]
        assert set(codes(game)) == {"duplicate-nickname", "ambiguous-player"}
        assert parse(written(game)) == game

    def test_nicknames_may_hold_anything_but_space(self) -> None:
        nicks = ["!!P!!..A~`+=-__", "P(b)#%^()&&:x:"]
        head = f"#player1 {nicks[0]} A\n#player2 {nicks[1]} B\n"
        game = parse(f"{head}>{nicks[0]}: AB 8D AB +8 8\n>{nicks[1]}: AB - +0 0\n")
        assert [event.player for event in game] == [0, 1]
        assert game.problems == []

    def test_without_any_player_line_up_to_four_are_added(self) -> None:
        text = "".join(f">p{number}: AB - +0 0\n" for number in (1, 2, 3, 4, 1, 5))
        game = parse(text)
        assert [player.nick for player in game.players] == ["p1", "p2", "p3", "p4"]
        # The fifth goes to the one whose turn it is: 1 had the last one.
        assert [event.player for event in game] == [0, 1, 2, 3, 0, 1]
        assert codes(game) == ["player-undeclared"] * 4 + ["player-unknown"]

    def test_a_single_player_line_leaves_room_for_the_opponent(self) -> None:
        game = parse("#player1 a Ann\n>a: AB - +0 0\n>b: AB - +0 0\n>c: AB - +0 0\n>b: AB - +0 0\n")
        assert [event.player for event in game] == [0, 1, 0, 1]
        assert codes(game) == ["player-undeclared", "player-unknown"]

    def test_a_number_that_is_left_out(self) -> None:
        game = parse("#player2 b Ben\n>b: AB - +0 0\n")
        assert game.players == [Player(""), Player("b", "Ben")]
        assert game.events[0].player == 1
        assert codes(game) == ["player-left-out"]
        assert parse(written(game)) == game

    def test_an_event_of_nobody_at_all_is_malformed(self) -> None:
        game = parse(">: AB - +0 0\n")
        assert [(event.kind, event.player) for event in game] == [("malformed", None)]
        assert codes(game) == ["player-unknown"]


class TestEncodings:
    BODY = "#player1 żółw Żółw\n#player2 b B\n>żółw: ĄĘ 8D ĄĘ +20 20\n"
    LATIN = "#player1 jörg Jörg\n#player2 b B\n>jörg: ÄÖ 8D ÄÖ +20 20\n"

    @pytest.mark.parametrize(
        ("data", "encoding", "found"),
        [
            ("#character-encoding UTF-8\n" + BODY, "utf-8", []),
            ("#character-encoding utf8\n" + BODY, "utf-8", []),
            ("\ufeff#character-encoding utf-8\n" + BODY, "utf-8", ["byte-order-mark"]),
            ("\ufeff" + BODY, "utf-8", ["byte-order-mark"]),
            (BODY, "utf-8", ["encoding-undeclared"]),
            ((LATIN).encode("latin-1"), "iso-8859-1", ["encoding-default"]),
            (("#character-encoding ISO-8859-1\n" + LATIN).encode("latin-1"), "iso-8859-1", []),
            (("#character-encoding iso 8859-1\n" + LATIN).encode("latin-1"), "iso-8859-1", []),
            (
                ("#Character-Encoding latin1\n" + LATIN).encode("latin-1"),
                "iso-8859-1",
                ["encoding-spelling", "pragma-not-lower-case"],
            ),
            # Three lines have bytes that are not UTF-8; none loses a letter.
            (("#character-encoding UTF-8\n" + LATIN).encode("latin-1"), "utf-8", ["encoding-mismatch"] * 2),
        ],
    )
    def test_the_letters_are_right(self, data: str | bytes, encoding: str, found: list[str]) -> None:
        game = parse(data)
        assert game.encoding == encoding
        assert (game.players[0].nick, game.events[0].text) in [("żółw", "ĄĘ"), ("jörg", "ÄÖ")]
        assert codes(game) == found
        assert parse(written(game)) == game

    def test_one_bad_line_does_not_cost_the_others_their_letters(self) -> None:
        data = ("#character-encoding UTF-8\n" + self.BODY).encode() + b"#note caf\xe9\n"
        game = parse(data)
        assert game.players[0].nick == "żółw"
        assert game.events[0].notes == ("café",)
        (problem,) = game.problems
        assert (problem.code, problem.line, problem.column) == ("encoding-mismatch", 5, 10)

    def test_an_unknown_one_is_read_as_the_formats_own(self) -> None:
        game = parse("#character-encoding ISO8859-6\n#player1 jóu J\n")
        assert game.players[0].nick == "jÃ³u"
        assert (game.encoding, game.encoding_declared) == ("iso-8859-1", "ISO8859-6")
        assert [(p.code, p.line, p.column) for p in game.problems] == [("encoding-unsupported", 1, 21)]

    def test_a_declaration_holds_for_the_games_after_it(self) -> None:
        data = ("#character-encoding UTF-8\n" + self.BODY + self.BODY).encode() + b"#player1 caf\xe9 C\n"
        first, second, third = read_games(io.BytesIO(data))
        assert (codes(first), codes(second), codes(third)) == ([], [], ["encoding-mismatch"])
        assert second.encoding_declared is None
        assert second.events == first.events
        assert third.players[0].nick == "café"

    def test_without_one_each_game_is_looked_at_alone(self) -> None:
        data = self.BODY.encode() + self.LATIN.encode("latin-1")
        games = list(read_games(io.BytesIO(data)))
        assert [game.encoding for game in games] == ["utf-8", "iso-8859-1"]
        assert [game.players[0].nick for game in games] == ["żółw", "jörg"]

    def test_text_that_was_decoded_elsewhere(self) -> None:
        game = read_game(io.StringIO("#character-encoding ISO-8859-1\n" + self.BODY))
        assert game.players[0].nick == "żółw"
        assert game.encoding is None
        assert game.problems == []


class TestLineEnds:
    LINES = (HEAD + ">ann: AB 8D AB +8 8\n#note x\n\ny\n>ben: AB - +0 0\n").splitlines()

    @pytest.mark.parametrize(("end", "name"), [("\n", "lf"), ("\r\n", "crlf"), ("\r", "cr")])
    @pytest.mark.parametrize("final", [True, False])
    def test_every_kind(self, end: str, name: str, final: bool) -> None:
        text = end.join(self.LINES) + (end if final else "")
        game = parse(text)
        assert game == parse("\n".join(self.LINES))
        assert (game.newline, game.final_newline) == (name, final)
        assert [event.line for event in game] == [4, 8]
        assert codes(game) == ([] if final else ["no-final-newline"])

    def test_mixed(self) -> None:
        game = parse("\r\n".join(self.LINES) + "\n")
        assert (game.newline, codes(game)) == ("mixed", ["mixed-newlines"])

    def test_other_separators_end_no_line(self) -> None:
        game = parse(f"{HEAD}>ann: AB - +0 0\n#note a\x0bb\x0cc\u2028d\x85e\n")
        assert game.events[0].notes == ("a\x0bb\x0cc\u2028d\x85e",)
        assert codes(game) == ["control-character"]


class TestManyGames:
    ONE = "#player1 a A\n#player2 b B\n>a: AB 8D AB +8 8\n>b: CD - +0 0\n"

    def test_a_broken_game_does_not_touch_the_others(self) -> None:
        broken = "#player1 a A\nwhat\n>a: \x00\n>a:\n"
        games = list(read_games(io.BytesIO((self.ONE + broken + self.ONE).encode())))
        assert [game.has_errors for game in games] == [False, True, False]
        assert games[0] == games[2]
        assert [game.first_line for game in games] == [1, 5, 9]
        assert [event.line for event in games[2]] == [11, 12]

    def test_games_without_events_go_apart_by_their_encoding_line(self) -> None:
        head = "#character-encoding UTF-8\n"
        games = list(read_games(io.StringIO(f"{head}#title x\n{head}{head}{self.ONE}")))
        assert [game.title for game in games] == ["x", None, None]
        assert [len(game) for game in games] == [0, 0, 2]

    def test_a_second_player_line_before_any_event_begins_no_game(self) -> None:
        game = parse("#player1 a A\n#player1 c C\n>a: AB - +0 0\n")
        assert game.players == [Player("a", "A")]
        assert codes(game) == ["player-repeated"]

    def test_heads_are_only_at_the_start_of_a_line(self) -> None:
        text = self.ONE + "#note see #player1 x\n #player1 y\n#player1x\n#player12 z\n"
        game = parse(text)
        assert game.events[1].notes == ("see #player1 x\n #player1 y",)
        assert codes(game) == ["pragma-late", "pragma-unknown", "pragma-late", "player-number"]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("size", [1, 7, 64, 4096])
    def test_cut_anywhere_by_a_handle_that_gives_little(self, size: int, end: str) -> None:
        text = (self.ONE + "#character-encoding utf-8\n" + self.ONE + "\ufeff" + self.ONE).replace("\n", end)

        class Slow(io.BytesIO):
            def read(self, _: int | None = -1, /) -> bytes:
                return super().read(size)

        games = list(read_games(Slow(text.encode())))
        assert games == list(read_games(io.BytesIO(text.encode())))
        assert [game.first_line for game in games] == [1, 5, 10]
        assert len(games) == 3

    def test_read_game_gives_the_first_and_says_so(self) -> None:
        game = read_game(io.BytesIO((self.ONE * 3).encode()))
        assert [(p.code, p.line) for p in game.problems] == [("several-games", 5)]
        with pytest.raises(RecordError) as caught:
            read_game(io.BytesIO((self.ONE * 3).encode()), strict=True)
        assert (caught.value.code, caught.value.line) == ("several-games", 5)

    def test_one_game_is_held_at_a_time(self) -> None:
        one = self.ONE + "#note x\n" + "a long comment\n" * 700
        handle = io.BytesIO(one.encode() * 400)
        tracemalloc.start()
        try:
            count = sum(len(game) for game in read_games(handle))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert count == 800
        # A few chunks of the file and a game, not the 4.2 MB of the file.
        assert peak < 1_500_000

    def test_a_path_or_a_handle(self, tmp_path: Path) -> None:
        path = tmp_path / "two.gcg"
        path.write_text(self.ONE * 2)
        by_path, by_name = list(read_games(path)), list(read_games(str(path)))
        assert by_path == by_name
        assert [game.source for game in by_path] == [str(path)] * 2
        with path.open("rb") as binary, path.open(encoding="utf-8") as text:
            assert list(read_games(binary)) == list(read_games(text)) == by_path
        with pytest.raises(FileNotFoundError):
            next(read_games(tmp_path / "none.gcg"))


class TestStrict:
    def test_the_error_has_code_file_line_and_column(self, tmp_path: Path) -> None:
        path = tmp_path / "bad.gcg"
        path.write_text(HEAD + ">ann: AB 8D AB 8 8\n")
        with pytest.raises(RecordError) as caught:
            read_game(path, strict=True)
        error = caught.value
        assert (error.code, error.source, error.line, error.column) == ("score-without-sign", str(path), 4, 16)
        assert str(error) == f"{path}:4:16: '8', expected +8"

    def test_games_before_the_bad_one_are_given(self) -> None:
        games = read_games(io.StringIO(HEAD + ">ann: AB - +0 0\n" + HEAD + "what\n"), strict=True)
        assert len(next(games)) == 1
        with pytest.raises(RecordError, match="'what' is no pragma"):
            next(games)


# (changes to a game of one pass, what the message says)
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"players": [Player("a b", "A")]}, "short name 'a b'"),
    ({"players": [Player(" a", "A")]}, "short name ' a'"),
    ({"players": [Player("a", "A\nB")]}, "name 'A\\nB' has a line end"),
    ({"players": [Player("a", " A")]}, "players"),
    ({"players": [Player(f"p{n}", "x") for n in range(5)]}, "5 players"),
    ({"players": []}, "of player 0"),
    ({"players": [Player("", "A")]}, "of player 0"),
    ({"events": [Event("pass", None, "AB", score=0, total=0)]}, "of player None"),
    ({"events": [Event("pass", 1, "AB", score=0, total=0)]}, "of player 1"),
    ({"events": [Event("pass", 0, "AB", total=0)]}, "without score"),
    ({"events": [Event("pass", 0, "AB", score=0)]}, "without score or running total"),
    ({"events": [Event("pass", 0, "A B", score=0, total=0)]}, "would read back as another"),
    ({"events": [Event("pass", 0, "", score=0, total=0)]}, "would read back as another"),
    ({"events": [Event("pass", 0, "UNKNOWN", score=0, total=0)]}, "would read back as another"),
    ({"events": [Event("pass", 0, "A", "x", score=0, total=0)]}, "would read back as another"),
    ({"events": [Event("place", 0, "AB", "AB", "8D", None, 8, 8)]}, "would read back as another"),
    ({"events": [Event("place", 0, "AB", "", "8D", (7, 3, Direction.ACROSS), 8, 8)]}, "would read back as another"),
    ({"events": [Event.placement(0, "8D", "A B", 8, 8)]}, "would read back as another"),
    ({"events": [Event.placement(0, "8D", "AB", 10**9, 8)]}, "would read back as another"),
    ({"events": [Event("exchange", 0, "AB", "3", score=0, total=0)]}, "would read back as another"),
    ({"events": [Event("end_points", 0, None, "A B", score=4, total=4)]}, "would read back as another"),
    ({"events": [Event("end_penalty", 0, "A", "A", score=4, total=4)]}, "would read back as another"),
    ({"events": [Event("malformed", None, text="what")]}, "'what' is no event"),
    ({"notes": ("a\n#b",)}, "comment 'a\\n#b'"),
    ({"notes": ("a\n>b",)}, "comment 'a\\n>b'"),
    ({"notes": ("a\rb",)}, "comment 'a\\rb'"),
    ({"notes": ("a\n",)}, "notes"),
    ({"pragmas": [Pragma("a b", "x")]}, "pragma 'a b'"),
    ({"pragmas": [Pragma("title", "x\ny")]}, "would read back as another"),
    ({"pragmas": [Pragma("Title", "x")]}, "pragmas"),
    ({"pragmas": [Pragma("title", " x")]}, "pragmas"),
    ({"pragmas": [Pragma("note", "x")]}, "would read back as another"),
    ({"pragmas": [Pragma("player2", "b B")]}, "would read back as another"),
    ({"pragmas": [Pragma("rack1", "AB", after=2)]}, "#rack1 after 2 events of 1"),
    ({"pragmas": [Pragma("title", "\ud800")]}, "is no character"),
]


class TestWriter:
    def test_one_spelling(self) -> None:
        text = (
            HEAD
            + "#title T\n>ann: DINNVWY 8D WINDY +32 32\n#note fine\nplay\n>ben: _______ -  +0 0\n"
            + ">ann:  (challenge) +5 37\n>ben: AB -- -0 0\n>ann:  (AB) +8 45\n#rack2 AB\n"
        )
        assert written(parse(text)) == text.replace("-0 0", "+0 0").replace("AB -- ", "AB --  ")

    def test_bytes_text_or_a_path(self, tmp_path: Path) -> None:
        game = read_game(GAMES / "h13_polish_crlf_digit_nicknames.gcg")
        path, binary = tmp_path / "x.gcg", io.BytesIO()
        write_gcg(game, path)
        write_gcg(game, binary)
        assert path.read_bytes() == binary.getvalue() == written(game).encode()
        with path.open("w", encoding="utf-8", newline="") as handle:
            write_gcg(game, handle)
        assert path.read_bytes() == binary.getvalue()

    def test_a_handle_of_another_encoding_is_refused(self, tmp_path: Path) -> None:
        with (tmp_path / "x.gcg").open("w", encoding="latin-1") as handle, pytest.raises(RecordError, match="latin-1"):
            write_gcg(Game(), handle)

    def test_several_games_one_after_the_other(self) -> None:
        games = [Game(), parse(HEAD), parse(HEAD + ">ann: AB - +0 0\n"), Game(), parse(HEAD + "#title x\n")]
        handle = io.BytesIO()
        for game in games:
            write_gcg(game, handle)
        handle.seek(0)
        assert list(read_games(handle, strict=False)) == games

    @pytest.mark.parametrize(("changes", "message"), REFUSED)
    def test_refuses_what_would_not_come_back(self, changes: dict[str, Any], message: str) -> None:
        fields = {"players": [Player("a", "A")], "events": [Event("pass", 0, "AB", score=0, total=0)], **changes}
        handle = io.StringIO()
        with pytest.raises(RecordError) as caught:
            write_gcg(Game(**fields), handle)
        assert caught.value.code == "unwritable"
        assert message in str(caught.value)
        assert handle.getvalue() == ""


class TestDisplay:
    def test_names_never_reach_a_terminal_raw(self) -> None:
        game = parse("#player1 a\x1b[2J \u202eBob\x07\n>a\x1b[2J: AB - +0 0\n#note \x1b]0;x\x07\n")
        shown = [str(game), game.players[0].label, *map(str, game), *map(str, game.problems)]
        assert all(text.isprintable() for text in shown)
        assert game.players[0].label == "Bob"
        assert [(p.line, p.column) for p in game.problems if p.code == "control-character"] == [(1, 11), (3, 7)]


# Games for the round trip.
spaceless = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
lines = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20).map(str.strip)
letters = st.text("ABCDEÄŻabż?", min_size=1, max_size=7)
racks = st.none() | letters.filter(lambda rack: rack != "UNKNOWN")
comments = st.lists(lines.filter(lambda line: line[:1] not in ("#", ">")), min_size=1, max_size=3).map("\n".join)
notes = st.lists(comments.filter(lambda text: text == text.rstrip("\n")), max_size=2).map(tuple)
numbers = st.integers(-999, 9999)


@st.composite
def events(draw: st.DrawFn, players: int) -> Event:
    player = draw(st.integers(0, players - 1))
    kind = draw(
        st.sampled_from(
            [
                "place",
                "exchange",
                "exchange_count",
                "pass",
                "withdraw",
                "challenge_bonus",
                "end_points",
                "end_penalty",
                "time_penalty",
            ]
        )
    )
    rack, score, total = draw(racks), draw(numbers), draw(numbers)
    if kind == "place":
        row, col = draw(st.integers(1, 32)), draw(st.sampled_from([*"ABCOUZ", "AA", "AF"]))
        coordinate = draw(st.sampled_from([f"{row}{col}", f"{col}{row}"]))
        event = Event.placement(player, coordinate, draw(letters | st.just("(AB).[CH]")), score, total, rack=rack)
    elif kind == "exchange_count":
        event = Event("exchange_count", player, rack, str(draw(st.integers(1, 7))), score=score, total=total)
    elif kind == "end_points":
        event = Event("end_points", player, None, draw(letters), score=abs(score), total=total)
    elif kind == "end_penalty":
        event = Event("end_penalty", player, rack, draw(letters), score=-abs(score), total=total)
    else:
        text = draw(letters) if kind == "exchange" else ""
        event = Event(kind, player, rack, text, score=score, total=total)  # type: ignore[arg-type]
    event.notes = draw(notes)
    return event


@st.composite
def games(draw: st.DrawFn) -> Game:
    nicks = draw(st.lists(spaceless, min_size=1, max_size=4, unique=True))
    players = [Player(nick, draw(lines)) for nick in nicks]
    happened = draw(st.lists(events(len(players)), max_size=6))
    keywords = st.sampled_from(["title", "description", "id", "lexicon", "tile", "rack1", "incomplete", "something"])
    pragmas = [
        Pragma(draw(keywords), draw(lines), draw(st.integers(0, len(happened)))) for _ in range(draw(st.integers(0, 4)))
    ]
    return Game(players, happened, sorted(pragmas, key=lambda pragma: pragma.after), draw(notes))


@settings(deadline=None, max_examples=150)
@given(st.lists(games(), min_size=1, max_size=3))
def test_every_game_reads_back_as_itself(drawn: list[Game]) -> None:
    handle = io.BytesIO()
    for game in drawn:
        write_gcg(game, handle)
    handle.seek(0)
    assert list(read_games(handle)) == drawn


def test_a_byte_order_mark_before_an_event_changes_no_game() -> None:
    data = b">a: ABC 8G CAB +14 14\n#player1 a Ann\n#player2 b Bob\n>b: DE - +0 0\n"
    plain, marked = (list(read_games(io.BytesIO(text))) for text in (data, b"\xef\xbb\xbf" + data))
    assert [len(game.events) for game in plain] == [len(game.events) for game in marked] == [1, 1]
