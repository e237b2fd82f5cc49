"""Counting a corpus in parts, elsewhere and at the same time, with the words of the whole.

What is decided by the first texts is decided before (`prepared`); each part is counted by itself
(`counted`); and what was counted is put together (`merged`). The vocabulary is then that of one
vectorizer that read all, in the same order, unless so many types had to be dropped that counts are
not exact (`Vectorizer.pruned_`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any

import polars as pl
from scipy import sparse
from sklearn.base import clone

from undertow.corpus._vocabulary import TypeCounts
from undertow.corpus.chunk_store import ChunkStore
from undertow.corpus.texts import text_chunks
from undertow.corpus.vectorizer import Vectorizer


@dataclass(frozen=True)
class CountedTypes:
    """The types of a part of a corpus: columns word, count and documents; how many documents there
    are; and `Vectorizer.pruned_`.
    """

    types: pl.DataFrame
    documents: int
    pruned: int


def prepared(vectorizer: Vectorizer, texts: Any) -> Vectorizer:
    """A copy with the same options, checked, which knows what the first texts of all decide."""
    new: Vectorizer = clone(vectorizer)
    new._forget()
    chunks = text_chunks(texts, new._rows())
    deciding = new._decided_by(chunks) if new.vocabulary is None else new._seen(chunks)
    next(iter(deciding), None)
    return new


def counted(
    vectorizer: Vectorizer,
    texts: Any,
    kept: ChunkStore | None = None,
    watch: Callable[[int], object] | None = None,
) -> CountedTypes:
    """The types of a part, by a prepared vectorizer; `kept` collects its counts by chunk."""
    own = copy(vectorizer)
    own._count_types(texts, kept, watch)
    return CountedTypes(own.type_counts_, own.n_documents_, own.pruned_)


def merged(vectorizer: Vectorizer, parts: Iterable[CountedTypes]) -> Vectorizer:
    """A copy of a prepared vectorizer, fitted on the parts together.

    No more than about `max_types` types are held at a time, and those of one part.
    """
    new = copy(vectorizer)
    seen, documents = TypeCounts(new.max_types), 0
    for part in parts:
        types = part.types
        seen.add(types["word"], types["count"].to_numpy(), types["documents"].to_numpy())
        seen.pruned += part.pruned
        documents += part.documents
    new.type_counts_, new.n_documents_, new.pruned_ = seen.frame(), documents, seen.pruned
    new._choose()
    new._require_words()
    return new


def selected(vectorizer: Vectorizer, kept: ChunkStore) -> Generator[sparse.csr_array]:
    """The counts of a part that `counted` kept, with the words of the whole, in chunks; they are
    given once.
    """
    return vectorizer._selected_chunks(kept)
