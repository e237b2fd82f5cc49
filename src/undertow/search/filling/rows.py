"""From documents to rows of the database: its columns, and a chunk of documents encoded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow.search.encoding.encoded import Encoded
from undertow.search.filling.survey import Survey
from undertow.search.filters.column_kinds import arrow_type, as_kind
from undertow.search.filters.expression import CORPUS_NAME, DAY_FIRST, OWN_NUMBERS, column_kinds
from undertow.vectors.joining import compared

if TYPE_CHECKING:
    import pyarrow as pa

    from undertow.estimators import TopicModel


def schema(units: int, found: Survey, names: Mapping[str, str], others: int = 0) -> pa.Schema:
    """The columns of an index of a model with so many topics; `names` is what the corpus calls
    them. Vectors have so many `others` joined.
    """
    import pyarrow as pa

    fields = [
        pa.field("id", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("label", pa.string()),
        pa.field("split", pa.string()),
        *(pa.field(name, arrow_type(kind)) for name, kind in found.kinds.items()),
    ]
    notes = {OWN_NUMBERS: str(units).encode()} if others else None
    encoded = [
        pa.field("vector", pa.list_(pa.float16(), units + others), metadata=notes),
        pa.field("code", pa.list_(pa.uint8(), -(-units // 8))),
    ]
    return pa.schema([*(noted(field, found, names) for field in fields), *encoded])


def noted(column: pa.Field, found: Survey, names: Mapping[str, str]) -> pa.Field:
    """A column with a note of what the corpus calls it, and of the order in its dates."""
    notes = {CORPUS_NAME: names[column.name].encode()} if column.name in names else {}
    if column.name in found.day_first:
        notes[DAY_FIRST] = b"1" if found.day_first[column.name] else b"0"
    return column.with_metadata(notes) if notes else column


def days_first(target: pa.Schema) -> dict[str, bool]:
    """What is noted of the order in dates."""
    notes = {column.name: (column.metadata or {}).get(DAY_FIRST) for column in target}
    return {name: note == b"1" for name, note in notes.items() if note is not None}


def rows_of(
    model: TopicModel, chunk: pl.DataFrame, target: pa.Schema, others: NDArray[Any] | None = None
) -> pa.Table:
    """The rows of a chunk. Vectors are strengths, of length 1 and in half precision; codes have a
    bit for each unit.

    Vectors are joined with `others`, where there are any.
    """
    import pyarrow as pa

    encoded = Encoded.of(model, model.counts(chunk["text"]))
    vectors = np.where(encoded.known[:, None], encoded.vectors, np.float32(0.0))
    if others is not None:
        vectors = compared(vectors, others)
    columns: dict[str, Any] = {
        "id": chunk["id"].to_arrow(),
        "text": chunk["text"].to_arrow(),
        "vector": _lists(vectors.astype(np.float16), np.logical_not(vectors.any(axis=1))),
        "code": _lists(encoded.codes, ~encoded.known),
    }
    kinds = column_kinds(target)
    for name in set(chunk.columns) - set(columns):
        columns[name] = as_kind(chunk[name], kinds[name]).to_arrow()
    ordered = [
        _fitting(columns[field.name], field) if field.name in columns else _nulls(len(chunk), field)
        for field in target
    ]
    return pa.table(ordered, schema=target)


def _lists(values: NDArray[Any], empty: NDArray[np.bool_]) -> pa.Array:
    import pyarrow as pa

    flat = pa.array(values.reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, values.shape[1], mask=pa.array(empty))


def _nulls(rows: int, field: pa.Field) -> pa.Array:
    import pyarrow as pa

    return pa.nulls(rows, field.type)


def _fitting(values: Any, field: pa.Field) -> Any:
    """The column in the type that the index keeps it in."""
    return values if values.type == field.type else values.cast(field.type)
