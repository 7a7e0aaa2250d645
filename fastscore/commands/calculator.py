"""`word`: what words count by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from fastscore.commands.output import warn, write_csv, write_json, write_lines
from fastscore.errors import quote

__all__ = ["count_words"]

_BLANK = 0x80


def count_words(words: Sequence[str], *, bonus: bool, output: str = "text", rules_name: str | None = None) -> int:
    """Write what the words count and how; returns the exit code. `output`: text, json or csv."""
    from fastscore.words import word_score

    counted = word_score(*words, bonus=bonus, rules=rules_name)
    for word in counted.words:
        if all(letter.tile & _BLANK for letter in word.letters):
            warn(f"{quote(word.text)} is of blanks only, which lower case stands for; other tiles are in upper case")
    if output == "json":
        write_json(counted.as_dict())
    elif output == "csv":
        rows: list[tuple[str, str, int, str]] = [
            ("word", word.text, word.score, word.arithmetic) for word in counted.words
        ]
        if bonus:
            rows.append(("bonus", "", counted.bonus, ""))
        write_csv(("part", "word", "score", "arithmetic"), [*rows, ("total", "", counted.total, "")])
    else:
        write_lines(str(counted).splitlines())
    return 0
