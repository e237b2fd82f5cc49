"""20 Newsgroups on a card and on the CPU: the same estimator, by seeds; and larger minibatches.

Rates of large minibatches are chosen on held-out training documents; test documents are asked once,
at the end. Models are kept, so that a machine with a card only has to train them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.gpu.documents import DEVICE
from undertow.estimators import ReplicatedSoftmax
from undertow.estimators import load as load_model
from undertow.learn import Adam
from undertow.tasks import mean_average_precision, probe_accuracy

WORDS, UNITS = 2_000, 128
RATES = (1.0, 2.0, 4.0, 8.0)  # times the usual
HELD_OUT = 5  # one document of so many
LEVEL, EPOCHS = 0.38, (2, 4, 8, 16, 32)  # of MAP; epochs that are tried until it is reached


class Posts(NamedTuple):
    """Counts and labels of both parts."""

    train: sparse.csr_array
    test: sparse.csr_array
    train_labels: NDArray[Any]
    test_labels: NDArray[Any]


def made_up() -> Posts:
    """To try the scripts out."""
    generator = np.random.default_rng(0)
    parts = [generator.poisson(0.3, (size, 40)) for size in (60, 30)]
    labels = [np.arange(len(part)) % 3 for part in parts]
    train, test = (sparse.csr_array(part.astype(np.int64)) for part in parts)
    return Posts(train, test, *labels)


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


def fit_all(
    posts: Posts, folder: Path, *, batches: Sequence[int], seeds: int
) -> list[dict[str, Any]]:
    """Models of the usual minibatches and of larger ones at the rate that held-out documents find
    best, trained on the card and kept: whoever has more time judges them.
    """
    warm_up(posts, 128)
    rows = [_kept(posts, folder, DEVICE.type, seed, 128, None) for seed in range(seeds)]
    for batch in batches:
        warm_up(posts, batch)
        rate = _best_rate(posts, batch)
        rows += [_kept(posts, folder, DEVICE.type, seed, batch, rate) for seed in range(seeds)]
    return rows


def warm_up(posts: Posts, batch: int) -> None:
    """Compiles what the first fit of a process would compile, and does not count."""
    _model(DEVICE.type, 0, batch, 1.0).set_params(max_epochs=2).fit(posts.train)


def time_to_level(posts: Posts, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """MAP of posteriors after so many epochs, and the seconds of training they took, at the rates
    that were chosen: fits of their own, so that what decays has decayed.
    """
    labels = posts.train_labels, posts.test_labels
    found = []
    for batch, rate in sorted({(row["batch"], row["rate"]) for row in rows}):
        for epochs in EPOCHS:
            model = _model(DEVICE.type, 0, batch, rate).set_params(max_epochs=epochs)
            model.fit(posts.train).set_params(features="posterior")
            vectors = [model.transform(part) for part in (posts.train, posts.test)]
            row = {
                "batch": batch,
                "rate": rate,
                "epochs": model.n_iter_,
                "training, s": _seconds(model),
                "MAP": _map(vectors, labels),
            }
            print(row, flush=True)
            found.append(row)
            if row["MAP"] >= LEVEL:
                break
    return found


def _seconds(model: ReplicatedSoftmax) -> float:
    return float(sum(record.seconds for record in model.history_))


def fit_on_cpu(posts: Posts, folder: Path, seeds: int = 3) -> list[dict[str, Any]]:
    """The same on the CPU, with the usual minibatches."""
    return [_kept(posts, folder, "cpu", seed, 128, None) for seed in range(seeds)]


def judge(posts: Posts, folder: Path) -> list[dict[str, Any]]:
    """Accuracy and MAP of all models that were kept; encoding is done on the CPU."""
    rows = []
    labels = posts.train_labels, posts.test_labels
    for facts in sorted(folder.glob("*.json")):
        model = load_model(folder / facts.stem)
        known, asked = (model.transform(part) for part in (posts.train, posts.test))
        probe = probe_accuracy(known, labels[0], asked, labels[1]).accuracy
        model.set_params(features="strength")
        strengths = [model.transform(part) for part in (posts.train, posts.test)]
        rows.append(
            json.loads(facts.read_text())
            | {
                "accuracy": probe,
                "MAP of balanced": mean_average_precision(asked, labels[1], known, labels[0]),
                "MAP of strengths": _map(strengths, labels),
            }
        )
    return rows


def _map(vectors: list[NDArray[Any]], labels: tuple[NDArray[Any], NDArray[Any]]) -> float:
    return float(mean_average_precision(vectors[1], labels[1], vectors[0], labels[0]))


def _best_rate(posts: Posts, batch: int) -> float:
    asked = np.arange(posts.train.shape[0]) % HELD_OUT == 0
    labels = posts.train_labels[~asked], posts.train_labels[asked]
    found = {}
    for rate in RATES:
        model = _model(DEVICE.type, 0, batch, rate).fit(posts.train[~asked])
        model.set_params(features="strength")
        vectors = [model.transform(part) for part in (posts.train[~asked], posts.train[asked])]
        found[rate] = _map(vectors, labels)
    print(f"batch {batch}, MAP of held-out documents by rate: {found}", flush=True)
    return max(found, key=lambda rate: found[rate])


def _model(device: str, seed: int, batch: int, rate: float | None) -> ReplicatedSoftmax:
    optimizer: Any = "auto" if rate is None else Adam(learning_rate=0.01 * rate)
    where: Any = {"device": device} if device == "cuda" else {"engine": "cpu"}
    return ReplicatedSoftmax(
        UNITS, batch_size=batch, optimizer=optimizer, random_state=seed, **where
    )


def _kept(
    posts: Posts, folder: Path, device: str, seed: int, batch: int, rate: float | None
) -> dict[str, Any]:
    model = _model(device, seed, batch, rate)
    began = time.perf_counter()
    model.fit(posts.train)
    row = {
        "device": device,
        "batch": batch,
        "rate": rate or 1.0,
        "seed": seed,
        "epochs": model.n_iter_,
        "training, s": _seconds(model),
        "fit, s": time.perf_counter() - began,
    }
    print(row, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{device}-{batch}-{seed}"
    model.save(folder / name, overwrite=True)
    (folder / f"{name}.json").write_text(json.dumps(row))
    return row
