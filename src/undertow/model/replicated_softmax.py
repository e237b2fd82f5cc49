"""The model as users of parameters meet it: sparse counts of any size in, energies, features and
word probabilities out.

Weighted counts are u = w * v and the weighted length is L = sum of u; both may be real numbers. The
mathematics is written out, slowly, in `undertow.kernels.reference.energies`.

Models learned by alpha-NCE with the uniform contrastive estimate are feature extractors: their free
energies and word probabilities are not calibrated. Models learned by plain NCE, CD or PCD approach
the distribution of the data.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.kernels.cpu import threads as pool
from undertow.kernels.cpu.documents import document_inputs, squash_inputs
from undertow.kernels.reference import energies
from undertow.model.directions import direction_weights
from undertow.model.features import Balance, beside, mean_inputs, strengths_of, units_side
from undertow.model.parameters import Parameters

DOCUMENTS_PER_TASK = 32


def inputs(
    parameters: Parameters, batch: CountBatch, *, threads: int | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """W.u of each document, without the hidden bias, and the weighted lengths L."""
    return _sums_of_rows(parameters.weights, parameters.word_weights, batch, threads)


def _sums_of_rows(
    rows: NDArray[np.float32],
    word_weights: NDArray[np.float32],
    batch: CountBatch,
    threads: int | None,
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """The weighted sum of the rows of each document's words, and the sum of its weighted counts."""
    n_threads = pool.thread_count(threads)
    sums = np.empty((batch.size, rows.shape[1]), dtype=np.float32)
    lengths = np.empty(batch.size)
    documents = (batch.starts, batch.words, batch.counts, rows, word_weights)
    tasks = pool.split(
        document_inputs, batch.size, n_threads, *documents, sums, lengths, least=DOCUMENTS_PER_TASK
    )
    pool.run(tasks, n_threads)
    return sums, lengths


def posteriors(
    parameters: Parameters, batch: CountBatch, *, threads: int | None = None
) -> NDArray[np.float32]:
    """P(h_j = 1 | V) = sigmoid(W_j.u + L a_j): the features of the paper. An empty document gets
    1/2 throughout.
    """
    return _posteriors_and_scores(parameters, batch, threads)[0]


def activations(
    parameters: Parameters, batch: CountBatch, *, threads: int | None = None
) -> NDArray[np.float32]:
    """The posterior's argument divided by L: the mean input per token. An empty document gets 0."""
    return mean_inputs(*inputs(parameters, batch, threads=threads), parameters.hidden_bias)


def strengths(
    parameters: Parameters, batch: CountBatch, length: float, *, threads: int | None = None
) -> NDArray[np.float32]:
    """log(1 + softplus(x)), x the posterior's argument if the document, with its shares of words,
    were `length` long.

    Where posteriors of two documents are both 1, it still says which is more about the topic; and a
    query of three words can be compared with a page. An empty document gets log(1 + log 2).
    """
    return strengths_of(activations(parameters, batch, threads=threads), length)


def balanced(
    parameters: Parameters, batch: CountBatch, balance: Balance, *, threads: int | None = None
) -> NDArray[np.float32]:
    """What units say beside what words say, (documents, H + R), as vectors of length 1.

    One vector for classifiers, retrieval and clusters alike. Units: strengths by their spread over
    the corpus, less half their mean, which do not saturate as posteriors do and keep what a unit
    says below its threshold. Words: where the document lies in the directions in which documents
    differ most. An empty document gets zeros.
    """
    sums, lengths = inputs(parameters, batch, threads=threads)
    units = units_side(mean_inputs(sums, lengths, parameters.hidden_bias), lengths, balance)
    if balance.width == parameters.units:
        return units
    weights = direction_weights(parameters.word_weights)
    words, _ = _sums_of_rows(balance.directions, weights, batch, threads)
    words[lengths == 0] = 0.0  # its words have no weight: it is empty
    return beside(units, words)


def soft_posteriors(
    parameters: Parameters, batch: CountBatch, length: float, *, threads: int | None = None
) -> NDArray[np.float32]:
    """P(h_j = 1 | the document, with its shares of words, at another length): at a short one they
    do not saturate.
    """
    x = np.float32(length) * activations(parameters, batch, threads=threads)
    result: NDArray[np.float32] = np.float32(0.5) * (np.tanh(np.float32(0.5) * x) + np.float32(1.0))
    return result


def scores(
    parameters: Parameters, batch: CountBatch, *, threads: int | None = None
) -> NDArray[np.float64]:
    """S(u) = sum_j softplus(W_j.u + L a_j) - H log 2: 0 for an empty document."""
    return _posteriors_and_scores(parameters, batch, threads)[1]


def free_energies(
    parameters: Parameters, batch: CountBatch, *, threads: int | None = None
) -> NDArray[np.float64]:
    """F(V) = -(b.u + S(u) + H log 2): low for documents that the model finds likely among those of
    their length.
    """
    pull = parameters.word_weights.astype(np.float64) * parameters.visible_bias
    owners = np.repeat(np.arange(batch.size), np.diff(batch.starts))
    visible = np.bincount(owners, weights=pull[batch.words] * batch.counts, minlength=batch.size)
    result: NDArray[np.float64] = -(
        visible + scores(parameters, batch, threads=threads) + parameters.units * np.log(2.0)
    )
    return result


def frozen_log_normaliser(
    parameters: Parameters, lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """H log 2 + L logsumexp(b): the constant that alpha-NCE puts in the place of log Z. It is a
    heuristic, not log Z.
    """
    bias = parameters.visible_bias.astype(np.float64)
    log_sum = bias.max() + np.log(np.exp(bias - bias.max()).sum())
    result: NDArray[np.float64] = parameters.units * np.log(2.0) + lengths * log_sum
    return result


def words_given_hidden(parameters: Parameters, hidden: NDArray[np.floating]) -> NDArray[np.float64]:
    """P(k | h) of each row of hidden units, (rows, K): for a few rows, since it is dense in the
    vocabulary.
    """
    return energies.words_given_hidden(
        np.asarray(hidden, dtype=np.float64),
        parameters.weights.astype(np.float64),
        parameters.hidden_bias.astype(np.float64),
        parameters.visible_bias.astype(np.float64),
        parameters.word_weights.astype(np.float64),
    )


def _posteriors_and_scores(
    parameters: Parameters, batch: CountBatch, threads: int | None
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    sums, lengths = inputs(parameters, batch, threads=threads)
    n_threads = pool.thread_count(threads)
    totals = np.empty(batch.size)
    biased = (sums, lengths, parameters.hidden_bias, totals)
    pool.run(
        pool.split(squash_inputs, batch.size, n_threads, *biased, least=DOCUMENTS_PER_TASK),
        n_threads,
    )
    return sums, totals
