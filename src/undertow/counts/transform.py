"""Checking counts, and the paper's transform c(v) = ceil(log(1 + v)), which damps repeated words."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from undertow._errors import InvalidInput

LARGEST_COUNT = 2**31 - 1


def checked_counts(counts: Any, name: str = "counts") -> sparse.csr_array:
    """A CSR array of int32 counts without explicit zeros or duplicates, or an error that says what is wrong.

    The input is never changed. Dense input is taken as it is; sparse input of any format is converted.
    """
    if sparse.issparse(counts):
        matrix: Any = sparse.csr_array(counts)  # type: ignore[call-overload]  # takes every sparse format
    else:
        dense = np.asarray(counts)
        if dense.ndim != 2:
            raise InvalidInput(f"{name} must be a matrix of documents x words, got an array of shape {dense.shape}")
        matrix = sparse.csr_array(dense)
    values = matrix.data
    if values.dtype.kind not in "biuf":
        raise InvalidInput(f"{name} must be whole numbers, got values of type {values.dtype}")
    if not np.isfinite(values).all():
        raise InvalidInput(f"{name} must be finite, got NaN or infinity")
    if (values < 0).any():
        raise InvalidInput(f"{name} must not be negative, got {values.min()}")
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        fraction = values[values != np.floor(values)][0]
        raise InvalidInput(f"{name} must be whole numbers, got {fraction}: weights such as tf-idf do not belong here")
    if values.size and values.max() > LARGEST_COUNT:
        raise InvalidInput(f"{name} must be at most {LARGEST_COUNT}, got {values.max()}")
    return _canonical(matrix)


def log_counts(counts: sparse.csr_array) -> sparse.csr_array:
    """c(v) = ceil(log(1 + v)) of every count: 1 stays 1, 2 to 6 become 2, 7 to 19 become 3.

    Whole-number thresholds decide, so that no rounding of a logarithm can.
    """
    largest = int(counts.data.max()) if counts.data.size else 0
    thresholds = [0]  # thresholds[n] is the largest v with c(v) <= n, that is floor(e^n - 1)
    while thresholds[-1] < largest:
        thresholds.append(int(np.floor(np.expm1(len(thresholds)))))
    transformed = np.searchsorted(np.array(thresholds), counts.data, side="left").astype(np.int32)
    return sparse.csr_array((transformed, counts.indices, counts.indptr), shape=counts.shape)


def _canonical(matrix: sparse.csr_array) -> sparse.csr_array:
    """Sorted, without duplicates or explicit zeros, int32, sharing no memory that it would have to change."""
    if not matrix.has_canonical_format or (matrix.data == 0).any():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return sparse.csr_array(
        (matrix.data.astype(np.int32), matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64)),
        shape=matrix.shape,
    )
