"""Contrastive divergence beside alpha-NCE: their steps take turns."""

from __future__ import annotations

from typing import Any

from benchmarks.effort import Effort
from benchmarks.progress import Say
from benchmarks.step import StepTimer, bare, interleaved
from benchmarks.tables import Sheet, columns_of
from undertow.learn import ContrastiveDivergence

GIBBS_STEPS = (1, 5)
LARGE = 100_000  # words; from here on a step of CD takes a tenth of a second and more


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Milliseconds of alpha-NCE, CD-1 and CD-5, and how many times as long CD takes."""
    found: dict[str, Any] = {"alpha_nce_ms": {}}
    for gibbs_steps in GIBBS_STEPS:
        found |= {f"cd{gibbs_steps}_ms": {}, f"cd{gibbs_steps}_over_alpha_nce": {}}
    for size in effort.divergence_vocabularies:
        say(f"alpha-NCE, CD-1 and CD-5 at K={size:,}")
        times = times_at(size, effort)
        found["alpha_nce_ms"][str(size)] = times[0]
        for gibbs_steps in GIBBS_STEPS:
            found[f"cd{gibbs_steps}_ms"][str(size)] = times[gibbs_steps]
            found[f"cd{gibbs_steps}_over_alpha_nce"][str(size)] = times[gibbs_steps] / times[0]
    return found


def times_at(size: int, effort: Effort) -> dict[int, float]:
    """Median milliseconds by the number of Gibbs steps; 0 stands for alpha-NCE."""
    timers = {0: StepTimer(size, bare())}
    for gibbs_steps in GIBBS_STEPS:
        settings = bare(ContrastiveDivergence(n_steps=gibbs_steps))
        timers[gibbs_steps] = StepTimer(size, settings, skipped=1)
    of_divergence = 2 if size >= LARGE else max(effort.steps // 4, 1)
    interleaved(
        timers, rounds=effort.rounds, steps=lambda kind: of_divergence if kind else effort.steps
    )
    return {kind: timer.median for kind, timer in timers.items()}


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """One row per vocabulary size."""
    columns = {
        "alpha-NCE ms": found["alpha_nce_ms"],
        "CD-1 ms": found["cd1_ms"],
        "CD-1 / alpha-NCE": found["cd1_over_alpha_nce"],
        "CD-5 ms": found["cd5_ms"],
        "CD-5 / alpha-NCE": found["cd5_over_alpha_nce"],
    }
    return [columns_of("Contrastive divergence, one training step", "words K", columns)]
