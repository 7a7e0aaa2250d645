"""A move generator: every play of a rack on a board, scored while its tiles are being laid.

    python examples/generator.py POSITION WORDS.txt [--top N]

POSITION is a CGP line in quotes, or a file that holds one, with the rack of the player to move; WORDS.txt has a word a
line. It shows how compiled code of your own calls `fastscore.generator_kernels`: the inner loop of `_search` keeps a
running total, to which each tile adds `lay_tile`, and `finish` makes a score of it wherever a word ends.

It goes through the board lane by lane. From each square on which a word can begin it follows the word graph, through
the tiles that lie there and with tiles of the rack on the empty squares, and takes every word that covers an anchor:
an empty square beside a tile, or the start square of an empty board. Letters that would spoil a cross word are known
beforehand.

Its functions are compiled at the first call, in some seconds. Do not add `cache=True`: numba keeps what it has compiled
when another version of fastscore, whose functions are part of it, is installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

import fastscore as fs
from fastscore.generator_kernels import finish, first_slot, lay_tile

__all__ = ["Plays", "WordGraph", "find_plays", "word_graph"]

BLANK = 0x80
LETTER = 0x7F
ACROSS, DOWN = 0, 1
MOST_TILES = 8  # of a placement, wherever rules have tables


# --- words ------------------------------------------------------------------------------------------------------------


class WordGraph(NamedTuple):
    """Words as a graph (DAWG): an edge is a letter, and words that end alike share their last edges.

    Edges that leave one node stand side by side. Of each edge: `letter` uint8, its tile code; `ends` bool, whether a
    word ends with it; `last` bool, whether it is the last one of its node; `child` int32, the first edge of the node
    that it leads to, 0 for none. Edge 0 is none; `root` is the first edge of the words' first letters.
    """

    letter: NDArray[np.uint8]
    ends: NDArray[np.bool_]
    last: NDArray[np.bool_]
    child: NDArray[np.int32]
    root: int


def word_graph(words: Iterable[str], letters: fs.LetterDistribution) -> WordGraph:
    """The graph of some words, written as in plays; any iterable will do, a `fs.Lexicon` too.

    Raises NotationError for a word that the letters cannot write.
    """
    rows = sorted({tuple(code & LETTER for code in letters.encode(word)) for word in words} - {()})
    edges: list[tuple[int, bool, bool, int]] = [(0, False, True, 0)]
    nodes: dict[tuple[tuple[int, bool, int], ...], int] = {}

    def node(begin: int, end: int, depth: int) -> int:
        """First edge of the node where rows `begin` to `end`, the same up to `depth`, go on."""
        made = []
        while begin < end:
            letter = rows[begin][depth]
            ends = len(rows[begin]) == depth + 1  # the word that ends here is the first of those that begin with it
            next_letter = begin
            while next_letter < end and rows[next_letter][depth] == letter:
                next_letter += 1
            longer = begin + ends
            made.append((letter, ends, node(longer, next_letter, depth + 1) if longer < next_letter else 0))
            begin = next_letter
        key = tuple(made)
        if key not in nodes:
            nodes[key] = len(edges)
            for letter, ends, child in made:
                edges.append((letter, ends, letter == made[-1][0], child))
        return nodes[key]

    root = node(0, len(rows), 0) if rows else 0
    letter, ends, last, child = zip(*edges, strict=True)
    return WordGraph(
        np.array(letter, np.uint8), np.array(ends, np.bool_), np.array(last, np.bool_), np.array(child, np.int32), root
    )


# --- compiled ---------------------------------------------------------------------------------------------------------


class Ground(NamedTuple):
    """A board with a border, so that no step leaves it: square = (row + 1) * width + col + 1.

    `tiles` uint8, 0 = none; `free` bool, whether a tile can go there: neither a tile nor a brick nor the border.
    """

    tiles: NDArray[np.uint8]
    free: NDArray[np.bool_]
    rows: int
    cols: int
    start: int
    empty: bool


class Found(NamedTuple):
    """Room for plays in compact form, and for their scores."""

    row: NDArray[np.uint8]
    col: NDArray[np.uint8]
    direction: NDArray[np.uint8]
    tiles: NDArray[np.uint8]
    score: NDArray[np.int32]


@numba.njit
def _follow(graph, edge, letter):
    """The edge of a letter among those from `edge` on, 0 if there is none."""
    while edge != 0:
        if graph.letter[edge] == letter:
            return edge
        edge = 0 if graph.last[edge] else edge + 1
    return edge


@numba.njit
def _judge_letters(graph, ground, cross_step, fits):
    """Which letters form a good cross word on each free square: `fits` bool[squares, letters + 1], out."""
    for square in range(len(ground.free)):
        if not ground.free[square]:
            continue
        before, after = square - cross_step, square + cross_step
        if ground.tiles[before] == 0 and ground.tiles[after] == 0:
            fits[square] = True
            continue
        fits[square] = False
        while ground.tiles[before] != 0:
            before -= cross_step
        edge = np.int64(graph.root)
        for at in range(before + cross_step, square, cross_step):
            edge = np.int64(graph.child[_follow(graph, edge, ground.tiles[at] & LETTER)])
        while edge != 0:
            final, at = edge, after
            while final != 0 and ground.tiles[at] != 0:
                final = _follow(graph, np.int64(graph.child[final]), ground.tiles[at] & LETTER)
                at += cross_step
            fits[square, graph.letter[edge]] = graph.ends[final]
            edge = 0 if graph.last[edge] else edge + 1


@numba.njit
def _next_tile(graph, fits, rack, edge, tile):
    """The choice after (edge, tile), of those that fit and are on the rack: each letter as itself, then as a blank.

    `tile` is 0 before the first choice and after the last.
    """
    while True:
        if tile == 0:
            tile = np.int64(graph.letter[edge])
        elif tile < BLANK:
            tile |= BLANK
        elif graph.last[edge]:
            return edge, np.int64(0)
        else:
            edge += 1
            tile = np.int64(graph.letter[edge])
        if fits[tile & LETTER] and rack[0 if tile >= BLANK else tile] > 0:
            return edge, tile


@numba.njit
def _tiles_to_anchor(ground, square, step, cross_step, most):
    """How many tiles a word from `square` on lays until it covers an anchor, at most `most`; 0 if it does not."""
    laid = 0
    while laid < most and (ground.free[square] or ground.tiles[square] != 0):
        if ground.free[square]:
            laid += 1
            if ground.empty:
                if square == ground.start:
                    return laid
            elif (
                ground.tiles[square - step] != 0
                or ground.tiles[square + step] != 0
                or ground.tiles[square - cross_step] != 0
                or ground.tiles[square + cross_step] != 0
            ):
                return laid
        square += step
    return 0


@numba.njit
def _search(graph, ground, direction, fits, rack, rack_size, slots, spots, lookup, found, count):
    """Adds all plays in a direction to `found` behind the first `count`; returns how many there are then.

    What does not fit `found` is counted only. rack int64[letters + 1] is changed and restored; slots, spots, lookup:
    those of the position's `ScoringTables`.
    """
    width = ground.cols + 2
    step, cross_step = (1, width) if direction == ACROSS else (width, 1)
    most = min(rack_size, rack.sum())
    # Of each tile laid so far: its code, its square, the edge that it stands for, and the total before it.
    tiles = np.zeros(MOST_TILES, np.int64)
    squares = np.zeros(MOST_TILES, np.int64)
    edges = np.zeros(MOST_TILES, np.int64)
    totals = np.zeros(MOST_TILES + 1, np.uint64)
    for start in range(len(ground.free)):
        if not (ground.free[start] or ground.tiles[start] != 0) or ground.tiles[start - step] != 0:
            continue
        least = _tiles_to_anchor(ground, start, step, cross_step, most)
        if least == 0:
            continue
        square, edge = start, np.int64(graph.root)
        while ground.tiles[square] != 0:
            edge = np.int64(graph.child[_follow(graph, edge, ground.tiles[square] & LETTER)])
            square += step
        if edge == 0:
            continue
        row, col = square // width - 1, square % width - 1
        first = first_slot(spots, row, col, direction)
        squares[0], edges[0], tiles[0] = square, edge, 0
        laid = 0
        while laid >= 0:
            # The tile that lies at this depth goes back to the rack, and the next one is laid.
            if tiles[laid] != 0:
                rack[0 if tiles[laid] >= BLANK else tiles[laid]] += 1
            edge, tile = _next_tile(graph, fits[squares[laid]], rack, edges[laid], tiles[laid])
            edges[laid], tiles[laid] = edge, tile
            if tile == 0:
                laid -= 1
                continue
            rack[0 if tile >= BLANK else tile] -= 1
            totals[laid + 1] = totals[laid] + lay_tile(slots, lookup, first, laid, tile)
            # Then come the tiles that lie behind it.
            square = squares[laid] + step
            while edge != 0 and ground.tiles[square] != 0:
                edge = _follow(graph, np.int64(graph.child[edge]), ground.tiles[square] & LETTER)
                square += step
            if graph.ends[edge] and laid + 1 >= least and square - start >= 2 * step:
                # A lone tile that forms words in both directions is found across.
                lone = laid == 0 and direction == DOWN
                if not lone or (ground.tiles[squares[0] - 1] == 0 and ground.tiles[squares[0] + 1] == 0):
                    if count < len(found.score):
                        found.row[count], found.col[count], found.direction[count] = row, col, direction
                        found.tiles[count] = 0
                        for index in range(laid + 1):
                            found.tiles[count, index] = tiles[index]
                        found.score[count] = finish(slots, lookup, first, laid + 1, totals[laid + 1])
                    count += 1
            if laid + 1 < most and ground.free[square] and graph.child[edge] != 0:
                laid += 1
                squares[laid], edges[laid], tiles[laid] = square, graph.child[edge], 0
    return count


@numba.njit
def _search_board(graph, ground, fits, rack, rack_size, slots, spots, lookup, found):
    """All plays across, and then down unless the board is empty."""
    width = ground.cols + 2
    _judge_letters(graph, ground, width, fits)
    count = _search(graph, ground, ACROSS, fits, rack, rack_size, slots, spots, lookup, found, 0)
    if not ground.empty:
        _judge_letters(graph, ground, 1, fits)
        count = _search(graph, ground, DOWN, fits, rack, rack_size, slots, spots, lookup, found, count)
    return count


# --- in Python --------------------------------------------------------------------------------------------------------


class Plays(NamedTuple):
    """Plays and their scores, int32[n]."""

    batch: fs.PlacementBatch
    scores: NDArray[np.int32]


def find_plays(board: fs.Board, rack: str | Sequence[int], words: WordGraph | Iterable[str]) -> Plays:
    """All plays of a rack on a board whose words, main and cross, are all in `words`; with their scores.

    Blanks are played as every letter. A lone tile that forms words in both directions is one play, across. On an empty
    board plays go across only.

    Parameters
    ----------
    board
        Raises ValueError for one whose rules have no tables (`ScoringTables.arrays.rules.packed`).
    rack
        A text like `QUIZ?`, or counts by tile code, index 0 = blanks.
    words
        What `word_graph` gives (make it once for many calls), or words as text.
    """
    rules = board.rules
    graph = words if isinstance(words, WordGraph) else word_graph(words, rules.letters)
    kept = fs.ScoringTables(board).arrays
    if not kept.rules.packed:
        raise ValueError(f"the rules {rules.name!r} have no tables, expected others: score the plays by score_batch")
    counts = np.array(rules.letters.rack(rack) if isinstance(rack, str) else rack, np.int64)
    tiles = np.pad(board.tiles, 1)
    start_row, start_col = rules.layout.start
    ground = Ground(
        tiles.ravel(),
        (np.pad(~rules.layout.bricks, 1) & (tiles == 0)).ravel(),
        board.rows,
        board.cols,
        (start_row + 1) * (board.cols + 2) + start_col + 1,
        board.is_empty,
    )
    fits = np.zeros((tiles.size, rules.letters.n_letters + 1), np.bool_)
    room = 2048
    while True:
        found = Found(
            *(np.empty(room, np.uint8) for _ in range(3)),
            np.empty((room, MOST_TILES), np.uint8),
            np.empty(room, np.int32),
        )
        count = 0
        if graph.root:
            tables: tuple[Any, ...] = kept.slots[0], kept.spots[0], kept.rules.lookup
            count = _search_board(graph, ground, fits, counts, rules.rack_size, *tables, found)
        if count <= room:
            break
        room = count
    row, col, direction, laid, scores = (column[:count] for column in found)
    return Plays(fs.PlacementBatch(row=row, col=col, direction=direction, tiles=laid), scores)


def read_position(given: str) -> str:
    """The CGP line that is given, itself or as a file. Raises ValueError for a file that does not hold one."""
    if "/" in given and " " in given:
        return given
    lines = [line for line in Path(given).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    if len(lines) != 1:
        raise ValueError(f"{given!r} holds {len(lines)} lines, expected one with a position in CGP")
    return lines[0]


def main(arguments: list[str] | None = None) -> int:
    """The command; 2 for bad input."""
    parser = argparse.ArgumentParser(description="All plays of a position, the best ones first.")
    parser.add_argument("position", help="a CGP line, or a file that holds one")
    parser.add_argument("words", help="a file with a word a line")
    parser.add_argument("--top", type=int, default=15, help="how many plays are shown (default 15)")
    options = parser.parse_args(arguments)
    try:
        line = read_position(options.position)
        board = fs.Board.from_cgp(line)
        words = fs.Lexicon.from_words(options.words, board.rules.letters)
        plays = find_plays(board, fs.parse_cgp(line).racks[0], words)
    except (fs.FastscoreError, OSError, ValueError) as problem:
        print(f"generator: {problem}", file=sys.stderr)
        return 2
    best = np.argsort(-plays.scores, kind="stable")[: options.top]
    print(f"{len(plays.scores)} plays")
    for play, score in zip(plays.batch[best].texts(board), plays.scores[best], strict=True):
        print(f"{play:<20} {score:>4}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
