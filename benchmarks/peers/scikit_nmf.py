"""Non-negative matrix factorisation of tf-idf by scikit-learn, gone on with a few iterations at a
time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.peers.system import READY, Checkpoint, System, Task, Vectors, dense

ITERATIONS = 5  # between two checkpoints


def train(task: Task) -> Iterator[Checkpoint]:
    """The first fit chooses the start (default: nndsvda); later ones go on from where the last one
    stopped.
    """
    warnings.simplefilter("ignore", ConvergenceWarning)  # it is stopped on purpose
    yield READY
    weighting = TfidfTransformer().fit(task.counts)
    weighted = weighting.transform(task.counts).astype(np.float32)
    model = NMF(task.topics, max_iter=ITERATIONS, random_state=task.seed)
    parts = model.fit_transform(weighted)
    done = ITERATIONS
    while True:
        ways = {
            "scaled parts": partial(_scaled, weighting, model),
            "parts": partial(_parts, weighting, model),
        }
        yield Checkpoint(done, ways)
        before, model = (
            model,
            NMF(task.topics, init="custom", max_iter=ITERATIONS, random_state=task.seed),
        )
        parts = model.fit_transform(weighted, W=parts, H=before.components_)
        done += ITERATIONS


def _parts(weighting: TfidfTransformer, model: NMF, counts: sparse.csr_array) -> Vectors:
    return dense(model.transform(weighting.transform(counts).astype(np.float32)))


def _scaled(weighting: TfidfTransformer, model: NMF, counts: sparse.csr_array) -> Vectors:
    """Each part times the length of its component: how large a part is says nothing otherwise."""
    return dense(_parts(weighting, model, counts) * np.linalg.norm(model.components_, axis=1))


SYSTEM = System(
    "scikit-learn", {"input": "tf-idf, float32", "solver": "cd (default)", "init": "default"}, train
)
