"""Rows of one version of the documents, as answers need them: read from the database, or kept from
an earlier answer.

Reading twenty rows takes the database as long as finding them takes us, so a server keeps what it
has read.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.fulltext.near_copies import shingles
from undertow.search.database.lately import Allowance, Lately
from undertow.search.database.store import Rows, Store

ROWS, PLACES = 0.7, 0.2  # of what may be kept: rows, and which rows filters are true of


@dataclass(frozen=True)
class Row:
    """A document with its vector. Where its text may be cut, `whole` is False."""

    document: dict[str, Any]
    vector: NDArray[np.float32]
    whole: bool


class KeptRows:
    """Reads rows of one version, and keeps as many bytes of them as allowed."""

    def __init__(self, store: Store, allowance: Allowance) -> None:
        self._store = store
        self._rows, self._places = Lately(allowance, ROWS), Lately(allowance, PLACES)

    def read(self, rows: Rows, longest: int | None = None) -> list[Row]:
        """Rows in their order, with so many characters of each text at least."""
        numbers = rows.tolist()
        found = {number: row for number in numbers if (row := self._kept(number, longest))}
        missing = [number for number in numbers if number not in found]
        if missing:
            documents, vectors = self._store.whole(np.array(missing, dtype=np.uint64), longest)
            for number, document, vector in zip(missing, documents, vectors, strict=True):
                whole = longest is None or len(document["text"] or "") < longest
                found[number] = row = Row(document, vector.copy(), whole)
                self._rows.put(number, row, _size(document) + vector.nbytes)
        return [found[number] for number in numbers]

    def _kept(self, number: int, longest: int | None) -> Row | None:
        row: Row | None = self._rows.get(number)
        if row is None or row.whole:
            return row
        return row if longest is not None and len(row.document["text"]) >= longest else None

    def shingles(self, number: int, text: str) -> NDArray[np.uint64]:
        """What near-copies of a row's text are told by; of a text that is whole, or as long as it
        is looked at.
        """
        kept: NDArray[np.uint64] | None = self._rows.get(("shingles", number))
        if kept is None:
            kept = shingles(text)
            self._rows.put(("shingles", number), kept, kept.nbytes)
        return kept

    def text_of(self, document: str, longest: int) -> tuple[Rows, str] | None:
        """The number of the row of the document with this id, and so much of its text."""
        kept: tuple[Rows, str] | None = self._rows.get((document, longest))
        if kept is None:
            kept = self._store.text_of(document, longest)
            if kept is not None:
                self._rows.put((document, longest), kept, 2 * sys.getsizeof(kept[1]))
        return kept

    def matching(self, where: str) -> Rows:
        """The rows that an expression is true of, in order of their numbers."""
        kept: Rows | None = self._places.get(where)
        if kept is None:
            kept = self._store.matching(where)
            self._places.put(where, kept, kept.nbytes + sys.getsizeof(where))
        return kept


def _size(document: dict[str, Any]) -> int:
    return sys.getsizeof(document) + sum(map(sys.getsizeof, document.values()))


def vectors_of(rows: Sequence[Row], width: int) -> NDArray[np.float32]:
    """(rows, width) The vectors of rows."""
    return np.array([row.vector for row in rows], dtype=np.float32).reshape(len(rows), width)
