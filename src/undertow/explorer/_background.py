"""What is made ready in a thread while the first pages are already shown: compiled kernels, and the overview."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from undertow._errors import UndertowError
from undertow.explorer._answers import State
from undertow.explorer.source import Source

if TYPE_CHECKING:
    from undertow.insight import Overview

logger = logging.getLogger("undertow")


class Stopped(BaseException):
    """The explorer is being closed; not an Exception, so that nobody on the way takes it for a failure."""


class Background:
    """The overview of an index and how far it is. A failure is told, and everything else goes on working."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.state: State = "absent" if source.index is None else "computing"
        self.progress = 0.0
        self.error: str | None = None
        self.overview: Overview | None = None

    def start(self) -> None:
        """Begins, once."""
        if self._source.index is not None and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="undertow-explorer", daemon=True)
            self._thread.start()

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
            self._warm_up()
            self._look()
        except Stopped:
            pass
        except UndertowError as error:
            self._failed(str(error))
        except Exception:
            logger.exception("the overview could not be made")
            self._failed("the overview could not be made: the explorer's terminal says more")

    def _look(self) -> None:
        from undertow.insight import overview_of_index

        assert self._source.index is not None
        self.overview = overview_of_index(self._source.index, progress=self._tell)
        self.progress, self.state = 1.0, "ready"

    def _failed(self, error: str) -> None:
        self.error, self.state = error, "failed"

    def _tell(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise Stopped
        self.progress = min(done / max(total, 1), 1.0)

    def _warm_up(self) -> None:
        """Asks once in each mode, so that kernels are compiled and what is held in memory is read."""
        index = self._source.index
        if index is None or not len(index):
            return
        words = self._source.model.words()
        for mode in ("semantic", "code", "text"):
            if words and not self._stop.is_set():
                index.search(words[0], 1, mode=mode)
