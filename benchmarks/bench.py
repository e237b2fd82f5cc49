"""`make bench`: the speed of the engine, as a table and as JSON.

    python -m benchmarks.bench [--json FILE]

Every figure is the median of several rounds in which the kinds of step take turns, so ratios hold even where the
machine's speed does not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import machine
from benchmarks.step import BATCH, TOKENS, UNITS, StepTimer, begin, interleaved, zipf_counts
from undertow.counts import CountBatch
from undertow.learn import AlphaNCE, ContrastiveDivergence, Settings
from undertow.model import posteriors

ROUNDS = 5
NCE_SIZES = (2_000, 20_000, 200_000, 1_000_000)
CD_SIZES = (2_000, 20_000, 200_000)
CD = Settings(learner=ContrastiveDivergence())


def step_times() -> dict[str, Any]:
    """Milliseconds of alpha-NCE's and CD-1's whole step at each vocabulary size."""
    timers: dict[Any, StepTimer] = {("alpha-nce", size): StepTimer(size, Settings()) for size in NCE_SIZES}
    timers |= {("cd", size): StepTimer(size, CD, skipped=1) for size in CD_SIZES}
    interleaved(timers, rounds=ROUNDS, steps=lambda key: 20 if key[0] == "alpha-nce" else (10 if key[1] < 10**5 else 3))
    nce = {size: timers["alpha-nce", size].median for size in NCE_SIZES}
    cd = {size: timers["cd", size].median for size in CD_SIZES}
    return {
        "alpha_nce_ms": nce,
        "alpha_nce_tokens_per_second": {size: timers["alpha-nce", size].tokens_per_second for size in NCE_SIZES},
        "growth": {size: nce[size] / nce[2_000] for size in NCE_SIZES},
        "cd1_ms": cd,
        "cd1_over_alpha_nce": {size: cd[size] / nce[size] for size in CD_SIZES},
    }


def thread_times() -> dict[str, Any]:
    """What a second thread brings, at K = 2,000."""
    timers = {threads: StepTimer(2_000, Settings(), threads=threads) for threads in (1, 2)}
    interleaved(timers, rounds=ROUNDS, steps=lambda _: 20)
    return {"ms": {n: timer.median for n, timer in timers.items()}, "gain": timers[1].median / timers[2].median}


def noise_times() -> dict[str, Any]:
    """Milliseconds of the step for more noise documents, at K = 2,000."""
    timers = {k: StepTimer(2_000, Settings(learner=AlphaNCE(n_noise=k))) for k in (1, 5, 25, 100)}
    interleaved(timers, rounds=ROUNDS, steps=lambda _: 20)
    return {"ms": {k: timer.median for k, timer in timers.items()}}


def inference_rate() -> dict[str, Any]:
    """Documents per second from counts to posteriors, at K = 2,000."""
    run, _ = begin(2_000, Settings())
    batch = CountBatch.from_csr(zipf_counts(2_000))
    rates = []
    for _ in range(4 * ROUNDS):
        began = time.perf_counter()
        posteriors(run.parameters, batch)
        rates.append(batch.size / (time.perf_counter() - began))
    return {"documents_per_second": statistics.median(rates)}


def table(results: dict[str, Any]) -> Table:
    """The step times as people like to read them."""
    steps = results["steps"]
    out = Table(title=f"One training step: B={BATCH}, k=25, H={UNITS}, {TOKENS} tokens a document")
    for column in ("words K", "alpha-NCE ms", "times K=2,000", "million tokens/s", "CD-1 ms", "CD-1 / alpha-NCE"):
        out.add_column(column, justify="right")
    for size in NCE_SIZES:
        cd, ratio = steps["cd1_ms"].get(size), steps["cd1_over_alpha_nce"].get(size)
        out.add_row(
            f"{size:,}",
            f"{steps['alpha_nce_ms'][size]:.2f}",
            f"{steps['growth'][size]:.2f}",
            f"{steps['alpha_nce_tokens_per_second'][size] / 1e6:.1f}",
            f"{cd:.1f}" if cd else "",
            f"{ratio:.0f}" if ratio else "",
        )
    return out


def main() -> None:
    """Runs everything and prints it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    target = parser.parse_args().json
    parts = {"steps": step_times, "threads": thread_times, "noise": noise_times, "inference": inference_rate}
    console = Console()
    results: dict[str, Any] = {"machine": machine.describe()}
    for name, measure in parts.items():
        with console.status(f"measuring {name}"):
            results[name] = measure()
    console.print(table(results))
    threads, noise = results["threads"], results["noise"]["ms"]
    console.print(f"two threads over one: {threads['gain']:.2f} times as fast")
    console.print("noise documents: " + ", ".join(f"k={k} {ms:.2f} ms" for k, ms in noise.items()))
    console.print(f"inference: {results['inference']['documents_per_second']:,.0f} documents a second")
    text = json.dumps(results, indent=2)
    console.print_json(text)
    if target:
        target.write_text(text + "\n")


if __name__ == "__main__":
    main()
