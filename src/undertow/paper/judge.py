"""What document vectors are worth: models and baselines are all judged here, and so alike."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from undertow.paper.corpora import Counted
from undertow.tasks import mean_average_precision, probe_accuracy, retrieval_figures
from undertow.tasks.retrieval import RECALL_LEVELS

Encode = Callable[[sparse.csr_array], Any]
REGULARISATIONS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # C of scikit-learn
VALIDATION_EVERY = 7  # as in `undertow.tasks.probe_accuracy`
FALLS = 2  # so many weaker regularisations in a row that validate worse end the search
MOST_ITERATIONS = 300


def accuracy(encode: Encode, counted: Counted) -> float:
    """Softmax regression on dense vectors, its regularisation chosen on a part of the training
    documents.
    """
    vectors = encode(counted.train), encode(counted.test)
    return probe_accuracy(
        vectors[0], counted.train_labels, vectors[1], counted.test_labels
    ).accuracy


def retrieval(encode: Encode, counted: Counted) -> dict[str, Any]:
    """Test documents ask, training documents of the same label are right: MAP, and interpolated
    precision.
    """
    asked, found = encode(counted.test), encode(counted.train)
    figures = retrieval_figures(asked, counted.test_labels, found, counted.train_labels)
    return {
        "map": figures.mean_average_precision,
        "precision": figures.precisions.tolist(),
        "recall": list(RECALL_LEVELS),
    }


def average_precision(encode: Encode, counted: Counted) -> float:
    """MAP alone."""
    return mean_average_precision(
        encode(counted.test), counted.test_labels, encode(counted.train), counted.train_labels
    )


def sparse_accuracy(encode: Encode, counted: Counted, *, seed: int) -> float:
    """Logistic regression on sparse vectors, never made dense; C is chosen on a stratified seventh
    of train.
    """
    train, test = sparse.csr_array(encode(counted.train)), sparse.csr_array(encode(counted.test))
    known = counted.train_labels
    validates = validation_part(known, seed)
    best = chosen_regularisation(
        lambda c: _fitted_accuracy(
            train[~validates], known[~validates], train[validates], known[validates], c
        )
    )
    return _fitted_accuracy(train, known, test, counted.test_labels, best)


def chosen_regularisation(validate: Callable[[float], float]) -> float:
    """The C that validates best, the strongest of equals; the search ends after some falls in a
    row.
    """
    best, best_accuracy, falls = REGULARISATIONS[0], -1.0, 0
    for c in REGULARISATIONS:  # from strong to weak, which is also from quick to slow
        reached = validate(c)
        if reached > best_accuracy:
            best, best_accuracy, falls = c, reached, 0
        else:
            falls += 1
            if falls == FALLS:
                break
    return best


def validation_part(labels: NDArray[Any], seed: int) -> NDArray[np.bool_]:
    """True for a seventh of the documents of each label, drawn by the seed."""
    generator = np.random.default_rng(seed)
    validates = np.zeros(len(labels), dtype=np.bool_)
    for label in np.unique(labels):
        rows = generator.permutation(np.flatnonzero(labels == label))
        validates[rows[: len(rows) // VALIDATION_EVERY]] = True
    return validates


def _fitted_accuracy(
    train: sparse.csr_array,
    labels: NDArray[Any],
    asked: sparse.csr_array,
    wanted: NDArray[Any],
    c: float,
) -> float:
    # liblinear has no softmax, but for two labels it is the same model and several times as fast
    solver = "liblinear" if len(np.unique(labels)) == 2 else "lbfgs"
    probe = LogisticRegression(
        C=c, solver=solver, max_iter=MOST_ITERATIONS, tol=1e-3, random_state=0
    )
    with warnings.catch_warnings():
        # a little more regularised than asked for, no more
        warnings.simplefilter("ignore", ConvergenceWarning)
        probe.fit(train, labels)
    return float(np.mean(probe.predict(asked) == wanted))
