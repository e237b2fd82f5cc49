"""The map: a place in the plane for each document, near those that it is like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[int, int], None]


def positions(vectors: NDArray[np.float32], *, seed: int = 0, progress: Progress | None = None) -> NDArray[np.float32]:
    """(n, 2) Places of vectors of length 1, each axis within [0, 1]; nan for a row of nan.

    The same bits for the same vectors and seed. `progress` is told how much is done, of how much.
    """
    places = np.full((len(vectors), 2), np.nan, dtype=np.float32)
    known = np.isfinite(vectors).all(axis=1)
    if known.any():
        centred = vectors[known] - vectors[known].mean(axis=0)
        axes = np.linalg.svd(centred[:2000], full_matrices=False)[2][:2]
        flat = np.zeros((len(centred), 2))
        flat[:, : len(axes)] = centred @ axes.T
        places[known] = within_one(flat)
    if progress is not None:
        progress(1, 1)
    return places


def within_one(places: NDArray[np.float64]) -> NDArray[np.float32]:
    """Moved and shrunk, both axes by one factor, so that each lies within [0, 1]."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = float((high - low).max())
    centred = places - (low + high) / 2
    return np.clip(0.5 + (centred / span if span > 0 else 0.0 * centred), 0.0, 1.0).astype(np.float32)
