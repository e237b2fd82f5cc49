"""How many cores there are, and how many threads work is divided among."""

from __future__ import annotations

import os

from undertow import _check


def cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(requested: int | None) -> int:
    """The number of threads to use: as requested, or one per core that this process may run on."""
    if requested is None or requested == -1:
        return cores()
    return _check.whole_number("threads", requested, at_least=1)
