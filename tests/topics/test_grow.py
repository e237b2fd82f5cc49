"""From vectors to a tree: routes, leaves, and what is remarked on."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.rounding import UNIT
from tests.oracles.subjects import fitted
from undertow.topics import TopicTree
from undertow.topics._ward import ward
from undertow.topics.clusters import nearest, sums_by_label
from undertow.topics.grow import candidates, grow_tree, number_of_leaves, routes_of, without_empty
from undertow.topics.tree import NOWHERE
from undertow.vectors.joining import unit

Single = NDArray[np.float32]


def make(documents: int, seed: int = 0) -> tuple[Single, NDArray[np.int64]]:
    """Directions around four middles, and the middle of each."""
    generator = np.random.default_rng(seed)
    middles = generator.integers(0, 4, documents)
    return unit(4 * np.eye(4, 10)[middles] + generator.normal(0.0, 0.8, (documents, 10))), middles


def test_a_route_is_the_sum_of_the_directions_of_all_topics_on_it() -> None:
    generator = np.random.default_rng(0)
    sums = generator.normal(size=(9, 5))
    tree = TopicTree.of(ward(sums, np.ones(9)))
    found = routes_of(tree, sums)
    for row, leaf in enumerate(tree.leaves.tolist()):
        total, node = np.zeros(5), leaf
        while node != tree.root:
            inside = sums[tree.leaf_rows(node)].sum(axis=0)
            total += inside / np.linalg.norm(inside)
            node = int(tree.parents[node])
        np.testing.assert_allclose(
            found[row], total / np.linalg.norm(total), rtol=0, atol=20 * UNIT
        )


@pytest.mark.parametrize(
    ("documents", "leaves"),
    [(0, 1), (1, 1), (2, 2), (23, 2), (24, 2), (36, 3), (4800, 400), (10**6, 400)],
)
def test_a_leaf_has_twelve_documents(documents: int, leaves: int) -> None:
    assert number_of_leaves(documents) == leaves


def test_clear_groups_are_the_topics_of_that_cut() -> None:
    vectors, middles = make(400)
    grown = grow_tree(vectors, 30, seed=0)
    found = grown.tree.positions(grown.tree.cut(4))[grown.labels]
    assert (
        len({(one, other) for one, other in zip(found.tolist(), middles.tolist(), strict=True)})
        == 4
    )
    np.testing.assert_array_equal(nearest(vectors, grown.routes)[0], grown.labels)


def test_leaves_without_documents_go_and_nothing_else_changes() -> None:
    vectors, _ = make(300, 1)
    emptied = 0
    for seed in range(8):
        grown = grow_tree(vectors, 60, seed=seed)
        left = without_empty(grown)
        emptied += len(grown.tree.leaves) - len(left.tree.leaves)
        assert set(left.labels.tolist()) == set(range(len(left.tree.leaves)))
        np.testing.assert_array_equal(nearest(vectors, left.routes)[0], left.labels)
        for n in (2, 3, 4):  # the same groups of documents
            groups = [one.tree.positions(one.tree.cut(n))[one.labels] for one in (grown, left)]
            assert len(set(zip(*(group.tolist() for group in groups), strict=True))) == n
    assert emptied


def test_no_documents_are_a_tree_of_one_leaf() -> None:
    grown = without_empty(grow_tree(np.zeros((0, 3), dtype=np.float32), 1, seed=0))
    assert grown.tree.leaves.tolist() == [0]
    assert grown.routes.shape == (1, 3)


def test_every_topic_has_candidates() -> None:
    atlas = fitted().model.atlas_
    found = candidates(atlas.tree, atlas.terms)
    nodes = [
        node
        for node in range(len(atlas.tree.parents))
        if node == atlas.tree.root or atlas.tree.parents[node] != NOWHERE
    ]
    assert len(found) == len(nodes)
    assert (
        sum(len(terms) > 0 for terms in found) >= len(nodes) - 1
    )  # nothing is salient in all documents


def test_sums_are_those_of_the_leaves() -> None:
    vectors, middles = make(50)
    found = sums_by_label(vectors, middles.astype(np.int32), 4)
    np.testing.assert_allclose(
        found.sum(axis=0), vectors.astype(np.float64).sum(axis=0), rtol=0, atol=1e-12
    )
