"""SIGTERM, by which schedulers and `kill` end a process, is taken as Ctrl-C: what was learned is
kept, scratch folders go. Only the exit code tells them apart.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TERMINATED = 128 + signal.SIGTERM  # as shells say it

_came: set[int] = set()


def _interrupt(number: int, frame: FrameType | None) -> None:
    _came.add(number)
    raise KeyboardInterrupt


@contextmanager
def terminable() -> Iterator[None]:
    """Inside, SIGTERM raises KeyboardInterrupt, unless it is ignored or somebody listens."""
    _came.clear()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def exit_code(otherwise: int) -> int:
    """What a command that was interrupted, and has kept what it could, exits with."""
    return TERMINATED if _came else otherwise
