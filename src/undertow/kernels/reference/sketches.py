"""Sketches and overlaps of documents, slowly: sets of shingles, one Python number at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from undertow.kernels.randomness import philox

BITS = 2**64
BINS = 32


def shingles(words: Sequence[int]) -> set[tuple[int, ...]]:
    """The runs of four words; of fewer words, all of them."""
    if len(words) <= 4:
        return {tuple(words)}
    return {tuple(words[place : place + 4]) for place in range(len(words) - 3)}


def jaccard(one: Sequence[int], other: Sequence[int]) -> float:
    """How many of the shingles of either document are shingles of both."""
    mine, its = shingles(one), shingles(other)
    return len(mine & its) / len(mine | its)


def mixed(number: int) -> int:
    """The last step of SplitMix64."""
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 % BITS
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB % BITS
    return number ^ (number >> 31)


def number_of(shingle: Sequence[int]) -> int:
    """The random number of a shingle: a polynomial of its words, mixed."""
    number = len(shingle)
    for word in shingle:
        number = (number * 0xD6E8FEB86659FD93 + word) % BITS
    return mixed(number)


def sketch(words: Sequence[int]) -> list[int]:
    """The sketch of a document, a list of the numbers of its words."""
    if not words:
        return [0] * BINS
    numbers = [number_of(shingle) for shingle in shingles(words)]
    bins = [[number for number in numbers if number * BINS // BITS == spot] for spot in range(BINS)]
    found = []
    for spot in range(BINS):
        order = np.argsort(philox(0, 0, 0, 0, spot, np.arange(BINS))[:, 0])
        source = next(other for other in [spot, *order.tolist()] if bins[other])
        found.append(mixed((min(bins[source]) + spot) % BITS) % 2**16)
    return found
