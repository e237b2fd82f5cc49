"""The scikit-learn estimator: validates, delegates to the engine, and stores what was learned under
`name_`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from undertow import _check
from undertow._errors import InvalidInput
from undertow.estimators import _training
from undertow.estimators._base import Base
from undertow.estimators._count_units import CountUnits
from undertow.estimators._display import TopicsDisplay
from undertow.estimators._documents import Documents, HeldDocuments, SpooledDocuments
from undertow.estimators._saving import Saving, saving_to
from undertow.estimators._stored import restore, store
from undertow.learn import EpochRecord
from undertow.model import Parameters, with_more_words
from undertow.spool import CountSpool
from undertow.storage import StoredModel
from undertow.vectors.directions import with_more_rows


class ReplicatedSoftmax(TopicsDisplay, CountUnits, Base):
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
        "alpha-nce", "nce", "cd", "pcd", "mh-cd", "ratio-matching", or a learner of `undertow.learn`
        with options of its own, as `AlphaNCE`; or a learner of your own, by its name or as an
        object (`undertow.Learner`).
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
        where fewer than 4,500 steps are planned (at 1,500: rate times 2, L2 times 3). With
        replicas, the rate goes by the steps of each, and L2 by those of all.
    sparsity_target, sparsity_cost : float
        Presses the mean activity of every unit towards the target; cost 0 switches it off. "auto"
        is 0.3, and less where documents are long, or fewer than 1,000.
    averaging : float
        Decay of a running average of the parameters, which is what is kept; 0 for none.
    batch_size : int
        Documents per step.
    replicas : int or "auto"
        Copies of the model that are trained side by side, each on documents of its own, and
        averaged every few steps: what uses many cores. Each is carried out by one thread, or by up
        to four. It is part of the result, and n_jobs is not. "auto" is 1 below 50,000 documents,
        then 2, and 4 from 100,000 on; fewer where they would take more than 2 GiB. It is 1 on a
        card, with another learner or optimizer, and where no end is planned (early stopping,
        `partial_fit`).
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
        What computes: "cpu"; "torch", PyTorch on the device; "reference", the same in plain NumPy
        and float64, for tests of small models; or an engine of your own (`undertow.Engine`), which
        is taken as it is.
    device : str
        "cpu"; "cuda", or "cuda:1" for one of several cards, where the engine "torch" computes; or
        "auto", for a card where PyTorch sees one. It belongs to the machine: a saved model does
        not hold it, and one that was trained on a card loads anywhere. Cards are not yet measured.
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
    codes_
        What codes go by, from the training documents (of a stream, turns from the first of them);
        None in a model of an earlier version, whose codes say which posteriors are above 1/2.
    noise_level_, noise_level_scores_
        The noise level trained with, chosen where it was "auto" (None for a learner without noise),
        and the figure of each level tried (`undertow.tasks.UnseenHalves`).
    activity_ : array (H,)
        Share of the training documents that switch each unit on.
    dead_units_ : array of int
        Units that were off, or on, in every training document, whatever it held; `revive` starts
        them anew. None in a model of an earlier version, which did not say.
    calibrated_ : bool or None
        Whether free energies and samples mean what they say: the learner follows the likelihood.
    history_ : list of EpochRecord
        Of each epoch: loss, seconds (and how many of them the kernels waited for documents),
        tokens, activity, dead units, split-half.
    n_iter_, n_features_in_, feature_names_in_
        Epochs done; the number of words, and their names where X had column names.
    """

    noise_level_: Any
    dead_units_: NDArray[np.intp] | None
    history_: list[EpochRecord]
    n_iter_: int
    _seed: int
    _run_state: dict[str, NDArray[Any]]

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
        replicas: int | Literal["auto"] = "auto",
        max_epochs: int | Literal["auto"] = "auto",
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        callbacks: Sequence[Callable[[Any, EpochRecord], bool | None]] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: Any = "cpu",
        device: str = "cpu",
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
        self.replicas = replicas
        self.max_epochs = max_epochs
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.device = device
        self.verbose = verbose

    # Learning

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        word_vectors: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float | str | None = None,
        resume: bool = False,
    ) -> Self:
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
        checkpoint : path or None
            A folder of its own that training is saved to while it goes on, so that it can go on
            after the process was killed. It stays there: remove it once the model is saved.
        checkpoint_every : str, float or None
            How often: a time ("30s", "10min", "2h", or seconds), "1epoch" or "500steps". None for
            10 minutes. Ctrl-C saves, too, and so does the end.
        resume : bool
            Go on from the checkpoint, with the same counts and options; begin where there is none.
            The parameters are to the bit those of a fit that was never stopped (engine "cpu").

        Returns
        -------
        self
            The model.

        Raises
        ------
        InvalidInput
            For counts or options that are not what they must be, or those of the checkpoint.
        TrainingDiverged
            Where parameters are no longer finite: a smaller learning rate helps.

        Examples
        --------
        >>> model.fit(counts).n_iter_
        20
        """
        with saving_to(checkpoint, checkpoint_every, resume, self) as saving:
            return self._fit_held(X, word_vectors, saving)

    def _fit_held(self, X: Any, word_vectors: Any, saving: Saving | None) -> Self:
        """As `fit`, saved by whoever calls."""
        again = self._goes_on(word_vectors)
        counts = self._counts(X, reset=not again)
        return self._learn(HeldDocuments(counts), again, word_vectors, saving, counts)

    def _fit_spool(
        self, spool: CountSpool, word_vectors: Any = None, saving: Saving | None = None
    ) -> Self:
        """As `fit`, from transformed counts on disk. What is a mean over documents is that of a
        sample of them.
        """
        documents, words = SpooledDocuments(spool), spool.vocabulary_size
        return self._fit_documents(documents, words, word_vectors, saving, spool)

    def _fit_documents(
        self,
        documents: Documents,
        words: int,
        word_vectors: Any = None,
        saving: Saving | None = None,
        counts: Any = None,
    ) -> Self:
        """As `fit`, from transformed counts wherever they are."""
        again = self._goes_on(word_vectors)
        if not again:
            self.n_features_in_ = words
        return self._learn(documents, again, word_vectors, saving, counts)

    def _learn(
        self,
        documents: Documents,
        again: bool,
        word_vectors: Any,
        saving: Saving | None,
        counts: Any,
    ) -> Self:
        if not again:
            seed = None if saving is None else saving.seed
            _training.begin(self, documents, word_vectors, seed)
        if saving is not None:
            saving.begin(self._seed, counts, word_vectors)
        _training.learn(self, documents, saving)
        return self

    def _goes_on(self, word_vectors: Any) -> bool:
        """Whether `fit` goes on from what was learned before."""
        again = bool(self.warm_start) and hasattr(self, "parameters_")
        if again and word_vectors is not None:
            raise InvalidInput(
                "word_vectors must be left out where warm_start goes on from a fitted model, got "
                "some"
            )
        return again

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
            _training.begin(self, documents)
        _training.one_more_epoch(self, documents)
        return self

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

    def revive(self, units: Sequence[int] | None = None) -> Self:
        """Starts dead units anew, from small weights; the others stay as they are.

        What they are to say, `partial_fit` or `fit` with `warm_start` teaches them, with an
        optimizer that starts anew as well. Until then, they say next to nothing.

        Parameters
        ----------
        units : sequence of int or None
            Which ones; those of `dead_units_` where none are named.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> before = model.hidden_bias_.copy()
        >>> (model.revive([2]).hidden_bias_ != before).nonzero()[0].tolist()
        [2]
        """
        check_is_fitted(self)
        _training.revive(self, self.dead_units_ if units is None else units)
        return self

    def _first(self, parameters: Parameters) -> Parameters:
        """What learning begins with, from the arrays of one layer."""
        return parameters

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

    # scikit-learn's set_output reaches a transform that the class itself defines, no inherited one
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
        >>> type(model).from_stored(stored, "stored").n_features_in_
        4
        """
        return restore(cls(), stored, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "parameters_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags
