"""An explorer that listens on a free port, for browsers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.slowness import slowed
from undertow.explorer.serve import address_of, listening
from undertow.explorer.source import Source

if TYPE_CHECKING:
    from undertow.explorer._background import Background

HOST = "127.0.0.1"
PATIENCE = 300.0  # seconds for an overview; only what hangs takes as long


@dataclass(frozen=True)
class Served:
    """Where it listens, and the thread that makes its overview."""

    address: str
    background: Background
    token: str | None = None

    def at(self, route: str) -> str:
        """The address of a page, such as "/topics/3"."""
        return f"{self.address}#{route}"


@contextmanager
def served(
    folder: Path, token: str | None = None, http: Any = "h11", **limits: Any
) -> Iterator[Served]:
    """Shows a folder until the end of the block; the overview is there at its beginning. A page
    that is still open at its end misses answers: close it before, or let it settle.
    """
    import uvicorn

    from undertow.explorer.app import create_app

    bound = listening(HOST, 0)
    app = create_app(Source.open(folder), host=HOST, token=token)
    server = uvicorn.Server(
        uvicorn.Config(
            slowed(app),
            http=http,
            ws="none",
            log_config=None,
            timeout_graceful_shutdown=1,
            **limits,
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        began = time.monotonic()
        while not server.started and time.monotonic() - began < PATIENCE:
            time.sleep(0.01)
        app.state.background.wait(PATIENCE)
        yield Served(address_of(bound, HOST), app.state.background, token)
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()
