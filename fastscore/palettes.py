"""The colours of pictures: one palette for light surroundings, one for dark ones, one of CSS variables for pages.

Every ink is readable on the fill that it is written on: a contrast of 4.5 or more, as WCAG 2 asks (a test measures it).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from fastscore.errors import FastscoreError, quote
from fastscore.rules.sources import nearest

__all__ = ["DARK", "LIGHT", "THEMES", "VARIABLES", "Palette", "palette_named", "premium_colours", "variables_of"]


class Palette(NamedTuple):
    """Colours as SVG takes them. `letter2` is the fill of a double letter square, `letter2_ink` the label on it; those
    with a 4 stand for higher multipliers too.
    """

    paper: str
    label: str
    plain: str
    grid: str
    frame: str
    brick: str
    mortar: str
    star: str
    letter2: str
    letter2_ink: str
    letter3: str
    letter3_ink: str
    letter4: str
    letter4_ink: str
    word2: str
    word2_ink: str
    word3: str
    word3_ink: str
    word4: str
    word4_ink: str
    tile: str
    tile_edge: str
    tile_ink: str
    blank: str
    blank_ink: str
    fresh: str
    fresh_edge: str


LIGHT: Final = Palette(
    paper="#ffffff",
    label="#4a4a45",
    plain="#ece8dd",
    grid="#cfc9ba",
    frame="#8c8572",
    brick="#6b5b4e",
    mortar="#a39586",
    star="#a31621",
    letter2="#c3e2f7",
    letter2_ink="#0d3554",
    letter3="#74b7ea",
    letter3_ink="#07233a",
    letter4="#2b67a5",
    letter4_ink="#ffffff",
    word2="#f9d3d1",
    word2_ink="#5f161a",
    word3="#f0908a",
    word3_ink="#420a0c",
    word4="#a8242b",
    word4_ink="#ffffff",
    tile="#f2d8a2",
    tile_edge="#ab8745",
    tile_ink="#2a1f0d",
    blank="#fdf8ea",
    blank_ink="#86195f",
    fresh="#ffe680",
    fresh_edge="#14742f",
)
DARK: Final = Palette(
    paper="#14171a",
    label="#c3cad1",
    plain="#262b31",
    grid="#3b434b",
    frame="#67717c",
    brick="#0b0d0f",
    mortar="#4b4038",
    star="#ffb3ae",
    letter2="#1f4a69",
    letter2_ink="#d5ebfb",
    letter3="#2969a0",
    letter3_ink="#ffffff",
    letter4="#7fbdf0",
    letter4_ink="#061b2d",
    word2="#61303a",
    word2_ink="#ffe0e0",
    word3="#a4373f",
    word3_ink="#ffffff",
    word4="#f79a94",
    word4_ink="#34080b",
    tile="#d8bd86",
    tile_edge="#8f7642",
    tile_ink="#1f170a",
    blank="#f1e9d5",
    blank_ink="#7a1456",
    fresh="#ffd95c",
    fresh_edge="#4cd97b",
)
THEMES: Final = {"light": LIGHT, "dark": DARK}
"""The palettes by the names that users give."""


def _variable(field: str) -> str:
    return f"--{field.replace('_', '-')}"


VARIABLES: Final = Palette(*(f"var({_variable(field)})" for field in Palette._fields))
"""Colours as CSS variables, for a page that says what they are."""


def variables_of(palette: Palette) -> str:
    """CSS declarations that give `VARIABLES` the colours of a palette."""
    return " ".join(f"{_variable(field)}: {colour};" for field, colour in palette._asdict().items())


def palette_named(theme: str) -> Palette:
    """The palette of a theme's name. Raises FastscoreError for an unknown one."""
    if theme not in THEMES:
        raise FastscoreError(f"unknown theme {quote(theme)}, {nearest(theme, THEMES)}")
    return THEMES[theme]


def premium_colours(palette: Palette, kind: str, multiplier: int) -> tuple[str, str]:
    """Fill and ink of a premium square, `kind` letter or word, multiplier from 2 on."""
    level = min(multiplier, 4)
    colours = palette._asdict()
    return colours[f"{kind}{level}"], colours[f"{kind}{level}_ink"]
