"""Several threads inside one compiled program: who takes part, what each does next, and waiting for
one another.

A program is a kernel whose first argument is a `Seat`. All threads of a team run the same program:

    worker = team.enter(seat)
    if worker >= 0:
        while (item := team.take(seat, 0)) < items: ...      # items are handed out one by one
        team.meet(seat, 1)                                   # nobody goes on before all are here
        ...
        team.leave(seat, 2)

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
from undertow.kernels.cpu.spin import LOOKS_PER_OFFER, load, offer_core

LINE = 8  # every number has a cache line of its own
GATE, TEAM, MET, COUNTERS = 0, LINE, 2 * LINE, 3 * LINE
MOST_COUNTERS = 4
CLOSED = 1 << 32  # the gate counts those who entered; this is added when nobody else may


class Seat(NamedTuple):
    """A thread's place in a team."""

    leads: bool  # the thread that called, which decides when the team is complete
    sync: NDArray[np.int64]  # numbers that the team shares
    bell: NDArray[np.int64]  # rings with the number of the next job
    number: int  # of this job
    # how often a thread that is done offers its core before it stops looking out for the next job
    patience: int


def new_sync() -> NDArray[np.int64]:
    """What a team begins with."""
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
def call(bell: Any, number: int, sync: Any, helpers: int, offers: int) -> None:
    """Rings for a job, and waits until `helpers` threads have entered or the core was offered
    `offers` times.

    The bell rings in here, where Python's lock is free for those who come.
    """
    _store(bell, 0, number)
    for _ in range(offers):
        for _ in range(LOOKS_PER_OFFER):
            if load(sync, GATE) >= helpers:
                return
        offer_core()


@kernel
def give_up(sync: Any) -> None:
    """Sends those home who wait for a leader that does not come."""
    if _add(sync, GATE, CLOSED) < CLOSED:
        _store(sync, TEAM, -1)


@piece
def enter(seat: Any) -> Any:
    """This thread's number in the team, or -1 if it comes too late."""
    if seat.leads:
        entered = _add(seat.sync, GATE, CLOSED)
        _store(seat.sync, TEAM, entered + 1)
        return np.int64(0)
    ticket = _add(seat.sync, GATE, 1)
    if ticket >= CLOSED:
        return np.int64(-1)
    while True:
        for _ in range(LOOKS_PER_OFFER):
            size = load(seat.sync, TEAM)
            if size != 0:
                return ticket + 1 if size > 0 else np.int64(-1)
        offer_core()


@piece
def take(seat: Any, counter: Any) -> Any:
    """The next item of a counter: 0, 1, 2 and so on, each given to one thread."""
    return _add(seat.sync, COUNTERS + LINE * counter, 1)


@piece
def meet(seat: Any, times: Any) -> None:
    """Waits until all of the team are here, for the `times`th time."""
    all_here = times * load(seat.sync, TEAM)
    _add(seat.sync, MET, 1)
    while True:
        for _ in range(LOOKS_PER_OFFER):
            if load(seat.sync, MET) >= all_here:
                return
        offer_core()


@piece
def leave(seat: Any, times: Any) -> None:
    """The end: the leader waits for all, the others look out for the next job."""
    if seat.leads:
        meet(seat, times)
        return
    _add(seat.sync, MET, 1)
    for _ in range(seat.patience):
        for _ in range(LOOKS_PER_OFFER):
            if load(seat.bell, 0) != seat.number:
                return
        offer_core()
