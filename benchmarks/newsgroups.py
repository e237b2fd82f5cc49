"""Quality on 20 Newsgroups, K=2,000: document vectors judged by classification and retrieval.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.newsgroups [--seeds 3] [--json FILE]

Headers kept, stop words out, stemmed. Models see the official training part without labels, and are judged on the
test part: softmax regression (its regularisation chosen on a part of train) on posteriors and on activations, and
retrieval with posteriors (test documents ask, training documents of the same label are right, cosine ranks).
undertow runs with its defaults, which were chosen on validation parts (docs/design_notes.md), as was CD's learning
rate.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

from benchmarks import machine
from benchmarks.newsgroups_data import NewsgroupsCounts, load
from undertow.counts import log_counts
from undertow.estimators import ReplicatedSoftmax
from undertow.tasks import mean_average_precision, probe_accuracy

UNITS = 128
Vectors = tuple[NDArray[Any], NDArray[Any]]  # of train and of test


def judge(data: NewsgroupsCounts, features: Vectors, inputs: Vectors | None) -> dict[str, float]:
    """Accuracy and MAP of the features, and the accuracy of activations where there are any."""
    labels = data.train_labels, data.test_labels
    figures = {"accuracy": probe_accuracy(features[0], labels[0], features[1], labels[1]).accuracy}
    if inputs is not None:
        figures["accuracy_activation"] = probe_accuracy(inputs[0], labels[0], inputs[1], labels[1]).accuracy
    figures["map"] = mean_average_precision(features[1], labels[1], features[0], labels[0])
    return figures


def replicated_softmax(data: NewsgroupsCounts, seed: int, **changes: Any) -> dict[str, float]:
    """The estimator, with its defaults unless told otherwise."""
    began = time.perf_counter()
    model = ReplicatedSoftmax(UNITS, random_state=seed, **changes).fit(data.train)
    seconds = time.perf_counter() - began
    kinds = [(model.encode(data.train, kind), model.encode(data.test, kind)) for kind in ("posterior", "activation")]
    return judge(data, *kinds) | {"seconds": seconds}


def lsa(data: NewsgroupsCounts, seed: int) -> dict[str, float]:
    """Truncated SVD of tf-idf, on the same transformed counts."""
    began = time.perf_counter()
    model = make_pipeline(TfidfTransformer(), TruncatedSVD(UNITS, random_state=seed))
    known = model.fit_transform(log_counts(data.train))
    seconds = time.perf_counter() - began
    return judge(data, (known, model.transform(log_counts(data.test))), None) | {"seconds": seconds}


MODELS: dict[str, Callable[[NewsgroupsCounts, int], dict[str, float]]] = {
    "alpha-NCE (defaults)": replicated_softmax,
    # Two CDs, since the epochs trade one figure for the other: validation MAP is best early, accuracy late.
    "CD-1, 20 epochs": lambda data, seed: replicated_softmax(
        data, seed, learner="cd", sparsity_cost=0.0, max_epochs=20
    ),
    "CD-1": lambda data, seed: replicated_softmax(data, seed, learner="cd", sparsity_cost=0.0),
    "LSA": lsa,
}


def main() -> None:
    """Prints a line per model and seed, and the means."""
    parser = argparse.ArgumentParser(description="Quality on 20 Newsgroups (K=2,000, H=128)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    options = parser.parse_args()
    data = load(2000)
    results: dict[str, Any] = {"machine": machine.describe(), "models": {}}
    for name, model in MODELS.items():
        rows = [model(data, seed) for seed in range(options.seeds)]
        means = {key: statistics.mean(row[key] for row in rows) for key in rows[0]}
        results["models"][name] = {"seeds": rows, "mean": means}
        for label, row in [*((f"seed {seed}", row) for seed, row in enumerate(rows)), ("mean", means)]:
            print(f"{name:22s} {label:7s}" + "  ".join(f"{key} {value:.3f}" for key, value in row.items()), flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
