"""scikit-learn estimators over the engine, and `load`, which brings a saved one back."""

from __future__ import annotations

import os

from undertow.estimators.replicated_softmax import ReplicatedSoftmax

__all__ = ["ReplicatedSoftmax", "load"]


def load(path: str | os.PathLike[str]) -> ReplicatedSoftmax:
    """The estimator that was saved in a folder."""
    return ReplicatedSoftmax.load(path)
