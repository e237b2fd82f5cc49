"""Ids for documents that come without: numbers in a row, above every number that is an id of the
index already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from undertow.search.database.store import Store

NUMBER = r"^(0|[1-9][0-9]*)$"  # as we write them: no other id can be one of ours


class NewIds:
    """Numbers from `first` on. They depend on the ids that are there alone, so the caller holds the
    writer's lock.
    """

    def __init__(self, first: int) -> None:
        self._first = self._next = first

    @classmethod
    def of(cls, store: Store) -> NewIds:
        """Those that are new to an index."""
        return cls(1 + max((_highest(pl.Series(ids)) for ids in store.ids()), default=-1))

    @property
    def first_and_last(self) -> tuple[str, str]:
        """Of those that were given so far."""
        return str(self._first), str(self._next - 1)

    def given(self, chunks: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The documents with new ids."""
        for chunk in chunks:
            numbers = range(self._next, self._next + chunk.height)
            self._next += chunk.height
            yield chunk.with_columns(pl.Series("id", list(map(str, numbers))))


def _highest(ids: pl.Series) -> int:
    """The highest number among ids, or -1; numbers of any length."""
    numbers = ids.filter(ids.str.contains(NUMBER))
    if not len(numbers):
        return -1
    lengths = numbers.str.len_bytes()
    return int(str(numbers.filter(lengths == lengths.max()).max()))
