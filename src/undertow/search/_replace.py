"""Replacing an index: the new one is made beside it, and takes its place when it is finished.

A folder cannot be renamed onto another, so this takes two renames: the old one steps aside, then
the new one takes its place. Cut off between the two, the place is empty and the old one is found
aside: `current` looks there, and the next writer puts it back.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from undertow.search import _folder
from undertow.storage.disk import sync_folder

_log = logging.getLogger(__name__)


def beside(folder: Path) -> Path:
    """Where the next index is made: under a fixed name, so that an interrupted run finds what it
    began.
    """
    return folder.parent / f".{folder.name}.undertow-new"


def current(folder: Path) -> Path:
    """Where the index is to be read: in its place, or aside when a crash left its place empty."""
    if _is_aside(folder):
        _log.warning(
            "%s was being replaced when its writer stopped; reading the earlier one", folder
        )
        return _aside(folder)
    return folder


def recover(folder: Path) -> None:
    """What a killed writer left behind: the old index goes back to its place, or away if the new
    one has it.
    """
    if _is_aside(folder):
        os.rename(_aside(folder), folder)
    elif _folder.is_index(folder):
        _drop(_aside(folder))


def put_in_place(new: Path, folder: Path) -> None:
    """The new index becomes the one in the folder; the old one is removed once that is on disk."""
    aside = _aside(folder)
    _folder.sync(new)
    try:
        os.rename(folder, aside)
        os.rename(new, folder)
        sync_folder(folder.parent)
    except BaseException:
        _undo(new, folder, aside)
        raise
    _drop(aside)


def _undo(new: Path, folder: Path, aside: Path) -> None:
    """Back to how it was, from whichever step was reached."""
    if os.path.lexists(aside):
        if not os.path.lexists(new) and os.path.lexists(folder):
            os.rename(folder, new)
        if not os.path.lexists(folder):
            os.rename(aside, folder)


def _drop(aside: Path) -> None:
    """Removes the index that was replaced; what is not part of an index stays."""
    if not os.path.lexists(aside):
        return
    try:
        _folder.remove(aside)
    except (OSError, ValueError) as error:  # the new one is safe; the next writer tries again
        _log.warning("%s could not be removed: %s", aside, error)


def _is_aside(folder: Path) -> bool:
    return not os.path.lexists(folder) and _folder.is_index(_aside(folder))


def _aside(folder: Path) -> Path:
    return folder.parent / f".{folder.name}.undertow-old"
