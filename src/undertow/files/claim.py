"""A claim on a place: one process at a time works towards what is to stand there.

The claim is a hidden file beside the place, locked by its holder. A holder that dies lets go of it,
and the next one takes the file over; one that ends removes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from undertow._errors import InvalidInput
from undertow.files.disk import make_folders, reason
from undertow.files.lock import is_locked_now, is_still, open_to_lock


@contextmanager
def claimed(target: Path, *, name: str) -> Iterator[None]:
    """Nobody else claims the place meanwhile; who has it already is an error about `name`, as are
    folders that cannot be written.
    """
    file = claim_file(target)
    try:
        make_folders(file.parent)
        descriptor = _taken(file)
    except OSError as error:
        raise InvalidInput(
            f"{name} must be a place that can be written, got {target}: {reason(error)}"
        ) from None
    if descriptor is None:
        raise InvalidInput(
            f"{name} must not be written by another process, got {target}, which one is working on"
        )
    try:
        yield
    finally:
        try:
            with suppress(OSError):  # the name first: who opens it now asks nobody who has left
                file.unlink()
        finally:
            os.close(descriptor)


def claim_file(target: Path) -> Path:
    """The file that says that somebody works towards this place."""
    whole = Path(os.path.abspath(target))
    return whole.with_name(f".{whole.name}.undertow-claim")


def _taken(file: Path) -> int | None:
    """The descriptor of the file, locked by us; None where it is locked by another."""
    while True:
        descriptor = open_to_lock(file)
        try:
            ours = is_locked_now(descriptor)
        except OSError:  # a disk without locks: two at a time cannot be told there
            return descriptor
        if ours and is_still(descriptor, file):
            return descriptor
        os.close(descriptor)
        if not ours:
            return None
