"""Goodness of fit, with a stated rate of false alarms.

Every comparison below would fail a correct sampler about once in a million seeds. The seeds of the
tests are fixed, so a test that passes keeps passing, and none of them was chosen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

FALSE_ALARM = 1e-6
# Cells with fewer expected draws are pooled: below that a count is too skewed for the chi-square
# quantile.
LEAST_EXPECTED = 100.0


def chi_square(observed: ArrayLike, probabilities: ArrayLike) -> tuple[float, float]:
    """The statistic of counts against probabilities, and the limit that it exceeds with probability
    FALSE_ALARM.
    """
    counts, chances = (
        np.asarray(observed, dtype=np.float64).ravel(),
        np.asarray(probabilities).ravel(),
    )
    assert counts.shape == chances.shape
    expected = counts.sum() * chances / chances.sum()
    order = np.argsort(expected)
    counts, expected = counts[order], expected[order]
    # Pool the smallest cells until what they hold together is large enough, and every cell after
    # them is.
    pooled = int(np.searchsorted(expected, LEAST_EXPECTED))
    while 0 < pooled < len(expected) and expected[:pooled].sum() < LEAST_EXPECTED:
        pooled += 1
    if pooled:
        counts = np.append(counts[pooled:], counts[:pooled].sum())
        expected = np.append(expected[pooled:], expected[:pooled].sum())
    assert len(expected) > 1 or chances.size == 1, "too few draws to tell anything"
    if len(expected) == 1:
        return 0.0, 0.0
    return float(((counts - expected) ** 2 / expected).sum()), float(
        stats.chi2.isf(FALSE_ALARM, len(expected) - 1)
    )


def assert_fits(observed: ArrayLike, probabilities: ArrayLike) -> None:
    """Counts of independent draws fit the probabilities; what has probability 0 was never drawn."""
    counts, chances = np.ravel(observed), np.ravel(probabilities)
    assert counts[chances == 0].sum() == 0
    statistic, limit = chi_square(counts, chances)
    assert statistic <= limit


def assert_means(means: ArrayLike, expected: ArrayLike, variances: ArrayLike, draws: int) -> None:
    """Means of `draws` independent draws are as expected, given the variance of one draw; all of
    them together.
    """
    errors = np.abs(np.asarray(means) - np.asarray(expected))
    limit = stats.norm.isf(FALSE_ALARM / 2 / errors.size)
    # The second term is for means that cannot vary (variance 0) and are still summed in floating
    # point.
    allowed = limit * np.sqrt(np.asarray(variances) / draws) + 1e-12 * np.abs(np.asarray(expected))
    assert (errors <= allowed).all()


def pair_counts(
    first: ArrayLike, second: ArrayLike, size: int
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """How often each pair of numbers below `size` occurs."""
    places = np.asarray(first, dtype=np.int64).ravel() * size + np.asarray(second).ravel()
    return np.bincount(places, minlength=size * size).reshape(size, size)
