"""Tables to take away: the topics of a cut, and the topics of documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from undertow.estimators.topic_parts import checked_vectors

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

TOPICS: dict[str, pl.DataType | type[pl.DataType]] = {
    "id": pl.Int64,
    "name": pl.String,
    "parent": pl.Int64,
    "documents": pl.Int64,
    "share": pl.Float64,
    "words": pl.List(pl.String),
    "phrases": pl.List(pl.String),
    "coherence": pl.Float64,
}
DOCUMENTS = {"id": pl.String, "topic": pl.Int64, "name": pl.String, "share": pl.Float32}


def topic_table(model: TopicModel, n: int | None = None, *, n_words: int = 10) -> pl.DataFrame:
    """A row for each topic of a cut, the widest first.

    Columns: id, name, parent (null right below the root), documents and share of the training
    corpus, words and phrases (lists, the most salient first), coherence.
    """
    rows = [
        {
            "id": topic.id,
            "name": topic.name,
            "parent": topic.parent,
            "documents": topic.documents,
            "share": topic.share,
            "words": [word.word for word in topic.words],
            "phrases": [phrase.word for phrase in topic.phrases],
            "coherence": topic.coherence,
        }
        for topic in model.topics(n, n_words=n_words)
    ]
    return pl.DataFrame(rows, schema=TOPICS)


def document_topic_table(
    model: TopicModel, corpus: Any, n: int | None = None, *, vectors: Any = None
) -> pl.DataFrame:
    """A row for each document and each topic of a cut that it is about: id, topic (its id), name,
    share.

    Documents keep their order, and the largest share comes first; a document that is far from all
    topics has no row. The corpus is a `Corpus` or anything that `TopicModel.fit` takes, with
    `vectors` where the model was fitted so.
    """
    empty = pl.DataFrame(schema=DOCUMENTS)
    return pl.concat([empty, *document_topic_tables(model, corpus, n, vectors=vectors)])


def document_topic_tables(
    model: TopicModel, corpus: Any, n: int | None = None, *, vectors: Any = None
) -> Iterator[pl.DataFrame]:
    """The same in parts, for a corpus whose table is too large to hold."""
    from undertow.corpus import as_corpus

    names = model.topic_names(n)
    ids, written = (
        np.array(list(names), dtype=np.int64),
        pl.Series(list(names.values()), dtype=pl.String),
    )
    others, first = checked_vectors(model, vectors), 0
    for chunk in as_corpus(corpus).chunks():
        part = None if others is None else others.part(first, first + chunk.height)
        first += chunk.height
        shares = model.transform_topics(chunk["text"], n, vectors=part)
        rows, topics = np.nonzero(shares)
        order = np.lexsort((-shares[rows, topics], rows))
        rows, topics = rows[order], topics[order]
        columns = {
            "id": chunk["id"].gather(rows),
            "topic": ids[topics],
            "name": written.gather(topics),
            "share": shares[rows, topics],
        }
        yield pl.DataFrame(columns, schema=DOCUMENTS)
    if others is not None:
        others.check_documents(first)
