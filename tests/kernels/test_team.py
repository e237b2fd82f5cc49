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

from undertow.kernels.cpu import spin, team
from undertow.kernels.cpu import threads as threads_module
from undertow.kernels.cpu.team import Seat
from undertow.kernels.cpu.threads import Habit, run, run_together

PATIENCE = 60.0  # seconds after which something hangs; usually it takes milliseconds
LONG = 10**8  # offers of a core: more than anybody needs
ITEMS = 100
Whole = NDArray[np.int64]
sizes = pytest.mark.parametrize("threads", [1, 2, 3, 8])

enter, take, meet, leave, load = team.enter, team.take, team.meet, team.leave, spin.load
TEAM = team.TEAM


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]  # numba has no stubs
def _dawdle(state: int) -> int:
    """Some hundred microseconds of work that the compiler cannot leave out."""
    for _ in range(300_000):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return state


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _take_all(seat: Any, taken: Any, size: Any) -> None:
    """Counts how often each item was taken, and says how many threads there were."""
    if enter(seat) >= 0:
        item = take(seat, 0)
        while item < taken.size:
            taken[item] += 1
            item = take(seat, 0)
        if seat.leads:
            size[0] = load(seat.sync, TEAM)
        leave(seat, 1)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _in_phases(seat: Any, slow: Any, written: Any, read: Any) -> None:
    """In every phase each thread writes a 1 to its own place, and after they have met adds up what
    all have written.

    One thread is slow, so that the others are there long before it. `written` and `read` are
    (phases, threads).
    """
    worker = enter(seat)
    if worker < 0:
        return
    for phase in range(read.shape[0]):
        if worker == slow[phase]:
            written[phase, worker] = _dawdle(worker) * 0
        written[phase, worker] += 1
        meet(seat, phase + 1)
        for i in range(written.shape[1]):
            read[phase, worker] += written[phase, i]
    leave(seat, read.shape[0] + 1)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _dawdle_and_write(seat: Any, done: Any) -> None:
    """All but the leader are slow."""
    worker = enter(seat)
    if worker >= 0:
        if not seat.leads:
            for _ in range(20):
                done[worker] = _dawdle(worker) * 0 + 1
        done[worker] += 1
        leave(seat, 1)


class Helper(threading.Thread):
    """A thread of our own that takes part, so that a test decides who comes and when."""

    def __init__(
        self, program: Callable[..., Any], sync: Whole, bell: Whole, arguments: tuple[Any, ...]
    ) -> None:
        super().__init__(daemon=True)
        self._call = program, (Seat(False, sync, bell, 1, LONG), *arguments)
        self.start()

    def run(self) -> None:
        program, arguments = self._call
        program(*arguments)

    def assert_ends(self) -> None:
        """Within a time that only a thread that hangs exceeds."""
        self.join(PATIENCE)
        assert not self.is_alive()


def _assemble(program: Callable[..., Any], threads: int, *arguments: Any) -> None:
    """Runs a program with a team of exactly this size."""
    sync, bell = team.new_sync(), np.zeros(1, dtype=np.int64)
    helpers = [Helper(program, sync, bell, arguments) for _ in range(threads - 1)]
    team.call(bell, 1, sync, threads - 1, LONG)
    program(Seat(True, sync, bell, 1, 0), *arguments)
    bell[0] = 2  # the next job, which they look out for
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
    sync, bell = team.new_sync(), np.zeros(1, dtype=np.int64)
    helpers = [Helper(_dawdle_and_write, sync, bell, (done,)) for _ in range(threads - 1)]
    team.call(bell, 1, sync, threads - 1, LONG)
    _dawdle_and_write(Seat(True, sync, bell, 1, 0), done)
    seen = done.tolist()
    bell[0] = 2
    for helper in helpers:
        helper.assert_ends()
    assert seen == [1] + [2] * (threads - 1)


def test_numbers_of_workers_are_places_in_the_team() -> None:
    """A table with a row for each thread is indexed by them."""
    written, read = np.zeros((2, 1, 5), dtype=np.int64)
    _assemble(_in_phases, 5, np.array([-1]), written, read)
    assert written.tolist() == [[1] * 5]


def test_a_helper_that_comes_too_late_does_nothing() -> None:
    taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
    sync, bell = team.new_sync(), np.zeros(1, dtype=np.int64)
    _take_all(Seat(True, sync, bell, 1, 0), taken, size)
    assert size[0] == 1
    for _ in range(2):
        taken[:] = 0
        Helper(_take_all, sync, bell, (taken, size)).assert_ends()
        assert (taken == 0).all()
    assert sync[team.MET] == 1


def test_helpers_that_do_not_come_are_not_waited_for() -> None:
    """The bell has rung, and the program goes on with those who are there."""
    taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
    sync, bell = team.new_sync(), np.zeros(1, dtype=np.int64)
    helper = Helper(_take_all, sync, bell, (taken, size))
    team.call(bell, 1, sync, 1, LONG)
    assert bell[0] == 1
    team.call(bell, 1, sync, 7, 10)
    _take_all(Seat(True, sync, bell, 1, 0), taken, size)
    assert (taken == 1).all()
    assert size[0] == 2
    bell[0] = 2
    helper.assert_ends()


def test_who_is_done_looks_out_for_the_next_job() -> None:
    """Until the bell rings with another number, or until patience ends."""
    arguments = (np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64))
    sync, bell = team.new_sync(), np.zeros(1, dtype=np.int64)
    helper = Helper(_take_all, sync, bell, arguments)
    team.call(bell, 1, sync, 1, LONG)
    _take_all(Seat(True, sync, bell, 1, 0), *arguments)
    helper.join(0.1)
    assert helper.is_alive()
    bell[0] = 2
    helper.assert_ends()

    sync = team.new_sync()
    impatient = threading.Thread(
        target=_take_all, args=(Seat(False, sync, bell, 2, 1), *arguments), daemon=True
    )
    impatient.start()
    team.call(bell, 2, sync, 1, LONG)
    _take_all(Seat(True, sync, bell, 2, 0), *arguments)
    impatient.join(PATIENCE)
    assert not impatient.is_alive()


def _taken_together(threads: int, items: int = ITEMS) -> int:
    """Runs a program with the process's own threads, checks it, and gives the size of the team."""
    taken, size = np.zeros(items, dtype=np.int64), np.zeros(1, dtype=np.int64)
    run_together(_take_all, threads, taken, size)
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
def test_the_crew_is_a_team(threads: int) -> None:
    """Once while the helpers are looking out for work, and once after they went to sleep."""
    for pause in (0.0, 0.3):
        time.sleep(pause)
        _assert_helpers_come(threads)


def test_one_thread_is_the_calling_thread() -> None:
    callers = list[int]()
    run_together(lambda seat: callers.append(threading.get_ident()), 1)
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
        run_together(_in_phases, 3, np.full(3, -1), written, read)
        size = int(written[0].sum())  # without helpers that came too late
        assert read.tolist() == [[size] * size + [0] * (3 - size)] * 3


def test_several_python_threads_may_call_at_once() -> None:
    """One of them gets the crew, the others are teams of one."""
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
    """Here in Python; the crew is taken, so the inner one runs alone."""
    sizes: list[int] = []
    run_together(lambda seat: sizes.append(_taken_together(3)) if seat.leads else None, 2)
    assert sizes == [1]


class Broken(Exception):
    """An error of a program."""


def _fail(seat: Seat) -> None:
    raise Broken


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_errors_reach_the_caller(threads: int) -> None:
    """Also that of arguments for which the program cannot be compiled; the helpers survive it."""
    for _ in range(3):
        with pytest.raises(Broken):
            run_together(_fail, threads)
        with pytest.raises(TypingError):
            run_together(_take_all, threads, object(), object())
    _assert_helpers_come(threads)


def test_an_error_of_a_helper_alone_reaches_the_caller() -> None:
    """The caller is kept until the helper has had every chance to fail."""
    failing = threading.Event()

    def fail_elsewhere(seat: Seat) -> None:
        if seat.leads:
            assert failing.wait(PATIENCE)
            time.sleep(0.2)
        else:
            failing.set()
            raise Broken

    with pytest.raises(Broken):
        run_together(fail_elsewhere, 2)
    _assert_helpers_come(2)


def _send_team(connection: Connection) -> None:
    _assert_helpers_come(2)  # the child has helpers of its own
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
    child = context.Process(target=_send_team, args=(sender,))
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
    sync, bell = team.new_sync(), np.zeros(1, dtype=np.int64)
    taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
    helper = Helper(_take_all, sync, bell, (taken, size))
    team.call(bell, 0, sync, 1, LONG)
    team.give_up(sync)
    helper.assert_ends()
    assert (taken == 0).all()


def test_giving_up_after_the_end_changes_nothing() -> None:
    sync, bell = team.new_sync(), np.zeros(1, dtype=np.int64)
    taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
    _take_all(Seat(True, sync, bell, 1, 0), taken, size)
    team.give_up(sync)
    assert sync[TEAM] == 1
    assert (taken == 1).all()


def test_the_crew_goes_on_after_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, size = np.zeros(ITEMS, np.int64), np.zeros(1, np.int64)

    def interrupted(bell: Whole, number: int, sync: Whole, helpers: int, offers: int) -> None:
        team.call(bell, number, sync, helpers, LONG)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threads_module, "call", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_together(_take_all, 2, taken, size)
    assert (taken == 0).all()
    deadline = time.monotonic() + PATIENCE
    while size[0] < 2:  # sooner or later the helper takes part again
        run_together(_take_all, 2, taken, size)
        assert time.monotonic() < deadline


ALONE, TOGETHER = 1.0, 0.6  # seconds of a call that is worth sharing


def _calls(
    habit: Habit, number: int, *, alone: float = ALONE, together: float = TOGETHER
) -> list[bool]:
    """What a habit chooses in so many calls that take so long."""
    chosen = []
    for _ in range(number):
        chosen.append(habit.choose())
        habit.note(chosen[-1], together if chosen[-1] else alone)
    return chosen


def test_the_quicker_way_becomes_a_habit() -> None:
    for together, quicker in ((TOGETHER, True), (2.0, False)):
        chosen = _calls(Habit(), 2000, together=together)
        assert chosen.count(quicker) > 0.97 * len(chosen)
        assert (not quicker) in chosen[-600:]  # the other way is still tried


def test_the_first_call_says_nothing() -> None:
    """It may have been compiled: twenty seconds that never come again."""
    habit = Habit()
    habit.note(habit.choose(), 20.0)
    assert all(_calls(habit, threads_module.SHORTEST_REST - 1))


def test_a_stall_ends_the_habit_and_quiet_brings_it_back() -> None:
    """Others take the cores: together a call then takes ten times as long as alone. Later they are
    free again.
    """
    habit = Habit()
    _calls(habit, 1000)
    stalled = _calls(habit, 1000, together=10.0)
    assert stalled.count(True) < 30
    assert sum(10.0 if together else ALONE for together in stalled) < 1.3 * len(stalled)
    assert _calls(habit, 2 * threads_module.LONGEST_REST)[-100:].count(True) > 90


def test_the_last_call_of_a_try_counts() -> None:
    """The first ones have to wake threads that went to sleep, and are slow."""
    habit = Habit()
    _calls(habit, 100, together=2.0)  # the habit is to go alone
    chosen: list[bool] = []
    for _ in range(3 * threads_module.LONGEST_REST):
        woken = len(chosen) > 1 and all(chosen[-2:])
        chosen.append(habit.choose())
        habit.note(chosen[-1], (TOGETHER if woken else 1.2) if chosen[-1] else ALONE)
    assert chosen[-100:].count(True) > 90


def test_a_program_alone_and_together_does_the_same() -> None:
    program = threads_module.Program(_take_all, 2)
    for _ in range(100):
        taken, size = np.zeros(ITEMS, dtype=np.int64), np.zeros(1, dtype=np.int64)
        program(taken, size)
        assert (taken == 1).all()
