"""20 Newsgroups on a card and on the CPU: the same estimator, by seeds; and larger minibatches.

Settings of large minibatches are chosen on held-out training documents; test documents are asked
once, at the end.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.estimators import ReplicatedSoftmax
from undertow.learn import Adam
from undertow.tasks import mean_average_precision, probe_accuracy

WORDS, UNITS = 2_000, 128
BATCHES = (512, 1024, 4096)
RATES = (1.0, 2.0, 4.0, 8.0)  # times the usual
HELD_OUT = 5  # one document of so many


class Posts(NamedTuple):
    """Counts and labels of both parts."""

    train: sparse.csr_array
    test: sparse.csr_array
    train_labels: NDArray[Any]
    test_labels: NDArray[Any]


def prepare(path: Path) -> None:
    """Writes the counts for a machine that has no data sets."""
    from benchmarks import newsgroups_data  # reads Parquet, which a machine with a card need not

    posts = newsgroups_data.load(WORDS)
    arrays: dict[str, Any] = {}
    for part in ("train", "test"):
        counts = getattr(posts, part)
        arrays |= {
            f"{part}_{name}": getattr(counts, name) for name in ("data", "indices", "indptr")
        }
        names, labels = np.unique(getattr(posts, f"{part}_labels").astype(str), return_inverse=True)
        arrays |= {f"{part}_labels": labels.astype(np.int16), "names": names}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


def load(path: Path) -> Posts:
    """What `prepare` wrote."""
    with np.load(path) as kept:
        found: list[Any] = []
        for part in ("train", "test"):
            arrays = tuple(kept[f"{part}_{name}"] for name in ("data", "indices", "indptr"))
            found.append(sparse.csr_array(arrays, shape=(len(arrays[2]) - 1, WORDS)))
        return Posts(found[0], found[1], kept["train_labels"], kept["test_labels"])


def measure(posts: Posts, seeds: int = 3) -> list[dict[str, Any]]:
    """A row for each device, then one for each size of minibatches at its best rate."""
    rows = []
    for device in ("cpu", "cuda"):
        rows += [_fitted(posts, device, seed) for seed in range(seeds)]
    for batch in BATCHES:
        held_out = _held_out(posts)
        tried = {}
        for rate in RATES:
            row = _fitted(held_out, "cuda", 0, batch=batch, rate=rate, probes=False)
            tried[rate] = row["MAP of strengths"]
        print(f"batch {batch}: MAP of held-out documents by rate: {tried}", flush=True)
        best = max(tried, key=lambda rate: tried[rate])
        rows += [_fitted(posts, "cuda", seed, batch=batch, rate=best) for seed in range(seeds - 1)]
    return rows


def _held_out(posts: Posts) -> Posts:
    asked = np.arange(posts.train.shape[0]) % HELD_OUT == 0
    labels = posts.train_labels
    return Posts(posts.train[~asked], posts.train[asked], labels[~asked], labels[asked])


def _fitted(
    posts: Posts,
    device: str,
    seed: int,
    *,
    batch: int = 128,
    rate: float = 1.0,
    probes: bool = True,
) -> dict[str, Any]:
    optimizer: Any = "auto" if batch == 128 else Adam(learning_rate=0.01 * rate)
    model = ReplicatedSoftmax(
        UNITS, batch_size=batch, optimizer=optimizer, random_state=seed, device=device
    )
    began = time.perf_counter()
    model.fit(posts.train)
    whole = time.perf_counter() - began
    vectors = [model.transform(part) for part in (posts.train, posts.test)]
    strengths = [
        model.set_params(features="strength").transform(part) for part in (posts.train, posts.test)
    ]
    labels = posts.train_labels, posts.test_labels
    asked = (vectors[1], labels[1], vectors[0], labels[0])
    of_strengths = (strengths[1], labels[1], strengths[0], labels[0])
    return {
        "device": device,
        "batch": batch,
        "rate": rate,
        "seed": seed,
        "accuracy": probe_accuracy(vectors[0], labels[0], vectors[1], labels[1]).accuracy
        if probes
        else np.nan,
        "MAP": mean_average_precision(*asked),
        "MAP of strengths": mean_average_precision(*of_strengths),
        "training, s": sum(record.seconds for record in model.history_),
        "fit, s": whole,
        "epochs": model.n_iter_,
    }
