"""Finding a figure in the results by its path."""

from __future__ import annotations

from typing import Any


def look_up(results: dict[str, Any], path: str) -> float | None:
    """The number at a path such as "steps/growth/200000"; None where it was not measured."""
    found: Any = results
    for name in path.split("/"):
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return float(found) if isinstance(found, (int, float)) else None
