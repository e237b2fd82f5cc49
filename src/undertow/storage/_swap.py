"""Putting a finished folder in its place, so that at every moment a complete one can be found.

A folder cannot be renamed onto another, so replacing takes two renames: the old one steps aside
under a fixed hidden name, then the new one takes the place. Cut off between the two, the place is
empty and the old one is found aside: `current` looks there, and the next write puts it back. An
error, unlike a power cut, undoes what was done.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from undertow.storage.disk import HEADER_FILE, WEIGHTS_FILE, make_folders, reason, sync_folder

STALE = 24 * 3600  # seconds after which a temporary folder belongs to a process that died

_log = logging.getLogger(__name__)


def current(folder: Path) -> Path:
    """Where the folder is to be read: in its place, or aside when a crash left its place empty."""
    if _is_aside(folder):
        _log.warning(
            "%s was being replaced when its writer stopped; reading the earlier one", folder
        )
        return _aside(folder)
    return folder


def recover(target: Path) -> None:
    """What a killed writer left behind: the old folder goes back to its place, remains go away."""
    aside = _aside(target)
    if _is_aside(target):
        os.rename(aside, target)
    elif os.path.lexists(aside):
        remove(aside)
    _sweep(target)


@contextmanager
def new_sibling(target: Path) -> Iterator[Path]:
    """An empty folder beside the target, on the same disk; gone afterwards unless it was put in
    place.
    """
    make_folders(target.parent)
    # Not mkdtemp: its folders are closed to everyone but their owner, and so would every model be.
    new = target.parent / f".{target.name}.undertow-new-{secrets.token_hex(8)}"
    os.mkdir(new)
    try:
        yield new
    finally:
        shutil.rmtree(new, ignore_errors=True)


def put_in_place(new: Path, target: Path) -> None:
    """The new folder becomes the target; the old one, where there is one, is removed once that is
    on disk.
    """
    aside = _aside(target)
    try:
        if os.path.lexists(target):
            os.rename(target, aside)
        os.rename(new, target)
        sync_folder(target.parent)
    except BaseException:
        _undo(new, target, aside)
        raise
    try:
        remove(aside)
    except OSError as error:  # the new one is safe; the next write tries again
        _log.warning("%s could not be removed: %s", aside, reason(error))


def remove(folder: Path) -> None:
    """A folder of ours. Files are removed by name, so that one somebody else put there can never go
    with them.
    """
    if not os.path.lexists(folder):
        return
    for name in (
        HEADER_FILE,
        WEIGHTS_FILE,
    ):  # the header first: without it, nobody takes the rest for a model
        (folder / name).unlink(missing_ok=True)
    with suppress(FileNotFoundError):  # another writer was faster
        os.rmdir(folder)


def _is_aside(folder: Path) -> bool:
    return not os.path.lexists(folder) and os.path.lexists(_aside(folder) / HEADER_FILE)


def _aside(target: Path) -> Path:
    return target.parent / f".{target.name}.undertow-old"


def _undo(new: Path, target: Path, aside: Path) -> None:
    """Back to how it was, from whichever step was reached: looking beats remembering when an
    interrupt came.
    """
    if not os.path.lexists(new):
        os.rename(target, new)
    if os.path.lexists(aside) and not os.path.lexists(target):
        os.rename(aside, target)


def _sweep(target: Path) -> None:
    """Temporary folders of writers that were killed; a young one may belong to a writer at work."""
    if not target.parent.is_dir():
        return
    ours = re.compile(rf"\.{re.escape(target.name)}\.undertow-new-[0-9a-f]{{16}}")
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if (
                ours.fullmatch(entry.name)
                and entry.stat(follow_symlinks=False).st_mtime < time.time() - STALE
            ):
                shutil.rmtree(entry.path, ignore_errors=True)
