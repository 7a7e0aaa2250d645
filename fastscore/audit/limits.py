"""How much is read from a source, and what is said of one that is not read."""

from __future__ import annotations

import lzma
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from fastscore.errors import FastscoreError, quote

__all__ = ["ArchiveError", "Limits", "check_amount", "reason"]

_EXPECTED: Final = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    tarfile.TarError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    ValueError,
    pa.ArrowException,
)
"""What reading a damaged, encrypted or unknown file raises."""


class ArchiveError(FastscoreError):
    """An archive, or a member of one, that is not read; `code` is the one of the table `errors`."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


@dataclass(frozen=True)
class Limits:
    """How much is read from an archive, or a column.

    `member`: bytes of one member. `total`: bytes that come out of an archive, all together. `ratio`: how many times as
    many bytes may come out as go in, asked for when more than `ratio_from` bytes came out. Records of games shrink to
    a fifth, and to a fiftieth where many are the same.
    """

    member: int = 4 << 30
    total: int = 1 << 40
    ratio: int = 250
    ratio_from: int = 256 << 20


def check_amount(out: int, into: int, limits: Limits) -> None:
    """Raise ArchiveError if more bytes came out than the limits allow."""
    if out > limits.total:
        raise ArchiveError("archive-too-large", f"more than {limits.total} bytes come out of it")
    if out > limits.ratio_from and out > limits.ratio * max(into, 1):
        detail = f"{out} bytes came out of {into}, expected {limits.ratio} times as many at most"
        raise ArchiveError("archive-ratio", detail)


def reason(error: BaseException) -> str:
    """An exception in a few words."""
    name = type(error).__name__
    text = (error.strerror if isinstance(error, OSError) else None) or str(error) or name
    if not isinstance(error, _EXPECTED) and text != name:
        # Words such as "list index out of range" say nothing without it.
        text = f"{name}: {text}"
    lines = text.splitlines()
    return quote(lines[0] if lines else name, 200)[1:-1]
