"""Forked children, in which polars would wait for ever: its threads did not come along.

Forking copies a process with one of its threads. If polars had others at work by then, whatever the
child asks of it is queued for threads that are not there. It is told before that, with a word on
what to do. Where polars had none yet, a child goes on as any process; so do our own kernels, whose
threads are made anew.
"""

from __future__ import annotations

import os
import sys

from undertow._errors import ForkedProcess

THREAD = "polars-"  # and a number: a worker of its pool; others it starts when it is imported

_in_use = False  # whether polars had work in this process, as far as we gave it any
_at_work = False  # whether it had threads when this process was about to fork
_orphaned = False  # whether they stayed behind in the process that this one was forked from


def check_not_forked() -> None:
    """Call before polars is given work.

    Raises
    ------
    ForkedProcess
        In a forked child, where polars had threads before.
    """
    global _in_use
    _in_use = True
    if _orphaned:
        raise ForkedProcess(
            "texts must be read in a process that was not forked from one that had read some, got "
            "a forked one, in which polars would hang: start processes by 'spawn' (or "
            "'forkserver'), as multiprocessing.get_context('spawn') does, or fork before any text "
            "is read"
        )


def _before_fork() -> None:
    global _at_work
    _at_work = "polars" in sys.modules and _has_threads()


def _in_child() -> None:
    global _orphaned
    _orphaned = _orphaned or _at_work


def _has_threads() -> bool:
    """Whether polars has threads now; where the system does not tell, whether we gave it work."""
    try:
        names = [_name(thread) for thread in os.listdir("/proc/self/task")]
    except OSError:
        return _in_use
    return any(name.startswith(THREAD) and name[len(THREAD) :].isdecimal() for name in names)


def _name(thread: str) -> str:
    try:
        with open(f"/proc/self/task/{thread}/comm", errors="replace") as name:
            return name.read().strip()
    except OSError:  # it has just ended
        return ""


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
