"""What the topic tree computes, written out slowly: dense float64, loops, to be read beside the
formula.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from undertow.topics.tree import NOWHERE, TopicTree

Array = NDArray[np.float64]


def sum_of_squares(points: Array, weights: Array) -> float:
    """Of the distances from the mean; a point counts as often as its weight says."""
    mean = (points * weights[:, None]).sum(axis=0) / weights.sum()
    return float((weights[:, None] * (points - mean) ** 2).sum())


def added_squares(points: Array, weights: Array, first: list[int], second: list[int]) -> float:
    """What the union of two clusters adds to the sum of squares."""
    parts = [
        sum_of_squares(points[rows], weights[rows]) for rows in (first, second, first + second)
    ]
    return parts[2] - parts[0] - parts[1]


def ward_by_hand(points: Array, weights: Array) -> tuple[list[tuple[int, int]], Array]:
    """Merges and heights, all costs worked out anew from the points at every step."""
    clusters = {
        number: (number, [number]) for number in range(len(points))
    }  # place -> node, points
    pairs, heights = [], []
    for step in range(len(points) - 1):
        costs = {
            (i, j): added_squares(points, weights, clusters[i][1], clusters[j][1])
            for i, j in itertools.combinations(sorted(clusters), 2)
        }
        i, j = min(costs, key=lambda pair: costs[pair])
        pairs.append((clusters[i][0], clusters[j][0]))
        heights.append(np.sqrt(2.0 * max(costs[i, j], 0.0)))
        clusters[i] = len(points) + step, clusters[i][1] + clusters[j][1]
        del clusters[j]
    return pairs, np.maximum.accumulate(np.array(heights)) if heights else np.zeros(0)


def climb(tree: TopicTree, leaf: int, nodes: list[int]) -> int:
    """The place among the nodes of the first one on the way up from a leaf; -1 for none, or where
    junk comes first.
    """
    node, steps = leaf, 0
    while node != NOWHERE:
        if node in nodes:
            return nodes.index(node)
        if tree.dropped[node]:
            return -1
        node, steps = int(tree.parents[node]), steps + 1
        assert steps <= len(tree.parents), "a circle"
    return -1


def counts_by_leaf(
    presence: NDArray[np.int64], labels: NDArray[np.int32], leaves: int
) -> NDArray[np.int64]:
    """(leaves, T) Documents of each leaf that hold each term."""
    found = np.zeros((leaves, presence.shape[1]), dtype=np.int64)
    for row, label in zip(presence, labels, strict=True):
        if label >= 0:
            found[label] += row > 0
    return found


def salience(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], frequencies: NDArray[np.int64], group: int
) -> Array:
    """(T,) Of one group, which is the union of all leaves that are given beside their sizes.

    p1 log(p1 / p) times the root of the spread. p1 is the share of the group's documents that hold
    the term, with two documents of the whole corpus added; p the share of all. The spread is the
    squared number of documents that hold the term over the group's size times the sum over leaves
    of squares over sizes.
    """
    documents, inside = int(frequencies[-1]), counts.sum(axis=0)
    found = np.zeros(counts.shape[1])
    for term in range(counts.shape[1]):
        n, everywhere = int(inside[term]), frequencies[term] / documents
        least = 3 if group >= 12 else 2 if group >= 4 else 1
        if n < least:
            continue
        p1 = (n + 2.0 * everywhere) / (group + 2.0)
        spread = n**2 / (
            group * sum(count**2 / size for count, size in zip(counts[:, term], sizes, strict=True))
        )
        found[term] = max(p1 * np.log(p1 / everywhere), 0.0) * np.sqrt(min(spread, 1.0))
    return found
