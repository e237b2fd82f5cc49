"""Times of documents as numbers, whatever they are stored as."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

Times = NDArray[np.float64]

DAY = 86_400.0
PER_SECOND = {"ms": 1e3, "us": 1e6, "ns": 1e9}


def as_numbers(column: pl.Series) -> tuple[Times, str] | None:
    """Times with their kind, nan where there is none: "date", seconds since 1970 in UTC, or "number", as they are.

    Texts are read as numbers if all of them are, or else as dates of ISO 8601, if half of them are. Other columns, and
    those without a single time, are None.
    """
    kind = column.dtype
    if kind == pl.String:
        return _of_texts(column)
    if kind == pl.Date:
        return _known(column.to_physical().cast(pl.Float64) * DAY, "date")
    if isinstance(kind, pl.Datetime):
        return _known(column.to_physical().cast(pl.Float64) / PER_SECOND[kind.time_unit], "date")
    return _known(column.cast(pl.Float64), "number") if kind.is_numeric() else None


def _known(values: pl.Series, kind: str) -> tuple[Times, str] | None:
    numbers = values.fill_null(np.nan).to_numpy().copy()
    numbers[~np.isfinite(numbers)] = np.nan
    return None if np.isnan(numbers).all() else (numbers, kind)


def _of_texts(column: pl.Series) -> tuple[Times, str] | None:
    given = column.str.strip_chars().replace("", None)
    numbers = given.cast(pl.Float64, strict=False)
    if numbers.null_count() == given.null_count():
        return _known(numbers, "number")
    different = given.drop_nulls().unique(maintain_order=True)
    seconds = pl.Series([_seconds(text) for text in different.to_list()], dtype=pl.Float64)
    found = given.replace_strict(different, seconds, default=None, return_dtype=pl.Float64)
    few = len(found) - found.null_count() < (len(given) - given.null_count()) / 2
    return None if few else _known(found, "date")


def _seconds(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
