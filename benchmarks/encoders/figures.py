"""What vectors are worth: retrieval by label, a linear classifier with all labels and with few.

Words (tf-idf) are sparse, too wide for the functions of `undertow.tasks`: here they get the same
figures, by the same definitions. A probe of sparse vectors is not centred, which its intercept
makes up for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from benchmarks.encoders.corpora import Corpus
from undertow.tasks import mean_average_precision, precision_at, probe_accuracy
from undertow.tasks.classification import MOST_ITERATIONS, REGULARISATIONS, _validation_part
from undertow.tasks.retrieval import places_of_relevant

NEAREST = 10
FEW = (5, 20)  # labelled documents a class
DRAWS = 5
FOLDS = 5
COLUMNS = ("MAP", "P@10", "accuracy", *(f"{few} a class" for few in FEW), "short MAP", "short P@10")


@dataclass(frozen=True)
class Encoded:
    """Vectors of a corpus by one system, dense or sparse; `short` where the corpus has short
    questions.
    """

    train: Any
    test: Any
    short: Any = None


def judged(found: Encoded, corpus: Corpus) -> dict[str, float]:
    """All figures; `corpus` has the training documents that there are vectors of, no others."""
    known, wanted = corpus.train.labels, corpus.test.labels
    figures = dict(
        zip(("MAP", "P@10"), retrieved(found.test, wanted, found.train, known), strict=True)
    )
    figures["accuracy"] = accuracy(found.train, known, found.test, wanted)
    for few in FEW:
        rows = few_of_each(known, few)
        figures[f"{few} a class"] = float(
            np.mean(
                [
                    few_labels_accuracy(found.train[some], known[some], found.test, wanted)
                    for some in rows
                ]
            )
        )
    if corpus.short is not None and found.short is not None:
        short = retrieved(found.short, corpus.short.labels, found.train, known)
        figures |= dict(zip(("short MAP", "short P@10"), short, strict=True))
    return figures


def retrieved(
    asked: Any, wanted: NDArray[Any], stored: Any, known: NDArray[Any]
) -> tuple[float, float]:
    """MAP and precision among the ten nearest."""
    if _is_sparse(asked):
        return _retrieved_sparse(asked, wanted, stored, known)
    sides = asked, wanted, stored, known
    return mean_average_precision(*sides), precision_at(*sides, k=NEAREST)


def _retrieved_sparse(
    asked: Any, wanted: NDArray[Any], stored: Any, known: NDArray[Any]
) -> tuple[float, float]:
    """Of rows of length 1, as those of tf-idf are."""
    area, near, answered = 0.0, 0, 0
    for label in np.intersect1d(wanted, known):
        similarity = (asked[wanted == label] @ stored.T).toarray()
        places = places_of_relevant(similarity[:, known == label], similarity[:, known != label])
        area += float((np.arange(1, places.shape[1] + 1) / places).mean(axis=1).sum())
        near += int((places <= NEAREST).sum())
        answered += len(places)
    return area / answered, near / (NEAREST * answered)


def accuracy(train: Any, known: NDArray[Any], test: Any, wanted: NDArray[Any]) -> float:
    """Of a linear classifier whose regularisation is chosen on a seventh of the training
    documents.
    """
    if not _is_sparse(train):
        return probe_accuracy(train, known, test, wanted, regularisations=REGULARISATIONS).accuracy
    validates = _validation_part(known, 0)
    inside, outside = train[~validates], train[validates]
    tried = [
        _fitted(inside, known[~validates], outside, known[validates], one)
        for one in REGULARISATIONS
    ]
    return _fitted(train, known, test, wanted, REGULARISATIONS[int(np.argmax(tried))])


def _fitted(
    train: Any, known: NDArray[Any], test: Any, wanted: NDArray[Any], regularisation: float
) -> float:
    return _told(*scaled(train, test), known, wanted, regularisation)


def _told(
    train: Any, test: Any, known: NDArray[Any], wanted: NDArray[Any], regularisation: float
) -> float:
    with _unfinished_probes():
        told = _probe(regularisation).fit(train, known).predict(test)
    return float(np.mean(told == wanted))


def few_labels_accuracy(train: Any, known: NDArray[Any], test: Any, wanted: NDArray[Any]) -> float:
    """Of a linear classifier whose regularisation is chosen by cross-validation: too few to set a
    part aside.
    """
    folds = min(FOLDS, int(np.unique(known, return_counts=True)[1].min()))
    sides = scaled(train, test)
    train, test = turned(*sides) if _is_sparse(train) else sides
    with _unfinished_probes():
        tried = [
            cross_val_score(_probe(one), train, known, cv=folds).mean() for one in REGULARISATIONS
        ]
    return _told(train, test, known, wanted, REGULARISATIONS[int(np.argmax(tried))])


def turned(train: Any, test: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sparse vectors of few documents in the space that they span: narrow, and the same for a ridge
    classifier.

    Its weights lie in that space, where all products with the training vectors stay as they are.
    """
    values, axes = np.linalg.eigh((train @ train.T).toarray())
    there = values > 1e-10 * values[-1]
    lengths = np.sqrt(values[there])
    return axes[:, there] * lengths, (test @ train.T).toarray() @ axes[:, there] / lengths


def _probe(regularisation: float) -> LogisticRegression:
    return LogisticRegression(C=regularisation, max_iter=MOST_ITERATIONS, tol=1e-3)


@contextmanager
def _unfinished_probes() -> Iterator[None]:
    """A probe that stops short still says what it tells, as in `undertow.tasks`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def few_of_each(labels: NDArray[Any], few: int) -> Iterator[NDArray[np.intp]]:
    """Rows of so many documents of each label, or all where there are fewer; drawn anew each
    time.
    """
    for draw in range(DRAWS):
        order = np.random.default_rng(draw).permutation(len(labels))
        yield np.concatenate([order[labels[order] == label][:few] for label in np.unique(labels)])


def scaled(train: Any, test: Any) -> tuple[Any, Any]:
    """Divided by the root mean square deviation of the training vectors, centred where they are
    dense.
    """
    if _is_sparse(train):
        variance = train.multiply(train).mean() - np.mean(np.asarray(train.mean(axis=0)) ** 2)
    else:
        centre = train.mean(axis=0)
        train, test = train - centre, test - centre
        variance = np.mean(train**2)
    deviation = float(np.sqrt(variance)) or 1.0  # vectors that are all alike stay as they are
    return train / deviation, test / deviation


def _is_sparse(vectors: Any) -> bool:
    return bool(
        sparse.issparse(vectors)
    )  # as a plain answer: types of SciPy's sparse arrays say too little
