"""How likely documents are to a `ReplicatedSoftmax`, and whether its energies mean that."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from undertow import _check
from undertow._errors import InvalidInput
from undertow.estimators import _progress
from undertow.estimators._count_vectors import CountVectors
from undertow.estimators.model_inputs import seed_of
from undertow.learn.registry import find_learner
from undertow.vectors import Annealing, LogNormalisers, Perplexity, log_normalisers, posteriors
from undertow.vectors.likelihood import perplexity_of

logger = logging.getLogger("undertow")


class CountLikelihood(CountVectors):
    """Log-probabilities and perplexity."""

    learner: Any
    verbose: int
    noise_distribution_: NDArray[np.float64]

    @property
    def calibrated_(self) -> bool | None:
        """Whether the model was learned so that it approaches the distribution of the documents:
        then free energies and samples mean what they say. None for a learner that does not tell.
        """
        check_is_fitted(self)
        tells = getattr(find_learner(self.learner), "calibrates", None)
        weighted = bool((self.parameters_.word_weights != 1.0).any())
        return None if tells is None else bool(tells(weighted=weighted))

    def log_likelihood(
        self,
        X: Any,
        *,
        method: str = "auto",
        n_temperatures: int = 1000,
        n_chains: int = 100,
        random_state: Any = None,
    ) -> NDArray[np.float64]:
        """log p(document | its number of words): of the sequence of its words, of which the model
        sees the counts after `count_transform` only.

        It is a true statement of the model's own normalised distribution, whatever it was learned
        by; a model that is not calibrated (`calibrated_`) usually gives documents little.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        method : {"auto", "exact", "annealing"}
            How log Z is found: as a sum over all hidden states where these are few (16 units and
            2,000 words, say), else by annealed importance sampling.
        n_temperatures, n_chains : int
            Steps and number of chains: more of either are more exact.
        random_state : int, RandomState or None
            The same seed gives the same numbers.

        Returns
        -------
        array (documents,)
            Log-probabilities; 0 of an empty document.

        Examples
        --------
        >>> model.log_likelihood([[1, 0, 0, 0], [0, 0, 0, 0]]).shape
        (2,)
        """
        return self._log_likelihoods(
            X, self._annealing(method, n_temperatures, n_chains, random_state)
        )

    def _log_likelihoods(self, X: Any, how: Annealing, inference: str = "") -> NDArray[np.float64]:
        counts = self._fitted_counts(X)
        tokens = _tokens(counts)
        result = self._log_sums(counts, how, inference)
        result -= self._log_normalisers(counts, tokens, how).of(tokens)
        result[tokens == 0] = 0.0  # exactly
        return result

    def perplexity(
        self,
        X: Any,
        *,
        method: str = "auto",
        n_temperatures: int = 1000,
        n_chains: int = 100,
        confidence: float = 0.95,
        random_state: Any = None,
    ) -> Perplexity:
        """exp of the mean over documents of -log p(document) / D, with intervals.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts; empty documents are left out.
        method, n_temperatures, n_chains, random_state
            As of `log_likelihood`.
        confidence : float
            Of the intervals.

        Returns
        -------
        Perplexity
            The value (`float(...)` gives it), what annealing leaves open, the spread over
            documents, and the perplexity of the unigram beside it.

        Raises
        ------
        InvalidInput
            Where all documents are empty.

        Examples
        --------
        >>> found = model.perplexity(counts)
        >>> found.exact, found.documents, found.low <= found.value <= found.high
        (True, 200, True)
        """
        how = self._annealing(method, n_temperatures, n_chains, random_state)
        return self._perplexity(X, how, confidence)

    def _perplexity(
        self, X: Any, how: Annealing, confidence: float, inference: str = ""
    ) -> Perplexity:
        counts = self._fitted_counts(X)
        _check.number("confidence", confidence, above=0.0, below=1.0)
        counts = counts[_tokens(counts) > 0]
        tokens = _tokens(counts)
        if not len(tokens):
            raise InvalidInput("X must hold a document with a word, got empty ones alone")
        return perplexity_of(
            -self._log_sums(counts, how, inference),
            counts @ np.log(self.noise_distribution_),
            tokens,
            self._log_normalisers(counts, tokens, how),
            confidence=confidence,
            calibrated=self.calibrated_,
        )

    def _log_sums(
        self, counts: sparse.csr_array, how: Annealing, inference: str
    ) -> NDArray[np.float64]:
        """log p*(document), before it is normalised; `inference` is for what is not known then."""
        return -self._energies(counts)

    def _log_normalisers(
        self, counts: sparse.csr_array, tokens: NDArray[np.int64], how: Annealing
    ) -> LogNormalisers:
        """Of the lengths of these documents, at some of which chains of the way down begin."""
        rows = np.flatnonzero(tokens)
        rows = rows[np.linspace(0, len(rows) - 1, min(how.chains, len(rows))).astype(np.int64)]
        blocks, engine = self._blocks(counts[rows]), self._engine()
        start = np.concatenate([posteriors(self.parameters_, one, engine=engine) for one in blocks])
        with _progress.annealing(self.verbose) as told:
            return log_normalisers(
                self.parameters_, tokens, how, start=start, engine=engine, told=told
            )

    @staticmethod
    def _annealing(method: str, temperatures: int, chains: int, random_state: Any) -> Annealing:
        seed = seed_of(random_state)
        return Annealing(method, temperatures, chains, seed)

    def _say_if_not_calibrated(self, what: str) -> None:
        if self.calibrated_ is False:
            logger.warning(
                "%s of this model are not calibrated: it was learned to tell documents apart, not "
                "to give them probabilities. For these, train with learner='cd' or 'pcd' and "
                "weighting=None",
                what,
            )


def _tokens(counts: sparse.csr_array) -> NDArray[np.int64]:
    return np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
