"""Partial Noise Sampling: which tokens a document keeps, and which words replace the others.

A document of D tokens keeps a uniformly drawn subset V_r of D_r = min(ceil(alpha D - 1e-9), D - 1)
tokens; alpha is the same for all documents, or drawn for each. Each of its k noise documents is V_r
and D - D_r words drawn from p. Noise is either cut as windows from a stream of words that the
documents of a shard share, or drawn independently for each noise document.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu.alias import draw_word
from undertow.kernels.cpu.compile import piece, shared
from undertow.kernels.cpu.gather import add_rows
from undertow.kernels.cpu.philox import below, philox
from undertow.kernels.randomness import Purpose

KEEP, WINDOW, STREAM, NOISE = (
    int(Purpose.KEEP),
    int(Purpose.WINDOW),
    int(Purpose.STREAM),
    int(Purpose.NOISE),
)
LEVEL = int(Purpose.LEVEL)

# calls of Philox before the words are looked up: together they vectorise, and look-ups then overlap
DRAWN = 64


@piece
def kept_tokens(tokens: Any, level: Any) -> Any:
    """D_r of a document of D tokens. At least one token is always replaced, or there would be
    nothing to learn.
    """
    return min(np.int64(np.ceil(level * tokens - 1e-9)), tokens - 1)


@shared
def count_tokens(
    starts: Any, counts: Any, levels: Any, tokens: Any, to_keep: Any, replaced: Any
) -> None:
    """D, D_r and D - D_r of each document."""
    for d in range(starts.size - 1):
        total = np.int64(0)
        for i in range(starts[d], starts[d + 1]):
            total += counts[i]
        tokens[d] = total
        to_keep[d] = kept_tokens(total, levels[d])
        replaced[d] = total - to_keep[d]


@shared
def draw_levels(
    seed: Any, epoch: int, ids: Any, lowest: float, highest: float, levels: Any
) -> None:
    """levels[d]: a noise level of each document's own, uniform between lowest and highest."""
    for d in range(len(ids)):
        b0, b1, _, _ = philox(seed, LEVEL, 0, epoch, ids[d], 0)
        share = ((b0 << np.uint64(21)) | (b1 >> np.uint64(11))) * 2.0**-53
        levels[d] = lowest + (highest - lowest) * share


@shared
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
    """kept[e]: how many of the counts[e] tokens belong to V_r (selection sampling: one pass, every
    subset equally likely).
    """
    longest = 0
    for d in range(first, last):
        longest = max(longest, tokens[d])
    bits = np.empty((4, longest // 4 + 1), dtype=np.uint32)
    for d in range(first, last):
        # All random numbers at once, and a choice without a branch, which nobody could predict.
        for call in range((tokens[d] + 3) // 4):
            bits[0, call], bits[1, call], bits[2, call], bits[3, call] = philox(
                seed, KEEP, 0, epoch, ids[d], call
            )
        left, needed, position = tokens[d], to_keep[d], 0
        for entry in range(starts[d], starts[d + 1]):
            before = needed
            for _ in range(counts[entry]):
                needed -= below(np.uint64(bits[position & 3, position >> 2]), left) < needed
                left -= 1
                position += 1
            kept[entry] = before - needed


@shared
def sum_parts(first: int, last: int, weights: Any, entries: Any, limit: int, split: Any) -> None:
    """W.u and L of the kept tokens of documents `first` to `last` and of the others, separately,
    from their entries, which end at `limit`; the hidden bias is not added.
    """
    for d in range(first, last):
        kept_total, rest_total = split.kept_inputs[d], split.rest_inputs[d]
        begin, middle, end = split.spans[d]
        kept_total[:] = np.float32(0.0)
        rest_total[:] = np.float32(0.0)
        add_rows(rest_total, weights, entries.words, entries.coefficients, begin, middle, limit)
        add_rows(kept_total, weights, entries.words, entries.coefficients, middle, end, limit)
        split.rest_lengths[d] = split.kept_lengths[d] = 0.0
        for i in range(begin, middle):
            split.rest_lengths[d] += entries.coefficients[i]
        for i in range(middle, end):
            split.kept_lengths[d] += entries.coefficients[i]


@shared
def draw_stream(seed: Any, epoch: int, batch: int, shard: int, table: Any, stream: Any) -> None:
    """The words of the noise stream of a shard of a minibatch (two words come from one call of
    Philox).
    """
    bits = np.empty((4, DRAWN), dtype=np.uint32)
    for begin in range(0, stream.size, 2 * DRAWN):
        end = min(begin + 2 * DRAWN, stream.size)
        first_call = begin >> 1
        for call in range((end - begin + 1) >> 1):
            bits[0, call], bits[1, call], bits[2, call], bits[3, call] = philox(
                seed, STREAM, shard, epoch, batch, first_call + call
            )
        for position in range(begin, end):
            half, call = 2 * (position & 1), (position - begin) >> 1
            stream[position] = draw_word(
                table, np.uint64(bits[half, call]), np.uint64(bits[half + 1, call])
            )


@shared
def draw_windows(
    first: int,
    last: int,
    seed: Any,
    epoch: int,
    ids: Any,
    replaced: Any,
    stream_length: int,
    first_row: int,
    begins: Any,
    ends: Any,
) -> None:
    """Each document's noise windows [begin, end) of D - D_r words, as rows of a table that holds
    the stream from `first_row` on.
    """
    for d in range(first, last):
        places = stream_length - replaced[d] + 1
        b0 = b1 = b2 = b3 = np.uint64(0)
        for j in range(begins.shape[1]):
            if j & 3 == 0:
                b0, b1, b2, b3 = philox(seed, WINDOW, 0, epoch, ids[d], j >> 2)
            begins[d, j] = first_row + below(b0, places)
            ends[d, j] = begins[d, j] + replaced[d]
            b0, b1, b2 = b1, b2, b3


@shared
def draw_independent(
    first: int,
    last: int,
    seed: Any,
    epoch: int,
    ids: Any,
    replaced: Any,
    starts: Any,
    n_noise: int,
    table: Any,
    noise: Any,
) -> None:
    """The words of every noise document of documents `first` to `last`: noise n of document d
    begins at starts[d * n_noise + n].
    """
    for d in range(first, last):
        offset, total = starts[d * n_noise], replaced[d] * n_noise
        for pair in range((total + 1) // 2):
            b0, b1, b2, b3 = philox(seed, NOISE, 0, epoch, ids[d], pair)
            noise[offset + 2 * pair] = draw_word(table, b0, b1)
            if 2 * pair + 1 < total:
                noise[offset + 2 * pair + 1] = draw_word(table, b2, b3)
