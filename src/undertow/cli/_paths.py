"""Folders and files that a command is given, looked at before anything heavy is loaded: a slip is
told at once.

What is looked at here is looked at again by the library, in the same words, when it is opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

NAMED = ("20newsgroups", "imdb", "python-docs")
ELSEWHERE = re.compile(r"\w{2,}:/")  # s3://, https://


def check(given: Mapping[str, Any]) -> None:
    """Refuses paths of a command, by the names of its arguments, at which nothing of the kind can
    be.
    """
    looks: dict[str, Callable[[Path], None]] = {
        "model": _check_model,
        "index": _check_index,
        "corpus": _check_corpus,
    }
    looks |= {name: partial(_check_file, name) for name in ("vectors", "vector")}
    for name, look in looks.items():
        path = given.get(name)
        if isinstance(path, (str, Path)) and not ELSEWHERE.match(str(path)):
            look(Path(path))


def is_index(path: Path | str) -> bool:
    """Whether `undertow index` wrote this folder; what lies at an address can only be an index."""
    return "://" in str(path) or (Path(path) / "index.json").is_file()


def _check_model(path: Path) -> None:
    """A model, or an index, which holds one."""
    if is_index(path):
        _check_index(path)
        return
    from undertow.storage.layout import FOLDERS, check_folder

    check_folder(FOLDERS.current(path))


def _check_index(path: Path) -> None:
    from undertow.search.folder import layout, replacing

    layout.read_facts(replacing.current(path))


def _check_file(name: str, path: Path) -> None:
    from undertow._errors import InvalidInput

    if not path.is_file():
        raise InvalidInput(f"{name} must be a .npy file, got {str(path)!r}, where there is none")


def _check_corpus(path: Path) -> None:
    if str(path) in NAMED or "*" in str(path):
        return
    from undertow.cli._typed import about
    from undertow.corpus.paths import check_exists

    with about(path="CORPUS"):
        check_exists(path)
