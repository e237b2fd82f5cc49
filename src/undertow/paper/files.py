"""Files that are whole or not there, and settings as one text that is the same everywhere."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def write(file: Path, content: bytes) -> None:
    """All of the file or nothing: written beside its place, then moved there. Folders are made
    where missing.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(
        dir=file.parent, prefix=f".{file.name}.", suffix=".part"
    )
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(content)
        os.chmod(unfinished, 0o666 & ~_umask())  # mkstemp's files are for their owner alone
        os.replace(unfinished, file)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


def write_text(file: Path, text: str) -> None:
    """`write`, as UTF-8."""
    write(file, text.encode())


def write_json(file: Path, document: Any) -> None:
    """`write`, as JSON to be read by people and programs."""
    write_text(file, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def digest(document: Any) -> str:
    """SHA-256 of plain settings: the same for equal settings in any process, on any machine, in any
    order of keys.
    """
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _umask() -> int:
    mask = os.umask(0)  # the only way to read it is to set it
    os.umask(mask)
    return mask
