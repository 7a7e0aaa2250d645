"""Many games of one ruleset as the arrays that the record kernel reads, and its answers as facts."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastscore import record_kernels as kernels
from fastscore.game import KINDS, Game
from fastscore.records.codes import Coder
from fastscore.records.facts import Course, Facts, check_events, with_final_racks
from fastscore.rules.letters import BLANK
from fastscore.rules.ruleset import for_each_ruleset
from fastscore.status import UNSCORABLE

if TYPE_CHECKING:
    from fastscore.rules.ruleset import Ruleset

__all__ = [
    "CompiledFacts",
    "FlatGames",
    "KernelRules",
    "compiled_facts",
    "explained",
    "kernel_rules",
    "replay_events",
    "which_explain_all",
]

_KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
_FIRST_EVENTS: Final = 4
"""Of a game, to see whether a ruleset is worth a look at all of it."""
_UNSCORABLE: Final = int(UNSCORABLE)
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
    flat = _flattened(games)
    ruled = kernel_rules(rules)
    events, codes = flat.encoded(ruled.coder)
    facts, words, plain = replay_events(events, flat.bounds, codes, ruled)
    first = flat.bounds[:, 0].tolist()
    begin = 0
    made = []
    for index, is_plain in enumerate(plain.tolist()):
        columns = facts[first[index] : first[index + 1]]
        end = int(columns[-1, kernels.FACT_END]) if len(columns) else begin
        made.append(CompiledFacts(bool(is_plain), columns, words[begin:end].tobytes(), rules))
        begin = end
    return made


def explained(games: Sequence[Game], candidates: Sequence[Ruleset]) -> NDArray[np.int64]:
    """How much of each game each ruleset explains, see `fastscore.ruleset_choice.RulesFit`.

    int64[candidates, games, 4]: placements, those explained, end lines, those explained. Raises RecordError.
    """
    flat = _flattened(games)
    counts = np.zeros((len(candidates), len(games), 4), np.int64)
    for some, events, codes, ruled in _differing(flat, candidates):
        facts, _, _ = replay_events(events, flat.bounds, codes, ruled)
        counts[some] = _counts_of_games(events, facts, flat.bounds)
    return counts


def which_explain_all(flat: FlatGames, candidates: Sequence[Ruleset]) -> NDArray[np.bool_]:
    """bool[candidates, games]: which rulesets give each placement and end line its recorded score.

    Like `explained`, and faster: most rulesets give another score to one of the first plays.
    """
    every = np.arange(len(flat.bounds) - 1)
    found = np.zeros((len(candidates), len(every)), bool)
    for some, events, codes, ruled in _differing(flat, candidates):
        games = every
        for most in (_FIRST_EVENTS, len(events)):
            of_games = _cut(events, codes, flat.bounds, games, most)
            facts, _, _ = replay_events(*of_games, ruled)
            placed, right, ended, ended_right = _counts_of_games(of_games[0], facts, of_games[1]).T
            games = games[(placed == right) & (ended == ended_right)]
        for number in some:
            found[number, games] = True
    return found


def _differing(
    flat: FlatGames, candidates: Sequence[Ruleset]
) -> Iterator[tuple[list[int], NDArray[np.int64], NDArray[np.uint8], KernelRules]]:
    """The rulesets, those together that give the same scores: their numbers, the events and codes under them, and one.

    Rulesets often differ in what no score depends on, and those of one language have the same letters.
    """
    groups: dict[object, dict[bytes, list[int]]] = {}
    for number, rules in enumerate(candidates):
        letters = rules.letters
        same_letters = groups.setdefault((letters.tiles, letters.blank_forms, letters.aliases), {})
        same_letters.setdefault(kernel_rules(rules).scoring_key(), []).append(number)
    for same_letters in groups.values():
        firsts = [kernel_rules(candidates[numbers[0]]) for numbers in same_letters.values()]
        events, codes = flat.encoded(firsts[0].coder)
        for numbers, ruled in zip(same_letters.values(), firsts, strict=True):
            yield numbers, events, codes, ruled


def _cut(
    events: NDArray[np.int64],
    codes: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    games: NDArray[np.int64],
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """The first events of some games: events, bounds, codes."""
    firsts, players = bounds[:-1].T
    sizes = np.minimum(np.diff(bounds[:, 0])[games], most)
    rows = _ranges(firsts[games], sizes)
    lengths = events[:, kernels.TEXT] + events[:, kernels.RACK]
    begins = np.cumsum(lengths) - lengths
    cut_bounds = np.zeros((len(games) + 1, 2), np.int64)
    np.cumsum(sizes, out=cut_bounds[1:, 0])
    cut_bounds[:-1, 1] = players[games]
    cut_codes = codes[_ranges(begins[rows], lengths[rows])]
    cut_codes.setflags(write=False)  # as other callers have it: another array type is compiled anew
    return events[rows], cut_bounds, cut_codes


def _ranges(begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each begin on, so many of each."""
    ends = np.cumsum(sizes)
    steps = np.repeat(begins - (ends - sizes), sizes)
    made: NDArray[np.int64] = steps + np.arange(len(steps))
    return made


def _counts_of_games(
    events: NDArray[np.int64], facts: NDArray[np.int64], bounds: NDArray[np.int64]
) -> NDArray[np.int64]:
    kind, recorded = events[:, kernels.KIND], events[:, kernels.SCORE]
    has_score = events[:, kernels.GIVEN] & kernels.NO_SCORE == 0
    laid = facts[:, kernels.FACT_STATUS] & _UNSCORABLE == 0
    value = facts[:, kernels.FACT_VALUE]
    of_two = np.repeat(bounds[:-1, 1] == 2, np.diff(bounds[:, 0]))
    placed = (kind == kernels.PLACE) & has_score
    gained, lost = kind == kernels.END_POINTS, kind == kernels.END_PENALTY
    ended = (gained | lost) & has_score
    amounts = gained & ((recorded == value) | (of_two & (recorded == 2 * value))) | lost & (recorded == -value)
    readable = facts[:, kernels.FACT_MARKS] & kernels.BAD_TEXT == 0
    columns = (
        placed,
        placed & laid & (recorded == facts[:, kernels.FACT_SCORE]),
        ended,
        ended & amounts & readable,
    )
    before = np.zeros((len(events) + 1, len(columns)), np.int64)
    np.cumsum(np.stack(columns, axis=1), axis=0, out=before[1:])
    counts: NDArray[np.int64] = np.diff(before[bounds[:, 0]], axis=0)
    return counts


class FlatGames(NamedTuple):
    """The events of some games, with the numbers of characters of their texts and racks, and these, two for each event.

    `bounds` int64[games + 1, 2]: first event and number of players of each game, the end behind.
    """

    events: NDArray[np.int64]
    texts: list[str]
    bounds: NDArray[np.int64]

    def encoded(self, coder: Coder) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """The events, and the texts as tile codes, under one letter distribution."""
        events = self.events.copy()
        return events, coder.encode(self.texts, events)


def _flattened(games: Sequence[Game]) -> FlatGames:
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
    return FlatGames(events, texts, np.array(first, np.int64).reshape(-1, 2))


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
    coder: Coder
    most_words: int
    """Most codes of the words of one placement."""

    def scoring_key(self) -> bytes:
        """Equal for rulesets that give every placement and end line the same score, if their letters are the same."""
        scoring = (
            self.squares,
            self.numbers[: kernels.COUNTS],
            self.numbers[kernels.END_VALUES :],
            self.settings[: kernels.TILES],
        )
        return b"".join(part.tobytes() for part in scoring)


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
    fill(kernels.VALUES + BLANK, [blank] * len(letters.tiles))
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
        Coder(letters),
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
