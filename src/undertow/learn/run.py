"""A training run: its settings, and its whole state as one object that can be saved and resumed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow.kernels.cpu.threads import thread_count
from undertow.learn.alpha_nce import AlphaNCE
from undertow.learn.averaging import RunningAverage
from undertow.learn.history import EpochRecord, Tally
from undertow.learn.optimiser import Adam, Optimiser
from undertow.learn.sparsity import Sparsity
from undertow.learn.step import Learner, StepContext
from undertow.model.parameters import Parameters


@dataclass(frozen=True)
class Settings:
    """Everything that decides the result of a run; the number of threads does not."""

    learner: Learner = field(default_factory=AlphaNCE)
    optimiser: Optimiser = field(default_factory=Adam)
    sparsity: Sparsity = field(default_factory=Sparsity)
    averaging: float = 0.0  # decay of the running average of the parameters; 0 for none
    batch_size: int = 128
    seed: int = 0
    planned_steps: int = (
        0  # where the run is to end: what anneals is done by then; 0 for no end in sight
    )

    def __post_init__(self) -> None:
        _check.number("averaging", self.averaging, at_least=0.0, below=1.0)
        _check.whole_number("batch_size", self.batch_size, at_least=1)
        _check.whole_number("seed", self.seed, at_least=0)
        _check.whole_number("planned_steps", self.planned_steps, at_least=0)


class Run:
    """Parameters, optimiser, learner and position of a training run.

    `train` moves it on. Two runs with the same settings, source and state go on alike, to the bit,
    whatever their threads.
    """

    def __init__(
        self,
        parameters: Parameters,
        noise_distribution: NDArray[np.float64],
        settings: Settings,
        *,
        documents: int,
        longest: int,
        threads: int | None = None,
    ) -> None:
        self.parameters, self.noise_distribution, self.settings = (
            parameters,
            noise_distribution,
            settings,
        )
        self.documents, self.longest = documents, longest
        n_threads = thread_count(threads)
        context = StepContext(
            parameters,
            noise_distribution,
            settings.sparsity,
            documents,
            longest,
            settings.seed,
            n_threads,
        )
        self.step = settings.learner.begin(context)
        self.updater = settings.optimiser.begin(parameters, self.step.state, n_threads)
        self.average = (
            RunningAverage(parameters, settings.averaging, n_threads)
            if settings.averaging
            else None
        )
        self.epoch = 0  # epochs done
        self.batch = 0  # minibatches of the present epoch done
        self.steps = 0  # minibatches done altogether
        self.history: list[EpochRecord] = []
        self.tally = Tally(parameters.units)

    @property
    def progress(self) -> float | None:
        """The share of the planned steps done, 1 at most; None where no end is planned."""
        planned = self.settings.planned_steps
        return min(self.steps / planned, 1.0) if planned else None

    def result(self) -> Parameters:
        """The parameters to use: the running averages where there are any."""
        return self.average.parameters(self.steps) if self.average else self.parameters

    def carried_state(self) -> dict[str, NDArray[Any]]:
        """What a later run on other documents goes on with: optimiser, normaliser, the parameters
        behind averages.
        """
        kept = ["optimiser.", "learner.corrections"]
        if self.average:
            kept += ["average.", "parameters."]
        arrays = {
            name: array.copy()
            for name, array in self.arrays().items()
            if name.startswith(tuple(kept))
        }
        return arrays | {"steps": np.array(self.steps)}

    def adopt(self, carried: dict[str, NDArray[Any]], *, epoch: int) -> None:
        """Goes on from the `carried_state` of an earlier run, counting epochs (and so drawing
        noise) on from it.

        Where there are more words or longer documents now, what both have is taken over.
        """
        self.epoch, self.steps = epoch, int(carried.get("steps", 0))
        if self.average:
            self.average.begin_at(self.steps)
        own = self.arrays()
        for name, array in carried.items():
            if name in own and own[name].shape[1:] == array.shape[1:]:
                size = min(len(own[name]), len(array))
                own[name][:size] = array[:size]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays of the state, by name; writing to them restores a run."""
        named: dict[str, NDArray[Any]] = {
            "parameters.weights": self.parameters.weights,
            "parameters.hidden_bias": self.parameters.hidden_bias,
            "parameters.visible_bias": self.parameters.visible_bias,
            "parameters.word_weights": self.parameters.word_weights,
            "noise_distribution": self.noise_distribution,
            "tally.activity": self.tally.activity,
        }
        groups = {"learner": self.step.state, "optimiser": self.updater.state}
        if self.average:
            groups["average"] = self.average.state
        for group, arrays in groups.items():
            named |= {f"{group}.{name}": array for name, array in arrays.items()}
        return named
