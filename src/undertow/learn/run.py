"""A training run: its settings, and its whole state as one object that can be saved and resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow.engines import AVERAGE, OPTIMIZER, PARAMETERS, Engine, Start, find_engine
from undertow.learn.alpha_nce import AlphaNCE
from undertow.learn.averaging import RunningAverage
from undertow.learn.history import EpochRecord, Tally
from undertow.learn.learner import Corpus, Learner
from undertow.learn.optimizer import Adam, Optimizer
from undertow.learn.sparsity import Sparsity
from undertow.model.parameters import Parameters


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

    def __post_init__(self) -> None:
        _check.number("averaging", self.averaging, at_least=0.0, below=1.0)
        _check.whole_number("batch_size", self.batch_size, at_least=1)
        _check.whole_number("seed", self.seed, at_least=0)
        _check.whole_number("planned_steps", self.planned_steps, at_least=0)


class Run:
    """Parameters, optimizer, learner and position of a training run.

    `train` moves it on. Two runs with the same settings, source and state go on alike, to the bit,
    whatever their threads. `undertow.storage.save_run` and `resume_run` keep it on disk.

    Parameters
    ----------
    parameters : undertow.Parameters
        Where it begins; an engine may change them in place.
    noise_distribution : array (K,)
        p, of the words that replace a document's own.
    settings : Settings
        What is learned, and how.
    documents, longest : int
        The largest document id and 1; tokens of the longest document.
    engine : str or Engine
        The name of an engine, or one that was made.
    threads : int or None
        Of an engine that is named; None for one per core.

    Examples
    --------
    >>> run.epoch, run.steps, run.parameters.units
    (2, 8, 8)
    """

    def __init__(
        self,
        parameters: Parameters,
        noise_distribution: NDArray[np.float64],
        settings: Settings,
        *,
        documents: int,
        longest: int,
        engine: str | Engine = "cpu",
        threads: int | None = None,
    ) -> None:
        self.noise_distribution, self.settings = noise_distribution, settings
        self.documents, self.longest = documents, longest
        self.engine = find_engine(engine, threads=threads)
        self.session = self.engine.begin(parameters, Start(noise_distribution, settings.seed))
        corpus = Corpus(documents, longest)
        self.step = settings.learner.begin(self.session, corpus, settings.sparsity.pressure)
        self.updater = settings.optimizer.begin(self.session)
        self.average = (
            RunningAverage(self.session, settings.averaging) if settings.averaging else None
        )
        self.epoch = 0  # epochs done
        self.batch = 0  # minibatches of the present epoch done
        self.steps = 0  # minibatches done altogether
        self.history: list[EpochRecord] = []
        self.tally = Tally(parameters.units)

    @property
    def parameters(self) -> Parameters:
        """As they are now, without averaging."""
        return self.session.parameters

    @property
    def progress(self) -> float | None:
        """The share of the planned steps done, 1 at most; None where no end is planned."""
        planned = self.settings.planned_steps
        return min(self.steps / planned, 1.0) if planned else None

    def result(self) -> Parameters:
        """The parameters to use: the running averages where there are any.

        Returns
        -------
        undertow.Parameters
            A model.

        Examples
        --------
        >>> run.result().words
        30
        """
        return self.average.parameters(self.steps) if self.average else self.parameters

    def carried_state(self) -> dict[str, NDArray[Any]]:
        """What a later run on other documents goes on with: optimizer, normaliser, the parameters
        behind averages.

        Returns
        -------
        dict of str to array
            Copies, by name.

        Examples
        --------
        >>> int(run.carried_state()["steps"])
        8
        """
        learned = self.session.learned()
        found = {}
        for name, array in self.session.arrays().items():
            behind = self.average is not None and name.startswith((AVERAGE, PARAMETERS))
            if behind or name in learned or name.startswith(OPTIMIZER):
                found[name] = array.copy()
        return found | {"steps": np.array(self.steps)}

    def adopt(self, carried: Mapping[str, NDArray[Any]], *, epoch: int) -> None:
        """Goes on from the `carried_state` of an earlier run, counting epochs (and so drawing
        noise) on from it.

        Where there are more words or longer documents now, what both have is taken over.

        Parameters
        ----------
        carried : mapping of str to array
            What `carried_state` gave.
        epoch : int
            Epochs that were done.

        Examples
        --------
        >>> more = Run(parameters, p, Settings(), documents=200, longest=source.longest)
        >>> more.adopt(run.carried_state(), epoch=run.epoch)
        >>> more.epoch, more.steps
        (2, 8)
        """
        self.epoch, self.steps = epoch, int(carried.get("steps", 0))
        if self.average:
            self.average.begin_at(self.steps)
        own = self.session.arrays()
        taken = {}
        for name, array in carried.items():
            if name in own and _is_alike(own[name], array):
                taken[name] = _as_far_as_both_go(own[name], array)
        self.session.restore(taken)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays of the state, by name, as they are now.

        Returns
        -------
        dict of str to array
            Not copies: they go on changing.

        Examples
        --------
        >>> run.arrays()["parameters.weights"].shape
        (30, 8)
        """
        return self.session.arrays() | self._others()

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Brings the arrays to a saved state.

        Parameters
        ----------
        arrays : mapping of str to array
            As `arrays` gave them.

        Examples
        --------
        >>> saved = {name: array.copy() for name, array in run.arrays().items()}
        >>> run.restore(saved)
        """
        others = self._others()
        self.session.restore({name: arrays[name] for name in arrays if name not in others})
        for name, array in others.items():
            array[...] = arrays[name]

    def _others(self) -> dict[str, NDArray[Any]]:
        """What the session does not hold."""
        return {
            "noise_distribution": self.noise_distribution,
            "tally.activity": self.tally.activity,
        }


def _is_alike(own: NDArray[Any], earlier: NDArray[Any]) -> bool:
    return own.ndim == earlier.ndim and own.shape[1:] == earlier.shape[1:]


def _as_far_as_both_go(own: NDArray[Any], earlier: NDArray[Any]) -> NDArray[Any]:
    """The earlier array, and what the present one has beyond it."""
    if not own.ndim:
        return earlier
    size = min(len(own), len(earlier))
    return np.concatenate([earlier[:size], own[size:]])
