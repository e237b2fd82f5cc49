"""Per-word quantities of the training counts: idf weights w and the empirical distribution p that noise is drawn
from.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def idf_weights(counts: sparse.csr_array) -> NDArray[np.float64]:
    """w_k = log(T / df_k), with T documents of which df_k hold word k.

    A word in every document weighs 0. A word in none counts as being in one: its weight stays finite, and a
    document that brings it later is not lost.
    """
    documents, size = counts.shape
    document_frequency = np.bincount(counts.indices, minlength=size)
    return np.log(max(documents, 1) / np.maximum(document_frequency, 1))


def word_distribution(counts: sparse.csr_array) -> NDArray[np.float64]:
    """p_k: the share of all tokens that are word k; words that never occur count as half a token."""
    tokens = np.bincount(counts.indices, weights=counts.data, minlength=counts.shape[1])
    tokens = np.maximum(tokens, 0.5)
    distribution: NDArray[np.float64] = tokens / tokens.sum()
    return distribution
