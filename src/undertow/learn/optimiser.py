"""Optimisers: a lazy Adam over the touched rows, and the paper's SGD with momentum.

The gradient of the hidden bias a carries the factor L, so at W's rate all units would die within an
epoch: its step is scaled down by `hidden_bias_rate`.

Where a run knows its end, `annealing` lets the rate begin at that many times `learning_rate` and
fall in a straight line to almost nothing: large steps first find better topics, small ones then
settle them. Without an end in sight (`partial_fit`) the rate is `learning_rate` throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow.kernels.cpu import threads, update
from undertow.kernels.cpu.rows import RowGradient
from undertow.learn.gradient import Gradient
from undertow.learn.options import Options
from undertow.model.parameters import Parameters

LAST_SHARE = 0.01  # of the rate that annealing begins with: what it never falls below


class Updater(Protocol):
    """Applies gradients to the parameters of a run, in place."""

    @property
    def state(self) -> dict[str, NDArray[Any]]:
        """Arrays that have to survive a resume; a checkpoint restores them in place."""
        ...

    def apply(self, gradient: Gradient, progress: float | None = None) -> None:
        """One step down the gradient. `progress` is the share of the run behind it, None where no
        end is known.
        """
        ...


class Optimiser(Protocol):
    """Options of an optimiser, from which a run begins its updater."""

    def begin(
        self, parameters: Parameters, extras: dict[str, NDArray[Any]], n_threads: int
    ) -> Updater:
        """The updater of a run; `extras` are the learner's own parameters."""
        ...


def annealed(learning_rate: float, annealing: float, progress: float | None) -> float:
    """The learning rate at a point of a run."""
    if progress is None or annealing == 0.0:
        return learning_rate
    return learning_rate * annealing * max(1.0 - progress, LAST_SHARE)


def _run_parts(kernel: Any, rows: RowGradient, n_threads: int, *arguments: Any) -> None:
    threads.run([(kernel, (part, rows, *arguments)) for part in range(len(rows.sizes))], n_threads)


@dataclass(frozen=True)
class Adam(Options):
    """Adam over touched rows, without momentum; `moments` says whether a row or every element has a
    second moment.

    One moment per row is the default: it trains as well, and its 8 bytes a word are what keeps the
    cost flat in K.
    """

    learning_rate: float = 0.01
    decay: float = 0.999
    momentum: float = 0.0  # used with moments="element" alone
    moments: Literal["row", "element"] = "row"
    l2: float = 1e-4
    hidden_bias_rate: float = 0.01
    annealing: float = 3.0  # 0 for a constant rate

    def __post_init__(self) -> None:
        _check.number("learning_rate", self.learning_rate, above=0.0)
        _check.number("decay", self.decay, at_least=0.0, below=1.0)
        _check.number("momentum", self.momentum, at_least=0.0, below=1.0)
        _check.one_of("moments", self.moments, ("row", "element"))
        _check.number("l2", self.l2, at_least=0.0)
        _check.number("hidden_bias_rate", self.hidden_bias_rate, at_least=0.0)
        _check.number("annealing", self.annealing, at_least=0.0)

    def begin(
        self, parameters: Parameters, extras: dict[str, NDArray[Any]], n_threads: int
    ) -> AdamUpdater:
        return AdamUpdater(self, parameters, extras, n_threads)


class AdamUpdater:
    """Adam's moments and step counts."""

    def __init__(
        self, options: Adam, parameters: Parameters, extras: dict[str, NDArray[Any]], n_threads: int
    ) -> None:
        self._options, self._parameters, self._threads = options, parameters, n_threads
        self._program = threads.Program(update.adam_per_row_together, n_threads)
        words, units = parameters.words, parameters.units
        self.state: dict[str, NDArray[Any]] = {
            "visible_bias_moments": np.zeros((words, 2), dtype=np.float32),
            "hidden_bias_moments": np.zeros(units),
            "steps": np.zeros(1, dtype=np.int64),
        }
        if options.moments == "row":
            self.state["row_moments"] = np.zeros((words, 2), dtype=np.float32)
        else:
            self.state["first_moments"] = np.zeros((words, units), dtype=np.float32)
            self.state["second_moments"] = np.zeros((words, units), dtype=np.float32)
            self.state["masses"] = np.zeros((words, 2), dtype=np.float32)
        for name, values in extras.items():
            self.state[f"{name}_moments"] = np.zeros_like(values)

    def apply(self, gradient: Gradient, progress: float | None = None) -> None:
        options, parameters, state = self._options, self._parameters, self.state
        rate = annealed(options.learning_rate, options.annealing, progress)
        state["steps"] += 1
        self._update_rows(gradient, rate)
        if gradient.learns_visible_bias:
            self._update_visible_bias(gradient, rate)
        bias_rate = rate * options.hidden_bias_rate
        self._update_dense(
            parameters.hidden_bias, gradient.hidden_bias, state["hidden_bias_moments"], bias_rate
        )
        for extra in gradient.extras:
            self._update_dense(extra.values, extra.gradient, state[f"{extra.name}_moments"], rate)

    def _update_rows(self, gradient: Gradient, rate: float) -> None:
        options, state, weights = self._options, self.state, self._parameters.weights
        if options.moments == "row":
            arguments = (
                gradient.rows,
                weights,
                state["row_moments"],
                rate,
                options.decay,
                options.l2,
            )
            self._program(*arguments)
        else:
            moments = (state["first_moments"], state["second_moments"], state["masses"])
            rates = (rate, options.momentum, options.decay, options.l2)
            _run_parts(
                update.adam_per_element, gradient.rows, self._threads, weights, *moments, *rates
            )

    def _update_visible_bias(self, gradient: Gradient, rate: float) -> None:
        state, bias = self.state, self._parameters.visible_bias
        moments = state["visible_bias_moments"]
        if gradient.visible_bias is None:
            _run_parts(
                update.adam_scalars, gradient.rows, 1, bias, moments, rate, self._options.decay
            )
        else:
            slope = gradient.visible_bias.copy()
            _run_parts(update.add_scalars, gradient.rows, 1, slope)
            self._update_dense(bias, slope, moments[:, 0], rate)

    def _update_dense(
        self, values: NDArray[Any], slope: NDArray[Any], moments: NDArray[Any], rate: float
    ) -> None:
        decay = self._options.decay
        mass = 1.0 - decay ** int(self.state["steps"][0])
        update.adam_dense(values, slope, moments, rate, decay, mass)


@dataclass(frozen=True)
class SGD(Options):
    """Stochastic gradient descent with momentum, as in the paper. Every row moves at every step:
    the cost grows with K.

    The rate is one for the mean gradient of a minibatch; for a rate that belongs to the sum,
    multiply it by `batch_size` (and divide `l2` by it). The first `early_steps` steps have the
    momentum `early_momentum`, as Hinton's guide advises.
    """

    learning_rate: float = 0.1
    momentum: float = 0.9
    early_momentum: float = 0.5
    early_steps: int = 0
    l2: float = 0.0
    hidden_bias_rate: float = 0.01
    annealing: float = 0.0

    def __post_init__(self) -> None:
        _check.number("learning_rate", self.learning_rate, above=0.0)
        _check.number("momentum", self.momentum, at_least=0.0, below=1.0)
        _check.number("early_momentum", self.early_momentum, at_least=0.0, below=1.0)
        _check.whole_number("early_steps", self.early_steps, at_least=0)
        _check.number("l2", self.l2, at_least=0.0)
        _check.number("hidden_bias_rate", self.hidden_bias_rate, at_least=0.0)
        _check.number("annealing", self.annealing, at_least=0.0)

    def begin(
        self, parameters: Parameters, extras: dict[str, NDArray[Any]], n_threads: int
    ) -> SGDUpdater:
        return SGDUpdater(self, parameters, extras, n_threads)


class SGDUpdater:
    """SGD's velocities."""

    def __init__(
        self, options: SGD, parameters: Parameters, extras: dict[str, NDArray[Any]], n_threads: int
    ) -> None:
        self._options, self._parameters, self._threads = options, parameters, n_threads
        self.state: dict[str, NDArray[Any]] = {
            "weight_velocities": np.zeros_like(parameters.weights),
            "hidden_bias_velocities": np.zeros_like(parameters.hidden_bias),
            "visible_bias_velocities": np.zeros_like(parameters.visible_bias),
            "steps": np.zeros(1, dtype=np.int64),
        }
        for name, values in extras.items():
            self.state[f"{name}_velocities"] = np.zeros_like(values)

    def apply(self, gradient: Gradient, progress: float | None = None) -> None:
        options, parameters = self._options, self._parameters
        rate = annealed(options.learning_rate, options.annealing, progress)
        self.state["steps"] += 1
        step = int(self.state["steps"][0])
        momentum = self._momentum(step)
        velocities = self.state["weight_velocities"]
        pushes = (parameters.weights, velocities, rate, options.l2)
        _run_parts(update.momentum_rows, gradient.rows, self._threads, *pushes)
        coasts = (
            parameters.weights,
            velocities,
            self._momentum(step + 1),
        )  # it damps for the step to come
        threads.run(
            threads.split(update.coast, parameters.words, self._threads, *coasts), self._threads
        )
        if gradient.learns_visible_bias:
            dense = gradient.visible_bias
            slope = np.zeros_like(parameters.visible_bias) if dense is None else dense.copy()
            _run_parts(update.add_scalars, gradient.rows, 1, slope)
            self._update_dense(parameters.visible_bias, slope, "visible_bias", rate, momentum)
        bias_rate = rate * options.hidden_bias_rate
        self._update_dense(
            parameters.hidden_bias, gradient.hidden_bias, "hidden_bias", bias_rate, momentum
        )
        for extra in gradient.extras:
            self._update_dense(extra.values, extra.gradient, extra.name, rate, momentum)

    def _momentum(self, step: int) -> float:
        """How much of its velocity a step takes over; the first step has number 1."""
        options = self._options
        return options.early_momentum if step <= options.early_steps else options.momentum

    def _update_dense(
        self, values: NDArray[Any], slope: NDArray[Any], name: str, rate: float, momentum: float
    ) -> None:
        velocity = self.state[f"{name}_velocities"]
        velocity *= momentum
        velocity -= (rate * slope).astype(velocity.dtype)
        values += velocity
