"""Where the database's asynchronous calls run: one thread with an event loop, whoever asks.

LanceDB has a blocking interface too. It goes to and fro between threads several times a question, to look up what we
know already, and every time may have to wait for a core: that is 2 of 9 ms, and half of the slowest.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any

_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, waited for."""
    future = asyncio.run_coroutine_threadsafe(work, _running())
    try:
        return future.result()
    except BaseException:  # Ctrl-C among them
        future.cancel()
        raise


def _running() -> asyncio.AbstractEventLoop:
    global _loop
    with _guard:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="undertow-search", daemon=True).start()
        return _loop


def _forget() -> None:
    """In a forked child, whose copy of the thread does not run."""
    global _guard, _loop
    _guard, _loop = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
