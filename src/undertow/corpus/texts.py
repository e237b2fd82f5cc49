"""Documents of any kind, on one path: a corpus, a table, a column, a list or an iterator, as chunks
of polars strings, or of lists of them where documents are lists of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from undertow._errors import InvalidInput
from undertow._forks import check_not_forked
from undertow.corpus._columns import ROLE_NAMES, find_columns
from undertow.corpus._formats import TableSource
from undertow.corpus._frames import as_table, is_table
from undertow.corpus._token_lists import (
    as_shown,
    as_text,
    checked_lists,
    holds_tokens,
    is_tokens,
    lengths,
    token_column,
)
from undertow.corpus.corpus import ROWS, Corpus

BYTES = 3 * 2**20  # of text in a chunk, so that long documents do not make large chunks


def as_corpus(texts: Any, remembered: Mapping[str, str] | None = None) -> Corpus:
    """A corpus of what is at hand.

    Parameters
    ----------
    texts : Corpus, table or texts
        A `Corpus` is given back as it is. Of a table of polars or pandas, columns are found by
        name. Anything else is a collection of texts; tokens of a list are joined by spaces.
    remembered : mapping of str to str, or None
        Columns of another corpus, role -> name, which are taken as far as they are there.

    Returns
    -------
    Corpus
        Its documents.

    Examples
    --------
    >>> from undertow.corpus import as_corpus
    >>> as_corpus(table).columns
    ('id', 'text', 'split')
    """
    if isinstance(texts, Corpus):
        return texts
    check_not_forked()
    if is_table(texts):
        table = as_table(texts)
    else:
        table = pl.DataFrame({"text": pl.concat([as_text(chunk) for chunk in text_chunks(texts)])})
    source = TableSource("the table", "a table", table.lazy())
    return Corpus(
        source, find_columns(source.columns, dict.fromkeys(ROLE_NAMES), source.name, remembered)
    )


def with_columns(texts: Any, remembered: Mapping[str, str]) -> Any:
    """A table as a corpus with the columns of an earlier one; anything else as it is."""
    return as_corpus(texts, remembered) if is_table(texts) else texts


def columns_of(texts: Any) -> dict[str, str]:
    """Which columns a corpus or a table has its texts and the rest in, for opening others likewise;
    {} of others.
    """
    return as_corpus(texts).to_remember if _is_corpus(texts) else {}


@dataclass(frozen=True)
class Watched:
    """Texts of any kind that somebody looks at while they are read: `see` is given them, as they
    are shown, and their ids or None.
    """

    texts: Any
    see: Callable[[pl.Series, pl.Series | None], object]


def text_chunks(texts: Any, rows: int = ROWS) -> Iterator[pl.Series]:
    """The texts as columns of strings without nulls, at most `rows` documents and about 3 MiB at a
    time.

    Where documents are lists of tokens, the columns are of lists: all are of one kind.
    """
    check_not_forked()
    if isinstance(texts, Watched):
        yield from _watched(texts, rows)
        return
    if _is_corpus(texts):
        columns: Iterable[pl.Series] = as_corpus(texts).texts(rows)
    elif isinstance(texts, pl.Series):
        columns = _of_series(texts, rows)
    else:
        columns = _of_values(texts, rows)
    for column in columns:
        yield from _not_too_large(column.alias("text"))


def text_list(texts: Any) -> Any:
    """Texts that can be read twice: what can be read once only is held in memory."""
    return list(texts) if isinstance(texts, Iterator) else texts


def shown_list(documents: Iterable[Any]) -> list[str]:
    """A few documents as they are shown: the tokens of a list are joined by spaces."""
    return [text for chunk in text_chunks(documents) for text in as_shown(chunk).to_list()]


def _is_corpus(texts: Any) -> bool:
    return isinstance(texts, Corpus) or is_table(texts)


def _watched(watched: Watched, rows: int) -> Iterator[pl.Series]:
    if _is_corpus(watched.texts):
        for chunk in as_corpus(watched.texts).chunks(rows):
            watched.see(chunk["text"], chunk["id"])
            yield from _not_too_large(chunk["text"].alias("text"))
        return
    for column in text_chunks(watched.texts, rows):
        watched.see(as_shown(column), None)
        yield column


def _of_series(texts: pl.Series, rows: int) -> Iterator[pl.Series]:
    if texts.dtype in (pl.Categorical, pl.Enum):
        texts = texts.cast(pl.String)
    if texts.dtype == pl.Object:  # polars' name for "any Python object"
        yield from _of_values(texts.to_list(), rows)
        return
    if holds_tokens(texts):
        texts = checked_lists(texts)
    elif texts.dtype != pl.String and len(texts):
        raise InvalidInput(f"texts must be strings, got a column of type {texts.dtype}")
    if texts.null_count():
        raise InvalidInput(
            f"texts must be strings, got null in row {texts.is_null().arg_true()[0]}"
        )
    for first in range(0, len(texts), rows):
        yield texts[first : first + rows]


def _of_values(texts: Any, rows: int) -> Iterator[pl.Series]:
    """Any iterable of strings or of lists of them; arrays and pandas columns are iterables too."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise InvalidInput(
            f"texts must be a collection of strings, a string a document, got {texts!r:.60}"
        )
    if getattr(texts, "ndim", 1) != 1:
        raise InvalidInput(f"texts must have one dimension, got an array of shape {texts.shape}")  # type: ignore[attr-defined]
    values, first, column = iter(texts), 0, _column
    while chunk := list(islice(values, rows)):
        if not first and is_tokens(chunk[0]):  # the first says what all of them are
            column = token_column
        yield column(chunk, first)
        first += len(chunk)


def _column(chunk: list[Any], first: int) -> pl.Series:
    """The values as a column, or an error that names the row of the first that is no text."""
    try:
        column = pl.Series("text", chunk, dtype=pl.String)
    except (TypeError, UnicodeEncodeError):
        column = None
    if column is None or column.null_count():
        _refuse(chunk, first)
        # of a subclass of str, such as NumPy's
        column = pl.Series("text", list(map(str, chunk)), dtype=pl.String)
    return column


def _refuse(chunk: list[Any], first: int) -> None:
    for row, text in enumerate(chunk, start=first):
        if row and is_tokens(text):
            raise InvalidInput(
                "documents must be all texts or all lists of tokens, got texts and then "
                f"{text!r:.60} in row {row}"
            )
        if not isinstance(text, str):
            raise InvalidInput(f"texts must be strings, got {text!r:.60} in row {row}")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            found = f"half of a surrogate pair, {text[error.start]!r},"
            raise InvalidInput(f"texts must be valid Unicode, got {found} in row {row}") from None


def _not_too_large(texts: pl.Series) -> Iterator[pl.Series]:
    """The column, cut wherever another `BYTES` of text are full: a chunk has no more, besides its
    first document.
    """
    ends = lengths(texts).cum_sum().to_numpy()
    if not len(ends) or ends[-1] <= BYTES:
        yield texts
        return
    cuts = np.flatnonzero(np.diff(ends // BYTES)) + 1
    for first, last in zip([0, *cuts], [*cuts, len(texts)], strict=True):
        yield texts[int(first) : int(last)]
