"""The estimator of two layers: a `ReplicatedSoftmax` whose documents have latent words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch
from undertow.estimators.replicated_softmax import ReplicatedSoftmax
from undertow.learn import EpochRecord
from undertow.learn.registry import find_learner, learner_names
from undertow.model import Parameters, TwoLayers, latent_words_of
from undertow.vectors import Annealing, LogNormalisers, Perplexity
from undertow.vectors.latent_likelihood import annealed_log_sums, exact_log_sums
from undertow.vectors.normalisers import is_exact

INFERENCES = ("mean-field", "annealing")


class DeepReplicatedSoftmax(ReplicatedSoftmax):
    """The over-replicated softmax: a Deep Boltzmann Machine of two layers for word counts.

    Beside its words a document has latent ones, which share the weights of the words and which
    nobody sees. Where a document is short, these say what usually goes with its words; where it is
    long, they hardly count. docs/family.md has the mathematics, and what it gains.

    Examples
    --------
    >>> import numpy as np
    >>> import undertow
    >>> rng = np.random.default_rng(0)
    >>> rates = np.repeat([[3, 3, 0, 0], [0, 0, 3, 3]], 100, axis=0)  # two kinds of documents
    >>> counts = rng.poisson(rates)  # documents x words, dense or sparse
    >>> quick = {"max_epochs": 20, "random_state": 0}
    >>> model = undertow.DeepReplicatedSoftmax(8, n_latent_words=5, **quick).fit(counts)
    >>> model.transform(counts).shape
    (200, 12)
    >>> model.log_likelihood([[2, 1, 0, 0]]) > model.log_likelihood([[1, 0, 2, 0]])
    array([ True])

    Parameters
    ----------
    n_components : int
        Number of hidden units H.
    n_latent_words : int
        M, how many latent words every document has. More of them help posteriors to retrieve, and
        cost likelihood.
    learner : str or DeepDivergence
        "deep-pcd", "deep-cd", or a `DeepDivergence` with options of its own.
    weighting : "idf", None, or array (K,)
        Non-negative word weights, of latent words, too. With weights the model is not calibrated.
    sparsity_target, sparsity_cost : float
        As of `ReplicatedSoftmax`. A cost of 0 is best for likelihood, one of 10 for retrieval.
    count_transform, features, optimizer, averaging, batch_size
        As of `ReplicatedSoftmax`. "posterior" is the mean field of hidden units, and all other
        features are made of what units receive from a document's words and the latent ones.
    replicas, max_epochs, early_stopping, validation_fraction, n_iter_no_change
        As of `ReplicatedSoftmax`.
    warm_start, callbacks, random_state, n_jobs, engine, device, verbose
        As of `ReplicatedSoftmax`. Mean field is computed on the processor, whatever the engine.

    Attributes
    ----------
    parameters_ : TwoLayers
        All arrays, and M.
    components_, hidden_bias_, visible_bias_, word_weights_, noise_distribution_
        As of `ReplicatedSoftmax`, and so are the other attributes.
    """

    def __init__(
        self,
        n_components: int = 128,
        *,
        n_latent_words: int = 10,
        learner: Any = "deep-pcd",
        weighting: Any = None,
        count_transform: Literal["log"] | None = "log",
        features: Literal["balanced", "posterior", "soft", "activation", "strength"] = "balanced",
        optimizer: Any = "auto",
        sparsity_target: float = 0.1,
        sparsity_cost: float | Literal["auto"] = 0.0,
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
        super().__init__(
            n_components,
            learner=learner,
            weighting=weighting,
            count_transform=count_transform,
            features=features,
            optimizer=optimizer,
            sparsity_target=sparsity_target,
            sparsity_cost=sparsity_cost,
            averaging=averaging,
            batch_size=batch_size,
            replicas=replicas,
            max_epochs=max_epochs,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            warm_start=warm_start,
            callbacks=callbacks,
            random_state=random_state,
            n_jobs=n_jobs,
            engine=engine,
            device=device,
            verbose=verbose,
        )
        self.n_latent_words = n_latent_words

    def log_likelihood(
        self,
        X: Any,
        *,
        method: str = "auto",
        n_temperatures: int = 1000,
        n_chains: int = 100,
        random_state: Any = None,
        inference: str = "mean-field",
    ) -> NDArray[np.float64]:
        """log p(document | its number of words), or a lower bound on it.

        Where hidden units are few it is exact, as is log Z then. Else the sum over the hidden units
        and latent words of a document is not known.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        method : {"auto", "exact", "annealing"}
            How log Z is found, as of `ReplicatedSoftmax`. "exact" and "auto" take the sum over
            hidden states where these are few, for documents, too.
        n_temperatures, n_chains : int
            Of log Z.
        random_state : int, RandomState or None
            The same seed gives the same numbers.
        inference : {"mean-field", "annealing"}
            How a document's sum is found: "mean-field" gives a lower bound; "annealing" draws 10
            chains of 100 temperatures for each document, which takes a thousand times as long, is
            too low by less, and on average.

        Returns
        -------
        array (documents,)
            Log-probabilities; 0 of an empty document.

        Examples
        --------
        >>> model.log_likelihood([[1, 0, 0, 0], [0, 0, 0, 0]]).shape
        (2,)
        """
        how = self._annealing(method, n_temperatures, n_chains, random_state)
        return self._log_likelihoods(X, how, _check.one_of("inference", inference, INFERENCES))

    def perplexity(
        self,
        X: Any,
        *,
        method: str = "auto",
        n_temperatures: int = 1000,
        n_chains: int = 100,
        confidence: float = 0.95,
        random_state: Any = None,
        inference: str = "mean-field",
    ) -> Perplexity:
        """exp of the mean over documents of -log p(document) / D, with intervals.

        By mean field it is too high, never too low, but for what the intervals say of log Z.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts; empty documents are left out.
        method, n_temperatures, n_chains, random_state, inference
            As of `log_likelihood`.
        confidence : float
            Of the intervals, which hold what is not known of log Z; not the gap of `inference`.

        Returns
        -------
        Perplexity
            As of `ReplicatedSoftmax`; `exact` says that documents' sums are exact, too.

        Raises
        ------
        InvalidInput
            Where all documents are empty.

        Examples
        --------
        >>> found = model.perplexity(counts)
        >>> found.exact, found.value < found.unigram
        (True, True)
        """
        how = self._annealing(method, n_temperatures, n_chains, random_state)
        chosen = _check.one_of("inference", inference, INFERENCES)
        return self._perplexity(X, how, confidence, chosen)

    def attribute(self, X: Any, component: int) -> sparse.csr_array:
        """How much each word of a document itself moved a unit.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        component : int
            The number of the unit.

        Returns
        -------
        sparse array (documents, words)
            A row sums to what the document's own words say to the unit; the latent words, which
            follow from these, add more.

        Examples
        --------
        >>> model.attribute(counts, 3).shape
        (200, 4)
        """
        return super().attribute(X, component)

    # Seams

    def _first(self, parameters: Parameters) -> TwoLayers:
        latent = _check.whole_number("n_latent_words", self.n_latent_words, at_least=1)
        names = learner_names(2)
        if not (self.learner in names if isinstance(self.learner, str) else _is_deep(self.learner)):
            listed = ", ".join(map(repr, names))
            raise InvalidInput(
                f"learner must be one of {listed}, or a DeepDivergence, got {self.learner!r}"
            )
        return TwoLayers(**parameters.arrays(), latent_words=np.array(latent, dtype=np.float32))

    def _log_sums(
        self, counts: sparse.csr_array, how: Annealing, inference: str
    ) -> NDArray[np.float64]:
        parameters = self.parameters_
        assert isinstance(parameters, TwoLayers)
        if is_exact(how.method, parameters):
            return exact_log_sums(parameters, CountBatch.from_csr(counts))
        if inference == "mean-field":
            return -self._energies(counts)
        batch, engine = CountBatch.from_csr(counts), self._engine()
        return annealed_log_sums(parameters, batch, seed=how.seed, engine=engine)

    def _log_normalisers(
        self, counts: sparse.csr_array, tokens: NDArray[np.int64], how: Annealing
    ) -> LogNormalisers:
        """Those of documents and their latent words, which are so many words longer."""
        latent = latent_words_of(self.parameters_)
        found = super()._log_normalisers(counts, tokens + latent, how)
        return replace(found, lengths=found.lengths - latent)


def _is_deep(learner: Any) -> bool:
    """Whether it is a learner, and for two layers."""
    return getattr(find_learner(learner), "layers", 1) == 2
