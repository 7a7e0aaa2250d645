"""A result as plain text, the way a result slip shows it. Names, tiles and reasons are made harmless for a terminal."""

from __future__ import annotations

from fastscore.adjustments import Adjustment
from fastscore.endings import Ending, EndingStyle
from fastscore.results import Completeness, Result
from fastscore.sanitise import printable

__all__ = ["result_slip"]

_NAME_LIMIT = 60
_LABEL_WIDTH = 34
_NUMBER_WIDTH = 10
_KINDS = {
    "end_points": "tiles of others",
    "end_penalty": "own tiles",
    "time_penalty": "time penalty",
    "challenge_bonus": "challenge",
}
_ENDINGS = {
    Ending.NOT_ENDED: "not ended",
    Ending.PLAYED_OUT: "played out",
    Ending.ZERO_TURNS: "scoreless turns",
    Ending.PASSES: "passes",
    Ending.CHALLENGE: "decided by a challenge, not played out",
}


def result_slip(result: Result, *, box_rule: bool = False) -> str:
    """The result as text, without a final line end: scores and adjustments by player, then what decides the game.

    With a record there are two columns, recorded and computed. `box_rule`: equal totals are decided by the scores
    before any adjustment.
    """
    names = [_short(name) for name in result.players]
    recorded = result.totals_recorded is not None
    lines = ["result slip" + (f", rules {printable(result.rules_name)}" if result.rules_name else "")]
    if recorded:
        lines.append(_row("", "recorded", "computed"))
    for player, name in enumerate(names):
        lines += _player_rows(result, player, name, recorded)
    lines += _verdict(result, names, box_rule)
    return "\n".join(lines)


def _short(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= _NAME_LIMIT else f"{shown[: _NAME_LIMIT - 3]}..."


def _row(label: str, *numbers: str) -> str:
    return (label.ljust(_LABEL_WIDTH) + "".join(number.rjust(_NUMBER_WIDTH) for number in numbers)).rstrip()


def _number(value: int | None, *, signed: bool = False) -> str:
    return "?" if value is None else f"{value:+d}" if signed else str(value)


def _player_rows(result: Result, player: int, name: str, recorded: bool) -> list[str]:
    """The rows of one player: play, adjustments, total."""

    def row(label: str, from_record: str, computed: str) -> str:
        return _row(label, from_record, computed) if recorded else _row(label, computed)

    played = "" if result.play_recorded is None else str(result.play_recorded[player])
    rows = [f"{player + 1}. {name}", row("   play", played, str(result.play_computed[player]))]
    for line in result.lines:
        if line.player == player:
            from_record = "-" if line.recorded is None else _number(line.recorded, signed=True)
            rows.append(row(f"   {_label(line)}", from_record, _number(line.computed, signed=True)))
    total = "" if result.totals_recorded is None else str(result.totals_recorded[player])
    rows.append(row("   total", total, _number(result.totals_settled[player])))
    return rows


def _label(line: Adjustment) -> str:
    label = _KINDS.get(line.kind, line.kind)
    if line.tiles:
        label += f" ({_short(line.tiles)})"
    if line.seconds is not None:
        label += f" ({line.seconds} s over)"
    return label + (", derived" if line.derived else "")


def _verdict(result: Result, names: list[str], box_rule: bool) -> list[str]:
    """The lines below the scores."""
    end = result.end
    by = "" if end.out is None else f" by {names[end.out]}"
    lines = [f"end: {_ENDINGS[end.ending]}{by}"]
    if result.recorded_style is not None and end.ending.counts_racks:
        lines.append(f"end lines: {_style(result)}")
    for line in result.missing:
        lines.append(f"missing: {_label(line)} of {names[line.player]}, {_number(line.computed, signed=True)}")
    if result.completeness is not Completeness.COMPLETE and end.ending is not Ending.NOT_ENDED:
        derived = result.completeness is Completeness.DERIVABLE
        lines.append("end rack: derived from the distribution" if derived else "end rack unknown")
    lines += [f"forfeit: {names[player]}" for player in result.forfeits]
    lines += _outcome(result, names, box_rule)
    for correction in result.corrections:
        before = ", ".join(
            f"{name} {_number(total)}" for name, total in zip(names, correction.original.totals, strict=True)
        )
        lines.append(f"corrected ({correction.kind}): {printable(correction.reason)}; before: {before}")
    signatures = ", ".join(names[player] for player in result.signed_by) or "nobody"
    lines.append(f"signed: {signatures}" + ("; submitted" if result.submitted else "; final" if result.final else ""))
    return lines


def _style(result: Result) -> str:
    style = result.recorded_style
    detail = "" if result.recognised is None else printable(result.recognised.detail)
    if style is None or style is EndingStyle.OTHER:
        return detail
    return str(style.value).replace("_", " ")


def _outcome(result: Result, names: list[str], box_rule: bool) -> list[str]:
    """Who has won, or in which order the players came in."""
    final = result.standing(box_rule=box_rule) if result.decided else None
    if final is None:
        return ["winner: not decided"]
    if final.tie:
        verdict = "tie: " + ", ".join(names[player] for player in final.winners)
    elif final.winner is not None:
        verdict = f"winner: {names[final.winner]}, spread {final.spread:+d}"
    else:
        verdict = "winner: nobody"
    if len(names) <= 2:
        return [verdict]
    places = "; ".join(f"{final.ranks[player]}. {names[player]} {final.totals[player]}" for player in final.ranking)
    return [verdict, f"places: {places}"]
