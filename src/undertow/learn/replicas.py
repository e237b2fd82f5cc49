"""A copy of the parameters with all that moves it: what takes steps on its own between meetings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from undertow._errors import TrainingDiverged
from undertow.counts import CountBatch, Minibatches
from undertow.engines import Counted, Engine, Place, Session, Start, Steps
from undertow.learn.averaging import RunningAverage
from undertow.learn.history import Tally
from undertow.learn.learner import Corpus
from undertow.learn.optimizer import Moment
from undertow.learn.settings import Settings
from undertow.model.parameters import Parameters


class Replica:
    """Parameters, learner and optimizer in a session.

    Minibatches are taken in one stretch where learner, optimizer and engine can, and else verb by
    verb, to the same end.
    """

    def __init__(
        self,
        engine: Engine,
        parameters: Parameters,
        start: Start,
        settings: Settings,
        corpus: Corpus,
        *,
        averaging: float,
    ) -> None:
        self.session: Session = engine.begin(parameters, start)
        self.step = settings.learner.begin(self.session, corpus, settings.sparsity.pressure)
        self.updater = settings.optimizer.begin(self.session)
        self.averaging, self._batch_size = averaging, settings.batch_size
        self.average = RunningAverage(self.session, averaging) if averaging else None
        says: Callable[..., Any] | None = getattr(self.step, "steps", None)
        rule: Callable[..., Any] | None = getattr(self.updater, "rule", None)
        self._says, self._rule = says, rule
        self._tell: Callable[..., None] | None = getattr(self.step, "reached", None)
        self._unread: list[tuple[Counted, Place]] = []
        self._unread_documents = self._unread_tokens = 0

    @cached_property
    def documents_at_once(self) -> int:
        """How many documents a stretch is best of; 0 where steps are taken verb by verb."""
        steps = self._steps([Moment(1, None)])
        return 0 if steps is None else self.session.documents_at_once(steps)

    def said(self, moments: Sequence[Moment]) -> Steps | None:
        """Steps of these moments as an engine is told of them in advance; None where learner or
        optimizer do not say, or the engine does not listen.
        """
        return self._steps(moments) if self.documents_at_once else None

    def _steps(self, moments: Sequence[Moment]) -> Steps | None:
        if self._says is None or self._rule is None:
            return None
        rules = tuple(self._rule(moment) for moment in moments)
        steps: Steps = self._says(rules, self.averaging)
        return replace(steps, batch_size=self._batch_size)

    def take(
        self,
        batches: Sequence[CountBatch],
        places: Sequence[Place],
        moments: Sequence[Moment],
        said: Steps | None,
        tally: Tally,
    ) -> None:
        """A step for each minibatch; `said` are the steps of the moments, of which there may be
        more.
        """
        moments = moments[: len(batches)]
        if not batches or (said is not None and self._stretch(batches, places, said)):
            return
        for batch, place, moment in zip(batches, places, moments, strict=True):
            self._take_one(batch, place, moment, tally)

    def _stretch(self, batches: Sequence[CountBatch], places: Sequence[Place], said: Steps) -> bool:
        """All steps at once; False from an engine that cannot."""
        if not self.documents_at_once:
            return False
        steps = replace(said, rules=said.rules[: len(batches)], averaging=self.averaging)
        counted = self.session.stretch(batches, places, steps)
        if counted is not None:
            self._unread.append((counted, places[0]))
            documents, tokens = _size_of(batches)
            self._unread_documents += documents
            self._unread_tokens += tokens
        return counted is not None

    def begin_at(self, shared: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from these arrays; what it saw and nobody has read is forgotten."""
        self.session.restore(shared)
        self.session.moved()  # from now on it is noted
        self._unread, self._unread_documents, self._unread_tokens = [], 0, 0

    def read(self, tally: Tally) -> None:
        """Counts in what stretches saw; waits until they are done."""
        for counted, place in self._unread:
            if not counted.finite:
                stop(counted.loss, place, "from minibatch")
            tally.loss += counted.loss
            tally.activity += counted.activity
        tally.documents += self._unread_documents
        tally.tokens += self._unread_tokens
        self._unread, self._unread_documents, self._unread_tokens = [], 0, 0

    def _take_one(self, batch: CountBatch, place: Place, moment: Moment, tally: Tally) -> None:
        """One step: gradient, update."""
        if self._tell is not None:
            self._tell(moment.progress)
        gradient = self.step.gradient(batch, place)
        if not gradient.finite:
            stop(gradient.loss, place, "minibatch")
        if self.average:
            moving = None if self.updater.moves_every_row else gradient
            self.average.before_update(moving, moment.step)
        self.updater.apply(gradient, moment)
        if self.average:
            self.average.after_update(gradient, moment.step)
        tally.add(
            loss=gradient.loss,
            documents=batch.size,
            tokens=batch.tokens,
            activity=gradient.activity,
        )


def _size_of(batches: Sequence[CountBatch]) -> tuple[int, int]:
    """Documents and tokens of all."""
    if isinstance(batches, Minibatches):
        return batches.documents, batches.tokens
    return sum(batch.size for batch in batches), sum(batch.tokens for batch in batches)


def stop(loss: float, place: Place, where: str) -> None:
    """Training has diverged."""
    raise TrainingDiverged(
        f"the loss is {loss} in epoch {place.epoch + 1}, {where} {place.number + 1}: {ADVICE}"
    )


ADVICE = (
    "lower learning_rate or hidden_bias_rate, or raise l2 (steps that are too large are the likely "
    "cause)"
)
