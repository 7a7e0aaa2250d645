"""`rules` and `info`: which rulesets there are, and what this installation is."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any

from fastscore import __version__
from fastscore.commands.output import write_json, write_lines, write_table
from fastscore.compilation import cache_enabled, cache_folder
from fastscore.coordinates import column_name, square_name
from fastscore.errors import CompilerMissingError

if TYPE_CHECKING:
    from fastscore.rules.layouts import BoardLayout
    from fastscore.rules.ruleset import Ruleset

__all__ = ["list_rulesets", "show_info", "show_ruleset"]

_PACKAGES = ("numpy", "numba", "llvmlite", "click", "rich", "pyarrow", "duckdb")
_KEY = "' double letter, \" triple letter, ^ quadruple letter, - double word, = triple word, ~ quadruple word, # brick"
_ROW_NUMBER = 2


def list_rulesets(output: str) -> int:
    """Write the bundled rulesets and what they are made of; returns the exit code."""
    from fastscore.rules.ruleset import load_rules, ruleset_names

    found = [_summary(load_rules(name)) for name in ruleset_names()]
    if output == "json":
        write_json({"rulesets": found})
    else:
        header = ("name", "layout", "rows", "columns", "letters", "rack", "bingo")
        rows = [[_shown(rules[key]) for key in header] for rules in found]
        write_table(header, rows, right=("rows", "columns", "rack"), whole=("bingo",), below=("letters", "bingo"))
    return 0


def show_ruleset(name: str, output: str) -> int:
    """Write one ruleset, bundled or from a file: its settings, squares and tiles; returns the exit code."""
    from fastscore.rules.ruleset import SETTINGS, load_rules

    rules = load_rules(name)
    data = {**_summary(rules), **{key: getattr(rules, key) for key in SETTINGS if key != "rack_size"}}
    letters = rules.letters
    counts = letters.counts or (None,) * len(letters.tiles)
    tiles = [
        {"tile": tile, "blank": blank, "value": value, "count": count}
        for tile, blank, value, count in zip(letters.tiles, letters.blank_forms, letters.values, counts, strict=True)
    ]
    if output == "json":
        write_json({**data, "squares": str(rules.layout).splitlines(), "tiles": tiles})
        return 0
    write_table(("setting", "value"), [(key.replace("_", " "), _shown(value)) for key, value in data.items()])
    write_lines(["", *_drawing(rules.layout), ""])
    header = ("tile", "blank", "value", "count")
    write_table(header, [[_shown(tile[key]) for key in header] for tile in tiles], right=("value", "count"))
    return 0


def show_info(output: str) -> int:
    """Write versions, where compiled code is really kept, and the number of threads; returns the exit code."""
    versions = {"fastscore": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    data = {
        "versions": versions,
        "platform": platform.platform(),
        "threads": os.cpu_count() or 1,
        "cache": cache_enabled(),
        **_compiler(),
    }
    if output == "json":
        write_json(data)
    else:
        del data["versions"]
        rows = [*versions.items(), *((key.replace("_", " "), _shown(value)) for key, value in data.items())]
        write_table(("", "value"), rows)
    return 0


def _compiler() -> dict[str, Any]:
    """Whether batches are compiled, the folder of their machine code (None = not kept), and why they cannot be."""
    try:
        from fastscore.kernels import score_rows
    except CompilerMissingError as error:
        return {"compiled": False, "cache_folder": None, "problem": error.detail}
    return {"compiled": hasattr(score_rows, "stats"), "cache_folder": cache_folder(score_rows)}


def _summary(rules: Ruleset) -> dict[str, Any]:
    by_tiles = enumerate(zip(rules.bingo_bonus, rules.bingo_multiplier, strict=True))
    bingo = [
        {"tiles": tiles, "bonus": bonus, "multiplier": multiplier}
        for tiles, (bonus, multiplier) in by_tiles
        if bonus or multiplier != 1
    ]
    return {
        "name": rules.name,
        "layout": rules.layout.name,
        "rows": rules.rows,
        "columns": rules.cols,
        "start": square_name(*rules.layout.start),
        "letters": rules.letters.name,
        "rack": rules.rack_size,
        "bingo": bingo,
    }


def _shown(value: object) -> str:
    """A value of the data as a person reads it."""
    if isinstance(value, list):
        return ", ".join(map(_shown_bingo, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _shown_bingo(entry: dict[str, int]) -> str:
    bonus = f" +{entry['bonus']}" if entry["bonus"] else ""
    multiplier = f" main word x{entry['multiplier']}" if entry["multiplier"] != 1 else ""
    return f"{entry['tiles']} tiles{bonus}{multiplier}"


def _drawing(layout: BoardLayout) -> list[str]:
    """The squares with the names of rows and columns, and what the symbols mean."""
    text = str(layout).splitlines()
    squares, legend = text[-layout.rows :], [line for line in text[: -layout.rows] if line.startswith("legend")]
    names = [column_name(col) for col in range(layout.cols)]
    width = max(map(len, names))
    lines = [("", names), *((str(number), list(row)) for number, row in enumerate(squares, start=1))]
    drawn = [f"{name:>{_ROW_NUMBER}} {' '.join(cell.ljust(width) for cell in cells)}".rstrip() for name, cells in lines]
    return [*drawn, "", *legend, _KEY]
