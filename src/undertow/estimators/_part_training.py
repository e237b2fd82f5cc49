"""The training of one worker: a run on its part of the documents, which meets those of the others.

The home of a run is where all stood when they met last. Until the next meeting is over it stays
there, so any worker can tell a new one where to begin.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Sequence
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from undertow.corpus import Corpus
from undertow.counts import CountBatch, CountSource
from undertow.estimators._messages import Beginning, Note, Place, State
from undertow.estimators._part import Part
from undertow.learn import Moved, Run
from undertow.learn.history import Tally
from undertow.learn.merging import added
from undertow.learn.slicing import joined, sliced

if TYPE_CHECKING:
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax

Arrays = dict[str, NDArray[Any]]


class TrainingPart(Part):
    """A part of a corpus, and a run on it."""

    def __init__(self, corpus: Corpus, softmax: ReplicatedSoftmax, **options: Any) -> None:
        super().__init__(corpus, **options)
        self._softmax = softmax
        self._standing: int | None = None  # meetings behind it; None: not told yet where to begin
        self._pending: tuple[Any, ...] | None = None
        self._batches: Iterator[CountBatch] | None = None
        self._at = (-1, -1)  # epoch and minibatch that comes next

    @classmethod
    def of(cls, corpus: Corpus, softmax: ReplicatedSoftmax, options: dict[str, Any]) -> Self:
        """With options by their names."""
        return cls(corpus, softmax, **options)

    def begin(self, place: Place, beginning: Beginning, part: int, parts: int) -> None:
        """Makes the run; `take` says where it stands."""
        threadpool_limits(1, user_api="blas")  # threads are the engine's business
        source = self.source(place, beginning.word_weights)
        softmax = self._softmax.set_params(n_jobs=self._threads)
        self._run = run = Run(
            beginning.parameters.copy(),
            beginning.noise_distribution.copy(),  # what travelled must not be written to
            beginning.settings,
            documents=beginning.documents,
            longest=beginning.longest,
            engine=softmax._engine(),
            part=part,
            parts=parts,
        )
        documents = 0 if source is None else source.documents
        self._own = math.ceil(documents / beginning.settings.batch_size)
        self._source: CountSource | None = None if source is None else run.engine.source(source)

    # Where it stands

    def standing(self) -> int | None:
        """How many meetings are behind it; None: it has to be told."""
        return self._standing

    def state(self, epoch: int, met: int) -> State:
        """Where it stands, after so many meetings of an epoch."""
        run = self._run
        assert self._standing is not None
        return State(run.arrays(), epoch, run.steps, met, self._standing, run.tally)

    def take(self, state: State) -> None:
        """Goes on from where others stand."""
        run = self._run
        run.epoch, run.steps = state.epoch, state.steps
        run.restore(state.arrays)
        run.batch = min(state.met * self._at_a_time, self._own)
        run.tally = deepcopy(state.tally)
        self._standing, self._pending = state.standing, None

    def catch_up(self) -> None:
        """Brings averages up to now, as whoever looks at the result of a run does."""
        self._run.result()

    @property
    def _at_a_time(self) -> int:
        """Minibatches of one worker between two meetings; alone it counts them one by one."""
        return self._run.at_a_time if self._run.parts > 1 else 1

    # With others

    def advance(self, epoch: int, met: int, slices: int) -> tuple[Any, ...]:
        """Takes the steps up to the next meeting; gives what it brings there in so many slices, and
        a note. Asked again, it gives the same again.
        """
        if self._pending is None:
            run = self._run
            self._go_to(epoch, met)
            before = run.steps
            began, run.tally = time.perf_counter(), Tally(run.tally.units)
            run.advance(self._next(self._at_a_time))  # nothing, where others have more documents
            moved, tally = run.moved(), run.tally
            tally.seconds = time.perf_counter() - began
            note = Note(run.steps - before, tally, _size(moved), run.batch, run.batch >= self._own)
            run.steps = before  # until all have met
            self._pending = (*sliced(moved, slices), note)
        return self._pending

    def add(self, *parts: Moved) -> Moved:
        """What all workers bring of one slice, in their order."""
        return added(parts)

    def settle(self, steps: int, *slices: Moved) -> int:
        """Ends a meeting: `slices` are what all moved together, whose bytes are told; so many steps
        are behind all.
        """
        total = joined(slices)
        self._run.steps = steps
        self._run.settle(total)
        assert self._standing is not None
        self._standing, self._pending = self._standing + 1, None
        return _size(total)

    def settle_sums(self, steps: int, *parts: Moved) -> int:
        """As `settle`, given what each worker brings."""
        return self.settle(steps, added(parts))

    # Alone

    def go_on(self, epoch: int, seconds: float) -> Note:
        """Trains to the end of the epoch, or for so long. The tally is that of the whole epoch."""
        run, ends = self._run, time.perf_counter() + seconds
        self._go_to(epoch, run.batch if epoch == run.epoch else 0)
        began = time.perf_counter()
        while given := self._next(run.at_a_time):
            run.advance(given)
            if run.meets:
                run.meet()
            now = time.perf_counter()
            run.tally.seconds += now - began
            began = now
            if now > ends:
                break
        run.read()
        return Note(run.steps, run.tally, 0, run.batch, run.batch >= self._own)

    def _go_to(self, epoch: int, met: int) -> None:
        """The place in the documents' order from which to go on."""
        run = self._run
        if epoch != run.epoch:
            run.epoch, run.tally = epoch, Tally(run.tally.units)
        run.batch = min(met * self._at_a_time, self._own)
        if self._at != (epoch, run.batch):
            self._stop_reading()
            self._at = (epoch, run.batch)

    def _next(self, number: int) -> Sequence[CountBatch]:
        """The next minibatches of the epoch, so many or those that are left."""
        run = self._run
        if self._source is None or run.batch >= self._own:
            return []
        if self._batches is None:
            settings, (epoch, first) = run.settings, self._at
            self._batches = self._source.batches(
                seed=settings.seed, epoch=epoch, batch_size=settings.batch_size, first_batch=first
            )
        began = time.perf_counter()
        given = list(islice(self._batches, number))
        run.tally.waited += time.perf_counter() - began
        self._at = (self._at[0], self._at[1] + len(given))
        return given

    def _stop_reading(self) -> None:
        if isinstance(self._batches, Generator):
            self._batches.close()
        self._batches = None

    def close(self) -> None:
        self._stop_reading()
        super().close()


def _size(moved: Moved) -> int:
    """In bytes."""
    arrays = (moved.words, moved.brought, *moved.rows.values(), *moved.others.values())
    return sum(array.nbytes for array in arrays)
