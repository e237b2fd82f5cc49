"""Undertow's vectors beside those of another encoder: each side of length 1, one after the other.

The product of two joined vectors is then the sum of two cosines, and their cosine the mean of the
two. A row of zeros, or one that is not finite, is no vector: that side stays zeros.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE = np.float32(math.sqrt(0.5))  # the length of each side of a joined vector of length 1
ALONE = np.float32(math.sqrt(2.0))  # that of a side that speaks for both


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Rows divided by their lengths; a row of zeros stays. No square overflows or vanishes."""
    power = np.frexp(np.abs(vectors).max(axis=1, keepdims=True, initial=0.0))[1]
    scaled = np.ldexp(vectors, -power)  # by a power of 2, so exactly: no other bit of a row changes
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    rows: NDArray[np.float32] = (
        scaled / np.where(length > 0, length, scaled.dtype.type(1.0))
    ).astype(np.float32)
    return rows


def join(own: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float32]:
    """(documents, H + dimensions) Both sides row by row of length 1, one after the other."""
    return np.hstack([_side(own), _side(others)])


def compared(own: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float32]:
    """Joined vectors whose products are means of two cosines; a side that one of the two lacks
    counts as 0.
    """
    return SIDE * join(own, others)


def asked(own: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float32]:
    """Joined vectors to ask `compared` ones with: where a side is missing, the product is the other
    side's cosine.
    """
    joined = join(own, others)
    both = joined[:, : own.shape[1]].any(axis=1) & joined[:, own.shape[1] :].any(axis=1)
    return joined * np.where(both, SIDE, ALONE)[:, None]


def _side(vectors: NDArray[Any]) -> NDArray[np.float32]:
    wide = np.asarray(vectors, dtype=np.result_type(vectors, np.float32))
    return unit(np.where(np.isfinite(wide).all(axis=1, keepdims=True), wide, wide.dtype.type(0.0)))
