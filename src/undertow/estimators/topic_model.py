"""A text model in one object: a vectorizer and a Replicated Softmax, saved in one folder."""

from __future__ import annotations

import os
from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from undertow.cluster import Cluster
from undertow.corpus.count_matrices import stacked
from undertow.corpus.texts import Watched, columns_of, text_list
from undertow.corpus.word_vectors import check_mapping
from undertow.estimators import _text_fit
from undertow.estimators._display import TopicsDisplay
from undertow.estimators._saving import saving_to
from undertow.estimators._stored import restore, store
from undertow.estimators._stored_words import plain_settings, remembered_columns, restored
from undertow.estimators._text_units import TextUnits
from undertow.estimators._text_vectors import several
from undertow.estimators._topic_options import TopicModelOptions
from undertow.estimators._topic_questions import TopicQuestions
from undertow.estimators._tree import TopicGrowth
from undertow.estimators.replicated_softmax import ReplicatedSoftmax
from undertow.storage import StoredModel
from undertow.topics.text_sample import TextSample
from undertow.vectors.given import given_vectors


class TopicModel(TopicGrowth, TopicQuestions, TextUnits, TopicsDisplay, TopicModelOptions):
    """Topics and vectors straight from texts: a `Vectorizer` and a `ReplicatedSoftmax` in one.

    It chooses a vocabulary, learns hidden units from the word counts, and grows a tree of topics
    from the documents' vectors. `topics` cuts the tree into any number of topics, `document_topics`
    tells what a text is about, and `transform` gives a vector for each text, for classifiers,
    clusters and search. It follows scikit-learn: pipelines, `GridSearchCV` and `set_output` work.

    Texts are a `Corpus` (`undertow.open_corpus`), a column or a table of polars or pandas, an
    array, a list or any iterable of strings. What is no text, such as market baskets, codes or
    events, comes as lists of tokens: they are counted as they are, neither split nor lower-cased,
    and shown with spaces between them.

    Examples
    --------
    >>> import undertow
    >>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
    >>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
    >>> texts = (space + food) * 20
    >>> model = undertow.TopicModel(16, stop_words="english", max_epochs=20, random_state=0)
    >>> model = model.fit(texts)
    >>> for topic in model.topics(2):  # any number, without training again
    ...     print(topic.documents, topic.name)  # doctest: +SKIP
    60 moon, orbit, rocket
    60 apples, cake, pears
    >>> model.transform(texts).shape  # 16 units, and as many directions of words as there are
    (120, 28)

    Parameters
    ----------
    n_components : int
        Hidden units, the numbers of a vector.

    vocabulary_size, ngram_range, stop_words, stemmer, segmenter, min_df, max_df, token_pattern,
    lowercase, strip_html, vocabulary, chunk_size, max_types
        Which words are counted; see `Vectorizer`. Most often set: `stop_words="english"`.
    vectorizer : Vectorizer or None
        One of your own, in place of these options: a `Vectorizer`, or one of another library that
        gives counts, such as scikit-learn's `CountVectorizer` (the model can then not be saved or
        searched with). None: one is made from the options.

    weighting, count_transform, features
        What counts become, and what `transform` gives; see `ReplicatedSoftmax`.
    seeds : mapping of str to sequence of str, or None
        Name -> words: a topic is made around each list of words after fitting, as by `seed_topic`.
        One whose words stand out nowhere is left out, with a warning.

    learner, optimizer, sparsity_target, sparsity_cost, averaging, batch_size, replicas,
    max_epochs, early_stopping, validation_fraction, n_iter_no_change, callbacks
        How it is learned; see `ReplicatedSoftmax`. Options of a learner that is an object are
        reached as `learner__n_noise`, and so on.
    warm_start : bool
        `fit` goes on from the last one, with the words that were chosen then. Topics are grown
        anew.

    random_state : int, RandomState or None
        The same seed gives the same bits for any `n_jobs`.
    engine : str or Engine
        What computes: "cpu", "torch", "reference" or one of your own; see `ReplicatedSoftmax`.
    device : str
        Where units are learned and texts encoded: "cpu", "cuda", "cuda:1" or "auto", for a card
        where PyTorch sees one; see `ReplicatedSoftmax`. Words are counted and topics grown on the
        CPU.
    n_jobs : int or None
        Threads; None for one per core. It never changes the result.
    verbose : int
        1 shows progress.
    memory_limit : int or str
        What the counts may take in memory, in bytes or as text such as "500MB" (8 bytes for every
        different word of a document). Training on counts held in memory takes about three times as
        much for a while.
    scratch_folder : path or None
        An existing folder on a disk with room for what is larger (about 6 bytes for every different
        word of a document). None for the system's temporary folder, which some systems keep in
        memory.

    Attributes
    ----------
    vectorizer_, softmax_
        The fitted parts. A vectorizer of another library is at `vectorizer_.vectorizer`.
    atlas_ : undertow.topics.Atlas
        The tree of topics and all that is known about it.
    curation_, drift_
        What was done to the topics since; what the latest `partial_fit` found, None after `fit`.
    columns_ : dict of str to str
        Which columns of a corpus or table it was fitted on: role -> name, such as {"text": "body"}.
        Tables that come later, and what `open_corpus` is told to remember, are read likewise where
        they have these columns.
    vectors_width_ : int
        How many numbers the vectors have that were given to `fit` for each text; 0 without.
    reading_
        How `fit` read the texts: `documents`, `seconds`, and the `scratch_bytes` of counts on disk.
    cluster_
        After a `fit` on a cluster: `workers`, their `threads`, and `events`, what happened to them.

    Notes
    -----
    `fit` holds the counts of a corpus in memory while they are few. Those that take more than
    `memory_limit` go to files in `scratch_folder`, which are removed at the end, and minibatches
    are read from there: memory then no longer grows with the number of documents (but for "pcd",
    whose chains take n_components / 8 bytes each). Documents come in another order than from
    memory, unless they are fewer than some 65,000, so the model is another one, as with another
    seed; the same seed gives the same model again. Typical length and activity are then those of
    20,000 documents drawn at random, and so are the trials of `noise_level="auto"`.
    """

    def fit(
        self,
        texts: Any,
        y: Any = None,
        *,
        vectors: Any = None,
        word_vectors: Any = None,
        cluster: Cluster | str | None = None,
        workers: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float | str | None = None,
        resume: bool = False,
    ) -> Self:
        """Chooses the vocabulary, learns the units, and grows the topics.

        Parameters
        ----------
        texts : texts, table or Corpus
            Read once, so an iterator will do.
        y : None
            Ignored.
        vectors : array-like, table or None
            Those that another encoder gives these texts, one row of finite numbers for each, in
            their order; of a large array (`np.load(file, mmap_mode="r")`) some rows are read at a
            time. Topics are then regions of joined vectors: undertow's and these, each of length 1,
            side by side. A row of zeros is no vector.
        word_vectors : mapping or None
            Vectors of single words: word -> numbers, such as a dict, what
            `undertow.corpus.word_vectors.read_word_vectors` gives, or gensim's KeyedVectors. It is
            asked for the words of the vocabulary as they are there, stems for stems. Weights start
            from them, which helps where texts are few.
        cluster : str, Cluster or None
            "auto", or the address of a cluster of Ray, whose machines can all read the corpus;
            `undertow.cluster.Cluster` has more settings. docs/scaling.md says more.
        workers : int or None
            How many workers of the cluster take part. The same number gives the same bits.
        checkpoint, checkpoint_every, resume
            A folder that training is saved to, how often ("10min", "1epoch", "500steps"), and
            whether to go on from there; see `ReplicatedSoftmax.fit`. Texts are read and counted
            again, and have to give the same counts.

        Returns
        -------
        self
            The model.

        Raises
        ------
        InvalidInput
            Where texts hold no word, or options contradict each other.
        ClusterError
            Where no cluster answers, or workers are lost again and again.

        Examples
        --------
        >>> [topic.documents for topic in model.fit(texts).topics(2)]
        [60, 60]
        """
        others = None if vectors is None else given_vectors(vectors)
        if word_vectors is not None:
            check_mapping(word_vectors)
        if cluster is not None or workers is not None:
            from undertow.estimators import _cluster_fit

            machines = Cluster.of(cluster, workers)
            machines = machines.saving(checkpoint, checkpoint_every, resume)
            _cluster_fit.fit(self, texts, machines, others, word_vectors)
            return self
        with saving_to(checkpoint, checkpoint_every, resume, self) as saving:
            _text_fit.fit(self, texts, others, word_vectors, saving)
        return self

    def fit_transform(
        self, texts: Any, y: Any = None, *, vectors: Any = None, word_vectors: Any = None
    ) -> NDArray[np.float32]:
        """`fit`, and the vectors of the same texts, as `transform` gives them.

        Parameters
        ----------
        texts, y, vectors, word_vectors
            As in `fit`.

        Returns
        -------
        array (documents, dimensions)
            Vectors.

        Examples
        --------
        >>> model.fit_transform(texts).shape
        (120, 28)
        """
        documents, others = (
            text_list(several(texts)),
            None if vectors is None else given_vectors(vectors),
        )
        self.fit(documents, y, vectors=others, word_vectors=word_vectors)
        found: NDArray[np.float32] = self.transform(
            documents, vectors=others if self._joins() else None
        )
        return found

    def partial_fit(self, texts: Any, y: Any = None, *, vectors: Any = None) -> Self:
        """One more epoch over these texts.

        New words are appended; topics and units keep their ids and old words their columns.
        `drift_` says what appeared, grew and faded.

        Parameters
        ----------
        texts : texts, table or Corpus
            Read once, so an iterator will do.
        y : None
            Ignored.
        vectors : array-like or None
            A model that was fitted with vectors needs those of these texts.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> model = model.partial_fit(["a comet above the moon", "the comet left"])
        >>> "comet" in model.words(), model.drift_.documents
        (True, 2)
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
        _text_fit.check_rows(others, counts.shape[0])
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
        softmax._engine()  # one that is not there is said before texts are read
        self.vectors_width_, self.vectorizer_, self.softmax_ = 0, vectorizer, softmax

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(getattr(self, "softmax_", None), "parameters_")

    # scikit-learn's set_output reaches a transform that the class itself defines, no inherited one
    def transform(self, texts: Any, *, vectors: Any = None) -> NDArray[np.float32]:
        """Document vectors, of the kind that `features` names.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        vectors : array-like or None
            As in `encode`.

        Returns
        -------
        array (documents, dimensions)
            Vectors.

        Examples
        --------
        >>> model.transform(["a rocket in orbit"]).shape
        (1, 28)
        """
        check_is_fitted(self)
        if vectors is None and not self._joins():
            return self.softmax_.transform(self.counts(texts))
        return self.encode(texts, vectors=vectors)

    # Files

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes everything that is needed to encode a text years later to one folder: JSON and
        safetensors.

        Parameters
        ----------
        path : path
            The folder.
        overwrite : bool
            Whether a model that is there may be replaced.

        Returns
        -------
        pathlib.Path
            The folder.

        Raises
        ------
        InvalidInput
            Where it is there already, or the vectorizer cannot be stored.

        Examples
        --------
        >>> model.save("model", overwrite=True)
        PosixPath('model')
        >>> undertow.load("model").words() == model.words()
        True
        """
        check_is_fitted(self)
        facts, arrays = self._stored_topics()
        more = {
            "vectorizer": plain_settings(self.vectorizer_),
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
        """The model in a folder that `save` wrote, read already; `undertow.load` does both.

        Parameters
        ----------
        stored : undertow.storage.StoredModel
            What `undertow.storage.load_model` gives.
        path : path
            The folder, for errors.

        Returns
        -------
        TopicModel
            The model.

        Raises
        ------
        ModelFileError
            Where it holds no `TopicModel`.

        Examples
        --------
        >>> stored = undertow.storage.load_model(model.save("stored", overwrite=True))
        >>> undertow.TopicModel.from_stored(stored, "stored").words() == model.words()
        True
        """
        options, vectorizer = restored(stored, path)
        softmax = restore(ReplicatedSoftmax(), stored, path)
        if hasattr(softmax, "feature_names_in_"):
            del softmax.feature_names_in_  # the words are the vectorizer's
        model = cls(**options, **clone(softmax).get_params(deep=False))
        model.vectorizer_, model.softmax_ = vectorizer, softmax
        model.columns_ = remembered_columns(stored.training.get("columns", {}), path)
        model._restore_topics(stored, path)
        return model
