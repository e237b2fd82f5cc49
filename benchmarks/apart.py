"""The kernels of a training step, one by one with one thread, on the very arrays that the step
hands to its programs.

A step's two programs are called through `pool.run_program`. Here something that times takes its
place, and does what the programs do, kernel after kernel; `tests/benchmarks/test_floor.py` checks
that the result is the same.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.step import bare, begin
from undertow.kernels.cpu import (
    contrast,
    partial_noise,
    pool,
    rows,
    shards,
    update,
    windows,
)
from undertow.kernels.cpu.program import Worker, new_state
from undertow.kernels.randomness import SHARD
from undertow.learn import Run, train

STEPS, SKIPPED = 120, 10
QUIET = 20  # per cent of the steps that are quicker: others on the machine only slow it down


class _Enough(Exception):
    pass


class Apart:
    """Stands in for `run_program`: seconds by kernel, and what the last step worked on."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.step: dict[str, Any] = {}

    def __call__(
        self,
        program: Callable[..., Any],
        n_threads: int,
        *arguments: Any,
        team: int | None = None,
    ) -> None:
        if program is shards.contrast_together:
            self._contrast(*arguments)
        else:
            name = "adam" if program is update.adam_per_row_together else "average"
            alone = Worker(True, new_state(), np.zeros(1, dtype=np.int64), 0, 0)
            self._time(name, program, alone, *arguments)

    def _time(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        began = time.perf_counter()
        answer = function(*arguments)
        self.seconds[name] += time.perf_counter() - began
        return answer

    def _contrast(
        self, key: shards.Key, documents: shards.MinibatchCounts, step: shards.StepArrays
    ) -> None:
        kept, model, stream, grouping = step.kept, step.model, step.stream, step.grouping
        split, noise, result, entries = step.split, step.noise, step.result, grouping.entries
        size, timed = len(documents.ids), self._time
        self.step = {
            "documents": documents,
            "stream": stream,
            "noise": noise,
            "entries": entries,
            "rows": grouping.rows,
        }
        for shard in range(len(entries.counts)):
            first, last = shard * SHARD, min((shard + 1) * SHARD, size)
            top, bottom = (int(row) for row in stream.row_starts[shard : shard + 2])
            at, inputs = int(entries.starts[shard]), noise.inputs[0]
            drawn = (
                documents.ids,
                documents.starts,
                documents.counts,
                kept.tokens,
                kept.to_keep,
                kept.counts,
            )
            timed(
                "keep tokens", partial_noise.keep_tokens, first, last, key.seed, key.epoch, *drawn
            )
            into = (split.spans, entries, at)
            end = timed(
                "entries",
                rows.split_entries,
                first,
                last,
                documents,
                kept.counts,
                model.word_weights,
                *into,
            )
            timed(
                "inputs", partial_noise.sum_parts, first, last, model.weights, entries, end, split
            )
            words = stream.words[top : bottom - 1]
            timed("draw stream", partial_noise.draw_stream, *key, shard, stream.alias, words)
            timed(
                "prefix sums", windows.prefix_rows, words, model.weights, model.word_weights, inputs
            )
            timed(
                "prefix sums",
                windows.prefix_scalars,
                words,
                model.word_weights,
                noise.lengths[top:bottom],
            )
            places = (documents.ids, kept.replaced, len(words), top, noise.begins, noise.ends)
            timed(
                "draw windows",
                partial_noise.draw_windows,
                first,
                last,
                key.seed,
                key.epoch,
                *places,
            )
            changes, covering = (
                result.noise_vectors[top:bottom],
                np.empty(bottom - top, dtype=np.int32),
            )
            timed("contrast", changes.fill, 0.0)
            shared = (split, noise, inputs, model.hidden_bias, step.objective, result)
            timed("contrast", contrast.contrast, first, last, shard, top, *shared)
            timed(
                "sweep",
                windows.cover,
                noise.begins[first:last],
                noise.ends[first:last],
                top,
                covering,
            )
            timed("sweep", windows.sweep, covering, changes)
            of_noise = (words, covering, model.word_weights, 2 * size + top, entries, end)
            entries.counts[shard] = timed("entries", rows.stream_entries, *of_noise) - at
        slots, found = grouping.slots, grouping.found
        for part in range(len(slots)):
            timed("group", rows.group_part, entries, part, slots, found, grouping.rows)
        units = len(step.sums.activity)
        for unit in range(0, units, shards.UNITS):
            last = min(unit + shards.UNITS, units)
            timed("sums", shards.sum_over_shards, unit, last, step.pressure, result, step.sums)


@contextmanager
def apart() -> Iterator[Apart]:
    """Within it, steps of alpha-NCE with windows and one thread are run kernel by kernel."""
    instrument = Apart()
    with mock.patch.object(pool, "run_program", instrument):
        yield instrument


def kernel_seconds(
    vocabulary_size: int, steps: int = STEPS
) -> tuple[dict[str, float], dict[str, Any]]:
    """Seconds of each kernel in a step, and what the last step worked on."""
    run, source = begin(vocabulary_size, bare(), threads=1)
    times: dict[str, list[float]] = defaultdict(list)
    with apart() as instrument:

        def after_batch(run: Run) -> None:
            if run.steps > SKIPPED:
                for name, seconds in instrument.seconds.items():
                    times[name].append(seconds)
            instrument.seconds.clear()
            if run.steps == SKIPPED + steps:
                raise _Enough

        with suppress(_Enough):
            train(run, source, epochs=10**6, on_batch=after_batch)
    return {
        name: float(np.percentile(values, QUIET)) for name, values in times.items()
    }, instrument.step
