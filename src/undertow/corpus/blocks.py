"""Rows of a source with their numbers: all of them, or those in some stretches of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from undertow.corpus.corpus import Source

Numbered = tuple[NDArray[np.int64], pl.DataFrame]
Blocks = Sequence[tuple[int, int]]  # from this row to before that one, ascending
GROUP = 2**17  # rows that a reader of Parquet takes at a time, about


def numbered(batches: Iterable[pl.DataFrame], first: int) -> Iterator[Numbered]:
    """Batches that follow each other, from this row on."""
    for batch in batches:
        yield np.arange(first, first + batch.height, dtype=np.int64), batch
        first += batch.height


def numbered_blocks(
    source: Source, blocks: Blocks, columns: Sequence[str], rows: int, how: Mapping[str, Any]
) -> Iterator[Numbered]:
    """The rows of blocks: each block by itself where the source can go there at once, and that is
    less to read; else all from the first to the last, of which the others are left out.
    """
    if not blocks:
        return
    begin, end = blocks[0][0], blocks[-1][1]
    if getattr(source, "goes_anywhere", False) and 2 * GROUP * len(blocks) < end - begin:
        for first, last in blocks:
            yield from numbered(source.part(first, last).batches(columns, rows, **how), first)
        return
    edges = np.array(blocks, dtype=np.int64).reshape(-1)
    for numbers, batch in numbered(source.part(begin, end).batches(columns, rows, **how), begin):
        inside = np.searchsorted(edges, numbers, side="right") % 2 == 1
        if inside.any():
            yield numbers[inside], batch.filter(pl.Series(inside))
