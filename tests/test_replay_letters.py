"""Records in other languages: multi-letter tiles, tiles that exist as blanks only, letters with odd small forms."""

from __future__ import annotations

import io
import unicodedata

import pytest

from fastscore.gcg import read_game
from fastscore.records.arrays import compiled_facts
from fastscore.records.facts import FactsByReference
from fastscore.replays import Replay, replay


def record(language: str, *plays: str) -> Replay:
    """The replay of a first play, or of several by turns; a play is the line of a record without its player."""
    header = f"#player1 a Ann\n#player2 b Bob\n#tile-distribution {language}\n"
    lines = [f">{'ab'[number % 2]}: {play}\n" for number, play in enumerate(plays)]
    return replay(read_game(io.StringIO(header + "".join(lines))))


@pytest.mark.parametrize(
    ("language", "play", "score", "words"),
    [
        # Catalan NY 10, QU 8: (1 + 10) x 2; (8 + 1) x 2; a blank NY, and A with one.
        ("catalan", "8G A[NY]", 22, ("A[NY]",)),
        ("catalan", "8G ANY", 22, ("A[NY]",)),
        ("catalan", "8H [QU]E", 18, ("[QU]E",)),
        ("catalan", "8G a[ny]", 0, ("a[ny]",)),
        ("catalan", "8G A[ny]", 2, ("A[ny]",)),
        # Older files write W for L·L, Y for NY and Q for QU.
        ("catalan", "8G AY", 22, ("A[NY]",)),
        ("catalan", "8H QE", 18, ("[QU]E",)),
        # Spanish CH 5: (5 + 1 + 0 + 1) x 2, one CH a blank.
        ("spanish", "8G [CH]O[ch]O", 14, ("[CH]O[ch]O",)),
        ("spanish", "8G chOCHO", 14, ("[ch]O[CH]O",)),
        # Polish Ź 9, Ż 5, L 2, E 1: x 2; as a blank 0.
        ("polish", "8G ŹLE", 24, ("ŹLE",)),
        ("polish", "8G ŻLE", 16, ("ŻLE",)),
        ("polish", "8G źLE", 6, ("źLE",)),
        ("polish", unicodedata.normalize("NFD", "8G ŹLE"), 24, ("ŹLE",)),
        # French F 4: (1 + 1 + 1 + 4) x 2.
        ("french", "8G OEUF", 14, ("OEUF",)),
        # Turkish I 2, İ 1: both natural, and their small forms as blanks: (2 + 1) x 2, 2 x 2, 1 x 2, 0.
        ("turkish", "8G Iİ", 6, ("Iİ",)),
        ("turkish", "8G Ii", 4, ("Ii",)),
        ("turkish", "8G \u0131İ", 2, ("\u0131İ",)),
        ("turkish", "8G \u0131i", 0, ("\u0131i",)),
    ],
)
def test_plays(language: str, play: str, score: int, words: tuple[str, ...]) -> None:
    played = record(language, f"_______ {play} +{score} {score}")
    turn = played.turns[0]
    assert (turn.computed, turn.words) == (score, words)
    assert [finding for finding in played.findings if finding.code != "alias-spelling"] == []
    # A tile is one square, however it is written.
    assert turn.tiles_placed == int((played.positions[1].tiles != 0).sum())
    game, rules = played.game, played.rules
    assert compiled_facts([game], rules)[0].facts() == FactsByReference(game, rules).facts()


def test_spellings_of_a_game_are_equal() -> None:
    new = record("catalan", "_______ 8G A[NY] +22 22", "_______ 9G [L·L]A +21 21")
    old = record("catalan", "_______ 8G AY +22 22", "_______ 9G WA +21 21")
    assert new.positions == old.positions
    assert [turn.words for turn in new.turns] == [turn.words for turn in old.turns]


@pytest.mark.parametrize(
    ("play", "score", "codes"),
    [
        # One CH tile beside a loose C and H: (5 + 1 + 5 + 1) x 2. The set has no second CH either.
        ("8G [CH]O[CH]O", 24, ["not-on-rack", "tile-overdrawn"]),
        ("8G CHOCHO", 24, ["not-on-rack", "tile-overdrawn"]),
        # (5 + 1 + 3 + 4 + 1) x 2: the rules forbid C and H beside each other.
        ("8G [CH]OC[H]O", 28, ["split-digraph"]),
    ],
)
def test_a_digraph_and_its_letters(play: str, score: int, codes: list[str]) -> None:
    # In this order, since CH would be read as one tile.
    played = record("spanish", f"[CH]OOHC {play} +{score} {score}")
    assert [finding.code for finding in played.findings] == codes
    assert played.turns[0].computed == score
    game, rules = played.game, played.rules
    assert compiled_facts([game], rules)[0].facts() == FactsByReference(game, rules).facts()


def test_letters_that_exist_as_blanks_only() -> None:
    # Norwegian has no Q tile; A 1 x 2.
    assert record("norwegian", "?A 8H qA +2 2").findings == ()
    natural = record("norwegian", "_______ 8H QA +2 2")
    assert [finding.code for finding in natural.findings] == ["tile-overdrawn"]


def test_letters_that_are_none_of_the_set() -> None:
    played = record("english", "_______ 8G ŹLE +24 24", "ABŹ -Ź +0 0")
    assert [(finding.code, finding.line) for finding in played.findings] == [
        ("play-unreadable", 4),
        ("rack-unreadable", 5),
        ("exchange-unreadable", 5),
    ]


def test_lettered_rows() -> None:
    # Rows have letters: H4 is row H, from column 4 on, and 8D is column 8, from row D on: both cross the start.
    text = "#player1 a Ann\n#player2 b Bob\n#orientation lettered-rows\n>a: _______ {} +{} 1\n"
    across = replay(read_game(io.StringIO(text.format("H8 ET", 4))))
    down = replay(read_game(io.StringIO(text.format("8H ET", 4))))
    assert [played.turns[0].computed for played in (across, down)] == [4, 4]
    assert across.positions[1].to_rows()[7] == ".......ET......"
    assert [row[7] for row in down.positions[1].to_rows()] == list(".......ET......")
