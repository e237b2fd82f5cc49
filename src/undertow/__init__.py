"""Undirected topic models: the Replicated Softmax, learned by alpha-NCE, NCE, CD or PCD on sparse
counts.

Names are loaded when they are first used, so `import undertow` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow._errors import (
        IndexFileError,
        InvalidInput,
        ModelFileError,
        NewerFormat,
        NewerIndex,
        TrainingDiverged,
        UndertowError,
    )
    from undertow.corpus import Vectorizer
    from undertow.counts import CountBatch, CountSource, CsrSource
    from undertow.estimators import ReplicatedSoftmax, TopicModel, load
    from undertow.learn import (
        SGD,
        Adam,
        AlphaNCE,
        ContrastiveDivergence,
        Run,
        Settings,
        Sparsity,
        train,
    )
    from undertow.model import Parameters
    from undertow.storage import load_model, resume_run, save_model, save_run

__version__ = "0.1.0"

_HOMES = {
    "undertow._errors": (
        *("InvalidInput", "ModelFileError", "NewerFormat", "TrainingDiverged", "UndertowError"),
        *("IndexFileError", "NewerIndex"),
    ),
    "undertow.counts": ("CountBatch", "CountSource", "CsrSource"),
    "undertow.corpus": ("Vectorizer",),
    "undertow.estimators": ("ReplicatedSoftmax", "TopicModel", "load"),
    "undertow.learn": (
        "SGD",
        "Adam",
        "AlphaNCE",
        "ContrastiveDivergence",
        "Run",
        "Settings",
        "Sparsity",
        "train",
    ),
    "undertow.model": ("Parameters",),
    "undertow.storage": ("load_model", "resume_run", "save_model", "save_run"),
}
__getattr__, __dir__ = _lazy.names_of(__name__, _HOMES)

__all__ = [
    "SGD",
    "Adam",
    "AlphaNCE",
    "ContrastiveDivergence",
    "CountBatch",
    "CountSource",
    "CsrSource",
    "IndexFileError",
    "InvalidInput",
    "ModelFileError",
    "NewerFormat",
    "NewerIndex",
    "Parameters",
    "ReplicatedSoftmax",
    "Run",
    "Settings",
    "Sparsity",
    "TopicModel",
    "TrainingDiverged",
    "UndertowError",
    "Vectorizer",
    "load",
    "load_model",
    "resume_run",
    "save_model",
    "save_run",
    "train",
]
