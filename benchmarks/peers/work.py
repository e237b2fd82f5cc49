"""The process that one system runs in: trains, encodes at checkpoints, and tells about it line by
line, as JSON.

    python -m benchmarks.peers.work ORDER.json

It judges nothing: vectors go to files, so that neither the time nor the memory of judging is the
system's.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import memory
from benchmarks.effort import Epochs
from benchmarks.peers import system
from benchmarks.peers.system import Checkpoint, System, Task

REPEATS = 5  # of the encoding that is timed, where it is quick
LONG = 2.0  # seconds


@dataclass(frozen=True)
class Order:
    """What the process is asked to do; written as JSON."""

    name: str
    folder: str  # holds train.npz and test.npz
    topics: int
    workers: int
    seconds: float  # of training; the checkpoint after it is the last
    due: tuple[float, ...]  # when to encode; nothing is encoded where there are no times
    fits: tuple[Epochs, ...]
    documents: int | None = None  # the first so many, all for None
    most_passes: float | None = None


def main() -> None:
    """Does what the order says."""
    order = Order(**json.loads(Path(sys.argv[1]).read_text()))
    folder, chosen = Path(order.folder), system(order.name)
    train, test = (
        sparse.csr_array(sparse.load_npz(folder / f"{part}.npz")) for part in ("train", "test")
    )
    train = train[: order.documents]
    task = Task(train, order.topics, order.workers, fits=tuple(order.fits))
    checkpoints = chosen.train(task)
    next(checkpoints)
    before = memory.peak_mib()
    for number, (seconds, judged, checkpoint) in enumerate(watched(checkpoints, chosen, order)):
        last, reached = checkpoint, {"passes": checkpoint.passes, "seconds": seconds}
        if judged and order.due:
            tell(reached | {"files": saved(checkpoint, train, test, folder / f"{number}")})
    end: dict[str, Any] = reached | {
        "version": version(chosen.package),
        "settings": dict(chosen.settings),
    }
    end["tokens_per_second"] = int(train.sum()) * last.passes / reached["seconds"]
    end["documents_per_second"] = encoding_rate(last, test) if order.due else None
    tell({"end": end | {"peak_mib": memory.peak_mib(), "before_mib": before}})


def watched(
    checkpoints: Iterator[Checkpoint], chosen: System, order: Order
) -> Iterator[tuple[float, bool, Checkpoint]]:
    """Each checkpoint with the seconds of training that it took, and whether it is due; the last
    one always is.
    """
    due, seconds, waiting = list(order.due), 0.0, None
    while True:
        began = time.perf_counter()
        checkpoint = next(checkpoints, None)
        took = time.perf_counter() - began
        if checkpoint is None:
            break
        seconds = took if chosen.restarts else seconds + took
        ends = seconds >= order.seconds or _reached(checkpoint.passes, order.most_passes)
        if chosen.restarts or ends or (due and seconds >= due[0]):
            due = [moment for moment in due if moment > seconds]
            waiting = None
            yield seconds, True, checkpoint
        else:
            waiting = checkpoint
            yield seconds, False, checkpoint
        if ends:
            return
    if waiting is not None:
        yield seconds, True, waiting


def _reached(passes: float, most: float | None) -> bool:
    return most is not None and passes >= most


def saved(
    checkpoint: Checkpoint, train: sparse.csr_array, test: sparse.csr_array, start: Path
) -> dict[str, list[str]]:
    """Writes vectors of both parts; answers with the names of the files."""
    files: dict[str, list[str]] = {}
    for way, encode in checkpoint.ways.items():
        known = checkpoint.trained[way]() if way in checkpoint.trained else encode(train)
        names = [f"{start.name}-{way}-{part}.npy" for part in ("train", "test")]
        for name, vectors in zip(names, (known, encode(test)), strict=True):
            np.save(start.parent / name, vectors)
        files[way] = names
    return files


def encoding_rate(checkpoint: Checkpoint, test: sparse.csr_array) -> float:
    """Documents a second, by the usual way; the best of some where it is quick."""
    encode = next(iter(checkpoint.ways.values()))
    best, spent = float("inf"), 0.0
    for _ in range(REPEATS):
        began = time.perf_counter()
        encode(test)
        took = time.perf_counter() - began
        best, spent = min(best, took), spent + took
        if spent > LONG:
            break
    return test.shape[0] / best


def tell(record: dict[str, Any]) -> None:
    """A line for the parent."""
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
