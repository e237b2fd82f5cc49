"""What parameters say without a document: the frozen log Z, and words given hidden units."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.engine import make_case
from undertow import model


def test_frozen_normaliser_takes_real_lengths() -> None:
    parameters = make_case().parameters
    zero, half, whole = model.frozen_log_normaliser(parameters, np.array([0.0, 0.5, 1.0]))
    assert zero == pytest.approx(3 * np.log(2.0), abs=1e-12)
    assert half - zero == pytest.approx((whole - zero) / 2, abs=1e-12)
    assert whole - zero == pytest.approx(
        np.log(np.exp(parameters.visible_bias.astype(np.float64)).sum()), abs=1e-12
    )


def test_words_given_hidden_survives_large_logits() -> None:
    case = make_case(scale=300.0)
    hidden = np.ones((1, 3))
    words = model.words_given_hidden(case.parameters, hidden)
    assert np.isfinite(words).all()
    assert words.sum() == pytest.approx(1.0, abs=1e-12)
