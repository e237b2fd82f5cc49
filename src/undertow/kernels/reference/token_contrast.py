"""Tokens beside noise words, in float64: the objective of a step, its gradients, and the steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.randomness import TOKENS_A_STEP, Purpose, philox
from undertow.kernels.reference.draws import below, word_of
from undertow.kernels.reference.energies import sigmoid

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Pace:
    """How far steps go, and what noise counts."""

    of_documents: float
    of_words: float
    offset: float
    n_noise: float


def tokens(seed: int, epoch: int, document: int, words: Rows, kept: NDArray[np.uint64]) -> Rows:
    """The words of a document that take part in this epoch, in their order."""
    bits = philox(seed, Purpose.TOKEN, 0, epoch, document, np.arange(len(words)))[:, 0]
    taken = words[bits < kept[words]].copy()
    for place in range(len(taken) - 1, 0, -1):
        drawn = philox(seed, Purpose.TOKEN, 1, epoch, document, place)
        other = below(int(drawn[0]), place + 1)
        taken[place], taken[other] = taken[other], taken[place]
    return taken


def noise(seed: int, epoch: int, document: int, number: int, table: NDArray[np.uint32]) -> Rows:
    """A noise word for each of so many tokens."""
    bits = philox(seed, Purpose.TOKEN, 2, epoch, document, np.arange(number)).tolist()
    return np.array([word_of(table, high, low) for high, low, _, _ in bits], dtype=np.int64)


def objective(weights: Array, hidden: Array, real: Rows, false: Rows, pace: Pace) -> float:
    """sum log sigmoid(s) of tokens + n_noise sum log sigmoid(-s) of noise words."""
    right = np.logaddexp(0.0, -(weights[real] @ hidden + pace.offset)).sum()
    wrong = np.logaddexp(0.0, weights[false] @ hidden + pace.offset).sum()
    return float(-right - pace.n_noise * wrong)


def slopes(weights: Array, hidden: Array, real: Rows, false: Rows, pace: Pace) -> Array:
    """The derivative of the objective by each score: tokens first, then noise words."""
    right = 1.0 - sigmoid(weights[real] @ hidden + pace.offset)
    wrong = -pace.n_noise * sigmoid(weights[false] @ hidden + pace.offset)
    return np.concatenate([right, wrong])


def document_steps(
    weights: Array,
    word_squares: Array,
    hidden: Array,
    square: float,
    real: Rows,
    false: Rows,
    pace: Pace,
) -> float:
    """The steps of one document in place: its hidden vector, the rows of W and their squares;
    returns the document's own sum of squares.
    """
    for begin in range(0, len(real), TOKENS_A_STEP):
        part = slice(begin, begin + TOKENS_A_STEP)
        slope = slopes(weights, hidden, real[part], false[part], pace)
        by = np.zeros_like(hidden)
        for word, own in zip([*real[part], *false[part]], slope, strict=True):
            by += own * weights[word]
            if pace.of_words > 0:
                word_squares[word] += own * own
                weights[word] += pace.of_words * own / np.sqrt(word_squares[word]) * hidden
        square += float(by @ by) / len(hidden)
        hidden += pace.of_documents / np.sqrt(square) * by
    return square
