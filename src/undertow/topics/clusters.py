"""Spherical k-means, and the nearest of some centres: the same bits for any number of threads.

Vectors are rows of length 1, so the largest product is the smallest angle. Blocks of a fixed size
are compared by one thread each, with one thread of BLAS, and sums over a cluster run in the order
of the documents.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from undertow import _lazy
from undertow.kernels import randomness
from undertow.kernels.cores import thread_count
from undertow.vectors.joining import unit

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = _lazy.module("scipy.sparse")  # questions are read without it

Vectors = NDArray[np.float32]
Labels = NDArray[np.int32]

BLOCK = 1024  # rows that are compared with all centres at a time
ROUNDS = 12  # of k-means, at most
FEW = 16  # rows: to tell BLAS how many threads to use would take longer than to do without it


def nearest(
    vectors: Vectors, centres: Vectors, threads: int | None = None
) -> tuple[Labels, NDArray[np.float32]]:
    """The centre with the largest product with each vector, and that product; of equal ones the
    first.
    """
    if len(vectors) <= FEW:
        found = np.einsum("ij,kj->ik", vectors, centres)
        best = found.argmax(axis=1)
        return best.astype(np.int32), found[np.arange(len(found)), best]
    labels = np.zeros(len(vectors), dtype=np.int32)
    products = np.zeros(len(vectors), dtype=np.float32)

    def compare(first: int) -> None:
        found = vectors[first : first + BLOCK] @ centres.T
        best = found.argmax(axis=1)
        labels[first : first + BLOCK] = best
        products[first : first + BLOCK] = found[np.arange(len(found)), best]

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(thread_count(threads)) as pool:
        list(pool.map(compare, range(0, len(vectors), BLOCK)))
    return labels, products


def membership(labels: Labels, number: int) -> sparse.csr_array:
    """(number, n) 1 where element i has the label; a label of -1 is nowhere."""
    inside = np.flatnonzero(labels >= 0)
    entries = np.ones(len(inside)), (labels[inside], inside)
    return sparse.csr_array(sparse.coo_array(entries, shape=(number, len(labels))))


def sums_by_label(vectors: Vectors, labels: Labels, number: int) -> NDArray[np.float64]:
    """(number, H) The sum of the vectors of each label, in the order of the rows; a label of -1
    counts nowhere.
    """
    member = membership(labels, number)
    return np.asarray(member @ vectors.astype(np.float64))


def spherical_kmeans(
    vectors: Vectors, number: int, *, seed: int, threads: int | None = None
) -> Labels:
    """(n,) Clusters of unit vectors, numbered from 0 without gaps: `number` of them, or fewer where
    rows repeat.

    It begins with documents drawn at random among those that differ, and a cluster that loses all
    its documents gets the one that fits its own cluster worst.
    """
    # the first of each that are the same
    distinct = np.sort(np.unique(vectors, axis=0, return_index=True)[1])
    first = np.sort(randomness.permutation(seed, number, distinct)[:number])
    centres = vectors[distinct[first]]
    labels: Labels | None = None
    for _ in range(ROUNDS):
        found, products = nearest(vectors, centres, threads)
        if labels is not None and np.array_equal(found, labels):
            break
        labels = found
        sums = sums_by_label(vectors, labels, len(centres))
        empty = np.flatnonzero(np.bincount(labels, minlength=len(centres)) == 0)
        sums[empty] = vectors[np.argsort(products, kind="stable")[: len(empty)]]
        centres = unit(sums)
    labels, _ = nearest(vectors, centres, threads)
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)
