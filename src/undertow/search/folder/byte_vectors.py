"""Cosines of a question with all documents, by vectors of a byte a number.

The numbers of a model are not negative, and a byte counts them from 0; what is joined with them may
be, and there a byte counts from 128, in steps twice as large.

A file of them belongs to a segment of full text and has its documents in its order. It is read in
part: a question is about some thirty topics of a hundred, and the others' numbers stay on the disk.
What comes out is off by less than a hundredth, so it finds the documents that are worth comparing
exactly, and no more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow._errors import IndexFileError
from undertow.storage.mapped import map_arrays, write_arrays

if TYPE_CHECKING:
    from undertow.fulltext.full_text import Rows

    Vectors = Callable[[Rows], NDArray[np.float32]]
    """Reads the vectors of rows; of length 1, or 0 for a document without one."""

    Widths = tuple[int, int]
    """How many numbers of a vector are the model's, and how many there are with those joined."""

SUFFIX = ".vectors"
FORMAT = "1"
FORMS = {"small": ("U8", 2), "scales": ("F32", 1)}
HIGHEST, MIDDLE = 255, 128
LARGEST_SCALE = 1.0  # of a vector of length 1 it is a 255th, and of one without, too
LEFT_OUT = 0.002  # what topics may have had of a product at most, together, to be passed over
AT_ONCE = 16_384  # documents
BY_KERNEL = 50_000  # documents: fewer are multiplied before the compiled kernel would be called

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ByteVectors:
    """The vectors of a segment: number t of document i is `small[t, i] * scales[i]`, and from
    number `own` on, which is joined, `2 * (small[t, i] - 128) * scales[i]`.
    """

    small: NDArray[np.uint8]
    scales: NDArray[np.float32]
    own: int

    @classmethod
    def of(cls, rows: Rows, widths: Widths, vectors: Vectors) -> ByteVectors:
        """Those of documents, read in pieces."""
        own, width = widths
        small = np.empty((width, len(rows)), dtype=np.uint8)
        scales = np.empty(len(rows), dtype=np.float32)
        for first in range(0, len(rows), AT_ONCE):
            part = vectors(rows[first : first + AT_ONCE])
            highest = np.abs(part).max(axis=1, initial=0.0)
            highest[highest == 0.0] = 1.0  # a document without a vector
            steps = part.T / highest * HIGHEST
            steps[own:] = np.minimum(steps[own:] / 2 + MIDDLE, HIGHEST)
            small[:, first : first + AT_ONCE] = np.rint(steps)
            scales[first : first + AT_ONCE] = highest / HIGHEST
        return cls(small, scales, own)

    def cosines(
        self, vector: NDArray[np.float32], found: NDArray[np.float32], *, compiled: bool = True
    ) -> None:
        """With each document, put into `found`; by a compiled kernel if it pays."""
        topics = telling(vector)
        weights = np.where(topics < self.own, np.float32(1.0), np.float32(2.0)) * vector[topics]
        if len(found) < BY_KERNEL or not compiled:
            found[:] = 0.0
            for topic, weight in zip(topics, weights, strict=True):
                found += weight * self.small[topic]
            found *= self.scales
        else:
            self._by_kernel(topics, weights, found)
        joined = topics >= self.own
        if joined.any():  # what bytes that count from the middle have too much
            found -= np.float32(MIDDLE * weights[joined].sum(dtype=np.float64)) * self.scales

    def _by_kernel(
        self, topics: NDArray[np.int64], weights: NDArray[np.float32], found: NDArray[np.float32]
    ) -> None:
        from undertow.kernels.cores import thread_count
        from undertow.kernels.cpu import pool
        from undertow.kernels.cpu.nearest import in_fours, products
        from undertow.kernels.cpu.splitting import split

        threads = thread_count(None)
        arguments = (self.small, *in_fours(topics, weights), self.scales, found)
        pool.run(split(products, len(found), threads, *arguments, least=16_384), threads)


def telling(vector: NDArray[np.float32]) -> NDArray[np.int64]:
    """The topics that a question is about. No number of a vector of length 1 is above 1, so what
    the others could add is not above their sum.
    """
    sizes = np.abs(vector)
    order = np.argsort(sizes, kind="stable")
    passed = int(np.searchsorted(np.cumsum(sizes[order], dtype=np.float64), LEFT_OUT))
    return np.sort(order[passed:])


def read_or_make(
    segment: Path | None,
    rows: Rows,
    widths: Widths,
    vectors: Vectors,
    damaged: frozenset[str] = frozenset(),
) -> ByteVectors:
    """Those of a segment, from its file, or made where it has none or one that cannot be used."""
    file = None if segment is None else segment.with_suffix(SUFFIX)
    if segment is not None and file is not None and file.name not in damaged and file.exists():
        try:
            return _read(segment.with_suffix(SUFFIX), widths, len(rows))
        except (IndexFileError, OSError) as error:
            _log.warning("%s is passed over: %s", segment.with_suffix(SUFFIX).name, error)
    return ByteVectors.of(rows, widths, vectors)


def bring_up_to_date(
    folder: Path, segments: dict[Path, Rows], widths: Widths, vectors: Vectors
) -> None:
    """Writes the files that segments lack, and removes those of segments that are gone."""
    wanted = {segment.with_suffix(SUFFIX): rows for segment, rows in segments.items()}
    for file in folder.glob(f"*{SUFFIX}"):
        if file not in wanted:
            file.unlink(missing_ok=True)
    for file, rows in wanted.items():
        if not _sound(file, widths, len(rows)):
            made = ByteVectors.of(rows, widths, vectors)
            write_arrays(file, {"small": made.small, "scales": made.scales}, _notes(widths))


def _notes(widths: Widths) -> dict[str, str]:
    own, width = widths
    return {"format": FORMAT} if own == width else {"format": FORMAT, "own": str(own)}


def _sound(file: Path, widths: Widths, documents: int) -> bool:
    try:
        _read(file, widths, documents)
    except (IndexFileError, OSError):
        return False
    return True


def _read(file: Path, widths: Widths, documents: int) -> ByteVectors:
    arrays, notes = map_arrays(file, FORMS)
    found = ByteVectors(arrays["small"], arrays["scales"], widths[0])
    if (
        notes != _notes(widths)
        or found.small.shape != (widths[1], documents)
        or len(found.scales) != documents
        or not bool(((found.scales >= 0.0) & (found.scales <= LARGEST_SCALE)).all())
    ):
        raise IndexFileError(
            f"{file} must hold {documents:,} vectors of {widths[1]} numbers, got others"
        )
    return found
