"""The parts of a score: every word of a play, every tile of a word, every premium that counted.

Plain data without arithmetic of its own: whoever scores (the reference) fills it in. `str()` of a `Breakdown` is the
text that settles an argument, `as_dict()` the same as JSON-ready data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fastscore.coordinates import format_coordinate, square_name
from fastscore.status import REASONS, Status, reasons

__all__ = ["Breakdown", "TileScore", "WordScore", "arithmetic_text", "premium_text", "total_lines"]

_TIMES = {2: "double", 3: "triple", 4: "quadruple"}


def premium_text(multiplier: int, kind: str, square: str = "") -> str:
    """` x 2 [H8 double word]`, ` x 5 [x5 letter]` where the square is not known; "" where nothing is multiplied."""
    if multiplier == 1:
        return ""
    return f" x {multiplier} [{f'{square} ' if square else ''}{_TIMES.get(multiplier, f'x{multiplier}')} {kind}]"


def arithmetic_text(letters: Iterable[object], premiums: Iterable[str], bingo_multiplier: int, tiles_laid: int) -> str:
    """`(10 + 1 + 1 + 10) x 2 [H8 double word]`, from the texts of its letters and of its word premiums."""
    factors = "".join(premiums)
    if bingo_multiplier != 1:
        factors += f" x {bingo_multiplier} [{tiles_laid} tiles laid]"
    added = " + ".join(map(str, letters))
    return f"({added}){factors}" if factors else added


def total_lines(words: Sequence[object], scores: Iterable[int], bonus: int, tiles_laid: int, total: int) -> list[str]:
    """A line for each word; a bonus and a total line where there is more to add than one word."""
    lines, parts = list(map(str, words)), list(scores)
    if bonus:
        lines.append(f"bonus for {tiles_laid} tiles: {bonus}")
        parts.append(bonus)
    if len(lines) != 1:
        addition = f"{' + '.join(map(str, parts))} = " if len(parts) > 1 else ""
        lines.append(f"total: {addition}{total}")
    return lines


@dataclass(frozen=True)
class TileScore:
    """One tile as it counts in one word.

    `row` and `col` are 0-based, `tile` is the tile code, `text` the tile as it is written (`A`, `a` for a blank, `?`
    for a blank without a letter, `[CH]`). `value` is the face value, `points` = value x letter_multiplier.
    `letter_multiplier` and `word_multiplier` are those of the square where they count: 1 under a tile that lay there
    before, and 1 for a letter premium whose condition the tile does not meet.
    """

    row: int
    col: int
    tile: int
    text: str
    value: int
    fresh: bool
    letter_multiplier: int
    points: int
    word_multiplier: int = 1

    def __str__(self) -> str:
        """`10`, or `10 x 3 [K8 triple letter]`."""
        return f"{self.value}{premium_text(self.letter_multiplier, 'letter', square_name(self.row, self.col))}"

    def as_dict(self) -> dict[str, Any]:
        """The tile as JSON-ready data; `square` is its name, column first (`H8`)."""
        return {
            "square": square_name(self.row, self.col),
            "row": self.row,
            "col": self.col,
            "tile": self.tile,
            "text": self.text,
            "fresh": self.fresh,
            "value": self.value,
            "letter_multiplier": self.letter_multiplier,
            "word_multiplier": self.word_multiplier,
            "points": self.points,
        }


@dataclass(frozen=True)
class WordScore:
    """One word that a play forms.

    `row`, `col`: its first square, 0-based. `letter_sum` = points of its tiles, `word_multiplier` = product of the
    word premiums under its fresh tiles, `bingo_multiplier` = factor of the ruleset for the number of tiles laid (main
    word only, else 1). `score` = letter_sum x word_multiplier x bingo_multiplier. `main`: it lies in the direction of
    the play.
    """

    text: str
    row: int
    col: int
    direction: int
    tiles: tuple[TileScore, ...]
    letter_sum: int
    word_multiplier: int
    bingo_multiplier: int
    score: int
    main: bool

    @property
    def position(self) -> str:
        """Coordinate of the word's first square: `8H` for an across word, `H8` for a down word."""
        return format_coordinate(self.row, self.col, self.direction)

    def __str__(self) -> str:
        """`8H QUIZ: (10 + 1 + 1 + 10) x 2 [H8 double word] = 44`."""
        premiums = (premium_text(tile.word_multiplier, "word", square_name(tile.row, tile.col)) for tile in self.tiles)
        laid = sum(tile.fresh for tile in self.tiles)
        arithmetic = arithmetic_text(self.tiles, premiums, self.bingo_multiplier, laid)
        return f"{self.position} {self.text}: {arithmetic} = {self.score}"

    def as_dict(self) -> dict[str, Any]:
        """The word as JSON-ready data."""
        return {
            "word": self.text,
            "position": self.position,
            "score": self.score,
            "main": self.main,
            "letter_sum": self.letter_sum,
            "word_multiplier": self.word_multiplier,
            "bingo_multiplier": self.bingo_multiplier,
            "tiles": [tile.as_dict() for tile in self.tiles],
        }


@dataclass(frozen=True)
class Breakdown:
    """A play and all that it scores.

    `placement_text`: the play as written. `words`: every word formed, the main word first, then the cross words in
    the order of the tiles that form them; a one-tile play that forms no word in its own direction has a cross word
    only. `bonus`: the bingo bonus. `total` = the words' scores + bonus. `status`: what is wrong with a play that
    still scores. `rules_name`: the ruleset.
    """

    placement_text: str
    words: tuple[WordScore, ...]
    bonus: int
    total: int
    status: Status
    rules_name: str

    @property
    def tiles_laid(self) -> int:
        """How many fresh tiles stand in the words."""
        return len({(tile.row, tile.col) for word in self.words for tile in word.tiles if tile.fresh})

    def __str__(self) -> str:
        """A line for each word; a bonus and a total line where there is more to add than one word; then the flags."""
        scores = (word.score for word in self.words)
        lines = total_lines(self.words, scores, self.bonus, self.tiles_laid, self.total)
        return "\n".join([*lines, *(f"flagged: {reason}" for reason in reasons(self.status))])

    def as_dict(self) -> dict[str, Any]:
        """The breakdown as JSON-ready data: dicts, lists, strings, ints and bools; `reasons` are the names of flags."""
        return {
            "play": self.placement_text,
            "rules": self.rules_name,
            "score": self.total,
            "bonus": self.bonus,
            "status": int(self.status),
            "reasons": [flag.name for flag in REASONS if flag & self.status],
            "words": [word.as_dict() for word in self.words],
        }
