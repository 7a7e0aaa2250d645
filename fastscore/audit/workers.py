"""Where chunks are worked on: in this process or in others; on a cluster: `fastscore.audit.cluster`.

All give the same, in any order.
"""

from __future__ import annotations

import contextlib
import multiprocessing.connection
import multiprocessing.resource_tracker
import os
import pickle
import queue
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from fastscore.audit.chunks import Chunk, Done, work
from fastscore.audit.failures import AuditError
from fastscore.audit.ruling import AnyRules

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = ["CHUNKS_AHEAD", "in_processes", "in_this_process"]

CHUNKS_AHEAD: Final = 2
"""Chunks for each worker that are read and not yet written: they are all that is held in memory."""


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
            while min(worker.waiting for worker in crew) >= CHUNKS_AHEAD:
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
        with _interrupts_held_back():
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


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """A process that is started meanwhile never sees an interrupt, which is the main process's to deal with; here one
    arrives at the end of the block.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # What multiprocessing starts first of all would let interrupts through again.
    multiprocessing.resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
            "a worker process ended without being asked to, killed perhaps, out of memory, or begun by a script whose "
            'own work is not under if __name__ == "__main__": --resume goes on with what is left, --workers sets how '
            "many there are"
        ) from None


def _serve(pipe: Any, rules: AnyRules, lexicon: Lexicon | None) -> None:
    """What a worker process does: chunks come in, results go out, until the other end is closed or gone."""
    # Where it could not be held back at the start.
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
    """Take in what comes at once, so that the main process need not wait; it gives CHUNKS_AHEAD at most."""
    try:
        while True:
            chunks.put(Chunk(*pipe.recv()))
    except (EOFError, OSError):
        # All is done, or the main process was killed, and cannot tell.
        os._exit(0)
