"""From what users pass as X to the counts that the model sees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import WordTotals, checked_counts, log_counts
from undertow.model.parameters import LARGEST, LEAST_WEIGHT


def transformed_counts(X: Any, count_transform: str | None) -> sparse.csr_array:
    """Whole-number counts: ceil(log(1 + v)) of any non-negative values, or the values themselves,
    if they are whole.
    """
    if count_transform == "log":
        return log_counts(X)
    if count_transform is None:
        return checked_counts(X, name="X")
    raise InvalidInput(f"count_transform must be 'log' or None, got {count_transform!r}")


def seed_of(random_state: Any) -> int:
    """What random_state comes to, drawn from it where it is a generator."""
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise InvalidInput(
            f"random_state must be a whole number from 0 to {2**32 - 1}, a RandomState or None, "
            f"got {random_state!r:.60}"
        ) from None


def word_weights(weighting: Any, totals: WordTotals) -> NDArray[np.float64]:
    """w: idf of the documents, ones, or the weights given."""
    words = len(totals.tokens)
    if weighting is None:
        return np.ones(words)
    if isinstance(weighting, str):
        if weighting == "idf":
            return totals.idf_weights()
        raise InvalidInput(
            f"weighting must be 'idf', None or {words} non-negative weights, got {weighting!r}"
        )
    weights = _check.vector("weighting", weighting, size=words, non_negative=True)
    outside = (weights > LARGEST) | ((weights > 0) & (weights < LEAST_WEIGHT))
    if outside.any():
        raise InvalidInput(
            f"weighting must hold 0 or numbers from {LEAST_WEIGHT:g} to {LARGEST:g}, got "
            f"{weights[outside][0]:g}"
        )
    return weights
