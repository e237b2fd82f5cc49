"""One thread or many: whichever is quicker at the time.

Small steps are quicker alone. So is everything where others use the cores as well, since workers
that wait for one another at a barrier then wait for whole time slices: a step of a millisecond took
16 with two threads on a machine whose two cores were busy (docs/design_notes.md). What is not
chosen is tried now and again, so this costs no search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from undertow.kernels.cpu import pool

SHARE = 0.25  # of the latest call in what is remembered
SHORTEST_REST, LONGEST_REST = 8, 512  # calls between tries; doubled while the choice is confirmed
TRY = 3  # calls


class ChosenProgram:
    """A program that is called again and again, by several workers or by one. `tries`: of how many
    calls a try is; one is enough where waking workers is little beside a call.
    """

    def __init__(
        self, program: Callable[..., Any], *, team: int | None = None, tries: int = TRY
    ) -> None:
        self._program, self._choice, self._team = program, Choice(tries), team

    def __call__(self, threads: int, *arguments: Any, amount: int = 1) -> None:
        """Runs it once, on up to so many threads. `amount`: how much it does in this call, where
        that differs from one to the next.
        """
        many = threads > 1 and self._choice.many()
        began = time.perf_counter()
        pool.run_program(self._program, threads if many else 1, *arguments, team=self._team)
        if threads > 1:
            self._choice.note(many, (time.perf_counter() - began) / amount)


class Choice:
    """Remembers how long calls took, by one thread and by many."""

    def __init__(self, tries: int = TRY) -> None:
        self._tries = tries
        self._seconds = {True: 0.0, False: 0.0}  # of a call, by whether it was by many
        self._many, self._begun = True, False
        self._rest = self._until_next_try = SHORTEST_REST

    def many(self) -> bool:
        """Whether to take many this time."""
        self._until_next_try -= 1
        return self._many != (self._until_next_try < 0)

    def note(self, many: bool, seconds: float) -> None:
        """Remembers how long a call took; the very first one may have been compiled and says
        nothing.
        """
        if not self._begun:
            self._begun = True
            return
        if many != self._many:
            self._note_try(seconds)
            return
        before = self._seconds[many] or seconds
        self._seconds[many] = before + SHARE * (seconds - before)
        if self._seconds[not many] and self._seconds[many] > self._seconds[not many]:
            self._change()

    def _note_try(self, seconds: float) -> None:
        """A try is several calls and the last one counts: the first may have to wake workers that
        are asleep.
        """
        if self._until_next_try > -self._tries:
            return
        self._seconds[not self._many] = seconds
        if seconds < self._seconds[self._many]:
            self._change()
        else:
            self._rest = self._until_next_try = min(2 * self._rest, LONGEST_REST)

    def _change(self) -> None:
        """The other way from now on. This one is tried again soon: it may have been a moment's
        disturbance.
        """
        self._many = not self._many
        self._rest = self._until_next_try = SHORTEST_REST
