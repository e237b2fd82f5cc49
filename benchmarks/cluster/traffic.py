"""What averaging sends over the network: by formula, by drawing the words of each worker, and by
training; and what that comes to on many machines.

A worker that drew T tokens moved the rows of the words among them. By Zipf's law these are
U(T) = sum over words of 1 - (1 - p)^T of K, and R workers together moved U(R T). A row takes
4 H + 16 bytes: H weights, two moments of Adam, the word's number, and how many workers moved it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.cluster.shown import table
from benchmarks.step import BATCH, TOKENS, ZIPF_SHIFT, zipf_counts
from undertow.counts import CsrSource, idf_weights
from undertow.learn import AlphaNCE, Moved, Run, Settings, added
from undertow.model import initial_parameters

STREAM, SHARD = 1024, 32  # tokens of noise that so many documents share
SMALL = 16  # units of the runs whose bytes are counted: rows of a million words have to fit


@dataclass(frozen=True)
class Assumed:
    """What a projection stands on."""

    words: int = 200_000
    units: int = 128
    documents: int = 1_000_000_000
    workers: int = 64
    step: float = 0.9e-3  # seconds: docs/performance.md, two threads, these words and units
    network: float = 10e9 / 8  # bytes a second that a machine is sent
    share: float = 0.5  # of the network's speed that is reached


def zipf(words: int) -> NDArray[np.float64]:
    """p of each word."""
    p = 1.0 / (np.arange(words) + ZIPF_SHIFT)
    found: NDArray[np.float64] = p / p.sum()
    return found


def tokens(interval: int) -> int:
    """That one worker meets in so many steps: those of documents, and of noise."""
    return interval * (BATCH * TOKENS + BATCH // SHARD * STREAM)


def rows(p: NDArray[np.float64], drawn: int) -> float:
    """Words among so many tokens, as expected."""
    return float(-np.expm1(drawn * np.log1p(-p)).sum())


def row_bytes(units: int) -> int:
    """Of a row at a meeting."""
    return 4 * units + 16


def sent(own: float, together: float, workers: int) -> float:
    """Bytes that each worker is sent at a meeting, given those of what one moved and of what all
    moved: the whole of all others, or a slice of theirs and then the sums of all slices.
    """
    others = workers - 1
    return min(own * others, (own + together) * others / workers)


def measure(words: Sequence[int], workers: Sequence[int], interval: int) -> None:
    """All tables."""
    table(
        f"Rows that are moved in {interval} steps, by formula and drawn",
        [_drawn(size, number, interval) for size in words for number in workers],
    )
    table(
        f"Bytes that two workers bring, H={SMALL}, by formula and by training",
        [_trained(size, interval) for size in words],
    )
    project(Assumed())


def _drawn(words: int, workers: int, interval: int) -> dict[str, Any]:
    p, each = zipf(words), tokens(interval)
    upto, generator = np.cumsum(p), np.random.default_rng(0)
    moved, one = np.zeros(words, dtype=bool), 0
    for _ in range(workers):
        own = np.unique(np.searchsorted(upto, generator.random(each) * upto[-1]))
        moved[own] = True
        one += len(own)
    formula, together = rows(p, each), rows(p, each * workers)
    size = row_bytes(256)
    return {
        "K": words,
        "workers": workers,
        "rows of one": round(formula),
        "drawn": round(one / workers),
        "rows of all": round(together),
        "all drawn": int(moved.sum()),
        "MB sent to each, H=256": sent(size * formula, size * together, workers) / 1e6,
    }


def _trained(words: int, interval: int) -> dict[str, Any]:
    documents, p = interval * BATCH, zipf(words)
    counts = zipf_counts(words, 2 * documents)
    weights = np.maximum(idf_weights(counts), 1e-3)
    found = []
    for part in range(2):
        own = counts[part * documents : (part + 1) * documents]
        source = CsrSource(own, weights, first_id=part * documents)
        run = Run(
            initial_parameters(SMALL, p, weights, 0),
            p,
            Settings(learner=AlphaNCE(), interval=interval),
            documents=2 * documents,
            longest=source.longest,
            part=part,
            parts=2,
        )
        run.advance(list(source.batches(seed=0, epoch=0, batch_size=BATCH)))
        found.append(run.moved())
    size, each = row_bytes(SMALL), tokens(interval)
    return {
        "K": words,
        "one, MB by formula": size * rows(p, each) / 1e6,
        "one, MB counted": bytes_of(found[0]) / 1e6,
        "both, MB by formula": size * rows(p, 2 * each) / 1e6,
        "both, MB counted": bytes_of(added(found)) / 1e6,
    }


def bytes_of(moved: Moved) -> int:
    """Of all arrays."""
    arrays = (moved.words, moved.brought, *moved.rows.values(), *moved.others.values())
    return sum(array.nbytes for array in arrays)


def project(assumed: Assumed, intervals: Sequence[int] = (16, 64, 256, 1024)) -> None:
    """One pass over very many documents: training and averaging, for some intervals."""
    print(f"\n{assumed}")
    p, size = zipf(assumed.words), row_bytes(assumed.units)
    steps = math.ceil(assumed.documents / assumed.workers / BATCH)
    found = []
    for interval in intervals:
        each = tokens(interval)
        own, together = size * rows(p, each), size * rows(p, each * assumed.workers)
        bytes_each = sent(own, together, assumed.workers)
        meeting = bytes_each / (assumed.network * assumed.share)
        meetings = math.ceil(steps / interval)
        training = steps * assumed.step
        found.append(
            {
                "interval": interval,
                "meetings": meetings,
                "MB to each at one": bytes_each / 1e6,
                "TB to each": bytes_each * meetings / 1e12,
                "training, min": training / 60,
                "averaging, min": meetings * meeting / 60,
                "share that trains": training / (training + meetings * meeting),
            }
        )
    table(f"{assumed.documents:,} documents by {assumed.workers} workers, one pass", found)
