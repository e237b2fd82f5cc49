"""Where counts come from: a small protocol, and its in-memory implementation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts.batch import CountBatch
from undertow.kernels import randomness
from undertow.kernels.cpu.documents import take_rows


class CountSource(Protocol):
    """Yields the documents of an epoch in minibatches.

    A source must be a pure function of (seed, epoch): asked again, from the beginning or from batch `first_batch`
    on, it yields the same batches. That is what makes a stopped run resume to the bit.
    """

    @property
    def vocabulary_size(self) -> int:
        """Number of words K."""
        ...

    @property
    def documents(self) -> int:
        """Number of documents that an epoch holds."""
        ...

    @property
    def longest(self) -> int:
        """Number of tokens of the longest document."""
        ...

    def batches(self, *, seed: int, epoch: int, batch_size: int, first_batch: int = 0) -> Iterator[CountBatch]:
        """The minibatches of an epoch, in an order drawn from (seed, epoch)."""
        ...


class CsrSource:
    """Documents held in memory as a CSR matrix of counts; rows that cannot teach anything are left out.

    A row is left out when its weighted length is 0: it has no words, or only words of weight 0. Document ids are
    row numbers of the matrix given, left-out rows included.
    """

    def __init__(self, counts: sparse.csr_array, word_weights: NDArray[np.float64] | None = None) -> None:
        weights = np.ones(counts.shape[1]) if word_weights is None else word_weights
        weights = _check.vector("word_weights", weights, size=counts.shape[1], non_negative=True)
        lengths = counts @ weights
        self._rows = np.flatnonzero(lengths > 0)
        if not len(self._rows):
            raise InvalidInput(
                f"counts must hold a document with a word of positive weight, got none in {counts.shape[0]}"
            )
        self._counts = counts
        self._tokens = np.asarray(counts.sum(axis=1)).ravel()

    @property
    def vocabulary_size(self) -> int:
        return int(self._counts.shape[1])

    @property
    def documents(self) -> int:
        return len(self._rows)

    @property
    def longest(self) -> int:
        return int(self._tokens.max())

    def batches(self, *, seed: int, epoch: int, batch_size: int, first_batch: int = 0) -> Iterator[CountBatch]:
        order = self._rows[randomness.permutation(seed, epoch, self._rows)]
        for first in range(first_batch * batch_size, len(order), batch_size):
            yield self._take(order[first : first + batch_size])

    def _take(self, rows: NDArray[np.int64]) -> CountBatch:
        matrix = self._counts
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(matrix.indptr[rows + 1] - matrix.indptr[rows], out=starts[1:])
        words, counts = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.int32)
        take_rows(rows, matrix.indptr, matrix.indices, matrix.data, starts, words, counts)
        return CountBatch(rows, starts, words, counts)
