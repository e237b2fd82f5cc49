"""What a second thread brings, and whether it ever makes things slower."""

from __future__ import annotations

from typing import Any

from benchmarks.effort import Effort
from benchmarks.progress import Say
from benchmarks.step import StepTimer, alpha_nce, bare, interleaved
from benchmarks.tables import Sheet, columns_of
from undertow.learn import ContrastiveDivergence

SMALL_UNITS = 16


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Milliseconds with one and two threads, for the usual steps and for small ones where threads
    pay least.
    """
    found: dict[str, Any] = {"one_ms": {}, "two_ms": {}, "gain": {}}
    for name, timers in _kinds(effort).items():
        say(f"one thread and two: {name}")
        interleaved(timers, rounds=effort.rounds, steps=lambda _: effort.steps)
        found["one_ms"][name], found["two_ms"][name] = timers[1].median, timers[2].median
        found["gain"][name] = timers[1].median / timers[2].median
    return found | {"lowest_gain": min(found["gain"].values())}


def _kinds(effort: Effort) -> dict[str, dict[int, StepTimer]]:
    """Timers with one thread and two; a name that is a number is alpha-NCE at so many words."""
    words = effort.thread_vocabularies[0]
    settings = {
        "k=1, H=16": (words, bare(alpha_nce(n_noise=1)), SMALL_UNITS),
        "CD-1": (words, bare(ContrastiveDivergence()), effort.topics),
    }
    for size in effort.thread_vocabularies:
        settings[str(size)] = (size, bare(), effort.topics)
    return {
        name: {threads: StepTimer(size, chosen, threads=threads, units=units) for threads in (1, 2)}
        for name, (size, chosen, units) in settings.items()
    }


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """One row per kind of step."""
    columns = {
        "one thread, ms": found["one_ms"],
        "two threads, ms": found["two_ms"],
        "gain": found["gain"],
    }
    return [columns_of("Threads (a number: alpha-NCE, so many words)", "step", columns)]
