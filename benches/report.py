"""The interleaved comparison, peak memory and start-up times, written into the README's speed table.

    python -m benches.report             measure everything and write the README
    python -m benches.report --dry-run   measure everything and print it only
    python -m benches.report speed       measure and print one part: speed, memory or start

`--quick` takes few rounds, to see that everything runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from benches.comparisons import COMPARISONS, OWN_ROWS, PEERS, Comparison
from benches.fresh import import_seconds, peak_memory
from benches.interleave import Timings, run_in_turns
from benches.yardsticks import COMPILE, NoYardsticksError, compiler_version

__all__ = ["BEGIN", "END", "main", "replace_block"]

BEGIN = "<!-- speed table: begin -->"
END = "<!-- speed table: end -->"
_README = Path(__file__).resolve().parent.parent / "README.md"


def replace_block(text: str, block: str) -> str:
    """The text with everything between the two markers replaced. Raises ValueError where a marker is missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"expected the lines {BEGIN} and {END} in the text")
    return f"{before}{BEGIN}\n\n{block}\n\n{END}{after}"


def machine() -> str:
    """The processor, its cores, and the versions that speed depends on."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    versions = f"Python {platform.python_version()}, NumPy {version('numpy')}, numba {version('numba')}"
    return f"{model}, {os.cpu_count()} cores, {platform.system()}; {versions}; {compiler_version()}"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; the columns after the first two are numbers."""
    rule = ["---" if column < 2 else "---:" for column in range(len(header))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def _rows(comparison: Comparison, timings: Timings) -> list[list[str]]:
    rows: list[list[str]] = []
    for name in timings.seconds:
        each = timings.median(name) / comparison.items
        about = f"{each * 1e6:.1f} us" if each >= 1e-6 else f"{each * 1e9:.1f} ns"
        if name == comparison.baseline:
            times = ["1", "", ""]
        else:
            ratio = timings.ratio(name, comparison.baseline)
            times = [f"{ratio.median:.2f}", f"{ratio.lower:.2f}-{ratio.upper:.2f}", f"{ratio.of_minima:.2f}"]
        rows.append(["" if rows else comparison.title, name, *times, f"{about} a {comparison.unit}"])
    return rows


def _program_rows(comparison: Comparison, timings: Timings) -> list[list[str]]:
    def ns(name: str | None) -> str:
        return "" if name is None else f"{timings.median(name) / comparison.items * 1e9:.0f}"

    own = [[name, how, "here", ns(alone), ns(everything)] for name, how, alone, everything in OWN_ROWS]
    return [[name, how, "taken apart", alone, everything] for name, how, alone, everything in PEERS] + own


def speed(quick: bool) -> str:
    """The comparisons of `benches.comparisons`, as two tables: what was measured here, and the field's own figures."""
    rows: list[list[str]] = []
    programs: list[list[str]] = []
    for build in COMPARISONS:
        comparison = build()
        print(f"{comparison.title} ...", file=sys.stderr)
        timings = run_in_turns(comparison.contenders, 3 if quick else comparison.rounds)
        rows += _rows(comparison, timings)
        programs = programs or _program_rows(comparison, timings)
    parts = [
        f"Measured on {machine()} (`{' '.join(COMPILE[:3])}`); one thread unless said. A time is a multiple of the "
        "scorer marked 1, in the median round: all of a block take turns within one run, and every answer is checked. "
        "The last column is what its median came to on this machine.",
        table(["plays", "scorer", "time", "middle half of the rounds", "fastest by fastest", "about"], rows),
        "The field's programs, in ns a play on one thread. Their figures were taken apart from this run, all on one "
        "machine, for all legal plays of 4,858 positions (928 a position); those taken here are of the first block "
        "above (939 a position), so the two kinds compare in order of magnitude only. `cross` and `walk` are plain C "
        "scorers of this project that work as those programs do, for a comparison within one run.",
        table(["program", "how it works", "figures", "score only", "input, set-up and score"], programs),
    ]
    return "\n\n".join(parts)


def memory(quick: bool) -> str:
    """Peak memory of scoring a million candidates."""
    candidates = 100_000 if quick else 1_000_000
    extra = ", ".join(f"{megabytes:.0f} MB ({order})" for order, megabytes in peak_memory(candidates).items())
    return f"Memory that scoring {candidates:,} candidates takes beyond the inputs, the scores included: {extra}."


def start(quick: bool) -> str:
    """Import times and the first score of a fresh process."""
    rounds = 2 if quick else 20
    took = {name: f"{seconds * 1e3:.0f} ms" for name, seconds in import_seconds(rounds).items()}
    return (
        f"In a fresh process (medians of {rounds}), `import fastscore` adds {took['fastscore']} to `import numpy` "
        f"({took['numpy']}), with its scoring functions {took['scoring']}. The first score with a warm cache comes "
        f"{took['first score']} after `import numba` ({took['numba']})."
    )


PARTS: dict[str, Callable[[bool], str]] = {"speed": speed, "memory": memory, "start": start}


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 2 where something needed is missing."""
    parser = argparse.ArgumentParser(prog="python -m benches.report", description="measure, and write the README")
    parser.add_argument("part", nargs="?", choices=[*PARTS, "all"], default="all", help="one part is printed only")
    parser.add_argument("--dry-run", action="store_true", help="print, and leave the README alone")
    parser.add_argument("--quick", action="store_true", help="few rounds: to see that it runs, not to be published")
    options = parser.parse_args(arguments)
    write = options.part == "all" and not options.dry_run
    try:
        if write:
            replace_block(_README.read_text(encoding="utf-8"), "")  # before the minutes of measuring, not after them
        chosen = PARTS.values() if options.part == "all" else [PARTS[options.part]]
        block = "\n\n".join(part(options.quick) for part in chosen)
    except (NoYardsticksError, OSError, ValueError) as problem:
        print(f"benches.report: {problem}", file=sys.stderr)
        return 2
    print(block)
    if write:
        _README.write_text(replace_block(_README.read_text(encoding="utf-8"), block), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
