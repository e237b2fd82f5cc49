"""Tables of pandas as tables of polars, without an import of pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from undertow._errors import InvalidInput

PLAIN = "biufM"  # kinds of NumPy arrays that polars takes as they are: no objects, no strings


def is_table(value: Any) -> bool:
    """Whether it is a table of polars or of pandas."""
    return isinstance(value, (pl.DataFrame, pl.LazyFrame)) or _is_of_pandas(value)


def as_table(value: Any) -> pl.DataFrame | pl.LazyFrame:
    """A table as one of polars; the index of one of pandas is no column of it."""
    if isinstance(value, (pl.DataFrame, pl.LazyFrame)):
        return value
    names = [str(name) for name in value.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"columns of a table must have names of their own, got {twice!r} twice")
    return pl.DataFrame([_column(name, value.iloc[:, i]) for i, name in enumerate(names)])


def _is_of_pandas(value: Any) -> bool:
    names = [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(value).__mro__]
    return ("pandas", "DataFrame") in names


def _column(name: str, values: Any) -> pl.Series:
    """What pandas calls missing is null."""
    array = values.to_numpy()
    if array.dtype.kind in PLAIN:
        return pl.Series(name, array, nan_to_null=True)
    missing = np.asarray(values.isna())
    plain = [None if gone else value for value, gone in zip(array, missing, strict=True)]
    try:
        return pl.Series(name, plain)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, plain, dtype=pl.Object)  # of several kinds: no text, whatever it is
