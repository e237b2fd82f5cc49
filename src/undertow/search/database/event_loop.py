"""Where the database's asynchronous calls run: one thread with an event loop, whoever asks.

LanceDB has a blocking interface too. It goes to and fro between threads several times a question,
to look up what we know already, and every time may have to wait for a core: that is 2 of 9 ms, and
half of the slowest.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

PAUSE = 0.2  # seconds

_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, waited for."""
    future = asyncio.run_coroutine_threadsafe(work, _running())
    try:
        return _waited_for(future)
    except BaseException:  # Ctrl-C among them
        future.cancel()
        raise


def run_whole(work: Coroutine[Any, Any, Any], stop: Callable[[], None]) -> Any:
    """The same for work that goes on when it is cancelled: it is asked to stop, and has ended when
    this returns.
    """
    future = asyncio.run_coroutine_threadsafe(work, _running())
    try:
        return _waited_for(future)
    except BaseException:
        stop()
        future.exception()
        raise


def _waited_for(future: Future[Any]) -> Any:
    """Wakes up now and then: polars handles Ctrl-C so that a wait without end goes on, and Python
    hears of it later.
    """
    while not future.done():
        with suppress(TimeoutError):
            return future.result(PAUSE)
    return future.result()


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
