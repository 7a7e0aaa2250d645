"""Board: which tiles lie where, under which rules. Parsing, printing, laying a play; no scores, no tables."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastscore.coordinates import MAX_SIDE, column_name, square_name
from fastscore.errors import NotationError, PlacementError, PositionError, RulesError, ShapeError, quote
from fastscore.laying import LETTER_BITS, CompactPlay, Ground, fresh_squares, gather_written
from fastscore.notation.cgp import Position, parse_cgp
from fastscore.notation.plays import parse_play
from fastscore.status import UNSCORABLE, Status, reasons

if TYPE_CHECKING:
    from fastscore.rules.ruleset import Ruleset

__all__ = ["EMPTY", "INVALID_TILE", "Board", "as_boards", "boards_with_rules", "narrow"]

EMPTY = 0
"""Tile code of a square without a tile."""
INVALID_TILE = 127
"""Stands for what does not fit a tile code: no letter distribution has so many letters."""

Tiles = NDArray[np.uint8]
Number = TypeVar("Number", bound=np.integer[Any])


class _Play(Protocol):
    """What of a placement is needed to lay it."""

    @property
    def row(self) -> int: ...
    @property
    def col(self) -> int: ...
    @property
    def direction(self) -> int: ...
    @property
    def tiles(self) -> tuple[int, ...]: ...
    @property
    def status(self) -> Status: ...


class Board:
    """Tiles on a board, immutable; equal to a board of equal rules with equal tiles.

    Parameters
    ----------
    rules
        The ruleset: it says how large the board is, which tiles there are and where bricks lie.
    tiles
        Tile codes, any integer array-like of shape [rows, cols]; None = an empty board. Raises ShapeError for another
        shape or kind, PositionError for a code that is no tile and for a tile on a brick.
    """

    __slots__ = ("_ground", "_rules", "_tiles")

    _rules: Ruleset
    _tiles: Tiles
    _ground: Ground

    def __init__(self, rules: Ruleset, tiles: ArrayLike | None = None) -> None:
        _refuse_name(rules)
        shape = (rules.rows, rules.cols)
        if tiles is None:
            own = np.zeros(shape, np.uint8)
        else:
            own = narrow(tiles, np.uint8, INVALID_TILE, "tiles").copy()
            if own.shape != shape:
                raise ShapeError(f"tiles of shape {own.shape}, expected {shape} as in the rules {quote(rules.name)}")
            _check_tiles(own, rules)
        self._fill(rules, own)

    def _fill(self, rules: Ruleset, tiles: Tiles) -> None:
        tiles.flags.writeable = False
        object.__setattr__(self, "_rules", rules)
        object.__setattr__(self, "_tiles", tiles)
        object.__setattr__(self, "_ground", Ground(tiles.tobytes(), rules.layout.bricks.tobytes(), *tiles.shape))

    @classmethod
    def unchecked(cls, rules: Ruleset, tiles: Tiles) -> Board:
        """A board of uint8[rows, cols] whose codes nobody has to have checked; tiles on bricks are taken away.

        For code that goes through raw arrays, where a bad code spoils the plays beside it and not the whole array.
        """
        board = cls.__new__(cls)
        board._fill(rules, np.where(rules.layout.bricks, np.uint8(EMPTY), tiles))
        return board

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Board does not change, play() gives a new one (tried to set {quote(name)})")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Board.unchecked, (self._rules, self._tiles))

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        return self._rules

    @property
    def tiles(self) -> Tiles:
        """Tile codes, uint8[rows, cols], read-only."""
        return self._tiles

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._ground.rows

    @property
    def cols(self) -> int:
        """Number of columns."""
        return self._ground.cols

    @property
    def ground(self) -> Ground:
        """Tiles and bricks by square number, for code that walks over the squares one by one."""
        return self._ground

    @property
    def is_empty(self) -> bool:
        """Whether no tile lies on the board."""
        return not any(self._ground.tiles)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self._ground == other._ground and (self._rules is other._rules or self._rules == other._rules)

    def __hash__(self) -> int:
        return hash(self._ground)

    def __repr__(self) -> str:
        return f"<Board {self._rules.name} {self.rows}x{self.cols}, {int(np.count_nonzero(self._tiles))} tiles>"

    def __str__(self) -> str:
        """The board as a grid with coordinates; `.` is an empty square, `#` a brick."""
        letters, bricks = self._rules.letters, self._rules.layout.bricks.tolist()
        cells = [
            [letters.decode(tile) if tile else "#" if brick else "." for tile, brick in zip(tiles, walls, strict=True)]
            for tiles, walls in zip(self._tiles.tolist(), bricks, strict=True)
        ]
        names = [column_name(col) for col in range(self.cols)]
        width = max(map(len, itertools.chain(names, *cells)))
        lines = [("", names), *((str(row), line) for row, line in enumerate(cells, start=1))]
        return "\n".join(f"{name:>2} {' '.join(f'{cell:<{width}}' for cell in line)}".rstrip() for name, line in lines)

    @classmethod
    def parse(cls, rows: str | Iterable[str], rules: Ruleset) -> Board:
        """Read a board from its rows, given as strings or as one text of lines.

        A square is `.` or a space where it is empty, an upper-case letter, a lower-case letter (a blank that stands
        for it), `?` (a blank without a letter) or a tile with a long name in brackets, `[CH]`. A letter outside
        brackets is one square, whatever it makes with its neighbour. Where a text has more lines than the board has
        rows, lines without a visible character are left out at its ends.

        Raises PositionError; `line` is the row, `column` the character in it, both from 1.
        """
        _refuse_name(rules)
        lines = _split_lines(rows, rules.rows) if isinstance(rows, str) else list(rows)
        if len(lines) != rules.rows:
            raise PositionError(f"{len(lines)} rows, expected {rules.rows} as in the rules {quote(rules.name)}")
        tiles = [_parse_row(line, rules, number) for number, line in enumerate(lines, start=1)]
        return cls(rules, tiles)

    @classmethod
    def from_cgp(cls, text: str, rules: Ruleset | None = None) -> Board:
        """Read the board of a CGP line.

        With `rules` None they follow from the operations `ld` (letter distribution, else English), `bdn` (layout,
        else the standard one of the board's size) and `bb` (bingo bonus). Raises PositionError, also for a board of
        another size than the rules', and RulesError for an unknown name.
        """
        position = parse_cgp(text)
        if rules is None:
            rules = _rules_of(position)
        _refuse_name(rules)
        if (len(position.rows), position.cols) != (rules.rows, rules.cols):
            raise PositionError(
                f"a board of {len(position.rows)} rows and {position.cols} columns, expected {rules.rows} and "
                f"{rules.cols} as in the rules {quote(rules.name)}"
            )
        try:
            return cls.parse(position.rows, rules)
        except PositionError as error:
            # A row is no line of the text here.
            place = "" if error.line is None else f"row {error.line} of the board: "
            raise PositionError(place + error.detail) from None

    def to_rows(self) -> list[str]:
        """The rows as text, one str each, `.` for an empty square: what `parse` reads."""
        decode = self._rules.letters.decode
        return ["".join(decode(tile) if tile else "." for tile in row) for row in self._tiles.tolist()]

    def transposed(self) -> Board:
        """The board with rows and columns exchanged, under rules whose layout is transposed."""
        layout = self._rules.layout
        turned = dataclasses.replace(
            layout,
            rows=layout.cols,
            cols=layout.rows,
            start=layout.start[::-1],
            letter_multiplier=layout.letter_multiplier.T.copy(),
            word_multiplier=layout.word_multiplier.T.copy(),
            letter_condition=layout.letter_condition.T.copy(),
            bricks=layout.bricks.T.copy(),
        )
        return Board.unchecked(dataclasses.replace(self._rules, layout=turned), self._tiles.T)

    def play(self, placement: _Play | str) -> Board:
        """The board after a play, given as a Placement or as text (`8D WORD`).

        A play that is flagged but can be scored is laid; raises PlacementError for one that cannot, NotationError for
        text that cannot be read.
        """
        return self._lay(placement)[0]

    def to_svg(
        self,
        play: _Play | str | None = None,
        *,
        theme: str = "light",
        coordinates: bool = True,
        width: int | None = None,
        title: str = "",
    ) -> str:
        """A picture of the board as an SVG document, a str in which every text is escaped.

        Parameters
        ----------
        play
            Laid first, and its tiles highlighted; as in `play`, and so are the errors.
        theme
            `light` or `dark`: what surrounds the picture.
        coordinates
            Whether the rows and columns have their names.
        width
            Width in pixels, None = 32 for each column.
        title
            Name of the picture for those who cannot see it, "" = size and ruleset.

        Raises FastscoreError for an unknown theme and for a width below 1; PlacementError.
        """
        from fastscore.pictures import board_svg

        shown, squares = (self, []) if play is None else self._lay(play)
        fresh = [divmod(square, self.cols) for square in squares]
        laid = ", ".join(square_name(*square) for square in fresh)
        return board_svg(
            self._rules,
            shown.tiles.tolist(),
            fresh=fresh,
            theme=theme,
            coordinates=coordinates,
            width=width,
            title=title,
            remark=f"Laid now: {laid}." if laid else "",
        )

    def _repr_svg_(self) -> str:
        """The picture that notebooks show."""
        return self.to_svg()

    def _lay(self, placement: _Play | str) -> tuple[Board, list[int]]:
        """The board after a play, and the numbers of the squares that its tiles went to."""
        play: _Play | CompactPlay
        if isinstance(placement, str):
            play = gather_written(self._ground, parse_play(placement, self._rules.letters))
            shown = quote(placement)
        else:
            play = placement
            shown = f"tiles {quote(list(play.tiles))} from row {play.row}, column {play.col} (counted from 0)"
        squares, status = fresh_squares(self._ground, self._rules, play.row, play.col, play.direction, play.tiles)
        status |= play.status
        if status & UNSCORABLE:
            raise PlacementError(f"{shown} cannot be played: {'; '.join(reasons(status & UNSCORABLE))}", status=status)
        tiles = self._tiles.copy()
        tiles.reshape(-1)[squares] = [tile for tile in play.tiles if tile]
        return Board.unchecked(self._rules, tiles), squares


def _refuse_name(rules: object) -> None:
    if isinstance(rules, str):
        raise RulesError(f"rules {quote(rules)} are a text, expected a Ruleset: fastscore.load_rules({quote(rules)})")


def _check_tiles(tiles: Tiles, rules: Ruleset) -> None:
    """Refuse codes that are no tile, and tiles on bricks."""
    bad = (tiles & LETTER_BITS) > rules.letters.n_letters
    for wrong, what in ((bad, "is not of the letter distribution"), (rules.layout.bricks & (tiles != 0), "on a brick")):
        if wrong.any():
            row, col = (int(index) for index in np.argwhere(wrong)[0])
            raise PositionError(f"tile code {int(tiles[row, col])} at {square_name(row, col)} {what}", line=row + 1)


def _split_lines(text: str, rows: int) -> list[str]:
    lines = text.splitlines()
    for end in (0, -1):
        while len(lines) > rows and not lines[end].strip():
            del lines[end]
    return lines


_SQUARE = re.compile("\\[[^\\]]*\\]|.[\u0300-\u036f]*", re.DOTALL)
# A letter may come with its accents as characters of their own.


def _parse_row(line: str, rules: Ruleset, number: int) -> list[int]:
    codes: list[int] = []
    for square in _SQUARE.finditer(line):
        if square[0] in (".", " "):
            codes.append(EMPTY)
            continue
        try:
            codes += rules.letters.encode(square[0])
        except NotationError as error:
            raise PositionError(error.detail, line=number, column=square.start() + (error.column or 1)) from None
    if len(codes) != rules.cols:
        raise PositionError(f"{len(codes)} squares in {quote(line)}, expected {rules.cols}", line=number)
    return codes


_STANDARD_LAYOUTS = {15: "standard15", 21: "standard21"}


def _rules_of(position: Position) -> Ruleset:
    """The rules that a CGP line names: a bundled ruleset if one fits, else its layout and letters put together."""
    from fastscore.rules.layouts import load_layout
    from fastscore.rules.letters import load_distribution
    from fastscore.rules.ruleset import Ruleset, load_rules, ruleset_names, table_by_tiles

    size = len(position.rows) if len(position.rows) == position.cols else 0
    layout_name = position.layout_name or _STANDARD_LAYOUTS.get(size)
    if layout_name is None:
        raise PositionError(
            f"a board of {len(position.rows)} rows and {position.cols} columns whose layout is not named, expected an "
            "operation like 'bdn standard15;' or rules"
        )
    letters_name = position.distribution_name or ("english_super" if layout_name == "standard21" else "english")
    # The plain variants first: others are played on the same boards.
    names = sorted(ruleset_names(), key=lambda name: not name.startswith(("classic/", "super/")))
    found = (load_rules(name) for name in names if name.endswith(f"/{letters_name}") or "classic/" not in name)
    rules = next((r for r in found if (r.layout.name, r.letters.name) == (layout_name, letters_name)), None)
    if rules is None:
        name = f"{layout_name} with {letters_name}"
        rules = Ruleset(name, load_layout(layout_name), load_distribution(letters_name))
    bonus = position.bingo_bonus
    if bonus is None or bonus == rules.bingo_bonus[rules.rack_size]:
        return rules
    table = table_by_tiles({rules.rack_size: bonus}, 0)
    return dataclasses.replace(rules, name=f"{rules.name}, bingo bonus {bonus}", bingo_bonus=table)


def narrow(values: ArrayLike, dtype: type[Number], invalid: int, name: str) -> NDArray[Number]:
    """Integers as a read-only, C-contiguous, native array of `dtype`: what kernels take.

    An array that is so already is not copied. Bools count as integers. What does not fit `dtype` becomes `invalid`, so
    that 256 does not turn into 0. Raises ShapeError, with `name` in it, for anything but integers.
    """
    if type(values) is not np.ndarray or values.dtype != dtype:
        values = _as_integers(values, dtype, invalid, name)
    flags = values.flags
    if not (flags.c_contiguous and flags.aligned):
        values = np.array(values, dtype, order="C")
    elif not flags.writeable:
        return values
    canonical = values.view()
    canonical.flags.writeable = False
    return canonical


def _as_integers(values: ArrayLike, dtype: type[Number], invalid: int, name: str) -> NDArray[Number]:
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise ShapeError(f"{name} is no array of integers: {error}") from None
    if array.size == 0 and array.dtype.kind in "biufO":
        # An empty list or array has no kind of its own; numpy calls it float.
        return array.astype(dtype)
    if array.dtype.kind not in "biu":
        # Python's integers know no bounds; numpy makes objects or floats of those that it has no type for.
        whole = array if isinstance(values, np.ndarray) else np.asarray(values, object)
        if array.dtype.kind not in "fO" or not all(isinstance(value, (int, np.integer)) for value in whole.flat):
            raise ShapeError(f"{name} of shape {array.shape} holds {array.dtype}, expected integers")
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        fitting = [int(value) if least <= value <= most else invalid for value in whole.flat]
        return np.array(fitting, dtype).reshape(whole.shape)
    narrowed = array.astype(dtype, order="C")
    if not np.can_cast(array.dtype, dtype):
        # Whatever does not fit comes back from the narrow type as another number.
        narrowed[narrowed != array] = invalid
    return narrowed


def as_boards(boards: Board | Sequence[Board] | ArrayLike) -> tuple[Tiles, Ruleset | None]:
    """One board or many as one read-only, C-contiguous array, and the rules that they carry.

    Parameters
    ----------
    boards
        A Board, a list of Boards of one ruleset, or tile codes as integers of any type, [rows, cols] or
        [positions, rows, cols]. Codes outside 0..255 become 127, which no letter distribution has; nothing else is
        checked in arrays.

    Returns
    -------
    uint8[positions, rows, cols] and the ruleset of the Boards, None for arrays.

    Raises
    ------
    ShapeError
        Another number of dimensions, no integers, more than 32 rows or columns, Boards among arrays.
    RulesError
        Boards of different rulesets.
    """
    if isinstance(boards, Board):
        return boards.tiles[np.newaxis], boards.rules
    if isinstance(boards, (list, tuple)) and any(isinstance(board, Board) for board in boards):
        return _stack(boards)
    tiles = narrow(boards, np.uint8, INVALID_TILE, "boards")  # type: ignore[arg-type]
    if tiles.ndim not in (2, 3):
        raise ShapeError(f"boards of shape {tiles.shape}, expected [rows, cols] or [positions, rows, cols]")
    if not (1 <= tiles.shape[-2] <= MAX_SIDE and 1 <= tiles.shape[-1] <= MAX_SIDE):
        raise ShapeError(f"boards of shape {tiles.shape}, expected 1 to {MAX_SIDE} rows and columns")
    return tiles if tiles.ndim == 3 else tiles[np.newaxis], None


def _stack(boards: Sequence[object]) -> tuple[Tiles, Ruleset]:
    found = [board for board in boards if isinstance(board, Board)]
    if len(found) != len(boards):
        raise ShapeError(f"{len(boards) - len(found)} of {len(boards)} boards are no Board, expected all or none")
    rules = found[0].rules
    for index, board in enumerate(found):
        if board.rules is not rules and board.rules != rules:
            raise RulesError(
                f"board {index} has the rules {quote(board.rules.name)} and board 0 others, {quote(rules.name)}; "
                "expected one ruleset for all boards"
            )
    tiles = np.stack([board.tiles for board in found])
    tiles.flags.writeable = False
    return tiles, rules


def boards_with_rules(
    boards: Board | Sequence[Board] | ArrayLike, rules: Ruleset | None
) -> tuple[Tiles, Ruleset | None]:
    """`as_boards`, with rules given beside the boards.

    Raises RulesError where the boards carry other rules than the given ones and for the name of a ruleset, ShapeError
    where their size is not that of the rules.
    """
    _refuse_name(rules)
    tiles, carried = as_boards(boards)
    if rules is None or carried is rules:
        return tiles, carried
    if carried is not None and carried != rules:
        raise RulesError(
            f"boards with the rules {quote(carried.name)}, but other rules, {quote(rules.name)}, were given beside them"
        )
    if tiles.shape[1:] != (rules.rows, rules.cols):
        raise ShapeError(
            f"boards of shape {tiles.shape}, expected {rules.rows} rows and {rules.cols} columns as in the rules "
            f"{quote(rules.name)}"
        )
    return tiles, rules
