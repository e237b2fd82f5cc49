"""What is made of the documents for searching, beside the database: their full text, and their
vectors in bytes.

All of it follows from what the database holds, and is made again where it is missing or behind (see
`undertow.fulltext.segment_folder`). So a writer may die at any moment, and no two files can
contradict each other.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.fulltext import segment_folder
from undertow.fulltext.full_text import FullText
from undertow.fulltext.word_rule import WordRule
from undertow.search.database.matrices import matrix
from undertow.search.database.store import Rows, Store
from undertow.search.folder import byte_vectors
from undertow.search.folder.byte_vectors import ByteVectors

if TYPE_CHECKING:
    import polars as pl

    from undertow.fulltext.sketches import Sketches

AT_ONCE = 16_384  # texts


class DerivedFiles:
    """Full text and vectors of one version of the documents, opened when they are first asked
    for.
    """

    def __init__(
        self, store: Store, folder: Path, rule: WordRule, damaged: frozenset[str] = frozenset()
    ) -> None:
        self._store, self._folder, self._rule = store, folder, rule
        self._damaged = damaged  # names of files to be passed over
        self._opening = threading.RLock()
        self._questions = 0

    @property
    def text(self) -> FullText:
        """The full text."""
        with self._opening:
            return self._text

    @cached_property
    def _text(self) -> FullText:
        return segment_folder.open_text(
            self._folder, self._rule, self._store.row_numbers(), self._texts, self._damaged
        )

    def _texts(self, rows: Rows) -> Iterator[tuple[Rows, pl.Series]]:
        return texts(self._store, rows)

    @property
    def compiled(self) -> bool:
        """Whether kernels should be loaded: for one question that takes longer than it saves, for
        several it pays.
        """
        return self._questions > 1

    def asked(self) -> None:
        """Counts a question."""
        self._questions += 1

    def cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Of a vector with the document at each place, nearly."""
        with self._opening:
            parts = self._byte_vectors
        found, first = np.empty(len(self.text.rows), dtype=np.float32), 0
        for part in parts:
            part.cosines(vector, found[first : first + len(part.scales)], compiled=self.compiled)
            first += len(part.scales)
        return found

    @cached_property
    def _byte_vectors(self) -> list[ByteVectors]:
        widths, read = self._store.widths, lambda rows: vectors(self._store, rows)
        return [
            byte_vectors.read_or_make(file, part.rows, widths, read, self._damaged)
            for file, part in zip(self._text.files, self._text.segments, strict=True)
        ]


def word_rule(vectorizer: Mapping[str, Any]) -> WordRule:
    """How full text reads words, by the settings that a model stores of its vectorizer: stemmed,
    where the model's words are, and parted where the script has no spaces.
    """
    stemmer, names = vectorizer.get("stemmer"), vectorizer.get("segmenter")
    if not names:
        return WordRule(stemmer)
    from undertow.corpus.segmentation import Segmenter

    segmenter = Segmenter(tuple(names))
    return WordRule(
        stemmer, "+".join(names), lambda texts: [segmenter.spaced_text(text) for text in texts]
    )


def bring_up_to_date(
    store: Store,
    folder: Path,
    rule: WordRule,
    sketches: Sketches | None = None,
    *,
    whole: bool = False,
) -> None:
    """Makes what is missing and removes what is of no use; the caller holds the writer's lock.

    `sketches` are told of the documents that had been missing. With `whole`, nothing is kept that
    was made of documents that are gone.
    """
    rows, read = store.row_numbers(), lambda rows: texts(store, rows)
    segment_folder.bring_up_to_date(folder, rule, rows, read, sketches, whole=whole)
    segments = {
        file: segment.rows for file, segment in segment_folder.segments(folder, rule).items()
    }
    byte_vectors.bring_up_to_date(folder, segments, store.widths, lambda rows: vectors(store, rows))


def texts(store: Store, rows: Rows) -> Iterator[tuple[Rows, pl.Series]]:
    """The texts of rows, in their order, in pieces."""
    import polars as pl

    for first in range(0, len(rows), AT_ONCE):
        part = rows[first : first + AT_ONCE]
        yield part, pl.Series(store.taken(part, ["text"])["text"])


def vectors(store: Store, rows: Rows) -> NDArray[np.float32]:
    """Vectors as they are compared; 0 for documents without one, and for rows that are gone."""
    table = store.taken(rows, ["vector", "_rowid"])
    found = np.zeros((len(rows), store.units), dtype=np.float32)
    places = np.searchsorted(rows, table["_rowid"].to_numpy())
    found[places] = store.as_compared(
        np.nan_to_num(matrix(table["vector"].combine_chunks(), np.float32))
    )
    return found
