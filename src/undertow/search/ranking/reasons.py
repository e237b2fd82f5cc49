"""Why a document was found: the words of the question that it holds, and the topics that both are
about.

Nothing here is a guess. A BM25 is a sum over words, so a word's part in it is known; and how much
of a text is about a topic is what `TopicModel.transform_topics` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.fulltext.full_text import FullText, Term
from undertow.search.results import TopicPart, WordPart
from undertow.vectors.joining import unit

if TYPE_CHECKING:
    from undertow.topics.outline import Outline

WORDS, TOPICS = 8, 3  # named at most
FEW = 32  # texts: more are compared by what is compiled
LEAST = 0.05  # of a text that has to be about a topic for it to be named


class SharedWords(NamedTuple):
    """The words of a question that a document holds, and those that it lacks."""

    words: tuple[WordPart, ...]
    missing: tuple[str, ...]


def shared_words(
    full: FullText, terms: Sequence[Term], typed: Mapping[str, str], places: Sequence[int]
) -> list[SharedWords]:
    """Of each of some documents; `typed` is how each word was asked for."""
    found = []
    for parts in full.parts(terms, places):
        whole = sum(parts) or 1.0
        order = sorted(range(len(terms)), key=lambda number: -parts[number])
        held = [
            WordPart(typed[terms[number].word], parts[number] / whole)
            for number in order
            if parts[number] > 0
        ]
        lacking = [typed[terms[number].word] for number in range(len(terms)) if not parts[number]]
        found.append(SharedWords(tuple(held[:WORDS]), tuple(lacking[:WORDS])))
    return found


class SharedTopics:
    """The topics that questions and documents have in common; the directions of topics are computed
    once.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline = outline

    @cached_property
    def _nodes(self) -> list[int]:
        return self.outline.cut()

    @cached_property
    def _names(self) -> list[str]:
        return self.outline.names_of(self._nodes)

    @cached_property
    def _directions(self) -> NDArray[np.float32]:
        return self.outline.directions(self._nodes)

    def of(
        self, question: NDArray[np.float32], documents: NDArray[np.float32]
    ) -> list[tuple[TopicPart, ...]]:
        """Of a question's vector and each of some documents' vectors; 0 for one that has none."""
        vectors = self._told_apart(np.vstack([question[None], documents]))
        if len(vectors) > FEW:
            shares = self.outline.shares(vectors, self._nodes)
        else:
            shares = self.outline.shares_in_numpy(vectors, self._nodes, directions=self._directions)
        both = np.minimum(shares[0], shares[1:])
        return [self._named(parts) for parts in both]

    def _told_apart(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """What topics know of vectors: of joined ones, the model's own side where it was fitted
        without others.
        """
        known = self.outline.routes.shape[1]
        return vectors if vectors.shape[1] == known else unit(vectors[:, :known])

    def _named(self, parts: NDArray[np.float32]) -> tuple[TopicPart, ...]:
        order = [
            int(place)
            for place in np.argsort(-parts, kind="stable")[:TOPICS]
            if parts[place] >= LEAST
        ]
        return tuple(
            TopicPart(self._nodes[place], self._names[place], float(parts[place]))
            for place in order
        )
