"""Intervals of log Z in random models: the table, on a few."""

from __future__ import annotations

import pytest

from benchmarks import normalisers
from undertow.vectors.normalisers import exact_log_z


def test_exact_values_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = normalisers.table(3, [(10, 10)])
    assert sheet.rows[0][1:5:2] == ["3 of 3", "3 of 3"]
    monkeypatch.setattr(normalisers, "exact_log_z", lambda *given: exact_log_z(*given) + 100.0)
    assert normalisers.found(3, 10, 10).held == [0, 0]


def test_models_differ() -> None:
    shapes = {normalisers.random_model(seed).weights.shape for seed in range(10)}
    assert len(shapes) > 5
