"""The package's layers: who imports whom, who may print, open files or use numba, and how long a file may be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "fastscore"

# Each module imports only from modules above it. A name that ends in a dot is a package, one layer: its modules may
# import one another. Modules that are still to be written have their place here already.
LAYERS = (
    "errors",
    "status",
    "coordinates",
    "sanitise",
    "compilation",
    "slot_kernels",
    "walk_kernels",
    "kernels",
    "record_kernels",
    "gcg_kernels",
    "_kernels",
    "rules.",
    "notation.",
    "laying",
    "palettes",
    "pages.assets",
    "markup",
    "pictures",
    "board",
    "placements",
    "lexicon.kwg",
    "lexicon.word_lists",
    "lexicon.tables",
    "lexicon.__init__",
    "formation",
    "digraphs",
    "candidates",
    "breakdown",
    "words",
    "game",
    "records.__init__",
    "records.moves",
    "gcg.text",
    "gcg.codes",
    "gcg.lines",
    "gcg.reader",
    "gcg.writer",
    "gcg.__init__",
    "findings",
    "records.tile_aliases",
    "records.phonies",
    "reference",
    "endings",
    "challenges",
    "records.causes",
    "adjustments",
    "results",
    "records.settlement",
    "result_slip",
    "score_sheets",
    "tables",
    "records.facts",
    "records.codes",
    "records.arrays",
    "scoring",
    "expansion",
    "records.lost_tiles",
    "records.ledger",
    "records.placement_examination",
    "records.examination",
    "records.conclusion",
    "records.rules",
    "replays",
    "ruleset_choice",
    "records.corrected_text",
    "repairs",
    "pages.data",
    "pages.charts",
    "pages.markup",
    "pages.__init__",
    "testing",
    "batch_io.npz_files",
    "batch_io.csv_files",
    "batch_io.arrow_tables",
    "batch_io.__init__",
    "audit.",
    "commands.",
    "cli",
    "__main__",
)

KERNELS = ("slot_kernels", "walk_kernels", "kernels", "record_kernels", "gcg_kernels", "_kernels")

# Packages that are imported in few places only, and where.
CONFINED = {
    "numba": ("compilation", *KERNELS),
    "llvmlite": (),
    "pyarrow": ("batch_io.arrow_tables", "batch_io.__init__", "audit."),
    "duckdb": ("audit.",),
    "dask": ("audit.",),
    "distributed": ("audit.",),
    "matplotlib": ("audit.", "commands."),
    "click": ("commands.", "cli"),
    "rich": ("commands.", "cli"),
}
PRINTERS = ("gcg.__init__", "batch_io.__init__", "audit.", "commands.", "cli")
# The three beside batch_io are its formats.
# Rules read their own data and files that the user names, a lexicon the word list; compilation.py hashes the source
# files of kernels.
OPENERS = (
    *PRINTERS,
    "batch_io.npz_files",
    "batch_io.csv_files",
    "batch_io.arrow_tables",
    "compilation",
    "rules.",
    "lexicon.__init__",
)
OPENING_CALLS = {
    "open",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "fromfile",
    "tofile",
    "loadtxt",
    "savetxt",
    "genfromtxt",
    "savez",
    "savez_compressed",
    "memmap",
}
LONGEST_FILE = 700


def name_of(path: Path) -> str:
    """`rules.letters` for fastscore/rules/letters.py; `rules.__init__` for the package itself."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def layer_of(module: str) -> str | None:
    """The entry of LAYERS that a module belongs to."""
    if module.endswith("_kernels") and module not in LAYERS:
        return "_kernels"
    return next((layer for layer in LAYERS if module == layer or (layer[-1] == "." and module.startswith(layer))), None)


def belongs(module: str, layers: tuple[str, ...]) -> bool:
    return layer_of(module) in layers


SOURCES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {module: ast.parse(path.read_text(encoding="utf-8"), str(path)) for module, path in SOURCES.items()}
PACKAGES = {module.removesuffix(".__init__") for module in SOURCES if module.endswith(".__init__")}
MODULES = {module: tree for module, tree in TREES.items() if module != "__init__"}


def imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and dotted name of all that a module imports, at its top, for type checkers or inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full, from fastscore..."
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def imported_module(dotted: str) -> str | None:
    """The module of this package that holds `fastscore.x.name`, as in SOURCES; None if it is none of this package."""
    if dotted != "fastscore" and not dotted.startswith("fastscore."):
        return None
    name = dotted.removeprefix("fastscore").removeprefix(".")
    while name and name not in SOURCES and name not in PACKAGES:
        name = name.rpartition(".")[0]
    return f"{name}.__init__".removeprefix(".") if name in PACKAGES or not name else name


def test_the_map_for_contributors_names_every_module() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+(?:/|\.py))`", page.partition("## Where things are")[2].partition("\n## ")[0]))
    there = {
        f"{path.name}/" if path.is_dir() else path.name for path in PACKAGE.iterdir() if not path.name.startswith("_")
    }
    # The first layers serve all others, and the kernels stand there together.
    base = {"errors.py", "status.py", "coordinates.py", "sanitise.py", "digraphs.py", "py.typed"}
    assert named == {name for name in there if not name.endswith("kernels.py")} - base


def test_every_module_has_a_layer() -> None:
    assert SOURCES, "no sources found"
    homeless = [module for module in MODULES if layer_of(module) is None]
    assert not homeless, f"give these modules their place in LAYERS: {homeless}"


@pytest.mark.parametrize("module", MODULES)
def test_imports_only_from_above(module: str) -> None:
    own = layer_of(module)
    assert own is not None
    above = LAYERS[: LAYERS.index(own)]
    for line, dotted in imports(MODULES[module]):
        target = imported_module(dotted)
        if target == "__init__":
            # The package itself knows everything; only its version may be asked for from within.
            assert dotted == "fastscore.__version__", f"{module}:{line} imports {dotted} from the package itself"
        elif target is not None:
            layer = layer_of(target)
            fine = layer in above or (layer == own and own.endswith("."))
            assert fine, f"{module}:{line} imports {dotted} from below it"


@pytest.mark.parametrize("module", [module for module in MODULES if layer_of(module) in KERNELS])
def test_kernel_files_import_only_kernels(module: str) -> None:
    # The stamp of cached machine code (compilation.py) covers kernel modules only; the decorator is no part of it.
    own = {imported_module(dotted) for _, dotted in imports(MODULES[module])} - {None}
    assert own <= {"compilation", *KERNELS}


@pytest.mark.parametrize("module", TREES)
def test_confined_imports(module: str) -> None:
    for line, dotted in imports(TREES[module]):
        layers = CONFINED.get(dotted.partition(".")[0])
        assert layers is None or belongs(module, layers), f"{module}:{line} imports {dotted}"


@pytest.mark.parametrize("module", TREES)
def test_who_prints_and_who_opens(module: str) -> None:
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Call):
            called = node.func
            name = (
                called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
            )
            where = f"{module}:{node.lineno}"
            assert name != "print" or belongs(module, PRINTERS), f"{where} prints"
            assert name not in OPENING_CALLS or belongs(module, OPENERS), f"{where} opens a file"
        elif isinstance(node, ast.Attribute) and node.attr in ("stdin", "stdout", "stderr"):
            assert belongs(module, PRINTERS), f"{module}:{node.lineno} uses {node.attr}"


@pytest.mark.parametrize("folder", ["fastscore", "tests", "benches"])
def test_no_file_is_too_long(folder: str) -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / folder).rglob("*.py")
    }
    assert lengths
    assert {path: length for path, length in lengths.items() if length > LONGEST_FILE} == {}


def undocumented(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            overload = any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list)
            if not overload and not ast.get_docstring(node):
                yield f"{prefix}{node.name}"
            if isinstance(node, ast.ClassDef):
                yield from undocumented(node.body, f"{prefix}{node.name}.")


@pytest.mark.parametrize("module", TREES)
def test_public_names_are_documented(module: str) -> None:
    tree = TREES[module]
    assert ast.get_docstring(tree), f"{module} has no docstring"
    assert list(undocumented(tree.body, "")) == []


@pytest.mark.parametrize("module", [module for module in MODULES if not module.endswith("__")])
def test_modules_name_what_is_public(module: str) -> None:
    tree = MODULES[module]
    public: list[str] = []
    defined: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
            defined |= names
            if "__all__" in names and node.value is not None:
                public = ast.literal_eval(node.value)
    assert public, f"{module} has no __all__"
    assert set(public) <= defined


def test_no_public_name_is_that_of_a_module() -> None:
    # Whoever imports the module would find it in the name's place.
    names = {name for node in TREES["__init__"].body for name in assigned_names(node)}
    assert names, "the package names nothing public"
    assert names & {module.partition(".")[0] for module in MODULES} == {"errors"}


def assigned_names(node: ast.stmt) -> list[str]:
    """What `__all__ = [...]` lists; nothing for other statements."""
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        listed: list[str] = ast.literal_eval(node.value)
        return listed
    return []
