"""Ctrl-C and other signals that end a fit wait until it can be saved: a step of training takes
milliseconds. Who cannot wait repeats them.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Holds back those signals for which there is a handler; only the main thread hears of any."""

    def __init__(self) -> None:
        self._before: dict[int, Callable[..., Any]] = {}
        self._asked: tuple[int, FrameType | None] | None = None

    @property
    def asked(self) -> bool:
        """Whether one came that waits."""
        return self._asked is not None

    def come(self) -> None:
        """What came is handled now, as it would have been without us."""
        asked, self._asked = self._asked, None
        if asked is not None:
            self._before[asked[0]](*asked)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._asked is not None:
            self._before[number](number, frame)
        self._asked = number, frame

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):  # those that are ignored, or end the process, are left alone
                    self._before[number] = handler
                    signal.signal(number, self._hear)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if kind is None:
            self.come()
        self._before.clear()
