"""A piece of work that is not ours, timed in turn with ours: the measure that makes ratios of
seconds.

A machine that is busy or replaced by another one slows both down about alike, a change that makes
undertow slower does not. It is scipy's product of a minibatch's counts with a matrix of weights:
the same rows of weights that a training step reads, added up on one thread.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

from benchmarks.step import BATCH, UNITS, zipf_counts

WORDS = 2_000


class Yardstick:
    """Median milliseconds of the product; takes its turn among `StepTimer`s."""

    def __init__(self, documents: int = BATCH) -> None:
        self._counts = zipf_counts(WORDS)[:documents].astype(np.float32)
        self._weights = np.random.default_rng(0).standard_normal((WORDS, UNITS), dtype=np.float32)
        self.times: list[float] = []

    def more(self, steps: int) -> None:
        """Times `steps` further products."""
        for _ in range(steps):
            began = time.perf_counter()
            self._counts @ self._weights
            self.times.append(1e3 * (time.perf_counter() - began))

    @property
    def median(self) -> float:
        """Milliseconds."""
        return statistics.median(self.times)
