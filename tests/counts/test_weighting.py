"""idf weights, and the distribution that noise is drawn from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from undertow.counts import checked_counts, idf_weights, word_distribution

matrices = arrays.arrays(
    np.int64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.integers(0, 3)
)
EXAMPLE = checked_counts([[5, 1, 0, 0], [1, 0, 0, 2], [2, 0, 0, 2], [1, 0, 0, 0]])  # df: 4, 1, 0, 2


def test_weights_of_an_example() -> None:
    """A word in every document weighs nothing, to the bit; one in no document as much as one in a
    single document.
    """
    weights = idf_weights(EXAMPLE)
    assert weights[0] == 0.0
    assert weights.tolist() == pytest.approx([0.0, np.log(4), np.log(4), np.log(2)], abs=1e-15)


def test_distribution_of_an_example() -> None:
    """14 tokens; the word that never occurs counts as half a token."""
    distribution = word_distribution(EXAMPLE)
    np.testing.assert_allclose(distribution, np.array([9, 1, 0.5, 4]) / 14.5, rtol=1e-15)


@settings(deadline=None)
@given(matrices)
def test_weights_of_any_counts(dense: NDArray[np.int64]) -> None:
    weights = idf_weights(checked_counts(dense))
    frequency = np.maximum((dense > 0).sum(axis=0), 1)
    np.testing.assert_allclose(weights, np.log(len(dense) / frequency), rtol=1e-15)
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()


@settings(deadline=None)
@given(matrices)
def test_distribution_of_any_counts(dense: NDArray[np.int64]) -> None:
    distribution = word_distribution(checked_counts(dense))
    tokens = np.maximum(dense.sum(axis=0), 0.5)
    np.testing.assert_allclose(distribution, tokens / tokens.sum(), rtol=1e-15)
    assert distribution.sum() == pytest.approx(1.0, abs=1e-14)
    assert (distribution > 0).all()


def test_large_counts_do_not_overflow() -> None:
    distribution = word_distribution(checked_counts([[2**31 - 1, 1], [2**31 - 1, 0]]))
    np.testing.assert_allclose(
        distribution, np.array([2.0**32 - 2, 1.0]) / (2.0**32 - 1), rtol=1e-15
    )


def test_no_documents() -> None:
    empty = checked_counts(np.zeros((0, 3)))
    assert idf_weights(empty).tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(word_distribution(empty), 1 / 3)
