"""Listening: a free port, the server, and a clean end."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
from collections.abc import Callable

from undertow._errors import InvalidInput
from undertow.explorer._background import Background
from undertow.explorer._guard import LONGEST_ADDRESS
from undertow.explorer.source import Source

PORT = 8090
TRIED = 50  # ports from there on
QUEUED = 1024  # connections that the system holds until they are taken
ENDED_WITHIN = 5.0  # seconds
LONGEST_REQUEST = LONGEST_ADDRESS + 64 * 1024  # bytes of the first line and the headers


def listening(host: str, port: int | None) -> socket.socket:
    """A socket that is bound to a port: the one given, or else 8090 or the next one that is
    free.
    """
    if not host:
        raise InvalidInput("host must be an address or a name of this machine, got nothing")
    wanted = range(PORT, PORT + TRIED) if port is None else (port,)
    for number in wanted:
        try:
            return _bound(host, number)
        except OSError as error:
            if isinstance(error, socket.gaierror):
                raise InvalidInput(
                    f"host must be an address or a name of this machine, got {host!r:.80}"
                ) from None
            reason = error.strerror or str(error)
    if port is None:
        raise InvalidInput(
            f"a port from {PORT} to {PORT + TRIED - 1} must be free on {host}, got none: {reason}"
        )
    raise InvalidInput(f"port must be one that is free on {host}, got {port}: {reason}")


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it would let two servers have one port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(QUEUED)
    except OSError:
        bound.close()
        raise
    return bound


def address_of(bound: socket.socket, host: str, token: str | None = None) -> str:
    """What to type into a browser on this machine; the token stands where browsers send nothing of
    it.
    """
    port = bound.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    known = "" if token is None else f"#token={token}"
    return f"http://[{shown}]:{port}/{known}" if ":" in shown else f"http://{shown}:{port}/{known}"


class SharedSocket(socket.socket):
    """A socket on which several processes wait: how many may queue is settled once, so that each
    process can be told to take one connection at a time, and leaves the others to the others.
    """

    def listen(self, backlog: int = QUEUED, /) -> None:
        """Listens, whatever number the server underneath asks for."""
        super().listen(QUEUED)


def serve(
    source: Source,
    bound: socket.socket,
    *,
    host: str,
    started: Callable[[], None],
    token: str | None = None,
    background: Background | None = None,
) -> None:
    """Answers until Ctrl-C or the system asks to stop; `started` is called when the first answer
    can be given.

    It ends within seconds, whatever is at work: what has no end by then is cut off.
    """
    import uvicorn

    from undertow.explorer import _connections
    from undertow.explorer.app import create_app

    app = create_app(source, host=host, token=token, background=background)

    quiet = logging.getLogger("uvicorn.error")

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                # errors are logged by the guard; the rest is about being cut off
                quiet.setLevel(logging.CRITICAL)
                started()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            cut_off = threading.Timer(ENDED_WITHIN, _end)
            cut_off.daemon = True
            cut_off.start()
            await super().shutdown(sockets)

    class Connection(_connections.Connection):
        most = _connections.make_room_for_connections()

    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,  # warnings and errors go where the program's own go
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=1,
        h11_max_incomplete_event_size=LONGEST_REQUEST,
        timeout_graceful_shutdown=2,
    )
    shared = SharedSocket(fileno=bound.detach())
    try:
        Server(config).run(sockets=[shared])
    except KeyboardInterrupt:  # how it tells that it was stopped by one
        pass
    finally:
        shared.close()
    if not app.state.background.stop(0):
        _end()


def _end() -> None:
    """Ends the process at once. A thread is deep inside a computation: Python would wait for it and
    for its helpers, or pull it down midway.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
