"""Words that move by Metropolis-Hastings, one proposal after the other.

A token holds word k. It is offered word k' from p, the same for all tokens, and takes it with
probability min(1, e^(l_k' - l_k) p_k / p_k'), where P(k | h) is proportional to e^(l_k). So
P(k | h) is what it ends at, without the sum over all words ever being known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.randomness import Purpose, philox
from undertow.kernels.reference.draws import word_of
from undertow.kernels.reference.energies import Array

TO_UNIT = 2.0**-32


def moved_words(
    place: tuple[int, int, int],
    document: int,
    words: NDArray[np.int64],
    pulls: Array,
    table: NDArray[np.uint32],
    proposals: int,
) -> NDArray[np.int64]:
    """The words of a document's tokens after so many proposals to each. `place` is seed, epoch and
    Gibbs step; `pulls` (K,) are l - log p, and `table` is the alias table of p.
    """
    seed, epoch, step = place
    moved, tokens = words.copy(), np.arange(len(words))
    for number in range(proposals):
        stage = step * proposals + number
        bits = philox(seed, Purpose.PROPOSAL, stage, epoch, document, tokens)
        for token, (high, low, height, _) in enumerate(bits.tolist()):
            offered = word_of(table, high, low)
            gain = pulls[offered] - pulls[moved[token]]
            if gain >= 0.0 or height * TO_UNIT < np.exp(gain):
                moved[token] = offered
    return moved
