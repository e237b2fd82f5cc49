"""Replacing an index: the new one is made beside it, and takes its place when it is finished.

Cut off meanwhile, the old or the new one is found, whole (see `undertow.files.atomic`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from undertow.files.atomic import FolderKind
from undertow.files.disk import sync_tree
from undertow.search.folder import layout
from undertow.search.folder.lock import alone

_INDICES = FolderKind(layout.FACTS, layout.remove)


def beside(folder: Path) -> Path:
    """Where the next index is made: under a fixed name, so that an interrupted run finds what it
    began.
    """
    return folder.parent / f".{folder.name}.undertow-new"


def current(folder: Path) -> Path:
    """Where the index is to be read: in its place, or aside when a crash left its place empty."""
    return _INDICES.current(folder)


def recover(folder: Path) -> None:
    """What a killed writer left behind: the old index goes back to its place, or away if the new
    one has it. An error where nobody was killed: another process is replacing it now.
    """
    if beside(folder).is_dir():
        with alone(beside(folder), wait=False):
            pass
    _INDICES.recover(folder)


@contextmanager
def writers_kept_out(*folders: Path) -> Iterator[ExitStack]:
    """Nobody else writes to these indices meanwhile: what another process added to an index that is
    being replaced would be gone without a word. Who is writing already is an error.
    """
    with ExitStack() as locks:
        for folder in folders:
            locks.enter_context(alone(folder, wait=False))
        yield locks


def put_in_place(new: Path, folder: Path, locks: ExitStack) -> None:
    """The new index becomes the one in the folder; the old one is removed once that is on disk. The
    locks of both are held until then.
    """
    sync_tree(new)
    if sys.platform == "win32":  # which renames no folder that holds an open file
        locks.close()
    _INDICES.put_in_place(new, folder)
