"""Ratio matching: documents beside neighbours, in which one token is replaced by another word.

A document costs its words once; a neighbour costs two rows of W, since a token that is replaced
changes what the hidden units receive by w_k (W_k + a) - w_i (W_i + a).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.alias import draw_word
from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.cpu.documents import add_row, document_inputs
from undertow.kernels.cpu.philox import below, philox
from undertow.kernels.cpu.prefetch import AHEAD, prefetch_row
from undertow.kernels.cpu.vector_math import squash
from undertow.kernels.randomness import Purpose

REPLACEMENT = int(Purpose.REPLACEMENT)


class Documents(NamedTuple):
    """A minibatch, as the kernel takes it."""

    ids: NDArray[np.int64]  # (B,)
    starts: NDArray[np.int64]  # (B + 1,)
    words: NDArray[np.int32]
    counts: NDArray[np.int32]


class Matched(NamedTuple):
    """What the kernel writes. Vector d belongs to the words of document d, vector B + d m + j to
    the words that replacement j adds and removes: entries 2 (d m + j) and the one after it.
    """

    posteriors: NDArray[np.float32]  # (B, H)
    lengths: NDArray[np.float64]  # (B,)
    losses: NDArray[np.float64]  # (B,) sums over replacements
    vectors: NDArray[np.float32]  # (B + B m, H)
    slopes: NDArray[np.float32]  # (B m,) of the loss by s
    changes: NDArray[np.float32]  # (B m,) of L
    words: NDArray[np.int32]  # (2 B m,)
    vector_ids: NDArray[np.int32]  # (2 B m,)
    coefficients: NDArray[np.float32]  # (2 B m,)


@piece
def _draw(
    seed: Any, epoch: Any, documents: Any, d: Any, table: Any, uniform: Any, drawn: Any
) -> Any:
    """drawn[0, j]: the word that replacement j adds; drawn[1, j]: the one that it removes."""
    begin, end = documents.starts[d], documents.starts[d + 1]
    tokens = np.int64(0)
    for entry in range(begin, end):
        tokens += documents.counts[entry]
    for j in range(drawn.shape[1]):
        b0, b1, b2, _ = philox(seed, REPLACEMENT, 0, epoch, documents.ids[d], j)
        drawn[0, j] = below(b0, table.shape[0]) if uniform else draw_word(table, b0, b1)
        left, entry = below(b2, tokens), begin
        while left >= documents.counts[entry]:
            left -= documents.counts[entry]
            entry += 1
        drawn[1, j] = documents.words[entry]


@piece
def _gain(model: Any, word: Any, uniform: Any) -> Any:
    """What a word adds to s beside what the units say."""
    share = np.float64(model.log_shares[word])
    own = model.word_weights[word] * (np.float64(model.visible_bias[word]) - share)
    return own + share if uniform else own


@piece
def _inputs(model: Any, before: Any, added: Any, removed: Any, inputs: Any) -> Any:
    """What the units receive after a replacement; returns how L changes."""
    more, less = model.word_weights[added], model.word_weights[removed]
    row, other, bias, change = (
        model.weights[added],
        model.weights[removed],
        model.hidden_bias,
        more - less,
    )
    for j in range(inputs.size):
        inputs[j] = before[j] + more * row[j] - less * other[j] + change * bias[j]
    return change


@piece
def _lead_back(slope: Any, before: Any, after: Any, vector: Any) -> None:
    """The gradient of s by the inputs of a document and of its neighbour, times a slope."""
    for j in range(after.size):
        after[j] *= slope
        vector[j] += after[j] - slope * before[j]


@kernel
def match_ratios(
    first: int,
    last: int,
    seed: Any,
    epoch: int,
    documents: Any,
    uniform: bool,
    model: Any,
    matched: Matched,
) -> None:
    """Documents `first` to `last`: draws neighbours, and writes loss and gradient."""
    size, units = matched.posteriors.shape
    m = matched.slopes.size // size
    drawn = np.empty((2, m), dtype=np.int32)
    before = np.empty(units, dtype=np.float32)
    rows = (model.weights, model.word_weights, matched.posteriors, matched.lengths)
    for d in range(first, last):
        document_inputs(d, d + 1, documents.starts, documents.words, documents.counts, *rows)
        on, vector = matched.posteriors[d], matched.vectors[d]
        add_row(on, np.float32(matched.lengths[d]), model.hidden_bias)
        before[:] = on
        vector[:] = np.float32(0.0)
        score, loss = squash(on), 0.0
        _draw(seed, epoch, documents, d, model.table, uniform, drawn)
        for j in range(m):
            prefetch_row(model.weights[drawn[0, min(j + AHEAD, m - 1)]])
            added, removed, at = drawn[0, j], drawn[1, j], d * m + j
            after = matched.vectors[size + at]
            matched.changes[at] = _inputs(model, before, added, removed, after)
            s = squash(after) - score
            s += _gain(model, added, uniform) - _gain(model, removed, uniform)
            chance = 1.0 / (1.0 + np.exp(-s))
            loss += chance * chance
            slope = np.float32(2.0 * chance * chance * (1.0 - chance) / (size * m))
            _lead_back(slope, on, after, vector)
            matched.slopes[at] = slope
            for half in range(2):
                matched.words[2 * at + half] = drawn[half, j]
                matched.vector_ids[2 * at + half] = size + at
            matched.coefficients[2 * at] = model.word_weights[added]
            matched.coefficients[2 * at + 1] = -model.word_weights[removed]
        matched.losses[d] = loss
