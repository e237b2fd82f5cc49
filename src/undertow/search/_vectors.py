"""Vectors of length 1, so that a product of two is their cosine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows divided by their lengths; a row of zeros stays. Squares of small strengths do not vanish."""
    largest = vectors.max(axis=1, keepdims=True, initial=0.0)
    scaled = vectors / np.where(largest > 0, largest, np.float32(1.0))
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    return (scaled / np.where(length > 0, length, np.float32(1.0))).astype(np.float32, copy=False)
