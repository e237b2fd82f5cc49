"""What more threads bring, and whether they ever make things slower: at every power of two up to
the cores of the machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.effort import Effort
from benchmarks.machine import thread_counts
from benchmarks.progress import Say
from benchmarks.step import BATCH, StepTimer, alpha_nce, bare, interleaved
from benchmarks.tables import Sheet, columns_of
from undertow.learn import ContrastiveDivergence, Settings

SMALL_UNITS = 16
LARGE_BATCH = 8 * BATCH


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Milliseconds by kind of step and number of threads; what two bring over one; and, of all
    numbers, the least that one brings over the best of those below it.
    """
    counts = thread_counts()
    found: dict[str, Any] = {"ms": {}, "gain": {}, "over_fewer": {}}
    for name, timers in _kinds(effort, counts).items():
        say(f"{', '.join(map(str, counts))} threads: {name}")
        interleaved(timers, rounds=effort.rounds, steps=lambda _: effort.steps)
        times = {count: timer.median for count, timer in timers.items()}
        found["ms"][name] = {str(count): time for count, time in times.items()}
        found["gain"][name] = times[1] / times[min(2, counts[-1])]
        found["over_fewer"][name] = min(
            min(times[fewer] for fewer in counts if fewer <= count) / times[count]
            for count in counts
        )
    return found | {
        "lowest_gain": min(found["gain"].values()),
        "lowest_over_fewer": min(found["over_fewer"].values()),
    }


def _kinds(effort: Effort, counts: list[int]) -> dict[str, dict[int, StepTimer]]:
    """Timers by number of threads; a name that is a number is alpha-NCE at so many words."""
    words = effort.thread_vocabularies[0]
    settings: dict[str, tuple[int, Settings, int]] = {
        "k=1, H=16": (words, bare(alpha_nce(n_noise=1)), SMALL_UNITS),
        "CD-1": (words, bare(ContrastiveDivergence()), effort.topics),
        f"B={LARGE_BATCH}": (words, replace(bare(), batch_size=LARGE_BATCH), effort.topics),
        "averages": (words, replace(bare(), averaging=0.999), effort.topics),
    }
    for size in effort.thread_vocabularies:
        settings[str(size)] = (size, bare(), effort.topics)
    return {
        name: {count: StepTimer(size, chosen, threads=count, units=units) for count in counts}
        for name, (size, chosen, units) in settings.items()
    }


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """One row per kind of step."""
    kinds = found["ms"]
    columns = {
        f"{count}, ms": {name: kinds[name][count] for name in kinds}
        for count in next(iter(kinds.values()))
    }
    columns |= {"two over one": found["gain"], "worst over fewer": found["over_fewer"]}
    title = f"Threads (a number: alpha-NCE, so many words; B={BATCH} unless it says otherwise)"
    return [columns_of(title, "step", columns)]
