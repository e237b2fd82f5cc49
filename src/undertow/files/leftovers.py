"""Temporary folders whose maker may be killed: each is locked while its maker lives, so that others
can tell which of them are leftovers, and remove these.

A lock on the folder itself goes when its holder dies, however it dies, and is seen by all processes
of a machine. The name tells the machine: where a disk is shared, locks may not be.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from undertow.files.lock import is_locked_now, is_still

TOKEN = "[0-9a-f]{16}"
STALE = 24 * 3600  # seconds after which a folder that cannot be locked belongs to one who died


def token() -> str:
    """What makes a name ours: 8 digits of the machine, 8 by chance."""
    return f"{_machine()}{secrets.token_hex(4)}"


def make_locked(name: Callable[[], Path], *, mode: int = 0o777) -> tuple[Path, int | None]:
    """A new folder under such a name, and the descriptor that locks it until it is closed: None
    where folders cannot be locked.
    """
    while True:
        folder = name()
        try:
            os.mkdir(folder, mode)
        except FileExistsError:
            continue
        try:
            descriptor = _opened(folder)
            if descriptor is None and not os.path.lexists(folder):
                continue  # somebody swept it in that moment: another one
            if descriptor is None:
                return folder, None
            ours = _is_ours(descriptor, folder)
            if ours:
                return folder, descriptor
            os.close(descriptor)
            if ours is None:
                return folder, None
            # else it was swept a moment later: another one
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def sweep(parent: Path, pattern: str, *, unlocked: bool = False) -> None:
    """Removes the folders with such names (a regular expression, with `TOKEN` for the token) whose
    makers are dead. `unlocked`: where that cannot be told, also those that are a day old.
    """
    ours = re.compile(pattern)
    try:
        found = [entry.name for entry in os.scandir(parent) if ours.fullmatch(entry.name)]
    except OSError:
        return
    for name in found:
        _remove_if_dead(parent / name, here=name[-16:-8] == _machine(), unlocked=unlocked)


def _remove_if_dead(folder: Path, *, here: bool, unlocked: bool) -> None:
    """Holds the lock while it removes: who has just made the folder then sees that it is gone."""
    descriptor = _opened(folder) if here else None
    try:
        ours = None if descriptor is None else _is_ours(descriptor, folder)
        dead = (unlocked and _is_old(folder)) if ours is None else ours
        if dead:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _is_ours(descriptor: int, folder: Path) -> bool | None:
    """Whether the folder is locked by us now; None where that cannot be told."""
    try:
        return is_locked_now(descriptor) and is_still(descriptor, folder)
    except OSError:
        return None


def _is_old(folder: Path) -> bool:
    try:
        return folder.lstat().st_mtime < time.time() - STALE
    except OSError:
        return False


def _opened(folder: Path) -> int | None:
    """A descriptor of the folder; None where it is not ours, or cannot be opened."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)
    try:
        descriptor = os.open(folder, flags)
    except OSError:  # as any folder on Windows
        return None
    owner = getattr(os, "geteuid", lambda: 0)()
    if os.fstat(descriptor).st_uid == owner:
        return descriptor
    os.close(descriptor)
    return None


def _machine() -> str:
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"
