"""The kinds of what is known of documents besides their texts: which kind a column is, and its
values as that kind.

A table says what its columns hold. In CSV and JSON lines everything is written out: there a column
is of the narrowest kind that all of its values can be read as. A column may also be told its kind.
Days and moments may be written in any of the usual formats; a time that is a column of texts in a
table is read so too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl
from polars.exceptions import PolarsError

from undertow._errors import InvalidInput
from undertow.corpus.dates import DayOrder
from undertow.search.filters import moments

if TYPE_CHECKING:
    import pyarrow as pa

COLUMN_KINDS = {
    "flag": "true or false",
    "whole": "whole numbers of 64 bits",
    "number": "numbers",
    "day": "days such as 2026-01-31",
    "moment": "moments such as 2026-01-31 12:00:00",
    "text": "texts",
}
"""The kinds, the narrowest first, and how they are called in messages."""

LEADING_ZERO = r"^[+-]?0[0-9]"  # a number that begins so is a name, as of a telephone or a place
NUMBER = r"^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$"  # no "nan", no "infinity"
DATES = ("day", "moment")
TOLD = "told"  # in the place of a column's name: for all of them
FIRST_LOOK = 100  # values that rule out most kinds


def arrow_type(kind: str) -> pa.DataType:
    """What the database keeps a kind as."""
    import pyarrow as pa

    types = {
        "flag": pa.bool_(),
        "whole": pa.int64(),
        "number": pa.float64(),
        "day": pa.date32(),
        "moment": pa.timestamp("us"),
        "text": pa.string(),
    }
    return types[kind]


class ColumnKinds:
    """The kinds of some columns, told, or found out while a corpus is gone through.

    Those that are `optional` are let go where they cannot be kept. `day_first` is what is known of
    the order of numbers in dates, for where the dates do not say: by column from earlier ones, or
    under "told".
    """

    def __init__(
        self,
        names: Sequence[str],
        told: Mapping[str, str | None],
        *,
        typed: bool,
        optional: Collection[str] = (),
        day_first: Mapping[str, bool] | None = None,
    ) -> None:
        self._names, self._typed, self._optional = list(names), typed, optional
        before = day_first or {}
        self._orders = {
            name: DayOrder(told=before.get(TOLD), before=before.get(name)) for name in names
        }
        self._known = {name: kind for name, kind in told.items() if kind is not None}
        self._guesses = {
            name: self._guess(name) for name in names if not typed and name not in self._known
        }
        self._dropped: dict[str, str] = {}

    def _guess(self, name: str) -> KindGuess:
        return KindGuess(DATES if self._typed else tuple(COLUMN_KINDS), said=name == "time")

    @property
    def kinds(self) -> dict[str, str]:
        """Column -> kind, as far as was looked."""
        found = {**self._known, **{name: guess.kind for name, guess in self._guesses.items()}}
        return {name: found[name] for name in self._names if name in found}

    @property
    def day_first(self) -> dict[str, bool]:
        """Whether days come first, for each column of dates that could be read in two ways."""
        return {name: order.day_first for name, order in self._dated() if order.examples}

    @property
    def remarks(self) -> list[str]:
        """What was let go and why, and how dates were read that could be read in two ways."""
        orders = [(name, order.remark()) for name, order in self._dated()]
        time = self._guesses.get("time")
        return [
            *(f"not kept: {reason}" for reason in self._dropped.values()),
            *(f"{name}: {remark}" for name, remark in orders if remark is not None),
            *(
                [f"time stays text: {time.no_date!r:.60} is no date"]
                if time is not None and time.no_date
                else []
            ),
        ]

    def _dated(self) -> list[tuple[str, DayOrder]]:
        return [
            (name, self._orders[name])
            for name, kind in self.kinds.items()
            if kind in DATES and name in self._orders
        ]

    def look(self, chunk: pl.DataFrame, first: int) -> Iterator[pl.Series]:
        """The columns of a chunk, checked; `first` is the number of its first document."""
        for name in list(self._names):
            try:
                yield self._looked_at(chunk[name], first)
            except InvalidInput as error:
                if name not in self._optional:
                    raise
                self._dropped[name] = str(error)
                self._names.remove(name)

    def _looked_at(self, values: pl.Series, first: int) -> pl.Series:
        name = values.name
        if (
            name not in self._known
            and name not in self._guesses
            and name == "time"
            and values.dtype == pl.String
        ):
            self._guesses[name] = self._guess(name)
        if values.dtype == pl.String and self._may_be_dates(name):
            self._orders[name].look(values)
        if name in self._guesses:
            self._guesses[name].look(values)
            return values
        if name not in self._known:
            self._known[name] = kind_of(values)
        return as_kind(values, self._known[name], first)

    def _may_be_dates(self, name: str) -> bool:
        return self._known.get(name) in DATES or (
            name in self._guesses and self._guesses[name].may_be_dates
        )


def kind_of(values: pl.Series) -> str:
    """The kind of a column that has a type, or an error. A time may be anything that can be written
    as text.
    """
    kind = values.dtype
    if kind.is_integer():
        return "whole"
    if kind.is_float() or kind.is_decimal():
        return "number"
    named: dict[object, str] = {pl.Boolean: "flag", pl.Date: "day", pl.Datetime: "moment"}
    for family, found in named.items():
        if kind == family:
            return found
    if kind in (pl.String, pl.Categorical, pl.Enum, pl.Null) or values.name == "time":
        return "text"
    raise InvalidInput(
        f"{values.name} must hold {', '.join(COLUMN_KINDS.values())}, got a column of {kind!s:.60}"
    )


class KindGuess:
    """The kind of a column of strings, found by going through it in pieces; `said` to be a time,
    vague dates count.
    """

    def __init__(self, kinds: Sequence[str] = tuple(COLUMN_KINDS), *, said: bool = False) -> None:
        self._open = [*(kind for kind in kinds if kind != "text"), "text"]
        self._said = said
        self._empty = True
        self._dates = 0  # of a column that is said to hold them
        self.no_date: str | None = None  # the first text that is none, among dates

    def look(self, values: pl.Series) -> None:
        """Rules out what these values cannot be."""
        written = values.drop_nulls()
        self._empty &= written.is_empty()
        before = self.may_be_dates
        self._open = [kind for kind in self._open if self._fits(written, kind)]
        if self._said and before and not self.may_be_dates:
            self._look_for_others(written)
        self._dates += len(written) if self.may_be_dates else 0

    def _look_for_others(self, written: pl.Series) -> None:
        others = written.filter(_read(written, "moment").is_null())
        if len(others) and len(others) < len(written) + self._dates:
            self.no_date = others[0]

    def _fits(self, written: pl.Series, kind: str) -> bool:
        parts = (written[:FIRST_LOOK], written) if len(written) > FIRST_LOOK else (written,)
        return all(_fits(part, kind, vague=self._said) for part in parts)

    @property
    def may_be_dates(self) -> bool:
        """Whether all that was seen are dates."""
        return not set(DATES).isdisjoint(self._open)

    @property
    def kind(self) -> str:
        """The narrowest kind left; texts where nothing was seen."""
        return "text" if self._empty else self._open[0]


def _fits(written: pl.Series, kind: str, *, vague: bool) -> bool:
    if kind in ("whole", "number") and written.str.contains(LEADING_ZERO).any():
        return False
    if kind in DATES and not vague and moments.is_vague(written):
        return False
    return not _read(written, kind).null_count()


def as_kind(
    values: pl.Series, kind: str, first: int = 0, day_first: bool | None = None
) -> pl.Series:
    """The values as this kind; `first` is the number of the first document, for the message if one
    cannot be.

    `day_first` says which number of 12/05/1997 is the day; unless it is given, the values do.
    """
    if values.dtype in (pl.Categorical, pl.Enum, pl.Null):
        values = values.cast(pl.String)
    read = _read(values, kind, day_first) if values.dtype == pl.String else _changed(values, kind)
    lost = read.is_null() & values.is_not_null()
    if values.dtype.is_float():
        lost &= values.is_not_nan()  # which says that there is no value
    if lost.any():
        place = int(lost.arg_true()[0])
        got = values.slice(place, 1).cast(pl.String)[0]  # Python has no days after the year 9999
        shown = repr(got) if values.dtype == pl.String else got
        raise InvalidInput(
            f"{values.name} must hold {COLUMN_KINDS[kind]}, got {shown:.60} in document "
            f"{first + place}"
        )
    return read


def _read(values: pl.Series, kind: str, day_first: bool | None = None) -> pl.Series:
    """Strings as a kind; null for one that is none."""
    if kind == "flag":
        small = values.str.to_lowercase()
        return small.replace_strict(
            {"true": True, "false": False}, default=None, return_dtype=pl.Boolean
        )
    if kind == "whole":
        return values.cast(pl.Int64, strict=False)
    if kind == "number":
        numbers = values.set(~values.str.contains(NUMBER), None).cast(pl.Float64, strict=False)
        return numbers.set(numbers.is_infinite(), None)
    return moments.read(values, kind, day_first) if kind in DATES else values


def _changed(values: pl.Series, kind: str) -> pl.Series:
    """Values of a type as a kind that can hold them: numbers as texts, days as moments and the
    like.
    """
    own = kind_of(values)
    if (
        own != kind
        and (own, kind) not in (("whole", "number"), ("day", "moment"))
        and kind != "text"
    ):
        raise InvalidInput(
            f"{values.name} must hold {COLUMN_KINDS[kind]}, got a column of {values.dtype!s:.60}"
        )
    try:
        if kind == "text":
            return values.cast(pl.String)
        if kind == "whole":
            return values.cast(pl.Int64, strict=False)
        if kind == "number":
            return values.cast(pl.Float64).fill_nan(None)
        return values if kind == "flag" else _dated(values, kind)
    except PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise InvalidInput(
            f"{values.name} must hold {COLUMN_KINDS[kind]}, got others: {reason:.80}"
        ) from None


def _dated(values: pl.Series, kind: str) -> pl.Series:
    """Days, or moments of UTC, of the years that Python's own dates have; others become null."""
    if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone:
        values = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = values if kind == "day" else values.cast(pl.Datetime("us"), strict=False)
    return values.set(~values.dt.year().is_between(1, 9999), None)
