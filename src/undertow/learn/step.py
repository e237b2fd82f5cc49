"""What learners have in common: what they are given at the beginning of a run, and what a step
is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.learn.gradient import Gradient
from undertow.learn.sparsity import Sparsity
from undertow.model.parameters import Parameters


@dataclass(frozen=True)
class StepContext:
    """What a run gives to its learner."""

    parameters: Parameters  # changed in place between steps
    noise_distribution: NDArray[np.float64]  # p (K,)
    sparsity: Sparsity
    documents: int  # largest document id + 1
    longest: int  # tokens of the longest document
    seed: int
    threads: int


class Step(Protocol):
    """Turns minibatches into gradients."""

    @property
    def state(self) -> dict[str, NDArray[Any]]:
        """Arrays that have to survive a resume; a checkpoint restores them in place."""
        ...

    def gradient(self, batch: CountBatch, *, epoch: int, number: int) -> Gradient:
        """The gradient of the loss of minibatch `number` of an epoch."""
        ...


class Learner(Protocol):
    """Options of a learner, from which a run begins its step."""

    def begin(self, context: StepContext) -> Step:
        """The step of a run, with its tables and buffers."""
        ...
