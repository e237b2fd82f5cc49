"""An index that another took the place of is opened again, while the explorer goes on answering.

All that was computed of the old one goes with it: a second application is made of the new index,
and takes over when it is ready. Until then, what cannot be answered is refused with 503, in words.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from undertow.explorer.source import Source

logger = logging.getLogger("undertow")

SAID = (
    "the index has been replaced or its files have changed: it is being opened again, ask again in "
    "a moment"
)


class Reopener:
    """Opens a source again, once at a time, and keeps the application that answers from it."""

    def __init__(self, app: FastAPI, source: Source, make: Callable[[Source], FastAPI]) -> None:
        self._app, self._make = app, make
        self._path = str(source.folder) if source.index is None else source.index.address
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.current: FastAPI | None = None  # None for the first one

    def begin(self) -> None:
        """Begins, unless it is at it. A failure is logged; the next request that fails begins
        anew.
        """
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._open, name="undertow-reopening", daemon=True
                )
                self._thread.start()

    def wait(self) -> None:
        """Until what was begun is done."""
        if self._thread is not None:
            self._thread.join()

    def _open(self) -> None:
        try:
            made = self._make(Source.open(self._path))
        except Exception as error:
            logger.warning("%s could not be opened again: %s", self._path, error)
            return
        before, self._app.state.background = self._app.state.background, made.state.background
        made.state.background.start()
        self.current = made
        before.stop(0.0)
        logger.warning("%s was opened again", self._path)


class Reopened:
    """Hands requests on to the application that answers now."""

    def __init__(self, app: ASGIApp, *, reopener: Reopener) -> None:
        self._app, self._reopener = app, reopener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        current = self._reopener.current if scope["type"] == "http" else None
        await (current or self._app)(scope, receive, send)
