"""Topics over time: the share of the documents of each month (or day, or year) that switch a topic on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = (12, 40)  # so many, where the range allows it


@dataclass(frozen=True)
class TopicsOverTime:
    """m bins of time, each from `edges[i]` to below `edges[i + 1]`; the last may be open at neither end.

    Edges are seconds since 1970 in UTC, or plain numbers, as the times they are of. A bin without documents has shares
    of 0.
    """

    edges: NDArray[np.float64]  # (m + 1,) rising
    documents: NDArray[np.int64]  # (m,)
    share: NDArray[np.float64]  # (m, H)


def over_time(times: NDArray[np.float64], on: NDArray[np.bool_], kind: str) -> TopicsOverTime | None:
    """Documents with a time, by time; None where no two times differ."""
    known = np.isfinite(times)
    if not known.any():
        return None
    first, last = float(times[known].min()), float(times[known].max())
    if first == last:
        return None
    edges = np.linspace(first, last, BINS[0] + 1)
    return shares(times, on, edges)


def shares(times: NDArray[np.float64], on: NDArray[np.bool_], edges: NDArray[np.float64]) -> TopicsOverTime:
    """Documents and shares of bins with these edges."""
    bins = len(edges) - 1
    known = np.isfinite(times)
    place = np.clip(np.searchsorted(edges, times[known], side="right") - 1, 0, bins - 1)
    documents = np.bincount(place, minlength=bins)
    switched = np.stack([np.bincount(place[on[known, unit]], minlength=bins) for unit in range(on.shape[1])], axis=1)
    return TopicsOverTime(edges, documents, switched / np.maximum(documents, 1)[:, None])
