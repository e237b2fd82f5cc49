"""Whether there is something at a path, in words that are told before anything that reads it is
loaded.
"""

from __future__ import annotations

from pathlib import Path

from undertow._errors import InvalidInput


def check_exists(path: Path) -> None:
    """Refuses a path at which there is nothing."""
    if not path.exists():
        raise InvalidInput(f"path must be a file or folder, got {path}, which does not exist")
