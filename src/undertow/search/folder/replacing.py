"""Replacing an index: the new one is made beside it, and takes its place when it is finished.

Cut off meanwhile, the old or the new one is found, whole (see `undertow.files.atomic`).
"""

from __future__ import annotations

from pathlib import Path

from undertow.files.atomic import FolderKind
from undertow.files.disk import sync_tree
from undertow.search.folder import layout

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
    one has it.
    """
    _INDICES.recover(folder)


def put_in_place(new: Path, folder: Path) -> None:
    """The new index becomes the one in the folder; the old one is removed once that is on disk."""
    sync_tree(new)
    _INDICES.put_in_place(new, folder)
