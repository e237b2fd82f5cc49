"""Texts as days and moments of UTC: ISO 8601 exactly, and the other formats that people and
programs write.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

import polars as pl

from undertow.corpus import dates

ISO = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII
)


def read(values: pl.Series, kind: str, day_first: bool | None) -> pl.Series:
    """Strings as days or moments; null for one that is none, and for a day with a time of day."""
    found = [None if text is None else _iso(text, kind) for text in values]
    exact = pl.Series(values.name, found, dtype=pl.Date if kind == "day" else pl.Datetime("us"))
    left = exact.is_null() & values.is_not_null()
    return (
        exact.zip_with(~left, _usual(values.set(~left, None), kind, day_first))
        if left.any()
        else exact
    )


def is_vague(written: pl.Series) -> bool:
    """Whether one of the texts is a date only if one knows that it is."""
    return bool(dates.is_vague(written).any())


def one(text: str, *, moment: bool) -> date | datetime | None:
    """A single date of a filter, or None: it has to say the day, and which number is it."""
    values = pl.Series([text], dtype=pl.String)
    if dates.is_vague(values)[0]:
        return None
    both = {read(values, "moment" if moment else "day", order)[0] for order in (True, False)}
    return both.pop() if len(both) == 1 else None


def _usual(values: pl.Series, kind: str, day_first: bool | None) -> pl.Series:
    seconds = dates.seconds_of(values, day_first)
    moments = (seconds * 1e6).round().cast(pl.Int64).cast(pl.Datetime("us"))
    moments = moments.set(~moments.dt.year().is_between(1, 9999), None)
    return moments if kind == "moment" else moments.set(dates.has_time(values), None).dt.date()


def _iso(text: str, kind: str) -> date | datetime | None:
    """A day, or a moment of UTC; what has no zone is taken for UTC."""
    match = ISO.fullmatch(text)
    if match is None or (kind == "day" and match[1]):
        return None
    try:
        if kind == "day":
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
