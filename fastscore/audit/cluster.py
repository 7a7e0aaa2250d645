"""Chunks worked on by the workers of a Dask scheduler.

Sources are read and files are written where the run is: the workers need fastscore and see no file. What a worker had
that goes away is given to another.
"""

from __future__ import annotations

import importlib
import logging
import pickle
import re
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from fastscore import __version__
from fastscore.audit.archives import reason
from fastscore.audit.chunks import Chunk, Done, work, work_with_files
from fastscore.audit.failures import AuditError
from fastscore.audit.ruling import AnyRules
from fastscore.audit.workers import CHUNKS_AHEAD
from fastscore.errors import MissingExtraError, quote

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = ["Cluster"]

_RETRIES: Final = 3
"""How often a chunk is tried again whose worker went away."""
_CONNECT_SECONDS: Final = 20
_VERSION: Final = "__import__('fastscore').__version__"
_ADDRESS: Final = re.compile(r"(?:[a-z]+://)?(?:\[([0-9a-fA-F:.%]+)\]|([^\s:/\[\]]+)):([0-9]{1,5})")


class Cluster:
    """A connection to a scheduler, like tcp://127.0.0.1:8786, while it is open.

    Entering raises AuditError for a scheduler that cannot be reached or has no worker, and MissingExtraError.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._distributed: Any = None
        self._client: Any = None
        self._logger = logging.getLogger("distributed")
        self._level = self._logger.level

    def __enter__(self) -> Cluster:
        try:
            self._distributed = importlib.import_module("distributed")
        except ImportError as error:
            raise MissingExtraError(
                f"distributed cannot be imported ({error}), expected the extra: pip install 'fastscore[cluster]'"
            ) from None
        found = _ADDRESS.fullmatch(self.address)
        if found is None or int(found[3]) > 0xFFFF:
            raise AuditError(f"scheduler {quote(self.address)}, expected an address like tcp://127.0.0.1:8786")
        # What becomes of connections is said here, in one line.
        self._logger.setLevel(logging.CRITICAL + 1)
        try:
            # A client that never had a connection goes on for long, and writes of it as it ends.
            socket.create_connection((found[1] or found[2], int(found[3])), _CONNECT_SECONDS).close()
            self._client = self._distributed.Client(self.address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            self._logger.setLevel(self._level)
            raise AuditError(f"scheduler {quote(self.address)} cannot be reached: {reason(error).lower()}") from error
        try:
            self._client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
            self._check_versions()
        except TimeoutError:
            self.__exit__()
            raise AuditError(
                f"scheduler {quote(self.address)} has no worker after {_CONNECT_SECONDS} seconds, expected one or more"
            ) from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def _check_versions(self) -> None:
        """Raise AuditError for workers without this version of fastscore: they would die of every chunk."""
        # A built-in function, which can be sent to a worker that has nothing of ours.
        found = self._client.run(eval, _VERSION, on_error="return")
        for worker, version in found.items():
            if version != __version__:
                what = f"fastscore {quote(version)}" if isinstance(version, str) else "no fastscore"
                raise AuditError(
                    f"worker {quote(worker)} of scheduler {quote(self.address)} has {what}, expected {__version__}"
                )

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._logger.setLevel(self._level)

    def work(self, chunks: Iterator[Chunk], rules: AnyRules, lexicon: Lexicon | None = None) -> Iterator[Done]:
        """What comes of the chunks. Raises AuditError if the scheduler goes away."""
        client, distributed = self._client, self._distributed
        failures = (distributed.KilledWorker, distributed.CancelledError, distributed.comm.CommClosedError, OSError)
        try:
            # As a task of its own the lexicon goes to a worker once, and is not lost with one.
            words = None if lexicon is None else client.submit(pickle.loads, pickle.dumps(lexicon), pure=False)
            running = distributed.as_completed(loop=client.loop)
            window = CHUNKS_AHEAD * max(1, sum(client.nthreads().values()))
            for chunk in chunks:
                running.add(_submit(client, chunk, rules, words))
                if running.count() >= window:
                    yield next(running).result()
            for future in running:
                yield future.result()
        except failures as error:
            raise AuditError(
                f"the cluster at {quote(self.address)} gave up: {type(error).__name__}: {reason(error)}; --resume goes "
                "on with what is left"
            ) from error


def _submit(client: Any, chunk: Chunk, rules: AnyRules, words: Any) -> Any:
    whole = work_with_files(chunk)
    # As bytes, which the scheduler does not look into for other tasks.
    given = pickle.dumps((whole.number, whole.key, whole.items, rules))
    return client.submit(_work_pickled, given, words, pure=False, retries=_RETRIES)


def _work_pickled(given: bytes, lexicon: Lexicon | None) -> Done:
    number, key, items, rules = pickle.loads(given)
    return work(number, key, items, rules, lexicon)
