"""The one place that decides how kernels are compiled and where their machine code is kept.

Kernel files say `@jit`; nothing else in the package decorates. Compilation happens at the first call, never at
import. The cache is a convenience: whatever is wrong with it (read-only install, no home, a truncated or foreign
file) must only mean "slower", never an error and never another number.

numba chooses the folder (`NUMBA_CACHE_DIR`, beside the package, or the user's cache); the files in it are ours, one for
each compiled version, since numba's own can give wrong code: it writes its index before the code that the index names,
so that a process that reads in between, or after a kill in between, takes the old code for the new; it does not know
which checks were compiled in, nor that code of other files has become part of a function; and damaged machine code
crashes. What a file is for stands in its name and again within, under a checksum.

Environment: `FASTSCORE_NUMBA_CACHE=0` turns the cache off.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import pickle
import sys
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, TypeVar

from fastscore.errors import CompilerMissingError

__all__ = ["cache_enabled", "cache_folder", "jit"]

_log = logging.getLogger("fastscore")
_told: set[str] = set()
_Function = TypeVar("_Function", bound=Callable[..., Any])

_SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "OPT")
"""What of numba's configuration changes the machine code, beside the processor, which is in numba's own key."""
_CHECKSUM = hashlib.sha256().digest_size
_NAME_DIGITS = 16


def cache_enabled() -> bool:
    """Whether machine code may be kept on disk: yes, unless `FASTSCORE_NUMBA_CACHE` is `0`."""
    return os.environ.get("FASTSCORE_NUMBA_CACHE", "1").strip() != "0"


def cache_folder(kernel: Callable[..., Any]) -> str | None:
    """Where the machine code of a kernel is kept, None where it is not kept (or not compiled)."""
    stats = getattr(kernel, "stats", None)
    return None if stats is None else stats.cache_path


def jit(function: _Function | None = None, *, inline: bool = False, allocates: bool = False) -> Any:
    """`numba.njit` as every kernel uses it: releases the GIL, C division, lazy types, tolerant cache.

    With `inline` the function is merged into its callers before compilation, and nothing of its own is cached. numba
    counts references for every array that it passes to a call, about 0.4 us for a call with ten arrays; that is as
    much as 40 plays take.

    Raises CompilerMissingError where numba cannot be imported.
    """
    if function is None:
        return lambda inner: jit(inner, inline=inline, allocates=allocates)
    numba = _numba()
    origin = _origin(function)
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": allocates}
    if inline:
        return numba.njit(function, forceinline=True, **options)
    dispatcher = numba.njit(function, **options)
    if origin is not None and cache_enabled() and hasattr(dispatcher, "enable_caching"):
        try:
            dispatcher.enable_caching()
            cache = dispatcher._cache
            cache._cache_file = _CodeFiles(Path(cache._cache_file._cache_path), function, _hash(origin, options))
            dispatcher._cache = _TolerantCache(cache)
        except Exception as error:  # no place for a cache: numba raises RuntimeError, an OSError may come first
            _tell("compiled code is not kept", error)
            dispatcher = numba.njit(function, **options)
    return dispatcher


def _numba() -> Any:
    """The package numba, imported when the first kernel file is."""
    try:
        numba = importlib.import_module("numba")
        numba.njit  # noqa: B018 - a folder that is called numba can be imported, and has nothing in it
    except Exception as error:  # its parts check what they find, and raise what they like
        raise CompilerMissingError(
            f"batches are scored by compiled code, and numba cannot be imported: {error}; {_advice()}"
        ) from error
    return numba


def _advice() -> str:
    try:
        os.getcwd()
    except OSError:
        return "the working directory is gone: change to another"
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"install a numba that fits Python {python} and the installed NumPy: pip install numba"


def _tell(what: str, error: BaseException) -> None:
    """One message a process: each of a dozen kernels has the same trouble."""
    if what not in _told:
        _told.add(what)
        _log.debug("%s: %s", what, error)


class _TolerantCache:
    """A numba cache whose every failure is a miss: numba lets most of them reach the caller."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        try:
            return self._cache.load_overload(signature, context)
        except Exception as error:  # whatever unpickling a foreign file may raise
            _tell("compiled code in the cache cannot be used and is made again", error)
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            self._cache.save_overload(signature, data)
        except Exception as error:
            _tell("compiled code is not kept", error)


class _CodeFiles:
    """The machine code of one kernel on disk, in place of numba's index and data files.

    A file is a SHA-256 checksum and a pickle of (what it is for, machine code as numba gives it). It appears at once
    and whole, so any number of processes may read and write. Files of older sources are deleted; those of other
    versions of numba and of other settings stay, since environments may share a checkout.
    """

    def __init__(self, folder: Path, function: Callable[..., Any], origin: str) -> None:
        abi = getattr(sys, "abiflags", "")
        self._folder = folder
        self._name = f"{function.__module__}.{function.__qualname__}.py{sys.version_info[0]}{sys.version_info[1]}{abi}"
        self._origin = origin
        # NumPy's rules decide the types of results.
        self._versions = [importlib.import_module(package).__version__ for package in ("numba", "numpy")]

    def load(self, key: Any) -> Any:
        """The machine code for numba's key (types of the arguments, processor, byte code), None if there is none."""
        purpose, path = self._find(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        checksum, body = content[:_CHECKSUM], content[_CHECKSUM:]
        if hashlib.sha256(body).digest() != checksum:
            raise ValueError(f"{path} is damaged")
        kept_for, data = pickle.loads(body)
        return data if kept_for == purpose else None

    def save(self, key: Any, data: Any) -> None:
        """Keep machine code for numba's key."""
        purpose, path = self._find(key)
        body: bytes = importlib.import_module("numba.core.serialize").dumps((purpose, data))
        unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
        try:
            unfinished.write_bytes(hashlib.sha256(body).digest() + body)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        for other in self._folder.glob(f"{self._name}.*.nbc"):
            if not other.name.startswith(self._prefix):
                other.unlink(missing_ok=True)

    def flush(self) -> None:
        """Forget all machine code of this kernel (numba asks for it before it compiles everything anew)."""
        for path in self._folder.glob(f"{self._name}.*.nbc"):
            path.unlink(missing_ok=True)

    @property
    def _prefix(self) -> str:
        return f"{self._name}.{self._origin[:_NAME_DIGITS]}."

    def _find(self, key: Any) -> tuple[Any, Path]:
        config = importlib.import_module("numba.core.config")
        purpose = self._origin, self._versions, [getattr(config, setting, None) for setting in _SETTINGS], key
        return purpose, self._folder / f"{self._prefix}{_hash(*purpose)[:_NAME_DIGITS]}.nbc"


_origins: dict[str, str] = {}
"""By the name of a kernel module: hash of its code and of that of the kernel modules which it imports."""


def _origin(function: Callable[..., Any]) -> str | None:
    """Hash of all code that may become part of the function's machine code; None if it cannot be known.

    It is that of the code which is defining the function's module at this moment, found among the callers. The source
    file is no substitute: where its time and size stay the same, Python runs the byte code of the old file.
    """
    space: dict[str, Any] = getattr(function, "__globals__", {})
    frame: FrameType | None = sys._getframe()
    while frame is not None and (frame.f_code.co_name != "<module>" or frame.f_globals is not space):
        frame = frame.f_back
    if frame is None:
        return None
    imported = {*frame.f_code.co_names, *(value.__name__ for value in space.values() if isinstance(value, ModuleType))}
    used = sorted(_origins[name] for name in imported - {function.__module__} if name in _origins)
    found = _origins[function.__module__] = _hash(_hash_code(frame.f_code), used)
    return found


@cache
def _hash_code(code: CodeType) -> str:
    """Hash of all that runs, with functions within: the same in every process, and for another path or line."""
    constants = [_hash_code(value) if isinstance(value, CodeType) else value for value in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return _hash(code.co_code, constants, names, code.co_flags, code.co_argcount)


def _hash(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
