"""The makers and strategies that users build their own tests from."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastscore import testing
from fastscore.board import Board
from fastscore.placements import Placement
from fastscore.rules.ruleset import Ruleset, load_rules
from fastscore.status import REASONS, UNSCORABLE, Status
from fastscore.testing import reference

FEW = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
ENGLISH = load_rules("classic/english")


def boards_of(seeds: range) -> list[Board]:
    made = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        made.append(testing.random_board(rng, testing.random_ruleset(rng)))
    return made


def test_makers_reach_the_corners() -> None:
    boards = boards_of(range(300))
    rulesets = [board.rules for board in boards]
    sizes = {(rules.rows, rules.cols) for rules in rulesets}
    assert min(min(size) for size in sizes) == 1
    assert max(max(size) for size in sizes) > 21
    assert any(rows != cols for rows, cols in sizes)
    assert {rules.rack_size for rules in rulesets} >= {1, 2, 7, 15}
    assert {rules.letters.n_letters for rules in rulesets} >= {1, 26, 126}
    for has in (
        lambda rules: rules.letters.values[0] > 0,
        lambda rules: max(rules.letters.values) > 100_000,
        lambda rules: max(rules.letters.values) <= 1,
        lambda rules: rules.layout.bricks.any(),
        lambda rules: rules.layout.letter_condition.any(),
        lambda rules: rules.layout.letter_multiplier.max() == rules.layout.word_multiplier.max() == 9,
        lambda rules: rules.layout.start != (rules.rows // 2, rules.cols // 2),
        lambda rules: max(rules.bingo_multiplier) > 1,
        lambda rules: sum(points > 0 for points in rules.bingo_bonus) > 1,
    ):
        share = sum(bool(has(rules)) for rules in rulesets) / len(rulesets)
        assert 0 < share < 1
    tiles = np.concatenate([board.tiles.ravel() for board in boards])
    assert 0x80 in tiles
    assert (tiles > 0x80).any()
    assert any(board.is_empty for board in boards)
    assert any(not board.is_empty for board in boards)


def test_placements_without_hostility_are_legal() -> None:
    harmless = Status.BLANK_UNDESIGNATED | Status.NO_WORD | Status.START_NOT_COVERED | Status.SCORE_OVERFLOW
    scored = 0
    for board in boards_of(range(80)):
        if not np.any((board.tiles == 0) & ~board.rules.layout.bricks):
            continue
        for fields in testing.random_placements(np.random.default_rng(1), board, 25, hostile=0):
            judgement = reference.judge(board, Placement(*fields))
            assert judgement.status & ~harmless == Status.GOOD, (board, fields)
            scored += judgement.total > 0
    assert scored > 1000


def test_hostile_placements_reach_every_fault() -> None:
    seen = Status.GOOD
    for board in boards_of(range(120)):
        for fields in testing.random_placements(np.random.default_rng(2), board, 40, hostile=1):
            seen |= reference.check(board, Placement(*fields))
    # these come from conversions and from raw arrays of boards
    elsewhere = Status.UNREADABLE | Status.BAD_POSITION | Status.BAD_LENGTH | Status.BAD_BOARD | Status.NOT_IN_LINE
    # ... and these from a lexicon and from rules that forbid them
    elsewhere |= Status.PHONY | Status.SPLIT_DIGRAPH
    elsewhere |= Status.GAP | Status.THROUGH_DIFFERS | Status.THROUGH_EMPTY | Status.NOT_MAXIMAL | Status.NOT_ON_RACK
    assert seen == Status(sum(REASONS)) & ~elsewhere


def test_makers_repeat_with_the_same_seed() -> None:
    board = boards_of(range(7, 8))[0]
    assert board == boards_of(range(7, 8))[0]
    first, second = (testing.random_placements(np.random.default_rng(3), board, 50) for _ in range(2))
    assert first == second
    racks = [testing.random_rack(np.random.default_rng(seed), ENGLISH) for seed in range(50)]
    assert len(set(racks)) > 10
    assert all(len(rack) == 27 and sum(rack) <= 7 for rack in racks)


@FEW
@given(st.data())
def test_strategies(data: st.DataObject) -> None:
    rules = data.draw(testing.rulesets())
    board = data.draw(testing.boards(rules))
    assert isinstance(rules, Ruleset)
    assert board.rules is rules
    placement = data.draw(testing.hostile_placements(board))
    judgement = reference.judge(board, placement)
    assert judgement.total == 0 or not judgement.status & UNSCORABLE
    rack = data.draw(testing.racks(rules))
    assert sum(rack) <= rules.rack_size
    assert len(rack) == rules.letters.n_letters + 1


@FEW
@given(st.data())
def test_legal_placements_are_good(data: st.DataObject) -> None:
    board = data.draw(testing.boards(ENGLISH))
    placement = data.draw(testing.legal_placements(board))
    assert reference.check(board, placement) == Status.GOOD
    assert board.play(placement) != board


def test_failing_cases_come_back_small() -> None:
    found: list[Placement] = []

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(testing.legal_placements(Board(ENGLISH)))
    def fewer_than_four_tiles(placement: Placement) -> None:
        if len(placement.tiles) >= 4:
            found.append(placement)
            raise AssertionError

    with pytest.raises(AssertionError):
        fewer_than_four_tiles()
    # the last one tried is the smallest: as few tiles as fail, and all of them A
    assert found[-1].tiles == (1, 1, 1, 1)


def test_strategies_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_hypothesis(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("hypothesis"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_hypothesis)
    with pytest.raises(ImportError, match="pip install hypothesis"):
        testing.rulesets()
