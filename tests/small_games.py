"""Small games for tests of statistics, and audits of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastscore.audit.run import run_audit
from fastscore.audit.statistics import Statistics

HEAD = ("#player1 A Anna", "#player2 B Berta")


def audited(folder: Path, games: Sequence[Sequence[str]], head: Sequence[str] = HEAD) -> Path:
    """The folder of an audit of these games."""
    records = folder / "records"
    records.mkdir(parents=True, exist_ok=True)
    for number, game in enumerate(games):
        lines = game if game and game[0].startswith("#player1") else [*head, *game]
        (records / f"game{number}.gcg").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    out = folder / "out"
    run_audit([records], out, workers=1)
    return out


def player(found: Statistics, name: str) -> dict[str, Any]:
    (row,) = [row for row in found.players.to_pylist() if row["name"] == name]
    return dict(row)


def notables(found: Statistics) -> list[tuple[str, str | None, int]]:
    return [(row["notable"], row["name"], row["value"]) for row in found.notables.to_pylist()]


def passes(*players: str) -> list[str]:
    return [f">{name}: E -  +0 0" for name in players]


# 8G CAT: C 3 + A 1 + T 1, doubled on the start square: 10. Six passes end a game; E costs 1, Q 10, J 8.
ANNA_WINS = [">A: CAT 8G CAT +10 10", *passes(*"BABABA"), ">A: Q (Q) -10 0", ">B: E (E) -1 -1"]
BERTA_WINS = [">B: CAT 8G CAT +10 10", *passes(*"ABABAB"), ">B: J (J) -8 2", ">A: E (E) -1 -1"]
NOBODY_WINS = [*passes(*"ABABAB"), ">A: E (E) -1 -1", ">B: A (A) -1 -1"]
BROKEN_OFF = [">A: CAT 8G CAT +10 10"]

# 8E JOUSTER lays seven tiles, K4 AEIN.RST seven round its R: words of 7 and 8. (8 + 6 x 1) x 2 + 50 = 78; two double
# words: 8 x 4 + 50 = 82.
TWO_BINGOS = [">A: JOUSTER 8E JOUSTER +78 78", ">B: E -  +0 0", ">A: AEINRST K4 AEIN.RST +82 160"]
