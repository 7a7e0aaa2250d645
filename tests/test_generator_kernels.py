"""Functions for other people's compiled code, merged into plain `numba.njit` functions as theirs would be."""

from __future__ import annotations

import os
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import fastscore as fs
from fastscore.generator_kernels import (
    blank_losses,
    finish,
    first_slot,
    lay_tile,
    room,
    score_placement,
    score_run,
    upper_bounds,
)
from fastscore.rules.ruleset import Ruleset
from fastscore.status import UNSCORABLE, Status
from fastscore.table_kernels import RECORD_WORDS, lay, record_count, take_back
from fastscore.tables import KeptTables, ScoringTables, rule_arrays
from fastscore.testing import random_board, random_placements, random_ruleset

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
LEGAL = Path(__file__).parent / "data" / "legal_plays.npz"
U64 = np.uint64
BLANK = 0x80

# --- a caller's own functions -----------------------------------------------------------------------------------------


@numba.njit
def score_placements(slots, spots, lookup, rack_size, position, row, col, direction, words, scores):
    for k in range(len(row)):
        p = position[k]
        scores[k] = score_placement(slots[p], spots[p], lookup, rack_size, row[k], col[k], direction[k], words[k])


@numba.njit
def score_by_tile(slots, spots, lookup, position, row, col, direction, tiles, scores, fits):
    """Lays one tile after the other and scores at each, as a generator does: the score of the first n + 1 tiles."""
    for k in range(len(row)):
        p = position[k]
        first = first_slot(spots[p], row[k], col[k], direction[k])
        total = U64(0)
        for index in range(tiles.shape[1]):
            if tiles[k, index] == 0:
                break
            total += lay_tile(slots[p], lookup, first, index, tiles[k, index])
            fits[k, index] = room(slots[p], first, index + 1)
            scores[k, index] = finish(slots[p], lookup, first, index + 1, total)


@numba.njit
def score_groups(slots, spots, lookup, begins, position, row, col, direction, laid, words, summed, scores):
    """Groups of placements that share slot and number of tiles; the bytes in `summed` are added up here beforehand."""
    totals = np.zeros(len(words), np.uint64)
    for group in range(len(begins) - 1):
        begin, end = begins[group], begins[group + 1]
        p = position[begin]
        first = first_slot(spots[p], row[begin], col[begin], direction[begin])
        for k in range(begin, end):
            for index in range(laid[k]):
                tile = summed[k] >> U64(8 * index) & U64(255)
                totals[k] += lay_tile(slots[p], lookup, first, index, tile)
        some = slice(begin, end)
        score_run(slots[p], lookup, first, laid[begin], words[some], totals[some], end - begin, scores[some])


@numba.njit
def losses_of(slots, spots, lookup, position, row, col, direction, laid, words, losses):
    for k in range(len(row)):
        p = position[k]
        first = first_slot(spots[p], row[k], col[k], direction[k])
        blank_losses(slots[p], lookup, first, laid[k], words[k], losses[k])


@numba.njit
def bounds_of(slots, spots, lookup, position, row, col, direction, rack_values, tiles, bounds):
    for k in range(len(row)):
        p = position[k]
        first = first_slot(spots[p], row[k], col[k], direction[k])
        upper_bounds(slots[p], lookup, first, rack_values[p], tiles[p], bounds[k])


@numba.njit
def score_replies(
    boards, slots, spots, rules, position, row, col, direction, tiles, laid, replies, saved, where, scores
):
    """The scores of two replies (row, col, direction, tiles) behind each placement, which is taken back again."""
    for k in range(len(row)):
        p = position[k]
        fresh = tiles[k, : laid[k]]
        at = where[: laid[k]]
        records = lay(boards[p], row[k], col[k], direction[k], fresh, rules, slots[p], spots[p], saved, at)
        for reply in range(2):
            r, c, d, word = replies[k, reply]
            scores[k, reply] = score_placement(slots[p], spots[p], rules.lookup, 7, r, c, d, word)
        take_back(boards[p], direction[k], rules, slots[p], spots[p], saved, records, at)


# --- real plays -------------------------------------------------------------------------------------------------------


class Legal(NamedTuple):
    """Real positions with their racks, legal plays (without compilation a few), their scores and tiles as words."""

    tables: ScoringTables
    racks: np.ndarray
    batch: fs.PlacementBatch
    scores: np.ndarray
    words: np.ndarray
    laid: np.ndarray

    @property
    def arrays(self) -> KeptTables:
        return self.tables.arrays

    @property
    def columns(self) -> tuple[np.ndarray, ...]:
        return self.batch.position, self.batch.row, self.batch.col, self.batch.direction


def words_of(tiles: np.ndarray) -> np.ndarray:
    """Rows of tiles as 64-bit words, the first tile in the lowest byte; no row lays more than eight."""
    padded = np.zeros((len(tiles), 8), np.uint8)
    width = min(tiles.shape[1], 8)
    padded[:, :width] = tiles[:, :width]
    return padded.view("<u8").astype(np.uint64)[:, 0]


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    return fs.load_rules("classic/english")


@pytest.fixture(scope="module")
def legal(rules: Ruleset) -> Legal:
    # Without compilation some plays of twelve positions; one of these has two blanks on its rack.
    first, last, every = (0, 486, 1) if COMPILED else (160, 172, 29)
    with np.load(LEGAL) as file:
        some = slice(*np.searchsorted(file["position"], [first, last]), every)
        fields = {name: file[name][some] for name in ("position", "row", "col", "direction", "length", "tiles")}
        fields["position"] = fields["position"] - first
        boards, racks, scores = file["boards"][first:last], file["racks"][first:last], file["score"][some]
    batch = fs.PlacementBatch.from_word_form(boards, rules, **fields)
    laid = np.count_nonzero(batch.tiles, axis=1)
    return Legal(ScoringTables(boards, rules), racks, batch, scores, words_of(batch.tiles), laid)


def test_score_placement_of_every_legal_play(legal: Legal) -> None:
    slots, spots, lookup = legal.arrays.slots, legal.arrays.spots, legal.arrays.rules.lookup
    scores = np.empty(len(legal.batch), np.int32)
    score_placements(slots, spots, lookup, 7, *legal.columns, legal.words, scores)
    assert np.array_equal(scores, legal.scores)


def test_tile_by_tile_for_every_legal_play(legal: Legal) -> None:
    slots, spots, lookup = legal.arrays.slots, legal.arrays.spots, legal.arrays.rules.lookup
    n = len(legal.batch)
    scores, fits = np.full((n, 7), -2), np.zeros((n, 7), bool)
    score_by_tile(slots, spots, lookup, *legal.columns, legal.batch.tiles, scores, fits)
    last = legal.laid - 1
    assert np.array_equal(scores[np.arange(n), last], legal.scores)
    assert np.array_equal(fits, np.arange(7) <= last[:, None])
    # At each point before the last it is the score of those tiles alone.
    for tiles in range(1, 7):
        some = np.flatnonzero(legal.laid > tiles)[:: 50 if COMPILED else 5]
        shorter = legal.batch.tiles[some].copy()
        shorter[:, tiles:] = 0
        batch = fs.PlacementBatch(
            position=legal.batch.position[some],
            row=legal.batch.row[some],
            col=legal.batch.col[some],
            direction=legal.batch.direction[some],
            tiles=shorter,
        )
        assert np.array_equal(scores[some, tiles - 1], fs.score_batch(legal.tables, batch))


def test_runs_of_every_legal_play(legal: Legal) -> None:
    """Groups that share slot and number of tiles, with none, some and all of the tiles summed by the caller."""
    rng = np.random.default_rng(30)
    columns = (*legal.columns, legal.laid)
    order = np.lexsort(columns[::-1])
    position, row, col, direction, laid = (column[order] for column in columns)
    keys = np.stack([position, row, col, direction, laid])
    begins = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(axis=0), True])
    assert len(begins) < len(order) * 3 // 4
    words = legal.words[order]
    slots, spots, lookup = legal.arrays.slots, legal.arrays.spots, legal.arrays.rules.lookup
    for chance in (0.0, 0.5, 1.0):
        masks = (
            np.where(rng.random((len(words), 8)) < chance, 0xFF, 0).astype(np.uint8).view("<u8").astype(np.uint64)[:, 0]
        )
        scores = np.full(len(words), -2, np.int32)
        score_groups(
            slots, spots, lookup, begins, position, row, col, direction, laid, words & ~masks, words & masks, scores
        )
        assert np.array_equal(scores, legal.scores[order])


def test_blanks_of_every_legal_play(legal: Legal) -> None:
    """The score of a play with blanks is that of the same letters as tiles, less the losses of these."""
    slots, spots, lookup = legal.arrays.slots, legal.arrays.spots, legal.arrays.rules.lookup
    natural = fs.PlacementBatch(
        position=legal.batch.position,
        row=legal.batch.row,
        col=legal.batch.col,
        direction=legal.batch.direction,
        tiles=legal.batch.tiles & 0x7F,
    )
    losses = np.zeros((len(legal.batch), 8), np.int32)
    losses_of(slots, spots, lookup, *legal.columns, legal.laid, words_of(natural.tiles), losses)
    blanks = legal.batch.tiles >= BLANK
    assert (blanks.sum(axis=1) == 1).any()
    assert (blanks.sum(axis=1) == 2).any()
    lost = (losses[:, :7] * blanks).sum(axis=1)
    assert np.array_equal(fs.score_batch(legal.tables, natural) - lost, legal.scores)


def test_every_set_of_tiles_as_blanks(legal: Legal) -> None:
    some = np.random.default_rng(31).permutation(len(legal.batch))[: 4000 if COMPILED else 40]
    assert_losses(legal.tables, legal.batch[some])


def assert_losses(tables: ScoringTables, batch: fs.PlacementBatch) -> None:
    """All 2 ** n sets of each placement's n tiles; the placements have a score and lay at most eight."""
    natural = np.zeros((len(batch), 8), np.uint8)
    natural[:, : batch.tiles.shape[1]] = batch.tiles[:, :8] & 0x7F
    laid = np.count_nonzero(natural, axis=1)
    columns = batch.position, batch.row, batch.col, batch.direction
    kept = tables.arrays
    losses = np.zeros((len(batch), 8), np.int32)
    losses_of(kept.slots, kept.spots, kept.rules.lookup, *columns, laid, words_of(natural), losses)
    numbers = np.repeat(np.arange(len(batch)), 2**laid)
    sets = np.concatenate([np.arange(2**n) for n in laid.tolist()])
    chosen = sets[:, None] >> np.arange(8) & 1
    position, row, col, direction = (column[numbers] for column in columns)
    tiles = natural[numbers] | (chosen * BLANK).astype(np.uint8)
    blanked = fs.PlacementBatch(position=position, row=row, col=col, direction=direction, tiles=tiles)
    scores = fs.score_batch(tables, blanked)
    assert np.array_equal(scores[sets == 0][numbers] - (losses[numbers] * chosen).sum(axis=1), scores)


# --- bounds -----------------------------------------------------------------------------------------------------------


def rack_values(rules: Ruleset, racks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values of the tiles of each rack, highest first, int64[n, 8], and how many tiles there are."""
    values = np.array(rules.letters.values)
    rows = [np.sort(np.repeat(values, rack))[::-1] for rack in racks]
    return np.array([np.pad(row, (0, 8 - len(row))) for row in rows], np.int64), racks.sum(axis=1).astype(np.int64)


def test_no_legal_play_is_above_its_bound(legal: Legal, rules: Ruleset) -> None:
    kept = legal.arrays
    bounds = np.full((len(legal.batch), 9), -2, np.int64)
    bounds_of(kept.slots, kept.spots, kept.rules.lookup, *legal.columns, *rack_values(rules, legal.racks), bounds)
    own = bounds[np.arange(len(bounds)), legal.laid]
    assert (legal.scores <= own).all()
    assert np.count_nonzero(legal.scores == own) > len(own) // 100
    assert (bounds[:, 0] == -1).all()
    tiles = legal.racks.sum(axis=1)[legal.batch.position]
    assert (bounds[np.arange(9) > tiles[:, None]] == -1).all()


def test_bounds_are_the_best_of_all_orders() -> None:
    """Whether words are good is not asked, so the bound is what the best order of the best tiles scores."""
    rng = np.random.default_rng(32)
    checked = 0
    for rules in fitting_rulesets(rng, 12 if COMPILED else 3):
        board = random_board(rng, rules)
        kept = ScoringTables(board).arrays
        letters = rng.integers(0, rules.letters.n_letters + 1, min(4, rules.rack_size))
        racks = np.bincount(letters, minlength=rules.letters.n_letters + 1)[None]
        codes = [int(letter) or BLANK for letter in letters]
        squares = [divmod(int(square), rules.cols) for square in rng.permutation(rules.rows * rules.cols)[:10]]
        for row, col in squares:
            for direction in range(2):
                bounds = np.full((1, 9), -2, np.int64)
                where = [np.array([value]) for value in (0, row, col, direction)]
                bounds_of(kept.slots, kept.spots, kept.rules.lookup, *where, *rack_values(rules, racks), bounds)
                for laid in range(1, len(codes) + 1):
                    orders = [fs.Placement(row, col, direction, order) for order in set(permutations(codes, laid))]
                    batch = fs.PlacementBatch.from_placements(orders)
                    if (fs.check_batch(board, batch) & np.uint32(UNSCORABLE)).all():
                        assert bounds[0, laid] == -1
                    else:
                        assert bounds[0, laid] == fs.score_batch(board, batch).max()
                        checked += 1
                assert (bounds[0, len(codes) + 1 :] == -1).all()
    assert checked > 50


# --- random positions -------------------------------------------------------------------------------------------------


def fitting_rulesets(rng: np.random.Generator, count: int) -> list[Ruleset]:
    """Random and bundled rulesets that have tables."""
    found = [fs.load_rules(name) for name in ("classic/english", "super/english", "duel")]
    while len(found) < count:
        rules = random_ruleset(rng)
        if rule_arrays(rules).packed:
            found.append(rules)
    return found


# What is found out by walking over the squares, not by the tables.
OFF_LANE = Status.SQUARE_OCCUPIED | Status.SQUARE_BRICK | Status.OFF_BOARD | Status.OVER_BRICK


def test_random_placements_good_and_bad() -> None:
    rng = np.random.default_rng(33)
    seen = Status.GOOD
    for rules in fitting_rulesets(rng, 60 if COMPILED else 6):
        boards = [random_board(rng, rules) for _ in range(3)]
        placements = [
            [p for p in (fs.Placement(*f) for f in random_placements(rng, board, 60)) if len(p.tiles) <= 8]
            for board in boards
        ]
        position = np.repeat(np.arange(3), [len(some) for some in placements])
        batch = fs.PlacementBatch.from_placements([p for some in placements for p in some], position)
        columns = batch.position, batch.row, batch.col, batch.direction
        kept = ScoringTables(boards).arrays
        found = fs.check_batch(boards, batch)
        unscorable = found & np.uint32(UNSCORABLE) != 0
        expected = np.where(unscorable, -1, fs.score_batch(boards, batch))
        seen |= Status(int(np.bitwise_or.reduce(found)))

        scores = np.empty(len(batch), np.int32)
        words = words_of(batch.tiles)
        score_placements(kept.slots, kept.spots, kept.rules.lookup, rules.rack_size, *columns, words, scores)
        assert np.array_equal(scores, expected)

        # Laid tile by tile, squares and directions have to be numbers within the tables, and racks are not looked at.
        tiles = np.zeros((len(batch), 8), np.uint8)
        tiles[:, : batch.tiles.shape[1]] = batch.tiles[:, :8]
        laid = np.count_nonzero(tiles, axis=1)
        judged = (batch.row < 32) & (batch.col < 32) & (batch.direction < 2)
        judged &= found & np.uint32(Status.HOLE | Status.NO_TILE | Status.TOO_MANY_TILES) == 0
        by_tile, fits = np.full((len(batch), 8), -2), np.zeros((len(batch), 8), bool)
        score_by_tile(
            kept.slots, kept.spots, kept.rules.lookup, *(c[judged] for c in columns), tiles[judged], by_tile, fits
        )
        count = int(judged.sum())
        last = laid[judged] - 1
        assert np.array_equal(by_tile[np.arange(count), last], expected[judged])
        off = found[judged] & np.uint32(OFF_LANE | Status.BAD_ROW | Status.BAD_COL) != 0
        assert np.array_equal(fits[np.arange(count), last], ~off)

        scored = np.flatnonzero(~unscorable & ((batch.tiles != BLANK).all(axis=1)))[:60]
        assert_losses(ScoringTables(boards), batch[scored])
    wanted = OFF_LANE | Status.BAD_TILE | Status.HOLE | Status.NO_TILE | Status.TOO_MANY_TILES | Status.NO_WORD
    assert seen & wanted == wanted or not COMPILED


@pytest.mark.parametrize(("row", "col"), [(7, 7), (15, 3), (3, 15), (31, 31), (0, 31)])
def test_a_slot_of_no_empty_square(rules: Ruleset, row: int, col: int) -> None:
    kept = ScoringTables(fs.Board(rules).play("8H JOG")).arrays
    for direction in range(2):
        where = [np.array([value]) for value in (0, row, col, direction)]
        scores, fits = np.full((1, 8), -2), np.ones((1, 8), bool)
        score_by_tile(kept.slots, kept.spots, kept.rules.lookup, *where, np.full((1, 8), 17, np.uint8), scores, fits)
        assert scores.tolist() == [[-1] * 8]
        assert not fits.any()


@pytest.mark.parametrize("direction", [2, 3, 255, 2**32, 2**60, 2**61, 2**63])
def test_directions_of_any_size(rules: Ruleset, direction: int) -> None:
    kept = ScoringTables(fs.Board(rules)).arrays
    scores = np.empty(1, np.int32)
    where = [np.array([value], np.uint64) for value in (7, 7, direction)]
    words = np.array([1 | 2 << 8], np.uint64)
    score_placements(kept.slots, kept.spots, kept.rules.lookup, 7, np.zeros(1, np.int64), *where, words, scores)
    assert scores.tolist() == [-1]
    where[2][0] = 1
    score_placements(kept.slots, kept.spots, kept.rules.lookup, 7, np.zeros(1, np.int64), *where, words, scores)
    # A 1 + B 3, doubled by the start square
    assert scores.tolist() == [8]


def test_by_hand(rules: Ruleset) -> None:
    """8H JOG on the board: G-RE down from I7 through the O; G 2 x 2 [I7] + O 1 + R 1 x 2 [I9] + E 1 = 8."""
    kept = ScoringTables(fs.Board(rules).play("8H JOG")).arrays
    slots, spots, lookup = kept.slots[0], kept.spots[0], kept.rules.lookup
    # From Python as well: a dispatcher like any other.
    word = U64(7 | 18 << 8 | 5 << 16)
    assert score_placement(slots, spots, lookup, 7, 6, 8, 1, word) == 8
    assert score_placement(slots, spots, lookup, 2, 6, 8, 1, word) == -1  # more tiles than the rack
    losses = np.zeros(8, np.int32)
    blank_losses(slots, lookup, first_slot(spots, 6, 8, 1), 3, word, losses)
    assert losses.tolist() == [4, 2, 1, 0, 0, 0, 0, 0]
    bounds = np.zeros(9, np.int64)
    upper_bounds(slots, lookup, first_slot(spots, 6, 8, 1), np.array([10, 4]), 2, bounds)
    # One tile at I7: (2 x 10 + 1). Two, at I7 and I9, which double both: 2 x 10 + 2 x 4 + 1. More are not on the rack.
    assert bounds.tolist() == [-1, 21, 29, -1, -1, -1, -1, -1, -1]


def fits_the_fields(placement: fs.Placement) -> bool:
    return all(
        0 <= field < 32 for field in (placement.row, placement.col, placement.direction, len(placement.tiles) * 4)
    )


def test_replies_with_the_tables_of_the_next_board(legal: Legal, rules: Ruleset) -> None:
    """`lay` and `take_back` in a caller's loop: two random replies behind each of some plays."""
    rng = np.random.default_rng(34)
    some = np.sort(rng.permutation(len(legal.batch))[: 300 if COMPILED else 15])
    batch, laid = legal.batch[some], legal.laid[some]
    tables = legal.tables.copy()
    kept = tables.arrays
    replies, expected = np.zeros((len(some), 2, 4), np.uint64), np.zeros((len(some), 2), np.int64)
    for k, placement in enumerate(batch):
        board = tables.board(int(batch.position[k])).play(placement)
        answers = [fs.Placement(*fields) for fields in random_placements(rng, board, 2, hostile=0.2)]
        answers = [a if fits_the_fields(a) else fs.Placement(0, 0, 0, ()) for a in answers]
        made = fs.PlacementBatch.from_placements(answers)
        replies[k] = np.stack([made.row, made.col, made.direction, words_of(made.tiles)], axis=1)
        expected[k] = np.where(fs.check_batch(board, made) & np.uint32(UNSCORABLE), -1, fs.score_batch(board, made))
    scores = np.empty((len(some), 2), np.int64)
    saved, where = np.zeros((record_count(7), RECORD_WORDS), np.uint64), np.zeros(7, np.uint32)
    columns: tuple[Any, ...] = (batch.position, batch.row, batch.col, batch.direction, batch.tiles, laid)
    score_replies(kept.boards, kept.slots, kept.spots, kept.rules, *columns, replies, saved, where, scores)
    assert np.array_equal(scores, expected)
    assert (expected > 0).sum() > len(some)
    for name in ("boards", "slots", "spots"):
        assert np.array_equal(getattr(kept, name), getattr(legal.arrays, name))
