"""Drawings of statistics: one picture of six panels, by matplotlib."""

from __future__ import annotations

import io
import os
import uuid
import warnings
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fastscore.audit.failures import AuditError
from fastscore.errors import MissingExtraError, quote
from fastscore.sanitise import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fastscore.audit.statistics import Statistics

__all__ = ["FORMATS", "draw_statistics", "gather_bins"]

FORMATS: Final = (".png", ".svg", ".pdf")
"""What a picture's name may end in."""

_COLOUR: Final = "#2f6f9f"
_MOST_PLAYERS: Final = 12
_MOST_BARS: Final = 40
_LONGEST_NAME: Final = 20
_PREMIUMS: Final = {
    "double_letter": "double\nletter",
    "triple_letter": "triple\nletter",
    "quadruple_letter": "quadruple\nletter",
    "double_word": "double\nword",
    "triple_word": "triple\nword",
    "quadruple_word": "quadruple\nword",
}
_TURNS: Final = {
    "turns_across": "across",
    "turns_down": "down",
    "one_tile_turns": "one\ntile",
    "exchanges": "exchange",
    "passes": "pass",
    "phonies_challenged_off": "taken\nback",
}


def draw_statistics(found: Statistics, path: str | os.PathLike[str]) -> None:
    """Write a picture of statistics: scores, points of placements, bingos, turns, premium squares, and players.

    `path` ends in one of FORMATS, and is replaced. The same statistics give the same bytes. Raises AuditError for
    another ending, and MissingExtraError where matplotlib is not installed.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in FORMATS:
        raise AuditError(f"{quote(target.name)}, expected a name that ends in {', '.join(FORMATS)}")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib is not installed, expected the extra: pip install 'fastscore[plot]'")
    import matplotlib
    from matplotlib.figure import Figure

    # A figure of its own: pyplot would look for a screen.
    with matplotlib.rc_context({"svg.hashsalt": "fastscore", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(13, 7.5), layout="constrained")
        panels: Sequence[Axes] = figure.subplots(2, 3).ravel()
        whole = found.collection
        _histogram(panels[0], found.scores, 25, "final scores", "points", "players")
        _histogram(panels[1], found.turn_points, 5, "points of a placement", "points", "placements")
        lengths = {str(each["length"]): each["bingos"] for each in whole["bingos_by_length"]}
        _bars(panels[2], lengths, "bingos by length", "tiles of the word")
        _bars(panels[3], {shown: whole[name] for name, shown in _TURNS.items()}, "turns")
        _bars(panels[4], {shown: whole[name] for name, shown in _PREMIUMS.items()}, "premium squares covered")
        _players(panels[5], found.players.slice(0, _MOST_PLAYERS).to_pylist())
        figure.suptitle(f"all {whole['games']} games")
        created: dict[str, Any] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[ending]
        picture = io.BytesIO()
        with warnings.catch_warnings():
            # A letter that no font has is drawn as a box.
            warnings.filterwarnings("ignore", "Glyph")
            figure.savefig(picture, format=ending[1:], dpi=110, metadata=created)
    _replace(target, picture.getvalue())


def _replace(target: Path, data: bytes) -> None:
    """Write a file, whole or not at all."""
    part = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        part.write_bytes(data)
        os.replace(part, target)
    except OSError as error:
        raise AuditError(f"cannot be written: {(error.strerror or str(error)).lower()}", source=str(target)) from None
    finally:
        part.unlink(missing_ok=True)


def _histogram(panel: Axes, bins: Any, width: int, title: str, what: str, counted: str) -> None:
    counts = dict(zip(bins["low"].to_pylist(), bins["count"].to_pylist(), strict=True))
    wide, gathered, beyond = gather_bins(counts, width)
    panel.bar(list(gathered), list(gathered.values()), 0.9 * wide, align="edge", color=_COLOUR)
    panel.set_xlabel(f"{what} (the outermost bars have all beyond)" if beyond else what)
    panel.set_ylabel(counted)
    _finish(panel, title)


def gather_bins(counts: Mapping[int, int], width: int) -> tuple[int, dict[int, int], bool]:
    """Bins for a histogram that a few values far out do not squeeze.

    `counts`: how many values lie in the `width` from each key on. Returns the width of the new bins, their counts by
    low end, and whether the outermost ones have values from beyond: 1 in 200 at each end may lie there.
    """
    lows = sorted(counts)
    if not lows:
        return width, {}, False
    rare = sum(counts.values()) // 200
    first, last = 0, len(lows) - 1
    below = counts[lows[first]]
    while below <= rare and first < last:
        first += 1
        below += counts[lows[first]]
    above = counts[lows[last]]
    while above <= rare and last > first:
        last -= 1
        above += counts[lows[last]]
    least, most = lows[first], lows[last]
    wide = width * max(1, -((least - most - width) // (width * _MOST_BARS)))
    gathered: dict[int, int] = {}
    for low, count in counts.items():
        at = min(max(low, least), most) // wide * wide
        gathered[at] = gathered.get(at, 0) + count
    return wide, dict(sorted(gathered.items())), first > 0 or last < len(lows) - 1


def _bars(panel: Axes, numbers: Mapping[str, int], title: str, what: str = "") -> None:
    # Of a set of names those without a number say nothing.
    shown = {name: number for name, number in numbers.items() if number}
    drawn = panel.bar(range(len(shown)), list(shown.values()), color=_COLOUR)
    panel.set_xticks(range(len(shown)), list(shown))
    panel.bar_label(drawn)
    panel.margins(y=0.12)
    panel.set_xlabel(what)
    _finish(panel, title)


def _players(panel: Axes, players: Sequence[Mapping[str, Any]]) -> None:
    shown = [player for player in players if player["score_mean"] is not None]
    drawn = panel.barh(range(len(shown)), [player["score_mean"] for player in shown], color=_COLOUR)
    panel.set_yticks(range(len(shown)), [f"{_short(player['name'])} ({player['games']})" for player in shown])
    for label in panel.get_yticklabels():
        # A name is no formula.
        label.set_parse_math(False)
    panel.bar_label(drawn, fmt="%.0f", padding=2)
    panel.invert_yaxis()
    panel.margins(x=0.12)
    panel.set_xlabel("mean score (games)")
    _finish(panel, "players")


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 3]}..."


def _finish(panel: Axes, title: str) -> None:
    panel.set_title(title)
    panel.spines[["top", "right"]].set_visible(False)
    panel.set_axisbelow(True)
