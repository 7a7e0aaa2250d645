"""Many games of one ruleset as the arrays that the record kernel reads, and its answers as facts."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastscore import record_kernels as kernels
from fastscore.errors import NotationError
from fastscore.game import KINDS, Game
from fastscore.notation.plays import Mark, parse_word
from fastscore.record_facts import Course, Facts, check_events, with_final_racks
from fastscore.tables import for_each_ruleset

if TYPE_CHECKING:
    from fastscore.rules.letters import LetterDistribution
    from fastscore.rules.ruleset import Ruleset

__all__ = ["CompiledFacts", "KernelRules", "compiled_facts", "kernel_rules", "replay_events"]

_KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
_NO_TILE: Final = 0x7F
"""Stands for a character that is no tile: no letter distribution has so many letters."""
_FAR: Final = 1 << 40
"""Numbers beyond are as wrong as this one, and fit."""


class CompiledFacts(NamedTuple):
    """The facts of one game, still as the kernel gave them."""

    plain: bool
    columns: NDArray[np.int64]
    words: bytes
    rules: Ruleset

    def facts(self) -> Facts:
        """The facts as lists."""
        score, status, laid, marks, value, unseen, rack_tiles, counts, *_ = self.columns.T.tolist()
        texts = kernel_rules(self.rules).coder.decode(self.words)
        words: list[tuple[str, ...]] = []
        at = 0
        for count in counts:
            words.append(tuple(texts[at : at + count]))
            at += count
        return Facts(score, status, laid, marks, value, unseen, rack_tiles, words)

    def course(self) -> Course:
        """Bag and scoreless turns of a plain game."""
        bags: list[int | None] = self.columns[:, kernels.FACT_BAG].tolist()
        return Course(bags, self.columns[:, kernels.FACT_SCORELESS].tolist())


def compiled_facts(games: Sequence[Game], rules: Ruleset) -> list[CompiledFacts]:
    """The facts of games under one ruleset. Raises RecordError for an event of none of the players."""
    ruled = kernel_rules(rules)
    flat: list[int] = []
    texts: list[str] = []
    first: list[int] = []
    for game in games:
        first += (len(texts) // 2, len(game.players))
        try:
            _flatten(game, flat, texts)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            check_events(game)
            raise
    first += (len(texts) // 2, 0)
    try:
        numbers = array("q", flat)
        "".join(texts)
    except TypeError:
        for game in games:
            check_events(game)
        raise
    except OverflowError:
        numbers = array("q", [max(-_FAR, min(_FAR, number)) for number in flat])
    events = np.frombuffer(numbers, np.int64).reshape(-1, kernels.EVENT_COLUMNS)
    codes = ruled.coder.encode(texts, events)
    bounds = np.array(first, np.int64).reshape(-1, 2)
    facts, words, plain = replay_events(events, bounds, np.frombuffer(codes, np.uint8), ruled)
    begin = 0
    made = []
    for index, is_plain in enumerate(plain.tolist()):
        columns = facts[first[2 * index] : first[2 * index + 2]]
        end = int(columns[-1, kernels.FACT_END]) if len(columns) else begin
        made.append(CompiledFacts(bool(is_plain), columns, words[begin:end].tobytes(), rules))
        begin = end
    return made


def replay_events(
    events: NDArray[np.int64], games: NDArray[np.int64], codes: NDArray[np.uint8], ruled: KernelRules
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint8]]:
    """The facts, words and plain games that `fastscore.record_kernels.replay_records` finds, which describes them."""
    cells = ruled.squares.shape[1]
    facts = np.empty((len(events), kernels.FACT_COLUMNS), np.int64)
    words = np.empty(len(events) * ruled.most_words, np.uint8)
    plain = np.zeros(len(games) - 1, np.uint8)
    kernels.replay_records(
        events,
        games,
        codes,
        ruled.squares,
        ruled.digraphs,
        ruled.numbers,
        ruled.settings,
        np.zeros(cells, np.uint8),
        np.zeros(cells, np.uint8),
        np.zeros(kernels.SCRATCH_SIZE, np.int64),
        facts,
        words,
        plain,
    )
    return facts, words, plain


def _flatten(game: Game, flat: list[int], texts: list[str]) -> None:
    """The columns of the events, and their texts and racks."""
    players = range(len(game.players))
    for event in with_final_racks(game) if game.pragmas else game.events:
        kind = event.kind
        player = event.player
        rack = event.rack
        score = event.score
        total = event.total
        row = col = direction = given = 0
        text = ""
        if kind == "place":
            text = event.text
            if event.at is None or text == "":
                text, given = "", kernels.TEXT_UNREADABLE
            else:
                row, col, direction = event.at
        elif kind == "exchange_count":
            row = int(event.text)
        elif kind != "malformed":
            text = event.text
        else:
            player = -1 if player is None else player
        if player not in players and kind != "malformed":
            raise IndexError
        if score is None:
            score, given = 0, given | kernels.NO_SCORE
        if total is None:
            total, given = 0, given | kernels.NO_TOTAL
        if rack is None:
            rack, given = "", given | kernels.NO_RACK
        flat += (_KIND_NUMBERS[kind], player, row, col, direction, score, total, len(text), len(rack), given)  # type: ignore[arg-type]
        texts.append(text)
        texts.append(rack)


class KernelRules(NamedTuple):
    """A ruleset as the record kernel reads it."""

    squares: NDArray[np.uint8]
    digraphs: NDArray[np.uint8]
    numbers: NDArray[np.int64]
    settings: NDArray[np.int64]
    coder: _Coder
    most_words: int
    """Most codes of the words of one placement."""


@for_each_ruleset
def kernel_rules(rules: Ruleset) -> KernelRules:
    """Made once for each ruleset."""
    layout, letters = rules.layout, rules.letters
    squares = [layout.letter_multiplier, layout.word_multiplier, layout.letter_condition, layout.bricks]
    numbers = np.zeros(kernels.NUMBERS_SIZE, np.int64)

    def fill(part: int, values: Sequence[int]) -> None:
        numbers[part : part + len(values)] = values

    blank = letters.values[0]
    fill(kernels.VALUES, (0, *letters.values[1:]))
    fill(kernels.VALUES + kernels.BLANK, [blank] * len(letters.tiles))
    # No condition asks for the face value of a blank without a letter.
    fill(kernels.FACES, (-1, *letters.values[1:]))
    fill(kernels.COUNTS, letters.counts or ())
    fill(kernels.END_VALUES, (blank if rules.end_blank_value is None else rules.end_blank_value, *letters.values[1:]))
    fill(kernels.BONUSES, rules.bingo_bonus)
    numbers[kernels.FACTORS :] = 1
    fill(kernels.FACTORS, rules.bingo_multiplier)
    limits = [limit for limit in (rules.zero_turn_limit, rules.pass_limit) if limit is not None]
    settings = [
        rules.rows,
        rules.cols,
        layout.start[0] * rules.cols + layout.start[1],
        rules.rack_size,
        letters.n_letters,
        int(layout.letter_condition.any()),
        -1 if letters.counts is None else sum(letters.counts),
        rules.exchange_limit,
        min(limits, default=_FAR),
        int(rules.end_adjustment == "double"),
        int(rules.exchange_is_scoreless),
        int(rules.zero_score_is_scoreless),
    ]
    side = max(rules.rows, rules.cols) + 1
    return KernelRules(
        np.ascontiguousarray(np.stack([grid.astype(np.uint8) for grid in squares]).reshape(4, -1)),
        _digraphs(rules),
        numbers,
        np.array(settings, np.int64),
        _Coder(letters),
        side * side,
    )


def _digraphs(rules: Ruleset) -> NDArray[np.uint8]:
    names = rules.letters.tiles
    if not rules.digraphs_need_tile:
        return np.zeros((0, 0), np.uint8)
    made = np.zeros((len(names), len(names)), np.uint8)
    for left in range(1, len(names)):
        for right in range(1, len(names)):
            made[left, right] = names[left] + names[right] in names
    return made


class _Coder:
    """Texts to tile codes and back, many at once where every tile is written with one character."""

    def __init__(self, letters: LetterDistribution) -> None:
        self.letters = letters
        spellings = letters.spellings
        self.narrow: bytes | None = None
        self.wide: NDArray[np.uint8] | None = None
        self.back: bytes | None = None
        if all(len(text) == 1 for text in spellings):
            points = {ord(text): code for text, code in spellings.items()}
            table = np.full(max(*points, 255) + 2, _NO_TILE, np.uint8)
            table[ord(".")] = 0
            for point, code in points.items():
                table[point] = code
            self.wide = table
            self.narrow = table[:256].tobytes()
        shown = {code: letters.decode(code) for code in _codes_of(letters)}
        if all(len(text) == 1 and ord(text) < 256 for text in shown.values()):
            self.back = bytes(ord(shown.get(code, "\0")) for code in range(256))

    def encode(self, texts: list[str], events: NDArray[np.int64]) -> bytes:
        """The codes of all texts; corrects their numbers, and flags those that cannot be read, in `events`."""
        codes = b""
        if self.narrow is not None and self.wide is not None:
            joined = "".join(texts)
            try:
                codes = joined.encode("iso-8859-1").translate(self.narrow)
            except UnicodeEncodeError:
                points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
                codes = self.wide[np.minimum(points, len(self.wide) - 1)].tobytes()
            if _NO_TILE not in codes:
                return codes
        return self._encode_each(texts, events.reshape(-1), codes)

    def _encode_each(self, texts: list[str], events: NDArray[np.int64], codes: bytes) -> bytes:
        """As `encode`, text by text; `codes` are those of all texts, or nothing."""
        made: list[bytes] = []
        begin = 0
        for index, text in enumerate(texts):
            end = begin + len(text)
            found = codes[begin:end]
            begin = end
            if not text or (codes and _NO_TILE not in found):
                made.append(found)
                continue
            event, is_rack = divmod(index, 2)
            at = event * kernels.EVENT_COLUMNS
            try:
                if is_rack or events[at + kernels.KIND] != kernels.PLACE:
                    found = bytes(self.letters.encode(text))
                else:
                    found = _word_codes(text, self.letters)
            except NotationError:
                found = b""
                events[at + kernels.GIVEN] |= kernels.RACK_UNREADABLE if is_rack else kernels.TEXT_UNREADABLE
            events[at + (kernels.RACK if is_rack else kernels.TEXT)] = len(found)
            made.append(found)
        return b"".join(made)

    def decode(self, codes: bytes) -> list[str]:
        """Words from their codes, each with a 0 behind it."""
        if self.back is not None:
            return codes.translate(self.back).decode("iso-8859-1").split("\0")
        return [self.letters.format(word) for word in codes.split(b"\0")]


def _codes_of(letters: LetterDistribution) -> list[int]:
    letter_codes = range(1, letters.n_letters + 1)
    return [*letter_codes, *(code | kernels.BLANK for code in letter_codes), kernels.BLANK]


def _word_codes(text: str, letters: LetterDistribution) -> bytes:
    codes = bytearray()
    for mark, tile in parse_word(text, letters):
        if mark == Mark.THROUGH_LETTER:
            codes.append(kernels.THROUGH_LETTER)
        codes.append(tile)
    return bytes(codes)
