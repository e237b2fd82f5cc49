"""Retrieval by cosine, of dense and of sparse vectors: the tasks of the library take dense ones
only.

As in `undertow.tasks.retrieval`: of equally similar documents the relevant ones come last, a vector
of zeros has similarity 0 to everything, and questions whose label no document has are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

from undertow.tasks._vectors import TIED

NEAREST = 10
BLOCK = 256  # questions that are compared with all documents at a time


def retrieved(
    asked: Any, asked_labels: NDArray[Any], known: Any, known_labels: NDArray[Any]
) -> dict[str, float]:
    """P@10 and MAP: questions ask, documents of the same label are right."""
    answerable = np.flatnonzero(np.isin(asked_labels, known_labels))
    questions, documents = _unit(asked)[answerable], _unit(known)
    labels = asked_labels[answerable]
    tens, areas = [], []
    for first in range(0, len(answerable), BLOCK):
        here = slice(first, first + BLOCK)
        similarity: Any = questions[here] @ documents.T
        if sparse.issparse(asked):
            similarity = similarity.toarray()
        ranked = _ranked(similarity, labels[here, None] == known_labels[None, :])
        tens.append(precision_at_ten(ranked))
        areas.append(average_precision(ranked))
    return {"p10": float(np.concatenate(tens).mean()), "map": float(np.concatenate(areas).mean())}


def precision_at_ten(ranked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The share of right ones among the ten nearest, for each question."""
    share: NDArray[np.float64] = ranked[:, :NEAREST].mean(axis=1)
    return share


def average_precision(ranked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean precision at each right document, for each question; every question has one."""
    found = np.cumsum(ranked, axis=1)
    precision = found / np.arange(1, ranked.shape[1] + 1)
    mean: NDArray[np.float64] = (precision * ranked).sum(axis=1) / found[:, -1]
    return mean


def _ranked(similarity: NDArray[np.float64], relevant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each document is right, the most similar first."""
    order = np.argsort(TIED * relevant - similarity, axis=1, kind="stable")
    return np.take_along_axis(relevant, order, axis=1)


def _unit(vectors: Any) -> Any:
    """Rows of length 1 in float64; rows of zeros stay."""
    return normalize(vectors.astype(np.float64))
