"""Work on the next chunks while the last one is used: polars lets go of Python's lock, so threads
are enough.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from undertow import _check
from undertow.kernels.cores import cores

Item = TypeVar("Item")
Result = TypeVar("Result")

# threads unless told otherwise: each holds a chunk, and reading does not keep up with more
MOST = 8


def threads(n_jobs: int | None) -> int:
    """As many as asked for, or one per core up to 8."""
    if n_jobs is not None:
        return _check.whole_number("n_jobs", n_jobs, at_least=1)
    return min(cores(), MOST)


def ahead(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Generator[Result]:
    """`map` in order, with up to `workers` + 1 items under way, so that no thread has to wait."""
    source = iter(items)
    first = list(_take(source, 2))
    if workers == 1 or len(first) < 2:  # a single chunk, such as a sentence, is not worth a thread
        yield from map(function, first)
        yield from map(function, source)
        return
    under_way: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            under_way.extend(pool.submit(function, item) for item in first)
            for item in source:
                if len(under_way) > workers:
                    yield under_way.popleft().result()
                under_way.append(pool.submit(function, item))
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


def _take(source: Iterator[Item], number: int) -> Iterator[Item]:
    for _, item in zip(range(number), source, strict=False):
        yield item
