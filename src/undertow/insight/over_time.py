"""Topics over time: the share of the documents of each month (or day, or decade) that switch a topic on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

MOST_BINS = 40
DAY = 86_400
MONDAY = 4 * DAY  # 1970 began on a Thursday
DAYS = (1, 2, 7, 14)
MONTHS = (1, 3, 6)

Times = NDArray[np.float64]


@dataclass(frozen=True)
class TopicsOverTime:
    """m bins, from `edges[i]` on to before `edges[i + 1]`, of equal length by the calendar or in numbers.

    Edges are as the times: seconds since 1970 in UTC, or plain numbers. A bin without documents has shares of 0.
    """

    edges: Times  # (m + 1,) rising
    documents: NDArray[np.int64]  # (m,) how many have a time in the bin
    share: NDArray[np.float64]  # (m, H) share of them that switch a topic on


def over_time(times: Times, on: Callable[[int], NDArray[np.bool_]], units: int, kind: str) -> TopicsOverTime | None:
    """The share of each topic in bins that are chosen by the range of times; None where no two times differ.

    `on` gives the documents that switch a topic on. Documents without a time, nan, are left out.
    """
    edges = bins(times, kind)
    return None if edges is None else shares(times, on, units, edges)


def shares(times: Times, on: Callable[[int], NDArray[np.bool_]], units: int, edges: Times) -> TopicsOverTime:
    """Documents and shares of bins with these edges, which hold all times."""
    known = np.flatnonzero(np.isfinite(times))
    place = np.searchsorted(edges, times[known], side="right") - 1
    documents = np.bincount(place, minlength=len(edges) - 1)
    share = np.zeros((len(documents), units))
    for unit in range(units):
        switched = np.bincount(place[on(unit)[known]], minlength=len(documents))
        share[:, unit] = switched / np.maximum(documents, 1)
    return TopicsOverTime(edges, documents, share)


def bins(times: Times, kind: str) -> Times | None:
    """Edges of the shortest bins of which at most 40 hold all times.

    Dates: seconds, minutes, hours, days, weeks from Monday, months, quarters, half-years, years and round numbers of
    these. Numbers: 1, 2 or 5 times a power of ten. Days are not divided where all times are days, nor whole numbers.
    """
    known = times[np.isfinite(times)]
    if not len(known) or known.min() == known.max():
        return None
    first, last = float(known.min()), float(known.max())
    if kind == "date":
        ways = _calendar(first, last, whole_days=bool((known % DAY == 0).all()))
    else:
        ways = _round_numbers(first, last, whole=bool((known == np.rint(known)).all()))
    edges = next(found for found in ways if len(found) - 1 <= MOST_BINS)
    return edges if np.isfinite(edges).all() and (np.diff(edges) > 0).all() and edges[-1] > last else None


def _round_numbers(first: float, last: float, *, whole: bool) -> Iterator[Times]:
    shortest = max(last / MOST_BINS - first / MOST_BINS, 1e-300)
    exponent = math.floor(math.log10(shortest))
    for power in range(max(exponent, 0) if whole else exponent, 310):
        for digit in (1, 2, 5):
            yield _steps(first, last, digit * Fraction(10) ** power)


def _calendar(first: float, last: float, *, whole_days: bool) -> Iterator[Times]:
    if not whole_days:
        for seconds in (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200):
            yield _steps(first, last, Fraction(seconds))
    for days in DAYS:
        yield _steps(first, last, Fraction(days * DAY), offset=MONDAY if days % 7 == 0 else 0)
    for months in MONTHS:
        yield _months(first, last, months)
    for exponent in range(12):
        for digit in (1, 2, 5):
            yield _months(first, last, 12 * digit * 10**exponent)


def _steps(first: float, last: float, step: Fraction, offset: int = 0) -> Times:
    """Multiples of a step, from the last at or before `first` to the first after `last`; or too many to be of use.

    Exact, and in the decimals that people write: 0.3 begins a bin of tenths, though 0.3 / 0.1 is less than 3.
    """
    begin, end = ((Fraction(repr(moment)) - offset) // step for moment in (first, last))
    number = min(end + 1 - begin, MOST_BINS + 1)
    return np.array([_nearest((begin + place) * step + offset) for place in range(number + 1)])


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)


def _months(first: float, last: float, months: int) -> Times:
    """Beginnings of every so many months, counted from year 0."""
    of_1970 = 1970 * 12
    moments = np.floor([first, last]).astype(np.int64).astype("datetime64[s]").astype("datetime64[M]")
    start, end = (int(month) // months for month in moments.astype(np.int64) + of_1970)
    number = min(end + 1 - start, MOST_BINS + 1)
    beginnings = (start + np.arange(number + 1)) * months - of_1970
    return beginnings.astype("datetime64[M]").astype("datetime64[s]").astype(np.int64).astype(np.float64)
