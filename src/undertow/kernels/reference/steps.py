"""Optimizers' steps and running averages, row by row, in float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.reference.energies import Array

TINY = 1e-12


def adam_row(
    row: Array, slope: Array, moment: Array, *, rate: float, decay: float, l2: float
) -> None:
    """Adam without momentum and with one second moment for the row, in place.

    moment: the decaying sum of mean squares, and that of ones.
    """
    total = slope + l2 * row
    moment[:] = decay * moment + (1.0 - decay) * np.array([np.mean(total**2), 1.0])
    row -= rate * total / (np.sqrt(moment[0] / moment[1]) + TINY)


def adam_elements(
    row: Array,
    slope: Array,
    first: Array,
    second: Array,
    masses: Array,
    *,
    rate: float,
    momentum: float,
    decay: float,
    l2: float,
) -> None:
    """Adam with both moments of every element, in place. masses: the decaying sums of ones."""
    total = slope + l2 * row
    first[:] = momentum * first + (1.0 - momentum) * total
    second[:] = decay * second + (1.0 - decay) * total**2
    masses[:] = np.array([momentum, decay]) * masses + 1.0 - np.array([momentum, decay])
    row -= rate * (first / masses[0]) / (np.sqrt(second / masses[1]) + TINY)


def adam_vector(
    values: Array, slope: Array, moments: Array, *, rate: float, decay: float, step: int
) -> None:
    """The same for a vector that every step moves, in place."""
    moments[:] = decay * moments + (1.0 - decay) * slope**2
    values -= rate * slope / (np.sqrt(moments / (1.0 - decay**step)) + TINY)


def retained(since: int, until: int, decay: float) -> float:
    """What an average keeps of itself over the steps since + 1 to until."""
    steps = np.arange(since + 1, until + 1)
    return float(np.prod(np.minimum(1.0 - 4.0 / (steps + 3.0), decay)))


def average_rows(
    rows: NDArray[np.int64],
    weights: Array,
    averages: Array,
    seen: NDArray[np.int64],
    *,
    step: int,
    decay: float,
) -> None:
    """Brings averages up to a step: since `seen` these rows have stood still."""
    for row in rows:
        stays = retained(int(seen[row]), step, decay)
        averages[row] = stays * averages[row] + (1.0 - stays) * weights[row]
        seen[row] = max(step, int(seen[row]))
