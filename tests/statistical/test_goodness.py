"""The yardstick itself: a fair sample passes, a sample that is off by a little does not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.goodness import assert_fits, assert_means, chi_square

CHANCES = np.array([0.5, 0.3, 0.15, 0.0499, 0.0001])


def test_exact_draws_pass_at_the_stated_rate() -> None:
    """2000 samples of exact draws: the median of their statistics is the median of the
    distribution, none fails.
    """
    generator = np.random.default_rng(0)
    results = [chi_square(generator.multinomial(5000, CHANCES), CHANCES) for _ in range(2000)]
    assert all(statistic < limit for statistic, limit in results)
    # Pooling leaves 4 cells, so 3 degrees of freedom with median 2.366; the share below varies by
    # .5 / sqrt(2000).
    below = np.mean([statistic < 2.366 for statistic, _ in results])
    assert abs(below - 0.5) < 5 * 0.5 / np.sqrt(2000)


def test_a_shift_of_a_hundredth_is_noticed() -> None:
    """n (shift^2 / p1 + shift^2 / p2) = 10^5 (1e-4 / .5 + 1e-4 / .3) = 53 above the expected 3; the
    limit is 30.
    """
    shifted = CHANCES + np.array([0.01, -0.01, 0.0, 0.0, 0.0])
    with pytest.raises(AssertionError):
        assert_fits(np.rint(100_000 * shifted), CHANCES)


def test_impossible_draws_are_noticed() -> None:
    with pytest.raises(AssertionError):
        assert_fits([10_000, 10_000, 1], [0.5, 0.5, 0.0])


def test_too_few_draws_are_no_test() -> None:
    with pytest.raises(AssertionError, match="too few draws"):
        assert_fits([20, 20], [0.5, 0.5])


def test_means_are_held_to_their_standard_error() -> None:
    """Two means at one false alarm in a million: 5.03 standard errors of 1 / 100."""
    assert_means([0.04, -0.04], [0.0, 0.0], [1.0, 1.0], 10_000)
    with pytest.raises(AssertionError):
        assert_means([0.06, 0.0], [0.0, 0.0], [1.0, 1.0], 10_000)
