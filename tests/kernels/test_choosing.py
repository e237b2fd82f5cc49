"""One thread or many: whichever is quicker at the time, and the other now and again."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from undertow.kernels.cpu import choosing
from undertow.kernels.cpu import program as programs
from undertow.kernels.cpu.choosing import Choice, ChosenProgram

ALONE, MANY = 1.0, 0.6  # seconds of a call that is worth sharing


def _calls(choice: Choice, number: int, *, alone: float = ALONE, many: float = MANY) -> list[bool]:
    """What is chosen in so many calls that take so long."""
    chosen = []
    for _ in range(number):
        chosen.append(choice.many())
        choice.note(chosen[-1], many if chosen[-1] else alone)
    return chosen


def test_the_quicker_way_is_chosen() -> None:
    for many, quicker in ((MANY, True), (2.0, False)):
        chosen = _calls(Choice(), 2000, many=many)
        assert chosen.count(quicker) > 0.97 * len(chosen)
        assert (not quicker) in chosen[-600:]  # the other way is still tried


def test_the_first_call_says_nothing() -> None:
    """It may have been compiled: twenty seconds that never come again."""
    choice = Choice()
    choice.note(choice.many(), 20.0)
    assert all(_calls(choice, choosing.SHORTEST_REST - 1))


def test_a_stall_changes_the_choice_and_quiet_brings_it_back() -> None:
    """Others take the cores: a call by many then takes ten times as long as by one. Later they are
    free again.
    """
    choice = Choice()
    _calls(choice, 1000)
    stalled = _calls(choice, 1000, many=10.0)
    assert stalled.count(True) < 30
    assert sum(10.0 if many else ALONE for many in stalled) < 1.3 * len(stalled)
    assert _calls(choice, 2 * choosing.LONGEST_REST)[-100:].count(True) > 90


def test_the_last_call_of_a_try_counts() -> None:
    """The first ones have to wake workers that went to sleep, and are slow."""
    choice = Choice()
    _calls(choice, 100, many=2.0)  # one is chosen
    chosen: list[bool] = []
    for _ in range(3 * choosing.LONGEST_REST):
        woken = len(chosen) > 1 and all(chosen[-2:])
        chosen.append(choice.many())
        choice.note(chosen[-1], (MANY if woken else 1.2) if chosen[-1] else ALONE)
    assert chosen[-100:].count(True) > 90


def test_a_try_may_be_one_call() -> None:
    """Where calls are long, and waking workers is little beside them."""
    for many, quicker in ((MANY, True), (2.0, False)):
        chosen = _calls(Choice(1), 400, many=many)[20:]
        slower = [place for place, one in enumerate(chosen) if one is not quicker]
        assert slower
        assert all(chosen[place + 1] is quicker for place in slower)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _take_all(worker: Any, taken: Any) -> None:
    if programs.join(worker) >= 0:
        item = programs.next_item(worker, 0)
        while item < taken.size:
            taken[item] += 1
            item = programs.next_item(worker, 0)
        programs.leave(worker, 1)


def test_a_program_by_one_and_by_many_does_the_same() -> None:
    program = ChosenProgram(_take_all)
    for number in range(100):
        taken = np.zeros(100, dtype=np.int64)
        program(1 + number % 3, taken)
        assert (taken == 1).all()
