"""Statistics of audits, on small games whose right numbers are worked out beside them, and on real ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fastscore.audit import statistics as module
from fastscore.audit.failures import AuditError
from fastscore.audit.run import run_audit
from fastscore.audit.statistics import MEANINGS, NOTABLES, Statistics, statistics
from fastscore.errors import RulesError
from fastscore.gcg import read_game
from fastscore.replays import replay
from tests.small_games import (
    ANNA_WINS,
    BERTA_WINS,
    BROKEN_OFF,
    HEAD,
    NOBODY_WINS,
    TWO_BINGOS,
    audited,
    notables,
    passes,
    player,
)

DATA = Path(__file__).parent / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))

Count = Callable[..., Statistics]


@pytest.fixture
def count(tmp_path: Path) -> Count:
    """Statistics of some games, each a list of its lines."""

    def counted(*games: Sequence[str], **options: Any) -> Statistics:
        return statistics(audited(tmp_path, games), **options)

    return counted


def numbers(row: dict[str, Any], *names: str) -> list[Any]:
    return [row[name] for name in names]


def test_results(count: Count) -> None:
    found = count(ANNA_WINS, BERTA_WINS, NOBODY_WINS, BROKEN_OFF)
    names = ("games", "wins", "losses", "ties", "firsts", "first_wins")
    # The game that was broken off is nobody's. Berta has the first turn in one game, which she wins.
    assert numbers(player(found, "Anna"), *names) == [4, 1, 1, 1, 3, 1]
    assert numbers(player(found, "Berta"), *names) == [4, 1, 1, 1, 1, 1]
    # Of the collection: games that somebody has won, and the tied one counts once.
    assert numbers(found.collection, *names) == [4, 2, 2, 1, 4, 2]


def test_scores(count: Count) -> None:
    found = count(ANNA_WINS, BERTA_WINS, NOBODY_WINS, BROKEN_OFF)
    names = ("score", "score_mean", "score_high", "score_low", "spread_mean")
    # Anna: 0, -1, -1 and 10. Against Berta's -1, 2, -1 and 0 that is 1, -3, 0 and 10.
    assert numbers(player(found, "Anna"), *names) == [8, 2.0, 10, -1, 2.0]
    assert numbers(player(found, "Berta"), *names) == [0, 0.0, 2, -1, -2.0]
    # 8 of the eight scores; the two games that were won were so by 1 and 3.
    assert numbers(found.collection, *names) == [8, 1.0, 10, -1, 2.0]


def test_three_players(count: Count) -> None:
    head = ["#player1 A Anna", "#player2 B Berta", "#player3 C Clara"]
    ending = [">A: E (E) -1 -1", ">B: A (A) -1 -1", ">C: Q (Q) -10 -10"]
    found = count([*head, *passes(*"ABCABC"), *ending])
    results = [numbers(player(found, name), "wins", "losses", "ties") for name in ("Anna", "Berta", "Clara")]
    assert results == [[0, 0, 1], [0, 0, 1], [0, 1, 0]]
    assert numbers(found.collection, "games", "wins", "losses", "ties") == [1, 0, 1, 1]


def test_points_of_turns(count: Count) -> None:
    # CAT is 10, recorded as 12: what counts is the right score. CATS: 3 + 1 + 1 + 1 = 6. The play that was taken back
    # is a turn without points. Anna: 10, then an exchange: 10 in 2 turns; Berta: 0 and 6 in 2 turns.
    found = count(
        [
            ">A: CAT 8G CAT +12 12",
            ">B: ZZZ 9G ZZZ +50 50",
            ">B: ZZZ --  -50 0",
            ">A: EEE -EEE +0 12",
            ">B: S 8G ...S +6 6",
        ]
    )
    names = ("turns", "points_per_turn", "highest_turn", "placements")
    assert numbers(player(found, "Anna"), *names) == [2, 5.0, 10, 1]
    assert numbers(player(found, "Berta"), *names) == [2, 3.0, 6, 1]
    assert numbers(found.collection, *names) == [4, 4.0, 10, 2]


def test_directions(count: Count) -> None:
    # CAT and ON (beside S) go down; the S under CAT is one tile, whatever way it is written.
    down = [">A: CAT H7 CAT +10 10", ">B: S H7 ...S +6 6", ">A: ON I10 ON +4 14"]
    found = count(down)
    names = ("turns_across", "turns_down", "one_tile_turns", "vertical_openings")
    assert numbers(player(found, "Anna"), *names) == [0, 2, 0, 1]
    assert numbers(player(found, "Berta"), *names) == [0, 0, 1, 0]
    assert numbers(found.collection, *names) == [0, 2, 1, 1]


def test_vertical_openings_are_counted_once_a_game(count: Count) -> None:
    down = [">A: CAT H7 CAT +10 10", ">B: SO H7 ...SO +7 7", ">A: ON I10 ON +4 14"]
    # The first play here is taken back, so Berta's, across, is the opening; Anna's next one is only a play.
    withdrawn = [">A: CAT H7 CAT +10 10", ">A: CAT --  -10 0", ">B: DOG 8G DOG +10 10", ">A: AT G7 A.T +4 4"]
    exchanged = [">A: EEE -EEE +0 0", ">B: CAT H7 CAT +10 10", ">A: SO H7 ...SO +7 7"]
    found = count(down, withdrawn, exchanged)
    assert player(found, "Anna")["vertical_openings"] == 1
    assert player(found, "Berta")["vertical_openings"] == 1
    assert found.collection["vertical_openings"] == 2


def test_bingos(count: Count) -> None:
    found = count(TWO_BINGOS)
    names = ("bingos", "bingoless_games", "bingo_streak", "consecutive_bingos")
    assert numbers(player(found, "Anna"), *names) == [2, 0, 2, 1]
    assert numbers(player(found, "Berta"), *names) == [0, 1, 0, 0]
    # Somebody had one: the game is not bingoless.
    assert numbers(found.collection, *names) == [2, 0, 2, 1]
    lengths = [{"length": 7, "bingos": 1}, {"length": 8, "bingos": 1}]
    assert player(found, "Anna")["bingos_by_length"] == found.collection["bingos_by_length"] == lengths
    assert player(found, "Berta")["bingos_by_length"] == []
    assert found.games.to_pylist()[0]["bingos_by_length"] == lengths


def test_an_exchange_of_seven_is_no_bingo(count: Count) -> None:
    found = count([">A: AEIOUVW -AEIOUVW +0 0", ">B: AEIOUVW -7 +0 0"])
    assert numbers(found.collection, "bingos", "bingoless_games", "exchanges") == [0, 1, 2]


def test_a_bingo_that_was_taken_back_is_none(count: Count) -> None:
    phony = [">A: JOUSTER 8E JOUSTER +78 78", ">A: JOUSTER --  -78 0", ">B: CAT 8G CAT +10 10"]
    # Two bingos of Anna with a play between them that was taken back do not follow one another.
    parted = [*TWO_BINGOS[:1], ">B: E -  +0 0", ">A: ZZ 9E ZZ +30 108", ">A: ZZ --  -30 78", *TWO_BINGOS[1:]]
    found = count(phony, parted)
    assert player(found, "Anna")["bingoless_games"] == 1
    assert player(found, "Berta")["bingoless_games"] == 2
    names = ("bingos", "bingoless_games", "bingo_streak", "consecutive_bingos")
    assert numbers(found.collection, *names) == [2, 1, 1, 0]


def test_a_game_without_turns_is_not_bingoless(count: Count) -> None:
    found = count([], BROKEN_OFF)
    assert numbers(found.collection, "games", "bingoless_games") == [2, 1]
    # Berta has had no turn in either.
    assert player(found, "Berta")["bingoless_games"] == 0
    assert found.collection["score_low"] == 0


def test_a_bonus_for_other_numbers_of_tiles(count: Count, tmp_path: Path) -> None:
    # Nine tiles in this game, with a bonus at nine: seven are no bingo.
    records = tmp_path / "records"
    records.mkdir()
    lines = [*HEAD, ">A: JOUSTER 8E JOUSTER +28 28", ">B: ABCDEFGHI 9A ABCDEFGHI +99 99"]
    (records / "game.gcg").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    run_audit([records], tmp_path / "out", rules="hong-kong", workers=1)
    found = statistics(tmp_path / "out")
    assert [player(found, name)["bingos"] for name in ("Anna", "Berta")] == [0, 1]
    assert found.collection["bingos_by_length"] == [{"length": 9, "bingos": 1}]


def test_tiles(count: Count) -> None:
    # JaXES: J, X, S and a blank are four power tiles, and there is an E. What Berta laid, another blank and the Q, was
    # taken back. Then she lays QI.
    found = count(
        [
            ">A: ?EJSX 8E JaXES +40 40",
            ">B: ?Q 9E Qz +20 20",
            ">B: ?Q --  -20 0",
            ">A: E -  +0 40",
            ">B: IQ 9E QI +30 30",
        ]
    )
    names = ("tiles_played", "power_tiles_played", "blanks_played", "turns_with_blank", "e_played")
    assert numbers(player(found, "Anna"), *names) == [5, 4, 1, 1, 1]
    assert numbers(player(found, "Berta"), *names) == [2, 1, 0, 0, 0]
    letters = ("j_played", "q_played", "x_played", "z_played", "s_played")
    assert numbers(player(found, "Anna"), *letters) == [1, 0, 1, 0, 1]
    assert numbers(player(found, "Berta"), *letters) == [0, 1, 0, 0, 0]
    assert numbers(found.collection, *names) == [7, 5, 1, 1, 1]


def test_tiles_of_several_letters(count: Count) -> None:
    # QU is one tile, and no Q: it and an E, then a blank QU.
    head = [*HEAD, "#tile-distribution catalan"]
    found = count([*head, ">A: [QU]E 8H [QU]E +18 18", ">B: ?E 9H [qu]E +5 5"])
    names = ("tiles_played", "q_played", "e_played", "blanks_played", "power_tiles_played")
    assert numbers(player(found, "Anna"), *names) == [2, 0, 1, 0, 0]
    assert numbers(player(found, "Berta"), *names) == [2, 0, 1, 1, 1]


def test_tiles_left_over(count: Count) -> None:
    # The same rack in two lines, in the line of who went out only, and in both players' own lines.
    transfer = [*BROKEN_OFF, ">A: (QS?) +11 21", ">B: QS? (QS?) -11 -11"]
    double = [*BROKEN_OFF, ">A: (QS?) +22 32"]
    own = [*passes(*"ABABAB"), ">A: JX (JX) -16 -16", ">B: ZE (ZE) -11 -11"]
    found = count(transfer, double, own)
    names = ("power_tiles_stuck", "j_stuck", "q_stuck", "x_stuck", "z_stuck", "s_stuck", "blanks_stuck")
    assert numbers(player(found, "Anna"), *names) == [2, 1, 0, 1, 0, 0, 0]
    assert numbers(player(found, "Berta"), *names) == [7, 0, 2, 0, 1, 2, 2]
    assert numbers(found.collection, *names) == [9, 1, 2, 1, 1, 2, 2]


def test_exchanges_passes_and_whole_racks(count: Count) -> None:
    # Whole racks: both of Anna's, and Berta's last. Of B's other one two tiles are exchanged.
    found = count(
        [
            ">A: AEIOUVW -AEIOUVW +0 0",
            ">B: ABC -2 +0 0",
            ">A: AEIOUVW -  +0 0",
            ">B: ABDEFGH 8G BAD +12 12",
            ">A: _______ -  +0 0",
        ]
    )
    names = ("turns", "exchanges", "passes", "full_rack_turns")
    assert numbers(player(found, "Anna"), *names) == [3, 1, 2, 2]
    assert numbers(player(found, "Berta"), *names) == [2, 1, 0, 1]
    assert numbers(found.collection, *names) == [5, 2, 2, 3]


def test_a_whole_rack_of_tiles_with_two_letters(count: Count) -> None:
    # Seven tiles in eight letters, and six in seven.
    head = [*HEAD, "#tile-distribution catalan"]
    found = count([*head, ">A: [QU]EAAAAA 8H [QU]E +18 18", ">B: [QU]EAAAA -  +0 0"])
    assert [player(found, name)["full_rack_turns"] for name in ("Anna", "Berta")] == [1, 0]


def test_a_whole_rack_without_brackets(count: Count) -> None:
    # CH is one tile: six tiles, six, and seven.
    spanish = [
        *HEAD,
        "#tile-distribution spanish",
        ">A: CHAAAAA -  +0 0",
        ">B: CHAAAAA -CH +0 0",
        ">A: CHAAAAAA -  +0 0",
    ]
    found = count(spanish)
    assert [player(found, name)["full_rack_turns"] for name in ("Anna", "Berta")] == [1, 0]


def test_challenges(count: Count) -> None:
    # Anna's CAT is challenged and stands; Berta's play is challenged off; her next one stands, and 10 points are taken
    # from Anna for challenging it.
    found = count(
        [
            ">A: CAT 8G CAT +10 10",
            ">A: E (challenge) +5 15",
            ">B: ZZ 9G ZZ +30 30",
            ">B: ZZ --  -30 0",
            ">A: E -  +0 15",
            ">B: S 8G ...S +6 6",
            ">A: E (challenge) -10 5",
        ]
    )
    names = ("phonies_challenged_off", "challenges_won", "challenges_lost", "plays_challenged")
    assert numbers(player(found, "Anna"), *names) == [0, 1, 1, 1]
    assert numbers(player(found, "Berta"), *names) == [1, 0, 1, 2]
    assert numbers(found.collection, *names) == [1, 1, 2, 3]


# R at B1 and E on the double word B2; then C and T on the triple words A1 and H1, and Z on the double letter D1:
# (3 + 1 + 1 + 20 + 1 + 1 + 1 + 1) x 9 + 50 = 311.
TRIPLE_TRIPLE = [">B: RE B1 RE +4 4", ">A: ACEISTZ 1A C.AZIEST +311 311"]


def test_premium_squares(count: Count) -> None:
    withdrawn = [*TRIPLE_TRIPLE, ">A: ACEISTZ --  -311 0"]
    found = count(TRIPLE_TRIPLE, withdrawn)
    names = ("double_letter", "triple_letter", "double_word", "triple_word", "triple_triples", "highest_turn")
    assert numbers(player(found, "Anna"), *names) == [1, 0, 0, 2, 1, 311]
    # B2 in both games; R 1 + E 1, doubled.
    assert numbers(player(found, "Berta"), *names) == [0, 0, 2, 0, 0, 4]
    assert numbers(found.collection, *names) == [1, 0, 2, 2, 1, 311]


def test_quadruple_squares(count: Count) -> None:
    # The large board: A1 is a quadruple word and D1 a double letter; H1 a triple word.
    head = [*HEAD, "#board-layout SuperCrosswordGame"]
    found = count([*head, ">B: RE G1 RE +4 4", ">A: IOQTUXY 1A QUIXOT.Y +470 470"])
    names = ("quadruple_word", "triple_word", "double_letter", "triple_triples", "highest_turn")
    assert numbers(player(found, "Anna"), *names) == [1, 1, 1, 0, 470]


def test_comments(count: Count) -> None:
    # One before the first event, two at Anna's plays.
    found = count(
        ["#player1 A Anna", "#player2 B Berta", "#note hello", *BROKEN_OFF, "#note one", "#note two", *passes("B")]
    )
    assert found.collection["comments"] == 3
    assert found.games.to_pylist()[0]["comments"] == 3
    assert [player(found, name)["comments"] for name in ("Anna", "Berta")] == [2, 0]


def test_notable_scores(count: Count) -> None:
    # Final totals are the record's: 800 and 400.
    found = count([">A: CAT 8G CAT +10 800", ">B: E -  +0 400"])
    assert notables(found) == [("combined-score-high", None, 1200), ("score-high", "Anna", 800)]


def test_notable_low_scores(count: Count) -> None:
    # 0 and -1 in a finished game without a blank. One that was broken off says nothing.
    found = count(ANNA_WINS, BROKEN_OFF)
    assert notables(found) == [("combined-score-low", None, -1), ("no-blanks", None, 0)]
    with_blank = [ANNA_WINS[0].replace("CAT +", "CaT +"), *ANNA_WINS[1:]]
    assert notables(statistics(audited(Path(found_folder(found)), [with_blank]))) == [("combined-score-low", None, -1)]


def found_folder(found: Statistics) -> str:
    """A new folder beside the records of these statistics."""
    source = Path(found.games.to_pylist()[0]["source"])
    return str(source.parent.parent / "again")


def test_notable_boards(count: Count) -> None:
    # A whole board of A in plays of seven, seven and one: 8 triple words, 12 triple letters, 24 double letters, 17
    # double words. Most of it is illegal, but it lies there.
    rows = [
        line
        for row in range(1, 16)
        for line in (
            f">A: AAAAAAA {row}A AAAAAAA +0 0",
            f">B: AAAAAAA {row}H AAAAAAA +0 0",
            f">A: A {row}O A +0 0",
        )
    ]
    found = count(rows)
    assert set(notables(found)) == {
        ("all-triple-words", None, 8),
        ("all-triple-letters", None, 12),
        ("many-double-letters", None, 24),
        ("many-double-words", None, 17),
    }
    assert found.collection["tiles_played"] == 225
    # Without the first row, which has three of the triple words and two of the double letters.
    fewer = statistics(audited(Path(found_folder(found)), [rows[3:]]))
    assert set(notables(fewer)) == {
        ("all-triple-letters", None, 12),
        ("many-double-letters", None, 22),
        ("many-double-words", None, 17),
    }


def test_notable_tiles(count: Count) -> None:
    # J, Q, X, Z, four S and both blanks by one player; twelve E, of another one only eleven.
    power = [">A: JQXZSSS 8B JQXZSSS +99 99", ">B: E -  +0 0", ">A: S?? 9B Saa +9 108"]
    every_e = [">A: EEEEEEE 8B EEEEEEE +64 64", ">B: E -  +0 0", ">A: EEEEE 9B EEEEE +9 73"]
    shared = [">A: EEEEEEE 8B EEEEEEE +64 64", ">B: EEEEE 9B EEEEE +9 9"]
    found = count(power, every_e, shared)
    assert notables(found) == [("every-power-tile", "Anna", 10), ("every-e", "Anna", 12)]


def test_notable_challenges(count: Count) -> None:
    five = [
        line
        for row in range(1, 6)
        # Berta's plays keep the game from ending by six turns without points.
        for line in (">A: ZZ 8G ZZ +40 40", ">A: ZZ --  -40 0", f">B: AE {row}B AE +2 {2 * row}")
    ]
    four = five[:12]
    found = count(five, four)
    assert notables(found) == [("many-challenges", None, 5)]
    assert found.collection["phonies_challenged_off"] == 9


def test_every_notable_can_be_found() -> None:
    sql = Path(module.__file__).with_name("statistics.sql").read_text("utf-8")
    assert all(f"'{name}'" in sql for name in NOTABLES)


def test_games_with_the_same_moves(count: Count, tmp_path: Path) -> None:
    renamed = [
        "#player1 X Xenia",
        "#player2 Y Yvonne",
        *(line.replace(">A", ">X").replace(">B", ">Y") for line in ANNA_WINS),
    ]
    found = count(ANNA_WINS, renamed, BROKEN_OFF)
    assert (found.collection["games"], found.collection["wins"]) == (3, 2)
    once = statistics(tmp_path / "out", once=True)
    assert (once.collection["games"], once.collection["wins"]) == (2, 1)
    assert {row["name"] for row in once.players.to_pylist()} == {"Anna", "Berta"}


def test_only_some_rules(count: Count, tmp_path: Path) -> None:
    german = [*HEAD, "#tile-distribution german", ">A: ÄH 8G ÄH +16 16"]
    found = count(BROKEN_OFF, german)
    assert found.collection["games"] == 2
    only = statistics(tmp_path / "out", rules=["classic/german"])
    assert (only.collection["games"], only.collection["tiles_played"]) == (1, 2)
    both = statistics(tmp_path / "out", rules=["classic/german", "classic/english"])
    assert both.collection == found.collection
    with pytest.raises(RulesError, match="classic/germann"):
        statistics(tmp_path / "out", rules=["classic/germann"])


def test_only_some_players(count: Count, tmp_path: Path) -> None:
    found = count(ANNA_WINS)
    only = statistics(tmp_path / "out", players=["Berta"])
    assert [row["name"] for row in only.players.to_pylist()] == ["Berta"]
    assert only.collection == found.collection
    with pytest.raises(AuditError, match=r"no player 'berta', expected 'Berta'$"):
        statistics(tmp_path / "out", players=["Anna", "berta"])
    with pytest.raises(AuditError, match=r"no player 'Zzz', expected a name as the records have it$"):
        statistics(tmp_path / "out", players=["Zzz"])


def test_no_games(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    run_audit([tmp_path / "records"], tmp_path / "out", workers=1)
    found = statistics(tmp_path / "out")
    assert (found.collection["games"], found.collection["bingos"], found.collection["score_mean"]) == (0, 0, None)
    assert len(found.players) == len(found.games) == len(found.notables) == 0


# Real games: the same numbers, counted by loops over replays.


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("corpus") / "out"
    run_audit([DATA / "games"], out, workers=1)
    return out


def test_real_games(corpus: Path) -> None:
    totals: Counter[str] = Counter()
    for file, expected in EXPECTED.items():
        game = read_game(DATA / "games" / file)
        totals["comments"] += expected["notes"] if game.players else 0
        turns = replay(game).turns
        for index, turn in enumerate(turns):
            after = next((later.kind for later in turns[index + 1 :] if later.kind != "malformed"), "")
            withdrawn = turn.kind == "place" and after == "withdraw"
            stands = turn.kind == "place" and not withdrawn
            totals["turns"] += turn.number is not None
            totals["placements"] += stands
            totals["phonies_challenged_off"] += withdrawn
            totals["exchanges"] += turn.kind in ("exchange", "exchange_count")
            totals["passes"] += turn.kind == "pass"
            totals["tiles_played"] += turn.tiles_placed if stands else 0
            totals["bingos"] += stands and turn.tiles_placed == 7
            totals["one_tile_turns"] += stands and turn.tiles_placed == 1
    found = statistics(corpus)
    assert {name: found.collection[name] for name in totals} == dict(totals)
    assert found.collection["bingos"] == sum(each["bingos"] for each in found.collection["bingos_by_length"])


def test_the_collection_is_the_sum_of_its_players_and_of_its_games(corpus: Path) -> None:
    found = statistics(corpus)
    whole = found.collection
    summed = [
        name
        for name, value in whole.items()
        if isinstance(value, int)
        # What is no sum, or is counted for games and for players in different ways.
        and name not in ("games", "wins", "losses", "ties", "score_high", "score_low", "highest_turn", "bingo_streak")
        and name not in ("bingoless_games", "comments")
    ]
    assert len(summed) > 40
    for name in summed:
        assert whole[name] == sum(row[name] for row in found.players.to_pylist()), name
        if name in found.games.column_names:
            assert whole[name] == sum(row[name] for row in found.games.to_pylist()), name
    for name in ("score_high", "highest_turn", "bingo_streak"):
        assert whole[name] == max(row[name] for row in found.games.to_pylist() if row[name] is not None)
    assert whole["bingoless_games"] == sum(row["bingoless_games"] for row in found.games.to_pylist())
    assert whole["comments"] == sum(row["comments"] for row in found.games.to_pylist())


def test_every_column_has_a_meaning(corpus: Path) -> None:
    found = statistics(corpus)
    assert set(found.players.column_names) == {"name", *MEANINGS}
    assert list(found.collection) == list(MEANINGS)
