"""Every random draw of a minibatch, token by token, from the NumPy version of Philox.

Documents are rows of dense counts; a document's tokens are its words in order of the vocabulary,
repeated as counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.randomness import Purpose, philox, uniforms

Counts = NDArray[np.int64]


def _bits(
    seed: int, purpose: int, epoch: int, document: int, number: int, *, stage: int = 0
) -> list[int]:
    """The first `number` 32-bit numbers of a document."""
    calls = np.arange(-(-number // 4))
    return [
        int(bit) for bit in philox(seed, purpose, stage, epoch, document, calls).ravel()[:number]
    ]


def below(bit: int, bound: int) -> int:
    """A whole number in [0, bound) from 32 random bits."""
    return (bit * bound) >> 32


def word_of(table: NDArray[np.uint32], high: int, low: int) -> int:
    """The word that two 32-bit random numbers choose."""
    scaled = (((high << 32) | low) * len(table)) >> 32
    column, fraction = scaled >> 32, scaled & 0xFFFFFFFF
    return column if fraction < int(table[column, 0]) else int(table[column, 1])


def noise_levels(
    seed: int, epoch: int, documents: list[int], lowest: float, highest: float
) -> NDArray[np.float64]:
    """The noise level that each document draws for itself."""
    shares = uniforms(seed, Purpose.LEVEL, 0, epoch, np.array(documents), 0)
    levels: NDArray[np.float64] = lowest + (highest - lowest) * shares
    return levels


def kept_tokens(tokens: Counts, noise_level: float | NDArray[np.float64]) -> Counts:
    """D_r of documents of D tokens."""
    kept: Counts = np.minimum(np.ceil(noise_level * tokens - 1e-9).astype(np.int64), tokens - 1)
    return kept


def kept_counts(seed: int, epoch: int, document: int, counts: Counts, to_keep: int) -> Counts:
    """V_r: selection sampling over the tokens of one document."""
    tokens = np.repeat(np.arange(len(counts)), counts)
    kept = np.zeros_like(counts)
    needed = to_keep
    for position, bit in enumerate(_bits(seed, Purpose.KEEP, epoch, document, len(tokens))):
        if below(bit, len(tokens) - position) < needed:
            kept[tokens[position]] += 1
            needed -= 1
    return kept


def stream(
    seed: int, epoch: int, batch: int, shard: int, table: NDArray[np.uint32], length: int
) -> list[int]:
    """The words of the noise stream of a shard of a minibatch."""
    bits = _bits(seed, Purpose.STREAM, epoch, batch, 2 * length, stage=shard)
    return [word_of(table, *bits[2 * i : 2 * i + 2]) for i in range(length)]


def window_noise(
    seed: int,
    epoch: int,
    document: int,
    words: list[int],
    replaced: int,
    n_noise: int,
    vocabulary: int,
) -> Counts:
    """The counts of the words that replace tokens in each noise document, cut from the stream."""
    noise = np.zeros((n_noise, vocabulary), dtype=np.int64)
    for j, bit in enumerate(_bits(seed, Purpose.WINDOW, epoch, document, n_noise)):
        begin = below(bit, len(words) - replaced + 1)
        np.add.at(noise[j], words[begin : begin + replaced], 1)
    return noise


def independent_noise(
    seed: int, epoch: int, document: int, table: NDArray[np.uint32], replaced: int, n_noise: int
) -> Counts:
    """The same with words of their own."""
    noise = np.zeros((n_noise, len(table)), dtype=np.int64)
    bits = _bits(seed, Purpose.NOISE, epoch, document, 2 * replaced * n_noise)
    for i in range(replaced * n_noise):
        noise[i // replaced, word_of(table, *bits[2 * i : 2 * i + 2])] += 1
    return noise


def alias_table(distribution: NDArray[np.float64]) -> NDArray[np.uint32]:
    """(K, 2) Threshold and alias of each column, by Vose's construction: column c gives word c with
    probability threshold / 2^32, and its alias otherwise.
    """
    size = len(distribution)
    scaled = distribution * (size / distribution.sum())
    aliases = np.arange(size, dtype=np.uint32)
    small = [word for word in range(size) if scaled[word] < 1.0]
    large = [word for word in range(size) if scaled[word] >= 1.0]
    while small and large:
        column, word = small.pop(), large[-1]
        aliases[column] = word
        scaled[word] -= 1.0 - scaled[column]
        if scaled[word] < 1.0:
            small.append(large.pop())
    scaled[small + large] = 1.0  # what is left over is full up to rounding
    thresholds = np.minimum(np.rint(scaled * 2.0**32), 2.0**32 - 1).astype(np.uint32)
    return np.stack([thresholds, aliases], axis=1)
