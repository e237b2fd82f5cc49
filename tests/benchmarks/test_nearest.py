"""Retrieval of dense and sparse vectors: by hand, and as the library's task has it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from benchmarks.nearest import average_precision, precision_at_ten, retrieved
from undertow.tasks import mean_average_precision


def test_by_hand() -> None:
    ranked = np.array([[True, False, True, False] + [False] * 8, [False] * 10 + [True, True]])
    np.testing.assert_allclose(precision_at_ten(ranked), [0.2, 0.0])
    np.testing.assert_allclose(average_precision(ranked), [(1 + 2 / 3) / 2, (1 / 11 + 2 / 12) / 2])


def test_fewer_than_ten_documents_are_all_looked_at() -> None:
    np.testing.assert_allclose(precision_at_ten(np.array([[True, False, True, True]])), [0.75])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_as_the_task_has_it(kind: type) -> None:
    """With ties, a vector of zeros, and a question that nothing answers."""
    generator = np.random.default_rng(0)
    known, asked = (generator.integers(0, 3, (size, 5)).astype(np.float32) for size in (60, 300))
    asked[0] = 0
    known_labels, labels = (generator.integers(0, 3, size) for size in (60, 300))
    labels[1] = 7
    found = retrieved(kind(asked), labels, kind(known), known_labels)
    assert found["map"] == pytest.approx(
        mean_average_precision(asked, labels, known, known_labels), abs=1e-12
    )


def test_of_equals_the_right_ones_come_last() -> None:
    alike, labels = np.ones((40, 3)), np.arange(40) % 2
    assert retrieved(alike[:1], labels[:1], alike, labels)["p10"] == 0.0
