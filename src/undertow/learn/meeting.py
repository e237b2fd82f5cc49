"""Where replicas meet: what each moved is brought together, and all go on from the mean.

A run has a home, whose session holds its state: the parameters as of the last meeting, moments, and
running averages. Replicas hold parameters and moments of their own, and no averages: these are of
what was agreed on, and what a meeting agrees on counts for all steps since the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.engines import Engine
from undertow.learn.merging import Moved, added, shared_names
from undertow.learn.replicas import Replica

Words = NDArray[np.int32]
Works = Mapping[int, Callable[[], Any]]  # by the number of the replica
NONE: Words = np.empty(0, dtype=np.int32)


class Meeting:
    """The replicas of a run, and their home."""

    def __init__(self, engine: Engine, home: Replica, crew: Sequence[Replica], words: int) -> None:
        self._engine, self._home, self._crew, self._words = engine, home, crew, words
        self._names = shared_names(home.session, getattr(home.step, "stands_still", ()))
        self._last, self._took_part = 0, set[int]()  # step of the last meeting; replicas since
        for replica in crew:
            replica.begin_at({})

    def begin(self, step: int) -> None:
        """All replicas go on from where the home is, as after a meeting at this step."""
        shared = self._home.session.take([*self._names.rows, *self._names.others])
        for replica in self._crew:
            replica.begin_at(shared)
        self._last, self._took_part = step, set()

    def work(self, works: Works) -> None:
        """Steps of some replicas, as many at a time as the engine has room for."""
        self._took_part |= works.keys()
        self._engine.together([*works.values()])

    def moved(self) -> Moved:
        """What these replicas moved since the last meeting."""
        return self._sums(self._moved_words())

    def settle(self, total: Moved, step: int) -> None:
        """All go on from what all moved together, here and elsewhere."""
        self._bring_rows_up(total.words)
        self._take_over(total)
        self._end(step)

    def here(self, step: int) -> None:
        """The same as `moved` and `settle`, for those who have no others to meet: in place, where
        the engine can.
        """
        words = self._moved_words()
        lists = [NONE, *(words.get(number, NONE) for number in range(len(self._crew)))]
        sessions = [replica.session for replica in (self._home, *self._crew)]
        self._bring_rows_up(_union(lists, self._words))
        in_place = self._engine.meet(sessions, self._names.rows, lists)
        self._take_over(self._sums(dict.fromkeys(words, NONE) if in_place else words))
        self._end(step)

    def _moved_words(self) -> dict[int, Words]:
        """Of each replica that took part, in the order of their numbers."""
        found = dict.fromkeys(sorted(self._took_part), NONE)

        def ask(number: int) -> None:
            found[number] = self._crew[number].session.moved()

        self._engine.together([partial(ask, number) for number in found])
        return found

    def _sums(self, words: Mapping[int, Words]) -> Moved:
        """What replicas bring, of whose rows these are asked for."""
        parts = []
        for number, own in words.items():
            session = self._crew[number].session
            rows, others = session.take(self._names.rows, own), session.take(self._names.others)
            parts.append(Moved(own, np.ones(len(own), dtype=np.int32), rows, others, 1))
        return added(parts) if parts else self._nothing()

    def _nothing(self) -> Moved:
        """What is brought where no replica took a step."""
        session = self._home.session
        others = {name: 0 * array for name, array in session.take(self._names.others).items()}
        return Moved(NONE, NONE, session.take(self._names.rows, NONE), others, 0)

    def _bring_rows_up(self, words: Words) -> None:
        """The averages of rows that are about to change."""
        if self._home.average:
            self._home.average.before_meeting(words, self._last)

    def _take_over(self, total: Moved) -> None:
        rows, others = total.mean_rows(), total.mean_others()
        for replica in (self._home, *self._crew):
            if len(total.words):
                replica.session.restore(rows, total.words)
            if total.replicas:
                replica.session.restore(others)

    def _end(self, step: int) -> None:
        if self._home.average:
            self._home.average.after_meeting(self._last, step)
        self._last, self._took_part = step, set()


def _union(lists: Sequence[Words], words: int) -> Words:
    """The words of any list, ascending."""
    flags = np.zeros(words, dtype=bool)
    for one in lists:
        flags[one] = True
    return np.flatnonzero(flags).astype(np.int32)
