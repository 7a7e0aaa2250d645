"""Boards as SVG: squares, premiums with their labels, bricks, the start mark, tiles with their values.

Pictures are made of shapes and text with attributes, without style sheets, scripts or links, so that they look the same
in a notebook, a browser and a drawing program. A square is 40 units wide. `Board.to_svg` is the way in for users; what
is below is for those who put pictures together from parts.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from fastscore.coordinates import column_name, format_coordinate
from fastscore.errors import FastscoreError
from fastscore.markup import element, written
from fastscore.palettes import Palette, palette_named, premium_colours

if TYPE_CHECKING:
    from fastscore.rules.layouts import BoardLayout
    from fastscore.rules.letters import LetterDistribution
    from fastscore.rules.ruleset import Ruleset

__all__ = [
    "PICTURE_START",
    "SQUARE",
    "board_svg",
    "empty_board",
    "picture_size",
    "premium_labels",
    "svg",
    "tile",
    "words_on",
]

SQUARE: Final = 40
"""Width and height of a square in the units of a picture."""

_MARGIN = 26
_EDGE = 5
PICTURE_START: Final = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{_MARGIN} -{_MARGIN} '
"""What a picture with coordinates begins with, so that an earlier one can be told from other people's files."""
_FONT: Final = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif"
_BLANK = 0x80
_LETTER = 0x7F

_LETTER_SIZE = 23.0
_TILE_WIDTH = 29.0
_VALUE_WIDTH = 24.0
# Widths in parts of the size of the font, bold capitals; too wide an estimate only makes a letter smaller.
_NARROW = frozenset("IJ\u0130\u00b7.'|")
_WIDE = frozenset("MW\u0174\u00c6\u0152\u0416\u0428\u0429\u042e\u042b\u0424@%")

_MULTIPLES = {2: "D", 3: "T", 4: "Q"}


class _Label(NamedTuple):
    text: str
    x: float
    y: float
    size: float
    ink: str


def board_svg(
    rules: Ruleset,
    tiles: Sequence[Sequence[int]],
    *,
    fresh: Collection[tuple[int, int]] = (),
    theme: str = "light",
    coordinates: bool = True,
    width: int | None = None,
    title: str = "",
    remark: str = "",
) -> str:
    """A board as an SVG document.

    Parameters
    ----------
    rules
        Size, squares and letters.
    tiles
        Tile codes [rows][cols], 0 = empty.
    fresh
        Squares (row, column, from 0) whose tiles are highlighted.
    theme
        `light` or `dark`.
    coordinates
        Whether rows and columns are named.
    width
        Width in pixels, None = 32 for each column.
    title, remark
        Name of the picture, "" = what it is; and what its description says before it lists the words.

    Raises FastscoreError for an unknown theme and for a width below 1.
    """
    palette = palette_named(theme)
    parts = [empty_board(rules.layout, palette, coordinates=coordinates)]
    parts += [
        tile(rules.letters, code, row, col, palette, fresh=(row, col) in fresh)
        for row, line in enumerate(tiles)
        for col, code in enumerate(line)
        if code
    ]
    name = title or f"Board of {rules.rows} rows and {rules.cols} columns, {rules.name}"
    words = ", ".join(words_on(rules.letters, tiles)) or "no tile"
    description = " ".join(part for part in (remark, f"On the board: {words}.") if part)
    units = picture_size(rules.layout, coordinates=coordinates)
    if width is None:
        width = round(units[0] * 32 / SQUARE)
    return svg(units, "".join(parts), palette, width=width, title=name, description=description, left=coordinates)


def picture_size(layout: BoardLayout, *, coordinates: bool = True) -> tuple[int, int]:
    """Width and height of a board's picture in units."""
    first = _MARGIN if coordinates else _EDGE
    return first + layout.cols * SQUARE + _EDGE, first + layout.rows * SQUARE + _EDGE


def svg(
    units: tuple[int, int],
    content: str,
    palette: Palette,
    *,
    width: int | None,
    title: str,
    description: str = "",
    described_by: str | None = None,
    left: bool = True,
    class_: str | None = None,
) -> str:
    """An SVG document or element of `units` width and height around `content`, which begins at the board's corner.

    `left`: whether there is room for coordinates left of and above the corner. `width` in pixels, None = as its
    surroundings say. The title and description name the picture for those who cannot see it; `described_by`: identity
    of an element of a page that describes it.

    Raises FastscoreError for a width below 1.
    """
    if width is not None and width < 1:
        raise FastscoreError(f"a picture {width} pixels wide, expected 1 or more")
    # The same picture has the same identity wherever it is shown, others beside it another.
    identity = blake2b(f"{title}\0{description}\0{content}".encode("utf-8", "replace"), digest_size=6).hexdigest()
    names = [f"t{identity}", f"d{identity}"] if description else [f"t{identity}"]
    head = element("title", written(title), id=names[0])
    if description:
        head += element("desc", written(description), id=names[1])
    first = -(_MARGIN if left else _EDGE)
    corner = {"x": first, "y": first, "width": units[0], "height": units[1]}
    paper = element("rect", **corner, fill=palette.paper)
    return element(
        "svg",
        head + paper + content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(str, corner.values())),
        width=width,
        height=None if width is None else max(1, round(width * units[1] / units[0])),
        role="img",
        aria_labelledby=" ".join(names),
        aria_describedby=described_by,
        font_family=_FONT,
        text_anchor="middle",
        class_=class_,
    )


def empty_board(layout: BoardLayout, palette: Palette, *, coordinates: bool = True) -> str:
    """The squares of a board without tiles, as parts of a picture whose corner is the board's."""
    wide, high = layout.cols * SQUARE, layout.rows * SQUARE
    parts = [element("rect", x=0, y=0, width=wide, height=high, fill=palette.plain)]
    bricks: list[str] = []
    for row in range(layout.rows):
        for col in range(layout.cols):
            if layout.bricks[row, col]:
                bricks.append(_brick(row, col, palette))
            else:
                parts.append(_premium(layout, row, col, palette))
    columns = "".join(f"M{col * SQUARE} 0V{high}" for col in range(1, layout.cols))
    rows = "".join(f"M0 {row * SQUARE}H{wide}" for row in range(1, layout.rows))
    if columns or rows:
        parts.append(element("path", d=columns + rows, fill="none", stroke=palette.grid))
    parts += bricks
    parts.append(_star(layout, palette))
    parts.append(
        element(
            "rect", x=-1, y=-1, width=wide + 2, height=high + 2, rx=2, fill="none", stroke=palette.frame, stroke_width=2
        )
    )
    if coordinates:
        parts.append(_coordinates(layout, palette))
    return "".join(parts)


def premium_labels(layout: BoardLayout, row: int, col: int) -> list[str]:
    """What a square says of itself: `DL`, `TW`, `5L`, both where it has both, `TL` and `if 3` where it has a condition;
    [] for a plain one.
    """
    labels = []
    for kind, multipliers in (("L", layout.letter_multiplier), ("W", layout.word_multiplier)):
        multiplier = int(multipliers[row, col])
        if multiplier > 1:
            labels.append(f"{_MULTIPLES.get(multiplier, multiplier)}{kind}")
            if kind == "L" and layout.letter_condition[row, col]:
                labels.append(f"if {layout.letter_condition[row, col]}")
    return labels


def tile(
    letters: LetterDistribution,
    code: int,
    row: int,
    col: int,
    palette: Palette,
    *,
    fresh: bool = False,
    **attributes: object,
) -> str:
    """One tile on its square: name and value; a blank has another colour and a dashed line around its name.

    A code that is no tile of the letters is shown as its number. `attributes`: more of the group.
    """
    left, top = col * SQUARE, row * SQUARE
    blank = bool(code & _BLANK)
    known = 0 < code <= 0xFF and code & _LETTER <= letters.n_letters
    name = letters.tiles[code & _LETTER] if known else str(code)
    value = str(letters.value(code)) if known else "!"
    ink = palette.blank_ink if blank else palette.tile_ink
    fill = palette.blank if blank else palette.fresh if fresh else palette.tile
    edge, thickness = (palette.fresh_edge, 3.5) if fresh else (palette.tile_edge, 1)
    side = SQUARE - 3 - thickness
    inset = (SQUARE - side) / 2
    parts = [
        element(
            "rect",
            x=_short(left + inset),
            y=_short(top + inset),
            width=_short(side),
            height=_short(side),
            rx=5,
            fill=fill,
            stroke=edge,
            stroke_width=thickness,
        )
    ]
    if blank:
        around = {"x": left + 6, "y": top + 6, "width": SQUARE - 12, "height": SQUARE - 12}
        dashes = {"fill": "none", "stroke": ink, "stroke_width": 1, "stroke_dasharray": "2.5 2"}
        parts.append(element("rect", **around, rx=4, **dashes))
    # Long names stand higher, so that the value has its corner.
    long = len(name) > 1 or len(value) > 2
    wide = len(value) == 2 and not long
    size = min(17 if long else 21 if wide else _LETTER_SIZE, (_TILE_WIDTH - 5 * blank) / _width(name))
    middle = top + SQUARE * (0.41 if long else 0.48)
    parts.append(_text(name, left + SQUARE * (0.5 if long else 0.43 if wide else 0.48), middle, size, ink, bold=True))
    value_size = min(9.5 - 0.75 * wide, _VALUE_WIDTH / (0.62 * len(value)))
    parts.append(_text(value, left + SQUARE - (5.5 if wide else 7), top + SQUARE - 9.5, value_size, ink, anchor="end"))
    return element("g", "".join(parts), **attributes)


def words_on(letters: LetterDistribution, tiles: Sequence[Sequence[int]]) -> list[str]:
    """Every tile of a board, as the rows' unbroken runs with their coordinates: `8D PLAY`."""
    found = []
    for row, line in enumerate(tiles):
        run: list[int] = []
        for col, code in enumerate([*line, 0]):
            if code:
                run.append(code)
            elif run:
                text = letters.format(run) if all(_is_tile(letters, each) for each in run) else str(run)
                found.append(f"{format_coordinate(row, col - len(run), 0)} {text}")
                run = []
    return found


def _is_tile(letters: LetterDistribution, code: int) -> bool:
    return code != 0 and code & _LETTER <= letters.n_letters


def _premium(layout: BoardLayout, row: int, col: int, palette: Palette) -> str:
    """Colours and labels of one square; "" for a plain one."""
    letter, word = int(layout.letter_multiplier[row, col]), int(layout.word_multiplier[row, col])
    if letter == word == 1:
        return ""
    left, top = col * SQUARE, row * SQUARE
    fill, ink = premium_colours(palette, "letter", letter) if letter > 1 else premium_colours(palette, "word", word)
    parts = [element("rect", x=left, y=top, width=SQUARE, height=SQUARE, fill=fill)]
    texts = premium_labels(layout, row, col)
    if letter > 1 and word > 1:
        # The letter's half above the diagonal, the word's below.
        half, word_ink = premium_colours(palette, "word", word)
        points = f"{left},{top + SQUARE} {left + SQUARE},{top} {left + SQUARE},{top + SQUARE}"
        parts.append(element("polygon", points=points, fill=half))
        above = _in_one(texts[:-1])
        labels = [_Label(above, left + 15, top + 10, 10, ink), _Label(texts[-1], left + 28, top + 30, 10, word_ink)]
    elif (row, col) == layout.start:
        # Below the star.
        labels = [_Label(_in_one(texts), left + SQUARE / 2, top + SQUARE / 2 + 11, 10, ink)]
    elif len(texts) == 2:
        labels = [_Label(text, left + SQUARE / 2, top + 13 + 14 * line, 11, ink) for line, text in enumerate(texts)]
    else:
        labels = [_Label(texts[0], left + SQUARE / 2, top + SQUARE / 2, 12.5, ink)]
    for text, x, y, size, colour in labels:
        # Half of a square is narrow.
        parts.append(_text(text, x, y, min(size, (26 if letter > 1 < word else 36) / _width(text)), colour, bold=True))
    return "".join(parts)


def _in_one(labels: Sequence[str]) -> str:
    """The label of a letter square and its condition, if any, in one: `TL=3`."""
    return "".join(labels).replace("if ", "=")


def _star(layout: BoardLayout, palette: Palette) -> str:
    """A five-pointed star on the start square, where no label is."""
    row, col = layout.start
    letter, word = int(layout.letter_multiplier[row, col]), int(layout.word_multiplier[row, col])
    x, y, outer, fill = (col + 0.5) * SQUARE, (row + 0.5) * SQUARE + 0.5, 14.0, palette.star
    if letter > 1 and word > 1:
        # In the letter's half, below its label.
        x, y, outer = col * SQUARE + 9.0, row * SQUARE + 21.0, 6.5
    elif letter > 1 or word > 1:
        y, outer = (row + 0.5) * SQUARE - 6, 10.0
    if max(letter, word if letter == 1 else 1) > 3:
        # Its own colour is hardly seen on these.
        fill = premium_colours(palette, *(("letter", letter) if letter > 1 else ("word", word)))[1]
    points = []
    for corner in range(10):
        reach = outer if corner % 2 == 0 else outer * 0.4
        angle = math.pi * corner / 5
        points.append(f"{_short(x + reach * math.sin(angle))},{_short(y - reach * math.cos(angle))}")
    return element("polygon", points=" ".join(points), fill=fill)


def _brick(row: int, col: int, palette: Palette) -> str:
    """A wall of three courses."""
    left, top = col * SQUARE, row * SQUARE
    courses = f"M{left} {top + 13}h40m-40 14h40M{left + 20} {top}v13m-10 0v14m20 -14v14m-10 0v13"
    wall = element("rect", x=left, y=top, width=SQUARE, height=SQUARE, fill=palette.brick)
    return wall + element("path", d=courses, fill="none", stroke=palette.mortar, stroke_width=1.5)


def _coordinates(layout: BoardLayout, palette: Palette) -> str:
    """Names of the columns above the board, numbers of the rows left of it."""
    middle = -_MARGIN / 2 - 1
    names = [_text(column_name(col), (col + 0.5) * SQUARE, middle, 14, palette.label) for col in range(layout.cols)]
    names += [_text(str(row + 1), middle, (row + 0.5) * SQUARE, 14, palette.label) for row in range(layout.rows)]
    return element("g", "".join(names), aria_hidden="true")


def _text(
    text: str, x: float, y: float, size: float, ink: str, *, bold: bool = False, anchor: str | None = None
) -> str:
    """A text whose capitals have their middle at y. Not every program knows `dominant-baseline`."""
    return element(
        "text",
        written(text),
        x=_short(x),
        y=_short(y + 0.36 * size),
        font_size=_short(size),
        fill=ink,
        font_weight="bold" if bold else None,
        text_anchor=anchor,
    )


def _width(text: str) -> float:
    """Width of a text in parts of the size of its font, rather too much than too little."""
    width = 0.0
    for character in text:
        if unicodedata.combining(character):
            continue
        if unicodedata.east_asian_width(character) in "WF":
            width += 1.05
        else:
            width += 0.42 if character in _NARROW else 1.05 if character in _WIDE else 0.78
    return max(width, 0.4)


def _short(number: float) -> str:
    """A number with at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
