"""The optimisers' kernels against their textbook forms in float64, over several steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.gradients import (
    LARGEST_GRADIENT,
    MOST_ENTRIES,
    SMALLEST_GRADIENT,
    TextbookAdam,
    dense_gradient,
    make_gradient,
)
from tests.oracles.rounding import UNIT
from undertow.kernels.cpu import update
from undertow.kernels.cpu.rows import RowGradient

WORDS, STEPS = 9, 8
RATE, L2 = 0.05, 0.01
Single = NDArray[np.float32]

# A step is rate * gradient / deviation, and the quotient is at most LARGEST / SMALLEST. Its relative error: a gradient
# of n entries and L2 has (n + 5) roundings, its square and the moments (which sum over the steps) twice that and 2 per
# step, and the quotient a few. The weights themselves (below 4) round once a step.
ROUNDINGS = 3 * (MOST_ENTRIES + 5) + 2 * STEPS + 6
ADAM = STEPS * UNIT * (ROUNDINGS * RATE * LARGEST_GRADIENT / SMALLEST_GRADIENT + 4.0)
# Momentum: a gradient's errors stay in the velocity, which adds up to at most 1 / (1 - momentum) = 10 of them.
SGD = STEPS * UNIT * (ROUNDINGS * RATE * LARGEST_GRADIENT * 10 + 4.0)

touching = pytest.mark.parametrize("lazy", [False, True], ids=["every row", "some rows"])
sizes = pytest.mark.parametrize("units", [1, 3, 65])


def _gradients(units: int, *, lazy: bool) -> Iterator[RowGradient]:
    """Steps of either sign, over all rows or over some."""
    generator = np.random.default_rng(units)
    for step in range(STEPS):
        number = int(generator.integers(1, WORDS)) if lazy else WORDS
        rows = generator.permutation(WORDS)[:number].astype(np.int32)
        yield make_gradient(generator, rows, units, -1.0 if step % 3 == 1 else 1.0)


def _weights(units: int) -> Single:
    return np.random.default_rng(99).normal(0.0, 0.5, (WORDS, units)).astype(np.float32)


def _in_two_parts(kernel: Callable[..., Any], items: int, *arguments: Any) -> None:
    """A kernel over its range in two calls, the second part first, as threads might do it."""
    kernel(items // 2, items, *arguments)
    kernel(0, items // 2, *arguments)


def _assert_near(ours: Single, exact: NDArray[np.float64], tolerance: float) -> None:
    assert np.abs(exact).max() < 4.0  # what the tolerance supposes
    np.testing.assert_allclose(ours, exact, rtol=0, atol=tolerance)


@touching
@sizes
def test_adam_with_a_moment_per_row(units: int, lazy: bool) -> None:
    weights, moments = _weights(units), np.zeros((WORDS, 2), dtype=np.float32)
    exact, textbook = weights.astype(np.float64), TextbookAdam(RATE, 0.0, 0.9, L2, per_row=True)
    for gradient in _gradients(units, lazy=lazy):
        before = weights.copy()
        _in_two_parts(update.adam_per_row, len(gradient.rows), gradient, weights, moments, RATE, 0.9, L2)
        textbook.apply(exact, dense_gradient(gradient, WORDS)[:, :-1], gradient.rows)
        untouched = np.setdiff1d(np.arange(WORDS), gradient.rows)
        np.testing.assert_array_equal(weights[untouched], before[untouched])
    _assert_near(weights, exact, ADAM)


@touching
@sizes
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_adam_with_moments_per_element(momentum: float, units: int, lazy: bool) -> None:
    weights = _weights(units)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    masses = np.zeros((WORDS, 2), dtype=np.float32)
    exact, textbook = weights.astype(np.float64), TextbookAdam(RATE, momentum, 0.999, L2, per_row=False)
    for gradient in _gradients(units, lazy=lazy):
        state = (gradient, weights, first, second, masses)
        _in_two_parts(update.adam_per_element, len(gradient.rows), *state, RATE, momentum, 0.999, L2)
        textbook.apply(exact, dense_gradient(gradient, WORDS)[:, :-1], gradient.rows)
    _assert_near(weights, exact, ADAM)


@touching
def test_adam_of_visible_biases(lazy: bool) -> None:
    values, moments = _weights(1)[:, 0].copy(), np.zeros((WORDS, 2), dtype=np.float32)
    exact, textbook = values.astype(np.float64)[:, None], TextbookAdam(RATE, 0.0, 0.9, 0.0, per_row=False)
    for gradient in _gradients(3, lazy=lazy):
        _in_two_parts(update.adam_scalars, len(gradient.rows), gradient, values, moments, RATE, 0.9)
        textbook.apply(exact, dense_gradient(gradient, WORDS)[:, -1:], gradient.rows)
    _assert_near(values, exact[:, 0], ADAM)


def test_adam_stands_still_without_a_gradient() -> None:
    """A row whose gradient is exactly zero is divided by TINY, not by zero."""
    gradient = make_gradient(np.random.default_rng(0), np.arange(WORDS, dtype=np.int32), 3, 1.0)
    gradient = gradient._replace(coefficients=np.zeros_like(gradient.coefficients))
    weights = _weights(3)
    before = weights.copy()
    update.adam_per_row(0, WORDS, gradient, weights, np.zeros((WORDS, 2), dtype=np.float32), RATE, 0.9, 0.0)
    np.testing.assert_array_equal(weights, before)


@touching
@sizes
@pytest.mark.parametrize("l2", [0.0, L2])
def test_momentum_is_the_textbook_one(l2: float, units: int, lazy: bool) -> None:
    """v <- momentum v - rate gradient, W <- W + v, on every row; L2 pulls the touched rows."""
    momentum = 0.9
    weights = _weights(units)
    velocities = np.zeros_like(weights)
    exact = weights.astype(np.float64)
    velocity = np.zeros_like(exact)
    for gradient in _gradients(units, lazy=lazy):
        _in_two_parts(update.momentum_rows, len(gradient.rows), gradient, weights, velocities, RATE / 10, l2)
        _in_two_parts(update.coast, WORDS, weights, velocities, momentum)
        slope = dense_gradient(gradient, WORDS)[:, :-1]
        slope[gradient.rows] += l2 * exact[gradient.rows]
        velocity = momentum * velocity - RATE / 10 * slope
        exact += velocity
    _assert_near(weights, exact, SGD / 10)


@sizes
@pytest.mark.parametrize("decay", [0.5, 0.99])
def test_a_lazy_average_is_the_one_of_every_step(decay: float, units: int) -> None:
    """Rows are brought up to the step before each change, and all of them at the end."""
    generator = np.random.default_rng(units)
    weights = _weights(units)
    averages, seen = weights.copy(), np.zeros(WORDS, dtype=np.int64)
    exact = weights.astype(np.float64)
    for step in range(1, STEPS + 1):
        rows = generator.permutation(WORDS)[: generator.integers(0, WORDS)].astype(np.int32)
        _in_two_parts(update.average_rows, len(rows), rows, weights, averages, seen, step - 1, decay)
        weights[rows] += generator.normal(0.0, 0.2, (len(rows), units)).astype(np.float32)
        keep = min(decay, 1.0 - 4.0 / (step + 3.0))
        exact = keep * exact + (1 - keep) * weights
    everything = np.arange(WORDS, dtype=np.int32)
    for _ in range(2):  # the second time there is nothing left to do
        _in_two_parts(update.average_rows, WORDS, everything, weights, averages, seen, STEPS, decay)
    assert (seen == STEPS).all()
    _assert_near(averages, exact, 5 * STEPS * UNIT * 4.0)  # decay, its power, two products and a sum a step


def test_sparse_gradients_are_added_to_a_dense_one() -> None:
    gradient = next(_gradients(3, lazy=True))
    out = np.ones(WORDS, dtype=np.float32)
    update.add_scalars(gradient, out)
    exact = 1.0 + dense_gradient(gradient, WORDS)[:, -1]
    np.testing.assert_allclose(out, exact, rtol=(MOST_ENTRIES + 2) * UNIT)
