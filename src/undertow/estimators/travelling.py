"""A model as it is sent to other machines, and the files that it came from, by their looks."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from undertow.estimators.topic_model import TopicModel


def travelling(model: TopicModel, threads: int | None = None) -> TopicModel:
    """A copy with all that encoding needs: callbacks may be anything, and what only training goes
    on from is large.
    """
    light, softmax, vectorizer = copy(model), copy(model.softmax_), copy(model.vectorizer_)
    softmax.callbacks, softmax._run_state, softmax.history_ = None, {}, []
    softmax.n_jobs = threads
    light.softmax_, light.callbacks, light.n_jobs = softmax, None, threads
    if hasattr(vectorizer, "type_counts_"):
        vectorizer.type_counts_ = vectorizer.type_counts_.clear()
        vectorizer.n_jobs = threads
    light.vectorizer_ = vectorizer
    return light
