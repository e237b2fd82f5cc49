"""Counts of chunks put together: the columns of the vocabulary, the sum over n, the chunks below each other."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from undertow.corpus._vocabulary import columns_of


def selected(types: pl.Series, counts: sparse.csr_array, words: pl.DataFrame) -> sparse.csr_array:
    """The columns of the words, in their order, out of counts of types."""
    columns = columns_of(types, words)[counts.indices]
    known = columns >= 0
    before = np.concatenate([[0], np.cumsum(known)])
    parts = (counts.data[known], columns[known].astype(np.int32), before[counts.indptr].astype(counts.indptr.dtype))
    chosen: sparse.csr_array = sparse.csr_array(parts, shape=(counts.shape[0], words.height))
    return chosen.tocsc().tocsr()  # puts the columns in order, in linear time


def totals(counts: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each column: the sum of its counts, and the number of rows that have it."""
    size = counts.shape[1]
    sums = np.bincount(counts.indices, counts.data, size)  # float64, exact below 2^53
    return sums.astype(np.int64), np.bincount(counts.indices, minlength=size)


def summed(parts: list[sparse.csr_array]) -> sparse.csr_array:
    """The sum of the counts of each n; no two have a column in common."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def stacked(chunks: list[sparse.csr_array], size: int) -> sparse.csr_array:
    """The rows of all chunks; `chunks` is emptied, so that not all is in memory twice."""
    rows = sum(chunk.shape[0] for chunk in chunks)
    starts = np.zeros(rows + 1, dtype=np.int64)
    lengths = [np.diff(chunk.indptr) for chunk in chunks]
    if chunks:
        np.cumsum(np.concatenate(lengths), out=starts[1:])
    index = np.int32 if starts[-1] < 2**31 else np.int64
    columns, data = np.empty(starts[-1], dtype=index), np.empty(starts[-1], dtype=np.int32)
    first = 0
    chunks.reverse()
    while chunks:
        chunk = chunks.pop()
        columns[first : first + chunk.nnz] = chunk.indices
        data[first : first + chunk.nnz] = chunk.data
        first += chunk.nnz
    counts: sparse.csr_array = sparse.csr_array((data, columns, starts.astype(index)), shape=(rows, size))
    return counts
