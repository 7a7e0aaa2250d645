"""The two ways to the facts of a record, by the reference and compiled, on real and on damaged records."""

from __future__ import annotations

import gzip
import io
import os
import random
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fastscore import record_kernels
from fastscore.game import KINDS, Game
from fastscore.gcg import read_games
from fastscore.records import facts as record_facts
from fastscore.records.arrays import CompiledFacts, compiled_facts
from fastscore.records.conclusion import examine
from fastscore.records.facts import Facts, FactsByReference
from fastscore.replays import Replay, replay, replay_many
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.status import Status
from tests.tiny_games import COMPLETE, TINY, game_of, tiny_rules

DATA = Path(__file__).parent / "data"
ENGLISH = load_rules("classic/english")
MUTATIONS = int(os.environ.get("FASTSCORE_MUTATIONS", "600"))
"""How many damaged records are replayed."""
COMPARED = max(150, MUTATIONS // 10)
"""How many of them by the reference as well, which takes longer."""


@cache
def bot_games() -> tuple[Game, ...]:
    """1,500 games of programs that played one another."""
    with gzip.open(DATA / "bot_games.gcgs.gz") as file:
        return tuple(read_games(io.BytesIO(file.read())))


def test_numbers_that_are_copied() -> None:
    marks = {name: getattr(record_facts, name) for name in record_facts.__all__ if name.isupper()}
    assert len(marks) == 10
    assert marks == {name: getattr(record_kernels, name) for name in marks}
    flags = {name: value for name, value in vars(record_kernels).items() if name in Status.__members__}
    assert len(flags) > 15
    assert flags == {name: int(Status[name]) for name in flags}
    kinds = {"PLACE": "place", "EXCHANGE": "exchange", "EXCHANGE_COUNT": "exchange_count", "PASS": "pass"}
    kinds |= {"WITHDRAW": "withdraw", "END_POINTS": "end_points", "END_PENALTY": "end_penalty"}
    assert {name: KINDS[getattr(record_kernels, name)] for name in kinds} == kinds


def test_games_of_programs_are_plain() -> None:
    found = compiled_facts(bot_games(), ENGLISH)
    # Five ended by six scoreless turns, with a line for one of the players.
    others = [game for game, facts in zip(bot_games(), found, strict=True) if not facts.plain]
    assert len(bot_games()) == 1500
    assert [[finding.code for finding in replay(game).findings] for game in others] == [["end-line-missing"]] * 5
    assert all(game.events[-1].kind == "end_penalty" for game in others)


class LookedAt(CompiledFacts):
    """Facts whose game is looked at closely in any case."""

    __slots__ = ()

    @property
    def plain(self) -> bool:  # type: ignore[override]
        return False


def test_a_closer_look_at_plain_games_finds_the_same() -> None:
    for played in replay_many(bot_games()[:300]):
        source = played._source
        assert isinstance(source, CompiledFacts)
        closely = Replay(played.game, played.rules, LookedAt(*source))
        assert closely.turns == played.turns
        assert closely.findings == played.findings
        assert closely.result == played.result


@pytest.mark.parametrize(
    "rules",
    [
        TINY,
        tiny_rules(exchange_is_scoreless=False, pass_limit=2),
        tiny_rules({"A": 0, "N": 0}, zero_score_is_scoreless=True),
        tiny_rules(end_adjustment="transfer"),
        tiny_rules(counts={"S": 9}),
    ],
)
def test_plain_games_under_other_rules(rules: Ruleset) -> None:
    letters = rules.letters
    opening = letters.values[1] + letters.values[3]
    out_play = letters.values[3] + 2 * letters.values[2]
    records = [
        (f">a: AN 8H AN +{opening} {opening}", ">b: EE - +0 0", f">a: SS -S +0 {opening}", ">b: EE - +0 0"),
        (">a: AN -A +0 0", ">b: EE - +0 0", ">a: NS - +0 0"),
        (
            f">a: AN 8H AN +{opening} {opening}",
            f">b: EE I8 .EE +{out_play} {out_play}",
            f">b: (SS) +12 {out_play + 12}",
        ),
    ]
    for lines in records:
        game = game_of(lines)
        source = compiled_facts([game], rules)[0]
        closely = Replay(game, rules, LookedAt(*source))
        played = Replay(game, rules, source)
        assert (played.turns, played.findings) == (closely.turns, closely.findings)
        assert played.result == closely.result


# Damaged records.


def change_digit(lines: list[str], source: random.Random) -> None:
    _change(lines, source, r"\d", "0123456789")


def change_letter(lines: list[str], source: random.Random) -> None:
    _change(lines, source, r"[A-Za-z.?]", "ABCDEQUXYZabcez.?()-[é")


def _change(lines: list[str], source: random.Random, what: str, into: str) -> None:
    at = source.randrange(len(lines))
    places = [match.start() for match in re.finditer(what, lines[at])]
    if places:
        place = source.choice(places)
        lines[at] = lines[at][:place] + source.choice(into) + lines[at][place + 1 :]


def drop_line(lines: list[str], source: random.Random) -> None:
    del lines[source.randrange(len(lines))]


def double_line(lines: list[str], source: random.Random) -> None:
    at = source.randrange(len(lines))
    lines.insert(at, lines[at])


def swap_lines(lines: list[str], source: random.Random) -> None:
    one, other = source.randrange(len(lines)), source.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def drop_field(lines: list[str], source: random.Random) -> None:
    at = source.randrange(len(lines))
    fields = lines[at].split()
    if len(fields) > 2:
        del fields[source.randrange(len(fields))]
        lines[at] = " ".join(fields)


def insert_event(lines: list[str], source: random.Random) -> None:
    players = [line[1:].partition(":")[0] for line in lines if line.startswith(">")] or ["a"]
    moves = ["ABC -- +0 0", "(challenge) +5 5", "ABC (time) -10 3", "ABC -A +0 0", "ABC - +0 0", "(AB) +8 20"]
    moves += ["AB (AB) -4 20", "A -3 +0 0", "?? 8H aa +0 0"]
    made = [f">{source.choice(players)}: {source.choice(moves)}", source.choice(["#rack1 ABC", "#rack2 AZZZ9"])]
    lines.insert(source.randrange(len(lines) + 1), source.choice(made))


CHANGES: list[Callable[[list[str], random.Random], None]] = [
    change_digit,
    change_letter,
    drop_line,
    double_line,
    swap_lines,
    drop_field,
    insert_event,
]


def damaged(number: int) -> list[Game]:
    """The games of a real record after one to three changes."""
    source = random.Random(number)
    names = sorted((DATA / "games").iterdir())
    text = source.choice(names).read_bytes().decode("iso-8859-1")
    if source.random() < 0.5:
        # Games without a fault, so that a small change is what is wrong with them.
        game = source.choice(bot_games()[:200])
        text = "#player1 a A\n#player2 b B\n" + "".join(
            f">{'ab'[event.player or 0]}: {event.rack or ''} {event.move} {event.score:+} {event.total}\n"
            for event in game.events
        )
    lines = text.split("\n")
    for _ in range(source.choice((1, 1, 2, 3))):
        if lines:
            source.choice(CHANGES)(lines, source)
    return list(read_games(io.StringIO("\n".join(lines))))


def test_damaged_records_are_replayed() -> None:
    plain = 0
    for number in range(MUTATIONS):
        for game in damaged(number):
            began = time.perf_counter()
            source = compiled_facts([game], ENGLISH)[0]
            played = Replay(game, ENGLISH, source)
            assert len(played.turns) == len(game.events)
            assert played.as_dict()["result"]["players"] == [player.label for player in game.players]
            assert all(str(finding) for finding in played.findings)
            if source.plain:
                plain += 1
                # Nothing may stand out to a closer look, but for what the reader has said.
                closely = examine(game, ENGLISH, played._facts)
                assert set(closely.findings) <= set(played.findings), f"damaged record {number}"
                assert closely.computed == [event.score for event in game.events]
                assert closely.course == source.course()
                assert closely.result == played.result
            assert time.perf_counter() - began < 1
    # The changes that do not matter are some, and few.
    assert 0 < plain < MUTATIONS / 2


def test_damaged_records_have_the_same_facts_both_ways() -> None:
    for number in range(COMPARED):
        for game in damaged(number):
            compiled = compiled_facts([game], ENGLISH)[0].facts()
            reference = FactsByReference(game, ENGLISH).facts()
            for name in Facts._fields:
                assert getattr(compiled, name) == getattr(reference, name), f"{name} of damaged record {number}"


@pytest.mark.parametrize("name", ["literaki", "letter-league", "super/catalan", "classic/korean", "hong-kong", "duel"])
def test_plays_of_other_rules(name: str) -> None:
    # Conditional squares, a multiplied main word, tiles with long names, combined characters, racks of nine, 11 x 11.
    rules = load_rules(name)
    source = random.Random(name)
    letters = rules.letters
    codes = [*range(1, letters.n_letters + 1), *(code | 0x80 for code in range(1, letters.n_letters + 1)), 0x80]
    row, col = rules.layout.start
    lines = []
    for number in range(60):
        tiles = letters.format(source.choices(codes, k=source.randint(1, rules.rack_size + 1)))
        coordinate = source.choice([f"{source.randint(1, rules.rows)}{chr(65 + source.randrange(rules.cols))}"] * 2)
        if number == 0:
            coordinate = f"{row + 1}{chr(65 + col)}" if col < 26 else "1A"
        marked = source.choice(["", ".", f"({letters.decode(source.choice(codes))})"])
        rack = letters.format(code & 0x7F or 0x80 for code in source.choices(codes, k=rules.rack_size))
        lines.append(f">{'ab'[number % 2]}: {rack} {coordinate} {tiles}{marked} +0 0")
    game = game_of(lines)
    assert compiled_facts([game], rules)[0].facts() == FactsByReference(game, rules).facts()


def test_unbounded_numbers() -> None:
    game = game_of(COMPLETE)
    game.events[0].score = 10**30
    facts = compiled_facts([game], TINY)[0]
    assert (facts.plain, facts.facts().score) == (False, [101, 120, 0])


def test_scores_beyond_32_bits() -> None:
    # Tiles of a million points, on squares that multiply letters and words by nine.
    nines = np.full((15, 15), 9, np.uint8)
    rules = tiny_rules({"A": 1_000_000, "N": 1_000_000, "E": 1_000_000, "S": 1_000_000})
    rules = replace(rules, layout=replace(rules.layout, letter_multiplier=nines, word_multiplier=nines))
    lines = [">a: AN 8H AN +0 0", ">b: EE 8J EE +0 0", ">a: SS 9H SS +0 0"]
    game = game_of(lines)
    compiled, reference = compiled_facts([game], rules)[0].facts(), FactsByReference(game, rules).facts()
    assert compiled == reference
    # In millions: (9 + 9) x 81; with the two that lie there (1 + 1 + 9 + 9) x 81; below them (9 + 9) x 81, and twice
    # (1 + 9) x 9.
    assert compiled.score == [1_458_000_000, 1_620_000_000, 1_638_000_000]
    higher = replace(rules, bingo_bonus=(0, 0, 1_000_000, *(0,) * 13), bingo_multiplier=(1, 1, 2, *(1,) * 13))
    compiled = compiled_facts([game], higher)[0].facts()
    assert compiled == FactsByReference(game, higher).facts()
    assert (compiled.score, compiled.status[0]) == ([0, 0, 0], Status.SCORE_OVERFLOW)
