"""One document: its topics, and what each occurrence of a word in its text did to carry it into one
of them.

A document is near a topic as far as their vectors point the same way. That product is shared out to
the words of the text (`TopicModel.explain_topic` says how); the occurrences of a word count
together (a count v goes in as ceil(log(1 + v))), so each has an equal share of its part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow._html import CELL, NUMBER, block, bold, line, marked, quiet, table
from undertow.corpus import Occurrence, occurrences
from undertow.estimators.model_inputs import transformed_counts
from undertow.estimators.topic_parts import atlas_of, unit_vectors
from undertow.estimators.word_parts import word_parts
from undertow.topics import TopicShare

if TYPE_CHECKING:
    from undertow.estimators import TopicModel


@dataclass(frozen=True)
class Span:
    """An occurrence of a word: `text[start:end]`, the word of the vocabulary that it counts as, and
    its part in the product of the text's vector with the topic's direction.

    Examples
    --------
    >>> first = undertow.insight.spans(model, "A rocket!", model.topics(2)[0].id)[0]
    >>> first.start, first.end, first.word
    (2, 8, 'rocket')
    """

    start: int
    end: int
    word: str
    part: float


@dataclass(frozen=True)
class DocumentView:
    """A text under one topic.

    `topics` are those of a cut that the text is about, the largest share first; shares add to at
    most 1. `spans` are all occurrences of words that the model knows, in the order of the text
    (n-grams may overlap). Their parts sum to `total`, the cosine of the text with `topic`: the row
    of `TopicModel.explain_topic`, exactly up to rounding (in a model that was joined with other
    vectors, that of undertow's side). A text without a known word is under no topic: `topic` is
    None.

    Examples
    --------
    >>> view = undertow.insight.document_view(model, "a rocket near the moon", n=2)
    >>> abs(sum(span.part for span in view.spans) - view.total) < 1e-4
    True
    """

    topics: list[TopicShare]
    topic: int | None
    total: float
    spans: list[Span]
    text: str = ""
    name: str = ""

    def _repr_html_(self) -> str:
        rows = [(f"{topic.share:.0%}", bold(topic.name)) for topic in self.topics]
        shares = table([("share", NUMBER), ("topic", CELL)], rows) if rows else ""
        under = line(bold(self.name), quiet(f"cosine {self.total:.2f}")) if self.name else ""
        return block(shares, under, marked(self.text, self.spans, self.name))


def topics_in(model: TopicModel, text: str, n: int | None = None) -> list[TopicShare]:
    """The topics of a cut that a text is about, the largest share first.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    text : str
        Any text.
    n : int or None
        How many topics; None for the model's own number.

    Returns
    -------
    list of TopicShare
        Empty where the text is far from all topics.

    Examples
    --------
    >>> len(undertow.insight.topics_in(model, "a rocket near the moon", 2)) > 0
    True
    """
    return _shares(
        model, unit_vectors(model, _counts(model, occurrences(model.vectorizer_, text))), n
    )


def spans(model: TopicModel, text: str, topic: int) -> list[Span]:
    """What every occurrence of a word that the model knows did to carry a text into a topic.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    text : str
        Any text.
    topic : int
        The topic's id.

    Returns
    -------
    list of Span
        In the order of the text.

    Examples
    --------
    >>> found = undertow.insight.spans(model, "a rocket near the moon", model.topics(2)[0].id)
    >>> [span.word for span in found]
    ['rocket', 'moon']
    """
    found = occurrences(model.vectorizer_, text)
    return _spans(model, found, _counts(model, found), atlas_of(model).checked(topic))


def document_view(
    model: TopicModel,
    text: str,
    topic: int | None = None,
    n: int | None = None,
    *,
    others: NDArray[np.floating] | None = None,
    whole: NDArray[np.float32] | None = None,
) -> DocumentView:
    """A text under a topic, and its shares of the topics of a cut.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    text : str
        Any text.
    topic : int or None
        The topic's id. None: the one of the largest share, or where the text is far from all, the
        one that it lies in.
    n : int or None
        How many topics the cut has; None for the model's own number.
    others : array (1, dimensions) or None
        The text's vector by the encoder that the model was joined with. Where it was and none is
        given, undertow's side counts alone.
    whole : array (1, H) or None
        Where the text is a part of a document, that document's vector, of length 1, which shares
        are of. What words did is still that of the part by itself.

    Returns
    -------
    DocumentView
        Shares, and what each word did.

    Examples
    --------
    >>> view = undertow.insight.document_view(model, "a rocket near the moon", n=2)
    >>> [span.word for span in view.spans]
    ['rocket', 'moon']
    """
    atlas = atlas_of(model)
    found = occurrences(model.vectorizer_, text)
    counts = _counts(model, found)
    vectors = unit_vectors(model, counts, others) if whole is None else whole
    shares = _shares(model, vectors, n)
    chosen = None if topic is None else atlas.checked(topic)
    if topic is None and (found or shares):
        chosen = shares[0].id if shares else _nearest(model, vectors, n)
    if chosen is None:
        return DocumentView(shares, None, 0.0, [], text)
    parts = _spans(model, found, counts, chosen)
    total = float(sum(span.part for span in parts))
    return DocumentView(shares, chosen, total, parts, text, atlas.names_of([chosen])[0])


def _counts(model: TopicModel, found: list[Occurrence]) -> sparse.csr_array:
    """One document's counts, as the model takes them in."""
    columns, counts = np.unique(
        np.array([one.column for one in found], dtype=np.int32), return_counts=True
    )
    starts = np.array([0, len(columns)], dtype=np.int32)
    row = sparse.csr_array(
        (counts.astype(np.int32), columns, starts), shape=(1, model.softmax_.parameters_.words)
    )
    return transformed_counts(row, model.softmax_.count_transform)


def _shares(model: TopicModel, vectors: NDArray[np.float32], n: int | None) -> list[TopicShare]:
    names = model.topic_names(n)
    shares = atlas_of(model).shares(vectors, list(names), 1)[0]
    order = [place for place in np.argsort(-shares, kind="stable").tolist() if shares[place] > 0]
    listed = list(names.items())
    return [TopicShare(listed[place][0], listed[place][1], float(shares[place])) for place in order]


def _nearest(model: TopicModel, vectors: NDArray[np.float32], n: int | None) -> int | None:
    """The topic of the cut that a text lies in; None for one without a word that counts, or in a
    dropped topic.
    """
    atlas = atlas_of(model)
    nodes = atlas.cut(n)
    leaves, _ = atlas.leaves_of(vectors, 1)
    place = int(atlas.topics_of_leaves(leaves, nodes)[0])
    return nodes[place] if place >= 0 else None


def _spans(
    model: TopicModel, found: list[Occurrence], counts: sparse.csr_array, topic: int
) -> list[Span]:
    parts = word_parts(model.softmax_, counts, atlas_of(model).directions([topic])[0])
    times = np.bincount([one.column for one in found], minlength=1)
    share = dict(
        zip(parts.indices.tolist(), (parts.data / times[parts.indices]).tolist(), strict=True)
    )
    return [Span(one.start, one.end, one.word, share[one.column]) for one in found]
