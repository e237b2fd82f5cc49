"""Reading an index from one end to the other: batches of columns as arrays, in the order of the
rows' numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.search.database.matrices import matrix
from undertow.search.database.store import Store
from undertow.search.filters.expression import names_of

if TYPE_CHECKING:
    import pyarrow as pa

ENCODED = ("vector", "code")


def batches(
    store: Store, columns: Sequence[str], batch: int, places: NDArray[np.int64] | None
) -> Iterator[dict[str, Any]]:
    """Batches of columns, by the names that are shown; `places` choose among the rows."""
    rows, names = store.row_numbers(), names_of(store.schema)
    stored = {name: name if name in ENCODED else names.stored(name) for name in columns}
    if places is not None:
        if len(places) and (
            places[0] < 0 or places[-1] >= len(rows) or (np.diff(places) <= 0).any()
        ):
            raise InvalidInput(f"places must rise from 0 to at most {len(rows) - 1:,}, got others")
        rows = rows[places]
    for first in range(0, len(rows), batch):
        table = store.taken(rows[first : first + batch], list(stored.values()))
        yield {name: _values(table[column], name) for name, column in stored.items()}


def _values(column: pa.ChunkedArray, name: str) -> Any:
    if name in ENCODED:
        return matrix(column.combine_chunks(), np.float32 if name == "vector" else np.uint8)
    import polars as pl

    return pl.Series(name, column)
