"""Cells to processes: what is not on disk yet is computed, long cells first, those that take times
alone and last.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from threadpoolctl import threadpool_limits

from undertow.paper.cells import Cell, Record, Records, compute
from undertow.paper.corpora import Corpora, Corpus

Done = Callable[[Cell], None]


class Workshop:
    """A folder of results: records of cells, and the counts that they are computed from."""

    def __init__(self, folder: Path, *, progress: bool = False) -> None:
        self.folder = folder
        self.records = Records(folder / "cells")
        self.corpora = Corpora(folder / "corpora", progress=progress)

    def missing(self, cells: Iterable[Cell]) -> list[Cell]:
        """The cells that have to be computed, each once, the long ones first."""
        missing = [cell for cell in dict.fromkeys(cells) if self.records.read(cell) is None]
        return sorted(missing, key=lambda cell: -cell.cost)

    def prepare(self, cells: Iterable[Cell], begins: Callable[[Corpus], None]) -> None:
        """Counts the corpora of these cells, as far as they are not on disk."""
        for corpus in dict.fromkeys(corpus for cell in cells for corpus in cell.corpora):
            begins(corpus)
            self.corpora.prepare(corpus)

    def compute(self, cell: Cell) -> None:
        """Computes a cell and keeps its record."""
        self.records.write(cell, compute(cell, self.corpora))

    def results(self, cells: Iterable[Cell]) -> dict[Cell, Record]:
        """The records of cells that have been computed; what takes times may be left out."""
        found = {cell: self.records.read(cell) for cell in dict.fromkeys(cells)}
        absent = [
            cell.digest for cell, record in found.items() if record is None and not cell.alone
        ]
        if absent:
            raise FileNotFoundError(
                f"{len(absent)} records are gone from {self.folder / 'cells'}: run again"
            )
        return {cell: record for cell, record in found.items() if record is not None}


def run(workshop: Workshop, missing: list[Cell], *, jobs: int, done: Done) -> None:
    """Computes these cells; `done` is called after each. What is done when an error or Ctrl-C comes
    is kept.
    """
    together = [cell for cell in missing if not cell.alone]
    if jobs == 1:
        for cell in together:
            _compute_on_one_thread(workshop, cell)
            done(cell)
    elif together:
        _run_in_processes(workshop.folder, together, min(jobs, len(together)), done)
    for cell in missing:
        if cell.alone:
            workshop.compute(cell)
            done(cell)


def _run_in_processes(folder: Path, cells: list[Cell], jobs: int, done: Done) -> None:
    with _pool(folder, jobs) as pool:
        running: dict[Future[None], Cell] = {
            pool.submit(_compute_in_worker, cell): cell for cell in cells
        }
        for future in as_completed(running):
            future.result()  # an error in a worker is raised here
            done(running[future])


@contextmanager
def _pool(folder: Path, jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Worker processes; if anything goes wrong they are ended at once, not after the cells that
    they are at.
    """
    others = set(multiprocessing.active_children())
    # spawn: a forked child of a process with threads may hang
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin_worker, (folder,))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise
    pool.shutdown()


_of_this_worker: Workshop | None = None


def _begin_worker(folder: Path) -> None:
    global _of_this_worker
    # Ctrl-C reaches every process of a terminal; the parent handles it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _of_this_worker = Workshop(folder)


def _compute_in_worker(cell: Cell) -> None:
    assert _of_this_worker is not None
    _compute_on_one_thread(_of_this_worker, cell)


def _compute_on_one_thread(workshop: Workshop, cell: Cell) -> None:
    import sklearn.decomposition  # noqa: F401  # loads scipy's BLAS, so that the limit reaches it

    with threadpool_limits(1):
        workshop.compute(cell)
