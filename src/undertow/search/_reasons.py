"""Why a document was found: the topics that it shares with the question, and the words that switched them on in each.

Nothing here is a guess. The cosine of two vectors is a sum over topics, so a topic's part in it is known; and a topic's
input is a sum over words, so is a word's part in that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow.search._encoded import Encoded

if TYPE_CHECKING:
    from undertow.model import Parameters
    from undertow.search._encoder import Encoder

TOPICS, WORDS = 3, 4  # shown of each document, and of each topic

Counts = tuple[NDArray[np.int32], NDArray[np.int32]]  # words of a text, and how often each counts


@dataclass(frozen=True)
class WordPart:
    """A word, and how much its occurrences in a text moved a topic."""

    word: str
    part: float


@dataclass(frozen=True)
class Reason:
    """A topic that is on in the question and in the document.

    `part` is its part in their cosine. `question_words` and `words` are the words that pushed it up most, in the
    question and in the document.
    """

    topic: int
    name: str
    part: float
    question_words: tuple[WordPart, ...]
    words: tuple[WordPart, ...]


class Reasoner:
    """Finds the reasons; what is needed of the model again and again is kept."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._names: dict[int, str] = {}

    def reasons(self, question: Encoded, texts: Encoded) -> list[tuple[Reason, ...]]:
        """The reasons of each text for a question."""
        on = texts.on & question.on & texts.known[:, None] & question.known
        parts = texts.vectors * question.vectors
        return [self._of_text(on[row], parts[row], question.words(0), texts.words(row)) for row in range(len(texts.on))]

    def _of_text(
        self, on: NDArray[np.bool_], parts: NDArray[np.float32], asked: Counts, given: Counts
    ) -> tuple[Reason, ...]:
        shared = np.flatnonzero(on)
        units = [int(number) for number in shared[np.argsort(-parts[shared], kind="stable")][:TOPICS]]
        return tuple(
            Reason(
                topic,
                self._name(topic),
                float(parts[topic]),
                self._carriers(asked, topic),
                self._carriers(given, topic),
            )
            for topic in units
        )

    def _carriers(self, counts: Counts, topic: int) -> tuple[WordPart, ...]:
        moved = word_parts(self._encoder.parameters, *counts, topic)
        order = np.argsort(-moved, kind="stable")[:WORDS]
        names, words = self._encoder.words, counts[0]
        return tuple(WordPart(names[words[place]], float(moved[place])) for place in order if moved[place] > 0)

    def _name(self, topic: int) -> str:
        if topic not in self._names:
            self._names[topic] = self._encoder.unit_name(topic)
        return self._names[topic]


def word_parts(
    parameters: Parameters, words: NDArray[np.int32], counts: NDArray[np.int32], topic: int
) -> NDArray[np.float64]:
    """How much each word of one document moved a topic: together, the topic's input.

    Counts are those that the model takes in. `TopicModel.attribute` says the same of many.
    """
    push = parameters.weights[words, topic].astype(np.float64) + float(parameters.hidden_bias[topic])
    moved: NDArray[np.float64] = counts * parameters.word_weights[words] * push
    return moved
