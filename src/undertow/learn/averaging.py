"""A running average of the parameters: average <- decay * average + (1 - decay) * parameters, after every step.

Rows of W that stand still are brought up to date when they are touched next, which gives the same average as doing
it every time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu import threads
from undertow.kernels.cpu.update import average_rows
from undertow.model.parameters import Parameters


class RunningAverage:
    """Averages of W, a and b over the steps of a run."""

    def __init__(self, parameters: Parameters, decay: float, n_threads: int) -> None:
        self._parameters, self._decay, self._threads = parameters, decay, n_threads
        self.state: dict[str, NDArray[Any]] = {
            "average_weights": parameters.weights.copy(),
            "average_hidden_bias": parameters.hidden_bias.copy(),
            "average_visible_bias": parameters.visible_bias.copy(),
            "averaged_until": np.zeros(parameters.words, dtype=np.int64),
        }

    def before_update(self, rows: NDArray[np.int32], step: int) -> None:
        """Call before step `step` (from 1 on) changes these rows."""
        self._catch_up(rows, step - 1)

    def after_update(self) -> None:
        """Call after each step: the dense parameters."""
        for name in ("hidden_bias", "visible_bias"):
            average = self.state[f"average_{name}"]
            average += np.float32(1.0 - self._decay) * (getattr(self._parameters, name) - average)

    def parameters(self, step: int) -> Parameters:
        """The averages after step `step`."""
        self._catch_up(np.arange(self._parameters.words, dtype=np.int32), step)
        return Parameters(
            self.state["average_weights"].copy(),
            self.state["average_hidden_bias"].copy(),
            self.state["average_visible_bias"].copy(),
            self._parameters.word_weights,
        )

    def _catch_up(self, rows: NDArray[np.int32], step: int) -> None:
        state = self.state
        arguments = (
            rows,
            self._parameters.weights,
            state["average_weights"],
            state["averaged_until"],
            step,
            self._decay,
        )
        threads.run(threads.split(average_rows, len(rows), self._threads, *arguments), self._threads)
