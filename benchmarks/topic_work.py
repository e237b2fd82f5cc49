"""The process that one system finds topics in, with one seed; tells about it line by line, as JSON.

    python -m benchmarks.topic_work ORDER.json

It judges nothing: groups of documents go to files, so that neither the time nor the memory of
judging is the system's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import memory
from benchmarks.topic_systems import SYSTEMS, Found, LeftOut, Task

ROOT = Path(__file__).parents[1]


class Failed(Exception):
    """A system's process ended with an error; the message is the end of what it said."""


@dataclass(frozen=True)
class Order:
    """What the process is asked to do; written as JSON."""

    name: str
    folder: str  # holds what `topic_corpora.write` wrote
    sizes: tuple[int, ...]
    seed: int
    sweeps: int
    units: int
    epochs: Any

    def task(self) -> Task:
        sizes = tuple(
            sorted(self.sizes)
        )  # so that the peak of memory is that of the largest so far
        return Task(Path(self.folder), sizes, self.seed, self.sweeps, self.units, self.epochs)


def main() -> None:
    """Does what the order says."""
    order = Order(**json.loads(Path(sys.argv[1]).read_text()))
    task = order.task()
    try:
        for number, found in enumerate(SYSTEMS[order.name].run(task)):
            _tell(_record(found, task.folder / f"groups-{os.getpid()}-{number}.npy"))
    except LeftOut as reason:
        _tell({"left_out": str(reason)})


def run(order: Order) -> Iterator[dict[str, Any]]:
    """The records of a process: one for each number of topics."""
    with tempfile.TemporaryDirectory() as name:
        written, complaints = Path(name) / "order.json", Path(name) / "stderr"
        written.write_text(json.dumps(asdict(order)))
        command = [sys.executable, "-m", "benchmarks.topic_work", str(written)]
        with (
            complaints.open("w") as errors,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT
            ) as process,
        ):
            assert process.stdout is not None
            yield from (json.loads(line) for line in process.stdout)
        if process.returncode:
            raise Failed(
                " ".join(complaints.read_text().splitlines()[-1:]) or f"{order.name} said nothing"
            )


def _record(found: Found, file: Path) -> dict[str, Any]:
    np.save(file, found.groups)
    return {
        "n": found.n,
        "words": found.words,
        "shown": found.shown,
        "seconds": found.seconds,
        "peak_mib": max(memory.peak_mib(), found.peak_mib),
        "groups": str(file),
    }


def _tell(record: dict[str, Any]) -> None:
    print(json.dumps(record, default=float), flush=True)


if __name__ == "__main__":
    main()
