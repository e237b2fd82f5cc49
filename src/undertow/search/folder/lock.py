"""One writer at a time: a lock on a file inside an index's folder, which the system lets go when
its holder dies.

Readers need none: what they see is a version of the documents that no writer touches.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from undertow._errors import IndexFileError

LOCK = "writer.lock"
PAUSE = 0.1  # seconds between tries, where the system does not wait for us

_log = logging.getLogger(__name__)


@contextmanager
def alone(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Nobody else writes to the index meanwhile. Another writer is waited for, or is an error."""
    try:
        descriptor = os.open(
            folder / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644
        )
    except OSError as error:
        raise IndexFileError(f"{folder} must be writable, got {error.strerror}") from None
    try:
        if not _taken(descriptor, wait=False):
            if not wait:
                raise IndexFileError(
                    f"{folder} must not be written by another process, got one that is writing it"
                )
            _log.warning("%s is being written by another process: waiting", folder)
            _taken(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)  # which lets go


def _taken(descriptor: int, *, wait: bool) -> bool:
    """Whether the lock is ours now."""
    if sys.platform == "win32":
        import msvcrt

        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                return True
            except OSError:
                if not wait:
                    return False
                time.sleep(PAUSE)
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
