"""The quality of the engine on 20 Newsgroups: a model of 2,000 words and 128 units, judged by its document vectors.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.newsgroups [--seeds 3] [--json FILE]

The model is trained on the official training part without labels. Posteriors and activations are judged by softmax
regression (its regularisation chosen on a part of train) and by retrieval: test documents ask, training documents
of the same label are right, cosine ranks. The settings were chosen on a validation part of train
(docs/design_notes.md).
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import machine
from benchmarks.newsgroups_data import NewsgroupsCounts, load
from undertow.counts import CountBatch, CsrSource, checked_counts, idf_weights, log_counts, word_distribution
from undertow.learn import AlphaNCE, Run, Settings, Sparsity, train
from undertow.model import Parameters, activations, initial_parameters, posteriors
from undertow.tasks import mean_average_precision, probe_accuracy, split_half_score

UNITS, EPOCHS = 128, 30


def settings(seed: int) -> Settings:
    """What validation chose."""
    return Settings(learner=AlphaNCE(noise_level=0.7), sparsity=Sparsity(target=0.1, cost=0.3), seed=seed)


def fit(counts: sparse.csr_array, chosen: Settings, *, units: int = UNITS, epochs: int = EPOCHS) -> Run:
    """A model with idf weights of counts that are already transformed."""
    weights, p = idf_weights(counts), word_distribution(counts)
    source = CsrSource(counts, weights)
    parameters = initial_parameters(units, p, weights, chosen.seed)
    run = Run(parameters, p, chosen, documents=counts.shape[0], longest=source.longest)
    return train(run, source, epochs=epochs)


def judge(
    parameters: Parameters,
    train_counts: sparse.csr_array,
    train_labels: np.ndarray,
    test_counts: sparse.csr_array,
    test_labels: np.ndarray,
) -> dict[str, float]:
    """Accuracy of posteriors and activations, MAP of posteriors, and split-half retrieval of the test part."""
    known, asked = CountBatch.from_csr(train_counts), CountBatch.from_csr(test_counts)
    known_on, asked_on = posteriors(parameters, known), posteriors(parameters, asked)
    inputs = activations(parameters, known), activations(parameters, asked)
    return {
        "accuracy": probe_accuracy(known_on, train_labels, asked_on, test_labels).accuracy,
        "accuracy_activation": probe_accuracy(inputs[0], train_labels, inputs[1], test_labels).accuracy,
        "map": mean_average_precision(asked_on, test_labels, known_on, train_labels),
        "split_half_mrr": split_half_score(lambda part: posteriors(parameters, CountBatch.from_csr(part)), test_counts),
    }


def measure(data: NewsgroupsCounts, seed: int) -> dict[str, float]:
    """One model, trained and judged."""
    known, asked = log_counts(checked_counts(data.train)), log_counts(checked_counts(data.test))
    run = fit(known, settings(seed))
    seconds = sum(record.seconds for record in run.history)
    figures = judge(run.result(), known, data.train_labels, asked, data.test_labels)
    return figures | {"seconds": seconds, "dead_units": run.history[-1].dead_units}


def main() -> None:
    """Prints a line per seed, and the means."""
    parser = argparse.ArgumentParser(description="Quality on 20 Newsgroups (K=2,000, H=128, idf)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    options = parser.parse_args()
    data = load(2000)
    rows: list[dict[str, float]] = []
    for seed in range(options.seeds):
        rows.append(measure(data, seed))
        print(f"seed {seed}: " + ", ".join(f"{name} {value:.3f}" for name, value in rows[-1].items()), flush=True)
    means = {name: statistics.mean(row[name] for row in rows) for name in rows[0]}
    print("mean:   " + ", ".join(f"{name} {value:.3f}" for name, value in means.items()))
    results: dict[str, Any] = {"machine": machine.describe(), "seeds": rows, "mean": means}
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
