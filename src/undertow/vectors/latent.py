"""What models of two layers say of documents: mean-field inputs, and how likely documents are.

A document and its latent words are a longer document of one layer. So every kind of vector is made
of what units receive from all of these words, as `encoding` makes it of a document's own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from undertow.counts import CountBatch
from undertow.engines import Engine, find_engine
from undertow.model.mean_field import bounds, mean_field
from undertow.model.token_factor import Array, TokenFactor, logistic
from undertow.model.two_layers import TwoLayers, latent_words_of

NUMBERS = 2**21  # of a block of documents x words: shares of latent words are dense
ROWS = 256  # documents of a block at most

Block = Callable[[int, int], None]


def latent_inputs(
    parameters: TwoLayers, batch: CountBatch, *, engine: Engine | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """W.u of each document with its expected latent words, without the hidden bias, and the
    weighted length of both. An empty document is left empty.
    """
    chosen, latent = engine or find_engine("cpu"), latent_words_of(parameters)
    factor = TokenFactor(parameters)
    sums, lengths = chosen.inputs(parameters.weights, parameters.word_weights, batch)
    tokens, bias = tokens_of(batch), parameters.hidden_bias.astype(np.float64)

    def infer(first: int, last: int) -> None:
        rows = slice(first, last)
        own = sums[rows] + lengths[rows, None] * bias
        found = mean_field(factor, own, tokens[rows], latent)
        longer = lengths[rows] + latent * (found.shares @ parameters.word_weights)
        known = lengths[rows] > 0
        without_bias = (found.inputs - longer[:, None] * bias).astype(np.float32)
        sums[rows] = np.where(known[:, None], without_bias, np.float32(0.0))
        lengths[rows] = np.where(known, longer, 0.0)

    in_blocks(chosen, batch.size, factor.words, infer)
    return sums, lengths


def latent_posteriors(
    parameters: TwoLayers, batch: CountBatch, *, engine: Engine | None = None
) -> NDArray[np.float32]:
    """How far units are on by mean field; 1/2 throughout of an empty document."""
    sums, lengths = latent_inputs(parameters, batch, engine=engine)
    x = sums + lengths[:, None] * parameters.hidden_bias.astype(np.float64)
    return logistic(x).astype(np.float32)


def log_bounds(
    parameters: TwoLayers, batch: CountBatch, *, engine: Engine | None = None
) -> NDArray[np.float64]:
    """The mean-field lower bound on log p*(V) of each document: its log-probability is at least
    that, less log Z of as many words and the latent ones.
    """
    chosen, latent = engine or find_engine("cpu"), latent_words_of(parameters)
    quick, exact = TokenFactor(parameters), TokenFactor(parameters, double=True)
    own, given = exact_inputs(parameters, batch)
    tokens, found = tokens_of(batch), np.empty(batch.size)

    def bound(first: int, last: int) -> None:
        rows = slice(first, last)
        mean = mean_field(quick, own[rows], tokens[rows], latent).mean.astype(np.float64)
        found[rows] = bounds(exact, own[rows], given[rows], latent, mean)

    in_blocks(chosen, batch.size, quick.words, bound)
    return found


def tokens_of(batch: CountBatch) -> NDArray[np.int64]:
    """How many words each document has."""
    sums = np.concatenate([[0], np.cumsum(batch.counts, dtype=np.int64)])
    result: NDArray[np.int64] = sums[batch.starts[1:]] - sums[batch.starts[:-1]]
    return result


def exact_inputs(parameters: TwoLayers, batch: CountBatch) -> tuple[Array, Array]:
    """What a document's own words say to units, and the sum of their w b, in double precision."""
    from scipy import sparse

    shape = (batch.size, parameters.words)
    counts = sparse.csr_array((batch.counts.astype(np.float64), batch.words, batch.starts), shape)
    w = parameters.word_weights.astype(np.float64)
    pull = w[:, None] * (parameters.weights.astype(np.float64) + parameters.hidden_bias)
    return np.asarray(counts @ pull), np.asarray(counts @ (w * parameters.visible_bias))


def in_blocks(engine: Engine, documents: int, words: int, work: Block) -> None:
    """Does this for blocks of documents, which do not depend on how many threads there are."""
    size = min(ROWS, max(NUMBERS // words, 1))
    firsts = range(0, documents, size)
    parts = [partial(work, first, min(first + size, documents)) for first in firsts]
    with threadpool_limits(limits=1, user_api="blas"):  # threads are the engine's business
        engine.together(parts)
