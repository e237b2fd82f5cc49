"""Topic models and document vectors from texts: the Replicated Softmax, learned by alpha-NCE, NCE,
CD or PCD on sparse counts.

`TopicModel` is where to begin: texts in, topics and vectors out. `ReplicatedSoftmax` takes counts,
`Index` searches, `write_report` writes a page about a model, and `load` brings back what was saved.
What else there is stands in the packages, such as `undertow.plot`.

Names and packages are loaded when they are first used, so `import undertow` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _forks as _forks  # looks at every fork from now on
from undertow import _lazy

if TYPE_CHECKING:
    from undertow import cluster as cluster
    from undertow import corpus as corpus
    from undertow import counts as counts
    from undertow import datasets as datasets
    from undertow import engines as engines
    from undertow import estimators as estimators
    from undertow import explorer as explorer
    from undertow import insight as insight
    from undertow import learn as learn
    from undertow import model as model
    from undertow import plot as plot
    from undertow import portable as portable
    from undertow import report as report
    from undertow import search as search
    from undertow import storage as storage
    from undertow import tasks as tasks
    from undertow import topics as topics
    from undertow._errors import (
        ClusterError,
        DeviceError,
        ForkedProcess,
        IndexFileError,
        InvalidInput,
        ModelFileError,
        NewerFormat,
        NewerIndex,
        TrainingDiverged,
        UndertowError,
    )
    from undertow.corpus import Vectorizer, open_corpus
    from undertow.counts import CountBatch, CountSource, CsrSource
    from undertow.engines import Engine
    from undertow.estimators import (
        DeepReplicatedSoftmax,
        ReplicatedSoftmax,
        TokenContrast,
        TopicModel,
        load,
    )
    from undertow.learn import (
        SGD,
        Adam,
        AlphaNCE,
        ContrastiveDivergence,
        Learner,
        Optimizer,
        Run,
        Settings,
        Sparsity,
        train,
    )
    from undertow.model import Parameters
    from undertow.report import write_report
    from undertow.search import Index
    from undertow.topics import Topic

__version__ = "0.1.0"

_HOMES = {
    "undertow._errors": (
        *("InvalidInput", "ModelFileError", "NewerFormat", "TrainingDiverged", "UndertowError"),
        *("ClusterError", "DeviceError", "ForkedProcess", "IndexFileError", "NewerIndex"),
    ),
    "undertow.counts": ("CountBatch", "CountSource", "CsrSource"),
    "undertow.corpus": ("Vectorizer", "open_corpus"),
    "undertow.engines": ("Engine",),
    "undertow.estimators": (
        "DeepReplicatedSoftmax",
        "ReplicatedSoftmax",
        "TokenContrast",
        "TopicModel",
        "load",
    ),
    "undertow.learn": (
        "SGD",
        "Adam",
        "AlphaNCE",
        "ContrastiveDivergence",
        "Learner",
        "Optimizer",
        "Run",
        "Settings",
        "Sparsity",
        "train",
    ),
    "undertow.model": ("Parameters",),
    "undertow.report": ("write_report",),
    "undertow.search": ("Index",),
    "undertow.topics": ("Topic",),
}
_PACKAGES = (
    *("cluster", "corpus", "counts", "datasets", "engines", "estimators", "explorer", "insight"),
    *("learn", "model", "plot", "portable", "report", "search", "storage", "tasks", "topics"),
)
__getattr__, __dir__ = _lazy.names_of(__name__, _HOMES, _PACKAGES)

__all__ = [
    "SGD",
    "Adam",
    "AlphaNCE",
    "ClusterError",
    "ContrastiveDivergence",
    "CountBatch",
    "CountSource",
    "CsrSource",
    "DeepReplicatedSoftmax",
    "DeviceError",
    "Engine",
    "ForkedProcess",
    "Index",
    "IndexFileError",
    "InvalidInput",
    "Learner",
    "ModelFileError",
    "NewerFormat",
    "NewerIndex",
    "Optimizer",
    "Parameters",
    "ReplicatedSoftmax",
    "Run",
    "Settings",
    "Sparsity",
    "TokenContrast",
    "Topic",
    "TopicModel",
    "TrainingDiverged",
    "UndertowError",
    "Vectorizer",
    "load",
    "open_corpus",
    "train",
    "write_report",
]
