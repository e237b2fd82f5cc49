"""Supervised fine-tuning: its gradient against finite differences, and what it does to a
classifier.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from undertow.paper.fine_tuning import (
    Classifier,
    FineTuning,
    fine_tune,
    label_ratios,
    label_weights,
    shares,
    slope,
)

WORDS, UNITS, DOCUMENTS = 9, 4, 12


def make_documents(seed: int = 0) -> tuple[sparse.csr_array, NDArray[np.bool_]]:
    """Two labels that prefer different words."""
    generator = np.random.default_rng(seed)
    second = np.arange(DOCUMENTS) % 2 == 1
    rates = np.where((np.arange(WORDS) < 4) == second[:, None], 2.0, 0.4)
    return sparse.csr_array(generator.poisson(rates)), second


def make_classifier(seed: int = 1) -> Classifier:
    generator = np.random.default_rng(seed)
    return Classifier(
        weights=generator.normal(size=(WORDS, UNITS)).astype(np.float32),
        hidden_bias=generator.normal(size=UNITS).astype(np.float32),
        centre=generator.normal(size=UNITS).astype(np.float32),
        scale=0.7,
        head=generator.normal(size=UNITS).astype(np.float32),
        offset=0.2,
    )


def exact_loss(classifier: Classifier, x: sparse.csr_array, second: NDArray[np.bool_]) -> float:
    """The loss in float64, written out."""
    w, a, m, v = (array.astype(float) for array in _arrays(classifier))
    margins = ((x.toarray().astype(float) @ w + a - m) / classifier.scale) @ v + classifier.offset
    return float(np.mean(np.log1p(np.exp(-np.where(second, 1.0, -1.0) * margins))))


def _arrays(classifier: Classifier) -> tuple[NDArray[np.floating], ...]:
    return classifier.weights, classifier.hidden_bias, classifier.centre, classifier.head


def test_gradient_matches_finite_differences() -> None:
    counts, second = make_documents()
    x, classifier = shares(counts, np.linspace(0.5, 2.0, WORDS)), make_classifier()
    found = slope(classifier, x, second)
    assert found.loss == pytest.approx(exact_loss(classifier, x, second), rel=1e-5)
    rows = np.zeros((WORDS, UNITS))
    rows[found.words] = found.rows
    # Central differences with steps of 2^-10: an error of about 1e-6, on top of float32's.
    step = 2.0**-10
    gradients: dict[str, NDArray[Any]] = {"weights": rows, "head": found.head}
    for name, gradient in gradients.items():
        values = getattr(classifier, name)
        for place in np.ndindex(values.shape):
            moved = [values.astype(np.float64) for _ in range(2)]
            moved[0][place] += step
            moved[1][place] -= step
            losses = [exact_loss(replace(classifier, **{name: one}), x, second) for one in moved]
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / (2 * step), abs=5e-6)
    losses = [
        exact_loss(replace(classifier, offset=0.2 + move), x, second) for move in (step, -step)
    ]
    assert found.offset == pytest.approx((losses[0] - losses[1]) / (2 * step), abs=5e-6)


def test_fine_tuning_lowers_the_loss_and_repeats() -> None:
    counts, second = make_documents()
    x = shares(counts, np.ones(WORDS))
    options = FineTuning(learning_rate=0.2, epochs=20, dropout=0.2, batch_size=4)
    tuned = [make_classifier() for _ in range(2)]
    before = slope(tuned[0], x, second).loss
    for classifier in tuned:
        fine_tune(classifier, x, second, options, seed=3)
    assert slope(tuned[0], x, second).loss < 0.5 * before
    np.testing.assert_array_equal(tuned[0].weights, tuned[1].weights)


def test_ratios_are_those_of_naive_bayes() -> None:
    counts = sparse.csr_array(np.array([[3, 0, 1], [1, 0, 0], [0, 2, 1]]))
    second = np.array([True, True, False])
    # Documents that hold a word, and one more: second (3, 1, 2) of 6, first (1, 2, 2) of 5.
    expected = np.log(np.array([3, 1, 2]) / 6) - np.log(np.array([1, 2, 2]) / 5)
    np.testing.assert_allclose(label_ratios(counts, second), expected)
    np.testing.assert_allclose(label_weights(counts, second), np.abs(expected))


def test_shares_sum_to_one_and_an_empty_document_is_zero() -> None:
    counts = sparse.csr_array(np.array([[2, 0, 1], [0, 0, 0], [0, 1, 0]]))
    x = shares(counts, np.array([1.0, 0.0, 2.0]))
    np.testing.assert_allclose(
        x.toarray(), np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    )
