"""The tree of topics with its names, and where documents fall in it: what is needed to say what a
text is about.

An `Atlas` is an outline that can also describe topics. An outline alone is read in a moment, for
one question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.topics import _shares
from undertow.topics.clusters import Labels, Vectors, nearest
from undertow.topics.tree import TopicTree
from undertow.vectors.joining import unit


@dataclass(frozen=True, kw_only=True)
class Outline:
    """The topics of a model. Rows of leaves are those of `tree.leaves`."""

    tree: TopicTree
    routes: Vectors  # (m, H) of length 1: a document belongs to the leaf with the largest product
    means: Vectors  # (m, H) mean vector of the documents of each leaf
    sizes: NDArray[np.int64]  # (m,) documents of the corpus in each leaf
    limits: tuple[
        float, float
    ]  # nearness below which a document is far from all topics, above which it is near
    chosen: int  # topics of the model's own cut
    names: dict[int, str] = field(default_factory=dict)  # given by the user
    made_names: dict[int, str] = field(
        default_factory=dict
    )  # of all topics, made of their words and kept

    @property
    def share_limits(self) -> tuple[float, float]:
        """How near a document has to be to its leaf for any of it to be shared out, and for all."""
        return _shares.never_stricter(self.limits)

    # Cuts

    def count(self, n: int | None) -> int:
        """The number of topics asked for, or that of the model's own cut.

        Parameters
        ----------
        n : int or None
            How many topics.

        Returns
        -------
        int
            The same, checked.

        Raises
        ------
        InvalidInput
            Where there is no such cut.

        Examples
        --------
        >>> atlas.count(2)
        2
        """
        if n is None:
            return self.chosen
        most = len(self.tree.leaves)
        checked = _check.whole_number("n", n, at_least=1)
        if not min(2, most) <= checked <= max(most, 1):
            raise InvalidInput(
                f"n must be from 2 to {most}, the number of the smallest topics, got {n}"
            )
        return checked

    def cut(self, n: int | None = None) -> list[int]:
        """The topics of a cut.

        Parameters
        ----------
        n : int or None
            How many topics; None for the model's own number.

        Returns
        -------
        list of int
            Their ids, the widest first.

        Raises
        ------
        InvalidInput
            Where there is no such cut.

        Examples
        --------
        >>> len(atlas.cut(2))
        2
        """
        nodes = self.tree.cut(self.count(n))
        sizes = self.sizes_of(nodes)
        return [nodes[place] for place in np.argsort(-sizes, kind="stable")]

    def sizes_of(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Documents of each of these topics, none of which lies in another.

        Parameters
        ----------
        nodes : sequence of int
            Ids of topics.

        Returns
        -------
        array (topics,)
            Numbers of documents.

        Examples
        --------
        >>> atlas.sizes_of(nodes)
        array([60, 60])
        """
        places = self.tree.positions(nodes)
        return np.bincount(
            places[places >= 0],
            weights=self.sizes[places >= 0].astype(np.float64),
            minlength=len(nodes),
        ).astype(np.int64)

    def checked(self, node: object, name: str = "topic") -> int:
        """The number of a topic that there is.

        Parameters
        ----------
        node : object
            What was given as an id.
        name : str
            What the error calls it.

        Returns
        -------
        int
            The id.

        Raises
        ------
        InvalidInput
            Where no topic has it.

        Examples
        --------
        >>> atlas.checked(nodes[0]) == nodes[0]
        True
        """
        if node not in self.tree or node == self.tree.root:
            raise InvalidInput(f"{name} must be the id of a topic of this model, got {node!r}")
        return int(node)  # type: ignore[call-overload,no-any-return]

    # Documents

    def leaves_of(
        self, vectors: Vectors, threads: int | None = None
    ) -> tuple[Labels, NDArray[np.float32]]:
        """The leaf of the tree that each document falls into.

        Parameters
        ----------
        vectors : array (documents, H)
            Of length 1; nan for a document without one.
        threads : int or None
            None for one per core.

        Returns
        -------
        rows : array (documents,)
            Rows of leaves; -1 for a document without a vector.
        near : array (documents,)
            How near each document is to its leaf.

        Examples
        --------
        >>> rows, near = atlas.leaves_of(vectors)
        >>> rows.shape, near.shape
        ((120,), (120,))
        """
        unknown = ~np.isfinite(vectors[:, 0]) | ~vectors.any(axis=1)
        rows, near = nearest(np.nan_to_num(vectors), self.routes, threads)
        rows[unknown], near[unknown] = -1, 0.0
        return rows, near

    def topics_of_leaves(self, rows: Labels, nodes: Sequence[int]) -> Labels:
        """Which of the topics each leaf lies in.

        Parameters
        ----------
        rows : array of int
            Rows of leaves, -1 for none.
        nodes : sequence of int
            Ids of topics.

        Returns
        -------
        array of int
            Places in `nodes`, -1 for none.

        Examples
        --------
        >>> atlas.topics_of_leaves(atlas.leaves_of(vectors)[0], nodes).shape
        (120,)
        """
        places = np.append(self.tree.positions(nodes), np.int32(-1))
        found: Labels = places[rows]
        return found

    def shares(
        self, vectors: Vectors, nodes: Sequence[int], threads: int | None = None
    ) -> NDArray[np.float32]:
        """How much of each document is about each topic.

        Parameters
        ----------
        vectors : array (documents, H)
            Of length 1; nan for a document without one.
        nodes : sequence of int
            Ids of topics, none of which lies in another.
        threads : int or None
            None for one per core.

        Returns
        -------
        array (documents, topics)
            A row adds to at most 1.

        Examples
        --------
        >>> atlas.shares(vectors, nodes).shape
        (120, 2)
        """
        amounts = _shares.mixture(np.nan_to_num(vectors), self.directions(nodes), threads)
        return self._shared_out(amounts, vectors, nodes, threads)

    def shares_in_numpy(
        self,
        vectors: Vectors,
        nodes: Sequence[int],
        *,
        directions: Vectors | None = None,
        places: Labels | None = None,
    ) -> NDArray[np.float32]:
        """`shares`, up to rounding, of a few documents: nothing compiled is loaded for them.

        Parameters
        ----------
        vectors : array (documents, H)
            Of length 1; nan for a document without one.
        nodes : sequence of int
            Ids of topics, none of which lies in another.
        directions : array (topics, H) or None
            Those of the nodes, where they are known already.
        places : array (leaves,) or None
            Which of the nodes each leaf lies in (`tree.positions`), where it is known already.

        Returns
        -------
        array (documents, topics)
            A row adds to at most 1.

        Examples
        --------
        >>> plain = atlas.shares_in_numpy(vectors[:3], nodes)
        >>> np.allclose(plain, atlas.shares(vectors[:3], nodes), atol=1e-4)
        True
        """
        known = self.directions(nodes) if directions is None else directions
        amounts = _shares.mixture_in_numpy(np.nan_to_num(vectors), known)
        return self._shared_out(amounts, vectors, nodes, 1, places)

    def _shared_out(
        self,
        amounts: NDArray[np.float64],
        vectors: Vectors,
        nodes: Sequence[int],
        threads: int | None,
        places: Labels | None = None,
    ) -> NDArray[np.float32]:
        rows, near = self.leaves_of(vectors, threads)
        own = (
            self.topics_of_leaves(rows, nodes)
            if places is None
            else np.append(places, np.int32(-1))[rows]
        )
        found = _shares.shares(amounts, own, near, self.limits)
        found[own < 0] = 0.0  # no word known, or in a topic that was dropped
        return found

    def directions(self, nodes: Sequence[int]) -> Vectors:
        """The mean vector of each topic.

        Parameters
        ----------
        nodes : sequence of int
            Ids of topics.

        Returns
        -------
        array (topics, H)
            Of length 1.

        Examples
        --------
        >>> atlas.directions(nodes).shape
        (2, 16)
        """
        places = self.tree.positions(nodes)
        sums = np.zeros((len(nodes), self.means.shape[1]))
        inside = np.flatnonzero(places >= 0)
        np.add.at(
            sums, places[inside], self.means[inside].astype(np.float64) * self.sizes[inside, None]
        )
        return unit(sums)

    def names_of(self, nodes: Sequence[int]) -> list[str]:
        """The names of topics.

        Parameters
        ----------
        nodes : sequence of int
            Ids of topics.

        Returns
        -------
        list of str
            Names that were given, or two to four words, none twice.

        Examples
        --------
        >>> len(set(atlas.names_of(nodes)))
        2
        """
        return [
            self.names.get(node) or self.made_names.get(node) or f"topic {node}" for node in nodes
        ]
