"""A training run: its whole state as one object that can be saved and resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch
from undertow.engines import (
    AVERAGE,
    OPTIMIZER,
    PARAMETERS,
    Engine,
    Place,
    Session,
    Start,
    find_engine,
)
from undertow.learn.averaging import RunningAverage
from undertow.learn.history import EpochRecord, Tally
from undertow.learn.learner import Corpus, Step
from undertow.learn.meeting import Meeting, Works
from undertow.learn.merging import Moved
from undertow.learn.optimizer import Moment, Updater
from undertow.learn.replicas import Replica
from undertow.learn.settings import Settings
from undertow.model.parameters import Parameters


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
    part, parts : int
        Which part of a larger run this is, and of how many: those of a cluster, each of which sees
        other documents. All draw other noise, and meet by `moved` and `settle`.

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
        part: int = 0,
        parts: int = 1,
    ) -> None:
        self.noise_distribution, self.settings = noise_distribution, settings
        self.documents, self.longest, self.words = documents, longest, parameters.words
        self.parts = _check.whole_number("parts", parts, at_least=1)
        self.part = _check.whole_number("part", part, at_least=0)
        if part >= parts:
            raise InvalidInput(f"part must be below parts={parts}, got {part}")
        self.engine = find_engine(engine, threads=threads)
        start = Start(noise_distribution, settings.seed)
        corpus = Corpus(documents, longest, settings.seed)
        apart = parts > 1 or settings.replicas > 1
        copies = [parameters.copy() for _ in range(settings.replicas)] if apart else []
        self._home = Replica(
            self.engine, parameters, start, settings, corpus, averaging=settings.averaging
        )
        self._crew = [
            Replica(
                self.engine.replica(number, len(copies)),
                own,
                start,
                settings,
                corpus,
                averaging=0.0,
            )
            for number, own in enumerate(copies)
        ]
        self._meeting = Meeting(self.engine, self._home, self._crew, self.words) if apart else None
        self.epoch = 0  # epochs done
        self.batch = 0  # minibatches of the present epoch done
        self.steps = 0  # minibatches done altogether
        self.history: list[EpochRecord] = []
        self.tally = Tally(parameters.units)

    @property
    def session(self) -> Session:
        """What holds the state of the run; replicas differ from it between two meetings."""
        return self._home.session

    @property
    def step(self) -> Step:
        """What turns minibatches into gradients, in the session of the run."""
        return self._home.step

    @property
    def updater(self) -> Updater:
        """What applies gradients, in the session of the run."""
        return self._home.updater

    @property
    def average(self) -> RunningAverage | None:
        """The running average of the parameters, where there is one."""
        return self._home.average

    @property
    def parameters(self) -> Parameters:
        """As they are now, without averaging."""
        return self.session.parameters

    @property
    def progress(self) -> float | None:
        """The share of the planned steps done, 1 at most; None where no end is planned."""
        return self._progress_at(self.steps)

    def _progress_at(self, steps: int) -> float | None:
        planned = self.settings.planned_steps
        return min(steps / planned, 1.0) if planned else None

    def _moment(self, steps_before: int) -> Moment:
        return Moment(steps_before + 1, self._progress_at(steps_before))

    @property
    def meets(self) -> bool:
        """Whether there are replicas, here or elsewhere, that meet."""
        return self._meeting is not None

    @property
    def at_a_time(self) -> int:
        """How many minibatches `advance` is best given: those between two meetings; without
        meetings, as many as the engine takes in one stretch.
        """
        if self.meets:
            return self.settings.interval * self.settings.replicas
        return max(self._home.documents_at_once // self.settings.batch_size, 1)

    def advance(self, batches: Sequence[CountBatch]) -> None:
        """Takes the steps of these minibatches, the next of the epoch: where there are replicas,
        those between two meetings, each of which has to be followed by one.

        Minibatch number j of the epoch goes to replica j modulo their number.

        Parameters
        ----------
        batches : sequence of CountBatch
            As many as `at_a_time`; fewer at the end of an epoch.

        Raises
        ------
        TrainingDiverged
            Where a loss is no longer a finite number.

        Examples
        --------
        >>> next_ones = source.batches(seed=0, epoch=run.epoch, batch_size=50)
        >>> run.advance([next(next_ones)])
        >>> run.batch, run.steps
        (1, 9)
        """
        crew = self._crew or [self._home]
        first = self.batch * self.parts + self.part
        places = [Place(self.epoch, first + i * self.parts) for i in range(len(batches))]
        moments = [self._moment(self.steps + n) for n in range(-(-len(batches) // len(crew)))]
        said = crew[0].said(moments)
        tallies = [self.tally] if self._meeting is None else [Tally(self.tally.units) for _ in crew]
        works = {}
        for own, (replica, tally) in enumerate(zip(crew, tallies, strict=True)):
            mine = slice((own - self.batch) % len(crew), None, len(crew))
            if places[mine]:
                given = batches[mine], places[mine], moments, said
                works[own] = partial(replica.take, *given, tally)
        if self._meeting is not None:
            self._together(self._meeting, works, tallies)
        elif works:
            works[0]()
        self.batch += len(batches)
        self.steps += -(-len(batches) // len(crew))

    def _together(self, meeting: Meeting, works: Works, tallies: Sequence[Tally]) -> None:
        """The steps of all replicas; after an error or an interruption it is as if none was taken,
        so that the run can go on from the last meeting.
        """
        try:
            meeting.work(works)
            for replica, tally in zip(self._crew, tallies, strict=True):
                replica.read(tally)
        except BaseException:
            meeting.begin(self.steps)
            raise
        for tally in tallies:
            self.tally.include(tally)

    @property
    def waits(self) -> bool:
        """Whether `read` may have to wait for steps that were only asked for so far."""
        return not self.meets and self._home.documents_at_once > 0

    def read(self) -> None:
        """Brings `tally` up to now.

        Raises
        ------
        TrainingDiverged
            Where a loss is no longer a finite number.

        Examples
        --------
        >>> run.read()
        >>> run.tally.documents
        50
        """
        self._home.read(self.tally)

    def moved(self) -> Moved:
        """What the replicas of this run moved since the last meeting, for `settle` to be given the
        sum over all parts.

        Returns
        -------
        Moved
            Sums over them.

        Examples
        --------
        >>> two = Settings(batch_size=50, replicas=2)
        >>> again = Run(parameters, p, two, documents=200, longest=source.longest)
        >>> again.advance(list(source.batches(seed=0, epoch=0, batch_size=50)))
        >>> moved = again.moved()
        >>> moved.replicas, moved.rows["parameters.weights"].shape
        (2, (30, 8))
        """
        return self._met().moved()

    def settle(self, total: Moved) -> None:
        """Ends a meeting: all replicas go on from what all moved together.

        Parameters
        ----------
        total : Moved
            The sum over all parts of the run, the same for each.

        Examples
        --------
        >>> two = Settings(batch_size=50, replicas=2)
        >>> again = Run(parameters, p, two, documents=200, longest=source.longest)
        >>> again.advance(list(source.batches(seed=0, epoch=0, batch_size=50)))
        >>> again.settle(again.moved())  # the only part of its run
        """
        self._met().settle(total, self.steps)

    def meet(self) -> None:
        """A meeting of the replicas of this run alone.

        Examples
        --------
        >>> two = Settings(batch_size=50, replicas=2)
        >>> again = Run(parameters, p, two, documents=200, longest=source.longest)
        >>> again.advance(list(source.batches(seed=0, epoch=0, batch_size=50)))
        >>> again.meet()
        >>> again.steps  # of each replica
        2
        """
        self._met().here(self.steps)

    def _met(self) -> Meeting:
        if self._meeting is None:
            raise InvalidInput("replicas must be 2 or more, or parts, for a meeting, got 1 of each")
        return self._meeting

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
        9
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
        self._restore(taken)

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
        self._restore({name: arrays[name] for name in arrays if name not in others})
        for name, array in others.items():
            array[...] = arrays[name]

    def _restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.session.restore(arrays)
        if self._meeting is not None:
            self._meeting.begin(self.steps)

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
