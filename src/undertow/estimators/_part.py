"""A part of a corpus, and what is done with it where it lies: counting, and answering questions
about its documents.

It is used by one process of many, but knows nothing of the others: documents are numbered from 0
within the part, and whoever leads says where the part begins in the whole.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow._errors import InvalidInput
from undertow.corpus import Corpus, Vectorizer
from undertow.corpus.chunk_store import ChunkStore
from undertow.corpus.parts import CountedTypes, counted, selected
from undertow.corpus.shards import seen_everywhere
from undertow.counts import CountSource, CsrSource, WordTotals
from undertow.estimators._documents import read_rows
from undertow.estimators._messages import PartFacts, Place
from undertow.estimators._reading import counts_of, gathered
from undertow.estimators.model_inputs import transformed_counts
from undertow.files.scratch import Scratch
from undertow.spool import CountSpool, SpooledSource
from undertow.topics import Atlas
from undertow.topics.drift import with_sizes
from undertow.topics.text_sample import LETTERS

if TYPE_CHECKING:
    from undertow.estimators.topic_model import TopicModel


class Part:
    """The documents of one worker.

    `close` removes what is in the scratch folder.
    """

    def __init__(
        self, corpus: Corpus, *, threads: int, memory_limit: int, scratch_folder: Any
    ) -> None:
        self._corpus, self._limit, self._threads = corpus, memory_limit, threads
        self._scratch = Scratch(scratch_folder)
        self._kept: ChunkStore | None = None
        self._types: CountedTypes | None = None

    # Counting

    def count(self, vectorizer: Vectorizer) -> tuple[int, int]:
        """Counts all types; documents, and how many types there are. The counts of documents are
        kept for `encode`.
        """
        self._kept = ChunkStore(self._limit, self._scratch)
        own = vectorizer.set_params(n_jobs=self._threads)
        with seen_everywhere(self._corpus):
            self._types = counted(own, self._corpus, self._kept)
        return self._types.documents, self._types.types.height

    def types(self) -> CountedTypes:
        """What `count` found, once."""
        types, self._types = self._types, None
        assert types is not None
        return types

    def encode(self, vectorizer: Vectorizer, count_transform: str | None) -> PartFacts:
        """The counts of the vocabulary, in memory while they are few, or in a spool."""
        vectorizer = vectorizer.set_params(n_jobs=self._threads)

        def transform(counts: sparse.csr_array) -> sparse.csr_array:
            return transformed_counts(counts, count_transform)

        with seen_everywhere(self._corpus):
            found = gathered(
                self._chunks(vectorizer),
                len(vectorizer.get_feature_names_out()),
                transform,
                at_most=self._limit,
                scratch=self._scratch,
                show=lambda work, documents: None,
            )
        self._kept = None
        self.counts = found if isinstance(found, CountSpool) else transform(found)
        if isinstance(self.counts, CountSpool):
            spool = self.counts
            return PartFacts(spool.totals, spool.entries, False, spool.bytes_on_disk)
        return PartFacts(WordTotals.of(self.counts), self.counts.nnz, True, 0)

    def _chunks(self, vectorizer: Vectorizer) -> Generator[sparse.csr_array]:
        if self._kept is None:
            return counts_of(vectorizer, self._corpus)
        return selected(vectorizer, self._kept)

    # Questions

    def rows(self, rows: NDArray[np.int64]) -> sparse.csr_array:
        """The counts of some documents, in order."""
        if isinstance(self.counts, CountSpool):
            return read_rows(self.counts, rows)
        return self.counts[rows].astype(np.int32)

    def texts(self, rows: NDArray[np.int64]) -> tuple[list[str], list[str]]:
        """Ids and beginnings of the texts of some documents, in order, read anew."""
        ids: list[str] = []
        texts: list[str] = []
        first, left = 0, rows
        for chunk in self._corpus.chunks():
            if not len(left):
                break
            inside = left[left < first + chunk.height] - first
            found = chunk[inside.tolist()] if len(inside) else chunk.clear()
            ids += found["id"].to_list()
            texts += found["text"].str.head(LETTERS).to_list()
            left, first = left[len(inside) :], first + chunk.height
        return ids, texts

    def leaf_sizes(
        self, asked: tuple[TopicModel, Atlas], others: NDArray[Any] | None
    ) -> NDArray[np.int64]:
        """How many documents of the part are in each leaf of a tree."""
        model, atlas = asked
        from undertow.vectors.given import GivenVectors

        model.softmax_.set_params(n_jobs=self._threads)
        given = None if others is None else GivenVectors(others)
        vectors = model._all_vectors(self._untransformed(model), given)
        return with_sizes(atlas, vectors, self._threads).sizes

    def _untransformed(self, model: TopicModel) -> sparse.csr_array | CountSpool:
        """Counts as `_all_vectors` takes them: it transforms those in memory itself, and these are
        transformed already.
        """
        if not isinstance(self.counts, CountSpool):
            model.softmax_.set_params(count_transform=None)
        return self.counts

    def source(self, place: Place, word_weights: NDArray[np.float64]) -> CountSource | None:
        """Minibatches of the documents to train on; None where there are none."""
        size = self._size
        inside = (place.left_out >= place.first) & (place.left_out < place.first + size)
        without = place.left_out[inside] - place.first
        try:
            if isinstance(self.counts, CountSpool):
                options: dict[str, Any] = {"left_out": without, "first_id": place.first}
                return SpooledSource(self.counts, word_weights, **options)
            if not place.renumbered:
                counts = emptied(self.counts, without)
                return CsrSource(counts, word_weights, first_id=place.first)
            kept = np.setdiff1d(np.arange(size), without, assume_unique=True)
            first = place.first - int(np.searchsorted(place.left_out, place.first))
            return CsrSource(self.counts[kept], word_weights, first_id=first)
        except InvalidInput:  # which says that no document is left: others may have some
            return None

    def source_facts(self, place: Place, word_weights: NDArray[np.float64]) -> tuple[int, int]:
        """How many documents there are to train on, and the tokens of the longest."""
        source = self.source(place, word_weights)
        return (0, 0) if source is None else (source.documents, source.longest)

    @property
    def _size(self) -> int:
        counts = self.counts
        return counts.documents if isinstance(counts, CountSpool) else int(counts.shape[0])

    def close(self) -> None:
        """Removes what is on disk."""
        self._scratch.__exit__(None, None, None)


def emptied(counts: sparse.csr_array, rows: NDArray[np.int64]) -> sparse.csr_array:
    """The same matrix, in which these rows have no words."""
    if not len(rows):
        return counts
    lengths = np.diff(counts.indptr)
    kept = np.ones(counts.shape[0], dtype=bool)
    kept[rows] = False
    entries = np.repeat(kept, lengths)
    starts = np.concatenate([[0], np.cumsum(np.where(kept, lengths, 0))])
    parts = (counts.data[entries], counts.indices[entries], starts.astype(counts.indptr.dtype))
    return sparse.csr_array(parts, shape=counts.shape)
