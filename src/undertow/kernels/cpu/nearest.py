"""The products of one vector with many, which are kept in bytes: a scan over all of them.

All vectors' first numbers lie together, then all second ones: a question is about few topics, and
only theirs are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.compile import kernel

BLOCK = 2048  # products that are worked on at a time, so that they stay near
# topics that are added at a time: one at a time, most of the work would be to fetch and put back
# sums
TOGETHER = 4


@kernel
def products(
    first: int, last: int, small: Any, topics: Any, weights: Any, scales: Any, out: Any
) -> None:
    """out[i] = scales[i] * the sum over k of weights[k] * small[topics[k], i], for i from `first`
    to before `last`.

    There have to be a multiple of `TOGETHER` topics; `in_fours` sees to it.
    """
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        sums, own = out[begin:end], scales[begin:end]
        sums[:] = np.float32(0.0)
        for k in range(0, topics.size, 4):
            one, two = small[topics[k], begin:end], small[topics[k + 1], begin:end]
            three, four = small[topics[k + 2], begin:end], small[topics[k + 3], begin:end]
            w1, w2, w3, w4 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
            for i in range(end - begin):
                pair = w1 * np.float32(one[i]) + w2 * np.float32(two[i])
                sums[i] += pair + (w3 * np.float32(three[i]) + w4 * np.float32(four[i]))
        for i in range(end - begin):
            sums[i] *= own[i]


@kernel
def fuse(
    first: int, last: int, words: Any, by_words: float, cosines: Any, by_cosines: float, out: Any
) -> None:
    """out[i] = (by_words * words[i])^3 + by_cosines * cosines[i], for i from `first` to before
    `last`.
    """
    matches, near, sums = words[first:last], cosines[first:last], out[first:last]
    one, other = np.float32(by_words), np.float32(by_cosines)
    for i in range(last - first):
        match = one * matches[i]
        sums[i] = match * match * match + other * near[i]


def in_fours(
    topics: NDArray[np.int64], weights: NDArray[np.float32]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Topics and weights, and as many of weight 0 as are missing to a multiple of `TOGETHER`."""
    missing = -len(topics) % TOGETHER
    return np.pad(topics, (0, missing)), np.pad(weights, (0, missing))
