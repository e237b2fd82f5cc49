"""`files.json`: the files of an index' documents as they were written, with sizes and SHA-256.

The database notices little of what happens to its files: one that was removed, cut off or
overwritten is found when a question needs it, and an older version is opened in silence where the
newest is gone. So who changes an index lists its files, after the commit; a file is never changed
under its name. Opening compares names and sizes, and the contents of small files; `Index.check`
reads all.

A writer that dies between a commit and the list leaves a list that is behind: files that are not on
it are believed, and the next writer lists them.
"""

from __future__ import annotations

import hashlib
import json
import logging
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from undertow._errors import IndexFileError
from undertow.files.atomic import write_file
from undertow.files.disk import reason
from undertow.search.database.manifest import Manifest
from undertow.search.database.store import TABLE
from undertow.search.folder import layout

KIND = "undertow search index files"
LARGEST = 2**28  # bytes of files.json
READ_AT_OPENING = 2**24  # bytes of small files, whose contents are compared whenever it is opened
PIECE = 2**20

# What becomes of JSON that is something else; of a size without end, too.
_NO_LIST = (ValueError, OverflowError, TypeError, KeyError, AttributeError, RecursionError)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ListedFile:
    """A file as it was written."""

    size: int
    sha256: str


@dataclass(frozen=True)
class FileList:
    """The files of a version by their paths in the index."""

    version: int = 0
    files: Mapping[str, ListedFile] = field(default_factory=dict)


def read(folder: Path, facts: layout.IndexFacts) -> FileList:
    """The list of an index; an empty one of an index that never had any."""
    file = folder / layout.FILES
    if not facts.listed:
        return FileList()
    try:
        with file.open("rb") as handle:
            content = json.loads(handle.read(LARGEST))
        digest = content.pop("checksum")
        if content["kind"] != KIND or digest != layout.checksum(content):
            raise ValueError("contents that do not fit their checksum")
        files = {
            str(name): ListedFile(int(size), str(sha256))
            for name, (size, sha256) in content["files"].items()
        }
        return FileList(int(content["version"]), files)
    except (OSError, *_NO_LIST) as error:
        raise IndexFileError(
            f"{file} must list the files of the index, got {reason(error):.80}: copy it again from "
            f"where it came"
        ) from None


def write(folder: Path, manifest: Manifest) -> None:
    """Lists the files of a version; the caller holds the lock. What was listed before is not read
    again: no file is changed under its name.
    """
    facts = layout.read_facts(folder)
    known = _known(folder, facts)
    files: dict[str, ListedFile] = {}
    for name in (*names_of(manifest), *_derived(folder)):
        size = (folder / name).stat().st_size
        before = known.get(name)
        if before is None or before.size != size:
            before = ListedFile(size, _sha256(folder / name))
        files[name] = before
    content = {
        "kind": KIND,
        "version": manifest.version,
        "files": {name: [file.size, file.sha256] for name, file in files.items()},
    }
    text = json.dumps({**content, "checksum": layout.checksum(content)}, indent=0)
    write_file(folder / layout.FILES, text.encode("ascii"))


def _known(folder: Path, facts: layout.IndexFacts) -> Mapping[str, ListedFile]:
    try:
        return read(folder, facts).files
    except IndexFileError as error:
        _log.warning("%s: made anew", error)
        return {}


def check(folder: Path, listed: FileList, manifest: Manifest) -> set[str]:
    """Names, sizes and small contents, when an index is opened. An error for documents; of what
    follows from them, which can be made again, the names of damaged files.
    """
    if manifest.version < listed.version:
        raise IndexFileError(
            f"{folder} must hold version {listed.version:,} of its documents, got version "
            f"{manifest.version:,}: files are missing, copy it again from where it came"
        )
    sizes = _sizes(folder, manifest)
    _check_sizes(folder, manifest, sizes, listed)
    wanted = [name for name in (*sizes, *_derived(folder)) if name in listed.files]
    left, damaged = READ_AT_OPENING, set[str]()
    for name in sorted(wanted, key=lambda name: listed.files[name].size):
        left -= listed.files[name].size
        if _is_derived(name) and not _is_as_listed(folder / name, listed.files[name], left >= 0):
            damaged.add(name)
        elif not _is_derived(name) and left >= 0:
            _check_content(folder, name, listed.files[name])
    return damaged


def check_whole(folder: Path, listed: FileList, manifest: Manifest) -> tuple[int, int, int]:
    """Reads all files; how many there are, their bytes, and how many of them are on no list."""
    sizes = _sizes(folder, manifest)
    _check_sizes(folder, manifest, sizes, listed)
    for name in _derived(folder):
        sizes[name] = (folder / name).stat().st_size
    for name in sizes:
        if name in listed.files:
            _check_content(folder, name, listed.files[name])
    return len(sizes), sum(sizes.values()), sum(name not in listed.files for name in sizes)


def damaged_derived(folder: Path, listed: FileList) -> set[str]:
    """What follows from the documents and is not as it was written: it is to be made again."""
    return {
        name
        for name in _derived(folder)
        if name in listed.files and not _is_as_listed(folder / name, listed.files[name], True)
    }


def names_of(manifest: Manifest) -> Iterable[str]:
    """The files that a version of the documents is made of, by their paths in the index."""
    for name in (manifest.name, *manifest.files):
        yield f"{layout.DATABASE}/{TABLE}.lance/{name}"


def _derived(folder: Path) -> list[str]:
    place = folder / layout.WORDS
    found = sorted(file.name for file in place.iterdir()) if place.is_dir() else []
    return [f"{layout.WORDS}/{name}" for name in found if not name.startswith(".")]


def _is_derived(name: str) -> bool:
    return name.startswith(f"{layout.WORDS}/")


def _sizes(folder: Path, manifest: Manifest) -> dict[str, int]:
    found = {}
    for name in names_of(manifest):
        try:
            facts = (folder / name).lstat()
        except FileNotFoundError:
            raise IndexFileError(
                f"{folder} must hold {name}, got no such file: copy it again from where it came"
            ) from None
        if not stat.S_ISREG(facts.st_mode):
            raise IndexFileError(f"{folder}/{name} must be a plain file, got something else")
        found[name] = facts.st_size
    return found


def _check_sizes(
    folder: Path, manifest: Manifest, sizes: Mapping[str, int], listed: FileList
) -> None:
    promised = dict(zip(names_of(manifest), (0, *manifest.files.values()), strict=True))
    for name, size in sizes.items():
        wanted = promised[name] or (listed.files[name].size if name in listed.files else size)
        if size != wanted:
            raise _damaged(folder, name, f"{size:,} bytes where it had {wanted:,}")


def _check_content(folder: Path, name: str, wanted: ListedFile) -> None:
    if not _is_as_listed(folder / name, wanted, True):
        raise _damaged(folder, name, "other contents than were written")


def _is_as_listed(file: Path, wanted: ListedFile, whole: bool) -> bool:
    try:
        if file.stat().st_size != wanted.size:
            return False
        return not whole or _sha256(file) == wanted.sha256
    except FileNotFoundError:  # a writer has replaced it meanwhile
        return True


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as handle:
        while piece := handle.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _damaged(folder: Path, name: str, got: str) -> IndexFileError:
    return IndexFileError(
        f"{folder}/{name} must be as it was written, got {got}: copy the index again from where it "
        f"came, or make it anew"
    )
