"""A folder for what does not fit into memory."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from undertow._errors import InvalidInput


class Scratch:
    """A temporary folder that is made when it is first needed, and removed at the end of the
    `with`, come what may.

    Errors and Ctrl-C leave nothing behind. Only a process that is killed does: the folder is then
    found under `undertow-` in `parent` (None: the system's temporary folder).
    """

    def __init__(
        self, parent: str | os.PathLike[str] | None = None, *, name: str = "scratch_folder"
    ) -> None:
        if parent is not None and not Path(parent).is_dir():
            raise InvalidInput(f"{name} must be a folder, got {os.fspath(parent)!r}, which is none")
        self._parent = parent
        self._folder: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder, made now if it was not before."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="undertow-", dir=self._parent))
        return self._folder

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
