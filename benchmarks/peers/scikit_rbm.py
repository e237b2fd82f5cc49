"""scikit-learn's BernoulliRBM on whether a word occurs, a pass at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.neural_network import BernoulliRBM
from sklearn.utils import gen_batches

from benchmarks.peers.system import READY, Checkpoint, System, Task, Vectors, dense

BATCH, RATE = 10, 0.1  # the defaults; smaller rates and larger batches do worse


def train(task: Task) -> Iterator[Checkpoint]:
    """Passes in minibatches as its own `fit` makes them, over documents in an order drawn once."""
    binary = _binary(
        task.counts[np.random.default_rng(task.seed).permutation(task.counts.shape[0])]
    )
    batches = [binary[rows] for rows in gen_batches(binary.shape[0], BATCH)]
    model = BernoulliRBM(task.topics, learning_rate=RATE, batch_size=BATCH, random_state=task.seed)
    yield READY
    passes = 0
    while True:
        for batch in batches:
            model.partial_fit(batch)
        passes += 1
        yield Checkpoint(passes, {"posteriors": lambda counts: _encoded(model, counts)})


def _encoded(model: BernoulliRBM, counts: sparse.csr_array) -> Vectors:
    return dense(model.transform(_binary(counts)))


def _binary(counts: sparse.csr_array) -> sparse.csr_array:
    return (counts > 0).astype(np.float32)


SYSTEM = System(
    "scikit-learn",
    {"input": "whether a word occurs, float32", "learning_rate": RATE, "batch_size": BATCH},
    train,
)
