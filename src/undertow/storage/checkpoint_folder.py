"""The folder of a checkpoint: `of` says what it belongs to, `run` is a run. Nothing heavy is loaded
here, so that a command can look at it before it does anything else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from undertow._errors import InvalidInput, ModelFileError
from undertow.files.atomic import try_out
from undertow.files.claim import claimed
from undertow.files.disk import make_folders, reason
from undertow.storage.layout import FOLDERS, remove_folder

OF, RUN = "of", "run"
KEPT = "interrupted.json"


@contextmanager
def taken(folder: Path, *, resume: bool, name: str = "checkpoint") -> Iterator[None]:
    """The folder for the time of a `with`, in which nobody else writes there: made, or refused
    where it is not ours, or holds a checkpoint that is not to be gone on from.
    """
    with claimed(folder, name=name):
        _prepare(folder, resume=resume)
        yield


def _prepare(folder: Path, *, resume: bool) -> None:
    """Also puts back what a killed writer moved."""
    try:
        make_folders(folder)
        strangers = sorted(name for name in os.listdir(folder) if not _is_ours(name))
        if not strangers:
            for name in (OF, RUN):
                FOLDERS.recover(folder / name)
            try_out(folder / RUN)
    except OSError as error:
        raise InvalidInput(
            f"checkpoint must be a folder that can be written, got {folder}: {reason(error)}"
        ) from None
    if strangers:
        raise InvalidInput(
            f"checkpoint must be a folder of its own, got {folder} with {strangers[0]!r} in it"
        )
    if holds_one(folder) and not resume:
        raise InvalidInput(
            f"checkpoint must be a folder without one, got {folder}: go on from it (resume=True), "
            f"or remove it"
        )


def _is_ours(name: str) -> bool:
    return name in (OF, RUN, KEPT) or name.startswith((f".{OF}.", f".{RUN}.", f".{KEPT}."))


def holds_one(folder: Path) -> bool:
    """Whether there is a checkpoint."""
    return FOLDERS.current(folder / OF).is_dir()


def holds_run(folder: Path) -> bool:
    """Whether there is a run in it."""
    return FOLDERS.current(folder / RUN).is_dir()


def read_of(folder: Path, kind: str) -> dict[str, Any]:
    """What it belongs to."""
    from undertow.storage.folder import read_folder
    from undertow.storage.training_facts import check_fit

    found, _ = read_folder(folder / OF, kind=kind)
    for name in ("options", "seed", "corpus", "start"):
        if name not in found:
            raise ModelFileError(f"{folder / OF} must say the {name} of a fit, got none")
    try:
        check_fit(found)
    except InvalidInput as error:
        raise ModelFileError(f"{folder / OF} must say what fit it is: {error}") from error
    return found


def remove_checkpoint(folder: Path) -> None:
    """Removes a checkpoint, and nothing else that may be in its folder."""
    (folder / KEPT).unlink(missing_ok=True)
    for name in (OF, RUN):
        FOLDERS.recover(folder / name)
        remove_folder(folder / name)
    if not os.listdir(folder):
        os.rmdir(folder)
