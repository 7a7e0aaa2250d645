"""What only README.md has: the commands that CI runs from it, and a ruleset without files of its own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import fastscore as fs
from tests.documents import PAGES, ROOT, blocks


@pytest.mark.parametrize(("name", "expected"), [("main", "fastscore score examples/"), ("test", "-m pytest")])
def test_ci_runs_the_commands(name: str, expected: str) -> None:
    spec = importlib.util.spec_from_file_location("readme_command", ROOT / ".ci" / "readme_command.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    readme = PAGES["README.md"]
    command = module.readme_command(name, readme)
    assert expected in command
    assert len(command.splitlines()) == 1
    assert f"$(readme {name})" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    with pytest.raises(SystemExit, match="0 blocks for the command 'other'"):
        module.readme_command("other", readme)


def test_ruleset_file(tmp_path: Path) -> None:
    (block,) = blocks("toml", "README.md")
    path = tmp_path / "club.toml"
    path.write_text(block.text, encoding="utf-8")
    rules = fs.load_rules(path)
    assert (rules.rack_size, rules.bingo_bonus[6:10]) == (8, (0, 40, 50, 0))
