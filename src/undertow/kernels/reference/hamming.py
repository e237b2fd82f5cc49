"""The nearest codes, slowly: unpack all bits, count the differences, sort."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def nearest_codes(
    codes: NDArray[np.uint8],
    code: NDArray[np.uint8],
    n: int,
    allowed: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and distances of the n codes with the fewest bits other than `code`'s; of equal ones the
    lower row first.
    """
    distances = (np.unpackbits(codes, axis=1) != np.unpackbits(code)).sum(axis=1)
    rows = np.arange(len(codes)) if allowed is None else np.flatnonzero(allowed)
    order = rows[np.argsort(distances[rows], kind="stable")][:n]
    return order, distances[order]
