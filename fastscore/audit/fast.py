"""The rows of plain games by compiled code, a hundred times as fast as by the tolerant reader.

Bytes are parsed, placements scored and columns filled for hundreds of games at once (`fastscore.gcg_kernels`,
`record_kernels`, `turn_kernels`), and no object is made for an event. Games with anything out of the ordinary are left
to `fastscore.audit.rows.rows_of_games`: the rows are the same in either way, so that it is a matter of time only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fastscore import gcg_kernels, record_kernels, turn_kernels
from fastscore.audit.rows import KEYS, OwnedRows, RecordText, Rows, square_rules
from fastscore.audit.ruling import Rules
from fastscore.audit.schema import ARROW_SCHEMAS, PREMIUMS, TABLES
from fastscore.endings import Ending, EndingStyle
from fastscore.game import KINDS, Game
from fastscore.record_kernels import EVENT_COLUMNS, FACT_END, FACT_WORDS
from fastscore.records.arrays import FlatGames, KernelRules, kernel_rules, replay_events, which_explain_all
from fastscore.records.phonies import are_good
from fastscore.records.rules import rules_of_record
from fastscore.rules.ruleset import Ruleset, for_each_ruleset

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = ["fast_rows"]

_LONGEST: Final = 1 << 16
"""Longer records, most of them full of comments, are left to the tolerant reader: offsets of texts have 32 bits."""
_BLANK: Final = 0x80
_KINDS: Final = pa.array(KINDS)
_DIRECTIONS: Final = pa.array(["across", "down"])
_ENDINGS: Final = pa.array([Ending.NOT_ENDED.value, Ending.PLAYED_OUT.value])
# A plain game that is played out has twice the other's tiles on its only end line.
_STYLES: Final = pa.array([EndingStyle.MISSING.value, EndingStyle.DOUBLE.value])
_DECLARED: Final = (None, "utf-8", "iso-8859-1")

_ANY_LETTER: Final = np.full(256, gcg_kernels.STRANGER, np.uint8)
"""Stands for the tile codes where no letters are known yet."""
_ANY_LETTER[[byte for byte in range(128) if chr(byte).isalpha() or byte == ord("?")]] = 1
_ANY_LETTER[ord(".")] = 0

_Bytes = NDArray[np.uint8]
_Flags = NDArray[np.bool_]
_Group = tuple[tuple[Ruleset, ...], NDArray[np.int64]]
"""Rulesets that explain as much of some texts, and the indices of these."""


class _Read(NamedTuple):
    """Some texts and what stands in the regular ones, see `fastscore.gcg_kernels`."""

    data: _Bytes
    heads: NDArray[np.int64]
    games: NDArray[np.int64]
    owners: NDArray[np.int64]
    events: NDArray[np.int64]
    places: NDArray[np.int64]
    codes: _Bytes


class _Parsed(NamedTuple):
    """The regular texts under one ruleset. `chosen`: the plain games."""

    read: _Read
    facts: NDArray[np.int64]
    formed: _Bytes
    chosen: NDArray[np.int64]


def fast_rows(
    texts: Sequence[RecordText], rules: Rules = None, lexicon: Lexicon | None = None
) -> tuple[list[Rows], list[int]]:
    """The rows of the plain ones of some games, in pieces, and the indices of the texts that are left.

    `texts`, `rules`, `lexicon`: as of `fastscore.audit.rows.rows_of_games`. Games with words that are not in the
    lexicon are left, and with several rulesets those that none explains altogether.
    """
    if rules is None or isinstance(rules, Ruleset):
        ruled = rules_of_record(Game())[0] if rules is None else rules
        groups: list[_Group] = [((ruled,), np.arange(len(texts)))]
        # A plain game says nothing about its rules.
        origin = "default" if rules is None else "given"
    else:
        groups = _recognised(texts, rules)
        origin = "recognised"
    left = np.ones(len(texts), bool)
    pieces: list[Rows] = []
    for best, indices in groups:
        some = texts if len(indices) == len(texts) else [texts[index] for index in indices.tolist()]
        made, owners = _plain_rows(some, best, origin, lexicon)
        left[indices[owners]] = False
        if made is not None:
            pieces.append({table: OwnedRows(indices[rows.owners], rows.batch) for table, rows in made.items()})
    return pieces, np.flatnonzero(left).tolist()


def _recognised(texts: Sequence[RecordText], candidates: Sequence[Ruleset]) -> list[_Group]:
    """The texts that are explained by the same rulesets, without those that none explains."""
    flat, owners = _flat_games(texts)
    found = which_explain_all(flat, candidates)
    groups: dict[bytes, list[int]] = {}
    for game, best in enumerate(found.T):
        if best.any():
            groups.setdefault(best.tobytes(), []).append(int(owners[game]))
    return [(tuple(compress(candidates, best)), np.array(indices, np.int64)) for best, indices in groups.items()]


def _flat_games(texts: Sequence[RecordText]) -> tuple[FlatGames, NDArray[np.int64]]:
    """The regular games whatever letters they are of, without racks, which no score depends on; whose they are."""
    read = _read(texts, _ANY_LETTER)
    events, text = read.events.copy(), read.data.tobytes().decode("iso-8859-1")
    events[:, record_kernels.RACK] = 0
    begins = read.places[: len(events), gcg_kernels.TEXT_AT]
    ends = begins + events[:, record_kernels.TEXT]
    pieces = [text[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return FlatGames(events, [part for piece in pieces for part in (piece, "")], read.games), read.owners


def _plain_rows(
    texts: Sequence[RecordText], best: tuple[Ruleset, ...], origin: str, lexicon: Lexicon | None
) -> tuple[Rows | None, NDArray[np.int64]]:
    """The rows of the plain games under the first of some rulesets that explain as much, and the indices of these."""
    rules, nothing = best[0], np.zeros(0, np.int64)
    characters = _characters(rules)
    if characters is None or (lexicon is not None and not lexicon.fits(rules.letters)):
        return None, nothing
    parsed = _parse(texts, rules, characters)
    if lexicon is not None:
        parsed = _without_phonies(parsed, rules, lexicon)
    indices = parsed.read.owners[parsed.chosen]
    if not len(indices):
        return None, nothing
    first_lines = np.array([texts[index].first_line for index in indices.tolist()], np.int64)
    games, names = _games(texts, parsed, best, origin, indices, first_lines)
    turns, prints = _turns(parsed, rules, characters, first_lines, names)
    games["fingerprint"] = pa.array(prints, pa.string())
    owners = {"games": indices, "turns": np.repeat(indices, _events_of(parsed))}
    made = {
        table: _owned(table, columns, owners.get(table, nothing))
        for table, columns in zip(TABLES, (games, turns, {}, {}), strict=True)
    }
    return made, indices


def _owned(table: str, columns: Mapping[str, Any], owners: NDArray[np.int64]) -> OwnedRows:
    fields = [field for field in ARROW_SCHEMAS[table] if field.name not in KEYS]
    arrays = [columns[field.name] if columns else pa.nulls(0, field.type) for field in fields]
    return OwnedRows(owners, pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields)))


# --- the kernels ------------------------------------------------------------------------------------------------------


class _Characters(NamedTuple):
    """Tile codes by byte and bytes by tile code."""

    tiles: _Bytes
    shown: _Bytes


@for_each_ruleset
def _characters(rules: Ruleset) -> _Characters | None:
    """The tiles that are written with one ASCII letter, all others are none here; None where one takes several."""
    letters = rules.letters
    tiles = np.full(256, gcg_kernels.STRANGER, np.uint8)
    tiles[ord(".")] = 0
    shown = np.zeros(256, np.uint8)
    for text, code in letters.spellings.items():
        if len(text) != 1:
            return None
        back = letters.decode(code)
        if text.isascii() and (text.isalpha() or text == "?") and len(back) == 1 and back.isascii():
            tiles[ord(text)] = code
            shown[code] = ord(back)
    return _Characters(tiles, shown)


def _read(texts: Sequence[RecordText], tiles: _Bytes) -> _Read:
    """`tiles`: the tile code of each byte."""
    pieces = [b"" if text.cut or len(text.data) > _LONGEST else text.data for text in texts]
    data = np.frombuffer(b"".join(pieces), np.uint8)
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces], out=bounds[1:])
    most = int(np.count_nonzero(data == ord(">")))
    events = np.empty((most, EVENT_COLUMNS), np.int64)
    places = np.empty((most, gcg_kernels.PLACE_COLUMNS), np.int64)
    codes = np.empty(len(data), np.uint8)
    heads = np.empty((len(texts), gcg_kernels.HEAD_COLUMNS), np.int64)
    games = np.empty((len(texts) + 1, 2), np.int64)
    owners = np.empty(len(texts), np.int64)
    found, n_events, n_codes = gcg_kernels.parse_records(
        data, bounds, tiles, events, places, codes, heads, games, owners
    )
    codes = codes[:n_codes]
    codes.setflags(write=False)  # as other callers have it: another array type is compiled anew
    return _Read(data, heads, games[: found + 1], owners[:found], events[:n_events], places, codes)


def _parse(texts: Sequence[RecordText], rules: Ruleset, characters: _Characters) -> _Parsed:
    read = _read(texts, characters.tiles)
    facts, formed, plain = replay_events(read.events, read.games, read.codes, kernel_rules(rules))
    return _Parsed(read, facts, formed, np.flatnonzero(plain))


def _without_phonies(parsed: _Parsed, rules: Ruleset, lexicon: Lexicon) -> _Parsed:
    """Leave out the plain games with a word that is not in the lexicon."""
    if not len(parsed.facts):
        return parsed
    formed = parsed.formed[: parsed.facts[-1, FACT_END]]
    # How many bad words there are before each word, and how many words before each event.
    bad = np.concatenate([[0], np.cumsum(~are_good(formed, lexicon, anagrams=rules.anagram_words))])
    words = np.concatenate([[0], np.cumsum(parsed.facts[:, FACT_WORDS])])
    before = bad[words[parsed.read.games[:, 0]]]
    good = before[parsed.chosen + 1] == before[parsed.chosen]
    return parsed._replace(chosen=parsed.chosen[good])


def _events_of(parsed: _Parsed) -> NDArray[np.int64]:
    """The number of events of each plain game."""
    first = parsed.read.games[:, 0]
    counts: NDArray[np.int64] = first[parsed.chosen + 1] - first[parsed.chosen]
    return counts


# --- turns ------------------------------------------------------------------------------------------------------------


def _turns(
    parsed: _Parsed, rules: Ruleset, characters: _Characters, first_lines: NDArray[np.int64], names: Any
) -> tuple[dict[str, Any], Sequence[str]]:
    """The columns of `turns`, and the fingerprints of the games."""
    kernels = turn_kernels
    size = int(_events_of(parsed).sum())
    ruled: KernelRules = kernel_rules(rules)
    squares = square_rules(rules)
    bonus = np.zeros(kernels.LONGEST, np.uint8)
    bonus[list(squares.bonus)] = 1
    short = np.empty((kernels.SHORTS, size), np.int16)
    middle = np.empty((kernels.MIDDLES, size), np.int32)
    wide = np.empty((kernels.WIDES, size), np.int64)
    flags = np.empty((kernels.FLAGS, size), np.uint8)
    offsets = np.empty((kernels.TEXTS, size + 1), np.int32)
    racks, moves, tiles, leaves = (np.empty(len(parsed.read.data), np.uint8) for _ in range(kernels.TEXTS))
    words = np.empty(int(parsed.facts[-1, FACT_END]), np.uint8)
    word_offsets = np.empty(int(parsed.facts[:, FACT_WORDS].sum()) + 1, np.int32)
    list_offsets = np.empty(size + 1, np.int32)
    # A line with a tile has more characters than the fingerprint has bytes for it.
    prints = np.empty(4 * len(parsed.read.data), np.uint8)
    print_offsets = np.empty(len(parsed.chosen) + 1, np.int64)
    n_words = kernels.fill_turns(
        parsed.read.data,
        first_lines,
        parsed.chosen,
        parsed.read.games,
        parsed.read.events,
        parsed.read.places,
        parsed.read.codes,
        parsed.facts,
        parsed.formed,
        ruled.settings,
        characters.shown,
        np.frombuffer(squares.premium, np.uint8),
        bonus,
        np.empty(len(squares.premium), np.uint8),
        np.empty(_BLANK, np.int64),
        short,
        middle,
        wide,
        flags,
        offsets,
        racks,
        moves,
        tiles,
        leaves,
        words,
        word_offsets,
        list_offsets,
        prints,
        print_offsets,
    )
    placed, turned = flags[kernels.IS_PLACE] != 0, flags[kernels.IS_TURN] != 0
    formed = _strings(word_offsets[: n_words + 1], words)
    points, totals = _numbers(wide[kernels.POINTS]), _numbers(wide[kernels.RUNNING])
    zeros = np.zeros(size, np.int64)
    columns = {
        "turn": _numbers(middle[kernels.TURN]),
        "number": _numbers(middle[kernels.NUMBER], turned),
        "line": _numbers(wide[kernels.LINE_NUMBER]),
        "kind": _KINDS.take(pa.array(flags[kernels.KIND_NUMBER])),
        "player": _numbers(flags[kernels.WHO].view(np.int8)),
        "name": names.take(pa.array(middle[kernels.NAME_INDEX])),
        "rack": _strings(offsets[kernels.RACKS], racks, turned),
        "rack_tiles": _numbers(short[kernels.RACK_TILES], turned),
        "move": _strings(offsets[kernels.MOVES], moves),
        "row": _numbers(short[kernels.FIRST_ROW], placed),
        "col": _numbers(short[kernels.FIRST_COL], placed),
        "direction": _DIRECTIONS.take(pa.array(flags[kernels.DOWN], mask=~placed)),
        "tiles": _strings(offsets[kernels.FRESH_TILES], tiles, placed),
        "tiles_placed": _numbers(short[kernels.LAID]),
        "blanks_placed": _numbers(short[kernels.BLANKS]),
        "words": _lists(list_offsets, formed),
        "word_length": _numbers(short[kernels.WORD_LENGTH]),
        **{name: _numbers(short[kernels.PREMIUM + number]) for number, name in enumerate(PREMIUMS)},
        "bingo": pa.array(flags[kernels.IS_BINGO] != 0),
        "withdrawn": pa.array(zeros != 0),
        "recorded": points,
        "computed": points,
        "difference": _numbers(zeros),
        "total_recorded": totals,
        "total_computed": totals,
        "leave": _strings(offsets[kernels.LEAVES], leaves, turned),
        "bag": _numbers(middle[kernels.BAG]),
        "scoreless": _numbers(middle[kernels.SCORELESS]),
        "status": _numbers(zeros),
        "comments": _numbers(middle[kernels.NOTES]),
        "findings": _numbers(zeros.astype(np.int32)),
    }
    return columns, _fingerprints(prints, print_offsets.tolist())


# --- games ------------------------------------------------------------------------------------------------------------


def _games(
    texts: Sequence[RecordText],
    parsed: _Parsed,
    best: tuple[Ruleset, ...],
    rules_from: str,
    indices: NDArray[np.int64],
    first_lines: NDArray[np.int64],
) -> tuple[dict[str, Any], Any]:
    """The columns of `games`, and the names of all players, two for each game."""
    kernels = turn_kernels
    size = len(indices)
    numbers = np.empty((kernels.GAME_NUMBERS, size), np.int64)
    nicks, names = np.empty(len(parsed.read.data), np.uint8), np.empty(len(parsed.read.data), np.uint8)
    name_offsets = np.empty((2, 2 * size + 1), np.int32)
    kernels.fill_games(
        parsed.read.data,
        parsed.chosen,
        parsed.read.games,
        parsed.read.owners,
        parsed.read.heads,
        parsed.read.events,
        parsed.read.places,
        numbers,
        nicks,
        names,
        name_offsets,
    )
    all_names = _strings(name_offsets[1], names)
    pairs = np.arange(0, 2 * size + 1, 2, dtype=np.int32)
    totals = numbers[[kernels.FIRST_TOTAL, kernels.SECOND_TOTAL]]
    both = _lists(pairs, _numbers(np.ascontiguousarray(totals.T).reshape(-1)))
    first, second = totals
    finished = numbers[kernels.END_LINES] > 0
    out = numbers[kernels.OUT].astype(np.int8)
    nothing = _numbers(np.zeros(size, np.int32))
    unknown = pa.nulls(size, pa.string())
    encodings = [
        None if texts[index].is_text else _DECLARED[code] or texts[index].encoding or "iso-8859-1"
        for index, code in zip(indices.tolist(), parsed.read.heads[indices, gcg_kernels.ENCODING].tolist(), strict=True)
    ]
    columns = {
        "line": _numbers(first_lines),
        "title": unknown,
        "id": unknown,
        "lexicon": unknown,
        "rules": pa.repeat(best[0].name, size),
        "rules_from": pa.repeat(rules_from, size),
        "rules_ties": pa.repeat(pa.scalar([rules.name for rules in best[1:]], pa.list_(pa.string())), size),
        "players": _numbers(np.full(size, 2, np.int8)),
        "nicks": _lists(pairs, _strings(name_offsets[0], nicks)),
        "names": _lists(pairs, all_names),
        "totals_recorded": both,
        "totals_computed": both,
        "totals": both,
        "winner": _numbers((first < second).astype(np.int8), finished & (first != second)),
        "tie": pa.array(finished & (first == second)),
        "spread": _numbers(np.abs(first - second)),
        "finished": pa.array(finished),
        "ending": _ENDINGS.take(pa.array(finished.view(np.uint8))),
        "out": _numbers(out, out >= 0),
        "style": _STYLES.take(pa.array(finished.view(np.uint8))),
        "first_player": _numbers(numbers[kernels.FIRST_PLAYER].astype(np.int8)),
        "events": _counts(numbers[kernels.EVENTS]),
        "placements": _counts(numbers[kernels.PLACEMENTS]),
        "exchanges": _counts(numbers[kernels.EXCHANGES]),
        "passes": _counts(numbers[kernels.PASSES]),
        "end_lines": _counts(numbers[kernels.END_LINES]),
        "comments": _counts(numbers[kernels.ALL_NOTES]),
        **dict.fromkeys(("withdrawals", "challenges", "time_penalties", "malformed"), nothing),
        **dict.fromkeys(("findings", "faults", "misscored", "problems"), nothing),
        "encoding": pa.array(encodings, pa.string()),
    }
    return columns, all_names


def _fingerprints(prints: _Bytes, ends: Sequence[int]) -> list[str]:
    """As `fastscore.records.moves.fingerprint` makes them."""
    view, digest = prints.data, hashlib.blake2b
    return [digest(view[begin:end], digest_size=16).hexdigest() for begin, end in pairwise(ends)]


# --- numpy to Arrow, without copies -----------------------------------------------------------------------------------


def _bitmap(valid: _Flags | None) -> Any:
    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))


def _numbers(values: NDArray[Any], valid: _Flags | None = None) -> Any:
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [_bitmap(valid), pa.py_buffer(values)])


def _counts(values: NDArray[np.int64]) -> Any:
    return _numbers(values.astype(np.int32))


def _strings(offsets: NDArray[np.int32], characters: _Bytes, valid: _Flags | None = None) -> Any:
    used = characters[: offsets[-1]]
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(used), _bitmap(valid))


def _lists(offsets: NDArray[np.int32], values: Any) -> Any:
    kind = pa.list_(values.type)
    return pa.Array.from_buffers(kind, len(offsets) - 1, [None, pa.py_buffer(offsets)], children=[values])
