"""A folder for what does not fit into memory."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from undertow._errors import InvalidInput
from undertow.files import leftovers
from undertow.files.disk import is_full, reason, write_synced

TRIED = 2**16  # bytes


class Scratch:
    """A temporary folder that is made when it is first needed, and removed at the end of the
    `with`, come what may.

    Errors and Ctrl-C leave nothing behind. Only a process that is killed does: the folder is then
    found under `undertow-` in `parent` (None: the system's temporary folder), until the next one is
    made there.
    """

    def __init__(
        self,
        parent: str | os.PathLike[str] | None = None,
        *,
        name: str = "scratch_folder",
        prefix: str = "undertow-",
    ) -> None:
        if parent is not None and not Path(parent).is_dir():
            raise InvalidInput(f"{name} must be a folder, got {os.fspath(parent)!r}, which is none")
        self._parent = parent
        self._prefix, self._name = prefix, name
        self._folder: Path | None = None
        self._lock: int | None = None

    @property
    def folder(self) -> Path:
        """The folder, made now if it was not before."""
        if self._folder is None:
            parent = Path(tempfile.gettempdir() if self._parent is None else self._parent)
            leftovers.sweep(parent, re.escape(self._prefix) + leftovers.TOKEN)
            self._folder, self._lock = leftovers.make_locked(
                lambda: parent / f"{self._prefix}{leftovers.token()}", mode=0o700
            )
        return self._folder

    def try_out(self) -> None:
        """Refuses a folder that takes nothing, before work is done that may need it."""
        try:
            write_synced(self.folder / "tried", bytes(TRIED))
        except OSError as error:
            raise InvalidInput(
                f"{self._name} must be a folder that can be written, got {self._parent}: "
                f"{reason(error)}"
            ) from error

    @contextmanager
    def worded(self) -> Iterator[None]:
        """Inside, a disk that fills up is told by the folder's name, and what to do about it."""
        try:
            yield
        except Exception as error:
            if self._folder is None or not is_full(error):
                raise
            raise InvalidInput(
                f"{self._name} must be a folder with room for what does not fit into memory, got "
                f"{self._folder.parent}: {reason(error)}"
            ) from error

    @property
    def used(self) -> bool:
        """Whether anything needed the folder."""
        return self._folder is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
