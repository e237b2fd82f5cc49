"""The exact normaliser Z_D by enumeration, for models that are tiny.

Z_D sums over all sequences of D words. Sequences with the same counts have the same probability, so
it is a sum over counts, each times the number of its orderings.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, lgamma

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.kernels.reference import energies
from undertow.model.parameters import Parameters

MOST_DOCUMENTS = 1_000_000


def all_documents(words: int, tokens: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts of every bag of `tokens` out of `words` words, and the logarithm of its number of
    orderings.
    """
    _check.whole_number("tokens", tokens, at_least=0)
    bags = comb(words + tokens - 1, tokens)
    if bags > MOST_DOCUMENTS:
        raise InvalidInput(
            f"the exact normaliser enumerates at most {MOST_DOCUMENTS} bags of words, got {bags} "
            f"({words} words, {tokens} tokens)"
        )
    counts = np.zeros((bags, words), dtype=np.int64)
    for row, bag in enumerate(combinations_with_replacement(range(words), tokens)):
        np.add.at(counts[row], list(bag), 1)
    log_factorials = np.array([lgamma(n + 1) for n in range(tokens + 1)])
    return counts, log_factorials[tokens] - log_factorials[counts].sum(axis=1)


def exact_log_probabilities(
    parameters: Parameters, tokens: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """The log-probability of every bag of so many words, and log Z_D, by enumeration.

    Parameters
    ----------
    parameters : Parameters
        A tiny model.
    tokens : int
        D, how many words a document has.

    Returns
    -------
    tuple of array, array and float
        The counts of every bag, (bags, words), the log-probability of each, and log Z_D.

    Raises
    ------
    InvalidInput
        Where there are more than a million bags.

    Examples
    --------
    >>> from undertow.model import exact_log_probabilities
    >>> counts, log_probabilities, log_z = exact_log_probabilities(parameters, 2)
    >>> counts.shape, float(np.exp(log_probabilities).sum().round(6))
    ((10, 4), 1.0)
    """
    counts, log_orderings = all_documents(parameters.words, tokens)
    u = parameters.word_weights.astype(np.float64) * counts
    weights = (parameters.weights, parameters.hidden_bias, parameters.visible_bias)
    W, a, b = (array.astype(np.float64) for array in weights)
    terms = log_orderings - energies.free_energy(u, W, a, b)
    log_z = float(np.logaddexp.reduce(terms))
    return counts, terms - log_z, log_z
