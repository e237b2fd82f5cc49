"""Retrieval against slow, obvious versions: scikit-learn's average precision, and ranking one
document at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from undertow._errors import InvalidInput
from undertow.tasks import mean_average_precision, precision_at, precision_recall_curve
from undertow.tasks.retrieval import RECALL_LEVELS


def cosine(one: NDArray[Any], other: NDArray[Any]) -> float:
    length = np.linalg.norm(one) * np.linalg.norm(other)
    return float(one @ other / length) if length else 0.0


def slow_precisions(
    query: NDArray[Any], label: int, documents: NDArray[Any], labels: NDArray[Any]
) -> list[float]:
    """Precision at each relevant document of a ranked list in which ties put the relevant ones
    last.
    """
    similarity = [round(cosine(query, document), 9) for document in documents]
    ranked = sorted(range(len(documents)), key=lambda i: (-similarity[i], labels[i] == label))
    precisions: list[float] = []
    for place, i in enumerate(ranked, start=1):
        if labels[i] == label:
            precisions.append((len(precisions) + 1) / place)
    return precisions


def slow_precision_at(
    k: int, query: NDArray[Any], label: int, documents: NDArray[Any], labels: NDArray[Any]
) -> float:
    """The share of the first k of the same list that are relevant."""
    similarity = [round(cosine(query, document), 9) for document in documents]
    ranked = sorted(range(len(documents)), key=lambda i: (-similarity[i], labels[i] == label))
    return sum(bool(labels[i] == label) for i in ranked[:k]) / k


def slow_curve(precisions: list[float], levels: tuple[float, ...]) -> list[float]:
    """Interpolated precision: the best at any recall of at least the level."""
    recalls = [(i + 1) / len(precisions) for i in range(len(precisions))]
    return [
        max(p for p, r in zip(precisions, recalls, strict=True) if r >= level - 1e-9)
        for level in levels
    ]


@st.composite
def collections(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Vectors of small whole numbers, so that ties, zero vectors and multiples of each other are
    common.
    """
    size, width = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    asked = draw(st.integers(1, 5))
    entry = st.integers(-2, 2)
    documents = np.array(
        draw(
            st.lists(st.lists(entry, min_size=width, max_size=width), min_size=size, max_size=size)
        )
    )
    queries = np.array(
        draw(
            st.lists(
                st.lists(entry, min_size=width, max_size=width), min_size=asked, max_size=asked
            )
        )
    )
    document_labels = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    query_labels = np.array(
        draw(st.lists(st.sampled_from(document_labels.tolist()), min_size=asked, max_size=asked))
    )
    return queries, query_labels, documents, document_labels


def test_map_equals_scikit_learns_where_nothing_is_tied() -> None:
    rng = np.random.default_rng(0)
    queries, documents = rng.normal(size=(30, 5)), rng.normal(size=(200, 5))
    query_labels, labels = rng.integers(0, 4, 30), rng.integers(0, 4, 200)
    expected = [
        average_precision_score(
            labels == label, [cosine(query, document) for document in documents]
        )
        for query, label in zip(queries, query_labels, strict=True)
    ]
    assert mean_average_precision(queries, query_labels, documents, labels) == pytest.approx(
        np.mean(expected), abs=1e-12
    )


@given(collections())
@settings(max_examples=150, deadline=None)
def test_map_and_curve_equal_the_slow_ones_with_ties_and_zero_vectors(
    collection: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]],
) -> None:
    queries, query_labels, documents, labels = collection
    slow = [
        slow_precisions(q, label, documents, labels)
        for q, label in zip(queries, query_labels, strict=True)
    ]
    assert mean_average_precision(*collection, block=2) == pytest.approx(
        np.mean([np.mean(p) for p in slow])
    )
    curve = precision_recall_curve(*collection, block=2)
    assert curve == pytest.approx(np.mean([slow_curve(p, RECALL_LEVELS) for p in slow], axis=0))


@given(collections(), st.integers(1, 12))
@settings(max_examples=150, deadline=None)
def test_precision_at_equals_the_slow_one_with_ties_and_zero_vectors(
    collection: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]], k: int
) -> None:
    queries, query_labels, documents, labels = collection
    k = min(k, len(documents))
    slow = [
        slow_precision_at(k, q, label, documents, labels)
        for q, label in zip(queries, query_labels, strict=True)
    ]
    assert precision_at(*collection, k=k, block=2) == pytest.approx(np.mean(slow))


def test_precision_at_counts_ties_against() -> None:
    """Nine of ten are relevant and all are alike: the other one comes first."""
    labels = [0] * 9 + [1]
    assert precision_at(np.ones((1, 2)), [0], np.ones((10, 2)), labels, k=1) == 0.0
    assert precision_at(np.ones((1, 2)), [0], np.ones((10, 2)), labels, k=2) == 0.5
    assert precision_at(np.ones((1, 2)), [0], np.ones((10, 2)), labels, k=10) == 0.9


def test_precision_at_divides_by_k_where_fewer_documents_are_relevant() -> None:
    assert precision_at([[1.0, 0.0]], ["x"], np.eye(3, 2), ["x", "y", "z"], k=2) == 0.5


def test_precision_at_leaves_out_queries_without_a_relevant_document() -> None:
    assert precision_at(np.eye(2), [0, 7], np.eye(2), [0, 1], k=1) == 1.0


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (0, "k must be a whole number of at least 1, got 0"),
        (1.5, "k must be a whole number of at least 1, got 1.5"),
        (3, "k must be at most the number of documents, 2, got 3"),
    ],
)
def test_k_is_checked(k: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        precision_at(np.eye(2), [0, 1], np.eye(2), [0, 1], k=k)


def test_a_recall_level_needs_no_document_more_because_of_rounding() -> None:
    """0.07 * 100 is a little above 7 in floating point; an eighth document would lie behind an
    irrelevant one.
    """
    angles = np.append(np.arange(100), 6.5) * 0.01
    documents, labels = (
        np.column_stack([np.cos(angles), np.sin(angles)]),
        np.append(np.zeros(100, dtype=int), 1),
    )
    curve = precision_recall_curve(
        [[1.0, 0.0]], [0], documents, labels, recall_levels=[0.0, 0.07, 0.08]
    )
    assert curve.tolist() == [1.0, 1.0, 100 / 101]


def test_neither_block_size_nor_order_of_documents_matters() -> None:
    rng = np.random.default_rng(1)
    documents = rng.integers(0, 2, size=(300, 4)).astype(
        np.float32
    )  # at most 16 different vectors: mostly ties
    labels = np.sort(rng.integers(0, 3, 300))
    queries, query_labels = documents[::7], labels[::7]
    expected = mean_average_precision(queries, query_labels, documents, labels)
    for block in (1, 10, 1000):
        order = rng.permutation(300)
        mixed = mean_average_precision(
            queries, query_labels, documents[order], labels[order], block=block
        )
        assert mixed == pytest.approx(expected, abs=1e-12)


def test_equal_vectors_in_inconvenient_numbers_are_tied() -> None:
    """Rounding inside the matrix product must not decide: 1/3 and friends, many dimensions, many
    documents.
    """
    vector = np.random.default_rng(2).random(301) / 3
    documents, labels = (
        np.tile(vector, (997, 1)) * np.linspace(0.1, 9, 997)[:, None],
        np.arange(997) % 2,
    )
    relevant = np.arange(1, 500)
    worst = np.mean(relevant / (relevant + 498))
    assert (labels == 0).sum() == 499
    assert mean_average_precision(vector[None], [0], documents, labels) == pytest.approx(
        worst, abs=1e-12
    )


def test_sorting_by_label_gains_nothing_when_all_vectors_are_alike() -> None:
    labels = np.repeat([0, 1], 50)
    assert mean_average_precision(np.ones((2, 3)), [0, 1], np.ones((100, 3)), labels) < 0.5


def test_a_zero_query_ties_everything_and_a_zero_document_stands_between() -> None:
    documents, labels = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]), ["a", "b", "c"]
    assert mean_average_precision([[0.0, 0.0]], ["a"], documents, labels) == pytest.approx(1 / 3)
    assert mean_average_precision([[5.0, 0.0]], ["b"], documents, labels) == pytest.approx(1 / 2)


def test_tiny_and_huge_vectors_keep_their_direction() -> None:
    documents, labels = np.array([[1e-300, 0.0], [0.0, 1e300]]), [0, 1]
    assert (
        mean_average_precision([[1e300, 1e290], [1e-310, 1e-300]], [0, 1], documents, labels) == 1.0
    )


def test_queries_without_a_relevant_document_are_left_out() -> None:
    documents, labels = np.eye(2), [0, 1]
    queries = np.array([[1.0, 0.2], [1.0, 0.0]])
    assert mean_average_precision(queries, [0, 7], documents, labels) == 1.0
    assert precision_recall_curve(
        queries, [0, 7], documents, labels, recall_levels=[1.0]
    ).tolist() == [1.0]


def test_labels_may_be_a_column_of_strings() -> None:
    labels = np.array(["x", "y"], dtype=object)
    assert mean_average_precision(np.eye(2), labels, np.eye(2), ["x", "y"]) == 1.0


def test_all_documents_relevant_is_perfect() -> None:
    assert mean_average_precision(np.ones((1, 2)), [3], np.eye(2), [3, 3]) == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"query_labels": [5, 6]},
            "query_labels must share a label with document_labels, got none in common",
        ),
        ({"query_labels": [0]}, r"query_labels must hold 2 labels, got an array of shape \(1,\)"),
        (
            {"query_labels": ["0", "1"]},
            "query_labels must be of the same kind as document_labels, got <U1 and int64",
        ),
        (
            {"document_labels": [0.5, 1.0]},
            "document_labels must be whole numbers or strings, got values of type float64",
        ),
        ({"queries": np.ones((2, 3))}, "queries must have 2 columns like documents, got 3"),
        (
            {"documents": [[np.nan, 0.0], [0.0, 1.0]]},
            "documents must be finite, got nan among its values",
        ),
        (
            {"queries": np.ones(2)},
            r"queries must be a dense matrix .* per document, got ndarray of shape \(2,\)",
        ),
        ({"block": 0}, "block must be a whole number of at least 1, got 0"),
    ],
)
def test_errors_name_the_argument(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"queries": np.eye(2), "query_labels": [0, 1]}
    good |= {"documents": np.eye(2), "document_labels": [0, 1]}
    with pytest.raises(InvalidInput, match=message):
        mean_average_precision(**(good | change))


@pytest.mark.parametrize("levels", [[1.5], [-0.1], [], [[0.5]], [float("nan")]])
def test_recall_levels_are_checked(levels: Any) -> None:
    with pytest.raises(InvalidInput, match=r"recall_levels must be numbers in \[0, 1\], got \["):
        precision_recall_curve(np.eye(2), [0, 1], np.eye(2), [0, 1], recall_levels=levels)
