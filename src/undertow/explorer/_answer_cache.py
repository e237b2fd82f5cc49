"""Answers that hold until topics are edited or the overview comes: made once, and dropped then."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from undertow.explorer._background import Background
from undertow.explorer.source import Source

Answer = TypeVar("Answer")
MOST = 128  # answers; a cut of 20 topics takes about 30 kB


class AnswerCache:
    """The last answers for one state of the topics and of the overview, which are never changed in
    place.
    """

    def __init__(self, source: Source, background: Background, most: int = MOST) -> None:
        self._source, self._background, self._most = source, background, most
        self._lock = threading.Lock()
        self._state: tuple[Any, Any] = (None, None)
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Answer]) -> Answer:
        """The answer that is known, or a new one."""
        state = self._current()
        with self._lock:
            if not self._same(state):
                self._answers.clear()
                self._state = state
            if key in self._answers:
                self._answers.move_to_end(key)
                found: Answer = self._answers[key]
                return found
        made = make()
        with self._lock:
            if self._same(state) and self._same(self._current()):  # else it may be of neither state
                self._answers[key] = made
                if len(self._answers) > self._most:
                    self._answers.popitem(last=False)
        return made

    def _current(self) -> tuple[Any, Any]:
        return getattr(self._source.model, "atlas_", None), self._background.overview

    def _same(self, state: tuple[Any, Any]) -> bool:
        return self._state[0] is state[0] and self._state[1] is state[1]
