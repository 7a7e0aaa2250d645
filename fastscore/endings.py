"""When a game is over and why, and which way of counting the last racks its end lines follow.

Plain data in, plain data out: no board, no record. Players are counted from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from fastscore.errors import FastscoreError, ShapeError, quote
from fastscore.rules.ruleset import Ruleset

__all__ = [
    "END_KINDS",
    "MAX_PLAYERS",
    "EndLine",
    "Ending",
    "EndingStyle",
    "GameEnd",
    "RecognisedEnding",
    "ScorelessTurns",
    "check_player",
    "check_players",
    "game_end",
    "recognise_ending",
    "went_out",
]

MAX_PLAYERS = 4
"""Most players of a game."""

END_KINDS = ("end_points", "end_penalty")
"""Kinds of the lines that count the last racks: points of others' tiles, loss of one's own."""


def check_players(players: int) -> None:
    """Raise ShapeError unless a game can have so many players."""
    if not 1 <= players <= MAX_PLAYERS:
        raise ShapeError(f"{players} players: expected 1 to {MAX_PLAYERS}")


def check_player(player: int, players: int) -> None:
    """Raise FastscoreError unless `player` is one of 0 .. `players` - 1."""
    if not 0 <= player < players:
        raise FastscoreError(f"player {quote(player)}: expected 0 to {players - 1}")


class Ending(str, Enum):
    """Why a game is over."""

    NOT_ENDED = "not_ended"
    PLAYED_OUT = "played_out"
    ZERO_TURNS = "zero_turns"
    PASSES = "passes"
    CHALLENGE = "challenge_rule"

    @property
    def counts_racks(self) -> bool:
        """Whether the tiles left on the racks change the scores (not where a challenge decided the game)."""
        return self in (Ending.PLAYED_OUT, Ending.ZERO_TURNS, Ending.PASSES)


class ScorelessTurns(NamedTuple):
    """Scoreless turns and passes in a row so far. Immutable: each turn gives a new one, so no game sees another's.

    A turn that is not scoreless begins both counts anew; any turn but a pass begins the passes anew.
    """

    rules: Ruleset
    zeros: int = 0
    passes: int = 0
    before_placement: tuple[int, int] | None = None
    """Zeros and passes before the placement just made, for the case that it is withdrawn."""

    def passed(self) -> ScorelessTurns:
        """After a pass."""
        return ScorelessTurns(self.rules, self.zeros + 1, self.passes + 1)

    def exchanged(self) -> ScorelessTurns:
        """After an exchange: a scoreless turn if the rules say so."""
        return ScorelessTurns(self.rules, self.zeros + 1 if self.rules.exchange_is_scoreless else 0)

    def placed(self, score: int) -> ScorelessTurns:
        """After a placement worth `score` points: one worth 0 is a scoreless turn only if the rules say so."""
        scoreless = score == 0 and self.rules.zero_score_is_scoreless
        return ScorelessTurns(self.rules, self.zeros + 1 if scoreless else 0, 0, (self.zeros, self.passes))

    def withdrawn(self) -> ScorelessTurns:
        """After the placement just made was challenged off: it was one scoreless turn, and no pass.

        Without a placement to withdraw (a broken record) nothing changes.
        """
        if self.before_placement is None:
            return self
        return ScorelessTurns(self.rules, self.before_placement[0] + 1)

    def turn_lost(self) -> ScorelessTurns:
        """After a challenger lost the turn: a scoreless turn. (Records write it as a pass, and then it is one.)"""
        return ScorelessTurns(self.rules, self.zeros + 1, self.passes)

    @property
    def ending(self) -> Ending:
        """ZERO_TURNS or PASSES when that limit is reached (the first if both are), else NOT_ENDED."""
        zero_turn_limit, pass_limit = self.rules.zero_turn_limit, self.rules.pass_limit
        if zero_turn_limit is not None and self.zeros >= zero_turn_limit:
            return Ending.ZERO_TURNS
        if pass_limit is not None and self.passes >= pass_limit:
            return Ending.PASSES
        return Ending.NOT_ENDED


class GameEnd(NamedTuple):
    """Why a game is over; `out` = the player who played out, `awarded_to` = the player to whom a challenge gave it."""

    ending: Ending
    out: int | None = None
    awarded_to: int | None = None


def went_out(rack_tiles: int | None, bag_tiles: int | None) -> bool:
    """Whether a player whose turn is completed has played out: no tile on the rack and none in the bag.

    None = a number that is not known, and then nobody is said to be out.
    """
    return rack_tiles == 0 and bag_tiles == 0


def game_end(turns: ScorelessTurns, *, out: int | None = None, awarded_to: int | None = None) -> GameEnd:
    """Why the game is over after a completed turn, or that it is not.

    `out`: the player who played out (see `went_out`); `awarded_to`: the player who won it by a challenge that decides
    the game, which goes before everything else. A withdrawn last play leaves neither, and the game goes on.
    """
    if awarded_to is not None:
        return GameEnd(Ending.CHALLENGE, None, awarded_to)
    if out is not None:
        return GameEnd(Ending.PLAYED_OUT, out)
    return GameEnd(turns.ending)


class EndLine(NamedTuple):
    """A line of a record after the last turn, as it is written.

    `kind`: "end_points", "end_penalty", "time_penalty" or "challenge_bonus"; `points`: what is recorded, with its sign;
    `value`: what the bracketed tiles are worth once, None if they cannot be read or there are none; `told`: by how much
    the player's recorded total changes, None where that is not recorded.
    """

    player: int
    kind: str
    points: int
    value: int | None = None
    tiles: str = ""
    told: int | None = None


class EndingStyle(str, Enum):
    """How a record counts the tiles left on the racks."""

    DOUBLE = "double"
    """Twice the other's tiles to the player who went out (two players)."""
    TRANSFER = "transfer"
    """The other's tiles to the player who went out, and from the other (two players)."""
    STANDARD = "standard"
    """From every player their own tiles, and to the one who went out, if any, all others'."""
    SINGLE = "single"
    """The others' tiles once to the player who went out, and no line that takes them from the others."""
    LOSS_ONLY = "loss_only"
    """From the others their own tiles, and no line that gives them to the player who went out."""
    INCOMPLETE = "incomplete"
    """Lines for some of the players who need one."""
    MISSING = "missing"
    """No line at all."""
    OTHER = "other"
    """Amounts or players that fit none of these."""


class RecognisedEnding(NamedTuple):
    """What the end lines of a record are.

    `style`: the way they count; `fits`: every way they fit (tiles worth 0 fit several); `missing`: (player, kind) of
    the lines that the style needs and the record lacks; `detail`: what is wrong, "" if nothing.
    """

    style: EndingStyle
    fits: tuple[EndingStyle, ...] = ()
    missing: tuple[tuple[int, str], ...] = ()
    detail: str = ""


def recognise_ending(
    lines: Sequence[EndLine], players: int, *, out: int | None = None, preferred: str = "double"
) -> RecognisedEnding:
    """The way in which the end lines of a record count the last racks. Nothing is rewritten.

    Where the points of a line contradict the total beside them, and only one of the two fits a way of counting, or only
    one of them a way that needs no other line, that one is believed.

    Parameters
    ----------
    lines
        The lines after the last turn; those of other kinds than END_KINDS do not matter.
    players
        Number of players, 1 to 4.
    out
        The player who played out; None = nobody, or not known: then the player who gets points is taken.
    preferred
        The rules' own way, taken where several fit.

    Raises
    ------
    FastscoreError
        A player who is not one of the game's.
    """
    check_players(players)
    for line in lines:
        check_player(line.player, players)
    gains = [line for line in lines if line.kind == "end_points"]
    losses = [line for line in lines if line.kind == "end_penalty"]
    if not gains and not losses:
        return RecognisedEnding(EndingStyle.MISSING)
    losers = [line.player for line in losses]
    wrong = next((line for line in losses if line.value is None or line.points != -line.value), None)
    if wrong is not None:
        worth = "unknown" if wrong.value is None else str(-wrong.value)
        return _other(f"a player is charged {wrong.points}, the tiles are {worth}")
    if len(set(losers)) < len(losers):
        return _other("a player is charged twice")
    if gains:
        return _recognise_gain(gains, losses, players, out, preferred)
    if out is None:
        lacking = tuple((player, "end_penalty") for player in range(players) if player not in losers)
        style = EndingStyle.INCOMPLETE if lacking else EndingStyle.STANDARD
        return RecognisedEnding(style, (style,), lacking)
    if out in losers:
        return _other("the player who went out is charged")
    return RecognisedEnding(EndingStyle.LOSS_ONLY, (EndingStyle.LOSS_ONLY,), ((out, "end_points"),))


def _other(detail: str) -> RecognisedEnding:
    return RecognisedEnding(EndingStyle.OTHER, detail=detail)


def _gained(gains: Sequence[EndLine], amounts: Sequence[int]) -> int:
    """The points that are given, by the lines or, where these speak for one of the amounts rather, by the totals."""
    points = sum(line.points for line in gains)
    told = [line.told for line in gains if line.told is not None]
    added = sum(told)
    # The greater amount, twice the tiles, needs no line for the other player.
    if len(told) == len(gains) and added in amounts and (points not in amounts or added > points):
        return added
    return points


def _recognise_gain(
    gains: Sequence[EndLine], losses: Sequence[EndLine], players: int, out: int | None, preferred: str
) -> RecognisedEnding:
    """The style of lines of which some give points; those that take points are right in themselves."""
    winner = gains[0].player if out is None else out
    if any(line.player != winner for line in gains):
        return _other("points for a player who did not go out")
    losers = {line.player for line in losses}
    if winner in losers:
        return _other("the player who went out is charged")
    values = [line.value for line in gains]
    value = sum(line_value for line_value in values if line_value is not None)
    amounts = (value, 2 * value) if players == 2 else (value,)
    points = _gained(gains, amounts[:1] if losses else amounts)
    if None in values or points not in amounts:
        worth = "unknown" if None in values else " or ".join(str(amount) for amount in amounts)
        return _other(f"the player who went out gets {points}, the tiles give {worth}")

    both = (EndingStyle.TRANSFER, EndingStyle.STANDARD) if players == 2 else (EndingStyle.STANDARD,)
    opponents = [(player, "end_penalty") for player in range(players) if player != winner]
    lacking = tuple(line for line in opponents if line[0] not in losers)
    fits: list[EndingStyle] = []
    if not losses:
        fits += [EndingStyle.DOUBLE] if players == 2 and points == 2 * value else []
        fits += [EndingStyle.SINGLE] if points == value else []
        # Tiles worth nothing: nobody needs a line of loss.
        fits += both if value == 0 else []
    elif points == value:
        charged = sum(line.value or 0 for line in losses)
        if charged == value:
            fits += both
        elif charged < value and lacking:
            return RecognisedEnding(EndingStyle.INCOMPLETE, (EndingStyle.INCOMPLETE,), lacking)
        else:
            return _other(f"the player who went out gets {value}, the others are charged {-charged}")
    if not fits:
        return _other(f"the player who went out gets {points}, and the others are charged too")
    # A single loser-less gain stands for a transfer that lost its other half, unless the tiles are worth nothing.
    style = next((style for style in fits if style.value == preferred), fits[0])
    return RecognisedEnding(style, tuple(fits), lacking if style is EndingStyle.SINGLE else ())
