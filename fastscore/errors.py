"""The errors that fastscore raises.

Every message is lower case, quotes what was wrong and says what was expected. Where the input came from a file, the
message begins with ``file:line:column:`` as compilers write it, and the same three are attributes.
"""

from __future__ import annotations

__all__ = [
    "CompilerMissingError",
    "FastscoreError",
    "LexiconError",
    "MissingExtraError",
    "NotationError",
    "PlacementError",
    "PositionError",
    "RecordError",
    "RulesError",
    "ShapeError",
    "TableError",
    "quote",
]

_QUOTE_LIMIT = 60
_ERROR_LINE_LIMIT = 200


def quote(value: object, limit: int = _QUOTE_LIMIT) -> str:
    """The value as it may stand in a message: one line, printable characters only, at most `limit` characters of it."""
    text = value if isinstance(value, str) else str(value)
    shown = repr(text[:limit])
    # repr leaves printable non-ASCII alone and escapes control and bidirectional characters.
    return shown if len(text) <= limit else f"{shown}... ({len(text)} characters)"


class FastscoreError(ValueError):
    """Base of every error of this package.

    Attributes: `detail` (the message without its place), `source` (file name or None), `line` and `column`
    (1-based, or None).
    """

    def __init__(
        self, detail: str, *, source: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        self.detail = detail
        self.source = source
        self.line = line
        self.column = column
        place = [] if source is None else [quote(source, _ERROR_LINE_LIMIT)[1:-1]]
        if line is not None:
            place.append(str(line) if source is not None else f"line {line}")
            if column is not None:
                place.append(str(column) if source is not None else f"column {column}")
        super().__init__(f"{':'.join(place)}: {detail}" if place else detail)

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process boundaries (workers); the default would drop the keyword arguments.
        return (_rebuild, (type(self), self.detail, {**self.__dict__}))


def _rebuild(kind: type[FastscoreError], detail: str, state: dict[str, object]) -> FastscoreError:
    error = kind.__new__(kind)
    FastscoreError.__init__(
        error,
        detail,
        source=state.get("source"),  # type: ignore[arg-type]
        line=state.get("line"),  # type: ignore[arg-type]
        column=state.get("column"),  # type: ignore[arg-type]
    )
    error.__dict__.update(state)
    return error


class RulesError(FastscoreError):
    """A ruleset, board layout or letter distribution that is unknown, malformed or contradicts itself."""


class NotationError(FastscoreError):
    """A coordinate, play or rack text that cannot be read."""


class PositionError(FastscoreError):
    """A board or CGP text that cannot be read."""


class ShapeError(FastscoreError):
    """Arrays whose shapes or kinds do not fit together; the message quotes them."""


class TableError(FastscoreError):
    """A file or table of placements, boards or scores that cannot be read or written; the message names the column."""


class MissingExtraError(FastscoreError):
    """A package is not installed that comes with an extra of this one; the message says which."""


class RecordError(FastscoreError):
    """A game record that cannot be read; `code` is the stable name of the problem."""

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        source: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(detail, source=source, line=line, column=column)
        self.code = code


class LexiconError(FastscoreError):
    """A word list or word graph that cannot be read; `node` is the number of the graph's bad node, from 0, or None."""

    def __init__(
        self,
        detail: str,
        *,
        node: int | None = None,
        source: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(detail, source=source, line=line, column=column)
        self.node = node


class PlacementError(FastscoreError):
    """A play that no score can be given for; `status` holds every reason as a `fastscore.Status`."""

    def __init__(self, detail: str, *, status: int) -> None:
        super().__init__(detail)
        self.status = status


class CompilerMissingError(FastscoreError, ImportError):
    """What is asked for needs compiled code, and numba is not installed or cannot be loaded."""
