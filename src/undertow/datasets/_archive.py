"""Documents out of a gzipped tar archive, read in memory.

The archive came over the network, so nothing in it is trusted: nothing is unpacked to disk, only
plain files with an expected name are read, and names, numbers and sizes are bounded before anything
is kept.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from undertow._errors import InvalidInput
from undertow.datasets._official import COLUMNS, Official, Place

BUFFER = 1 << 17
BROKEN = (
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
)  # what a damaged archive makes the readers raise


class _Bounded:
    """A stream that ends in an error when more than `limit` bytes are asked of it: a small file can
    unpack to much.
    """

    def __init__(self, stream: gzip.GzipFile, limit: int) -> None:
        self._stream = stream
        self._left = limit

    def read(self, size: int) -> bytes:
        """The next bytes."""
        content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise tarfile.ReadError("it unpacks to far more than the official archive")
        return content


def read_archive(file: Path, official: Official) -> pl.DataFrame:
    """All documents of the archive, sorted by split, label and number; whether they are the right
    ones is not checked.
    """
    documents: dict[str, tuple[Place, str]] = {}
    try:
        with gzip.open(file) as unpacked:
            for place, text in _documents(unpacked, official):
                if place.id in documents:
                    raise tarfile.ReadError(f"two documents have the id {place.id!r}")
                documents[place.id] = place, text
                if len(documents) > official.rows:
                    raise tarfile.ReadError(f"it holds more than {official.rows:,} documents")
    except BROKEN as error:
        reason = str(error) or type(error).__name__
        raise InvalidInput(
            f"{file} must be the official archive of {official.name}, got a file where {reason}"
        ) from error
    rows = sorted(documents.values(), key=lambda row: row[0].order)
    return pl.DataFrame(
        [(place.id, place.split, place.label, text) for place, text in rows],
        schema=dict.fromkeys(COLUMNS, pl.String),
        orient="row",
    )


def _documents(unpacked: gzip.GzipFile, official: Official) -> Iterator[tuple[Place, str]]:
    with tarfile.open(
        fileobj=_Bounded(unpacked, official.largest_unpacked),  # type: ignore[call-overload]
        mode="r|",
        bufsize=BUFFER,
    ) as archive:
        for member in archive:
            match = official.member.fullmatch(member.name)
            # links, devices and sparse files are no documents, whatever they are called
            if (
                match is None
                or member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE)
                or member.issparse()
            ):
                continue
            if member.size > official.largest_document:
                raise tarfile.ReadError(f"{member.name} has {member.size:,} bytes")
            content = archive.extractfile(member)
            if content is not None:
                yield (
                    official.place(match),
                    _decoded(member.name, content.read(), official.encoding),
                )


def _decoded(name: str, content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise tarfile.ReadError(f"{name} is not {encoding}") from error
