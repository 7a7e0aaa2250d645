"""Records that were damaged at random, and inputs meant to be slow: games with problems or typed errors, and soon."""

from __future__ import annotations

import io
import random
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fastscore.errors import RecordError
from fastscore.game import KINDS, Game
from fastscore.gcg import read_games, write_gcg
from fastscore.gcg.codes import CODES

CORPUS = [path.read_bytes() for path in sorted((Path(__file__).parent / "data" / "games").iterdir())]
MUTATIONS = 20_000
LONGEST_SECONDS = 1.0
# Bytes that mean something in a record come more often than others.
TELLING = b"#>:()-+?.[]/ \t\r\n\x00\xff\xc3\xef\xbb\xbf0189aAzZ"
WORDS = [
    b"#note ",
    b"#rack1 ",
    b"#player1 ",
    b"#player2 x",
    b"#character-encoding UTF-8",
    b"(challenge)",
    b"(time)",
    b"--",
    b"UNKNOWN",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
]


def flip_bytes(data: bytearray, source: random.Random) -> None:
    for _ in range(source.randint(1, 8)):
        if data:
            data[source.randrange(len(data))] = (
                source.choice(TELLING) if source.random() < 0.7 else source.randrange(256)
            )


def insert_words(data: bytearray, source: random.Random) -> None:
    for _ in range(source.randint(1, 4)):
        at = source.randint(0, len(data))
        data[at:at] = source.choice(WORDS)


def delete_run(data: bytearray, source: random.Random) -> None:
    at = source.randint(0, len(data))
    del data[at : at + source.randint(1, 60)]


def cut_end(data: bytearray, source: random.Random) -> None:
    del data[source.randint(0, len(data)) :]


def cut_lines(data: bytearray, source: random.Random) -> None:
    lines = data.splitlines(keepends=True)
    data[:] = b"".join(line[: source.randint(0, len(line))] if source.random() < 0.1 else line for line in lines)


def drop_lines(data: bytearray, source: random.Random) -> None:
    data[:] = b"".join(line for line in data.splitlines(keepends=True) if source.random() > 0.1)


def double_lines(data: bytearray, source: random.Random) -> None:
    data[:] = b"".join(line * (2 if source.random() < 0.1 else 1) for line in data.splitlines(keepends=True))


def swap_lines(data: bytearray, source: random.Random) -> None:
    lines = data.splitlines(keepends=True)
    for _ in range(3):
        if lines:
            one, two = source.randrange(len(lines)), source.randrange(len(lines))
            lines[one], lines[two] = lines[two], lines[one]
    data[:] = b"".join(lines)


def swap_fields(data: bytearray, source: random.Random) -> None:
    fields = data.split(b" ")
    for _ in range(3):
        one, two = source.randrange(len(fields)), source.randrange(len(fields))
        fields[one], fields[two] = fields[two], fields[one]
    data[:] = b" ".join(fields)


def add_another(data: bytearray, source: random.Random) -> None:
    other = source.choice(CORPUS)
    data[source.randint(0, len(data)) :] = other[source.randint(0, len(other)) :]


CHANGES: list[Callable[[bytearray, random.Random], None]] = [
    flip_bytes,
    insert_words,
    delete_run,
    cut_end,
    cut_lines,
    drop_lines,
    double_lines,
    swap_lines,
    swap_fields,
    add_another,
]


def mutations(count: int, seed: int) -> Iterator[bytes]:
    source = random.Random(seed)
    for _ in range(count):
        data = bytearray(source.choice(CORPUS))
        for change in source.sample(CHANGES, source.randint(1, 3)):
            change(data, source)
        yield bytes(data)


def is_clean(text: str) -> bool:
    """Whether a terminal may see it: no control, bidirectional or line separating character."""
    return text.isprintable() or not any(
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in "\u200c\u200d"
        for character in text
    )


def check_sound(game: Game) -> None:
    """What holds for every game that a reader gives, however broken its record."""
    for problem in game.problems:
        assert problem.code in CODES
        assert problem.line >= 0
        assert problem.column >= 0
        assert problem.severity in ("note", CODES[problem.code].severity)
        assert is_clean(str(problem))
    assert len(game.players) <= 4
    last = game.first_line - 1
    for event in game:
        assert event.kind in KINDS
        assert event.line > last
        last = event.line
        if event.kind == "malformed":
            assert event.player is None
        else:
            assert event.player is not None
            assert game.players[event.player].nick
        assert (event.at is not None) == (event.kind == "place")
        assert is_clean(str(event))


@pytest.mark.parametrize("seed", range(8))
def test_damaged_records(seed: int) -> None:
    slowest = 0.0
    for number, data in enumerate(mutations(MUTATIONS // 8, seed)):
        start = time.perf_counter()
        games = list(read_games(io.BytesIO(data)))
        slowest = max(slowest, time.perf_counter() - start)
        assert games
        for game in games:
            check_sound(game)
        # Strict reading and writing are no less sound, and cost more: every fourth is enough.
        if number % 4 == 0:
            check_strict(data, games)
            check_written(games)
    assert slowest < LONGEST_SECONDS


def check_strict(data: bytes, games: list[Game]) -> None:
    """Strict reading raises the first problem that is more than a note, if there is one."""
    serious = [(p.code, p.line) for game in games for p in game.problems if p.severity != "note"]
    if not serious:
        assert list(read_games(io.BytesIO(data), strict=True)) == games
        return
    with pytest.raises(RecordError) as caught:
        list(read_games(io.BytesIO(data), strict=True))
    assert (caught.value.code, caught.value.line) == serious[0]


def check_written(games: list[Game]) -> None:
    """Whatever the writer does not refuse reads back equal."""
    for game in games:
        handle = io.BytesIO()
        try:
            write_gcg(game, handle, malformed="keep")
        except RecordError:
            assert handle.getvalue() == b""
            continue
        handle.seek(0)
        assert list(read_games(handle)) == [game]


SIZE = 16 << 20
EVENT = b">a: AB 8D AB +8 8\n"
PLAYERS = b"#player1 a A\n#player2 b B\n"

GARBAGE = {
    "one line": lambda: b"x" * SIZE,
    "zeros": lambda: bytes(SIZE),
    "random": lambda: random.Random(1).randbytes(SIZE),
    "line ends": lambda: b"\n" * SIZE,
    "returns": lambda: b"\r" * SIZE,
    "spaces": lambda: b" " * SIZE,
    "signs": lambda: b">" * SIZE,
    "marks": lambda: b"#" * SIZE,
    "colons": lambda: b">x" + b":a" * (SIZE // 2),
    "brackets": lambda: b">a: " + b"(" * SIZE,
    "one field": lambda: b">a: " + b"A" * SIZE,
    "long word": lambda: PLAYERS + b">a: AB 8D " + b"A" * (SIZE >> 5) + b" +8 8\n",
    "many fields": lambda: b">a: AB 8D AB +8 8" + b"  x" * (SIZE // 3),
    "broken letters": lambda: b"#character-encoding UTF-8\n" + b"\xff\n" * (SIZE // 2),
    "letters": lambda: "é".encode() * (SIZE // 2),
    "order marks": lambda: b"\xef\xbb\xbf" * (SIZE // 3),
    "heads": lambda: b"#player1\n" * (SIZE // 9),
    "heads after an event": lambda: EVENT + b" #player1" * (SIZE // 9),
    "comment": lambda: EVENT + b"#note x\n" + b"y\n" * (SIZE // 2),
    "comments": lambda: EVENT + b"#note x\n" * (SIZE // 8),
    "pragmas": lambda: b"#x\n" * 9_000 + b"#title x\n" * (SIZE // 9),
    "continued": lambda: b"#tile-set x\n" + b"#- y\n" * (SIZE // 5),
    "events": lambda: PLAYERS + EVENT * (SIZE // len(EVENT)),
    "strangers": lambda: PLAYERS + EVENT.replace(b"a:", b"c:") * (SIZE // len(EVENT)),
    "one name": lambda: b"#player1 a A\n#player2 a B\n" + b">a: (AB) +8 8\n" * (SIZE // 14),
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_sixteen_megabytes_of_garbage(kind: str) -> None:
    data = GARBAGE[kind]()
    start = time.process_time()
    games = list(read_games(io.BytesIO(data)))
    # Linear is a second or two on a slow machine, quadratic would be hours.
    assert time.process_time() - start < 15
    assert len(games) == 1
    assert games[0].problems
    assert all(problem.code in CODES for problem in games[0].problems)
    assert all(len(event.text) <= 1 << 16 for event in games[0])


def test_twice_as_much_takes_no_more_than_a_few_times_as_long() -> None:
    def seconds(games: int) -> float:
        data = (PLAYERS + EVENT * 20 + b"#note x\n" + b"y \n" * 50) * games
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            assert sum(1 for _ in read_games(io.BytesIO(data))) == games
            best = min(best, time.process_time() - start)
        return best

    assert seconds(2_000) < 4 * seconds(1_000) + 0.05
