"""One document: the topics that are on in it, and what each occurrence of a word in its text added to a topic.

Nothing here is an estimate. A topic's input is a sum over the words of a text, so a word's part in it is known; the
occurrences of a word count together (a count v goes in as ceil(log(1 + v))), so each has an equal share of its part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from undertow.corpus import Occurrence, occurrences
from undertow.counts import CountBatch
from undertow.estimators._counts import transformed_counts
from undertow.estimators.units import UnitStrength
from undertow.insight.topics import checked_topic
from undertow.model import posteriors
from undertow.search._reasons import word_parts

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

    `topics` are those that are on, strongest first; strength is P(topic on | text). `spans` are all occurrences of
    words that the model knows, in the order of the text (n-grams may overlap). Their parts sum to `total`, the input of
    `topic`: the sum of the row of `TopicModel.attribute`, exactly up to rounding.
    """

    topics: list[UnitStrength]
    topic: int
    total: float
    spans: list[Span]


def topics_in(model: TopicModel, text: str) -> list[UnitStrength]:
    """The topics that a text switches on, strongest first."""
    return _topics_on(model, _counts(model, occurrences(model.vectorizer_, text)))


def spans(model: TopicModel, text: str, topic: int) -> list[Span]:
    """What every occurrence of a word that the model knows added to a topic, in the order of the text."""
    chosen = checked_topic(model, topic)
    found = occurrences(model.vectorizer_, text)
    return _spans(model, found, _counts(model, found), chosen)


def document_view(model: TopicModel, text: str, topic: int | None = None) -> DocumentView:
    """A text under a topic; None for its strongest, or topic 0 where none is on."""
    found = occurrences(model.vectorizer_, text)
    counts = _counts(model, found)
    on = _topics_on(model, counts)
    chosen = (on[0].id if on else 0) if topic is None else checked_topic(model, topic)
    total = float(word_parts(model, counts, chosen)[1].sum())
    return DocumentView(on, chosen, total, _spans(model, found, counts, chosen))


def _counts(model: TopicModel, found: list[Occurrence]) -> sparse.csr_array:
    """One document's counts, as the model takes them in."""
    columns, counts = np.unique(np.array([one.column for one in found], dtype=np.int32), return_counts=True)
    starts = np.array([0, len(columns)], dtype=np.int32)
    row = sparse.csr_array((counts.astype(np.int32), columns, starts), shape=(1, model.softmax_.parameters_.words))
    return transformed_counts(row, model.softmax_.count_transform)


def _topics_on(model: TopicModel, counts: sparse.csr_array) -> list[UnitStrength]:
    strength = posteriors(model.softmax_.parameters_, CountBatch.from_csr(counts))[0]
    units = [int(unit) for unit in np.argsort(-strength, kind="stable") if strength[unit] > 0.5]
    names = model.unit_names(units)
    return [UnitStrength(unit, name, float(strength[unit])) for unit, name in zip(units, names, strict=True)]


def _spans(model: TopicModel, found: list[Occurrence], counts: sparse.csr_array, topic: int) -> list[Span]:
    columns, moved = word_parts(model, counts, topic)
    times = np.bincount([one.column for one in found], minlength=1)
    share = dict(zip(columns.tolist(), (moved / times[columns]).tolist(), strict=True))
    return [Span(one.start, one.end, one.word, share[one.column]) for one in found]
