"""A text model in one object: a vectorizer and a Replicated Softmax, saved in one folder."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from undertow import _check
from undertow._errors import InvalidInput, ModelFileError
from undertow.corpus import Vectorizer
from undertow.corpus.count_matrices import stacked
from undertow.corpus.texts import Watched, columns_of, text_list, with_columns
from undertow.corpus.word_vectors import check_mapping, vectors_of_words
from undertow.counts import CountSpool, Scratch
from undertow.estimators import _progress
from undertow.estimators._display import TopicsDisplay
from undertow.estimators._reading import Reading, read_counts
from undertow.estimators._stored import restore, store
from undertow.estimators._topic_options import TopicModelOptions
from undertow.estimators._tree import JOINED, TopicTreeMethods, several
from undertow.estimators.model_inputs import transformed_counts
from undertow.estimators.replicated_softmax import ReplicatedSoftmax
from undertow.estimators.units import DocumentUnits, Unit, describe
from undertow.storage import StoredModel
from undertow.topics.text_sample import TextSample
from undertow.vectors.given import GivenVectors, given_vectors
from undertow.vectors.joining import join


class TopicModel(TopicTreeMethods, TopicsDisplay, TopicModelOptions):
    r"""Topics and vectors straight from texts: a `Vectorizer` and a `ReplicatedSoftmax` in one.

    Options of both are options of the model, with the same names and the same defaults.

    Texts are a `Corpus` (`undertow.open_corpus`), a column or a table of polars or pandas, an
    array, a list or any iterable of strings. What is no text, such as market baskets, codes or
    events, comes as lists of tokens: they are counted as they are, neither split nor lower-cased,
    and shown with spaces between them.

    `fit` holds the counts of a corpus in memory while they are few. Those that take more than
    `memory_limit` go to files in `scratch_folder`, which are removed at the end, and minibatches
    are read from there: memory then no longer grows with the number of documents (but for "pcd",
    whose chains take n_components / 8 bytes each). Documents come in another order than from
    memory, unless they are fewer than some 65,000, so the model is another one, as with another
    seed; the same seed gives the same model again. Typical length and activity are then those of
    20,000 documents drawn at random, and so are the trials of `noise_level="auto"`.

    Parameters
    ----------
    n_components : hidden units, the numbers of a vector.

    vocabulary_size, ngram_range, stop_words, stemmer, segmenter, min_df, max_df, token_pattern,
        lowercase, strip_html, vocabulary, chunk_size, max_types : which words are counted; see
        `Vectorizer`.
    vectorizer : one of your own, in place of these options: a `Vectorizer`, or one of another
        library that gives counts, such as scikit-learn's `CountVectorizer` (the model can then not
        be saved or searched with). None: one is made from the options.

    weighting, count_transform, features : what counts become, and what `transform` gives; see
        `ReplicatedSoftmax`.
    seeds : name -> words: a topic is made around each list of words after fitting, as by
        `seed_topic`. One whose words are at home nowhere is left out, with a warning.

    learner, optimizer, sparsity_target, sparsity_cost, averaging, batch_size, max_epochs,
        early_stopping, validation_fraction, n_iter_no_change, callbacks : how it is learned; see
        `ReplicatedSoftmax`. Options of a learner that is an object are reached as
        `learner__n_noise`, and so on.
    warm_start : `fit` goes on from the last one, with the words that were chosen then. Topics are
        grown anew.

    random_state : a seed, a `RandomState`, or None. The same seed gives the same bits for any
        `n_jobs`.
    n_jobs : threads; None for one per core. It never changes the result.
    engine : what computes, as in `ReplicatedSoftmax`.
    verbose : 1 shows progress.
    memory_limit : what the counts may take in memory, in bytes or as text such as "500MB" (8 bytes
        for every different word of a document). Training on counts held in memory takes about three
        times as much for a while.
    scratch_folder : an existing folder on a disk with room for what is larger (about 6 bytes for
        every different word of a document); None for the system's temporary folder, which some
        systems keep in memory.

    Attributes
    ----------
    vectorizer_, softmax_ : the fitted parts. A vectorizer of another library is at
        `vectorizer_.vectorizer`.
    atlas_ : the tree of topics and all that is known about it (`undertow.topics.Atlas`).
    curation_ : what was done to the topics since; `drift_`: what the latest `partial_fit` found,
        None after `fit`.
    columns_ : which columns of a corpus or table it was fitted on: role -> name, such as {"text":
        "body"}. Tables that come later, and what `open_corpus` is told to remember, are read
        likewise where they have these columns.
    vectors_width_ : how many numbers the vectors have that were given to `fit` for each text; 0
        without.
    reading_ : how `fit` read the texts: `documents`, `seconds`, and the `scratch_bytes` of counts
        on disk.
    """

    def fit(
        self, texts: Any, y: Any = None, *, vectors: Any = None, word_vectors: Any = None
    ) -> Self:
        """Chooses the vocabulary and learns the topics of an iterable of texts (or a corpus).

        `vectors` are those that another encoder gives these texts, one row of finite numbers for
        each, in their order: an array, lists, or a table; of a large one
        (`np.load(file, mmap_mode="r")`) some rows are read at a time. Topics are then regions of
        joined vectors: undertow's and these, each of length 1, side by side. A row of zeros is no
        vector.

        `word_vectors` are those of single words (GloVe, say): a mapping word -> numbers, such as a
        dict, what `undertow.corpus.word_vectors.read_word_vectors` gives, or gensim's KeyedVectors.
        It is asked for the words of the vocabulary as they are there, stems for stems. Weights
        start from them, which helps where texts are few.
        """
        others = None if vectors is None else given_vectors(vectors)
        if word_vectors is not None:
            check_mapping(word_vectors)
        again = bool(self.warm_start) and self.__sklearn_is_fitted__()
        if not again:
            self._begin()
        documents = with_columns(several(texts), {})
        self.columns_ = columns_of(documents)
        limit = _check.number_of_bytes("memory_limit", self.memory_limit)
        sample = TextSample()
        with Scratch(self.scratch_folder) as scratch:
            watched = Watched(documents, sample.see)
            counts = self._read(watched, limit, scratch, anew=not again)
            _check_rows(others, self.reading_.documents)
            words = self.vectorizer_.get_feature_names_out().tolist()
            start = None if word_vectors is None else vectors_of_words(words, word_vectors)
            try:
                self._train(counts, start)
            except (
                KeyboardInterrupt
            ):  # what was learned so far has topics too; a second one leaves them out
                if getattr(self.softmax_, "_run_state", {}).get("steps", 0):
                    self._grow(counts, sample.close(), others)
                    self._plant(self.seeds)
                raise
            with _progress.growing(self.softmax_.verbose):
                self._grow(counts, sample.close(), others)
        self._plant(self.seeds)
        return self

    def fit_transform(
        self, texts: Any, y: Any = None, *, vectors: Any = None, word_vectors: Any = None
    ) -> NDArray[np.float32]:
        """`fit`, and the vectors of the same texts, as `transform` gives them."""
        documents, others = (
            text_list(several(texts)),
            None if vectors is None else given_vectors(vectors),
        )
        self.fit(documents, y, vectors=others, word_vectors=word_vectors)
        found: NDArray[np.float32] = self.transform(
            documents, vectors=others if self._joins() else None
        )
        return found

    def _train(
        self, counts: sparse.csr_array | CountSpool, start: NDArray[np.float64] | None
    ) -> None:
        if isinstance(counts, CountSpool):
            self.softmax_._fit_spool(counts, start)
        else:
            self.softmax_.fit(counts, word_vectors=start)

    def _read(
        self, texts: Any, limit: int, scratch: Scratch, *, anew: bool
    ) -> sparse.csr_array | CountSpool:
        """The counts of texts, in memory or in the scratch folder."""
        began = time.perf_counter()

        def transform(counts: sparse.csr_array) -> sparse.csr_array:
            return transformed_counts(counts, self.softmax_.count_transform)

        with _progress.reading(self.softmax_.verbose, scratch) as show:
            counts = read_counts(
                self.vectorizer_,
                texts,
                transform,
                at_most=limit,
                scratch=scratch,
                show=show,
                anew=anew,
            )
        on_disk = counts.bytes_on_disk if isinstance(counts, CountSpool) else 0
        documents = counts.documents if isinstance(counts, CountSpool) else counts.shape[0]
        self.reading_ = Reading(documents, time.perf_counter() - began, on_disk)
        return counts

    def partial_fit(self, texts: Any, y: Any = None, *, vectors: Any = None) -> Self:
        """One more epoch over these texts, which are read once, so that an iterator will do. New
        words are appended; topics and units keep their ids and old words their columns. `drift_`
        says what appeared, grew and faded.

        A model that was fitted with `vectors` needs those of these texts.
        """
        first, sample = not self.__sklearn_is_fitted__(), TextSample()
        documents = self._documents(texts)
        if first:
            self._begin()
            self.columns_ = columns_of(documents)
            others = None if vectors is None else given_vectors(vectors)
        else:
            others = self._others(vectors)
        vectorizer = copy(self.vectorizer_)  # the model's own stays as it is until all are read
        chunks = vectorizer.partial_fit_chunks(Watched(documents, sample.see))
        words = len(vectorizer.get_feature_names_out())
        counts = stacked(chunks, words)
        _check_rows(others, counts.shape[0])
        self.vectorizer_ = vectorizer
        if first:
            self.softmax_.partial_fit(counts)
            self._grow(counts, sample.close(), others)
            self._plant(self.seeds)
            return self
        self.softmax_.add_words(words - self.softmax_.n_features_in_)
        before = self._vectors_of_counts(counts, others)
        self.softmax_.partial_fit(counts)
        self._take_in(counts, before, sample.close(), others)
        return self

    def _begin(self) -> None:
        vectorizer, softmax = self._new_vectorizer(), self._new_softmax()
        self.vectors_width_, self.vectorizer_, self.softmax_ = 0, vectorizer, softmax

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(getattr(self, "softmax_", None), "parameters_")

    # Using it

    def counts(self, texts: Any) -> sparse.csr_array:
        """Word counts of texts; words that the vocabulary does not know are left out (`coverage`
        counts them).
        """
        check_is_fitted(self)
        return self.vectorizer_.transform(self._documents(texts))

    def transform(self, texts: Any, *, vectors: Any = None) -> NDArray[np.float32]:
        """Document vectors; `vectors` as in `encode`."""
        check_is_fitted(self)
        if vectors is None and not self._joins():
            return self.softmax_.transform(self.counts(texts))
        return self.encode(texts, vectors=vectors)

    def encode(self, texts: Any, kind: str | None = None, *, vectors: Any = None) -> NDArray[Any]:
        """Document vectors: "balanced", "posterior", "soft", "activation", "strength" or "code".

        Of a model that was fitted with `vectors`, "balanced" and "strength" are joined with those
        of these texts, which they need: (documents, units + dimensions), each side of length 1. The
        other kinds are the model's own.
        """
        check_is_fitted(self)
        if not self._joins(kind):
            if vectors is not None and self.vectors_width_:
                raise InvalidInput(
                    f"vectors must be left out unless the kind is "
                    f"{' or '.join(map(repr, JOINED))}, got some"
                )
            if vectors is not None:
                self._needed(vectors)  # says that none is
            return self.softmax_.encode(self.counts(texts), kind)
        others, counts = self._needed(vectors), self.counts(texts)
        others.check_documents(counts.shape[0])
        own = self.softmax_.encode(counts, kind)
        own[~(counts @ self.softmax_.parameters_.word_weights > 0)] = (
            0.0  # strengths of no words are a vector, too
        )
        return join(own, others.part(0, len(own)))

    def _joins(self, kind: str | None = None) -> bool:
        """Whether vectors of this kind, or of that of `transform`, are joined with others."""
        return (
            bool(self.vectors_width_)
            and (self.softmax_.features if kind is None else kind) in JOINED
        )

    def score(self, texts: Any, y: Any = None) -> float:
        """Split-half retrieval: how often one half of a text's words finds the other."""
        counts = self.counts(texts)
        return self.softmax_.score(counts)

    def units(self, n_words: int = 10) -> list[Unit]:
        """A record per topic, the most active first."""
        check_is_fitted(self)
        return self.softmax_.units(n_words, words=self.words())

    def unit_names(self, ids: Sequence[int] | None = None) -> list[str]:
        """The names of these topics, or of all by their ids: those that were given, or the words
        that push most.
        """
        check_is_fitted(self)
        softmax = self.softmax_
        wanted = range(softmax.parameters_.units) if ids is None else ids
        known = softmax.activity_, softmax.unit_names_
        found = describe(
            softmax.parameters_,
            softmax.noise_distribution_,
            self.words(),
            *known,
            n_words=3,
            units=wanted,
        )
        return [topic.name for topic in found]

    def words(self) -> list[str]:
        """The vocabulary in the order of the columns."""
        check_is_fitted(self)
        return [str(word) for word in self.vectorizer_.get_feature_names_out()]

    def name_units(self, names: Mapping[int, str]) -> Self:
        """Gives topics names of your own."""
        check_is_fitted(self)
        self.softmax_.name_units(names)
        return self

    def document_units(self, texts: Any) -> list[DocumentUnits]:
        """The topics that each text switches on."""
        counts = self.counts(texts)
        return self.softmax_.document_units(counts, words=self.words())

    def attribute(self, texts: Any, component: int) -> sparse.csr_array:
        """How much each word moved a topic in each text."""
        counts = self.counts(texts)
        return self.softmax_.attribute(counts, component)

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self.softmax_._n_features_out + (self.vectors_width_ if self._joins() else 0)

    # Files

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes everything that is needed to encode a sentence years later to one folder."""
        check_is_fitted(self)
        settings = self.vectorizer_.settings()
        plain = {name: _plain(name, value) for name, value in settings.items()}
        facts, arrays = self._stored_topics()
        more = {
            "vectorizer": plain,
            "columns": self.columns_,
            "vectors_width": self.vectors_width_,
            **facts,
        }
        return store(
            self.softmax_,
            path,
            overwrite=overwrite,
            vocabulary=self.words(),
            more=more,
            topics=arrays,
        )

    @classmethod
    def from_stored(cls, stored: StoredModel, path: str | os.PathLike[str]) -> Self:
        """The model in a folder that `save` wrote."""
        if stored.vocabulary is None:
            raise ModelFileError(f"{path} must hold the vocabulary of a TopicModel, got none")
        try:
            options = {name: _rich(value) for name, value in stored.training["vectorizer"].items()}
            options.pop("n_jobs", None)  # belongs to the session
            of_tokens = bool(options.pop("tokens", False))
            options.setdefault(
                "segmenter", None
            )  # models of earlier versions took runs of letters as they are
            vectorizer = Vectorizer(**options).remember(stored.vocabulary)
            vectorizer.tokens_ = of_tokens
        except (TypeError, ValueError, AttributeError) as error:
            raise ModelFileError(
                f"{path} must hold settings that a Vectorizer can use here, got others: {error}"
            ) from error
        softmax = restore(ReplicatedSoftmax(), stored, path)
        if hasattr(softmax, "feature_names_in_"):
            del softmax.feature_names_in_  # the words are the vectorizer's
        model = cls(**options, **clone(softmax).get_params(deep=False))
        model.vectorizer_, model.softmax_ = vectorizer, softmax
        model.columns_ = _remembered(stored.training.get("columns", {}), path)
        model._restore_topics(stored, path)
        return model


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, (list, tuple, set, frozenset)):
        return sorted(value) if isinstance(value, (set, frozenset)) else list(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise InvalidInput(f"vectorizer option {name} must be plain data to be saved, got {value!r}")


def _check_rows(others: GivenVectors | None, documents: int) -> None:
    if others is not None:
        others.check_documents(documents)


def _remembered(columns: Any, path: str | os.PathLike[str]) -> dict[str, str]:
    """Checked names of columns; a model of an earlier version has none."""
    if isinstance(columns, dict) and all(isinstance(name, str) for name in columns.values()):
        return dict(columns)
    raise ModelFileError(
        f"{path} must hold names of columns as an object of strings, got {columns!r:.80}"
    )


def _rich(value: Any) -> Any:
    return (
        tuple(value)
        if isinstance(value, list) and all(isinstance(item, int) for item in value)
        else value
    )
