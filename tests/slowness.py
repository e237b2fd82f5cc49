"""Slowness on purpose, so that a test that reads a page too early fails, and not once in a while.

| variable | what it does |
| --- | --- |
| `UNDERTOW_TEST_DELAY=0.4` | what pages ask an explorer for comes 0.4 seconds late |
| `UNDERTOW_TEST_DELAY=0..0.6` | late by times at random, so that answers overtake each other |
| `UNDERTOW_TEST_SLOWDOWN=6` | scripts of pages run at a sixth of their speed |

Nothing else has to be done: `UNDERTOW_TEST_DELAY=0..0.6 python -m pytest tests/explorer`.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from typing import Any

Application = Callable[..., Awaitable[None]]

LATE = ("/api", "/plotly", "/pages/views/")  # answers, and scripts that are loaded when needed


def delays() -> tuple[float, float] | None:
    """The shortest and the longest delay in seconds, or None."""
    given = os.environ.get("UNDERTOW_TEST_DELAY", "")
    if not given:
        return None
    least, _, most = given.partition("..")
    return float(least), float(most or least)


def slowdown() -> float:
    """How many times slower scripts of pages are to run."""
    return float(os.environ.get("UNDERTOW_TEST_SLOWDOWN") or 1)


def slowed(app: Any) -> Any:
    """An application that answers as late as the environment says."""
    between = delays()
    return app if between is None else _Late(app, between)


class _Late:
    def __init__(self, app: Application, between: tuple[float, float]) -> None:
        self._app, self._between = app, between

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(LATE):
            await self._app(scope, receive, send)
            return

        async def late(message: Any) -> None:
            if message["type"] == "http.response.start":  # it is answered, but not told yet
                await asyncio.sleep(random.uniform(*self._between))
            await send(message)

        await self._app(scope, receive, late)
