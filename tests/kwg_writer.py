"""Word graphs for tests: words -> the bytes of a KWG file, in either variant and in either order of its nodes."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

Word = tuple[int, ...]


class Node(NamedTuple):
    """What stands in a node of a file."""

    tile: int
    accepts: bool
    last: bool
    child: int


def pack(nodes: Iterable[Node], child_bits: int = 22) -> bytes:
    """Nodes as the bytes of a file, as the format says."""
    if child_bits == 22:
        packed = [node.tile << 24 | node.accepts << 23 | node.last << 22 | node.child for node in nodes]
    else:
        packed = [node.child << 8 | node.accepts << 7 | node.last << 6 | node.tile for node in nodes]
    return struct.pack(f"<{len(packed)}I", *packed)


def unpack(data: bytes) -> list[Node]:
    """The nodes of a file with child numbers of 22 bits."""
    return [
        Node(value >> 24, bool(value >> 23 & 1), bool(value >> 22 & 1), value & 0x3FFFFF)
        for (value,) in struct.iter_unpack("<I", data)
    ]


class _Siblings(NamedTuple):
    """Siblings, each a tile, whether a word ends there, and its children; equal ones are kept once."""

    members: tuple[tuple[int, bool, _Siblings | None], ...]


def _share(words: Sequence[Word], depth: int, known: dict[object, _Siblings]) -> _Siblings | None:
    """The siblings that words, sorted and alike up to `depth`, go on with."""
    members = []
    for tile, group in groupby((word for word in words if len(word) > depth), key=lambda word: word[depth]):
        alike = list(group)
        members.append((tile, len(alike[0]) == depth + 1, _share(alike, depth + 1, known)))
    if not members:
        return None
    # Children are shared already, so that they are compared by which object they are.
    key = tuple((tile, accepts, id(below)) for tile, accepts, below in members)
    return known.setdefault(key, _Siblings(tuple(members)))


def gaddag_words(words: Iterable[Word]) -> set[Word]:
    """For each word and each split: the part up to it reversed, 0 as separator, the rest; reversed whole without it."""
    turned = set()
    for word in words:
        turned.add(word[::-1])
        turned |= {(*word[:split][::-1], 0, *word[split:]) for split in range(1, len(word))}
    return turned


def write_kwg(
    words: Iterable[Word], *, child_bits: int = 22, gaddag: bool = True, children_first: bool = True
) -> bytes:
    """A KWG file of the words, with equal siblings shared. `gaddag`: with the second graph, too."""
    unique = sorted(set(words))
    known: dict[object, _Siblings] = {}
    roots = [_share(unique, 0, known), _share(sorted(gaddag_words(unique)), 0, known) if gaddag else None]
    rows = list(known.values()) if children_first else list(known.values())[::-1]
    first, places = 2, {}
    for row in rows:
        places[id(row)] = first
        first += len(row.members)
    nodes = [Node(0, False, True, places.get(id(root), 0)) for root in roots]
    for row in rows:
        for tile, accepts, below in row.members:
            nodes.append(Node(tile, accepts, False, places.get(id(below), 0)))
        nodes[-1] = nodes[-1]._replace(last=True)
    return pack(nodes, child_bits)
