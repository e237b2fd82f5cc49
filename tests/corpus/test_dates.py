"""Dates as people and programs write them."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import numpy as np
import polars as pl
import pytest

from undertow.corpus import dates


def read(*texts: str | None) -> list[float | None]:
    return dates.seconds_of(pl.Series(texts, dtype=pl.String)).to_list()


def at(
    year: int, month: int = 1, day: int = 1, hour: int = 0, minute: int = 0, second: float = 0
) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp() + second


MAY = at(1997, 5, 12)
TEN = at(1997, 5, 12, 10, 11, 12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1997-05-12", MAY),
        ("1997/5/12", MAY),
        ("1997.05.12", MAY),
        ("19970512", MAY),
        ("1997-05", at(1997, 5)),
        ("1997", at(1997)),
        ("05/1997", at(1997, 5)),
        ("1997-05-12T10:11:12Z", TEN),
        ("1997-05-12 10:11:12", TEN),
        ("1997-05-12T10:11:12.25+02:00", TEN - 7200 + 0.25),
        ("1997-05-12 10:11", at(1997, 5, 12, 10, 11)),
        ("19970512T101112", TEN),
        ("1997-W20-1", MAY),
        ("12 May 1997", MAY),
        ("12. May 1997", MAY),
        ("12th of May, 1997", MAY),
        ("12-May-97", MAY),
        ("12-MAY-1997 10:11:12", TEN),
        ("May 12, 1997", MAY),
        ("may 12th 1997", MAY),
        ("Monday, May 12, 1997 at 10:11:12 AM", TEN),
        ("May 12, 1997, 10:11:12 p.m.", TEN + 43_200),
        ("12 May 1997 12:00 am", MAY),
        ("Sept. 5, 2001", at(2001, 9, 5)),
        ("5 sep 2001", at(2001, 9, 5)),
        ("May 1997", at(1997, 5)),
        ("Mon, 12 May 1997 10:11:12 +0200", TEN - 7200),
        ("Mon, 12 May 97 10:11:12 GMT", TEN),
        ("12 May 1997 10:11:12 -0430 (some place)", TEN + 16_200),
        ("12 May 1997 10:11:12 EDT", TEN + 14_400),
        ("Mon May 12 10:11:12 1997", TEN),
        ("Mon May 12 10:11:12 PDT 1997", TEN + 25_200),
        ("  12   May\t1997 ", MAY),
        ("1/2/68", at(2068, 1, 2)),
        ("1/2/69", at(1969, 1, 2)),
        ("29 Feb 2000", at(2000, 2, 29)),
    ],
)
def test_the_usual_formats(text: str, expected: float) -> None:
    assert read(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "noon",
        "30 Feb 2000",
        "29 Feb 1900",
        "1997-13-01",
        "1997-05-32",
        "0000-01-01",
        "12 Mai 1997",
        "Mayday 12, 1997",
        "13/13/1997",
        "1997-05-12 25:00",
        "1997-05-12 10:61",
        "13:00 pm 12 May 1997",
        "12 May 1997 13:00 pm",
        "12 May 1997 and so on",
        "1997-05-12" + " " * 100 + "x",
        "12",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert read(text, "1997-05-12") == [None, MAY]


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (
            ["12/05/1997", "01/02/1997"],
            [(12, 5), (1, 2)],
        ),  # months first, where nothing says otherwise
        (["12.05.1997", "01.02.1997"], [(5, 12), (2, 1)]),  # days first, with dots
        (["12/05/1997", "25/02/1997"], [(5, 12), (2, 25)]),  # a day above 12 decides for all
        (["12.05.1997", "02.25.1997"], [(12, 5), (2, 25)]),
        (["12-05-97", "25-02-97"], [(5, 12), (2, 25)]),
        (
            ["12/05/1997", "25/02/1997", "26/03/1997", "03/27/1997"],
            [(5, 12), (2, 25), (3, 26), (3, 27)],
        ),
    ],
)
def test_the_column_says_which_number_is_the_day(
    texts: list[str], days: list[tuple[int, int]]
) -> None:
    assert read(*texts) == [at(1997, month, day) for month, day in days]


def test_many_dates_as_other_programs_write_them() -> None:
    generator = random.Random(0)
    moments = [
        datetime(1970, 1, 1, tzinfo=timezone(timedelta(minutes=generator.randrange(-720, 720, 30))))
        + timedelta(seconds=generator.randrange(-(10**9), 4 * 10**9))
        for _ in range(500)
    ]
    expected = [moment.timestamp() for moment in moments]
    assert read(*(format_datetime(moment) for moment in moments)) == expected
    assert read(*(moment.isoformat() for moment in moments)) == expected
    assert (
        read(*(moment.astimezone(UTC).strftime("%a %b %d %H:%M:%S %Y") for moment in moments))
        == expected
    )
    assert (
        read(*(moment.astimezone(UTC).strftime("%d/%m/%Y %H:%M:%S") for moment in moments))
        == expected
    )
    assert (
        read(*(moment.astimezone(UTC).strftime("%B %d, %Y %I:%M:%S %p") for moment in moments))
        == expected
    )


def test_missing_and_repeated_texts_keep_their_places() -> None:
    found = read(None, "May 1997", "no", "May 1997", None)
    np.testing.assert_array_equal(
        np.array(found, dtype=np.float64), [math.nan, at(1997, 5), math.nan, at(1997, 5), math.nan]
    )
