"""Words that stand for groups of documents: two ways to choose them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

TOP = 10

Groups = NDArray[np.int64]
Matrix = NDArray[np.float64]


def best(scores: Matrix) -> list[list[int]]:
    """The columns with the highest scores of each row, best first; equal ones in their order."""
    return [np.argsort(-row, kind="stable")[:TOP].tolist() for row in scores]


def by_share(counts: sparse.csr_array, groups: Groups, number: int) -> list[list[int]]:
    """By p1 log(p1 / p): the shares of a group's documents and of all documents that hold a
    word.
    """
    present = (counts > 0).astype(np.float64)
    within = _summed(present, groups, number)
    sizes = np.bincount(groups, minlength=number)[:, None]
    shares, overall = within / np.maximum(sizes, 1), within.sum(axis=0) / counts.shape[0]
    ratio = np.divide(shares, overall, out=np.ones_like(shares), where=shares > 0)
    return best(shares * np.log(ratio))


def by_class_tf_idf(counts: sparse.csr_array, groups: Groups, number: int) -> list[list[int]]:
    """By BERTopic's c-TF-IDF."""
    return best(class_tf_idf(counts, groups, number))


def class_tf_idf(counts: sparse.csr_array, groups: Groups, number: int) -> Matrix:
    """(groups, words) The root of a word's share in a group's text times log(1 + A / f).

    A is the mean number of words of a group, f the number of times that a word occurs in all. The
    root is what BERTopic offers (`reduce_frequent_words`) against words that are frequent
    everywhere.
    """
    within = _summed(counts.astype(np.float64), groups, number)
    lengths = within.sum(axis=1, keepdims=True)
    weights = np.log1p(lengths.mean() / np.maximum(within.sum(axis=0), 1))
    scores: Matrix = np.sqrt(within / np.maximum(lengths, 1)) * weights
    return scores


def _summed(values: sparse.csr_array, groups: Groups, number: int) -> Matrix:
    """(groups, words) The sum of the rows of each group."""
    ones = np.ones(len(groups))
    member = sparse.csr_array((ones, (groups, np.arange(len(groups)))), shape=(number, len(groups)))
    summed: Matrix = (member @ values).toarray()
    return summed
