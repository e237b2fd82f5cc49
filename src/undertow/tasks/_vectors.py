"""What the tasks share: checks of vectors and labels, unit vectors, and when two similarities count
as tied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput

# Two cosines this close are tied: equal vectors can differ by the rounding of a matrix product
# (some 1e-14 in float64), and which of them then comes first would depend on nothing but their
# place in memory.
TIED = 1e-12


def matrix(name: str, value: Any) -> NDArray[np.float64]:
    """A dense matrix of finite numbers with a row per document, as float64."""
    array = np.asarray(value)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or 0 in array.shape:
        raise InvalidInput(
            f"{name} must be a dense matrix of numbers with a row per document, "
            f"got {type(value).__name__} of shape {getattr(value, 'shape', array.shape)}"
        )
    if not np.isfinite(array).all():
        raise InvalidInput(
            f"{name} must be finite, got {array[~np.isfinite(array)][0]} among its values"
        )
    return array.astype(np.float64, copy=False)


def same_width(name: str, value: NDArray[Any], other_name: str, other: NDArray[Any]) -> None:
    """Both matrices have the same number of columns."""
    if value.shape[1] != other.shape[1]:
        raise InvalidInput(
            f"{name} must have {other.shape[1]} columns like {other_name}, got {value.shape[1]}"
        )


def labels(name: str, value: Any, *, size: int) -> NDArray[Any]:
    """A label for each of `size` documents, whole numbers or strings."""
    array = np.asarray(value)
    if array.shape != (size,):
        raise InvalidInput(f"{name} must hold {size} labels, got an array of shape {array.shape}")
    if array.dtype.kind in "biuU":
        return array
    if all(isinstance(label, str) for label in array):  # a column of strings out of a data frame
        return array.astype(np.str_)
    raise InvalidInput(f"{name} must be whole numbers or strings, got values of type {array.dtype}")


def same_kind(name: str, value: NDArray[Any], other_name: str, other: NDArray[Any]) -> None:
    """Both are strings, or neither is: a string never equals a number."""
    if (value.dtype.kind == "U") != (other.dtype.kind == "U"):
        raise InvalidInput(
            f"{name} must be of the same kind as {other_name}, got {value.dtype} and {other.dtype}"
        )


def unit_rows(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every row divided by its length; a row of zeros stays, so that its similarity to everything
    is 0.
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    # so that no square overflows or vanishes
    scaled = vectors / np.where(largest > 0, largest, 1.0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit: NDArray[np.float64] = scaled / np.where(length > 0, length, 1.0)
    return unit
