"""README.md and the pages in docs/: their blocks of code, the folders in which these run, and what they promise.

A block may have a mark in the line above it, a comment that readers do not see. `<!-- file: NAME -->` is a file that
the page's other blocks read. Python under any other mark is not run as it stands: another test says how.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastscore.audit.run import run_audit
from tests.audits import SHORT, WRONG

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
}

_BLOCK = re.compile(r"^(?:<!-- ([^\n]*) -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PRINT = re.compile(r"^ *print\(", re.MULTILINE)
_PROMISE = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


class Block(NamedTuple):
    """A block of code: the page that it is on, the language behind its fence, its mark ("" = none), its text."""

    page: str
    language: str
    mark: str
    text: str


BLOCKS = [
    Block(page, found[2], found[1] or "", found[3]) for page, text in PAGES.items() for found in _BLOCK.finditer(text)
]


def blocks(language: str, page: str | None = None) -> list[Block]:
    """The blocks of a language, of one page or of all."""
    return [block for block in BLOCKS if block.language == language and page in (None, block.page)]


def commands() -> list[tuple[str, str, str]]:
    """Each command of the console blocks: its page, the command, and the output shown below it."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((block.page, command, output))
    return found


_places: dict[str, Path] = {}


def workplace(page: str, factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the snippets of a page read: the examples, the files that it shows, its records."""
    if page not in _places:
        _places[page] = _furnish(page, factory)
    return _places[page]


def _furnish(page: str, factory: pytest.TempPathFactory) -> Path:
    folder = factory.mktemp(Path(page).stem)
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    for block in BLOCKS:
        if block.page == page and block.mark.startswith("file: "):
            (folder / block.mark.removeprefix("file: ")).write_text(block.text, encoding="utf-8")
    if page == "docs/analyst.md":
        _put_records(folder)
    return folder


def _put_records(folder: Path) -> None:
    """What the page for analysts speaks of beside the examples: their tables, and a column of records."""
    pq.write_table(pa.table({"id": ["x", "y"], "gcg": [SHORT, WRONG]}), folder / "records.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_audit(["examples/games"], "out", workers=1)


def run_python(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a snippet as a script of its own, since worker processes import it."""
    script = folder / "script.py"
    script.write_text(text, encoding="utf-8")
    # Kernels count in wrapping 64-bit arithmetic on purpose; where they are not compiled numpy warns of it.
    wrapping = "ignore:overflow encountered in scalar:RuntimeWarning"
    return _run(["-W", "error", "-W", wrapping, script.name], folder)


def promises(text: str) -> list[str]:
    """What stands as a comment behind each `print(...)` of a snippet: its output. Every print has to have one."""
    promised = _PROMISE.findall(text)
    assert len(promised) == len(_PRINT.findall(text)), text
    return promised


def run_command(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a console block."""
    program, *arguments = shlex.split(command)
    assert program == "fastscore"
    return _run(["-m", program, *arguments], folder)


def _run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        check=False,
    )


def headings(page: str) -> set[str]:
    """The names by which links reach the headings of a page."""
    code = _BLOCK.sub("", PAGES[page])
    return {re.sub(r"[^\w-]", "", line.lower().replace(" ", "-")) for line in re.findall(r"^#+ (.*)$", code, re.M)}
