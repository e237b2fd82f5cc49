"""Text in, counts out: readers of corpora of any size, and the vectorizer that counts their words inside polars."""

from undertow.corpus.corpus import Corpus
from undertow.corpus.occurrences import Occurrence, occurrences
from undertow.corpus.readers import open_corpus
from undertow.corpus.texts import as_corpus
from undertow.corpus.vectorizer import ChunkCounts, Coverage, Vectorizer

__all__ = [
    "ChunkCounts",
    "Corpus",
    "Coverage",
    "Occurrence",
    "Vectorizer",
    "as_corpus",
    "occurrences",
    "open_corpus",
]
