"""Where chunks are worked on: in this process, in others, or on a cluster. All give the same, in any order."""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing.connection
import os
import pickle
import queue
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from fastscore.audit.archives import reason
from fastscore.audit.chunks import Chunk, Done, work, work_with_files
from fastscore.audit.failures import AuditError
from fastscore.audit.ruling import AnyRules
from fastscore.errors import MissingExtraError, quote

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = ["in_processes", "in_this_process", "on_cluster"]

_AHEAD: Final = 2
"""Chunks for each worker that are read and not yet written: they are all that is held in memory."""
_RETRIES: Final = 3
"""How often the cluster tries a chunk again whose worker went away."""
_CONNECT_SECONDS: Final = 20


def in_this_process(chunks: Iterable[Chunk], rules: AnyRules, lexicon: Lexicon | None = None) -> Iterator[Done]:
    """One chunk after the other, here."""
    for chunk in chunks:
        yield work(chunk.number, chunk.key, chunk.items, rules, lexicon)


# --- processes --------------------------------------------------------------------------------------------------------


def in_processes(
    chunks: Iterator[Chunk], rules: AnyRules, workers: int, lexicon: Lexicon | None = None
) -> Iterator[Done]:
    """In `workers` processes, which are started anew and not forked. A single chunk is worked on here.

    Raises AuditError if a worker ends without being asked to.
    """
    first = list(islice(chunks, 2))
    if len(first) < 2 or workers < 2:
        yield from in_this_process(chain(first, chunks), rules, lexicon)
        return
    crew: list[_Worker] = []
    try:
        crew += (_Worker(rules, lexicon) for _ in range(workers))
        for chunk in chain(first, chunks):
            while min(worker.waiting for worker in crew) >= _AHEAD:
                yield from _collect(crew)
            min(crew, key=lambda worker: worker.waiting).give(chunk)
        while any(worker.waiting for worker in crew):
            yield from _collect(crew)
    finally:
        for worker in crew:
            worker.end()


class _Worker:
    """A process and a pipe to it. Pools of the standard library hang where a process is killed with its queue full."""

    def __init__(self, rules: AnyRules, lexicon: Lexicon | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.waiting = 0
        """Chunks that were given and have not come back."""
        self._process = context.Process(target=_serve, args=(theirs, rules, lexicon), daemon=True)
        self._process.start()
        # The process has its own; with this one open its end would go unnoticed.
        theirs.close()

    def give(self, chunk: Chunk) -> None:
        with _dying():
            self.pipe.send(tuple(chunk))
        self.waiting += 1

    def take(self) -> Done:
        """The next result. Raises what working on the chunk raised."""
        with _dying():
            found: Done | Exception = self.pipe.recv()
        self.waiting -= 1
        if isinstance(found, Exception):
            raise found
        return found

    def end(self) -> None:
        self.pipe.close()
        if self.waiting:
            # Nobody waits for what it does.
            self._process.kill()
        self._process.join()


def _collect(crew: Sequence[_Worker]) -> Iterator[Done]:
    """What has come back; waits for one chunk at least."""
    by_pipe = {id(worker.pipe): worker for worker in crew if worker.waiting}
    for pipe in multiprocessing.connection.wait([worker.pipe for worker in by_pipe.values()]):
        yield by_pipe[id(pipe)].take()


@contextlib.contextmanager
def _dying() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):
        raise AuditError(
            "a worker process ended without being asked to, killed perhaps, or out of memory: --resume goes on with "
            "what is left, --workers sets how many there are"
        ) from None


def _serve(pipe: Any, rules: AnyRules, lexicon: Lexicon | None) -> None:
    """What a worker process does: chunks come in, results go out, until the other end is closed or gone."""
    # An interrupt is the main process's to deal with.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    chunks: queue.SimpleQueue[Chunk] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, chunks), daemon=True).start()
    while True:
        chunk = chunks.get()
        try:
            result: Done | Exception = work(*chunk, rules, lexicon)
        except Exception as error:
            result = error
        try:
            pipe.send(result)
        except (pickle.PicklingError, TypeError, AttributeError):
            pipe.send(AuditError(f"a worker failed: {type(result).__name__}: {result}"))
        except OSError:
            os._exit(1)


def _receive(pipe: Any, chunks: queue.SimpleQueue[Chunk]) -> None:
    """Take in what comes at once, so that the main process need not wait; it never gives more than _AHEAD chunks."""
    try:
        while True:
            chunks.put(Chunk(*pipe.recv()))
    except (EOFError, OSError):
        # All is done, or the main process was killed, and cannot tell.
        os._exit(0)


# --- cluster ----------------------------------------------------------------------------------------------------------


def on_cluster(
    chunks: Iterator[Chunk], rules: AnyRules, address: str, lexicon: Lexicon | None = None
) -> Iterator[Done]:
    """On the workers of a Dask scheduler, like tcp://127.0.0.1:8786, on which fastscore is installed.

    Sources are read here, and files are written here: the workers see no file. What a worker had that goes away is
    given to another. Raises AuditError for a scheduler that cannot be reached or goes away, MissingExtraError.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise MissingExtraError(
            f"distributed cannot be imported ({error}), expected the extra: pip install 'fastscore[cluster]'"
        ) from None
    try:
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise AuditError(f"scheduler {quote(address)} cannot be reached: {reason(error)}") from error
    failures = (distributed.KilledWorker, distributed.CancelledError, distributed.comm.CommClosedError, OSError)
    try:
        with client:
            # As a task of its own the lexicon goes to a worker once, and is not lost with one.
            words = None if lexicon is None else client.submit(pickle.loads, pickle.dumps(lexicon), pure=False)
            yield from _on_client(client, distributed.as_completed(loop=client.loop), chunks, rules, words)
    except failures as error:
        raise AuditError(
            f"the cluster at {quote(address)} gave up: {type(error).__name__}: {reason(error)}; --resume goes on with "
            "what is left"
        ) from error


def _on_client(client: Any, running: Any, chunks: Iterator[Chunk], rules: AnyRules, words: Any) -> Iterator[Done]:
    window = _AHEAD * max(1, sum(client.nthreads().values()))
    for chunk in chunks:
        running.add(_submit(client, chunk, rules, words))
        if running.count() >= window:
            yield next(running).result()
    for future in running:
        yield future.result()


def _submit(client: Any, chunk: Chunk, rules: AnyRules, words: Any) -> Any:
    whole = work_with_files(chunk)
    # As bytes, which the scheduler does not look into for other tasks.
    given = pickle.dumps((whole.number, whole.key, whole.items, rules))
    return client.submit(_work_pickled, given, words, pure=False, retries=_RETRIES)


def _work_pickled(given: bytes, lexicon: Lexicon | None) -> Done:
    number, key, items, rules = pickle.loads(given)
    return work(number, key, items, rules, lexicon)
