"""The training loop: minibatch, gradient, update, and a record of each epoch."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Protocol, runtime_checkable

from threadpoolctl import ThreadpoolController

from undertow._errors import InvalidInput, TrainingDiverged
from undertow.counts import CountBatch, CountSource
from undertow.learn.history import EpochRecord, Tally
from undertow.learn.replicas import ADVICE
from undertow.learn.run import Run
from undertow.model.parameters import LARGEST

logger = logging.getLogger("undertow")

TOLD_EVERY = 0.1  # seconds between looks at what stretches of steps saw

OnBatch = Callable[[Run], None]
OnEpoch = Callable[[Run, EpochRecord], bool | None]
Measure = Callable[[Run], float | None]


@runtime_checkable
class Elsewhere(Protocol):
    """A source of documents that are not here, but with others, who take the steps."""

    def train_epoch(self, run: Run, on_batch: OnBatch | None) -> None:
        """The rest of an epoch: arrays, position and tally of the run are afterwards as if it had
        been trained here.
        """
        ...


def train(
    run: Run,
    source: CountSource,
    *,
    epochs: int,
    measure: Measure | None = None,
    on_batch: OnBatch | None = None,
    on_epoch: OnEpoch | None = None,
) -> Run:
    """Trains until so many epochs are done in all, counting those that the run has behind it.

    Parameters
    ----------
    run : Run
        Is moved on, and keeps what was reached if the training is interrupted.
    source : CountSource
        Where minibatches come from.
    epochs : int
        Passes over the documents, in all.
    measure : function or None
        Of the run; gives the split-half figure that the record of an epoch holds.
    on_batch : function or None
        Of the run; called after every minibatch, or every few where many are taken at once: after
        a meeting of replicas, or some ten times a second.
    on_epoch : function or None
        Of the run and its latest `EpochRecord`; a true answer ends the training.

    Returns
    -------
    Run
        The same run.

    Raises
    ------
    InvalidInput
        Where the documents have other words than the model.
    TrainingDiverged
        Where a loss or a parameter is no longer a finite number.

    Examples
    --------
    >>> run = train(run, source, epochs=5, on_epoch=lambda run, record: record.epoch == 3)
    >>> run.epoch, run.history[-1].epoch
    (4, 3)
    """
    if source.vocabulary_size != run.words:
        raise InvalidInput(
            f"source must have {run.words} words as the model, got {source.vocabulary_size}"
        )
    elsewhere = isinstance(source, Elsewhere)
    source = source if elsewhere else run.engine.source(source)
    with _libraries().limit(limits=1, user_api="blas"):  # threads are the engine's business
        while run.epoch < epochs:
            if isinstance(source, Elsewhere):
                source.train_epoch(run, on_batch)
            else:
                _train_epoch(run, source, on_batch)
            record = _close_epoch(run, measure)
            if on_epoch is not None and on_epoch(run, record):
                break
    return run


@cache
def _libraries() -> ThreadpoolController:
    """The libraries with threads of their own. Finding them takes as long as five steps."""
    return ThreadpoolController()


def _train_epoch(run: Run, source: CountSource, on_batch: OnBatch | None) -> None:
    given, clock = stretches(run, source), _Clock(run, on_batch)
    try:
        for batches in _timed(given, run.tally):
            run.advance(batches)
            if run.meets:
                run.meet()
            clock.tick()
        clock.end()
    finally:
        given.close()  # at once, also after an error: a source may have threads and files open


def stretches(run: Run, source: CountSource) -> Generator[Sequence[CountBatch]]:
    """The minibatches of the present epoch that are still to come, as `Run.advance` is given them.

    Parameters
    ----------
    run : Run
        Is asked how many minibatches it takes at a time.
    source : CountSource
        Where they come from. One that has `pieces`, as `CsrSource` does, is asked for these where
        replicas take many minibatches at a time.

    Yields
    ------
    sequence of CountBatch
        The next ones.

    Examples
    --------
    >>> from undertow.learn.loop import stretches
    >>> [len(batches) for batches in stretches(run, source)]
    [1, 1, 1, 1]
    """
    at = {"seed": run.settings.seed, "epoch": run.epoch, "first_batch": run.batch}
    at["batch_size"] = run.settings.batch_size
    pieces = getattr(source, "pieces", None)
    if run.meets and pieces is not None:
        yield from pieces(**at, at_a_time=run.at_a_time)
        return
    batches = source.batches(**at)
    try:
        while given := list(islice(batches, run.at_a_time)):
            yield given
    finally:
        if isinstance(batches, Generator):
            batches.close()


def _timed(given: Iterable[Sequence[CountBatch]], tally: Tally) -> Iterator[Sequence[CountBatch]]:
    """Passes minibatches on, adding up how long they were waited for."""
    coming = iter(given)
    while True:
        began = time.perf_counter()
        batches = next(coming, None)
        if batches is None:  # what the end takes is in no step's time
            return
        tally.waited += time.perf_counter() - began
        yield batches


class _Clock:
    """Counts the seconds of an epoch, and tells how far it is: after every minibatch, or now and
    then, where many are taken at once and to ask is to wait for them.
    """

    def __init__(self, run: Run, on_batch: OnBatch | None) -> None:
        self._run, self._on_batch = run, on_batch
        self._began = self._told = time.perf_counter()

    def tick(self) -> None:
        """After some steps. Nobody waits for a device where nobody wants to know."""
        if self._run.waits and (
            self._on_batch is None or time.perf_counter() - self._told < TOLD_EVERY
        ):
            return
        self._tell()

    def end(self) -> None:
        """After the last ones."""
        if self._run.waits:
            self._tell()
        self._count()

    def _tell(self) -> None:
        self._run.read()
        self._count()
        if self._on_batch is not None:
            self._on_batch(self._run)
        # what a callback takes is not training time
        self._began = self._told = time.perf_counter()

    def _count(self) -> None:
        now = time.perf_counter()
        self._run.tally.seconds += now - self._began
        self._began = now


def _close_epoch(run: Run, measure: Measure | None) -> EpochRecord:
    for name in run.session.not_finite():
        raise TrainingDiverged(
            f"{name} is not finite, or beyond {LARGEST:g}, after epoch {run.epoch + 1}: {ADVICE}"
        )
    record = run.tally.record(run.epoch, measure(run) if measure else None)
    run.history.append(record)
    run.epoch, run.batch, run.tally = run.epoch + 1, 0, Tally(run.tally.units)
    speed = record.tokens / max(record.seconds, 1e-9)
    logger.info(
        "epoch %d: loss %.4f, activity %.3f, %.2g tokens/s",
        run.epoch,
        record.loss,
        record.activity,
        speed,
    )
    if record.dead_units:
        logger.info(
            "%d of %d hidden units are dead (always off or always on)",
            record.dead_units,
            run.tally.units,
        )
    return record
