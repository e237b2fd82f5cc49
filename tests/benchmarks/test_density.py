"""The stages in which benchmarks/density.py has models learn, and its rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from benchmarks import density
from benchmarks.defaults import Split
from undertow.paper.report import in_digits

COUNTS = sparse.csr_array(np.random.default_rng(0).poisson(0.5, (60, 30)))
LABELS = np.array(["one", "two"] * 30)
SPLIT = Split(COUNTS[:40], COUNTS[:40], LABELS[:40], COUNTS[40:], LABELS[40:])


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> density.Shop:
    monkeypatch.setattr(density, "EPOCHS", 2)
    return density.Shop(SPLIT, units=3, threads=1)


def test_a_later_stage_goes_on_from_a_copy_of_the_first(shop: density.Shop) -> None:
    first = shop.fitted([density.ALPHA], 0)
    weights = first.parameters_.weights.copy()
    tuned = shop.fitted([density.ALPHA, density.tuning(density.PCD5, 1)], 0)
    assert shop.fitted([density.ALPHA], 0) is first
    assert (first.n_iter_, tuned.n_iter_) == (2, 3)
    np.testing.assert_array_equal(first.parameters_.weights, weights)
    assert not np.array_equal(tuned.parameters_.weights, weights)
    assert (first.calibrated_, tuned.calibrated_) == (False, True)


def test_a_row_has_a_cell_for_each_column(shop: density.Shop) -> None:
    cells = density.judged(shop.fitted([density.ALPHA], 0), SPLIT, temperatures=10, chains=5)
    posterior, balanced, perplexity, interval, ratio = cells
    assert all(0.0 < float(value) <= 1.0 for value in (posterior, balanced))
    low, high = map(float, interval.split(" to "))
    assert low <= float(perplexity) <= high
    assert 0.1 < float(ratio) < 10.0


def test_perplexities_beyond_sense_are_short() -> None:
    assert [in_digits(value) for value in (831.7, 6.2e7)] == ["832", "6e7"]
