"""`score`, `explain` and `check`: what plays on one position are worth, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastscore.commands.inputs import GivenPosition, WrittenText, read_plays, read_position
from fastscore.commands.judging import Judged, breakdown_of, judge_each, judge_many
from fastscore.commands.output import warn, write_csv, write_json, write_lines, write_table
from fastscore.status import REASONS, Status

if TYPE_CHECKING:
    from fastscore.breakdown import Breakdown

__all__ = ["check_plays", "explain_play", "score_plays"]

GOOD = 0
"""Exit code: every play is good."""
FOUND = 1
"""Exit code: a play is bad."""

Explained = tuple[Judged, "Breakdown | None"]


def score_plays(
    position_text: str,
    play_texts: Sequence[str],
    *,
    output: str = "text",
    top: int | None = None,
    explain: bool = False,
    rules_name: str | None = None,
) -> int:
    """Write the plays' scores, bad plays with their reasons; returns the exit code.

    `output`: text, json or csv. `top`: only so many, the best first.
    """
    position = read_position(position_text, rules_name)
    plays = read_plays(play_texts, position.board)
    # Words come from the reference, so that where every play's words are shown it has scored them all already.
    judge = judge_many if output == "csv" or top is not None else judge_each
    judged = judge(position, plays, position.rack)
    shown = judged if top is None else sorted(judged, key=lambda play: -play.score)[:top]
    if output == "csv":
        write_csv(
            ("play", "score", "status", "reasons"),
            [(play.written.text, play.score, int(play.status), "|".join(play.reasons)) for play in shown],
        )
    else:
        _write_parts(position, shown, output, explain)
    return _report_problems(judged, shown)


def explain_play(position_text: str, play_text: str, *, output: str = "text", rules_name: str | None = None) -> int:
    """Write why a play scores what it scores; returns the exit code."""
    position = read_position(position_text, rules_name)
    judged = judge_each(position, [WrittenText(play_text)], position.rack)
    _write_parts(position, judged, output, explain=True)
    return GOOD if judged[0].status == Status.GOOD else FOUND


def check_plays(
    position_text: str,
    play_texts: Sequence[str],
    *,
    rack: str | None = None,
    lexicon_file: str | None = None,
    output: str = "text",
    rules_name: str | None = None,
) -> int:
    """Write what is wrong with the plays; returns the exit code.

    `rack` stands in for that of the position. `lexicon_file`: a file of the words that are good; None = every word is.
    """
    position = read_position(position_text, rules_name)
    letters = position.board.rules.letters
    if rack is not None:
        letters.rack(rack)
    plays = read_plays(play_texts, position.board)
    lexicon = None
    if lexicon_file is not None:
        from fastscore.lexicon import Lexicon

        lexicon = Lexicon.read(lexicon_file, letters)
    judged = judge_many(position, plays, position.rack if rack is None else rack, lexicon)
    if output == "csv":
        rows = [(play.written.text, int(play.status), "|".join(play.reasons)) for play in judged]
        write_csv(("play", "status", "reasons"), rows)
    elif output == "json":
        report = [{"play": play.written.text, "status": int(play.status), "reasons": play.reasons} for play in judged]
        write_json({**_heading(position), "plays": report})
    else:
        shown = [(play.written.text, _in_words(play) or "good") for play in judged]
        write_table(("play", "status"), shown, whole=("play",))
    return _report_problems(judged, judged)


def _write_parts(position: GivenPosition, plays: Sequence[Judged], output: str, explain: bool) -> None:
    explained = [(play, breakdown_of(position, play)) for play in plays]
    if output == "json":
        write_json(_score_report(position, explained, explain))
    elif explain:
        _write_explanations(explained)
    else:
        _write_scores(explained)


def _report_problems(judged: Sequence[Judged], shown: Sequence[Judged]) -> int:
    """Say on standard error where texts cannot be read, and how many bad plays are not shown; the exit code."""
    for play in judged:
        if play.problem is not None:
            warn(str(play.written.placed(play.problem)))
    bad = sum(map(_is_bad, judged))
    hidden = bad - sum(map(_is_bad, shown))
    if hidden:
        warn(f"{hidden} more bad {'play is' if hidden == 1 else 'plays are'} not among those shown")
    return FOUND if bad else GOOD


def _is_bad(play: Judged) -> bool:
    return bool(play.status)


def _in_words(play: Judged) -> str:
    return "; ".join(text for flag, text in REASONS.items() if flag & play.status)


def _heading(position: GivenPosition) -> dict[str, Any]:
    return {"position": position.cgp, "rules": position.board.rules.name}


def _score_report(position: GivenPosition, explained: Sequence[Explained], explain: bool) -> dict[str, Any]:
    plays = []
    for play, breakdown in explained:
        words = breakdown.words if breakdown is not None else ()
        entry: dict[str, Any] = {
            "play": play.written.text,
            "score": play.score,
            "status": int(play.status),
            "reasons": play.reasons,
            "words": [{"word": word.text, "score": word.score, "main": word.main} for word in words],
        }
        if explain:
            entry["explanation"] = _explanation(play, breakdown).splitlines()
        plays.append(entry)
    return {**_heading(position), "plays": plays}


def _write_scores(explained: Sequence[Explained]) -> None:
    rows = []
    for play, breakdown in explained:
        parts = []
        if breakdown is not None:
            parts = [f"{word.text} {word.score}" for word in breakdown.words]
            if breakdown.bonus:
                parts.append(f"bonus {breakdown.bonus}")
        rows.append((play.written.text, play.score if play.has_score else "-", ", ".join(parts), _in_words(play)))
    header = ("play", "score", "words", "reasons")
    if not any(reasons for *_, reasons in rows):
        header, rows = header[:-1], [row[:-1] for row in rows]  # type: ignore[assignment,misc]
    write_table(header, rows, right=("score",), whole=("play",), below=("words", "reasons"))


def _write_explanations(explained: Sequence[Explained]) -> None:
    for number, (play, breakdown) in enumerate(explained):
        lines = _explanation(play, breakdown).splitlines()
        if len(explained) > 1:
            # Several plays: each under its text, a blank line between two.
            lines = [*([""] if number else []), play.written.text, *(f"  {line}" for line in lines)]
        write_lines(lines)


def _explanation(play: Judged, breakdown: Breakdown | None) -> str:
    if breakdown is not None:
        return str(breakdown)
    problem = play.problem.detail if play.problem is not None else _in_words(play)
    return f"no score: {problem}"
