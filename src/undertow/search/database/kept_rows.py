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
from undertow.search.database.store import Rows, Store, letters_of

ROWS, PLACES = 0.7, 0.2  # of what may be kept: rows, and which rows filters are true of


@dataclass(frozen=True)
class Row:
    """A document with its vector, and so many characters of its text; None for all of all
    columns.
    """

    document: dict[str, Any]
    vector: NDArray[np.float32]
    number: int
    letters: int | None


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
            wanted = np.array(missing, dtype=np.uint64)
            found |= self._keep(missing, *self._store.whole(wanted, longest), longest)
        return [found[number] for number in numbers]

    def with_ids(self, ids: Sequence[str], longest: int | None = None) -> dict[str, Row]:
        """The same of the documents with these ids, those that there are."""
        numbers = {name: self._rows.get(("id", name)) for name in ids}
        found = {
            name: row
            for name, number in numbers.items()
            if number is not None and (row := self._kept(number, longest)) is not None
        }
        missing = [name for name in ids if name not in found]
        if missing:
            rows, documents, vectors = self._store.with_ids(missing, longest)
            for row in self._keep(rows.tolist(), documents, vectors, longest).values():
                found[row.document["id"]] = row
        return found

    def _keep(
        self,
        numbers: list[int],
        documents: list[dict[str, Any]],
        vectors: NDArray[np.float32],
        longest: int | None,
    ) -> dict[int, Row]:
        found = {}
        for number, document, vector in zip(numbers, documents, vectors, strict=True):
            letters = None if longest is None or _whole(document, longest) else longest
            found[number] = row = Row(document, vector.copy(), number, letters)
            self._rows.put(number, row, _size(document) + vector.nbytes)
            self._rows.put(("id", document["id"]), number, 0)
        return found

    def _kept(self, number: int, longest: int | None) -> Row | None:
        row: Row | None = self._rows.get(number)
        if row is None or row.letters is None:
            return row
        return row if longest is not None and longest <= row.letters else None

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
        row = self.with_ids([document], longest).get(document)
        if row is None:
            return None
        return np.array([row.number], dtype=np.uint64), row.document["text"][:longest]

    def matching(self, where: str) -> Rows:
        """The rows that an expression is true of, in order of their numbers."""
        kept: Rows | None = self._places.get(where)
        if kept is None:
            kept = self._store.matching(where)
            self._places.put(where, kept, kept.nbytes + sys.getsizeof(where))
        return kept


def _whole(document: dict[str, Any], longest: int) -> bool:
    """Whether no column was cut."""
    return all(
        not isinstance(value, str) or name == "id" or len(value) < letters_of(name, longest)
        for name, value in document.items()
    )


def _size(document: dict[str, Any]) -> int:
    return sys.getsizeof(document) + sum(map(sys.getsizeof, document.values()))


def vectors_of(rows: Sequence[Row], width: int) -> NDArray[np.float32]:
    """(rows, width) The vectors of rows."""
    return np.array([row.vector for row in rows], dtype=np.float32).reshape(len(rows), width)
