"""Minibatches from a spool: shuffled in two steps, and read ahead of those who use them.

An epoch permutes the blocks of the spool, takes them up in groups, and shuffles the documents
within each group: any document may come at any place, and those of a minibatch come from dozens of
places of the corpus. A spool of one group is shuffled as `CsrSource` shuffles: the order of the
same documents is the same.

In memory are two groups, the one in use and the next, which a thread reads meanwhile. A group of 64
blocks takes at most 2^23 entries (and a document a block) of 5 bytes, 42 MB, and 16 bytes a
document.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts.batch import CountBatch
from undertow.counts.minibatches import Minibatches, take_documents
from undertow.counts.source import minibatches, span_bounds
from undertow.kernels import randomness
from undertow.spool.count_spool import CountSpool, StoredDocuments

GROUP = 64  # blocks
BLOCK_STAGE = 1  # of Purpose.SHUFFLE: blocks and documents must not share draws


class SpooledSource:
    """The documents of a spool that can teach something, as `CsrSource` has them.

    Memory does not grow with the number of documents, but for 32 bytes a block (of about 1,024).

    Parameters
    ----------
    spool : CountSpool
        The documents.
    word_weights : array, (words,), optional
        The weight of each word; without them all words count alike.
    left_out : array of int64, optional
        Numbers of documents to pass over.
    group : int
        How many blocks are in memory and shuffled together.
    first_id : int
        The id of the first document, where the spool is a part of more.

    Raises
    ------
    InvalidInput
        Where no document is left.

    Examples
    --------
    >>> from undertow.spool import SpooledSource
    >>> source = SpooledSource(spool)
    >>> source.documents, source.vocabulary_size, source.longest
    (2, 4, 9)
    """

    def __init__(
        self,
        spool: CountSpool,
        word_weights: NDArray[np.float64] | None = None,
        *,
        left_out: NDArray[np.int64] | None = None,
        group: int = GROUP,
        first_id: int = 0,
    ) -> None:
        size = spool.vocabulary_size
        weights = np.ones(size) if word_weights is None else word_weights
        self._weighs = _check.vector("word_weights", weights, size=size, non_negative=True) > 0
        self._all_weigh = bool((self._weighs | (spool.totals.tokens == 0)).all())
        self._left_out = np.zeros(0, dtype=np.int64) if left_out is None else np.sort(left_out)
        self._spool, self._group = spool, _check.whole_number("group", group, at_least=1)
        self._first_id = _check.whole_number("first_id", first_id, at_least=0)
        self._usable = self._count_usable()
        if not self._usable.any():
            raise InvalidInput(
                f"counts must hold a document with a word of positive weight, got none in "
                f"{spool.documents}"
            )

    @property
    def vocabulary_size(self) -> int:
        return self._spool.vocabulary_size

    @property
    def documents(self) -> int:
        return int(self._usable.sum())

    @property
    def longest(self) -> int:
        return self._spool.longest

    def batches(
        self, *, seed: int, epoch: int, batch_size: int, first_batch: int = 0
    ) -> Iterator[CountBatch]:
        """The minibatches of an epoch. A thread reads ahead until the last was taken.

        Parameters
        ----------
        seed, epoch : int
            What the order of blocks and documents is drawn from.
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
        yield from self._batches(seed, epoch, batch_size, first_batch * batch_size)

    def pieces(
        self, *, seed: int, epoch: int, batch_size: int, at_a_time: int, first_batch: int = 0
    ) -> Iterator[Minibatches]:
        """The same minibatches, so many at a time.

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
        size, skipped = at_a_time * batch_size, first_batch * batch_size
        with closing(self._batches(seed, epoch, size, skipped)) as read:
            for batch in read:
                yield Minibatches.of(batch, batch_size)

    def _batches(
        self, seed: int, epoch: int, batch_size: int, skipped: int
    ) -> Generator[CountBatch]:
        """Batches from document number `skipped` of the epoch on."""
        blocks = self._permuted_blocks(seed, epoch)
        groups = [
            blocks[first : first + self._group] for first in range(0, len(blocks), self._group)
        ]
        while groups and skipped >= (size := int(self._usable[groups[0]].sum())):
            skipped -= size
            groups.pop(0)
        with closing(self._ahead(groups, seed, epoch)) as read:
            yield from minibatches(_spans(read, skipped, batch_size), batch_size)

    def _permuted_blocks(self, seed: int, epoch: int) -> NDArray[np.int64]:
        blocks = np.arange(self._spool.blocks)
        bits = randomness.philox(seed, randomness.Purpose.SHUFFLE, BLOCK_STAGE, epoch, blocks, 0)
        return np.argsort((bits[..., 0] << np.uint64(32)) | bits[..., 1], kind="stable")

    def _ahead(self, groups: list[NDArray[np.int64]], seed: int, epoch: int) -> Generator[_Group]:
        """The groups, each read while the one before is used. Closing this ends the thread."""
        if not groups:
            return
        with ThreadPoolExecutor(1, thread_name_prefix="undertow-spool") as pool:
            upcoming = pool.submit(self._read, groups[0], seed, epoch)
            for following in groups[1:]:
                group = upcoming.result()
                upcoming = pool.submit(self._read, following, seed, epoch)
                yield group
            yield upcoming.result()

    def _read(self, blocks: NDArray[np.int64], seed: int, epoch: int) -> _Group:
        documents = self._spool.read(blocks)
        rows = np.flatnonzero(self._teaches(documents.ids, documents.starts, documents.words))
        documents = replace(documents, ids=documents.ids + self._first_id)
        return _Group(documents, rows[randomness.permutation(seed, epoch, documents.ids[rows])])

    def _count_usable(self) -> NDArray[np.int64]:
        """(blocks,) How many documents of each block can teach something."""
        usable = np.zeros(self._spool.blocks, dtype=np.int64)
        for block in range(len(usable)):
            one = np.array([block])
            if self._all_weigh:  # the lengths are enough, and quickly read
                lengths = self._spool.lengths(one)
                starts, words = (
                    np.concatenate([[0], np.cumsum(lengths)]),
                    np.zeros(0, dtype=np.int32),
                )
                usable[block] = self._teaches(self._spool.ids(one), starts, words).sum()
            else:
                documents = self._spool.read(one)
                usable[block] = self._teaches(
                    documents.ids, documents.starts, documents.words
                ).sum()
        return usable

    def _teaches(
        self, ids: NDArray[np.int64], starts: NDArray[np.int64], words: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Whether each document has a word of positive weight and is not left out."""
        if not self._all_weigh:
            before = np.zeros(len(words) + 1, dtype=np.int64)
            np.cumsum(self._weighs[words], out=before[1:])
            starts = before[starts]
        teaches: NDArray[np.bool_] = starts[1:] > starts[:-1]
        if len(self._left_out):
            teaches &= ~np.isin(ids, self._left_out)
        return teaches


@dataclass(frozen=True)
class _Group:
    """Documents of some blocks, and the order in which they come."""

    documents: StoredDocuments
    order: NDArray[np.int64]

    def take(self, first: int, last: int) -> CountBatch:
        """Those at these places of the order, as far as there are any."""
        rows, read = self.order[first:last], self.documents
        return take_documents(read.ids[rows], rows, read.starts, read.words, read.counts)


def _spans(groups: Iterable[_Group], skipped: int, batch_size: int) -> Iterator[CountBatch]:
    """The documents of all groups in order, but for the first `skipped`."""
    for group in groups:
        for first, last in span_bounds(skipped, len(group.order), batch_size):
            yield group.take(first, last)
        skipped = 0
