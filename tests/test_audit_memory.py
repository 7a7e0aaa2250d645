"""Small files that would fill the memory: they are given up, and take little of it."""

from __future__ import annotations

import bz2
import gzip
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastscore.audit.limits import Limits
from tests.audits import SHORT
from tests.test_audit_sources import errors, texts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
ROOT = Path(__file__).resolve().parents[1]
MEGABYTE = 1 << 20
# What reading takes beyond the modules it needs is a few pieces, pages and games.
MOST = 400

# The peak of a process is also that of the one which started it; Linux has the process's own.
MEASURE = """
import re, resource, sys
from fastscore.audit.limits import Limits
from fastscore.audit.sources import Meter, SourceError, list_sources, read_source
for source in list_sources(sys.argv[1:]):
    for item in read_source(source, Limits(), Meter()):
        if isinstance(item, SourceError):
            print(item.code)
try:
    with open("/proc/self/status") as status:
        print(int(re.search("VmHWM:\\\\s*(\\\\d+)", status.read())[1]) >> 10)
except OSError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (20 if sys.platform == "darwin" else 10))
"""


def read(path: Path) -> tuple[list[str], int]:
    """The codes of a file's errors, and the megabytes that reading it takes at most, in a process of its own."""
    command = [sys.executable, "-c", MEASURE, str(path)]
    *codes, peak = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout.split()
    return codes, int(peak)


def zip_of_zeros(path: Path, method: int, megabytes: int) -> None:
    with zipfile.ZipFile(path, "w", method) as archive, archive.open("a.gcg", "w") as member:
        for _ in range(megabytes):
            member.write(bytes(MEGABYTE))


@pytest.mark.slow
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_of_zeros(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    zip_of_zeros(path, method, 500)
    assert path.stat().st_size < MEGABYTE
    codes, peak = read(path)
    assert codes == ["archive-ratio"]
    assert peak < MOST


def test_zip_packed_in_other_ways_is_measured_too(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        zip_of_zeros(path, method, 2)
        (error,) = errors(path, limits=Limits(ratio_from=1 << 19))
        assert error.code == "archive-ratio"
        # It is noticed with the first piece that is too much.
        assert (1 << 19) < int(error.detail.split()[0]) <= (1 << 19) + (1 << 10)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_streams_of_zeros(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.gcg.{kind}"
    if kind == "gz":
        with gzip.open(path, "wb") as packed:
            for _ in range(500):
                packed.write(bytes(MEGABYTE))
    else:
        with pa.CompressedOutputStream(str(path), "zstd") as stream:
            for _ in range(500):
                stream.write(bytes(MEGABYTE))
    codes, peak = read(path)
    assert codes == ["archive-ratio"]
    assert peak < MOST


@pytest.mark.slow
def test_one_text_in_all_rows_of_a_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    # A dictionary of one text of 30 MB, and a hundred times its number: 3 GB.
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 100, pa.int32()), pa.array(["a" * 30_000_000]))
    pq.write_table(pa.table({"gcg": column}), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 10_000
    codes, peak = read(path)
    assert codes == ["archive-ratio"]
    assert peak < 600


@pytest.mark.slow
def test_texts_that_differ_in_their_last_letters(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    # Each is written as what it shares with the one before, a million letters, and the rest: 400 MB in a few bytes.
    column = pa.array([f"{'a' * 1_000_000}{number}" for number in range(400)])
    encoding = {"use_dictionary": False, "column_encoding": {"gcg": "DELTA_BYTE_ARRAY"}}
    pq.write_table(pa.table({"gcg": column}), path, compression="zstd", **encoding)
    assert path.stat().st_size < 100_000
    codes, peak = read(path)
    assert codes == ["archive-ratio"]
    assert peak < 600


def test_what_is_packed_well_is_read(tmp_path: Path) -> None:
    # Records shrink to a fiftieth where many are the same.
    many = b"".join(SHORT.replace(b"Ann", os.urandom(6).hex().encode()) for _ in range(3000))
    assert 20 < len(many) / len(bz2.compress(many)) < 250
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path = tmp_path / "a.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("a.gcgs", many)
        assert len(texts(path, limits=Limits(ratio_from=1000))) == 3000
