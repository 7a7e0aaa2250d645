"""What a command shows: tables, CSV, JSON. All text goes through `printable` or `escaped` before it is written."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fastscore.sanitise import escaped, printable

__all__ = ["as_cell", "warn", "write_csv", "write_json", "write_json_line", "write_lines", "write_table"]

# Some spreadsheets take the wide forms for the same.
_NUMBER = re.compile(r"[+-]?[0-9]+")
_FORMULA = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
_LONGEST_RICH_TABLE = 2000
"""rich prints some thousand rows a second; longer tables are written plainly."""
_LONGEST_CELL = 1000
"""Every row of a plain table is as wide as the longest cells of its columns."""


def write_lines(lines: Sequence[str]) -> None:
    """Write lines of text to standard output."""
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))


def write_json(data: Mapping[str, Any]) -> None:
    """Write `data` as JSON to standard output: a line for each entry, and for each item of an entry that is a list."""
    entries = [f" {_json(key)}: {_json_entry(value)}" for key, value in data.items()]
    sys.stdout.write(escaped("{\n" + ",\n".join(entries) + "\n}\n"))


def write_json_line(data: Mapping[str, Any]) -> None:
    """Write `data` as JSON on one line to standard output, for one of many."""
    sys.stdout.write(escaped(f"{_json(data)}\n"))


def write_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows as CSV (comma, LF) to standard output; without a header, () = rows that go on from others."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if header:
        writer.writerow(header)
    writer.writerows([printable(str(cell)) for cell in row] for row in rows)
    sys.stdout.write(text.getvalue())


def as_cell(text: str) -> str:
    """A text that somebody else wrote, as a cell of CSV: one that a spreadsheet would run as a formula gets a `'`.

    A number is none, with whatever sign.
    """
    # Only what is left when it is written counts: an invisible character before the sign would hide it from us alone.
    shown = printable(text)
    return f"'{shown}" if shown.lstrip()[:1] in _FORMULA and not _NUMBER.fullmatch(shown) else shown


def write_table(
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    right: Collection[str] = (),
    *,
    whole: Collection[str] = (),
    below: Collection[str] = (),
) -> None:
    """Write rows as a table to standard output: with colours on a terminal, as plain columns elsewhere.

    `right`: the columns that are aligned right. On a terminal those and the columns `whole` are not broken at spaces,
    and the columns `below` go below their rows where there is no room. A very long cell is cut off, and its length
    said.
    """
    cells = [[_shortened(printable(str(cell))) for cell in row] for row in rows]
    if sys.stdout.isatty() and len(rows) <= _LONGEST_RICH_TABLE:
        from fastscore.commands.terminal_tables import Column, write_terminal_table

        write_terminal_table([Column(name, name in right, name in whole, name in below) for name in header], cells)
    else:
        _write_plain_table(header, cells, [name in right for name in header])


def warn(message: str) -> None:
    """Write one line to standard error."""
    sys.stderr.write(f"fastscore: {printable(message)}\n")


def _shortened(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[:_LONGEST_CELL]}... ({len(cell)} characters)"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json_entry(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(map(_json, value)) + "\n ]"
    return _json(value)


def _write_plain_table(header: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
    lines = [header, *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    write_lines(
        [
            "  ".join(
                cell.rjust(width) if is_right else cell.ljust(width)
                for cell, width, is_right in zip(line, widths, right, strict=True)
            ).rstrip()
            for line in lines
        ]
    )
