"""What docs/analyst.md says is so: its Python runs, and its columns are those of the tables."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastscore.audit.run import run_audit
from fastscore.audit.schema import ARROW_SCHEMAS
from tests.audits import SHORT, WRONG

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "analyst.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^(<!-- [^\n]* -->\n)?```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with records as the page has them, and their tables."""
    folder = tmp_path_factory.mktemp("analyst")
    (folder / "games").mkdir()
    (folder / "games" / "right.gcg").write_bytes(SHORT)
    (folder / "games" / "wrong.gcg").write_bytes(WRONG)
    pq.write_table(pa.table({"id": ["x", "y"], "gcg": [SHORT, WRONG]}), folder / "records.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_audit(["games"], "out", workers=1)
    return folder


@pytest.mark.parametrize("code", [code for mark, code in BLOCKS if not mark])
def test_python(code: str, place: Path) -> None:
    # A script of its own, since workers import it.
    script = place / "script.py"
    script.write_text(code, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        cwd=place,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert ran.stderr == ""
    promised = re.findall(r"^ *print\(.*\)  # (.*)$", code, re.MULTILINE)
    assert promised
    assert ran.stdout.splitlines() == promised


class Engine:
    """Stands for Spark and for Ray Data: hands batches to a function as they do, and keeps what comes back."""

    def __init__(self) -> None:
        self.table: Any = None
        self.schema: Any = None
        self.written: str | None = None

    @property
    def data(self) -> Engine:
        return self

    read = write = data

    def parquet(self, path: str) -> Engine:
        if self.schema is not None:
            self.written = path
            return self
        return self.read_parquet(path)

    def read_parquet(self, path: str) -> Engine:
        self.table = pq.read_table(path)
        return self

    def write_parquet(self, path: str) -> None:
        self.written = path

    def select(self, *columns: str) -> Engine:
        self.table = self.table.select(list(columns))
        return self

    def mapInArrow(self, function: Any, schema: Any) -> Engine:
        # Spark hands over an iterator of record batches, for each partition one.
        self.table = pa.Table.from_batches(list(function(iter(self.table.to_batches(max_chunksize=1)))))
        self.schema = schema
        return self

    def map_batches(self, function: Any, *, batch_format: str, batch_size: int) -> Engine:
        assert (batch_format, batch_size) == ("pyarrow", 4096)
        self.table = function(self.table)
        return self


@pytest.mark.parametrize(("mark", "code"), [(mark, code) for mark, code in BLOCKS if mark])
def test_other_engines(mark: str, code: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    modules: dict[str, Any] = {"ray": engine}
    for name in ("pyspark", "pyspark.sql", "pyspark.sql.pandas", "pyspark.sql.pandas.types"):
        modules[name] = types.ModuleType(name)
    modules["pyspark.sql.pandas.types"].from_arrow_schema = lambda schema: schema
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(place)
    exec(compile(code, mark, "exec"), {"spark": engine})  # the page's own text
    assert engine.table.schema.equals(ARROW_SCHEMAS["turns"])
    assert engine.table.column("source").to_pylist() == ["x"] * 5 + ["y"]
    assert engine.written == "turns"


def test_every_engine_is_tried() -> None:
    assert [mark.strip() for mark, _ in BLOCKS if mark] == ["<!-- with spark, a session -->", "<!-- with ray -->"]


@pytest.mark.parametrize("table", ARROW_SCHEMAS)
def test_columns(table: str) -> None:
    (described,) = re.findall(rf"^- \*\*{table}\*\*, [^:]*: (.*?)(?=^- |^$)", PAGE, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`(\w+)`", described) == ARROW_SCHEMAS[table].names
