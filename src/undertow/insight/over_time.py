"""Topics over time: how many of the documents of each month (or day, or decade) fall into each leaf
of the tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from undertow.topics import Atlas

MOST_BINS = 40
OUTLYING = 0.001  # of the times, at each end
STRETCHED = 1.5  # times the range without them: from there on they are outlying
DAY = 86_400
MONDAY = 4 * DAY  # 1970 began on a Thursday
DAYS = (1, 2, 7, 14)
MONTHS = (1, 3, 6)

Times = NDArray[np.float64]


@dataclass(frozen=True)
class TopicsOverTime:
    """Bins, from `edges[i]` on to before `edges[i + 1]`, of equal length by the calendar or in
    numbers.

    Edges are as the times: seconds since 1970 in UTC, or plain numbers. Where a few outlying times
    would stretch the bins, the first holds all that is earlier, too, and the last all that is
    later.

    Examples
    --------
    >>> import polars as pl
    >>> dated = pl.DataFrame({"text": texts, "time": [1990] * 60 + [1991] * 60})
    >>> found = undertow.insight.overview_of_texts(model, dated).over_time
    >>> atlas = model.atlas_
    """

    edges: Times  # (bins + 1,) rising
    documents: NDArray[np.int64]  # (bins,) how many have a time in the bin
    counts: NDArray[np.int64]  # (bins, m) how many of them fall into each leaf of the topic tree

    def sizes(self, atlas: Atlas, nodes: Sequence[int]) -> NDArray[np.int64]:
        """How many documents of each bin lie in each of the topics.

        Parameters
        ----------
        atlas : undertow.topics.Atlas
            The model's, as it is now.
        nodes : sequence of int
            Ids of topics, none of which lies in another.

        Returns
        -------
        array (bins, nodes)
            Numbers of documents.

        Examples
        --------
        >>> found.sizes(atlas, atlas.cut(2)).sum(axis=1).tolist()
        [60, 60]
        """
        places = atlas.tree.positions(nodes)
        inside = np.flatnonzero(places >= 0)
        found = np.zeros((len(nodes), len(self.documents)), dtype=np.int64)
        np.add.at(found, places[inside], self.counts[:, inside].T)
        return found.T

    def shares(self, atlas: Atlas, nodes: Sequence[int]) -> NDArray[np.float64]:
        """The share of the documents of each bin in each of the topics.

        Parameters
        ----------
        atlas : undertow.topics.Atlas
            The model's, as it is now.
        nodes : sequence of int
            Ids of topics, none of which lies in another.

        Returns
        -------
        array (bins, nodes)
            A row adds to at most 1: the rest is in none of the topics, or holds no known word. 0 in
            a bin without documents.

        Examples
        --------
        >>> found.shares(atlas, atlas.cut(2)).sum(axis=1).round(3).tolist()
        [1.0, 1.0]
        """
        shares: NDArray[np.float64] = (
            self.sizes(atlas, nodes) / np.maximum(self.documents, 1)[:, None]
        )
        return shares


def over_time(
    times: Times, leaves: NDArray[np.int32], number: int, kind: str
) -> TopicsOverTime | None:
    """Documents by time and leaf, in bins that are chosen by the range of times; None where no two
    times differ.

    `leaves` has the leaf of each document, of so many, -1 for none. Documents without a time, nan,
    are left out.
    """
    edges = bins(times, kind)
    if edges is None:
        return None
    known = np.flatnonzero(np.isfinite(times))
    place = np.clip(np.searchsorted(edges, times[known], side="right") - 1, 0, len(edges) - 2)
    documents = np.bincount(place, minlength=len(edges) - 1)
    fallen = leaves[known] >= 0
    cells = place[fallen] * number + leaves[known][fallen]
    counts = np.bincount(cells, minlength=len(documents) * number).reshape(len(documents), number)
    return TopicsOverTime(edges, documents, counts)


def bins(times: Times, kind: str) -> Times | None:
    """Edges of the shortest bins of which at most 40 hold all times, but for outlying ones.

    Dates: seconds, minutes, hours, days, weeks from Monday, months, quarters, half-years, years and
    round numbers of these. Numbers: 1, 2 or 5 times a power of ten. Days are not divided where all
    times are days, nor whole numbers.

    One wrong date in a thousand should not squeeze all others into one bin: where the first or last
    thousandth of the times makes the range more than half as long again, bins are made for the
    times between, and those at the ends hold the rest.
    """
    known = times[np.isfinite(times)]
    if not len(known) or known.min() == known.max():
        return None
    first, last = _range(known)
    if kind == "date":
        ways = _calendar(first, last, whole_days=bool((known % DAY == 0).all()))
    else:
        ways = _round_numbers(first, last, whole=bool((known == np.rint(known)).all()))
    edges = next(found for found in ways if len(found) - 1 <= MOST_BINS)
    return (
        edges
        if np.isfinite(edges).all() and (np.diff(edges) > 0).all() and edges[-1] > last
        else None
    )


def _range(known: Times) -> tuple[float, float]:
    """The first and last time, or those within which all but the outlying ones lie."""
    ordered = np.sort(known)
    cut = int(len(ordered) * OUTLYING)
    (low, high), (first, last) = ordered[[0, -1]], ordered[[cut, -1 - cut]]
    if first == last:
        return float(low), float(high)
    # halves: the difference may be endless
    stretched = high / 2 - low / 2 > STRETCHED * (last / 2 - first / 2)
    return (float(first), float(last)) if stretched else (float(low), float(high))


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
    """Multiples of a step, from the last at or before `first` to the first after `last`; or too
    many to be of use.

    Exact, and in the decimals that people write: 0.3 begins a bin of tenths, though 0.3 / 0.1 is
    less than 3.
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
    moments = (
        np.floor([first, last]).astype(np.int64).astype("datetime64[s]").astype("datetime64[M]")
    )
    start, end = (int(month) // months for month in moments.astype(np.int64) + of_1970)
    number = min(end + 1 - start, MOST_BINS + 1)
    beginnings = (start + np.arange(number + 1)) * months - of_1970
    return (
        beginnings.astype("datetime64[M]")
        .astype("datetime64[s]")
        .astype(np.int64)
        .astype(np.float64)
    )
