"""The optimizers' kernels against their textbook forms in float64, over several steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.gradients import (
    LARGEST_GRADIENT,
    MOST_ENTRIES,
    PARTS,
    SMALLEST_GRADIENT,
    TextbookAdam,
    dense_gradient,
    make_gradient,
)
from tests.oracles.rounding import UNIT
from undertow.kernels.cpu import pool, update
from undertow.kernels.cpu.rows import RowGradient

WORDS, STEPS = 9, 8
RATE, L2 = 0.05, 0.01
Single = NDArray[np.float32]

# A step is rate * gradient / deviation, and the quotient is at most LARGEST / SMALLEST. Its
# relative error: a gradient of n entries and L2 has (n + 5) roundings, its square and the moments
# (which sum over the steps) twice that and 2 per step, and the quotient a few. The weights
# themselves (below 4) round once a step.
ROUNDINGS = 3 * (MOST_ENTRIES + 5) + 2 * STEPS + 6
ADAM = STEPS * UNIT * (ROUNDINGS * RATE * LARGEST_GRADIENT / SMALLEST_GRADIENT + 4.0)
# Momentum: a gradient's errors stay in the velocity, which adds up to at most 1 / (1 - momentum) =
# 10 of them.
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


def _in_parts(kernel: Callable[..., Any], gradient: RowGradient, *arguments: Any) -> None:
    """A kernel over all parts of a gradient, the last one first, as threads might do it."""
    for part in reversed(range(PARTS)):
        kernel(part, gradient, *arguments)


def _row_by_row(part: int, gradient: RowGradient, *arguments: Any) -> None:
    """Adam over the rows of a part, a range after the other."""
    size = int(gradient.sizes[part])
    for first, last in ((0, size // 2), (size // 2, size)):
        update.adam_per_row(part, first, last, gradient, *arguments)


def _assert_near(ours: Single, exact: NDArray[np.float64], tolerance: float) -> None:
    assert np.abs(exact).max() < 4.0  # what the tolerance supposes
    np.testing.assert_allclose(ours, exact, rtol=0, atol=tolerance)


@touching
@sizes
@pytest.mark.parametrize("together", [0, 1, 3])
def test_adam_with_a_moment_per_row(together: int, units: int, lazy: bool) -> None:
    """Part by part in two ranges of rows, and as a program of several workers."""
    weights, moments = _weights(units), np.zeros((WORDS, 2), dtype=np.float32)
    exact, textbook = weights.astype(np.float64), TextbookAdam(RATE, 0.0, 0.9, L2, per_row=True)
    for gradient in _gradients(units, lazy=lazy):
        before = weights.copy()
        arguments = (gradient, weights, moments, RATE, 0.9, L2)
        if together:
            pool.run_program(update.adam_per_row_together, together, *arguments)
        else:
            _in_parts(_row_by_row, *arguments)
        textbook.apply(exact, dense_gradient(gradient, WORDS)[:, :-1], gradient.touched())
        untouched = np.setdiff1d(np.arange(WORDS), gradient.touched())
        np.testing.assert_array_equal(weights[untouched], before[untouched])
    _assert_near(weights, exact, ADAM)


@touching
@sizes
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_adam_with_moments_per_element(momentum: float, units: int, lazy: bool) -> None:
    weights = _weights(units)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    masses = np.zeros((WORDS, 2), dtype=np.float32)
    exact, textbook = (
        weights.astype(np.float64),
        TextbookAdam(RATE, momentum, 0.999, L2, per_row=False),
    )
    for gradient in _gradients(units, lazy=lazy):
        state = (weights, first, second, masses)
        _in_parts(update.adam_per_element, gradient, *state, RATE, momentum, 0.999, L2)
        textbook.apply(exact, dense_gradient(gradient, WORDS)[:, :-1], gradient.touched())
    _assert_near(weights, exact, ADAM)


@touching
def test_adam_of_visible_biases(lazy: bool) -> None:
    values, moments = _weights(1)[:, 0].copy(), np.zeros((WORDS, 2), dtype=np.float32)
    exact, textbook = (
        values.astype(np.float64)[:, None],
        TextbookAdam(RATE, 0.0, 0.9, 0.0, per_row=False),
    )
    for gradient in _gradients(3, lazy=lazy):
        _in_parts(update.adam_scalars, gradient, values, moments, RATE, 0.9)
        textbook.apply(exact, dense_gradient(gradient, WORDS)[:, -1:], gradient.touched())
    _assert_near(values, exact[:, 0], ADAM)


def _beside_masses() -> NDArray[Any]:
    """Moments of visible biases, which lie beside the masses of their lazy form."""
    return np.zeros((WORDS, 2), dtype=np.float32)[:, 0]


def _alone() -> NDArray[Any]:
    return np.zeros(WORDS)


@pytest.mark.parametrize(
    ("precision", "moments_of"),
    [(np.float32, _alone), (np.float32, _beside_masses), (np.float64, _alone)],
    ids=["hidden biases", "visible biases", "corrections"],
)
def test_adam_of_dense_vectors(precision: Any, moments_of: Callable[[], NDArray[Any]]) -> None:
    """Double precision has rounding errors of 2^-53 where single precision has UNIT; there the TINY
    shows that keeps the kernel from dividing by zero, and makes every step smaller by that share of
    the deviation.
    """
    values, moments = _weights(1)[:, 0].astype(precision), moments_of()
    exact, textbook = (
        values.astype(np.float64)[None],
        TextbookAdam(RATE, 0.0, 0.9, 0.0, per_row=False),
    )
    generator = np.random.default_rng(1)
    for step in range(1, STEPS + 1):
        sign = -1.0 if step % 3 == 1 else 1.0
        slope = (sign * generator.uniform(SMALLEST_GRADIENT, LARGEST_GRADIENT, WORDS)).astype(
            precision
        )
        update.adam_dense(values, slope, moments, RATE, 0.9, 1.0 - 0.9**step)
        textbook.apply(exact, slope[None].astype(np.float64), np.zeros(1, dtype=np.int32))
    shrunk = STEPS * RATE * LARGEST_GRADIENT / SMALLEST_GRADIENT * update.TINY / SMALLEST_GRADIENT
    _assert_near(
        values, exact[0], ADAM if precision == np.float32 else ADAM * 2.0**-53 / UNIT + shrunk
    )


def test_adam_stands_still_without_a_gradient() -> None:
    """A row whose gradient is exactly zero is divided by TINY, not by zero."""
    gradient = make_gradient(np.random.default_rng(0), np.arange(WORDS, dtype=np.int32), 3, 1.0)
    gradient = gradient._replace(coefficients=np.zeros_like(gradient.coefficients))
    weights = _weights(3)
    before = weights.copy()
    _in_parts(
        _row_by_row,
        gradient,
        weights,
        np.zeros((WORDS, 2), dtype=np.float32),
        RATE,
        0.9,
        0.0,
    )
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
        _in_parts(update.momentum_rows, gradient, weights, velocities, RATE / 10, l2)
        for first, last in ((WORDS // 2, WORDS), (0, WORDS // 2)):
            update.coast(first, last, weights, velocities, momentum)
        slope, touched = dense_gradient(gradient, WORDS)[:, :-1], gradient.touched()
        slope[touched] += l2 * exact[touched]
        velocity = momentum * velocity - RATE / 10 * slope
        exact += velocity
    _assert_near(weights, exact, SGD / 10)


@sizes
@pytest.mark.parametrize("decay", [0.5, 0.99])
@pytest.mark.parametrize("together", [1, 3])
def test_a_lazy_average_is_the_one_of_every_step(together: int, decay: float, units: int) -> None:
    """Rows are brought up to the step before each change, by several workers, and all of them at
    the end, in two parts.
    """
    generator = np.random.default_rng(units)
    weights = _weights(units)
    averages, seen = weights.copy(), np.zeros(WORDS, dtype=np.int64)
    exact = weights.astype(np.float64)
    for step in range(1, STEPS + 1):
        rows = generator.permutation(WORDS)[: generator.integers(0, WORDS)].astype(np.int32)
        gradient = make_gradient(generator, rows, units, 1.0)
        arguments = (gradient, weights, averages, seen, step - 1, decay)
        pool.run_program(update.average_together, together, *arguments)
        assert (seen[rows] == step - 1).all()
        weights[rows] += generator.normal(0.0, 0.2, (len(rows), units)).astype(np.float32)
        keep = min(decay, 1.0 - 4.0 / (step + 3.0))
        exact = keep * exact + (1 - keep) * weights
    everything = np.arange(WORDS, dtype=np.int32)
    for _ in range(2):  # the second time there is nothing left to do
        for rows in (everything[WORDS // 2 :], everything[: WORDS // 2]):
            update.average_rows(rows, 0, len(rows), weights, averages, seen, STEPS, decay)
    assert (seen == STEPS).all()
    _assert_near(
        averages, exact, 5 * STEPS * UNIT * 4.0
    )  # decay, its power, two products and a sum a step


@pytest.mark.parametrize("words", [1, update.BLOCK, 2 * update.BLOCK, 3 * update.BLOCK + 1])
@pytest.mark.parametrize("together", [1, 3])
def test_averaging_and_moving_in_one_pass_is_one_after_the_other(together: int, words: int) -> None:
    """To the bit, with parts that fill no block, one, or several, and rows that have come to
    different steps.
    """
    generator = np.random.default_rng(words)
    start = generator.normal(0.0, 0.5, (PARTS * words, 5)).astype(np.float32)
    ours: dict[str, NDArray[Any]] = {
        "weights": start.copy(),
        "moments": np.zeros((len(start), 2), dtype=np.float32),
        "averages": start.copy(),
        "seen": np.zeros(len(start), dtype=np.int64),
    }
    theirs = {name: array.copy() for name, array in ours.items()}
    adam = (RATE, 0.9, L2)
    for step in range(1, 5):
        number = len(start) if step == 1 else int(generator.integers(1, len(start)))
        rows = generator.permutation(len(start))[:number].astype(np.int32)
        gradient = make_gradient(generator, rows, 5, 1.0)
        pool.run_program(
            update.adam_and_average_together,
            together,
            gradient,
            *(ours["weights"], ours["moments"], *adam, ours["averages"], ours["seen"]),
            *(step - 1, 0.5),
        )
        weights, moments, averages, seen = theirs.values()
        average = (gradient, weights, averages, seen, step - 1, 0.5)
        pool.run_program(update.average_together, 1, *average)
        pool.run_program(update.adam_per_row_together, 1, gradient, weights, moments, *adam)
        for name, array in ours.items():
            np.testing.assert_array_equal(array, theirs[name], err_msg=name)
    assert (ours["seen"] > 0).any()


def test_sparse_gradients_are_added_to_a_dense_one() -> None:
    gradient = next(_gradients(3, lazy=True))
    out = np.ones(WORDS, dtype=np.float32)
    _in_parts(update.add_scalars, gradient, out)
    exact = 1.0 + dense_gradient(gradient, WORDS)[:, -1]
    np.testing.assert_allclose(out, exact, rtol=(MOST_ENTRIES + 2) * UNIT)
