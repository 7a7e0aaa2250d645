"""The moves of a record: which tiles come to lie on which squares, and a name for the sequence of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from fastscore.coordinates import lane_through
from fastscore.errors import NotationError
from fastscore.game import TURN_KINDS, Event
from fastscore.notation.plays import Mark, parse_word
from fastscore.rules.ruleset import Ruleset, for_each_ruleset
from fastscore.status import UNSCORABLE

__all__ = ["Laid", "TileTexts", "fingerprint", "lay_moves", "tile_texts"]

_UNSCORABLE: Final = int(UNSCORABLE)
_MOST: Final = 255


class Laid(NamedTuple):
    """The fresh tiles of a placement: squares (row * columns + column) and tile codes, in the order of the play."""

    squares: list[int]
    tiles: list[int]


class TileTexts(NamedTuple):
    """How tiles are written, for letters that take one character each; otherwise None and empty."""

    codes: Mapping[str, int] | None
    """The code of each character, 0 for a point."""
    shown: Mapping[int, str]
    """Each tile as text."""


@for_each_ruleset
def tile_texts(rules: Ruleset) -> TileTexts:
    """Made once for each ruleset."""
    letters = rules.letters
    if any(len(text) != 1 for text in letters.spellings):
        return TileTexts(None, {})
    return TileTexts({**letters.spellings, ".": 0}, {code: letters.decode(code) for code in letters.spellings.values()})


def lay_moves(
    events: Sequence[Event], statuses: Sequence[int], rules: Ruleset
) -> Iterator[tuple[Laid | None, int | None]]:
    """For each event what it lays, None if it is no placement that has a score; and which earlier event it takes back.

    `statuses`: the flags of fastscore.Status of each event, of which those of placements are asked.
    """
    board = bytearray(rules.rows * rules.cols)
    # The placement that can be taken back: its player, its number and its squares.
    last: tuple[int | None, int, Sequence[int]] | None = None
    for index, (event, status) in enumerate(zip(events, statuses, strict=True)):
        laid = back = None
        if event.kind == "place":
            if event.at is not None and not status & _UNSCORABLE:
                laid = _lay(event.text, *event.at, board, rules)
            last = (event.player, index, () if laid is None else laid.squares)
        elif event.kind == "withdraw" and last is not None and last[0] == event.player:
            for square in last[2]:
                board[square] = 0
            back = last[1]
            last = None
        elif event.kind in TURN_KINDS:
            last = None
        yield laid, back


def _lay(word: str, row: int, col: int, direction: int, board: bytearray, rules: Ruleset) -> Laid:
    """The fresh tiles of a placement that is known to have a score; they lie on the board then."""
    lane, first = lane_through(row, col, direction, rules.rows, rules.cols)
    laid = Laid([], [])
    square = lane.start + lane.stride * first
    for tile in _written(word, rules):
        if tile and not board[square]:
            laid.squares.append(square)
            laid.tiles.append(tile)
        square += lane.stride
    for square, tile in zip(*laid, strict=True):
        board[square] = tile
    return laid


def _written(word: str, rules: Ruleset) -> list[int]:
    """The codes of a word's tiles, 0 for those that are marked as lying there."""
    codes = tile_texts(rules).codes
    if codes is not None:
        try:
            return [codes[character] for character in word]
        except KeyError:
            pass  # brackets, or characters to be composed
    return [tile if mark == Mark.LETTER else 0 for mark, tile in parse_word(word, rules.letters)]


def fingerprint(events: Sequence[Event], laid: Sequence[Laid | None], rules: Ruleset) -> str | None:
    """A name for the sequence of moves, 32 hexadecimal digits: equal for copies of a game, whoever played it.

    A move is a placement, exchange or pass, or one that is taken back: whose turn it is, counted from the player who
    begins; which tiles come to lie on which squares; how many tiles are exchanged. Scores, totals, racks, comments, the
    lines about challenges and the end, and how a play is written do not count. A placement that cannot be laid counts
    as it is written. `laid`: as `lay_moves` has it. None without any move.
    """
    players: dict[int | None, int] = {}
    parts: list[bytes] = []
    shown = tile_texts(rules).shown
    for event, tiles in zip(events, laid, strict=True):
        kind = event.kind
        if kind not in TURN_KINDS and kind != "withdraw":
            continue
        who = players.setdefault(event.player, len(players))
        if tiles is not None:
            squares = b"".join([bytes(divmod(square, rules.cols)) for square in tiles.squares])
            text = "".join([shown[code] for code in tiles.tiles]) if shown else rules.letters.format(tiles.tiles)
            parts.append(b"%dP%c%b%b\0" % (who, len(tiles.tiles), squares, text.encode()))
        elif kind == "place":
            at = None if event.at is None else (*event.at[:2], int(event.at[2]))
            parts.append(f"{who}I{at}{event.text}\0".encode("utf-8", "backslashreplace"))
        elif kind == "pass":
            parts.append(b"%dS" % who)
        elif kind == "withdraw":
            parts.append(b"%dW" % who)
        else:
            parts.append(b"%d" % who + _exchanged(event, rules))
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest() if parts else None


def _exchanged(event: Event, rules: Ruleset) -> bytes:
    """How many tiles: one record has them, another their number only."""
    try:
        tiles = int(event.text) if event.kind == "exchange_count" else len(rules.letters.encode(event.text))
    except (NotationError, ValueError):
        return f"X{event.text}\0".encode("utf-8", "backslashreplace")
    return b"E%c" % min(tiles, _MOST)
