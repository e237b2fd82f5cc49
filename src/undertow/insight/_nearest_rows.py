"""The nearest of many vectors, exactly, in blocks: nothing of the size documents x documents is
ever held.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from undertow.kernels.cores import thread_count

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]

BLOCK = 512  # rows compared with all others at a time
# of a row of cosines, laid on top of each other so that only the highest of each pile is looked at
LAYERS = 16


def nearest(
    asking: Vectors,
    among: Vectors,
    k: int,
    *,
    same: bool = False,
    done: Callable[[], None] | None = None,
) -> tuple[Rows, NDArray[np.float32]]:
    """(n, k) The rows of `among` with the highest cosines to each row of `asking`, and the cosines,
    highest first.

    All rows are of length 1. `same`: both are the same rows, and none is its own neighbour. The
    same bits for any number of threads: each block is computed by one of them. `done` is called
    after each block, by the calling thread.
    """
    rows = np.empty((len(asking), k), dtype=np.int64)
    cosines = np.empty((len(asking), k), dtype=np.float32)

    def compare(first: int) -> None:
        block = slice(first, first + BLOCK)
        found = asking[block] @ among.T
        if same:
            own = np.arange(len(found))
            found[own, own + first] = -2.0
        rows[block], cosines[block] = highest(found, k)

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(thread_count(None)) as pool:
        for _ in pool.map(compare, range(0, len(asking), BLOCK)):
            if done is not None:
                done()
    return rows, cosines


def blocks(rows: int) -> int:
    """How often `nearest` calls `done`."""
    return -(-rows // BLOCK)


def highest(values: NDArray[np.float32], k: int) -> tuple[Rows, NDArray[np.float32]]:
    """(rows, k) Columns of the k highest values of each row, and the values, highest first.

    Piles of 16 columns are compared by their highest value first: the k highest lie in the k
    highest piles. That is many times quicker than ordering all columns. k must be at most the
    number of columns.
    """
    piles = values.shape[1] // LAYERS
    if piles <= k:
        return _ordered(values, np.broadcast_to(np.arange(values.shape[1]), values.shape), k)
    whole, rest = values[:, : piles * LAYERS], np.arange(piles * LAYERS, values.shape[1])
    tops = whole.reshape(len(values), LAYERS, piles).max(axis=1)
    best = np.argpartition(tops, piles - k, axis=1)[:, piles - k :]
    inside = (best[:, None, :] + piles * np.arange(LAYERS)[:, None]).reshape(len(values), -1)
    columns = np.concatenate([inside, np.broadcast_to(rest, (len(values), len(rest)))], axis=1)
    return _ordered(np.take_along_axis(values, columns, axis=1), columns, k)


def _ordered(
    values: NDArray[np.float32], columns: Rows, k: int
) -> tuple[Rows, NDArray[np.float32]]:
    if k < values.shape[1]:
        best = np.argpartition(values, values.shape[1] - k, axis=1)[:, values.shape[1] - k :]
        values, columns = (
            np.take_along_axis(values, best, axis=1),
            np.take_along_axis(columns, best, axis=1),
        )
    order = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1)
