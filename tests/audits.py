"""Records and readers of tables for the tests of audits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fastscore.audit.schema import TABLES, files_of_table

GAMES = Path(__file__).parent / "data" / "games"

# Standard English values and board. 8G BAD: (3 + 1 + 2) x 2 over the start square at 8H = 12. J8 SEE: 1 + 1 + 1 x 3 at
# J10 = 5, and BADS 3 + 1 + 2 + 1 = 7, together 12; it is taken back. 100 tiles, 14 of them on two racks, 86 in the bag.
SHORT = b"""\
#player1 a Ann
#player2 b Bob
>a: ABDEGOT 8G BAD +12 12
>b: EEISUVW J8 SEE +12 12
>b: EEISUVW -- -12 0
>a: EGOT -EG +0 12
>b: EEISUVW - +0 0
"""
# F is worth 4: 8H is the start square, (4 + 1 + 2) x 2 = 14, not 12.
WRONG = b"""\
#player1 a Ann
#player2 b Bob
>a: ADF 8G FAD +12 12
"""


def short(number: int) -> bytes:
    """A record like SHORT of other moves: an exchange of its own number of tiles, and names."""
    names = b"#player1 a Ann_%d\n#player2 b Bob\n" % number
    return names + b">a: ABDEGOT 8G BAD +12 12\n>b: -%d +0 0\n" % (number % 7 + 1)


def folder_of(path: Path, count: int) -> Path:
    """A folder of so many small records, some of them wrong."""
    path.mkdir()
    for number in range(count):
        data = WRONG if number % 5 == 4 else short(number)
        (path / f"game{number:03d}.gcg").write_bytes(data)
    return path


def read(folder: Path, table: str) -> Any:
    """A whole table of an audit's folder."""
    return pa.concat_tables([pq.read_table(path) for path in files_of_table(folder, table)])


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table of an audit's folder."""
    found: list[dict[str, Any]] = read(folder, table).to_pylist()
    return found


def tables(folder: Path) -> dict[str, Any]:
    """All tables of an audit's folder, to be compared with those of another."""
    return {table: read(folder, table) for table in (*TABLES, "duplicates")}
