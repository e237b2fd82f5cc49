"""Exponentials, sigmoids and softplus in single precision against float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles.compiled import exp_of_each, squash_vector
from tests.oracles.rounding import SIGMOID, softplus_sum_bound
from undertow.kernels.reference import energies

SMALLEST = np.exp(-87.0) * (
    1 + 2.0**-20
)  # what exp_of_negative gives below its clamp: it is added to sigmoids that are smaller still


def _exp(x: NDArray[np.float32]) -> NDArray[np.float32]:
    out = np.empty_like(x)
    exp_of_each(x, out)
    return out


@pytest.mark.parametrize(
    ("above", "below", "units"), [(-20.0, -(2.0**-30), 2.0), (-87.0, -20.0, 5.0)]
)
def test_exponential_is_within_units_in_the_last_place(
    above: float, below: float, units: float
) -> None:
    """Every 97th single-precision number of a range.

    The compiler may reorder sums, so log 2 is not held in two parts: n log 2 is off by n * 1.9e-9,
    which makes 4 roundings at n = 126. Below -20 nothing but the tail of a sigmoid sees that.
    """
    begin, end = (int(np.float32(x).view(np.uint32)) for x in (below, above))
    x = np.arange(begin, end, 97, dtype=np.uint32).view(np.float32)
    exact = np.exp(x.astype(np.float64))
    error = np.abs(_exp(x) - exact) / np.spacing(exact.astype(np.float32))
    assert error.max() <= units


@pytest.mark.parametrize("x", [-87.0, -87.01, -88.0, -104.0, -1e30, -np.inf])
def test_exponential_stops_at_the_smallest_normal_number(x: float) -> None:
    (value,) = _exp(np.array([x], dtype=np.float32))
    assert value == pytest.approx(np.exp(-87.0), rel=5 * 2.0**-23)
    assert value >= np.finfo(np.float32).tiny


def test_exponential_of_zero_is_one() -> None:
    assert _exp(np.array([0.0, -0.0], dtype=np.float32)).tolist() == [1.0, 1.0]


values = st.floats(-200.0, 200.0, width=32)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(values, min_size=1, max_size=40), st.sampled_from([1, 2, 63, 64, 65, 128, 130, 200])
)
def test_squash_matches_float64(some: list[float], size: int) -> None:
    """Lengths around the blocks of 64, values repeated to fill them."""
    x = np.resize(np.array(some, dtype=np.float32), size)
    exact = x.astype(np.float64)
    total = squash_vector(x)
    assert abs(total - np.logaddexp(0.0, exact).sum()) <= softplus_sum_bound(exact)
    sigmoids = energies.sigmoid(exact)
    assert (np.abs(x - sigmoids) <= SIGMOID * sigmoids + SMALLEST).all()


@pytest.mark.parametrize("x", [0.0, -0.0, 1e-30, -1e-30, 88.0, -88.0, 200.0, -200.0, 1e38])
@pytest.mark.parametrize("size", [1, 64, 65, 130])
def test_squash_of_equal_values(x: float, size: int) -> None:
    """All units alike: the product of a block reaches its largest value, 2^64, and nothing
    overflows.
    """
    vector = np.full(size, min(x, 1e38 / size), dtype=np.float32)
    exact = vector.astype(np.float64)
    assert abs(squash_vector(vector) - np.logaddexp(0.0, exact).sum()) <= softplus_sum_bound(exact)


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 63, 64, 129])
def test_what_is_not_finite_reaches_the_sum(x: float, place: int) -> None:
    """Training stops at a loss that is not finite, so no such input may be lost on the way."""
    vector = np.zeros(130, dtype=np.float32)
    vector[place] = x
    assert not np.isfinite(squash_vector(vector))
