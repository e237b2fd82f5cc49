"""What parameters say by themselves: the constant for log Z, and words given hidden units.

What they say of documents is in `undertow.vectors`. The mathematics is written out, slowly, in
`undertow.kernels.reference.energies`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.reference import energies
from undertow.model.parameters import Parameters


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
