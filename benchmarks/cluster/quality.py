"""20 Newsgroups by 1, 2, 4 and 8 workers: quality beside the spread of seeds.

Workers take turns in one process: their bits are those of workers on machines of their own, and
quality does not depend on how long they take.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.cluster.shown import table
from tests.cluster.in_process import in_one_process
from undertow import TopicModel
from undertow.cluster import Cluster
from undertow.datasets import load_20newsgroups
from undertow.tasks import mean_average_precision, probe_accuracy

WORDS, UNITS = 2_000, 128
FIGURES = ("accuracy", "MAP", "MAP of strengths")


def measure(
    workers: Sequence[int], seeds: int, documents: int | None = None, epochs: int | None = None
) -> list[dict[str, Any]]:
    """A row for each number of workers: means over seeds, and from where to where seeds go."""
    posts = load_20newsgroups(progress=False)
    parts = [posts.filter(posts["split"] == part) for part in ("train", "test")]
    if documents is not None:
        parts = [part.sample(documents, seed=0) for part in parts]
    rows = []
    for number in workers:
        found = [_judged(parts, number, seed, epochs) for seed in range(seeds)]
        row: dict[str, Any] = {"workers": number, "epochs": found[0]["epochs"]}
        for name in FIGURES:
            values = [one[name] for one in found]
            row |= {name: statistics.mean(values), f"{name}, seeds": _span(values)}
        rows.append(row | {name: found[0][name] for name in ("meetings", "MB each")})
        print(rows[-1], flush=True)
    return table("Quality on 20 Newsgroups", rows)


def _judged(parts: list[Any], workers: int, seed: int, epochs: int | None) -> dict[str, float]:
    texts, labels = ([part[name].to_list() for part in parts] for name in ("text", "label"))
    model = TopicModel(
        UNITS,
        vocabulary_size=WORDS,
        stop_words="english",
        stemmer="english",
        max_epochs="auto" if epochs is None else epochs,
        random_state=seed,
    )
    with in_one_process():
        model.fit(texts[0], cluster=Cluster(workers=workers))
    vectors = [model.transform(part) for part in texts]
    strengths = [model.encode(part, "strength") for part in texts]
    return {
        "accuracy": probe_accuracy(vectors[0], labels[0], vectors[1], labels[1]).accuracy,
        "MAP": _map(vectors, labels),
        "MAP of strengths": _map(strengths, labels),
        "epochs": model.softmax_.n_iter_,
        "meetings": model.cluster_.meetings,
        "MB each": model.cluster_.bytes_met / 1e6,
    }


def _map(vectors: list[Any], labels: list[Any]) -> float:
    return float(mean_average_precision(vectors[1], labels[1], vectors[0], labels[0]))


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.4f} to {max(values):.4f}"
