"""Many steps of alpha-NCE with Adam in one call: what a replica takes, on one thread or several.

The arrays are those of single steps. Where a minibatch needs larger ones, the compiled code comes
back for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch, Minibatches
from undertow.counts.minibatches import Rows
from undertow.engines.cpu.contrast import Contrast, Kept
from undertow.engines.cpu.gradient import workers_for
from undertow.engines.cpu.minibatch import Sizes
from undertow.engines.names import OPTIMIZER
from undertow.engines.protocol import AdamRule, Noise, Place, Steps
from undertow.kernels.cpu import stretch as kernels
from undertow.kernels.cpu.choosing import ChosenProgram


@dataclass(frozen=True)
class Seen:
    """Sums over a stretch, and whether all of them are finite."""

    loss: float
    activity: NDArray[np.float64]

    @property
    def finite(self) -> bool:
        return math.isfinite(self.loss)


class Stretches:
    """The stretches of a session."""

    def __init__(
        self, contrast: Contrast, held: dict[str, NDArray[Any]], threads: int, team: int
    ) -> None:
        self._contrast, self._held, self._threads = contrast, held, threads
        self._programs = {
            independent: ChosenProgram(program, team=team, tries=1)
            for independent, program in (
                (False, kernels.take_steps),
                (True, kernels.take_steps_independently),
            )
        }

    def suits(self, steps: Steps) -> bool:
        """Whether these are steps that the kernel knows."""
        objective, rules = steps.objective, steps.rules
        alike = {(rule.decay, rule.l2) for rule in rules}
        return (
            not objective.learns_visible_bias
            and objective.corrections is None
            and steps.averaging == 0.0
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
        seen = kernels.Seen(np.zeros(1), np.zeros(len(bias)), np.zeros(2, dtype=np.int64))
        joined = batches if isinstance(batches, Minibatches) else _joined(batches)
        sizes = np.diff(joined.bounds, axis=1).ravel()
        begins = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist()]
        for begin, end in pairwise([*begins, len(sizes)]):
            given = joined[begin:end], places[begin:end], steps, steps.rules[begin:end]
            self._of_one_size(*given, moving, seen)
        return Seen(float(seen.loss[0]), seen.activity)

    def _of_one_size(
        self,
        batches: Minibatches,
        places: Sequence[Place],
        steps: Steps,
        rules: tuple[AdamRule, ...],
        moving: kernels.Moving,
        seen: kernels.Seen,
    ) -> None:
        firsts = np.ascontiguousarray(batches.bounds[:, 0])
        where = np.array(places, dtype=np.int64)
        rows = kernels.Minibatches(self._contrast.seed, *batches.rows, firsts, where)
        numbers = _numbers(rules)
        level = steps.level
        lowest, highest = level if isinstance(level, tuple) else (level, level)
        levels = kernels.Levels(lowest, highest, isinstance(level, tuple))
        program = self._programs[steps.noise.independent]
        threads, done = workers_for(batches[0].size, self._threads), 0
        while done < len(batches) and seen.last[1] != kernels.DIVERGED:
            kept = Kept(batches[done], places[done], level)
            drawn = self._contrast.draw_noise(kept, steps.noise)  # finds arrays that suffice
            arrays = self._contrast.step_arrays(drawn, steps.objective, steps.pressure)
            room, left = _room(drawn.arrays.sizes, steps.noise), len(batches) - done
            given = (rows, levels, numbers, arrays, room, moving, seen)
            program(threads, done, *given, amount=left)
            done = int(seen.last[0])


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


def _numbers(rules: Sequence[AdamRule]) -> kernels.Rules:
    return kernels.Rules(
        np.array([rule.rate for rule in rules]),
        np.array([rule.rate * rule.hidden_bias_rate for rule in rules]),
        np.array([1.0 - rule.decay**rule.step for rule in rules]),
        rules[0].decay,
        rules[0].l2,
    )


def _room(sizes: Sizes, noise: Noise) -> kernels.Room:
    return kernels.Room(
        np.empty(sizes.documents + 1, dtype=np.int64),
        np.empty(sizes.words, dtype=np.int32),
        np.empty(sizes.words, dtype=np.int32),
        sizes.rows,
        sizes.largest,
        sizes.entries,
        noise.stream_length,
        noise.documents,
    )
