"""The threads that kernels run under: one pool of ours for the whole process.

Kernels release the GIL, so plain threads use all cores; no OpenMP and no threading layer of numba is involved. Several
Python threads may call `run` at once (their tasks share the pool), and a forked child starts with a pool of its own.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from undertow import _check

Task = tuple[Callable[..., Any], tuple[Any, ...]]

_pool: ThreadPoolExecutor | None = None


def thread_count(requested: int | None) -> int:
    """The number of threads to use: as requested, or one per core that this process may run on."""
    if requested is None or requested == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return _check.whole_number("threads", requested, at_least=1)


def run(tasks: Iterable[Task], threads: int) -> None:
    """Run all tasks, on the calling thread and on up to `threads - 1` others; returns when all have ended.

    The calling thread takes tasks too, so nothing waits for a free worker: a busy pool only means less help.
    """
    waiting = deque(tasks)

    def work() -> None:
        while waiting:
            try:
                function, arguments = waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            function(*arguments)

    helpers = [_executor().submit(work) for _ in range(min(threads, len(waiting)) - 1)]
    try:
        work()
    finally:
        waiting.clear()  # after an error there is nothing left worth doing
        unfinished = [helper for helper in helpers if not helper.cancel()]
    for helper in unfinished:
        helper.result()


def split(kernel: Callable[..., Any], items: int, threads: int, *arguments: Any, least: int = 1) -> Iterator[Task]:
    """Tasks `kernel(first, last, *arguments)` that together cover `items`, two per thread to even out the ends."""
    pieces = 1 if threads == 1 else min(2 * threads, max(items // least, 1))
    for piece in range(pieces):
        first, last = piece * items // pieces, (piece + 1) * items // pieces
        if last > first:
            yield kernel, (first, last, *arguments)


def _executor() -> ThreadPoolExecutor:
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(max_workers=max(thread_count(None), 4), thread_name_prefix="undertow")
    return _pool


def _forget() -> None:
    global _pool
    _pool = None  # the parent's threads do not exist in a forked child


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
