"""Ward's merges against SciPy, where each cluster is repeated as often as its size says, and
against plain sums.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

from tests.oracles.topics import sum_of_squares, ward_by_hand
from undertow.topics._ward import Merges, ward, without_others

Array = NDArray[np.float64]


def make(count: int, columns: int, seed: int) -> tuple[Array, Array]:
    generator = np.random.default_rng(seed)
    return generator.normal(0.0, 1.0, (count, columns)), generator.integers(1, 9, count).astype(
        np.float64
    )


def tolerance(points: Array, weights: Array) -> float:
    """Of a squared height: each of the steps rounds sums whose terms are at most the sum of all
    squares.
    """
    total = sum_of_squares(points, weights) + float((weights[:, None] * points**2).sum())
    return 2.0 * float(points.shape[1] + 4 * len(points)) * 2.0**-52 * total


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 14), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_merges_are_those_of_plain_sums(count: int, columns: int, seed: int) -> None:
    points, weights = make(count, columns, seed)
    merges = ward(points, weights)
    pairs, heights = ward_by_hand(points, weights)
    assert [tuple(sorted(pair)) for pair in merges.pairs.tolist()] == [
        tuple(sorted(pair)) for pair in pairs
    ]
    np.testing.assert_allclose(
        merges.heights**2, heights**2, rtol=0, atol=tolerance(points, weights)
    )


@pytest.mark.parametrize("seed", range(5))
def test_heights_are_those_of_scipy_with_repeated_rows(seed: int) -> None:
    points, weights = make(30, 4, seed)
    theirs = linkage(np.repeat(points, weights.astype(int), axis=0), method="ward")[:, 2]
    ours = ward(points, weights)
    bound = tolerance(points, weights)
    np.testing.assert_allclose(ours.heights**2, theirs[-29:] ** 2, rtol=0, atol=bound)
    assert (theirs[:-29] ** 2 <= bound).all()  # copies are merged first, at no cost


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_ties_are_merged_all_the_same(count: int, seed: int) -> None:
    """Points on a small grid: many pairs cost the same, and points repeat."""
    generator = np.random.default_rng(seed)
    points = generator.integers(0, 3, (count, 2)).astype(np.float64)
    merges = ward(points, np.ones(count))
    assert (np.diff(merges.heights) >= 0).all()
    used = merges.pairs.ravel().tolist()
    assert sorted(used) == list(range(2 * count - 2))  # every node but the last is merged once
    # Whatever is merged first, what is added in all is the sum of squares of all points.
    added = (merges.heights**2 / 2).sum()
    assert added >= sum_of_squares(points, np.ones(count)) - tolerance(points, np.ones(count))


def test_of_equal_pairs_the_first_comes_first() -> None:
    merges = ward(np.array([[0.0], [10.0], [1.0], [11.0]]), np.ones(4))
    assert merges.pairs.tolist() == [[0, 2], [1, 3], [4, 5]]
    np.testing.assert_array_equal(merges.heights[:2], [1.0, 1.0])  # twice 1/2


def test_larger_clusters_are_merged_later() -> None:
    places = np.array([[0.0], [1.0], [10.0], [11.0]])
    assert ward(places, np.array([5.0, 5.0, 1.0, 1.0])).pairs.tolist()[0] == [2, 3]
    assert ward(places, np.array([1.0, 1.0, 5.0, 5.0])).pairs.tolist()[0] == [0, 1]


def test_one_cluster_and_two() -> None:
    alone = ward(np.zeros((1, 3)), np.ones(1))
    assert alone.pairs.shape == (0, 2)
    assert alone.heights.shape == (0,)
    both = ward(np.array([[0.0], [2.0]]), np.array([1.0, 3.0]))
    assert both.pairs.tolist() == [[0, 1]]
    np.testing.assert_allclose(both.heights, [np.sqrt(2.0 * 4.0 * 3 / 4)], rtol=1e-15)


def joined_at(merges: Merges) -> Array:
    """(m, m) The height at which each two clusters come to be in one."""
    m = len(merges.heights) + 1
    inside = [{number} for number in range(m)]
    found = np.zeros((m, m))
    for (first, second), height in zip(merges.pairs.tolist(), merges.heights, strict=True):
        for one in inside[first]:
            for other in inside[second]:
                found[one, other] = found[other, one] = height
        inside.append(inside[first] | inside[second])
    return found


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.data())
def test_without_some_clusters_the_others_join_where_they_did(
    count: int, data: st.DataObject
) -> None:
    merges = ward(*make(count, 3, data.draw(st.integers(0, 2**32 - 1))))
    kept = np.array(sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1))))
    left = without_others(merges, kept)
    assert left.pairs.shape == (len(kept) - 1, 2)
    np.testing.assert_array_equal(joined_at(left), joined_at(merges)[np.ix_(kept, kept)])


def test_what_is_given_stays_as_it_was() -> None:
    points, weights = make(9, 2, 0)
    kept = points.copy(), weights.copy()
    ward(points, weights)
    np.testing.assert_array_equal(points, kept[0])
    np.testing.assert_array_equal(weights, kept[1])
