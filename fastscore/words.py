"""The word calculator: what words count by themselves, with premiums and blanks as told, no board and no dictionary.

Source: a published word-score calculator, and the rules of counting a turn: letters with their letter premiums first,
then the word premiums, each word, and the bonus once.

A word is written as in a play, `QUIZ`, a blank in lower case, `QUIz`. Behind a tile stand the premiums of its square: a
digit for a letter premium, a colon and a digit for a word premium. `C2AT` has its C on a double letter, `CAT:3` its T
on a triple word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fastscore.breakdown import arithmetic_text, premium_text, total_lines
from fastscore.errors import NotationError, quote

if TYPE_CHECKING:
    from fastscore.rules.ruleset import Ruleset

__all__ = ["Calculation", "CountedWord", "LetterScore", "word_score"]

DEFAULT_RULES = "classic/english"
_WORD_MARK = ":"
_MARKS = "0123456789" + _WORD_MARK
_PREMIUMS = "23456789"
_BRACKETS_OR_CHARACTER = re.compile(r"\[[^\]]*\]|.", re.DOTALL)
_NAMED = {"": "", "DL": "2", "TL": "3", "QL": "4", "DW": ":2", "TW": ":3", "QW": ":4"}


@dataclass(frozen=True)
class LetterScore:
    """One tile of a word: as text, its code, its value, the premiums of its square, and points = value x letter
    premium.
    """

    text: str
    tile: int
    value: int
    letter_multiplier: int
    word_multiplier: int
    points: int

    def __str__(self) -> str:
        """`10`, or `10 x 3 [triple letter]`."""
        return f"{self.value}{premium_text(self.letter_multiplier, 'letter')}"

    def as_dict(self) -> dict[str, Any]:
        """The tile as JSON-ready data."""
        return {**self.__dict__}


@dataclass(frozen=True)
class CountedWord:
    """One word: `score` = `letter_sum` (points of its tiles) x `word_multiplier` (product of its word premiums) x
    `bingo_multiplier` (of rulesets that multiply the main word for a whole rack, else 1).
    """

    text: str
    letters: tuple[LetterScore, ...]
    letter_sum: int
    word_multiplier: int
    bingo_multiplier: int
    score: int
    tiles_laid: int

    @property
    def arithmetic(self) -> str:
        """`(3 x 2 [double letter] + 1 + 1) x 2 [double word]`."""
        premiums = (premium_text(letter.word_multiplier, "word") for letter in self.letters)
        return arithmetic_text(self.letters, premiums, self.bingo_multiplier, self.tiles_laid)

    def __str__(self) -> str:
        """`CAT: (3 x 2 [double letter] + 1 + 1) x 2 [double word] = 16`."""
        return f"{self.text}: {self.arithmetic} = {self.score}"

    def as_dict(self) -> dict[str, Any]:
        """The word as JSON-ready data."""
        return {
            "word": self.text,
            "score": self.score,
            "letter_sum": self.letter_sum,
            "word_multiplier": self.word_multiplier,
            "bingo_multiplier": self.bingo_multiplier,
            "tiles": [letter.as_dict() for letter in self.letters],
        }


@dataclass(frozen=True)
class Calculation:
    """What words count: `total` = the words' scores + `bonus`. `str()` shows the arithmetic, `int()` is the total."""

    words: tuple[CountedWord, ...]
    bonus: int
    total: int
    tiles_laid: int
    rules_name: str

    def __int__(self) -> int:
        return self.total

    def __str__(self) -> str:
        """A line for each word; a bonus and a total line where there is more to add than one word."""
        scores = (word.score for word in self.words)
        return "\n".join(total_lines(self.words, scores, self.bonus, self.tiles_laid, self.total))

    def as_dict(self) -> dict[str, Any]:
        """The calculation as JSON-ready data."""
        return {
            "rules": self.rules_name,
            "words": [word.as_dict() for word in self.words],
            "bonus": self.bonus,
            "total": self.total,
        }


def word_score(
    *words: str | tuple[str, Sequence[str]], bonus: bool = False, rules: Ruleset | str | None = None
) -> Calculation:
    """Count words by themselves.

    Source of the rules: a published word-score calculator, and WESPA rules 3.5 and Appendix 1 (counting a turn).

    Parameters
    ----------
    words
        Each a text, blanks in lower case, with premiums behind the tiles: `C2AT` has its C on a double letter, `CAT:3`
        its T on a triple word. Or a pair of a text and the premiums of all its tiles: `("CAT", ["DL", "", "TW"])`, DL,
        TL, QL, DW, TW, QW or "". Nobody asks whether there is such a word.
    bonus
        Whether a whole rack was laid: adds the ruleset's bonus, once, or multiplies the first word where the ruleset
        says so.
    rules
        A ruleset or the name of one, for values, bonus and the longest word (the longer side of its board); None =
        classic English.

    Raises
    ------
    NotationError
        No word, one of no tile or too many, a character that is no tile, a premium that cannot be read.
    RulesError
        An unknown ruleset.
    """
    from fastscore.rules.ruleset import load_rules

    known = load_rules(DEFAULT_RULES if rules is None else rules) if rules is None or isinstance(rules, str) else rules
    if not words:
        raise NotationError("no words, expected one or more")
    laid = known.rack_size if bonus else 0
    counted = tuple(
        _count(word, known, known.bingo_multiplier[laid] if number == 0 else 1, laid)
        for number, word in enumerate(words)
    )
    points = known.bingo_bonus[laid]
    total = sum(word.score for word in counted) + points
    return Calculation(counted, points, total, laid, known.name)


class _Tile(NamedTuple):
    code: int
    letter_multiplier: int = 1
    word_multiplier: int = 1


def _count(word: str | tuple[str, Sequence[str]], rules: Ruleset, bingo_multiplier: int, laid: int) -> CountedWord:
    tiles = _read(word, rules) if isinstance(word, str) else _read_pair(word, rules)
    shown = word if isinstance(word, str) else word[0]
    most = max(rules.rows, rules.cols)
    if not 1 <= len(tiles) <= most:
        raise NotationError(
            f"{quote(shown)} has {len(tiles)} tiles, expected 1 to {most} as on the board of {quote(rules.name)}"
        )
    letters = tuple(_score_tile(tile, rules) for tile in tiles)
    letter_sum = sum(letter.points for letter in letters)
    word_multiplier = 1
    for tile in tiles:
        word_multiplier *= tile.word_multiplier
    return CountedWord(
        text=rules.letters.format([tile.code for tile in tiles]),
        letters=letters,
        letter_sum=letter_sum,
        word_multiplier=word_multiplier,
        bingo_multiplier=bingo_multiplier,
        score=letter_sum * word_multiplier * bingo_multiplier,
        tiles_laid=laid,
    )


def _score_tile(tile: _Tile, rules: Ruleset) -> LetterScore:
    code, letter_multiplier, word_multiplier = tile
    value = rules.letters.value(code)
    text = rules.letters.decode(code)
    return LetterScore(text, code, value, letter_multiplier, word_multiplier, value * letter_multiplier)


def _read_pair(word: tuple[str, Sequence[str]], rules: Ruleset) -> list[_Tile]:
    """The tiles of a text and the names of their premiums."""
    text, names = word
    codes = rules.letters.encode(text)
    if len(names) != len(codes):
        raise NotationError(f"{len(names)} premiums for the {len(codes)} tiles of {quote(text)}, expected one for each")
    tiles = []
    for code, name in zip(codes, names, strict=True):
        if name not in _NAMED:
            raise NotationError(f"{quote(name)} is no premium, expected DL, TL, QL, DW, TW, QW or ''")
        marks = _NAMED[name]
        factor = int(marks[-1]) if marks else 1
        tiles.append(_Tile(code, 1, factor) if marks.startswith(_WORD_MARK) else _Tile(code, factor))
    return tiles


def _read(text: str, rules: Ruleset) -> list[_Tile]:
    """The tiles of a text with the premiums that stand behind them."""
    marks = _marks(text)
    tiles: list[_Tile] = []
    before = ""
    # What the last character was: "" the start, T a tile, L a letter premium, : the mark, W a word premium.
    for code in rules.letters.encode(text, extra=_MARKS):
        place, mark = (0, "") if code else next(marks)
        if code and before != _WORD_MARK:
            tiles.append(_Tile(code))
            before = "T"
        elif mark == _WORD_MARK and before in ("T", "L"):
            before = _WORD_MARK
        elif mark and mark in _PREMIUMS and before == "T":
            tiles[-1] = tiles[-1]._replace(letter_multiplier=int(mark))
            before = "L"
        elif mark and mark in _PREMIUMS and before == _WORD_MARK:
            tiles[-1] = tiles[-1]._replace(word_multiplier=int(mark))
            before = "W"
        elif code:
            break
        else:
            raise NotationError(
                f"{quote(mark)} at character {place} of {quote(text)} is no premium, expected behind a tile 2 to 9 for "
                "its letter, and : and 2 to 9 for the word",
                column=place,
            )
    if before == _WORD_MARK:
        raise NotationError(f"no number behind a ':' of {quote(text)}, expected 2 to 9 for a word premium")
    return tiles


def _marks(text: str) -> Iterator[tuple[int, str]]:
    """Each mark of a premium with its place, from 1; what stands in brackets is a tile."""
    for found in _BRACKETS_OR_CHARACTER.finditer(text):
        if found[0] in _MARKS:
            yield found.start() + 1, found[0]
