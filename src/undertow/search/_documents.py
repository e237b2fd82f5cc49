"""From a corpus to rows of the database: chunk by chunk, so that memory does not grow with the corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.search._encoded import Encoded

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel

ROWS = 16_384  # documents a commit
KEPT = ("label", "split", "time")  # what is known of a document besides its id and text
LONGEST_ID = 1024  # characters


@dataclass(frozen=True)
class Survey:
    """What a first look at a corpus tells: how many documents, and a digest of all ids and texts."""

    documents: int
    digest: str


def survey(corpus: Corpus) -> Survey:
    """Goes through the corpus once, before any work is done, and refuses ids that are missing or occur twice."""
    digest, hashes, total = hashlib.sha256(), [], 0
    for chunk in corpus.chunks(ROWS):
        _check_ids(chunk["id"], first=total)
        hashes.append(chunk["id"].hash(seed=0).to_numpy())
        digest.update(hashes[-1].tobytes())
        digest.update(chunk["text"].hash(seed=0).to_numpy().tobytes())
        total += chunk.height
    marks, counts = np.unique(np.concatenate(hashes), return_counts=True)
    if len(marks) < total:
        _refuse_twice(corpus, marks[counts > 1])
    return Survey(total, digest.hexdigest())


def _check_ids(ids: pl.Series, first: int) -> None:
    if ids.null_count():
        raise InvalidInput(f"ids must be texts, got null in document {first + int(ids.is_null().arg_true()[0])}")
    lengths = ids.str.len_chars()
    if (lengths == 0).any() or (lengths > LONGEST_ID).any():
        raise InvalidInput(f"ids must have 1 to {LONGEST_ID:,} characters, got one of {_odd(lengths)}")


def _odd(lengths: pl.Series) -> int:
    return 0 if (lengths == 0).any() else int(lengths.max())  # type: ignore[arg-type]


def _refuse_twice(corpus: Corpus, marks: NDArray[np.uint64]) -> None:
    """Looks at the ids behind equal hashes, which are hardly ever different."""
    seen: set[str] = set()
    for chunk in corpus.chunks(ROWS):
        for number in np.flatnonzero(np.isin(chunk["id"].hash(seed=0).to_numpy(), marks)):
            name = chunk["id"][int(number)]
            if name in seen:
                raise InvalidInput(f"ids must differ, got {name!r:.80} twice in {corpus.name}")
            seen.add(name)


def chunks_from(corpus: Corpus, first: int) -> Iterator[pl.DataFrame]:
    """The corpus without its first documents."""
    passed = 0
    for chunk in corpus.chunks(ROWS):
        skipped = min(max(first - passed, 0), chunk.height)
        passed += chunk.height
        if skipped < chunk.height:
            yield chunk[skipped:]


def schema(units: int) -> pa.Schema:
    """The columns of an index of a model with so many topics. A column of times comes with the first that has any."""
    import pyarrow as pa

    fields = [
        pa.field("id", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("label", pa.string()),
        pa.field("split", pa.string()),
        pa.field("vector", pa.list_(pa.float16(), units)),
        pa.field("code", pa.list_(pa.uint8(), -(-units // 8))),
    ]
    return pa.schema(fields)


def time_field(chunk: pl.DataFrame) -> pa.Field | None:
    """The column of times as an index keeps it: dates, moments of UTC, numbers or texts."""
    import pyarrow as pa

    if "time" not in chunk.columns:
        return None
    kind = _plain_time(chunk["time"]).to_arrow().type
    return pa.field("time", pa.string() if pa.types.is_large_string(kind) else kind)


def rows_of(model: TopicModel, chunk: pl.DataFrame, target: pa.Schema) -> pa.Table:
    """The rows of a chunk. Vectors are strengths, of length 1 and in half precision; codes are posteriors above 1/2."""
    import pyarrow as pa

    encoded = Encoded.of(model, model.counts(chunk["text"]))
    columns: dict[str, Any] = {
        "id": chunk["id"].to_arrow(),
        "text": chunk["text"].to_arrow(),
        "vector": _lists(encoded.vectors.astype(np.float16), ~encoded.known),
        "code": _lists(encoded.codes, ~encoded.known),
    }
    for name in KEPT:
        if name in chunk.columns:
            columns[name] = (_plain_time(chunk[name]) if name == "time" else chunk[name]).to_arrow()
    ordered = [
        _fitting(columns[field.name], field) if field.name in columns else _nulls(len(chunk), field) for field in target
    ]
    return pa.table(ordered, schema=target)


def _plain_time(times: pl.Series) -> pl.Series:
    import polars as pl

    kind = times.dtype
    if isinstance(kind, pl.Datetime):
        moments = times.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if kind.time_zone else times
        return moments.dt.cast_time_unit("us")
    if kind == pl.Date:
        return times
    if kind.is_integer():
        return times.cast(pl.Int64)
    return times.cast(pl.Float64) if kind.is_float() else times.cast(pl.String)


def _lists(values: NDArray[Any], empty: NDArray[np.bool_]) -> pa.Array:
    import pyarrow as pa

    flat = pa.array(values.reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, values.shape[1], mask=pa.array(empty))


def _nulls(rows: int, field: pa.Field) -> pa.Array:
    import pyarrow as pa

    return pa.nulls(rows, field.type)


def _fitting(values: Any, field: pa.Field) -> Any:
    """The column in the type that the index keeps it in."""
    import pyarrow as pa

    try:
        return values if values.type == field.type else values.cast(field.type)
    except pa.ArrowInvalid as error:
        raise InvalidInput(
            f"{field.name} must be {field.type} as in the index, got {values.type}: {error!s:.80}"
        ) from None
    except pa.ArrowNotImplementedError:
        raise InvalidInput(f"{field.name} must be {field.type} as in the index, got {values.type}") from None
