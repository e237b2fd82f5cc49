"""Files and folders on disk: written so that they survive a power cut, opened so that they cannot
do harm.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

from undertow._errors import ModelFileError

HEADER_FILE = "model.json"
WEIGHTS_FILE = "weights.safetensors"
CHUNK = 1 << 20


def write_synced(file: Path, content: bytes) -> None:
    """A new file with this content, on the disk and not only in the system's cache when this
    returns.
    """
    with open(file, "xb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


def sync_folder(folder: Path) -> None:
    """The folder's list of names, on the disk when this returns."""
    if os.name == "nt":  # Windows cannot open a folder, and writes its entries through
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folders(folder: Path) -> None:
    """The folder and those above it, where they are missing."""
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        sync_folder(place.parent)


def open_plain_file(file: Path) -> BinaryIO:
    """The file, open for reading; anything but a plain file is an error.

    A link is not followed (it may lead out of the folder), and a pipe in the file's place is not
    waited for.
    """
    flags = os.O_RDONLY
    for extra in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # each missing on some system
        flags |= getattr(os, extra, 0)
    if os.path.islink(file):
        raise ModelFileError(f"{file} must be a plain file, got a symbolic link")
    try:
        descriptor = os.open(file, flags)
    except FileNotFoundError as error:
        raise ModelFileError(f"{file} must be a plain file, got nothing there") from error
    except OSError as error:
        raise ModelFileError(
            f"{file} must be a plain file that can be read, got {reason(error)}"
        ) from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        got = "a folder" if stat.S_ISDIR(mode) else "a pipe or device"
        raise ModelFileError(f"{file} must be a plain file, got {got}")
    return os.fdopen(descriptor, "rb")


def check_folder(folder: Path) -> None:
    """Refuses what cannot be a folder of ours: told before anything that reads one is loaded."""
    if not os.path.isdir(folder):
        got = "something else" if os.path.lexists(folder) else "nothing there"
        raise ModelFileError(f"{folder} must be a folder written by undertow, got {got}")
    with open_plain_file(folder / HEADER_FILE):
        pass


def file_size(handle: BinaryIO) -> int:
    """Bytes of an open file."""
    return os.fstat(handle.fileno()).st_size


def sha256(handle: BinaryIO) -> str:
    """SHA-256 of an open file, read in pieces."""
    digest = hashlib.sha256()
    while piece := handle.read(CHUNK):
        digest.update(piece)
    return digest.hexdigest()


def identity(folder: Path) -> tuple[int, int, int] | None:
    """Tells whether another folder has taken this one's place; None where there is none.

    The time of the last change is part of it because a system may hand a removed folder's number to
    the next one.
    """
    try:
        found = os.stat(folder)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_ctime_ns


def reason(error: BaseException) -> str:
    """What went wrong, in one line and without the path that the message already names."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
