"""What README.md and the pages in docs/ say is so: their Python runs, their commands print what they show."""

from __future__ import annotations

import json
import re

import pytest

import fastscore as fs
from fastscore.rules.ruleset import SETTINGS
from fastscore.status import REASONS, UNSCORABLE, Status
from tests.documents import PAGES, ROOT, Block, blocks, commands, headings, promises, run_command, run_python, workplace


@pytest.mark.parametrize("block", [block for block in blocks("python") if not block.mark], ids=lambda block: block.page)
def test_python(block: Block, tmp_path_factory: pytest.TempPathFactory) -> None:
    promised = promises(block.text)
    assert promised
    ran = run_python(block.text, workplace(block.page, tmp_path_factory))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == promised


@pytest.mark.parametrize(("page", "command", "output"), commands())
def test_console(page: str, command: str, output: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    ran = run_command(command, workplace(page, tmp_path_factory))
    assert (ran.stdout, ran.stderr) == (output, "")
    assert ran.returncode in (0, 1)


def test_snippets_are_found() -> None:
    assert {block.page for block in blocks("python")} >= {"README.md", "docs/analyst.md", "docs/backend.md"}
    assert {block.page for block in blocks("console")} >= {"README.md", "docs/player.md"}
    assert {command.split()[1] for _, command, _ in commands()} >= {"score", "explain", "check", "word", "show"}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    targets = re.findall(r"\]\(([^)]+)\)", PAGES[page])
    if page == "README.md":
        assert {f"docs/{name}.md" for name in ("analyst", "backend", "formats", "player")} <= set(targets)
    for target in targets:
        if "://" in target:
            continue
        name, _, heading = target.partition("#")
        path = ((ROOT / page).parent / name).resolve() if name else ROOT / page
        assert path.exists()
        if heading:
            assert heading in headings(path.relative_to(ROOT).as_posix())


def test_status_tables() -> None:
    page = PAGES["docs/formats.md"]
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\d+) \| (.*) \|$", page, re.MULTILINE)
    assert [(Status[name], 1 << int(bit), reason) for name, bit, reason in rows] == [
        (flag, flag.value, reason) for flag, reason in REASONS.items()
    ]
    scored = page.index("Scored and flagged (")
    for name, _, _ in rows:
        assert (page.index(f"| `{name}` |") < scored) == bool(Status[name] & UNSCORABLE)


def test_cgp_line_is_that_of_the_example() -> None:
    lines = (ROOT / "examples" / "position.cgp").read_text(encoding="utf-8").splitlines()
    shown = [block.text for block in blocks("text", "docs/formats.md")]
    assert [line for line in lines if not line.startswith("#")] in [text.splitlines() for text in shown]


def test_settings_of_rulesets() -> None:
    """The player's page names every key of a ruleset's file, and what it is if it is left out."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGES["docs/player.md"], re.MULTILINE))
    assert set(rows) == {"layout", "distribution", "name", "bingo", "bingo_multiplier", *SETTINGS}
    plain = fs.Ruleset("plain", fs.load_rules("duel").layout, fs.load_rules("duel").letters)
    for key in SETTINGS:
        default = getattr(plain, key)
        assert rows[key] == f"`{json.dumps('none' if default is None else default)}`"
