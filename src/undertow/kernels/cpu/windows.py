"""Noise windows: sums over any window of the stream from prefix sums, and the way back from windows to positions.

Let prefix[i] be the sum of the weighted rows of W of the first i words of the stream. A window [begin, end) then
has the input prefix[end] - prefix[begin], whatever its length. Backwards, the gradient at position i is the sum
over the windows that cover i, which a sweep from the right keeps up to date: add a window at its end, take it away
at its beginning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu.compile import kernel
from undertow.kernels.cpu.documents import add_row
from undertow.kernels.cpu.prefetch import AHEAD, prefetch_row

COLUMNS = 64  # hidden units that one task works on: a block of the prefix sums then stays in the core's cache


@kernel
def prefix_scalars(stream: Any, values: Any, prefix: Any) -> None:
    """prefix[i]: the sum of values[word] over the first i words of the stream, in float64."""
    total = 0.0
    prefix[0] = 0.0
    for position in range(stream.size):
        total += values[stream[position]]
        prefix[position + 1] = total


@kernel
def prefix_rows(first: int, last: int, stream: Any, weights: Any, word_weights: Any, prefix: Any) -> None:
    """prefix[i]: the sum of the weighted rows of W over the first i words, for blocks `first` to `last` of hidden
    units.
    """
    for block in range(first, last):
        left = block * COLUMNS
        right = min(left + COLUMNS, weights.shape[1])
        prefix[0, left:right] = np.float32(0.0)
        for position in range(stream.size):
            prefetch_row(weights[stream[min(position + AHEAD, stream.size - 1)], left:right])
            word = stream[position]
            before, after = prefix[position, left:right], prefix[position + 1, left:right]
            row, coefficient = weights[word, left:right], word_weights[word]
            for j in range(after.size):
                after[j] = before[j] + coefficient * row[j]


@kernel
def sort_windows(keys: Any, offsets: Any, order: Any) -> None:
    """Windows in the order of a stream position: those with key i are order[offsets[i] : offsets[i + 1]].

    `offsets` has two elements more than the stream has positions.
    """
    offsets[:] = 0
    for window in range(keys.size):
        offsets[keys[window] + 1] += 1
    for position in range(1, offsets.size):
        offsets[position] += offsets[position - 1]
    for window in range(keys.size):
        order[offsets[keys[window]]] = window
        offsets[keys[window]] += 1
    for position in range(offsets.size - 1, 0, -1):
        offsets[position] = offsets[position - 1]
    offsets[0] = 0


@kernel
def place_windows(by_begin: Any, by_end: Any, places: Any) -> None:
    """places[window]: its number in the order of beginnings; `by_end` is turned from windows to such places."""
    for i in range(by_begin.size):
        places[by_begin[i]] = i
    for i in range(by_end.size):
        by_end[i] = places[by_end[i]]


@kernel
def sweep_rows(
    first: int, last: int, vectors: Any, begin_offsets: Any, end_offsets: Any, by_end: Any, out: Any
) -> None:
    """out[i]: the sum of the vectors of all windows that cover position i, for blocks `first` to `last` of units.

    Vectors lie in the order of the windows' beginnings, so that the sweep reads memory nearly in sequence.
    """
    running = np.empty(COLUMNS, dtype=np.float32)
    for block in range(first, last):
        left = block * COLUMNS
        right = min(left + COLUMNS, vectors.shape[1])
        total = running[: right - left]
        total[:] = np.float32(0.0)
        covering = 0
        for position in range(out.shape[0] - 1, -1, -1):
            for i in range(end_offsets[position + 1], end_offsets[position + 2]):
                add_row(total, np.float32(1.0), vectors[by_end[i], left:right])
                covering += 1
            for i in range(begin_offsets[position + 1], begin_offsets[position + 2]):
                add_row(total, np.float32(-1.0), vectors[i, left:right])
                covering -= 1
            if covering == 0:  # what is left is rounding, and would grow from gap to gap
                total[:] = np.float32(0.0)
            here = out[position, left:right]
            for j in range(total.size):
                here[j] = total[j]


@kernel
def cover(begins: Any, ends: Any, covering: Any) -> None:
    """covering[i]: how many windows cover position i (the array has one element more than the stream)."""
    covering[:] = 0
    for window in range(begins.size):
        covering[begins[window]] += 1
        covering[ends[window]] -= 1
    for position in range(1, covering.size):
        covering[position] += covering[position - 1]
