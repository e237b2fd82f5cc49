"""Opening files that may be a stranger's, so that they cannot do harm."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

from undertow._errors import ModelFileError
from undertow.files.disk import reason

CHUNK = 1 << 20


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
