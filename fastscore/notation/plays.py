"""Plays as text: `8D .WORD.`, `-ABC`, `exch 3`, `pass`, `--`.

A play text says what somebody wrote; only a board tells which of its letters are fresh, so what is read here stays
plain data: a coordinate and the symbols of the word. `fastscore.placements.Placement.parse` lays them on a board.

The word of a play is made of these symbols:

* a tile: `A` natural, `a` a blank that stands for A, `?` a blank without a letter, `[CH]` one tile with a long name.
  It is fresh on an empty square; on an occupied square it repeats the tile that lies there.
* `.`: a tile that already lies there.
* `(AB)`: tiles that already lie there, with their letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from fastscore.coordinates import Direction, format_coordinate, parse_coordinate
from fastscore.errors import NotationError, quote

if TYPE_CHECKING:
    from fastscore.rules.letters import LetterDistribution

__all__ = [
    "ExchangeText",
    "Mark",
    "PassText",
    "PlayText",
    "Symbol",
    "TurnText",
    "WithdrawalText",
    "WrittenPlay",
    "format_play",
    "format_symbols",
    "parse_play",
    "parse_turn",
    "parse_word",
]


class Mark(IntEnum):
    """How a symbol of a play was written."""

    LETTER = 0
    """A tile: fresh on an empty square, on an occupied one the tile that lies there."""
    THROUGH = 1
    """`.`: a tile that already lies there, whichever it is."""
    THROUGH_LETTER = 2
    """A tile within `( )`: it already lies there."""


class Symbol(NamedTuple):
    """One written square of a play: `tile` is a tile code, 0 for `.`."""

    mark: Mark
    tile: int


class WrittenPlay(NamedTuple):
    """A play as it was written: 0-based square of the first symbol, direction, symbols."""

    row: int
    col: int
    direction: Direction
    symbols: tuple[Symbol, ...]


class PlayText(NamedTuple):
    """A placement in a record, its word still as text; `column` is the 1-based place of the word in the text."""

    row: int
    col: int
    direction: Direction
    word: str
    column: int


class ExchangeText(NamedTuple):
    """An exchange: the tiles as text, or their `number` with no text where only that was written.

    A text of digits only is a number, also with letter distributions that use digits as other spellings of tiles.
    """

    tiles: str
    number: int | None


class PassText(NamedTuple):
    """A pass."""


class WithdrawalText(NamedTuple):
    """A play taken back, `--`."""


TurnText = PlayText | ExchangeText | PassText | WithdrawalText
"""What one turn of a record can be."""

_PLAY = re.compile(r"\s*(\S+)\s+(\S+)\s*")
_EXCHANGE = re.compile(r"(?:-|ex\.|(?:exch|exchange)\.?\s+)\s*(\S+)", re.IGNORECASE)
_PASS = re.compile(r"-|pass\.?", re.IGNORECASE)
# A bracket that is not closed is looked for no further than to the next one that opens: the time stays linear.
_PIECE = re.compile(r"[.()]|(?:\[[^\[\]]*\]|[^.()])+")


def parse_turn(text: str, *, lettered_rows: bool = False) -> TurnText:
    """What `text` says happened: a placement, an exchange, a pass or a withdrawal.

    Exchanges are written `-ABC`, `-3`, `exch ABC` or `ex.ABC`, passes `-` or `pass`, withdrawals `--`. With
    `lettered_rows` the letters of a coordinate name the rows. Raises NotationError.
    """
    bare = text.strip()
    if bare == "--":
        return WithdrawalText()
    if _PASS.fullmatch(bare):
        return PassText()
    if exchange := _EXCHANGE.fullmatch(bare):
        tiles = exchange[1]
        return ExchangeText("", int(tiles)) if re.fullmatch("[0-9]{1,3}", tiles) else ExchangeText(tiles, None)
    play = _PLAY.fullmatch(text)
    if play is None:
        raise NotationError(f"{quote(text)} is no play, expected a coordinate and a word like 8D WORD")
    row, col, direction = parse_coordinate(play[1], lettered_rows=lettered_rows)
    return PlayText(row, col, direction, play[2], play.start(2) + 1)


def parse_play(text: str, letters: LetterDistribution, *, lettered_rows: bool = False) -> WrittenPlay:
    """Read a placement like `8D .WORD.` with the tiles of `letters`; see the module for the symbols.

    The coordinate is not compared with a board. Raises NotationError, also for exchanges, passes and withdrawals.
    """
    turn = parse_turn(text, lettered_rows=lettered_rows)
    if not isinstance(turn, PlayText):
        kind = type(turn).__name__.removesuffix("Text").lower()
        raise NotationError(f"{quote(text)} is a turn of kind {kind}, expected a placement like 8D WORD")
    return WrittenPlay(turn.row, turn.col, turn.direction, parse_word(turn.word, letters, column=turn.column))


def parse_word(word: str, letters: LetterDistribution, *, column: int = 1) -> tuple[Symbol, ...]:
    """The symbols of the word of a play, at least one.

    `column` is where the word begins in its line: errors count from there. Raises NotationError.
    """
    symbols: list[Symbol] = []
    opened: int | None = None
    for piece in _PIECE.finditer(word):
        here = column + piece.start()
        if piece[0] == ".":
            symbols.append(Symbol(Mark.THROUGH, 0))
        elif piece[0] == "(":
            if opened is not None:
                raise NotationError(f"a second '(' in {quote(word)} before the first is closed", column=here)
            opened = here
        elif piece[0] == ")":
            if opened is None:
                raise NotationError(f"a ')' without its '(' in {quote(word)}", column=here)
            opened = None
        else:
            mark = Mark.LETTER if opened is None else Mark.THROUGH_LETTER
            try:
                codes = letters.encode(piece[0])
            except NotationError as error:
                raise NotationError(error.detail, column=here + (error.column or 1) - 1) from None
            symbols.extend(Symbol(mark, code) for code in codes)
    if opened is not None:
        raise NotationError(f"a '(' without its ')' in {quote(word)}", column=opened)
    if not symbols:
        raise NotationError(f"no tile in {quote(word)}, expected a word like WORD, .WORD. or (P)WORD", column=column)
    return tuple(symbols)


def format_play(play: WrittenPlay, letters: LetterDistribution, *, lettered_rows: bool = False) -> str:
    """`8D .WORD.`, the text that `parse_play` reads back."""
    row, col, direction, symbols = play
    if lettered_rows:
        # The letters name the rows, so a row and a column change their places in the text, not on the board.
        coordinate = format_coordinate(col, row, Direction(direction).other)
    else:
        coordinate = format_coordinate(row, col, direction)
    return f"{coordinate} {format_symbols(symbols, letters)}"


def format_symbols(symbols: Iterable[Symbol], letters: LetterDistribution) -> str:
    """The word of a play as text: `.WORD.`, `(P)WORD(Q)`."""
    return "".join(_pieces(symbols, letters))


def _pieces(symbols: Iterable[Symbol], letters: LetterDistribution) -> Iterator[str]:
    run: list[int] = []
    run_mark = Mark.LETTER
    for mark, tile in [*symbols, Symbol(Mark.THROUGH, -1)]:
        if run and mark != run_mark:
            text = letters.format(run)
            yield f"({text})" if run_mark == Mark.THROUGH_LETTER else text
            run = []
        if mark == Mark.THROUGH:
            if tile >= 0:
                yield "."
        else:
            run.append(tile)
            run_mark = mark
