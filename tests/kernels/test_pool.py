"""The threads: every task once, errors handed on, and no way to hang them: from many threads,
nested, or after a fork.
"""

from __future__ import annotations

import _thread
import multiprocessing
import re
import threading
import time
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

from tests.oracles.engine import make_case
from undertow._errors import InvalidInput
from undertow.engines.cpu import CpuEngine
from undertow.kernels.cores import thread_count
from undertow.kernels.cpu.pool import run
from undertow.kernels.cpu.splitting import split
from undertow.vectors import posteriors

PATIENCE = 300.0  # seconds after which something hangs; usually it takes milliseconds


@pytest.mark.parametrize("threads", [1, 2, 3, 50])
@pytest.mark.parametrize("tasks", [0, 1, 2, 100])
def test_every_task_runs_once(tasks: int, threads: int) -> None:
    done: list[int] = []
    run([(done.append, (i,)) for i in range(tasks)], threads)
    assert Counter(done) == Counter(range(tasks))


def test_one_thread_is_the_calling_thread_in_order() -> None:
    done: list[tuple[int, int]] = []
    run([(lambda i: done.append((i, threading.get_ident())), (i,)) for i in range(10)], 1)
    assert done == [(i, threading.get_ident()) for i in range(10)]


@pytest.mark.parametrize("pause", [0.0, 2e-4, 5e-3], ids=["at once", "nearly asleep", "asleep"])
def test_regions_in_succession_lose_and_repeat_nothing(pause: float) -> None:
    """With helpers that are still looking out for work, about to go to sleep, and asleep; also more
    of them, then fewer.
    """
    for region in range(2000 if pause == 0.0 else 100):
        done: list[int] = []
        run([(done.append, (i,)) for i in range(5)], 2 + region % 4)
        assert sorted(done) == [0, 1, 2, 3, 4]
        time.sleep(pause)


@pytest.mark.parametrize("helpers", [1, 4])
def test_helpers_wake_up(helpers: int) -> None:
    """Every task waits for all others, so each needs a thread of its own, after a pause in which
    all go to sleep.
    """
    for _ in range(2):
        time.sleep(0.3)  # however many helpers other tests have left behind, looking out for work
        barrier = threading.Barrier(1 + helpers, timeout=PATIENCE)
        run([(barrier.wait, ())] * (1 + helpers), 1 + helpers)


class Broken(Exception):
    """An error of a task."""


def _fail_in(thread: str, barrier: threading.Barrier) -> None:
    """Two tasks that meet, so that each thread has one; that of the caller or that of the helper
    fails.
    """
    caller = threading.current_thread() is threading.main_thread()
    barrier.wait()
    if caller == (thread == "caller"):
        raise Broken(thread)


@pytest.mark.parametrize("thread", ["caller", "helper"])
def test_errors_of_either_thread_reach_the_caller(thread: str) -> None:
    barrier = threading.Barrier(2, timeout=PATIENCE)
    with pytest.raises(Broken, match=thread):
        run([(_fail_in, (thread, barrier))] * 2, 2)
    test_helpers_wake_up(1)  # the helper has survived


def _fail_here_or_be_slow(barrier: threading.Barrier, ended: list[bool]) -> None:
    barrier.wait()
    if threading.current_thread() is threading.main_thread():
        raise Broken
    time.sleep(0.2)
    ended.append(True)


def test_no_task_is_still_running_after_an_error() -> None:
    """A task that went on would write to arrays that the caller believes to be its own again."""
    barrier, ended = threading.Barrier(2, timeout=PATIENCE), list[bool]()
    with pytest.raises(Broken):
        run([(_fail_here_or_be_slow, (barrier, ended))] * 2, 2)
    assert ended == [True]


def _interrupt_the_other_and_be_slow(barrier: threading.Barrier, ended: list[bool]) -> None:
    barrier.wait()
    if threading.current_thread() is not threading.main_thread():
        time.sleep(0.1)  # the other waits by now
        _thread.interrupt_main()
        time.sleep(0.3)
        ended.append(True)


def test_no_task_is_still_running_after_an_interruption() -> None:
    barrier, ended = threading.Barrier(2, timeout=PATIENCE), list[bool]()
    with pytest.raises(KeyboardInterrupt):
        run([(_interrupt_the_other_and_be_slow, (barrier, ended))] * 2, 2)
    assert ended == [True]
    test_helpers_wake_up(1)


def test_nothing_new_is_begun_after_an_error() -> None:
    done: list[int] = []

    def fail() -> None:
        raise Broken

    with pytest.raises(Broken):
        run([(fail, ()), (done.append, (1,))], 1)
    assert done == []


def test_tasks_may_run_tasks() -> None:
    """Deeper and wider than there are helpers: a caller that takes tasks itself never waits for a
    free one.
    """
    done: list[int] = []

    def branch(depth: int) -> None:
        if depth == 0:
            done.append(1)
        else:
            run([(branch, (depth - 1,))] * 3, 3)

    branch(5)
    assert len(done) == 3**5


CASE = make_case(words=40, units=65, documents=200, most_tokens=40)


def _posteriors(threads: int = 3) -> Any:
    return posteriors(CASE.parameters, CASE.batch(), engine=CpuEngine(threads))


def test_several_python_threads_may_transform_at_once() -> None:
    alone = _posteriors(threads=1)
    results: list[Any] = []
    callers = [
        threading.Thread(target=lambda: results.extend(_posteriors() for _ in range(20)))
        for _ in range(6)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(PATIENCE)
        assert not caller.is_alive()
    assert len(results) == 120
    for result in results:
        np.testing.assert_array_equal(result, alone)


def _send_posteriors(connection: Connection) -> None:
    test_helpers_wake_up(1)  # the child has helpers of its own
    connection.send_bytes(_posteriors().tobytes())


# From Python 3.12 on forking a process with threads warns, for good reasons; that it works here is
# what is tested.
@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"
)
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system"
)
def test_a_fork_survives() -> None:
    """The parent's helpers are running when the child is made; the child computes the same, and
    then the parent too.
    """
    alone = _posteriors()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send_posteriors, args=(sender,))
    child.start()
    try:
        assert receiver.poll(PATIENCE), "the child hangs"
        assert receiver.recv_bytes() == alone.tobytes()
        child.join(PATIENCE)
        assert child.exitcode == 0
    finally:
        child.kill()
        child.join()
    np.testing.assert_array_equal(_posteriors(), alone)


@pytest.mark.parametrize("items", [0, 1, 2, 5, 64, 65])
@pytest.mark.parametrize("threads", [1, 2, 3, 40])
@pytest.mark.parametrize("least", [1, 32])
def test_split_covers_every_item_once(items: int, threads: int, least: int) -> None:
    tasks = list(split(print, items, threads, "more", least=least))
    assert all(function is print and arguments[2:] == ("more",) for function, arguments in tasks)
    covered = [item for _, (first, last, *_) in tasks for item in range(first, last)]
    assert covered == list(range(items))
    assert len(tasks) <= (1 if threads == 1 else max(min(2 * threads, items // least), 1))


def test_thread_count() -> None:
    assert thread_count(3) == 3
    assert thread_count(None) == thread_count(-1) >= 1


@pytest.mark.parametrize("wrong", [0, -2, 1.5, "2", True])
def test_thread_count_refuses(wrong: Any) -> None:
    message = f"threads must be a whole number of at least 1, got {wrong!r}"
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        thread_count(wrong)
