"""Topics as people read them: small records, made of regions of document vectors."""

from __future__ import annotations

from dataclasses import dataclass

from undertow._html import CELL, NUMBER, block, bold, line, quiet, table, topic_words


@dataclass(frozen=True)
class TopicWord:
    """A word of a topic. `salience` ranks it; `share` is the share of the topic's documents that
    hold it.

    Examples
    --------
    >>> word = topic.words[0]
    >>> 0 < word.share <= 1
    True
    """

    word: str
    salience: float
    share: float


@dataclass(frozen=True)
class TypicalDocument:
    """A document in the middle of a topic. `sentence` is the one of its sentences that shows the
    topic best.

    Examples
    --------
    >>> topic.typical[0].sentence in texts
    True
    """

    id: str
    title: str
    sentence: str


@dataclass(frozen=True)
class UnitOfTopic:
    """A hidden unit behind a topic: how strong it is in the topic's documents, beyond what it is in
    all.

    Examples
    --------
    >>> all(unit.strength > 0 for unit in topic.units)
    True
    """

    id: int
    strength: float


@dataclass(frozen=True)
class Topic:
    """A region of document vectors: a node of the topic tree.

    Attributes
    ----------
    id : int
        Stays the same in every cut that the topic survives, in files, and after `partial_fit`.
    name : str
        One that was given, or two to four words.
    words, phrases : tuples of TopicWord
        The most salient first; phrases are pairs of words that often stand together.
    documents, share : int, float
        How many documents of the corpus lie in it.
    typical : tuple of TypicalDocument
        Documents in its middle.
    coherence : float
        The mean NPMI of the first ten words over the documents looked at.
    units : tuple of UnitOfTopic
        The hidden units behind it.
    parent : int or None
        The topic that it lies in; None right below the root.
    children : tuple of int
        Its parts; empty for the smallest topics.

    Examples
    --------
    >>> topic = model.topics(2)[0]
    >>> topic.documents, topic.share
    (60, 0.5)
    >>> sorted(word.word for word in topic.words[:2])  # doctest: +SKIP
    ['moon', 'orbit']
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

    def _repr_html_(self) -> str:
        told = f"{self.documents:,} documents, {self.share:.1%} · topic {self.id}"
        words = topic_words([(one.word, one.salience, one.share) for one in self.words])
        phrases = ", ".join(one.word for one in self.phrases)
        typical = "".join(line(quiet(f"“{one.sentence}” {one.id}")) for one in self.typical)
        together = line(quiet(f"Words that stand together: {phrases}")) if phrases else ""
        return block(line(bold(self.name), quiet(told)), line(words), together, typical)


@dataclass(frozen=True)
class Branch:
    """A topic with the finer ones in it, for showing a tree; the last level is that of the cut.

    Examples
    --------
    >>> branches = model.topic_tree(4)
    >>> sum(branch.topic.documents for branch in branches)
    120
    """

    topic: Topic
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class TopicShare:
    """How much of a document is about a topic, from 0 to 1.

    Examples
    --------
    >>> found = model.document_topics(["a rocket in orbit"], n=2)[0].topics[0]
    >>> 0 < found.share <= 1
    True
    """

    id: int
    name: str
    share: float


@dataclass(frozen=True)
class DocumentTopics:
    """The topics of a document, the largest share first; shares add to at most 1, the rest is none
    of them.

    Examples
    --------
    >>> found = model.document_topics(["a rocket in orbit", "zebras"], n=2)
    >>> found[1].topics, found[1].none, str(found[1])
    ((), 1.0, 'none')
    """

    topics: tuple[TopicShare, ...]

    @property
    def none(self) -> float:
        """The share that belongs to no topic."""
        return max(1.0 - sum(topic.share for topic in self.topics), 0.0)

    def _repr_html_(self) -> str:
        rows = [(f"{topic.share:.0%}", bold(topic.name)) for topic in self.topics]
        rows += [(f"{self.none:.0%}", quiet("none"))] if self.none >= 0.005 else []
        return block(table([("share", NUMBER), ("topic", CELL)], rows))

    def __str__(self) -> str:
        return ", ".join(f"{topic.name} ({topic.share:.2f})" for topic in self.topics) or "none"


@dataclass(frozen=True)
class Change:
    """How a topic's share of documents changed from those before to the new ones.

    Examples
    --------
    >>> from undertow.topics import Change
    >>> Change(7, "moon, orbit", before=0.1, after=0.25).after
    0.25
    """

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

    Examples
    --------
    >>> drift = model.partial_fit(space * 20).drift_
    >>> drift.documents
    60
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
