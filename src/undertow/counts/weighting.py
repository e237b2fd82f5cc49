"""Per-word quantities of the training counts: idf weights w and the empirical distribution p that
noise is drawn from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True)
class WordTotals:
    """Sums over all documents, from which weights and noise follow; they can be added up while
    documents pass by.
    """

    documents: int
    document_frequencies: NDArray[np.int64]  # (K,): documents that hold each word
    tokens: NDArray[np.int64]  # (K,): how often each word occurs

    @classmethod
    def of(cls, counts: sparse.csr_array) -> WordTotals:
        """The sums of a matrix."""
        documents, size = counts.shape
        tokens = np.bincount(
            counts.indices, weights=counts.data, minlength=size
        )  # in float64, exact below 2^53
        return cls(documents, np.bincount(counts.indices, minlength=size), tokens.astype(np.int64))

    def __add__(self, other: WordTotals) -> WordTotals:
        return WordTotals(
            self.documents + other.documents,
            self.document_frequencies + other.document_frequencies,
            self.tokens + other.tokens,
        )

    def idf_weights(self) -> NDArray[np.float64]:
        """w_k = log(T / df_k), with T documents of which df_k hold word k.

        A word in every document weighs 0. A word in none counts as being in one: its weight stays
        finite, and a document that brings it later is not lost.
        """
        weights: NDArray[np.float64] = np.log(
            max(self.documents, 1) / np.maximum(self.document_frequencies, 1)
        )
        return weights

    def word_distribution(self) -> NDArray[np.float64]:
        """p_k: the share of all tokens that are word k; words that never occur count as half a
        token.
        """
        tokens = np.maximum(self.tokens, 0.5)
        distribution: NDArray[np.float64] = tokens / tokens.sum()
        return distribution


def idf_weights(counts: sparse.csr_array) -> NDArray[np.float64]:
    """`WordTotals.idf_weights` of a matrix."""
    return WordTotals.of(counts).idf_weights()


def word_distribution(counts: sparse.csr_array) -> NDArray[np.float64]:
    """`WordTotals.word_distribution` of a matrix."""
    return WordTotals.of(counts).word_distribution()
