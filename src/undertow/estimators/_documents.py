"""The documents that an estimator learns from: all of them in memory, or on disk with a sample in
memory.

What goes through every document, the training itself, asks for a source. Whatever else looks at
documents (typical length, activity, trials of noise levels, what a progress bar watches) is a mean
that a sample tells well enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.counts import CountSource, CsrSource, WordTotals
from undertow.kernels import randomness
from undertow.spool import CountSpool, SpooledSource

HELD_OUT_AT_MOST = 2000
SAMPLE = 20_000  # documents that stand for all,
# or as many as have so many different words (8 bytes each), if they are long
SAMPLE_ENTRIES = 2**24
HOLD_OUT_STAGE, SAMPLE_STAGE = 0, 1  # of Purpose.HOLD_OUT
ROWS = 16384  # documents in memory that are looked at at a time
BLOCKS = 64  # that a sample is read from at a time


class Documents(Protocol):
    """What fitting asks of the documents that it learns from."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    @property
    def rows(self) -> int:
        """The largest number that one of them may have, and one more."""
        ...

    def totals(self) -> WordTotals:
        """Sums over all of them."""
        ...

    def source(self, word_weights: NDArray[np.float64]) -> CountSource:
        """Minibatches of all that have a word of positive weight."""
        ...

    def sample(self, seed: int) -> sparse.csr_array:
        """Documents in memory that stand for all; the same when asked again."""
        ...

    def hold_out(self, fraction: float, seed: int) -> tuple[Documents, sparse.csr_array]:
        """A part to learn from, and the rest in memory: this share, but 2,000 documents at most."""
        ...


class HeldDocuments:
    """A matrix in memory. Its sample is that of a spool of the same documents, so that both learn
    alike.
    """

    def __init__(self, counts: sparse.csr_array) -> None:
        self._counts = counts

    @property
    def size(self) -> int:
        return int(self._counts.shape[0])

    @property
    def rows(self) -> int:
        return self.size

    def totals(self) -> WordTotals:
        return WordTotals.of(self._counts)

    def source(self, word_weights: NDArray[np.float64]) -> CountSource:
        return CsrSource(self._counts, word_weights)

    def sample(self, seed: int) -> sparse.csr_array:
        size = sample_size(self._counts.nnz, self.size)
        if size >= self.size:
            return self._counts
        return self._counts[
            randomness.lowest(seed, randomness.Purpose.HOLD_OUT, SAMPLE_STAGE, self.size, size)
        ]

    def hold_out(self, fraction: float, seed: int) -> tuple[HeldDocuments, sparse.csr_array]:
        held_out = held_out_rows(self.size, fraction, seed)
        kept = np.setdiff1d(np.arange(self.size), held_out, assume_unique=True)
        return HeldDocuments(self._counts[kept]), self._counts[held_out]


class SpooledDocuments:
    """A spool on disk, but for the rows left out."""

    def __init__(self, spool: CountSpool, left_out: NDArray[np.int64] | None = None) -> None:
        self._spool = spool
        self._left_out = np.zeros(0, dtype=np.int64) if left_out is None else left_out
        self._sample: tuple[int, sparse.csr_array] | None = None

    @property
    def size(self) -> int:
        return self._spool.documents - len(self._left_out)

    @property
    def rows(self) -> int:
        return self._spool.documents

    def totals(self) -> WordTotals:
        return self._spool.totals

    def source(self, word_weights: NDArray[np.float64]) -> CountSource:
        return SpooledSource(self._spool, word_weights, left_out=self._left_out)

    def sample(self, seed: int) -> sparse.csr_array:
        if self._sample is None or self._sample[0] != seed:
            size = sample_size(self._spool.entries, self._spool.documents) + len(self._left_out)
            rows = randomness.lowest(
                seed, randomness.Purpose.HOLD_OUT, SAMPLE_STAGE, self._spool.documents, size
            )
            self._sample = (
                seed,
                read_rows(self._spool, np.setdiff1d(rows, self._left_out, assume_unique=True)),
            )
        return self._sample[1]

    def hold_out(self, fraction: float, seed: int) -> tuple[SpooledDocuments, sparse.csr_array]:
        held_out = held_out_rows(self._spool.documents, fraction, seed)
        return SpooledDocuments(self._spool, held_out), read_rows(self._spool, held_out)


def sample_size(entries: int, documents: int) -> int:
    """How many documents stand for all: fewer where they are long."""
    return min(SAMPLE, int(SAMPLE_ENTRIES / max(entries / max(documents, 1), 1.0)))


def held_out_rows(documents: int, fraction: float, seed: int) -> NDArray[np.int64]:
    """Rows to hold out, in order, by a number drawn for each row."""
    size = min(round(fraction * documents), HELD_OUT_AT_MOST)
    return randomness.lowest(seed, randomness.Purpose.HOLD_OUT, HOLD_OUT_STAGE, documents, size)


def read_rows(spool: CountSpool, rows: NDArray[np.int64]) -> sparse.csr_array:
    """These documents of a spool (in order) as a matrix."""
    parts: list[sparse.csr_array] = [
        sparse.csr_array(np.zeros((0, spool.vocabulary_size), dtype=np.int32))
    ]
    blocks = np.unique(spool.block_of(rows))
    for first in range(0, len(blocks), BLOCKS):
        read = spool.read(blocks[first : first + BLOCKS])
        shape = (len(read.ids), spool.vocabulary_size)
        matrix = sparse.csr_array((read.counts, read.words, read.starts), shape=shape)
        parts.append(matrix[np.isin(read.ids, rows)].astype(np.int32))
    return sparse.csr_array(sparse.vstack(parts, format="csr"))


def read_blocks(counts: sparse.csr_array | CountSpool) -> Iterator[sparse.csr_array]:
    """All documents in order, some at a time."""
    if isinstance(counts, CountSpool):
        for first in range(0, counts.blocks, BLOCKS):
            read = counts.read(np.arange(first, min(first + BLOCKS, counts.blocks)))
            shape = (len(read.ids), counts.vocabulary_size)
            yield sparse.csr_array((read.counts, read.words, read.starts), shape=shape).astype(
                np.int32
            )
        return
    for first in range(0, counts.shape[0], ROWS):
        yield counts[first : first + ROWS]
