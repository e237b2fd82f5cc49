"""Dates in texts, in the formats that people and programs write, a whole column at a time.

Read are, each with a time of day and a zone after it or without:

- year first: 1997-05-12, 1997/5/12, 1997.05.12, 1997-05, 19970512, 1997;
- with the month's English name or its beginning: 12 May 1997, 12-May-97, May 12, 1997, May 1997, a
  weekday before them or not; so RFC 2822 (Mon, 12 May 1997 10:00:00 +0200) and ctime (Mon May 12
  10:00:00 1997) too;
- numbers only: 12/05/1997, 12.05.97, 5-12-1997, 05/1997.

Of 12/05/1997 the whole column says which is the day: if a first number is above 12, days come
first; if a second one is, months do; if both happen, the more frequent case decides, and a date
that makes sense only the other way is read the other way. Where no number says so, days come first
in dates with dots, and months in others. A year of two digits is from 1969 to 2068. Without a zone,
a time is taken for UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

LONGEST = 80  # letters of a text that may be a date
DAY = 86_400
FIRST_HALF = ("january", "february", "march", "april", "may", "june")
MONTHS = (*FIRST_HALF, "july", "august", "september", "october", "november", "december")
ZONES = {
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
}  # hours, RFC 2822

WEEKDAY = r"^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"\s*(?P<noon>[ap]\.?m\.?)?"
)
ZONE = r"\s*(?P<zone>z|utc?|gmt|[ecmp][sd]t|[+-]\d{2}:?\d{2})?(?:\s*\([^)]*\))?"
TIME = rf"(?:(?:t|\s*,?\s+)(?:at\s+)?{CLOCK}{ZONE})?\s*$"
DAY_NUMBER, NAME, YEAR = (
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?",
    r"(?P<name>[a-z]{3,9})\.?",
    r"'?(?P<year>\d{4}|\d{2})",
)

NUMBERS = r"^(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second_>\d{1,2})[-/.]" + YEAR + TIME

FORMATS = (
    r"^(?P<year>\d{4})[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?" + TIME,
    r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})" + TIME,
    r"^(?P<year>\d{4})$",
    WEEKDAY + DAY_NUMBER + r"[\s.-]*(?:of\s+)?" + NAME + r",?[\s/-]*" + YEAR + TIME,
    WEEKDAY + NAME + r"[\s-]*" + DAY_NUMBER + r"(?:,\s*|[\s-]+)" + YEAR + TIME,
    r"^" + NAME + r"[\s,/-]*(?P<year>\d{4})$",
    WEEKDAY + NAME + r"\s+(?P<day>\d{1,2})\s+" + CLOCK + ZONE + r"\s+(?P<year>\d{4})$",
    NUMBERS,
    r"^(?P<month>\d{1,2})[-/.](?P<year>\d{4})$",
)

# No day, or no more than a version or a week: only a column that is said to hold dates is read so.
VAGUE = (
    r"^(?:\D*\d{4}|\d{4}[-/.]\d{1,2}|\d{1,2}[-/.]\d{4}"
    r"|\d{1,2}[-/.]\d{1,2}[-/.]\d{2}|\d{4}-?w.*|\d{8}t?.*)$"
)
WITH_TIME = r"\d:\d|\dt\d{2}"

Numbers = NDArray[np.float64]


@dataclass
class DayOrder:
    """Which number is the day in dates such as 12/05/1997: what a column says, looked at in
    pieces.
    """

    told: bool | None = None  # whether the day is first, where somebody knows
    # what other columns of this kind said: it holds where these dates do not say
    before: bool | None = None
    days_first: int = 0  # dates that only make sense so
    months_first: int = 0
    dotted: bool = False
    # "days", "months" and "open" -> the first such date
    examples: dict[str, str] = field(default_factory=dict)

    def look(self, texts: pl.Series) -> None:
        """Takes in what some texts say."""
        clean = _clean(_different(texts))
        groups = clean.str.extract_groups(NUMBERS).struct.unnest().with_columns(clean.alias("text"))
        groups = groups.filter(pl.col("first").is_not_null())
        first, second = _number(groups, "first"), _number(groups, "second_")
        for name, found in (
            ("days", first > 12),
            ("months", second > 12),
            ("open", (first <= 12) & (second <= 12)),
        ):
            if found.any() and name not in self.examples:
                self.examples[name] = groups["text"][int(np.flatnonzero(found)[0])]
        self.days_first += int((first > 12).sum())
        self.months_first += int((second > 12).sum())
        self.dotted |= bool((groups["mark"] == ".").any())

    @property
    def day_first(self) -> bool:
        """Whether days come first."""
        if self.told is not None:
            return self.told
        if self.days_first or self.months_first:
            return self.days_first > self.months_first
        return self.dotted if self.before is None else self.before

    def remark(self) -> str | None:
        """How dates were read that could be read in two ways, and why; None where there are
        none.
        """
        if "open" not in self.examples:
            return None
        order = "day first" if self.day_first else "month first"
        said = f"{self.examples['open']} is read with the {order}"
        if self.told is not None:
            return f"{said}, as told"
        why, other = ("days", "months") if self.day_first else ("months", "days")
        if why in self.examples:
            against = (
                f"; {self.examples[other]} only makes sense the other way"
                if other in self.examples
                else ""
            )
            return f"{said}, as in {self.examples[why]}{against}"
        return (
            f"{said}, as before" if self.before is not None else f"{said}: no date says which it is"
        )


def seconds_of(texts: pl.Series, day_first: bool | None = None) -> pl.Series:
    """The seconds since 1970 in UTC that each text means, null where it is no date.

    Which number of 12/05/1997 is the day, the texts say themselves unless it is given.
    """
    shortened = _different(texts)
    clean = _clean(shortened)
    found = pl.Series([None] * len(clean), dtype=pl.Float64)
    for pattern in FORMATS:
        left = found.is_null()
        if left.any():
            found = found.zip_with(~left, _read(clean, pattern, day_first))
    found = pl.Series(
        [
            _iso(text) if seconds is None else seconds
            for text, seconds in zip(shortened.to_list(), found.to_list(), strict=True)
        ],
        dtype=pl.Float64,
    )
    return texts.replace_strict(shortened, found, default=None, return_dtype=pl.Float64)


def is_vague(texts: pl.Series) -> pl.Series:
    """Which texts are dates only if one knows that they are: a month, a year of two digits, a row
    of digits.
    """
    return _clean(texts).str.contains(VAGUE)


def has_time(texts: pl.Series) -> pl.Series:
    """Which dates have a time of day."""
    return _clean(texts).str.contains(WITH_TIME)


def _different(texts: pl.Series) -> pl.Series:
    """Each text once, without those that are too long for a date."""
    different = texts.drop_nulls().unique(maintain_order=True)
    return different.filter(different.str.len_chars() <= LONGEST)


def _clean(texts: pl.Series) -> pl.Series:
    return texts.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


def _iso(text: str) -> float | None:
    """What else ISO 8601 allows: weeks, times without colons."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _read(texts: pl.Series, pattern: str, day_first: bool | None) -> pl.Series:
    """The texts that follow one pattern, as seconds; null for others, and for days that there never
    were.
    """
    groups = texts.str.extract_groups(pattern).struct.unnest()
    if "first" in groups.columns:
        groups = _ordered(groups, _decided(texts) if day_first is None else day_first)
    year = _number(groups, "year")
    short = groups["year"].str.len_chars().fill_null(4).to_numpy() == 2
    year = np.where(short, year + np.where(year < 69, 2000, 1900), year)
    month = _month(groups["name"]) if "name" in groups.columns else _number(groups, "month", 1)
    days = _days(year, month, _number(groups, "day", 1))
    seconds = days * DAY + _clock(groups) - _zone(groups)
    return pl.Series(seconds, nan_to_null=True)


def _number(groups: pl.DataFrame, name: str, default: float = np.nan) -> Numbers:
    """A group as numbers; the default where the format or the text has none."""
    if name not in groups.columns:
        return np.full(groups.height, default)
    return groups[name].cast(pl.Float64).fill_null(default).to_numpy().copy()


def _decided(texts: pl.Series) -> bool:
    order = DayOrder()
    order.look(texts)
    return order.day_first


def _ordered(groups: pl.DataFrame, day_first: bool) -> pl.DataFrame:
    """Two numbers as day and month."""
    first, second = _number(groups, "first"), _number(groups, "second_")
    swapped = np.where(day_first, second, first) > 12  # it makes sense only the other way
    day_leads = swapped != day_first
    day, month = np.where(day_leads, first, second), np.where(day_leads, second, first)
    as_texts = (
        pl.Series(name, values, nan_to_null=True)
        for name, values in (("day", day), ("month", month))
    )
    return groups.with_columns(as_texts)


def _month(names: pl.Series) -> Numbers:
    """Months by their names, or the first three letters or more of them."""
    known = {
        name[:letters]: number + 1
        for number, name in enumerate(MONTHS)
        for letters in range(3, len(name) + 1)
    }
    found = names.replace_strict(known, default=None, return_dtype=pl.Float64)
    return found.fill_null(np.nan).to_numpy().copy()


def _days(year: Numbers, month: Numbers, day: Numbers) -> Numbers:
    """Days since 1970; nan where there is no such day."""
    there = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    months = np.where(there, (year - 1970) * 12 + month - 1, 0).astype(np.int64)
    begin = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    end = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    there &= begin + np.where(there, day, 0) <= end
    return np.where(there, begin + day - 1.0, np.nan)


def _clock(groups: pl.DataFrame) -> Numbers:
    """Seconds of the day; nan where there is no such time."""
    hour, minute, second = (_number(groups, name, 0) for name in ("hour", "minute", "second"))
    if "noon" in groups.columns:
        half = groups["noon"].str.slice(0, 1)
        late, early = ((half == letter).fill_null(False).to_numpy() for letter in ("p", "a"))
        wrong = (late | early) & ((hour < 1) | (hour > 12))
        hour = np.where(
            wrong, np.nan, np.where(late, hour % 12 + 12, np.where(early, hour % 12, hour))
        )
    part = np.zeros(groups.height)
    if "part" in groups.columns:
        part = ("0." + groups["part"]).cast(pl.Float64).fill_null(0).to_numpy()
    there = (hour <= 24) & (minute < 60) & (second <= 60) & (hour * 60 + minute <= 24 * 60)
    return np.where(there, hour * 3600 + minute * 60 + second + part, np.nan)


def _zone(groups: pl.DataFrame) -> Numbers:
    """Seconds that the zone is ahead of UTC."""
    if "zone" not in groups.columns:
        return np.zeros(groups.height)
    zone = groups["zone"].str.replace(":", "")
    named = zone.replace_strict(ZONES, default=0, return_dtype=pl.Float64) * 3600
    shift = zone.str.slice(1).cast(pl.Float64, strict=False)
    sign = pl.Series(np.where((zone.str.slice(0, 1) == "-").fill_null(False).to_numpy(), -1.0, 1.0))
    numbered = sign * ((shift / 100).floor() * 3600 + shift % 100 * 60)
    return numbered.zip_with(numbered.is_not_null(), named).fill_null(0).to_numpy()
