"""Where counts come from: a small protocol, and its in-memory implementation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts.batch import CountBatch
from undertow.counts.minibatches import Minibatches, Rows, bounds_of, take_documents
from undertow.kernels import randomness
from undertow.kernels.cpu.order import permutation

SPAN = 1024  # documents that are taken out of a matrix at once


class CountSource(Protocol):
    """Yields the documents of an epoch in minibatches.

    A source must be a pure function of (seed, epoch): asked again, from the beginning or from batch
    `first_batch` on, it yields the same batches. That is what makes a stopped run resume to the
    bit. docs/extending.md has a source of one's own.

    Examples
    --------
    >>> from undertow.counts import CountSource, CsrSource
    >>> source: CountSource = CsrSource(counts)
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

    def batches(
        self, *, seed: int, epoch: int, batch_size: int, first_batch: int = 0
    ) -> Iterator[CountBatch]:
        """The minibatches of an epoch, in an order drawn from (seed, epoch)."""
        ...


class HeldRows(NamedTuple):
    """The matrix of a source in memory, and which of its rows are documents."""

    rows: NDArray[np.int64]
    starts: NDArray[Any]  # row r has the entries from starts[r] to before starts[r + 1]
    words: NDArray[Any]
    counts: NDArray[Any]
    first_id: int = 0  # what the first row is called as a document


class CsrSource:
    """Documents held in memory as a CSR matrix of counts.

    Rows that cannot teach anything are left out: those that have no words, or only words of weight
    0. Document ids are row numbers of the matrix given, left-out rows included.

    Parameters
    ----------
    counts : sparse array, (documents, words)
        Whole counts, as `checked_counts` and `log_counts` give them.
    word_weights : array, (words,), optional
        The weight of each word; without them all words count alike.
    first_id : int
        The id of the first row, where these documents are a part of more.

    Raises
    ------
    InvalidInput
        Where no document is left.

    Examples
    --------
    >>> from undertow.counts import CsrSource
    >>> source = CsrSource(counts)
    >>> source.documents, source.vocabulary_size, source.longest
    (2, 4, 9)
    """

    def __init__(
        self,
        counts: sparse.csr_array,
        word_weights: NDArray[np.float64] | None = None,
        *,
        first_id: int = 0,
    ) -> None:
        weights = np.ones(counts.shape[1]) if word_weights is None else word_weights
        weights = _check.vector("word_weights", weights, size=counts.shape[1], non_negative=True)
        lengths = counts @ weights
        self._rows = np.flatnonzero(lengths > 0)
        if not len(self._rows):
            raise InvalidInput(
                f"counts must hold a document with a word of positive weight, got none in "
                f"{counts.shape[0]}"
            )
        self._counts = counts
        self._first_id = _check.whole_number("first_id", first_id, at_least=0)
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

    def batches(
        self, *, seed: int, epoch: int, batch_size: int, first_batch: int = 0
    ) -> Iterator[CountBatch]:
        """The minibatches of an epoch.

        Parameters
        ----------
        seed, epoch : int
            What the order of the documents is drawn from.
        batch_size : int
            How many documents a minibatch has; the last one may have fewer.
        first_batch : int
            The minibatch to begin with.

        Yields
        ------
        CountBatch
            The next documents.

        Examples
        --------
        >>> batches = source.batches(seed=0, epoch=0, batch_size=1)
        >>> sorted(int(batch.document_ids[0]) for batch in batches)
        [0, 1]
        """
        drawn = randomness.permutation(seed, epoch, self._rows + self._first_id)
        order = self._rows[drawn][first_batch * batch_size :]
        spans = (
            self._take(order[first:last]) for first, last in span_bounds(0, len(order), batch_size)
        )
        yield from minibatches(spans, batch_size)

    def held(self) -> HeldRows:
        """The matrix itself, for engines that take it to where they compute.

        Returns
        -------
        HeldRows
            Not copies.

        Examples
        --------
        >>> source.held().rows.tolist()
        [0, 1]
        """
        matrix = self._counts
        parts = (matrix.indptr, matrix.indices, matrix.data)
        return HeldRows(self._rows, *parts, self._first_id)

    def pieces(
        self, *, seed: int, epoch: int, batch_size: int, at_a_time: int, first_batch: int = 0
    ) -> Iterator[Minibatches]:
        """The same minibatches, so many at a time, not taken out of the matrix yet: for those who
        read many of them at once.

        Parameters
        ----------
        seed, epoch, batch_size, first_batch : int
            As of `batches`.
        at_a_time : int
            How many minibatches come together; the last ones may be fewer.

        Yields
        ------
        Minibatches
            The next ones.

        Examples
        --------
        >>> pieces = source.pieces(seed=0, epoch=0, batch_size=1, at_a_time=2)
        >>> [len(piece) for piece in pieces]
        [2]
        """
        order = self._rows[permutation(seed, epoch, self._rows + self._first_id)]
        parts, size = self._parts, at_a_time * batch_size
        for begin in range(first_batch * batch_size, len(order), size):
            rows = order[begin : begin + size]
            where = bounds_of(self._tokens[rows], batch_size)
            yield Minibatches(Rows(rows + self._first_id, rows, *parts), *where)

    @cached_property
    def _parts(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """The matrix as compiled code takes it: row starts, columns, counts."""
        matrix = self._counts
        return (
            matrix.indptr.astype(np.int64, copy=False),
            matrix.indices.astype(np.int32, copy=False),
            matrix.data.astype(np.int32, copy=False),
        )

    def _take(self, rows: NDArray[np.int64]) -> CountBatch:
        return take_documents(rows + self._first_id, rows, *self._parts)


def span_bounds(first: int, last: int, batch_size: int) -> Iterator[tuple[int, int]]:
    """Cuts a range of documents into spans of some minibatches each: a third of what it takes to
    take a single minibatch is calling at all.
    """
    size = max(SPAN // batch_size, 1) * batch_size
    return ((begin, min(begin + size, last)) for begin in range(first, last, size))


def minibatches(spans: Iterable[CountBatch], batch_size: int) -> Iterator[CountBatch]:
    """The documents of all spans, in their order, so many at a time; the last ones may be fewer."""
    pieces: list[CountBatch] = []  # of a minibatch that goes on in the next span
    for span in spans:
        first = 0
        while first < span.size:
            wanted = batch_size - sum(piece.size for piece in pieces)
            pieces.append(span.part(first, first + wanted))
            first += wanted
            if pieces[-1].size == wanted:
                yield _joined(pieces)
                pieces = []
    if pieces:
        yield _joined(pieces)


def _joined(pieces: list[CountBatch]) -> CountBatch:
    if len(pieces) == 1:
        return pieces[0]
    lengths = np.concatenate([np.diff(piece.starts) for piece in pieces])
    return CountBatch(
        document_ids=np.concatenate([piece.document_ids for piece in pieces]),
        starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
        words=np.concatenate([piece.words for piece in pieces]),
        counts=np.concatenate([piece.counts for piece in pieces]),
    )
