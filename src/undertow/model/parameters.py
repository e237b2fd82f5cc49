"""What a Replicated Softmax model is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.kernels import randomness

WEIGHT_SCALE = 0.01


@dataclass
class Parameters:
    """W, a, b and the word weights w. Arrays are changed in place by training.

    A document with counts v has weighted counts u = w * v and weighted length L = sum of u.
    """

    weights: NDArray[np.float32]  # W (K, H): a row per word
    hidden_bias: NDArray[np.float32]  # a (H,)
    visible_bias: NDArray[np.float32]  # b (K,)
    word_weights: NDArray[np.float32]  # w (K,), non-negative

    def __post_init__(self) -> None:
        if self.weights.ndim != 2:
            raise InvalidInput(
                f"weights must be a matrix of words x units, got shape {self.weights.shape}"
            )
        words, units = self.weights.shape
        for name, size in (
            ("hidden_bias", units),
            ("visible_bias", words),
            ("word_weights", words),
        ):
            shape = getattr(self, name).shape
            if shape != (size,):
                raise InvalidInput(
                    f"{name} must have shape ({size},) to fit weights {words} x {units}, got "
                    f"{shape}"
                )

    @property
    def words(self) -> int:
        """Vocabulary size K."""
        return int(self.weights.shape[0])

    @property
    def units(self) -> int:
        """Number of hidden units H."""
        return int(self.weights.shape[1])

    def copy(self) -> Parameters:
        """An independent copy."""
        return Parameters(
            self.weights.copy(),
            self.hidden_bias.copy(),
            self.visible_bias.copy(),
            self.word_weights.copy(),
        )


def initial_parameters(
    units: int,
    word_distribution: NDArray[np.float64],
    word_weights: NDArray[np.float64],
    seed: int,
) -> Parameters:
    """W normal with deviation 0.01, a = 0, b = log p: the model starts as the noise distribution
    itself.
    """
    words = len(word_distribution)
    weights = randomness.normals(seed, randomness.Purpose.WEIGHTS, words, units)
    weights *= np.float32(WEIGHT_SCALE)
    return Parameters(
        weights=weights,
        hidden_bias=np.zeros(units, dtype=np.float32),
        visible_bias=np.log(word_distribution).astype(np.float32),
        word_weights=word_weights.astype(np.float32),
    )


def with_more_words(
    parameters: Parameters, word_distribution: NDArray[np.float64], added: int, seed: int
) -> tuple[Parameters, NDArray[np.float64]]:
    """A model with words appended, and its word distribution: old words keep their rows, and b its
    relation to log p.

    New words get fresh rows of W (those that a larger model would have begun with), the largest
    word weight and the smallest share.
    """
    words = parameters.words + added
    fresh = randomness.normals(seed, randomness.Purpose.WEIGHTS, words, parameters.units)[
        parameters.words :
    ]
    share = float(word_distribution.min())
    # b is a log-share up to a constant; the new words' has to be on the same scale as the old
    # ones'.
    shift = float(np.mean(parameters.visible_bias - np.log(word_distribution)))
    distribution = np.concatenate([word_distribution, np.full(added, share)])
    grown = Parameters(
        weights=np.concatenate([parameters.weights, fresh * np.float32(WEIGHT_SCALE)]),
        hidden_bias=parameters.hidden_bias.copy(),
        visible_bias=np.append(
            parameters.visible_bias, np.full(added, np.log(share) + shift, dtype=np.float32)
        ),
        word_weights=np.append(
            parameters.word_weights, np.full(added, parameters.word_weights.max())
        ),
    )
    return grown, distribution / distribution.sum()
