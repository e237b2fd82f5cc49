"""20 Newsgroups by 1, 2, 4 and 8 workers: quality beside the spread of seeds.

Workers take turns in one process: their bits are those of workers on machines of their own, and
quality does not depend on how long they take.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from tests.cluster.in_process import in_one_process
from undertow import TopicModel
from undertow.cluster import Cluster
from undertow.datasets import load_20newsgroups
from undertow.tasks import mean_average_precision, probe_accuracy

WORDS, UNITS = 2_000, 128
FIGURES = ("accuracy", "MAP", "MAP of strengths")


def measure(workers: Sequence[int], seeds: int, documents: int | None) -> list[dict[str, Any]]:
    """A row for each number of workers: means over seeds, and how far seeds lie apart."""
    posts = load_20newsgroups(progress=False)
    parts = [posts.filter(posts["split"] == part) for part in ("train", "test")]
    if documents is not None:
        parts = [part.sample(documents, seed=0) for part in parts]
    rows = []
    for number in workers:
        found = [_judged(parts, number, seed) for seed in range(seeds)]
        row: dict[str, Any] = {"workers": number}
        for name in FIGURES:
            values = [one[name] for one in found]
            row |= {name: statistics.mean(values), f"{name}, seeds": _span(values)}
        row |= {"meetings": found[0]["meetings"], "MB each": found[0]["MB each"]}
        print(row, flush=True)
        rows.append(row)
    return rows


def _judged(parts: list[Any], workers: int, seed: int) -> dict[str, float]:
    train, test = parts
    model = TopicModel(
        UNITS,
        vocabulary_size=WORDS,
        stop_words="english",
        stemmer="english",
        random_state=seed,
    )
    with in_one_process():
        model.fit(train["text"].to_list(), cluster=Cluster(workers=workers))
    labels = [part["label"].to_numpy() for part in parts]
    known, asked = (model.transform(part["text"].to_list()) for part in parts)
    accuracy = probe_accuracy(known, labels[0], asked, labels[1]).accuracy
    strengths = [model.encode(part["text"].to_list(), "strength") for part in parts]
    return {
        "accuracy": accuracy,
        "MAP": mean_average_precision(asked, labels[1], known, labels[0]),
        "MAP of strengths": mean_average_precision(
            strengths[1], labels[1], strengths[0], labels[0]
        ),
        "meetings": model.cluster_.meetings,
        "MB each": model.cluster_.bytes_met / 1e6,
    }


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.4f} to {max(values):.4f}"
