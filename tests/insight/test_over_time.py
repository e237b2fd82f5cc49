"""Times of any kind, bins that people would choose, and shares as a plain loop counts them."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from undertow.insight import _times_as_numbers
from undertow.insight.over_time import MOST_BINS, bins, over_time


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> float:
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()


# Counts


@settings(max_examples=50, deadline=None)
@given(
    times=st.lists(
        st.one_of(st.floats(-1e10, 1e11), st.integers(1900, 2030).map(float), st.just(math.nan)),
        max_size=40,
    ),
    kind=st.sampled_from(["date", "number"]),
    seed=st.integers(0, 100),
)
def test_counts_are_those_of_a_loop(times: list[float], kind: str, seed: int) -> None:
    leaves = np.random.default_rng(seed).integers(-1, 3, size=len(times)).astype(np.int32)
    found = over_time(np.array(times), leaves, 3, kind)
    if found is None:
        assert len({time for time in times if not math.isnan(time)}) < 2
        return
    for place in range(len(found.documents)):
        low, high = found.edges[place], found.edges[place + 1]
        inside = [row for row, time in enumerate(times) if low <= time < high]
        assert found.documents[place] == len(inside)
        for leaf in range(3):
            assert found.counts[place, leaf] == sum(leaves[row] == leaf for row in inside)
    assert found.documents.sum() == sum(not math.isnan(time) for time in times)


def test_outlying_times_do_not_stretch_the_bins() -> None:
    usual = [at(2021, 1, 1) + 86_400 * (day % 365) for day in range(3000)]
    times = np.array([at(1900, 1, 1), *usual, at(9999, 12, 31)])
    leaves = np.zeros(len(times), dtype=np.int32)
    found, plain = (
        over_time(times, leaves, 1, "date"),
        over_time(np.array(usual), leaves[1:-1], 1, "date"),
    )
    assert found is not None
    assert plain is not None
    np.testing.assert_array_equal(found.edges, plain.edges)
    expected = plain.documents.copy()
    expected[[0, -1]] += 1  # the bins at the ends hold the rest
    np.testing.assert_array_equal(found.documents, expected)
    np.testing.assert_array_equal(found.counts[:, 0], expected)


def test_times_at_the_ends_that_do_not_stretch_are_no_outliers() -> None:
    times = np.array([at(2021, 1, 1) + 3600 * hour for hour in range(5000)])
    edges = bins(times, "date")
    assert edges is not None
    assert edges[0] <= times[0]
    assert edges[-1] > times[-1]


# Bins


@settings(max_examples=300)
@given(
    first=st.floats(-1e12, 1e12),
    length=st.floats(1e-3, 1e12),
    kind=st.sampled_from(["date", "number"]),
)
@example(first=0.3, length=3.6, kind="number")
@example(first=0.29999999999999993, length=3.6, kind="number")
@example(first=-62135596800.0, length=3.1e11, kind="date")  # from year 1 to 9999
def test_bins_hold_all_times_and_are_not_too_many(first: float, length: float, kind: str) -> None:
    last = first + length
    edges = bins(np.array([first, math.nan, last]), kind)
    if edges is None:
        assert last - first <= 1e-12 * abs(first)  # steps of numbers so close cannot be told apart
        return
    assert 1 <= len(edges) - 1 <= MOST_BINS
    assert edges[0] <= first < last < edges[-1]
    assert (np.diff(edges) > 0).all()
    if length > 1e-9 * abs(first):  # or else edges are rounded onto times
        assert first < edges[1]
        assert edges[-2] <= last
    if length > 200 and (first % 86_400 or last % 86_400):  # days are not divided
        assert len(edges) - 1 >= 8


@pytest.mark.parametrize(
    ("first", "last", "begin", "second", "number"),
    [
        (at(2024, 1, 1), at(2024, 1, 20), at(2024, 1, 1), at(2024, 1, 2), 20),
        (
            at(2024, 1, 3),
            at(2024, 7, 1),
            at(2024, 1, 1),
            at(2024, 1, 8),
            27,
        ),  # weeks, from a Monday
        (at(2023, 5, 17), at(2025, 11, 2), at(2023, 5, 1), at(2023, 6, 1), 31),
        (at(2010, 5, 17), at(2019, 1, 2), at(2010, 4, 1), at(2010, 7, 1), 36),
        (at(1990, 5, 17), at(2019, 1, 2), at(1990, 1, 1), at(1991, 1, 1), 30),
        (at(1893, 5, 17), at(2019, 1, 2), at(1890, 1, 1), at(1895, 1, 1), 26),
        (at(2024, 1, 1, 0, 40), at(2024, 1, 1, 20), at(2024, 1, 1, 0, 30), at(2024, 1, 1, 1), 40),
        (
            at(2024, 1, 1, 0, 0, 1),
            at(2024, 1, 1, 0, 0, 5),
            at(2024, 1, 1, 0, 0, 1),
            at(2024, 1, 1, 0, 0, 2),
            5,
        ),
    ],
)
def test_bins_of_dates_are_of_the_calendar(
    first: float, last: float, begin: float, second: float, number: int
) -> None:
    edges = bins(np.array([last, first]), "date")
    assert edges is not None
    assert [datetime.fromtimestamp(edge, UTC) for edge in edges[:2]] == [
        datetime.fromtimestamp(edge, UTC) for edge in (begin, second)
    ]
    assert len(edges) - 1 == number


@pytest.mark.parametrize(
    ("values", "edges"),
    [
        ([1990, 1993], [1990, 1991, 1992, 1993, 1994]),  # years are not divided
        ([0.3, 0.1, 3.9], [place / 10 for place in range(1, 41)]),
        ([-30, 1000], [-50 + 50 * place for place in range(23)]),
        ([-1e308, 1e308], [float(f"{place}e307") for place in range(-10, 12)]),
        ([1e17, 1e17 + 32], None),  # numbers too close to be told apart in steps of ten
        ([7, 7], None),
        ([math.nan], None),
        ([], None),
    ],
)
def test_bins_of_numbers_are_round(values: list[float], edges: list[float] | None) -> None:
    found = bins(np.array(values, dtype=np.float64), "number")
    assert (None if found is None else found.tolist()) == edges


# Times

EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("values", "kind", "found"),
    [
        ([date(1970, 1, 2), None, date(1969, 12, 31)], "date", [86400, math.nan, -86400]),
        ([datetime(1970, 1, 1, 1, 0, 0, 500000), None], "date", [3600.5, math.nan]),
        ([datetime(1970, 1, 1, 3, tzinfo=EAST)], "date", [3600]),
        ([1999, None, 2003], "number", [1999, math.nan, 2003]),
        ([0.5, math.inf, math.nan], "number", [0.5, math.nan, math.nan]),
        (["1999", None, " 2003.5", ""], "number", [1999, math.nan, 2003.5, math.nan]),
        (
            ["1970-01-02", "1970-01-01T01:00:00Z", "1970-01-01 03:00+02:00"],
            "date",
            [86400, 3600, 3600],
        ),
        (["1970-01-02", "about noon", None], "date", [86400, math.nan, math.nan]),
        (["1970-01-02", "1970", "noon", "night"], "date", [86400, 0, math.nan, math.nan]),
        (["1970-01-02", "noon", "night"], None, None),
        ([863_424_000, None, 915_148_800], "date", [863_424_000, math.nan, 915_148_800]),
        ([863_424_000_500, 915_148_800_000], "date", [863_424_000.5, 915_148_800]),
        (["863424000", "915148800"], "date", [863_424_000, 915_148_800]),
        ([863_424_000_000_000_000], "date", [863_424_000]),
        ([863_424_000, 12], "number", [863_424_000, 12]),
        ([19970512, None, 20010203], "date", [at(1997, 5, 12), math.nan, at(2001, 2, 3)]),
        ([19970512, 19971512], "number", [19970512, 19971512]),
        (["morning", "noon"], None, None),
        ([True, False], None, None),
        ([None, None], None, None),
        ([timedelta(hours=1)], None, None),
        (["0001-01-01T00:00:00+05:00", "1970-01-01"], "date", [at(1, 1, 1) - 18000, 0]),
    ],
)
def test_times_of_any_kind(values: list[Any], kind: str | None, found: list[float] | None) -> None:
    result = _times_as_numbers.as_numbers(pl.Series("time", values))
    if kind is None:
        assert result is None
    else:
        assert result is not None
        assert result[1] == kind
        np.testing.assert_array_equal(result[0], np.array(found, dtype=np.float64))


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_moments_of_any_precision(unit: str) -> None:
    column = pl.Series([datetime(2024, 5, 6, 7)]).cast(pl.Datetime(unit))  # type: ignore[arg-type]
    found = _times_as_numbers.as_numbers(column)
    assert found is not None
    assert found[0][0] == at(2024, 5, 6, 7)
