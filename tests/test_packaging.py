"""What the package is to those who install it: light to import, typed, complete."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fastscore as fs

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("numpy", "numba", "rich", "click", "pyarrow", "duckdb")


def loaded_after(code: str) -> set[str]:
    """Which of the heavy packages a fresh interpreter has loaded after it has run `code`."""
    ask = f"{code}\nimport json, sys\nsys.stdout.write('\\n' + json.dumps(sorted(set({HEAVY!r}) & set(sys.modules))))"
    run = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_import_is_light() -> None:
    assert loaded_after("import fastscore") == set()


@pytest.mark.parametrize(
    "code",
    [
        "fs.load_rules('classic/english')",
        "fs.score(fs.Board(fs.load_rules('classic/english')), '8H QUIZ')",
        "fs.check(fs.Board(fs.load_rules('classic/english')), '8H QUIZ')",
        "str(fs.explain(fs.Board(fs.load_rules('classic/english')), '8H QUIZ'))",
        "fs.word_score('C2AT:3')",
        "'CAT' in fs.Lexicon.from_words(['CAT'], fs.load_rules('classic/english').letters)",
        "[fs.Status, fs.Direction, fs.errors, fs.PlacementBatch, fs.score_batch, fs.check_batch]",
    ],
)
def test_numba_is_left_out_where_it_is_not_needed(code: str) -> None:
    assert loaded_after(f"import fastscore as fs\n{code}") <= {"numpy"}


def test_public_names_resolve() -> None:
    assert len(fs.__all__) == len(set(fs.__all__))
    for name in fs.__all__:
        assert getattr(fs, name) is not None
        assert name in dir(fs)


def test_public_names_are_those_of_their_modules() -> None:
    for home, names in fs._HOMES.items():
        module = importlib.import_module(home)
        for name in names:
            assert getattr(fs, name) is getattr(module, name)
            assert name in module.__all__
    assert {*fs._HOME_OF, "errors", "__version__"} == set(fs.__all__)


def test_every_error_is_public() -> None:
    assert {name for name in fs.errors.__all__ if name != "quote"} <= set(fs.__all__)


def test_type_checkers_see_the_same_names() -> None:
    source = (ROOT / "fastscore" / "__init__.py").read_text(encoding="utf-8")
    checking = source[source.index("if TYPE_CHECKING:") : source.index("__version__")]
    seen = set(re.findall(r"\b\w+\b", re.sub(r"from [\w.]+ import", "", checking))) - {"if", "TYPE_CHECKING"}
    assert seen == set(fs.__all__) - {"__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scoer'"):
        fs.scoer  # type: ignore[attr-defined]  # noqa: B018


def test_version_is_a_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", fs.__version__)


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "fastscore" / "py.typed").is_file()


def test_import_without_home_or_writable_cache(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key not in ("HOME", "NUMBA_CACHE_DIR")}
    code = "import fastscore as fs; print(fs.score(fs.Board(fs.load_rules('classic/english')), '8H QUIZ'))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": os.devnull},
        check=True,
    )
    # Q on H8 (double word), no other premium up to K8: (10 + 1 + 1 + 10) x 2.
    assert run.stdout == "44\n"
