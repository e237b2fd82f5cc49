"""gensim's LDA by online variational Bayes, a pass at a time; more than one worker is its
LdaMulticore.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from gensim.models import LdaModel, LdaMulticore
from scipy import sparse

from benchmarks.peers.system import READY, Checkpoint, System, Task, Vectors, dense

Document = list[tuple[int, int]]


def train(task: Task) -> Iterator[Checkpoint]:
    """Passes over the documents in an order drawn once: they come sorted by label."""
    documents = bags(
        task.counts[np.random.default_rng(task.seed).permutation(task.counts.shape[0])]
    )
    words = {column: str(column) for column in range(task.counts.shape[1])}
    options = {
        "num_topics": task.topics,
        "id2word": words,
        "eval_every": None,
        "random_state": task.seed,
    }
    model = (
        LdaModel(**options) if task.workers == 1 else LdaMulticore(**options, workers=task.workers)
    )
    yield READY
    passes = 0
    while True:
        model.update(documents)
        passes += 1
        yield Checkpoint(passes, {"shares": lambda counts: _inferred(model, counts)})


def bags(counts: sparse.csr_array) -> list[Document]:
    """gensim reads pairs of word and count."""
    columns, values = counts.indices.tolist(), counts.data.tolist()
    limits = pairwise(counts.indptr.tolist())
    return [
        list(zip(columns[first:last], values[first:last], strict=True)) for first, last in limits
    ]


def _inferred(model: LdaModel, counts: sparse.csr_array) -> Vectors:
    weights, _ = model.inference(bags(counts))
    return dense(weights / weights.sum(axis=1, keepdims=True))


SYSTEM = System("gensim", {"eval_every": None, "other": "defaults"}, train)
