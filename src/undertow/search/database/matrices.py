"""The database's lists of equal length as matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa


def matrix(lists: pa.FixedSizeListArray, kind: type[np.float32 | np.uint8]) -> NDArray[Any]:
    """A row per list; one that is null is all nan, or 0 in whole numbers."""
    missing = lists.is_null().to_numpy(zero_copy_only=False)
    empty = np.nan if kind is np.float32 else 0
    matrix = np.full((len(lists), lists.type.list_size), empty, dtype=kind)
    # flatten leaves out nulls
    matrix[~missing] = lists.flatten().to_numpy().reshape(-1, lists.type.list_size)
    return matrix
