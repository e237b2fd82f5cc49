"""Text in, counts out: readers of corpora of any size, and the vectorizer that counts their words
inside polars.

Examples
--------
>>> import polars as pl
>>> import undertow
>>> texts = ["A rocket flew to the moon.", "The moon and its orbit", "ripe apples and pears"]
>>> table = pl.DataFrame({"text": texts, "split": ["train", "test", "train"], "stars": [5, 3, 4]})
>>> table.write_parquet("posts.parquet")
>>> vectorizer = undertow.Vectorizer(stop_words="english").fit(texts)
>>> bags = [[(0, 2), (1, 1)], [(2, 1)]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.corpus._occurrences import Occurrence, occurrences
    from undertow.corpus.bags import gensim_counts, gensim_tokens
    from undertow.corpus.corpus import Corpus
    from undertow.corpus.coverage import ChunkCounts, Coverage
    from undertow.corpus.readers import open_corpus
    from undertow.corpus.texts import as_corpus
    from undertow.corpus.vectorizer import Vectorizer

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.corpus.bags": ("gensim_counts", "gensim_tokens"),
        "undertow.corpus.corpus": ("Corpus",),
        "undertow.corpus._occurrences": ("Occurrence", "occurrences"),
        "undertow.corpus.readers": ("open_corpus",),
        "undertow.corpus.texts": ("as_corpus",),
        "undertow.corpus.coverage": ("ChunkCounts", "Coverage"),
        "undertow.corpus.vectorizer": ("Vectorizer",),
    },
)

__all__ = [
    "ChunkCounts",
    "Corpus",
    "Coverage",
    "Occurrence",
    "Vectorizer",
    "as_corpus",
    "gensim_counts",
    "gensim_tokens",
    "occurrences",
    "open_corpus",
]
