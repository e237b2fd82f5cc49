"""From a corpus to rows of the database: chunk by chunk, so that memory does not grow with the corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.search._encoded import Encoded
from undertow.search._kinds import Columns, arrow_type, as_kind
from undertow.search._where import column_kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel

ROWS = 16_384  # documents a commit,
BYTES = 256 * 2**20  # and about so much text: a column of the database holds 2 GiB at a time
PLAIN = ("id", "text", "label", "split")  # columns that are always strings
LONGEST_ID = 1024  # characters


@dataclass(frozen=True)
class Survey:
    """What a first look at a corpus tells: how many documents, a digest of all that is in them, and the kinds of the
    columns that have one, which are the time and those that are kept.
    """

    documents: int
    digest: str
    kinds: dict[str, str]


def survey(
    corpus: Corpus, told: Mapping[str, str | None], *, check: Callable[[pl.Series], None] | None = None
) -> Survey:
    """Goes through the corpus once, before any work is done; refuses ids that are missing or occur twice, and values
    that are not of their column's kind. `told` are the kinds of columns that are not to be found out; `check` may
    refuse ids too.
    """
    columns = Columns([name for name in corpus.columns if name not in PLAIN], told, typed=corpus.typed)
    digest, hashes, total = hashlib.sha256(), [], 0
    for chunk in corpus.chunks(ROWS):
        _check_ids(chunk["id"], first=total)
        if check is not None:
            check(chunk["id"])
        hashes.append(chunk["id"].hash(seed=0).to_numpy())
        for column in (*(chunk[name] for name in PLAIN if name in chunk.columns), *columns.look(chunk, first=total)):
            digest.update(column.hash(seed=0).to_numpy().tobytes())
        total += chunk.height
    marks, counts = np.unique(np.concatenate(hashes), return_counts=True)
    if len(marks) < total:
        _refuse_twice(corpus, marks[counts > 1])
    digest.update(repr(columns.kinds).encode())
    return Survey(total, digest.hexdigest(), columns.kinds)


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
            yield from _not_too_large(chunk[skipped:])


def _not_too_large(chunk: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The chunk, cut wherever another `BYTES` of text are full."""
    ends = chunk["text"].str.len_bytes().cast(pl.Int64).cum_sum().to_numpy()
    cuts = np.flatnonzero(np.diff(ends // BYTES)) + 1
    for begin, end in zip([0, *cuts], [*cuts, chunk.height], strict=True):
        yield chunk[int(begin) : int(end)]


def schema(units: int, kinds: Mapping[str, str]) -> pa.Schema:
    """The columns of an index of a model with so many topics, and of these further ones."""
    import pyarrow as pa

    fields = [
        pa.field("id", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("label", pa.string()),
        pa.field("split", pa.string()),
        *(field_of(name, kind) for name, kind in kinds.items()),
        pa.field("vector", pa.list_(pa.float16(), units)),
        pa.field("code", pa.list_(pa.uint8(), -(-units // 8))),
    ]
    return pa.schema(fields)


def field_of(name: str, kind: str) -> pa.Field:
    """A column of a kind."""
    import pyarrow as pa

    return pa.field(name, arrow_type(kind))


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
    kinds = column_kinds(target)
    for name in set(chunk.columns) - set(columns):
        columns[name] = as_kind(chunk[name], kinds[name]).to_arrow()
    ordered = [
        _fitting(columns[field.name], field) if field.name in columns else _nulls(len(chunk), field) for field in target
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
