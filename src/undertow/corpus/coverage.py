"""What a vectorizer says beside counts: how many terms there were, and how many it knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from undertow.corpus._vocabulary import TypeCounts, columns_of, numbered_words
from undertow.corpus.analyzer import Analyzer

UNKNOWN_SHOWN = 10


@dataclass(frozen=True)
class ChunkCounts:
    """The counts of a chunk of documents, and how many terms each held, known or not.

    Examples
    --------
    >>> chunk = next(vectorizer.count_chunks(["rocket rocket zebra"]))
    >>> chunk.terms, chunk.unknown
    (array([3]), array([1]))
    """

    counts: sparse.csr_array  # (B, K)
    terms: NDArray[np.int64]  # (B,)

    @property
    def unknown(self) -> NDArray[np.int64]:
        """(B,) How many terms of each document the vocabulary does not have."""
        known: NDArray[np.int64] = (
            self.terms - np.asarray(self.counts.sum(axis=1, dtype=np.int64)).ravel()
        )
        return known


@dataclass(frozen=True)
class Coverage:
    """What a vocabulary knows of a corpus. Stop words are not counted: they are left out before.

    Examples
    --------
    >>> found = vectorizer.coverage(["a rocket", "a zebra"])
    >>> found.unknown_words, found.unknown_share
    ((('zebra', 1),), 0.5)
    """

    documents: int
    empty_documents: int  # without any term that is known
    tokens: int  # terms: tokens, or n-grams where these are counted
    unknown_tokens: int
    unknown_words: tuple[tuple[str, int], ...]  # the most frequent unknown ones, with their counts

    @property
    def unknown_share(self) -> float:
        """The share of unknown terms among all; 0 where there are none."""
        return self.unknown_tokens / max(self.tokens, 1)


def coverage_of(
    chunks: Iterable[pl.Series], analyzer: Analyzer, vocabulary: dict[str, int], max_types: int
) -> Coverage:
    """How much of these texts a vocabulary knows; so many unknown words are held meanwhile."""
    words, unknown = numbered_words(vocabulary), TypeCounts(max_types)
    documents = empty = tokens = missed = 0
    for texts in chunks:
        known = np.zeros(len(texts), dtype=np.int64)
        for terms in analyzer.terms(texts):
            columns = columns_of(terms.types, words)
            counts = np.bincount(terms.codes, minlength=len(columns)) * (columns < 0)
            unknown.add(terms.types, counts, counts)
            known += terms.known_terms(columns)
            tokens, missed = tokens + len(terms.codes), missed + int(counts.sum())
        documents, empty = documents + len(texts), empty + int((known == 0).sum())
    most = unknown.frame().sort("count", "word", descending=[True, False]).head(UNKNOWN_SHOWN)
    return Coverage(
        documents, empty, tokens, missed, tuple(most.select("word", "count").iter_rows())
    )
