"""Word graphs: files that the tests write are read back; damaged and hostile ones are errors that name the node."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import fastscore as fs
from fastscore.errors import LexiconError
from fastscore.lexicon import kwg
from tests.kwg_writer import Node, Word, pack, unpack, write_kwg

ENGLISH = fs.load_rules("classic/english").letters
SAMPLE = Path(__file__).parent / "data" / "sample_ab.kwg"
# With A = 1 and B = 2: AA AB ABA ABB ABBA BA BAA BABA, as the file's description says.
SAMPLE_WORDS = {(1, 1), (1, 2), (1, 2, 1), (1, 2, 2), (1, 2, 2, 1), (2, 1), (2, 1, 1), (2, 1, 2, 1)}
ROOTS = [Node(0, False, True, 2), Node(0, False, True, 0)]


def read(data: bytes, n_letters: int = 26, **options: int) -> set[Word]:
    return {tuple(row) for rows in kwg.read_graph(data, n_letters, **options) for row in rows.tolist()}


def random_words(rng: np.random.Generator, count: int, letters: int = 26, longest: int = 15) -> set[Word]:
    return {tuple(rng.integers(1, letters + 1, rng.integers(1, longest + 1)).tolist()) for _ in range(count)}


def test_sample() -> None:
    assert read(SAMPLE.read_bytes()) == SAMPLE_WORDS
    assert sum(map(len, kwg.read_graph(SAMPLE.read_bytes(), 26))) == 8
    lexicon = fs.Lexicon.from_kwg(SAMPLE, ENGLISH)
    assert list(lexicon) == ["AA", "AB", "BA", "ABA", "ABB", "BAA", "ABBA", "BABA"]
    assert lexicon.name == "sample_ab"


def test_writer_writes_what_the_sample_holds() -> None:
    # Not the same order of nodes, but as many of them: equal siblings are shared in both.
    written = write_kwg(SAMPLE_WORDS)
    assert len(written) <= len(SAMPLE.read_bytes())
    assert read(written) == SAMPLE_WORDS


@pytest.mark.parametrize("child_bits", [22, 24])
@pytest.mark.parametrize("gaddag", [True, False])
@pytest.mark.parametrize("children_first", [True, False])
def test_written_and_read(child_bits: int, gaddag: bool, children_first: bool) -> None:
    words = random_words(np.random.default_rng(7), 800)
    data = write_kwg(words, child_bits=child_bits, gaddag=gaddag, children_first=children_first)
    assert read(data) == words
    assert read(data, child_bits=child_bits) == words


def test_larger_graph() -> None:
    words = random_words(np.random.default_rng(8), 20_000, letters=32, longest=12)
    data = write_kwg(words, gaddag=False)
    assert len(data) > 200_000
    assert read(data, 32) == words


@pytest.mark.parametrize("child_bits", [22, 24])
def test_longest_words_and_highest_codes(child_bits: int) -> None:
    highest = 126 if child_bits == 22 else 63
    words = {(highest,) * 64, (1,) * 63, (highest,)}
    assert read(write_kwg(words, child_bits=child_bits, gaddag=False), highest) == words


def test_no_words() -> None:
    assert read(pack([Node(0, False, True, 0)] * 2)) == set()
    assert read(bytes(8)) == set()


def test_the_same_sibling_twice() -> None:
    # Node 2 and 4 are both A, under the same parent; nodes 5 and 2 are not siblings.
    nodes = [*ROOTS, Node(1, True, False, 0), Node(2, True, False, 5), Node(1, True, True, 0), Node(1, True, True, 0)]
    with pytest.raises(LexiconError, match=r"^node 4: tile code 1 for the second time among its siblings"):
        read(pack(nodes))
    nodes[4] = Node(3, True, True, 0)
    assert read(pack(nodes)) == {(1,), (2,), (2, 1), (3,)}


# --- what is no graph -------------------------------------------------------------------------------------------------


def chain(length: int) -> list[Node]:
    """One word of this many tiles."""
    return [*ROOTS, *(Node(1, False, True, node + 1) for node in range(2, 1 + length)), Node(1, True, True, 0)]


def wide(depth: int) -> list[Node]:
    """26 ** depth words in 26 * depth nodes, no circle among them."""
    nodes = [*ROOTS]
    for level in range(depth):
        below = 0 if level == depth - 1 else len(nodes) + 26
        nodes += [Node(tile, True, tile == 26, below) for tile in range(1, 27)]
    return nodes


BAD_GRAPHS = {
    "child beyond": ([*ROOTS, Node(1, True, False, 0), Node(2, False, True, 4)], 3, "child 4, expected one of the 4 n"),
    "root beyond": ([Node(0, False, True, 9), ROOTS[1], Node(1, True, True, 0)], 0, "child 9, expected one of the 3 n"),
    "siblings beyond": ([*ROOTS, Node(1, True, True, 3), Node(2, True, False, 0)], 3, "siblings run beyond the end"),
    "no letter": ([*ROOTS, Node(1, True, False, 0), Node(27, True, True, 0)], 3, "tile code 27, expected 1 to 26"),
    "separator in a word": ([*ROOTS, Node(1, False, True, 3), Node(0, True, True, 0)], 3, "tile code 0 within a word"),
    "leads to itself": ([*ROOTS, Node(1, True, True, 2)], 2, "leads back to node 2, which is above it: a circle"),
    "circle": (
        [*ROOTS, Node(1, True, True, 3), Node(2, False, False, 0), Node(3, False, True, 2)],
        4,
        "leads back to node 2, which is above it: a circle",
    ),
    "circle by a sibling": (
        [*ROOTS, Node(1, True, False, 0), Node(2, True, True, 2)],
        3,
        "leads back to node 2, which is above it: a circle",
    ),
    "circle to the roots": ([*ROOTS, Node(1, True, True, 1)], 1, "tile code 0 within a word"),
    "too long": (chain(65), 65, "a word of more than 64 tiles"),
}


@pytest.mark.parametrize("child_bits", [22, 24])
@pytest.mark.parametrize(("nodes", "node", "message"), BAD_GRAPHS.values(), ids=BAD_GRAPHS)
def test_bad_graphs_name_the_node(tmp_path: Path, nodes: list[Node], node: int, message: str, child_bits: int) -> None:
    path = tmp_path / "bad.kwg"
    path.write_bytes(pack(nodes, child_bits))
    for options in ({}, {"child_bits": child_bits}):
        with pytest.raises(LexiconError, match=message) as raised:
            fs.Lexicon.from_kwg(path, ENGLISH, **options)
        assert raised.value.node == node
        assert raised.value.source == str(path)
        assert str(raised.value).startswith(f"{path}: node {node}: ")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.node) == (str(raised.value), node)


@pytest.mark.parametrize("child_bits", [22, 24])
@pytest.mark.parametrize(
    ("root", "message"), [(Node(5, False, True, 2), "tile code 5"), (Node(0, True, True, 2), "a word")]
)
def test_roots_are_no_letters(root: Node, message: str, child_bits: int) -> None:
    for nodes, node in (([root, ROOTS[1]], 0), ([ROOTS[0], root], 1)):
        with pytest.raises(LexiconError, match=f"^node {node}: {message}.*expected none") as raised:
            read(pack([*nodes, Node(1, True, True, 0)], child_bits), child_bits=child_bits)
        assert raised.value.node == node


def test_a_word_of_64_tiles_is_not_too_long() -> None:
    assert read(pack(chain(64))) == {(1,) * 64}


def test_more_words_than_memory() -> None:
    # 26 + 26^2 + 26^3 words; 26^4 are 456,976, more than 26 x 4 nodes are believed to have.
    assert len(read(pack(wide(3)))) == 26 + 676 + 17_576
    for depth in (4, 14, 60):
        with pytest.raises(LexiconError, match="more than 131072 beginnings of words with 4 tiles"):
            read(pack(wide(depth)))


def test_more_words_than_the_limit_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kwg, "MAX_WORDS", 700)
    # 26 + 26 x 26 = 702 words.
    with pytest.raises(LexiconError, match="more than 700 words"):
        read(pack(wide(2)))


def test_endless_circle_with_many_children() -> None:
    # All 26 siblings lead back to the first of them: 26 times as many words at each level.
    nodes = [*ROOTS, *(Node(tile, True, tile == 26, 2) for tile in range(1, 27))]
    with pytest.raises(LexiconError, match="leads back to node 2, which is above it: a circle"):
        read(pack(nodes))


@pytest.mark.parametrize("size", [0, 1, 4, 7, 9, 110])
def test_sizes_that_are_no_graph(size: int) -> None:
    with pytest.raises(LexiconError, match=f"^{size} bytes, expected a word graph"):
        read(SAMPLE.read_bytes()[:size])


def test_larger_than_any_graph(tmp_path: Path) -> None:
    path = tmp_path / "huge.kwg"
    with path.open("wb") as file:
        file.truncate(kwg.MAX_BYTES + 4)  # takes no room on the disk
    with pytest.raises(LexiconError, match="larger than 67108864 bytes"):
        fs.Lexicon.from_kwg(path, ENGLISH)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match=r"missing\.kwg: cannot be read: no such file"):
        fs.Lexicon.from_kwg(tmp_path / "missing.kwg", ENGLISH)
    with pytest.raises(LexiconError, match="cannot be read"):
        fs.Lexicon.from_kwg(tmp_path, ENGLISH)


def test_unknown_variant() -> None:
    with pytest.raises(LexiconError, match="child_bits=23, expected 22, 24 or None"):
        read(SAMPLE.read_bytes(), child_bits=23)


def test_the_other_variant_is_refused() -> None:
    with pytest.raises(LexiconError, match="node"):
        read(SAMPLE.read_bytes(), child_bits=24)
    with pytest.raises(LexiconError, match="node"):
        read(write_kwg(SAMPLE_WORDS, child_bits=24), child_bits=22)


def test_a_graph_in_both_variants() -> None:
    # Node 0 is 0x200: child 512 of 22 bits, or child 2 of 24. There the word A stands in one variant and the other. The
    # flags of node 512 are part of a child of 24 bits, up to 180,224, so that there must be as many nodes.
    nodes = np.zeros(200_000, np.uint32)
    nodes[0] = 0x200
    nodes[2] = 1 << 7 | 1 << 6 | 1
    nodes[512] = 1 << 24 | 1 << 23 | 1 << 22
    nodes[-1] = 1 << 22 | 1 << 6
    data = nodes.astype("<u4").tobytes()
    both = [kwg.read_graph(data, 26, child_bits=bits) for bits in (22, 24)]
    assert [[rows.tolist() for rows in words] for words in both] == [[[[1]]], [[[1]]]]
    assert read(data) == {(1,)}
    nodes[512] = 2 << 24 | 1 << 23 | 1 << 22
    data = nodes.astype("<u4").tobytes()
    assert read(data, child_bits=22) == {(2,)}
    with pytest.raises(LexiconError, match="in both variants, with different words, expected child_bits=22 or 24"):
        read(data)


# --- damage -----------------------------------------------------------------------------------------------------------


def outcome(data: bytes, **options: int) -> set[Word] | None:
    """The words, None for an error; anything but a LexiconError is a fault."""
    try:
        words = read(data, **options)
    except LexiconError:
        return None
    assert all(1 <= tile <= 26 for word in words for tile in word)
    return words


def test_every_bit_of_the_sample_turned() -> None:
    data = SAMPLE.read_bytes()
    refused = 0
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        refused += outcome(bytes(damaged)) is None
    # Turned bits of child numbers lead beyond the 28 nodes unless they are the lowest ones: at least 17 of 32 bits.
    assert refused > len(data) // 4 * 17


@pytest.mark.parametrize("child_bits", [22, 24])
def test_random_damage(child_bits: int) -> None:
    rng = np.random.default_rng(child_bits)
    data = write_kwg(random_words(rng, 60, longest=6), child_bits=child_bits)
    outcomes = []
    for _ in range(400):
        damaged = np.frombuffer(data, np.uint8).copy()
        places = rng.integers(0, len(damaged), rng.integers(1, 4))
        damaged[places] = rng.integers(0, 256, len(places))
        outcomes.append(outcome(damaged.tobytes()))
    assert None in outcomes


def test_nodes_at_random() -> None:
    # Tiles and flags as they should be, children anywhere: circles, shared tails, dead ends.
    rng = np.random.default_rng(3)
    outcomes = []
    for _ in range(400):
        n = int(rng.integers(3, 12))
        children = np.where(rng.random(n) < 0.5, 0, rng.integers(2, n, n))
        nodes = [*ROOTS, *(Node(int(rng.integers(1, 27)), True, rng.random() < 0.6, int(c)) for c in children[2:])]
        nodes[-1] = nodes[-1]._replace(last=True)
        outcomes.append(outcome(pack(nodes)))
    assert None in outcomes
    assert any(outcomes)


def test_random_bytes() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        outcome(rng.integers(0, 256, 4 * int(rng.integers(2, 40)), dtype=np.uint8).tobytes())
        small = rng.integers(0, 4, 4 * int(rng.integers(2, 40)), dtype=np.uint8)
        assert outcome(small.tobytes()) is None or small[:4].tolist()[3] == 0


def test_unpacked_sample_packs_again() -> None:
    assert pack(unpack(SAMPLE.read_bytes())) == SAMPLE.read_bytes()
