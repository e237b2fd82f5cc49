"""Topics beside each other: how alike they are, by where their documents lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow.estimators.topic_parts import atlas_of

if TYPE_CHECKING:
    from undertow.estimators import TopicModel


@dataclass(frozen=True)
class SimilarTopic:
    """A topic and how like another one it is: the cosine of their mean vectors.

    Examples
    --------
    >>> widest = model.topics(3)[0]
    >>> nearest = undertow.insight.similar_topics(model, widest.id, 1, n=3)[0]
    >>> 0 <= nearest.similarity <= 1
    True
    """

    id: int
    name: str
    similarity: float


def topic_similarity(model: TopicModel, n: int | None = None) -> NDArray[np.float32]:
    """Cosines between the mean vectors of the topics of a cut.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    n : int or None
        How many topics; None for the model's own number.

    Returns
    -------
    array (n, n)
        In the order of `TopicModel.topics(n)`: symmetric, with 1 on the diagonal. Strengths are
        never below 0, so neither are cosines.

    Examples
    --------
    >>> undertow.insight.topic_similarity(model, 3).shape
    (3, 3)
    """
    atlas = atlas_of(model)
    directions = atlas.directions(atlas.cut(n)).astype(np.float64)
    cosines = np.clip(directions @ directions.T, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    return ((cosines + cosines.T) / 2).astype(np.float32)


def similar_topics(
    model: TopicModel, topic: int, most: int = 5, *, n: int | None = None
) -> list[SimilarTopic]:
    """The topics of a cut that are most like a topic.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    topic : int
        Its id.
    most : int
        At most so many.
    n : int or None
        How many topics the cut has; None for the model's own number.

    Returns
    -------
    list of SimilarTopic
        The likest first; of equal ones the wider first. The topic itself, those that it lies in,
        and those that lie in it are left out.

    Examples
    --------
    >>> widest = model.topics(3)[0]
    >>> len(undertow.insight.similar_topics(model, widest.id, n=3))
    2
    """
    atlas = atlas_of(model)
    chosen, wanted = atlas.checked(topic), _check.whole_number("most", most, at_least=1)
    own = set(atlas.tree.leaf_rows(chosen).tolist())
    nodes = [node for node in atlas.cut(n) if own.isdisjoint(atlas.tree.leaf_rows(node).tolist())]
    cosines = atlas.directions(nodes) @ atlas.directions([chosen])[0]
    order = np.argsort(-cosines, kind="stable")[:wanted].tolist()
    names = atlas.names_of(nodes)
    return [SimilarTopic(nodes[place], names[place], float(cosines[place])) for place in order]
