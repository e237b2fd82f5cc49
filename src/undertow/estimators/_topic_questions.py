"""What a `TopicModel` answers about its topics, and about texts by them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow.estimators._text_vectors import TextVectors
from undertow.estimators.model_inputs import transformed_counts
from undertow.estimators.word_parts import word_parts
from undertow.topics import Branch, DocumentTopics, Topic, TopicChoice, TopicShare


class TopicQuestions(TextVectors):
    """The tree of topics, asked: cuts, single topics, and what texts are about."""

    def topics(self, n: int | None = None, *, n_words: int = 10) -> list[Topic]:
        """The topics of a cut of the tree.

        Cuts are nested: more topics are parts of fewer ones. No training is needed.

        Parameters
        ----------
        n : int or None
            How many topics, from 2 to the number of the smallest ones; None for the model's own
            number, which `choose_topics` explains.
        n_words : int
            Words of each, at most 30.

        Returns
        -------
        list of Topic
            The widest first.

        Raises
        ------
        InvalidInput
            Where there is no such cut.

        Examples
        --------
        >>> [topic.documents for topic in model.topics(2)]
        [60, 60]
        """
        atlas = self._atlas()
        return atlas.topics(atlas.cut(n), _check.whole_number("n_words", n_words, at_least=1))

    def topic(self, id: int, *, n_words: int = 10) -> Topic:
        """One topic, whatever cut it belongs to.

        Parameters
        ----------
        id : int
            Its id.
        n_words : int
            Words of it, at most 30.

        Returns
        -------
        Topic
            Its record.

        Raises
        ------
        InvalidInput
            Where no topic has this id.

        Examples
        --------
        >>> first = model.topics(2)[0]
        >>> model.topic(first.id).name == first.name
        True
        """
        return self._atlas().topic(id, _check.whole_number("n_words", n_words, at_least=1))

    def topic_tree(self, n: int | None = None, *, n_words: int = 10) -> list[Branch]:
        """The topics of a cut, nested in coarser ones.

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
        >>> [branch.topic.documents for branch in model.topic_tree(2)]
        [60, 60]
        """
        return self._atlas().branches(n, _check.whole_number("n_words", n_words, at_least=1))

    def topic_names(self, n: int | None = None) -> dict[int, str]:
        """The names of the topics of a cut.

        Parameters
        ----------
        n : int or None
            How many topics; None for the model's own number.

        Returns
        -------
        dict of int to str
            Id -> name, the widest topic first.

        Examples
        --------
        >>> len(model.topic_names(2))
        2
        """
        atlas = self._atlas()
        nodes = atlas.cut(n)
        return dict(zip(nodes, atlas.names_of(nodes), strict=True))

    def choose_topics(self) -> TopicChoice:
        """How many topics? The number of the model's own cut, and the figures that it was chosen
        by.

        Returns
        -------
        TopicChoice
            `n`, `figures`, and `plot`.

        Examples
        --------
        >>> model.choose_topics().n == len(model.topics())
        True
        """
        atlas = self._atlas()
        return TopicChoice(atlas.chosen, atlas.stability)

    def transform_topics(
        self, texts: Any, n: int | None = None, *, vectors: Any = None
    ) -> NDArray[np.float32]:
        """How much of each text is about each topic.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        n : int or None
            How many topics; None for the model's own number.
        vectors : array-like or None
            A model that was fitted with vectors needs those of these texts.

        Returns
        -------
        array (documents, topics)
            In the order of `topics(n)`. A row adds to at most 1; the rest is none of the topics. A
            text without a known word has a row of zeros.

        Examples
        --------
        >>> shares = model.transform_topics(["a rocket in orbit", "zebras"], n=2)
        >>> shares.sum(axis=1).round(2).tolist()
        [1.0, 0.0]
        """
        atlas = self._atlas()
        nodes, others = atlas.cut(n), self._others(vectors)
        parts = [
            atlas.shares(block, nodes, self.softmax_.n_jobs)
            for block in self._vectors_of_texts(texts, others)
        ]
        return np.concatenate([np.zeros((0, len(nodes)), dtype=np.float32), *parts])

    def document_topics(
        self, texts: Any, n: int | None = None, *, vectors: Any = None
    ) -> list[DocumentTopics]:
        """What each text is about.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        n : int or None
            How many topics; None for the model's own number.
        vectors : array-like or None
            A model that was fitted with vectors needs those of these texts.

        Returns
        -------
        list of DocumentTopics
            Topics with their shares, the largest first; "none" where a text is far from all.

        Examples
        --------
        >>> print(model.document_topics(["zebras"], n=2)[0])
        none
        """
        names = self.topic_names(n)
        ids = list(names)
        found = []
        for row in self.transform_topics(texts, n, vectors=vectors):
            order = [place for place in np.argsort(-row, kind="stable") if row[place] > 0]
            found.append(
                DocumentTopics(
                    tuple(
                        TopicShare(ids[place], names[ids[place]], float(row[place]))
                        for place in order
                    )
                )
            )
        return found

    def explain_topic(self, texts: Any, topic: int) -> sparse.csr_array:
        """How much each word of each text carried it towards a topic.

        The product of a text's vector with the topic's direction is a sum over units, and a unit's
        input is a sum over words; each unit's part is shared out to the words that pushed it up, as
        they did.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        topic : int
            The topic's id.

        Returns
        -------
        sparse array (documents, words)
            A row adds up to that product, exactly up to rounding. Of a model that was fitted with
            vectors, the product is that of its own side.

        Examples
        --------
        >>> parts = model.explain_topic(["a rocket in orbit"], model.topics(2)[0].id)
        >>> parts.shape
        (1, 12)
        """
        atlas = self._atlas()
        direction = atlas.directions([atlas.checked(topic)])[0]
        counts = transformed_counts(
            self.vectorizer_.transform(self._documents(texts)), self._count_transform
        )
        return word_parts(self.softmax_, counts, direction)
