"""Sums of scattered rows against sums in float64, at every width that the blocks of columns are put
together from.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.rounding import UNIT
from undertow.kernels.cpu.gather import add_rows

Single = NDArray[np.float32]
widths = pytest.mark.parametrize(
    "units", [1, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 256, 300]
)
ROWS, ENTRIES = 50, 40


def _made(units: int) -> tuple[Single, Single, NDArray[np.int32], Single]:
    """A total to begin with, rows, and entries some of which name the same row; rows begin at no
    round address.
    """
    generator = np.random.default_rng(units)
    flat = generator.normal(0.0, 2.0, 3 + ROWS * units).astype(np.float32)
    total = generator.normal(0.0, 2.0, units).astype(np.float32)
    indices = generator.integers(0, ROWS, ENTRIES).astype(np.int32)
    return (
        total,
        flat[3:].reshape(ROWS, units),
        indices,
        generator.normal(0.0, 1.0, ENTRIES).astype(np.float32),
    )


@widths
@pytest.mark.parametrize(("first", "last"), [(0, ENTRIES), (3, 30), (7, 8), (ENTRIES - 1, ENTRIES)])
def test_sum_is_that_of_the_entries(units: int, first: int, last: int) -> None:
    """Each of n entries rounds once as a product (unless it is fused) and once as it is added."""
    total, rows, indices, coefficients = _made(units)
    whole = np.full(units + 2, 77.0, dtype=np.float32)
    ours = whole[1:-1]
    ours[:] = total
    add_rows(ours, rows, indices, coefficients, first, last, ENTRIES)
    terms = coefficients[first:last, None].astype(np.float64) * rows[indices[first:last]]
    exact = total + terms.sum(axis=0)
    bound = (last - first + 2) * UNIT * (np.abs(total) + np.abs(terms).sum(axis=0))
    assert (np.abs(ours - exact) <= bound).all()
    assert (whole[[0, -1]] == 77.0).all()  # the columns beside the total are not ours


@widths
@pytest.mark.parametrize("place", [0, 5, ENTRIES])
def test_an_empty_range_adds_nothing(units: int, place: int) -> None:
    total, rows, indices, coefficients = _made(units)
    ours = total.copy()
    add_rows(ours, rows, indices, coefficients, place, place, ENTRIES)
    np.testing.assert_array_equal(ours, total)


@widths
def test_no_rows_are_needed_for_no_entries(units: int) -> None:
    total = _made(units)[0]
    ours, none = total.copy(), np.empty(0, dtype=np.float32)
    add_rows(ours, np.empty((0, units), dtype=np.float32), none.astype(np.int32), none, 0, 0, 0)
    np.testing.assert_array_equal(ours, total)


@widths
def test_neither_the_limit_nor_the_cuts_change_a_bit(units: int) -> None:
    """What is asked for ahead of time, and where a range ends and the next goes on, are no part of
    the sum.
    """
    total, rows, indices, coefficients = _made(units)
    together = total.copy()
    add_rows(together, rows, indices, coefficients, 0, ENTRIES, ENTRIES)
    for limit in (0, 1, ENTRIES // 2, ENTRIES - 1):
        ours = total.copy()
        add_rows(ours, rows, indices, coefficients, 0, ENTRIES, limit)
        np.testing.assert_array_equal(ours, together)
    cut = total.copy()
    for first, last in pairwise([0, 1, 1, 14, 39, ENTRIES]):
        add_rows(cut, rows, indices, coefficients, first, last, ENTRIES)
    np.testing.assert_array_equal(cut, together)


@widths
def test_entries_are_added_one_after_the_other(units: int) -> None:
    """2^24 + 1 is 2^24 in single precision: in this order every 1 is lost, and in any other some
    would stay.
    """
    rows = np.repeat(np.array([[2.0**24], [1.0], [-(2.0**24)]], dtype=np.float32), units, axis=1)
    indices = np.array([0, 1, 1, 1, 1, 1, 1, 1, 2], dtype=np.int32)
    total = np.zeros(units, dtype=np.float32)
    add_rows(total, rows, indices, np.ones(len(indices), dtype=np.float32), 0, len(indices), 0)
    assert (total == 0.0).all()
