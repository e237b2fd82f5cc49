"""A first look at a corpus, before any work is done, and then its documents chunk by chunk, so that
memory does not grow with the corpus.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.search.filters.column_kinds import ColumnKinds, as_kind

if TYPE_CHECKING:
    from undertow.corpus import Corpus

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
    columns = ColumnKinds(further, told, typed=corpus.typed, optional=optional, day_first=day_first)
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
        # sorted: a table of 64-bit numbers without a sign overflows in NumPy 2.0
        known = np.isin(chunk["id"].hash(seed=0).to_numpy(), marks, kind="sort")
        for number in np.flatnonzero(known):
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
