"""Each code of the GCG reader on a small record of its own: what is reported, where, and what strict reading raises."""

from __future__ import annotations

import io

import pytest

from fastscore.errors import RecordError
from fastscore.gcg import read_game, read_games
from fastscore.gcg.codes import CODES
from fastscore.gcg.reader import MAX_LINE
from fastscore.gcg.text import MAX_GAME_BYTES, MAX_GAME_LINES

ENCODING = "#character-encoding UTF-8\n"
PLAYERS = "#player1 ann Ann A\n#player2 ben Ben B\n"
# Three lines; what follows is line 4.
HEAD = ENCODING + PLAYERS
PLAY = ">ann: AB 8D AB +8 8\n"

# code, record, line, column (0 = the whole line), what of it the message quotes
CASES: list[tuple[str, str | bytes, int, int, str]] = [
    ("empty-file", "", 0, 0, "nothing"),
    ("empty-file", " \n\t\n", 0, 0, "nothing"),
    ("encoding-unsupported", f"#character-encoding ASCII\n{PLAYERS}", 1, 21, "'ASCII'"),
    ("encoding-unsupported", f"#character-encoding\n{PLAYERS}", 1, 20, "''"),
    ("encoding-mismatch", f"{HEAD}#title caf".encode() + b"\xe9\n", 4, 11, "0xe9"),
    ("encoding-not-first", f"{PLAYERS}#character-encoding UTF-8\n", 3, 1, "'#character-encoding UTF-8'"),
    ("encoding-not-first", f"\n{HEAD}", 2, 1, "first line"),
    ("encoding-undeclared", f"{PLAYERS}#title é\n", 3, 8, "UTF-8"),
    ("encoding-spelling", f"#character-encoding Latin-1\n{PLAYERS}", 1, 21, "'Latin-1'"),
    ("encoding-default", f"{PLAYERS}#title ".encode() + b"\xe9\n", 3, 8, "ISO-8859-1"),
    ("byte-order-mark", f"\ufeff{HEAD}", 1, 1, "byte order mark"),
    ("mixed-newlines", "#player1 ann Ann A\r\n#player2 ben Ben B\n", 1, 0, "1 crlf, 1 lf"),
    ("no-final-newline", f"{HEAD}{PLAY}"[:-1], 4, 0, "not ended"),
    ("game-too-long", f"{HEAD}{PLAY}" + "\n" * MAX_GAME_LINES, 1 + MAX_GAME_LINES, 0, "20000 lines"),
    ("line-too-long", f"{HEAD}{PLAY}#note {'x' * MAX_LINE}\n", 5, MAX_LINE + 1, "65542 characters"),
    ("several-games", f"{HEAD}{PLAY}{HEAD}{PLAY}", 5, 0, "second game"),
    ("control-character", f"{HEAD}#title a\u202eb\n", 4, 9, "U+202E"),
    ("control-character", f"{HEAD}#title a\x1b[2J\n", 4, 9, "U+001B"),
    ("leading-space", f"{HEAD}  {PLAY}", 4, 1, "'>'"),
    ("leading-space", f"{HEAD} #title x\n", 4, 1, "'#'"),
    ("line-unknown", f"{HEAD}what\n", 4, 1, "'what'"),
    ("pragma-unknown", f"{HEAD}#weather fine\n", 4, 2, "#weather"),
    ("pragma-unknown", f"{HEAD}#\n", 4, 2, "#"),
    ("pragma-not-lower-case", f"{HEAD}#Title x\n", 4, 2, "#Title"),
    ("pragma-late", f"{HEAD}{PLAY}#title x\n", 5, 1, "#title"),
    ("pragma-repeated", f"{HEAD}#lexicon A\n#lexicon B\n", 5, 1, "#lexicon"),
    ("pragma-not-continued", f"{HEAD}#title x\n#- y\n", 5, 1, "'#-'"),
    ("rack-pragma-before-events", f"{HEAD}#rack1 ABC\n", 4, 1, "#rack1"),
    ("event-after-last-rack", f"{HEAD}{PLAY}#rack1 ABC\n>ben: AB - +0 0\n", 6, 1, "#rack"),
    ("note-before-events", f"{HEAD}#note x\n", 4, 1, "comment"),
    ("player-malformed", f"{HEAD}#player3\n", 4, 1, "#player3"),
    ("player-number", f"{HEAD}#player5 e E\n", 4, 1, "#player5"),
    ("player-number", f"{HEAD}#player0 e E\n", 4, 1, "#player0"),
    ("player-repeated", f"{HEAD}#player2 cat Cat C\n", 4, 1, "'ben'"),
    ("player-left-out", f"{HEAD}#player4 dan Dan D\n", 0, 0, "#player3"),
    ("player-name-missing", f"{HEAD}#player3 cat\n", 4, 1, "'cat'"),
    ("duplicate-nickname", f"{HEAD}#player3 ann Ann B\n", 4, 1, "'ann'"),
    ("duplicate-full-name", f"{HEAD}#player3 cat Ben B\n", 4, 1, "'Ben B'"),
    ("player-undeclared", "#player1 ann Ann A\n>ben: AB - +0 0\n", 2, 2, "'ben'"),
    ("player-unknown", f"{HEAD}>bin: AB - +0 0\n", 4, 2, "'bin'"),
    ("colon-missing", f"{HEAD}>ann AB - +0 0\n", 4, 5, "'ann'"),
    ("event-malformed", f"{HEAD}>ann: AB WORD +8 8\n", 4, 10, "'WORD'"),
    ("event-malformed", f"{HEAD}>ann: AB 123D WORD +8 8\n", 4, 10, "'123D'"),
    ("event-malformed", f"{HEAD}>ann: AB ---  +0 8\n", 4, 10, "'---'"),
    ("event-malformed", f"{HEAD}>ann: AB -A,B +0 8\n", 4, 10, "','"),
    ("event-malformed", f"{HEAD}>ann: AB exch +0 8\n", 4, 10, "no tiles after 'exch'"),
    ("event-malformed", f"{HEAD}>ann: \n", 4, 6, "nothing"),
    ("event-malformed", f"{HEAD}>\n", 4, 2, "nothing"),
    ("event-malformed", f"{HEAD}>ann: AB\n", 4, 7, "'AB'"),
    ("coordinate-malformed", f"{HEAD}>ann: AB 0D AB +8 8\n", 4, 10, "'0D'"),
    ("play-missing", f"{HEAD}>ann: AB 8D +8 8\n", 4, 10, "'8D'"),
    ("play-missing", f"{HEAD}>ann: AB 8D\n", 4, 10, "'8D'"),
    ("bracket-malformed", f"{HEAD}>ann: (AB +8 8\n", 4, 7, "'(AB'"),
    ("bracket-malformed", f"{HEAD}>ann: (A(B) +8 8\n", 4, 7, "'(A(B)'"),
    ("score-malformed", f"{HEAD}>ann: AB 8D AB plus8 8\n", 4, 16, "'plus8'"),
    ("score-malformed", f"{HEAD}>ann: AB 8D A B +8 8\n", 4, 15, "'B'"),
    ("score-missing", f"{HEAD}>ann: AB -A\n", 4, 12, "no score"),
    ("total-malformed", f"{HEAD}>ann: AB 8D AB +8 x\n", 4, 19, "'x'"),
    ("total-missing", f"{HEAD}>ann: AB 8D AB +8\n", 4, 18, "no running total"),
    ("nick-with-space", f"{HEAD}>Ann A: AB 8D AB +8 8\n", 4, 2, "'Ann A'"),
    ("nick-with-space", f"{HEAD}> ann: AB 8D AB +8 8\n", 4, 2, "'>'"),
    ("space-missing", f"{HEAD}>ann:AB 8D AB +8 8\n", 4, 6, "'ann:'"),
    ("extra-space", f"{HEAD}>ann: AB   8D AB +8  8\n", 4, 9, "one space"),
    ("extra-space", f"{HEAD}>ann:   (AB) +8 8\n", 4, 6, "one space"),
    ("extra-space", f"{HEAD}>ann: AB -A  +0 8\n", 4, 12, "one space"),
    ("tab", f"{HEAD}>ann: AB\t8D AB +8 8\n", 4, 9, "one space"),
    ("trailing-space", f"{HEAD}>ann: AB 8D AB +8 8 \n", 4, 20, "at the end"),
    ("text-after-cumulative", f"{HEAD}>ann: AB 8D AB +8 8 BE, ET\n", 4, 21, "'BE, ET'"),
    ("lower-case-position", f"{HEAD}>ann: AB 8d AB +8 8\n", 4, 10, "'8d'"),
    ("event-word", f"{HEAD}>ann: AB pass +0 8\n", 4, 10, "'pass'"),
    ("event-word", f"{HEAD}>ann: AB ex.A +0 8\n", 4, 10, "'ex.A'"),
    ("event-word", f"{HEAD}>ann: AB exch A +0 8\n", 4, 10, "'exch'"),
    ("event-word", f"{HEAD}>ann: AB exch 2 +0 8\n", 4, 10, "'exch'"),
    ("event-case", f"{HEAD}>ann: (TIME) -10 8\n", 4, 7, "'(TIME)'"),
    ("rack-missing", f"{HEAD}>ann: 8D AB +8 8\n", 4, 7, "'8D'"),
    ("rack-missing", f"{HEAD}>ann: - +0 8\n", 4, 7, "'-'"),
    ("rack-missing", f"{HEAD}>ann: (AB) -4 8\n", 4, 7, "'(AB)'"),
    ("rack-unknown", f"{HEAD}>ann: _______ 8D AB +8 8\n", 4, 7, "'_______'"),
    ("rack-unknown-word", f"{HEAD}>ann: UNKNOWN 8D AB +8 8\n", 4, 7, "'UNKNOWN'"),
    ("rack-dot-blank", f"{HEAD}>ann: AB. 8D AB +8 8\n", 4, 9, "'AB.'"),
    ("rack-malformed", f"{HEAD}>ann: KLMO8RTV 8D AB +8 8\n", 4, 11, "'8'"),
    ("rack-malformed", f"{HEAD}>ann: AB,C 8D AB +8 8\n", 4, 9, "','"),
    ("exchange-exceeds-rack", f"{HEAD}>ann: A[CH] -3 +0 8\n", 4, 13, "3 tiles"),
    ("end-rack-shown", f"{HEAD}>ann: AB (C) +6 8\n", 4, 10, "'(C)'"),
    ("score-without-sign", f"{HEAD}>ann: AB 8D AB 8 8\n", 4, 16, "'8'"),
    ("score-plus-minus", f"{HEAD}>ann: AB (AB) +-8 8\n", 4, 15, "expected -8"),
    ("score-minus-sign", f"{HEAD}>ann: AB (AB) \u22128 8\n", 4, 15, "expected -8"),
    ("score-minus-sign", f"{HEAD}>ann: AB (AB) -8 \u22128\n", 4, 18, "expected -8"),
    ("total-with-plus", f"{HEAD}>ann: AB 8D AB +8 +8\n", 4, 19, "'+8'"),
]
# The reader alone does not make these: they come with another.
TOGETHER = {
    "ambiguous-player": f"{ENCODING}#player1 x Ann\n#player2 x Ben\n>x: AB - +0 0\n",
}
IDS = [f"{code}-{index}" for index, (code, *_) in enumerate(CASES)]


def as_bytes(record: str | bytes) -> bytes:
    return record.encode() if isinstance(record, str) else record


def test_every_code_has_its_record() -> None:
    assert {code for code, *_ in CASES} | set(TOGETHER) == set(CODES)


@pytest.mark.parametrize(("code", "record", "line", "column", "quoted"), CASES, ids=IDS)
def test_reported_once_and_alone(code: str, record: str | bytes, line: int, column: int, quoted: str) -> None:
    game = read_game(io.BytesIO(as_bytes(record)))
    (problem,) = game.problems
    assert (problem.code, problem.line, problem.column) == (code, line, column)
    assert problem.severity == CODES[code].severity
    assert quoted in problem.detail
    assert problem.detail[0] == problem.detail[0].lower() or problem.detail.startswith("UTF")


@pytest.mark.parametrize(("code", "record", "line", "column", "quoted"), CASES, ids=IDS)
def test_strict_reading_raises_it(code: str, record: str | bytes, line: int, column: int, quoted: str) -> None:
    if CODES[code].severity == "note":
        assert read_game(io.BytesIO(as_bytes(record)), strict=True).problems[0].code == code
        return
    with pytest.raises(RecordError) as caught:
        read_game(io.BytesIO(as_bytes(record)), strict=True)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column or None)
    assert quoted in str(caught.value)


def test_a_short_name_of_two_players_is_noted_for_each_event() -> None:
    game = read_game(io.StringIO(TOGETHER["ambiguous-player"]))
    assert [(p.code, p.line, p.column, p.severity) for p in game.problems] == [
        ("duplicate-nickname", 3, 1, "warning"),
        ("ambiguous-player", 4, 2, "note"),
    ]


def test_events_after_the_last_rack_are_one_warning_and_notes() -> None:
    game = read_game(io.StringIO(f"{HEAD}{PLAY}#rack1 A\n>ben: AB - +0 0\n>ann: AB - +0 8\n"))
    assert [(p.code, p.line, p.severity) for p in game.problems] == [
        ("event-after-last-rack", 6, "warning"),
        ("event-after-last-rack", 7, "note"),
    ]


def test_a_game_with_too_many_bytes() -> None:
    data = (HEAD + PLAY).encode() + b"#note x\n" + b"comment\n" * (MAX_GAME_BYTES // 8) + as_bytes(HEAD + PLAY)
    first, second = read_games(io.BytesIO(data))
    assert [problem.code for problem in first.problems][:2] == ["game-too-long", "game-too-long"]
    assert second.problems == []
    assert second.first_line == 4 + 1 + MAX_GAME_BYTES // 8 + 1
    assert second == read_game(io.StringIO(HEAD + PLAY))


@pytest.mark.parametrize(("bom", "codec"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")])
def test_utf_16_is_named(bom: bytes, codec: str) -> None:
    game = read_game(io.BytesIO(bom + (HEAD + PLAY).encode(codec)))
    assert game.problems[0].code == "encoding-unsupported"
    assert "UTF-16" in game.problems[0].detail


@pytest.mark.parametrize("code", CODES)
def test_codes_are_words_with_a_meaning(code: str) -> None:
    severity, meaning = CODES[code]
    assert code == code.lower()
    assert set(code) <= set("abcdefghijklmnopqrstuvwxyz-")
    assert severity in ("error", "warning", "note")
    assert len(meaning) > 5
