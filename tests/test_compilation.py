"""Compiled code and its cache, in fresh processes: whatever is wrong, numbers stay and nothing fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fastscore import compilation
from fastscore.errors import CompilerMissingError, FastscoreError
from tests.installs import FULL, PLAYS, QUICK, SCORES, STATUSES, Install, files, finish, make_install, obey_modes, right


@pytest.fixture(scope="module")
def install(tmp_path_factory: pytest.TempPathFactory) -> Install:
    return make_install(tmp_path_factory.mktemp("install"))


@pytest.fixture(scope="module")
def warm(install: Install, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with everything that `fastscore.warmup` compiles, not to be changed."""
    folder = tmp_path_factory.mktemp("warm")
    found = install.run(FULL, cache=folder)
    assert right(found)
    assert found["misses"] > 0
    assert found["messages"] == []
    return folder


@pytest.fixture
def cache(warm: Path, tmp_path: Path) -> Path:
    """A copy of the full cache."""
    return Path(shutil.copytree(warm, tmp_path / "cache"))


# ---------------------------------------------------------------- a warm cache


@pytest.mark.slow
def test_five_processes_compile_nothing_more(install: Install, warm: Path) -> None:
    before = files(warm)
    counts = []
    for _ in range(5):
        found = install.run(
            "fs.warmup(); first = compiled()\n" + FULL.replace("report(", "report(kinds=first, "), cache=warm
        )
        assert right(found)
        assert found["misses"] == 0
        assert found["hits"] == len(found["kinds"]) > 0
        counts.append(found["kinds"])
    # One version of each kernel, the same in all processes; no file came, went or was written again.
    assert counts == [dict.fromkeys(counts[0], 1)] * 5
    assert files(warm) == before


MANY_KINDS = """
from itertools import product
fs.warmup()
first = compiled()
tiles = np.eye(3, 7, dtype=np.uint8)
def placed(**changed):
    return fs.PlacementBatch(**{"row": [7] * 3, "col": [7] * 3, "direction": 0, "tiles": tiles, **changed})
batches = [
    placed(), placed(status=1 << 23), placed(tiles=tiles.astype(int)), placed(tiles=tiles.astype(">i2").tolist()),
    placed(row=np.array([7, 7, 7], ">i8"), col=[7, 7, 7]), placed()[:0], placed()[::2], placed()[np.array([2, 0])],
    *(placed(tiles=np.eye(3, width, dtype=np.uint8)) for width in (1, 6, 8, 9, 15)),
    placed(position=np.zeros(3, np.int64)),
]
read_only = np.zeros((2, 15, 15), np.uint8)
read_only.flags.writeable = False
boards = [np.zeros((2, 15, 15), kind) for kind in (np.uint8, np.int64, ">i4", bool)]
boards += [read_only, np.zeros((2, 15, 15), np.uint8, order="F"), np.zeros((4, 15, 30), np.uint8)[::2, :, ::2]]
boards.append([board, board])
for some, one in product(boards, batches):
    fs.score_batch(some, one, rules)
    fs.score_batch(some, one, rules, out=np.zeros(len(one), np.int32))
    fs.score_batch(some, one, rules, parts=True)
    for racks in (None, "QUIZ?", np.zeros(27, np.int64), np.zeros((2, 27), np.uint8)):
        fs.check_batch(some, one, rules, racks)
number = np.arange(20000)
many = placed(row=number % 15, col=number % 15, tiles=np.ones((20000, 7), np.uint8), position=number % 2)
for threads in (1, 2):
    fs.score_batch([board] * 2, many, threads=threads)
    fs.score_batch([board] * 2, many, threads=threads, parts=True)
for name in ("literaki", "super/english", "letter-league"):
    other = fs.Board(fs.load_rules(name))
    fs.score_batch(other, placed())
    fs.check_batch(other, placed(), racks="A")
report(first=first, last=compiled())
"""


@pytest.mark.slow
def test_inputs_of_all_kinds_compile_nothing_more(install: Install, warm: Path) -> None:
    before = files(warm)
    found = install.run(MANY_KINDS, cache=warm)
    assert found["first"] == found["last"]
    assert found["misses"] == 0
    assert files(warm) == before


# ---------------------------------------------------------------- no cache


@pytest.fixture
def read_only(install: Install, tmp_path: Path) -> Iterator[Install]:
    """An install in which nothing can be written, and nothing beside it either."""
    folder = tmp_path / "read_only"
    made = Install(folder / "site", folder / "home")
    shutil.copytree(install.site, made.site, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "file").touch()
    (folder / "folder").mkdir()
    everything = [folder, *folder.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    attempt = [sys.executable, "-c", "import sys; open(sys.argv[1], 'w')", str(folder / "new")]
    if sys.platform == "win32" or not subprocess.run(attempt, preexec_fn=obey_modes, capture_output=True).returncode:
        pytest.skip("the modes of files stop nobody here")
    yield made
    for path in everything:
        path.chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [None, "file", "folder"])
def test_read_only_install_and_no_home(read_only: Install, chosen: str | None) -> None:
    cache = None if chosen is None else read_only.home.parent / chosen
    # The whole scorer once, the quick one for the rest.
    found = read_only.run(FULL if chosen is None else QUICK, cache=cache, prepare=obey_modes)
    assert right(found)
    assert found["folder"] is None
    assert found["hits"] == 0
    assert len(found["messages"]) == 1
    assert found["messages"][0].startswith("compiled code is not kept: ")


@pytest.mark.slow
def test_a_file_as_cache_folder_leaves_numba_the_other_places(install: Install, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = install.run(QUICK, cache=tmp_path / "file")
    assert right(found)
    assert found["folder"] == str(install.site / "fastscore" / "__pycache__")


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_any_more(install: Install, tmp_path: Path) -> None:
    # The folder is there when numba looks for one, and a file when code is to be kept.
    spoil = "import shutil; from fastscore import compilation, kernels\n"
    spoil += "folder = compilation.cache_folder(kernels.judge_rows); shutil.rmtree(folder); open(folder, 'w').close()\n"
    found = install.run(spoil + QUICK, cache=tmp_path)
    assert right(found)
    assert found["messages"][-1].startswith("compiled code is not kept: ")
    assert found["misses"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(("switch", "kept"), [(None, True), ("1", True), ("0", False)])
def test_switch(install: Install, warm: Path, switch: str | None, kept: bool) -> None:
    before = files(warm)
    environment = {} if switch is None else {"FASTSCORE_NUMBA_CACHE": switch}
    found = install.run(QUICK, cache=warm, environment=environment)
    assert right(found)
    assert (found["hits"], found["misses"]) == ((1, 0) if kept else (0, 1))
    assert files(warm) == before
    info = "from fastscore.commands.about import show_info; sys.exit(show_info('json'))"
    process = install.start(info, cache=warm, environment=environment)
    shown = json.loads(process.communicate(timeout=120)[0])
    assert (shown["cache"], shown["compiled"]) == (kept, True)
    assert shown["cache_folder"] == found["folder"]
    assert (found["folder"] is not None) is kept


# ---------------------------------------------------------------- damaged, foreign and old caches


def cut_to_nothing(path: Path, folder: Path) -> None:
    path.write_bytes(b"")


def cut_in_half(path: Path, folder: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def fill_with_garbage(path: Path, folder: Path) -> None:
    path.write_bytes(bytes(number * 37 % 251 for number in range(path.stat().st_size)))


def exchange_for_another(path: Path, folder: Path) -> None:
    # A whole file with a right checksum, but of another kernel.
    other = next(found for found in sorted(folder.rglob("*.nbc")) if "judge_rows" not in found.name)
    shutil.copy(other, path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [cut_to_nothing, fill_with_garbage, exchange_for_another],
    ids=lambda damage: damage.__name__,
)
def test_a_damaged_cache_heals(install: Install, cache: Path, damage: Callable[[Path, Path], None]) -> None:
    before = files(cache)
    (path,) = cache.rglob("*judge_rows*")
    damage(path, cache)
    found = install.run(QUICK, cache=cache)
    assert right(found)
    assert (found["hits"], found["misses"]) == (0, 1)
    again = install.run(QUICK, cache=cache)
    assert right(again)
    assert (again["hits"], again["misses"], again["messages"]) == (1, 0, [])
    assert list(files(cache)) == list(before)


@pytest.mark.slow
def test_all_files_damaged(install: Install, cache: Path) -> None:
    for number, path in enumerate(sorted(cache.rglob("*.nbc"))):
        (cut_in_half, fill_with_garbage, cut_to_nothing)[number % 3](path, cache)
    found = install.run(FULL, cache=cache)
    assert right(found)
    assert found["hits"] == 0
    again = install.run(FULL, cache=cache)
    assert right(again)
    assert again["misses"] == 0


@pytest.mark.slow
def test_a_folder_in_place_of_a_file(install: Install, cache: Path) -> None:
    (path,) = cache.rglob("*judge_rows*")
    path.unlink()
    path.mkdir()
    found = install.run(QUICK, cache=cache)
    assert right(found)
    assert found["misses"] == 1
    assert path.is_dir()


@pytest.mark.slow
def test_upgrades_are_told_by_the_code_that_runs(tmp_path: Path) -> None:
    own = make_install(tmp_path)
    cache = tmp_path / "cache"
    source = own.site / "fastscore" / "slot_kernels.py"
    text = source.read_text(encoding="utf-8")
    assert right(own.run(QUICK, cache=cache))
    before = files(cache)

    # Comments and lines are no part of the code.
    text = text.replace("\n@jit", "\n# A comment.\n\n@jit")
    source.write_text(text, encoding="utf-8")
    stat = source.stat()
    found = own.run(QUICK, cache=cache)
    assert right(found)
    assert (found["hits"], found["misses"]) == (1, 0)
    assert files(cache) == before

    # A constant that a function merged into the kernel reads.
    changed = text.replace("\nSTART_NOT_COVERED = 1 << 22\n", "\nSTART_NOT_COVERED = 1 << 30\n")
    assert changed != text
    source.write_text(changed, encoding="utf-8")
    os.utime(source, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert source.stat().st_size == stat.st_size
    # Python cannot tell and runs its own byte code of the old file; that must not become the new file's machine code.
    found = own.run(QUICK, cache=cache)
    assert found["statuses"] == STATUSES
    assert found["misses"] == 0
    for byte_code in own.site.rglob("*.pyc"):
        byte_code.unlink()

    found = own.run(QUICK, cache=cache)
    assert (found["scores"], found["statuses"]) == (SCORES, [0, 0, 0, 0, 1 << 30])
    assert found["misses"] == 1
    after = files(cache)
    # The old version's file is gone.
    assert len(after) == len(before)
    assert not set(after) & set(before)
    for _ in range(5):
        found = own.run(QUICK, cache=cache)
        assert (found["scores"], found["statuses"]) == (SCORES, [0, 0, 0, 0, 1 << 30])
        assert (found["hits"], found["misses"]) == (1, 0)
    assert files(cache) == after


OTHER_FILE = """
from fastscore.compilation import jit
K = 1
@jit(inline=True)
def value():
    return K
"""
MIDDLE_FILE = """
import inner_kernels as inner
from fastscore.compilation import jit
value = inner.value
@jit
def unused():
    return 0
"""
CALLER = """
{imported}
from fastscore.compilation import jit
@jit
def twice():
    return 2 * {used}
"""
CALLERS = {
    "a function": ("from inner_kernels import value", "value()"),
    "a constant": ("from inner_kernels import K", "K"),
    "a module": ("import inner_kernels", "inner_kernels.K"),
    "through a third file": ("from middle_kernels import value", "value()"),
}


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
def test_upgrade_of_another_file(install: Install, tmp_path: Path, caller: str) -> None:
    imported, used = CALLERS[caller]
    sources = {"inner_kernels": OTHER_FILE, "middle_kernels": MIDDLE_FILE, "outer_kernels": CALLER}
    code = f"sys.path.insert(0, {str(tmp_path)!r})\nfrom outer_kernels import twice\n"
    code += "made = twice()\nprint(json.dumps([made, sum(twice.stats.cache_hits.values())]))"
    for constant, hits in ((1, 0), (1, 1), (22, 0), (22, 1)):
        for name, source in sources.items():
            text = source.replace("K = 1", f"K = {constant}").replace("{imported}", imported).replace("{used}", used)
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        found = finish(install.start(code, cache=tmp_path / "cache"))
        assert found == [2 * constant, hits]


@pytest.mark.slow
def test_code_of_another_version_is_not_taken(install: Install, cache: Path) -> None:
    for package in ("numba", "numpy"):
        found = install.run(f"import numba, numpy; {package}.__version__ = '0.0.1'\n{QUICK}", cache=cache)
        assert right(found)
        assert (found["hits"], found["misses"]) == (0, 1)
    # All stay, for environments that share one checkout.
    assert len(list(cache.rglob("*judge_rows*"))) == 3
    again = install.run(QUICK, cache=cache)
    assert right(again)
    assert (again["hits"], again["misses"]) == (1, 0)


@pytest.mark.slow
def test_code_of_another_python_has_another_name(warm: Path) -> None:
    names = [path.name for path in warm.rglob("*.nbc")]
    assert names
    assert all(f".py{sys.version_info[0]}{sys.version_info[1]}{sys.abiflags}." in name for name in names)


@pytest.mark.slow
def test_a_process_killed_while_it_writes(install: Install, cache: Path) -> None:
    (path,) = cache.rglob("*judge_rows*")
    path.unlink()
    killed = install.start("from pathlib import Path\nPath.replace = lambda *_: os._exit(9)\n" + QUICK, cache=cache)
    killed.communicate(timeout=120)
    assert killed.returncode == 9
    assert not path.exists()
    for hits in (0, 1):
        found = install.run(QUICK, cache=cache)
        assert right(found)
        assert (found["hits"], found["misses"]) == (hits, 1 - hits)


@pytest.mark.slow
def test_two_processes_fill_one_cache(install: Install, tmp_path: Path) -> None:
    both = [install.start(QUICK, cache=tmp_path) for _ in range(2)]
    assert all(right(finish(process)) for process in both)
    third = install.run(QUICK, cache=tmp_path)
    assert right(third)
    assert third["misses"] == 0
    assert [name.rpartition(".")[2] for name in files(tmp_path)] == ["nbc"]


# ---------------------------------------------------------------- numba's switches

BOUNDS = """
sizes = np.zeros(4, np.int64), np.empty(0, np.int32)  # no room for the order
from fastscore import kernels
try:
    kernels.order_rows(fs.PlacementBatch(row=[0], col=[0], direction=0, tiles=[[1]]).position, 2, *sizes)
    outcome = "nothing"
except IndexError:
    outcome = "IndexError"
made = fs.score_batch(board, batch, parts=True)
report(outcome=outcome, scores=made.score.tolist(), statuses=fs.check_batch(board, batch).tolist())
"""


@pytest.mark.slow
def test_bounds_checks_have_their_own_code(install: Install, cache: Path) -> None:
    # The cache holds unchecked code of both kernels. Without checks the call would write outside the array.
    before = files(cache)
    for misses in (2, 0):
        found = install.run(BOUNDS, cache=cache, environment={"NUMBA_BOUNDSCHECK": "1"})
        assert right(found)
        assert found["outcome"] == "IndexError"
        assert found["misses"] == misses
    assert before.items() <= files(cache).items()
    plain = install.run(QUICK, cache=cache)
    assert right(plain)
    assert plain["misses"] == 0


@pytest.mark.slow
def test_without_compilation(install: Install, tmp_path: Path) -> None:
    code = QUICK + "assert fs.score_batch(board, batch).tolist() == made.score.tolist()\n"
    found = install.run(
        code.replace("report(", "report(kinds=compiled(), "), cache=tmp_path, environment={"NUMBA_DISABLE_JIT": "1"}
    )
    assert right(found)
    assert found["kinds"] == {}
    assert found["folder"] is None
    assert files(tmp_path) == {}


# ---------------------------------------------------------------- threads and forks

# 5 plays 4,000 times: enough for two threads in each call.
THREADED = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
copies = fs.PlacementBatch(
    row=np.tile(batch.row, 4000), col=np.tile(batch.col, 4000),
    direction=np.tile(batch.direction, 4000), tiles=np.tile(batch.tiles, (4000, 1)),
)
def score(threads):
    return fs.score_batch(board, copies, threads=threads).reshape(4000, 5)
"""
IN_EIGHT = (
    THREADED
    + """
import numba
numba.set_num_threads(1)  # starts numba's own threads, which our kernels do not use
barrier = Barrier(8)
def call(number):
    barrier.wait()
    return [score(1 + (number + turn) % 2) for turn in range(4)]
with ThreadPoolExecutor(8) as pool:
    made = [scores for part in pool.map(call, range(8)) for scores in part]
assert len(made) == 32 and all((scores == scores[0]).all() and (scores == made[0]).all() for scores in made)
report(scores=made[0][0].tolist(), statuses=fs.check_batch(board, batch).tolist(), layer=numba.threading_layer())
"""
)
POOLS = {"workqueue": "workqueue", "omp": "omppool", "tbb": "tbbpool"}
"""numba's threading layers and the modules of `numba.np.ufunc` that they are in."""


def layer_present(layer: str) -> bool:
    probe = f"import numba.np.ufunc.{POOLS[layer]}"
    return subprocess.run([sys.executable, "-c", probe], capture_output=True).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("layer", POOLS)
def test_eight_threads(install: Install, warm: Path, layer: str) -> None:
    if not layer_present(layer):
        pytest.skip(f"numba has no threading layer {layer} here")
    environment = {"NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "2"}
    found = install.run(IN_EIGHT, cache=warm, environment=environment)
    assert right(found)
    assert found["layer"] == layer
    assert found["misses"] == 0


@pytest.mark.slow
def test_eight_threads_that_compile(install: Install, tmp_path: Path) -> None:
    code = IN_EIGHT.replace(
        "fs.score_batch(board, copies, threads=threads)",
        "fs.score_batch(board, copies, parts=True, threads=threads).score",
    )
    found = install.run(code, cache=tmp_path)
    assert right(found)
    assert found["misses"] == 1


FORKED = (
    THREADED
    + """
import multiprocessing, numba, warnings
warnings.simplefilter("ignore")  # newer Pythons warn of forks in general
numba.set_num_threads(1)
expected = score(2)
child = os.fork()
if child == 0:
    os._exit(0 if (score(2) == expected).all() and (score(1) == expected).all() else 3)
exit_code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
with multiprocessing.get_context("fork").Pool(2) as pool:
    same = all((scores == expected).all() for scores in pool.map(score, [1, 2, 2]))
assert (expected == expected[0]).all() and (score(2) == expected).all()
report(scores=expected[0].tolist(), statuses=fs.check_batch(board, batch).tolist(), exit_code=exit_code, same=same)
"""
)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("layer", ["workqueue", "omp"])
def test_fork_after_a_threaded_call(install: Install, warm: Path, layer: str) -> None:
    if not layer_present(layer):
        pytest.skip(f"numba has no threading layer {layer} here")
    found = install.run(FORKED, cache=warm, environment={"NUMBA_THREADING_LAYER": layer})
    assert right(found)
    assert (found["exit_code"], found["same"]) == (0, True)


@pytest.mark.slow
def test_numba_with_one_thread(install: Install, warm: Path) -> None:
    code = THREADED + "report(scores=score(2)[-1].tolist(), statuses=fs.check_batch(board, batch).tolist())"
    found = install.run(code, cache=warm, environment={"NUMBA_NUM_THREADS": "1"})
    assert right(found)
    assert found["misses"] == 0


# ---------------------------------------------------------------- no numba

WITHOUT_NUMBA = """
singles = [fs.score(board, play) for play in {plays}]
statuses = [int(fs.check(board, play)) for play in {plays}]
total = fs.explain(board, "8H QUIZ").total
errors = []
for call in (
    lambda: fs.score_batch(board, batch),
    lambda: fs.score_batch(board, batch),  # and again: the failed import leaves nothing behind
    lambda: fs.check_batch(board, batch),
    lambda: batch.keys(board),
    fs.warmup,
):
    try:
        call()
    except ImportError as error:
        errors.append([type(error).__name__, isinstance(error, fs.FastscoreError), str(error)])
from fastscore.commands.about import show_info
show_info("text")
print(json.dumps(dict(singles=singles, statuses=statuses, total=total, errors=errors)))
""".replace("{plays}", repr(PLAYS))


@pytest.mark.parametrize(
    ("stub", "why"),
    [
        (None, "No module named 'numba'"),
        ("raise ImportError('numba needs an older NumPy')", "numba needs an older NumPy"),
        ("raise OSError('no such library: llvm')", "no such library: llvm"),
        ("raise RuntimeError('no place for it')", "no place for it"),
        ("", "module 'numba' has no attribute 'njit'"),
    ],
)
def test_without_numba(install: Install, tmp_path: Path, stub: str | None, why: str) -> None:
    if stub is None:
        hide = "import importlib.abc\nclass Hide(importlib.abc.MetaPathFinder):\n"
        hide += "    def find_spec(self, name, path, target=None):\n"
        hide += "        if name == 'numba': raise ModuleNotFoundError(\"No module named 'numba'\", name=name)\n"
        hide += "sys.meta_path.insert(0, Hide())\n"
    else:
        (tmp_path / "numba.py").write_text(stub, encoding="utf-8")
        hide = f"sys.path.insert(0, {str(tmp_path)!r})\n"
    found = install.run(hide + WITHOUT_NUMBA)
    assert (found["singles"], found["statuses"], found["total"]) == (SCORES, STATUSES, 44)
    assert len(found["errors"]) == 5
    for name, typed, message in found["errors"]:
        assert (name, typed) == ("CompilerMissingError", True)
        assert f"numba cannot be imported: {why}; install" in message
        assert "pip install numba" in message


def test_error_of_a_missing_compiler_is_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(CompilerMissingError, match="numba cannot be imported") as caught:
        compilation.jit(len)
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, FastscoreError)


def test_no_advice_to_install_where_the_folder_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(os, "getcwd", gone)
    with pytest.raises(CompilerMissingError, match="the working directory is gone") as caught:
        compilation.jit(len)
    assert "pip install" not in str(caught.value)


# ---------------------------------------------------------------- parts


def test_a_function_made_later_is_not_kept() -> None:
    # It is not known then which code it may call.
    def double(number):  # type: ignore[no-untyped-def]
        return 2 * number

    kernel = compilation.jit(double)
    assert compilation.cache_folder(kernel) is None
    assert kernel(4) == 8


def code_of(source: str, path: str = "a.py") -> types.CodeType:
    return compile(source, path, "exec")


def test_hash_of_code() -> None:
    source = "LIMIT = 7\ndef inner(x):\n    return x + 1\ndef outer(x):\n    return [inner(x) for _ in range(LIMIT)]\n"
    first = compilation._hash_code(code_of(source))
    same = [code_of(source, "elsewhere/b.py"), code_of("# a comment\n\n" + source), code_of(source.replace("[", "[ "))]
    assert [compilation._hash_code(code) for code in same] == [first] * len(same)
    edits = [
        ("7", "8"),
        ("7", "7.0"),
        ("x + 1", "x - 1"),
        ("x + 1", "x + 2"),
        ("x + 1", "x + True"),
        ("inner(x) ", "outer(x) "),
    ]
    others = [compilation._hash_code(code_of(source.replace(old, new))) for old, new in edits]
    assert len({first, *others}) == 1 + len(edits)


def kept(folder: Path, origin: str = "0123456789abcdef" * 4) -> compilation._CodeFiles:
    """A store for some function whose code has the hash `origin`."""
    return compilation._CodeFiles(folder, code_of, origin)


def test_what_is_kept_is_given_back_for_its_key_only(tmp_path: Path) -> None:
    store = kept(tmp_path)
    store.save(("int64", "x86"), b"some code")
    assert store.load(("int64", "x86")) == b"some code"
    assert kept(tmp_path).load(("int64", "x86")) == b"some code"
    assert store.load(("int32", "x86")) is None
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    damaged = [whole[:size] for size in range(len(whole))]
    damaged += [bytes([*whole[:at], whole[at] ^ 0x10, *whole[at + 1 :]]) for at in range(len(whole))]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is damaged"):
            store.load(("int64", "x86"))
    store.save(("int64", "x86"), b"some code again")
    assert store.load(("int64", "x86")) == b"some code again"
    assert kept(tmp_path, "f" * 64).load(("int64", "x86")) is None
    # A newer source's file takes the place of the older one's.
    kept(tmp_path, "f" * 64).save(("int64", "x86"), b"newer")
    assert store.load(("int64", "x86")) is None
    assert kept(tmp_path, "f" * 64).load(("int64", "x86")) == b"newer"
    store.flush()
    assert list(tmp_path.iterdir()) == []


def test_many_threads_write_one_file(tmp_path: Path) -> None:
    store = kept(tmp_path)
    contents = [bytes([number]) * 100_000 for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        for content in contents:
            pool.submit(store.save, "key", content)
        found = [pool.submit(store.load, "key") for _ in range(64)]
    # Whole or not there yet, never a mixture.
    assert {future.result() for future in found} <= {None, *contents}
    assert store.load("key") in contents
    assert len(list(tmp_path.iterdir())) == 1
