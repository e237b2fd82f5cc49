"""Counting types over a whole corpus in bounded memory, and choosing the vocabulary among them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

SCHEMA = {"word": pl.String, "count": pl.Int64, "documents": pl.Int64}
MERGE_AT = (
    2**20
    # rows that wait before they are merged: merging a little at a time would sort the whole again
    # and again
)


class TypeCounts:
    """How often each type occurs, and in how many documents.

    No more than about `max_types` types are held. When there are more, those seen once are dropped,
    then those seen twice and so on, until at most half of `max_types` are left. `pruned` adds up
    these limits: a type whose count is above it cannot have been lost, and the counts of the types
    held are too low by `pruned` at most. 0: all is exact.
    """

    def __init__(self, max_types: int, frame: pl.DataFrame | None = None, pruned: int = 0) -> None:
        self._max_types = max_types
        self._frame = pl.DataFrame(schema=SCHEMA) if frame is None else frame
        self._waiting: list[pl.DataFrame] = []
        self._rows = 0
        self.pruned = pruned

    def add(
        self, types: pl.Series, counts: NDArray[np.int64], documents: NDArray[np.int64]
    ) -> None:
        """Adds the counts of distinct types; those with count 0 are passed over."""
        frame = pl.DataFrame({"word": types, "count": counts, "documents": documents}).filter(
            pl.col("count") > 0
        )
        self._waiting.append(frame)
        self._rows += frame.height
        full = self._rows + self._frame.height > self._max_types
        if full or self._rows > max(MERGE_AT, self._frame.height):
            self._merge()

    def frame(self) -> pl.DataFrame:
        """Columns word, count and documents, a row per type, in no particular order."""
        self._merge()
        return self._frame

    def _merge(self) -> None:
        if self._waiting:
            both = pl.concat([self._frame, *self._waiting])
            self._waiting, self._rows = [], 0
            self._frame = both.group_by("word").agg(pl.col("count", "documents").sum())
        if self._frame.height > self._max_types:
            self._prune()

    def _prune(self) -> None:
        counts = self._frame["count"]
        keep = max(self._max_types // 2, 1)
        # The least limit that leaves at most `keep`: the count of the first type too many, in
        # falling order.
        limit = int(counts.top_k(keep + 1).min())  # type: ignore[arg-type]
        self._frame = self._frame.filter(pl.col("count") > limit)
        self.pruned += limit


def choose(
    frame: pl.DataFrame, *, limit: int | None, least: float, most: float, known: Iterable[str] = ()
) -> list[str]:
    """The `limit` most frequent types in `least` to `most` documents that are not known yet; ties
    alphabetically.
    """
    found = frame.filter(pl.col("documents").is_between(least, most))
    old = pl.DataFrame({"word": pl.Series(list(known), dtype=pl.String)})
    if old.height:
        found = found.join(old, on="word", how="anti")
    if limit is not None and 0 < limit < found.height:
        found = found.filter(pl.col("count") >= found["count"].top_k(limit).min())  # less to sort
    ordered = found.sort("count", "word", descending=[True, False])
    return ordered["word"].head(ordered.height if limit is None else limit).to_list()


def columns_of(types: pl.Series, words: pl.DataFrame) -> NDArray[np.int32]:
    """The column of each type, or -1; `words` has columns word and column."""
    found = pl.DataFrame({"word": types}).join(words, on="word", how="left", maintain_order="left")
    return found["column"].fill_null(-1).to_numpy()


def numbered_words(words: Iterable[str]) -> pl.DataFrame:
    """A table of words and their columns."""
    return (
        pl.DataFrame({"word": pl.Series(list(words), dtype=pl.String)})
        .with_row_index("column")
        .with_columns(pl.col("column").cast(pl.Int32))
    )
