"""The kinds of what is known of documents besides their texts: which kind a column is, and its values as that kind.

A table says what its columns hold. In CSV and JSON lines everything is written out: there a column is of the narrowest
kind that all of its values can be read as. A column may also be told its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import polars as pl
from polars.exceptions import PolarsError

from undertow._errors import InvalidInput
from undertow.search._grammar import NOT_COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = {
    "flag": "true or false",
    "whole": "whole numbers of 64 bits",
    "number": "numbers",
    "day": "days such as 2026-01-31",
    "moment": "moments such as 2026-01-31 12:00:00",
    "text": "texts",
}
"""The kinds, the narrowest first, and how they are called in messages."""

OWN = ("id", "text", "label", "split", "time", "vector", "code")  # the columns that an index has of its own
MOST = 64  # columns that are kept
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
LEADING_ZERO = r"^[+-]?0[0-9]"  # a number that begins so is a name, as of a telephone or a place
NUMBER = r"^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$"  # no "nan", no "infinity"
MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII)


def wanted(keep: str | Sequence[str] | Mapping[str, str | None]) -> dict[str, str | None]:
    """What to keep: column -> kind, None where the column is to show it. "rating:number" is a column with its kind."""
    if isinstance(keep, Mapping):
        pairs = list(keep.items())
    else:
        pairs = [_pair(text) for text in ([keep] if isinstance(keep, str) else keep)]
    if len(pairs) > MOST:
        raise InvalidInput(f"keep must name at most {MOST} columns, got {len(pairs)}")
    found: dict[str, str | None] = {}
    for name, kind in pairs:
        _check_name(name, {other.lower() for other in found})
        if kind not in (None, *KINDS):
            raise InvalidInput(f"keep must give a kind of {', '.join(KINDS)}, got {kind!r:.40} for {name}")
        found[name] = kind
    return found


def _pair(text: str) -> tuple[str, str | None]:
    if not isinstance(text, str):
        raise InvalidInput(f"keep must hold names of columns, got {text!r:.60}")
    name, colon, kind = text.rpartition(":")
    return (name, kind) if colon else (text, None)


def _check_name(name: object, others: set[str]) -> None:
    """A name that filters can use, and that nothing else has."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InvalidInput(
            f"keep must name columns of letters, digits and _ (64 at most, a letter first), which filters can name, "
            f"got {name!r:.80}: rename the column"
        )
    if name.lower() in OWN:
        raise InvalidInput(f"keep must not name a column that every index has ({', '.join(OWN)}), got {name!r}")
    if name.upper() in NOT_COLUMNS:
        raise InvalidInput(f"keep must not name a column as a word of the language of filters, got {name!r}")
    if name.lower() in others:
        raise InvalidInput(f"keep must name columns that differ, in more than their capitals too, got {name!r} again")


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


class Columns:
    """The kinds of some columns, told, or found out while a corpus is gone through."""

    def __init__(self, names: Sequence[str], told: Mapping[str, str | None], *, typed: bool) -> None:
        self._names, self._typed = tuple(names), typed
        self._known = {name: kind for name, kind in told.items() if kind is not None}
        self._guesses = {name: Guess() for name in names if not typed and name not in self._known}

    @property
    def kinds(self) -> dict[str, str]:
        """Column -> kind, as far as was looked."""
        found = {**self._known, **{name: guess.kind for name, guess in self._guesses.items()}}
        return {name: found[name] for name in self._names if name in found}

    def look(self, chunk: pl.DataFrame, first: int) -> Iterator[pl.Series]:
        """The columns of a chunk, checked; `first` is the number of its first document."""
        for name in self._names:
            if name in self._guesses:
                self._guesses[name].look(chunk[name])
                yield chunk[name]
                continue
            if name not in self._known:
                self._known[name] = kind_of(chunk[name])
            yield as_kind(chunk[name], self._known[name], first)


def kind_of(values: pl.Series) -> str:
    """The kind of a column that has a type, or an error. A time may be anything that can be written as text."""
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
    raise InvalidInput(f"{values.name} must hold {', '.join(KINDS.values())}, got a column of {kind!s:.60}")


class Guess:
    """The kind of a column of strings, found by going through it in pieces."""

    def __init__(self) -> None:
        self._open = list(KINDS)
        self._empty = True

    def look(self, values: pl.Series) -> None:
        """Rules out what these values cannot be."""
        written = values.drop_nulls()
        self._empty &= written.is_empty()
        self._open = [kind for kind in self._open if _fits(written, kind)]

    @property
    def kind(self) -> str:
        """The narrowest kind left; texts where nothing was seen."""
        return "text" if self._empty else self._open[0]


def _fits(written: pl.Series, kind: str) -> bool:
    if kind in ("whole", "number") and written.str.contains(LEADING_ZERO).any():
        return False
    return not _read(written, kind).null_count()


def as_kind(values: pl.Series, kind: str, first: int = 0) -> pl.Series:
    """The values as this kind; `first` is the number of the first document, for the message if one cannot be."""
    if values.dtype in (pl.Categorical, pl.Enum, pl.Null):
        values = values.cast(pl.String)
    read = _read(values, kind) if values.dtype == pl.String else _changed(values, kind)
    lost = read.is_null() & values.is_not_null()
    if values.dtype.is_float():
        lost &= values.is_not_nan()  # which says that there is no value
    if lost.any():
        place = int(lost.arg_true()[0])
        got = values.slice(place, 1).cast(pl.String)[0]  # Python has no days after the year 9999
        shown = repr(got) if values.dtype == pl.String else got
        raise InvalidInput(f"{values.name} must hold {KINDS[kind]}, got {shown:.60} in document {first + place}")
    return read


def _read(values: pl.Series, kind: str) -> pl.Series:
    """Strings as a kind; null for one that is none."""
    if kind == "flag":
        small = values.str.to_lowercase()
        return small.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    if kind == "whole":
        return values.cast(pl.Int64, strict=False)
    if kind == "number":
        numbers = values.set(~values.str.contains(NUMBER), None).cast(pl.Float64, strict=False)
        return numbers.set(numbers.is_infinite(), None)
    if kind in ("day", "moment"):
        found = [None if text is None else _moment(text, kind) for text in values]
        return pl.Series(values.name, found, dtype=pl.Date if kind == "day" else pl.Datetime("us"))
    return values


def _moment(text: str, kind: str) -> date | datetime | None:
    """A day, or a moment of UTC; what has no zone is taken for UTC."""
    match = MOMENT.fullmatch(text)
    if match is None or (kind == "day" and match[1]):
        return None
    try:
        if kind == "day":
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


def _changed(values: pl.Series, kind: str) -> pl.Series:
    """Values of a type as a kind that can hold them: numbers as texts, days as moments and the like."""
    own = kind_of(values)
    if own != kind and (own, kind) not in (("whole", "number"), ("day", "moment")) and kind != "text":
        raise InvalidInput(f"{values.name} must hold {KINDS[kind]}, got a column of {values.dtype!s:.60}")
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
        raise InvalidInput(f"{values.name} must hold {KINDS[kind]}, got others: {reason:.80}") from None


def _dated(values: pl.Series, kind: str) -> pl.Series:
    """Days, or moments of UTC, of the years that Python's own dates have; others become null."""
    if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone:
        values = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = values if kind == "day" else values.cast(pl.Datetime("us"), strict=False)
    return values.set(~values.dt.year().is_between(1, 9999), None)
