"""scikit-learn estimators over the engine, and `load`, which brings a saved one back."""

from __future__ import annotations

import os

from undertow.estimators.replicated_softmax import ReplicatedSoftmax
from undertow.estimators.topic_model import TopicModel
from undertow.storage import load_model

__all__ = ["ReplicatedSoftmax", "TopicModel", "load"]


def load(path: str | os.PathLike[str]) -> ReplicatedSoftmax | TopicModel:
    """The estimator that was saved in a folder: a `TopicModel` if it reads texts, a `ReplicatedSoftmax` if counts."""
    stored = load_model(path)
    if "vectorizer" in stored.training:
        return TopicModel.from_stored(stored, path)
    return ReplicatedSoftmax.from_stored(stored, path)
