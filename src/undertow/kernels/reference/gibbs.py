"""Gibbs steps, document by document: hidden units given documents, and words given hidden units.

The vocabulary goes by in chunks, as in the compiled version: each token keeps its present word or,
with probability (weight of the chunk) / (weight so far), takes a word of the chunk. The chunks are
part of what is drawn: every chunk has random numbers of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.randomness import CHUNK, Purpose, philox
from undertow.kernels.reference.energies import Array

TO_UNIT = 2.0**-32


def hidden_units(
    seed: int, epoch: int, step: int, ids: NDArray[np.int64], posteriors: Array
) -> NDArray[np.float64]:
    """h_j = 1 with probability posteriors[d, j]."""
    units = posteriors.shape[1]
    calls = np.arange(-(-units // 4))
    hidden = np.empty(posteriors.shape)
    for d, document in enumerate(ids):
        bits = philox(seed, Purpose.HIDDEN, step, epoch, document, calls).ravel()[:units]
        hidden[d] = bits * TO_UNIT < posteriors[d]
    return hidden


def words_of(
    seed: int, epoch: int, step: int, document: int, logits: Array, tokens: int
) -> NDArray[np.int32]:
    """So many words of one document, each drawn from softmax(logits)."""
    words = np.zeros(tokens, dtype=np.int32)
    chunks = -(-len(logits) // CHUNK)
    calls = np.arange(-(-tokens // 2))
    total, peak = 0.0, -np.inf
    for chunk in range(chunks):
        part = logits[chunk * CHUNK : (chunk + 1) * CHUNK]
        new_peak = max(peak, part.max())
        weights = np.exp(part - new_peak)
        total = total * np.exp(peak - new_peak) + weights.sum()
        peak, sums = new_peak, np.cumsum(weights)
        stage = step * chunks + chunk
        bits = philox(seed, Purpose.WORD, stage, epoch, document, calls).reshape(-1, 2) * TO_UNIT
        for token in range(tokens):
            if bits[token, 0] < sums[-1] / total:
                place = int(np.searchsorted(sums, bits[token, 1] * sums[-1], side="right"))
                words[token] = chunk * CHUNK + min(place, len(part) - 1)
    return words
