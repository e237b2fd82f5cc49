"""Noise windows: sums over any window of a stream from prefix sums, and the way back from windows
to positions.

Let prefix[i] be the sum of the weighted rows of W of the first i words of the stream. A window
[begin, end) then has the input prefix[end] - prefix[begin], whatever its length. Backwards, the
gradient at position i is the sum over the windows that cover i: whoever has a window's gradient
adds it at `end` and takes it away at `begin`, and one sweep from the right turns these changes into
sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu.compile import shared
from undertow.kernels.cpu.prefetch import AHEAD, prefetch_row


@shared
def prefix_scalars(stream: Any, values: Any, prefix: Any) -> None:
    """prefix[i]: the sum of values[word] over the first i words of the stream, in float64."""
    total = 0.0
    prefix[0] = 0.0
    for position in range(stream.size):
        total += values[stream[position]]
        prefix[position + 1] = total


@shared
def prefix_rows(stream: Any, weights: Any, word_weights: Any, prefix: Any) -> None:
    """prefix[i]: the sum of the weighted rows of W over the first i words."""
    prefix[0, :] = np.float32(0.0)
    for position in range(stream.size):
        prefetch_row(weights[stream[min(position + AHEAD, stream.size - 1)]])
        word = stream[position]
        before, after = prefix[position], prefix[position + 1]
        row, coefficient = weights[word], word_weights[word]
        for j in range(after.size):
            after[j] = before[j] + coefficient * row[j]


@shared
def cover(begins: Any, ends: Any, first_row: int, covering: Any) -> None:
    """covering[i]: how many windows cover position i, which is row first_row + i (the last element
    is 0).
    """
    covering[:] = 0
    for d in range(begins.shape[0]):
        for n in range(begins.shape[1]):
            covering[begins[d, n] - first_row] += 1
            covering[ends[d, n] - first_row] -= 1
    for position in range(1, covering.size):
        covering[position] += covering[position - 1]


@shared
def sweep(covering: Any, changes: Any) -> None:
    """Turns changes into sums, in place: row i becomes the sum of the rows after it."""
    total = np.zeros(changes.shape[1], dtype=np.float32)
    for position in range(changes.shape[0] - 1, -1, -1):
        if covering[position] == 0:  # what is left is rounding, and would grow from gap to gap
            total[:] = np.float32(0.0)
        here = changes[position]
        for j in range(total.size):
            change = here[j]
            here[j] = total[j]
            total[j] += change
