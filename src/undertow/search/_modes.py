"""The ways to rank documents for a question: by meaning, by code, by words, or by meaning and words together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from undertow.search._encoded import Encoded
from undertow.search._held import HeldCodes, HeldVectors
from undertow.search._store import Rows, Scores, Store

MODES = ("semantic", "code", "text", "hybrid")
EXACT_BELOW = 200_000  # documents: fewer are all compared, more are found by the vector index
RANK_OFFSET = 60  # of reciprocal rank fusion, the customary one: it keeps first places from deciding alone
LONGEST_TEXT = 8192  # characters that text search looks at: every word costs it a list of documents
DEEP = 100  # places of each list that fusion looks at, or four times the results asked for

Found = tuple[Rows, Scores]


@dataclass(frozen=True)
class Question:
    """A text to search with, encoded as documents are."""

    text: str
    encoded: Encoded

    @property
    def known(self) -> bool:
        """Whether the model knows a word of it."""
        return bool(self.encoded.known[0])


class Ranker:
    """Ranks the documents of a store. What it holds in memory is read when a mode first needs it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._codes: tuple[int, HeldCodes] | None = None
        self._vectors: tuple[int, HeldVectors] | None = None
        self._by_index: tuple[int, bool] | None = None

    def find(self, question: Question, mode: str, n: int, where: str | None) -> Found:
        """The rows of the best n documents, best first, with their scores."""
        ways: dict[str, Callable[[Question, int, str | None], Found]] = {
            "semantic": self._semantic,
            "code": self._code,
            "text": self._text,
            "hybrid": self._hybrid,
        }
        return ways[mode](question, n, where)

    def _semantic(self, question: Question, n: int, where: str | None) -> Found:
        if not question.known:
            return _nothing()
        if self._uses_index():
            return self._store.nearest(question.encoded.vectors[0], n, where)
        version = self._store.version
        if self._vectors is None or self._vectors[0] != version:
            self._vectors = version, HeldVectors.of(self._store)
        return self._vectors[1].nearest(question.encoded.vectors[0], n, self._allowed(where))

    def _code(self, question: Question, n: int, where: str | None) -> Found:
        if not question.known:
            return _nothing()
        version = self._store.version
        if self._codes is None or self._codes[0] != version:
            self._codes = version, HeldCodes.of(self._store)
        bits = question.encoded.on.shape[1]
        return self._codes[1].nearest(question.encoded.codes[0], bits, n, self._allowed(where))

    def _text(self, question: Question, n: int, where: str | None) -> Found:
        return self._store.with_words(question.text[:LONGEST_TEXT], n, where)

    def _hybrid(self, question: Question, n: int, where: str | None) -> Found:
        deep = max(DEEP, 4 * n)
        lists = (self._semantic(question, deep, where)[0], self._text(question, deep, where)[0])
        rows, scores = fused(lists)
        return rows[:n], scores[:n]

    def _uses_index(self) -> bool:
        version = self._store.version
        if self._by_index is None or self._by_index[0] != version:
            self._by_index = version, self._store.has_vector_index
        return self._by_index[1]

    def _allowed(self, where: str | None) -> Rows | None:
        return None if where is None else self._store.matching(where)


def fused(lists: tuple[Rows, ...]) -> Found:
    """Reciprocal rank fusion: a document scores 1 / (60 + place) in every list that has it."""
    rows = np.concatenate(lists)
    shares = np.concatenate([1.0 / (RANK_OFFSET + np.arange(1, len(found) + 1)) for found in lists])
    different, first, place = np.unique(rows, return_index=True, return_inverse=True)
    scores: Scores = np.bincount(place, weights=shares, minlength=len(different)).astype(np.float64)
    order = np.lexsort((first, -scores))  # of equal ones, the one that the first list has earlier
    return different[order], scores[order]


def _nothing() -> Found:
    return np.zeros(0, dtype=np.uint64), np.zeros(0)
