"""The moves of a record, and the name for the sequence of them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from fastscore.gcg import read_game
from fastscore.records.moves import Laid, lay_moves
from fastscore.replays import replay
from fastscore.rules.ruleset import load_rules

DATA = Path(__file__).parent / "data"
HEAD = "#player1 a Ann\n#player2 b Bob\n"
LINES = (
    ">a: CATXYZ? 8G CAT +10 10",
    ">b: SIFT J8 SIFT +21 21",
    ">a: XYZ? -XYZ +0 10",
    ">b: EEE 10J ..e +3 24",
    ">b: EEE -- -3 21",
    ">a: AB - +0 10",
)


def print_of(*lines: str, head: str = HEAD, rules: str | None = None) -> str | None:
    return replay(read_game(io.StringIO(head + "".join(f"{line}\n" for line in lines))), rules).fingerprint()


def changed(old: str, new: str) -> tuple[str, ...]:
    assert sum(old in line for line in LINES) == 1
    return tuple(line.replace(old, new) for line in LINES)


def test_what_is_laid() -> None:
    game = read_game(io.StringIO(HEAD + "".join(f"{line}\n" for line in LINES)))
    statuses = [turn.status for turn in replay(game).turns]
    assert statuses[3] != 0  # one tile of E and two through tiles, of which the first square is empty
    found = list(lay_moves(game.events, statuses, load_rules("classic/english")))
    # 8G is row 7, column 6: square 7 * 15 + 6 = 111; J8 is row 7, column 9: 114, then 129, 144, 159.
    assert found[0] == (Laid([111, 112, 113], [3, 1, 20]), None)
    assert found[1] == (Laid([114, 129, 144, 159], [19, 9, 6, 20]), None)
    assert found[2:] == [(None, None), (None, None), (None, 3), (None, None)]


def test_tiles_taken_back_leave_their_squares() -> None:
    lines = (LINES[0], ">b: SIFT J8 SIFT +21 21", ">b: SIFT -- -21 0", ">a: XYZ? - +0 10", ">b: SIFT J8 SIF +8 8")
    game = read_game(io.StringIO(HEAD + "".join(f"{line}\n" for line in lines)))
    found = list(lay_moves(game.events, [0] * len(lines), load_rules("classic/english")))
    assert found[2] == (None, 1)
    assert found[4] == (Laid([114, 129, 144], [19, 9, 6]), None)


@pytest.mark.parametrize(
    "lines",
    [
        changed("CATXYZ?", "CAT"),
        changed("8G CAT", "8g CAT"),
        changed("8G CAT", "08G CAT"),
        changed("+10 10", "+12 10"),
        changed("+21 21", "+21 31"),
        changed("-XYZ", "-ZXY"),
        changed("-XYZ", "-3"),
        (*LINES, "#note a word"),
        (*LINES[:2], ">b: (challenge) +5 26", *LINES[2:]),
        (*LINES, ">b: (AB) +8 29"),
    ],
    ids=["rack", "case", "zero", "score", "total", "order", "number", "comment", "challenge", "end"],
)
def test_copies_of_a_game_have_one(lines: tuple[str, ...]) -> None:
    assert print_of(*lines) == print_of(*LINES)


def test_players_do_not_count() -> None:
    assert print_of(*LINES, head="#player1 a Cam\n#player2 b Dan\n") == print_of(*LINES)
    swapped = (line.translate(str.maketrans("ab", "ba")) for line in LINES)
    assert print_of(*swapped) == print_of(*LINES)


def test_one_play_has_many_spellings() -> None:
    # S at J8 behind CAT: it makes CATS across, and no word down.
    ways = ["J8 S", "8J S", "8G ...S", "8G CATS", "8G (CAT)S", "8G C.(T)S"]
    assert len({print_of(LINES[0], f">b: SIFT {way} +6 6") for way in ways}) == 1
    # STEERIER through the R of an earlier play, by a point or by its letter.
    for written in ("E5 STE.RIER", "E5 STEERIER"):
        assert print_of(">a: FEASTER 8D FEASTER +76 76", f">b: STERIER {written} +82 82") == print_of(
            ">a: FEASTER 8D FEASTER +76 76", ">b: STERIER E5 STE(E)RIER +82 82"
        )


@pytest.mark.parametrize(
    "lines",
    [
        changed("8G CAT", "8H CAT"),
        changed("8G CAT", "8G CAr"),
        changed("8G CAT", "8G CAt"),
        changed("8G CAT", "H7 CAT"),
        changed("-XYZ", "-XY"),
        changed("-XYZ", "-"),
        changed("10J ..e", "10J ..E"),
        changed(">a: AB - ", ">b: AB - "),
        LINES[:5],
        (*LINES[:4], LINES[5]),
    ],
    ids=["square", "letter", "blank", "down", "exchange", "pass", "illegal", "player", "cut", "stands"],
)
def test_another_move_gives_another(lines: tuple[str, ...]) -> None:
    found = print_of(*lines)
    assert found is not None
    assert len(found) == 32
    assert found != print_of(*LINES)


def test_no_moves() -> None:
    assert print_of() is None
    assert print_of(">a: CAT nothing +10 10", ">b: (CAT) +10 10") is None


def test_tiles_with_long_names() -> None:
    spanish = "#tile-distribution spanish\n" + HEAD
    ways = ["8G [CH]A", "8G CHA", "8G 1A"]
    assert len({print_of(f">a: CHA {way} +14 14", head=spanish) for way in ways}) == 1
    assert print_of(">a: CHA 8G CHA +14 14") != print_of(">a: CHA 8G CHA +14 14", head=spanish)
    assert print_of(">a: CHA -CHA +0 0", head=spanish) == print_of(">a: CHA -2 +0 0", head=spanish)


def test_the_corpus_has_no_two_games_with_one_but_the_copies() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted((DATA / "games").iterdir()):
        name = replay(read_game(path)).fingerprint()
        if name is not None:
            found.setdefault(name, []).append(path.name.split("_")[0])
    # Two games with letters in brackets for points; two moves under four encodings; one game with its time line in
    # another place, with a wrong total, and with a line behind the last racks; one with a wrong rack, and with a
    # wrong end line; one in two encodings.
    copies = [
        ["d1", "traditional0.gcg"],
        ["d2", "h24"],
        ["h09", "h10", "h11", "h12"],
        ["h21", "h28", "h32", "h34"],
        ["h29", "h35"],
        ["h44", "h51"],
    ]
    assert sorted(sorted(names) for names in found.values() if len(names) > 1) == copies
