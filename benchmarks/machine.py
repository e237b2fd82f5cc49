"""What a benchmark ran on."""

from __future__ import annotations

from datetime import UTC, datetime

from undertow.paper import machine


def describe() -> dict[str, object]:
    """Date, processor, cores, memory and versions."""
    return {"date": datetime.now(UTC).date().isoformat(), **machine.describe()}
