"""Where replicas meet: what each moved is brought together, and all go on from the mean.

A run has a home, whose session holds its state: the parameters as of the last meeting, moments, and
running averages. Replicas hold parameters and moments of their own, and no averages: these are of
what was agreed on, which stands still between two meetings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.engines import Engine
from undertow.learn.merging import Moved, added, shared_names
from undertow.learn.replicas import Replica

Words = NDArray[np.int32]
NONE: Words = np.empty(0, dtype=np.int32)


class Meeting:
    """The replicas of a run, and their home."""

    def __init__(self, engine: Engine, home: Replica, crew: Sequence[Replica]) -> None:
        self._engine, self._home, self._crew = engine, home, crew
        self._names = shared_names(home.session, getattr(home.step, "stands_still", ()))
        self._took_part = self._since = 0  # replicas; the step of the meeting before
        for replica in crew:
            replica.session.moved()  # from now on it is noted

    def begin(self) -> None:
        """All replicas go on from where the home is."""
        shared = self._home.session.take([*self._names.rows, *self._names.others])
        for replica in self._crew:
            replica.session.restore(shared)
            replica.session.moved()
        self._took_part = 0

    def work(self, works: Sequence[Callable[[], Any]], since: int) -> None:
        """Steps of the first so many replicas, as many at a time as the engine has room for."""
        if not self._took_part:
            self._since = since
        self._took_part = max(self._took_part, len(works))
        self._engine.together(works)

    def moved(self) -> Moved:
        """What these replicas moved since the last meeting."""
        return self._sums(self._moved_words())

    def settle(self, total: Moved, step: int) -> None:
        """All go on from what all moved together, here and elsewhere."""
        self._average(total.words, step)
        rows, others = total.mean_rows(), total.mean_others()
        for replica in (self._home, *self._crew):
            replica.session.restore(rows, total.words)
            if total.replicas:
                replica.session.restore(others)
        self._took_part = 0

    def here(self, step: int) -> None:
        """The same as `moved` and `settle`, for those who have no others to meet: in place, where
        the engine can.
        """
        words = self._moved_words()
        idle = len(self._crew) - len(words)
        sessions = [replica.session for replica in (self._home, *self._crew)]
        lists = [NONE, *words, *[NONE] * idle]
        self._average(_union(lists, sessions[0].parameters.words), step)
        if not self._engine.meet(sessions, self._names.rows, lists):
            self.settle(self._sums(words), step)
            return
        if words:
            others = self._sums([NONE] * len(words)).mean_others()
            for session in sessions:
                session.restore(others)
        self._took_part = 0

    def _moved_words(self) -> list[Words]:
        """Of each replica that took part."""
        found = [NONE] * self._took_part

        def ask(number: int) -> None:
            found[number] = self._crew[number].session.moved()

        self._engine.together([partial(ask, number) for number in range(self._took_part)])
        return found

    def _average(self, words: Words, step: int) -> None:
        """Until now the parameters were those of the last meeting."""
        if self._home.average:
            self._home.average.before_meeting(words, self._since, step)
            self._since = step

    def _sums(self, words: Sequence[Words]) -> Moved:
        """What replicas with these words bring."""
        if not words:
            session = self._home.session
            others = {name: 0 * array for name, array in session.take(self._names.others).items()}
            return Moved(NONE, NONE, session.take(self._names.rows, NONE), others, 0)
        parts = []
        for own, replica in zip(words, self._crew, strict=False):  # the others took no part
            rows = replica.session.take(self._names.rows, own)
            others = replica.session.take(self._names.others)
            parts.append(Moved(own, np.ones(len(own), dtype=np.int32), rows, others, 1))
        return added(parts)


def _union(lists: Sequence[Words], words: int) -> Words:
    """The words of any list, ascending."""
    flags = np.zeros(words, dtype=bool)
    for one in lists:
        flags[one] = True
    return np.flatnonzero(flags).astype(np.int32)
