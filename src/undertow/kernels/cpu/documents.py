"""Documents: taking them out of a matrix, and what the hidden units see of them (inputs, posteriors
and scores).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu.compile import kernel, piece, shared
from undertow.kernels.cpu.prefetch import AHEAD, prefetch_row
from undertow.kernels.cpu.vector_math import squash


@piece
def _copy(source: Any, target: Any) -> None:
    for i in range(target.size):
        target[i] = source[i]


@kernel
def take_rows(
    rows: Any, indptr: Any, indices: Any, data: Any, starts: Any, words: Any, counts: Any
) -> None:
    """Copies rows of a compressed sparse matrix, one after the other; row i goes to starts[i]."""
    for i in range(rows.size):
        begin, end = indptr[rows[i]], indptr[rows[i] + 1]
        _copy(indices[begin:end], words[starts[i] : starts[i + 1]])
        _copy(data[begin:end], counts[starts[i] : starts[i + 1]])


@piece
def add_row(total: Any, coefficient: Any, row: Any) -> None:
    """total += coefficient * row"""
    for j in range(total.size):
        total[j] += coefficient * row[j]


@shared
def document_inputs(
    first: int,
    last: int,
    starts: Any,
    words: Any,
    counts: Any,
    weights: Any,
    word_weights: Any,
    inputs: Any,
    lengths: Any,
) -> None:
    """inputs[d] = W.u and lengths[d] = L of each document; the hidden bias is not added."""
    for d in range(first, last):
        total = inputs[d]
        total[:] = np.float32(0.0)
        length = 0.0
        for entry in range(starts[d], starts[d + 1]):
            prefetch_row(weights[words[min(entry + AHEAD, words.size - 1)]])
            word = words[entry]
            coefficient = word_weights[word] * np.float32(counts[entry])
            length += coefficient
            add_row(total, coefficient, weights[word])
        lengths[d] = length


@kernel
def squash_inputs(
    first: int, last: int, inputs: Any, lengths: Any, hidden_bias: Any, scores: Any
) -> None:
    """Turns inputs into posteriors sigmoid(W.u + L a), in place, and gives the scores S(u)."""
    for d in range(first, last):
        row = inputs[d]
        add_row(row, np.float32(lengths[d]), hidden_bias)
        scores[d] = squash(row) - row.size * np.log(2.0)
