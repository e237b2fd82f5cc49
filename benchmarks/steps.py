"""alpha-NCE's training step over the vocabulary size, and the rate of the whole training loop."""

from __future__ import annotations

import statistics
import time
from typing import Any

from benchmarks.effort import Effort
from benchmarks.progress import Say
from benchmarks.step import BATCH, TOKENS, UNITS, StepTimer, bare, begin, interleaved, zipf_counts
from benchmarks.tables import Sheet, columns_of, figure
from benchmarks.yardstick import Yardstick
from undertow.learn import train


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Milliseconds and growth at each size; tokens a second of whole epochs at the smallest."""
    smallest = effort.vocabularies[0]
    say(f"making counts of {effort.vocabularies[-1]:,} words")
    timers = {size: StepTimer(size, bare()) for size in effort.vocabularies}
    yardstick = Yardstick()
    say(f"steps of alpha-NCE at {', '.join(f'K={size:,}' for size in timers)}")
    interleaved(
        {**timers, "yardstick": yardstick}, rounds=effort.rounds, steps=lambda _: effort.steps
    )
    say(f"whole epochs at K={smallest:,}")
    return {
        "ms": {str(size): timer.median for size, timer in timers.items()},
        "growth": {
            str(size): timer.median / timers[smallest].median for size, timer in timers.items()
        },
        "tokens_per_second": {str(size): timer.tokens_per_second for size, timer in timers.items()},
        "loop_tokens_per_second": loop_rate(smallest, effort.rounds),
        "yardstick_ms": yardstick.median,
        "over_yardstick": timers[smallest].median / yardstick.median,
    }


def loop_rate(vocabulary_size: int, rounds: int) -> float:
    """Data tokens a second of whole epochs by the wall clock: sorting out batches, steps, closing
    the epoch.
    """
    run, source = begin(vocabulary_size, bare())
    train(run, source, epochs=1)
    tokens, rates = int(zipf_counts(vocabulary_size).sum()), []
    for _ in range(rounds):
        began = time.perf_counter()
        train(run, source, epochs=run.epoch + 1)
        rates.append(tokens / (time.perf_counter() - began))
    return statistics.median(rates)


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """Step times as people like to read them."""
    rates = {size: rate / 1e6 for size, rate in found["tokens_per_second"].items()}
    columns = {"ms": found["ms"], "times the smallest": found["growth"], "million tokens/s": rates}
    title = f"alpha-NCE, one training step: B={BATCH}, k=25, H={UNITS}, {TOKENS} tokens a document"
    sheet = columns_of(title, "words K", columns)
    note = (
        f"Whole epochs at the smallest K: {figure(found['loop_tokens_per_second'] / 1e6)} million "
        f"tokens a second."
    )
    return [Sheet(sheet.title, sheet.columns, sheet.rows, [note])]
