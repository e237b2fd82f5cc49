"""Counts of chunks put together: the columns of the vocabulary, the sum over n, the chunks below
each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from undertow.corpus._vocabulary import columns_of


@dataclass(frozen=True)
class PackedCounts:
    """Counts of the types of a chunk, in the narrowest numbers that hold them: about 3 bytes an
    entry instead of 8.
    """

    types: pl.Series
    starts: NDArray[Any]
    codes: NDArray[Any]
    data: NDArray[Any]

    @classmethod
    def of(cls, types: pl.Series, counts: sparse.csr_array) -> PackedCounts:
        """Packed copies of the parts."""
        size, most = len(types), int(counts.data.max(initial=0))
        return cls(
            types,
            counts.indptr.copy(),
            counts.indices.astype(np.min_scalar_type(size)),
            counts.data.astype(np.min_scalar_type(most)),
        )

    @property
    def documents(self) -> int:
        """How many there are."""
        return len(self.starts) - 1

    @property
    def nbytes(self) -> int:
        """What this takes in memory."""
        return (
            int(self.types.estimated_size())
            + self.starts.nbytes
            + self.codes.nbytes
            + self.data.nbytes
        )

    def selected(self, words: pl.DataFrame) -> sparse.csr_array:
        """The columns of the words, in their order."""
        columns = columns_of(self.types, words)[self.codes]
        known = columns >= 0
        before = np.zeros(len(known) + 1, dtype=self.starts.dtype)
        np.cumsum(known, out=before[1:])
        parts = (self.data[known].astype(np.int32), columns[known], before[self.starts])
        chosen: sparse.csr_array = sparse.csr_array(
            parts, shape=(len(self.starts) - 1, words.height)
        )
        return chosen.tocsc().tocsr()  # puts the columns in order, in linear time


def summed(parts: list[sparse.csr_array]) -> sparse.csr_array:
    """The sum of the counts of each n; no two have a column in common."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def stacked(chunks: Iterable[sparse.csr_array], size: int) -> sparse.csr_array:
    """The rows of all chunks, each let go as soon as it is copied, so that not all is in memory
    twice.
    """
    columns, data, lengths = _Growing(), _Growing(), [np.zeros(1, dtype=np.int64)]
    for chunk in chunks:
        columns.add(chunk.indices)
        data.add(chunk.data)
        lengths.append(np.diff(chunk.indptr).astype(np.int64))
    starts = np.cumsum(np.concatenate(lengths))
    index = np.int32 if starts[-1] < 2**31 else np.int64
    parts = (data.array(), columns.array().astype(index, copy=False), starts.astype(index))
    counts: sparse.csr_array = sparse.csr_array(parts, shape=(len(starts) - 1, size))
    return counts


class _Growing:
    """An array of int32 that is added to at its end; pages not written to yet take no memory."""

    def __init__(self) -> None:
        self._values = np.empty(2**16, dtype=np.int32)
        self._size = 0

    def add(self, values: NDArray[Any]) -> None:
        end = self._size + len(values)
        if end > len(self._values):
            self._values.resize(max(end, 2 * len(self._values)), refcheck=False)
        self._values[self._size : end] = values
        self._size = end

    def array(self) -> NDArray[np.int32]:
        self._values.resize(self._size, refcheck=False)
        return self._values
