"""The scikit-learn estimator of vectors that tell tokens from noise: `undertow.TokenContrast`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from undertow import _check
from undertow._errors import InvalidInput
from undertow.kernels.cores import thread_count
from undertow.vectors.token_contrast import (
    TokenParameters,
    TokenSettings,
    learn_tokens,
    token_vectors,
)


# scikit-learn has no stubs
class TokenContrast(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Document vectors from counts of words and n-grams, for linear classifiers.

    A document's vector h tells its n-grams from n-grams that are drawn from the corpus: n-gram k is
    one of the document's with probability sigmoid(W_k.h - log n_noise). What a step costs does not
    depend on the number of n-grams, so hundreds of thousands can be told apart. It takes no part in
    topics, search and model folders: those are `TopicModel`'s.

    It begins with the directions in which documents differ most, and improves on them, n-gram by
    n-gram. docs/family.md (Word order) says how, when to use it, and what it reaches.

    Examples
    --------
    >>> import undertow
    >>> from sklearn.pipeline import make_pipeline
    >>> good = ["not bad at all, a good film", "good fun, a film not to miss", "not a bad film"]
    >>> bad = ["not good at all, a bad film", "bad, not good fun", "a film to miss, not good"]
    >>> texts, labels = (good + bad) * 5, [1, 1, 1, 0, 0, 0] * 5
    >>> counter = undertow.Vectorizer(ngram_range=(1, 2))
    >>> contrast = undertow.TokenContrast(4, random_state=0)
    >>> vectors = make_pipeline(counter, contrast).fit(texts)
    >>> vectors.transform(["not good, a bad film"]).shape
    (1, 4)
    >>> counts = counter.transform(texts)

    Parameters
    ----------
    n_components : int
        The numbers of a vector.
    n_noise : int
        Noise n-grams for each n-gram of a document.
    max_epochs : int
        Passes over the documents, in which the weights of n-grams are learned; 0 leaves them at
        the means of the documents that hold them.
    n_steps : int
        Passes over a document whose vector is inferred.
    learning_rate : float
        How far steps go at first; they fall to nothing.
    callbacks : sequence of callables, or None
        Functions of (estimator, epoch), called after each epoch, counted from 1; a true answer ends
        the training.
    random_state : int, RandomState or None
        The same seed gives the same bits for any `n_jobs`.
    n_jobs : int or None
        Threads of `transform`; None for one per core. `fit` has one, since n-grams are learned
        document after document.

    Attributes
    ----------
    components_ : array (H, K)
        The weights of n-grams.
    n_iter_ : int
        Epochs that were made.
    """

    parameters_: TokenParameters

    def __init__(
        self,
        n_components: int = 128,
        *,
        n_noise: int = 5,
        max_epochs: int = 4,
        n_steps: int = 4,
        learning_rate: float = 0.1,
        callbacks: Sequence[Callable[[Any, int], bool | None]] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_noise = n_noise
        self.max_epochs = max_epochs
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.callbacks = callbacks
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns the weights of n-grams from the counts of documents.

        Parameters
        ----------
        X : array-like or sparse matrix (documents, n-grams)
            Counts, or any numbers of at least 0.
        y : None
            Ignored.

        Returns
        -------
        self

        Raises
        ------
        InvalidInput
            Where an option is out of range, or no document holds anything.
        TrainingDiverged
            Where the rate is too high.

        Examples
        --------
        >>> contrast.fit(counts).components_.shape == (4, counts.shape[1])
        True
        """
        self._learn(self._counts(X, reset=True))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float32]:
        """`fit`, and the vectors of the same documents, as `transform` infers them.

        Parameters
        ----------
        X : array-like or sparse matrix (documents, n-grams)
            Counts.
        y : None
            Ignored.

        Returns
        -------
        array of float32, (documents, n_components)
            Vectors.

        Examples
        --------
        >>> contrast.fit_transform(counts).shape
        (30, 4)
        """
        return self.fit(X).transform(X)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The vectors of documents: each a function of its document alone.

        Parameters
        ----------
        X : array-like or sparse matrix (documents, n-grams)
            Counts.

        Returns
        -------
        array of float32, (documents, n_components)
            Vectors. A document without a known n-gram gets zeros.

        Examples
        --------
        >>> bool((contrast.transform(counts)[:1] == contrast.transform(counts[:1])).all())
        True
        """
        check_is_fitted(self)
        counts = self._counts(X, reset=False)
        return token_vectors(counts, self.parameters_, self._settings(), thread_count(self.n_jobs))

    def _learn(self, counts: sparse.csr_array) -> None:
        units = _check.whole_number("n_components", self.n_components, at_least=1)
        if not counts.nnz:
            raise InvalidInput("X must hold at least one count above 0, got none")
        self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.parameters_, self.n_iter_ = learn_tokens(
            counts, units, self._settings(), show=self._after_epoch
        )

    def _after_epoch(self, epoch: int) -> bool:
        answers = [callback(self, epoch) for callback in self.callbacks or ()]  # all are called
        return any(answers)

    def _settings(self) -> TokenSettings:
        return TokenSettings(
            n_noise=_check.whole_number("n_noise", self.n_noise, at_least=1),
            epochs=_check.whole_number("max_epochs", self.max_epochs, at_least=0),
            steps=_check.whole_number("n_steps", self.n_steps, at_least=0),
            rate=_check.number("learning_rate", self.learning_rate, above=0.0),
            seed=self._seed,
        )

    def _counts(self, X: Any, *, reset: bool) -> sparse.csr_array:
        checked = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype="numeric", ensure_non_negative=True
        )
        counts = sparse.csr_array(checked)
        counts.sum_duplicates()  # and no word twice
        counts.eliminate_zeros()
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def components_(self) -> NDArray[np.float32]:
        """(H, K) The weights of n-grams."""
        check_is_fitted(self)
        return self.parameters_.weights.T

    @property
    def _n_features_out(self) -> int:
        return len(self.parameters_.middle)
