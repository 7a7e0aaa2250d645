"""From the scores of the turns to the result of a game, with or without a record of its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fastscore.adjustments import (
    Adjustment,
    EndRack,
    Seconds,
    end_adjustments,
    recompute_line,
    time_penalties,
)
from fastscore.endings import (
    END_KINDS,
    Ending,
    EndingStyle,
    EndLine,
    GameEnd,
    RecognisedEnding,
    check_player,
    check_players,
    recognise_ending,
)
from fastscore.errors import FastscoreError, ShapeError
from fastscore.results import Completeness, Result
from fastscore.rules.ruleset import Ruleset

__all__ = ["RecordedEnd", "doubled_lines", "settle"]


class RecordedEnd(NamedTuple):
    """What a record says at the end: scores before the end lines, final totals, and the lines as they are written."""

    play: tuple[int, ...]
    totals: tuple[int, ...]
    lines: tuple[EndLine, ...] = ()


def settle(
    play: Sequence[int],
    rules: Ruleset,
    end: GameEnd,
    *,
    racks: Sequence[EndRack] = (),
    record: RecordedEnd | None = None,
    times: Mapping[int, Seconds] | None = None,
    forfeits: Sequence[int] = (),
    players: Sequence[str] = (),
) -> Result:
    """The result of a game.

    Parameters
    ----------
    play
        Computed scores of all turns of the 1 to 4 players, challenge bonuses included.
    rules
        How the last racks are counted and what overtime costs.
    end
        Why the game is over (see `game_end`). The racks count after playing out, zero turns and passes only.
    racks
        What each player holds at the end, after the last draw; empty = not known.
    record
        What a record says. Its lines are computed anew from their own tiles, in the way that the record counts where
        that can be recognised, else in that of the rules; lines it lacks are added and marked as missing, and lines
        that count the same rack again (see `doubled_lines`) count nothing.
    times
        Overtime by player, in seconds. A recorded time penalty of a player without one stands as it is.
    forfeits
        Players who forfeit for another reason than time.
    players
        Names; empty = "player 1", ...

    Raises
    ------
    ShapeError
        Numbers of scores, racks or names that do not fit together.
    FastscoreError
        A player who is not one of the game's, or who went out with tiles on the rack.
    """
    count = len(play)
    check_players(count)
    parts: list[tuple[str, Sequence[object]]] = [("racks", racks), ("names", players)]
    if record is not None:
        parts += [("recorded scores", record.play), ("recorded totals", record.totals)]
    for name, part in parts:
        if len(part) != count and (part or name.startswith("recorded")):
            raise ShapeError(f"{len(part)} {name} for {count} players: expected as many")
    recorded_lines = () if record is None else record.lines
    named = [player for player in (end.out, end.awarded_to) if player is not None]
    for player in (*forfeits, *named, *(line.player for line in recorded_lines)):
        check_player(player, count)
    if (end.ending is Ending.PLAYED_OUT) != (end.out is not None):
        raise FastscoreError(
            f"ending {end.ending.value} with player {end.out} out: expected a player for played_out only"
        )

    recognised = None
    doubled = doubled_lines(recorded_lines, count)
    if record is not None and end.ending is not Ending.CHALLENGE:
        once = [line for line, again in zip(recorded_lines, doubled, strict=True) if not again]
        recognised = recognise_ending(once, count, out=end.out, preferred=rules.end_adjustment)
    style = _style(recognised, recorded_lines, rules, count)
    lines = [
        _recompute(line, style, count, end, again=again) for line, again in zip(recorded_lines, doubled, strict=True)
    ]
    asked = _asked(_known_racks(racks or [EndRack(None)] * count, recorded_lines, end.out), end, style)
    written = {(line.player, line.kind) for line in lines}
    added = [line for line in asked if (line.player, line.kind) not in written]
    if record is not None:
        # A line about tiles that are worth nothing is not missed.
        added = [replace(line, missing=True) for line in added if line.computed != 0]
    timed, late = time_penalties((*lines, *added), times or {}, rules, count, recorded=record is not None)
    return Result(
        players=tuple(players) or tuple(f"player {player + 1}" for player in range(count)),
        play_computed=tuple(int(score) for score in play),
        end=end,
        style=style,
        lines=timed,
        play_recorded=None if record is None else tuple(int(score) for score in record.play),
        totals_recorded=None if record is None else tuple(int(total) for total in record.totals),
        recognised=recognised,
        completeness=_completeness(added, end),
        forfeits=tuple(sorted({*forfeits, *late})),
        rules_name=rules.name,
    )


def doubled_lines(lines: Sequence[EndLine], players: int) -> list[bool]:
    """Which end lines count a rack that a line before counts already.

    A player is charged once; points for others' tiles come once with two players, with more perhaps for each opponent.
    """
    seen: set[tuple[int, str]] = set()
    found = []
    for line in lines:
        key = line.player, line.kind
        single = line.kind == "end_penalty" or (line.kind == "end_points" and players == 2)
        found.append(single and key in seen)
        seen.add(key)
    return found


def _style(recognised: RecognisedEnding | None, lines: Sequence[EndLine], rules: Ruleset, players: int) -> str:
    """The way to count the last racks: the record's where it can be recognised, else the rules'."""
    shared = "transfer" if players == 2 else "standard"
    if {line.kind for line in lines} >= set(END_KINDS):
        # Points for one player and taken from another: no other way has both, whatever the numbers are.
        return shared
    if recognised is not None and recognised.fits:
        if recognised.style in (EndingStyle.DOUBLE, EndingStyle.TRANSFER):
            return str(recognised.style.value)
        if recognised.style in (EndingStyle.SINGLE, EndingStyle.LOSS_ONLY):
            # Half of a transfer: no rule leaves the other half out.
            return shared
    if rules.end_adjustment == "double" and players != 2:
        return "standard"
    return rules.end_adjustment


def _recompute(line: EndLine, style: str, players: int, end: GameEnd, *, again: bool) -> Adjustment:
    # A game that a challenge has decided counts no racks, whatever is written.
    decided = end.ending is Ending.CHALLENGE and line.kind in END_KINDS
    computed = 0 if decided or again else recompute_line(line, style, players)
    return Adjustment(line.player, line.kind, computed, line.points, line.tiles, line.value)


def _known_racks(racks: Sequence[EndRack], lines: Sequence[EndLine], out: int | None) -> list[EndRack]:
    """The racks, those that nobody gives taken from the recorded lines that name their tiles."""
    known = list(racks)
    for line in lines:
        owner = line.player if line.kind == "end_penalty" else 1 - line.player if len(racks) == 2 else None
        # A player who is out holds nothing, whatever is written.
        if line.kind in END_KINDS and owner not in (None, out) and known[owner].value is None:
            known[owner] = EndRack(line.value, line.tiles)
    return known


def _asked(racks: Sequence[EndRack], end: GameEnd, style: str) -> tuple[Adjustment, ...]:
    """The end lines that the rules ask for."""
    if not end.ending.counts_racks:
        return ()
    if end.out is not None and racks[end.out].value is None:
        racks = [EndRack(0) if player == end.out else rack for player, rack in enumerate(racks)]
    return end_adjustments(racks, style=style, out=end.out)


def _completeness(added: Sequence[Adjustment], end: GameEnd) -> Completeness:
    """Whether the racks behind the end lines that no record gives are known."""
    if end.ending is Ending.NOT_ENDED or any(line.computed is None for line in added):
        return Completeness.UNKNOWN
    return Completeness.DERIVABLE if any(line.derived for line in added) else Completeness.COMPLETE
