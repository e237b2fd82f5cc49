"""Retrieval by cosine similarity: given a document's vector, how far up do documents of the same
label come?

Ties: of equally similar documents, the relevant ones come last. So the result does not depend on
the order of the documents, a collection sorted by label gains nothing, and vectors that are all
alike score below chance, not above. A vector of zeros has similarity 0 to everything.

Queries whose label no document has are left out: there is nothing for them to find.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.tasks import _vectors

RECALL_LEVELS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def mean_average_precision(
    queries: Any, query_labels: Any, documents: Any, document_labels: Any, *, block: int = 256
) -> float:
    """MAP: how well vectors rank documents of the query's label, in the mean over queries.

    Parameters
    ----------
    queries, documents : array-like (documents, dimensions)
        Vectors; they are compared by cosine.
    query_labels, document_labels : sequence of str or int
        A label for each. Queries whose label no document has are left out.
    block : int
        Queries compared with the documents at a time.

    Returns
    -------
    float
        The mean of the average precision of ranking all documents: 1 where all documents of the
        label come first.

    Raises
    ------
    InvalidInput
        Where labels and vectors do not belong together, or no label is common to both sides.

    Examples
    --------
    >>> from undertow.tasks import mean_average_precision
    >>> mean_average_precision(vectors, labels, vectors, labels)
    1.0
    """
    total, answered = 0.0, 0
    for precisions in _precisions(queries, query_labels, documents, document_labels, block):
        total += float(precisions.mean(axis=1).sum())
        answered += len(precisions)
    return total / answered


def precision_at(
    queries: Any,
    query_labels: Any,
    documents: Any,
    document_labels: Any,
    *,
    k: int = 10,
    block: int = 256,
) -> float:
    """The share of the nearest documents that have the query's label, in the mean over queries.

    Parameters
    ----------
    queries, documents : array-like (documents, dimensions)
        Vectors; they are compared by cosine.
    query_labels, document_labels : sequence of str or int
        A label for each. Queries whose label no document has are left out.
    k : int
        How many of the nearest documents count.
    block : int
        Queries compared with the documents at a time.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    InvalidInput
        Where k is more than the number of documents, or labels and vectors do not belong together.

    Examples
    --------
    >>> from undertow.tasks import precision_at
    >>> precision_at(vectors, labels, vectors, labels, k=6)
    0.5
    """
    total, answered = 0, 0
    stored = len(_vectors.matrix("documents", documents))
    if _check.whole_number("k", k, at_least=1) > stored:
        raise InvalidInput(f"k must be at most the number of documents, {stored}, got {k}")
    for places in _places(queries, query_labels, documents, document_labels, block):
        total += int((places <= k).sum())
        answered += len(places)
    return total / (k * answered)


@dataclass(frozen=True)
class RetrievalFigures:
    """What one ranking of all documents for every query tells: MAP, and the mean interpolated
    precision at each recall level.

    Examples
    --------
    >>> from undertow.tasks import retrieval_figures
    >>> retrieval_figures(vectors, labels, vectors, labels, recall_levels=[0.5]).precisions
    array([1.])
    """

    mean_average_precision: float
    precisions: NDArray[np.float64]  # mean interpolated precision at each recall level


def precision_recall_curve(
    queries: Any,
    query_labels: Any,
    documents: Any,
    document_labels: Any,
    *,
    recall_levels: Sequence[float] = RECALL_LEVELS,
    block: int = 256,
) -> NDArray[np.float64]:
    """Mean over queries of the interpolated precision at each recall level.

    The interpolated precision of a query at recall r is the best precision at any recall of at
    least r.

    Parameters
    ----------
    queries, query_labels, documents, document_labels, block
        As in `mean_average_precision`.
    recall_levels : sequence of float
        Shares of the relevant documents, from 0 to 1.

    Returns
    -------
    array (recall levels,)
        Precisions.

    Examples
    --------
    >>> from undertow.tasks import precision_recall_curve
    >>> precision_recall_curve(vectors, labels, vectors, labels, recall_levels=[0.1, 1.0])
    array([1., 1.])
    """
    sides = (queries, query_labels, documents, document_labels)
    return retrieval_figures(*sides, recall_levels=recall_levels, block=block).precisions


def retrieval_figures(
    queries: Any,
    query_labels: Any,
    documents: Any,
    document_labels: Any,
    *,
    recall_levels: Sequence[float] = RECALL_LEVELS,
    block: int = 256,
) -> RetrievalFigures:
    """Mean average precision and the precision-recall curve together: documents are ranked once.

    Parameters
    ----------
    queries, query_labels, documents, document_labels, block
        As in `mean_average_precision`.
    recall_levels : sequence of float
        As in `precision_recall_curve`.

    Returns
    -------
    RetrievalFigures
        Both figures.

    Examples
    --------
    >>> from undertow.tasks import retrieval_figures
    >>> retrieval_figures(vectors, labels, vectors, labels).mean_average_precision
    1.0
    """
    levels = _checked_levels(recall_levels)
    total, area, answered = np.zeros(len(levels)), 0.0, 0
    for precisions in _precisions(queries, query_labels, documents, document_labels, block):
        area += float(precisions.mean(axis=1).sum())
        best_from = np.maximum.accumulate(precisions[:, ::-1], axis=1)[:, ::-1]
        relevant = precisions.shape[1]
        # 0.1 * 30 must need 3 documents, not 4
        needed = np.ceil(levels * relevant - 1e-9).astype(np.int64)
        total += best_from[:, np.maximum(needed, 1) - 1].sum(axis=0)
        answered += len(precisions)
    return RetrievalFigures(area / answered, total / answered)


def _precisions(
    queries: Any, query_labels: Any, documents: Any, document_labels: Any, block: int
) -> Iterator[NDArray[np.float64]]:
    """For each block of queries of one label: the precision at every relevant document, the most
    similar first.
    """
    for places in _places(queries, query_labels, documents, document_labels, block):
        yield np.arange(1, places.shape[1] + 1) / places


def _places(
    queries: Any, query_labels: Any, documents: Any, document_labels: Any, block: int
) -> Iterator[NDArray[np.int64]]:
    """For each block of queries of one label: the place of every relevant document among all, the
    nearest is 1.
    """
    block = _check.whole_number("block", block, at_least=1)
    asked, asked_labels = _checked_side("queries", queries, "query_labels", query_labels)
    stored, stored_labels = _checked_side(
        "documents", documents, "document_labels", document_labels
    )
    _vectors.same_width("queries", asked, "documents", stored)
    _vectors.same_kind("query_labels", asked_labels, "document_labels", stored_labels)
    common = np.intersect1d(asked_labels, stored_labels)
    if not len(common):
        raise InvalidInput(
            "query_labels must share a label with document_labels, got none in common"
        )
    asked, stored = _vectors.unit_rows(asked), _vectors.unit_rows(stored)
    for label in common:
        relevant = stored_labels == label
        sought, others = stored[relevant].T, stored[~relevant].T
        mine = asked[asked_labels == label]
        for first in range(0, len(mine), block):
            part = mine[first : first + block]
            yield places_of_relevant(part @ sought, part @ others)


def places_of_relevant(
    sought: NDArray[np.float64], others: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The place of each relevant document from the similarities of relevant and other documents
    (queries x each).
    """
    sought = np.sort(sought, axis=1)[:, ::-1]
    others = np.sort(others, axis=1)
    behind = np.stack(
        [
            np.searchsorted(row, found)
            for row, found in zip(others, sought - _vectors.TIED, strict=True)
        ]
    )
    places: NDArray[np.int64] = np.arange(1, sought.shape[1] + 1) + others.shape[1] - behind
    return places


def _checked_side(
    name: str, vectors: Any, labels_name: str, labels: Any
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    checked = _vectors.matrix(name, vectors)
    return checked, _vectors.labels(labels_name, labels, size=len(checked))


def _checked_levels(recall_levels: Sequence[float]) -> NDArray[np.float64]:
    levels = np.asarray(recall_levels, dtype=np.float64)
    if levels.ndim != 1 or not len(levels) or not ((levels >= 0) & (levels <= 1)).all():
        raise InvalidInput(f"recall_levels must be numbers in [0, 1], got {recall_levels!r}")
    return levels
