"""Steps of optimizers, and running averages, on the CPU: over touched rows of W, and over vectors.

Adaptive updates are lazy: a row that does not occur in a minibatch is neither read nor written, so
the cost does not grow with the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.engines.cpu.gradient import CpuGradient
from undertow.engines.names import AVERAGE, AVERAGED_UNTIL, OPTIMIZER
from undertow.engines.protocol import AdamRule, MomentumRule
from undertow.kernels.cpu import pool, update
from undertow.kernels.cpu.choosing import ChosenProgram
from undertow.kernels.cpu.splitting import split
from undertow.model.parameters import Parameters


@dataclass(frozen=True)
class Averaging:
    """Up to which step the average of W is to be brought in the rows of a gradient."""

    gradient: CpuGradient | None
    step: int
    decay: float


class Updates:
    """What changes the parameters of a session, in place, with the arrays that it holds."""

    def __init__(self, parameters: Parameters, held: dict[str, NDArray[Any]], threads: int) -> None:
        self._parameters, self._held, self._threads = parameters, held, threads
        self._own: dict[str, NDArray[Any]] = dict(parameters.learned())
        self._adam = ChosenProgram(update.adam_per_row_together)
        self._average = ChosenProgram(update.average_together)
        self._adam_and_average = ChosenProgram(update.adam_and_average_together)
        self._due: Averaging | None = None  # rows whose average is to be brought up to date
        self.flags = np.ones(parameters.words, dtype=np.uint8)  # (K,) 1 where a row was moved
        self._notes = False

    def moved(self) -> NDArray[np.int32]:
        """The words whose rows moved since this was asked last; all words, the first time."""
        self._notes = True
        found = np.flatnonzero(self.flags).astype(np.int32)
        self.flags[:] = 0
        return found

    def _note(self, words: Any) -> None:
        if self._notes:
            self.flags[words] = 1

    def adam(self, gradient: CpuGradient, rule: AdamRule) -> None:
        """A step of Adam: rows that are touched, then everything else."""
        weights = self._parameters.weights
        if self._notes:
            self._note(gradient.factored.touched())
        if OPTIMIZER + "row_moments" in self._held:
            self._adam_of_rows(gradient, rule)
        else:
            self.catch_up()
            names = ("first_moments", "second_moments", "masses")
            state = [self._held[OPTIMIZER + name] for name in names]
            numbers = (rule.rate, rule.momentum, rule.decay, rule.l2)
            self._by_parts(update.adam_per_element, gradient, weights, *state, *numbers)
        if gradient.learns_visible_bias:
            self._adam_of_visible_bias(gradient, rule)
        bias_rate = rule.rate * rule.hidden_bias_rate
        self._adam_of("hidden_bias", gradient.hidden_bias, rule, bias_rate)
        for name, slope in gradient.others.items():
            self._adam_of(name, slope, rule, rule.rate)

    def _adam_of_rows(self, gradient: CpuGradient, rule: AdamRule) -> None:
        moments, due = self._held[OPTIMIZER + "row_moments"], self._due
        arguments: tuple[Any, ...] = (self._parameters.weights, moments)
        arguments += (rule.rate, rule.decay, rule.l2)
        if due is not None and due.gradient is gradient:
            self._due = None
            arguments += self._averages(due)
            self._by_program(self._adam_and_average, gradient, *arguments)
        else:
            self.catch_up()
            self._by_program(self._adam, gradient, *arguments)

    def _adam_of_visible_bias(self, gradient: CpuGradient, rule: AdamRule) -> None:
        moments, bias = self._moments("visible_bias"), self._parameters.visible_bias
        if gradient.visible_bias is None:
            for part in range(len(gradient.factored.sizes)):
                update.adam_scalars(part, gradient.factored, bias, moments, rule.rate, rule.decay)
        else:
            slope, mass = gradient.visible_slope(), 1.0 - rule.decay**rule.step
            update.adam_dense(bias, slope, moments[:, 0], rule.rate, rule.decay, mass)

    def _adam_of(self, name: str, slope: NDArray[Any], rule: AdamRule, rate: float) -> None:
        mass = 1.0 - rule.decay**rule.step
        values, slopes, moments = (
            array.reshape(-1) for array in (self._learned(name), slope, self._moments(name))
        )
        update.adam_dense(values, slopes, moments, rate, rule.decay, mass)

    def momentum(self, gradient: CpuGradient, rule: MomentumRule) -> None:
        """A step with momentum: every row of W coasts, whether it is touched or not."""
        self.catch_up()
        self._note(slice(None))
        parameters = self._parameters
        velocities = self._velocities("weights")
        pushes = (parameters.weights, velocities, rule.rate, rule.l2)
        self._by_parts(update.momentum_rows, gradient, *pushes)
        # it damps for the step to come
        coasts = (parameters.weights, velocities, rule.next_momentum)
        tasks = split(update.coast, parameters.words, self._threads, *coasts)
        pool.run(tasks, self._threads)
        if gradient.learns_visible_bias:
            self._momentum_of("visible_bias", gradient.visible_slope(), rule, rule.rate)
        bias_rate = rule.rate * rule.hidden_bias_rate
        self._momentum_of("hidden_bias", gradient.hidden_bias, rule, bias_rate)
        for name, slope in gradient.others.items():
            self._momentum_of(name, slope, rule, rule.rate)

    def _momentum_of(self, name: str, slope: NDArray[Any], rule: MomentumRule, rate: float) -> None:
        velocity = self._velocities(name)
        velocity *= rule.momentum
        velocity -= (rate * slope).astype(velocity.dtype)
        values = self._learned(name)
        values += velocity

    def move(
        self, words: NDArray[np.int32], steps: NDArray[Any], dense: dict[str, NDArray[Any]]
    ) -> None:
        """Adds these steps."""
        self.catch_up()
        self._note(words)
        self._parameters.weights[words] += steps
        for name, step in dense.items():
            values = self._learned(name)
            values += step

    def average_rows(
        self,
        gradient: CpuGradient | None,
        *,
        step: int,
        decay: float,
        words: NDArray[np.int32] | None = None,
    ) -> None:
        """Brings rows of the average of W up to a step: since their last one they stood still.

        The rows of a gradient can wait for the step that moves them: both then pass over them once.
        """
        self.catch_up()
        if gradient is not None:
            self._due = Averaging(gradient, step, decay)
            return
        if words is None:
            words = np.arange(self._parameters.words, dtype=np.int32)
        state = (self._parameters.weights, *self._averages(Averaging(None, step, decay)))
        bounds = np.linspace(0, len(words), self._threads + 1).astype(int).tolist()
        tasks = [
            (update.average_rows, (words, first, last, *state)) for first, last in pairwise(bounds)
        ]
        pool.run(tasks, self._threads)

    def catch_up(self) -> None:
        """Does what average_rows put off."""
        due, self._due = self._due, None
        if due is not None and due.gradient is not None:
            arguments = (self._parameters.weights, *self._averages(due))
            self._by_program(self._average, due.gradient, *arguments)

    def _averages(self, due: Averaging) -> tuple[Any, ...]:
        """As kernels take them."""
        return (self._held[AVERAGE + "weights"], self._held[AVERAGED_UNTIL], due.step, due.decay)

    def average_others(
        self, gradient: CpuGradient | None, *, since: int, step: int, decay: float
    ) -> None:
        """Moves the averages of everything that the gradient moved, but for W, on to a step; None
        for all averages but that of W.
        """
        share = np.float32(1.0 - update.retained(since, step, decay))
        if gradient is None:
            moved = [name for name in self._own if name != "weights"]
        else:
            moved = ["hidden_bias", *gradient.others]
            moved += ["visible_bias"] if gradient.learns_visible_bias else []
        for name in moved:
            average = self._held.get(AVERAGE + name)
            if average is not None:
                average += share * (self._learned(name) - average)

    def _learned(self, name: str) -> NDArray[Any]:
        """An array that is learned: one of the parameters, or one that is held."""
        return self._own[name] if name in self._own else self._held[name]

    def _moments(self, name: str) -> NDArray[Any]:
        return self._held[f"{OPTIMIZER}{name}_moments"]

    def _velocities(self, name: str) -> NDArray[Any]:
        return self._held[f"{OPTIMIZER}{name}_velocities"]

    def _by_program(self, program: ChosenProgram, gradient: CpuGradient, *arguments: Any) -> None:
        """A worker takes a part of the rows at a time."""
        rows = gradient.factored
        program(min(self._threads, len(rows.sizes)), rows, *arguments)

    def _by_parts(self, kernel: Any, gradient: CpuGradient, *arguments: Any) -> None:
        rows = gradient.factored
        tasks = [(kernel, (part, rows, *arguments)) for part in range(len(rows.sizes))]
        pool.run(tasks, self._threads)
