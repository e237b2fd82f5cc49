"""Documents that are no text: lists of tokens, such as market baskets, codes or events.

Tokens are counted as they are. Where such a document is shown or kept as text, its tokens are
joined by spaces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from undertow._errors import InvalidInput

TOKENS = pl.List(pl.String)
SPACES = r"\s"


def is_tokens(value: Any) -> bool:
    """Whether a document is a list of tokens."""
    return isinstance(value, (list, tuple, pl.Series)) or (
        isinstance(value, np.ndarray) and value.ndim == 1
    )


def token_column(chunk: list[Any], first: int) -> pl.Series:
    """Documents as a column of lists, or an error that names the row of the first that cannot be;
    `first` is the row of the first of them.
    """
    for row, document in enumerate(chunk, start=first):
        if not is_tokens(document):
            raise InvalidInput(
                f"documents must be all texts or all lists of tokens, got lists and then "
                f"{document!r:.60} in row {row}"
            )
        for token in document:
            if not isinstance(token, str) or not token:
                raise InvalidInput(
                    f"tokens must be strings that are not empty, got {token!r:.60} in row {row}"
                )
    lists = [[str(token) for token in document] for document in chunk]
    try:
        return pl.Series("text", lists, dtype=TOKENS)
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"tokens must be valid Unicode, got half of a surrogate pair in {error.object!r:.60}"
        ) from None


def checked_lists(column: pl.Series) -> pl.Series:
    """A column of lists of strings, of which none is missing."""
    inner = getattr(column.dtype, "inner", None)
    if inner not in (pl.String, pl.Null, pl.Categorical, pl.Enum):
        raise InvalidInput(f"tokens must be strings, got a column of type {column.dtype}")
    lists = column.cast(TOKENS)
    wrong = lists.is_null() | (lists.list.eval(pl.element().is_null()).list.any())
    if wrong.any():
        raise InvalidInput(f"tokens must be strings, got null in row {wrong.arg_true()[0]}")
    empty = lists.list.contains("")
    if empty.any():
        raise InvalidInput(
            f"tokens must be strings that are not empty, got '' in row {empty.arg_true()[0]}"
        )
    return lists


def holds_tokens(column: pl.Series) -> bool:
    """Whether documents are lists of tokens, not texts."""
    return isinstance(column.dtype, (pl.List, pl.Array))


def lengths(column: pl.Series) -> pl.Series:
    """Bytes of each text, or of the tokens of each list."""
    if not holds_tokens(column):
        return column.str.len_bytes()
    return column.list.eval(pl.element().str.len_bytes()).list.sum()


def as_shown(column: pl.Series) -> pl.Series:
    """Texts as they are, and tokens joined by spaces."""
    return column.list.join(" ") if holds_tokens(column) else column


def as_text(column: pl.Series) -> pl.Series:
    """The same where documents are kept as text, and tokens have to be found again in it."""
    if holds_tokens(column):
        tokens = column.explode().drop_nulls()
        odd = tokens.filter(tokens.str.contains(SPACES))
        if len(odd):
            raise InvalidInput(
                "tokens must hold no white space where documents are kept as text, got "
                f"{odd[0]!r:.60}: put something else in its place, such as _"
            )
    return as_shown(column)
