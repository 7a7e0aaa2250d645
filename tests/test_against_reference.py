"""Kernels and reference agree on everything: scores, parts, all reasons of the status."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fastscore as fs
from fastscore.status import Status
from fastscore.testing import (
    boards,
    hostile_placements,
    legal_placements,
    racks,
    random_board,
    random_placements,
    reference,
    rulesets,
)
from tests.against_reference import Counts, compare_many

# Without compilation a kernel is some hundred times slower; that lane is there for the lines, not for the numbers.
COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
CHUNKS = 40 if COMPILED else 4
PER_CHUNK = 5_000 if COMPILED else 400
PLACEMENT_FLAGS = (
    Status.BAD_DIRECTION
    | Status.BAD_ROW
    | Status.BAD_COL
    | Status.BAD_TILE
    | Status.NO_TILE
    | Status.HOLE
    | Status.SQUARE_OCCUPIED
    | Status.SQUARE_BRICK
    | Status.OFF_BOARD
    | Status.OVER_BRICK
    | Status.TOO_MANY_TILES
    | Status.SCORE_OVERFLOW
    | Status.NOT_CONNECTED
    | Status.START_NOT_COVERED
    | Status.BLANK_UNDESIGNATED
    | Status.NOT_ON_RACK
    | Status.NO_WORD
)


def test_200_000_random_placements() -> None:
    counts = Counts()
    for chunk in range(CHUNKS):
        counts = counts.plus(compare_many(chunk * 10_000, PER_CHUNK))
    assert counts.placements >= CHUNKS * PER_CHUNK
    # The comparison is worth something only if all of this occurs in it.
    assert counts.scored > counts.placements // 4
    assert counts.by_tables > counts.placements // 5
    if COMPILED:
        assert Status(counts.flags_seen) & PLACEMENT_FLAGS == PLACEMENT_FLAGS


@settings(max_examples=150 if COMPILED else 30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_strategies(data: st.DataObject) -> None:
    rules = data.draw(rulesets())
    board = data.draw(boards(rules))
    placements = data.draw(st.lists(hostile_placements(board), min_size=1, max_size=40))
    rack = data.draw(racks(rules))
    batch = fs.PlacementBatch.from_placements(placements)
    judged = [reference.judge(board, placement, rack) for placement in placements]
    assert fs.score_batch(board, batch).tolist() == [judgement.total for judgement in judged]
    found = fs.check_batch(board, batch, racks=np.array(rack))
    assert found.tolist() == [int(judgement.status) for judgement in judged]


@settings(max_examples=60 if COMPILED else 15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_legal_placements_are_good_for_the_kernels_too(data: st.DataObject) -> None:
    rules = fs.load_rules(data.draw(st.sampled_from(["classic/english", "super/english", "words-with-friends"])))
    board = data.draw(boards(rules))
    placement = data.draw(legal_placements(board))
    batch = fs.PlacementBatch.from_placements([placement] * 30)
    assert not fs.check_batch(board, batch).any()
    assert set(fs.score_batch(board, batch).tolist()) == {fs.score(board, placement)}


@pytest.mark.parametrize("name", ["classic/english", "super/english", "literaki"])
def test_transposed_position_scores_the_same(name: str) -> None:
    rules = fs.load_rules(name)
    rng = np.random.default_rng(7)
    layout = rules.layout
    assert np.array_equal(layout.word_multiplier, layout.word_multiplier.T)
    for _ in range(5):
        board = random_board(rng, rules)
        placements = [fs.Placement(*fields) for fields in random_placements(rng, board, 100, hostile=0.1)]
        turned = [
            fs.Placement(p.col, p.row, 1 - p.direction if p.direction in (0, 1) else 2, p.tiles) for p in placements
        ]
        scores = fs.score_batch(board, fs.PlacementBatch.from_placements(placements))
        turned_scores = fs.score_batch(fs.Board(rules, board.tiles.T), fs.PlacementBatch.from_placements(turned))
        assert np.array_equal(scores, turned_scores)
        assert scores.any()
