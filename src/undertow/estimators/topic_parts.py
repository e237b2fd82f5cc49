"""What other packages need of a `TopicModel` beside what it says to users: its atlas, and documents
as topics compare them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse

    from undertow.estimators.topic_model import TopicModel
    from undertow.topics import Atlas
    from undertow.topics.clusters import Vectors
    from undertow.vectors.given import GivenVectors


def atlas_of(model: TopicModel) -> Atlas:
    """The topics of a fitted model; an error where it has none, as those of an early version."""
    return model._atlas()


def unit_vectors(
    model: TopicModel, damped: sparse.csr_array, others: NDArray[Any] | None = None
) -> Vectors:
    """What documents are compared by, of length 1: own vectors of counts as the model takes them
    in, joined with those of another encoder in a model that was fitted so.
    """
    return model._unit_vectors(damped, others)


def vectors_of_counts(model: TopicModel, counts: sparse.csr_array) -> Vectors:
    """The same, of any number of documents, from counts as they were counted."""
    return model._vectors_of_counts(counts)


def checked_vectors(model: TopicModel, vectors: Any) -> GivenVectors | None:
    """The vectors that came with texts, if the model was fitted with some."""
    return model._others(vectors)
