"""A vectorizer of another library, as a `TopicModel` needs it: such as scikit-learn's
`CountVectorizer`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from undertow._errors import InvalidInput
from undertow.corpus.count_matrices import stacked
from undertow.corpus.coverage import ChunkCounts
from undertow.corpus.texts import text_chunks

NEEDED = ("fit_transform", "transform", "get_feature_names_out", "get_params")
ROWS = 5000


class BorrowedVectorizer:
    """Counts by a copy of another vectorizer, `vectorizer`. How it finds words in a text is not
    known, so nothing is done that needs it.
    """

    stemmer = None
    counts_words_of_texts = False

    def __init__(self, vectorizer: Any) -> None:
        missing = [name for name in NEEDED if not hasattr(vectorizer, name)]
        if missing or isinstance(vectorizer, type):
            raise InvalidInput(
                f"vectorizer must be a Vectorizer, or have {', '.join(NEEDED)}, got "
                f"{vectorizer!r:.60}"
            )
        self.vectorizer = clone(vectorizer)
        self._is_fitted = False

    def fit_chunks(
        self, X: Any, *, kept: Any = None, watch: Callable[[int], object] | None = None
    ) -> Generator[sparse.csr_array]:
        """Fits it, and gives the counts of the same texts in chunks; X is read once."""
        documents = (text for chunk in _watched(X, watch) for text in chunk)
        counts = self._checked(self.vectorizer.fit_transform(documents))
        self._is_fitted = True
        return (counts[first : first + ROWS] for first in range(0, counts.shape[0], ROWS))

    def partial_fit_chunks(self, X: Any) -> Generator[sparse.csr_array]:
        """The counts of texts in chunks; the words are those of the first call."""
        if not self._is_fitted:
            return self.fit_chunks(X)
        return (chunk.counts for chunk in self.count_chunks(X))

    def count_chunks(self, X: Any) -> Iterator[ChunkCounts]:
        """The counts of texts, a chunk of documents at a time."""
        for chunk in text_chunks(X):
            counts = self._checked(self.vectorizer.transform(chunk.to_list()))
            yield ChunkCounts(counts, np.asarray(counts.sum(axis=1, dtype=np.int64)).ravel())

    def transform(self, X: Any) -> sparse.csr_array:
        """The counts of texts."""
        words = len(self.get_feature_names_out())
        return stacked((chunk.counts for chunk in self.count_chunks(X)), words)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The words in the order of their columns."""
        return np.asarray(self.vectorizer.get_feature_names_out(), dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Its own."""
        params: dict[str, Any] = self.vectorizer.get_params(deep)
        return params

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Word -> column."""
        return {str(word): column for column, word in enumerate(self.get_feature_names_out())}

    def settings(self) -> NoReturn:
        """There are none that a model could be stored with."""
        raise InvalidInput(
            "a model must have a vectorizer of undertow to be saved or to make an index, got "
            f"{self.vectorizer!r:.60}: give its options to TopicModel instead, such as stop_words "
            "and ngram_range, and fit again"
        )

    def _analyzer(self) -> NoReturn:
        raise InvalidInput(
            "a model must have a vectorizer of undertow to find words in a text again, got "
            f"{self.vectorizer!r:.60}"
        )

    def _columns(self) -> dict[str, int]:
        return self.vocabulary_

    def _segmenters(self) -> tuple[str, ...]:
        return ()

    def _checked(self, counts: Any) -> sparse.csr_array:
        rows = sparse.csr_array(counts)
        odd = rows.data[(rows.data < 0) | (rows.data != np.floor(rows.data))]
        if len(odd):
            raise InvalidInput(
                f"vectorizer must give counts, whole numbers of at least 0, got {odd[0]} from "
                f"{self.vectorizer!r:.60}"
            )
        return rows.astype(np.int32)


def _watched(X: Any, watch: Callable[[int], object] | None) -> Iterator[list[Any]]:
    for chunk in text_chunks(X):
        if watch is not None:
            watch(len(chunk))
        yield chunk.to_list()
