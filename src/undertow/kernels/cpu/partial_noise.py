"""Partial Noise Sampling: which tokens a document keeps, and which words replace the others.

A document of D tokens keeps a uniformly drawn subset V_r of D_r = min(ceil(alpha D - 1e-9), D - 1) tokens; alpha is
the same for all documents, or drawn for each. Each of its k noise documents is V_r and D - D_r words drawn from p.
Noise is either cut as windows from one stream of words that the minibatch shares, or drawn independently for each
noise document.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.alias import draw_word
from undertow.kernels.cpu.compile import kernel
from undertow.kernels.cpu.documents import add_row
from undertow.kernels.cpu.philox import below, philox
from undertow.kernels.cpu.prefetch import AHEAD, FAR_AHEAD, prefetch_number, prefetch_row
from undertow.kernels.randomness import Purpose

KEEP, WINDOW, STREAM, NOISE = int(Purpose.KEEP), int(Purpose.WINDOW), int(Purpose.STREAM), int(Purpose.NOISE)
LEVEL = int(Purpose.LEVEL)

DRAWN = 64  # words whose random numbers are made before any is looked up: look-ups of a large table then overlap


def kept_tokens(tokens: NDArray[np.int64], noise_level: float | NDArray[np.float64]) -> NDArray[np.int64]:
    """D_r of documents of D tokens. At least one token is always replaced, or there would be nothing to learn."""
    kept: NDArray[np.int64] = np.minimum(np.ceil(noise_level * tokens - 1e-9).astype(np.int64), tokens - 1)
    return kept


@kernel
def draw_levels(seed: Any, epoch: int, ids: Any, lowest: float, highest: float, levels: Any) -> None:
    """levels[d]: a noise level of each document's own, uniform between lowest and highest."""
    for d in range(len(ids)):
        b0, b1, _, _ = philox(seed, LEVEL, 0, epoch, ids[d], 0)
        share = ((b0 << np.uint64(21)) | (b1 >> np.uint64(11))) * 2.0**-53
        levels[d] = lowest + (highest - lowest) * share


@kernel
def keep_tokens(
    first: int,
    last: int,
    seed: Any,
    epoch: int,
    ids: Any,
    starts: Any,
    counts: Any,
    tokens: Any,
    to_keep: Any,
    kept: Any,
) -> None:
    """kept[e]: how many of the counts[e] tokens belong to V_r (selection sampling: one pass, every subset equally
    likely).
    """
    for d in range(first, last):
        left, needed = tokens[d], to_keep[d]
        position = 0
        b0 = b1 = b2 = b3 = np.uint64(0)
        for entry in range(starts[d], starts[d + 1]):
            chosen = 0
            for _ in range(counts[entry]):
                if position & 3 == 0:
                    b0, b1, b2, b3 = philox(seed, KEEP, 0, epoch, ids[d], position >> 2)
                if below(b0, left) < needed:
                    chosen += 1
                    needed -= 1
                left -= 1
                position += 1
                b0, b1, b2 = b1, b2, b3
            kept[entry] = chosen


@kernel
def split_inputs(
    first: int,
    last: int,
    starts: Any,
    words: Any,
    counts: Any,
    kept: Any,
    weights: Any,
    word_weights: Any,
    kept_inputs: Any,
    rest_inputs: Any,
    kept_lengths: Any,
    rest_lengths: Any,
) -> None:
    """W.u and L of the kept tokens and of the others, separately; the hidden bias is not added."""
    for d in range(first, last):
        kept_total, rest_total = kept_inputs[d], rest_inputs[d]
        kept_total[:] = np.float32(0.0)
        rest_total[:] = np.float32(0.0)
        kept_length = rest_length = 0.0
        for entry in range(starts[d], starts[d + 1]):
            prefetch_row(weights[words[min(entry + AHEAD, words.size - 1)]])
            prefetch_number(word_weights, words[min(entry + FAR_AHEAD, words.size - 1)])
            word = words[entry]
            in_kept = word_weights[word] * np.float32(kept[entry])
            in_rest = word_weights[word] * np.float32(counts[entry] - kept[entry])
            if in_kept > 0:
                kept_length += in_kept
                add_row(kept_total, in_kept, weights[word])
            if in_rest > 0:
                rest_length += in_rest
                add_row(rest_total, in_rest, weights[word])
        kept_lengths[d] = kept_length
        rest_lengths[d] = rest_length


@kernel
def draw_stream(first: int, last: int, seed: Any, epoch: int, batch: int, table: Any, stream: Any) -> None:
    """Pairs `first` to `last` of the words of a minibatch's noise stream (two words come from one call of Philox)."""
    high, low = np.empty(DRAWN, dtype=np.uint64), np.empty(DRAWN, dtype=np.uint64)
    for begin in range(2 * first, min(2 * last, stream.size), DRAWN):
        end = min(begin + DRAWN, 2 * last)
        for position in range(begin, end, 2):
            i = position - begin
            high[i], low[i], high[i + 1], low[i + 1] = philox(seed, STREAM, 0, epoch, batch, position >> 1)
        for position in range(begin, min(end, stream.size)):
            stream[position] = draw_word(table, high[position - begin], low[position - begin])


@kernel
def draw_windows(
    first: int, last: int, seed: Any, epoch: int, ids: Any, replaced: Any, stream_length: int, begins: Any, ends: Any
) -> None:
    """The stream positions [begin, end) of each document's noise windows, D - D_r words long."""
    for d in range(first, last):
        places = stream_length - replaced[d] + 1
        b0 = b1 = b2 = b3 = np.uint64(0)
        for j in range(begins.shape[1]):
            if j & 3 == 0:
                b0, b1, b2, b3 = philox(seed, WINDOW, 0, epoch, ids[d], j >> 2)
            begins[d, j] = below(b0, places)
            ends[d, j] = begins[d, j] + replaced[d]
            b0, b1, b2 = b1, b2, b3


@kernel
def draw_independent(
    first: int,
    last: int,
    seed: Any,
    epoch: int,
    ids: Any,
    replaced: Any,
    offsets: Any,
    n_noise: int,
    table: Any,
    noise: Any,
) -> None:
    """The words of every noise document of documents `first` to `last`, one noise document after the other."""
    for d in range(first, last):
        total = replaced[d] * n_noise
        for pair in range((total + 1) // 2):
            b0, b1, b2, b3 = philox(seed, NOISE, 0, epoch, ids[d], pair)
            noise[offsets[d] + 2 * pair] = draw_word(table, b0, b1)
            if 2 * pair + 1 < total:
                noise[offsets[d] + 2 * pair + 1] = draw_word(table, b2, b3)
