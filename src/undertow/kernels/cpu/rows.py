"""The gradient of W in factored form, touching only the rows that occur.

A row's gradient is a sum of coefficient * vector over its entries: a token of a document brings that document's
vector, a word of the noise stream brings its position's vector. Vectors are shared, so the gradient is never
written out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.cpu.documents import add_row
from undertow.kernels.cpu.prefetch import FAR_AHEAD, prefetch_number


class Entries(NamedTuple):
    """Coordinates of the factored gradient, in any order."""

    words: NDArray[np.int32]
    vectors: NDArray[np.int32]  # which vector
    coefficients: NDArray[np.float32]


class RowGradient(NamedTuple):
    """The entries grouped by word: row i is word rows[i], with entries starts[i] to starts[i + 1]."""

    rows: NDArray[np.int32]
    starts: NDArray[np.int64]
    vector_ids: NDArray[np.int32]
    coefficients: NDArray[np.float32]
    vectors: NDArray[np.float32]  # (N, H)
    scalars: NDArray[np.float32]  # (N,): the same for the visible bias


@kernel
def split_entries(starts: Any, words: Any, counts: Any, kept: Any, word_weights: Any, entries: Any) -> int:
    """Entries of documents split into replaced tokens (vectors 0 to B) and kept ones (vectors B to 2B); returns how
    many.
    """
    documents = starts.size - 1
    n = 0
    for d in range(documents):
        for i in range(starts[d], starts[d + 1]):
            prefetch_number(word_weights, words[min(i + FAR_AHEAD, words.size - 1)])
            word = words[i]
            if counts[i] > kept[i]:
                entries.words[n] = word
                entries.vectors[n] = d
                entries.coefficients[n] = word_weights[word] * np.float32(counts[i] - kept[i])
                n += 1
            if kept[i] > 0:
                entries.words[n] = word
                entries.vectors[n] = documents + d
                entries.coefficients[n] = word_weights[word] * np.float32(kept[i])
                n += 1
    return n


@kernel
def stream_entries(stream: Any, covering: Any, word_weights: Any, first_vector: int, entries: Any, n: int) -> int:
    """Appends the covered positions of the noise stream to `n` entries; returns how many there are then."""
    for position in range(stream.size):
        if covering[position] > 0:
            word = stream[position]
            entries.words[n] = word
            entries.vectors[n] = first_vector + position
            entries.coefficients[n] = word_weights[word]
            n += 1
    return n


@kernel
def document_entries(
    starts: Any, words: Any, counts: Any, word_weights: Any, first_vector: int, entries: Any, n: int
) -> int:
    """Appends whole documents, document d with vector `first_vector + d`; returns how many entries there are then."""
    for d in range(starts.size - 1):
        for i in range(starts[d], starts[d + 1]):
            word = words[i]
            entries.words[n] = word
            entries.vectors[n] = first_vector + d
            entries.coefficients[n] = word_weights[word] * np.float32(counts[i])
            n += 1
    return n


@kernel
def group_entries(entries: Any, n: int, slots: Any, grouped: Any) -> int:
    """Groups `n` entries by word, in the order of first occurrence; returns the number of rows.

    `slots` (K,) is -1 everywhere before and after: the place of each touched word among the rows.
    """
    starts = grouped.starts
    n_rows = 0
    for i in range(n):
        prefetch_number(slots, entries.words[min(i + FAR_AHEAD, n - 1)])
        word = entries.words[i]
        slot = slots[word]
        if slot < 0:
            slot = n_rows
            slots[word] = slot
            grouped.rows[slot] = word
            starts[slot + 1] = 0
            n_rows += 1
        starts[slot + 1] += 1
    starts[0] = 0
    for row in range(n_rows):
        starts[row + 1] += starts[row]
    # Fill each row from its end, last entry first, so that a row keeps the order of its entries; this moves
    # starts[row + 1] back to starts[row], which is put right afterwards.
    for i in range(n - 1, -1, -1):
        slot = slots[entries.words[i]]
        starts[slot + 1] -= 1
        place = starts[slot + 1]
        grouped.vector_ids[place] = entries.vectors[i]
        grouped.coefficients[place] = entries.coefficients[i]
    for row in range(n_rows):
        starts[row] = starts[row + 1]
        slots[grouped.rows[row]] = -1
    starts[n_rows] = n
    return n_rows


@piece
def row_gradient(gradient: Any, row: Any, weights: Any, l2: Any, total: Any) -> Any:
    """Writes the gradient of a touched row, L2 included, to `total`, and returns its mean square.

    Most rows have one entry, so the last entry, L2 and the squares share one pass.
    """
    begin, end = gradient.starts[row], gradient.starts[row + 1] - 1
    for j in range(total.size):
        total[j] = l2 * weights[j]
    for entry in range(begin, end):
        add_row(total, gradient.coefficients[entry], gradient.vectors[gradient.vector_ids[entry]])
    coefficient, vector = gradient.coefficients[end], gradient.vectors[gradient.vector_ids[end]]
    square = np.float32(0.0)
    for j in range(total.size):
        slope = total[j] + coefficient * vector[j]
        total[j] = slope
        square += slope * slope
    return square / np.float32(total.size)


@piece
def row_scalar(gradient: Any, row: Any) -> Any:
    """The sparse part of the gradient of the visible bias of a touched word."""
    total = np.float32(0.0)
    for entry in range(gradient.starts[row], gradient.starts[row + 1]):
        total += gradient.coefficients[entry] * gradient.scalars[gradient.vector_ids[entry]]
    return total
