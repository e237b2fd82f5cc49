"""A corpus: documents that are read in chunks, under the same column names whatever they were
stored as.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow._forks import check_not_forked
from undertow.corpus._columns import NONE, ROLES
from undertow.corpus.blocks import Numbered, numbered, numbered_blocks
from undertow.corpus.titles import with_title

ROWS = 5000  # documents a chunk: counting is fastest about here, and one chunk of tokens is small
ROW = "\0row"  # a name that no column has


class Source(Protocol):
    """What a format has to offer: its columns, and its rows in batches, as often as asked."""

    @property
    def name(self) -> str:
        """The file, folder or object, for messages."""
        ...

    @property
    def columns(self) -> list[str]:
        """The columns there are."""
        ...

    @property
    def single(self) -> list[str]:
        """Those of the columns that hold single values, as far as is known before all is read."""
        ...

    @property
    def typed(self) -> bool:
        """Whether values come as what they are; where not, as in CSV, all come as strings."""
        ...

    def batches(
        self, columns: Sequence[str], rows: int, *, text: str, loose: Sequence[str] = ()
    ) -> Iterator[pl.DataFrame]:
        """The given columns of all rows in order, at most `rows` at a time; `text` is the one that
        holds the texts.

        What is nested in one of the `loose` columns comes as JSON where everything comes as
        strings.
        """
        ...

    def count_rows(self) -> int:
        """How many rows there are."""
        ...

    def part(self, first: int, last: int) -> Source:
        """The rows from `first` to before `last`, and no others."""
        ...


class Corpus:
    """Documents with an `id` and a `text`, and a `title`, `label`, `split`, `time` and `url` where
    the source has them; made by `undertow.open_corpus` and `as_corpus`.

    Only the chunk being read is in memory. All but times come as strings (a source without ids
    numbers its rows from "0"), times as they are stored. A title is also the first line of the
    text, unless the text begins with it anyway. A text that is null or no string is an error that
    names its row. Further columns come on request (`keeping`), under their own names and as they
    are stored.

    Examples
    --------
    >>> corpus = undertow.open_corpus("posts.parquet")
    >>> corpus.columns, corpus.further
    (('id', 'text', 'split'), ('stars',))
    """

    def __init__(
        self,
        source: Source,
        columns: Mapping[str, str],
        *,
        splits: Sequence[str] | None = None,
        kept: Mapping[str, str] | None = None,
        rows: tuple[int, int] | None = None,
        blocks: tuple[tuple[int, int], ...] | None = None,
    ) -> None:
        self._source, self._rows, self._blocks = source, rows, blocks
        self._found = dict(columns)
        self._columns = {role: column for role, column in columns.items() if column != NONE}
        self._kept = dict(kept or {})
        self._splits = None if splits is None else tuple(splits)

    def __repr__(self) -> str:
        chosen = "" if self._splits is None else f", splits={list(self._splits)}"
        return f"Corpus({self.name!r}, columns={list(self.columns)}{chosen})"

    @property
    def name(self) -> str:
        """Where the documents come from."""
        return self._source.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that chunks have: "id" and "text", "title", "label" and so on where present,
        and those kept.
        """
        return ("id", "text", *(role for role in ROLES[2:] if role in self._columns), *self._kept)

    @property
    def has_ids(self) -> bool:
        """Whether documents have ids of their own; where not, they are numbers of rows."""
        return "id" in self._columns

    @property
    def typed(self) -> bool:
        """Whether times and kept columns come as what they are; where not, as in CSV and JSON
        lines, as strings.
        """
        return self._source.typed

    @property
    def names(self) -> dict[str, str]:
        """Which column of the source has which role: such as {"text": "body", "label":
        "category"}.
        """
        return dict(self._columns)

    @property
    def to_remember(self) -> dict[str, str]:
        """The same, with an empty name where it was said that there is none: for opening other
        corpora likewise.
        """
        return dict(self._found)

    @property
    def further(self) -> tuple[str, ...]:
        """The columns of the source that have no role."""
        return tuple(name for name in self._source.columns if name not in self._columns.values())

    @property
    def nested(self) -> tuple[str, ...]:
        """Those of the further columns that hold lists, structures or bytes, as far as is known
        without reading all.
        """
        single = set(self._source.single)
        return tuple(name for name in self.further if name not in single)

    def keeping(self, columns: Sequence[str] | Mapping[str, str]) -> Corpus:
        """The same documents with further columns of the source.

        Parameters
        ----------
        columns : sequence of str, or mapping of str to str
            Names of columns; in a mapping, new name -> name in the source.

        Returns
        -------
        Corpus
            A new one.

        Raises
        ------
        InvalidInput
            For a column that there is not, or a name that the corpus has already.

        Examples
        --------
        >>> corpus.keeping(["stars"]).columns
        ('id', 'text', 'split', 'stars')
        """
        wanted = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
        for name in wanted:
            if name in self.columns and name not in self._kept:
                raise InvalidInput(
                    f"kept columns must not be named as one that the corpus has, got {name!r}"
                )
        missing = [name for name in wanted.values() if name not in self._source.columns]
        if missing:
            there = ", ".join(map(repr, self._source.columns))
            raise InvalidInput(
                f"kept columns must be those of {self.name}, which has {there}; got {missing[0]!r}"
            )
        return self._changed(kept=wanted)

    def _changed(self, **changes: Any) -> Corpus:
        """The same in all but these arguments."""
        arguments = {"splits": self._splits, "kept": self._kept, "rows": self._rows}
        return Corpus(self._source, self._found, **arguments | {"blocks": self._blocks} | changes)

    @property
    def _loose(self) -> list[str]:
        """Columns without a role, whose values nobody but their reader has to understand."""
        return [name for name in self._kept.values() if name not in self._columns.values()]

    def where_split(self, splits: str | Sequence[str]) -> Corpus:
        """The documents of these splits only.

        Parameters
        ----------
        splits : str or sequence of str
            Such as "train", or ("train", "unsup").

        Returns
        -------
        Corpus
            A new one.

        Raises
        ------
        InvalidInput
            For a corpus without a split column.

        Examples
        --------
        >>> [len(chunk) for chunk in corpus.where_split("train").chunks()]
        [2]
        """
        if "split" not in self._columns:
            raise InvalidInput(
                f"splits need a split column, got {self.name} without one: name it by split_column"
            )
        chosen = (splits,) if isinstance(splits, str) else tuple(splits)
        return self._changed(splits=chosen)

    def count_rows(self) -> int:
        """How many rows the source has, of all splits; of Parquet this is read off its metadata.

        Returns
        -------
        int
            Rows: of a part of a corpus, those of the whole.

        Examples
        --------
        >>> corpus.count_rows()
        3
        """
        return self._source.count_rows()

    def part(self, first: int, last: int) -> Corpus:
        """The documents in some rows of the source, such as one worker of many reads.

        Ids are those of the whole: parts put together in order are the corpus. A part may hold no
        document of the splits that were asked for; its chunks are none then. Of Parquet only these
        rows are read; other files are read from their beginning to the last of them.

        Parameters
        ----------
        first, last : int
            From this row to before that one.

        Returns
        -------
        Corpus
            A new one.

        Examples
        --------
        >>> [chunk["id"].to_list() for chunk in corpus.part(1, 3).chunks()]
        [['1', '2']]
        """
        first = _check.whole_number("first", first, at_least=0)
        return self._changed(rows=(first, _check.whole_number("last", last, at_least=first)))

    def _of_blocks(self, blocks: Sequence[tuple[int, int]]) -> Corpus:
        """The documents in some stretches of rows, ascending."""
        return self._changed(rows=None, blocks=tuple(blocks))

    def _numbered(self, columns: Sequence[str], rows: int) -> Iterator[Numbered]:
        """The rows that are read, and their numbers in the source."""
        check_not_forked()
        how: dict[str, Any] = {"text": self._columns["text"], "loose": self._loose}
        if self._blocks is not None:
            yield from numbered_blocks(self._source, self._blocks, columns, rows, how)
            return
        first = 0 if self._rows is None else self._rows[0]
        read = self._source if self._rows is None else self._source.part(*self._rows)
        yield from numbered(read.batches(columns, rows, **how), first)

    def chunks(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """All documents in order, in tables.

        Parameters
        ----------
        rows : int
            Documents of a table at most; fewer where other splits lie between.

        Yields
        ------
        polars.DataFrame
            With the columns that `columns` names.

        Raises
        ------
        InvalidInput
            At the end, for a corpus without any document.

        Examples
        --------
        >>> next(corpus.chunks())["id"].to_list()
        ['0', '1', '2']
        """
        rows = _check.whole_number("rows", rows, at_least=1)
        total, yielded = 0, self._rows is not None or self._blocks is not None
        stored = list(dict.fromkeys((*self._columns.values(), *self._kept.values())))
        for numbers, batch in self._numbered(stored, rows):
            chunk = self._normalised(batch, numbers)
            total += batch.height
            if chunk.height:
                yielded = True
                yield chunk
        if not yielded:
            wanted = (
                ""
                if self._splits is None
                else f" with split {' or '.join(map(repr, self._splits))}"
            )
            raise InvalidInput(
                f"corpus must hold a document{wanted}, got none in {total:,} rows of {self.name}"
            )

    def row_numbers(self) -> tuple[NDArray[np.int64], int]:
        """Which rows of the source its documents are.

        Returns
        -------
        rows : array of int
            Numbers of rows, in order.
        total : int
            How many rows there are, of all splits.

        Examples
        --------
        >>> rows, total = corpus.where_split("train").row_numbers()
        >>> rows.tolist(), total
        ([0, 2], 3)
        """
        text, split = self._columns["text"], self._columns.get("split")
        wanted = (
            [text] if self._splits is None or split is None else list(dict.fromkeys((text, split)))
        )
        found = [np.zeros(0, dtype=np.int64)]
        total = 0 if self._rows is None else self._rows[0]
        for numbers, batch in self._numbered(wanted, ROWS):
            inside = np.ones(batch.height, dtype=bool)
            if len(wanted) > 1:
                inside = (
                    batch[wanted[1]]
                    .cast(pl.String)
                    .is_in(self._splits or ())
                    .fill_null(False)
                    .to_numpy()
                )
            found.append(numbers[inside])
            total = int(numbers[-1]) + 1 if len(numbers) else total
        return np.concatenate(found), total

    def texts(self, rows: int = ROWS) -> Iterator[pl.Series]:
        """The texts alone, in chunks.

        Parameters
        ----------
        rows : int
            Texts of a chunk at most.

        Yields
        ------
        polars.Series
            Strings.

        Examples
        --------
        >>> next(corpus.texts())[2]
        'ripe apples and pears'
        """
        for chunk in self.chunks(rows):
            yield chunk["text"]

    def _normalised(self, batch: pl.DataFrame, numbers: NDArray[np.int64]) -> pl.DataFrame:
        """The batch under our names, other splits left out; `numbers` are those of its rows."""
        named = [
            pl.col(column).alias(name) for name, column in (self._columns | self._kept).items()
        ]
        chunk = batch.select(*named, pl.Series(ROW, numbers))
        if "id" not in self._columns:
            chunk = chunk.with_columns(pl.col(ROW).cast(pl.String).alias("id"))
        strings = [role for role in ROLES if role not in ("text", "time") and role in chunk.columns]
        chunk = chunk.with_columns(pl.col(strings).cast(pl.String))
        if self._splits is not None:
            chunk = chunk.filter(pl.col("split").is_in(self._splits))
        self._check_texts(chunk)
        if "title" in self._columns:
            chunk = chunk.with_columns(with_title(pl.col("title"), pl.col("text")))
        return chunk.select(self.columns)

    def _check_texts(self, chunk: pl.DataFrame) -> None:
        column = self._columns["text"]
        if not chunk.height:
            return
        if chunk.schema["text"] not in (pl.String, pl.Null):
            raise InvalidInput(
                f"text_column must hold strings, got {chunk.schema['text']} in column {column!r} "
                f"of {self.name}"
            )
        if chunk["text"].null_count():
            row = chunk.filter(pl.col("text").is_null())[ROW][0]
            raise InvalidInput(
                f"texts must be strings, got null in row {row} of column {column!r} of {self.name}"
            )
