"""Replays: turns, positions, results and findings of small records whose numbers are counted by hand."""

from __future__ import annotations

import io
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from fastscore.endings import Ending, EndingStyle
from fastscore.errors import RecordError, RulesError
from fastscore.game import Event, Game, Player
from fastscore.gcg import read_game, read_games
from fastscore.notation.cgp import format_cgp
from fastscore.replays import Replay, replay, replay_many
from fastscore.results import Completeness
from fastscore.rules.layouts import load_layout
from fastscore.rules.letters import load_distribution
from fastscore.rules.ruleset import Ruleset
from fastscore.status import Status
from tests.tiny_games import COMPLETE, END_LINE, HEADER, OPENING, OUT_PLAY, TINY, found, game_of, replay_of, tiny_rules


def record(*lines: str, pragma: str = "") -> Replay:
    """The replay of a record of two players, by the rules that it names."""
    header = HEADER + (f"{pragma}\n" if pragma else "")
    return replay(read_game(io.StringIO(header + "".join(f"{line}\n" for line in lines))))


# What a replay says.


def test_turns() -> None:
    played = replay_of([OPENING, ">b: EE - +0 0", ">a: SS -S +0 101"])
    first, second, third = played.turns
    assert (first.line, first.kind, first.player, first.text) == (3, "place", 0, "8H AN")
    assert (first.recorded, first.computed, first.total_recorded, first.total_computed) == (101, 101, 101, 101)
    assert (first.words, first.tiles_placed, first.rack, first.difference) == (("AN",), 2, "AN", 0)
    assert [turn.number for turn in played.turns] == [1, 2, 3]
    # Two of six tiles are in the bag, and the opening draws them.
    assert [turn.bag for turn in played.turns] == [2, 0, 0]
    assert [turn.scoreless for turn in played.turns] == [0, 1, 2]
    assert (second.kind, second.text, second.words) == ("pass", "-", ())
    assert (third.kind, third.text) == ("exchange", "-S")


def test_positions() -> None:
    played = replay_of(COMPLETE)
    assert len(played) == 3
    assert len(played.positions) == 4
    assert [int((board.tiles != 0).sum()) for board in played.positions] == [0, 2, 4, 4]
    assert [(turn.text, board) for turn, board in played] == list(
        zip(["8H AN", "I8 .EE", "(SS)"], played.positions[:3], strict=True)
    )
    assert played.positions[2].to_rows()[7:10] == [".......AN......", "........E......", "........E......"]


def test_position_as_cgp() -> None:
    played = replay_of([OPENING, ">b: EE - +0 0", ">a: SS -S +0 101"])
    # The player to move first: their rack, their score; one scoreless turn has been made.
    line = format_cgp(played.cgp(2))
    assert line == "15/15/15/15/15/15/15/7AN6/15/15/15/15/15/15/15 SS/ 101/0 1 bdn plain; ld tiny;"


def test_as_plain_data() -> None:
    data = replay_of([">a: AN 8H AN +100 100", *COMPLETE[1:]]).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert [turn["computed"] for turn in data["turns"]] == [101, 120, 12]
    assert [(finding["code"], finding["turn"], finding["difference"]) for finding in data["findings"]] == [
        ("misscored", 0, -1)
    ]
    assert data["result"]["totals_recorded"] == [100, 132]
    assert data["players"] == [{"nick": "a", "name": "Ann"}, {"nick": "b", "name": "Bob"}]


def test_rules_by_name_and_unknown() -> None:
    game = game_of([">a: ET 8G ET +4 4"])
    assert replay(game, "classic/german").rules.letters.name == "german"
    with pytest.raises(RulesError):
        replay(game, "classic/klingon")


def test_text_of_a_finding() -> None:
    finding = replay_of([">a: AN 8H AN +100 100"]).findings[0]
    assert str(finding) == "line 3: misscored: recorded 100, computed 101 (-1): '8H AN': one digit is off by one"
    assert (finding.severity, finding.turn, finding.player, finding.difference) == ("error", 0, 0, -1)


def test_an_empty_record() -> None:
    played = replay(read_game(io.StringIO("")))
    assert [finding.code for finding in played.findings] == ["empty-file"]
    assert (played.turns, played.result.winner, played.result.finished) == ((), None, False)
    assert played.as_dict()["result"]["ranks"] is None


@pytest.mark.parametrize(
    ("event", "complaint"),
    [
        (Event("place", 2, "A", "AN", "8H", None, 1, 1), "player 2, expected one of the 2 of the game"),
        (Event("pass", None), "player None"),
        (Event("castle", 0), "kind 'castle'"),  # type: ignore[arg-type]
        (Event("exchange_count", 0, None, "two"), "'two' tiles exchanged, expected a number"),
    ],
)
@pytest.mark.parametrize("compiled", [True, False])
def test_events_that_no_reader_gives(event: Event, complaint: str, compiled: bool) -> None:
    from fastscore.records.arrays import compiled_facts
    from fastscore.records.facts import FactsByReference

    game = Game([Player("a"), Player("b")], [Event("pass", 0), event])
    with pytest.raises(RecordError, match="event 2: ") as error:
        compiled_facts([game], TINY) if compiled else FactsByReference(game, TINY).facts()
    assert complaint in str(error.value)


# The end: points for the tiles that are left (WESPA Appendix 1).


def test_styles_of_end_lines() -> None:
    double = replay_of(COMPLETE).result
    transfer = replay_of([OPENING, OUT_PLAY, ">b: (SS) +6 126", ">a: SS (SS) -6 95"]).result
    assert double.recorded_style is EndingStyle.DOUBLE
    assert transfer.recorded_style is EndingStyle.TRANSFER
    assert double.totals_recorded == double.totals_computed == (101, 132)
    assert transfer.totals_recorded == transfer.totals_computed == (95, 126)
    # The same spread, 31, and nothing is rewritten in either.
    assert double.spread == transfer.spread == 31
    assert (double.missing, transfer.missing) == ((), ())
    assert (double.winner, transfer.winner) == (1, 1)


def test_a_record_without_end_lines() -> None:
    played = replay_of([OPENING, OUT_PLAY])
    result = played.result
    assert result.recorded_style is EndingStyle.MISSING
    assert [(line.player, line.computed, line.tiles, line.derived) for line in result.missing] == [(1, 12, "SS", True)]
    assert result.completeness is Completeness.DERIVABLE
    # The record says 101 to 120; with the line it would have said 132.
    assert (result.totals_recorded, result.totals_settled) == ((101, 120), (101, 132))
    assert found(played) == [(4, "end-line-missing")]


@pytest.mark.parametrize(
    ("lines", "totals"),
    [
        ([">b: (SS) +16 239"], (231, 239)),
        ([">b: (SS) +8 231", ">a: SS (SS) -8 223"], (223, 231)),
    ],
    ids=["double", "transfer"],
)
def test_out_at_223_against_231_with_8_left(lines: list[str], totals: tuple[int, int]) -> None:
    # A 200 + N 31 = 231; N 31 + E 96 + E 96 = 223; S 4 + S 4 = 8.
    rules = tiny_rules({"A": 200, "N": 31, "E": 96, "S": 4})
    played = replay_of([">a: AN 8H AN +231 231", ">b: EE I8 .EE +223 223", *lines], rules)
    assert played.findings == ()
    assert played.result.totals_computed == totals
    assert played.result.winner == 1


def test_equal_totals_are_a_tie() -> None:
    # A 300 + N 84 = 384; N 84 + E 146 + E 146 = 376; S 2 + S 2 = 4 go from one to the other.
    rules = tiny_rules({"A": 300, "N": 84, "E": 146, "S": 2})
    lines = [">a: AN 8H AN +384 384", ">b: EE I8 .EE +376 376", ">b: (SS) +4 380", ">a: SS (SS) -4 380"]
    result = replay_of(lines, rules).result
    assert (result.totals, result.winner, result.tie) == ((380, 380), None, True)
    box = result.standing(box_rule=True)
    assert box is not None
    assert box.winner == 0


def test_blanks_left_count_nothing() -> None:
    # A blank and an S of 3: 2 x 3 to the one who went out, or 3 from one to the other.
    rules = tiny_rules(counts={"?": 1, "S": 1})
    double = replay_of([OPENING, OUT_PLAY, ">b: (?S) +6 126"], rules)
    transfer = replay_of([OPENING, OUT_PLAY, ">b: (S?) +3 123", ">a: ?S (?S) -3 98"], rules)
    assert (double.findings, transfer.findings) == ((), ())
    # Some programs charge another value for a blank that is left.
    charged = tiny_rules(counts={"?": 1, "S": 1}, end_blank_value=4)
    assert replay_of([OPENING, OUT_PLAY, ">b: (?S) +14 134"], charged).findings == ()


def test_six_passes_with_one_line() -> None:
    rules = Ruleset("plain polish", load_layout("standard15"), load_distribution("polish"))
    passes = [">p1: FHIKOPU - +0 10", ">p2: ?ANNZZZ - +0 18"] * 3
    # ZNAD (1 + 1 + 1 + 2) x 2 = 10; KIŚ 2 x 2 + 1 + 5 = 10, KA 4 + 1 = 5, ID 1 + 2 = 3.
    lines = [">p1: ADHNOPZ 8G ZNAD +10 10", ">p2: ?IKNŚZZ 7I KIŚ +18 18", *passes]
    played = replay_of([*lines, ">p2: ?ANNZZZ (ANNZZZ?) +-6 12"], rules, "#player1 p1 One\n#player2 p2 Two\n")
    result = played.result
    assert (result.end.ending, result.recorded_style) == (Ending.ZERO_TURNS, EndingStyle.INCOMPLETE)
    # F 5 + H 3 + I 1 + K 2 + O 1 + P 2 + U 3 = 17 are not taken.
    assert [(line.player, line.computed, line.tiles) for line in result.missing] == [(0, -17, "FHIKOPU")]
    assert (result.totals_recorded, result.totals_settled) == ((10, 12), (-7, 12))
    assert found(played) == [(11, "end-line-missing")]


def test_rack_after_the_last_exchange() -> None:
    idle = [*[">a: AN - +0 0", ">b: EE - +0 0"] * 2, ">a: AN - +0 0", ">b: EE -E +0 0"]
    # Nobody knows what was drawn for the E: no guess. A 1 + N 100 are charged to the other.
    unknown = replay_of(idle).result
    assert unknown.completeness is Completeness.UNKNOWN
    assert [(line.player, line.computed) for line in unknown.missing] == [(0, -101), (1, None)]
    assert unknown.totals_settled == (-101, None)
    # With lines, or a last rack, it is known: E 10 + S 3.
    lines = [">a: AN (AN) -101 -101", ">b: ES (ES) -13 -13"]
    assert replay_of([*idle, *lines]).findings == ()
    told = replay_of([*idle, "#rack2 ES"]).result
    assert told.totals_settled == (-101, -13)


def test_emptying_the_rack_is_no_end_with_tiles_in_the_bag() -> None:
    played = replay_of([OPENING, OUT_PLAY], tiny_rules(counts={"S": 4}))
    assert [turn.bag for turn in played.turns] == [4, 2]
    assert (played.result.end.ending, played.findings) == (Ending.NOT_ENDED, ())


def test_phonies_and_passes_end_the_game() -> None:
    phony = [">a: AN 8H AN +101 101", ">a: AN -- -101 0", ">b: EE - +0 0"]
    played = replay_of(phony * 3)
    # A play challenged off is one scoreless turn, a pass another.
    assert [turn.scoreless for turn in played.turns] == [0, 1, 2, 0, 3, 4, 0, 5, 6]
    assert played.result.end.ending is Ending.ZERO_TURNS
    assert (12, "move-after-end") in found(replay_of([*phony * 3, ">a: AN - +0 0"]))


def test_a_play_of_no_points() -> None:
    counts = {"?": 2, "A": 0, "N": 0, "S": 4}
    line = ">a: ?? 8H an +0 0"
    assert replay_of([line], tiny_rules(counts=counts)).turns[0].scoreless == 0
    assert replay_of([line], tiny_rules(counts=counts, zero_score_is_scoreless=True)).turns[0].scoreless == 1


def test_a_challenge_between_the_last_play_and_the_rack() -> None:
    played = replay_of([OPENING, OUT_PLAY, ">b:  (challenge) +5 125", ">b: (SS) +12 137"])
    assert (played.findings, played.result.end.out, played.result.totals) == ((), 1, (101, 137))
    # Where the challenger loses the points, the line is theirs, and it is not they who went out.
    played = replay_of([OPENING, OUT_PLAY, ">a: SS (challenge) -10 91", END_LINE])
    assert (played.findings, played.result.end.out, played.result.totals) == ((), 1, (91, 132))


def test_the_last_play_is_withdrawn() -> None:
    lines = [OPENING, OUT_PLAY, ">b: EE -- -120 0", ">a: SS 8H ..S +104 205", ">b: EE I8 .EE +120 120"]
    # N 100 + A 1 + S 3; b goes out on the second attempt, a holds an S.
    played = replay_of([*lines, ">b: (S) +6 126"])
    assert played.findings == ()
    assert [turn.bag for turn in played.turns] == [2, 0, 0, 0, 0, 0]


def test_time_penalty_is_an_event_of_its_own() -> None:
    played = replay_of([*COMPLETE, ">a: SS (time) -10 91"])
    assert [turn.computed for turn in played.turns] == [101, 120, 12, -10]
    assert played.result.totals == (91, 132)
    # Overtime that is known in seconds stands beside what is recorded: 125 s are 3 begun minutes.
    late = played.result.with_overtime({0: 125}, TINY)
    assert [(line.recorded, line.computed) for line in late.lines if line.kind == "time_penalty"] == [(-10, -30)]
    assert replay_of([*COMPLETE, ">a: SS (time) -10 91"]).result == played.result


# Challenges.


@pytest.mark.parametrize(
    ("line", "totals"),
    [(">a: SS (challenge) +10 84", (84, 0)), (">b: EE (challenge) -10 -10", (74, -10))],
    ids=["bonus", "penalty"],
)
def test_ten_points_for_a_play_or_from_the_challenger(line: str, totals: tuple[int, int]) -> None:
    # A 40 + N 34 = 74; both ways leave the same spread.
    played = replay_of([">a: AN 8H AN +74 74", line], tiny_rules({"A": 40, "N": 34}))
    assert (played.findings, played.result.totals_computed) == ((), totals)
    assert totals[0] - totals[1] == 84


@pytest.mark.parametrize(
    ("bonus", "rules"),
    [
        (5, ["5pt per play", "5pt per word"]),
        (10, ["5pt per word", "10pt per play", "10pt per word"]),
        (15, ["5pt per word"]),
        (20, ["10pt per word"]),
        (0, ["single"]),
    ],
)
def test_which_challenge_rules_fit(bonus: int, rules: list[str]) -> None:
    # EE below AN: EE 20, AE 11, NE 110 are three words.
    lines = [OPENING, ">b: EE 9H EE +141 141", f">b:  (challenge) +{bonus} {141 + bonus}"]
    played = replay_of([*lines, f">b: (SS) +12 {153 + bonus}"])
    assert played.turns[1].words == ("EE", "AE", "NE")
    assert (list(played.challenge_rules), played.findings) == (rules, ())


def test_a_bonus_that_no_rule_gives() -> None:
    # Three words, so 30 at most.
    lines = [OPENING, ">b: EE 9H EE +141 141", ">b:  (challenge) +40 181", ">b: (SS) +12 193"]
    played = replay_of(lines)
    assert (found(played), played.challenge_rules) == ([(5, "challenge-amount")], ())


@pytest.mark.parametrize(
    ("line", "winner"), [(">a: AN -- -101 0", 1), (">a: SS (challenge) +0 101", 0)], ids=["bad", "good"]
)
def test_a_challenge_that_decides_the_game(line: str, winner: int) -> None:
    played = replay_of([OPENING, line], tiny_rules(challenge="triple"))
    result = played.result
    assert (result.end.ending, result.winner, result.finished) == (Ending.CHALLENGE, winner, True)
    # Not played out: no tiles are counted, and none are missing.
    assert (result.lines, played.findings) == ((), ())


def test_withdrawals_put_tiles_and_premiums_back() -> None:
    # FEASTER on D8: (4 x 2 + 6) x 2 + 50 = 78, the second time as well.
    lines = [">a: AEEFRST 8D FEASTER +78 78", ">a: AEEFRST -- -78 0", ">b: EHIMTUD - +0 0"]
    played = record(*lines, ">a: AEEFRST 8D FEASTER +78 78")
    assert (played.findings, played.turns[3].computed) == ((), 78)
    assert [turn.bag for turn in played.turns] == [86, 79, 86, 86]


# Tiles, racks and exchanges.


@pytest.mark.parametrize(("tiles", "limit", "fine"), [(6, 7, False), (7, 7, True), (6, 1, True)])
def test_tiles_in_the_bag_for_an_exchange(tiles: int, limit: int, fine: bool) -> None:
    # Four tiles are on the racks, whatever the record shows of them; A, E, E and N are four of the set.
    rules = tiny_rules(counts={"S": tiles}, exchange_limit=limit)
    played = replay_of([">a: A -A +0 0"], rules)
    assert played.turns[0].bag == tiles
    assert found(played) == ([] if fine else [(3, "exchange-bag")])


def test_exchanges() -> None:
    played = record(">a: AAIIOOS -AAIIOOU +0 0", ">b: EEEEEEE -EEEEEEE +0 0", ">a: IIIU -4 +0 0", ">b: ABC? -? +0 0")
    assert found(played) == [(3, "exchange-not-on-rack")]
    # Seven tiles exchanged are no bingo.
    assert [(turn.kind, turn.computed, turn.tiles_placed) for turn in played.turns] == [
        ("exchange", 0, 0),
        ("exchange", 0, 0),
        ("exchange_count", 0, 0),
        ("exchange", 0, 0),
    ]


def test_small_letters_beside_the_board_are_the_tiles() -> None:
    assert record(">a: AEI -aei +0 0").findings == ()


def test_the_third_blank() -> None:
    rules = tiny_rules(counts={"?": 2, "S": 4})
    lines = [">a: ?? 8H an +0 0", ">b: ?S I8 .eS +3 3"]
    played = replay_of(lines, rules)
    # The rack of line 4 shows it as well; that is the same fault.
    assert found(played) == [(4, "tile-overdrawn")]
    assert [(finding.code, finding.consequence) for finding in played.findings] == [
        ("rack-not-in-bag", True),
        ("tile-overdrawn", False),
    ]


def test_a_blank_without_a_letter() -> None:
    played = replay_of([">a: ?N 8H ?N +100 100"], tiny_rules(counts={"?": 1}))
    assert (found(played), played.turns[0].words) == ([(3, "blank-undesignated")], ("?N",))


def test_a_last_rack_that_cannot_be() -> None:
    played = replay_of([OPENING, "#rack1 NN", "#rack2 EQ"])
    assert [(finding.line, finding.code, finding.player) for finding in played.findings] == [
        (4, "rack-not-in-bag", 0),
        (5, "rack-unreadable", 1),
    ]


# What follows from what.


def test_one_wrong_score_is_found_once() -> None:
    lines = [">a: AN 8H AN +111 111", OUT_PLAY, END_LINE]
    played = replay_of(lines)
    assert [(finding.code, finding.recorded, finding.computed) for finding in played.findings] == [
        ("misscored", 111, 101)
    ]
    # The running total follows the record, the computed one the rules.
    assert (played.turns[0].total_recorded, played.turns[0].total_computed) == (111, 101)


def test_a_play_that_cannot_be_laid() -> None:
    # The Q is not there, and the second play hangs from the first one's A.
    lines = [">a: AN 8G .AN +101 101", ">b: EE H8 .EE +21 21"]
    played = replay_of(lines, tiny_rules(counts={"S": 6}))
    assert [(finding.line, finding.code, finding.consequence) for finding in played.findings] == [
        (3, "play-illegal", False),
        (4, "play-illegal", True),
    ]
    first = played.turns[0]
    assert (first.computed, first.total_computed, first.tiles_placed) == (None, 101, 0)
    assert first.status == Status.THROUGH_EMPTY | Status.NO_TILE
    assert not played.positions[1].tiles.any()


def test_a_withdrawal_takes_an_unlaid_play_back() -> None:
    lines = [
        ">a: AN 8G .AN +101 101",
        ">a: AN -- -101 0",
        ">b: EE 8H EE +20 20",
        ">a: AN - +0 0",
        ">b: SS 9H SS +32 52",
    ]
    played = replay_of(lines, tiny_rules(counts={"S": 6}))
    # SS 6, ES 13, ES 13: right again, whatever was written on these squares before.
    assert found(played) == [(3, "play-illegal")]
    assert [turn.computed for turn in played.turns] == [None, 0, 20, 0, 32]


def test_a_line_that_is_no_event_loses_no_tiles() -> None:
    played = replay_of(["some remark", OPENING, ">b: EE I8 .EE +121 121", ">b: (SS) +12 133"])
    assert found(played) == [(3, "line-unknown"), (5, "misscored")]


# Many games.


def test_games_do_not_touch_one_another() -> None:
    idle = "".join([HEADER, *([">a: AN - +0 0\n", ">b: EE - +0 0\n"] * 3)])
    text = HEADER + "".join(f"{line}\n" for line in COMPLETE)
    alone = [replay(read_game(io.StringIO(one)), TINY).as_dict() for one in (idle, text)]
    assert alone[0]["result"]["ending"] == "zero_turns"
    assert alone[1]["result"]["ending"] == "played_out"

    def results(order: list[str]) -> list[object]:
        replays = replay_many((read_game(io.StringIO(one)) for one in order), TINY)
        return [played.as_dict() for played in replays]

    assert results([idle, text]) == alone
    assert results([text, idle]) == alone[::-1]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(results, [[idle, text]] * 32)) == [alone] * 32


def test_games_before_one_that_cannot_be_read() -> None:
    text = (HEADER + "".join(f"{line}\n" for line in COMPLETE)) * 2 + HEADER + "what\n"
    games = replay_many(read_games(io.StringIO(text), strict=True), TINY)
    assert [len(next(games).turns) for _ in range(2)] == [3, 3]
    with pytest.raises(RecordError, match="line 13") as error:
        next(games)
    assert error.value.code == "line-unknown"


def test_many_games_of_many_rules() -> None:
    one = HEADER + ">a: ET 8G ET +4 4\n"
    other = HEADER.replace("\n#player2", "\n#tile-distribution german\n#player2") + ">a: ÄH 8G ÄH +16 16\n"
    games = list(read_games(io.StringIO((one + other) * 40)))
    replays = list(replay_many(games))
    assert [played.game for played in replays] == games
    # Ä 6 + H 2, on a double word.
    assert {played.rules.name: played.turns[0].computed for played in replays} == {
        "classic/english": 4,
        "classic/german": 16,
    }
    assert not any(played.findings for played in replays)
