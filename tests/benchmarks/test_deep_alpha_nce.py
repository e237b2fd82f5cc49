"""The gradient of benchmarks/deep_alpha_nce.py, by finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.deep_alpha_nce import DeepAlphaNCE
from tests.oracles.engine import PLACE, Case, dense_rows, make_case
from tests.oracles.two_layers import with_latent
from undertow.engines import Pressure

PRESSURE = Pressure(0.2, 0.7)


@pytest.mark.parametrize("passes", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_that_of_the_loss(weighted: bool, passes: int) -> None:
    """Latent words are drawn, and stay as they are drawn while a weight moves by a little. W is in
    single precision: so differences are of what it was really moved by, and the loss is in double.
    """
    made = make_case(words=5, units=3, documents=6, weighted=weighted, free_bias=False)
    case = Case(with_latent(made.parameters, 4), made.p, made.counts)
    learner = DeepAlphaNCE(n_noise=3, stream_length=20, passes=passes)
    session = case.session()
    step = learner.begin(session, case.corpus, PRESSURE)
    gradient = step.gradient(case.batch(), PLACE)
    rows, bias = dense_rows(gradient, 5).copy(), gradient.dense()["hidden_bias"].copy()
    parameters = session.parameters
    moved: list[tuple[Any, tuple[int, ...]]]
    moved = [(parameters.weights, (word, unit)) for word in range(5) for unit in range(3)]
    slopes = [rows[where] for _, where in moved]
    moved += [(parameters.hidden_bias, (unit,)) for unit in range(3)]
    slopes += [bias[unit] for unit in range(3)]
    for (array, where), slope in zip(moved, slopes, strict=True):
        before, losses = array[where], []
        for sign in (1, -1):
            array[where] = before + np.float32(sign * 1e-3)
            losses.append((step.gradient(case.batch(), PLACE).loss, float(array[where])))
        array[where] = before
        found = (losses[0][0] - losses[1][0]) / (losses[0][1] - losses[1][1])
        assert found == pytest.approx(slope, abs=2e-4 * max(1.0, float(np.abs(rows).max())))
