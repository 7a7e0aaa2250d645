"""Replays as HTML pages: `game_page` gives the page of a game. What is on it: fastscore.pages.markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from fastscore.breakdown import Breakdown
from fastscore.coordinates import format_coordinate
from fastscore.errors import NotationError
from fastscore.findings import CAUSES, Finding, meaning_of
from fastscore.pages.data import PageFinding, PageGame, PageTurn
from fastscore.pages.markup import page
from fastscore.placements import Placement
from fastscore.reference import judge
from fastscore.result_slip import result_slip
from fastscore.status import reasons

if TYPE_CHECKING:
    from fastscore.board import Board
    from fastscore.game import Event, Game
    from fastscore.replays import Replay

__all__ = ["game_page", "page_of"]

_FACTS: Final = ("description", "id", "lexicon", "game-type", "board-layout", "tile-distribution")
"""Pragmas that a page shows beside its title, in this order."""


def game_page(replay: Replay) -> str:
    """A replay as an HTML document in one str: the board after each turn, sums, totals, findings, notes.

    It needs no other file and no network, runs no script but its own, and every text of the record in it is escaped.
    """
    return page(page_of(replay))


def page_of(replay: Replay) -> PageGame:
    """What the page of a replay shows."""
    game = replay.game
    findings = tuple(map(_finding, replay.findings))
    players = tuple(player.label or f"player {number}" for number, player in enumerate(game.players, 1))
    return PageGame(
        title=game.title or " \u2013 ".join(players) or "Game",
        players=players,
        board=replay.positions[0],
        turns=_turns(replay, findings),
        findings=findings,
        spelling=tuple(map(str, game.problems)),
        notes=game.notes,
        facts=_facts(game, replay.rules.name),
        result=result_slip(replay.result) if players else "",
        totals=replay.result.totals_settled if players else (),
    )


def _facts(game: Game, rules: str) -> tuple[tuple[str, str], ...]:
    known = [(keyword.replace("-", " ").capitalize(), game.pragma(keyword)) for keyword in _FACTS]
    return (("Rules", rules), *((name, text) for name, text in known if text))


def _turns(replay: Replay, findings: Sequence[PageFinding]) -> tuple[PageTurn, ...]:
    by_step: dict[int | None, list[PageFinding]] = {}
    for finding in findings:
        by_step.setdefault(finding.step, []).append(finding)
    made = []
    for step, (turn, event) in enumerate(zip(replay.turns, replay.game.events, strict=True), 1):
        before, after = replay.positions[step - 1 : step + 1]
        words, remark = _words(event, before)
        made.append(
            PageTurn(
                what=_what(event),
                move=turn.text,
                player=turn.player,
                board=after,
                rack=turn.rack,
                recorded=turn.recorded,
                computed=turn.computed,
                total_recorded=turn.total_recorded,
                total_computed=turn.total_computed,
                words=words,
                remark=remark,
                findings=tuple(by_step.get(step, ())),
                notes=event.notes,
                line=turn.line,
            )
        )
    return tuple(made)


def _finding(finding: Finding) -> PageFinding:
    numbers = ""
    if finding.difference is not None:
        numbers = f"recorded {finding.recorded}, computed {finding.computed} ({finding.difference:+})"
    meaning = meaning_of(finding.code)
    # Some details begin with the meaning.
    said = finding.detail if finding.detail.startswith(meaning) else f"{meaning}; {finding.detail}".removesuffix("; ")
    parts = [said, numbers, CAUSES.get(finding.cause, "")]
    step = None if finding.turn is None else finding.turn + 1
    return PageFinding("; ".join(filter(None, parts)), finding.code, finding.line, step, finding.consequence)


def _words(event: Event, board: Board) -> tuple[Breakdown | None, str]:
    """The words of a placement and their sums, or why there are none; nothing for other events."""
    if event.kind != "place" or event.at is None:
        return None, ""
    written = f"{format_coordinate(*event.at)} {event.text}"
    try:
        placement = Placement.parse(written, board)
    except NotationError as error:
        return None, f"Not readable: {error}"
    status, words, bonus, total = judge(board, placement)
    if not words:
        return None, f"No score: {'; '.join(reasons(status))}"
    return Breakdown(written, words, bonus, total, status, board.rules.name), ""


def _what(event: Event) -> str:
    """What happened, as the rest of a sentence that begins with the player."""
    if event.kind == "place":
        return f"plays {event.move}"
    if event.kind == "exchange":
        return f"exchanges {event.text}"
    if event.kind == "exchange_count":
        return f"exchanges {event.text} {'tile' if event.text == '1' else 'tiles'}"
    if event.kind == "end_points":
        return f"gains the others' tiles: {event.text}"
    if event.kind == "end_penalty":
        return f"loses the own tiles: {event.text}"
    return _FIXED.get(event.kind, f"unreadable: {event.text}")


_FIXED = {
    "pass": "passes",
    "withdraw": "takes the play back",
    "challenge_bonus": "gets points for a challenge",
    "time_penalty": "pays for overtime",
}
