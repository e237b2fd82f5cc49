"""Requests that are much work take turns: a few are at work, the others wait in the order in which
they came.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import anyio
from fastapi import Request, Response

Answer = TypeVar("Answer")

ABANDONED = 499  # what web servers note where the client has gone; nobody reads it


class Turns:
    """Work takes turns. A request whose client has gone, as happens to all but the last while
    someone types, is dropped when its turn comes.

    As many as are at work wait in front of the threads, so that no thread has to wait for the event
    loop to hand it the next.
    """

    def __init__(self, at_once: int, name: str = "undertow-work") -> None:
        self._turn = anyio.Semaphore(2 * at_once)
        self._threads = ThreadPoolExecutor(at_once, name)
        self.dropped = 0

    async def take(self, request: Request, work: Callable[[], Answer]) -> Answer | Response:
        """Runs the work in a thread when it is its turn."""
        async with self._turn:
            if await request.is_disconnected():
                self.dropped += 1
                return Response(status_code=ABANDONED)
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
