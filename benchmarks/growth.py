"""alpha-NCE's step over the number of noise documents k and over the number of hidden units H."""

from __future__ import annotations

from typing import Any

from benchmarks.effort import Effort
from benchmarks.progress import Say
from benchmarks.step import StepTimer, alpha_nce, bare, interleaved
from benchmarks.tables import Sheet, columns_of


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Milliseconds for each k and each H at the smallest vocabulary, and as multiples of the
    smallest.
    """
    words = effort.vocabularies[0]
    say(f"steps with {', '.join(f'k={k}' for k in effort.noises)} noise documents")
    noises = {k: StepTimer(words, bare(alpha_nce(n_noise=k))) for k in effort.noises}
    interleaved(noises, rounds=effort.rounds, steps=lambda _: effort.steps)
    say(f"steps with {', '.join(f'H={units}' for units in effort.units)} hidden units")
    units = {number: StepTimer(words, bare(), units=number) for number in effort.units}
    interleaved(units, rounds=effort.rounds, steps=lambda _: effort.steps)
    return {"noises": _figures(noises), "units": _figures(units)}


def _figures(timers: dict[int, StepTimer]) -> dict[str, Any]:
    smallest = next(iter(timers.values())).median
    return {
        "ms": {str(size): timer.median for size, timer in timers.items()},
        "growth": {str(size): timer.median / smallest for size, timer in timers.items()},
    }


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """A table each."""
    return [
        columns_of(
            f"alpha-NCE, one training step over {what}",
            what,
            {"ms": figures["ms"], "times": figures["growth"]},
        )
        for what, figures in (
            ("noise documents k", found["noises"]),
            ("hidden units H", found["units"]),
        )
    ]
