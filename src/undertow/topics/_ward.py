"""Merging clusters two by two, always the pair whose union adds least to the sum of squared
distances (Ward).

A cluster counts as many times as it has documents, which SciPy's `linkage` cannot be told: there
every row is one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Merges:
    """Merge i joins `pairs[i]` to the new node m + i; `heights` never fall."""

    pairs: NDArray[np.int32]  # (m - 1, 2)
    # (m - 1,) the root of twice what a merge adds to the sum of squares
    heights: NDArray[np.float64]


def without_others(merges: Merges, kept: NDArray[np.integer]) -> Merges:
    """The merges of these clusters alone, numbered anew in this order, as they happen in the merges
    of all.
    """
    place = {int(cluster): number for number, cluster in enumerate(kept)}
    count = len(merges.heights) + 1
    pairs: list[list[int]] = []
    heights: list[float] = []
    for step, (pair, height) in enumerate(
        zip(merges.pairs.tolist(), merges.heights.tolist(), strict=True)
    ):
        inside = [place[node] for node in pair if node in place]
        if len(inside) == 2:
            place[count + step] = len(kept) + len(pairs)
            pairs.append(inside)
            heights.append(height)
        elif inside:
            place[count + step] = inside[0]
    return Merges(
        np.array(pairs, dtype=np.int32).reshape(-1, 2), np.array(heights, dtype=np.float64)
    )


def ward(means: NDArray[np.float64], sizes: NDArray[np.float64]) -> Merges:
    """The merges of m clusters, given by their means and sizes. Of equal pairs the first comes
    first.

    m^2 numbers are held, and a merge looks at one row of them besides each row's smallest.
    """
    count = len(means)
    means, sizes = means.astype(np.float64), sizes.astype(np.float64)
    squares = (means**2).sum(axis=1)
    costs = np.maximum(squares[:, None] + squares - 2.0 * means @ means.T, 0.0)
    costs *= sizes[:, None] * sizes / (sizes[:, None] + sizes)
    np.fill_diagonal(costs, np.inf)
    nodes = np.arange(count)
    pairs, heights = np.zeros((max(count - 1, 0), 2), dtype=np.int32), np.zeros(max(count - 1, 0))
    smallest, closest = costs.min(axis=1, initial=np.inf), _closest(costs)
    for step in range(count - 1):
        i = int(smallest.argmin())
        j = int(closest[i])
        i, j = min(i, j), max(i, j)
        pairs[step], heights[step] = (nodes[i], nodes[j]), np.sqrt(2.0 * costs[i, j])
        both = sizes[i] + sizes[j]
        # Lance and Williams: the costs of the union from those of its parts.
        joined = (sizes[i] + sizes) * costs[i] + (sizes[j] + sizes) * costs[j] - sizes * costs[i, j]
        joined /= both + sizes
        joined[[i, j]] = np.inf
        sizes[i], nodes[i] = both, count + step
        costs[i], costs[:, i] = joined, joined
        costs[j], costs[:, j] = np.inf, np.inf
        changed = np.flatnonzero((closest == i) | (closest == j) | (joined < smallest))
        for row in {i, j, *changed.tolist()}:
            closest[row] = costs[row].argmin()
            smallest[row] = costs[row, closest[row]]
    return Merges(pairs, np.maximum.accumulate(heights) if count > 1 else heights)


def _closest(costs: NDArray[np.float64]) -> NDArray[np.int64]:
    return costs.argmin(axis=1) if len(costs) else np.zeros(0, dtype=np.int64)
