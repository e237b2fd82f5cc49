"""How a vectorizer counts: chunks of texts to types, from which words are chosen, and to counts of
the words that it has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from undertow import _check
from undertow._errors import InvalidInput
from undertow.corpus import scripts, segmentation, stop_words, vectorizer_options
from undertow.corpus._vocabulary import TypeCounts, choose, columns_of, numbered_words
from undertow.corpus._work_ahead import ahead, threads
from undertow.corpus.analyzer import Analyzer
from undertow.corpus.chunk_store import ChunkStore, Recall
from undertow.corpus.count_matrices import PackedCounts, summed
from undertow.corpus.coverage import ChunkCounts
from undertow.corpus.texts import text_chunks
from undertow.counts import WordTotals

logger = logging.getLogger("undertow")


class Counting:
    """The counting behind `Vectorizer`, by its options, and what it has learned of texts."""

    vocabulary_size: int | None
    stop_words: str | Iterable[str] | None
    stemmer: str | None
    segmenter: str | Iterable[str] | None
    min_df: float
    max_df: float
    token_pattern: str
    chunk_size: int
    vocabulary: Mapping[str, int] | Iterable[str] | None
    max_types: int
    n_jobs: int | None
    get_params: Callable[..., dict[str, Any]]  # scikit-learn's

    vocabulary_: dict[str, int]
    segmenter_: tuple[str, ...]
    tokens_: bool
    type_counts_: pl.DataFrame
    n_documents_: int
    pruned_: int

    def _forget(self) -> None:
        """Begins anew, with the options checked before anything is read."""
        for decided in ("segmenter_", "tokens_"):
            self.__dict__.pop(decided, None)
        self._analyzer(), self._rows(), threads(self.n_jobs)
        vectorizer_options.vocabulary_size(self.vocabulary_size)
        vectorizer_options.check_limits(self.min_df, self.max_df)
        self.vocabulary_ = (
            {} if self.vocabulary is None else vectorizer_options.fixed_vocabulary(self.vocabulary)
        )
        if self.vocabulary is not None or self.segmenter != "auto":
            self.segmenter_ = self._segmenters()
        self.type_counts_ = TypeCounts(1).frame()
        self.n_documents_ = 0
        self.pruned_ = 0

    def _count(
        self, X: Any, kept: ChunkStore | None = None, watch: Callable[[int], object] | None = None
    ) -> None:
        """Counts types on top of those seen before, and extends the vocabulary; `kept` collects
        counts by chunk.
        """
        if not self.n_documents_ and stop_words.do_not_fit(self.stop_words, self.stemmer):
            logger.warning(
                "stop words are %s, but words are stemmed as %s", self.stop_words, self.stemmer
            )
        self._count_types(X, kept, watch)
        self._choose()

    def _count_types(
        self, X: Any, kept: ChunkStore | None = None, watch: Callable[[int], object] | None = None
    ) -> None:
        chunks = self._decided_by(text_chunks(X, self._rows()))
        analyzer = self._analyzer()
        max_types = _check.whole_number("max_types", self.max_types, at_least=1)
        seen = TypeCounts(max_types, self.type_counts_, self.pruned_)
        documents = self.n_documents_

        def count(texts: pl.Series) -> list[tuple[PackedCounts, WordTotals]]:
            found = [(terms.types, terms.counts()) for terms in analyzer.terms(texts)]
            return [
                (PackedCounts.of(types, counts), WordTotals.of(counts)) for types, counts in found
            ]

        for parts in ahead(count, chunks, threads(self.n_jobs)):
            documents += parts[0][0].documents
            for packed, totals in parts:
                seen.add(packed.types, totals.tokens, totals.document_frequencies)
            if kept is not None:
                kept.add([packed for packed, _ in parts])
            if watch is not None:
                watch(parts[0][0].documents)
        self.type_counts_, self.n_documents_, self.pruned_ = seen.frame(), documents, seen.pruned

    def _choose(self) -> None:
        """Takes words into the vocabulary, among the types counted."""
        least, most = vectorizer_options.document_limits(
            self.min_df, self.max_df, self.n_documents_
        )
        size = vectorizer_options.vocabulary_size(self.vocabulary_size)
        room = None if size is None else max(size - len(self.vocabulary_), 0)
        new = choose(self.type_counts_, limit=room, least=least, most=most, known=self.vocabulary_)
        self.vocabulary_ = self.vocabulary_ | {
            word: len(self.vocabulary_) + i for i, word in enumerate(new)
        }

    def _require_words(self) -> None:
        if self.vocabulary_:
            return
        if not self.type_counts_.height:
            raise InvalidInput(
                f"texts must hold a token, got none in {self.n_documents_:,} documents"
            )
        raise InvalidInput(
            f"min_df and max_df must leave a word, got {self.min_df!r} and {self.max_df!r}, which "
            f"leave none of {self.type_counts_.height:,}"
        )

    def _grown_chunks(
        self, X: Any, kept: ChunkStore | None, watch: Callable[[int], object] | None
    ) -> Generator[sparse.csr_array]:
        """Takes the words of X into the vocabulary, then counts them."""
        kept = ChunkStore() if kept is None else kept
        self._count(X, kept, watch)
        self._require_words()
        return self._selected_chunks(kept)

    def _selected_chunks(self, kept: ChunkStore) -> Generator[sparse.csr_array]:
        """The counts of the vocabulary, of chunks whose words were all counted."""
        words = numbered_words(self.vocabulary_)

        def select(recall: Recall) -> sparse.csr_array:
            return summed([part.selected(words) for part in recall()])

        return ahead(select, kept.recalls(), threads(self.n_jobs))

    def _fixed_chunks(
        self, X: Any, watch: Callable[[int], object] | None
    ) -> Generator[sparse.csr_array]:
        for chunk in self._counted(self._seen(text_chunks(X, self._rows()))):
            if watch is not None:
                watch(len(chunk.terms))
            yield chunk.counts

    def _counted(self, chunks: Iterator[pl.Series]) -> Iterator[ChunkCounts]:
        analyzer, words = self._analyzer(), numbered_words(self._columns())

        def count(texts: pl.Series) -> ChunkCounts:
            parts, lengths = [], np.zeros(len(texts), dtype=np.int64)
            for terms in analyzer.terms(texts):
                lengths += np.diff(terms.starts)
                parts.append(terms.known(columns_of(terms.types, words), words.height))
            return ChunkCounts(summed(parts), lengths)

        return ahead(count, chunks, threads(self.n_jobs))

    def _decided_by(self, chunks: Iterator[pl.Series]) -> Iterator[pl.Series]:
        """The chunks; where it is open what segments them, the first of them decide that."""
        chunks = self._seen(chunks)
        if self._of_tokens:
            self.segmenter_ = ()
        if hasattr(self, "segmenter_") or not vectorizer_options.takes_runs(self.token_pattern):
            return chunks
        look, chunks = scripts.look_at_first(chunks)
        if look.documents:
            self.segmenter_, remarks = segmentation.decided(look.languages())
            for remark in remarks:
                logger.warning(remark)
        return scripts.watched(chunks, look.languages())

    def _seen(self, chunks: Iterator[pl.Series]) -> Iterator[pl.Series]:
        """The chunks; the first of all says whether documents are lists of tokens."""
        first = next(chunks, None)
        if first is None:
            return iter(())
        if not hasattr(self, "tokens_"):
            self.tokens_ = isinstance(first.dtype, pl.List)
        return chain([first], chunks)

    def _columns(self) -> dict[str, int]:
        """Word -> column, of what was learned or of a fixed vocabulary, which needs no fitting."""
        if self.vocabulary is not None and not hasattr(self, "vocabulary_"):
            return vectorizer_options.fixed_vocabulary(self.vocabulary)
        check_is_fitted(self, "vocabulary_")
        return self.vocabulary_

    def _analyzer(self) -> Analyzer:
        decided = {"segmenter": self._segmenters() or None, "tokens": self._of_tokens}
        return vectorizer_options.analyzer({**self.get_params(deep=False), **decided})

    def _segmenters(self) -> tuple[str, ...]:
        """Those decided on, or told; those that a fixed vocabulary is in need of, before any text
        is seen.
        """
        if self._of_tokens:
            return ()
        if hasattr(self, "segmenter_"):
            return self.segmenter_
        told = vectorizer_options.segmenters(self.segmenter)
        if (
            told is not None
            or self.vocabulary is None
            or not vectorizer_options.takes_runs(self.token_pattern)
        ):
            return told or ()
        words = pl.Series(
            list(vectorizer_options.fixed_vocabulary(self.vocabulary)), dtype=pl.String
        )
        return segmentation.decided(scripts.look_at_first([words])[0].languages())[0]

    @property
    def _of_tokens(self) -> bool:
        return getattr(self, "tokens_", False)

    def _rows(self) -> int:
        return _check.whole_number("chunk_size", self.chunk_size, at_least=1)
