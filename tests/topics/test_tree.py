"""Cuts are nested, nodes keep their numbers, and no change makes a circle or loses a leaf."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.topics import climb
from undertow import InvalidInput
from undertow.topics import TopicTree
from undertow.topics._ward import ward
from undertow.topics.tree import NOWHERE


def make(leaves: int, seed: int = 0) -> TopicTree:
    generator = np.random.default_rng(seed)
    return TopicTree.of(
        ward(generator.normal(size=(leaves, 3)), generator.integers(1, 20, leaves).astype(float))
    )


trees = st.builds(make, st.integers(1, 14), st.integers(0, 2**32 - 1))


def attached(tree: TopicTree) -> list[int]:
    return [node for node in range(len(tree.parents)) if node in tree and node != tree.root]


@st.composite
def changed_trees(draw: st.DrawFn) -> TopicTree:
    """A tree after some changes such as curation makes, each to topics that there are."""
    tree = draw(trees)
    for _ in range(draw(st.integers(0, 6))):
        node = draw(st.sampled_from(attached(tree)))
        kind = draw(st.sampled_from(["move", "merge", "leaf", "drop", "split"]))
        inner = [other for other in attached(tree) if tree.children(other)]
        if kind == "move":
            places = [tree.root, *(other for other in inner if other not in tree.below(node))]
            tree = tree.moved(node, draw(st.sampled_from(places)))
        elif kind == "merge":
            apart = [other for other in attached(tree) if not tree.below(other) & tree.below(node)]
            tree, made = tree.with_new(0.0, int(tree.parents[node]))
            for one in (
                [node, *draw(st.lists(st.sampled_from(apart), max_size=1))] if apart else [node]
            ):
                tree = tree.moved(one, made)
        elif kind == "leaf":
            tree, _ = tree.with_leaf(0.0, tree.root)
        elif kind == "drop":
            tree = tree.with_dropped(node, draw(st.booleans()))
        elif tree.children(node):
            tree = tree.with_height(node, float("inf"))
    return tree


def sound(tree: TopicTree) -> None:
    """No circles, all leaves lead to the root, and what is left without anything below is a
    leaf.
    """
    for leaf in tree.leaves.tolist():
        assert climb(tree.with_dropped(leaf, False), leaf, [leaf]) == 0
        node, steps = leaf, 0
        while node != tree.root:
            node, steps = int(tree.parents[node]), steps + 1
            assert node != NOWHERE
            assert steps <= len(tree.parents)
    leaves = set(tree.leaves.tolist())
    for node in attached(tree):
        assert tree.below(node) & leaves


@settings(max_examples=30, deadline=None)
@given(trees)
def test_a_cut_has_as_many_topics_as_asked_for(tree: TopicTree) -> None:
    for n in range(2, len(tree.leaves) + 1):
        assert len(tree.cut(n)) == n
    assert tree.cut(len(tree.leaves)) == sorted(tree.leaves.tolist())
    assert len(tree.cut(10**6)) == len(tree.leaves)


@settings(max_examples=40, deadline=None)
@given(changed_trees())
def test_cuts_are_nested_whatever_was_changed(tree: TopicTree) -> None:
    cuts = [tree.cut(n) for n in range(1, len(tree.leaves) + 2)]
    for coarse, fine in pairwise(cuts):
        for node in fine:
            assert sum(node in tree.below(other) for other in coarse) == 1
        for node in coarse:
            assert any(other in tree.below(node) for other in fine)


@settings(max_examples=40, deadline=None)
@given(changed_trees())
def test_every_leaf_is_in_one_topic_or_dropped(tree: TopicTree) -> None:
    for n in (1, 2, 3, 5, 30):
        cut = tree.cut(n)
        assert cut == sorted(set(cut))
        for row, place in enumerate(tree.positions(cut)):
            leaf = int(tree.leaves[row])
            assert (place == -1) == tree.is_dropped(leaf)
            assert sum(leaf in tree.below(node) for node in cut) <= 1


@settings(max_examples=40, deadline=None)
@given(changed_trees())
def test_no_topic_of_a_cut_is_empty(tree: TopicTree) -> None:
    for n in (1, 2, 3, 5, 30):
        cut = tree.cut(n)
        assert set(tree.positions(cut).tolist()) - {-1} == set(range(len(cut)))


@settings(max_examples=40, deadline=None)
@given(changed_trees())
def test_changes_keep_the_tree_sound(tree: TopicTree) -> None:
    sound(tree)


@settings(max_examples=30, deadline=None)
@given(changed_trees(), st.data())
def test_positions_are_those_of_a_plain_climb(tree: TopicTree, data: st.DataObject) -> None:
    nodes = data.draw(st.lists(st.sampled_from(attached(tree)), unique=True, max_size=6))
    expected = [climb(tree, leaf, nodes) for leaf in tree.leaves.tolist()]
    assert tree.positions(nodes).tolist() == expected


@settings(max_examples=40, deadline=None)
@given(trees)
def test_a_topic_keeps_its_number_in_every_cut(tree: TopicTree) -> None:
    leaves_of: dict[int, frozenset[int]] = {}
    for n in range(2, len(tree.leaves) + 1):
        for node in tree.cut(n):
            inside = frozenset(tree.leaf_rows(node).tolist())
            assert leaves_of.setdefault(node, inside) == inside


def test_a_single_cluster_has_a_root_above_it() -> None:
    tree = make(1)
    assert (tree.root, tree.children(1), tree.cut(2), tree.parent(0)) == (1, [0], [0], None)


def four() -> TopicTree:
    """((0, 1), (2, 3)): nodes 4 and 5 below the root 6; 5 is the wider one."""
    return TopicTree.of(ward(np.array([[0.0], [1.0], [10.0], [12.0]]), np.ones(4)))


def test_a_tree_of_four() -> None:
    tree = four()
    assert tree.parents.tolist() == [4, 4, 5, 5, 6, 6, NOWHERE]
    assert (tree.cut(2), tree.cut(3), tree.cut(4)) == ([4, 5], [2, 3, 4], [0, 1, 2, 3])
    assert (tree.parent(0), tree.parent(4), tree.below(4)) == (4, None, {0, 1, 4})
    assert [node in tree for node in (0, 6, 7, -1, True, 1.0, "0", np.int64(3))] == [
        *[True] * 2,
        *[False] * 5,
        True,
    ]


def test_what_is_left_with_one_part_gives_its_place_to_it() -> None:
    tree = four().moved(0, 5)
    assert tree.parents.tolist() == [5, 6, 5, 5, NOWHERE, 6, NOWHERE]
    assert 4 not in tree
    assert tree.cut(2) == [1, 5]
    sound(tree)


def test_a_topic_is_not_moved_below_itself() -> None:
    for under in (4, 0, 1):
        with pytest.raises(InvalidInput, match="a topic must not be moved below itself, got 4 to"):
            four().moved(4, under)


def test_old_trees_stay_as_they_were() -> None:
    tree = four()
    before = tree.parents.copy()
    tree.moved(0, 5)
    tree.with_dropped(0, True)
    tree.with_height(4, 99.0)
    tree.with_leaf(0.0, tree.root)
    np.testing.assert_array_equal(tree.parents, before)
    assert not tree.dropped.any()
    assert tree.heights[4] == 1.0


def test_what_is_dropped_is_in_no_cut_and_comes_back() -> None:
    tree = four().with_dropped(4, True)
    assert (tree.cut(2), tree.cut(3), tree.cut(4)) == ([2, 3], [2, 3], [2, 3])
    assert [tree.is_dropped(node) for node in (0, 4, 2, 6)] == [True, True, False, False]
    assert tree.positions(tree.cut(2)).tolist() == [-1, -1, 0, 1]
    assert tree.with_dropped(4, False).cut(3) == four().cut(3)


def test_what_takes_the_place_of_junk_is_junk() -> None:
    tree = four().with_dropped(4, True).moved(0, 5)
    assert tree.is_dropped(1)
    assert not tree.is_dropped(0)
    assert tree.cut(3) == [0, 2, 3]


def test_what_is_left_without_parts_is_gone() -> None:
    """A topic of one part (a seed may be), whose part is taken away."""
    tree, made = four().with_new(0.0, 5)
    tree = tree.moved(0, made).moved(0, 6)
    assert made not in tree
    sound(tree)


def test_a_cut_waits_for_a_topic_of_many_parts() -> None:
    """5 has three parts and is split before 4; to split 4 instead would not be nested in the cut of
    four.
    """
    tree, _ = four().with_leaf(0.0, 5)
    assert (tree.cut(2), tree.cut(3), tree.cut(4), tree.cut(5)) == (
        [4, 5],
        [4, 5],
        [2, 3, 4, 7],
        [0, 1, 2, 3, 7],
    )


def test_junk_inside_a_topic_is_no_part_of_it() -> None:
    tree = four().with_dropped(0, True)
    assert tree.positions([4, 5]).tolist() == [-1, 0, 1, 1]
    assert tree.leaf_rows(4).tolist() == [1]
    assert tree.leaf_rows(0).tolist() == [0]  # what was dropped can still be looked at
    assert 4 not in tree.with_dropped(1, True).cut(3)  # all of it is junk


def test_a_topic_that_is_split_is_never_shown_whole() -> None:
    tree = four().with_height(4, float("inf"))
    assert (tree.cut(2), tree.cut(3), tree.cut(4)) == ([0, 1, 5], [0, 1, 5], [0, 1, 2, 3])
    assert tree.cut(1) == [0, 1, 5]


def test_what_was_merged_is_split_last() -> None:
    tree, made = four().with_new(0.0, 5)
    for node in (0, 2):
        tree = tree.moved(node, made)
    assert made == 7
    assert tree.children(made) == [0, 2]
    assert tree.cut(3) == [1, 3, 7]
    assert tree.cut(4) == [0, 1, 2, 3]
    sound(tree)


def test_a_new_leaf_is_the_last_row() -> None:
    tree, leaf = four().with_leaf(0.0, 6)
    assert (leaf, tree.leaves.tolist()) == (7, [0, 1, 2, 3, 7])
    assert tree.cut(3) == [4, 5, 7]
    assert tree.positions([7]).tolist() == [-1, -1, -1, -1, 0]
