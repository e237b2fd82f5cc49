"""Optimizers over the touched rows of W, and over small dense vectors.

Adaptive updates are lazy: a row that does not occur in a minibatch is neither read nor written, so
the cost does not grow with the vocabulary. L2 pulls a row when it is touched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu import program
from undertow.kernels.cpu.compile import kernel, piece, shared
from undertow.kernels.cpu.prefetch import AHEAD, prefetch_row_to_write
from undertow.kernels.cpu.rows import row_gradient, row_scalar

TINY = 1e-12
BLOCK = 64  # rows that are averaged and then moved: they stay in the core's cache meanwhile


@piece
def _inverse_deviation(moment: Any, square: Any, decay: Any) -> Any:
    """Counts a mean square in and gives 1 / sqrt of the present estimate."""
    moment[0] = decay * moment[0] + (np.float32(1.0) - decay) * square
    moment[1] = decay * moment[1] + (np.float32(1.0) - decay)
    return np.float32(1.0) / (np.sqrt(moment[0] / moment[1]) + np.float32(TINY))


@shared
def adam_per_row(
    part: int,
    first: int,
    last: int,
    gradient: Any,
    weights: Any,
    moments: Any,
    rate: float,
    decay: float,
    l2: float,
) -> None:
    """Adam without momentum and with one second moment per row: 8 bytes of state a word. For rows
    `first` to `last` of a part.

    moments[word] holds the decaying sum of the gradient's mean squares and the decaying sum of
    ones; their quotient is the mean over the times that this row was touched, without bias and
    without a power of the decay.
    """
    total = np.empty(weights.shape[1], dtype=np.float32)
    rows = gradient.rows[part, : gradient.sizes[part]]
    for i in range(first, last):
        soon = rows[min(i + AHEAD, rows.size - 1)]
        prefetch_row_to_write(weights[soon])
        prefetch_row_to_write(moments[soon])
        word = rows[i]
        row = weights[word]
        square = row_gradient(gradient, part, i, row, np.float32(l2), total)
        step = np.float32(rate) * _inverse_deviation(moments[word], square, np.float32(decay))
        for j in range(total.size):
            row[j] -= step * total[j]


@kernel
def adam_per_row_together(
    worker: Any, gradient: Any, weights: Any, moments: Any, rate: float, decay: float, l2: float
) -> None:
    """The same for all parts: a program for all workers."""
    if program.join(worker) >= 0:
        part = program.next_item(worker, 0)
        while part < gradient.sizes.size:
            size = gradient.sizes[part]
            adam_per_row(part, 0, size, gradient, weights, moments, rate, decay, l2)
            part = program.next_item(worker, 0)
        program.leave(worker, 1)


@kernel
def adam_and_average_together(
    worker: Any,
    gradient: Any,
    weights: Any,
    moments: Any,
    rate: float,
    decay: float,
    l2: float,
    averages: Any,
    seen: Any,
    step: int,
    average_decay: float,
) -> None:
    """The same, with the average of each row brought up to `step` before the row moves: a row that
    has to come from main memory comes once.
    """
    if program.join(worker) >= 0:
        part = program.next_item(worker, 0)
        while part < gradient.sizes.size:
            size = gradient.sizes[part]
            rows = gradient.rows[part, :size]
            for first in range(0, size, BLOCK):
                last = min(first + BLOCK, size)
                average_rows(rows, first, last, weights, averages, seen, step, average_decay)
                adam_per_row(part, first, last, gradient, weights, moments, rate, decay, l2)
            part = program.next_item(worker, 0)
        program.leave(worker, 1)


@kernel
def adam_per_element(
    part: int,
    gradient: Any,
    weights: Any,
    first_moments: Any,
    second_moments: Any,
    masses: Any,
    rate: float,
    momentum: float,
    decay: float,
    l2: float,
) -> None:
    """Lazy Adam with both moments of every element: 8 H bytes of state a word."""
    total = np.empty(weights.shape[1], dtype=np.float32)
    for i in range(gradient.sizes[part]):
        word = gradient.rows[part, i]
        row, mean, square = weights[word], first_moments[word], second_moments[word]
        row_gradient(gradient, part, i, row, np.float32(l2), total)
        keep_mean, keep_square = np.float32(momentum), np.float32(decay)
        in_mean, in_square = np.float32(1.0) - keep_mean, np.float32(1.0) - keep_square
        masses[word, 0] = keep_mean * masses[word, 0] + in_mean
        masses[word, 1] = keep_square * masses[word, 1] + in_square
        scale = np.float32(rate) / masses[word, 0]
        correction = np.float32(1.0) / masses[word, 1]
        for j in range(total.size):
            mean[j] = keep_mean * mean[j] + in_mean * total[j]
            square[j] = keep_square * square[j] + in_square * total[j] * total[j]
            row[j] -= scale * mean[j] / (np.sqrt(square[j] * correction) + np.float32(TINY))


@kernel
def adam_scalars(
    part: int, gradient: Any, values: Any, moments: Any, rate: float, decay: float
) -> None:
    """The same for the visible biases of touched words."""
    for i in range(gradient.sizes[part]):
        word = gradient.rows[part, i]
        slope = row_scalar(gradient, part, i)
        values[word] -= (
            np.float32(rate)
            * _inverse_deviation(moments[word], slope * slope, np.float32(decay))
            * slope
        )


@shared
def adam_dense(
    values: Any, slope: Any, moments: Any, rate: float, decay: float, mass: float
) -> None:
    """The same for a vector that every step moves; `mass` is the decaying sum of ones."""
    for j in range(values.size):
        moments[j] = decay * moments[j] + (1.0 - decay) * slope[j] * slope[j]
        values[j] -= rate * slope[j] / (np.sqrt(moments[j] / mass) + TINY)


@kernel
def momentum_rows(
    part: int, gradient: Any, weights: Any, velocities: Any, rate: float, l2: float
) -> None:
    """The part of SGD with momentum that touched rows bring: velocity -= rate * gradient."""
    total = np.empty(weights.shape[1], dtype=np.float32)
    for i in range(gradient.sizes[part]):
        word = gradient.rows[part, i]
        row_gradient(gradient, part, i, weights[word], np.float32(l2), total)
        velocity = velocities[word]
        for j in range(total.size):
            velocity[j] -= np.float32(rate) * total[j]


@kernel
def coast(first: int, last: int, weights: Any, velocities: Any, momentum: float) -> None:
    """The part of SGD with momentum that every row takes: weights += velocity, then velocity *=
    momentum.
    """
    for row in range(first, last):
        velocity, values = velocities[row], weights[row]
        for j in range(velocity.size):
            values[j] += velocity[j]
            velocity[j] *= np.float32(momentum)


@shared
def retained(since: int, until: int, decay: float) -> float:
    """d_{since+1} * ... * d_{until}, with d_t = 1 - 4 / (t + 3), at most `decay`: what an average
    keeps of itself.

    The early factors (t - 1) / (t + 3) telescope.
    """
    turn = int(np.floor(4.0 / (1.0 - decay))) - 3  # the last step whose factor is not capped
    share = 1.0
    if since < turn:
        end = min(until, turn)
        for i in range(4):
            share *= (since + i) / (end + i) if end + i > 0 else 1.0
    if until > max(since, turn):
        share *= decay ** (until - max(since, turn))
    return share


@shared
def average_rows(
    rows: Any,
    first: int,
    last: int,
    weights: Any,
    averages: Any,
    seen: Any,
    step: int,
    decay: float,
) -> None:
    """Brings the running average of rows `first` to `last` of these up to `step`: since `seen` they
    have stood still at their present values.
    """
    for i in range(first, last):
        soon = rows[min(i + AHEAD, rows.size - 1)]
        prefetch_row_to_write(averages[soon])
        prefetch_row_to_write(weights[soon])
        word = rows[i]
        if step > seen[word]:
            stays = np.float32(retained(seen[word], step, decay))
            average, values = averages[word], weights[word]
            for j in range(average.size):
                average[j] = stays * average[j] + (np.float32(1.0) - stays) * values[j]
            seen[word] = step


@kernel
def average_together(
    worker: Any, gradient: Any, weights: Any, averages: Any, seen: Any, step: int, decay: float
) -> None:
    """The same for all rows that a gradient touches: a program for all workers."""
    if program.join(worker) >= 0:
        part = program.next_item(worker, 0)
        while part < gradient.sizes.size:
            size = gradient.sizes[part]
            rows = gradient.rows[part, :size]
            average_rows(rows, 0, size, weights, averages, seen, step, decay)
            part = program.next_item(worker, 0)
        program.leave(worker, 1)


@kernel
def add_scalars(part: int, gradient: Any, out: Any) -> None:
    """Adds the sparse part of the gradient of the visible bias to a dense vector."""
    for i in range(gradient.sizes[part]):
        out[gradient.rows[part, i]] += row_scalar(gradient, part, i)
