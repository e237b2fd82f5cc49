"""Times of documents as numbers, whatever they are stored as."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow.corpus import dates

Times = NDArray[np.float64]

DAY = 86_400.0
PER_SECOND = {"ms": 1e3, "us": 1e6, "ns": 1e9}
# seconds since 1970 that numbers are taken for: from 1973 to 2103
FIRST_STAMP, LAST_STAMP = 1e8, 4.2e9
STAMPS = 0.99  # of the numbers are timestamps, if the column holds such


def as_numbers(column: pl.Series) -> tuple[Times, str] | None:
    """Times with their kind, nan where there is none: "date", seconds since 1970 in UTC, or
    "number", as they are.

    Numbers that are timestamps from 1973 to 2103, in seconds, milliseconds, micro- or nanoseconds,
    or days written like 19970512, are dates; others, years among them, stay numbers. Texts are read
    as numbers if all of them are, or else as dates in the formats that `corpus.dates` lists, if
    half of them are. Other columns, and those without a single time, are None.
    """
    kind = column.dtype
    if kind == pl.String:
        return _of_texts(column)
    if kind == pl.Date:
        return _known(column.to_physical().cast(pl.Float64) * DAY, "date")
    if isinstance(kind, pl.Datetime):
        return _known(column.to_physical().cast(pl.Float64) / PER_SECOND[kind.time_unit], "date")
    return _of_numbers(column) if kind.is_numeric() else None


def _known(values: pl.Series, kind: str) -> tuple[Times, str] | None:
    numbers = values.fill_null(np.nan).to_numpy().copy()
    numbers[~np.isfinite(numbers)] = np.nan
    return None if np.isnan(numbers).all() else (numbers, kind)


def _of_numbers(column: pl.Series) -> tuple[Times, str] | None:
    found = _known(column.cast(pl.Float64), "number")
    if found is None:
        return None
    numbers = found[0]
    known = numbers[np.isfinite(numbers)]
    for scale in (1.0, *PER_SECOND.values()):
        stamps = (known >= FIRST_STAMP * scale) & (known <= LAST_STAMP * scale)
        if stamps.mean() >= STAMPS:
            return numbers / scale, "date"
    if ((known >= 1e7) & (known < 3e7) & (known == np.rint(known))).all():
        written = pl.Series(numbers, nan_to_null=True).cast(pl.Int64).cast(pl.String)
        days = dates.seconds_of(written)
        if days.null_count() == written.null_count():
            return _known(days, "date")
    return found


def _of_texts(column: pl.Series) -> tuple[Times, str] | None:
    given = column.str.strip_chars().replace("", None)
    numbers = given.cast(pl.Float64, strict=False)
    if numbers.null_count() == given.null_count():
        return _of_numbers(numbers)
    found = dates.seconds_of(given)
    few = len(found) - found.null_count() < (len(given) - given.null_count()) / 2
    return None if few else _known(found, "date")
