"""The tree of topics: nodes that keep their numbers, cut anywhere, and changed by its user.

A leaf is a small cluster of documents; every other node is the union of its children. Cutting
begins at the root and splits the node of the greatest height again and again, so that each cut is
nested in the next.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.topics._ward import Merges

NOWHERE = -1  # the parent of the root, and of a node that is part of the tree no more
Nodes = NDArray[np.int32]


@dataclass(frozen=True)
class TopicTree:
    """Nodes by number. Whatever changes a tree makes a new one, in which old nodes keep their
    numbers.

    Examples
    --------
    A tree of three leaves (0, 1, 2): leaves 0 and 1 are merged to node 3, and 3 and 2 to the root,
    4.

    >>> import numpy as np
    >>> from undertow.topics import TopicTree
    >>> parents, heights = np.array([3, 3, 4, 4, -1]), np.array([0, 0, 0, 1.0, np.inf])
    >>> tree = TopicTree(parents, heights, np.arange(3), np.zeros(5, dtype=bool), root=4)
    >>> tree.cut(2), tree.cut(3)
    ([2, 3], [0, 1, 2])
    """

    parents: Nodes  # (nodes,) NOWHERE for the root and for what was taken out
    heights: NDArray[np.float64]  # (nodes,) infinite: never shown whole; 0: split last
    leaves: Nodes  # (m,) node of each leaf
    dropped: NDArray[np.bool_]  # (nodes,) declared to be junk
    root: int

    @classmethod
    def of(cls, merges: Merges) -> TopicTree:
        """The tree of merges; that of a single cluster has a root above its only leaf.

        Parameters
        ----------
        merges : Merges
            What Ward's rule gives: pairs and heights.

        Returns
        -------
        TopicTree
            Leaves are nodes 0 to m - 1, and the root is the last node.

        Examples
        --------
        >>> from undertow.topics._ward import Merges
        >>> TopicTree.of(Merges(np.array([[0, 1], [2, 3]]), np.array([1.0, 2.0]))).cut(2)
        [2, 3]
        """
        leaves = len(merges.heights) + 1
        nodes = max(2 * leaves - 1, 2)
        parents, heights = np.full(nodes, NOWHERE, dtype=np.int32), np.zeros(nodes)
        for step, pair in enumerate(merges.pairs):
            parents[pair] = leaves + step
            heights[leaves + step] = merges.heights[step]
        if leaves == 1:
            parents[0] = 1
        heights[-1] = np.inf
        return cls(
            parents,
            heights,
            np.arange(leaves, dtype=np.int32),
            np.zeros(nodes, dtype=np.bool_),
            nodes - 1,
        )

    def __contains__(self, node: object) -> bool:
        if not isinstance(node, (int, np.integer)) or isinstance(node, bool):
            return False
        return 0 <= int(node) < len(self.parents) and self._attached(int(node))

    def _attached(self, node: int) -> bool:
        return node == self.root or int(self.parents[node]) != NOWHERE

    def children(self, node: int) -> list[int]:
        """The nodes right below a node.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        list of int
            In the order of their numbers.

        Examples
        --------
        >>> tree.children(3)
        [0, 1]
        """
        return [int(child) for child in np.flatnonzero(self.parents == node)]

    def parent(self, node: int) -> int | None:
        """The node above a node.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        int or None
            None for those right below the root, which is no topic.

        Examples
        --------
        >>> tree.parent(0), tree.parent(3)
        (3, None)
        """
        above = int(self.parents[node])
        return None if above in (NOWHERE, self.root) else above

    def is_dropped(self, node: int) -> bool:
        """Whether a node or one above it was dropped.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        bool
            True for junk.

        Examples
        --------
        >>> tree.with_dropped(3, True).is_dropped(0)
        True
        """
        while node not in (NOWHERE, self.root):
            if self.dropped[node]:
                return True
            node = int(self.parents[node])
        return False

    def cut(self, n: int) -> list[int]:
        """n topics, or as many as there are; more only where splits were asked for.

        Fewer where the next topic to be split has more parts than fit: to split another one instead
        would not be nested in the next cut. A topic all of whose parts were dropped is none.

        Parameters
        ----------
        n : int
            How many topics.

        Returns
        -------
        list of int
            Nodes, in the order of their numbers.

        Examples
        --------
        >>> tree.cut(2)
        [2, 3]
        """
        shown = self._shown()
        waiting = [(-np.inf, self.root)]
        whole: list[int] = []
        full = False
        while waiting:
            height, node = heapq.heappop(waiting)
            children = self.children(node)
            below = [child for child in children if shown[child]]
            # an only child is the same topic
            parts = bool(below) and (len(children) > 1 or node == self.root)
            full = full or (
                parts and height != -np.inf and len(waiting) + len(whole) + len(below) > n
            )
            if parts and not full:
                for child in below:
                    heapq.heappush(waiting, (-float(self.heights[child]), child))
            elif node != self.root:
                whole.append(node)
        return sorted(whole)

    def _shown(self) -> NDArray[np.bool_]:
        """(nodes,) Which nodes hold a leaf that was not dropped, and were not dropped
        themselves.
        """
        shown = np.zeros(len(self.parents), dtype=np.bool_)
        for leaf in self.leaves.tolist():
            if not self.is_dropped(leaf):
                node = leaf
                while node != NOWHERE and not shown[node]:
                    shown[node] = True
                    node = int(self.parents[node])
        return shown

    def positions(self, nodes: Sequence[int]) -> NDArray[np.int32]:
        """For each leaf, which of the nodes it lies below (or is).

        Parameters
        ----------
        nodes : sequence of int
            Nodes, none of which lies below another.

        Returns
        -------
        array (leaves,)
            Places in `nodes`; -1 for none, and for what was dropped below.

        Examples
        --------
        >>> tree.positions([3, 2]).tolist()
        [0, 0, 1]
        """
        place = np.full(len(self.parents), -1, dtype=np.int32)
        place[np.asarray(nodes, dtype=np.int64)] = np.arange(len(nodes), dtype=np.int32)
        found = np.full(len(self.leaves), -1, dtype=np.int32)
        rows, climbing = np.arange(len(self.leaves)), np.asarray(self.leaves, dtype=np.int64)
        while len(rows):  # all leaves a step further up
            found[rows] = place[climbing]
            further = (place[climbing] < 0) & ~self.dropped[climbing]
            rows, climbing = rows[further], self.parents[climbing[further]].astype(np.int64)
            inside = climbing != NOWHERE
            rows, climbing = rows[inside], climbing[inside]
        return found

    def leaf_rows(self, node: int) -> NDArray[np.int64]:
        """Rows of the leaves below a node.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        array of int
            The rows.

        Examples
        --------
        >>> tree.leaf_rows(3).tolist()
        [0, 1]
        """
        return np.flatnonzero(self.positions([node]) == 0)

    # Changes

    def with_new(self, height: float, under: int) -> tuple[TopicTree, int]:
        """With one more node, still without children.

        Parameters
        ----------
        height : float
            Its height.
        under : int
            The node above it.

        Returns
        -------
        tree : TopicTree
            The new tree.
        node : int
            The number of the new node.

        Examples
        --------
        >>> tree.with_new(0.5, under=4)[1]
        5
        """
        new = len(self.parents)
        return replace(
            self,
            parents=np.append(self.parents, np.int32(under)).astype(np.int32),
            heights=np.append(self.heights, height),
            dropped=np.append(self.dropped, False),
        ), new

    def with_leaf(self, height: float, under: int) -> tuple[TopicTree, int]:
        """With one more leaf.

        Parameters
        ----------
        height : float
            Its height.
        under : int
            The node above it.

        Returns
        -------
        tree : TopicTree
            The new tree.
        node : int
            The number of the new leaf.

        Examples
        --------
        >>> tree.with_leaf(0.0, under=3)[0].leaf_rows(3).tolist()
        [0, 1, 3]
        """
        tree, new = self.with_new(height, under)
        return replace(tree, leaves=np.append(tree.leaves, np.int32(new)).astype(np.int32)), new

    def moved(self, node: int, under: int) -> TopicTree:
        """With a node hung below another one. A node that this leaves with one child gives its
        place to it.

        Parameters
        ----------
        node : int
            What is moved.
        under : int
            Where to.

        Returns
        -------
        TopicTree
            The new tree.

        Raises
        ------
        InvalidInput
            Where `under` is the node itself or lies below it.

        Examples
        --------
        >>> tree.moved(0, under=4).cut(3)
        [0, 1, 2]
        """
        if under in self.below(node):
            raise InvalidInput(f"a topic must not be moved below itself, got {node} to {under}")
        parents, dropped = self.parents.copy(), self.dropped.copy()
        above = int(parents[node])
        parents[node] = under
        while above not in (self.root, NOWHERE, under):
            left = np.flatnonzero(parents == above)
            if len(left) > 1:
                break
            emptied, above = above, int(parents[above])
            parents[left], dropped[left] = above, dropped[left] | dropped[emptied]
            parents[emptied] = NOWHERE
            if len(left):
                break
        return replace(self, parents=parents, dropped=dropped)

    def below(self, node: int) -> set[int]:
        """A node and all below it.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        set of int
            Nodes.

        Examples
        --------
        >>> sorted(tree.below(3))
        [0, 1, 3]
        """
        found, waiting = set(), [node]
        while waiting:
            here = waiting.pop()
            found.add(here)
            waiting += self.children(here)
        return found

    def with_height(self, node: int, height: float) -> TopicTree:
        """With another height of a node: infinite, and it is never shown whole.

        Parameters
        ----------
        node : int
            Its number.
        height : float
            The height.

        Returns
        -------
        TopicTree
            The new tree.

        Examples
        --------
        >>> tree.with_height(3, np.inf).cut(2)
        [0, 1, 2]
        """
        heights = self.heights.copy()
        heights[node] = height
        return replace(self, heights=heights)

    def with_dropped(self, node: int, dropped: bool) -> TopicTree:
        """With a node declared to be junk, or no longer.

        Parameters
        ----------
        node : int
            Its number.
        dropped : bool
            Whether it is junk.

        Returns
        -------
        TopicTree
            The new tree.

        Examples
        --------
        >>> tree.with_dropped(2, True).cut(2)
        [0, 1]
        """
        flags = self.dropped.copy()
        flags[node] = dropped
        return replace(self, dropped=flags)
