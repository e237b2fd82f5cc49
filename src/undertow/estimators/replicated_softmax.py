"""The scikit-learn estimator: validates, delegates to the engine, and stores what was learned under
`name_`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CountSource
from undertow.engines import Engine, find_engine
from undertow.estimators import _fitting, _noise_level
from undertow.estimators._base import Base
from undertow.estimators._display import TopicsDisplay
from undertow.estimators._documents import Documents, HeldDocuments, SpooledDocuments
from undertow.estimators._health import warn_of_dead_units
from undertow.estimators._stored import restore, store
from undertow.estimators.model_inputs import transformed_counts, word_weights
from undertow.estimators.units import (
    DocumentUnits,
    Unit,
    describe,
    units_of_documents,
)
from undertow.learn import EpochRecord, Run, Settings, defaults, train
from undertow.learn.registry import find_learner
from undertow.model import initial_parameters, with_more_words, words_given_hidden
from undertow.model.attribution import attributions
from undertow.spool import CountSpool
from undertow.storage import StoredModel
from undertow.tasks import split_half_score
from undertow.vectors import (
    FEATURES,
    VECTOR_KINDS,
    Measures,
    encode,
    free_energies,
    posteriors,
    sample_documents,
)
from undertow.vectors.balance import balance_of, plain_balance
from undertow.vectors.directions import with_more_rows, word_directions
from undertow.vectors.word_start import checked_word_vectors, started_from

BLOCK = 16384  # documents that are encoded at a time


class ReplicatedSoftmax(TopicsDisplay, Base):
    """Document vectors and hidden units from word counts, by a Replicated Softmax model.

    `TopicModel` does the same from texts, and grows topics besides.

    Examples
    --------
    >>> import numpy as np
    >>> import undertow
    >>> rng = np.random.default_rng(0)
    >>> rates = np.repeat([[3, 3, 0, 0], [0, 0, 3, 3]], 100, axis=0)  # two kinds of documents
    >>> counts = rng.poisson(rates)  # documents x words, dense or sparse
    >>> model = undertow.ReplicatedSoftmax(8, max_epochs=20, random_state=0).fit(counts)
    >>> model.transform(counts).shape  # 8 units, and as many directions of words as there are
    (200, 12)

    Parameters
    ----------
    n_components : int
        Number of hidden units H. A "balanced" vector has as many numbers again, for its words.
    learner : str or learner
        "alpha-nce", "nce", "cd", "pcd", or an `AlphaNCE` or `ContrastiveDivergence` with options of
        its own; or a learner of your own, by its name or as an object (`undertow.Learner`).
    weighting : "idf", None, or array (K,)
        Non-negative word weights.
    count_transform : "log" or None
        "log" for ceil(log(1 + v)), which damps repeated words; None for the counts as they are.
    features : {"balanced", "posterior", "soft", "activation", "strength"}
        What `transform` gives.

        - "balanced" serves classifiers, retrieval and clusters alike. Its first half is what units
          say: log(1 + softplus) of the mean input of a document's words by its spread, less half
          the corpus's mean. The second, .7 times as long, is what words say: where the document
          lies in the H directions (256 at most) in which weighted counts differ most. Together they
          have length 1. The other kinds are of units alone, for special ends.
        - "posterior": P(h | document), to compare with the paper.
        - "soft": the posterior of the document shrunk to a quarter of the typical length, for
          probabilities between 0 and 1.
        - "activation": the posterior's argument per unit of length, where a linear function of the
          words is wanted.
        - "strength": log(1 + softplus(x)), x that argument for a document of typical length, where
          no number may be negative; topics are made of these.
    optimizer : str or optimizer
        "adam", "sgd", or an `Adam` or `SGD`, which is taken as it is; or one of your own
        (`undertow.Optimizer`). "auto" suits the learner. It learns faster and shrinks weights more
        where fewer than 4,500 steps are planned (at 1,500: rate times 2, L2 times 3).
    sparsity_target, sparsity_cost : float
        Presses the mean activity of every unit towards the target; cost 0 switches it off. "auto"
        is 0.3, and less where documents are long, or fewer than 1,000.
    averaging : float
        Decay of a running average of the parameters, which is what is kept; 0 for none.
    batch_size : int
        Documents per step.
    max_epochs : int or "auto"
        Passes over the documents. "auto", with the usual batch_size: 1,500 steps below 3,700
        documents (but at most 167 epochs), 52 epochs from there to 11,000 documents, then 4,500
        steps, but at least 10 epochs; fewer than 10, but one at least, where they were more than
        40,000 steps (half a million documents).
    early_stopping : bool
        Hold out rows and stop when split-half retrieval of them no longer rises. They are not
        trained on afterwards: the best epoch was chosen by them, and a second training would need a
        stopping point of its own.
    validation_fraction : float
        Share of the rows held out, 2,000 at most.
    n_iter_no_change : int
        Epochs without a rise after which early stopping stops.
    warm_start : bool
        Go on from the last `fit` instead of starting anew.
    callbacks : sequence of callables, or None
        Functions of (estimator, `EpochRecord`), called after each epoch; a true answer ends the
        training.
    random_state : int, RandomState or None
        The same seed gives the same bits for any `n_jobs`.
    n_jobs : int or None
        Threads; None for one per core. It never changes the result.
    engine : str or engine
        What computes: "cpu"; "reference", the same in plain NumPy and float64, for tests of small
        models; or an engine of your own (`undertow.Engine`).
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    components_, hidden_bias_, visible_bias_ : arrays (H, K), (H,), (K,)
        The parameters.
    word_weights_, noise_distribution_ : arrays (K,)
        Weights of words, and the share of each word among all tokens.
    typical_length_ : float
        The median weighted length of the training documents, which "soft" and "strength" go by.
    balance_
        What "balanced" goes by, from the training documents (of a stream, directions from the first
        of them).
    noise_level_, noise_level_scores_
        The noise level trained with, chosen where it was "auto" (None for a learner without noise),
        and the figure of each level tried (`undertow.tasks.UnseenHalves`).
    activity_ : array (H,)
        Share of the training documents that switch each unit on.
    history_ : list of EpochRecord
        Of each epoch: loss, seconds (and how many of them the kernels waited for documents),
        tokens, activity, dead units, split-half.
    n_iter_, n_features_in_, feature_names_in_
        Epochs done; the number of words, and their names where X had column names.
    """

    def __init__(
        self,
        n_components: int = 256,
        *,
        learner: Any = "alpha-nce",
        weighting: Any = "idf",
        count_transform: Literal["log"] | None = "log",
        features: Literal["balanced", "posterior", "soft", "activation", "strength"] = "balanced",
        optimizer: Any = "auto",
        sparsity_target: float = 0.1,
        sparsity_cost: float | Literal["auto"] = "auto",
        averaging: float = 0.999,
        batch_size: int = 128,
        max_epochs: int | Literal["auto"] = "auto",
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        callbacks: Sequence[Callable[[Any, EpochRecord], bool | None]] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: Any = "cpu",
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.learner = learner
        self.weighting = weighting
        self.count_transform = count_transform
        self.features = features
        self.optimizer = optimizer
        self.sparsity_target = sparsity_target
        self.sparsity_cost = sparsity_cost
        self.averaging = averaging
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.verbose = verbose

    # Learning

    def fit(self, X: Any, y: Any = None, *, word_vectors: Any = None) -> Self:
        """Learns from word counts. Empty documents are left out.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        y : None
            Ignored.
        word_vectors : array-like (words, dimensions) or None
            Vectors that the words have elsewhere (GloVe, say), a row for each column of X; zeros
            for a word without. Weights then start from them, which helps where documents are few.

        Returns
        -------
        self
            The model.

        Raises
        ------
        InvalidInput
            For counts or options that are not what they must be.
        TrainingDiverged
            Where parameters are no longer finite: a smaller learning rate helps.

        Examples
        --------
        >>> model.fit(counts).n_iter_
        20
        """
        again = self._goes_on(word_vectors)
        documents = HeldDocuments(self._counts(X, reset=not again))
        if not again:
            self._begin(documents, word_vectors)
        return self._fit_documents(documents)

    def _fit_spool(self, spool: CountSpool, word_vectors: Any = None) -> Self:
        """As `fit`, from transformed counts on disk. What is a mean over documents is that of a
        sample of them.
        """
        again = self._goes_on(word_vectors)
        documents = SpooledDocuments(spool)
        if not again:
            self.n_features_in_ = spool.vocabulary_size
            self._begin(documents, word_vectors)
        return self._fit_documents(documents)

    def _goes_on(self, word_vectors: Any) -> bool:
        """Whether `fit` goes on from what was learned before."""
        again = bool(self.warm_start) and hasattr(self, "parameters_")
        if again and word_vectors is not None:
            raise InvalidInput(
                "word_vectors must be left out where warm_start goes on from a fitted model, got "
                "some"
            )
        return again

    def _fit_documents(self, documents: Documents) -> Self:
        stopping = None
        if self.early_stopping:
            fraction = _check.number(
                "validation_fraction", self.validation_fraction, above=0.0, below=1.0
            )
            patience = _check.whole_number("n_iter_no_change", self.n_iter_no_change, at_least=1)
            documents, held_out = documents.hold_out(fraction, self._seed)
            stopping = _fitting.EarlyStopping(held_out, patience)
        batch_size = _check.whole_number("batch_size", self.batch_size, at_least=1)
        epochs = defaults.epochs_for(self.max_epochs, documents.size, batch_size)
        if self.noise_level_ == "auto":
            self._choose_noise_level(documents, epochs)
        self._train(
            documents, epochs, stopping, annealed=stopping is None
        )  # early stopping: the end is not known
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """One more epoch over these documents. Word weights and noise distribution stay those of
        the first call.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        y : None
            Ignored.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> model.partial_fit(counts[:50]).n_iter_
        21
        """
        first = not hasattr(self, "parameters_")
        documents = HeldDocuments(self._counts(X, reset=first))
        if first:
            self._begin(documents)
        if self.noise_level_ == "auto":
            self._choose_noise_level(documents, 1)
        self._train(documents, 1, None)
        return self

    def _begin(self, documents: Documents, word_vectors: Any = None) -> None:
        units = _check.whole_number("n_components", self.n_components, at_least=1)
        self._check_features()
        vectors = (
            None
            if word_vectors is None
            else checked_word_vectors(word_vectors, self.n_features_in_)
        )
        totals = documents.totals()
        weights = word_weights(self.weighting, totals)
        if not weights @ totals.tokens > 0:
            raise InvalidInput(
                "X must hold a document with a word of positive weight, "
                f"got none in n_samples={documents.size} (idf gives words that are in every "
                f"document the weight 0)"
            )
        self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        lengths = documents.sample(self._seed) @ weights
        lengths = (
            lengths[lengths > 0]
            if (lengths > 0).any()
            else weights @ totals.tokens / documents.size
        )
        self.typical_length_ = float(np.median(lengths))
        self.noise_distribution_ = totals.word_distribution()
        self.parameters_ = initial_parameters(units, self.noise_distribution_, weights, self._seed)
        if vectors is not None:
            self.parameters_ = started_from(
                self.parameters_, vectors, self.noise_distribution_, self._seed
            )
        self.history_: list[EpochRecord] = []
        self.unit_names_: dict[int, str] = {}
        self.n_iter_ = 0
        self.noise_level_: Any = getattr(find_learner(self.learner), "noise_level", None)
        self.activity_ = np.zeros(units)
        directions = word_directions(
            documents.sample(self._seed), self.parameters_.word_weights, units, self._seed
        )
        self.balance_ = plain_balance(units, self.typical_length_, directions)
        self._run_state: dict[str, NDArray[Any]] = {}

    def _choose_noise_level(self, documents: Documents, epochs: int) -> None:
        """Tries noise levels in short runs on a part of the documents; questions from the others
        decide.
        """
        sample = HeldDocuments(documents.sample(self._seed))
        known, held_out = sample.hold_out(0.1, self._seed)
        halves = _noise_level.questions(held_out, known.sample(self._seed))
        short = _noise_level.trial_epochs(epochs, documents.size, sample.size, self.batch_size)
        steps = epochs * math.ceil(
            documents.size / self.batch_size
        )  # of the run that the trials are for

        def trial(level: float) -> float:
            run, source = self._new_run(known, short, level, paced_as=steps)
            learned = train(run, source, epochs=short).result()
            return halves.lift(
                lambda half: posteriors(learned, CountBatch.from_csr(half), engine=self._engine())
            )

        self.noise_level_scores_ = _noise_level.figures(trial, verbose=self.verbose)
        self.noise_level_ = _noise_level.best(self.noise_level_scores_)

    def _new_run(
        self, documents: Documents, epochs: int, level: Any, paced_as: int | None = None
    ) -> tuple[Run, CountSource]:
        """A run from the present parameters on, annealed over so many epochs (0: not annealed), and
        its source.

        `paced_as` is for how many steps the optimizer is set up, where these are not the run's own.
        """
        source = documents.source(self.parameters_.word_weights.astype(np.float64))
        steps_before = int(self._run_state.get("steps", 0))
        steps = epochs * math.ceil(source.documents / self.batch_size)
        # A part of a stream says nothing of how many documents there are.
        known = source.documents if epochs else defaults.FEW
        settings = self._settings(level, steps if paced_as is None else paced_as, known)
        settings = replace(settings, planned_steps=steps_before + steps if epochs else 0)
        sizes = {"documents": documents.rows, "longest": source.longest}
        run = Run(
            self.parameters_.copy(),
            self.noise_distribution_,
            settings,
            **sizes,
            engine=self._engine(),
        )
        run.adopt(self._run_state, epoch=self.n_iter_)
        return run, source

    def _train(
        self,
        documents: Documents,
        epochs: int,
        stopping: _fitting.EarlyStopping | None,
        *,
        annealed: bool = False,
    ) -> None:
        run, source = self._new_run(documents, epochs if annealed else 0, self.noise_level_)
        watch = stopping or (
            _fitting.SplitHalf(documents.sample(self._seed)) if self.verbose else None
        )
        try:
            _fitting.run_epochs(
                run,
                source,
                epochs=self.n_iter_ + epochs,
                watch=watch,
                callbacks=self.callbacks or (),
                caller=self,
                verbose=self.verbose,
            )
        except (
            KeyboardInterrupt
        ):  # what was learned so far is kept; after any other error, what was there before
            self._keep(run, documents, stopping)
            raise
        self._keep(run, documents, stopping)

    def _keep(
        self, run: Run, documents: Documents, stopping: _fitting.EarlyStopping | None
    ) -> None:
        best = stopping.parameters if stopping else None
        self.parameters_ = run.result() if best is None else best
        self.history_ = [*self.history_, *run.history]
        self.n_iter_ = run.epoch
        self._run_state = run.carried_state()
        sample = documents.sample(self._seed)
        self.activity_ = self._activity(sample)
        filled = int((sample @ self.parameters_.word_weights > 0).sum())
        warn_of_dead_units(np.round(self.activity_ * sample.shape[0]) / max(filled, 1), run.steps)
        self.balance_ = balance_of(
            *(
                self.parameters_,
                self._blocks(sample),
                self.typical_length_,
                self.balance_.directions,
            ),
            engine=self._engine(),
        )

    def _settings(self, noise_level: Any, steps: int, documents: int) -> Settings:
        learner = defaults.suited(find_learner(self.learner), noise_level, self.typical_length_)
        return Settings(
            learner=learner,
            optimizer=defaults.make_optimizer(self.optimizer, learner, steps, self.typical_length_),
            sparsity=defaults.make_sparsity(
                self.sparsity_target, self.sparsity_cost, self.typical_length_, documents
            ),
            averaging=self.averaging,
            batch_size=self.batch_size,
            seed=self._seed,
        )

    def _activity(self, counts: sparse.csr_array) -> NDArray[np.float64]:
        on, engine = np.zeros(self.parameters_.units), self._engine()
        for block in self._blocks(counts):
            on += (posteriors(self.parameters_, block, engine=engine) > 0.5).sum(axis=0)
        return on / max(counts.shape[0], 1)

    def add_words(self, number: int) -> Self:
        """Appends words to the vocabulary; units keep their ids, and old words their columns.

        A new word weighs as much as the rarest old one, has its share among the noise, and no pull
        yet: `partial_fit` teaches it.

        Parameters
        ----------
        number : int
            How many.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> model.add_words(2).n_features_in_
        6
        """
        check_is_fitted(self)
        added = _check.whole_number("number", number, at_least=0)
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            raise InvalidInput(
                "add_words must be used on a model fitted without column names, got one with names"
            )
        self.parameters_, self.noise_distribution_ = with_more_words(
            self.parameters_, self.noise_distribution_, added, self._seed
        )
        self.n_features_in_ = self.parameters_.words
        directions = with_more_rows(self.balance_.directions, self.parameters_.words)
        self.balance_ = replace(self.balance_, directions=directions)
        return self

    # What was learned

    @property
    def components_(self) -> NDArray[np.float32]:
        """Weights, (H, K)."""
        check_is_fitted(self)
        return self.parameters_.weights.T

    @property
    def hidden_bias_(self) -> NDArray[np.float32]:
        """a, (H,)."""
        check_is_fitted(self)
        return self.parameters_.hidden_bias

    @property
    def visible_bias_(self) -> NDArray[np.float32]:
        """b, (K,)."""
        check_is_fitted(self)
        return self.parameters_.visible_bias

    @property
    def word_weights_(self) -> NDArray[np.float32]:
        """w, (K,)."""
        check_is_fitted(self)
        return self.parameters_.word_weights

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self.balance_.width if self.features == "balanced" else self.parameters_.units

    # Using it

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Document vectors, of the kind that `features` names.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.

        Returns
        -------
        array (documents, dimensions)
            H numbers, and more where they are "balanced". An empty document gets 0 (balanced,
            activation), 1/2 (posterior, soft) or log(1 + log 2) (strength).

        Examples
        --------
        >>> model.transform([[1, 2, 0, 0], [0, 0, 0, 0]])[1].any()
        np.False_
        """
        self._check_features()
        return self.encode(X, kind=self.features)

    def encode(self, X: Any, kind: str | None = None) -> NDArray[Any]:
        """Document vectors of any kind.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        kind : {"balanced", "posterior", "soft", "activation", "strength", "code"} or None
            "code" is posterior > 1/2, as packed bits; the others are those of `features`, which is
            taken where it is None.

        Returns
        -------
        array (documents, dimensions)
            Vectors; of codes, bytes.

        Examples
        --------
        >>> model.encode(counts, "posterior").shape, model.encode(counts, "code").shape
        ((200, 8), (200, 1))
        """
        chosen = _check.one_of("kind", self.features if kind is None else kind, VECTOR_KINDS)
        counts = self._fitted_counts(X)
        return self._encoded(counts, chosen)

    def free_energy(self, X: Any) -> NDArray[np.float64]:
        """F(V) of each document: low for what the model finds likely among documents of the same
        length.

        A model learned by "cd", "pcd" or "nce" approaches the distribution of the data. One learned
        by "alpha-nce" is a feature extractor: its energies are not calibrated, and serve to compare
        documents of one length at most.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.

        Returns
        -------
        array (documents,)
            Energies.

        Examples
        --------
        >>> model.free_energy(counts).shape
        (200,)
        """
        counts = self._fitted_counts(X)
        blocks = [
            free_energies(self.parameters_, block, engine=self._engine())
            for block in self._blocks(counts)
        ]
        return np.concatenate(blocks)

    def reconstruct(self, X: Any) -> NDArray[np.float64]:
        """P(word | E[h | document]): what words the model expects beside those of a document.

        Under "alpha-nce" these are not calibrated probabilities (see `free_energy`), but their
        order tells what belongs to the document.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.

        Returns
        -------
        array (documents, words)
            Dense, so for a few documents at a time; rows sum to 1.

        Examples
        --------
        >>> model.reconstruct(counts[:1]).sum().round(3)
        np.float64(1.0)
        """
        on = self._encoded(self._fitted_counts(X), "posterior")
        return words_given_hidden(self.parameters_, on)

    def sample(
        self, lengths: ArrayLike, n_steps: int = 100, random_state: Any = None
    ) -> sparse.csr_array:
        """Documents drawn by Gibbs sampling from noise.

        Samples of a model learned by "alpha-nce" are not calibrated (see `free_energy`).

        Parameters
        ----------
        lengths : array-like of int
            Tokens of each document.
        n_steps : int
            Steps of the chain.
        random_state : int, RandomState or None
            The same seed draws the same documents.

        Returns
        -------
        sparse array (documents, words)
            Counts (CSR).

        Examples
        --------
        >>> model.sample([5, 9], random_state=0).sum(axis=1).tolist()
        [5, 9]
        """
        check_is_fitted(self)
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        drawn = sample_documents(
            self.parameters_, lengths, n_steps=n_steps, seed=seed, engine=self._engine()
        )
        rows = np.repeat(np.arange(drawn.size), np.diff(drawn.starts))
        shape = (drawn.size, self.parameters_.words)
        return sparse.coo_array((drawn.counts, (rows, drawn.words)), shape=shape).tocsr()

    def score(self, X: Any, y: Any = None) -> float:
        """Split-half retrieval: how often one half of a document's tokens finds the other, as a
        mean reciprocal rank.

        It needs no labels, so a grid search can choose with it. At most 2,000 documents are taken,
        by a seed of its own; ties count against; documents of fewer than two tokens are left out.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        y : None
            Ignored.

        Returns
        -------
        float
            From 0 to 1.

        Examples
        --------
        >>> 0 < model.score(counts) < 1
        True
        """
        return split_half_score(
            lambda half: self._encoded(half, self.features), self._fitted_counts(X), seed=0
        )

    # Topics

    def units(self, n_words: int = 10, *, words: Sequence[str] | None = None) -> list[Unit]:
        """The hidden units, with the words that push each up and down.

        Parameters
        ----------
        n_words : int
            Words of each, either way.
        words : sequence of str or None
            Names of the columns of X, where X itself had none (a matrix has none).

        Returns
        -------
        list of Unit
            The most active first.

        Examples
        --------
        >>> unit = model.units(2, words=["moon", "rocket", "cake", "pear"])[0]
        >>> len(unit.up), 0 <= unit.activity <= 1
        (2, True)
        """
        check_is_fitted(self)
        count = _check.whole_number("n_words", n_words, at_least=1)
        if words is not None and len(words) != self.parameters_.words:
            raise InvalidInput(
                f"words must name {self.parameters_.words} columns, got {len(words)}"
            )
        words = self._words() if words is None else words
        shares = self.noise_distribution_
        return describe(self.parameters_, shares, words, self.activity_, self.unit_names_, count)

    def name_units(self, names: Mapping[int, str]) -> Self:
        """Gives units names of your own; they are saved with the model.

        Parameters
        ----------
        names : mapping of int to str
            Number -> name.

        Returns
        -------
        self
            The model.

        Raises
        ------
        InvalidInput
            For a unit that there is not, or an empty name.

        Examples
        --------
        >>> [unit.name for unit in model.name_units({3: "Space"}).units() if unit.id == 3]
        ['Space']
        """
        check_is_fitted(self)
        for unit, name in names.items():
            if unit not in range(self.parameters_.units):
                raise InvalidInput(
                    f"names must be of units 0 to {self.parameters_.units - 1}, got {unit!r}"
                )
            if not name or type(name) is not str:
                raise InvalidInput(f"the name of unit {unit} must be a text, got {name!r}")
        self.unit_names_ = {**self.unit_names_, **{int(unit): name for unit, name in names.items()}}
        return self

    def document_units(self, X: Any, *, words: Sequence[str] | None = None) -> list[DocumentUnits]:
        """The units that each document switches on, with their strength.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        words : sequence of str or None
            As in `units`.

        Returns
        -------
        list of DocumentUnits
            The strongest unit first.

        Examples
        --------
        >>> len(model.document_units(counts[:3]))
        3
        """
        on = self._encoded(self._fitted_counts(X), "posterior")
        names = {topic.id: topic.name for topic in self.units(n_words=3, words=words)}
        return units_of_documents(on, [names[unit] for unit in range(len(names))])

    def attribute(self, X: Any, component: int) -> sparse.csr_array:
        """How much each word moved a unit in each document.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        component : int
            The number of the unit.

        Returns
        -------
        sparse array (documents, words)
            A row sums to the unit's input, exactly.

        Examples
        --------
        >>> model.attribute(counts, 3).shape
        (200, 4)
        """
        counts = self._fitted_counts(X)
        unit = _check.whole_number("component", component, at_least=0)
        if unit >= self.parameters_.units:
            raise InvalidInput(
                f"component must be below {self.parameters_.units}, got {component!r}"
            )
        return attributions(self.parameters_, counts, unit)

    # Files

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the model to a folder, from which `undertow.load` brings it back.

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
            Where it is there already.

        Examples
        --------
        >>> undertow.load(model.save("counted", overwrite=True)).n_features_in_
        4
        """
        check_is_fitted(self)
        return store(self, path, overwrite=overwrite)

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
        ReplicatedSoftmax
            The model.

        Examples
        --------
        >>> stored = undertow.storage.load_model(model.save("stored", overwrite=True))
        >>> undertow.ReplicatedSoftmax.from_stored(stored, "stored").n_features_in_
        4
        """
        return restore(cls(), stored, path)

    # Helpers

    def _counts(self, X: Any, *, reset: bool) -> sparse.csr_array:
        checked = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype="numeric", ensure_non_negative=True
        )
        return transformed_counts(checked, self.count_transform)

    def _fitted_counts(self, X: Any) -> sparse.csr_array:
        check_is_fitted(self)
        return self._counts(X, reset=False)

    def _encoded(self, counts: sparse.csr_array, kind: str) -> NDArray[Any]:
        measures, engine = Measures(self.typical_length_, self.balance_), self._engine()
        return np.concatenate(
            [
                encode(kind, self.parameters_, block, measures, engine=engine)
                for block in self._blocks(counts)
            ]
        )

    def _engine(self) -> Engine:
        return find_engine(self.engine, threads=self.n_jobs)

    @staticmethod
    def _blocks(counts: sparse.csr_array) -> list[CountBatch]:
        starts = range(0, max(counts.shape[0], 1), BLOCK)
        return [
            CountBatch.from_csr(counts[first : first + BLOCK], first_id=first) for first in starts
        ]

    def _check_features(self) -> None:
        _check.one_of("features", self.features, FEATURES)

    def _words(self) -> list[str]:
        if hasattr(self, "feature_names_in_"):
            return [str(word) for word in self.feature_names_in_]
        return [f"word {number}" for number in range(self.parameters_.words)]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "parameters_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags
