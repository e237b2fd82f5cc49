"""From what hidden units see of documents to features, in plain NumPy.

`inputs_in_numpy` is for a question or two. `encoding.inputs` gives the same inputs, compiled, for
any number of documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.counts.batch import CountBatch
from undertow.model.parameters import Parameters
from undertow.vectors.joining import unit

WORDS_SIDE = np.float32(0.7)  # the length of the words' side where that of the units is 1


@dataclass(frozen=True, eq=False)
class Balance:
    """What "balanced" vectors are measured by.

    Parameters
    ----------
    scale : float
        What mean inputs are multiplied by.
    centre : array of float32, (units,)
        Where the middle of the documents then is.
    directions : array of float32, (words, directions)
        The directions of words that stand beside the units; none for units alone.

    Examples
    --------
    >>> from undertow.vectors import Balance
    >>> middle, directions = np.zeros(3, np.float32), np.eye(4, 2, dtype=np.float32)
    >>> balance = Balance(3.0, middle, directions)
    >>> balance.width
    5
    """

    scale: float
    centre: NDArray[np.float32]
    directions: NDArray[np.float32]

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return len(self.centre) + int(self.directions.shape[1])


def inputs_in_numpy(
    parameters: Parameters, batch: CountBatch
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """W.u of each document, without the hidden bias, and the weighted lengths L."""
    sums = np.zeros((batch.size, parameters.units), dtype=np.float32)
    lengths = np.zeros(batch.size)
    for document in range(batch.size):
        own = slice(batch.starts[document], batch.starts[document + 1])
        words = batch.words[own]
        weighted = parameters.word_weights[words] * batch.counts[own].astype(np.float32)
        sums[document] = weighted @ parameters.weights[words]
        lengths[document] = weighted.sum(dtype=np.float64)
    return sums, lengths


def mean_inputs(
    sums: NDArray[np.float32], lengths: NDArray[np.float64], hidden_bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(W.u + L a) / L: the mean input per token, in the place of the sums. An empty document gets
    0.
    """
    per_length = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0).astype(
        np.float32
    )
    sums *= per_length[:, None]
    sums += (lengths > 0).astype(np.float32)[:, None] * hidden_bias
    return sums


def units_side(
    mean: NDArray[np.float32], lengths: NDArray[np.float64], balance: Balance
) -> NDArray[np.float32]:
    """log(1 + softplus(scale * mean input)), less its middle, as vectors of length 1; an empty
    document gets 0.
    """
    vectors = strengths_of(mean, balance.scale)
    vectors -= balance.centre
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    known = (lengths > 0) & (norms >= np.finfo(np.float32).tiny)  # 1 / norm stays finite
    vectors *= np.divide(1.0, norms, out=np.zeros_like(norms), where=known).astype(np.float32)[
        :, None
    ]
    return vectors


def beside(units: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.float32]:
    """Both sides in one vector of length 1: units first, then words, which count for less. Zeros of
    both stay zeros.
    """
    return unit(np.hstack([unit(units), WORDS_SIDE * unit(words)]))


def strengths_of(mean: NDArray[np.float32], length: float) -> NDArray[np.float32]:
    """log(1 + softplus(x)), x the input of a document that is `length` long and has these mean
    inputs.
    """
    x = np.float32(length) * mean
    softplus = np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))
    result: NDArray[np.float32] = np.log1p(softplus)
    return result
