"""`show`: a position as people know it, on the terminal and as a picture."""

from __future__ import annotations

from fastscore.commands.boards import write_board
from fastscore.commands.documents import STDOUT, Documents
from fastscore.commands.inputs import GivenPosition, WrittenText, read_position
from fastscore.commands.judging import Judged, breakdown_of, judge_each
from fastscore.commands.output import warn, write_lines
from fastscore.commands.plays import FOUND, GOOD
from fastscore.pictures import PICTURE_START
from fastscore.status import reasons

__all__ = ["show_position"]


def show_position(
    position_text: str,
    play_text: str = "",
    *,
    svg: str | None = None,
    theme: str = "light",
    force: bool = False,
    rules_name: str | None = None,
) -> int:
    """Show a position, with a play laid on it if one is given; returns the exit code.

    `svg`: also write the picture to this file, `-` = only the picture, to standard output. `force`: whatever the file
    holds, unless it is one that is read. A play that cannot be laid is not shown, and no picture is written.
    """
    position = read_position(position_text, rules_name)
    play = judge_each(position, [WrittenText(play_text)], position.rack)[0] if play_text else None
    if play is not None and not play.has_score:
        _refuse(position, play, shown=svg != STDOUT)
        return FOUND
    placement = None if play is None else play.placement
    if svg is not None:
        pictures = Documents("--svg", "picture", PICTURE_START, (position.file, rules_name), force=force)
        pictures.write(svg, f"{position.board.to_svg(placement, theme=theme)}\n")
    if svg != STDOUT:
        after = position.board if placement is None else position.board.play(placement)
        write_board(after, position.board)
        _write_facts(position, play)
    return FOUND if play is not None and play.status else GOOD


def _write_facts(position: GivenPosition, play: Judged | None) -> None:
    """The rack, and what the play scores."""
    lines = [""]
    if position.rack is not None:
        lines.append(f"rack: {position.rack}")
    if play is not None:
        breakdown = breakdown_of(position, play)
        lines += [] if breakdown is None else str(breakdown).splitlines()
    write_lines(lines if len(lines) > 1 else [])


def _refuse(position: GivenPosition, play: Judged, *, shown: bool) -> None:
    if shown:
        write_board(position.board)
    problem = play.problem
    warn(str(play.written.placed(problem)) if problem is not None else f"no score: {'; '.join(reasons(play.status))}")
