"""What a folder of ours looks like on disk: its files, and how one takes the place of another.

Nothing heavy is loaded here, so that a command can look at a folder before it does anything else.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from undertow._errors import ModelFileError
from undertow.files.atomic import FolderKind
from undertow.storage._opening import open_plain_file

HEADER_FILE = "model.json"
WEIGHTS_FILE = "weights.safetensors"
LARGEST_HEADER = 1 << 28  # bytes; a vocabulary of ten million words fits


def check_folder(folder: Path) -> None:
    """Refuses what cannot be a folder of ours: told before anything that reads one is loaded."""
    if not os.path.isdir(folder):
        got = "something else" if os.path.lexists(folder) else "nothing there"
        raise ModelFileError(f"{folder} must be a folder written by undertow, got {got}")
    with open_plain_file(folder / HEADER_FILE):
        pass


def remove_folder(folder: Path) -> None:
    """A folder of ours. Files are removed by name, so that one somebody else put there can never go
    with them.
    """
    if not os.path.lexists(folder):
        return
    # the header first: without it, nobody takes the rest for a model
    for name in (HEADER_FILE, WEIGHTS_FILE):
        (folder / name).unlink(missing_ok=True)
    with suppress(FileNotFoundError):  # another writer was faster
        os.rmdir(folder)


FOLDERS = FolderKind(HEADER_FILE, remove_folder)
"""How such folders replace each other."""
