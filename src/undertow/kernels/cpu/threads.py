"""The threads that kernels run under: one crew of ours for the whole process.

Kernels release the GIL, so plain threads use all cores; no OpenMP and no threading layer of numba
is involved. A training step is a few short regions of parallel work in quick succession. The crew's
threads therefore look out for the next one for about half a millisecond before they go to sleep:
handing work over takes some 5 microseconds then, instead of 80 through a queue.

A step of training goes further: `run_together` runs one compiled program on all threads at once
(see `team`).

Several Python threads may call at once: one gets the crew, the others do their work themselves, as
do nested calls. A forked child makes a crew of its own.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from undertow.kernels.cores import thread_count as thread_count
from undertow.kernels.cpu import spin
from undertow.kernels.cpu.team import Seat, call, give_up, new_sync

Task = tuple[Callable[..., Any], tuple[Any, ...]]

OFFERS = 250  # about half a millisecond
NAP = 50e-6  # seconds between looks at a thread that takes longer than that
SHARE = 0.25  # of the latest call in what is remembered
SHORTEST_REST, LONGEST_REST = (
    8,
    512,
)  # calls between tries; they double while the habit is confirmed
TRY = 3  # calls
SLOT = 8  # each thread's number has a cache line of its own


def run(tasks: Iterable[Task], threads: int) -> None:
    """Run all tasks, on the calling thread and on up to `threads - 1` others; returns when all have
    ended.

    The first error ends the region and is raised here.
    """
    waiting = deque(tasks)
    helpers = min(threads, len(waiting)) - 1
    if helpers > 0 and _crew.free.acquire(blocking=False):
        try:
            _crew.run(waiting, helpers)
        finally:
            _crew.free.release()
    else:
        for function, arguments in waiting:
            function(*arguments)


def run_together(program: Callable[..., Any], threads: int, *arguments: Any) -> None:
    """Run `program(seat, *arguments)` on the calling thread and on up to `threads - 1` others, as a
    team.

    Those that do not come in time are not waited for: the program goes on without them.
    """
    if threads > 1 and _crew.free.acquire(blocking=False):
        try:
            _crew.run_together(program, threads - 1, arguments)
        finally:
            _crew.free.release()
    else:
        program(Seat(True, new_sync(), _NO_BELL, 0, 0), *arguments)


class Program:
    """A program that is called again and again, by several threads or by one, whichever is quicker
    at the time.
    """

    def __init__(self, program: Callable[..., Any], threads: int) -> None:
        self._program, self._threads, self._habit = program, threads, Habit()

    def __call__(self, *arguments: Any) -> None:
        """Runs it once."""
        together = self._threads > 1 and self._habit.choose()
        began = time.perf_counter()
        run_together(self._program, self._threads if together else 1, *arguments)
        self._habit.note(together, time.perf_counter() - began)


class Habit:
    """Whether threads pay: small steps are quicker alone, and so is everything where others use the
    cores as well, since threads that wait for one another then wait long. What is not the habit is
    tried now and again.
    """

    def __init__(self) -> None:
        self._seconds = {True: 0.0, False: 0.0}  # of a call, by whether it was together
        self._together, self._begun = True, False
        self._rest = self._until_next_try = SHORTEST_REST

    def choose(self) -> bool:
        """Whether to go together this time."""
        self._until_next_try -= 1
        return self._together != (self._until_next_try < 0)

    def note(self, together: bool, seconds: float) -> None:
        """Remembers how long a call took; the very first one may have been compiled and says
        nothing.
        """
        if not self._begun:
            self._begun = True
            return
        if together != self._together:
            self._note_try(seconds)
            return
        before = self._seconds[together] or seconds
        self._seconds[together] = before + SHARE * (seconds - before)
        if self._seconds[not together] and self._seconds[together] > self._seconds[not together]:
            self._break()

    def _note_try(self, seconds: float) -> None:
        """A try is several calls and the last one counts: the first may have to wake threads that
        are asleep.
        """
        if self._until_next_try > -TRY:
            return
        self._seconds[not self._together] = seconds
        if seconds < self._seconds[self._together]:
            self._break()
        else:
            self._rest = self._until_next_try = min(2 * self._rest, LONGEST_REST)

    def _break(self) -> None:
        """The other way from now on. This one is tried again soon: it may have been a moment's
        disturbance.
        """
        self._together = not self._together
        self._rest = self._until_next_try = SHORTEST_REST


def split(
    kernel: Callable[..., Any], items: int, threads: int, *arguments: Any, least: int = 1
) -> Iterator[Task]:
    """Tasks `kernel(first, last, *arguments)` that together cover `items`, two per thread to even
    out the ends.
    """
    pieces = 1 if threads == 1 else min(2 * threads, max(items // least, 1))
    for piece in range(pieces):
        first, last = piece * items // pieces, (piece + 1) * items // pieces
        if last > first:
            yield kernel, (first, last, *arguments)


_NO_BELL = np.zeros(1, dtype=np.int64)


class _Job:
    """The tasks of one parallel region."""

    def __init__(self, number: int, tasks: deque[Task], helpers: int) -> None:
        self.number, self.tasks, self.helpers = number, tasks, helpers
        self.error: BaseException | None = None
        self.program: Task | None = None  # what a helper runs instead of tasks

    def work(self) -> None:
        while self.tasks:
            try:
                function, arguments = self.tasks.popleft()
            except IndexError:  # another thread took the last one
                return
            try:
                function(*arguments)
            except BaseException as error:
                self.error = self.error or error
                self.tasks.clear()


class _Crew:
    """Threads that wait for jobs. Python's lock makes every statement here see what others wrote
    before it.
    """

    def __init__(self) -> None:
        self.free = threading.Lock()
        self._bell = np.zeros(1, dtype=np.int64)  # the number of the latest job
        self._job = _Job(0, deque(), 0)
        self._entered: list[int] = []  # the job that each thread entered last
        self._finished = np.zeros(0, dtype=np.int64)  # and the one that it finished last
        self._beds: list[threading.Semaphore] = []
        self._asleep: list[bool] = []

    def run(self, tasks: deque[Task], helpers: int) -> None:
        """Does all tasks; the caller holds `free`."""
        if helpers > len(self._beds):
            self._grow(helpers)
        number = self._job.number + 1
        self._job = job = _Job(number, tasks, helpers)
        self._bell[0] = number
        for thread in range(helpers):
            if self._asleep[thread]:
                self._beds[thread].release()
        job.work()
        # A thread that has not entered by now finds no tasks: nobody has to wait for it.
        for thread in range(helpers):
            while self._entered[thread] == number and not spin.wait(
                self._finished, thread * SLOT, number, True, OFFERS
            ):
                time.sleep(NAP)
        if job.error is not None:
            raise job.error

    def run_together(
        self, program: Callable[..., Any], helpers: int, arguments: tuple[Any, ...]
    ) -> None:
        """Runs a program with a team; the caller holds `free`."""
        if helpers > len(self._beds):
            self._grow(helpers)
        number, sync = self._job.number + 1, new_sync()
        job = _Job(number, deque(), helpers)
        job.program = program, (Seat(False, sync, self._bell, number, OFFERS), *arguments)
        self._job = job
        if any(self._asleep[:helpers]):
            self._bell[0] = number
            for thread in range(helpers):
                if self._asleep[thread]:
                    self._beds[thread].release()
        try:
            call(self._bell, number, sync, helpers, OFFERS)
            program(Seat(True, sync, self._bell, number, 0), *arguments)
        finally:  # after an interruption, or arguments that the program cannot be compiled for
            give_up(sync)
        if job.error is not None:
            raise job.error

    def _grow(self, helpers: int) -> None:
        old = len(self._beds)
        finished = np.zeros(helpers * SLOT, dtype=np.int64)
        self._finished = finished  # no job is under way, so nobody waits for the old array
        self._entered += [0] * (helpers - old)
        self._asleep += [False] * (helpers - old)
        self._beds += [threading.Semaphore(0) for _ in range(helpers - old)]
        for thread in range(old, helpers):
            threading.Thread(
                target=self._live, args=(thread,), name=f"undertow-{thread}", daemon=True
            ).start()

    def _live(self, thread: int) -> None:
        seen, offers = 0, OFFERS
        while True:
            if not spin.wait(self._bell, 0, seen, False, offers):
                self._asleep[thread] = True
                if self._bell[0] == seen:
                    self._beds[thread].acquire()
                self._asleep[thread] = False
            job = self._job
            if job.number == seen:
                continue  # woken for a job that was over before this thread went to bed
            seen = job.number
            offers = OFFERS if thread < job.helpers else 0  # who is not asked goes to bed at once
            if offers and job.program:
                self._take_part(job)
            elif offers:
                self._entered[thread] = seen
                job.work()
                self._finished[thread * SLOT] = seen
            del job  # its arrays are not kept alive while waiting

    def _take_part(self, job: _Job) -> None:
        assert job.program
        program, arguments = job.program
        try:
            program(*arguments)
        except BaseException as error:  # such as arguments that the program cannot be compiled for
            job.error = job.error or error


_crew = _Crew()


def _after_fork() -> None:
    global _crew
    _crew = _Crew()  # the parent's threads do not exist in a forked child


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
