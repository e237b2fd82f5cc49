"""What is made ready in a thread while the first pages are already shown: compiled kernels, and the
overview.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from undertow._errors import UndertowError
from undertow.explorer._answers import State
from undertow.explorer.source import Source

if TYPE_CHECKING:
    from undertow.insight import Overview

PAUSE = 0.2  # seconds

logger = logging.getLogger("undertow")


class Stopped(BaseException):
    """The explorer is being closed; not an Exception, so that nobody on the way takes it for a
    failure.
    """


class Background:
    """The overview of an index and how far it is. A failure is told, and everything else goes on
    working. One that waits leaves the work to another process, and reads what that has stored.
    """

    def __init__(self, source: Source, *, waits: bool = False) -> None:
        self._source, self._waits = source, waits
        self._told = threading.Event()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._first: tuple[Callable[[], object], ...] = ()
        self.state: State = "absent" if source.index is None else "computing"
        self.progress = 0.0
        self.error: str | None = None
        self.overview: Overview | None = None

    def first(self, *work: Callable[[], object]) -> None:
        """What is to be done before the overview, so that the first who asks does not wait for
        it.
        """
        self._first += work

    def start(self) -> None:
        """Begins, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="undertow-explorer", daemon=True)
            self._thread.start()

    def tell(self, state: State, progress: float, error: str | None) -> None:
        """Of one that waits: how far the process is that makes the overview."""
        if self.state == "computing":
            self.progress = progress
        if state == "failed" and error is not None:
            self._failed(error)
        if state != "computing":
            self._told.set()

    def wait(self, seconds: float | None = None) -> None:
        """Until it is done, at most so long."""
        if self._thread is not None:
            self._thread.join(seconds)

    def stop(self, seconds: float) -> bool:
        """Asks it to end and waits so long; says whether it has."""
        self._stop.set()
        self.wait(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._look_up()
            for work in self._first:
                self._warm_up(work)
            self._look()
        except Stopped:
            pass
        except UndertowError as error:
            self._failed(str(error))
        except Exception:
            logger.exception("the overview could not be made")
            self._failed("the overview could not be made: the explorer's terminal says more")

    def _warm_up(self, work: Callable[[], object]) -> None:
        if self._stop.is_set():
            raise Stopped
        try:
            work()
        except Exception:  # whoever asks for it will be told
            logger.debug("what was to be made ready beforehand failed", exc_info=True)

    def _look_up(self) -> None:
        """An overview that is stored takes no time, so it comes first."""
        from undertow.insight import stored_overview

        if self._source.index is not None:
            self._ready(stored_overview(self._source.index))

    def _look(self) -> None:
        from undertow.insight import overview_of_index

        while self._waits and self.overview is None and not self._told.wait(PAUSE):
            if self._stop.is_set():
                raise Stopped
        if self._waits:
            self._look_up()
        if self.state == "failed":
            return
        if self._source.index is not None and self.overview is None:
            self._ready(overview_of_index(self._source.index, progress=self._tell))

    def _ready(self, overview: Overview | None) -> None:
        if overview is not None:
            self.overview, self.progress, self.state = overview, 1.0, "ready"

    def _failed(self, error: str) -> None:
        self.error = error
        if self._source.index is not None:
            self.state = "failed"

    def _tell(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise Stopped
        self.progress = min(done / max(total, 1), 1.0)
