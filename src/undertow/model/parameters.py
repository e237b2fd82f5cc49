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
            raise InvalidInput(f"weights must be a matrix of words x units, got shape {self.weights.shape}")
        words, units = self.weights.shape
        for name, size in (("hidden_bias", units), ("visible_bias", words), ("word_weights", words)):
            shape = getattr(self, name).shape
            if shape != (size,):
                raise InvalidInput(f"{name} must have shape ({size},) to fit weights {words} x {units}, got {shape}")

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
            self.weights.copy(), self.hidden_bias.copy(), self.visible_bias.copy(), self.word_weights.copy()
        )


def initial_parameters(
    units: int,
    word_distribution: NDArray[np.float64],
    word_weights: NDArray[np.float64],
    seed: int,
) -> Parameters:
    """W normal with deviation 0.01, a = 0, b = log p: the model starts as the noise distribution itself."""
    words = len(word_distribution)
    weights = randomness.normals(seed, randomness.Purpose.WEIGHTS, words, units)
    weights *= np.float32(WEIGHT_SCALE)
    return Parameters(
        weights=weights,
        hidden_bias=np.zeros(units, dtype=np.float32),
        visible_bias=np.log(word_distribution).astype(np.float32),
        word_weights=word_weights.astype(np.float32),
    )
