"""Documents completed by latent words, so that what learns one layer learns two.

A document and its latent words are a document of one layer. Where latent words are drawn as the
model has them given the document, the first phase of CD on completed documents is that of two
layers; in the second no word is seen, so that it is Gibbs sampling of so many words more. A step
for two layers is thus a step for one, of documents that the model itself has completed.

Latent words are drawn in one of two ways.

- **By chains**: Gibbs sampling of units and latent words, in turn, beside the words of a document,
  which stay. A chain goes on from epoch to epoch, so that it comes to the model's own distribution
  while the model hardly moves.
- **By mean field**, systematically: of M words that are expected, each word k comes up as often as
  M times its share says, rounded up or down. So its number has that mean exactly, and varies by
  less than that of independent draws.
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
from undertow.model.token_factor import TokenFactor, logistic

OFFSET, UNITS, WORDS = range(3)  # stages of draws
INSIDE = 1.0 - 2.0**-40  # keeps points below the end of their row, whatever they are rounded to

Shares = NDArray[np.floating]
Hidden = NDArray[np.bool_]


class Completing:
    """Completes minibatches of documents by `latent` words each; `seed` is that of the run."""

    def __init__(self, latent: int, seed: int) -> None:
        self._latent, self._seed = latent, seed

    def like_their_own(self, parameters: Parameters, batch: CountBatch, epoch: int) -> CountBatch:
        """By words like a document's own: those of a model that is being pretrained, whose weights
        count (1 + M/N) times.
        """
        counts = counts_of(parameters, batch)
        shares = counts.toarray() / _tokens(counts)[:, None]
        return self._systematic(batch, counts, shares, epoch)

    def by_mean_field(
        self, parameters: Parameters, batch: CountBatch, epoch: int, passes: int
    ) -> CountBatch:
        """By the latent words of mean field, after so many passes at most."""
        counts, factor = counts_of(parameters, batch), TokenFactor(parameters)
        found = mean_field(
            factor, _own(factor, counts), _tokens(counts), self._latent, passes=passes
        )
        return self._systematic(batch, counts, found.shares, epoch)

    def by_chains(
        self,
        parameters: Parameters,
        batch: CountBatch,
        epoch: int,
        rounds: int,
        hidden: Hidden,
        known: Hidden,
    ) -> CountBatch:
        """By the latent words of Gibbs sampling, after so many rounds from these hidden units,
        which are changed. Where a document's are not known, a chain begins as mean field does.
        """
        counts, factor = counts_of(parameters, batch), TokenFactor(parameters)
        own = _own(factor, counts)
        begun = logistic(own * (1.0 + self._latent / _tokens(counts))[:, None].astype(own.dtype))
        hidden[~known] = (self._uniforms(UNITS, epoch, batch, 0, factor.units) < begun)[~known]
        latent = counts
        for number in range(1, rounds + 1):
            shares, _ = factor.shares(hidden)
            points = self._uniforms(WORDS, epoch, batch, number, self._latent)
            latent = picked(shares, points)
            chances = logistic(own + latent.astype(own.dtype) @ factor.pull.T)
            hidden[:] = self._uniforms(UNITS, epoch, batch, number, factor.units) < chances
        return _together(batch, counts, latent)

    def _systematic(
        self, batch: CountBatch, counts: sparse.csr_array, shares: Shares, epoch: int
    ) -> CountBatch:
        ids = batch.document_ids
        offsets = randomness.uniforms(self._seed, Purpose.LATENT, OFFSET, epoch, ids, 0)
        return _together(batch, counts, systematic(shares, self._latent, offsets))

    def _uniforms(
        self, stage: int, epoch: int, batch: CountBatch, round_: int, number: int
    ) -> NDArray[np.float64]:
        """So many for each document in a round."""
        draws = round_ * number + np.arange(number)
        ids = batch.document_ids[:, None]
        return randomness.uniforms(self._seed, Purpose.LATENT, stage, epoch, ids, draws)


def counts_of(parameters: Parameters, batch: CountBatch) -> sparse.csr_array:
    """A minibatch as a matrix; words that come up several times are added up where they must be."""
    shape = (batch.size, parameters.words)
    return sparse.csr_array((batch.counts, batch.words, batch.starts), shape)


def systematic(shares: Shares, number: int, offsets: NDArray[np.float64]) -> sparse.csr_array:
    """Counts of so many words for each row, at equal distances along its shares; where the first
    one lies within a distance is given, from 0 to 1.
    """
    return picked(shares, (offsets[:, None] + np.arange(number)) / number)


def picked(shares: Shares, points: NDArray[np.float64]) -> sparse.csr_array:
    """Counts of the words that lie at these points, from 0 to 1, along the shares of each row."""
    rows, words = shares.shape
    ends = np.cumsum(shares, axis=1, dtype=np.float64)
    ends /= ends[:, -1:]
    row = np.arange(rows)[:, None]
    found = np.searchsorted((row + ends).ravel(), (row + INSIDE * points).ravel(), side="right")
    drawn = (np.ones(len(found), dtype=np.int32), (found // words, found % words))
    return sparse.csr_array(sparse.coo_array(drawn, shape=shares.shape))


def _together(batch: CountBatch, counts: sparse.csr_array, latent: sparse.csr_array) -> CountBatch:
    both = sparse.csr_array(counts + latent)
    both.sort_indices()
    starts, words = both.indptr.astype(np.int64), both.indices.astype(np.int32)
    return CountBatch(batch.document_ids, starts, words, both.data.astype(np.int32))


def _own(factor: TokenFactor, counts: sparse.csr_array) -> NDArray[np.floating]:
    """What a document's own words say to units."""
    said: NDArray[np.floating] = counts.astype(factor.pull.dtype) @ factor.pull.T
    return said


def _tokens(counts: sparse.csr_array) -> NDArray[np.int64]:
    return np.asarray(counts.sum(axis=1)).ravel()
