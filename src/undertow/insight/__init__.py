"""What can be said about a model and its documents, as plain values, arrays and tables: no figures,
no pages.

`overview_of_index` looks at a whole collection, `document_view` at the letters of one document,
`similar_topics` at topics; `topic_table` and `document_topic_table` are for taking away. Plots,
reports and the explorer are made of these.

Examples
--------
>>> import undertow
>>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
>>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
>>> texts = (space + food) * 20
>>> model = undertow.TopicModel(16, stop_words="english", max_epochs=5, random_state=0).fit(texts)
>>> undertow.insight.topic_table(model, 2).columns
['id', 'name', 'parent', 'documents', 'share', 'words', 'phrases', 'coherence']
"""

from undertow.insight.document import DocumentView, Span, document_view, spans, topics_in
from undertow.insight.over_time import TopicsOverTime
from undertow.insight.overview import (
    Overview,
    overview_of_index,
    overview_of_texts,
    stored_overview,
)
from undertow.insight.pyldavis import pyldavis_input
from undertow.insight.tables import (
    document_topic_table,
    document_topic_tables,
    topic_info,
    topic_table,
)
from undertow.insight.topics import SimilarTopic, similar_topics, topic_similarity

__all__ = [
    "DocumentView",
    "Overview",
    "SimilarTopic",
    "Span",
    "TopicsOverTime",
    "document_topic_table",
    "document_topic_tables",
    "document_view",
    "overview_of_index",
    "overview_of_texts",
    "pyldavis_input",
    "similar_topics",
    "spans",
    "stored_overview",
    "topic_info",
    "topic_similarity",
    "topic_table",
    "topics_in",
]
