"""A single text file, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from undertow._errors import InvalidInput
from undertow.files.atomic import write_file
from undertow.files.disk import reason


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Writes a file; an earlier one is replaced once the new one is complete.

    Parameters
    ----------
    path : path
        The file. Missing folders are made.
    text : str
        What it is to hold, as UTF-8.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInput
        Where the file cannot be written, or the text is not valid Unicode.

    Examples
    --------
    >>> from undertow.storage import write_text
    >>> write_text("notes/first.txt", "Read me.").read_text(encoding="utf-8")
    'Read me.'
    """
    target = Path(path)
    if not target.name or "\0" in str(target) or target.is_dir():
        raise InvalidInput(f"path must name a file, got {str(path)!r}")
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"text must be valid Unicode, got half of a surrogate pair at {error.start}"
        ) from None
    try:
        write_file(target, content)
    except OSError as error:
        raise InvalidInput(
            f"{target} must be a place that can be written, got {reason(error)}"
        ) from error
    return target
