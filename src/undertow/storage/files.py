"""A single text file, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from undertow._errors import InvalidInput
from undertow.storage import disk


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Writes a file; an earlier one is replaced once the new one is complete. Missing folders are
    made.
    """
    target = Path(path)
    if not target.name or "\0" in str(target) or target.is_dir():
        raise InvalidInput(f"path must name a file, got {str(path)!r}")
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"text must be valid Unicode, got half of a surrogate pair at {error.start}"
        ) from None
    try:
        disk.make_folders(target.parent)
        descriptor, unfinished = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(content)
                handle.flush()
                os.fsync(handle.fileno())
            os.chmod(unfinished, 0o666 & ~_umask())
            os.replace(unfinished, target)
        except BaseException:
            os.unlink(unfinished)
            raise
        disk.sync_folder(target.parent)
    except OSError as error:
        raise InvalidInput(
            f"{target} must be a place that can be written, got {disk.reason(error)}"
        ) from error
    return target


def _umask() -> int:
    """What a new file is not allowed; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
