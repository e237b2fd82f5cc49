"""One writer at a time: a lock on a file inside an index's folder, which the system lets go when
its holder dies.

Readers need none: what they see is a version of the documents that no writer touches.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from undertow._errors import IndexFileError
from undertow.files.lock import is_locked_now, open_to_lock, wait_for_lock

LOCK = "writer.lock"

_log = logging.getLogger(__name__)


@contextmanager
def alone(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Nobody else writes to the index meanwhile. Another writer is waited for, or is an error."""
    try:
        descriptor = open_to_lock(folder / LOCK)
    except OSError as error:
        raise IndexFileError(f"{folder} must be writable, got {error.strerror}") from None
    try:
        if not is_locked_now(descriptor):
            if not wait:
                raise IndexFileError(
                    f"{folder} must not be written by another process, got one that is writing it"
                )
            _log.warning("%s is being written by another process: waiting", folder)
            wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)  # which lets go
