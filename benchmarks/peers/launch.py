"""Starts the process of a system, listens to it, and finds out with how many workers it is
quickest.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.effort import Effort
from benchmarks.peers.work import Order

ROOT = Path(__file__).parents[2]
LOOK_EVERY = 0.5  # seconds between looks at the memory of a system's own processes
Hear = Callable[[dict[str, Any]], None]


class Failed(Exception):
    """A system's process ended with an error; the message is the end of what it said."""


def run(order: Order, hear: Hear) -> dict[str, Any]:
    """The last record of the process; `hear` gets those before it, one by one."""
    with tempfile.TemporaryDirectory() as name:
        written, complaints = Path(name) / "order.json", Path(name) / "stderr"
        written.write_text(json.dumps(asdict(order)))
        command = [sys.executable, "-m", "benchmarks.peers.work", str(written)]
        with (
            complaints.open("w") as errors,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, env=os.environ
            ) as process,
            _helpers_watched(process.pid) as helpers,
        ):
            assert process.stdout is not None
            for line in process.stdout:
                record = json.loads(line)
                if "end" in record:
                    end: dict[str, Any] = record["end"]
                    return end | {"helpers_peak_mib": helpers[0]}
                hear(record)
        raise Failed(
            " ".join(complaints.read_text().splitlines()[-1:]) or f"{order.name} said nothing"
        )


def rates_by_workers(order: Order, effort: Effort) -> dict[str, float]:
    """Tokens a second with each number of workers, tried for a short while."""
    short = replace(order, seconds=effort.probe_seconds, due=(), fits=(2,))
    return {
        str(workers): run(replace(short, workers=workers), lambda record: None)["tokens_per_second"]
        for workers in effort.workers
    }


@contextmanager
def _helpers_watched(process: int) -> Iterator[list[float]]:
    """A list whose one number is the most MiB that processes started by this one held together."""
    most, over = [0.0], threading.Event()

    def look() -> None:
        while not over.wait(LOOK_EVERY):
            most[0] = max(most[0], memory.helpers_mib(process))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()
