"""Many steps of alpha-NCE with Adam in one call: what a replica on one thread takes.

The arrays are those of single steps. Where a minibatch needs larger ones, the compiled code comes
back for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.cpu.contrast import Contrast, Kept
from undertow.engines.cpu.minibatch import Sizes
from undertow.engines.names import OPTIMIZER
from undertow.engines.protocol import AdamRule, Place, Steps
from undertow.kernels.cpu import stretch as kernels
from undertow.kernels.cpu.shards import MinibatchCounts


class Capacity(NamedTuple):
    """What the arrays hold, and how long a noise stream is at least, as the kernel takes it."""

    words: int
    rows: int
    largest: int
    entries: int
    stream_length: int


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

    def __init__(self, contrast: Contrast, held: dict[str, NDArray[Any]]) -> None:
        self._contrast, self._held = contrast, held

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
        moments = (OPTIMIZER + "row_moments", OPTIMIZER + "hidden_bias_moments")
        moving = kernels.Moving(*(self._held[name] for name in moments), moved)
        seen = kernels.Seen(np.zeros(1), np.zeros(len(moving.bias_moments)))
        begin = 0
        for _, group in groupby(batches, key=lambda batch: batch.size):
            end = begin + len(list(group))
            rules = steps.rules[begin:end]
            self._of_one_size(batches[begin:end], places[begin:end], steps, rules, moving, seen)
            begin = end
        return Seen(float(seen.loss[0]), seen.activity)

    def _of_one_size(
        self,
        batches: Sequence[CountBatch],
        places: Sequence[Place],
        steps: Steps,
        rules: tuple[AdamRule, ...],
        moving: kernels.Moving,
        seen: kernels.Seen,
    ) -> None:
        joined, numbers = _joined(batches, places), _numbers(rules)
        level = steps.level
        levels = kernels.Levels(*(level if isinstance(level, tuple) else (level, level)), False)
        levels = levels._replace(drawn=isinstance(level, tuple))
        done = 0
        while done < len(batches) and math.isfinite(seen.loss[0]):
            kept = Kept(batches[done], places[done], level)
            drawn = self._contrast.draw_noise(kept, steps.noise)  # finds arrays that suffice
            arrays = self._contrast.step_arrays(drawn, steps.objective, steps.pressure)
            capacity = _capacity(drawn.arrays.sizes, steps.noise.stream_length)
            done = kernels.take_steps(done, joined, levels, numbers, arrays, capacity, moving, seen)


def _joined(batches: Sequence[CountBatch], places: Sequence[Place]) -> kernels.Minibatches:
    entries = np.zeros(len(batches) + 1, dtype=np.int64)
    np.cumsum([len(batch.words) for batch in batches], out=entries[1:])
    documents = MinibatchCounts(
        np.concatenate([batch.document_ids for batch in batches]),
        np.concatenate([batch.starts for batch in batches]),
        np.concatenate([batch.words for batch in batches]),
        np.concatenate([batch.counts for batch in batches]),
    )
    return kernels.Minibatches(documents, entries, np.array(places, dtype=np.int64))


def _numbers(rules: Sequence[AdamRule]) -> kernels.Rules:
    return kernels.Rules(
        np.array([rule.rate for rule in rules]),
        np.array([rule.rate * rule.hidden_bias_rate for rule in rules]),
        np.array([1.0 - rule.decay**rule.step for rule in rules]),
        rules[0].decay,
        rules[0].l2,
    )


def _capacity(sizes: Sizes, stream_length: int) -> Capacity:
    return Capacity(sizes.words, sizes.rows, sizes.largest, sizes.entries, stream_length)
