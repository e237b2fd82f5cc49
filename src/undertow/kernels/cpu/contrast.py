"""alpha-NCE's objective and its gradient, document by document.

For a document with kept tokens V_r, weighted length L and D tokens, and for each of its noise documents alike,

    X(V) = (1/L) [ sum over replaced tokens of w (b_k - logsumexp(b) - log p_k) + S(V) - S(V_r) - (c_D - c_{D_r}) ]

    J = mean over documents of  softplus(log k - s X(V_d)) + sum_j softplus(s X(V_n^j) - log k)

with sharpness s, and c_D a correction of the frozen log Z (zero unless log Z is learned). Without the uniform
contrastive estimate the factor 1/L is left out. With g = dJ/dX / L, the gradient with respect to the input of a
document is g sigmoid(input).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.cpu.documents import add_row
from undertow.kernels.cpu.vector_math import sigmoid, softplus, squash


class SplitDocuments(NamedTuple):
    """The minibatch, each document split into kept and replaced tokens."""

    kept_inputs: NDArray[np.float32]  # (B, H): W.u of V_r
    rest_inputs: NDArray[np.float32]  # (B, H): W.u of the replaced tokens
    kept_lengths: NDArray[np.float64]  # (B,)
    rest_lengths: NDArray[np.float64]  # (B,)
    rest_gains: NDArray[np.float64]  # (B,): sum over replaced tokens of w (b - logsumexp(b) - log p)
    corrections: NDArray[np.float64]  # (B,): c_D - c_{D_r}


class NoiseTable(NamedTuple):
    """What replaces the tokens: noise j of document d is row ends[d, j] less row begins[d, j] of each table."""

    inputs: NDArray[np.float32]  # (rows, H)
    lengths: NDArray[np.float64]  # (rows,)
    gains: NDArray[np.float64]  # (rows,)
    begins: NDArray[np.int64]  # (B, k)
    ends: NDArray[np.int64]  # (B, k)
    places: NDArray[np.int32]  # (B, k): the row that the gradient of noise j of document d goes to


class Objective(NamedTuple):
    """How X enters J."""

    log_n_noise: float
    sharpness: float
    uniform: bool  # divide the log-ratio by L
    document_share: float  # 1 / B


class ContrastResult(NamedTuple):
    """What comes out; gradients with respect to an input W.u are vectors of H."""

    rest_vectors: NDArray[np.float32]  # (B, H): of the replaced tokens' input
    kept_vectors: NDArray[np.float32]  # (B, H): of the kept tokens' input
    noise_vectors: NDArray[np.float32]  # (B * k, H): of the noise words' input, at their places
    hidden_bias: NDArray[np.float32]  # (B, H): of a, a row per document
    posteriors: NDArray[np.float32]  # (B, H): P(h | V_d)
    data_factors: NDArray[np.float64]  # (B,): dJ / d(L X) of the document
    noise_factors: NDArray[np.float64]  # (B * k,): the same of its noise documents
    losses: NDArray[np.float64]  # (B,)


@piece
def _per_length(objective: Any, length: Any) -> Any:
    """The factor before the bracket of X; a document of length 0 has X = 0."""
    if not objective.uniform:
        return 1.0
    return 1.0 / length if length > 0.0 else 0.0


@piece
def _data_side(objective: Any, log_ratio: Any, factor: Any) -> Any:
    """Loss, and dJ / d(bracket of X), of the data document."""
    argument = objective.log_n_noise - objective.sharpness * factor * log_ratio
    slope = -objective.sharpness * factor * objective.document_share * sigmoid(argument)
    return softplus(argument) * objective.document_share, slope


@piece
def _noise_side(objective: Any, log_ratio: Any, factor: Any) -> Any:
    """Loss, and dJ / d(bracket of X), of a noise document."""
    argument = objective.sharpness * factor * log_ratio - objective.log_n_noise
    slope = objective.sharpness * factor * objective.document_share * sigmoid(argument)
    return softplus(argument) * objective.document_share, slope


@kernel
def contrast(first: int, last: int, split: Any, noise: Any, hidden_bias: Any, objective: Any, result: Any) -> None:
    """Losses and gradients of documents `first` to `last`."""
    units = hidden_bias.size
    n_noise = noise.begins.shape[1]
    kept_posterior = np.empty(units, dtype=np.float32)
    for d in range(first, last):
        kept_input, kept_length = split.kept_inputs[d], split.kept_lengths[d]
        posterior, rest_input = result.posteriors[d], split.rest_inputs[d]
        length = kept_length + split.rest_lengths[d]
        for j in range(units):
            kept_posterior[j] = kept_input[j] + np.float32(kept_length) * hidden_bias[j]
            posterior[j] = kept_input[j] + rest_input[j] + np.float32(length) * hidden_bias[j]
        base = squash(kept_posterior) + split.corrections[d]
        log_ratio = split.rest_gains[d] + squash(posterior) - base
        loss, data_factor = _data_side(objective, log_ratio, _per_length(objective, length))

        kept_vector, bias_row = result.kept_vectors[d], result.hidden_bias[d]
        kept_vector[:] = np.float32(0.0)
        bias_row[:] = np.float32(0.0)
        all_factors = data_factor
        for n in range(n_noise):
            begin, end = noise.begins[d, n], noise.ends[d, n]
            noise_length = kept_length + noise.lengths[end] - noise.lengths[begin]
            vector, at_end, at_begin = result.noise_vectors[noise.places[d, n]], noise.inputs[end], noise.inputs[begin]
            for j in range(units):
                vector[j] = kept_input[j] + (at_end[j] - at_begin[j]) + np.float32(noise_length) * hidden_bias[j]
            log_ratio = noise.gains[end] - noise.gains[begin] + squash(vector) - base
            noise_loss, factor = _noise_side(objective, log_ratio, _per_length(objective, noise_length))
            loss += noise_loss
            all_factors += factor
            result.noise_factors[d * n_noise + n] = factor
            for j in range(units):
                vector[j] *= np.float32(factor)
                kept_vector[j] += vector[j]
                bias_row[j] += np.float32(noise_length) * vector[j]

        # S(V_r) is subtracted in the log-ratio of the document and of every noise document.
        rest_vector = result.rest_vectors[d]
        for j in range(units):
            rest_vector[j] = np.float32(data_factor) * posterior[j]
            from_kept = np.float32(all_factors) * kept_posterior[j]
            kept_vector[j] += rest_vector[j] - from_kept
            bias_row[j] += np.float32(length) * rest_vector[j] - np.float32(kept_length) * from_kept
        result.data_factors[d] = data_factor
        result.losses[d] = loss


@kernel
def press_towards_target(
    posteriors: Any, lengths: Any, target: float, cost: float, copies: Any, hidden_bias: Any, activity: Any
) -> float:
    """Adds the gradient of cost * sum_j (mean activity of unit j - target)^2 to the documents' vectors; returns
    that cost.

    `copies` holds the vectors of all parts of the documents, (parts, B, H): each part's input moves the posterior
    alike.
    """
    documents, units = posteriors.shape
    activity[:] = 0.0
    for d in range(documents):
        add_row(activity, np.float32(1.0 / documents), posteriors[d])
    total = 0.0
    for j in range(units):
        total += cost * (activity[j] - target) ** 2
    if cost == 0.0:
        return total
    for d in range(documents):
        for j in range(units):
            mean_slope = np.float32(2.0 * cost / documents) * (activity[j] - np.float32(target))
            slope = mean_slope * posteriors[d, j] * (np.float32(1.0) - posteriors[d, j])
            for part in range(copies.shape[0]):
                copies[part, d, j] += slope
            hidden_bias[d, j] += np.float32(lengths[d]) * slope
    return total
