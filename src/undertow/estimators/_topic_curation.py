"""How users change the topics of a `TopicModel`, and keep what they did."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from undertow.corpus.texts import shown_list
from undertow.estimators._text_vectors import TextVectors
from undertow.topics.curation import Curation, Curator, Matched

Namer = Callable[[list[str], list[str]], str]

NAMED_BY = 10  # words of a topic that a function for names is given


class TopicCuration(TextVectors):
    """The tree of topics, changed: names, merges, splits, junk, seeds."""

    curation_: Curation

    def name_topics(self, names: Mapping[int, str] | Namer, n: int | None = None) -> Self:
        """Gives topics names: by their ids, or by a function for all topics of a cut.

        Parameters
        ----------
        names : mapping of int to str, or callable
            Id -> name; or a function that gets the words and the typical texts of a topic and
            returns a name.
        n : int or None
            How many topics the cut has that a function names; None for the model's own number.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> named = model.name_topics(lambda words, texts: words[0].upper(), n=2)
        >>> all(name.isupper() for name in named.topic_names(2).values())
        True
        """
        atlas = self._atlas()
        if isinstance(names, Mapping):
            for number, name in names.items():
                self.rename_topic(number, name)
            return self
        for topic in atlas.topics(atlas.cut(n), NAMED_BY):
            texts = [f"{document.title}. {document.sentence}" for document in topic.typical]
            self.rename_topic(topic.id, str(names([word.word for word in topic.words], texts)))
        return self

    def rename_topic(self, topic: int, name: str) -> Self:
        """Gives a topic another name.

        Parameters
        ----------
        topic : int
            Its id.
        name : str
            The name; an empty one gives it back its own.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> first = model.topics(2)[0]
        >>> model.rename_topic(first.id, "Moon").topic_names(2)[first.id]
        'Moon'
        """
        return self._curated(lambda curator: curator.rename(topic, name))

    def merge_topics(self, topics: Sequence[int], name: str | None = None) -> int:
        """Makes one topic of several, in the place of the first.

        Parameters
        ----------
        topics : sequence of int
            Their ids.
        name : str or None
            The name of the new one; None for one made of its words.

        Returns
        -------
        int
            The id of the new topic.

        Raises
        ------
        InvalidInput
            With fewer than two topics, or where one lies in another.

        Examples
        --------
        >>> first, second = [topic.id for topic in model.topics(3)[:2]]
        >>> model.topic(model.merge_topics([first, second], "Both")).name
        'Both'
        """
        made: int = self._changed(lambda curator: curator.merge(topics, name))
        return made

    def split_topic(self, topic: int) -> tuple[int, ...]:
        """Shows the parts of a topic in its place from now on.

        Parameters
        ----------
        topic : int
            Its id.

        Returns
        -------
        tuple of int
            The ids of its parts.

        Raises
        ------
        InvalidInput
            Where it has no parts.

        Examples
        --------
        >>> first = model.topics(2)[0]
        >>> model.split_topic(first.id) == first.children
        True
        """
        parts: tuple[int, ...] = self._changed(lambda curator: curator.split(topic))
        return parts

    def drop_topic(self, topic: int) -> Self:
        """Declares a topic to be junk: it is listed no more, and its documents belong to none.

        Parameters
        ----------
        topic : int
            Its id.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> first = model.topics(2)[0].id
        >>> first in model.drop_topic(first).topic_names(2)
        False
        """
        return self._curated(lambda curator: curator.drop(topic))

    def restore_topic(self, topic: int) -> Self:
        """Takes `drop_topic` back.

        Parameters
        ----------
        topic : int
            The id of the topic that was dropped.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> first = model.topics(2)[0].id
        >>> first in model.drop_topic(first).restore_topic(first).topic_names(2)
        True
        """
        return self._curated(lambda curator: curator.restore(topic))

    def move_topic(self, topic: int, under: int | None) -> Self:
        """Hangs a topic below another one, or below the root.

        Parameters
        ----------
        topic : int
            Its id.
        under : int or None
            The id of the other one; None for the root.

        Returns
        -------
        self
            The model.

        Raises
        ------
        InvalidInput
            Where a topic would lie below itself.

        Examples
        --------
        >>> first, second = model.topics(2)
        >>> part = first.children[0]
        >>> model.move_topic(part, under=second.id).topic(part).parent == second.id
        True
        """
        return self._curated(lambda curator: curator.move(topic, under))

    def seed_topic(
        self, name: str, words: Sequence[str] = (), documents: Sequence[Any] = ()
    ) -> int | None:
        """Makes a topic around words and around example texts.

        The topic takes the smallest topics in which the words stand out, or that the texts fall
        into, by their words alone.

        Parameters
        ----------
        name : str
            Its name.
        words : sequence of str
            Words of the vocabulary.
        documents : sequence of str
            Example texts.

        Returns
        -------
        int or None
            The new topic's id, or None where there is no such topic.

        Examples
        --------
        >>> made = model.seed_topic("Fruit", ["apples", "pears"])
        >>> model.topic(made).name
        'Fruit'
        """
        leaves = self._leaves_of_examples(documents)
        made: int | None = self._changed(
            lambda curator: curator.seed(name, words, leaves, shown_list(documents))
        )
        return made

    def apply_curation(self, curation: Curation | str | os.PathLike[str]) -> list[Matched]:
        """Does again what was done to another fit: topics are found by their documents, or else by
        their words.

        Parameters
        ----------
        curation : Curation or path
            What was done, or the file that `save_curation` wrote.

        Returns
        -------
        list of Matched
            What each action came to; what is not found is left out and said.

        Examples
        --------
        >>> file = model.rename_topic(model.topics(2)[0].id, "Moon").save_curation("moon.json")
        >>> later = undertow.TopicModel(16, stop_words="english", max_epochs=20, random_state=1)
        >>> [found.problem for found in later.fit(texts).apply_curation(file)]
        [None]
        """
        chosen = Curation.load(curation) if isinstance(curation, (str, os.PathLike)) else curation
        curator = Curator(self._atlas(), self.curation_)
        found = curator.apply(chosen, self._leaves_of_examples)
        self.atlas_, self.curation_ = curator.atlas, curator.curation
        return found

    def save_curation(self, path: str | os.PathLike[str]) -> Path:
        """Writes what was done to the topics to a small readable file.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        pathlib.Path
            The same.

        Examples
        --------
        >>> model.save_curation("curation.json")
        PosixPath('curation.json')
        """
        self._atlas()
        return self.curation_.save(path)

    def _leaves_of_examples(self, texts: Sequence[str]) -> NDArray[np.int32]:
        rows = (
            [self._atlas().leaves_of(block)[0] for block in self._vectors_of_texts(list(texts))]
            if texts
            else []
        )
        return np.concatenate([np.zeros(0, dtype=np.int32), *rows])

    def _changed(self, action: Callable[[Curator], Any]) -> Any:
        curator = Curator(self._atlas(), self.curation_)
        result = action(curator)
        self.atlas_, self.curation_ = curator.atlas, curator.curation
        return result

    def _curated(self, action: Callable[[Curator], Any]) -> Self:
        self._changed(action)
        return self
