"""What can be said about a model and its documents, as plain values and arrays: no figures, no pages.

`overview_of_index` looks at a whole collection, `spans` at the letters of one document, `similar_topics` at topics.
Plots, reports and the explorer are made of these.
"""

from undertow.insight.document import DocumentView, Span, document_view, spans, topics_in
from undertow.insight.over_time import TopicsOverTime
from undertow.insight.overview import Overview, overview_of_index, overview_of_texts, stored_overview
from undertow.insight.pyldavis import pyldavis_input
from undertow.insight.topics import SimilarTopic, similar_topics, topic_names, topic_similarity

__all__ = [
    "DocumentView",
    "Overview",
    "SimilarTopic",
    "Span",
    "TopicsOverTime",
    "document_view",
    "overview_of_index",
    "overview_of_texts",
    "pyldavis_input",
    "similar_topics",
    "spans",
    "stored_overview",
    "topic_names",
    "topic_similarity",
    "topics_in",
]
