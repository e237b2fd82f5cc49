"""What a training run is told: how to learn, from how much at a time, and how far."""

from __future__ import annotations

from dataclasses import dataclass, field

from undertow import _check
from undertow.learn.alpha_nce import AlphaNCE
from undertow.learn.learner import Learner
from undertow.learn.optimizer import Adam, Optimizer
from undertow.learn.sparsity import Sparsity

INTERVAL = 16  # steps between two meetings


@dataclass(frozen=True)
class Settings:
    """Everything that decides the result of a run; the number of threads does not.

    Parameters
    ----------
    learner, optimizer : Learner, Optimizer
        How it is learned.
    sparsity : Sparsity
        How often units should be on, and what that costs.
    averaging : float
        Decay of the running average of the parameters; 0 for none.
    batch_size : int
        Documents of a minibatch.
    seed : int
        With the places of documents it keys every draw.
    planned_steps : int
        Where the run is to end: what anneals is done by then. 0 for no end in sight.
    replicas : int
        Copies of the parameters that are trained side by side, each on minibatches of its own, and
        averaged again and again. Steps are those of one of them.
    interval : int
        How many steps replicas take between two meetings.

    Examples
    --------
    >>> from undertow.learn import AlphaNCE, Settings
    >>> Settings(learner=AlphaNCE(n_noise=5), batch_size=64).averaging
    0.999
    """

    learner: Learner = field(default_factory=AlphaNCE)
    optimizer: Optimizer = field(default_factory=Adam)
    sparsity: Sparsity = field(default_factory=Sparsity)
    averaging: float = 0.999
    batch_size: int = 128
    seed: int = 0
    planned_steps: int = 0
    replicas: int = 1
    interval: int = INTERVAL

    def __post_init__(self) -> None:
        _check.keep(
            self,
            averaging=_check.number("averaging", self.averaging, at_least=0.0, below=1.0),
            batch_size=_check.whole_number("batch_size", self.batch_size, at_least=1),
            seed=_check.whole_number("seed", self.seed, at_least=0),
            planned_steps=_check.whole_number("planned_steps", self.planned_steps, at_least=0),
            replicas=_check.whole_number("replicas", self.replicas, at_least=1),
            interval=_check.whole_number("interval", self.interval, at_least=1),
        )
