"""What a benchmark ran on."""

from __future__ import annotations

from datetime import UTC, datetime

from undertow.kernels.cores import cores
from undertow.paper import machine


def describe() -> dict[str, object]:
    """Date, processor, cores, memory and versions."""
    return {"date": datetime.now(UTC).date().isoformat(), **machine.describe()}


def thread_counts() -> list[int]:
    """1, 2, 4 and so on, up to the cores of this machine."""
    return [2**power for power in range(cores().bit_length()) if 2**power <= cores()]
