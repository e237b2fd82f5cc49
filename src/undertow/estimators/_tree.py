"""The tree of topics behind `TopicModel`: grown after training, asked, curated, and kept up to
date.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from undertow import _check
from undertow._errors import InvalidInput, ModelFileError
from undertow.corpus.texts import Watched, shown_list, with_columns
from undertow.estimators._documents import read_blocks, read_rows
from undertow.estimators.model_inputs import transformed_counts
from undertow.estimators.word_parts import COMPARED, word_parts
from undertow.spool import CountSpool
from undertow.topics import (
    Atlas,
    Branch,
    DocumentTopics,
    Drift,
    Topic,
    TopicChoice,
    TopicShare,
    drift,
    stored_atlas,
)
from undertow.topics.clusters import Vectors
from undertow.topics.curation import Curation, Curator, Matched
from undertow.topics.grow import Sample, grow
from undertow.topics.text_sample import SampledTexts, TextSample, sampled_rows
from undertow.vectors.given import GivenVectors, given_vectors, stored_width
from undertow.vectors.joining import asked, join, unit

if TYPE_CHECKING:
    from undertow.corpus import Vectorizer
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax
    from undertow.storage import StoredModel

logger = logging.getLogger("undertow")

Namer = Callable[[list[str], list[str]], str]

JOINED = ("balanced", COMPARED)  # the kinds that vectors of another encoder are joined with


class TopicTreeMethods:
    """What a `TopicModel` knows of topics. `atlas_` holds it; a model of an earlier version has
    none.
    """

    softmax_: ReplicatedSoftmax
    vectorizer_: Vectorizer
    vectors_width_: int = 0
    atlas_: Atlas
    curation_: Curation
    drift_: Drift | None

    # Growing

    def _grow(
        self,
        counts: sparse.csr_array | CountSpool,
        texts: SampledTexts | None,
        others: GivenVectors | None = None,
    ) -> None:
        """Grows the tree from a sample of the documents that were trained on, and counts all of
        them into it.
        """
        softmax, self.vectors_width_ = self.softmax_, 0 if others is None else others.width
        documents = counts.documents if isinstance(counts, CountSpool) else counts.shape[0]
        rows = sampled_rows(documents)
        if isinstance(counts, CountSpool):
            damped = read_rows(counts, rows)
        else:
            damped = transformed_counts(counts[rows], softmax.count_transform)
        vectors = self._unit_vectors(damped, None if others is None else others.take(rows))
        sample = Sample(vectors, damped, texts, documents, self.vectors_width_)
        atlas = grow(sample, self.vectorizer_, seed=softmax._seed, threads=softmax.n_jobs)
        if documents > len(rows):
            atlas = drift.with_sizes(atlas, self._all_vectors(counts, others), softmax.n_jobs)
        self.atlas_, self.curation_, self.drift_ = atlas, Curation(), None

    def _all_vectors(
        self, counts: sparse.csr_array | CountSpool, others: GivenVectors | None = None
    ) -> Iterator[Vectors]:
        first = 0
        for block in read_blocks(counts):
            damped = (
                block
                if isinstance(counts, CountSpool)
                else transformed_counts(block, self._count_transform)
            )
            last = first + damped.shape[0]
            yield self._unit_vectors(damped, None if others is None else others.part(first, last))
            first = last

    def _vectors_of_counts(
        self, counts: sparse.csr_array, others: GivenVectors | None = None
    ) -> Vectors:
        width = self.softmax_.parameters_.units + self.vectors_width_
        return np.concatenate(
            [np.zeros((0, width), dtype=np.float32), *self._all_vectors(counts, others)]
        )

    def _take_in(
        self,
        counts: sparse.csr_array,
        before: Vectors,
        texts: SampledTexts,
        others: GivenVectors | None = None,
    ) -> None:
        """After `partial_fit`: the tree follows the parameters, and the new documents are counted
        into it.
        """
        if not hasattr(self, "atlas_"):
            self._grow(counts, texts, others)
            return
        new = drift.NewDocuments(before, self._vectors_of_counts(counts, others), counts)
        words = tuple(str(word) for word in self.vectorizer_.get_feature_names_out())
        softmax = self.softmax_
        self.atlas_, self.drift_ = drift.updated(
            self.atlas_, new, words, seed=softmax._seed, threads=softmax.n_jobs
        )

    def _plant(self, seeds: Mapping[str, Sequence[str]] | None) -> None:
        for name, words in (seeds or {}).items():
            if self.seed_topic(name, words) is None:
                logger.warning(
                    "the seed %r makes no topic: its words stand out in no part of the corpus", name
                )

    # Files

    def _stored_topics(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        atlas: Atlas | None = getattr(self, "atlas_", None)
        if atlas is None:
            return {}, {}
        vocabulary = [str(word) for word in self.vectorizer_.get_feature_names_out()]
        facts = {
            "topics": stored_atlas.plain(atlas, vocabulary),
            "curation": self.curation_.plain(),
        }
        return facts, stored_atlas.arrays_of(atlas)

    def _restore_topics(self, stored: StoredModel, path: str | os.PathLike[str]) -> None:
        try:
            self.vectors_width_ = stored_width(stored.training)
            if not stored.topics or stored.vocabulary is None:
                return
            self.atlas_ = stored_atlas.restored(
                stored.training.get("topics"),
                stored.topics,
                stored.vocabulary,
                stored.parameters.units,
                self.vectors_width_,
            )
            self.curation_ = Curation.from_plain(
                stored.training.get("curation", {"actions": []}), "curation"
            )
        except InvalidInput as error:
            raise ModelFileError(f"{path} must hold a sound tree of topics: {error}") from error
        self.drift_ = None

    def _documents(self, texts: Any) -> Any:
        """Texts to read; of a table, from the columns that it was fitted on."""
        return with_columns(several(texts), getattr(self, "columns_", {}))

    @property
    def _count_transform(self) -> Any:
        return self.softmax_.count_transform

    def _own_vectors(self, damped: sparse.csr_array) -> Vectors:
        """Strengths of length 1; nan for a document without a word that counts."""
        vectors = unit(self.softmax_._encoded(damped, COMPARED))
        vectors[~((damped @ self.softmax_.parameters_.word_weights) > 0)] = np.nan
        return vectors

    def _unit_vectors(
        self, damped: sparse.csr_array, others: NDArray[Any] | None = None
    ) -> Vectors:
        """What documents are compared by: own vectors, joined with others in a model that was
        fitted so.

        Of length 1, and nan for a document without either. Without the others' part, where there
        should be one, own vectors are so long that they count for both.
        """
        own = self._own_vectors(damped)
        if not self.vectors_width_:
            return own
        if others is None:
            vectors = asked(own, np.zeros((len(own), self.vectors_width_), dtype=np.float32))
        else:
            vectors = unit(join(own, others))
        vectors[~vectors.any(axis=1)] = np.nan
        return vectors

    def _others(self, vectors: Any) -> GivenVectors | None:
        """The vectors that came with texts, if the model was fitted with some."""
        return None if vectors is None and not self.vectors_width_ else self._needed(vectors)

    def _needed(self, vectors: Any) -> GivenVectors:
        """The same, checked; an error where there are none, or where there should be none."""
        width = self.vectors_width_
        if vectors is None:
            raise InvalidInput(
                f"vectors must be given, {width:,} numbers for each text, as the model was fitted "
                f"with some, got none"
            )
        if not width:
            raise InvalidInput(
                "vectors must be left out, as the model was fitted without any, got some: "
                "fit it with vectors, or call grow_topics with them"
            )
        others = given_vectors(vectors)
        others.check_width(width, of="the model")
        return others

    def grow_topics(self, texts: Any, *, vectors: Any = None) -> Self:
        """Grows the tree of topics anew from these texts, without training: for a model of an
        earlier version, say.

        Curation is applied to the new tree, as far as its topics are found again.

        Parameters
        ----------
        texts : texts, table or Corpus
            The texts to grow it from.
        vectors : array-like or None
            As in `fit`: the tree is grown from joined vectors, and without from the model's own,
            whatever the model was fitted with.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> [topic.documents for topic in model.grow_topics(texts[:60]).topics(2)]
        [30, 30]
        """
        check_is_fitted(self)
        others = None if vectors is None else given_vectors(vectors)
        before = getattr(self, "curation_", Curation())
        kept = TextSample()
        counts = self.vectorizer_.transform(Watched(self._documents(texts), kept.see))
        if others is not None:
            others.check_documents(counts.shape[0])
        self._grow(counts, kept.close(), others)
        if before.actions:
            self.apply_curation(before)
        return self

    def _atlas(self) -> Atlas:
        check_is_fitted(self)
        atlas: Atlas | None = getattr(self, "atlas_", None)
        if atlas is None:
            raise InvalidInput(
                "the model must hold a tree of topics, got one of an earlier version without it: "
                "call grow_topics(texts), or fit again"
            )
        return atlas

    # Asking

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

    def _vectors_of_texts(
        self, texts: Any, others: GivenVectors | None = None
    ) -> Iterator[Vectors]:
        first = 0
        for chunk in self.vectorizer_.count_chunks(self._documents(texts)):
            last = first + chunk.counts.shape[0]
            part = None if others is None else others.part(first, last)
            yield self._unit_vectors(transformed_counts(chunk.counts, self._count_transform), part)
            first = last
        if others is not None:
            others.check_documents(first)

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

    # Curation

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
        self._atlas()
        if isinstance(names, Mapping):
            for number, name in names.items():
                self.rename_topic(number, name)
            return self
        for topic in self.topics(n):
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


def several(texts: Any) -> Any:
    """Refuses a single text, which would be read letter by letter."""
    if isinstance(texts, (str, bytes)):
        raise InvalidInput("texts must be a list of texts, got a single text: put it into a list")
    return texts
