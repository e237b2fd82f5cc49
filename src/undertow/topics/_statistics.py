"""What words are known to do in the leaves of a tree: enough to describe any union of leaves
without the corpus.

A term is a word of the vocabulary or a pair of words that often stand together. Counted are
documents that hold a term, by leaf, in a sample of the corpus; and NPMI between terms that may
describe the same topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow import _lazy
from undertow.topics.clusters import Labels, membership

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = _lazy.module("scipy.sparse")  # questions are read without it

# of counts by leaf and term; beyond, the terms seen in one document of a leaf go
ENTRIES_AT_MOST = 8_000_000
CANDIDATES, CANDIDATE_PAIRS = 40, 8  # words and pairs that may describe a topic
# documents of the whole corpus that are added to a topic, so that small ones do not list rare terms
SHRINK = 2.0
WORD_BITS = 64


@dataclass(frozen=True)
class TermStatistics:
    """Counts of documents by leaf and term."""

    counts: sparse.csr_array  # (m, T) int32
    frequencies: NDArray[np.int64]  # (T,) documents that hold a term
    sizes: NDArray[np.int64]  # (m,) documents of each leaf in the sample
    npmi: sparse.csr_array  # (T, T) float32, symmetric; 0 where a pair was not looked at
    words: int  # terms below are words, the others pairs of words

    @property
    def documents(self) -> int:
        """Documents of the sample."""
        return int(self.sizes.sum())

    def grouped(self, positions: NDArray[np.int32], number: int) -> Groups:
        """The statistics of unions of leaves; `positions` says which union each leaf belongs to, -1
        for none.
        """
        member = membership(positions, number)
        squares = self.counts.astype(np.float64)
        squares.data = squares.data**2 / np.repeat(
            np.maximum(self.sizes, 1), np.diff(self.counts.indptr)
        )
        counts = sparse.csr_array(member @ self.counts.astype(np.float64))
        spread = sparse.csr_array(member @ squares)
        counts.sort_indices()
        spread.sort_indices()
        sizes: NDArray[np.float64] = np.asarray(member @ self.sizes.astype(np.float64))
        return Groups(counts, spread, sizes, self)


@dataclass(frozen=True)
class Groups:
    """Unions of leaves."""

    counts: sparse.csr_array  # (n, T) documents that hold a term
    squares: sparse.csr_array  # (n, T) the sum over leaves of count^2 / size, in the same places
    sizes: NDArray[np.float64]  # (n,)
    of: TermStatistics

    def shares(self) -> NDArray[np.float64]:
        """The share of a group's documents that hold a term, for every entry of `counts`, shrunk a
        little.
        """
        everywhere = self.of.frequencies[self.counts.indices] / max(self.of.documents, 1)
        sizes = np.repeat(self.sizes, np.diff(self.counts.indptr))
        result: NDArray[np.float64] = (self.counts.data + SHRINK * everywhere) / (sizes + SHRINK)
        return result

    def salience(self) -> sparse.csr_array:
        """p1 log(p1 / p) of each term in each group, times how evenly the term is spread over the
        group's leaves.

        p1 is the share of the group's documents that hold the term, p that of all. The spread is 1
        where every leaf has its share of the term, and small where one leaf has all of it: a name
        under one author's posts, a word of one text that was sent ten times. Its root is taken.
        """
        share = self.shares()
        everywhere = np.maximum(self.of.frequencies[self.counts.indices], 1) / max(
            self.of.documents, 1
        )
        sizes = np.repeat(self.sizes, np.diff(self.counts.indptr))
        even = self.counts.data**2 / np.maximum(sizes * self.squares.data, 1e-12)
        values = share * np.log(share / everywhere) * np.sqrt(np.minimum(even, 1.0))
        # documents that a term has to be in
        least = np.where(sizes >= 12, 3, np.where(sizes >= 4, 2, 1))
        values = np.where((values > 0) & (self.counts.data >= least), values, 0.0)
        found = sparse.csr_array(
            (values, self.counts.indices, self.counts.indptr), shape=self.counts.shape
        )
        return found


def count_terms(presence: sparse.csr_array, labels: Labels, leaves: int) -> sparse.csr_array:
    """(leaves, T) How many documents of each leaf hold each term."""
    ones = sparse.csr_array(
        (np.ones(len(presence.data), dtype=np.int32), presence.indices, presence.indptr),
        shape=presence.shape,
    )
    counts = sparse.csr_array(membership(labels, leaves).astype(np.int32) @ ones)
    if counts.nnz > ENTRIES_AT_MOST:
        counts.data[counts.data == 1] = 0
        counts.eliminate_zeros()
    counts.sort_indices()
    return counts


def top_terms(values: sparse.csr_array, words: int) -> list[NDArray[np.int32]]:
    """The words of each row with the largest positive values, and after them pairs, largest first.

    Of equal ones the lower number comes first. Terms from `words` on are pairs.
    """
    return [
        values.indices[top_places(values, row, words)].astype(np.int32)
        for row in range(values.shape[0])
    ]


def top_places(values: sparse.csr_array, row: int, words: int) -> NDArray[np.int64]:
    """Where the entries of `top_terms` stand in the arrays of the matrix."""
    first, last = int(values.indptr[row]), int(values.indptr[row + 1])
    data, terms = values.data[first:last], values.indices[first:last]
    kept = np.flatnonzero(data > 0)
    order = kept[np.lexsort((terms[kept], -data[kept]))]
    single, pairs = (
        order[terms[order] < words][:CANDIDATES],
        order[terms[order] >= words][:CANDIDATE_PAIRS],
    )
    places: NDArray[np.int64] = first + np.concatenate([single, pairs]).astype(np.int64)
    return places


def pair_npmi(presence: sparse.csr_array, groups: list[NDArray[np.int32]]) -> sparse.csr_array:
    """(T, T) NPMI of all pairs of terms that stand in one group, over the documents of `presence`.

    Which documents hold a term is a row of bits, so that a pair is one AND and a count of ones.
    """
    documents, size = presence.shape
    wanted = np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *groups]))
    bits = _bits(presence, wanted)
    alone = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    keys, both = [], []
    for group in groups:
        places = np.searchsorted(wanted, np.sort(group))
        first, second = np.triu_indices(len(places), 1)
        together = np.bitwise_count(bits[places[first]] & bits[places[second]]).sum(
            axis=1, dtype=np.int64
        )
        keys.append(places[first] * len(wanted) + places[second])
        both.append(together)
    key, index = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *keys]), return_index=True)
    joint = np.concatenate([np.zeros(0, dtype=np.int64), *both])[index]
    first, second = key // max(len(wanted), 1), key % max(len(wanted), 1)
    values = npmi_of(alone[first], alone[second], joint, documents).astype(np.float32)
    values[values == 0] = np.float32(1e-6)  # 0 means that a pair is not known
    rows, columns = wanted[first], wanted[second]
    upper = sparse.coo_array((values, (rows, columns)), shape=(size, size))
    return sparse.csr_array(upper + upper.T)


def npmi_of(
    first: NDArray[np.int64], second: NDArray[np.int64], both: NDArray[np.int64], documents: int
) -> NDArray[np.float64]:
    """log(p(x, y) / p(x) p(y)) / -log p(x, y) from numbers of documents: -1 where two terms never
    meet.
    """
    joint = np.maximum(both, 1) / max(documents, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(joint * documents * documents / np.maximum(first * second, 1)) / -np.log(
            joint
        )
    value = np.where(both == documents, 1.0, value)
    result: NDArray[np.float64] = np.where(both == 0, -1.0, value)
    return result


def _bits(presence: sparse.csr_array, terms: NDArray[np.int32]) -> NDArray[np.uint64]:
    """(terms, documents / 64) Which documents hold each term."""
    columns = presence.tocsc()[:, terms]
    words = -(-max(presence.shape[0], 1) // WORD_BITS)
    bits = np.zeros((len(terms), words), dtype=np.uint64)
    rows = np.repeat(np.arange(len(terms)), np.diff(columns.indptr))
    documents = columns.indices.astype(np.int64)
    np.bitwise_or.at(
        bits,
        (rows, documents // WORD_BITS),
        np.uint64(1) << (documents % WORD_BITS).astype(np.uint64),
    )
    return bits
