"""The folder of an index: `index.json`, a copy of the model, and the database, so that an index is
one thing to move.

`index.json` says what the folder is, whether it is finished, and which corpus it is being made of
until then. It is replaced whole. A link inside the folder could lead out of it, so an index that
holds one is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from undertow._errors import IndexFileError, NewerIndex
from undertow.files.atomic import write_file
from undertow.files.disk import reason
from undertow.search.folder.lock import LOCK
from undertow.storage.layout import FOLDERS, HEADER_FILE, LARGEST_HEADER
from undertow.storage.versions import what_to_install

FORMAT = 1
KIND = "undertow search index"
FACTS, MODEL, DATABASE = "index.json", "model", "documents"
WORDS = "words"  # full text and small vectors, which follow from the documents
OVERVIEW = "overview"  # what undertow.insight keeps of it; it can go at any time
FILES = "files.json"  # the files of the documents, with their sizes and checksums
PARTS = (FACTS, MODEL, DATABASE, WORDS, OVERVIEW, FILES)
LARGEST = 2**20  # bytes of index.json


@dataclass(frozen=True)
class IndexFacts:
    """What index.json says."""

    finished: bool
    corpus: str = ""  # the digest of the documents that it was made of
    # SHA-256 of the model's own table of contents; two while one takes the place of another
    model: str = ""
    token: str = ""  # given when it is finished, and to no other index
    # documents that are nearly the same as an earlier one, when it was made
    near_copies: int | None = None
    listed: bool = False  # whether files.json belongs to it; earlier versions wrote none

    def __post_init__(self) -> None:
        texts: tuple[object, ...] = (self.corpus, self.model, self.token)
        flags: tuple[object, ...] = (self.finished, self.listed)
        sound = all(isinstance(one, str) and one.isascii() for one in texts)
        sound = sound and all(isinstance(one, bool) for one in flags)
        if not sound or type(self.near_copies) not in (int, type(None)):
            raise ValueError("facts of other kinds than these")


def write_facts(folder: Path, facts: IndexFacts) -> None:
    """Replaces index.json, all at once."""
    content = {"kind": KIND, "format": FORMAT, **asdict(facts)}
    text = json.dumps({**content, "checksum": checksum(content)}, indent=1) + "\n"
    write_file(folder / FACTS, text.encode("ascii"))


def checksum(content: Mapping[str, Any]) -> str:
    """SHA-256 of what JSON can hold, however it is laid out."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()


def read_facts(folder: Path) -> IndexFacts:
    """What the index in a folder is, or an error that says why it is none."""
    file = folder / FACTS
    if not file.is_file() or file.is_symlink():
        raise IndexFileError(
            f"{folder} must be a search index, got no {FACTS} in it: make one with undertow index"
        )
    _refuse_links(folder)
    try:
        with file.open("rb") as handle:
            content = json.loads(handle.read(LARGEST))
        digest = content.pop("checksum", None)  # earlier versions wrote none
        fits = digest in (None, checksum(content))
        kind, version = content.pop("kind"), content.pop("format")
        if kind == KIND and isinstance(version, int) and version > FORMAT:
            raise NewerIndex(
                f"{file} must be of format {FORMAT} or older, got {version}, "
                f"{what_to_install(content.get('undertow_version'))}"
            )
        if kind != KIND or version != FORMAT:
            raise ValueError(f"kind {kind!r:.40}, format {version!r:.40}")
        if not fits:
            raise ValueError("contents that do not fit their checksum")
        return IndexFacts(**content)
    except NewerIndex:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise IndexFileError(
            f"{file} must describe a search index, got something else: {error!s:.80}"
        ) from None


def is_index(folder: Path) -> bool:
    """Whether there is an index, finished or not."""
    return (folder / FACTS).is_file()


def is_free(folder: Path) -> bool:
    """Whether an index can be begun there: nothing is, or only what a writer left that was killed
    at once.
    """
    return not os.path.lexists(folder) or (
        folder.is_dir() and all(_is_leftover(name) for name in os.listdir(folder))
    )


def check_replaceable(folder: Path) -> None:
    """Refuses a folder that holds more than an index: it would go too."""
    foreign = sorted(
        name for name in os.listdir(folder) if name not in PARTS and not _is_leftover(name)
    )
    if foreign:
        raise IndexFileError(
            f"{folder} must hold an index alone to be replaced, got {foreign[0]!r} in it"
        )


def clear(folder: Path) -> None:
    """Empties the folder of an index, but for the lock, which somebody may hold, and a note that it
    was one.
    """
    check_replaceable(folder)
    _refuse_links(folder)
    if is_index(folder):
        # first: nobody takes half of the rest for an index
        write_facts(folder, IndexFacts(finished=False))
    for name in set(os.listdir(folder)) - {LOCK, FACTS}:
        place = folder / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()


def remove(folder: Path) -> None:
    """Removes an index, and nothing that is not part of one."""
    clear(folder)
    shutil.rmtree(folder)


def _is_leftover(name: str) -> bool:
    unfinished = name.startswith((f".{FACTS}.", f".{FILES}.")) and name.endswith(".part")
    return (
        name == LOCK
        or unfinished
        or name.startswith((f".{MODEL}.undertow-", f".{OVERVIEW}.undertow-"))
    )


def model_digest(folder: Path) -> str:
    """SHA-256 of the model's table of contents, which holds the checksums of everything else in
    it.
    """
    return digest_of(FOLDERS.current(folder / MODEL))


def digest_of(model: Path) -> str:
    """The same for a folder of a model."""
    try:
        with (model / HEADER_FILE).open("rb") as handle:
            return hashlib.sha256(handle.read(LARGEST_HEADER)).hexdigest()
    except OSError as error:
        raise IndexFileError(
            f"{model} must be the model of an index, got no {HEADER_FILE} that can be read: "
            f"{reason(error)}"
        ) from None


def size_on_disk(folder: Path) -> int:
    """Bytes of all its files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _refuse_links(folder: Path) -> None:
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            if os.path.islink(os.path.join(place, name)):
                raise IndexFileError(
                    f"{folder} must hold plain files and folders, got the link {name!r} in it"
                )
