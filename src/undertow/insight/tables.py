"""Tables to take away: the topics of a cut, and the topics of documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from undertow.estimators.topic_parts import checked_vectors
from undertow.vectors.given import part_of

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
INFO: dict[str, pl.DataType | type[pl.DataType]] = {
    "Topic": pl.Int64,
    "Count": pl.Int64,
    "Name": pl.String,
    "Representation": pl.List(pl.String),
    "Representative_Docs": pl.List(pl.String),
    "Id": pl.Int64,
}
DOCUMENTS = {"id": pl.String, "topic": pl.Int64, "name": pl.String, "share": pl.Float32}


def topic_table(model: TopicModel, n: int | None = None, *, n_words: int = 10) -> pl.DataFrame:
    """The topics of a cut as a table.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    n : int or None
        How many topics; None for the model's own number.
    n_words : int
        Words of each.

    Returns
    -------
    polars.DataFrame
        A row for each topic, the widest first: id, name, parent (null right below the root),
        documents and share of the training corpus, words and phrases (lists, the most salient
        first), coherence.

    Examples
    --------
    >>> table = undertow.insight.topic_table(model, 2)
    >>> table.height, table["documents"].sum()
    (2, 120)
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


def topic_info(model: TopicModel, n: int | None = None) -> pl.DataFrame:
    """The topics of a cut under the names of BERTopic's `get_topic_info`, for programs made for it.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    n : int or None
        How many topics; None for the model's own number.

    Returns
    -------
    polars.DataFrame
        A row for each topic, the widest first: Topic (0, 1, ... by size), Count, Name (as
        0_word_word), Representation (words), Representative_Docs (a sentence of each typical
        document), and Id, the topic's id here. There is no topic -1 of outliers.

    Examples
    --------
    >>> undertow.insight.topic_info(model, 2)["Count"].to_list()
    [60, 60]
    """
    rows = [
        {
            "Topic": place,
            "Count": topic.documents,
            "Name": "_".join([str(place), *(word.word for word in topic.words[:4])]),
            "Representation": [word.word for word in topic.words],
            "Representative_Docs": [document.sentence for document in topic.typical],
            "Id": topic.id,
        }
        for place, topic in enumerate(model.topics(n))
    ]
    return pl.DataFrame(rows, schema=INFO)


def document_topic_table(
    model: TopicModel, corpus: Any, n: int | None = None, *, vectors: Any = None
) -> pl.DataFrame:
    """What each document is about, as a table.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    corpus : texts, table or Corpus
        Anything that `TopicModel.fit` takes.
    n : int or None
        How many topics; None for the model's own number.
    vectors : array-like or None
        Those of another encoder, where the model was fitted so.

    Returns
    -------
    polars.DataFrame
        A row for each document and each topic that it is about: id, topic (its id), name, share.
        Documents keep their order, and the largest share comes first. A document that is far from
        all topics has no row.

    Examples
    --------
    >>> undertow.insight.document_topic_table(model, texts, 2).columns
    ['id', 'topic', 'name', 'share']
    """
    empty = pl.DataFrame(schema=DOCUMENTS)
    return pl.concat([empty, *document_topic_tables(model, corpus, n, vectors=vectors)])


def document_topic_tables(
    model: TopicModel, corpus: Any, n: int | None = None, *, vectors: Any = None
) -> Iterator[pl.DataFrame]:
    """`document_topic_table` in parts, for a corpus whose table is too large to hold.

    Parameters
    ----------
    model, corpus, n, vectors
        As in `document_topic_table`.

    Yields
    ------
    polars.DataFrame
        Tables of some documents each.

    Examples
    --------
    >>> parts = undertow.insight.document_topic_tables(model, texts, 2)
    >>> next(parts).columns
    ['id', 'topic', 'name', 'share']
    """
    from undertow.corpus import as_corpus

    names = model.topic_names(n)
    ids, written = (
        np.array(list(names), dtype=np.int64),
        pl.Series(list(names.values()), dtype=pl.String),
    )
    others, first = checked_vectors(model, vectors), 0
    for chunk in as_corpus(corpus, model.columns_).chunks():
        part = part_of(others, first, first + chunk.height)
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
