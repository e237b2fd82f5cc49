"""A target for how often a hidden unit is on: sparse units retrieve better, and units that are never on learn
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow.kernels.cpu import contrast


@dataclass(frozen=True)
class Sparsity:
    """Adds cost * sum_j (mean activity of unit j in the minibatch - target)^2 to the loss; cost 0 switches it off."""

    target: float = 0.1
    cost: float = 0.0

    def __post_init__(self) -> None:
        _check.number("sparsity target", self.target, above=0.0, below=1.0)
        _check.number("sparsity cost", self.cost, at_least=0.0)


def press_towards_target(
    sparsity: Sparsity,
    posteriors: NDArray[np.float32],
    lengths: NDArray[np.float64],
    document_vectors: NDArray[np.float32],
    bias_rows: NDArray[np.float32],
) -> tuple[float, NDArray[np.float32]]:
    """Adds the penalty's gradient to the documents' vectors (parts, B, H) and bias rows; gives the penalty and
    activity.
    """
    activity = np.zeros(posteriors.shape[1], dtype=np.float32)
    arguments = (posteriors, lengths, sparsity.target, sparsity.cost, document_vectors, bias_rows, activity)
    return float(contrast.press_towards_target(*arguments)), activity
