"""The classifier that all vectors are judged by: one scale, a regularisation that is chosen without
test labels.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from benchmarks import linear


def two_heaps(documents: int = 80) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    generator = np.random.default_rng(0)
    labels = np.arange(documents) % 2
    return generator.poisson(1.0 + 3.0 * np.eye(2)[labels].repeat(3, axis=1)).astype(
        np.float64
    ), labels


def test_scaled_vectors_lie_around_zero_at_distance_one() -> None:
    vectors, _ = two_heaps()
    scaled = linear.Scale.of(vectors)(vectors)
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-12)
    assert np.mean((scaled**2).sum(axis=1)) == pytest.approx(1.0)


def test_sparse_vectors_get_the_same_scale_and_stay_sparse() -> None:
    vectors, _ = two_heaps()
    scale = linear.Scale.of(sparse.csr_array(vectors))
    assert scale.length == pytest.approx(linear.Scale.of(vectors).length)
    assert sparse.issparse(scale(sparse.csr_array(vectors)))


def test_vectors_that_are_all_alike_are_left_as_they_are() -> None:
    assert linear.Scale.of(np.ones((5, 3))).length == 1.0


def test_folds_hold_every_document_once_and_their_share_of_labels() -> None:
    labels = np.repeat([0, 1], [10, 20])
    folds = linear.stratified(labels, 5)
    np.testing.assert_array_equal(np.sum(folds, axis=0), 1)
    assert [np.bincount(labels[fold]).tolist() for fold in folds] == [[2, 4]] * 5


def test_the_regularisation_is_the_one_that_tells_most(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, labels = two_heaps()
    folds = linear.stratified(labels, 4)
    told = {0.3: 0.5, 1.0: 0.5, 3.0: 0.6, 10.0: 0.7, 30.0: 0.8, 100.0: 0.8, 300.0: 0.5}
    monkeypatch.setattr(linear, "accuracy", lambda *sides: told[sides[-1]])
    assert linear.chosen(vectors, labels, folds) == 30.0  # of equals the one nearer to 1
    monkeypatch.setattr(linear, "accuracy", lambda *sides: 0.5)
    assert linear.chosen(vectors, labels, folds) == linear.USUAL


def test_what_can_be_told_is_told_and_unknown_labels_are_missed() -> None:
    vectors, labels = two_heaps()
    scaled = linear.Scale.of(vectors)(vectors)
    assert linear.accuracy(scaled[:40], labels[:40], scaled[40:], labels[40:], 10.0) > 0.9
    assert linear.accuracy(scaled[:40], labels[:40], scaled[40:], np.full(40, 2), 10.0) == 0.0
