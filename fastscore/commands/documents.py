"""Pages and pictures as files: what they may replace, and how they come into being."""

from __future__ import annotations

import os
import shutil
import sys
import uuid
from collections.abc import Iterable

from fastscore.errors import FastscoreError, quote

__all__ = ["STDOUT", "Documents"]

STDOUT = "-"
"""The name that stands for standard output."""


class Documents:
    """The files of one kind that a command writes beside its output, and what they may replace.

    A shell puts any name behind an option where the user forgot the one that was meant, so nothing is replaced but an
    empty file and what looks like an earlier document of this kind, unless it is `force`d; and a file that the command
    reads is never replaced.

    `option` and `kind`: as users know them (`--html`, `page`). `start`: the text that a document of this kind begins
    with. `inputs`: files that the command reads; names of no file are left out.
    """

    def __init__(self, option: str, kind: str, start: str, inputs: Iterable[str | None], *, force: bool) -> None:
        self._option = option
        self._kind = kind
        self._start = start.encode()
        self._inputs = [file for file in inputs if file is not None and os.path.exists(file)]
        self._force = force

    def check(self, path: str) -> None:
        """Raise FastscoreError where a document must not go to this file; OSError where that cannot be found out."""
        # What is written to a device or a pipe takes nothing away.
        if path == STDOUT or not os.path.isfile(path):
            return
        if any(os.path.samefile(path, file) for file in self._inputs):
            raise FastscoreError(
                f"{self._option} {quote(path)} is one of the files that are read, expected another name"
            )
        if not self._force and not self._like_one(path):
            raise FastscoreError(
                f"{self._option} {quote(path)} is there already and is no {self._kind} of fastscore, "
                "expected another name, or --force"
            )

    def _like_one(self, path: str) -> bool:
        with open(path, "rb") as file:
            return file.read(len(self._start)) in (b"", self._start)

    def write(self, path: str, text: str) -> None:
        """Write a document, in UTF-8, or to standard output if `path` is `-`; the file appears whole or not at all.

        Raises what `check` raises, before anything is written; OSError.
        """
        self.check(path)
        if path == STDOUT:
            sys.stdout.write(text)
            return
        # A link stays one; a device or a pipe is written to and not replaced.
        target = os.path.realpath(path)
        exists = os.path.exists(target)
        special = exists and not os.path.isfile(target)
        # A short name: the one of the target may be as long as names can be.
        part = target if special else os.path.join(os.path.dirname(target), f".{uuid.uuid4().hex}")
        try:
            with open(part, "w", encoding="utf-8", newline="\n") as file:
                if exists and not special:
                    # Before there is anything in it that others may not be meant to read.
                    shutil.copymode(target, part)
                file.write(text)
            if not special:
                os.replace(part, target)
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None
        finally:
            if not special and os.path.exists(part):
                os.remove(part)
