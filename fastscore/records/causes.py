"""Why a score was probably recorded wrong: known mistakes are made on purpose until one gives the recorded number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fastscore.breakdown import Breakdown, TileScore, WordScore
from fastscore.challenges import fits
from fastscore.rules.ruleset import Ruleset

__all__ = ["cause_of_score", "cause_of_total"]

_BLANK = 0x80
_LETTER = 0x7F

Changes = tuple[int | None, int | None, int | None]
"""Another value, letter multiplier and word multiplier of a tile; None = as it is."""


def cause_of_score(recorded: int, right: Breakdown, rules: Ruleset, *, stands: bool = True) -> str:
    """The likely cause of a recorded score that is not `right.total`, one of `findings.CAUSES`; "" = unknown.

    The first mistake that gives the recorded number is taken, the more common ones first. `stands`: a challenge bonus
    may be in it, as the play is not taken back and neither a line nor a total says that there was none.
    """
    if recorded == 0:
        return "not-counted"
    for cause, score in _mistakes(right, rules):
        if score == recorded != right.total:
            return cause
    if stands and recorded > right.total and any(fits(recorded - right.total, max(1, len(right.words)))):
        return "challenge-bonus-included"
    return _of_digits(recorded, right.total)


def cause_of_total(recorded: int, before: int, score: int, computed: int | None, others: Sequence[int]) -> str:
    """The likely cause of a recorded total that is not `before` + `score`, one of `findings.CAUSES`; "" = unknown.

    `computed`: the computed score; `others`: the other players' totals.
    """
    if computed is not None and recorded == before + computed:
        return "right-score-added"
    if recorded == before:
        return "score-not-added"
    if recorded == score:
        return "total-not-carried"
    if recorded in [other + score for other in others]:
        return "other-player"
    return _of_digits(recorded, before + score)


def _of_digits(recorded: int, right: int) -> str:
    if sorted(str(recorded)) == sorted(str(right)):
        return "digits-swapped"
    return "arithmetic" if abs(recorded - right) in (1, 10, 100, 1000) else ""


def _mistakes(right: Breakdown, rules: Ruleset) -> Iterator[tuple[str, int]]:
    """Causes and the scores that they would give."""
    words, bonus, total = right.words, right.bonus, right.total
    main = [word for word in words if word.main]
    crossing = [word for word in words if not word.main]
    if bonus:
        yield "bonus-missing", total - bonus
        yield "bonus-doubled", total + bonus
        for word in main:
            yield "bonus-multiplied", total + bonus * (word.word_multiplier - 1)
    else:
        yield "bonus-unearned", total + rules.bingo_bonus[rules.rack_size]
    blanks = [tile for tile in _tiles(words) if tile.tile & _BLANK and tile.tile & _LETTER]
    faces = rules.letters.values
    for chosen in _each_and_all(blanks):
        yield "blank-at-face-value", _rescored(right, chosen, lambda tile: (faces[tile.tile & _LETTER], None, None))
    for word in crossing:
        yield "cross-word-omitted", total - word.score
    yield "cross-word-omitted", total - sum(word.score for word in crossing)
    for word in crossing:
        yield "cross-word-doubled", total + word.score
    if crossing:
        yield "main-word-omitted", total - sum(word.score for word in main)
    yield from _premium_mistakes(right, rules)
    for word in main:
        yield "main-word-doubled", total + word.score


def _premium_mistakes(right: Breakdown, rules: Ruleset) -> Iterator[tuple[str, int]]:
    words, total, layout = right.words, right.total, rules.layout
    tiles = _tiles(words)
    covered = [tile for tile in tiles if tile.fresh and (tile.letter_multiplier, tile.word_multiplier) != (1, 1)]
    for chosen in _each_and_all(covered):
        yield "premium-missing", _rescored(right, chosen, lambda tile: (None, 1, 1))
    for word in words:
        # In one of the words only, for a square that counts in two.
        plain = sum(tile.value for tile in word.tiles)
        yield "premium-missing", total - word.score + plain * word.word_multiplier * word.bingo_multiplier
        yield "premium-missing", total - word.score + word.letter_sum * word.bingo_multiplier
        yield "premium-missing", total - word.score + plain * word.bingo_multiplier

    def of_square(tile: TileScore) -> Changes:
        square = tile.row, tile.col
        return None, int(layout.letter_multiplier[square]), int(layout.word_multiplier[square])

    for chosen in _each_and_all([tile for tile in tiles if not tile.fresh]):
        yield "premium-again", _rescored(right, chosen, of_square)
    for word in words:
        factors = [tile.word_multiplier for tile in word.tiles if tile.word_multiplier > 1]
        if len(factors) > 1:
            yield "multipliers-added", total - word.score + word.letter_sum * sum(factors) * word.bingo_multiplier


def _tiles(words: Sequence[WordScore]) -> list[TileScore]:
    """Every tile of the words once."""
    return list({(tile.row, tile.col): tile for word in words for tile in word.tiles}.values())


def _each_and_all(tiles: list[TileScore]) -> Iterator[list[TileScore]]:
    yield from ([tile] for tile in tiles)
    if len(tiles) > 1:
        yield tiles


def _rescored(right: Breakdown, chosen: list[TileScore], change: Callable[[TileScore], Changes]) -> int:
    """The total with another value, letter multiplier or word multiplier of the chosen tiles; None = as it was."""
    squares = {(tile.row, tile.col) for tile in chosen}
    total = right.bonus
    for word in right.words:
        letter_sum, factor = 0, word.bingo_multiplier
        for tile in word.tiles:
            changes = change(tile) if (tile.row, tile.col) in squares else (None, None, None)
            value = tile.value if changes[0] is None else changes[0]
            letter_sum += value * (tile.letter_multiplier if changes[1] is None else changes[1])
            factor *= tile.word_multiplier if changes[2] is None else changes[2]
        total += letter_sum * factor
    return total
