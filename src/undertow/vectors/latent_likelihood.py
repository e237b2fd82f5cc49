"""log p*(V) of documents in models of two layers: the sum over hidden units of

    exp(sum of w b over V + x.h + M g(h)),    x = what the document's words say to units,

exactly where units are few, and else by annealed importance sampling from the mean field. Its
chains begin at the mean field's own distribution q, and each step moves the logarithm of what they
follow from that of q towards the above. The mean weight estimates p*(V) without bias, so its
logarithm is too low on average; with no step between, it would be the bound of mean field at least.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines import Engine, find_engine
from undertow.kernels import randomness
from undertow.kernels.randomness import Purpose
from undertow.model.mean_field import mean_field
from undertow.model.token_factor import Array, TokenFactor, log_mean, log_sum, logistic
from undertow.model.two_layers import TwoLayers, latent_words_of
from undertow.vectors.latent import exact_inputs, in_blocks, tokens_of

FIRST, SWEEP = 3, 4  # stages of draws, after those of `learn.completing`
TEMPERATURES, CHAINS = 100, 10
STATES = 2**20  # numbers of a block of documents x hidden states


def exact_log_sums(parameters: TwoLayers, batch: CountBatch) -> Array:
    """log p*(V) by the sum over all hidden states, in double precision."""
    factor = TokenFactor(parameters, double=True)
    own, given = exact_inputs(parameters, batch)
    prior = latent_words_of(parameters) * np.concatenate(list(factor.of_all_states()))
    found, size = np.empty(batch.size), max(STATES // len(prior), 1)
    states = (np.arange(len(prior))[:, None] >> np.arange(factor.units)) & 1
    for first in range(0, batch.size, size):
        rows = slice(first, first + size)
        found[rows] = given[rows] + log_sum(own[rows] @ states.T + prior, axis=1)
    return found


def annealed_log_sums(
    parameters: TwoLayers,
    batch: CountBatch,
    *,
    temperatures: int = TEMPERATURES,
    chains: int = CHAINS,
    seed: int = 0,
    engine: Engine | None = None,
) -> Array:
    """log p*(V) of each document by so many chains from its mean field."""
    factor = TokenFactor(parameters)
    own, given = exact_inputs(parameters, batch)
    tokens, found = tokens_of(batch), np.empty(batch.size)

    def anneal(first: int, last: int) -> None:
        rows = slice(first, last)
        ids = first * chains + np.arange((last - first) * chains)
        latent = latent_words_of(parameters)
        start = mean_field(factor, own[rows], tokens[rows], latent).inputs.astype(np.float64)
        start, end = (np.repeat(part, chains, axis=0) for part in (start, own[rows]))
        weights = _anneal(factor, start, end, latent, temperatures, seed, ids)
        found[rows] = given[rows] + log_mean(weights.reshape(-1, chains), axis=1)

    in_blocks(engine or find_engine("cpu"), batch.size, factor.words * chains, anneal)
    return found


def _anneal(
    factor: TokenFactor,
    start: Array,
    end: Array,
    latent: int,
    temperatures: int,
    seed: int,
    ids: NDArray[np.int64],
) -> Array:
    """log-weights of chains that go from q, whose units receive `start`, to exp(end.h + M g(h))."""
    hidden = _uniforms(factor, seed, FIRST, 0, ids) < logistic(start)
    weights: Array = np.logaddexp(0.0, start).sum(axis=1)
    for step in range(1, temperatures + 1):
        shares, g = factor.shares(hidden)
        weights += (((end - start) * hidden).sum(axis=1) + latent * g) / temperatures
        if step < temperatures:
            way = step / temperatures
            inputs = start + way * (end - start)
            uniforms = _uniforms(factor, seed, SWEEP, step, ids)
            factor.sweep(hidden, shares, way * latent, uniforms, inputs)
    return weights


def _uniforms(
    factor: TokenFactor, seed: int, stage: int, step: int, ids: NDArray[np.int64]
) -> Array:
    units = np.arange(factor.units)
    return randomness.uniforms(seed, Purpose.LATENT, stage, step, ids[:, None], units)
