"""Why a document is shown for a topic: its title, and the sentence of it that holds the most of the
topic's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from undertow.topics.excerpts import sentences_of, shortened, title_of
from undertow.topics.text_sample import LETTERS

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.topics import Topic

OPENING = 160  # characters that stand for a sentence where a text has none
LENGTH = 4.0  # words: shorter sentences gain nothing by their shortness


def quoted(model: TopicModel, topic: Topic, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Title and sentence of each text; the measure is that of the sentences which are stored with a
    model.
    """
    parts = [sentences_of(text[:LETTERS]) or [shortened(text, OPENING)] for text in texts]
    counts = model.vectorizer_.transform(
        [part for sentences in parts for part in sentences] or [""]
    )
    ones = sparse.csr_array(
        (np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape
    )
    columns, salience = model.atlas_.columns, np.zeros(counts.shape[1])
    for one in topic.words:
        salience[columns[one.word]] = one.salience
    scores = (ones @ salience) / np.sqrt(np.asarray(ones.sum(axis=1)).ravel() + LENGTH)
    found, first = [], 0
    for text, sentences in zip(texts, parts, strict=True):
        best = int(np.argmax(scores[first : first + len(sentences)]))
        found.append((title_of(text), sentences[best]))
        first += len(sentences)
    return found
