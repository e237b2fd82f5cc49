"""Topics beside each other: how alike they are, by the words that they are moved by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

WORDS_AT_ONCE = 4096


@dataclass(frozen=True)
class SimilarTopic:
    """A topic and how like another one it is, from -1 to 1."""

    id: int
    name: str
    similarity: float


def topic_similarity(model: TopicModel) -> NDArray[np.float32]:
    """(H, H) cosines between topics, symmetric, with 1 on the diagonal.

    A topic is what one token of each word adds to its input, w_k (W_kj + a_j), times the square root of the word's
    share of all tokens: the very figures by which `TopicModel.topics` ranks words. A topic that no word moves is like
    no other.
    """
    softmax = model.softmax_
    parameters = softmax.parameters_
    scale = parameters.word_weights.astype(np.float64) * np.sqrt(softmax.noise_distribution_)
    products = np.zeros((parameters.units, parameters.units))
    for first in range(0, parameters.words, WORDS_AT_ONCE):  # a copy of all weights in float64 may be large
        block = slice(first, first + WORDS_AT_ONCE)
        ranks = (parameters.weights[block].astype(np.float64) + parameters.hidden_bias) * scale[block, None]
        products += ranks.T @ ranks
    lengths = np.sqrt(np.diag(products))
    cosines = products / np.where(lengths > 0, lengths, 1.0) / np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines = np.clip((cosines + cosines.T) / 2, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    return cosines.astype(np.float32)


def similar_topics(model: TopicModel, topic: int, n: int = 5) -> list[SimilarTopic]:
    """The n topics most like a topic, the likest first; of equal ones the lower id first."""
    chosen, wanted = checked_topic(model, topic), _check.whole_number("n", n, at_least=1)
    cosines = topic_similarity(model)[chosen]
    order = [int(other) for other in np.argsort(-cosines, kind="stable") if other != chosen][:wanted]
    names = model.unit_names(order)
    return [SimilarTopic(other, name, float(cosines[other])) for other, name in zip(order, names, strict=True)]


def topic_names(model: TopicModel) -> list[str]:
    """The name of each topic, by its id."""
    return model.unit_names()


def checked_topic(model: TopicModel, topic: int) -> int:
    """The id of a topic that the model has."""
    chosen = _check.whole_number("topic", topic, at_least=0)
    units = model.softmax_.parameters_.units
    if chosen >= units:
        raise InvalidInput(f"topic must be below {units}, got {topic!r}")
    return chosen
