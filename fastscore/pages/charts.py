"""The totals of a game's players, turn by turn, as a chart in SVG; its colours are classes of the page around it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from fastscore.markup import element, written
from fastscore.pages.assets import PLAYER_COLOURS

__all__ = ["Series", "totals_chart", "totals_key"]

_WIDTH: Final = 640
_HEIGHT: Final = 240
_LEFT: Final = 44
_RIGHT: Final = 12
_TOP: Final = 12
_BOTTOM: Final = 26
_MOST_LINES = 6
_MOST_NAMES = 12
# One after the other for the players, around a point that stands before each. Their number and that of the colours have
# no common factor, so that many players differ in one or the other.
_MARKERS: Final = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "m-3.5 -3.5h7v7h-7z",
    "m0 -5l5 9h-10z",
    "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
    "m-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z",
)
_MARK: Final = "l5 -9h-10z"


class Series(NamedTuple):
    """Totals of one player: `player` from 0, `totals` after each step from 0 on, None = not known there."""

    player: int
    totals: Sequence[int | None]
    recorded: bool = False


def totals_chart(series: Sequence[Series], marks: Collection[int], description: str) -> str:
    """A chart of totals over steps; recorded totals are dashed, `marks` are steps with something to look at.

    Players differ in colours and in the markers on their lines; `totals_key` says which is whose. The element carries
    the place of step 0 and the width of a step as data, for a script that moves the line `now`.
    """
    steps = max([1, *(len(line.totals) - 1 for line in series)])
    known = [total for line in series for total in line.totals if total is not None]
    lines = _round_numbers(min([0, *known]), max([100, *known]))
    low, high = lines[0], lines[-1]
    step_width = (_WIDTH - _LEFT - _RIGHT) / steps

    def x(step: int) -> float:
        return round(_LEFT + step * step_width, 2)

    def y(total: int) -> float:
        return round(_TOP + (high - total) * (_HEIGHT - _TOP - _BOTTOM) / (high - low), 2)

    parts = [element("title", "Totals"), element("desc", written(description))]
    for total in lines:
        parts.append(element("path", d=f"M{_LEFT} {y(total)}H{_WIDTH - _RIGHT}", class_="grid"))
        parts.append(element("text", str(total), x=_LEFT - 6, y=y(total) + 4, text_anchor="end"))
    between = max(1, -(-steps // _MOST_NAMES))
    for step in range(between, steps + 1, between):
        parts.append(element("text", str(step), x=x(step), y=_HEIGHT - 8, text_anchor="middle"))
    parts.append(element("line", x1=x(steps), y1=_TOP, x2=x(steps), y2=_HEIGHT - _BOTTOM, class_="now"))
    # Recorded totals below, so that they are seen only where they differ.
    for line in sorted(series, key=lambda line: not line.recorded):
        points = " ".join(
            f"{'M' if step == 0 or line.totals[step - 1] is None else 'L'}{x(step)} {y(total)}"
            for step, total in enumerate(line.totals)
            if total is not None
        )
        kind = " recorded" if line.recorded else ""
        parts.append(element("path", d=points or "M0 0", class_=f"line s{_colour(line.player)}{kind}"))
    for line in series:
        if line.recorded:
            continue
        places = "".join(
            f"M{x(step)} {y(total)}{_marker(line.player)}"
            for step, total in enumerate(line.totals)
            if total is not None and (step % between == 0 or step == steps)
        )
        parts.append(element("path", d=places or "M0 0", class_=_marker_class(line.player)))
    for step in sorted(marks):
        parts.append(element("path", d=f"M{x(step)} {_TOP}{_MARK}", class_="mark"))
    return element(
        "svg",
        "".join(parts),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        class_="chart",
        data_left=_LEFT,
        data_step=round(step_width, 4),
    )


def totals_key(names: Sequence[str], series: Sequence[Series], marks: Collection[int]) -> str:
    """A list that says what is what in the chart of these lines and marks, as HTML."""
    samples = [
        (
            element("path", d="M1 8H39", class_=f"line s{_colour(player)}")
            + element("path", d=f"M20 8{_marker(player)}", class_=_marker_class(player)),
            element("bdi", written(name)),
        )
        for player, name in enumerate(names)
    ]
    if any(line.recorded for line in series):
        samples.append((element("path", d="M1 8H39", class_="line recorded"), "as recorded"))
    if marks:
        samples.append((element("path", d=f"M20 12{_MARK}", class_="mark"), "a turn with findings"))
    items = [
        element("li", element("svg", sample, viewBox="0 0 40 16", aria_hidden="true") + meaning)
        for sample, meaning in samples
    ]
    return element("ul", "".join(items), class_="key")


def _colour(player: int) -> int:
    return player % PLAYER_COLOURS + 1


def _marker(player: int) -> str:
    return _MARKERS[player % len(_MARKERS)]


def _marker_class(player: int) -> str:
    return f"marker s{_colour(player)} f{_colour(player)}"


def _round_numbers(low: int, high: int) -> list[int]:
    """Round numbers at equal distances, from one not above `low` to one not below `high`."""
    distance = 10
    for factor in _steps_up():
        if (high - low) / factor <= _MOST_LINES:
            distance = factor
            break
    first, last = low // distance, -(-high // distance)
    return [number * distance for number in range(first, last + 1)]


def _steps_up() -> Sequence[int]:
    return [digit * 10**power for power in range(1, 20) for digit in (1, 2, 5)]
