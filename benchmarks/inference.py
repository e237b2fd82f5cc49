"""Documents a second from counts to vectors, by the engine alone and through the estimator."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.effort import Effort
from benchmarks.progress import Say
from benchmarks.step import bare, begin, zipf_counts
from benchmarks.tables import Sheet, columns_of, figure
from benchmarks.yardstick import Yardstick
from undertow.counts import CountBatch
from undertow.estimators import ReplicatedSoftmax
from undertow.vectors import posteriors


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Rates at the smallest vocabulary; "estimator" is `ReplicatedSoftmax.transform`, checks of its
    input included.
    """
    words = effort.vocabularies[0]
    counts = zipf_counts(words)
    say(f"fitting a model of {words:,} words for an epoch")
    model = ReplicatedSoftmax(effort.topics, max_epochs=1, random_state=0).fit(counts[:1000])
    run, batch = begin(words, bare())[0], CountBatch.from_csr(counts)
    say(f"{counts.shape[0]:,} documents from counts to posteriors")
    yardstick = Yardstick(counts.shape[0])
    ways: dict[str, Callable[[], Any]] = {
        "engine": lambda: posteriors(run.parameters, batch),
        "estimator": lambda: model.transform(counts),
        "yardstick": lambda: yardstick.more(1),
    }
    seconds = turn_by_turn(ways, 4 * effort.rounds)
    rates = {way: counts.shape[0] / seconds[way] for way in ("engine", "estimator")}
    return {
        "documents_per_second": rates,
        "over_yardstick": {
            way: rate / (counts.shape[0] / seconds["yardstick"]) for way, rate in rates.items()
        },
    }


def turn_by_turn(ways: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median seconds of each way; they take turns, and a first turn does not count."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds + 1):
        for way, work in ways.items():
            began = time.perf_counter()
            work()
            times[way].append(time.perf_counter() - began)
    return {way: statistics.median(taken[1:]) for way, taken in times.items()}


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """Two rows."""
    rates, ratios = found["documents_per_second"], found["over_yardstick"]
    sheet = columns_of(
        "From counts to vectors", "by", {"documents/s": rates, "times scipy's product": ratios}
    )
    return [
        Sheet(
            sheet.title, sheet.columns, [[*row[:2], figure(ratios[row[0]])] for row in sheet.rows]
        )
    ]
