"""Documents completed by latent words, so that what learns one layer learns two.

A document and its latent words are a document of one layer. Where latent words are drawn as the
model has them given the document, the first phase of CD on completed documents is that of two
layers; in the second no word is seen, so that it is Gibbs sampling of so many words more. A step
for two layers is thus a step for one, of documents that the model itself has completed.

Latent words are drawn by mean field, systematically: from M words that are expected, each word k
comes up as often as M times its share says, rounded up or down. So their number has that mean
exactly, and varies by less than that of independent draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.counts import CountBatch
from undertow.kernels import randomness
from undertow.kernels.randomness import Purpose
from undertow.model.mean_field import mean_field
from undertow.model.parameters import Parameters
from undertow.model.token_factor import TokenFactor

OFFSET = 0  # a stage of draws

Shares = NDArray[np.floating]


def completed(
    parameters: Parameters, batch: CountBatch, latent: int, passes: int, seed: int, epoch: int
) -> CountBatch:
    """Documents with so many latent words each. With 0 passes these are like a document's own
    words: those of a model that is being pretrained, whose weights count (1 + M/N) times.
    """
    counts = counts_of(parameters, batch)
    tokens = np.asarray(counts.sum(axis=1)).ravel()
    if passes:
        factor = TokenFactor(parameters)
        own = counts.astype(factor.pull.dtype) @ factor.pull.T
        shares = mean_field(factor, own, tokens, latent, passes=passes).shares
    else:
        shares = counts.toarray() / tokens[:, None]
    offsets = randomness.uniforms(seed, Purpose.LATENT, OFFSET, epoch, batch.document_ids, 0)
    both = sparse.csr_array(counts + systematic(shares, latent, offsets))
    both.sort_indices()
    starts, words = both.indptr.astype(np.int64), both.indices.astype(np.int32)
    return CountBatch(batch.document_ids, starts, words, both.data.astype(np.int32))


def counts_of(parameters: Parameters, batch: CountBatch) -> sparse.csr_array:
    """A minibatch as a matrix; words that come up several times are added up where they must be."""
    shape = (batch.size, parameters.words)
    return sparse.csr_array((batch.counts, batch.words, batch.starts), shape)


def systematic(shares: Shares, number: int, offsets: NDArray[np.float64]) -> sparse.csr_array:
    """Counts of so many words for each row, at equal distances along its shares; where the first
    one lies within a distance is given, from 0 to 1.
    """
    rows, words = shares.shape
    ends = np.cumsum(shares, axis=1, dtype=np.float64)
    ends /= ends[:, -1:]
    row = np.arange(rows)[:, None]
    points = row + (offsets[:, None] + np.arange(number)) / number
    found = np.searchsorted((row + ends).ravel(), points.ravel(), side="right")
    found = np.clip(found, np.repeat(row * words, number), np.repeat((row + 1) * words - 1, number))
    drawn = (np.ones(len(found), dtype=np.int32), (found // words, found % words))
    return sparse.csr_array(sparse.coo_array(drawn, shape=shares.shape))
