"""Records that write tiles of several letters with one other character, as older files do: a remark on the spelling."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from fastscore.errors import NotationError, quote
from fastscore.findings import Finding
from fastscore.game import Event, Game

if TYPE_CHECKING:
    from fastscore.rules.letters import LetterDistribution

__all__ = ["alias_finding"]

_WITH_TILES: Final = frozenset({"place", "exchange", "end_points", "end_penalty"})
_NO_TILES: Final = ".()"
"""What stands in a play beside tiles."""


def alias_finding(game: Game, letters: LetterDistribution) -> Finding | None:
    """A note, at the first event that uses one, of all aliases of tiles in a game; None if there are none.

    Only for sets with tiles of several letters: elsewhere aliases are forms of one letter, not other letters.
    """
    if not letters.aliases or all(len(tile) == 1 for tile in letters.tiles):
        return None
    everything = "".join([f"{_tiles(event)} {event.rack or ''} " for event in game.events])
    everything = unicodedata.normalize("NFC", everything)
    aliases = dict(letters.aliases)
    if not any(alias in everything for alias in aliases):
        return None
    first: int | None = None
    found: dict[str, None] = {}
    for turn, event in enumerate(game.events):
        for text in (event.rack or "", _tiles(event)):
            try:
                found |= dict.fromkeys(letters.aliases_in(text, extra=_NO_TILES))
            except NotationError:
                continue  # it is found elsewhere that it cannot be read
        if found and first is None:
            first = turn
    if first is None:
        return None
    detail = ", ".join(f"{quote(alias)} for {letters.decode(aliases[alias])}" for alias in found)
    event = game.events[first]
    return Finding("alias-spelling", event.line, first, event.player, detail=detail)


def _tiles(event: Event) -> str:
    return event.text if event.kind in _WITH_TILES else ""
