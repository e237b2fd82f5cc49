"""Times of documents on axes and scales: dates, or plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DAY = 86_400.0


def axis_values(times: NDArray[np.float64], kind: str | None) -> Any:
    """What plotly is given for an axis: dates for dates, numbers for numbers."""
    return (times * 1000).round().astype("datetime64[ms]") if kind == "date" else times


def written(time: float, kind: str | None, span: float) -> str:
    """A time as people write it, as exactly as a range of `span` asks for."""
    if kind != "date":
        return (
            f"{time:.4g}" if span < 5 else f"{time:,.0f}" if abs(time) >= 10_000 else f"{time:.0f}"
        )
    unit = "s" if span < DAY else "D" if span < 400 * DAY else "M"
    return str(np.datetime64(round(time), "s").astype(f"datetime64[{unit}]")).replace("T", " ")


def scale_ticks(
    times: NDArray[np.float64], kind: str | None, number: int = 5
) -> tuple[list[float], list[str]]:
    """Values and words beside a scale of colours."""
    known = times[np.isfinite(times)]
    low, high = float(known.min()), float(known.max())
    values = [low] if low == high else [float(value) for value in np.linspace(low, high, number)]
    return values, [written(value, kind, high - low) for value in values]
