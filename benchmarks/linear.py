"""A linear classifier for vectors of any kind, dense or sparse, that works with one label a class
and with thousands.

Softmax regression (of two labels: logistic). Vectors are centred by the mean of the vectors that a
model learned from, which needs no labels, and divided by one number, the root mean square of their
distances from it, so that one grid of regularisations serves all kinds, LSA and words too. Sparse
vectors are not centred: the intercept is free, so that the optimum is the same.

The regularisation (scikit-learn's C: the smaller, the stronger) is the one that tells most labels
of labelled documents that were left out, fold by fold; of equals, the one nearest to the usual one,
which is also taken where there are too few labels to leave any out. The usual one was chosen on
training documents with one label a class; docs/few_labels.md has the figures, and docs/sizes.md
says what was tried and seen before the rule was settled.

`undertow.tasks.probe_accuracy` chooses by a seventh of the documents and takes the strongest of
equals. With a few hundred documents of twenty labels that is a lottery, which is why this is here.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

REGULARISATIONS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
USUAL = 1.0
MOST_ITERATIONS = 300

Labels = NDArray[Any]


@dataclass(frozen=True)
class Scale:
    """Where vectors lie, and how far from there in the mean."""

    centre: NDArray[np.float64] | None  # None for sparse vectors
    length: float

    @classmethod
    def of(cls, vectors: Any) -> Scale:
        """That of the vectors of unlabelled documents."""
        if isinstance(vectors, sparse.csr_array):
            mean = np.asarray(vectors.mean(axis=0)).ravel()
            square = float(vectors.multiply(vectors).sum()) / vectors.shape[0] - float(mean @ mean)
            return cls(None, float(np.sqrt(max(square, 0.0))) or 1.0)
        wide = np.asarray(vectors, dtype=np.float64)
        centre = wide.mean(axis=0)
        return cls(centre, float(np.sqrt(np.mean(((wide - centre) ** 2).sum(axis=1)))) or 1.0)

    def __call__(self, vectors: Any) -> Any:
        """The vectors, centred and scaled."""
        return (
            vectors / self.length if self.centre is None else (vectors - self.centre) / self.length
        )


def chosen(vectors: Any, labels: Labels, folds: Sequence[NDArray[np.bool_]]) -> float:
    """The regularisation that tells most labels of the documents that each fold leaves out."""
    told = {
        c: sum(
            left_out.sum()
            * accuracy(
                vectors[~left_out], labels[~left_out], vectors[left_out], labels[left_out], c
            )
            for left_out in folds
        )
        for c in REGULARISATIONS
    }
    most = max(told.values())
    equals = [
        c for c, number in told.items() if number > most - 0.5
    ]  # numbers of documents, but for rounding
    return min(equals, key=lambda c: abs(np.log(c / USUAL)))


def accuracy(
    vectors: Any, labels: Labels, asked: Any, wanted: Labels, regularisation: float
) -> float:
    """The share of asked vectors whose label the classifier tells; a label that it never saw counts
    as missed.
    """
    return float(np.mean(_fitted(vectors, labels, regularisation).predict(asked) == wanted))


def stratified(labels: Labels, number: int, seed: int = 0) -> list[NDArray[np.bool_]]:
    """So many parts of the documents, each with its share of every label, drawn by the seed."""
    generator = np.random.default_rng(seed)
    part = np.zeros(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        rows = generator.permutation(np.flatnonzero(labels == label))
        part[rows] = np.arange(len(rows)) % number
    return [part == one for one in range(number)]


def _fitted(vectors: Any, labels: Labels, c: float) -> LogisticRegression:
    probe = LogisticRegression(C=c, max_iter=MOST_ITERATIONS, tol=1e-3)
    with warnings.catch_warnings():
        # Stopped short, a probe is a little more regularised than asked for; its accuracy still
        # says what it tells.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return probe.fit(vectors, labels)
