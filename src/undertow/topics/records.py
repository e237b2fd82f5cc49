"""Topics as people read them: small records, made of regions of document vectors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TopicWord:
    """A word of a topic. `salience` ranks it; `share` is the share of the topic's documents that
    hold it.
    """

    word: str
    salience: float
    share: float


@dataclass(frozen=True)
class TypicalDocument:
    """A document in the middle of a topic. `sentence` is the one of its sentences that shows the
    topic best.
    """

    id: str
    title: str
    sentence: str


@dataclass(frozen=True)
class UnitOfTopic:
    """A hidden unit behind a topic: how strong it is in the topic's documents, beyond what it is in
    all.
    """

    id: int
    strength: float


@dataclass(frozen=True)
class Topic:
    """A region of document vectors: a node of the topic tree.

    `id` stays the same in every cut that the topic survives, in files, and after `partial_fit`.
    `parent` is None for a topic right below the root, and `children` is empty for the smallest
    ones. `phrases` are pairs of words that often stand together. `coherence` is the mean NPMI of
    the first ten words over the documents looked at.
    """

    id: int
    name: str
    words: tuple[TopicWord, ...]
    phrases: tuple[TopicWord, ...]
    documents: int
    share: float
    typical: tuple[TypicalDocument, ...]
    coherence: float
    units: tuple[UnitOfTopic, ...]
    parent: int | None
    children: tuple[int, ...]


@dataclass(frozen=True)
class Branch:
    """A topic with the finer ones in it, for showing a tree; the last level is that of the cut."""

    topic: Topic
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class TopicShare:
    """How much of a document is about a topic, from 0 to 1."""

    id: int
    name: str
    share: float


@dataclass(frozen=True)
class DocumentTopics:
    """The topics of a document, the largest share first; shares add to at most 1, the rest is none
    of them.
    """

    topics: tuple[TopicShare, ...]

    @property
    def none(self) -> float:
        """The share that belongs to no topic."""
        return max(1.0 - sum(topic.share for topic in self.topics), 0.0)

    def __str__(self) -> str:
        return ", ".join(f"{topic.name} ({topic.share:.2f})" for topic in self.topics) or "none"


@dataclass(frozen=True)
class Change:
    """How a topic's share of documents changed from those before to the new ones."""

    id: int
    name: str
    before: float
    after: float


@dataclass(frozen=True)
class Drift:
    """What `partial_fit` found in new documents, beside all that came before: topics of the model's
    own cut.

    `appeared` are topics that did not exist; `grew` and `faded` are those whose share changed by
    more than chance explains (three standard errors) and by a quarter at least, the largest change
    first.
    """

    documents: int
    appeared: tuple[Change, ...]
    grew: tuple[Change, ...]
    faded: tuple[Change, ...]

    def __str__(self) -> str:
        parts = [
            f"{what}: "
            + ", ".join(f"{one.name} ({one.before:.1%} to {one.after:.1%})" for one in changes)
            for what, changes in (
                ("appeared", self.appeared),
                ("grew", self.grew),
                ("faded", self.faded),
            )
            if changes
        ]
        return "; ".join(parts) or "no topic changed by more than chance"
