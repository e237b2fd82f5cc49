"""Spherical k-means: it only gets better, uses what it says, and has the same bits for any
threads.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.rounding import UNIT
from undertow.topics import clusters
from undertow.topics.clusters import nearest, spherical_kmeans, sums_by_label
from undertow.vectors.joining import unit

Single = NDArray[np.float32]


def make(documents: int, columns: int = 12, seed: int = 0) -> Single:
    """Directions around eight middles."""
    generator = np.random.default_rng(seed)
    middles = generator.normal(0.0, 1.0, (8, columns))
    return unit(
        middles[generator.integers(0, 8, documents)]
        + generator.normal(0.0, 0.5, (documents, columns))
    )


def objective(vectors: Single, labels: NDArray[np.int32]) -> float:
    """The sum of the products of all vectors with the directions of their clusters' means."""
    sums = np.zeros((labels.max() + 1, vectors.shape[1]))
    np.add.at(sums, labels, vectors.astype(np.float64))
    return float(np.linalg.norm(sums, axis=1).sum())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_round_makes_it_worse(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = make(600, seed=seed)
    found = []
    for rounds in range(1, 12):
        monkeypatch.setattr(clusters, "ROUNDS", rounds)
        found.append(objective(vectors, spherical_kmeans(vectors, 20, seed=seed)))
    # A product of two rounded vectors of length 1 is off by some (H + 2) units, for each document.
    assert (np.diff(found) >= -len(vectors) * (vectors.shape[1] + 2) * UNIT).all()
    assert found[-1] > found[0] + 1.0


def test_clusters_are_numbered_without_gaps() -> None:
    labels = spherical_kmeans(make(500), 25, seed=3)
    assert labels.dtype == np.int32
    assert set(labels.tolist()) == set(range(25))


def test_a_cluster_that_loses_all_gets_a_document_back() -> None:
    """Two drawn documents may be near-copies, of which one gets nothing."""
    generator = np.random.default_rng(0)
    few = np.repeat(np.eye(6, dtype=np.float32), 30, axis=0)
    vectors = unit(few + generator.normal(0.0, 0.01, few.shape))
    for seed in range(5):
        labels = spherical_kmeans(vectors, 6, seed=seed)
        assert len(set(labels.tolist())) == 6


@pytest.mark.parametrize("number", [1, 3, 10])
def test_copies_make_fewer_clusters(number: int) -> None:
    vectors = np.repeat(np.eye(3, 5, dtype=np.float32), 40, axis=0)
    labels = spherical_kmeans(vectors, number, seed=0)
    assert labels.max() + 1 == len(set(labels.tolist())) <= min(number, 3)
    for first in range(0, 120, 40):
        assert len(set(labels[first : first + 40].tolist())) == 1


def test_all_alike_is_one_cluster() -> None:
    assert spherical_kmeans(np.full((50, 4), 0.5, dtype=np.float32), 8, seed=0).tolist() == [0] * 50


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(threads: int) -> None:
    vectors = make(3 * clusters.BLOCK + 17, 33)
    np.testing.assert_array_equal(
        spherical_kmeans(vectors, 40, seed=1, threads=1),
        spherical_kmeans(vectors, 40, seed=1, threads=threads),
    )
    one, many = (nearest(vectors, vectors[:50], threads=count) for count in (1, threads))
    np.testing.assert_array_equal(one[0], many[0])
    np.testing.assert_array_equal(one[1], many[1])


def test_the_seed_decides() -> None:
    vectors = make(400)
    assert not np.array_equal(
        spherical_kmeans(vectors, 20, seed=0), spherical_kmeans(vectors, 20, seed=1)
    )


def test_the_nearest_is_the_first_of_the_largest_products() -> None:
    """Small whole numbers, so that products are exact and ties are ties."""
    generator = np.random.default_rng(0)
    vectors = generator.integers(-3, 4, (2 * clusters.BLOCK + 5, 6)).astype(np.float32)
    centres = generator.integers(-3, 4, (9, 6)).astype(np.float32)
    products = vectors.astype(np.int64) @ centres.astype(np.int64).T
    labels, found = nearest(vectors, centres)
    np.testing.assert_array_equal(labels, products.argmax(axis=1))
    np.testing.assert_array_equal(found, products.max(axis=1))
    assert (np.sort(products, axis=1)[:, -1] == np.sort(products, axis=1)[:, -2]).any()


def test_sums_leave_out_what_has_no_label() -> None:
    vectors = make(200)
    labels = np.random.default_rng(1).integers(-1, 4, 200).astype(np.int32)
    expected = np.stack(
        [vectors[labels == label].astype(np.float64).sum(axis=0) for label in range(5)]
    )
    np.testing.assert_allclose(
        sums_by_label(vectors, labels, 5), expected, rtol=0, atol=200 * np.finfo(float).eps
    )


def test_unit_rows_have_length_1_and_zeros_stay() -> None:
    found = unit(np.array([[3.0, 4.0], [0.0, 0.0], [1e-30, 0.0]]))
    np.testing.assert_array_equal(
        found, np.array([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    )
