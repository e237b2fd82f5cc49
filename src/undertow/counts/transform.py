"""Checking counts, and the paper's transform c(v) = ceil(log(1 + v)), which damps repeated
words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow import _lazy
from undertow._errors import InvalidInput

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = _lazy.module("scipy.sparse")  # questions are read without it

LARGEST_COUNT = 2**31 - 1


def checked_counts(counts: Any, name: str = "counts") -> sparse.csr_array:
    """Counts as a CSR array of int32, without explicit zeros or duplicates.

    Parameters
    ----------
    counts : array or sparse matrix of any format, (documents, words)
        Whole numbers, of any type. They are not changed.
    name : str
        What errors call them.

    Returns
    -------
    scipy.sparse.csr_array
        The same counts.

    Raises
    ------
    InvalidInput
        Where they are no matrix of whole numbers from 0 to 2^31 - 1.

    Examples
    --------
    >>> from undertow.counts import checked_counts
    >>> checked_counts([[1.0, 0.0], [0.0, 2.0]]).data
    array([1, 2], dtype=int32)
    >>> checked_counts([[0.5, 1.0]])
    Traceback (most recent call last):
        ...
    undertow._errors.InvalidInput: counts must be whole numbers, got 0.5: weights such as tf-idf...
    """
    matrix = _csr(counts, name)
    values = matrix.data
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        fraction = values[values != np.floor(values)][0]
        raise InvalidInput(
            f"{name} must be whole numbers, got {fraction}: weights such as tf-idf do not belong "
            f"here"
        )
    if values.size and values.max() > LARGEST_COUNT:
        raise InvalidInput(f"{name} must be at most {LARGEST_COUNT}, got {values.max()}")
    return _whole(matrix)


def log_counts(counts: Any) -> sparse.csr_array:
    """c(v) = ceil(log(1 + v)): 1 stays 1, 2 to 6 become 2, 7 to 19 become 3.

    Whole numbers are transformed exactly: e^n - 1 is never whole, and rounding could only matter
    beyond 10^14.

    Parameters
    ----------
    counts : array or sparse matrix of any format, (documents, words)
        Numbers that are not negative. They are not changed.

    Returns
    -------
    scipy.sparse.csr_array
        The transformed counts, int32.

    Raises
    ------
    InvalidInput
        Where they are no matrix of such numbers.

    Examples
    --------
    >>> from undertow.counts import log_counts
    >>> log_counts(counts).toarray()[1]
    array([0, 3, 1, 0], dtype=int32)
    """
    matrix = _csr(counts, "counts")
    return _whole(
        sparse.csr_array((damped(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)
    )


def damped(counts: NDArray[Any]) -> NDArray[np.float64]:
    """ceil(log(1 + v)) of each number, as float64."""
    transformed: NDArray[np.float64] = counts.astype(np.float64)
    # in place: a large corpus fits only once
    np.ceil(np.log1p(transformed, out=transformed), out=transformed)
    return transformed


def _csr(counts: Any, name: str) -> Any:
    """Compressed rows of finite, non-negative numbers without duplicates or explicit zeros; the
    input is left alone.
    """
    if not sparse.issparse(counts):
        counts = np.asarray(counts)
    if counts.ndim != 2:
        raise InvalidInput(
            f"{name} must be a matrix of documents x words, got an array of shape {counts.shape}"
        )
    if counts.dtype.kind not in "biuf":
        raise InvalidInput(f"{name} must be whole numbers, got values of type {counts.dtype}")
    if counts.dtype == np.float16 or getattr(counts, "format", "csr") == "coo":
        # coordinates may repeat, and their sums must not overflow a narrow type
        counts = counts.astype(np.float64)
    matrix: Any = sparse.csr_array(counts)  # takes every sparse format
    _check_values(matrix.data, name)
    if not matrix.has_canonical_format or (matrix.data == 0).any():
        matrix = matrix.astype(np.float64)  # a copy, for the same reason
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def _check_values(values: Any, name: str) -> None:
    if not np.isfinite(values).all():
        raise InvalidInput(f"{name} must be finite, got NaN or infinity")
    if (values < 0).any():
        raise InvalidInput(f"{name} must not be negative, got {values.min()}")


def _whole(matrix: Any) -> sparse.csr_array:
    """As int32 counts; scipy gives row starts and column numbers one type, and 32 bits are enough
    for most.
    """
    index = np.int32 if matrix.nnz <= LARGEST_COUNT else np.int64
    parts = (
        matrix.data.astype(np.int32),
        matrix.indices.astype(index),
        matrix.indptr.astype(index),
    )
    return sparse.csr_array(parts, shape=matrix.shape)
