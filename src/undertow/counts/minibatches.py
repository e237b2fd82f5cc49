"""Minibatches that are not taken out of their matrix yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from undertow.counts.batch import CountBatch
from undertow.kernels.cpu.documents import take_rows


class Rows(NamedTuple):
    """Rows of a compressed sparse matrix, in the order in which they are wanted."""

    ids: NDArray[np.int64]  # (n,): what the documents are called
    rows: NDArray[np.int64]  # (n,)
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.int32]


class Minibatches(Sequence[CountBatch]):
    """Minibatches of an epoch, each of which is made when it is asked for.

    A slice is such a sequence as well, and copies nothing. What can read rows where they are (as
    compiled code does) needs no minibatch made at all.

    Parameters
    ----------
    rows : Rows
        The documents.
    bounds : array of int64, (n, 2)
        From which of them to before which each minibatch goes.
    tokens : array of int64, (n,)
        How many tokens each has.

    Examples
    --------
    >>> from undertow.counts import CsrSource, Minibatches
    >>> pieces = CsrSource(counts).pieces(seed=0, epoch=0, batch_size=1, at_a_time=2)
    >>> minibatches = next(pieces)
    >>> len(minibatches), minibatches[0].size, len(minibatches[1::2])
    (2, 1, 1)
    """

    @classmethod
    def of(cls, batch: CountBatch, batch_size: int) -> Minibatches:
        """A batch, cut into minibatches of so many documents.

        Parameters
        ----------
        batch : CountBatch
            Many documents.
        batch_size : int
            How many a minibatch has; the last one may have fewer.

        Returns
        -------
        Minibatches
            They read the arrays of the batch.

        Examples
        --------
        >>> from undertow.counts import CountBatch
        >>> [one.size for one in Minibatches.of(CountBatch.from_csr(counts), 2)]
        [2, 1]
        """
        places = np.arange(batch.size, dtype=np.int64)
        rows = Rows(batch.document_ids, places, batch.starts, batch.words, batch.counts)
        tokens = np.diff(np.concatenate([[0], np.cumsum(batch.counts)])[batch.starts])
        return cls(rows, *bounds_of(tokens, batch_size))

    def __init__(self, rows: Rows, bounds: NDArray[np.int64], tokens: NDArray[np.int64]) -> None:
        self.rows, self.bounds, self._tokens = rows, bounds, tokens

    @property
    def documents(self) -> int:
        """Of all minibatches."""
        return int((self.bounds[:, 1] - self.bounds[:, 0]).sum())

    @property
    def tokens(self) -> int:
        """Of all minibatches."""
        return int(self._tokens.sum())

    def __len__(self) -> int:
        return len(self.bounds)

    @overload
    def __getitem__(self, place: int) -> CountBatch: ...

    @overload
    def __getitem__(self, place: slice) -> Minibatches: ...

    def __getitem__(self, place: int | slice) -> CountBatch | Minibatches:
        if isinstance(place, slice):
            return Minibatches(self.rows, self.bounds[place], self._tokens[place])
        first, last = self.bounds[place]
        ids, rows, indptr, indices, data = self.rows
        return take_documents(ids[first:last], rows[first:last], indptr, indices, data)


def bounds_of(
    tokens: NDArray[np.integer], batch_size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where minibatches of documents of so many tokens begin and end, and their tokens."""
    firsts = np.arange(0, len(tokens), batch_size)
    bounds = np.stack([firsts, np.minimum(firsts + batch_size, len(tokens))], axis=1)
    return bounds, np.add.reduceat(tokens, firsts, dtype=np.int64)


def take_documents(
    ids: NDArray[np.int64],
    rows: NDArray[np.int64],
    indptr: NDArray[np.integer],
    indices: NDArray[np.integer],
    data: NDArray[np.integer],
) -> CountBatch:
    """Rows of a compressed sparse matrix as a minibatch of documents with these ids."""
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(indptr[rows + 1] - indptr[rows], out=starts[1:])
    words, counts = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.int32)
    take_rows(rows, indptr, indices, data, starts, words, counts)
    return CountBatch(ids, starts, words, counts)
