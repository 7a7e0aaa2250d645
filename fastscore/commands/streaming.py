"""`score` of a whole file of positions: read, scored and written piece by piece, in the memory that one piece takes."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from fastscore.commands.output import warn, write_lines
from fastscore.errors import RulesError, ShapeError, TableError, quote
from fastscore.status import REASONS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fastscore.batch_io import CandidateReader
    from fastscore.candidates import Candidates
    from fastscore.rules.ruleset import Ruleset

__all__ = ["CHUNK", "score_file"]

CHUNK = 1 << 18
"""Candidates at a time: with a board for each, 60 MB of boards."""


def score_file(path: str, out: str, *, rules_name: str | None = None, chunk: int = CHUNK) -> int:
    """Score the candidates of a file into another; returns the exit code.

    `out` holds `score` and `status`, a row for each row of the file, in its order. It is in place only when all is
    done. `rules_name`: a ruleset's name or file; None = the bundled one that the file names. Racks of the file are
    checked. Raises FastscoreError, OSError.
    """
    import numpy as np

    from fastscore.batch_io import ScoreWriter, open_candidates

    if os.path.exists(out) and os.path.samefile(path, out):
        raise TableError("is read and cannot be written at the same time, expected another name", source=out)
    found: Counter[int] = Counter()
    done = bad = 0
    with open_candidates(path) as reader:
        rules = _rules_of(reader, rules_name)
        with ScoreWriter(out) as writer, _progress(reader.rows) as advance:
            for part in reader.chunks(chunk, rules):
                score, status = _judge(part, rules, path)
                writer.append(score, status)
                done += len(part)
                flagged = status[status != 0]
                bad += len(flagged)
                found.update({flag: int(np.count_nonzero(flagged & flag)) for flag in REASONS if len(flagged)})
                advance(len(part))
    write_lines([f"{done} {'score' if done == 1 else 'scores'} in {out}"])
    if not bad:
        return 0
    reasons = ", ".join(f"{found[flag]} {reason}" for flag, reason in REASONS.items() if found[flag])
    warn(f"{bad} of {done} placements {'is' if bad == 1 else 'are'} bad: {reasons}")
    return 1


def _rules_of(reader: CandidateReader, rules_name: str | None) -> Ruleset:
    from fastscore.rules.ruleset import load_rules, ruleset_names

    if rules_name is not None:
        return load_rules(rules_name)
    if reader.rules is None:
        raise RulesError("the file names no rules, expected --rules NAME", source=reader.path)
    # The name may be anybody's, and must not lead to another file.
    if reader.rules not in ruleset_names():
        raise RulesError(
            f"the rules {quote(reader.rules)} are none of those that are bundled, expected --rules NAME",
            source=reader.path,
        )
    return load_rules(reader.rules)


def _judge(part: Candidates, rules: Ruleset, path: str) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    from fastscore.scoring import check_batch, score_batch

    if part.boards is None:
        raise TableError("no boards, expected an array 'boards' or a column 'board'", source=path)
    try:
        scores = score_batch(part.boards, part.batch, rules)
        return scores, check_batch(part.boards, part.batch, rules, part.racks)
    except ShapeError as error:
        raise TableError(error.detail, source=path) from None


@contextlib.contextmanager
def _progress(rows: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error while the block runs, if that is a terminal; the function says how many more are done."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("scoring", total=rows)
        yield lambda more: bar.advance(task, more)
