"""tomotopy's LDA by collapsed Gibbs sampling, some sweeps at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import tomotopy
from scipy import sparse

from benchmarks.peers.system import READY, Checkpoint, System, Task, Vectors, dense

SWEEPS = 5  # between two checkpoints


def train(task: Task) -> Iterator[Checkpoint]:
    """Training documents are represented by the state of the sampler, others by its inference (100
    sweeps, default).
    """
    warnings.filterwarnings(
        "ignore", message="The training result may differ"
    )  # two workers: we know
    model = tomotopy.LDAModel(k=task.topics, seed=task.seed)
    known = [bool(words) and model.add_doc(words) is not None for words in tokens(task.counts)]
    model.train(0)
    yield READY
    while True:
        model.train(SWEEPS, workers=task.workers)
        yield Checkpoint(
            model.global_step,
            {"shares": lambda counts: _inferred(model, counts, task.workers)},
            {
                "shares": lambda: _placed(
                    [document.get_topic_dist() for document in model.docs], known, model.k
                )
            },
        )


def tokens(counts: sparse.csr_array) -> list[list[str]]:
    """tomotopy reads words, so columns become names."""
    names = np.array([f"w{column}" for column in range(counts.shape[1])], dtype=object)
    repeated = np.repeat(names[counts.indices], counts.data)
    ends = np.concatenate([[0], np.cumsum(counts.data)])[counts.indptr]
    return [repeated[first:last].tolist() for first, last in pairwise(ends)]


def _inferred(model: tomotopy.LDAModel, counts: sparse.csr_array, workers: int) -> Vectors:
    texts = tokens(counts)
    shares, _ = model.infer([model.make_doc(words) for words in texts if words], workers=workers)
    return _placed(shares, [bool(words) for words in texts], model.k)


def _placed(shares: list[Vectors], known: list[bool], topics: int) -> Vectors:
    """Equal shares for documents without words."""
    vectors = np.full((len(known), topics), 1.0 / topics, dtype=np.float32)
    vectors[np.array(known)] = dense(shares)
    return vectors


SYSTEM = System("tomotopy", {"term_weight": "one (default)", "other": "defaults"}, train)
