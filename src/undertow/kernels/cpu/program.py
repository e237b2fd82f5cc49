"""Several workers inside one compiled program: who takes part, what each does next, and barriers.

A program is a kernel whose first argument is a `Worker`. All workers run the same program:

    number = program.join(worker)
    if number >= 0:
        while (item := program.next_item(worker, 0)) < items: ...  # each is given to one worker
        program.barrier(worker, 1)                      # nobody goes on before all are here
        ...
        program.leave(worker, 2)

Worker 0 is the thread that called. A program of many steps numbers its barriers through, and starts
its counters again.

Nothing of this needs Python's lock. A thread that has to wait for that lock is put to sleep and
comes back 50 microseconds late, which is why short parallel regions strung together in Python never
paid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.cpu.waiting import LOOKS_PER_YIELD, load, yield_core

LINE = 8  # every number has a cache line of its own
JOINED, SIZE, ARRIVED, COUNTERS = 0, LINE, 2 * LINE, 3 * LINE
MOST_COUNTERS = 4
CLOSED = 1 << 32  # JOINED counts those who came; this is added when nobody else may


class Worker(NamedTuple):
    """One of those who run a program."""

    leads: bool  # the thread that called, which decides when everybody is there
    state: NDArray[np.int64]  # numbers that all workers share
    latest_job: NDArray[np.int64]  # the number of the next job appears here
    job: int  # the number of this one
    # how often a worker that is done yields its core before it stops looking out for the next job
    yields: int


def new_state() -> NDArray[np.int64]:
    """What workers begin with."""
    return np.zeros(COUNTERS + MOST_COUNTERS * LINE, dtype=np.int64)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no stubs
def _add(_context: Any, array: Any, _index: Any, _amount: Any) -> Any:
    """Adds to an int64 that other threads read and write, and returns what it was before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(view.data, [arguments[1]])
        return builder.atomic_rmw("add", address, arguments[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]  # numba has no stubs
def _store(_context: Any, array: Any, _index: Any, _value: Any) -> Any:
    """Writes an int64 that other threads read."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        builder.store_atomic(arguments[2], builder.gep(view.data, [arguments[1]]), "release", 8)
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(array, types.intp, types.int64), generate


@kernel
def announce(latest_job: Any, number: int, state: Any, helpers: int, yields: int) -> None:
    """Announces a job, and waits until `helpers` workers have joined or the core was yielded
    `yields` times.

    The number appears in here, where Python's lock is free for those who come.
    """
    _store(latest_job, 0, number)
    for _ in range(yields):
        for _ in range(LOOKS_PER_YIELD):
            if load(state, JOINED) >= helpers:
                return
        yield_core()


@kernel
def cancel(state: Any) -> None:
    """Ends the job for helpers that wait for a leader that will not join."""
    if _add(state, JOINED, CLOSED) < CLOSED:
        _store(state, SIZE, -1)


@piece
def join(worker: Any) -> Any:
    """This worker's number, or -1 if it comes too late."""
    if worker.leads:
        joined = _add(worker.state, JOINED, CLOSED)
        _store(worker.state, SIZE, joined + 1)
        return np.int64(0)
    ticket = _add(worker.state, JOINED, 1)
    if ticket >= CLOSED:
        return np.int64(-1)
    while True:
        for _ in range(LOOKS_PER_YIELD):
            size = load(worker.state, SIZE)
            if size != 0:
                return ticket + 1 if size > 0 else np.int64(-1)
        yield_core()


@piece
def next_item(worker: Any, counter: Any) -> Any:
    """The next item of a counter: 0, 1, 2 and so on, each given to one worker."""
    return _add(worker.state, COUNTERS + LINE * counter, 1)


@piece
def start_again(worker: Any, counter: Any) -> None:
    """The next item of a counter is 0 again. Only one worker may say so, between two barriers
    within which nobody asks for items of this counter.
    """
    _store(worker.state, COUNTERS + LINE * counter, 0)


@piece
def barrier(worker: Any, times: Any) -> None:
    """Waits until all workers are here, for the `times`th time."""
    all_here = times * load(worker.state, SIZE)
    _add(worker.state, ARRIVED, 1)
    while True:
        for _ in range(LOOKS_PER_YIELD):
            if load(worker.state, ARRIVED) >= all_here:
                return
        yield_core()


@piece
def leave(worker: Any, times: Any) -> None:
    """The end: the leader waits for all, the others look out for the next job."""
    if worker.leads:
        barrier(worker, times)
        return
    _add(worker.state, ARRIVED, 1)
    for _ in range(worker.yields):
        for _ in range(LOOKS_PER_YIELD):
            if load(worker.latest_job, 0) != worker.job:
                return
        yield_core()
