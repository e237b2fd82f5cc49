"""Replacing a file or a folder, so that at every moment the old or the new one is there, complete.

A file is written beside its place and renamed onto it, which is one step. A folder cannot be
renamed onto another, so replacing it takes two: the old one steps aside under a fixed hidden name,
then the new one takes the place. Cut off between the two, the place is empty and the old one is
found aside: `FolderKind.current` looks there, and the next write puts it back. An error, unlike a
power cut, undoes what was done.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from undertow.files import leftovers
from undertow.files.disk import make_folders, reason, sync_file, sync_folder, write_synced

TRIED = 2**20  # bytes, to see whether a disk takes any

_log = logging.getLogger(__name__)


@contextmanager
def new_file(target: Path, *, durable: bool = True) -> Iterator[Path]:
    """A name beside the target; what is written there becomes the target when the block ends.

    After an error or Ctrl-C it is gone, and the target is as it was. What is not `durable` is
    whole too, but a power cut may lose it: for files that nobody needs after one.
    """
    make_folders(target.parent)
    new = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        yield new
        put_file_in_place(new, target, durable=durable)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def write_file(target: Path, content: bytes) -> None:
    """A file with this content, in the place of an earlier one; missing folders are made."""
    with new_file(target) as new:
        new.write_bytes(content)


def put_file_in_place(new: Path, target: Path, *, durable: bool = True) -> None:
    """A finished file becomes the target, in the place of an earlier one."""
    if durable:
        sync_file(new)
    os.replace(new, target)
    if durable:
        sync_folder(target.parent)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside the target, on the same disk; gone afterwards unless it was put in
    place.
    """
    make_folders(target.parent)
    # Not mkdtemp: its folders are closed to everyone but their owner, and so would every model be.
    new, descriptor = leftovers.make_locked(
        lambda: target.parent / f".{target.name}.undertow-new-{leftovers.token()}"
    )
    try:
        yield new
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def try_out(target: Path) -> None:
    """Makes a folder beside the target with something in it, which is removed again: an OSError
    where that cannot be.
    """
    with new_folder(target) as new:
        write_synced(new / "tried", bytes(TRIED))


@dataclass(frozen=True)
class FolderKind:
    """Folders of one kind, which replace each other. `marker` is the file that a complete one
    holds; `remove` removes one, and nothing that is not part of it.
    """

    marker: str
    remove: Callable[[Path], None]

    def current(self, folder: Path) -> Path:
        """Where it is to be read: in its place, or aside when a crash left its place empty."""
        if not self._is_aside(folder):
            return folder
        _log.warning(
            "%s was being replaced when its writer stopped; reading the earlier one", folder
        )
        return _aside(folder)

    def recover(self, target: Path) -> None:
        """What a killed writer left behind: the old folder goes back to its place, or away if the
        new one has it. While something else has it, the old one stays aside.
        """
        aside = _aside(target)
        if self._is_aside(target):
            os.rename(aside, target)
        elif self._is_complete(target):
            self._drop(aside)
        _sweep(target)

    def put_in_place(self, new: Path, target: Path, *, replace: bool = True) -> None:
        """The new folder, which is on disk already, becomes the target; the old one, where there is
        one, is removed once that is on disk. Without `replace`, one that came there meanwhile is an
        OSError.
        """
        aside = _aside(target)
        try:
            if replace and os.path.lexists(target):
                os.rename(target, aside)
            os.rename(new, target)
            sync_folder(target.parent)
        except BaseException:
            _undo(new, target, aside)
            raise
        self._drop(aside)

    def _drop(self, aside: Path) -> None:
        if not os.path.lexists(aside):
            return
        try:
            self.remove(aside)
        except (OSError, ValueError) as error:  # the new one is safe; the next write tries again
            _log.warning("%s could not be removed: %s", aside, reason(error))

    def _is_complete(self, folder: Path) -> bool:
        return os.path.lexists(folder / self.marker)

    def _is_aside(self, folder: Path) -> bool:
        return not os.path.lexists(folder) and self._is_complete(_aside(folder))


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
    """Temporary folders of writers that were killed."""
    pattern = rf"\.{re.escape(target.name)}\.undertow-new-{leftovers.TOKEN}"
    leftovers.sweep(target.parent, pattern, unlocked=True)
