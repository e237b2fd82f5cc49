"""The time of one whole training step: tokens and noise drawn, energies, gradients, optimizer and
visible biases.

    python -m benchmarks.step     # the choice of the optimizer's state and of b's treatment, at
    three vocabulary sizes

Documents are 84 tokens drawn from a Zipf law over K words, weighted by idf: text has fewer distinct
words in a minibatch, so growth with K is, if anything, overstated.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from undertow.counts import CsrSource, idf_weights, word_distribution
from undertow.learn import Adam, AlphaNCE, Learner, Optimizer, Run, Settings, Sparsity, train
from undertow.model import initial_parameters

UNITS, BATCH, TOKENS = 128, 128, 84
ZIPF_SHIFT = 2.7


def bare(learner: Learner | None = None, optimizer: Optimizer | None = None) -> Settings:
    """Settings of the steps that are timed: learning alone, without averages and without a target
    for activity. Noise keeps half of each document.
    """
    return Settings(
        learner=learner or alpha_nce(),
        optimizer=optimizer or Adam(),
        sparsity=Sparsity(cost=0.0),
        averaging=0.0,
    )


def alpha_nce(**options: Any) -> AlphaNCE:
    """Of half of each document, with some options changed."""
    return AlphaNCE(**{"noise_level": 0.5, **options})


@cache
def zipf_counts(
    vocabulary_size: int, documents: int = 40 * BATCH, tokens: int = TOKENS
) -> sparse.csr_array:
    """Counts of documents of `tokens` words, p(rank) proportional to 1 / (rank + 2.7)."""
    generator = np.random.default_rng(0)
    cumulative = np.cumsum(1.0 / (np.arange(vocabulary_size) + ZIPF_SHIFT))
    words = np.searchsorted(cumulative, generator.random(documents * tokens) * cumulative[-1])
    rows = np.repeat(np.arange(documents), tokens)
    ones = np.ones(len(words), dtype=np.int32)
    return sparse.coo_array((ones, (rows, words)), shape=(documents, vocabulary_size)).tocsr()


def begin(
    vocabulary_size: int, settings: Settings, *, threads: int | None = None, units: int = UNITS
) -> tuple[Run, CsrSource]:
    """A run on Zipf counts, ready to train."""
    counts = zipf_counts(vocabulary_size)
    weights, p = idf_weights(counts), word_distribution(counts)
    source = CsrSource(counts, weights)
    parameters = initial_parameters(units, p, weights, 0)
    run = Run(
        parameters, p, settings, documents=counts.shape[0], longest=source.longest, threads=threads
    )
    return run, source


class StepTimer:
    """Median milliseconds of a training step with the loop around it; the first `skipped` steps do
    not count.
    """

    def __init__(
        self,
        vocabulary_size: int,
        settings: Settings,
        *,
        threads: int | None = None,
        units: int = UNITS,
        skipped: int = 5,
    ) -> None:
        self.run, self.source = begin(vocabulary_size, settings, threads=threads, units=units)
        self._skipped = skipped
        self.times: list[float] = []

    def more(self, steps: int) -> None:
        """Times `steps` further steps."""
        target = self.run.steps + steps + self._skipped
        last = time.perf_counter()

        def after_batch(run: Run) -> None:
            nonlocal last
            now = time.perf_counter()
            if run.steps > target - steps:
                self.times.append(1e3 * (now - last))
            if run.steps == target:
                raise _Enough
            last = time.perf_counter()

        with suppress(
            _Enough
        ):  # the run stands between two minibatches then, and goes on from there
            train(self.run, self.source, epochs=10**6, on_batch=after_batch)

    @property
    def median(self) -> float:
        """Milliseconds."""
        return statistics.median(self.times)

    @property
    def tokens_per_second(self) -> float:
        """Data tokens."""
        return BATCH * TOKENS / self.median * 1e3


class _Enough(Exception):
    pass


class Timer(Protocol):
    """What can take its turn."""

    def more(self, steps: int) -> None:
        """Times `steps` further steps."""
        ...


def interleaved(timers: Mapping[Any, Timer], *, rounds: int, steps: Callable[[Any], int]) -> None:
    """Times several kinds of step turn by turn, so that a slow moment of the machine hits all of
    them alike.
    """
    for _ in range(rounds):
        for key, timer in timers.items():
            timer.more(steps(key))


VARIANTS = {
    "Adam, a moment per row, b frozen": bare(),
    "Adam, moments per element, b frozen": bare(optimizer=Adam(moments="element")),
    "Adam, moments per element and momentum": bare(optimizer=Adam(moments="element", momentum=0.9)),
    "Adam, a moment per row, b learned": bare(alpha_nce(visible_bias="learned")),
}


def main() -> None:
    """Prints the table."""
    sizes = (2_000, 200_000, 1_000_000)
    print(f"milliseconds per step, B={BATCH}, k=25, H={UNITS}, {TOKENS} tokens a document")
    print(f"{'':42s}" + "".join(f"{size:>12,d}" for size in sizes))
    for name, settings in VARIANTS.items():
        timers = {size: StepTimer(size, settings) for size in sizes}
        interleaved(timers, rounds=5, steps=lambda _: 20)
        print(f"{name:42s}" + "".join(f"{timers[size].median:12.2f}" for size in sizes), flush=True)


if __name__ == "__main__":
    main()
