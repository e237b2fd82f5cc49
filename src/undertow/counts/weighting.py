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
    """Sums over all documents, from which weights and noise follow.

    They can be added up while documents pass by: `+` gives the sums of both.

    Parameters
    ----------
    documents : int
        How many there are.
    document_frequencies : array of int64, (words,)
        How many documents hold each word.
    tokens : array of int64, (words,)
        How often each word occurs.

    Examples
    --------
    >>> from undertow.counts import WordTotals
    >>> totals = WordTotals.of(counts[:1]) + WordTotals.of(counts[1:])
    >>> totals.documents, totals.tokens.tolist()
    (3, [2, 8, 2, 0])
    """

    documents: int
    document_frequencies: NDArray[np.int64]
    tokens: NDArray[np.int64]

    @classmethod
    def of(cls, counts: sparse.csr_array) -> WordTotals:
        """The sums of a matrix.

        Parameters
        ----------
        counts : sparse array, (documents, words)
            Whole counts, as `checked_counts` gives them.

        Returns
        -------
        WordTotals
            Its sums; empty documents count as documents.

        Examples
        --------
        >>> WordTotals.of(counts).document_frequencies.tolist()
        [1, 1, 2, 0]
        """
        documents, size = counts.shape
        # in float64, exact below 2^53
        tokens = np.bincount(counts.indices, weights=counts.data, minlength=size)
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

        Returns
        -------
        array of float64, (words,)
            The weights.

        Examples
        --------
        >>> totals.idf_weights().round(2)
        array([1.1 , 1.1 , 0.41, 1.1 ])
        """
        weights: NDArray[np.float64] = np.log(
            max(self.documents, 1) / np.maximum(self.document_frequencies, 1)
        )
        return weights

    def word_distribution(self) -> NDArray[np.float64]:
        """p_k: the share of all tokens that are word k.

        Returns
        -------
        array of float64, (words,)
            The shares, which sum to 1. Words that never occur count as half a token.

        Examples
        --------
        >>> totals.word_distribution()
        array([0.16, 0.64, 0.16, 0.04])
        """
        tokens = np.maximum(self.tokens, 0.5)
        distribution: NDArray[np.float64] = tokens / tokens.sum()
        return distribution


def idf_weights(counts: sparse.csr_array) -> NDArray[np.float64]:
    """`WordTotals.idf_weights` of a matrix.

    Parameters
    ----------
    counts : sparse array, (documents, words)
        Whole counts, as `checked_counts` gives them.

    Returns
    -------
    array of float64, (words,)
        w_k = log(T / df_k), with T documents of which df_k hold word k.

    Examples
    --------
    >>> from undertow.counts import idf_weights
    >>> idf_weights(counts).round(2)
    array([1.1 , 1.1 , 0.41, 1.1 ])
    """
    return WordTotals.of(counts).idf_weights()


def word_distribution(counts: sparse.csr_array) -> NDArray[np.float64]:
    """`WordTotals.word_distribution` of a matrix: what noise is drawn from.

    Parameters
    ----------
    counts : sparse array, (documents, words)
        Whole counts, as `checked_counts` gives them.

    Returns
    -------
    array of float64, (words,)
        p_k, the share of all tokens that are word k; it is never 0.

    Examples
    --------
    >>> from undertow.counts import word_distribution
    >>> word_distribution(counts)
    array([0.16, 0.64, 0.16, 0.04])
    """
    return WordTotals.of(counts).word_distribution()
