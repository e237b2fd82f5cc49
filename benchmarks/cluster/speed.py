"""Seconds of a fit by 1 and 2 workers of Ray on this machine, beside the same fit without a
cluster. Nothing else should run meanwhile.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.cluster.shown import table
from undertow import TopicModel, open_corpus
from undertow.cluster import Cluster

WORDS, TOKENS, UNITS, ZIPF_SHIFT = 20_000, 40, 64, 2.7


def measure(workers: Sequence[int], documents: int, epochs: int) -> list[dict[str, Any]]:
    """A row for each number of workers; 0 stands for no cluster, with as many threads as the first
    that has one worker: all cores.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.parquet"
        _write(path, documents)
        _fit(path, 0, 1)  # compiles what is not yet
        rows = [_fit(path, number, epochs) for number in (0, *workers)]
    title = f"{documents:,} documents of {TOKENS} words, {epochs} epochs, {os.cpu_count()} cores"
    return table(title, rows)


def _fit(path: Path, workers: int, epochs: int) -> dict[str, Any]:
    model = TopicModel(UNITS, max_epochs=epochs, random_state=0)
    began = time.perf_counter()
    model.fit(open_corpus(path), cluster=Cluster("local", workers=workers) if workers else None)
    whole = time.perf_counter() - began
    report = getattr(model, "cluster_", None)
    return {
        "workers": workers or "no cluster",
        "threads of each": report.threads if report else os.cpu_count(),
        "reading, s": model.reading_.seconds,
        "training, s": sum(record.seconds for record in model.softmax_.history_),
        "fit, s": whole,
        "meetings": report.meetings if report else 0,
        "MB sent to each": report.bytes_met / 1e6 if report else 0.0,
    }


def _write(path: Path, documents: int) -> None:
    """Made-up texts by Zipf's law."""
    generator = np.random.default_rng(0)
    upto = np.cumsum(1.0 / (np.arange(WORDS) + ZIPF_SHIFT))
    drawn = np.searchsorted(upto, generator.random((documents, TOKENS)) * upto[-1])
    words = np.array([f"w{number}" for number in range(WORDS + 1)])
    texts = [" ".join(words[row]) for row in drawn]
    pl.DataFrame({"text": texts}).write_parquet(path, row_group_size=8192)
