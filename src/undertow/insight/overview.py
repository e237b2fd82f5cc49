"""A whole collection at a glance: the map of its documents, their leaves, labels and times, and
topics over time.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import ModelFileError
from undertow.estimators.topic_parts import atlas_of
from undertow.insight import layout
from undertow.insight._encoded_documents import ROWS, EncodedDocuments, encoded_batches
from undertow.insight._times_as_numbers import as_numbers
from undertow.insight.over_time import TopicsOverTime, over_time
from undertow.kernels import randomness
from undertow.vectors.joining import unit

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.search import Index
    from undertow.topics import Atlas

MOST_DOCUMENTS = 200_000
TYPICAL = 6  # documents of each leaf
SEED = 0
READING = 0.2  # of the whole time, for progress

Progress = Callable[[int, int], None]  # told how much is done, of how much
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Overview:
    """n documents, in the order of the index or corpus: all of them, or a sample of 200,000 where
    there are more.

    Everything is of these n documents; `ids[i]` stands in row i of every array of length n.
    Documents are known by the leaf of the topic tree that they fall into, so one overview serves
    every cut of the tree, and stays right when the tree is curated. The methods take the model's
    atlas and the nodes of a cut, as `atlas.cut(n)` gives them.

    Examples
    --------
    >>> overview = undertow.insight.overview_of_texts(model, texts)
    >>> overview.positions.shape  # places on the map
    (120, 2)
    >>> atlas = model.atlas_
    >>> nodes = atlas.cut(2)
    """

    ids: list[str]
    # (n, 2) each within [0, 1]; nan for a document without a word that is known
    positions: NDArray[np.float32]
    # (n,) row of the document's leaf, -1 for a document without a word that is known
    leaves: NDArray[np.int32]
    # (n,) how near a document is to its leaf: a cosine; 0 where there is no leaf
    nearness: NDArray[np.float32]
    labels: tuple[str, ...]  # in alphabetical order; none where there is no column of labels
    label_of: NDArray[np.int32]  # (n,) number of the document's label, -1 for none
    times: NDArray[np.float64] | None  # (n,) nan where missing; None where no document has a time
    # "date": seconds since 1970 in UTC; "number": plain numbers; None as `times`
    time_kind: str | None
    # (m, 6) rows of the documents nearest to a leaf's mean, best first, -1 where fewer
    typical: NDArray[np.int32]
    over_time: TopicsOverTime | None  # None where no two times differ
    sampled_from: int  # documents of the whole
    map_seconds: float  # what the map took
    routes: str  # names the m leaves: documents that are sent by other routes have other leaves
    state: str | None = None  # of the index that it is of

    def __len__(self) -> int:
        return len(self.ids)

    def topics(self, atlas: Atlas, nodes: Sequence[int]) -> NDArray[np.int32]:
        """Which of the topics each document lies in.

        Parameters
        ----------
        atlas : undertow.topics.Atlas
            The model's, as it is now.
        nodes : sequence of int
            Ids of topics, such as `atlas.cut(n)`.

        Returns
        -------
        array (n,)
            The place in `nodes`, or -1 for none of them.

        Examples
        --------
        >>> overview.topics(atlas, nodes).shape
        (120,)
        """
        return atlas.topics_of_leaves(self.leaves, nodes)

    def sizes(self, atlas: Atlas, nodes: Sequence[int]) -> NDArray[np.int64]:
        """How many of these documents lie in each of the topics.

        Parameters
        ----------
        atlas : undertow.topics.Atlas
            The model's, as it is now.
        nodes : sequence of int
            Ids of topics.

        Returns
        -------
        array (nodes,)
            Numbers of documents.

        Examples
        --------
        >>> int(overview.sizes(atlas, nodes).sum())
        120
        """
        found = self.topics(atlas, nodes)
        return np.bincount(found[found >= 0], minlength=len(nodes))

    def typical_of(self, atlas: Atlas, node: int, k: int = TYPICAL) -> list[int]:
        """The most typical documents of a topic: the typical ones of its leaves, by how near each
        is to its leaf and the leaf to the topic's middle.

        Parameters
        ----------
        atlas : undertow.topics.Atlas
            The model's, as it is now.
        node : int
            The topic's id.
        k : int
            At most so many.

        Returns
        -------
        array of int
            Rows, the best first.

        Examples
        --------
        >>> len(overview.typical_of(atlas, nodes[0], 3))
        3
        """
        leaves = atlas.tree.leaf_rows(node)
        closeness = unit(atlas.means[leaves]) @ atlas.directions([node])[0]
        rows, near = self.typical[leaves], np.repeat(closeness, self.typical.shape[1])
        score = np.where(rows.ravel() >= 0, near * self.nearness[rows.ravel()], -np.inf)
        order = np.argsort(-score, kind="stable")[:k]
        return [int(rows.ravel()[place]) for place in order if np.isfinite(score[place])]


def stored_overview(index: Index) -> Overview | None:
    """The overview that is stored with an index.

    Parameters
    ----------
    index : Index
        An open one.

    Returns
    -------
    Overview or None
        None where there is none, or one of another state of the index or its topics, or an unsound
        one.

    Examples
    --------
    >>> index = undertow.Index.create("news", model, texts)
    >>> undertow.insight.stored_overview(index) is None
    True
    """
    from undertow.insight import _overview_on_disk

    try:
        return _overview_on_disk.read(index)
    except (ModelFileError, OSError) as error:
        _log.warning(
            "%s is not used, and will be made again: %s", _overview_on_disk.place(index), error
        )
        return None


def overview_of_index(index: Index, *, progress: Progress | None = None) -> Overview:
    """The overview of an index: the stored one, or a new one, which is stored where the folder can
    be written.

    A new one takes about 20 seconds for 100,000 documents on two cores. Everything about it is the
    same every time for the same documents and model, but for the seconds that it took.

    Parameters
    ----------
    index : Index
        An open one.
    progress : callable or None
        Told how many documents are done, of how many.

    Returns
    -------
    Overview
        The map, topics, labels and times of its documents.

    Examples
    --------
    >>> index = undertow.Index.create("food", model, texts)
    >>> overview = undertow.insight.overview_of_index(index)
    >>> len(overview.ids)
    120
    """
    from undertow.insight import _overview_on_disk

    kept = stored_overview(index)
    if kept is not None:
        return kept
    atlas_of(index.model)
    layout.check_extra()
    state, total = index.state, len(index)
    columns = ["id", "vector", *(name for name in ("label", "time") if name in index.columns)]
    batches = index.scan(columns, batch=ROWS, places=sample(total))
    found = replace(_overview(batches, index.model, total, progress), state=state)
    try:
        _overview_on_disk.write(index, found)
    except (ModelFileError, OSError) as error:
        _log.warning("the overview of %s is not stored: %s", index.path, error)
    return found


def overview_of_texts(
    model: TopicModel, corpus: Any, *, progress: Progress | None = None
) -> Overview:
    """The overview of a corpus without an index.

    The corpus is read twice: it is counted before. Of a model that was fitted with vectors,
    undertow's side counts alone; an index has both.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    corpus : texts, table or Corpus
        Anything that `TopicModel.fit` takes.
    progress : callable or None
        Told how many documents are done, of how many.

    Returns
    -------
    Overview
        The map, topics, labels and times of its documents.

    Examples
    --------
    >>> overview = undertow.insight.overview_of_texts(model, texts)
    >>> len(overview.ids)
    120
    """
    from undertow.corpus import as_corpus

    atlas_of(model)  # said before any work is done, if there is none
    layout.check_extra()
    documents = as_corpus(corpus, model.columns_)
    total = sum(chunk.height for chunk in documents.chunks())
    return _overview(encoded_batches(model, documents, sample(total)), model, total, progress)


def sample(total: int) -> NDArray[np.int64]:
    """Which documents an overview is of, in order."""
    if total <= MOST_DOCUMENTS:
        return np.arange(total)
    return np.sort(randomness.permutation(SEED, MOST_DOCUMENTS, np.arange(total))[:MOST_DOCUMENTS])


def routes_of(atlas: Atlas) -> str:
    """Names the leaves of an atlas: other routes to them, or more of them, have another name."""
    return hashlib.sha256(
        f"{atlas.identity} {atlas.routes.shape}".encode() + atlas.routes.tobytes()
    ).hexdigest()[:16]


def _overview(
    batches: Iterable[dict[str, Any]], model: TopicModel, total: int, progress: Progress | None
) -> Overview:
    atlas = atlas_of(model)
    reading, mapping = _shares(progress)
    expected = min(total, MOST_DOCUMENTS)
    documents = EncodedDocuments.of(batches, model, lambda done: reading(done, expected))
    began = time.perf_counter()
    positions = layout.positions(documents.vectors, seed=SEED, progress=mapping)
    seconds = time.perf_counter() - began
    labels, label_of = documents.label_numbers()
    times, kind = (None if documents.times is None else as_numbers(documents.times)) or (
        None,
        None,
    )
    leaves = len(atlas.tree.leaves)
    return Overview(
        ids=documents.ids,
        positions=positions,
        leaves=documents.leaves,
        nearness=documents.nearness,
        labels=labels,
        label_of=label_of,
        times=times,
        time_kind=kind,
        typical=documents.typical(leaves, TYPICAL),
        over_time=None
        if times is None or kind is None
        else over_time(times, documents.leaves, leaves, kind),
        sampled_from=total,
        map_seconds=seconds,
        routes=routes_of(atlas),
    )


def _shares(progress: Progress | None) -> tuple[Progress, Progress]:
    """Two reports that make one: of the first fifth of the time, and of the rest."""

    def part(first: float, last: float) -> Progress:
        def tell(done: int, of: int) -> None:
            if progress is not None:
                progress(round(1000 * (first + (last - first) * done / of)), 1000)

        return tell

    return part(0.0, READING), part(READING, 1.0)
