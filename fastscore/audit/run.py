"""A run: sources to a folder of tables, in workers, resumable.

    summary = run_audit(["games", "more.gcgs"], "out", resume=True)

The folder is described in `fastscore.audit.folder`, the tables in `fastscore.audit.schema`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from fastscore.audit.archives import Limits
from fastscore.audit.chunks import CHUNK_BYTES, CHUNK_GAMES, Chunk, chunks_of, parquet_bytes
from fastscore.audit.duplicates import find_duplicates
from fastscore.audit.failures import AuditError
from fastscore.audit.folder import Folder
from fastscore.audit.manifest import Settings
from fastscore.audit.ruling import GivenRules, RulesByPath, rules_given
from fastscore.audit.sources import Item, Meter, SourceError, SourceFile, list_sources, read_source
from fastscore.audit.workers import in_processes, in_this_process
from fastscore.errors import quote

if TYPE_CHECKING:
    from fastscore.audit.cluster import Cluster
    from fastscore.lexicon import Lexicon

__all__ = ["Progress", "Summary", "run_audit"]


class Progress(NamedTuple):
    """How far a run is. `bytes` are those of the sources as they lie there, packed or not.

    `sources_total`, `bytes_total`: what the arguments hold, standard input left out. `games`, `findings`, `errors`:
    rows that are complete.
    """

    sources: int
    sources_total: int
    bytes: int
    bytes_total: int
    games: int
    findings: int
    errors: int


class Summary(NamedTuple):
    """What came of a run: rows of each table, `parts` of the tables, and how many of them were there already.

    `passed_over`: files of other kinds in folders and archives, and nulls in a column.
    """

    games: int
    turns: int
    findings: int
    errors: int
    duplicates: int
    parts: int
    parts_before: int
    passed_over: int


def run_audit(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    rules: GivenRules = None,
    lexicon: Lexicon | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    column: str | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    chunk_games: int = CHUNK_GAMES,
    chunk_bytes: int = CHUNK_BYTES,
) -> Summary:
    """Read, replay and check every record of some sources, and write what there is to know of them to a folder.

    Parameters
    ----------
    paths
        Files of records, folders, archives, Parquet files, "-" for standard input; one or several.
    out
        The folder for the tables, which is made; it must be empty, or hold a run to go on with.
    rules
        A ruleset or the name of one; several, of which the one is taken that explains most of a game's scores; None =
        those that each record names. By path, for the records that it leads to: see `fastscore.audit.ruling`.
    lexicon
        The good words: other words are found, see `fastscore.replays.replay`. None = words are not looked up.
    workers
        Processes; None = as many as there are processors. 1 = all is done here. The processes are started anew, so a
        script that calls this keeps its own work under `if __name__ == "__main__":`.
    scheduler
        Address of a Dask scheduler, whose workers do the work instead.
    resume
        Go on with a run that was interrupted: parts that are complete and whose sources are as they were are kept. The
        tables become those of a run that was not interrupted.
    column
        The column of Parquet files that has the records; None = the only one of strings or bytes.
    limits
        How much is read from archives.
    progress
        Called at the beginning and after each part. The sources are counted for it before they are read.
    chunk_games, chunk_bytes
        How much is worked on at a time, and lost at most; a run that goes on keeps those it was begun with.

    Raises
    ------
    AuditError
        A folder that cannot be written, holds something else or is another run's; workers that went away. What was
        complete before stays so.
    RulesError
        An unknown ruleset. What is wrong with a source is a row of `errors` and raises nothing.
    """
    ruled = rules_given(rules)
    if workers is not None and workers < 1:
        raise AuditError(f"workers: {workers}, expected 1 or more")
    if workers is not None and scheduler is not None:
        raise AuditError(f"workers and a scheduler ({quote(scheduler)}), expected one of them")
    if lexicon is not None and not hasattr(lexicon, "digest"):
        raise AuditError(f"lexicon {quote(lexicon)}, expected a fastscore.Lexicon, which Lexicon.read makes of a file")
    names = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if isinstance(ruled, RulesByPath):
        ruled.check(names)
    settings = Settings.of(ruled, chunk_games, chunk_bytes, lexicon, names, column)
    with ExitStack() as opened:
        # Before the folder is made: a wrong address must leave nothing.
        cluster = None if scheduler is None else opened.enter_context(_cluster(scheduler))
        folder = opened.enter_context(Folder(out, settings, resume))
        run = _Run(folder, names, limits or Limits(), column, progress)
        chunks = run.chunks()
        count = workers or _processors()
        if cluster is not None:
            results = cluster.work(chunks, ruled, lexicon)
        elif count > 1:
            results = in_processes(chunks, ruled, count, lexicon)
        else:
            results = in_this_process(chunks, ruled, lexicon)
        for done in results:
            folder.adopt(done)
            run.count(done.number, done.rows)
        return run.finish()


def _cluster(address: str) -> Cluster:
    # Dask takes a second to import.
    from fastscore.audit.cluster import Cluster

    return Cluster(address)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Run:
    def __init__(
        self,
        folder: Folder,
        paths: Sequence[str],
        limits: Limits,
        column: str | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.folder = folder
        self.paths = paths
        self.limits = limits
        self.column = column
        self.progress = progress
        self.meter = Meter()
        self.rows: Counter[str] = Counter()
        # Sources and bytes that were read, up to the last chunk that was cut, for each one under way, and in parts that
        # are complete: what was only read ahead is not done.
        self.read = self.done = 0, 0
        self.under_way: dict[int, tuple[int, int]] = {}
        self.parts = 0
        self.parts_before = 0
        self.sources_total = self.bytes_total = 0

    def chunks(self) -> Iterator[Chunk]:
        """The chunks that are not there yet."""
        if self.progress is not None:
            self._count_sources()
        settings = self.folder.settings
        for chunk in chunks_of(self._items(), settings.chunk_games, settings.chunk_bytes):
            self.parts += 1
            before, self.read = self.read, (self.meter.sources, self.meter.bytes)
            self.under_way[chunk.number] = self.read[0] - before[0], self.read[1] - before[1]
            if self.folder.has(chunk.number, chunk.key):
                self.parts_before += 1
                self.count(chunk.number, dict(self.folder.parts[chunk.number].rows))
            else:
                yield chunk

    def _items(self) -> Iterator[Item]:
        for source in list_sources(self.paths, self.meter):
            if isinstance(source, SourceError):
                yield source
            else:
                yield from read_source(source, self.limits, self.meter, self.column)
            self.meter.sources += 1

    def _count_sources(self) -> None:
        for source in list_sources(self.paths):
            self.sources_total += 1
            if isinstance(source, SourceFile):
                self.bytes_total += source.size
        self._report()

    def count(self, number: int, rows: dict[str, int]) -> None:
        """Add the rows of a part that is complete."""
        self.rows.update(rows)
        sources, size = self.under_way.pop(number)
        self.done = self.done[0] + sources, self.done[1] + size
        self._report()

    def _report(self) -> None:
        if self.progress is not None:
            rows = self.rows
            sources, size = self.done
            self.progress(
                Progress(
                    sources,
                    self.sources_total,
                    size,
                    self.bytes_total,
                    rows["games"],
                    rows["findings"],
                    rows["errors"],
                )
            )

    def finish(self) -> Summary:
        """Find the duplicates and note that all is done."""
        files = [self.folder.file("games", number) for number in range(self.parts)]
        duplicates = find_duplicates(files)
        self.rows["duplicates"] = len(duplicates)
        self.folder.finish(self.parts, parquet_bytes(duplicates), dict(self.rows))
        self.done = self.meter.sources, self.meter.bytes
        self._report()
        rows = self.rows
        return Summary(
            rows["games"],
            rows["turns"],
            rows["findings"],
            rows["errors"],
            rows["duplicates"],
            self.parts,
            self.parts_before,
            self.meter.passed_over,
        )
