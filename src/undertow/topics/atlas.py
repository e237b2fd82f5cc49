"""Everything that is known about the topics of a model: the tree, where documents fall in it, and
how to describe it.

An atlas is made once, by `grow`, and stored with the model. It answers for any cut without the
corpus. Curation and new documents make new atlases in which topics keep their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce

import numpy as np
from numpy.typing import NDArray

from undertow.corpus.segmentation import joined, taken_apart
from undertow.topics import _words
from undertow.topics._names import names_of
from undertow.topics._statistics import TermStatistics
from undertow.topics._word_rows import rows_of
from undertow.topics.clusters import Vectors
from undertow.topics.outline import Outline
from undertow.topics.records import Branch, Topic, TopicWord, TypicalDocument, UnitOfTopic
from undertow.topics.tree import TopicTree
from undertow.vectors.joining import unit

PHRASES, TYPICAL, UNITS = 4, 3, 5  # shown of a topic
# words of a topic, and the part of their median salience that a pair needs
PHRASE_WORDS, PHRASE_SALIENCE = 10, 0.4
SAME_TEXT = 0.995  # cosine from which on two documents are taken for copies
LEVEL = 4  # a level of branches has about this many times as many topics as the one above
FEWEST_BRANCHES = 3  # topics that are not worth a level above them


@dataclass(frozen=True)
class KeptDocuments:
    """Documents near the middle of their leaves, with what is shown of them."""

    leaves: NDArray[np.int32]  # (d,) row of the leaf
    vectors: Vectors  # (d, H) of length 1
    documents: tuple[TypicalDocument, ...]


@dataclass(frozen=True)
class SeenDocuments:
    """The documents that the tree was grown from: hashes of their ids, and the leaf of each (-1: no
    word known).
    """

    hashes: NDArray[np.uint64]
    leaves: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Atlas(Outline):
    """The topics of a model, and how to describe them: what `TopicModel.atlas_` holds.

    `TopicModel` has the same questions in simpler words. An atlas knows no texts and no estimator:
    it takes vectors of length 1, and nodes, which are ids of topics.

    Examples
    --------
    >>> import numpy as np
    >>> atlas = model.atlas_
    >>> nodes = atlas.cut(2)
    >>> strengths = model.encode(texts, "strength")
    >>> vectors = strengths / np.linalg.norm(strengths, axis=1, keepdims=True)
    """

    terms: TermStatistics
    words: tuple[str, ...]  # vocabulary, as it is written
    pairs: NDArray[np.int32]  # (P, 2) terms after the vocabulary: pairs of words
    kept: KeptDocuments
    seen: SeenDocuments
    stability: tuple[tuple[int, float], ...]  # (topics, figure) that it was chosen by
    documents: int  # of the corpus
    identity: str  # of the tree, as it was grown: topics of the same tree have the same ids
    overlapping: bool = False  # words are pairs of letters: neighbours share one
    others: int = 0  # numbers at the end of each vector that are not the model's

    # Descriptions

    @cached_property
    def columns(self) -> dict[str, int]:
        """Word, as it is written -> its number."""
        return {word: number for number, word in reversed(list(enumerate(self.words)))}

    def term(self, number: int) -> str:
        """A word, or a pair of words.

        Parameters
        ----------
        number : int
            Of a word of the vocabulary, or, after these, of a pair.

        Returns
        -------
        str
            As it is written.

        Examples
        --------
        >>> atlas.term(0) == model.words()[0]
        True
        """
        if number < len(self.words):
            return self.words[number]
        first, second = self._pair(number)
        return joined(self.words[first], self.words[second], overlap=self.overlapping)

    def words_of(self, number: int) -> list[str]:
        """The single words that a term is made of, or its letters where words are pairs of them.

        Parameters
        ----------
        number : int
            Of a term.

        Returns
        -------
        list of str
            The words.

        Examples
        --------
        >>> atlas.words_of(0) == [atlas.term(0)]
        True
        """
        numbers = (number,) if number < len(self.words) else self._pair(number)
        parts = [part for one in numbers for part in self.words[one].split(" ")]
        return (
            [letter for part in parts for letter in taken_apart(part)]
            if self.overlapping
            else parts
        )

    def topics(self, nodes: Sequence[int], n_words: int = 10) -> list[Topic]:
        """The records of topics of one cut.

        Parameters
        ----------
        nodes : sequence of int
            Ids of topics.
        n_words : int
            Words of each.

        Returns
        -------
        list of Topic
            In the order of the nodes.

        Examples
        --------
        >>> [topic.id for topic in atlas.topics(nodes)] == nodes
        True
        """
        described = _words.ranked(self.terms.grouped(self.tree.positions(nodes), len(nodes)))
        names = self.names_of(nodes)
        sizes, directions = self.sizes_of(nodes), self.directions(nodes)
        total = max(self.documents, 1)
        return [
            Topic(
                id=node,
                name=names[place],
                words=self._top_words(described[place], n_words),
                phrases=self._phrases(described[place]),
                documents=int(sizes[place]),
                share=float(sizes[place] / total),
                typical=self._typical(node, directions[place]),
                coherence=self._coherence(described[place]),
                units=self._units(directions[place]),
                parent=self.tree.parent(node),
                children=tuple(
                    child for child in self.tree.children(node) if not self.tree.dropped[child]
                ),
            )
            for place, node in enumerate(nodes)
        ]

    def topic(self, node: int, n_words: int = 10) -> Topic:
        """The record of one topic, described beside the others of the first cut that it is part of.

        Parameters
        ----------
        node : int
            The id of the topic.
        n_words : int
            Words of it.

        Returns
        -------
        Topic
            Its record.

        Examples
        --------
        >>> atlas.topic(nodes[0], n_words=3).documents
        60
        """
        beside = self._beside(self.checked(node))
        return self.topics(beside, n_words)[beside.index(node)]

    def _beside(self, node: int) -> list[int]:
        """The topic, with what is left of the model's own cut without it."""
        inside = self.tree.below(node)
        above = set()
        climbing = int(self.tree.parents[node])
        while climbing >= 0:
            above.add(climbing)
            climbing = int(self.tree.parents[climbing])
        return [
            *(other for other in self.tree.cut(self.chosen) if other not in inside | above),
            node,
        ]

    def with_made_names(self) -> Atlas:
        """With a name for every topic that has none yet; those that there are stay.

        Returns
        -------
        Atlas
            A new one.

        Examples
        --------
        >>> atlas.with_made_names().names_of(nodes) == atlas.names_of(nodes)
        True
        """
        texts = self.term, self.words_of
        made = names_of(self.tree, self.terms, texts, len(self.words), self.pairs, self.made_names)
        return replace(self, made_names=made)

    def branches(self, n: int | None = None, n_words: int = 10) -> list[Branch]:
        """The topics of a cut below those of coarser cuts; a level has about four times fewer.

        Parameters
        ----------
        n : int or None
            How many topics; None for the model's own number.
        n_words : int
            Words of each.

        Returns
        -------
        list of Branch
            The widest first.

        Examples
        --------
        >>> len(atlas.branches(2))
        2
        """
        levels = [self.tree.cut(self.count(n))]
        while len(levels[0]) // LEVEL >= FEWEST_BRANCHES:
            levels.insert(0, self.tree.cut(len(levels[0]) // LEVEL))
        records = [{topic.id: topic for topic in self.topics(level, n_words)} for level in levels]
        return self._level(records, 0, set(records[0]))

    def _level(self, records: list[dict[int, Topic]], level: int, inside: set[int]) -> list[Branch]:
        found = []
        for topic in (record for node, record in records[level].items() if node in inside):
            below: list[Branch] = []
            if level + 1 < len(records):
                below = self._level(records, level + 1, self.tree.below(topic.id))
                if [branch.topic.id for branch in below] == [topic.id]:
                    below = list(below[0].branches)  # the same topic a level below: shown once
            found.append(Branch(topic, tuple(below)))
        return sorted(found, key=lambda branch: (-branch.topic.documents, branch.topic.id))

    def _top_words(self, described: _words.Ranked, number: int) -> tuple[TopicWord, ...]:
        single = [place for place, term in enumerate(described.terms) if term < len(self.words)]
        place_of = {int(described.terms[place]): place for place in single}
        kept = _words.without_repetition(place_of, self.term, number)
        return tuple(self._word(described, place_of[term]) for term in kept)

    def _phrases(self, described: _words.Ranked) -> tuple[TopicWord, ...]:
        """The pairs that are salient beside the topic's first words: the others are names of
        people, mostly.
        """
        single = described.salience[described.terms < len(self.words)][:PHRASE_WORDS]
        least = PHRASE_SALIENCE * float(np.median(single)) if len(single) else 0.0
        places = [
            place
            for place, term in enumerate(described.terms)
            if term >= len(self.words) and described.salience[place] >= least
        ]
        if self.overlapping:
            return self._rows_of_letters(described, places)[:PHRASES]
        return tuple(self._word(described, place) for place in places[:PHRASES])

    def _rows_of_letters(
        self, described: _words.Ranked, places: Sequence[int]
    ) -> tuple[TopicWord, ...]:
        """Pairs of pairs of letters that go on where another ends, joined to one; as salient as the
        best of them.
        """
        found = []
        for row in rows_of([self._pair(int(described.terms[place])) for place in places]):
            best = self._word(described, places[row.first])
            written = reduce(
                partial(joined, overlap=True), (self.words[word] for word in row.words)
            )
            found.append(replace(best, word=written))
        return tuple(found)

    def _pair(self, term: int) -> tuple[int, int]:
        first, second = self.pairs[term - len(self.words)].tolist()
        return first, second

    def _word(self, described: _words.Ranked, place: int) -> TopicWord:
        term = self.term(int(described.terms[place]))
        return TopicWord(term, float(described.salience[place]), float(described.share[place]))

    def _coherence(self, described: _words.Ranked) -> float:
        single = [int(term) for term in described.terms if term < len(self.words)]
        first = _words.without_repetition(single, self.term, _words.COHERENT_WORDS)
        return _words.coherence(self.terms.npmi, np.array(first, dtype=np.int32))

    def _typical(self, node: int, direction: Vectors) -> tuple[TypicalDocument, ...]:
        """The kept documents closest to the middle, none a copy of another."""
        inside = np.flatnonzero(np.isin(self.kept.leaves, self.tree.leaf_rows(node)))
        vectors = self.kept.vectors[inside]
        chosen: list[int] = []
        for place in np.argsort(-(vectors @ direction), kind="stable").tolist():
            if len(chosen) == TYPICAL:
                break
            if all(float(vectors[place] @ vectors[other]) < SAME_TEXT for other in chosen):
                chosen.append(place)
        return tuple(self.kept.documents[inside[place]] for place in chosen)

    def _units(self, direction: Vectors) -> tuple[UnitOfTopic, ...]:
        beyond = self._own_side(direction) - self._own_side(self._middle)
        order = np.argsort(-beyond, kind="stable")[:UNITS]
        return tuple(
            UnitOfTopic(int(place), float(beyond[place])) for place in order if beyond[place] > 0
        )

    def _own_side(self, vector: Vectors) -> Vectors:
        """What units say of a vector, of length 1."""
        return unit(vector[None, : -self.others])[0] if self.others else vector

    @cached_property
    def _middle(self) -> Vectors:
        """The mean vector of all documents, of length 1."""
        sums = (self.means.astype(np.float64) * self.sizes[:, None]).sum(axis=0)
        middle: Vectors = unit(sums[None])[0]
        return middle

    def changed(self, tree: TopicTree, names: dict[int, str] | None = None) -> Atlas:
        """With another tree of the same leaves, and names.

        Parameters
        ----------
        tree : TopicTree
            The tree.
        names : dict of int to str or None
            Names that were given to topics; None for those that there are.

        Returns
        -------
        Atlas
            A new one.

        Examples
        --------
        >>> atlas.changed(atlas.tree, {nodes[0]: "Moon"}).names_of(nodes)[0]
        'Moon'
        """
        return replace(
            self, tree=tree, names=dict(self.names if names is None else names)
        ).with_made_names()
