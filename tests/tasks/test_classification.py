"""The probe: does it find what a linear map can tell, choose on validation alone, and stay
quiet?
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from undertow._errors import InvalidInput
from undertow.tasks import classification, probe_accuracy


def clusters(
    per_label: int, *, spread: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Three labels around three centres."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], per_label)
    centres = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0]])
    return centres[labels] + spread * rng.normal(size=(3 * per_label, 4)), labels


def test_separated_clusters_are_told_and_noise_is_not() -> None:
    result = probe_accuracy(*clusters(50, spread=0.05, seed=0), *clusters(40, spread=0.05, seed=1))
    assert result.accuracy == 1.0
    assert result.validation_accuracy == 1.0
    noise = np.random.default_rng(2).normal(size=(900, 4))
    labels = np.arange(900) % 3
    chance = probe_accuracy(noise[:450], labels[:450], noise[450:], labels[450:])
    assert abs(chance.accuracy - 1 / 3) < 4 * np.sqrt(
        2 / 9 / 450
    )  # four standard errors of a guess


def test_it_is_a_softmax_regression_on_vectors_scaled_by_one_number() -> None:
    uneven = np.array([1.0, 1.0, 0.01, 1.0])  # a deviation of each component's own would undo this
    train, known = clusters(60, spread=0.2, seed=3)
    test, wanted = clusters(60, spread=0.2, seed=4)
    train, test = train * uneven, test * uneven
    result = probe_accuracy(train, known, test, wanted, regularisations=[0.02])
    centre, deviation = train.mean(axis=0), np.sqrt(((train - train.mean(axis=0)) ** 2).mean())
    oracle = LogisticRegression(C=0.02, tol=1e-8, max_iter=5000).fit(
        (train - centre) / deviation, known
    )
    assert result.accuracy == pytest.approx(
        oracle.score((test - centre) / deviation, wanted), abs=1 / 180
    )
    assert result.regularisation == 0.02


@pytest.mark.parametrize(("factor", "shift"), [(1e-6, 0.0), (1e4, 0.0), (1.0, 100.0)])
def test_neither_scale_nor_shift_of_the_vectors_matters(factor: float, shift: float) -> None:
    train, known = clusters(60, spread=0.7, seed=5)
    test, wanted = clusters(60, spread=0.7, seed=6)
    plain = probe_accuracy(train, known, test, wanted)
    moved = probe_accuracy(factor * train + shift, known, factor * test + shift, wanted)
    assert moved.accuracy == pytest.approx(plain.accuracy, abs=1 / 180)
    assert moved.regularisation == plain.regularisation


def test_validation_takes_a_seventh_of_each_label_and_leaves_rare_ones_alone() -> None:
    labels = np.array(["often"] * 70 + ["rare"] * 6 + ["some"] * 15)
    part = classification._validation_part(labels, seed=0)
    assert [int(part[labels == name].sum()) for name in ("often", "rare", "some")] == [10, 0, 2]
    assert (part != classification._validation_part(labels, seed=1)).any()


def test_the_test_part_does_not_choose() -> None:
    train, known = clusters(40, spread=1.5, seed=7)
    one, _ = clusters(20, spread=1.5, seed=8)
    rng = np.random.default_rng(9)
    results = [probe_accuracy(train, known, one, rng.integers(0, 3, 60)) for _ in range(3)]
    assert len({(result.regularisation, result.validation_accuracy) for result in results}) == 1


def test_the_strongest_of_equally_good_regularisations_is_taken_whatever_their_order() -> None:
    data = (*clusters(50, spread=0.01, seed=0), *clusters(10, spread=0.01, seed=1))
    assert probe_accuracy(*data, regularisations=[10.0, 0.1, 1.0]).regularisation == 0.1


def test_a_probe_that_does_not_converge_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classification, "MOST_ITERATIONS", 1)
    probe_accuracy(
        *clusters(20, spread=1.0, seed=0), *clusters(5, spread=1.0, seed=1)
    )  # warnings are errors here


def test_vectors_that_are_all_alike_and_unknown_test_labels_are_no_error() -> None:
    labels = np.arange(30) % 2
    assert (
        probe_accuracy(np.full((30, 2), 0.1), labels, np.ones((4, 2)), [0, 1, 0, 1]).accuracy == 0.5
    )
    assert probe_accuracy(np.eye(2)[labels], labels, np.eye(2), [7, 8]).accuracy == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"train_labels": [0] * 20},
            "train_labels must hold at least 2 different labels, got only ",
        ),
        (
            {"train_labels": np.arange(20) // 2},
            "train_labels must hold a label with at least 7 documents, got at most 2",
        ),
        (
            {"train_labels": [0, 1]},
            r"train_labels must hold 20 labels, got an array of shape \(2,\)",
        ),
        (
            {"test_labels": ["a", "b"]},
            "test_labels must be of the same kind as train_labels, got <U1 and int64",
        ),
        (
            {"test_vectors": np.ones((2, 9))},
            "test_vectors must have 2 columns like train_vectors, got 9",
        ),
        (
            {"test_vectors": [[np.inf, 0.0]] * 2},
            "test_vectors must be finite, got inf among its values",
        ),
        ({"regularisations": []}, "regularisations must hold at least one number, got none"),
        ({"regularisations": [0.0]}, "regularisations must be above 0, got 0.0"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
    ],
)
def test_errors_name_the_argument(change: dict[str, Any], message: str) -> None:
    labels = np.arange(20) % 2
    good: dict[str, Any] = {"train_vectors": np.eye(2)[labels], "train_labels": labels}
    good |= {"test_vectors": np.eye(2), "test_labels": [0, 1]}
    with pytest.raises(InvalidInput, match=message):
        probe_accuracy(**(good | change))
