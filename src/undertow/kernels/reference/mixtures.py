"""Non-negative least squares, slowly: SciPy's active-set solver, a document at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls


def mixtures(
    vectors: NDArray[np.floating], directions: NDArray[np.floating]
) -> NDArray[np.float64]:
    """(documents, n) The weights >= 0 of the directions whose sum comes closest to each vector."""
    basis = directions.astype(np.float64).T
    return np.array([nnls(basis, vector)[0] for vector in vectors.astype(np.float64)])
