"""What parameters refuse, and where they start."""

from __future__ import annotations

import re

import numpy as np
import pytest

from undertow._errors import InvalidInput
from undertow.model import Parameters, initial_parameters

SINGLE = np.float32


def _parameters(
    weights: tuple[int, ...] = (4, 2),
    hidden: int = 2,
    visible: int = 4,
    words: tuple[int, ...] = (4,),
) -> Parameters:
    return Parameters(
        np.zeros(weights, SINGLE),
        np.zeros(hidden, SINGLE),
        np.zeros(visible, SINGLE),
        np.ones(words, SINGLE),
    )


def test_shape_is_words_by_units() -> None:
    assert (_parameters().words, _parameters().units) == (4, 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"weights": (4,)}, "weights must be a matrix of words x units, got shape (4,)"),
        ({"hidden": 3}, "hidden_bias must have shape (2,) to fit weights 4 x 2, got (3,)"),
        ({"visible": 5}, "visible_bias must have shape (4,) to fit weights 4 x 2, got (5,)"),
        ({"words": (1, 4)}, "word_weights must have shape (4,) to fit weights 4 x 2, got (1, 4)"),
    ],
)
def test_mismatched_shapes_are_refused(wrong: dict[str, tuple[int, ...]], message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        _parameters(**wrong)  # type: ignore[arg-type]


def test_a_copy_is_independent() -> None:
    original = _parameters()
    copy = original.copy()
    for name in ("weights", "hidden_bias", "visible_bias", "word_weights"):
        getattr(copy, name)[...] = 7.0
        assert not (getattr(original, name) == 7.0).any()


def test_training_starts_at_the_noise_distribution() -> None:
    p, w = np.array([0.5, 0.3, 0.2]), np.array([1.0, 0.0, 2.5])
    start = initial_parameters(4, p, w, seed=3)
    assert start.weights.shape == (3, 4)
    assert (start.hidden_bias == 0).all()
    np.testing.assert_array_equal(start.visible_bias, np.log(p).astype(SINGLE))
    np.testing.assert_array_equal(start.word_weights, w.astype(SINGLE))
    arrays = (start.weights, start.hidden_bias, start.visible_bias, start.word_weights)
    assert {array.dtype for array in arrays} == {np.dtype(SINGLE)}


def test_first_weights_have_a_deviation_of_a_hundredth() -> None:
    """The mean square of n normal numbers varies by sqrt(2 / n) of itself: 5 deviations are one
    false alarm in 10^6.
    """
    words, units = 500, 40
    uniform = np.full(words, 1.0 / words)
    weights = initial_parameters(units, uniform, np.ones(words), seed=3).weights.astype(np.float64)
    n = weights.size
    assert abs((weights**2).mean() / 1e-4 - 1.0) < 5.0 * np.sqrt(2.0 / n)
    assert abs(weights.mean()) < 5.0 * 0.01 / np.sqrt(n)
    assert not np.array_equal(
        weights, initial_parameters(units, uniform, np.ones(words), seed=4).weights
    )
