"""GCG, the record format of crossword games: files <-> Game.

Reading is lenient: whatever a record says is taken as far as it can be understood, and each departure from the format
is kept as a Problem with a stable code (`fastscore.gcg.codes.CODES`) and its place. `strict=True` raises RecordError
with the same code instead. Writing is strict, in one spelling that reads back as an equal Game.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import stat
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Final, Literal, cast

from fastscore.errors import RecordError, quote
from fastscore.game import Game, Problem
from fastscore.gcg.codes import CODES
from fastscore.gcg.reader import read_game_text
from fastscore.gcg.text import GameText, decode_game, split_games
from fastscore.gcg.writer import format_game

__all__ = ["read_game", "read_games", "read_games_and_texts", "write_gcg"]

PathOrHandle = str | os.PathLike[str] | IO[bytes] | IO[str]

_PACKED: Final = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"PAR1": "Parquet"}
"""How packed files begin; no text does."""
_LONGEST_MAGIC: Final = 4


def read_games(path_or_handle: PathOrHandle, *, strict: bool = False) -> Iterator[Game]:
    """The games of a file, one after the other; never more than one of them is held.

    Parameters
    ----------
    path_or_handle
        The path of a file, or a handle open for reading bytes, or for reading text that is decoded already. A new game
        begins at a line `#character-encoding` or `#player1`, once the game before has an event.
    strict
        Raise RecordError, with the problem's code, file, line and column, for the first problem that is more than a
        note. Otherwise problems are collected in `game.problems` and never touch the next game. A device that is not
        standard input raises it in any case.

    Yields
    ------
    Game
        At least one: an empty file is a game with the problem `empty-file`. Of a game, 1 MiB, 20,000 lines and 65,536
        characters of a line are read.
    """
    for text, source in _texts(path_or_handle):
        yield read_game_text(text, source=source, strict=strict)


def read_games_and_texts(path_or_handle: PathOrHandle) -> Iterator[tuple[Game, str]]:
    """The games of a file, as `read_games` gives them, and the text of each, its lines ended by LF."""
    for text, source in _texts(path_or_handle):
        yield read_game_text(text, source=source), text.text


def read_game(path_or_handle: PathOrHandle, *, strict: bool = False) -> Game:
    """The game of a file; of several games the first, with the problem `several-games`.

    Parameters and errors are those of `read_games`.
    """
    texts = _texts(path_or_handle)
    first, source = next(texts)
    game = read_game_text(first, source=source, strict=strict)
    for another, _ in texts:
        code, line, detail = "several-games", another.first_line, "a second game begins here, expected one"
        if strict:
            raise RecordError(detail, code=code, source=source, line=line)
        game.problems.append(Problem(code, line, 0, detail, CODES[code].severity))
        break
    texts.close()
    return game


def write_gcg(
    game: Game,
    path_or_handle: PathOrHandle,
    *,
    malformed: Literal["refuse", "keep"] = "refuse",
) -> None:
    """Write the record of a game, in UTF-8; several games may follow one another in a file.

    Parameters
    ----------
    game
        What is read back is equal to it.
    path_or_handle
        The path of a file, which is replaced, or a handle open for writing bytes or UTF-8 text.
    malformed
        Whether events of the kind malformed, lines that were not understood, are refused or written as they were.

    Raises
    ------
    RecordError
        With the code `unwritable`, before anything is written, for what the format cannot say: an event without score
        or total, a short name with white space, a comment with a line that looks like an event.
    """
    text = format_game(game, malformed=malformed)
    if isinstance(path_or_handle, (str, os.PathLike)):
        Path(path_or_handle).write_bytes(text.encode("utf-8"))
    elif isinstance(path_or_handle, io.TextIOBase):
        # A StringIO has none.
        encoding: str | None = path_or_handle.encoding
        if encoding is not None and codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
            raise RecordError(f"a handle that writes {quote(encoding)}, expected UTF-8", code="unwritable")
        path_or_handle.write(text)
    else:
        cast("IO[bytes]", path_or_handle).write(text.encode("utf-8"))


def _texts(path_or_handle: PathOrHandle) -> Generator[tuple[GameText, str | None], None, None]:
    """The text of every game of a file and the file's name."""
    if isinstance(path_or_handle, (str, os.PathLike)):
        _refuse_device(path_or_handle)
        with Path(path_or_handle).open("rb") as handle:
            _refuse_packed(handle.peek(_LONGEST_MAGIC), os.fspath(path_or_handle))
            yield from _read_texts(handle, os.fspath(path_or_handle))
    else:
        _check_handle(path_or_handle)
        name = getattr(path_or_handle, "name", None)
        yield from _read_texts(path_or_handle, name if isinstance(name, str) else None)


def _refuse_device(path: str | os.PathLike[str]) -> None:
    """Devices such as /dev/zero have no end. The null device is empty, and standard input is what the user made it."""
    found = os.stat(path)
    if not (stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)):
        return
    for harmless in (0, os.devnull):
        with contextlib.suppress(OSError):
            if os.path.samestat(found, os.stat(harmless)):
                return
    raise RecordError("is a device, expected a file", code="source-not-regular", source=os.fspath(path))


def _refuse_packed(beginning: bytes, source: str) -> None:
    """What is packed has no line of a record, and as one it would be copied as thousands of malformed lines."""
    for magic, kind in _PACKED.items():
        if beginning.startswith(magic):
            detail = f"is packed ({kind}), expected records as text: unpack it, or fastscore audit"
            raise RecordError(detail, code="source-packed", source=source)


def _check_handle(given: object) -> None:
    if not hasattr(given, "read"):
        hint = "; io.BytesIO makes a handle of bytes" if isinstance(given, (bytes, bytearray)) else ""
        detail = f"{type(given).__name__} {quote(given)}, expected a path or a handle open for reading{hint}"
        raise RecordError(detail, code="source-unknown")


def _read_texts(handle: IO[bytes] | IO[str], source: str | None) -> Iterator[tuple[GameText, str | None]]:
    inherited: str | None = None
    is_text = False

    def read_bytes(size: int) -> bytes:
        nonlocal is_text
        piece = handle.read(size)
        if isinstance(piece, str):
            is_text = True
            return piece.encode("utf-8", "surrogatepass")
        return piece

    for game in split_games(read_bytes):
        text = decode_game(game, inherited, as_text=is_text)
        if text.encoding_declared is not None:
            inherited = text.encoding
        yield text, source
