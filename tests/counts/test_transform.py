"""Checking counts, and the transform ceil(log(1 + v))."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from scipy import sparse

from undertow._errors import InvalidInput
from undertow.counts import checked_counts, log_counts

DENSE = np.array([[0, 3, 1], [0, 0, 0], [2, 0, 7]])
FORMATS: list[Any] = [
    np.asarray,
    lambda dense: dense.tolist(),
    lambda dense: dense.astype(np.float64),
    lambda dense: dense.astype(np.uint8),
    np.asfortranarray,
    sparse.csr_array,
    sparse.csc_array,
    sparse.coo_array,
    sparse.lil_array,
    sparse.dok_array,
    sparse.csr_matrix,
    lambda dense: sparse.csr_array(dense.astype(np.float32)),
]


def _is_canonical(counts: sparse.csr_array) -> bool:
    return (
        bool(counts.has_canonical_format)
        and bool((counts.data > 0).all())
        and counts.data.dtype == np.int32
    )


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_taken(form: Any) -> None:
    checked = checked_counts(form(DENSE))
    assert isinstance(checked, sparse.csr_array)
    assert _is_canonical(checked)
    np.testing.assert_array_equal(checked.toarray(), DENSE)


@settings(deadline=None)
@given(
    arrays.arrays(
        np.int64,
        arrays.array_shapes(min_dims=2, max_dims=2, max_side=5),
        elements=st.integers(0, 3),
    )
)
def test_any_matrix_is_taken(dense: NDArray[np.int64]) -> None:
    checked = checked_counts(dense)
    assert _is_canonical(checked)
    np.testing.assert_array_equal(checked.toarray(), dense)


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing_is_taken(shape: tuple[int, int]) -> None:
    assert checked_counts(np.zeros(shape)).shape == shape


def test_truth_values_are_counts() -> None:
    assert checked_counts([[True, False]]).toarray().tolist() == [[1, 0]]


def _untidy(values: list[float], dtype: Any = np.int64) -> sparse.csr_array:
    """One document: word 1 twice, then word 0, unsorted; three values."""
    return sparse.csr_array(
        (np.array(values, dtype=dtype), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 3)
    )


def test_duplicates_are_summed_and_zeros_dropped() -> None:
    checked = checked_counts(_untidy([2, 3, 0]))
    assert checked.indices.tolist() == [1]
    assert checked.data.tolist() == [5]
    assert _is_canonical(checked)


@pytest.mark.parametrize(
    "form",
    [
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_array,
    ],
)
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16])
def test_duplicates_of_a_narrow_type_are_summed(dtype: Any, form: Any) -> None:
    """Word 0 of one document, given three times with the largest number that the type holds."""
    largest, zeros = int(np.iinfo(dtype).max), np.zeros(3, dtype=np.int64)
    values = np.full(3, largest, dtype=dtype)
    places: Any = ((zeros, zeros),) if form is sparse.coo_array else (zeros, np.array([0, 3]))
    counts = form((values, *places), shape=(1, 1))
    assert checked_counts(counts).toarray().tolist() == [[3 * largest]]


def test_a_sum_of_duplicates_that_is_too_large_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"^counts must be at most 2147483647, got 2147483649(\.0)?$"
    ):
        checked_counts(_untidy([2**31 - 1, 2, 1]))


@pytest.mark.parametrize(
    "counts", [_untidy([2, 0, 1]), sparse.csr_array(DENSE), DENSE], ids=["untidy", "tidy", "dense"]
)
def test_the_input_is_not_changed(counts: Any) -> None:
    """Nor by what is done to the result."""
    before = counts.copy()
    checked_counts(counts).data[:] = 99
    for name in ("data", "indices", "indptr") if sparse.issparse(counts) else ("real",):
        np.testing.assert_array_equal(getattr(counts, name), getattr(before, name))


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2], "counts must be a matrix of documents x words, got an array of shape (2,)"),
        (
            np.zeros((1, 2, 3)),
            "counts must be a matrix of documents x words, got an array of shape (1, 2, 3)",
        ),
        (np.array([[1 + 2j]]), "counts must be whole numbers, got values of type complex128"),
        ([[1.0, np.nan]], "counts must be finite, got NaN or infinity"),
        ([[1.0, np.inf]], "counts must be finite, got NaN or infinity"),
        ([[1, -2]], "counts must not be negative, got -2"),
        (sparse.csr_array([[1.0, -0.5]]), "counts must not be negative, got -0.5"),
        (
            [[1, 0.25]],
            "counts must be whole numbers, got 0.25: weights such as tf-idf do not belong here",
        ),
        (
            _untidy([0.5, 0.25, 1], np.float64),
            "counts must be whole numbers, got 0.75: weights such as tf-idf do not belong here",
        ),
        ([[2**31]], "counts must be at most 2147483647, got 2147483648"),
        ([[1e300]], "counts must be at most 2147483647, got 1e+300"),
    ],
)
def test_refusals(counts: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        checked_counts(counts)


def test_refusals_name_the_argument() -> None:
    with pytest.raises(InvalidInput, match=r"^held_out must not be negative, got -1$"):
        checked_counts([[-1]], "held_out")


def test_the_largest_count_is_taken() -> None:
    assert checked_counts([[2**31 - 1]]).toarray().tolist() == [[2**31 - 1]]


def _logged(values: NDArray[Any]) -> NDArray[np.int32]:
    """The transform of counts, given as one document."""
    transformed = log_counts(sparse.csr_array(values.astype(np.int32)[None, :]))
    assert transformed.data.dtype == np.int32
    result: NDArray[np.int32] = transformed.toarray()[0]
    return result


def test_transform_of_every_count_to_a_million() -> None:
    """In float64 log(1 + v) is off by less than 1e-14, and e^n - 1 is never that near to a whole
    number v in log scale: the nearest below 10^6 is more than 1e-8 away, which is checked as well.
    """
    v = np.arange(1, 10**6 + 1)
    logarithm = np.log1p(v)
    assert np.abs(logarithm - np.rint(logarithm)).min() > 1e-8
    np.testing.assert_array_equal(_logged(v), np.ceil(logarithm))


def _threshold(n: int) -> int:
    """floor(e^n - 1) with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return int(Decimal(n).exp() - 1)


@pytest.mark.parametrize("n", range(1, 22))
def test_transform_at_its_thresholds(n: int) -> None:
    """The last count that becomes n and the first that becomes n + 1, up to the largest count there
    is.
    """
    last = _threshold(n)
    assert last < 2**31 - 1
    assert _logged(np.array([last, last + 1])).tolist() == [n, n + 1]


def test_transform_of_the_examples() -> None:
    assert _logged(np.array([0, 1, 2, 6, 7, 19, 20, 2**31 - 1])).tolist() == [
        0,
        1,
        2,
        2,
        3,
        3,
        4,
        22,
    ]


def test_transform_keeps_the_words_and_the_input() -> None:
    counts = checked_counts(DENSE)
    transformed = log_counts(counts)
    np.testing.assert_array_equal(counts.toarray(), DENSE)
    np.testing.assert_array_equal(transformed.toarray(), np.ceil(np.log1p(DENSE)))
    assert log_counts(checked_counts(np.zeros((2, 3)))).toarray().tolist() == [[0, 0, 0], [0, 0, 0]]


def test_transform_takes_any_numbers_that_are_not_negative() -> None:
    assert log_counts([[0.5, 0.0, 1.8, 6.5]]).toarray().tolist() == [[1, 0, 2, 3]]
    with pytest.raises(InvalidInput, match=r"^counts must not be negative, got -1$"):
        log_counts([[-1]])
