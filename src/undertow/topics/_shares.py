"""How much of a document belongs to each topic of a cut.

A topic is a direction: the mean of its documents' vectors. The directions, in amounts that are not
negative, whose sum comes closest to the document's vector say what it is a mixture of; a document
that is half sport and half politics lies between the two. The topic that the document lies in has
no smaller an amount than any other. Amounts become shares by their sum. A document far from all
topics has less to share out: its shares are multiplied by how near it is, from 0 where only two in
a thousand training documents are as far from their own topics, to 1 where one in five is (but to 1
from a cosine of .7 on in any case).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from undertow.topics.clusters import Labels, Vectors
from undertow.vectors.joining import unit

ROUNDS, TOLERANCE = 500, 1e-5
AHEAD, MINIMUM = 1.0001, 1e-6  # so that of equal shares the own one comes first
LEAST = 0.05  # smaller shares are not worth telling
FAR, NEAR = 0.002, 0.2  # quantiles of the nearness of training documents
# Shares are never stricter: half of one topic and half of another has a cosine of .71 with both,
# which documents that are all pure would call far.
MOST_FAR, MOST_NEAR = 0.5, 0.7


@cache
def _blas() -> ThreadpoolController:
    """NumPy's library for matrices, looked for once: that takes as long as a small mixture."""
    return ThreadpoolController()


def mixture(
    vectors: Vectors, directions: Vectors, threads: int | None = None
) -> NDArray[np.float64]:
    """(documents, n) Amounts of the directions, none negative, whose sum is closest to each
    vector.
    """
    from undertow.kernels.cores import thread_count
    from undertow.kernels.cpu.mixtures import mix
    from undertow.kernels.cpu.pool import run
    from undertow.kernels.cpu.splitting import split

    directions = unit(directions)
    with _blas().limit(limits=1, user_api="blas"):  # more threads may round differently
        gram = directions.astype(np.float64) @ directions.astype(np.float64).T
        products = vectors.astype(np.float64) @ directions.T.astype(np.float64)
    gram[np.diag_indices_from(gram)] = np.maximum(
        np.diag(gram), 1e-12
    )  # a topic without documents has no direction
    amounts = np.zeros_like(products)
    count = thread_count(threads)
    run(split(mix, len(vectors), count, gram, products, amounts, ROUNDS, TOLERANCE), count)
    return amounts


def mixture_in_numpy(vectors: Vectors, directions: Vectors) -> NDArray[np.float64]:
    """The same for a few documents, in plain NumPy: nothing compiled is loaded for them."""
    directions = unit(directions).astype(np.float64)
    gram = directions @ directions.T
    gram[np.diag_indices_from(gram)] = np.maximum(np.diag(gram), 1e-12)
    amounts = np.zeros((len(vectors), len(directions)))
    for amount, left in zip(amounts, vectors.astype(np.float64) @ directions.T, strict=True):
        for _ in range(ROUNDS):
            moved = 0.0
            for place in np.flatnonzero((left > 0) | (amount > 0)):
                step = max(amount[place] + left[place] / gram[place, place], 0.0) - amount[place]
                amount[place] += step
                left -= step * gram[place]
                moved = max(moved, abs(step))
            if moved <= TOLERANCE:
                break
    return amounts


def shares(
    amounts: NDArray[np.float64],
    own: Labels,
    nearness: NDArray[np.float32],
    limits: tuple[float, float],
) -> NDArray[np.float32]:
    """(documents, n) Shares that add to at most 1, of the amounts of a mixture. `own` is the topic
    that each document lies in, and `nearness` its cosine with the route to it.

    No topic has a larger share than the own one. Below the first of the limits nothing is shared
    out, above the second everything.
    """
    inside = np.flatnonzero(own >= 0)
    amounts[inside, own[inside]] = np.maximum(
        amounts[inside].max(axis=1, initial=0.0) * AHEAD, MINIMUM
    )
    part = amounts / np.maximum(amounts.sum(axis=1, keepdims=True), 1e-12)
    small = part < LEAST
    small[inside, own[inside]] = False
    part[small] = 0.0
    part /= np.maximum(part.sum(axis=1, keepdims=True), 1e-12)
    far, near = never_stricter(limits)
    sure = np.clip((nearness - far) / max(near - far, 1e-6), 0.0, 1.0)
    result: NDArray[np.float32] = (part * sure[:, None]).astype(np.float32)
    return result


def never_stricter(limits: tuple[float, float]) -> tuple[float, float]:
    """The nearness from which on anything is shared out, and everything."""
    return min(limits[0], MOST_FAR), min(limits[1], MOST_NEAR)
