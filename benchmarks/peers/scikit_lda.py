"""scikit-learn's LDA by online variational Bayes, a pass at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.peers.system import READY, Checkpoint, System, Task, dense

BATCH = 1024


def train(task: Task) -> Iterator[Checkpoint]:
    """Passes over the documents in an order drawn once: they come sorted by label."""
    counts = task.counts[np.random.default_rng(task.seed).permutation(task.counts.shape[0])].astype(
        np.float64
    )
    model = LatentDirichletAllocation(
        task.topics,
        learning_method="online",
        batch_size=BATCH,
        total_samples=counts.shape[0],
        n_jobs=task.workers,
        random_state=task.seed,
    )
    LatentDirichletAllocation(2, n_jobs=task.workers).partial_fit(
        counts[:16]
    )  # starts its processes, which stay
    yield READY
    passes = 0
    while True:
        model.partial_fit(counts)
        passes += 1
        yield Checkpoint(
            passes, {"shares": lambda counts: dense(model.transform(counts.astype(np.float64)))}
        )


SYSTEM = System(
    "scikit-learn", {"learning_method": "online", "batch_size": BATCH, "other": "defaults"}, train
)
