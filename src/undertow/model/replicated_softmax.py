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
    """H log 2 + L logsumexp(b): the constant that alpha-NCE puts in the place of log Z.

    It is a heuristic, not log Z.

    Parameters
    ----------
    parameters : Parameters
        The model.
    lengths : array of float64, (documents,)
        L, the weighted lengths of documents.

    Returns
    -------
    array of float64, (documents,)
        A constant for each.

    Examples
    --------
    >>> from undertow.model import frozen_log_normaliser
    >>> frozen_log_normaliser(parameters, np.array([0.0, 10.0])).round(3)
    array([1.386, 1.386])
    """
    bias = parameters.visible_bias.astype(np.float64)
    log_sum = bias.max() + np.log(np.exp(bias - bias.max()).sum())
    result: NDArray[np.float64] = parameters.units * np.log(2.0) + lengths * log_sum
    return result


def words_given_hidden(parameters: Parameters, hidden: NDArray[np.floating]) -> NDArray[np.float64]:
    """P(k | h), the probability of each word given hidden units.

    Parameters
    ----------
    parameters : Parameters
        The model.
    hidden : array, (rows, units)
        Which units are on, or how far. A few rows: what comes back is dense.

    Returns
    -------
    array of float64, (rows, words)
        Probabilities; rows sum to 1.

    Examples
    --------
    >>> from undertow.model import words_given_hidden
    >>> words_given_hidden(parameters, np.array([[0, 0], [1, 0]])).shape
    (2, 4)
    >>> words_given_hidden(parameters, np.zeros((1, 2))).round(3)
    array([[0.4, 0.3, 0.2, 0.1]])
    """
    return energies.words_given_hidden(
        np.asarray(hidden, dtype=np.float64),
        parameters.weights.astype(np.float64),
        parameters.hidden_bias.astype(np.float64),
        parameters.visible_bias.astype(np.float64),
        parameters.word_weights.astype(np.float64),
    )
