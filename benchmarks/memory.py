"""The memory that processes hold.

Linux hands the high-water mark that `getrusage` knows down from the parent to a process that it
starts, so a small process begun by a large one would look large. What /proc tells belongs to the
process alone.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

PROCESSES = Path("/proc")
UNIT = 2**20 if sys.platform == "darwin" else 2**10  # of getrusage: bytes there, KiB elsewhere


def peak_mib() -> float:
    """The most MiB that this process has held so far."""
    known = _kib(PROCESSES / "self" / "status", "VmHWM:")
    return (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / UNIT if known is None else known / 1024
    )


def helpers_mib(process: int) -> float:
    """MiB that the processes which a process has started hold now; what several share counts once
    in all.
    """
    return sum(
        (_kib(PROCESSES / str(child) / "smaps_rollup", "Pss:") or 0) / 1024
        for child in _descendants(process)
    )


def _descendants(process: int) -> list[int]:
    found = []
    for file in (PROCESSES / str(process) / "task").glob("*/children"):
        try:
            children = [int(child) for child in file.read_text().split()]
        except OSError:  # ended while we looked
            continue
        found += children + [below for child in children for below in _descendants(child)]
    return found


def _kib(file: Path, name: str) -> int | None:
    try:
        lines = file.read_text().splitlines()
    except OSError:  # another system, or a process that has ended
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), None)
