"""What changes the scores after the last turn: the tiles left on the racks, and overtime.

Plain data in, plain data out: no board, no record. Players are counted from 0. Source of the rules: WESPA rules
Appendix 1, 5.1 to 5.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import NamedTuple

from fastscore.endings import EndLine, check_player, check_players
from fastscore.errors import FastscoreError, RulesError, ShapeError, quote
from fastscore.rules.ruleset import END_ADJUSTMENTS, Ruleset

__all__ = [
    "Adjustment",
    "EndRack",
    "Overtime",
    "Seconds",
    "derive_rack",
    "end_adjustments",
    "end_rack",
    "is_time_penalty",
    "overtime",
    "rack_points",
    "recompute_line",
    "time_penalties",
]

Seconds = int | float | Fraction | Decimal
"""A time; fractions of a second are dropped."""

_BLANK_CODE = 0x80


@dataclass(frozen=True)
class EndRack:
    """The tiles a player holds when the game ends: what they are worth (None = not known) and how they are written.

    `derived`: nobody recorded the rack, it is what the distribution leaves.
    """

    value: int | None
    tiles: str = ""
    derived: bool = False


@dataclass(frozen=True)
class Adjustment:
    """One change of a player's score after the last turn, recorded and computed side by side.

    `kind`: "end_points" (tiles of others), "end_penalty" (one's own tiles), "time_penalty" or "challenge_bonus".
    `computed`: what the rules give, None where an end rack is not known. `recorded`: what the record says, None where
    it says nothing or there is none. `value`: what `tiles` are worth once. `missing`: there is a record, and it lacks
    this line. `seconds`: whole seconds of overtime, where they are known.
    """

    player: int
    kind: str
    computed: int | None
    recorded: int | None = None
    tiles: str = ""
    value: int | None = None
    derived: bool = False
    missing: bool = False
    seconds: int | None = None

    @property
    def difference(self) -> int | None:
        """Recorded minus computed points; None where one of them is not known."""
        return None if self.recorded is None or self.computed is None else self.recorded - self.computed

    def as_dict(self) -> dict[str, object]:
        """The line as plain data."""
        return {
            "player": self.player,
            "kind": self.kind,
            "recorded": self.recorded,
            "computed": self.computed,
            "tiles": self.tiles,
            "value": self.value,
            "derived": self.derived,
            "missing": self.missing,
            "seconds": self.seconds,
        }


def rack_points(counts: Sequence[int], values: Sequence[int], blank_value: int | None = None) -> int:
    """What a rack is worth at the end: tile counts and face values by tile code, [0] = blanks.

    `blank_value`: what is charged for a blank; None = its face value, `values[0]`.
    """
    if len(counts) != len(values):
        raise ShapeError(f"a rack of {len(counts)} counts for {len(values)} values: expected one count a tile code")
    blank = values[0] if blank_value is None else blank_value
    return int(counts[0]) * blank + sum(int(counts[code]) * int(values[code]) for code in range(1, len(counts)))


def end_rack(rack: str | Sequence[int] | None, rules: Ruleset, *, derived: bool = False) -> EndRack:
    """The rack of a player at the end, from its text or from counts by tile code; None = not known.

    NotationError for a text that is no rack, ShapeError for counts of another distribution.
    """
    if rack is None:
        return EndRack(None)
    letters = rules.letters
    counts = letters.rack(rack) if isinstance(rack, str) else rack
    value = rack_points(counts, letters.values, rules.end_blank_value)
    if isinstance(rack, str):
        return EndRack(value, rack, derived)
    codes = [code or _BLANK_CODE for code in (*range(1, len(counts)), 0) for _ in range(int(counts[code]))]
    return EndRack(value, letters.format(codes), derived)


def derive_rack(counts: Sequence[int], seen: Sequence[int], rack_size: int) -> tuple[int, ...] | None:
    """The one rack that is not known, as what the distribution leaves; None where it cannot be that.

    `counts`: tiles of the distribution by tile code; `seen`: those on the board and on all other racks, counted alike.
    What is left is a rack only if no tile is overdrawn and no more than `rack_size` tiles are left; with more, some
    of them are in the bag and nobody can tell which.
    """
    if len(counts) != len(seen):
        raise ShapeError(f"{len(seen)} counts of seen tiles for {len(counts)} tile codes: expected as many")
    left = tuple(int(whole) - int(gone) for whole, gone in zip(counts, seen, strict=True))
    return left if min(left, default=0) >= 0 and sum(left) <= rack_size else None


def end_adjustments(racks: Sequence[EndRack], *, style: str, out: int | None = None) -> tuple[Adjustment, ...]:
    """What the tiles left on the racks change.

    Parameters
    ----------
    racks
        What each of the 1 to 4 players holds; of a rack that is not known no change is computed.
    style
        "double": the player who went out gets twice the others' tiles, and nobody loses any; with three or four
        players that rule is not defined, and "standard" is taken. "transfer" and "standard": each of the others loses
        their own tiles, and the player who went out gets all of them. A single player who went out gets nothing.
    out
        The player who went out; None = nobody did, and every player loses their own tiles under every style.

    Raises
    ------
    RulesError
        A style that does not exist.
    FastscoreError
        A player who is not one of the game's, or who went out with tiles on the rack.
    """
    if style not in END_ADJUSTMENTS:
        raise RulesError(f"unknown end adjustment {quote(style)}: expected one of {', '.join(END_ADJUSTMENTS)}")
    check_players(len(racks))
    if out is None:
        return tuple(_loss(player, rack) for player, rack in enumerate(racks) if _holds_tiles(rack))
    check_player(out, len(racks))
    if racks[out].value or racks[out].tiles:
        raise FastscoreError(f"player {out} went out with tiles worth {racks[out].value}: expected none")
    others = [(player, rack) for player, rack in enumerate(racks) if player != out]
    if not others:
        return ()
    doubled = style == "double" and len(racks) == 2
    value = _sum_known([rack.value for _, rack in others])
    gain = Adjustment(
        out,
        "end_points",
        computed=value if value is None or not doubled else 2 * value,
        tiles="".join(rack.tiles for _, rack in others),
        value=value,
        derived=any(rack.derived for _, rack in others),
    )
    losses = () if doubled else tuple(_loss(player, rack) for player, rack in others if _holds_tiles(rack))
    return (gain, *losses)


def _holds_tiles(rack: EndRack) -> bool:
    return rack.value != 0 or bool(rack.tiles)


def _loss(player: int, rack: EndRack) -> Adjustment:
    points = None if rack.value is None else -rack.value
    return Adjustment(player, "end_penalty", points, tiles=rack.tiles, value=rack.value, derived=rack.derived)


def _sum_known(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def recompute_line(line: EndLine, style: str, players: int = 2) -> int:
    """What a recorded line should say by its own tiles, counted in `style`.

    The recorded points where there is nothing to compute from: time, challenges, tiles that cannot be read.
    """
    if line.value is None or line.kind not in ("end_points", "end_penalty"):
        return line.points
    if line.kind == "end_penalty":
        return -line.value
    return 2 * line.value if style == "double" and players == 2 else line.value


class Overtime(NamedTuple):
    """Overtime of one player: whole seconds, points charged (0 or more), and whether the game is forfeited."""

    seconds: int
    points: int
    forfeit: bool


def overtime(seconds: Seconds, rules: Ruleset) -> Overtime:
    """What `seconds` of overtime cost. Fractions of a second are dropped first (WESPA 5.3).

    Each step, begun ones too, costs the rules' amount. At the limit the game is forfeited, and no more is charged than
    up to it: with a minute, 10 points and ten minutes 599 s cost 100 points, 600 s and 1000 s too, and the game.
    FastscoreError for a time below 0 or one that is no number.
    """
    try:
        whole = floor(seconds)
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if whole < 0:
        raise FastscoreError(f"overtime of {quote(seconds)} seconds: expected a number, 0 or more")
    steps = -(-min(whole, rules.overtime_limit) // rules.overtime_step)
    return Overtime(whole, steps * rules.overtime_amount, 0 < whole >= rules.overtime_limit)


def is_time_penalty(points: int, rules: Ruleset) -> bool:
    """Whether the rules have a time penalty of these points, which are below 0."""
    amount = rules.overtime_amount
    return points < 0 < amount and -points % amount == 0 and -points <= overtime(rules.overtime_limit, rules).points


def time_penalties(
    lines: Sequence[Adjustment], times: Mapping[int, Seconds], rules: Ruleset, players: int, *, recorded: bool
) -> tuple[tuple[Adjustment, ...], tuple[int, ...]]:
    """`lines` with the time penalties of the players in `times`, in place of computed ones, and who of them forfeits.

    `times`: whole overtime by player, in seconds; `recorded`: there is a record, and a line that it lacks is missing.
    A recorded penalty of a player in `times` keeps what is recorded and is computed anew.
    """
    charges = {player: overtime(seconds, rules) for player, seconds in times.items()}
    for player in charges:
        check_player(player, players)
    kept: list[Adjustment] = []
    charged: set[int] = set()
    for line in lines:
        charge = charges.get(line.player) if line.kind == "time_penalty" else None
        if charge is None:
            kept.append(line)
        elif line.recorded is not None:
            # A second penalty of one player has nothing to stand on.
            points = 0 if line.player in charged else -charge.points
            charged.add(line.player)
            kept.append(replace(line, computed=points, seconds=charge.seconds))
    for player, charge in sorted(charges.items()):
        if player not in charged and charge.points:
            line = Adjustment(player, "time_penalty", -charge.points, missing=recorded, seconds=charge.seconds)
            kept.append(line)
    return tuple(kept), tuple(sorted(player for player, charge in charges.items() if charge.forfeit))
