"""docs/analyst.md: its lines for other engines run, and its columns are those of the tables."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastscore.audit.schema import ARROW_SCHEMAS
from tests.audits import SHORT, WRONG
from tests.documents import PAGES, Block, blocks, workplace

PAGE = PAGES["docs/analyst.md"]
MARKED = [block for block in blocks("python", "docs/analyst.md") if block.mark]


def test_the_examples_are_the_records_of_the_tests() -> None:
    # Their right numbers are worked out beside these.
    games = Path(__file__).resolve().parents[1] / "examples" / "games"
    assert {path.name: path.read_bytes() for path in games.iterdir()} == {"right.gcg": SHORT, "wrong.gcg": WRONG}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with records as the page has them, and their tables."""
    return workplace("docs/analyst.md", tmp_path_factory)


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


@pytest.mark.parametrize("block", MARKED)
def test_other_engines(block: Block, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    modules: dict[str, Any] = {"ray": engine}
    for name in ("pyspark", "pyspark.sql", "pyspark.sql.pandas", "pyspark.sql.pandas.types"):
        modules[name] = types.ModuleType(name)
    modules["pyspark.sql.pandas.types"].from_arrow_schema = lambda schema: schema
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(place)
    exec(compile(block.text, block.mark, "exec"), {"spark": engine})  # the page's own text
    assert engine.table.schema.equals(ARROW_SCHEMAS["turns"])
    assert engine.table.column("source").to_pylist() == ["x"] * 5 + ["y"]
    assert engine.written == "turns"


def test_every_engine_is_tried() -> None:
    assert [block.mark for block in MARKED] == ["with spark, a session", "with ray"]
    assert [block for block in blocks("python") if block.mark] == MARKED


@pytest.mark.parametrize("table", ARROW_SCHEMAS)
def test_columns(table: str) -> None:
    (described,) = re.findall(rf"^- \*\*{table}\*\*, [^:]*: (.*?)(?=^- |^$)", PAGE, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`(\w+)`", described) == ARROW_SCHEMAS[table].names
