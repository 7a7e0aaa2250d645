"""Which ruleset a game was played by, on real games of several value sets and on small ones that leave it open."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import pytest

from fastscore.errors import RecordError, RulesError
from fastscore.game import Game
from fastscore.gcg import read_game, read_games
from fastscore.records.arrays import explained
from fastscore.records.facts import FactsByReference
from fastscore.rules.ruleset import load_rules
from fastscore.ruleset_choice import choose_rules, choose_rules_of_each, fit_of
from tests.value_sets import CLASSIC, FIVE

DATA = Path(__file__).parent / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))


def game_of(*events: str) -> Game:
    lines = ["#player1 A Anna", "#player2 B Berta", *events]
    return read_game(io.StringIO("".join(f"{line}\n" for line in lines)))


def corpus_games() -> list[tuple[str, Game]]:
    """The whole records on the standard board of the five value sets."""
    names = {rules.name for rules in FIVE}
    files = [
        file
        for file, entry in EXPECTED.items()
        if entry["values"] in names and entry["layout"] == "standard15" and entry["placements"]
    ]
    return [(file, read_game(DATA / "games" / file)) for file in files]


def test_games_of_five_value_sets() -> None:
    games = corpus_games()
    assert len(games) > 60
    choices = list(choose_rules_of_each([game for _, game in games], FIVE))
    for (file, _), choice in zip(games, choices, strict=True):
        expected = EXPECTED[file]
        by_name = {fit.rules.name: fit for fit in choice.fits}
        assert list(by_name) == [rules.name for rules in FIVE]
        own = by_name[expected["values"]]
        assert (own.placements, own.explained) == (expected["placements"], expected["placements_agree"]), file
        assert choice.rules.name == expected["values"], file
        assert choice.explained == (expected["placements"] == expected["placements_agree"])
        if own.explains:
            assert not choice.tied, file


def test_a_game_that_is_filed_under_other_values() -> None:
    # Its name says that every tile counts 1; by the scores it was played by the values called lewis.
    choice = choose_rules(read_game(DATA / "games" / "one802.gcg"), FIVE)
    assert (choice.rules.name, choice.tied, choice.explained) == ("lewis", False, True)
    placements = EXPECTED["one802.gcg"]["placements"]
    assert str(choice).startswith(f"lewis explains {placements} of {placements} placements; english ")
    assert choice.as_dict()["rules"] == "lewis"
    assert choice.as_dict()["tied"] == []


def test_every_number_is_the_one_of_the_value_set() -> None:
    # What the same games score under each value set is known from elsewhere.
    crossed = json.loads((DATA / "cross_values_expected.json").read_text(encoding="utf-8"))
    # One of the games has letters that none of the sets has.
    crossed = {file: by_set for file, by_set in crossed.items() if by_set}
    assert len(crossed) >= 9
    for file, by_set in crossed.items():
        game = read_game(DATA / "games" / file)
        recorded = [event.score for event in game]
        placed = [index for index, event in enumerate(game) if event.kind == "place"]
        for fit in choose_rules(game, FIVE).fits:
            scores = by_set[fit.rules.name]
            assert fit.explained == sum(recorded[index] == scores[index] for index in placed), (file, fit.rules.name)


def test_ties_are_told() -> None:
    game = game_of(">A: AT 8H AT +4 4")
    choice = choose_rules(game, FIVE)
    # english, lewis and one value A and T at 1; random at 5 and 1: 12; fifty at 50: 200.
    assert [fit.rules.name for fit in choice.best] == ["english", "lewis", "one"]
    assert choice.tied
    assert choice.rules is FIVE[0]
    assert str(choice) == ("english and lewis and one explain 1 of 1 placements; random 0 of 1; fifty 0 of 1")
    assert choice.as_dict()["tied"] == ["english", "lewis", "one"]
    assert repr(choice) == "<RulesChoice english, lewis, one: 1 of 1, 5 rulesets>"


def test_the_order_given_decides_a_tie() -> None:
    game = game_of(">A: AT 8H AT +4 4")
    assert choose_rules(game, FIVE[::-1]).rules.name == "one"


def test_what_the_record_names_decides_a_tie() -> None:
    candidates = [CLASSIC, load_rules("classic/english_wild"), load_rules("wordsmog"), load_rules("classic/spanish")]
    text = "#player1 A Anna\n#player2 B Berta\n>A: AT 8H AT +4 4\n"
    for pragma, first in (
        ("#game-type wordsmog", "wordsmog"),
        ("#tile-distribution spanish", "classic/spanish"),
        ("#lexicon CSW21", "classic/english"),
        ("#tile-distribution polish", "classic/english"),
        ("#title a game", "classic/english"),
    ):
        game = read_game(io.StringIO(f"{pragma}\n{text}"))
        choice = choose_rules(game, candidates)
        assert choice.rules.name == first, pragma
        assert sorted(fit.rules.name for fit in choice.best) == sorted(rules.name for rules in candidates)
        assert choice == next(choose_rules_of_each([game] * 13, candidates))
    # It decides ties only: Z counts 10 in Spanish and in English, H 4; 8H HA is 2 x (4 + 1) = 10.
    game = read_game(io.StringIO("#tile-distribution german\n#player1 A Anna\n>A: HA 8H HA +10 10\n"))
    assert choose_rules(game, [load_rules("classic/german"), CLASSIC]).rules.name == "classic/english"


def test_rules_that_differ_in_what_did_not_happen() -> None:
    # A bingo bonus of 35 or 50 makes no difference to a play of two tiles.
    bonus = tuple(35 if tiles == 7 else 0 for tiles in range(16))
    other = dataclasses.replace(CLASSIC, name="other bonus", bingo_bonus=bonus)
    assert choose_rules(game_of(">A: AT 8H AT +4 4"), [CLASSIC, other]).tied
    # 8E JOUSTER: 8 + 1 + 1 + 1 + 1 + 1 + 1 = 14, doubled, and the bonus: 78 or 63.
    assert choose_rules(game_of(">A: JOUSTER 8E JOUSTER +63 63"), [CLASSIC, other]).rules is other


def test_end_lines_decide_where_placements_do_not() -> None:
    # J is 8 in english, 6 in lewis, 1 in one: twice 6 is 12.
    game = game_of(">A: AT 8H AT +4 4", ">A: (J) +12 16")
    choice = choose_rules(game, FIVE)
    assert [fit.rules.name for fit in choice.best] == ["lewis"]
    by_name = {fit.rules.name: (fit.end_lines, fit.end_lines_explained) for fit in choice.fits}
    assert by_name == {"english": (1, 0), "lewis": (1, 1), "random": (1, 0), "one": (1, 0), "fifty": (1, 0)}
    # Once, for the one who is charged as well: a transfer.
    game = game_of(">A: AT 8H AT +4 4", ">A: (J) +6 10", ">B: J (J) -6 -6")
    assert [fit.rules.name for fit in choose_rules(game, FIVE).best] == ["lewis"]


def test_what_a_blank_left_over_costs() -> None:
    # The same letters, and a blank on a rack at the end costs 0 or 1: (?A) once is 1 or 2.
    costly = dataclasses.replace(CLASSIC, name="costly", end_blank_value=1)
    game = game_of(">A: AT 8H AT +4 4", ">B: ?A (?A) -2 -2")
    assert [fit.rules.name for fit in choose_rules(game, [CLASSIC, costly]).best] == ["costly"]


def test_nothing_fits() -> None:
    game = game_of(">A: AT 8H AT +5 5", ">B: IF 9H IF +7 7")
    choice = choose_rules(game, FIVE)
    assert not choice.explained
    assert "explain most, 0 of 2 placements" in str(choice)


def test_a_game_without_plays_fits_everything() -> None:
    choice = choose_rules(game_of(), FIVE)
    assert len(choice.best) == 5
    assert choice.explained
    assert choice.fits[0].placements == 0


def test_another_board_and_letters_that_are_not_in_the_set() -> None:
    # Columns T and U are off a standard board; U8 of the large one is a triple word: (1 + 1) x 3. Ł is no English tile.
    assert not choose_rules(game_of(">A: AT 8T AT +6 6"), [CLASSIC]).explained
    super_board = load_rules("super/english")
    assert choose_rules(game_of(">A: AT 8T AT +6 6"), [CLASSIC, super_board]).rules is super_board
    polish = load_rules("classic/polish")
    # Ł 3 + A 1 = 4, doubled on the start square.
    choice = choose_rules(game_of(">A: ŁA 8H ŁA +8 8"), [CLASSIC, polish])
    assert (choice.rules, choice.explained) == (polish, True)


def test_a_score_of_0_is_not_an_unscorable_play() -> None:
    # Off the board: that its recorded score is 0 does not make it right.
    assert choose_rules(game_of(">A: AT 15O AT +0 0"), [CLASSIC]).fits[0].explained == 0


def test_no_ruleset() -> None:
    with pytest.raises(RulesError, match="no ruleset to choose from"):
        choose_rules(game_of(), [])


def test_many_games_as_one_by_one() -> None:
    games = [game for _, game in corpus_games()]
    together = list(choose_rules_of_each(iter(games * 2), FIVE[:2]))
    assert len(together) == 2 * len(games) > 100
    assert together[: len(games)] == together[len(games) :] == [choose_rules(game, FIVE[:2]) for game in games]


def test_games_before_one_that_cannot_be_read() -> None:
    text = "#player1 A Anna\n#player2 B Berta\n>A: AT 8H AT +4 4\n"
    games = read_games(io.StringIO(text + "#player1 A Anna\nwhat is this\n"), strict=True)
    choices = choose_rules_of_each(games, FIVE)
    assert next(choices).explained
    with pytest.raises(RecordError):
        next(choices)


def test_compiled_counts_are_those_of_the_reference() -> None:
    candidates = [*FIVE, *(load_rules(name) for name in ("classic/spanish", "classic/catalan", "classic/polish"))]
    # Equal in all that a score depends on, and yet two rulesets.
    candidates.append(dataclasses.replace(CLASSIC, name="no limit", exchange_limit=1))
    games = [game for _, game in corpus_games()][::9]
    games.append(
        game_of(">A: AT 8H [CH]AT +4 4", ">B: IF 9H I.F +7 7", ">A: A (A.) +2 6", ">B: ?Q (q?) -10 -3", ">A: - +0 6")
    )
    found = explained(games, candidates)
    assert found.shape == (len(candidates), len(games), 4)
    assert found[:, :, 1].any()
    for rules, of_games in zip(candidates, found.tolist(), strict=True):
        for game, counts in zip(games, of_games, strict=True):
            facts = FactsByReference(game, rules).facts()
            assert counts == [*fit_of(game, rules, facts)[1:]], rules.name
