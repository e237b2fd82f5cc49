"""What the words of a document did: to the input of a unit, and to its product with a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow import _lazy
from undertow.model.parameters import Parameters

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = _lazy.module("scipy.sparse")  # questions are read without it


def pushes(
    parameters: Parameters, unit: int, words: NDArray[np.integer] | None = None
) -> NDArray[np.float64]:
    """What one token of each word, or of each of some words, adds to a unit's input:
    w_k (W_kj + a_j), since the input is the sum of u_k (W_kj + a_j).
    """
    chosen = slice(None) if words is None else words
    column = parameters.weights[chosen, unit].astype(np.float64)
    column += float(parameters.hidden_bias[unit])
    return parameters.word_weights[chosen] * column


def attributions(parameters: Parameters, counts: sparse.csr_array, unit: int) -> sparse.csr_array:
    """How much each word of each document moved a unit; a row sums to the unit's input, exactly up
    to rounding.
    """
    push = pushes(parameters, unit)
    return sparse.csr_array(
        (counts.data * push[counts.indices], counts.indices, counts.indptr), shape=counts.shape
    )


def shared_out(
    parameters: Parameters, counts: sparse.csr_array, parts: NDArray[np.float64]
) -> sparse.csr_array:
    """Each unit's part of a document, (documents, units), shared out to the words that pushed the
    unit up, as they did.
    """
    data, lengths = np.zeros(len(counts.data)), np.diff(counts.indptr)
    few = len(counts.indices) < parameters.words  # then the other words need not be looked at
    rows = np.repeat(np.arange(len(lengths)), lengths)
    for unit in np.flatnonzero(parts.any(axis=0)):
        if few:
            pushed = counts.data * pushes(parameters, int(unit), counts.indices)
        else:
            pushed = counts.data * pushes(parameters, int(unit))[counts.indices]
        up = np.maximum(pushed, 0.0)
        total = np.bincount(rows, weights=up, minlength=len(lengths))
        none = np.repeat((total <= 0) & (lengths > 0), lengths)
        # no word pushed the unit up: what little there is belongs to all alike
        up = np.where(none, 1.0, up)
        total = np.where(total > 0, total, np.maximum(lengths, 1))
        data += up * np.repeat(parts[:, unit] / total, lengths)
    return sparse.csr_array((data, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
