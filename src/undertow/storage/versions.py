"""Which undertow wrote a folder, and which one can read it. Nothing heavy is loaded here."""

from __future__ import annotations

import importlib.metadata
import re

VERSION = re.compile(r"\d{1,6}(?:\.\d{1,6}){0,3}(?:\.?(?:a|b|rc|dev|post)\d{1,6})?")


def undertow_version() -> str:
    """The version of this package; a source tree that was never installed has none."""
    try:
        return importlib.metadata.version("undertow")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def what_to_install(writer: object) -> str:
    """What reads a folder of a later format, by the version that its writer told of itself; what is
    no version is not repeated, since people copy this line to a shell.
    """
    here = f"this is undertow {undertow_version()}"
    if isinstance(writer, str) and VERSION.fullmatch(writer):
        return f"written by undertow {writer}; {here}: pip install 'undertow>={writer}'"
    return f"written by a later version; {here}: pip install --upgrade undertow"
