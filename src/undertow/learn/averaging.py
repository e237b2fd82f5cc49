"""A running average of the parameters: average <- d_t * average + (1 - d_t) * parameters after step
t.

d_t = 1 - 4 / (t + 3) until it reaches the decay asked for, and that decay from then on: the average
reaches back over about the last quarter of a short run, and over the last 1 / (1 - decay) steps of
a long one. Rows of W that stand still are brought up to date when they are touched next, which
gives the same average as doing it at every step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from undertow.engines import AVERAGE, AVERAGED_UNTIL, Gradient, Session
from undertow.model.parameters import Parameters


class RunningAverage:
    """Averages of all learned parameters over the steps of a run, held by its session."""

    def __init__(self, session: Session, decay: float) -> None:
        self._session, self._decay = session, decay
        parameters = session.parameters
        for name, array in parameters.learned().items():
            session.hold(AVERAGE + name, array.copy())
        session.hold(AVERAGED_UNTIL, np.zeros(parameters.words, dtype=np.int64))

    def begin_at(self, step: int) -> None:
        """Counts steps on from `step`; so far the parameters stood still."""
        words = self._session.parameters.words
        self._session.restore({AVERAGED_UNTIL: np.full(words, step, dtype=np.int64)})

    def before_update(self, gradient: Gradient | None, step: int) -> None:
        """Call before step `step` (from 1 on) changes the rows of this gradient (None: all)."""
        self._session.average_rows(gradient, step=step - 1, decay=self._decay)

    def after_update(self, gradient: Gradient, step: int) -> None:
        """Call after step `step`: everything but W."""
        self._session.average_others(gradient, step=step, decay=self._decay)

    def before_meeting(self, words: NDArray[np.int32], since: int) -> None:
        """Call before a meeting changes the rows of these words: up to step `since`, that of the
        meeting before, they stood still. What a meeting agrees on counts for all steps since.
        """
        self._session.average_rows(None, step=since, decay=self._decay, words=words)

    def after_meeting(self, since: int, step: int) -> None:
        """Call after a meeting at step `step`: everything but W."""
        self._session.average_others(None, step=step, decay=self._decay, since=since)

    def parameters(self, step: int) -> Parameters:
        """The averages after step `step`."""
        self._session.average_rows(None, step=step, decay=self._decay)
        now, arrays = self._session.parameters, self._session.arrays()
        averages = {
            name: arrays[AVERAGE + name].astype(array.dtype)
            for name, array in now.learned().items()
        }
        return replace(now, **averages)
