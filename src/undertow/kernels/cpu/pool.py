"""The workers that kernels run on: one pool of threads for the whole process.

Kernels release the GIL, so plain threads use all cores; no OpenMP and no threading layer of numba
is involved. A training step is a few short regions of parallel work in quick succession. Workers
therefore look out for the next one for about half a millisecond before they wait for their
semaphore: handing work over takes some 5 microseconds then, instead of 80 through a queue.

A step of training goes further: `run_program` runs one compiled program on all workers at once (see
`program`).

Several Python threads may call at once: one gets the pool, the others do their work themselves, as
do nested calls. Where there are fewer replicas than threads, each replica has a **team** for its
programs: a pool of its own, known by a number. A forked child makes pools of its own.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from undertow.kernels.cpu import waiting
from undertow.kernels.cpu.program import Worker, announce, cancel, new_state
from undertow.kernels.cpu.splitting import Task

YIELDS = 250  # about half a millisecond
NAP = 50e-6  # seconds between looks at a thread that takes longer than that
SLOT = 8  # each thread's number has a cache line of its own


def run(tasks: Iterable[Task], threads: int) -> None:
    """Run all tasks, on the calling thread and on up to `threads - 1` workers; returns when all
    have ended.

    The first error ends the region and is raised here.
    """
    queue = deque(tasks)
    helpers = min(threads, len(queue)) - 1
    if helpers > 0 and _pool.free.acquire(blocking=False):
        try:
            _pool.run(queue, helpers)
        finally:
            _pool.free.release()
    else:
        for function, arguments in queue:
            function(*arguments)


def run_program(
    program: Callable[..., Any], threads: int, *arguments: Any, team: int | None = None
) -> None:
    """Run `program(worker, *arguments)` on the calling thread and on up to `threads - 1` workers:
    those of the pool, or of a team of this number.

    Those that do not come in time are not waited for: the program goes on without them.
    """
    pool = _pool if team is None or threads == 1 else _team(team)
    if threads > 1 and pool.free.acquire(blocking=False):
        try:
            pool.run_program(program, threads - 1, arguments)
        finally:
            pool.free.release()
    else:
        program(Worker(True, new_state(), _NO_JOB, 0, 0), *arguments)


_NO_JOB = np.zeros(1, dtype=np.int64)


class _Job:
    """The tasks of one parallel region, or a program."""

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


class _Pool:
    """Workers that wait for jobs. Python's lock makes every statement here see what others wrote
    before it.
    """

    def __init__(self) -> None:
        self.free = threading.Lock()
        self._latest_job = np.zeros(1, dtype=np.int64)  # its number
        self._job = _Job(0, deque(), 0)
        self._entered: list[int] = []  # the job that each worker entered last
        self._finished = np.zeros(0, dtype=np.int64)  # and the one that it finished last
        self._semaphores: list[threading.Semaphore] = []
        self._asleep: list[bool] = []

    def run(self, tasks: deque[Task], helpers: int) -> None:
        """Does all tasks; the caller holds `free`."""
        if helpers > len(self._semaphores):
            self._grow(helpers)
        number = self._job.number + 1
        self._job = job = _Job(number, tasks, helpers)
        self._latest_job[0] = number
        self._wake(helpers)
        job.work()
        # A worker that has not entered by now finds no tasks: nobody has to wait for it.
        for worker in range(helpers):
            while self._entered[worker] == number and not self._has_finished(worker, job):
                pass
        if job.error is not None:
            raise job.error

    def _has_finished(self, worker: int, job: _Job) -> bool:
        """Looks for a while. An interruption has to wait: a worker that went on after it would
        write to arrays that the caller believes to be its own again.
        """
        try:
            if waiting.wait(self._finished, worker * SLOT, job.number, True, YIELDS):
                return True
            time.sleep(NAP)
        except KeyboardInterrupt as error:
            job.error = job.error or error
            job.tasks.clear()
        return False

    def run_program(
        self, program: Callable[..., Any], helpers: int, arguments: tuple[Any, ...]
    ) -> None:
        """Runs a program; the caller holds `free`."""
        if helpers > len(self._semaphores):
            self._grow(helpers)
        number, state = self._job.number + 1, new_state()
        job = _Job(number, deque(), helpers)
        worker = Worker(False, state, self._latest_job, number, YIELDS)
        job.program = program, (worker, *arguments)
        self._job = job
        if any(self._asleep[:helpers]):
            self._latest_job[0] = number
            self._wake(helpers)
        try:
            announce(self._latest_job, number, state, helpers, YIELDS)
            program(Worker(True, state, self._latest_job, number, 0), *arguments)
        finally:  # after an interruption, or arguments that the program cannot be compiled for
            cancel(state)
        if job.error is not None:
            raise job.error

    def _wake(self, helpers: int) -> None:
        for worker in range(helpers):
            if self._asleep[worker]:
                self._semaphores[worker].release()

    def _grow(self, helpers: int) -> None:
        old = len(self._semaphores)
        finished = np.zeros(helpers * SLOT, dtype=np.int64)
        self._finished = finished  # no job is under way, so nobody waits for the old array
        self._entered += [0] * (helpers - old)
        self._asleep += [False] * (helpers - old)
        self._semaphores += [threading.Semaphore(0) for _ in range(helpers - old)]
        for worker in range(old, helpers):
            threading.Thread(
                target=self._live, args=(worker,), name=f"undertow-{worker}", daemon=True
            ).start()

    def _live(self, worker: int) -> None:
        seen, yields = 0, YIELDS
        while True:
            if not waiting.wait(self._latest_job, 0, seen, False, yields):
                self._asleep[worker] = True
                if self._latest_job[0] == seen:
                    self._semaphores[worker].acquire()
                self._asleep[worker] = False
            job = self._job
            if job.number == seen:
                continue  # woken for a job that was over before this worker fell asleep
            seen = job.number
            yields = YIELDS if worker < job.helpers else 0  # who is not asked sleeps at once
            if yields and job.program:
                self._take_part(job)
            elif yields:
                self._entered[worker] = seen
                job.work()
                self._finished[worker * SLOT] = seen
            del job  # its arrays are not kept alive while waiting

    def _take_part(self, job: _Job) -> None:
        assert job.program
        program, arguments = job.program
        try:
            program(*arguments)
        except BaseException as error:  # such as arguments that the program cannot be compiled for
            job.error = job.error or error


_pool = _Pool()
_teams: dict[int, _Pool] = {}


def _team(number: int) -> _Pool:
    """It is kept: its threads sleep until the next run has replicas."""
    return _teams.get(number) or _teams.setdefault(number, _Pool())


def _after_fork() -> None:
    global _pool
    _pool = _Pool()  # the parent's threads do not exist in a forked child
    _teams.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
