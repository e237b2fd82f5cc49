"""Growth with the number of documents: one pass over 2,500, 5,000 and 10,000 posts of 20
Newsgroups.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.effort import Effort
from benchmarks.peers import launch
from benchmarks.peers.work import Order
from benchmarks.progress import Say
from benchmarks.quality import Labelled, newsgroups, write
from benchmarks.step import bare
from benchmarks.tables import Sheet, columns_of
from undertow.counts import CsrSource, idf_weights, word_distribution
from undertow.learn import Run, train
from undertow.model import initial_parameters

LONGEST = 30.0  # seconds that a peer may take


def measure(effort: Effort, say: Say, data: Labelled | None = None) -> dict[str, Any]:
    """Seconds of a pass by each system; `growth` is time per document, as a multiple of the
    smallest corpus's.
    """
    data = shuffled(newsgroups() if data is None else data)
    say(f"epochs over {', '.join(f'{size:,}' for size in effort.documents)} documents")
    seconds = {"undertow": epochs(data, effort)}
    for name in effort.systems:
        if not name.startswith("undertow") and effort.name == "full" and not peers.missing(name):
            try:
                seconds[name] = passes(name, data, effort, say)
            except launch.Failed as failure:
                say(f"{name} is left out: {failure}")
    return {
        "seconds": seconds,
        "growth": {name: _per_document(times) for name, times in seconds.items()},
    }


def shuffled(data: Labelled) -> Labelled:
    """Posts come sorted by group: the first thousands would be of few of them."""
    order = np.random.default_rng(0).permutation(data.train.shape[0])
    return Labelled(data.train[order], data.test, data.train_labels[order], data.test_labels)


def epochs(data: Labelled, effort: Effort) -> dict[str, float]:
    """Median seconds of undertow's epochs; the sizes take turns."""
    runs = {size: _begin(data, size, effort.topics) for size in effort.documents}
    times: dict[int, list[float]] = {size: [] for size in effort.documents}
    for _ in range(effort.rounds + 1):
        for size, (run, source) in runs.items():
            began = time.perf_counter()
            train(run, source, epochs=run.epoch + 1)
            times[size].append(time.perf_counter() - began)
    return {str(size): statistics.median(taken[1:]) for size, taken in times.items()}


def _begin(data: Labelled, size: int, topics: int) -> tuple[Run, CsrSource]:
    counts = data.train[:size]
    weights, shares = idf_weights(counts), word_distribution(counts)
    source = CsrSource(counts, weights)
    parameters = initial_parameters(topics, shares, weights, 0)
    return Run(
        parameters, shares, bare(), documents=counts.shape[0], longest=source.longest
    ), source


def passes(name: str, data: Labelled, effort: Effort, say: Say) -> dict[str, float]:
    """Seconds of another system's pass, from those up to its first checkpoint."""
    times = {}
    with tempfile.TemporaryDirectory() as temporary:
        write(data, Path(temporary))
        for size in effort.documents:
            say(f"{name} over {size:,} documents")
            workers = max(effort.workers) if peers.SYSTEMS[name].parallel else 1
            order = Order(
                name,
                temporary,
                effort.topics,
                workers,
                LONGEST,
                (),
                (1,),
                documents=size,
                most_passes=1,
            )
            end = launch.run(order, lambda record: None)
            times[str(size)] = end["seconds"] / end["passes"]
    return times


def _per_document(times: dict[str, float]) -> dict[str, float]:
    smallest = next(iter(times))
    return {
        size: seconds / times[smallest] * int(smallest) / int(size)
        for size, seconds in times.items()
    }


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """A column per system."""
    return [
        columns_of("Seconds of one pass over the documents", "documents", found["seconds"]),
        columns_of(
            "Time per document, as a multiple of the smallest corpus's",
            "documents",
            found["growth"],
        ),
    ]
