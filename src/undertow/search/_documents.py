"""From a corpus to rows of the database: chunk by chunk, so that memory does not grow with the
corpus.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.search._encoded import Encoded
from undertow.search._kinds import Columns, arrow_type, as_kind
from undertow.search._where import CORPUS_NAME, DAY_FIRST, OWN_NUMBERS, column_kinds
from undertow.vectors.joining import compared

if TYPE_CHECKING:
    import pyarrow as pa

    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel

ROWS = 16_384  # documents a commit,
BYTES = 256 * 2**20  # and about so much text: a column of the database holds 2 GiB at a time
PLAIN = ("id", "text", "label", "split", "title", "url")  # columns that are always strings
OPTIONAL = ("title", "url")  # those of them that only some indices have
LONGEST_ID = 1024  # characters


@dataclass(frozen=True)
class Survey:
    """What a first look at a corpus tells: how many documents, a digest of all that is in them, and
    the kinds of the columns that not every index has; which of them hold dates whose first number
    is, or is not, the day; and what is to be said about it all.
    """

    documents: int
    digest: str
    kinds: dict[str, str]
    day_first: dict[str, bool] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def survey(
    corpus: Corpus,
    told: Mapping[str, str | None],
    *,
    optional: Collection[str] = (),
    day_first: Mapping[str, bool] | None = None,
    check: Callable[[pl.Series], None] | None = None,
) -> Survey:
    """Goes through the corpus once, before any work is done; refuses ids that are missing or occur
    twice, and values that are not of their column's kind, unless the column is optional. `told` are
    the kinds of columns that are not to be found out, `day_first` is what is known of their dates;
    `check` may refuse ids too.
    """
    further = [name for name in corpus.columns if name not in PLAIN]
    columns = Columns(further, told, typed=corpus.typed, optional=optional, day_first=day_first)
    digest, hashes, total = hashlib.sha256(), [], 0
    for chunk in corpus.chunks(ROWS):
        _check_ids(chunk["id"], first=total)
        if check is not None:
            check(chunk["id"])
        hashes.append(chunk["id"].hash(seed=0).to_numpy())
        for column in (
            *(chunk[name] for name in PLAIN if name in chunk.columns),
            *columns.look(chunk, first=total),
        ):
            digest.update(column.hash(seed=0).to_numpy().tobytes())
        total += chunk.height
    marks, counts = np.unique(np.concatenate(hashes), return_counts=True)
    if len(marks) < total:
        _refuse_twice(corpus, marks[counts > 1])
    kinds = {**{name: "text" for name in OPTIONAL if name in corpus.columns}, **columns.kinds}
    digest.update(repr((kinds, columns.day_first)).encode())
    return Survey(total, digest.hexdigest(), kinds, columns.day_first, tuple(columns.remarks))


def _check_ids(ids: pl.Series, first: int) -> None:
    if ids.null_count():
        raise InvalidInput(
            f"ids must be texts, got null in document {first + int(ids.is_null().arg_true()[0])}"
        )
    lengths = ids.str.len_chars()
    if (lengths == 0).any() or (lengths > LONGEST_ID).any():
        raise InvalidInput(
            f"ids must have 1 to {LONGEST_ID:,} characters, got one of {_odd(lengths)}"
        )


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


def chunks_from(corpus: Corpus, first: int, found: Survey) -> Iterator[pl.DataFrame]:
    """The corpus without its first documents; dates that could be read in two ways are read as was
    found out.
    """
    passed = 0
    for chunk in corpus.chunks(ROWS):
        skipped = min(max(first - passed, 0), chunk.height)
        passed += chunk.height
        if skipped < chunk.height:
            dates = [
                as_kind(chunk[name], found.kinds[name], 0, order)
                for name, order in found.day_first.items()
            ]
            yield from _not_too_large(chunk.with_columns(dates)[skipped:])


def _not_too_large(chunk: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The chunk, cut wherever another `BYTES` of text are full."""
    sizes = chunk.select(
        pl.sum_horizontal(pl.col(pl.String).str.len_bytes().cast(pl.Int64)).alias("bytes")
    )["bytes"]
    ends = sizes.cum_sum().to_numpy()
    cuts = np.flatnonzero(np.diff(ends // BYTES)) + 1
    for begin, end in zip([0, *cuts], [*cuts, chunk.height], strict=True):
        yield chunk[int(begin) : int(end)]


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
    """The rows of a chunk. Vectors are strengths, of length 1 and in half precision; codes are
    posteriors above 1/2.

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
