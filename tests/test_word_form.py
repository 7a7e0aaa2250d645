"""Scores straight from the word form equal those of a converted batch, for good rows and hostile ones."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastscore as fs
from fastscore.testing import random_board, random_ruleset

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
EVERY = 1 if COMPILED else 150
FIELDS = ("position", "row", "col", "direction", "length", "tiles")


@pytest.fixture(scope="module")
def plays() -> dict[str, np.ndarray]:
    with np.load(Path(__file__).parent / "data" / "legal_plays.npz") as file:
        return {name: file[name] if name == "boards" else file[name][::EVERY] for name in (*FIELDS, "boards", "score")}


def both_ways(boards: Any, rules: fs.Ruleset, fields: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    converted = fs.PlacementBatch.from_word_form(boards, rules, **fields)
    return fs.score_word_form(boards, rules, **fields), fs.score_batch(boards, converted, rules)


def test_legal_plays(plays: dict[str, np.ndarray]) -> None:
    fields = {name: plays[name] for name in FIELDS}
    rules = fs.load_rules("classic/english")
    out = np.full(len(plays["score"]), -1, np.int32)
    assert fs.score_word_form(plays["boards"], rules, out=out, **fields) is out
    assert np.array_equal(out, plays["score"])
    shuffle = np.random.default_rng(5).permutation(len(out))
    shuffled = {name: array[shuffle] for name, array in fields.items()}
    assert np.array_equal(fs.score_word_form(plays["boards"], rules, **shuffled), plays["score"][shuffle])


@pytest.mark.parametrize("name", ["classic/english", "super/english", "literaki", "duel", "random", "bricks"])
@pytest.mark.parametrize("width", [3, 8, 21])
def test_random_rows(name: str, width: int) -> None:
    """Rows near a real board: right ones, off by a square or a letter, too long, off the board, bad codes."""
    rng = np.random.default_rng(width)
    for _ in range(20 if COMPILED else 2):
        if name == "random":
            rules = random_ruleset(rng)
        elif name == "bricks":
            classic = fs.load_rules("classic/english")
            bricks = rng.random((15, 15)) < 0.1
            rules = replace(classic, layout=replace(classic.layout, bricks=bricks))
        else:
            rules = fs.load_rules(name)
        boards = np.stack([random_board(rng, rules).tiles for _ in range(3)])
        n = 300
        fields: dict[str, np.ndarray] = {
            "position": np.sort(rng.integers(-1, 4, n)),
            "row": rng.integers(0, rules.rows + 1, n),
            "col": rng.integers(0, rules.cols + 1, n),
            "direction": rng.integers(0, 2, n),
            "length": rng.integers(0, min(width, 10) + 2, n),
            "tiles": rng.integers(1, rules.letters.n_letters + 1, (n, width)),
        }
        for k in range(n):  # most rows: a marker on each occupied square, which makes them right
            p, r, c = fields["position"][k], fields["row"][k], fields["col"][k]
            if 0 <= p < 3 and rng.random() < 0.9:
                for step in range(width):
                    r_at, c_at = (r, c + step) if fields["direction"][k] == 0 else (r + step, c)
                    if r_at < rules.rows and c_at < rules.cols and boards[p, r_at, c_at]:
                        fields["tiles"][k, step] = 0 if rng.random() < 0.9 else boards[p, r_at, c_at]
        straight, converted = both_ways(boards, rules, fields)
        assert np.array_equal(straight, converted)
        if name not in ("random", "duel"):
            assert (straight > 0).sum() > 20


def test_out_of_range_fields() -> None:
    rules = fs.load_rules("classic/english")
    boards = np.zeros((1, 15, 15), np.uint8)
    good = {"row": 7, "col": 7, "direction": 0, "length": 2, "position": 0}
    # A 1 + B 3, doubled by the start square
    for change, score in (
        ({}, 8),
        ({"row": 15}, 0),
        ({"row": 263}, 0),
        ({"col": -1}, 0),
        ({"col": 31}, 0),
        ({"direction": 2}, 0),
        ({"length": 0}, 0),
        ({"length": 16}, 0),
        ({"length": 258}, 0),
        ({"length": 3}, 0),
        ({"length": 1}, 0),
        ({"position": 1}, 0),
        ({"position": 2**32}, 0),
    ):
        fields = {name: np.full(40, value) for name, value in (good | change).items()}
        fields["tiles"] = np.tile([1, 2] + [0] * 13, (40, 1))
        assert set(fs.score_word_form(boards, rules, **fields).tolist()) == {score}


def test_shapes_are_checked() -> None:
    rules = fs.load_rules("classic/english")
    fields: dict[str, Any] = {"row": [7], "col": [7], "direction": [0], "tiles": [[1, 2]], "length": [2, 2]}
    with pytest.raises(fs.ShapeError, match=r"length of shape \(2,\)"):
        fs.score_word_form(fs.Board(rules), **fields)
    with pytest.raises(fs.RulesError, match="no rules"):
        fs.score_word_form(np.zeros((15, 15), np.uint8), **(fields | {"length": [2]}))
    assert fs.score_word_form(fs.Board(rules), **(fields | {"length": [2]})).tolist() == [8]
