"""Several processes that serve one socket, for more requests than one core can answer.

Each opens the index for itself; what is mapped from files is in memory once. The first makes the
overview, and the others wait for it. One that ends by itself is started again. When this process
ends, however it does, so do they.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from undertow._errors import InvalidInput

MOST_WORKERS = 64
ENDED_WITHIN = 8.0  # seconds; each ends by itself within five
# one that ends so many times, each within so many seconds, is given up
TRIES, LONG_ENOUGH = 5, 60.0

logger = logging.getLogger("undertow")


def check_workers(workers: int, *, edit: bool) -> None:
    """Refuses what cannot be done."""
    if not 1 <= workers <= MOST_WORKERS:
        raise InvalidInput(f"--workers must be from 1 to {MOST_WORKERS}, got {workers}")
    if workers > 1 and edit:
        raise InvalidInput(
            f"--workers must be 1 with --edit, got {workers}: each would show other topics"
        )
    if workers > 1 and os.name != "posix":
        raise InvalidInput(f"--workers must be 1 on this system, got {workers}")


def serve_by_workers(
    folder: str, bound: socket.socket, workers: int, *, host: str, started: Callable[[], None]
) -> None:
    """Answers until Ctrl-C or the system asks to stop; `started` is called when all can answer.

    Raises
    ------
    InvalidInput
        Where the folder cannot be served: with the words of the worker that found it out.
    """
    crew = _Crew(folder, bound, workers, host)
    with _stopping(crew.stop):
        try:
            crew.run(started)
        finally:
            crew.end()
            bound.close()
    if crew.error is not None:
        raise InvalidInput(crew.error)


@contextmanager
def _stopping(stop: Callable[[], None]) -> Iterator[None]:
    """SIGINT and SIGTERM ask to stop; afterwards they mean what they did before."""
    caught: list[int] = []

    def hear(number: int, frame: object) -> None:
        caught.append(number)
        stop()

    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if signal.SIGTERM in caught:
        signal.raise_signal(signal.SIGTERM)


class _Crew:
    """The workers, and a thread for each that listens to it."""

    def __init__(self, folder: str, bound: socket.socket, workers: int, host: str) -> None:
        self._settings = {"folder": folder, "host": host, "socket": bound.fileno()}
        self._bound, self._number = bound, workers
        self._workers: dict[int, subprocess.Popen[str]] = {}
        self._listeners: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._ready: set[int] = set()
        self._news: dict[str, Any] | None = None
        self._stopped = False
        self.error: str | None = None

    def stop(self) -> None:
        """Asks to stop; may be called by a signal."""
        self._stopped = True
        self._changed.set()

    def run(self, started: Callable[[], None]) -> None:
        """Until it is asked to stop, or there is no point in going on."""
        begun = {number: [self._start(number)] for number in range(self._number)}
        told = False
        while not self._over():
            self._changed.wait(0.5)
            self._changed.clear()
            if not told and len(self._ready) == self._number:
                told = True
                started()
            for number, worker in list(self._workers.items()):
                if worker.poll() is None or self._over():
                    continue
                begun[number] = [when for when in begun[number] if _lately(when)]
                if len(begun[number]) >= TRIES or number not in self._ready:
                    self._give_up(
                        f"the explorer must be able to start, got a worker that ended with "
                        f"{worker.returncode}"
                    )
                    break
                logger.warning(
                    "worker %d ended (%d), and is started again", number, worker.returncode
                )
                _close(worker)
                begun[number].append(self._start(number))

    def _over(self) -> bool:
        return self._stopped or self.error is not None

    def _give_up(self, error: str) -> None:
        """The first reason is the one that is told."""
        with self._lock:
            self.error = self.error or error

    def _start(self, number: int) -> float:
        settings = json.dumps({**self._settings, "number": number})
        worker = subprocess.Popen(
            [sys.executable, "-P", "-m", "undertow.explorer._worker", settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=(self._bound.fileno(),),
            start_new_session=True,  # Ctrl-C of a terminal is for this process alone
        )
        with self._lock:
            self._workers[number] = worker
            if self._news is not None:
                _tell(worker, self._news)
        listener = threading.Thread(target=self._listen, args=(number, worker), daemon=True)
        listener.start()
        self._listeners.append(listener)
        return time.monotonic()

    def _listen(self, number: int, worker: subprocess.Popen[str]) -> None:
        assert worker.stdout is not None
        with worker.stdout:
            for line in worker.stdout:
                self._hear(number, json.loads(line))
        self._changed.set()

    def _hear(self, number: int, said: dict[str, Any]) -> None:
        if "error" in said:
            self._give_up(said["error"])
        if "ready" in said:
            self._ready.add(number)
        if "overview" in said:
            with self._lock:
                self._news = said["overview"]
                for other, process in self._workers.items():
                    if other != number:
                        _tell(process, self._news)
        self._changed.set()

    def end(self) -> None:
        """Ends all of them, within seconds."""
        for worker in self._workers.values():
            worker.terminate()
        until = time.monotonic() + ENDED_WITHIN
        for worker in self._workers.values():
            try:
                worker.wait(max(until - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
            _close(worker)
        for listener in self._listeners:
            listener.join()


def _close(worker: subprocess.Popen[str]) -> None:
    assert worker.stdin is not None
    with suppress(OSError):
        worker.stdin.close()


def _tell(worker: subprocess.Popen[str], news: dict[str, Any] | None) -> None:
    assert worker.stdin is not None
    with suppress(OSError):  # it has ended: whoever takes its place is told anew
        worker.stdin.write(json.dumps(news) + "\n")
        worker.stdin.flush()


def _lately(when: float) -> bool:
    return time.monotonic() - when < LONG_ENOUGH
