"""Locks on files, which the system lets go when their holder dies, however it dies."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

PAUSE = 0.1  # seconds between tries, where the system does not wait for us


def open_to_lock(file: Path) -> int:
    """A descriptor of a file that is made where it is missing; no link is followed."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    return os.open(file, flags, 0o644)


def is_locked_now(descriptor: int) -> bool:
    """Takes the lock of an open file, and says whether it is ours now. Nobody is waited for.

    Raises
    ------
    OSError
        Where the disk has no locks, as some of networks have not.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for_lock(descriptor: int) -> None:
    """Takes the lock of an open file, when whoever has it lets go of it."""
    if sys.platform == "win32":
        while not is_locked_now(descriptor):
            time.sleep(PAUSE)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def is_still(descriptor: int, file: Path) -> bool:
    """Whether the open file is the one that has this name now: somebody may have removed it between
    opening and locking.
    """
    try:
        there = os.stat(file, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), there)
