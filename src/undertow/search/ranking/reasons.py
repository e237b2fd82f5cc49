"""Why a document was found: the words of the question that it holds, and the topics that both are
about.

Nothing here is a guess. A BM25 is a sum over words, so a word's part in it is known; and how much
of a text is about a topic is what `TopicModel.transform_topics` says.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.fulltext.full_text import FullText, Term
from undertow.search.database.lately import Allowance, Lately
from undertow.search.results import TopicPart, WordPart
from undertow.vectors.joining import unit

if TYPE_CHECKING:
    from undertow.topics.outline import Outline

WORDS, TOPICS = 8, 3  # named at most
FEW = 32  # texts: more are compared by what is compiled
SHARE = 0.1  # of what may be kept in memory
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
    """What documents are about, and what they have in common with questions. What follows from the
    topics alone is computed once, and shares of documents are kept as long as allowed.
    """

    def __init__(self, outline: Outline, allowance: Allowance | None = None) -> None:
        self.outline = outline
        self._kept = Lately(allowance or Allowance(), SHARE)

    @cached_property
    def _nodes(self) -> list[int]:
        return self.outline.cut()

    @cached_property
    def _names(self) -> list[str]:
        return self.outline.names_of(self._nodes)

    @cached_property
    def _directions(self) -> NDArray[np.float32]:
        return self.outline.directions(self._nodes)

    @cached_property
    def _places(self) -> NDArray[np.int32]:
        return self.outline.tree.positions(self._nodes)

    def shares(
        self, documents: NDArray[np.float32], keys: Sequence[Hashable] | None = None
    ) -> NDArray[np.float32]:
        """(documents, topics) How much of each vector is about each topic of the model's own cut;
        `keys` name the documents, for those that come again.
        """
        found = [None if keys is None else self._kept.get(key) for key in keys or documents]
        new = [place for place, shares in enumerate(found) if shares is None]
        if new:
            computed = self._computed(documents[new])
            for place, shares in zip(new, computed, strict=True):
                found[place] = shares
                if keys is not None:
                    self._kept.put(keys[place], shares.copy(), shares.nbytes)
        return np.array(found, dtype=np.float32).reshape(len(documents), len(self._nodes))

    def of(
        self, question: NDArray[np.float32], shares: NDArray[np.float32]
    ) -> list[tuple[TopicPart, ...]]:
        """The topics that a question's vector shares with documents of these shares."""
        both = np.minimum(self._computed(question[None])[0], shares)
        return [self._named(parts, LEAST) for parts in both]

    def largest(self, shares: NDArray[np.float32]) -> list[tuple[TopicPart, ...]]:
        """The topics of the largest shares."""
        return [self._named(parts, 0.0) for parts in shares]

    def _computed(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        vectors = self._told_apart(vectors)
        if len(vectors) > FEW:
            return self.outline.shares(vectors, self._nodes)
        return self.outline.shares_in_numpy(
            vectors, self._nodes, directions=self._directions, places=self._places
        )

    def _told_apart(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """What topics know of vectors: of joined ones, the model's own side where it was fitted
        without others.
        """
        known = self.outline.routes.shape[1]
        return vectors if vectors.shape[1] == known else unit(vectors[:, :known])

    def _named(self, parts: NDArray[np.float32], least: float) -> tuple[TopicPart, ...]:
        order = np.argsort(-parts, kind="stable")[:TOPICS].tolist()
        return tuple(
            TopicPart(self._nodes[place], self._names[place], float(parts[place]))
            for place in order
            if parts[place] > 0 and parts[place] >= least
        )
