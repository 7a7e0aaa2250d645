"""What README.md says is so: its Python runs, its commands print what it shows, its tables are those of the code."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import fastscore as fs
from fastscore.status import REASONS, UNSCORABLE, Status

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Each command of the console blocks, and the output shown below it."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.mark.parametrize("code", blocks("python"))
def test_python(code: str) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    # `print(...)  # 35`: what stands behind a print is its output, where it is a value and no remark.
    promised = re.findall(r"^print\(.*\)  # (\d+|\[.*\])$", code, re.MULTILINE)
    assert promised
    assert [line for line in run.stdout.splitlines() if line in promised] == promised


@pytest.mark.parametrize(("command", "output"), commands())
def test_console(command: str, output: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "fastscore"
    run = subprocess.run(
        [sys.executable, "-m", "fastscore", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        check=False,
    )
    assert run.returncode in (0, 1)
    assert run.stdout == output


def test_console_blocks_are_found() -> None:
    assert {command.split()[1] for command, _ in commands()} >= {"score", "explain", "check"}


@pytest.mark.parametrize(("name", "expected"), [("main", "fastscore score examples/"), ("test", "-m pytest")])
def test_ci_runs_the_commands(name: str, expected: str) -> None:
    spec = importlib.util.spec_from_file_location("readme_command", ROOT / ".ci" / "readme_command.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    command = module.readme_command(name, README)
    assert expected in command
    assert len(command.splitlines()) == 1
    assert f"$(readme {name})" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    with pytest.raises(SystemExit, match="0 blocks for the command 'other'"):
        module.readme_command("other", README)


def test_ruleset_file(tmp_path: Path) -> None:
    (block,) = blocks("toml")
    path = tmp_path / "club.toml"
    path.write_text(block, encoding="utf-8")
    rules = fs.load_rules(path)
    assert (rules.rack_size, rules.bingo_bonus[6:10]) == (8, (0, 40, 50, 0))


def test_cgp_line_is_that_of_the_example() -> None:
    lines = (ROOT / "examples" / "position.cgp").read_text(encoding="utf-8").splitlines()
    (shown,) = blocks("text")
    assert [line for line in lines if not line.startswith("#")] == shown.splitlines()


def test_status_tables() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\d+) \| (.*) \|$", README, re.MULTILINE)
    assert [(Status[name], 1 << int(bit), reason) for name, bit, reason in rows] == [
        (flag, flag.value, reason) for flag, reason in REASONS.items()
    ]
    scored = README.index("Scored and flagged (")
    for name, _, _ in rows:
        assert (README.index(f"| `{name}` |") < scored) == bool(Status[name] & UNSCORABLE)


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert targets
    headings = {
        re.sub(r"[^\w-]", "", line.lower().replace(" ", "-")) for line in re.findall(r"^#+ (.*)$", README, re.M)
    }
    for target in targets:
        if target.startswith("#"):
            assert target[1:] in headings
        elif "://" not in target:
            assert (ROOT / target).exists()
