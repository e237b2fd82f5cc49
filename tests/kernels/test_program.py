"""Programs that several threads run together: every item once, nobody too early, and no way to hang
them.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

from undertow.kernels.cpu import pool as pool_module
from undertow.kernels.cpu import program as programs
from undertow.kernels.cpu import waiting
from undertow.kernels.cpu.pool import run, run_program
from undertow.kernels.cpu.program import Worker

PATIENCE = 300.0  # seconds after which something hangs; usually it takes milliseconds
LONG = 10**8  # yields of a core: more than anybody needs
ITEMS = 100
Whole = NDArray[np.int64]
sizes = pytest.mark.parametrize("threads", [1, 2, 3, 8])

join, next_item, start_again, barrier, leave = (
    programs.join,
    programs.next_item,
    programs.start_again,
    programs.barrier,
    programs.leave,
)
load, SIZE = waiting.load, programs.SIZE


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]  # numba has no stubs
def _dawdle(state: int) -> int:
    """Some hundred microseconds of work that the compiler cannot leave out."""
    for _ in range(300_000):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return state


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _take_all(worker: Any, taken: Any, size: Any) -> None:
    """Counts how often each item was taken, and says how many threads there were."""
    if join(worker) >= 0:
        item = next_item(worker, 0)
        while item < taken.size:
            taken[item] += 1
            item = next_item(worker, 0)
        if worker.leads:
            size[0] = load(worker.state, SIZE)
        leave(worker, 1)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _in_phases(worker: Any, slow: Any, written: Any, read: Any) -> None:
    """In every phase each thread writes a 1 to its own place, and after they have met adds up what
    all have written.

    One thread is slow, so that the others are there long before it. `written` and `read` are
    (phases, threads).
    """
    number = join(worker)
    if number < 0:
        return
    for phase in range(read.shape[0]):
        if number == slow[phase]:
            written[phase, number] = _dawdle(number) * 0
        written[phase, number] += 1
        barrier(worker, phase + 1)
        for i in range(written.shape[1]):
            read[phase, number] += written[phase, i]
    leave(worker, read.shape[0] + 1)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _dawdle_and_write(worker: Any, done: Any) -> None:
    """All but the leader are slow."""
    number = join(worker)
    if number >= 0:
        if not worker.leads:
            for _ in range(20):
                done[number] = _dawdle(number) * 0 + 1
        done[number] += 1
        leave(worker, 1)


class Helper(threading.Thread):
    """A thread of our own that takes part, so that a test decides who comes and when."""

    def __init__(
        self,
        program: Callable[..., Any],
        state: Whole,
        latest_job: Whole,
        arguments: tuple[Any, ...],
    ) -> None:
        super().__init__(daemon=True)
        self._call = program, (Worker(False, state, latest_job, 1, LONG), *arguments)
        self.start()

    def run(self) -> None:
        program, arguments = self._call
        program(*arguments)

    def assert_ends(self) -> None:
        """Within a time that only a thread that hangs exceeds."""
        self.join(PATIENCE)
        assert not self.is_alive()


def _assemble(program: Callable[..., Any], threads: int, *arguments: Any) -> None:
    """Runs a program with exactly so many workers."""
    state, latest_job = programs.new_state(), np.zeros(1, dtype=np.int64)
    helpers = [Helper(program, state, latest_job, arguments) for _ in range(threads - 1)]
    programs.announce(latest_job, 1, state, threads - 1, LONG)
    program(Worker(True, state, latest_job, 1, 0), *arguments)
    latest_job[0] = 2  # the next job, which they look out for
    for helper in helpers:
        helper.assert_ends()


@sizes
def test_every_item_is_taken_once(threads: int) -> None:
    taken, size = np.zeros(10_000, dtype=np.int64), np.zeros(1, dtype=np.int64)
    _assemble(_take_all, threads, taken, size)
    assert (taken == 1).all()
    assert size[0] == threads


@sizes
def test_nobody_goes_on_before_all_are_there(threads: int) -> None:
    """Whoever is slow, and however often they have met."""
    for slow in range(threads):
        turns = (slow + np.arange(3)) % threads
        written, read = np.zeros((2, 3, threads), dtype=np.int64)
        _assemble(_in_phases, threads, turns, written, read)
        assert (read == threads).all()


@sizes
def test_the_leader_leaves_last(threads: int) -> None:
    """Whoever called believes that the arrays are its own again."""
    done = np.zeros(threads, dtype=np.int64)
    state, latest_job = programs.new_state(), np.zeros(1, dtype=np.int64)
    helpers = [Helper(_dawdle_and_write, state, latest_job, (done,)) for _ in range(threads - 1)]
    programs.announce(latest_job, 1, state, threads - 1, LONG)
    _dawdle_and_write(Worker(True, state, latest_job, 1, 0), done)
    seen = done.tolist()
    latest_job[0] = 2
    for helper in helpers:
        helper.assert_ends()
    assert seen == [1] + [2] * (threads - 1)


def test_workers_are_numbered() -> None:
    """A table with a row for each thread is indexed by them."""
    written, read = np.zeros((2, 1, 5), dtype=np.int64)
    _assemble(_in_phases, 5, np.array([-1]), written, read)
    assert written.tolist() == [[1] * 5]


def test_a_helper_that_comes_too_late_does_nothing() -> None:
    taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
    state, latest_job = programs.new_state(), np.zeros(1, dtype=np.int64)
    _take_all(Worker(True, state, latest_job, 1, 0), taken, size)
    assert size[0] == 1
    for _ in range(2):
        taken[:] = 0
        Helper(_take_all, state, latest_job, (taken, size)).assert_ends()
        assert (taken == 0).all()
    assert state[programs.ARRIVED] == 1


def test_helpers_that_do_not_come_are_not_waited_for() -> None:
    """The latest_job has rung, and the program goes on with those who are there."""
    taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
    state, latest_job = programs.new_state(), np.zeros(1, dtype=np.int64)
    helper = Helper(_take_all, state, latest_job, (taken, size))
    programs.announce(latest_job, 1, state, 1, LONG)
    assert latest_job[0] == 1
    programs.announce(latest_job, 1, state, 7, 10)
    _take_all(Worker(True, state, latest_job, 1, 0), taken, size)
    assert (taken == 1).all()
    assert size[0] == 2
    latest_job[0] = 2
    helper.assert_ends()


def test_who_is_done_looks_out_for_the_next_job() -> None:
    """Until the latest_job rings with another number, or until patience ends."""
    arguments = (np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64))
    state, latest_job = programs.new_state(), np.zeros(1, dtype=np.int64)
    helper = Helper(_take_all, state, latest_job, arguments)
    programs.announce(latest_job, 1, state, 1, LONG)
    _take_all(Worker(True, state, latest_job, 1, 0), *arguments)
    helper.join(0.1)
    assert helper.is_alive()
    latest_job[0] = 2
    helper.assert_ends()

    state = programs.new_state()
    impatient = threading.Thread(
        target=_take_all, args=(Worker(False, state, latest_job, 2, 1), *arguments), daemon=True
    )
    impatient.start()
    programs.announce(latest_job, 2, state, 1, LONG)
    _take_all(Worker(True, state, latest_job, 2, 0), *arguments)
    impatient.join(PATIENCE)
    assert not impatient.is_alive()


def _taken_together(threads: int, items: int = ITEMS) -> int:
    """Runs a program with the process's own threads, checks it, and gives how many took part."""
    taken, size = np.zeros(items, dtype=np.int64), np.zeros(1, dtype=np.int64)
    run_program(_take_all, threads, taken, size)
    assert (taken == 1).all()
    assert 1 <= size[0] <= threads
    return int(size[0])


def _assert_helpers_come(threads: int) -> None:
    """Who comes late is not waited for, so several attempts may be needed on a machine that is
    busy.
    """
    deadline = time.monotonic() + PATIENCE
    while _taken_together(threads) < threads:
        assert time.monotonic() < deadline, "no helper ever came"


@sizes
def test_the_pool_runs_programs(threads: int) -> None:
    """Once while the helpers are looking out for work, and once after they went to sleep."""
    for pause in (0.0, 0.3):
        time.sleep(pause)
        _assert_helpers_come(threads)


def test_one_thread_is_the_calling_thread() -> None:
    callers = list[int]()
    run_program(lambda worker: callers.append(threading.get_ident()), 1)
    assert callers == [threading.get_ident()]


@pytest.mark.parametrize("pause", [0.0, 2e-4, 5e-3], ids=["at once", "nearly asleep", "asleep"])
def test_programs_in_succession_lose_and_repeat_nothing(pause: float) -> None:
    """With helpers that are still looking out for work, about to go to sleep, and asleep; also more
    of them, then fewer, and with tasks of the other kind in between.
    """
    for number in range(2000 if pause == 0.0 else 100):
        _taken_together(1 + number % 5)
        if number % 3 == 0:
            done: list[int] = []
            run([(done.append, (i,)) for i in range(5)], 2 + number % 2)
            assert sorted(done) == [0, 1, 2, 3, 4]
        time.sleep(pause)


def test_phases_in_succession() -> None:
    """Nobody is confused by what the program before has left behind."""
    for _ in range(300):
        written, read = np.zeros((2, 3, 3), dtype=np.int64)
        run_program(_in_phases, 3, np.full(3, -1), written, read)
        size = int(written[0].sum())  # without helpers that came too late
        assert read.tolist() == [[size] * size + [0] * (3 - size)] * 3


def test_several_python_threads_may_call_at_once() -> None:
    """One of them gets the pool, the others work alone."""
    counts: list[int] = []

    def call() -> None:
        counts.extend(_taken_together(3) for _ in range(200))

    callers = [threading.Thread(target=call) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(PATIENCE)
        assert not caller.is_alive()
    assert len(counts) == 1200


def test_tasks_may_run_programs() -> None:
    sizes: list[int] = []
    run([(lambda: sizes.append(_taken_together(3)), ())] * 20, 3)
    assert sizes == [1] * 20


def test_programs_may_run_programs() -> None:
    """Here in Python; the pool is taken, so the inner one runs alone."""
    sizes: list[int] = []
    run_program(lambda worker: sizes.append(_taken_together(3)) if worker.leads else None, 2)
    assert sizes == [1]


def test_teams_work_while_the_pool_is_taken() -> None:
    """Each with helpers of its own; a team that is taken leaves its second caller alone."""
    sizes: dict[int, int] = {}

    def of_team(team: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while sizes.get(team, 0) < 2 and time.monotonic() < deadline:
            taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
            run_program(_take_all, 2, taken, size, team=team)
            assert (taken == 1).all()
            sizes[team] = int(size[0])

    run([(of_team, (team,)) for team in (0, 1, 2)], 3)
    assert sizes == {0: 2, 1: 2, 2: 2}
    inner: list[int] = []

    def nested(worker: Worker) -> None:
        if worker.leads:
            size = np.zeros(1, dtype=np.int64)
            run_program(_take_all, 2, np.zeros(ITEMS, dtype=np.int64), size, team=1)
            inner.append(int(size[0]))

    run_program(nested, 2, team=1)
    assert inner == [1]


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _again_and_again(worker: Any, taken: Any) -> None:
    """The items of every round, shared out by one counter, which starts again between barriers."""
    number = join(worker)
    if number < 0:
        return
    for round_ in range(taken.shape[0]):
        if number == 0:
            start_again(worker, 1)
        barrier(worker, 2 * round_ + 1)
        item = next_item(worker, 1)
        while item < taken.shape[1]:
            taken[round_, item] += 1
            item = next_item(worker, 1)
        barrier(worker, 2 * round_ + 2)
    leave(worker, 2 * taken.shape[0] + 1)


@sizes
def test_counters_start_again(threads: int) -> None:
    for _ in range(20):
        taken = np.zeros((50, 9), dtype=np.int64)
        run_program(_again_and_again, threads, taken)
        assert (taken == 1).all()


class Broken(Exception):
    """An error of a program."""


def _fail(worker: Worker) -> None:
    raise Broken


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_errors_reach_the_caller(threads: int) -> None:
    """Also that of arguments for which the program cannot be compiled; the helpers survive it."""
    for _ in range(3):
        with pytest.raises(Broken):
            run_program(_fail, threads)
        with pytest.raises(TypingError):
            run_program(_take_all, threads, object(), object())
    _assert_helpers_come(threads)


def test_an_error_of_a_helper_alone_reaches_the_caller() -> None:
    """The caller is kept until the helper has had every chance to fail."""
    failing = threading.Event()

    def fail_elsewhere(worker: Worker) -> None:
        if worker.leads:
            assert failing.wait(PATIENCE)
            while pool_module._pool._job.error is None:  # the helper is about to tell
                time.sleep(0.001)
        else:
            failing.set()
            raise Broken

    with pytest.raises(Broken):
        run_program(fail_elsewhere, 2)
    _assert_helpers_come(2)


def _send_workers(connection: Connection) -> None:
    _assert_helpers_come(2)  # the child has helpers of its own
    assert not pool_module._teams
    connection.send(_taken_together(2, items=1000))


# From Python 3.12 on forking a process with threads warns, for good reasons; that it works here is
# what is tested.
@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"
)
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system"
)
def test_a_fork_survives() -> None:
    """The parent's helpers are running when the child is made."""
    _assert_helpers_come(3)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send_workers, args=(sender,))
    child.start()
    try:
        assert receiver.poll(PATIENCE), "the child hangs"
        assert receiver.recv() in (1, 2)
        child.join(PATIENCE)
        assert child.exitcode == 0
    finally:
        child.kill()
        child.join()
    _assert_helpers_come(3)


def test_an_interruption_sends_those_who_came_home() -> None:
    """Ctrl-C after helpers have entered and before the leader has: they must not wait for it for
    ever.
    """
    state, latest_job = programs.new_state(), np.zeros(1, dtype=np.int64)
    taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
    helper = Helper(_take_all, state, latest_job, (taken, size))
    programs.announce(latest_job, 0, state, 1, LONG)
    programs.cancel(state)
    helper.assert_ends()
    assert (taken == 0).all()


def test_giving_up_after_the_end_changes_nothing() -> None:
    state, latest_job = programs.new_state(), np.zeros(1, dtype=np.int64)
    taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
    _take_all(Worker(True, state, latest_job, 1, 0), taken, size)
    programs.cancel(state)
    assert state[SIZE] == 1
    assert (taken == 1).all()


def test_the_pool_goes_on_after_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, size = np.zeros(ITEMS, np.int64), np.zeros(1, np.int64)

    def interrupted(
        latest_job: Whole, number: int, state: Whole, helpers: int, yields: int
    ) -> None:
        programs.announce(latest_job, number, state, helpers, LONG)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pool_module, "announce", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_program(_take_all, 2, taken, size)
    assert (taken == 0).all()
    deadline = time.monotonic() + PATIENCE
    while size[0] < 2:  # sooner or later the helper takes part again
        run_program(_take_all, 2, taken, size)
        assert time.monotonic() < deadline


ALONE, TOGETHER = 1.0, 0.6  # seconds of a call that is worth sharing
