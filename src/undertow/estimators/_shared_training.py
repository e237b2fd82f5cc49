"""Training on a cluster: workers take steps, each on its part, and meet; here is who calls them to
their meetings.

A meeting: each worker gives what it moved, in slices; worker i adds up slice i of all, in the order
of the workers; all take all slices. Where that is little, or for two, each takes what all moved and
adds it up itself. The bits are the same.

This process only passes references on. Every so often, and after each epoch, it fetches the state,
to save it, and to have it if all workers are lost at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import ClusterError, InvalidInput
from undertow.cluster.lost import Lost
from undertow.engines import AVERAGED_UNTIL
from undertow.estimators._messages import Beginning, Note, State
from undertow.learn import Run
from undertow.learn.history import Tally
from undertow.learn.merging import shared_names

if TYPE_CHECKING:
    from undertow.estimators._shared_documents import SharedSource

DOING = "training"
FEW_BYTES = 2**23  # that a worker may be sent at a meeting by all others, before slices are quicker
ALONE = 1.0  # seconds that a single worker trains before it tells how far it is


@dataclass
class Traffic:
    """How often workers met, and the bytes that each of them was sent for it, altogether."""

    meetings: int = 0
    bytes_each: int = 0


class SharedTraining:
    """A run whose steps are taken by workers."""

    def __init__(
        self, source: SharedSource, run: Run, save: Callable[[Run], None] | None = None
    ) -> None:
        self._crew, self._source, self._save = source.crew, source, save
        self._parts, self._losses = self._crew.size, dict[int, int]()
        if self._parts > 1:
            _check_shared(run)
        settings = source.settings if source.settings is not None else run.settings
        self._per_meeting = settings.interval * settings.replicas
        self._minibatches = [math.ceil(n / settings.batch_size) for n in source.parts]
        self._every = self._crew.settings.seconds
        beginning = self._crew.put(
            Beginning(
                run.parameters,
                run.noise_distribution,
                settings,
                run.documents,
                run.longest,
                source.word_weights,
            )
        )
        places, parts = source.places, self._parts
        self._crew.everyone(
            "beginning to train",
            "begin",
            lambda worker: (places[worker], beginning, worker, parts),
            keep=True,
        )
        self.traffic, self._notes, self._bytes = source.traffic, list[Note](), 0
        self._even, self._fetched = True, time.monotonic()
        self._averaged: NDArray[Any] = np.zeros(0)
        self._standing, self._began_at, self._saved = 0, run.steps, time.monotonic()
        self._everyone_takes(run)

    def epoch(self, run: Run, on_batch: Callable[[Run], None] | None) -> None:
        """The rest of the epoch that the run is in."""
        ends = max(self._minibatches)
        self._mark = _Mark.of(run)  # a new epoch has begun since the state was fetched
        self._save_if_due(run)
        looked_at = not np.array_equal(_averaged(run), self._averaged)
        while True:
            try:
                if looked_at:
                    self._catch_up(run)
                    looked_at = False
                if run.batch >= ends:
                    self._fetch(run)
                    return
                if self._parts == 1:
                    self._go_on(run, ALONE)
                else:
                    self._meet(run)
                self._losses.clear()
                if time.monotonic() - self._fetched > self._every and run.batch < ends:
                    self._fetch(run)
                    self._save_if_due(run)
            except AllLost:
                self._go_back(run)
                continue
            except KeyboardInterrupt:
                self._stop(run)
                raise
            if on_batch is not None:
                on_batch(run)

    def _catch_up(self, run: Run) -> None:
        """Somebody looked at the result of the run here, which brought its averages up to date, and
        so has that of the workers to be: rounding depends on when it is done.
        """
        crew = self._crew
        while True:
            try:
                self._level(run, self._met(run))
                asked = [crew.submit(worker, "catch_up") for worker in range(self._parts)]
                for reference in asked:
                    crew.fetch(reference)
                return
            except Lost as lost:
                self._replace_lost(lost)

    def _met(self, run: Run) -> int:
        """Meetings of the epoch; of one worker, minibatches."""
        return run.batch if self._parts == 1 else run.batch // self._per_meeting

    def _save_if_due(self, run: Run) -> None:
        """Saves what was fetched; the first state of all need not be."""
        due = time.monotonic() - self._saved >= self._every
        if self._save is not None and due and run.steps > self._began_at:
            self._save(run)
            self._saved = time.monotonic()

    # One worker

    def _go_on(self, run: Run, seconds: float) -> None:
        """A while of a run that has no others to meet."""
        crew = self._crew
        try:
            note: Note = crew.fetch(crew.submit(0, "go_on", run.epoch, min(seconds, self._every)))
        except Lost as lost:
            self._replace_lost(lost)
            raise AllLost from None
        # what travelled must not be written to
        run.batch, run.steps, run.tally = note.batch, note.steps, deepcopy(note.tally)

    # Many workers

    def _meet(self, run: Run) -> None:
        """The steps up to the next meeting, and the meeting."""
        met = self._met(run)
        while True:
            try:
                if self._level(run, met) == self._standing:
                    self._exchange(run, met)
                break  # or a worker had ended the meeting, and all stand where it does
            except Lost as lost:
                self._replace_lost(lost)
        self._end_meeting(run, met)

    def _end_meeting(self, run: Run, met: int) -> None:
        """What was noted of a meeting that all have behind them."""
        notes = self._notes
        self._standing += 1
        run.steps += max(note.steps for note in notes)
        run.batch = (met + 1) * self._per_meeting
        self._count(run, notes)

    def _exchange(self, run: Run, met: int) -> None:
        crew, everyone = self._crew, range(self._parts)
        slices = 1 if self._parts == 2 or self._bytes <= FEW_BYTES else self._parts
        brought = [
            crew.submit_several(worker, "advance", slices + 1, run.epoch, met, slices)
            for worker in everyone
        ]
        self._notes = notes = [crew.fetch(given[-1]) for given in brought]
        steps = run.steps + max(note.steps for note in notes)
        if slices == 1:
            totals, name = [given[0] for given in brought], "settle_sums"
        else:
            name = "settle"
            totals = [
                crew.submit(worker, "add", *(given[worker] for given in brought))
                for worker in everyone
            ]
        done = [crew.submit(worker, name, steps, *totals) for worker in everyone]
        together = [crew.fetch(reference) for reference in done]
        self._bytes = sum(note.nbytes for note in notes)
        self._traffic(max(note.nbytes for note in notes), together[0], slices)

    def _level(self, run: Run, met: int) -> int:
        """Brings those who have to be told to where the others stand; says where that is."""
        crew = self._crew
        if self._even:
            return self._standing
        asked = [crew.submit(worker, "standing") for worker in range(self._parts)]
        stand = [crew.fetch(reference) for reference in asked]
        known = [standing for standing in stand if standing is not None]
        if not known:
            raise AllLost
        furthest: int = max(known)
        over = furthest - self._standing
        state = crew.submit(stand.index(furthest), "state", run.epoch, met + over)
        taken = [
            crew.submit(worker, "take", state)
            for worker, standing in enumerate(stand)
            if standing != furthest
        ]
        for reference in taken:
            crew.fetch(reference)
        self._even = True
        return furthest

    def _count(self, run: Run, notes: list[Note]) -> None:
        """Counts in what workers saw; they worked at the same time."""
        for note in notes:
            run.tally.include(note.tally)
        run.tally.seconds += max(note.tally.seconds for note in notes)
        run.tally.waited += max(note.tally.waited for note in notes)

    def _traffic(self, own: int, together: int, slices: int) -> None:
        """Counts a meeting, given the bytes of what one worker brings and of what all moved."""
        others = self._parts - 1
        in_slices = (own + together) * others // self._parts
        self.traffic.meetings += 1
        self.traffic.bytes_each += own * others if slices == 1 else in_slices

    def _stop(self, run: Run) -> None:
        """After Ctrl-C: what the workers have learned is brought here, and saved; where they cannot
        be asked any more, the run is put back to what was brought last.
        """
        try:
            if self._parts == 1:
                self._go_on(run, 0.0)  # which tells where it is
            else:
                self._even = False  # some may have ended a meeting that others have not
                if self._level(run, self._met(run)) > self._standing:
                    self._end_meeting(run, self._met(run))
            self._fetch(run)
        except (AllLost, Lost, KeyboardInterrupt):
            self._mark.put_back(run)
            return
        if self._save is not None and run.steps > self._began_at:
            self._save(run)

    # Losses

    def _replace_lost(self, lost: Lost) -> None:
        """New workers for those that are lost. Where none is, something between them was."""
        crew = self._crew
        gone = [worker for worker, alive in enumerate(crew.alive()) if not alive]
        for worker in gone:
            crew.replace(worker, DOING, self._losses, str(lost))
        if not gone:
            self._losses[-1] = self._losses.get(-1, 0) + 1
            if self._losses[-1] > crew.settings.retries:
                raise ClusterError(
                    f"what workers send each other was lost while {DOING}, {self._losses[-1]} "
                    f"times in all, which is more often than retries={crew.settings.retries} allow"
                )
        self._even = False

    def _go_back(self, run: Run) -> None:
        """To the state that was fetched last, when no worker is left that knows a later one."""
        self._mark.put_back(run)
        self._everyone_takes(run)
        self._crew.remark(
            f"all workers were lost at once: training went back to epoch {run.epoch + 1}, "
            f"minibatch {run.batch + 1}"
        )

    # The state

    def _everyone_takes(self, run: Run) -> None:
        state = State(run.arrays(), run.epoch, run.steps, self._met(run), self._standing, run.tally)
        sent = self._crew.put(state)
        self._crew.everyone("beginning to train", "take", lambda worker: (sent,))
        self._mark, self._even, self._averaged = _Mark.of(run), True, _averaged(run)
        self._fetched = time.monotonic()

    def _fetch(self, run: Run) -> None:
        """Brings the run in this process to where the workers stand."""
        crew, met = self._crew, self._met(run)
        while True:
            try:
                self._level(run, met)
                state: State = crew.fetch(crew.submit(0, "state", run.epoch, met))
                break
            except Lost as lost:
                self._replace_lost(lost)
        tally = run.tally.activity.copy()  # the array is one of the run's, too
        run.restore({**state.arrays, "tally.activity": tally})
        self._mark, self._fetched = _Mark.of(run), time.monotonic()
        self._averaged = _averaged(run)


def _averaged(run: Run) -> NDArray[Any]:
    """Up to which step each row of the averages goes, now."""
    return np.array(run.arrays().get(AVERAGED_UNTIL, 0))


def _check_shared(run: Run) -> None:
    """Says before anything is done that a learner holds what workers cannot share."""
    try:
        shared_names(run.session, getattr(run.step, "stands_still", ()))
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("replicas must", "workers must", 1)) from None


class AllLost(Exception):
    """No worker is left that knows where training stands."""


@dataclass(frozen=True)
class _Mark:
    """Where a run in this process stood when its arrays were fetched."""

    epoch: int
    batch: int
    steps: int
    tally: Tally

    @classmethod
    def of(cls, run: Run) -> _Mark:
        return cls(run.epoch, run.batch, run.steps, deepcopy(run.tally))

    def put_back(self, run: Run) -> None:
        run.epoch, run.batch, run.steps = self.epoch, self.batch, self.steps
        run.tally = deepcopy(self.tally)
