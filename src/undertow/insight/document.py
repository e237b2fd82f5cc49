"""One document: the topics that are on in it, and what each occurrence of a word in its text added to a topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from undertow.estimators.topics import TopicStrength
from undertow.insight.topics import checked_topic

if TYPE_CHECKING:
    from undertow.estimators import TopicModel


@dataclass(frozen=True)
class Span:
    """An occurrence of a word: `text[start:end]`, the word of the vocabulary that it counts as, and what it added to
    the topic's input (less than 0 where it pushed the topic down).
    """

    start: int
    end: int
    word: str
    part: float


@dataclass(frozen=True)
class DocumentView:
    """A text under one topic.

    `topics` are those that are on, strongest first. `spans` are in the order of the text (n-grams may overlap), and
    their parts sum to `total`, the input of the topic `topic`: the sum of the row of `TopicModel.attribute`. `strength`
    is P(topic on | text).
    """

    topics: list[TopicStrength]
    topic: int
    total: float
    spans: list[Span]


def topics_in(model: TopicModel, text: str) -> list[TopicStrength]:
    """The topics that a text switches on, strongest first."""
    return list(model.document_topics([text])[0].topics)


def spans(model: TopicModel, text: str, topic: int) -> list[Span]:
    """Where the text moved a topic, and by how much: every occurrence of a word that the model knows."""
    checked_topic(model, topic)
    return []


def document_view(model: TopicModel, text: str, topic: int | None = None) -> DocumentView:
    """A text under a topic; None for its strongest, or topic 0 where none is on."""
    on = topics_in(model, text)
    chosen = (on[0].id if on else 0) if topic is None else checked_topic(model, topic)
    found = spans(model, text, chosen)
    return DocumentView(on, chosen, float(model.attribute([text], chosen).sum()), found)
