"""Clients that are slow, silent, greedy or broken do not keep the explorer from others."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.explorer.serving import served
from tests.explorer.test_command import free_port
from undertow.explorer._connections import Connection, make_room_for_connections
from undertow.explorer.serve import LONGEST_REQUEST

LONG = 120.0  # seconds: nothing here should take as long
HOST = b"Host: 127.0.0.1\r\n"
BROKEN = (
    b"\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),  # somebody tries https
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n" + HOST + b"\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
    b"GET /api/\xff HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /api/about HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n",
    b"GET /api/about HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"GET /api/about HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"GET /api/about HTTP/1.1\r\n" + HOST + b"X: " + b"a" * (2 * LONGEST_REQUEST) + b"\r\n\r\n",
    b"POST /api/edit HTTP/1.1\r\n" + HOST + b"Content-Length: 999999999\r\n\r\n",
    b"CONNECT evil.example:80 HTTP/1.1\r\n" + HOST + b"\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"Upgrade: websocket\r\nConnection: upgrade\r\n\r\n",
)


class Hasty(Connection):
    """With little patience, and few connections."""

    most = 20
    asked_within, taken_within = 0.3, 0.3


@pytest.fixture(scope="module")
def port(small_index: Path) -> Iterator[int]:
    with served(small_index, http=Connection, h11_max_incomplete_event_size=LONGEST_REQUEST) as one:
        yield urlsplit(one.address).port or 0


@pytest.fixture(scope="module")
def hasty(small_index: Path) -> Iterator[int]:
    with served(small_index, http=Hasty) as one:
        yield urlsplit(one.address).port or 0


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as one:
        yield one


def rest(one: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    parts = []
    try:
        while part := one.recv(2**16):
            parts.append(part)
    except ConnectionError:
        pass  # closed before all of ours was read
    return b"".join(parts)


def status(port: int, path: str = "/api/about") -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)) as one:
        one.request("GET", path)
        return one.getresponse().status


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_broken_requests_are_refused_and_others_answered(port: int, number: int) -> None:
    with connected(port) as one:
        try:
            one.sendall(BROKEN[number])
            one.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it had seen enough
        said = rest(one)
    if said:
        assert said.startswith(b"HTTP/1.1 ")
        assert said[9:10] in (b"4", b"2") or b"501" in said[:15]
        assert b"Traceback" not in said
    assert status(port) == 200


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=300))
def test_any_bytes_are_refused(port: int, sent: bytes) -> None:
    with connected(port) as one:
        try:
            one.sendall(sent + b"\r\n\r\n")
            one.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        said = rest(one)
    assert not said or said.startswith(b"HTTP/1.1 4")
    assert status(port) == 200


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET /api/ab",
        b"GET /api/about HTTP/1.1\r\n" + HOST + b"X-Slow: ",
    ],
)
def test_a_request_that_is_never_finished(hasty: int, begun: bytes) -> None:
    with connected(hasty) as one:
        one.sendall(begun)
        said = rest(one)  # it is closed, or this would wait
    assert said.endswith(b'{"error": "a request must be sent within 0 seconds"}')
    assert b"HTTP/1.1 408 " in said
    assert status(hasty) == 200


def test_a_good_request_and_the_beginning_of_another(hasty: int) -> None:
    with connected(hasty) as one:
        one.sendall(b"GET /api/about HTTP/1.1\r\n" + HOST + b"\r\nGET /api/ab")
        assert rest(one).startswith(b"HTTP/1.1 200 ")  # and it is closed, or this would wait


def test_a_letter_now_and_then_does_not_help(hasty: int) -> None:
    with connected(hasty) as one:
        one.settimeout(0.05)
        for letter in range(10_000):
            try:
                one.sendall(b"GET /api/about HTTP/1.1\r\n"[letter % 25 : letter % 25 + 1])
                if not one.recv(2**16):
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
    raise AssertionError("it was never closed")


def test_a_body_that_never_comes(small_index: Path) -> None:
    with served(small_index, token="secret", http=Hasty) as explorer:
        port = urlsplit(explorer.address).port or 0
        with connected(port) as one:
            one.sendall(
                b"POST /api/edit HTTP/1.1\r\n"
                + f"Host: 127.0.0.1:{port}\r\n".encode()
                + b"X-Undertow-Token: secret\r\nContent-Type: application/json\r\n"
                + b'Content-Length: 60000\r\n\r\n{"action": '
            )
            assert rest(one) == b""
        assert status(port) == 200


def test_an_answer_that_is_never_taken(hasty: int) -> None:
    with connected(hasty) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.sendall((b"GET /plotly.min.js HTTP/1.1\r\n" + HOST + b"\r\n") * 3)
        with pytest.raises(ConnectionError):  # it is cut off, and so cannot be sent to
            _send_for_ever(one, b"GET /plotly.min.js HTTP/1.1\r\n" + HOST + b"\r\n")
    assert status(hasty) == 200


def _send_for_ever(one: socket.socket, request: bytes) -> None:
    while True:
        one.sendall(request)


def test_silent_connections_make_room(hasty: int) -> None:
    with ExitStack() as held:
        silent = [held.enter_context(connected(hasty)) for _ in range(3 * Hasty.most)]
        assert status(hasty) == 200
        assert rest(silent[0]) == b""  # the oldest went without a word


def test_many_silent_connections(port: int) -> None:
    with ExitStack() as held:
        for _ in range(300):
            one = held.enter_context(connected(port))
            one.sendall(b"GET /api/about HTTP/1.1\r\nHost: 12")
        assert [status(port, path) for path in ("/api/search?q=apple", "/", "/api/map")] == [
            200
        ] * 3


def test_how_many_connections_there_may_be() -> None:
    assert 0 < make_room_for_connections(10) <= 10


STUCK = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from undertow.explorer import _documents
def found(*given, **named):
    os.write(1, b"at work\\n")  # at once: what several threads print may get mixed up
    time.sleep(100_000)
_documents.DocumentDesk.found = found
from undertow.cli import main
main()
"""


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.torture)]
)
def test_it_ends_while_requests_are_at_work(small_index: Path, number: int) -> None:
    with free_port() as port:
        command = [sys.executable, "-u", "-c", STUCK, "explore", str(small_index), "--no-browser"]
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        try:
            assert process.stdout is not None
            assert "undertow explorer" in process.stdout.readline()
            with ExitStack() as held:
                for _ in range(5):
                    one = held.enter_context(connected(port))
                    one.sendall(b"GET /api/search?q=apple HTTP/1.1\r\n" + HOST + b"\r\n")
                assert [process.stdout.readline() for _ in range(2)] == ["at work\n"] * 2
                process.send_signal(number)
                process.communicate(timeout=LONG)  # some of 100,000 seconds
            assert process.returncode in (0, 128 + number, -number)
        finally:
            process.kill()
            process.communicate()
