"""What a Replicated Softmax says of documents that are given as counts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from undertow import _check
from undertow.counts import CountBatch
from undertow.engines import Engine, find_engine
from undertow.estimators.model_inputs import seed_of, transformed_counts
from undertow.model import Parameters, words_given_hidden
from undertow.tasks import split_half_score
from undertow.vectors import (
    FEATURES,
    VECTOR_KINDS,
    Balance,
    Codes,
    Measures,
    encode,
    free_energies,
    sample_documents,
)

BLOCK = 16384  # documents that are encoded at a time
PART = 2048  # and of many, those of a part, whose vectors stay in a core's cache


class CountVectors:
    """Counts as vectors and energies, and documents that the model draws itself."""

    count_transform: str | None
    features: str
    n_jobs: int | None
    engine: Any
    device: str
    parameters_: Parameters
    typical_length_: float
    balance_: Balance
    codes_: Codes | None

    def encode(self, X: Any, kind: str | None = None, *, n_bits: int | None = None) -> NDArray[Any]:
        """Document vectors of any kind.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        kind : {"balanced", "posterior", "soft", "activation", "strength", "code"} or None
            "code" is bits, packed into bytes, which are the nearer to each other the more of them
            are equal; the others are those of `features`, which is taken where it is None.
        n_bits : int or None
            Of codes: 32, 64, 128 or 256, where they are fewer than the units; None for one for each
            unit.

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
        return self._encoded(counts, chosen, n_bits)

    def free_energy(self, X: Any) -> NDArray[np.float64]:
        """F(V) of each document: low for what the model finds likely among documents of the same
        length.

        A model learned by "cd", "pcd", "mh-cd" or "nce" without word weights approaches the
        distribution of the data. One learned by "alpha-nce", or with word weights, is a feature
        extractor: its energies are not calibrated, and serve to compare documents of one length at
        most. `calibrated_` tells which, and a model that is not says so by a warning in the log.
        `log_likelihood` normalises.

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
        self._say_if_not_calibrated("Free energies")
        return self._energies(counts)

    def _energies(self, counts: sparse.csr_array) -> NDArray[np.float64]:
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

        Samples of a model learned by "alpha-nce" are not calibrated, and the model says so (see
        `free_energy`).

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
        self._say_if_not_calibrated("Samples")
        seed = seed_of(random_state)
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

    # Helpers

    def _say_if_not_calibrated(self, what: str) -> None:
        raise NotImplementedError

    def _fitted_counts(self, X: Any) -> sparse.csr_array:
        check_is_fitted(self)
        return self._counts(X, reset=False)

    def _counts(self, X: Any, *, reset: bool) -> sparse.csr_array:
        checked = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype="numeric", ensure_non_negative=True
        )
        return transformed_counts(checked, self.count_transform)

    def _check_features(self) -> None:
        _check.one_of("features", self.features, FEATURES)

    def _encoded(
        self, counts: sparse.csr_array, kind: str, n_bits: int | None = None
    ) -> NDArray[Any]:
        measures = Measures(self.typical_length_, self.balance_, self.codes_)
        engine = self._engine()
        if counts.shape[0] > BLOCK and getattr(engine, "threads", 1) > 1:
            return self._encoded_in_parts(counts, kind, n_bits, measures, engine)
        parameters = self.parameters_
        own = (parameters.weights, parameters.word_weights, self.balance_.directions)
        with engine.holding(own):
            return np.concatenate(
                [
                    encode(kind, parameters, block, measures, engine=engine, n_bits=n_bits)
                    for block in self._blocks(counts)
                ]
            )

    def _encoded_in_parts(
        self,
        counts: sparse.csr_array,
        kind: str,
        n_bits: int | None,
        measures: Measures,
        engine: Engine,
    ) -> NDArray[Any]:
        """As many parts at a time as there are threads, so that what NumPy does is shared, too."""
        firsts = range(0, counts.shape[0], PART)
        found: list[Any] = [None] * len(firsts)

        def work(number: int) -> None:
            first = firsts[number]
            part = CountBatch.from_csr(counts[first : first + PART], first_id=first)
            own = engine.replica(number, len(firsts))
            found[number] = encode(
                kind, self.parameters_, part, measures, engine=own, n_bits=n_bits
            )

        engine.together([partial(work, number) for number in range(len(firsts))])
        return np.concatenate(found)

    def _engine(self) -> Engine:
        return find_engine(self.engine, threads=self.n_jobs, device=self.device)

    @staticmethod
    def _blocks(counts: sparse.csr_array) -> list[CountBatch]:
        starts = range(0, max(counts.shape[0], 1), BLOCK)
        return [
            CountBatch.from_csr(counts[first : first + BLOCK], first_id=first) for first in starts
        ]
