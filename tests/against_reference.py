"""Kernels against the reference on random rulesets, boards and placements; also a command for long runs.

    python -m tests.against_reference --placements 10000000 --processes 2

Every difference is an error that names the seed, the ruleset, the board and the placement.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

import fastscore as fs
from fastscore.rules.ruleset import Ruleset
from fastscore.tables import rule_arrays
from fastscore.testing import random_board, random_placements, random_rack, random_ruleset, reference

BOARDS = 6
PLACEMENTS = 60  # on each board: more than kernels.MIN_RUN, so that tables are used where the ruleset fits them
STANDARD = ("classic/english", "super/english", "words-with-friends", "literaki", "letter-league", "duel", "hong-kong")


class Counts(NamedTuple):
    """What a run has compared."""

    placements: int = 0
    scored: int = 0
    by_tables: int = 0
    flags_seen: int = 0

    def plus(self, other: Counts) -> Counts:
        """The sum of two counts."""
        return Counts(*(a + b for a, b in zip(self[:3], other[:3], strict=True)), self.flags_seen | other.flags_seen)


def pick_rules(rng: np.random.Generator) -> Ruleset:
    """A random ruleset, or in three cases of ten a bundled one."""
    return fs.load_rules(STANDARD[rng.integers(len(STANDARD))]) if rng.random() < 0.3 else random_ruleset(rng)


def compare(seed: int) -> Counts:
    """One ruleset, some boards, all placements of them in one batch: every score, part and status must be equal."""
    rng = np.random.default_rng(seed)
    rules = pick_rules(rng)
    boards = [random_board(rng, rules) for _ in range(BOARDS)]
    fields = [random_placements(rng, board, PLACEMENTS) for board in boards]
    racks = [random_rack(rng, rules) for _ in boards]
    placements = [[fs.Placement(*field) for field in some] for some in fields]
    wanted = [
        [reference.judge(board, placement, rack) for placement in some]
        for board, some, rack in zip(boards, placements, racks, strict=True)
    ]
    flat = [judgement for some in wanted for judgement in some]
    total = np.array([judgement.total for judgement in flat], np.int64)
    status = np.array([int(judgement.status) for judgement in flat], np.int64)
    bonus = np.array([judgement.bonus for judgement in flat], np.int64)
    main = np.array([sum(w.score for w in judgement.words if w.main) for judgement in flat], np.int64)

    position = np.repeat(np.arange(BOARDS), PLACEMENTS)
    batch = fs.PlacementBatch.from_placements([placement for some in placements for placement in some], position)
    found = fs.check_batch(boards, batch, racks=np.array(racks))
    shuffle = rng.permutation(len(batch))
    parts = fs.score_batch(boards, batch, parts=True)
    results = {
        "score_batch": (fs.score_batch(boards, batch), total),
        "score_batch of a permutation": (fs.score_batch(boards, batch[shuffle]), total[shuffle]),
        "score_batch, parts": (parts.score, total),
        "main word": (parts.main, main),
        "bonus": (parts.bonus, bonus),
        "check_batch": (found.astype(np.int64), status),
    }
    for name, (got, expected) in results.items():
        if not np.array_equal(got, expected):
            at = int(np.flatnonzero(got != expected)[0])
            at = int(shuffle[at]) if "permutation" in name else at
            raise AssertionError(
                f"seed {seed}, {name}: {got[got != expected][0]}, by the reference {expected[got != expected][0]}, for "
                f"{batch[at]} on board {position[at]} under {rules.name}\n{boards[position[at]]}"
            )
    seen = int(np.bitwise_or.reduce(status))
    return Counts(len(flat), int((total > 0).sum()), len(flat) * bool(rule_arrays(rules).packed), seen)


def compare_many(first_seed: int, placements: int) -> Counts:
    """`compare` with one seed after the other until so many placements are compared."""
    counts = Counts()
    seed = first_seed
    while counts.placements < placements:
        counts = counts.plus(compare(seed))
        seed += 1
    return counts


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--placements", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1_000_000)
    options = parser.parse_args()
    part = 100_000
    seeds = range(0, options.placements, part)
    counts = Counts()
    start = time.monotonic()
    with ProcessPoolExecutor(options.processes) as pool:
        for done in pool.map(compare_many, [options.seed + seed for seed in seeds], [part] * len(seeds)):
            counts = counts.plus(done)
            print(
                f"{counts.placements} placements equal, {counts.scored} with a score, {counts.by_tables} by tables, "
                f"{time.monotonic() - start:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
