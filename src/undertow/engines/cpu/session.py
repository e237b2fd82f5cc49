"""A training run on the CPU: every verb, handed to the module that does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.cpu.contrast import Contrast, Drawn, Kept
from undertow.engines.cpu.divergence import Chains, Divergence, Seen
from undertow.engines.cpu.gathered import gathered
from undertow.engines.cpu.gradient import CpuGradient, Slots
from undertow.engines.cpu.ratios import Ratios
from undertow.engines.cpu.stretches import Stretches
from undertow.engines.cpu.updates import Updates
from undertow.engines.names import PARAMETERS, STARTED
from undertow.engines.protocol import (
    AdamRule,
    Array,
    Counted,
    MomentumRule,
    Neighbours,
    Noise,
    Objective,
    Place,
    Pressure,
    Start,
    Steps,
)
from undertow.kernels.cpu import pool
from undertow.model.parameters import LARGEST, Parameters

DOCUMENTS_AT_ONCE = 2048  # some 20 ms
LARGE = 2**20  # numbers that one thread looks at at a time


class CpuSession:
    """Parameters are changed in place.

    `team`: of a replica, the number of the team that carries it out, many steps in one call.
    """

    def __init__(
        self, parameters: Parameters, start: Start, threads: int, team: int | None = None
    ) -> None:
        self.parameters = parameters
        self._threads = threads
        self._held: dict[str, NDArray[Any]] = {}
        self._learned: list[str] = []  # of those held
        self._slots = Slots(parameters.words)
        self._contrast = Contrast(parameters, start, self._slots, threads)
        self._divergence = Divergence(parameters, start, self._slots, threads)
        self._ratios = Ratios(parameters, start, self._slots, threads)
        self._updates = Updates(parameters, self._held, threads)
        self._stretches = (
            None if team is None else Stretches(self._contrast, self._held, threads, team)
        )

    def hold(self, name: str, array: NDArray[Any], *, learned: bool = False) -> None:
        self._held[name] = np.asarray(array, order="C")  # as kernels take arrays
        if learned:
            self._learned.append(name)

    def learned(self) -> dict[str, NDArray[Any]]:
        held: dict[str, NDArray[Any]] = {name: self._held[name] for name in self._learned}
        return {**self.parameters.learned(), **held}

    def not_finite(self) -> list[str]:
        return [name for name, array in self.learned().items() if not self._is_finite(array)]

    def _is_finite(self, array: NDArray[Any]) -> bool:
        """Whether all numbers are, and none is too large; a large array is looked at in parts, by
        all threads.
        """
        parts = np.array_split(array.reshape(-1), max(-(-array.size // LARGE), 1))
        found = [False] * len(parts)

        def look(number: int) -> None:
            part = parts[number]
            found[number] = bool(part.min() >= -LARGEST and part.max() <= LARGEST)  # no NaN is

        pool.run([(look, (number,)) for number in range(len(parts))], self._threads)
        return all(found)

    def arrays(self) -> dict[str, NDArray[Any]]:
        self._updates.catch_up()
        own: dict[str, NDArray[Any]] = {
            PARAMETERS + name: array for name, array in self.parameters.arrays().items()
        }
        return own | self._held

    def restore(
        self, arrays: Mapping[str, NDArray[Any]], words: NDArray[np.int32] | None = None
    ) -> None:
        own = self.arrays()
        for name, array in arrays.items():
            own[name][... if words is None else words] = array

    def take(
        self, names: Sequence[str], words: NDArray[np.int32] | None = None
    ) -> dict[str, NDArray[Any]]:
        own = self.arrays()
        return {name: own[name].copy() if words is None else own[name][words] for name in names}

    def moved(self) -> NDArray[np.int32]:
        return self._updates.moved()

    def keep_words(
        self, batch: CountBatch, place: Place, level: float | tuple[float, float]
    ) -> Kept:
        return self._contrast.keep_words(batch, place, level)

    def draw_noise(self, kept: Kept, noise: Noise) -> Drawn:
        return self._contrast.draw_noise(kept, noise)

    def contrast(self, drawn: Drawn, objective: Objective, pressure: Pressure) -> CpuGradient:
        self._updates.catch_up()  # the arrays of the last gradient are written over
        name = objective.corrections
        return self._contrast.contrast(
            drawn, objective, pressure, None if name is None else self._held[name]
        )

    def documents_at_once(self, steps: Steps) -> int:
        suits = self._stretches is not None and self._stretches.suits(steps)
        return DOCUMENTS_AT_ONCE if suits else 0

    def stretch(
        self, batches: Sequence[CountBatch], places: Sequence[Place], steps: Steps
    ) -> Counted | None:
        if self._stretches is None or not self._stretches.suits(steps):
            return None
        self._updates.catch_up()
        return self._stretches.take(batches, places, steps, self._updates.flags)

    def see(self, batch: CountBatch) -> Seen:
        return self._divergence.see(batch)

    def gibbs(
        self, seen: Seen, place: Place, *, steps: int, weighted: bool, chains: str | None = None
    ) -> Seen:
        left = None if chains is None else Chains(self._held[chains + STARTED], self._held[chains])
        return self._divergence.gibbs(seen, place, steps=steps, weighted=weighted, chains=left)

    def walk(self, seen: Seen, place: Place, *, steps: int, proposals: int, weighted: bool) -> Seen:
        return self._divergence.walk(
            seen, place, steps=steps, proposals=proposals, weighted=weighted
        )

    def difference(self, seen: Seen, sample: Seen, pressure: Pressure) -> CpuGradient:
        self._updates.catch_up()
        return self._divergence.difference(seen, sample, pressure)

    def match_ratios(
        self, batch: CountBatch, place: Place, neighbours: Neighbours, pressure: Pressure
    ) -> CpuGradient:
        self._updates.catch_up()
        return self._ratios.match(batch, place, neighbours, pressure)

    def gather(
        self,
        words: NDArray[np.int32],
        slopes: Array,
        dense: Mapping[str, Array],
        *,
        loss: float,
        activity: Array,
    ) -> CpuGradient:
        self._updates.catch_up()
        return gathered(
            words,
            slopes,
            dense,
            loss=loss,
            activity=activity,
            slots=self._slots,
            vocabulary=self.parameters.words,
            workers=self._threads,
        )

    def adam(self, gradient: CpuGradient, rule: AdamRule) -> None:
        self._updates.adam(gradient, rule)

    def momentum(self, gradient: CpuGradient, rule: MomentumRule) -> None:
        self._updates.momentum(gradient, rule)

    def move(self, words: NDArray[np.int32], steps: Array, dense: Mapping[str, Array]) -> None:
        self._updates.move(words, steps, dict(dense))

    def average_rows(
        self,
        gradient: CpuGradient | None,
        *,
        step: int,
        decay: float,
        words: NDArray[np.int32] | None = None,
    ) -> None:
        self._updates.average_rows(gradient, step=step, decay=decay, words=words)

    def average_others(
        self, gradient: CpuGradient | None, *, step: int, decay: float, since: int | None = None
    ) -> None:
        since = step - 1 if since is None else since
        self._updates.average_others(gradient, since=since, step=step, decay=decay)
