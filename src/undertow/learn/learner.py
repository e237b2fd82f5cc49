"""What learners have in common: what they are given at the beginning of a run, and what a step is.

A learner is a frozen dataclass of options. A run begins its step, which turns minibatches into
gradients with the verbs of the engine's session. Learners of your own are made known by
`undertow.learn.registry.register_learner`, so that models that were trained with them load again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from undertow.counts import CountBatch
from undertow.engines import Gradient, Place, Pressure, Session


@dataclass(frozen=True)
class Corpus:
    """What a learner may need to know of the documents."""

    documents: int  # largest document id + 1
    longest: int  # tokens of the longest document


class Step(Protocol):
    """Turns minibatches into gradients."""

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        """The gradient of the loss of one minibatch."""
        ...


class Learner(Protocol):
    """Options of a learner, from which a run begins its step."""

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> Step:
        """The step of a run. What has to survive a resume is held by the session."""
        ...
