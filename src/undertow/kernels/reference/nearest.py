"""Cosines with vectors that are kept in bytes, slowly: made whole again, then multiplied, in
float64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fused(
    words: NDArray[np.float32], by_words: float, cosines: NDArray[np.float32], by_cosines: float
) -> NDArray[np.float64]:
    """A sharp function of how well words fit, and the cosine."""
    both: NDArray[np.float64] = (
        by_words * words.astype(np.float64)
    ) ** 3 + by_cosines * cosines.astype(np.float64)
    return both


def cosines(
    vector: NDArray[np.float32], small: NDArray[np.uint8], scales: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Of a vector with each column of `small` times its scale."""
    whole = small.astype(np.float64) * scales.astype(np.float64)
    products: NDArray[np.float64] = vector.astype(np.float64) @ whole
    return products
