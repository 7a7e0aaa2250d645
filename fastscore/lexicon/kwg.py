"""KWG, the word graph of wolges, MAGPIE and liwords: bytes of a file -> its words. The bytes may come from strangers.

The file is an array of little-endian 32-bit nodes. In each stand a tile code, whether a word ends here, whether this is
the last of its siblings, and the number of its first child (0 = none); siblings lie one after the other. Node 0 leads
to the words as they are read, node 1 to a second graph for move generators, which is not followed here. Two variants
pack these differently, and the file does not say which it is.

Sources: the programs that write the files; both variants are wolges's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastscore.errors import LexiconError

__all__ = ["CHILD_BITS", "LONGEST_WORD", "MAX_BYTES", "MAX_TILES", "MAX_WORDS", "read_graph"]

CHILD_BITS = (22, 24)
"""Bits of a child's number, by which the two variants are told apart."""
LONGEST_WORD = 64
"""Most tiles of a word; a board has at most 32 in a lane."""
MAX_BYTES = 4 << 24
"""Most bytes of a file: no child's number reaches beyond."""
MAX_WORDS = 1 << 23
"""Most words of a lexicon; the largest that are played with have some three million."""
MAX_TILES = 1 << 27
"""Most tiles of all words of a lexicon together."""
_MOST_AT_ONCE = 1 << 26
"""Most tiles of all beginnings of words of one length together: the memory that reading takes."""

_WORDS_A_NODE, _WORDS_OF_FEW_NODES = 64, 1 << 17
"""Most words of a file by its size, so that a few bytes do not take seconds. Lexicons have far fewer for each node."""

_SUSPECT_LENGTH = 24
_SUSPECT_SHARE = 16
"""Longer words, or more beginnings of words for each node, may come from a circle."""

Rows = NDArray[np.uint8]


class _Graph(NamedTuple):
    """The nodes of a file, read as one of the variants: uint8[n], bool[n], int64[n] each, and the end of the siblings.

    `last_sibling[node]` is the number of the last node in the row of siblings that `node` stands in.
    """

    tile: Rows
    accepts: NDArray[np.bool_]
    child: NDArray[np.int64]
    last_sibling: NDArray[np.int64]


def read_graph(data: bytes, n_letters: int, *, child_bits: int | None = None, source: str | None = None) -> list[Rows]:
    """The words of a KWG file as tile codes: an array uint8[words, length] for each length that occurs.

    `child_bits`: which variant it is, 22 or 24; None finds out. `n_letters`: tile codes are 1 to this.

    Raises LexiconError, with the node that is to blame, for whatever is no word graph: a size that is no number of
    nodes, children and siblings beyond the end, tiles that are no letters, siblings with the same tile, circles, words
    of more than 64 tiles, and more words or tiles than the limits above.
    """
    if child_bits is not None and child_bits not in CHILD_BITS:
        raise LexiconError(f"child_bits={child_bits}, expected 22, 24 or None", source=source)
    if len(data) % 4 or not 8 <= len(data) <= MAX_BYTES:
        raise LexiconError(
            f"{len(data)} bytes, expected a word graph: 4 for each of its nodes, and at least 8, at most {MAX_BYTES}",
            source=source,
        )
    nodes = np.frombuffer(data, "<u4").astype(np.uint32)
    found: list[list[Rows]] = []
    faults: dict[int, LexiconError] = {}
    for bits in CHILD_BITS if child_bits is None else (child_bits,):
        try:
            found.append(_words(_graph(nodes, bits, n_letters)))
        except LexiconError as error:
            faults[bits] = error
    if not found:
        fault = faults[child_bits or _likely_bits(int(nodes[0]))]
        raise LexiconError(fault.detail, node=fault.node, source=source)
    if not _same(found[0], found[-1]):
        raise LexiconError(
            "a word graph in both variants, with different words, expected child_bits=22 or 24 beside it", source=source
        )
    return found[0]


def _likely_bits(root: int) -> int:
    """Which variant node 0 looks like, the last of its siblings: for the message about a file that is neither."""
    return 24 if root & 0xFF == 0x40 and root >> 22 != 1 else 22


def _same(some: list[Rows], others: list[Rows]) -> bool:
    return len(some) == len(others) and all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))


def _graph(nodes: NDArray[np.uint32], bits: int, n_letters: int) -> _Graph:
    """The nodes' parts, every one of them checked."""
    if bits == 22:
        tile, child = nodes >> np.uint32(24), nodes & np.uint32(0x3FFFFF)
        accepts, last = nodes & np.uint32(1 << 23) != 0, nodes & np.uint32(1 << 22) != 0
    else:
        tile, child = nodes & np.uint32(0x3F), nodes >> np.uint32(8)
        accepts, last = nodes & np.uint32(1 << 7) != 0, nodes & np.uint32(1 << 6) != 0
    n = len(nodes)
    _refuse(child >= n, child, f"child {{}}, expected one of the {n} nodes, 0 for none")
    _refuse(tile > n_letters, tile, f"tile code {{}}, expected 1 to {n_letters} as in the letter distribution")
    roots = np.arange(n) < 2
    _refuse(roots & (tile != 0), tile, "tile code {}, expected none in the first two nodes")
    _refuse(roots & accepts, tile, "a word ends here, expected none to end in the first two nodes")
    numbers = np.arange(n)
    ends = numbers[last]
    beyond = numbers > (ends[-1] if len(ends) else -1)
    _refuse(beyond & (numbers > 1), tile, "siblings run beyond the end, expected a last one")
    # Nodes 0 and 1 are nobody's siblings, so that they need no end.
    last_sibling = np.append(ends, n - 1)[np.searchsorted(ends, numbers)]
    # Sorted by their row and in it by their tile, the same ones stand side by side.
    order = np.lexsort((tile, last_sibling))
    same = (np.diff(tile[order]) == 0) & (np.diff(last_sibling[order]) == 0) & (order[:-1] > 1)
    repeated = np.zeros(n, np.bool_)
    repeated[order[1:][same]] = True
    _refuse(repeated & (tile != 0), tile, "tile code {} for the second time among its siblings")
    return _Graph(tile.astype(np.uint8), accepts, child.astype(np.int64), last_sibling)


def _refuse(bad: NDArray[np.bool_], value: NDArray[np.uint32], message: str) -> None:
    if bad.any():
        node = int(bad.argmax())
        raise _fault(node, message.format(value[node]))


def _fault(node: int, message: str) -> LexiconError:
    return LexiconError(f"node {node}: {message}", node=node)


def _words(graph: _Graph) -> list[Rows]:
    """The words, level by level: all beginnings of one more tile at a time.

    How many there will be is known before they are made, so that no file takes more memory than the limits say.
    """
    words: list[Rows] = []
    parent = np.zeros(1, np.int64)
    beginnings = np.zeros((1, 0), np.uint8)
    suspect = True
    most_words = min(MAX_WORDS, max(_WORDS_OF_FEW_NODES, _WORDS_A_NODE * len(graph.child)))
    for length in range(1, LONGEST_WORD + 2):
        first = graph.child[parent]
        going_on = first != 0
        first, beginnings = first[going_on], beginnings[going_on]
        if not len(first):
            return words
        if suspect and (length > _SUSPECT_LENGTH or len(first) > _SUSPECT_SHARE * len(graph.child)):
            # Circles have words without end. Looking for them takes longer than reading all words of a good file.
            _refuse_circle(graph)
            suspect = False
        if length > LONGEST_WORD:
            raise _fault(int(parent[going_on][0]), f"a word of more than {LONGEST_WORD} tiles")
        counts = graph.last_sibling[first] - first + 1
        total = int(counts.sum())
        most = min(most_words, _MOST_AT_ONCE // length)
        if total > most:
            raise LexiconError(f"more than {most} beginnings of words with {length} tiles, expected a lexicon")
        ends = np.cumsum(counts)
        parent = np.arange(total) + np.repeat(first - ends + counts, counts)
        tile = graph.tile[parent]
        if not tile.all():
            raise _fault(int(parent[tile.argmin()]), "tile code 0 within a word, expected a letter")
        beginnings = np.column_stack((np.repeat(beginnings, counts, axis=0), tile))
        ended = graph.accepts[parent]
        if ended.any():
            words.append(beginnings[ended])
        if sum(map(len, words)) > most_words or sum(rows.size for rows in words) > MAX_TILES:
            raise LexiconError(f"more than {most_words} words or {MAX_TILES} tiles, expected a lexicon")
    return words


def _refuse_circle(graph: _Graph) -> None:
    """Raise LexiconError if a node is below itself.

    Every node leads to its first child and to its next sibling; followed depth first, a way back to a node that is
    still being followed is a circle, and as siblings only lead onwards some of it leads down.
    """
    child, last_sibling = graph.child.data, graph.last_sibling.data
    followed = bytearray(len(child))
    # 0: not met, 1: its child is being followed, 2: its sibling is, 3: done.
    way = [child[0]]
    while way:
        node = way[-1]
        followed[node] += 1
        onwards = 0
        if followed[node] == 1:
            onwards = child[node]
        elif followed[node] == 2:
            onwards = node + 1 if last_sibling[node] != node else 0
        else:
            way.pop()
        if onwards and followed[onwards] in (1, 2):
            raise _fault(node, f"leads back to node {onwards}, which is above it: a circle")
        if onwards and not followed[onwards]:
            way.append(onwards)
