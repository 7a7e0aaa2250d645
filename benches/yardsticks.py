"""C scorers as yardsticks, compiled on the fly: see yardsticks.c and own_algorithm.c for what they do.

They stand for the field's programs: `walk` for those that walk each crossing word at each play, `cross` for those
that keep sums per square and direction.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benches.workloads import WordForm
from fastscore.tables import rule_arrays

if TYPE_CHECKING:
    from fastscore.placements import PlacementBatch
    from fastscore.rules.ruleset import Ruleset

__all__ = ["COMPILE", "NoYardsticksError", "Yardsticks", "compiler_version"]

COMPILE = ("gcc", "-O3", "-march=native", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
_SOURCES = [Path(__file__).with_name(name) for name in ("yardsticks.c", "own_algorithm.c")]

Scorer = Callable[[], NDArray[np.int32]]


class NoYardsticksError(RuntimeError):
    """The C scorers cannot be had here; the message is the reason."""


class _Rules(ctypes.Structure):
    _fields_ = (
        ("rows", ctypes.c_int32),
        ("cols", ctypes.c_int32),
        ("letter_multiplier", ctypes.c_void_p),
        ("word_multiplier", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("bonus", ctypes.c_void_p),
    )


class _Plays(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_int64),
        ("width", ctypes.c_int64),
        ("position", ctypes.c_void_p),
        ("row", ctypes.c_void_p),
        ("col", ctypes.c_void_p),
        ("direction", ctypes.c_void_p),
        ("length", ctypes.c_void_p),
        ("tiles", ctypes.c_void_p),
    )


@cache
def compiler_version() -> str:
    """First line of `gcc --version`. Raises NoYardsticksError where there is no gcc."""
    if shutil.which(COMPILE[0]) is None:
        raise NoYardsticksError(f"the C yardsticks need {COMPILE[0]}, which is not installed")
    found = subprocess.run([COMPILE[0], "--version"], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()[0]


@cache
def _library() -> ctypes.CDLL:
    compiler_version()
    # A loaded library outlives its file, so the folder can go at once (Windows, which minds, has no gcc as a rule).
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        target = Path(folder, "yardsticks.so")
        done = subprocess.run(
            [*COMPILE, "-o", str(target), *map(str, _SOURCES)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise NoYardsticksError(f"the C yardsticks do not compile:\n{done.stderr}")
        library = ctypes.CDLL(str(target))
    names = ("walk_score", "cross_setup", "cross_plays", "cross_score", "marked_score", "own_score")
    for function in (getattr(library, name) for name in names):
        function.restype = None
    return library


def _address(array: NDArray[Any], dtype: type[np.generic]) -> int:
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise TypeError(f"the C yardsticks read contiguous arrays of {dtype.__name__}, not {array.dtype}")
    return array.ctypes.data


class Yardsticks:
    """The C scorers under a ruleset. Raises NoYardsticksError where they cannot be compiled.

    Each method binds its arguments once and gives a function without any, so that what is timed later is the scoring
    alone. The arrays that these functions give are the same ones at every call.
    """

    def __init__(self, rules: Ruleset) -> None:
        layout = rules.layout
        special = (layout.bricks, layout.letter_condition, np.array(rules.bingo_multiplier) != 1)
        if any(array.any() for array in special):
            raise NoYardsticksError(f"the C yardsticks know plain boards and bonuses only, and {rules.name} has others")
        self._library = _library()
        values = np.zeros(256, dtype=np.int32)
        values[1 : rules.letters.n_letters + 1] = rules.letters.values[1:]
        values[0x80:] = rules.letters.values[0]
        self._squares = layout.rows * layout.cols
        self._arrays = (
            np.ascontiguousarray(layout.letter_multiplier),
            np.ascontiguousarray(layout.word_multiplier),
            values,
            np.array(rules.bingo_bonus, dtype=np.int32),
        )
        self._own_arrays = rule_arrays(rules)
        self._rules = _Rules(layout.rows, layout.cols, *(array.ctypes.data for array in self._arrays))

    @staticmethod
    def _plays(word: WordForm) -> _Plays:
        return _Plays(
            len(word.row),
            word.tiles.shape[1],
            _address(word.position, np.int32),
            *(_address(column, np.uint8) for column in word[1:]),
        )

    def _bind(self, function: Any, result: NDArray[np.int32], keep: object, *arguments: object) -> Scorer:
        rules = ctypes.byref(self._rules)

        def run() -> NDArray[np.int32]:
            # `keep` and `self` hold the arrays whose bare addresses the structures carry.
            function(rules, *arguments)
            return result

        run.__dict__["keep"] = (self, keep)
        return run

    def _sums(self, boards: NDArray[np.uint8]) -> NDArray[np.int32]:
        return np.zeros((len(boards), 2, self._squares), dtype=np.int32)

    def walk(self, boards: NDArray[np.uint8], word: WordForm) -> Scorer:
        """Scores `int32[n]` by walking every crossing word; no set-up."""
        scores = np.zeros(len(word.row), dtype=np.int32)
        return self._bind(
            self._library.walk_score,
            scores,
            (boards, word),
            ctypes.c_void_p(_address(boards, np.uint8)),
            ctypes.byref(self._plays(word)),
            ctypes.c_void_p(scores.ctypes.data),
        )

    def cross(self, boards: NDArray[np.uint8], word: WordForm, *, marked: bool = False) -> Scorer:
        """Scores `int32[n]`, the cross sums of every board made first, within the call."""
        scores, sums = np.zeros(len(word.row), dtype=np.int32), self._sums(boards)
        return self._bind(
            self._library.marked_score if marked else self._library.cross_score,
            scores,
            (boards, word, sums),
            ctypes.c_void_p(_address(boards, np.uint8)),
            ctypes.c_int64(len(boards)),
            ctypes.c_void_p(sums.ctypes.data),
            ctypes.byref(self._plays(word)),
            ctypes.c_void_p(scores.ctypes.data),
        )

    def own(self, boards: NDArray[np.uint8], batch: PlacementBatch) -> Scorer:
        """Scores `int32[n]` by fastscore's own algorithm in C, from rows of tiles eight wide, made before the call."""
        arrays = self._own_arrays
        words = np.zeros((len(batch), 8), np.uint8)
        words[:, : batch.tiles.shape[1]] = batch.tiles
        scores = np.zeros(len(batch), dtype=np.int32)
        columns = (batch.position, batch.row, batch.col, batch.direction, words, scores)
        arguments = (
            *(ctypes.c_int32(size) for size in (arrays.rows, arrays.cols, arrays.rack_size)),
            *(ctypes.c_void_p(array.ctypes.data) for array in (arrays.lookup, arrays.premiums, boards)),
            ctypes.c_int64(len(batch)),
            *(ctypes.c_void_p(column.ctypes.data) for column in columns),
        )

        def run() -> NDArray[np.int32]:
            self._library.own_score(*arguments)
            return scores

        run.__dict__["keep"] = (self, boards, columns)
        return run

    def cross_setup(self, boards: NDArray[np.uint8]) -> Scorer:
        """Cross sums `int32[positions, 2, squares]` alone; -1 where nothing crosses, undefined on occupied squares."""
        sums = self._sums(boards)
        return self._bind(
            self._library.cross_setup,
            sums,
            boards,
            ctypes.c_void_p(_address(boards, np.uint8)),
            ctypes.c_int64(len(boards)),
            ctypes.c_void_p(sums.ctypes.data),
        )

    def cross_plays(self, boards: NDArray[np.uint8], word: WordForm) -> Scorer:
        """Scores `int32[n]` alone, with cross sums that are made here, before the call."""
        scores, sums = np.zeros(len(word.row), dtype=np.int32), self.cross_setup(boards)()
        return self._bind(
            self._library.cross_plays,
            scores,
            (boards, word, sums),
            ctypes.c_void_p(_address(boards, np.uint8)),
            ctypes.c_void_p(sums.ctypes.data),
            ctypes.byref(self._plays(word)),
            ctypes.c_void_p(scores.ctypes.data),
        )
