"""What is known of a published data set, and the check that a table is that data set."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from undertow._errors import InvalidInput

COLUMNS = ("id", "split", "label", "text")
SPLITS = ("train", "test", "unsup")  # the order of the rows, too


@dataclass(frozen=True)
class Place:
    """Where a document belongs, as the name of its file tells."""

    id: str
    split: str
    label: str | None
    number: int

    @property
    def order(self) -> tuple[int, str, int]:
        """Rows are sorted by split, then label, then number."""
        return SPLITS.index(self.split), self.label or "", self.number


@dataclass(frozen=True)
class Official:
    """A published data set: where its archive is, how to read it, and how to know that it is the
    right one.

    `member` matches the whole name of a file in the archive that holds a document, and `place`
    reads that match. `digest` is the `content_digest` of all documents. The limits are several
    times what the real archive needs; they are there because a file from the network may claim any
    size.
    """

    name: str
    url: str
    encoding: str
    member: re.Pattern[str]
    place: Callable[[re.Match[str]], Place]
    counts: Mapping[tuple[str, str | None], int]
    digest: str
    largest_archive: int
    largest_unpacked: int
    largest_document: int

    @property
    def parquet(self) -> str:
        """The name of the data set's Parquet file, in `UNDERTOW_DATA` and in the cache."""
        return f"{self.name}.parquet"

    @property
    def archive(self) -> str:
        """The name of the archive's file."""
        return self.url.rsplit("/", 1)[1]

    @property
    def rows(self) -> int:
        """The number of documents."""
        return sum(self.counts.values())


def content_digest(documents: pl.DataFrame) -> str:
    """SHA-256 over the columns id and text, rows in the order of the ids' UTF-8 bytes.

    Each string goes in as its number of UTF-8 bytes (8 bytes, most significant first), followed by
    those bytes: with the lengths in, no two different tables give the same stream. It depends
    neither on the order of the rows nor on how a file is compressed, so an archive and a Parquet
    file of the same documents have the same digest.
    """
    digest = hashlib.sha256()
    for row in documents.select("id", "text").sort("id").iter_rows():
        for string in row:
            content = string.encode()
            digest.update(len(content).to_bytes(8, "big"))
            digest.update(content)
    return digest.hexdigest()


def check_counts(documents: pl.DataFrame, official: Official, source: str) -> None:
    """The official number of documents, in all and of every split and label."""
    if documents.height != official.rows:
        raise InvalidInput(
            f"{source} must hold the {official.rows:,} documents of {official.name}, got "
            f"{documents.height:,}"
        )
    found = {
        (split, label): count
        for split, label, count in documents.group_by("split", "label").len().iter_rows()
    }
    for key in sorted(official.counts.keys() | found.keys(), key=str):
        wanted, got = official.counts.get(key, 0), found.get(key, 0)
        if wanted != got:
            split, label = key
            raise InvalidInput(
                f"{source} must hold {wanted:,} documents with split {split!r} and label "
                f"{label!r}, got {got:,}"
            )


def check_digest(documents: pl.DataFrame, official: Official, source: str) -> None:
    """The official documents, byte for byte."""
    found = content_digest(documents)
    if found != official.digest:
        raise InvalidInput(
            f"{source} must hold the texts of {official.name} with digest {official.digest}, got "
            f"digest {found}"
        )
