"""Gibbs steps: hidden units given documents, and words given hidden units without ever writing
documents x words.

P(k | h) = softmax_k( w_k (W_k.h + b_k + a.h) ). The vocabulary goes by in chunks: a matrix product
gives the logits of a chunk for a block of documents, and each token keeps its present word or, with
probability (weight of the chunk) / (weight so far), takes a word of the chunk. After the last chunk
every token holds an exact draw, from one pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu import pool
from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.cpu.philox import philox
from undertow.kernels.cpu.vector_math import exp_of_negative
from undertow.kernels.randomness import CHUNK, Purpose

HIDDEN, WORD = int(Purpose.HIDDEN), int(Purpose.WORD)
# words of a chunk that share one partial sum, so that a draw scans 32 + 64 numbers, not 2048
STRIP = 64
DOCUMENT_BLOCK = (
    64  # fixed, so that a document's matrix product never depends on the number of threads
)
TO_UNIT = 2.0**-32


class Place(NamedTuple):
    """Where in a run a draw is made; with the document and the token it keys the random numbers."""

    seed: int
    epoch: int
    step: int


class Chain(NamedTuple):
    """Words being drawn for a minibatch: document d owns tokens starts[d] to starts[d + 1]."""

    ids: NDArray[np.int64]  # (B,)
    starts: NDArray[np.int64]  # (B + 1,)
    words: NDArray[np.int32]  # (T,)


@kernel
def draw_hidden(
    first: int, last: int, seed: Any, epoch: int, step: int, ids: Any, posteriors: Any, hidden: Any
) -> None:
    """h_j = 1 with probability posteriors[d, j]."""
    for d in range(first, last):
        b0 = b1 = b2 = b3 = np.uint64(0)
        for j in range(posteriors.shape[1]):
            if j & 3 == 0:
                b0, b1, b2, b3 = philox(seed, HIDDEN, step, epoch, ids[d], j >> 2)
            hidden[d, j] = np.float32(1.0) if b0 * TO_UNIT < posteriors[d, j] else np.float32(0.0)
            b0, b1, b2 = b1, b2, b3


def draw_words(
    place: Place, parameters: Any, hidden: NDArray[np.float32], chain: Chain, n_threads: int
) -> None:
    """Draws every token of the chain from P(word | hidden units of its document), in place."""
    documents = len(hidden)
    blocks = range(0, documents, DOCUMENT_BLOCK)
    tasks = [
        (
            _draw_block,
            (place, parameters, hidden, chain, first, min(first + DOCUMENT_BLOCK, documents)),
        )
        for first in blocks
    ]
    pool.run(tasks, n_threads)


def _draw_block(
    place: Place, parameters: Any, hidden: NDArray[np.float32], chain: Chain, first: int, last: int
) -> None:
    vocabulary = len(parameters.weights)
    chunks = -(-vocabulary // CHUNK)
    units = hidden[first:last]
    shifts = units @ parameters.hidden_bias
    logits = np.empty((last - first, min(CHUNK, vocabulary)), dtype=np.float32)
    sums = np.empty(-(-CHUNK // STRIP), dtype=np.float64)
    peaks, totals = np.full(last - first, -np.inf), np.zeros(last - first)
    for chunk in range(chunks):
        span = slice(chunk * CHUNK, min((chunk + 1) * CHUNK, vocabulary))
        block = logits[:, : span.stop - span.start]
        np.matmul(units, parameters.weights[span].T, out=block)
        _take_from_chunk(
            place.seed,
            place.epoch,
            place.step * chunks + chunk,
            span.start,
            block,
            shifts,
            parameters.visible_bias[span],
            parameters.word_weights[span],
            peaks,
            totals,
            sums,
            chain.ids[first:last],
            chain.starts[first : last + 1],
            chain.words,
        )


@piece
def _largest(row: Any, lanes: Any) -> Any:
    """The largest number, by lanes that are compared side by side: one after the other takes ten
    times as long.
    """
    for j in range(lanes.size):
        lanes[j] = row[0]
    whole = row.size - row.size % lanes.size
    for k in range(0, whole, lanes.size):
        part = row[k : k + lanes.size]
        for j in range(lanes.size):
            lanes[j] = max(lanes[j], part[j])
    peak = row[0]
    for k in range(whole, row.size):
        peak = max(peak, row[k])
    for j in range(lanes.size):
        peak = max(peak, lanes[j])
    return peak


@piece
def _exponentiate(logits: Any, peak: Any) -> Any:
    """Replaces logits by e^(logit - peak), and returns their sum."""
    total = np.float32(0.0)
    for k in range(logits.size):
        logits[k] = exp_of_negative(logits[k] - peak)
        total += logits[k]
    return total


@kernel
def _take_from_chunk(
    seed: Any,
    epoch: int,
    stage: int,
    first_word: int,
    logits: Any,
    shifts: Any,
    visible_bias: Any,
    word_weights: Any,
    peaks: Any,
    totals: Any,
    sums: Any,
    ids: Any,
    starts: Any,
    words: Any,
) -> None:
    """Lets every token of a block of documents take a word of the chunk with the chunk's share of
    the weight so far.
    """
    width = logits.shape[1]
    strips = (width + STRIP - 1) // STRIP
    lanes = np.empty(STRIP, dtype=np.float32)
    for d in range(logits.shape[0]):
        row, shift = logits[d], shifts[d]
        for k in range(width):
            row[k] = word_weights[k] * (row[k] + visible_bias[k] + shift)
        peak = _largest(row, lanes)
        new_peak = max(peaks[d], np.float64(peak))
        top = np.float32(new_peak)
        weight = 0.0
        for strip in range(strips):
            part = _exponentiate(row[strip * STRIP : min((strip + 1) * STRIP, width)], top)
            sums[strip] = part
            weight += np.float64(part)
        totals[d] = totals[d] * np.exp(peaks[d] - new_peak) + weight
        peaks[d] = new_peak
        chance = weight / totals[d]
        b0 = b1 = b2 = b3 = np.uint64(0)
        for token in range(starts[d + 1] - starts[d]):
            if token & 1 == 0:
                b0, b1, b2, b3 = philox(seed, WORD, stage, epoch, ids[d], token >> 1)
            if b0 * TO_UNIT < chance:
                left = b1 * TO_UNIT * weight
                strip = 0
                while strip < strips - 1 and left >= sums[strip]:
                    left -= sums[strip]
                    strip += 1
                k, end = strip * STRIP, min((strip + 1) * STRIP, width) - 1
                while k < end and left >= row[k]:
                    left -= row[k]
                    k += 1
                words[starts[d] + token] = first_word + k
            b0, b1 = b2, b3
