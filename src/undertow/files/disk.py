"""What was written, on the disk and not only in the system's cache."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path


def write_synced(file: Path, content: bytes) -> None:
    """A new file with this content, on the disk when this returns."""
    with open(file, "xb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


def sync_file(file: Path) -> None:
    """The content of a file that somebody else wrote, on the disk when this returns."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """The folder's list of names, on the disk when this returns."""
    if os.name == "nt":  # Windows cannot open a folder, and writes its entries through
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """All that is in a folder, at any depth, on the disk when this returns."""
    for place, _, files in os.walk(folder):
        for name in files:
            sync_file(Path(place, name))
        sync_folder(Path(place))


def make_folders(folder: Path) -> None:
    """The folder and those above it, where they are missing."""
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        sync_folder(place.parent)


FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def is_full(error: BaseException) -> bool:
    """Whether a disk, a quota or the largest file had no room for more. Libraries in Rust say it
    their way.
    """
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in FULL
    return any(f"(os error {number})" in str(error) for number in FULL)


def reason(error: BaseException) -> str:
    """What went wrong, in one line and without the path that the message already names."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    said = re.search(r"([^:()\n]+) \(os error \d+\)", str(error))  # as libraries in Rust do
    if said is not None:
        return said[1].strip()
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
