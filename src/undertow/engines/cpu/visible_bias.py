"""The visible biases under alpha-NCE: frozen, or learned.

b enters the log-ratio as a gain of w_k (b_k - logsumexp(b) - log p_k) for every replaced token. It
starts at log p, where all gains are zero. Frozen there it costs nothing and the model is as good;
learned, its gradient holds softmax(b) and is dense in K.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.engines.cpu.minibatch import MinibatchArrays
from undertow.model.parameters import Parameters

NO_GAIN = 1e-5  # b = log p up to the rounding of single precision


class FrozenVisible:
    """b stays where it was at the beginning of the run."""

    def __init__(self, parameters: Parameters, noise_distribution: NDArray[np.float64]) -> None:
        gains, _ = _gains(parameters, np.log(noise_distribution))
        self._constant = gains if np.abs(gains).max() > NO_GAIN else np.empty(0)

    def gains(self) -> NDArray[np.float64]:
        """w (b - logsumexp(b) - log p) of every word; empty when it is zero throughout."""
        return self._constant

    def gradient(self, arrays: MinibatchArrays) -> None:
        """There is none."""
        return None


class LearnedVisible:
    """b is learned with everything else; each step costs a pass over the vocabulary."""

    def __init__(self, parameters: Parameters, noise_distribution: NDArray[np.float64]) -> None:
        self._parameters = parameters
        self._log_noise = np.log(noise_distribution)

    def gains(self) -> NDArray[np.float64]:
        """w (b - logsumexp(b) - log p) of every word."""
        gains, self._softmax = _gains(self._parameters, self._log_noise)
        return gains

    def gradient(self, arrays: MinibatchArrays) -> NDArray[np.float32]:
        """Writes the sparse part, one number per gradient vector, to the scalars of the arrays, and
        returns the dense part.
        """
        scalars, result = arrays.grouping.rows.scalars, arrays.result
        documents = arrays.sizes.documents
        scalars[:documents] = result.data_factors
        scalars[documents : 2 * documents] = 0.0  # kept tokens cancel out of the log-ratio
        scalars[2 * documents :] = self._of_noise_rows(arrays)
        lengths, noise = arrays.noise.lengths, arrays.noise
        replaced = lengths[noise.ends] - lengths[noise.begins]
        pull = float(
            result.data_factors @ arrays.split.rest_lengths
            + np.vdot(result.noise_factors, replaced)
        )
        return (-pull * self._softmax).astype(np.float32)

    def _of_noise_rows(self, arrays: MinibatchArrays) -> NDArray[np.float64]:
        """Leads one number per noise document back to the rows of the noise table, as the kernel
        does with vectors.
        """
        factors = arrays.result.noise_factors
        changes = np.zeros(len(arrays.noise.lengths))
        np.add.at(changes, arrays.noise.ends, factors)
        if len(arrays.stream.noise_starts):  # a row for each noise document
            return changes
        np.subtract.at(changes, arrays.noise.begins, factors)
        # Every window adds and takes away within its shard, so the sums over later shards are zero.
        return np.cumsum(changes[::-1])[::-1] - changes


def _gains(
    parameters: Parameters, log_noise: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    bias = parameters.visible_bias.astype(np.float64)
    peak = bias.max()
    shares = np.exp(bias - peak)
    log_sum = peak + np.log(shares.sum())
    return parameters.word_weights * (bias - log_sum - log_noise), shares / shares.sum()
