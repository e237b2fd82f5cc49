"""Steps of optimizers, and running averages: over touched rows of W, and over vectors.

Adaptive updates are lazy: a row that does not occur in a minibatch is neither read nor written, so
the cost does not grow with the vocabulary.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from undertow.engines.names import AVERAGE, AVERAGED_UNTIL, OPTIMIZER
from undertow.engines.protocol import AdamRule, MomentumRule
from undertow.engines.torch.gradient import TorchGradient
from undertow.engines.torch.held import Held

TINY = 1e-12


class Updates:
    """What changes the parameters of a session, in place, with the tensors that it holds."""

    def __init__(self, values: dict[str, Any], held: Held) -> None:
        self._values, self._held = values, held

    def adam(self, gradient: TorchGradient, rule: AdamRule) -> None:
        """A step of Adam: rows that are touched, then everything else."""
        if OPTIMIZER + "row_moments" in self._held:
            self._adam_of_rows(gradient, rule)
        else:
            self._adam_of_elements(gradient, rule)
        if gradient.lazy_visible is not None:
            self._adam_of_touched_biases(gradient.words, gradient.lazy_visible, rule)
        for name, slope in gradient.others.items():
            rate = rule.rate * (rule.hidden_bias_rate if name == "hidden_bias" else 1.0)
            moments, mass = self._moments(name), 1.0 - rule.decay**rule.step
            if name == "visible_bias":  # it has room for the lazy kind
                moments = moments[:, 0]
            wide = slope.double()
            moments.copy_(rule.decay * moments.double() + (1.0 - rule.decay) * wide.square())
            values = self._learned(name)
            step = rate * wide / ((moments.double() / mass).sqrt() + TINY)
            values.copy_(values.double() - step)

    def _adam_of_rows(self, gradient: TorchGradient, rule: AdamRule) -> None:
        """Without momentum, and with one second moment per row."""
        weights, moments = self._values["weights"], self._held[OPTIMIZER + "row_moments"]
        words, rows = gradient.words, weights[gradient.words]
        total = gradient.slopes + rule.l2 * rows
        moment = _with_square(moments[words], total.square().mean(dim=1), rule.decay)
        weights[words] = rows - _step(moment, rule.rate)[:, None] * total
        moments[words] = moment

    def _adam_of_elements(self, gradient: TorchGradient, rule: AdamRule) -> None:
        """With both moments of every element; masses are the decaying sums of ones."""
        names = ("first_moments", "second_moments", "masses")
        words, weights = gradient.words, self._values["weights"]
        rows, tensors = weights[words], [self._held[OPTIMIZER + name] for name in names]
        total = gradient.slopes + rule.l2 * rows
        first, second, masses = (tensor[words] for tensor in tensors)
        first = rule.momentum * first + (1.0 - rule.momentum) * total
        second = rule.decay * second + (1.0 - rule.decay) * total.square()
        decays = torch.tensor([rule.momentum, rule.decay], dtype=masses.dtype).to(masses.device)
        masses = decays * masses + (1.0 - decays)
        deviation = (second / masses[:, 1:]).sqrt() + TINY
        weights[words] = rows - rule.rate * (first / masses[:, :1]) / deviation
        for tensor, new in zip(tensors, (first, second, masses), strict=True):
            tensor[words] = new

    def _adam_of_touched_biases(self, words: Any, slope: Any, rule: AdamRule) -> None:
        bias, moments = self._values["visible_bias"], self._moments("visible_bias")
        moment = _with_square(moments[words], slope.square(), rule.decay)
        bias[words] = bias[words] - _step(moment, rule.rate) * slope
        moments[words] = moment

    def momentum(self, gradient: TorchGradient, rule: MomentumRule) -> None:
        """A step with momentum: every row of W coasts, whether it is touched or not."""
        weights, velocity = self._values["weights"], self._velocity("weights")
        words = gradient.words
        push = gradient.slopes + rule.l2 * weights[words]
        velocity[words] = velocity[words] - rule.rate * push
        weights += velocity
        velocity *= rule.next_momentum  # it damps for the step to come
        for name, slope in gradient.dense_slopes().items():
            rate = rule.rate * (rule.hidden_bias_rate if name == "hidden_bias" else 1.0)
            values, velocity = self._learned(name), self._velocity(name)
            velocity *= rule.momentum
            velocity -= rate * slope
            values += velocity

    def move(self, words: Any, steps: Any, dense: dict[str, Any]) -> None:
        """Adds these steps."""
        weights = self._values["weights"]
        weights[words] = weights[words] + steps
        for name, step in dense.items():
            values = self._learned(name)
            values += step

    def average_rows(self, words: Any, *, step: int, decay: float) -> None:
        """Brings rows of the average of W up to a step, those of these words (None: all): since
        their last one they stood still.
        """
        weights, average = self._values["weights"], self._held[AVERAGE + "weights"]
        until = self._held[AVERAGED_UNTIL]
        own = slice(None) if words is None else words
        stays = _retained(until[own], step, decay).to(average.dtype)[:, None]
        average[own] = stays * average[own] + (1.0 - stays) * weights[own]
        until[own] = until[own].clamp(min=step)

    def average_others(
        self, gradient: TorchGradient | None, *, step: int, decay: float, since: int | None = None
    ) -> None:
        """Moves the averages of everything but W that the gradient moved on to a step; without
        one, all of them, which stood still since step `since`.
        """
        before = torch.tensor(step - 1 if since is None else since)
        share = 1.0 - float(_retained(before, step, decay))
        if gradient is None:
            names = [name.removeprefix(AVERAGE) for name in self._held.names()]
            moved = [name for name in names if self._is_learned(name) and name != "weights"]
        else:
            moved = [*gradient.others]
            moved += [] if gradient.lazy_visible is None else ["visible_bias"]
        for name in moved:
            if AVERAGE + name in self._held:
                average = self._held[AVERAGE + name]
                average += share * (self._learned(name) - average)

    def _is_learned(self, name: str) -> bool:
        return name in self._values or name in self._held

    def _learned(self, name: str) -> Any:
        """What is learned: one of the parameters, or held."""
        return self._values[name] if name in self._values else self._held[name]

    def _moments(self, name: str) -> Any:
        return self._held[f"{OPTIMIZER}{name}_moments"]

    def _velocity(self, name: str) -> Any:
        return self._held[f"{OPTIMIZER}{name}_velocities"]


def _with_square(moment: Any, square: Any, decay: float) -> Any:
    """Counts mean squares in, and ones beside them."""
    new = torch.stack([square, torch.ones_like(square)], dim=1)
    return decay * moment + (1.0 - decay) * new


def _step(moment: Any, rate: float) -> Any:
    """The rate over the present estimate of the deviation."""
    return rate / ((moment[:, 0] / moment[:, 1]).sqrt() + TINY)


def _retained(since: Any, until: int, decay: float) -> Any:
    """d_{since+1} * ... * d_{until}, with d_t = 1 - 4 / (t + 3), at most `decay`: what averages
    keep of themselves. The early factors (t - 1) / (t + 3) telescope.
    """
    turn = math.floor(4.0 / (1.0 - decay)) - 3  # the last step whose factor is not capped
    since, end = since.double(), min(until, turn)
    share = torch.ones_like(since)
    for i in range(4):
        if end + i > 0:
            share = torch.where(since < end, share * (since + i) / (end + i), share)
    return share * decay ** (until - since.clamp(min=turn)).clamp(min=0.0)
