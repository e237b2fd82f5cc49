"""Latent semantic analysis: scikit-learn's TruncatedSVD of tf-idf. One point: there is nothing to
go on with.
"""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

from benchmarks.peers.system import READY, Checkpoint, System, Task, dense


def train(task: Task) -> Iterator[Checkpoint]:
    """The fit; it counts as one pass, whatever its iterations."""
    yield READY
    model = make_pipeline(
        TfidfTransformer(), TruncatedSVD(task.topics, random_state=task.seed)
    ).fit(task.counts)
    yield Checkpoint(1, {"components": lambda counts: dense(model.transform(counts))})


SYSTEM = System("scikit-learn", {"input": "tf-idf", "algorithm": "randomized (default)"}, train)
