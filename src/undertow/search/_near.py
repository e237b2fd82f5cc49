"""Cosines of a question with all documents, by vectors of a byte a number.

A file of them belongs to a segment of full text and has its documents in its order. It is read in part: a question is
about some thirty topics of a hundred, and the others' numbers stay on the disk. What comes out is off by less than a
hundredth, so it finds the documents that are worth comparing exactly, and no more.
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
    from undertow.fulltext.lists import Rows

    Vectors = Callable[[Rows], NDArray[np.float32]]
    """Reads the vectors of rows; of length 1, or 0 for a document without one."""

SUFFIX = ".vectors"
FORMAT = "1"
FORMS = {"small": ("U8", 2), "scales": ("F32", 1)}
HIGHEST = 255
LEFT_OUT = 0.002  # what topics may have had of a product at most, together, to be passed over
AT_ONCE = 16_384  # documents
BY_KERNEL = 50_000  # documents: fewer are multiplied before the compiled kernel would be called

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NearVectors:
    """The vectors of a segment: number t of document i is `small[t, i] * scales[i]`."""

    small: NDArray[np.uint8]
    scales: NDArray[np.float32]

    @classmethod
    def of(cls, rows: Rows, units: int, vectors: Vectors) -> NearVectors:
        """Those of documents, read in pieces."""
        small = np.empty((units, len(rows)), dtype=np.uint8)
        scales = np.empty(len(rows), dtype=np.float32)
        for first in range(0, len(rows), AT_ONCE):
            part = vectors(rows[first : first + AT_ONCE])
            highest = part.max(axis=1, initial=0.0)
            highest[highest == 0.0] = 1.0  # a document without a vector
            small[:, first : first + AT_ONCE] = np.rint(part.T / highest * HIGHEST)
            scales[first : first + AT_ONCE] = highest / HIGHEST
        return cls(small, scales)

    def cosines(self, vector: NDArray[np.float32], found: NDArray[np.float32], *, compiled: bool = True) -> None:
        """With each document, put into `found`; by a compiled kernel if it pays."""
        topics = telling(vector)
        if len(found) < BY_KERNEL or not compiled:
            found[:] = 0.0
            for topic in topics:
                found += vector[topic] * self.small[topic]
            found *= self.scales
            return
        from undertow.kernels.cpu import threads as pool
        from undertow.kernels.cpu.nearest import in_fours, products

        threads = pool.thread_count(None)
        arguments = (self.small, *in_fours(topics, vector[topics]), self.scales, found)
        pool.run(pool.split(products, len(found), threads, *arguments, least=16_384), threads)


def telling(vector: NDArray[np.float32]) -> NDArray[np.int64]:
    """The topics that a question is about. No number of a vector of length 1 is above 1, so what the others could add
    is not above their sum.
    """
    order = np.argsort(vector, kind="stable")
    passed = int(np.searchsorted(np.cumsum(vector[order], dtype=np.float64), LEFT_OUT))
    return np.sort(order[passed:])


def near_vectors(segment: Path | None, rows: Rows, units: int, vectors: Vectors) -> NearVectors:
    """Those of a segment, from its file, or made where it has none or one that cannot be used."""
    if segment is not None and segment.with_suffix(SUFFIX).exists():
        try:
            return _read(segment.with_suffix(SUFFIX), (units, len(rows)))
        except (IndexFileError, OSError) as error:
            _log.warning("%s is passed over: %s", segment.with_suffix(SUFFIX).name, error)
    return NearVectors.of(rows, units, vectors)


def bring_up_to_date(folder: Path, segments: dict[Path, Rows], units: int, vectors: Vectors) -> None:
    """Writes the files that segments lack, and removes those of segments that are gone."""
    wanted = {segment.with_suffix(SUFFIX): rows for segment, rows in segments.items()}
    for file in folder.glob(f"*{SUFFIX}"):
        if file not in wanted:
            file.unlink(missing_ok=True)
    for file, rows in wanted.items():
        if not _sound(file, (units, len(rows))):
            made = NearVectors.of(rows, units, vectors)
            write_arrays(file, {"small": made.small, "scales": made.scales}, {"format": FORMAT})


def _sound(file: Path, shape: tuple[int, int]) -> bool:
    try:
        _read(file, shape)
    except (IndexFileError, OSError):
        return False
    return True


def _read(file: Path, shape: tuple[int, int]) -> NearVectors:
    arrays, notes = map_arrays(file, FORMS)
    found = NearVectors(**arrays)
    if notes != {"format": FORMAT} or found.small.shape != shape or len(found.scales) != shape[1]:
        raise IndexFileError(f"{file} must hold {shape[1]:,} vectors of {shape[0]} numbers, got others")
    return found
