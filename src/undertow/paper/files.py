"""Files that are whole or not there, and settings as one text that is the same everywhere."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from undertow.files.atomic import write_file


def write_text(file: Path, text: str) -> None:
    """All of the file or nothing, as UTF-8. Folders are made where missing."""
    write_file(file, text.encode())


def write_json(file: Path, document: Any) -> None:
    """`write_text`, as JSON to be read by people and programs."""
    write_text(file, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def digest(document: Any) -> str:
    """SHA-256 of plain settings: the same for equal settings in any process, on any machine, in any
    order of keys.
    """
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
