"""Many steps of alpha-NCE with Adam in one call, by one thread or by several.

The arrays are those of single steps. Where a minibatch needs larger ones, the compiled code comes
back for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch, Minibatches
from undertow.counts.minibatches import Rows
from undertow.engines.cpu.contrast import Contrast, Kept
from undertow.engines.cpu.gradient import workers_for
from undertow.engines.cpu.minibatch import Sizes
from undertow.engines.names import AVERAGE, AVERAGED_UNTIL, OPTIMIZER
from undertow.engines.protocol import AdamRule, Place, Steps
from undertow.kernels.cpu import stretch as kernels
from undertow.kernels.cpu.choosing import ChosenProgram
from undertow.kernels.cpu.shards import UNITS
from undertow.kernels.cpu.update import retained


class Seen:
    """What the minibatches of a stretch saw, those of one size together."""

    there = True

    def __init__(self) -> None:
        self.finite = True
        self._parts: list[tuple[int, kernels.Seen]] = []

    def add(self, size: int, seen: kernels.Seen) -> None:
        """What minibatches of so many documents saw."""
        self.finite = bool(seen.last[1] != kernels.DIVERGED)
        steps = int(seen.last[0]) + (not self.finite)
        self._parts.append((size, seen._replace(losses=seen.losses[:steps])))

    def sums(self) -> Iterator[tuple[float, NDArray[np.float64]]]:
        """Of one minibatch after the other, as if their steps had been taken one by one."""
        for size, seen in self._parts:
            for losses, activity in zip(seen.losses, seen.activity, strict=False):
                yield float(losses.sum()) * size, size * activity.astype(np.float64)


class Stretches:
    """The stretches of a session."""

    def __init__(
        self, contrast: Contrast, held: dict[str, NDArray[Any]], threads: int, team: int | None
    ) -> None:
        self._contrast, self._held, self._threads = contrast, held, threads
        self._programs = {
            False: ChosenProgram(kernels.take_steps, team),
            True: ChosenProgram(kernels.take_steps_independently, team),
        }

    def suits(self, steps: Steps) -> bool:
        """Whether these are steps that the kernel knows."""
        objective, rules = steps.objective, steps.rules
        alike = {(rule.decay, rule.l2) for rule in rules}
        return (
            not objective.learns_visible_bias
            and objective.corrections is None
            and len(alike) == 1
            and OPTIMIZER + "row_moments" in self._held
        )

    def take(
        self,
        batches: Sequence[CountBatch],
        places: Sequence[Place],
        steps: Steps,
        moved: NDArray[np.uint8],
    ) -> Seen:
        """Takes the steps, those of minibatches of one size at a time."""
        rows, bias = (self._held[f"{OPTIMIZER}{name}_moments"] for name in ("row", "hidden_bias"))
        moving = kernels.Moving(rows, bias, moved)
        joined = batches if isinstance(batches, Minibatches) else _joined(batches)
        sizes = np.diff(joined.bounds, axis=1).ravel()
        begins = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist()]
        found = Seen()
        for begin, end in pairwise([*begins, len(sizes)]):
            if found.finite:
                given = joined[begin:end], places[begin:end], steps, steps.rules[begin:end]
                found.add(int(sizes[begin]), self._of_one_size(*given, moving))
        return found

    def _of_one_size(
        self,
        batches: Minibatches,
        places: Sequence[Place],
        steps: Steps,
        rules: tuple[AdamRule, ...],
        moving: kernels.Moving,
    ) -> kernels.Seen:
        firsts = np.ascontiguousarray(batches.bounds[:, 0])
        rows = kernels.Minibatches(*batches.rows, firsts, np.array(places, dtype=np.int64))
        numbers = _numbers(rules, steps.averaging)
        level = steps.level
        lowest, highest = level if isinstance(level, tuple) else (level, level)
        levels = kernels.Levels(lowest, highest, isinstance(level, tuple))
        averages = self._averages(steps.averaging)
        program = self._programs[steps.noise.independent]
        threads, seen = workers_for(batches[0].size, self._threads), _unseen(len(rules), moving)
        done = 0
        while done < len(batches) and seen.last[1] != kernels.DIVERGED:
            kept = Kept(batches[done], places[done], level)
            drawn = self._contrast.draw_noise(kept, steps.noise)  # finds arrays that suffice
            arrays = self._contrast.step_arrays(drawn, steps.objective, steps.pressure)
            room = _room(drawn.arrays.sizes, steps.noise.stream_length)
            program(
                threads, done, rows, levels, numbers, arrays, room, moving, averages, seen,
                amount=len(batches) - done,
            )  # fmt: skip
            done = int(seen.last[0])
        return seen

    def _averages(self, decay: float) -> kernels.Averages:
        """As kernels take them."""
        if not decay:
            return kernels.Averages(*_NO_AVERAGES, 0.0)
        held = self._held
        means = held[AVERAGE + "weights"], held[AVERAGED_UNTIL], held[AVERAGE + "hidden_bias"]
        return kernels.Averages(*means, decay)


_NO_AVERAGES = (
    np.empty((0, 0), dtype=np.float32),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.float32),
)


def _joined(batches: Sequence[CountBatch]) -> Minibatches:
    """Minibatches put together, each of any size."""
    entries = np.cumsum([0, *(len(batch.words) for batch in batches)])
    starts = [batch.starts[:-1] + begin for batch, begin in zip(batches, entries, strict=False)]
    documents = np.cumsum([0, *(batch.size for batch in batches)])
    rows = Rows(
        np.concatenate([batch.document_ids for batch in batches]),
        np.arange(documents[-1]),
        np.concatenate([*starts, entries[-1:]]),
        np.concatenate([batch.words for batch in batches]),
        np.concatenate([batch.counts for batch in batches]),
    )
    bounds = np.stack([documents[:-1], documents[1:]], axis=1)
    return Minibatches(rows, bounds, np.array([batch.tokens for batch in batches]))


def _numbers(rules: Sequence[AdamRule], averaging: float) -> kernels.Rules:
    steps = np.array([rule.step for rule in rules])
    stays = [retained(step - 1, step, averaging) if averaging else 1.0 for step in steps.tolist()]
    return kernels.Rules(
        np.array([rule.rate for rule in rules]),
        np.array([rule.rate * rule.hidden_bias_rate for rule in rules]),
        np.array([1.0 - rule.decay**rule.step for rule in rules]),
        steps,
        (1.0 - np.array(stays)).astype(np.float32),
        rules[0].decay,
        rules[0].l2,
    )


def _unseen(steps: int, moving: kernels.Moving) -> kernels.Seen:
    units = len(moving.bias_moments)
    return kernels.Seen(
        np.zeros((steps, 1 - (-units // UNITS))),
        np.zeros((steps, units), dtype=np.float32),
        np.zeros(2, dtype=np.int64),
    )


def _room(sizes: Sizes, stream_length: int) -> kernels.Room:
    return kernels.Room(
        np.empty(sizes.documents + 1, dtype=np.int64),
        np.empty(sizes.words, dtype=np.int32),
        np.empty(sizes.words, dtype=np.int32),
        sizes.rows,
        sizes.largest,
        sizes.entries,
        stream_length,
    )
