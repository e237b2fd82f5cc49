"""Work in processes of one thread each: results as they come, and an error is a result too."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from threadpoolctl import threadpool_limits

from benchmarks.step import zipf_counts
from undertow.estimators import ReplicatedSoftmax

Order = TypeVar("Order")
Result = TypeVar("Result")


def worked(
    work: Callable[[Order], Result], orders: Sequence[Order], jobs: int
) -> Iterator[tuple[Order, Result | Exception]]:
    """Each order with its result, as they are finished; orders that take long should come first."""
    if jobs == 1:
        for order in orders:
            yield order, _on_one_thread(work, order)
        return
    os.environ["POLARS_MAX_THREADS"] = (
        "1"  # polars looks at it when it is loaded, which the processes have yet to do
    )
    # spawn: a forked child of a process with threads may hang
    with ProcessPoolExecutor(
        min(jobs, len(orders) or 1), multiprocessing.get_context("spawn"), _begin
    ) as pool:
        running = {pool.submit(_on_one_thread, work, order): order for order in orders}
        try:
            for future in as_completed(running):
                yield running[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _on_one_thread(work: Callable[[Order], Result], order: Order) -> Result | Exception:
    import sklearn.decomposition  # noqa: F401  # loads scipy's BLAS, so that the limit reaches it

    with threadpool_limits(1):
        try:
            return work(order)
        except (
            Exception
        ) as error:  # what fails on one corpus is a finding, and no reason to lose the others
            return RuntimeError(f"{type(error).__name__}: {error}")


def _begin() -> None:
    """Loads the compiled kernels, so that no row's seconds hold that."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches every process of a terminal; the parent handles it
    ReplicatedSoftmax(8, max_epochs=1, random_state=0, n_jobs=1).fit(zipf_counts(100, 128, 10))
