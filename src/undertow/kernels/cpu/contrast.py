"""alpha-NCE's objective and its gradient, document by document.

For a document with kept tokens V_r, weighted length L and D tokens, and for each of its noise
documents alike,

    X(V) = (1/L) [ sum over replaced tokens of w (b_k - logsumexp(b) - log p_k) + S(V) - S(V_r) -
    (c_D - c_{D_r}) ]

    J = mean over documents of  softplus(log k - s X(V_d)) + sum_j softplus(s X(V_n^j) - log k)

with sharpness s, and c_D a correction of the frozen log Z (zero unless log Z is learned). Without
the uniform contrastive estimate the factor 1/L is left out. With g = dJ/dX / L, the gradient with
respect to the input of a document is g sigmoid(input).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.compile import piece, shared
from undertow.kernels.cpu.gather import add_rows
from undertow.kernels.cpu.vector_math import squash, squash_rows


class SplitDocuments(NamedTuple):
    """The minibatch, each document split into kept and replaced tokens."""

    spans: NDArray[
        np.int64
    ]  # (B, 3): where the entries of the replaced tokens begin, the kept ones', and their end
    kept_inputs: NDArray[np.float32]  # (B, H): W.u of V_r
    rest_inputs: NDArray[np.float32]  # (B, H): W.u of the replaced tokens
    kept_lengths: NDArray[np.float64]  # (B,)
    rest_lengths: NDArray[np.float64]  # (B,)
    rest_gains: NDArray[
        np.float64
    ]  # (B,): sum over replaced tokens of w (b - logsumexp(b) - log p)
    corrections: NDArray[np.float64]  # (B,): c_D - c_{D_r}


class NoiseTable(NamedTuple):
    """What replaces the tokens: noise j of document d is row ends[d, j] less row begins[d, j] of
    each table.

    The inputs of a shard are needed only while it is worked on, so each thread has a table of its
    own for them, which begins with the shard's first row.
    """

    inputs: NDArray[np.float32]  # (threads, rows of the largest shard, H)
    lengths: NDArray[np.float64]  # (R,)
    gains: NDArray[np.float64]  # (R,)
    begins: NDArray[np.int64]  # (B, k)
    ends: NDArray[np.int64]  # (B, k)


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
    noise_vectors: NDArray[
        np.float32
    ]  # (R, H): of the noise's input, added at its end, taken away at its beginning
    hidden_bias: NDArray[np.float32]  # (S, H): of a, summed over the documents of each shard
    activity: NDArray[np.float32]  # (S, H): P(h | V_d), summed alike
    posteriors: NDArray[np.float32]  # (B, H): P(h | V_d)
    lengths: NDArray[np.float64]  # (B,): L
    data_factors: NDArray[np.float64]  # (B,): dJ / d(L X) of the document
    noise_factors: NDArray[np.float64]  # (B, k): the same of its noise documents
    losses: NDArray[np.float64]  # (B,)


@piece
def _sharpness_per_length(objective: Any, length: Any) -> Any:
    """The factor before the bracket of s X; a document of length 0 has X = 0."""
    if not objective.uniform:
        return objective.sharpness
    return objective.sharpness / length if length > 0.0 else 0.0


@piece
def _noise_inputs(
    d: Any,
    first_row: Any,
    noise: Any,
    inputs: Any,
    kept_input: Any,
    kept_length: Any,
    bias: Any,
    lengths: Any,
    out: Any,
) -> None:
    """The inputs W.u + L a of a document's noise documents, and their lengths."""
    for n in range(lengths.size):
        begin, end = noise.begins[d, n], noise.ends[d, n]
        lengths[n] = kept_length + noise.lengths[end] - noise.lengths[begin]
        row, at_end, at_begin = out[n], inputs[end - first_row], inputs[begin - first_row]
        length = np.float32(lengths[n])
        for j in range(row.size):
            row[j] = kept_input[j] + (at_end[j] - at_begin[j]) + length * bias[j]


@shared
def contrast(
    first: int,
    last: int,
    shard: int,
    first_row: int,
    split: Any,
    noise: Any,
    noise_inputs: Any,
    hidden_bias: Any,
    objective: Any,
    result: Any,
) -> None:
    """Losses and gradients of documents `first` to `last`, which are shard `shard`; `noise_vectors`
    begin at zero.

    `noise_inputs` holds the inputs of the shard's noise from row `first_row` of the table on.
    """
    units, n_noise = hidden_bias.size, noise.begins.shape[1]
    kept_posterior = np.empty(units, dtype=np.float32)
    sigmoids = np.empty((n_noise, units), dtype=np.float32)
    lengths, scales, scores = np.empty(n_noise), np.empty(n_noise), np.empty(n_noise)
    arguments = np.empty(
        n_noise + 1, dtype=np.float32
    )  # of softplus: the noise documents', then the document's
    factors, pulls = np.empty(n_noise, dtype=np.float32), np.empty(n_noise, dtype=np.float32)
    every = np.arange(n_noise).astype(np.int32)
    bias, activity = result.hidden_bias[shard], result.activity[shard]
    bias[:] = np.float32(0.0)
    activity[:] = np.float32(0.0)
    for d in range(first, last):
        kept_input, kept_length = split.kept_inputs[d], split.kept_lengths[d]
        posterior, rest_input = result.posteriors[d], split.rest_inputs[d]
        length = kept_length + split.rest_lengths[d]
        for j in range(units):
            kept_posterior[j] = kept_input[j] + np.float32(kept_length) * hidden_bias[j]
            posterior[j] = kept_input[j] + rest_input[j] + np.float32(length) * hidden_bias[j]
        base = squash(kept_posterior) + split.corrections[d]
        scale = _sharpness_per_length(objective, length)
        arguments[n_noise] = objective.log_n_noise - scale * (
            split.rest_gains[d] + squash(posterior) - base
        )

        _noise_inputs(
            d,
            first_row,
            noise,
            noise_inputs,
            kept_input,
            kept_length,
            hidden_bias,
            lengths,
            sigmoids,
        )
        squash_rows(sigmoids, scores)
        for n in range(n_noise):
            gain = noise.gains[noise.ends[d, n]] - noise.gains[noise.begins[d, n]]
            scales[n] = _sharpness_per_length(objective, lengths[n])
            arguments[n] = scales[n] * (gain + scores[n] - base) - objective.log_n_noise
        result.losses[d] = squash(arguments) * objective.document_share

        data_factor = -scale * objective.document_share * arguments[n_noise]
        all_factors = data_factor
        for n in range(n_noise):
            factor = scales[n] * objective.document_share * arguments[n]
            all_factors += factor
            result.noise_factors[d, n] = factor
            factors[n] = np.float32(factor)
            pulls[n] = np.float32(factor * lengths[n])
            at_end, at_begin = (
                result.noise_vectors[noise.ends[d, n]],
                result.noise_vectors[noise.begins[d, n]],
            )
            row, slope = sigmoids[n], np.float32(factor)
            for j in range(units):
                at_end[j] += slope * row[j]
                at_begin[j] -= slope * row[j]
        result.data_factors[d], result.lengths[d] = data_factor, length

        # S(V_r) is subtracted in the log-ratio of the document and of every noise document.
        kept_vector, rest_vector = result.kept_vectors[d], result.rest_vectors[d]
        for j in range(units):
            activity[j] += posterior[j]
            slope = np.float32(data_factor) * posterior[j]
            from_kept = np.float32(all_factors) * kept_posterior[j]
            rest_vector[j] = slope
            kept_vector[j] = slope - from_kept
            bias[j] += np.float32(length) * slope - np.float32(kept_length) * from_kept
        add_rows(kept_vector, sigmoids, every, factors, 0, n_noise, 0)
        add_rows(bias, sigmoids, every, pulls, 0, n_noise, 0)


class Pressure(NamedTuple):
    """cost * sum_j (mean activity of unit j - target)^2, which is added to the loss."""

    target: float
    cost: float


@shared
def press_towards_target(
    first: int,
    last: int,
    pressure: Any,
    activity: Any,
    posteriors: Any,
    lengths: Any,
    vectors: Any,
    other_vectors: Any,
    hidden_bias: Any,
) -> None:
    """Adds the gradient of the pressure on units `first` to `last` to those of all documents'
    inputs and of a.

    `vectors` and `other_vectors` (B, H) belong to the two parts of the documents, whose inputs move
    the posterior alike; where documents are whole, the second is empty.
    """
    documents = posteriors.shape[0]
    slopes = np.empty(last - first, dtype=np.float32)
    for j in range(slopes.size):
        slopes[j] = np.float32(2.0 * pressure.cost / documents) * (
            activity[first + j] - np.float32(pressure.target)
        )
    for d in range(documents):
        row, length = posteriors[d, first:last], np.float32(lengths[d])
        vector, bias = vectors[d, first:last], hidden_bias[first:last]
        for j in range(row.size):
            slope = slopes[j] * row[j] * (np.float32(1.0) - row[j])
            vector[j] += slope
            bias[j] += length * slope
        if other_vectors.shape[0]:
            other = other_vectors[d, first:last]
            for j in range(row.size):
                other[j] += slopes[j] * row[j] * (np.float32(1.0) - row[j])
