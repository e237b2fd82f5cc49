"""A running average of the parameters: average <- d_t * average + (1 - d_t) * parameters after step
t.

d_t = 1 - 4 / (t + 3) until it reaches the decay asked for, and that decay from then on: the average
reaches back over about the last quarter of a short run, and over the last 1 / (1 - decay) steps of
a long one. Rows of W that stand still are brought up to date when they are touched next, which
gives the same average as doing it at every step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu import threads
from undertow.kernels.cpu.rows import RowGradient
from undertow.kernels.cpu.update import average_rows, average_together, retained
from undertow.model.parameters import Parameters

NAMES = ("weights", "hidden_bias", "visible_bias")


class RunningAverage:
    """Averages of W, a and b over the steps of a run."""

    def __init__(self, parameters: Parameters, decay: float, n_threads: int) -> None:
        self._parameters, self._decay, self._threads = parameters, decay, n_threads
        self._program = threads.Program(average_together, n_threads)
        self.state: dict[str, NDArray[Any]] = {
            **{f"average_{name}": getattr(parameters, name).copy() for name in NAMES},
            "averaged_until": np.zeros(parameters.words, dtype=np.int64),
        }

    def begin_at(self, step: int) -> None:
        """Counts steps on from `step`; so far the parameters stood still."""
        self.state["averaged_until"][:] = step

    def before_update(self, gradient: RowGradient, step: int) -> None:
        """Call before step `step` (from 1 on) changes the rows of this gradient."""
        self._program(gradient, *self._arguments(step - 1))

    def after_update(self, step: int) -> None:
        """Call after step `step`: the dense parameters."""
        share = np.float32(1.0 - retained(step - 1, step, self._decay))
        for name in ("hidden_bias", "visible_bias"):
            average = self.state[f"average_{name}"]
            average += share * (getattr(self._parameters, name) - average)

    def parameters(self, step: int) -> Parameters:
        """The averages after step `step`."""
        words = np.arange(self._parameters.words, dtype=np.int32)
        arguments = self._arguments(step)
        threads.run(
            [(average_rows, (part, *arguments)) for part in np.array_split(words, self._threads)],
            self._threads,
        )
        weights, hidden_bias, visible_bias = (
            self.state[f"average_{name}"].copy() for name in NAMES
        )
        return Parameters(weights, hidden_bias, visible_bias, self._parameters.word_weights)

    def _arguments(self, step: int) -> tuple[Any, ...]:
        averages = (self.state["average_weights"], self.state["averaged_until"])
        return (self._parameters.weights, *averages, step, self._decay)
