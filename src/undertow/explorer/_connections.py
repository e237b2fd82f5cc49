"""Connections: how many there may be, and how long a client may take.

The server underneath waits without end for a request to be finished and for an answer to be taken.
A client that is slow, or gone without a word, would hold its connection for ever.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MOST_CONNECTIONS = 1000  # in a process; fewer where the system allows fewer open files
ASKED_WITHIN = 20.0  # seconds from the first letter of a request to its last
TAKEN_WITHIN = 300.0  # seconds for taking an answer
HANDS_FREE = 200  # open files for everything else


class Connection(H11Protocol):
    """A connection that is closed where its client takes too long. Where there are too many, the
    one that has been without a request the longest makes room.
    """

    most = MOST_CONNECTIONS
    asked_within, taken_within = ASKED_WITHIN, TAKEN_WITHIN

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._asking: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None
        self._since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._make_room()
        self._watch()

    def _make_room(self) -> None:
        waiting = [
            one for one in self.connections if isinstance(one, Connection) and not one.is_at_work
        ]
        oldest = min(waiting, key=lambda one: one._since)  # this one is waiting, at least
        if oldest is self:
            self._refuse(503, "there are too many connections: try again later")
        else:
            oldest.transport.abort()
            self.connections.discard(oldest)

    @property
    def is_at_work(self) -> bool:
        """Whether a request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle  # none before the first request
        return cycle is not None and not cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """A part of a request has come."""
        self._since = self.loop.time()
        if not self.transport.is_closing():
            super().data_received(data)
        self._watch()

    def _watch(self) -> None:
        """Lets the time run while a request is not finished; it is not set back by a letter."""
        unfinished = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if self.transport.is_closing() or not unfinished:
            self._asking = _cancelled(self._asking)
        elif self._asking is None:
            self._asking = self.loop.call_later(self.asked_within, self._too_slow)

    def _too_slow(self) -> None:
        self._asking = None
        if self.is_at_work:  # a body that does not come: the answer has begun, or will not
            self.transport.abort()
        else:
            self._refuse(408, f"a request must be sent within {self.asked_within:.0f} seconds")

    def _refuse(self, status: int, error: str) -> None:
        """Says so where that can still be said, and closes."""
        if not self.transport.is_closing() and self.conn.our_state is h11.IDLE:
            body = json.dumps({"error": error}).encode()
            headers = [
                ("content-type", "application/json"),
                ("content-length", str(len(body))),
                ("connection", "close"),
            ]
            response = h11.Response(status_code=status, headers=headers, reason=b"")
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def pause_writing(self) -> None:
        """The client takes its answer more slowly than it is sent."""
        super().pause_writing()
        if self._taking is None:
            self._taking = self.loop.call_later(self.taken_within, self.transport.abort)

    def resume_writing(self) -> None:
        """It has taken nearly all."""
        super().resume_writing()
        self._taking = _cancelled(self._taking)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._asking, self._taking = _cancelled(self._asking), _cancelled(self._taking)
        super().connection_lost(exc)


def _cancelled(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """No timer any more."""
    if timer is not None:
        timer.cancel()
    return None


def make_room_for_connections(most: int = MOST_CONNECTIONS) -> int:
    """Asks the system for so many open files, and says how many connections there may be."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return most
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + HANDS_FREE
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return most
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (ValueError, OSError):
        allowed = soft
    return max(allowed - HANDS_FREE, allowed // 2)
